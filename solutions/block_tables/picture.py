"""The handout's pictures: three block tables above, and below them the pool of blocks that they name.

``tables.svg`` is for wide screens, ``tables-narrow.svg`` for narrow ones. The reference solution finds the
slot of every token. Tokens, tokens of the common beginning, slack and free blocks differ by pattern and by
words as well as by colour, and the picture has a background of its own for light and for dark pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import ModuleType
from xml.sax.saxutils import escape

BLOCK = 8
BLOCKS = 15
PREFIX = 10
TABLES = {"A": [5, 9, 4], "B": [5, 0], "C": [12, 2]}
"""The block tables; no block follows the one before it in the pool."""
LENGTHS = {"A": 21, "B": 13, "C": 16}

TITLE = "Three block tables and the pool of blocks that they name"
LABELS = 'aria-labelledby="title desc"'
STYLE = """
  text { font: 15px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: #1f2328; }
  .head { font-weight: 600; font-size: 17px; }
  .small { font-size: 13px; }
  .page { fill: #ffffff; }
  .token { fill: #0b5cad; }
  .slack { fill: #eadffb; }
  .free { fill: none; stroke: #57606a; stroke-dasharray: 4 3; }
  .edge { fill: none; stroke: #1f2328; }
  .shared { fill: none; stroke: #a3261c; stroke-width: 4; }
  .grid { stroke: #ffffff; stroke-width: 1.5; }
  .ring { fill: #ffffff; }
  .dot { fill: #5b2bb5; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .page { fill: #0d1117; }
    .token { fill: #6cb6ff; }
    .slack { fill: #2a1c4a; }
    .free { stroke: #9aa4af; }
    .edge { stroke: #e6edf3; }
    .shared { stroke: #ff8f85; }
    .grid { stroke: #0d1117; }
    .ring { fill: #0d1117; }
    .dot { fill: #d2b3ff; }
  }
"""
PATTERNS = """
  <pattern id="dots" width="4.5" height="4.5" patternUnits="userSpaceOnUse">
    <rect class="slack" width="4.5" height="4.5"/><circle class="dot" cx="2.25" cy="2.25" r="1.1"/>
  </pattern>
"""
FILLS = {"token": 'class="token"', "common": 'class="token"', "slack": 'fill="url(#dots)"'}
LEGEND = (
    ("token", "a token"),
    ("common", "a token of the common beginning"),
    ("slack", "slack: the end of a last block"),
    ("free", "a free block"),
    ("shared", "a shared block: in two tables, once in the pool"),
)


def pictures(solutions: Mapping[str, ModuleType]) -> dict[str, str]:
    """Draw the handout's pictures with the solution's module ``tables``: text by file name."""
    slots = filled(solutions["tables"])
    wide = [*tables(24, 24, 310), *pool(24, 142, slots, 5, 20), *legend(24, 400, 3, 306)]
    narrow = [*tables(10, 10, 0), *pool(10, 258, slots, 3, 12), *legend(10, 640, 1, 0)]
    return {
        "tables.svg": _picture(960, 480, wide),
        "tables-narrow.svg": _picture(344, 816, narrow),
    }


def filled(solution: ModuleType) -> dict[int, str]:
    """The slots of the pool that hold a token, and which kind of token it is."""
    return {
        solution.physical_slot(table, position, BLOCK): "common"
        if name in "AB" and position < PREFIX
        else "token"
        for name, table in TABLES.items()
        for position in range(LENGTHS[name])
    }


def owners(block: int) -> list[str]:
    """The sequences that have a block in their tables."""
    return [name for name, table in TABLES.items() if block in table]


def edge(names: list[str]) -> str:
    """The kind of outline of a block with these owners."""
    return "shared" if len(names) > 1 else "edge"


def tables(x: int, y: int, apart: int) -> Iterator[str]:
    """Draw the block tables, beside each other or (``apart`` is 0) one below the other."""
    yield _text(x, y + 14, "Block tables, in logical order", "head")
    for place, (name, table) in enumerate(TABLES.items()):
        left, top = x + place * apart, y + 44 + (0 if apart else place * 68)
        yield _text(left, top, f"{name}: {LENGTHS[name]} tokens")
        for entry, number in enumerate(table):
            box = left + entry * 74
            yield _outline(edge(owners(number)), box, top + 10, 48, 30)
            yield _text(box + 24, top + 31, str(number), middle=True)
            if entry:
                yield _text(box - 13, top + 30, "\u2192", middle=True)


def pool(x: int, y: int, slots: Mapping[int, str], a_row: int, cell: int) -> Iterator[str]:
    """Draw the blocks of the pool in physical order, ``a_row`` of them beside each other."""
    yield _text(x, y + 14, f"The pool: {BLOCKS} blocks of {BLOCK} slots", "head")
    width = BLOCK * cell
    for block in range(BLOCKS):
        left, top = x + block % a_row * (width + cell), y + 44 + block // a_row * 64
        names = owners(block)
        yield _text(left, top, f"{block}: {' and '.join(names) or 'free'}", "small")
        if not names:
            yield _bar("free", left, top + 8, width, 32)
            continue
        for place in range(BLOCK):
            kind = slots.get(block * BLOCK + place, "slack")
            yield from _cell(kind, left + place * cell, top + 8, cell)
        for place in range(1, BLOCK):
            line = left + place * cell
            yield f'<line class="grid" x1="{line}" y1="{top + 8}" x2="{line}" y2="{top + 40}"/>'
        yield _outline(edge(names), left, top + 8, width, 32)


def legend(x: int, y: int, columns: int, apart: int) -> Iterator[str]:
    """Draw what the patterns mean."""
    for place, (kind, words) in enumerate(LEGEND):
        left, top = x + place % columns * apart, y + place // columns * 34
        if kind == "shared":
            yield _outline("shared", left, top, 20, 22)
        else:
            yield from _cell(kind, left, top, 20, 22)
        yield _text(left + 30, top + 16, words, "small")


def _cell(kind: str, x: int, y: int, width: int, height: int = 32) -> Iterator[str]:
    """Draw a slot; one of the common beginning has a ring on it."""
    yield _bar(kind, x, y, width, height)
    if kind == "common":
        yield f'<circle class="ring" cx="{x + width / 2:g}" cy="{y + height / 2:g}" r="3.5"/>'


def _picture(width: int, height: int, parts: list[str]) -> str:
    """Put a picture together with its title and its description."""
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" {LABELS}>',
        f'<title id="title">{escape(TITLE)}</title>',
        f'<desc id="desc">{escape(description())}</desc>',
        f"<style>{STYLE}</style>",
        f"<defs>{PATTERNS}</defs>",
        f'<rect class="page" width="{width}" height="{height}" rx="8"/>',
    ]
    return "\n".join([*head, *parts, "</svg>"]) + "\n"


def description() -> str:
    """Describe the picture for people who cannot see it, without the numbers that Part 1 asks for."""
    rows = "; ".join(
        f"{name} has {LENGTHS[name]} tokens, and its table names the blocks {', '.join(map(str, table))}"
        for name, table in TABLES.items()
    )
    return (
        f"Above: {rows}, in logical order. A and B begin with the same {PREFIX} tokens. Below: a pool of "
        f"{BLOCKS} blocks with {BLOCK} slots each, numbered from 0. Block 5 is marked, because it stands in "
        "the tables of A and of B. A sequence's last block may end with slack. All blocks that no table "
        "names are free."
    )


def _bar(kind: str, x: int, y: int, width: int, height: int) -> str:
    fill = FILLS.get(kind, 'class="free"')
    return f'<rect {fill} x="{x}" y="{y}" width="{width}" height="{height}"/>'


def _outline(kind: str, x: int, y: int, width: int, height: int) -> str:
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}"/>'


def _text(x: int, y: int, words: str, kind: str = "", *, middle: bool = False) -> str:
    marks = (f' class="{kind}"' if kind else "") + (' text-anchor="middle"' if middle else "")
    return f'<text x="{x}" y="{y}"{marks}>{escape(words)}</text>'
