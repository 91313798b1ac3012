"""Render a student's page of feedback as HTML and as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from grader.base.text import Markdown, markdown_block, markdown_words, to_markdown
from grader.bundle import draw
from grader.course.model import Exercise
from grader.feedback.closing import Section
from grader.feedback.view import TaskView, view
from grader.grading.score import SHOWN_STATES, FinalResult

if TYPE_CHECKING:
    import jinja2

_COLUMNS = 72  # the width of a picture in text
_MOST_KNOWN = 2_000  # sections that are kept; one takes some kilobytes


def feedback_pages(
    result: FinalResult, exercise: Exercise, student_name: str = "", closing: Sequence[Section] = ()
) -> tuple[bytes, bytes]:
    """Render the page as HTML and as Markdown; the same result gives the same bytes.

    The HTML holds all that it needs, no script, and every text escaped. In Markdown a student's text stands
    in code spans and blocks, as typed.
    """
    shown = view(result, exercise, student_name, closing)
    html, markdown = (_template(name).render(view=shown) for name in ("feedback.html", "feedback.md"))
    return html.encode(), markdown.encode()


@cache
def _template(name: str) -> jinja2.Template:
    import jinja2  # noqa: PLC0415 - most commands render nothing
    from markupsafe import Markup  # noqa: PLC0415 - as Jinja

    is_html = name.endswith(".html")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("grader.feedback"),
        autoescape=is_html,  # noqa: S701 - Markdown is escaped by `finalize`
        finalize=None if is_html else to_markdown,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
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
        "svg": lambda picture: Markup(draw.svg(picture)),  # noqa: S704 - escaped there
        "drawn": lambda picture: markdown_block(draw.text(picture, _COLUMNS)),
        "block": markdown_block,
        "words": markdown_words,
        "made": Markdown,
    }
    return environment.get_template(name)
