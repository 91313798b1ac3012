"""Render a student's page of feedback as HTML and as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from grader.base.text import Markdown, markdown_block, markdown_words, to_markdown
from grader.bundle import draw
from grader.course.model import Exercise
from grader.feedback.closing import Section
from grader.feedback.view import TaskView, view
from grader.grading.score import SHOWN_STATES, FinalResult

if TYPE_CHECKING:
    import jinja2

_COLUMNS = 72
"""The width of a picture in text."""
_MOST_KNOWN = 2_000
"""Sections that are kept; one takes some kilobytes."""


def feedback_pages(
    result: FinalResult, exercise: Exercise, student_name: str = "", closing: Sequence[Section] = ()
) -> tuple[bytes, bytes]:
    """Render the page as HTML and as Markdown."""
    shown = view(result, exercise, student_name, closing)
    return _html().render(view=shown).encode(), _markdown().render(view=shown).encode()


def feedback_html(
    result: FinalResult, exercise: Exercise, student_name: str = "", closing: Sequence[Section] = ()
) -> bytes:
    """Render one self-contained HTML page: no script, nothing loaded, all text escaped."""
    return _html().render(view=view(result, exercise, student_name, closing)).encode()


def feedback_markdown(
    result: FinalResult, exercise: Exercise, student_name: str = "", closing: Sequence[Section] = ()
) -> bytes:
    """Render the same as Markdown; text of the student stands in code spans and blocks, as typed."""
    return _markdown().render(view=view(result, exercise, student_name, closing)).encode()


@lru_cache(maxsize=1)
def _html() -> jinja2.Template:
    from markupsafe import Markup  # noqa: PLC0415 - as Jinja below

    environment = _environment(autoescape=True)
    environment.filters["svg"] = lambda picture: Markup(draw.svg(picture))  # noqa: S704 - escaped there
    return environment.get_template("feedback.html")


@lru_cache(maxsize=1)
def _markdown() -> jinja2.Template:
    environment = _environment(autoescape=False, finalize=to_markdown)
    environment.filters |= {
        "block": markdown_block,
        "words": markdown_words,
        "drawn": _drawn,
        "made": Markdown,
    }
    return environment.get_template("feedback.md")


def _environment(**options: Any) -> jinja2.Environment:
    import jinja2  # noqa: PLC0415 - most commands render nothing

    environment = jinja2.Environment(  # noqa: S701 - HTML is escaped by Jinja, Markdown by `finalize`
        loader=jinja2.PackageLoader("grader.feedback"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        **options,
    )
    known: dict[tuple[bytes, bool], str] = {}

    def once(section: Callable[[TaskView, bool], str], task: TaskView, is_next: bool) -> str:
        """Render a task's section; many students have an equal one."""
        key = msgspec.json.encode(task), is_next
        if key not in known:
            if len(known) >= _MOST_KNOWN:
                known.clear()
            known[key] = section(task, is_next)
        return known[key]

    environment.globals["once"] = once
    environment.filters |= {
        "word": lambda state: SHOWN_STATES[state][0],
        "symbol": lambda state: SHOWN_STATES[state][1],
    }
    return environment


def _drawn(picture: draw.Picture) -> Markdown:
    """A picture as a block of text."""
    return markdown_block(draw.text(picture, _COLUMNS))
