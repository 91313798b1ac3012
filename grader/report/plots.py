"""Draw the plots of a report as SVG; equal numbers give equal bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from grader.report.figures import ClassFigures, CriterionFigures

_WIDTH, _HEIGHT, _ROW = 640, 240, 26
"""Pixels: the width of a plot, the height of the one of points, and that of a row in the other."""
_LETTER = 7
"""Pixels that a letter takes at most."""
_BAR, _HIDDEN = "#0b5cad", "#7a3eb1"
_HATCH = (
    '<pattern id="hatch" width="6" height="6" patternTransform="rotate(45)" patternUnits="userSpaceOnUse">'
    f'<rect width="6" height="6" fill="{_HIDDEN}"/><path d="M0 0V6" stroke="#ffffff"/></pattern>'
)


def distribution(figures: ClassFigures) -> str:
    """Draw how many students have how many points."""
    counts = [0] * (figures.max_points + 1)
    for points in figures.points:
        counts[min(figures.max_points, max(0, round(points)))] += 1
    left, bottom = 64, _HEIGHT - 44
    wide, high = (_WIDTH - left) / len(counts), (bottom - 10) / max(*counts, 1)
    parts = [
        f'<rect x="{left + (place + 0.1) * wide:.1f}" y="{bottom - count * high:.1f}" '
        f'width="{0.8 * wide:.1f}" height="{count * high:.1f}" fill="{_BAR}"/>'
        for place, count in enumerate(counts)
        if count
    ]
    parts += [_text(left + (n + 0.5) * wide, bottom + 16, f"{n}") for n in _ticks(figures.max_points, 12)]
    for count in _ticks(max(counts), 5):
        parts.append(_text(left - 8, bottom - count * high + 4, f"{count}", "end"))
    parts += [_text((left + _WIDTH) / 2, _HEIGHT - 8, "points"), _text(0, 14, "students", "start")]
    parts.append(f'<path d="M{left} 4V{bottom}H{_WIDTH}" fill="none" stroke="currentColor"/>')
    return _svg(parts, _HEIGHT, f"Points of {len(figures.points)} students, from 0 to {figures.max_points}")


def shares(criteria: Sequence[CriterionFigures]) -> str:
    """Draw the share that earned each criterion; bars of hidden ones have another colour and hatches."""
    left = 12 + _LETTER * max(len(one.id) for one in criteria)
    bottom, wide = 4 + _ROW * len(criteria), (_WIDTH - left - 20) / 100
    parts = [_HATCH]
    for place, one in enumerate(criteria):
        fill = "url(#hatch)" if one.visibility == "hidden" else _BAR
        size = f'width="{100 * one.share * wide:.1f}" height="{_ROW - 6}"'
        parts.append(f'<rect x="{left}" y="{4 + place * _ROW + 3}" {size} fill="{fill}"/>')
        parts.append(_text(left - 6, 4 + (place + 0.5) * _ROW + 4, one.id, "end"))
    parts += [_text(left + share * wide, bottom + 16, f"{share}") for share in range(0, 101, 20)]
    parts.append(_text((left + _WIDTH) / 2, bottom + 36, "% who earned it (hatched: hidden)"))
    parts.append(f'<path d="M{left} 4V{bottom}H{_WIDTH - 20}" fill="none" stroke="currentColor"/>')
    return _svg(parts, bottom + 44, "The share of students who earned each criterion")


def _ticks(largest: int, most: int) -> range:
    """Round numbers from 0 to ``largest``, at most so many."""
    steps = (factor * 10**power for power in range(9) for factor in (1, 2, 5))
    return range(0, largest + 1, next(step for step in steps if largest < step * most))


def _text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _svg(parts: Iterable[str], height: int, words: str) -> str:
    """Put a plot together: its text alternative, and text in the page's own colour."""
    head = f'<svg class="plot" role="img" aria-label="{words}" viewBox="0 0 {_WIDTH} {height}"'
    return f'{head} font-family="sans-serif" font-size="12" fill="currentColor">{"".join(parts)}</svg>'
