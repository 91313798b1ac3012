"""Draw slots, in rows of regions or blocks, as text for a terminal or as SVG for a page.

A picture is plain data, so that ``slotmap.py`` of a lesson needs no import: a title and rows. A row is a
label and boxes; a box (a region, a block, a bar) is a list of pairs of a kind and a number of slots.
"""

from __future__ import annotations

import runpy
import textwrap
from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path

Box = Sequence[tuple[str, int]]
Row = tuple[str, Sequence[Box]]
Picture = tuple[str, Sequence[Row]]
"""The title, and the rows from top to bottom."""
SlotMap = Callable[..., "Picture | None"]
"""A lesson's function: a function's name, arguments and keywords, the answer, what is right -> a picture."""

SLOT_MAP = "kit/slotmap.py"
"""The file that holds it as ``picture``, in ``exercises/NAME/`` and in the bundle; a lesson may have none."""


_KINDS = {
    "token": ("holds a token", "\u2588", "#"),
    "idle": ("reserved, idle", "\u2591", "."),
    "slack": ("slack", "\u2592", "-"),
    "reserved": ("reserved", "\u2593", "="),
    "shared": ("shared", "\u2593", "="),
    "taken": ("handed out", "\u2593", "="),
    "free": ("free", "\u00b7", "_"),
    "rest": ("", "\u00b7", "_"),
    "over": ("too many", "!", "!"),
    "yours": ("", "\u2584", "+"),
    "right": ("", "\u2580", "*"),
}
"""Kinds of slots: the words in the legend, if it is there, and the sign, in Unicode and in ASCII."""
MOST_ROWS = 12
"""Rows that are drawn; the rest is counted."""

_MOST_BOXES = 40
_WIDTH, _MARGIN = 260, 8
_BAR, _HEIGHT, _LINE, _LETTERS = 244, 18, 16, 37
"""Of a picture in SVG: the widest row, the heights of a row and of a line of text, and its letters."""


def load_slot_map(folder: Path) -> SlotMap:
    """Load the lesson's own drawing from a folder; one that draws nothing where there is none."""
    path = folder / SLOT_MAP
    picture: SlotMap = runpy.run_path(str(path))["picture"] if path.is_file() else lambda *_: None
    return picture


def bounded(picture: Picture) -> Picture:
    """The picture with at most ``MOST_ROWS`` rows, and boxes that are too many to be told apart as one."""
    title, rows = picture
    shown = [(label, _joined(boxes)) for label, boxes in rows]
    if len(shown) > MOST_ROWS:
        left_out = len(shown) - MOST_ROWS + 1
        shown = [*shown[: MOST_ROWS - 4], (f"... and {left_out} more rows ...", []), *shown[-3:]]
    return title, shown


def text(picture: Picture, width: int = 80, *, unicode: bool = True) -> str:
    """Draw a picture in lines of at most ``width`` columns, with a legend below.

    Every part has a column at least, and all rows the same number of slots in a column.
    """
    title, rows = bounded(picture)
    lines = [*textwrap.wrap(title, width)]
    rows = [(label, _joined(boxes, width // 8)) for label, boxes in rows]
    room = width - 4 - 2 * max((len(boxes) for _, boxes in rows), default=0)
    scale = max(1.0, _widest(rows) / max(room, 8))
    signs = {kind: sign if unicode else in_ascii for kind, (_, sign, in_ascii) in _KINDS.items()}
    for label, boxes in rows:
        lines += textwrap.wrap(label, width)
        drawn = ("".join(signs[kind] * max(1, round(slots / scale)) for kind, slots in box) for box in boxes)
        if boxes:
            lines.append(("  " + "".join(f"[{box}]" for box in drawn))[:width])
    legend = [f"{signs[kind]} {words}" for kind, words in _legend(rows)]
    if scale > 1:
        legend.append(f"a column is about {scale:.3g} slots")
    return "\n".join([*lines, *textwrap.wrap(", ".join(legend), width)])


def svg(picture: Picture) -> str:
    """Draw a picture as an SVG element, readable from 320 pixels on; the page has the style."""
    title, rows = bounded(picture)
    scale = _BAR / max(_widest(rows), 1)
    parts: list[str] = []
    y = _MARGIN
    for line in textwrap.wrap(title, _LETTERS):
        parts.append(_text(_MARGIN, y + 10, line, ' class="title"'))
        y += _LINE
    for label, boxes in rows:
        y += 4
        for line in textwrap.wrap(label, _LETTERS):
            parts.append(_text(_MARGIN, y + 10, line))
            y += _LINE
        left = float(_MARGIN)
        for box in boxes:
            for kind, slots in box:
                parts += _rectangle(kind, left, y, slots * scale)
                left += slots * scale
        y += (_HEIGHT + 4) if boxes else 0
    y += 6
    for place, (kind, said) in enumerate(legend := _legend(rows)):
        x = _MARGIN + place % 2 * (_BAR // 2)
        parts += _rectangle(kind, x, y, 24)
        parts.append(_text(x + 30, y + 13, said))
        y += (_HEIGHT + 6) if place % 2 or place == len(legend) - 1 else 0
    label = escape(" ".join(f"{text.rstrip('.')}." for text in (title, *(label for label, _ in rows))))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="slots" viewBox="0 0 {_WIDTH} {y + 4}" role="img" '
        f'aria-label="{label}">{"".join(parts)}</svg>'
    )


def _legend(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """The kinds of slots that need the legend, in its order, with their words."""
    names = {kind for _, boxes in rows for box in boxes for kind, _ in box}
    return [(name, words) for name, (words, *_) in _KINDS.items() if name in names and words]


def _widest(rows: Sequence[Row]) -> int:
    return max((sum(slots for box in boxes for _, slots in box) for _, boxes in rows), default=0)


def _joined(boxes: Sequence[Box], most: int = _MOST_BOXES) -> list[list[tuple[str, int]]]:
    """The boxes of a row that hold anything; too many are put in one, kind by kind."""
    kept = [[(kind, slots) for kind, slots in box if slots > 0] for box in boxes]
    kept = [box for box in kept if box]
    if len(kept) <= most:
        return kept
    sums: dict[str, int] = {}
    for kind, slots in (part for box in kept for part in box):
        sums[kind] = sums.get(kind, 0) + slots
    return [list(sums.items())]


def _rectangle(kind: str, x: float, y: float, width: float) -> Iterator[str]:
    """A part of a box; kinds differ by pattern as well as by colour."""
    kind = "reserved" if kind in ("shared", "taken") else kind
    yield f'<rect class="{kind}" x="{x:.5g}" y="{y}" width="{width:.5g}" height="{_HEIGHT}"/>'
    if kind in ("idle", "reserved", "slack") and width >= 2:
        middle = y + _HEIGHT / 2
        thick = 3 if kind == "slack" else _HEIGHT - 2
        yield (
            f'<line class="{kind}" x1="{x + 1.5:.5g}" y1="{middle:g}" x2="{x + width - 0.5:.5g}" '
            f'y2="{middle:g}" stroke-width="{thick}"/>'
        )


def _text(x: float, y: float, line: str, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}"{more}>{escape(line)}</text>'
