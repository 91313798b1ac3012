"""Draw the plots of a report as SVG by matplotlib (extra ``report``); equal numbers give equal bytes."""

from __future__ import annotations

import importlib.util
import io
import logging
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from grader.report.figures import ClassFigures, CriterionFigures

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INK, _BAR, _HIDDEN = "#010203", "#0b5cad", "#7a3eb1"
"""The ink stands for the page's own text colour; two colours of bars."""
_STYLE: Any = {
    "svg.hashsalt": "class report",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 11,
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "text.color": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
}
_HEAD = re.compile(r"<svg [^>]*?(viewBox=\"[^\"]*\")[^>]*>")
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)


def is_installed() -> bool:
    """True if matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def distribution(figures: ClassFigures) -> str:
    """Draw how many students have how many points."""

    def draw(axes: Axes) -> None:
        counts = [0] * (figures.max_points + 1)
        for points in figures.points:
            counts[min(figures.max_points, max(0, round(points)))] += 1
        axes.bar(range(len(counts)), counts, color=_BAR, width=0.8)
        axes.set_xlabel("points")
        axes.set_ylabel("students")
        axes.yaxis.get_major_locator().set_params(integer=True)  # type: ignore[call-arg]

    return _svg(draw, 6.4, 2.8, f"Points of {len(figures.points)} students, from 0 to {figures.max_points}")


def shares(criteria: Sequence[CriterionFigures]) -> str:
    """Draw the share that earned each criterion; bars of hidden ones have another colour and hatches."""

    def draw(axes: Axes) -> None:
        places = range(len(criteria))
        axes.barh(
            places,
            [100 * one.share for one in criteria],
            color=[_HIDDEN if one.visibility == "hidden" else _BAR for one in criteria],
            hatch=["//" if one.visibility == "hidden" else "" for one in criteria],
            edgecolor=_INK,
        )
        axes.set_yticks(places, [one.id for one in criteria])
        axes.set_xlim(0, 100)
        axes.invert_yaxis()
        axes.set_xlabel("% who earned it (hatched: hidden)")

    return _svg(draw, 6.4, 0.7 + 0.26 * len(criteria), "The share of students who earned each criterion")


def _svg(draw: Callable[[Axes], None], width: float, height: float, words: str) -> str:
    """Draw on new axes; return the SVG element with its text alternative and the page's text colour."""
    import matplotlib as mpl  # noqa: PLC0415 - an optional extra, and slow
    from matplotlib import artist  # noqa: PLC0415 - as above

    # Writing the help texts of all classes takes a quarter of the import's time.
    artist.kwdoc = lambda _: ""  # type: ignore[assignment]
    from matplotlib.figure import Figure  # noqa: PLC0415 - as above

    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it tells of its cache of fonts
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = figure.subplots()
        axes.spines[["top", "right"]].set_visible(False)
        draw(axes)
        stream = io.StringIO()
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = stream.getvalue()
    text = _METADATA.sub("", text[text.index("<svg") :]).replace(_INK, "currentColor")
    return _HEAD.sub(rf'<svg class="plot" role="img" aria-label="{words}" \1>', text, count=1)
