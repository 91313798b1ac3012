"""The handout's pictures: one pool of 400 slots, reserved in regions and handed out in blocks.

``pool.svg`` shows both sides beside each other, ``pool-narrow.svg`` one below the other, and ``compare.svg``
what the three sequences take in both, on one scale.

The reference solution counts everything that is drawn. The four states of a slot differ by pattern and by
words as well as by colour, and the picture has a background of its own for light and for dark pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType
from xml.sax.saxutils import escape

POOL = 400
REGION = 100
BLOCK = 16
SEQUENCES = {"A": 20, "B": 35, "C": 10}

# The order in which the paged allocator hands out its blocks. It is mixed: blocks that follow each other in a
# sequence need not be neighbours in memory.
BLOCK_ORDER = (7, 1, 3, 18, 12, 9)

WIDTH, HEIGHT = 960, 500
SLOT = 4  # pixels that a slot of a region is wide
CELL = 9  # pixels that a slot of a block is wide and high
BLOCKS_A_ROW = 5
NARROW = 344  # of a picture for small screens, in pixels
NARROW_SLOT = 3
NARROW_BLOCKS = 3
COMPARED = (
    "The same three sequences in blocks and in regions, on one scale",
    "Blocks take a little more than the tokens; regions take several times as much, most of it idle.",
)
ORDINALS = ("1st", "2nd", "3rd")

LABELS = 'aria-labelledby="title desc"'
STYLE = """
  text { font: 15px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: #1f2328; }
  .head { font-weight: 600; font-size: 17px; }
  .small { font-size: 13px; }
  .page { fill: #ffffff; }
  .token { fill: #0b5cad; }
  .idle { fill: #fbe7c3; }
  .slack { fill: #eadffb; }
  .free { fill: none; stroke: #57606a; stroke-dasharray: 4 3; }
  .edge { fill: none; stroke: #1f2328; }
  .grid { stroke: #ffffff; stroke-width: 1.5; }
  .stripe { stroke: #8a5a00; stroke-width: 2; }
  .dot { fill: #5b2bb5; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .page { fill: #0d1117; }
    .token { fill: #6cb6ff; }
    .idle { fill: #3a2a06; }
    .slack { fill: #2a1c4a; }
    .free { stroke: #9aa4af; }
    .edge { stroke: #e6edf3; }
    .grid { stroke: #0d1117; }
    .stripe { stroke: #e3b341; }
    .dot { fill: #d2b3ff; }
  }
"""

PATTERNS = """
  <pattern id="stripes" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <rect class="idle" width="7" height="7"/><line class="stripe" x1="1" y1="0" x2="1" y2="7"/>
  </pattern>
  <pattern id="dots" width="4.5" height="4.5" patternUnits="userSpaceOnUse">
    <rect class="slack" width="4.5" height="4.5"/><circle class="dot" cx="2.25" cy="2.25" r="1.1"/>
  </pattern>
"""

FILLS = {"token": 'class="token"', "idle": 'fill="url(#stripes)"', "slack": 'fill="url(#dots)"'}

LEGEND = (
    ("token", "a token"),
    ("idle", "idle but reserved: kept for its sequence"),
    ("slack", "slack inside a block: kept for its sequence"),
    ("free", "free: for any sequence"),
)


def pictures(solutions: Mapping[str, ModuleType]) -> dict[str, str]:
    """Draw the handout's pictures, counted by the solution's module ``reservation``: text by file name."""
    reservation = solutions["reservation"]
    free_regions = reservation.extra_reservations(POOL, REGION, len(SEQUENCES))
    blocks = {name: reservation.paged_slots([n], BLOCK) // BLOCK for name, n in SEQUENCES.items()}
    order = iter(BLOCK_ORDER)
    table = {name: [next(order) for _ in range(count)] for name, count in blocks.items()}
    about = f"One pool of {POOL} slots, shared out in two ways", _description(free_regions, table)
    wide = [*_regions(24, 24, free_regions), *_blocks(500, 24, table), *_legend(24, 416)]
    narrow = [
        *_regions(10, 10, free_regions, NARROW_SLOT),
        *_blocks(10, 400, table, NARROW_BLOCKS),
        *_legend(10, 1052, columns=1),
    ]
    compared = sum(SEQUENCES.values()), blocks
    return {
        "pool.svg": _picture(WIDTH, HEIGHT, about, wide),
        "pool-narrow.svg": _picture(NARROW, 1200, about, narrow),
        "compare.svg": _picture(NARROW, 196, COMPARED, _comparison(*compared)),
    }


def _picture(width: int, height: int, about: tuple[str, str], parts: Iterable[str]) -> str:
    """Put a picture together; ``about`` is its title and its description."""
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" {LABELS}>',
        f'<title id="title">{escape(about[0])}</title>',
        f'<desc id="desc">{escape(about[1])}</desc>',
        f"<style>{STYLE}</style>",
        f"<defs>{PATTERNS}</defs>",
        f'<rect class="page" width="{width}" height="{height}" rx="8"/>',
    ]
    return "\n".join([*head, *parts, "</svg>"]) + "\n"


def _comparison(tokens: int, blocks: Mapping[str, int]) -> Iterator[str]:
    """Draw what the sequences take in regions and in blocks, without the sums that Part 1 asks for."""
    x, slot = 10, (NARROW - 20) / (REGION * len(SEQUENCES))
    rows = (
        ("The same tokens", tokens, "token", tokens),
        (f"in blocks of {BLOCK}: tokens and slack", tokens, "slack", sum(blocks.values()) * BLOCK),
        (f"in regions of {REGION}: tokens and idle slots", tokens, "idle", REGION * len(SEQUENCES)),
    )
    y = 24
    for words, held, rest, whole in rows:
        yield _text(x, y, words)
        yield _bar("token", x, y + 8, round(held * slot), 26)
        yield _bar(rest, x + round(held * slot), y + 8, round((whole - held) * slot), 26)
        yield _edge(x, y + 8, round(whole * slot), 26)
        y += 60


def _description(free_regions: int, table: Mapping[str, list[int]]) -> str:
    """Describe the picture for people who cannot see it, without the sums that Part 1 asks for."""
    regions = "; ".join(f"region {name} starts with {n} tokens" for name, n in SEQUENCES.items())
    blocks = "; ".join(
        f"{name} has blocks {', '.join(map(str, numbers))}, the last of them with "
        f"{SEQUENCES[name] - (len(numbers) - 1) * BLOCK} tokens"
        for name, numbers in table.items()
    )
    return (
        f"Left: contiguous regions of {REGION} slots. {regions}; what follows is idle but reserved. "
        f"Free regions: {free_regions}. "
        f"Right: the same sequences in blocks of {BLOCK} slots, in logical order: {blocks}; what follows is "
        f"slack. All other blocks are free."
    )


def _regions(x: int, y: int, free_regions: int, slot: int = SLOT) -> Iterator[str]:
    """Draw one row for each region, its tokens first and the rest idle; then the free regions."""
    yield _text(x, y + 14, f"Contiguous: regions of {REGION} slots", "head")
    yield _text(x, y + 36, f"{POOL} slots, a row a region, marks every 10 slots", "small")
    row = y + 62
    for name, tokens in SEQUENCES.items():
        yield _text(x, row, f"{name}: {tokens} tokens")
        yield _bar("token", x, row + 8, tokens * slot, 32)
        yield _bar("idle", x + tokens * slot, row + 8, (REGION - tokens) * slot, 32)
        yield from _ticks(x, row + 8, 32, slot)
        yield _edge(x, row + 8, REGION * slot, 32)
        row += 76
    for _ in range(free_regions):
        yield _text(x, row, "free region")
        yield _bar("free", x, row + 8, REGION * slot, 32)
        row += 76


def _ticks(x: int, y: int, height: int, slot: int) -> Iterator[str]:
    """Draw a line after every tenth slot, so that slots can be counted."""
    for number in range(10, REGION, 10):
        left = x + number * slot
        yield f'<line class="edge" x1="{left}" y1="{y + height - 8}" x2="{left}" y2="{y + height}"/>'


def _blocks(x: int, y: int, table: Mapping[str, list[int]], a_row: int = BLOCKS_A_ROW) -> Iterator[str]:
    """Draw the block tables in logical order, and below them the pool in physical order."""
    yield _text(x, y + 14, f"Paged: blocks of {BLOCK} slots", "head")
    tables = "; ".join(f"{name}: {' → '.join(map(str, numbers))}" for name, numbers in table.items())
    yield _text(x, y + 36, f"{POOL} slots; in order {tables}", "small")
    filled = {
        block: (f": {name}, {ORDINALS[index]}", min(BLOCK, SEQUENCES[name] - index * BLOCK))
        for name, numbers in table.items()
        for index, block in enumerate(numbers)
    }
    for block in range(POOL // BLOCK):
        left = x + block % a_row * (BLOCK // 2 * CELL + 16)
        top = y + 62 + block // a_row * 62
        owner, tokens = filled.get(block, ("", 0))
        yield _text(left, top, f"{block}{owner}", "small")
        yield from _block(left, top + 7, tokens) if owner else _free_block(left, top + 7)


def _block(x: int, y: int, tokens: int) -> Iterator[str]:
    """Draw a block in two rows of slots, its tokens first."""
    half = BLOCK // 2
    for slot in range(BLOCK):
        state = "token" if slot < tokens else "slack"
        yield _bar(state, x + slot % half * CELL, y + slot // half * 2 * CELL, CELL, 2 * CELL)
    for slot in range(1, half):
        left = x + slot * CELL
        yield f'<line class="grid" x1="{left}" y1="{y}" x2="{left}" y2="{y + 4 * CELL}"/>'
    yield f'<line class="grid" x1="{x}" y1="{y + 2 * CELL}" x2="{x + half * CELL}" y2="{y + 2 * CELL}"/>'
    yield _edge(x, y, half * CELL, 4 * CELL)


def _free_block(x: int, y: int) -> Iterator[str]:
    yield _bar("free", x, y, BLOCK // 2 * CELL, 4 * CELL)


def _legend(x: int, y: int, columns: int = 2) -> Iterator[str]:
    for index, (state, words) in enumerate(LEGEND):
        left, top = x + index % columns * 476, y + index // columns * 34
        yield _bar(state, left, top, 36, 22)
        if state != "free":
            yield _edge(left, top, 36, 22)
        yield _text(left + 46, top + 16, words, "small" if columns == 1 else "")


def _bar(state: str, x: int, y: int, width: int, height: int) -> str:
    fill = FILLS.get(state, 'class="free"')
    return f'<rect {fill} x="{x}" y="{y}" width="{width}" height="{height}"/>'


def _edge(x: int, y: int, width: int, height: int) -> str:
    return f'<rect class="edge" x="{x}" y="{y}" width="{width}" height="{height}"/>'


def _text(x: int, y: int, words: str, kind: str = "") -> str:
    attribute = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}"{attribute}>{escape(words)}</text>'
