"""Render a student's page of feedback as HTML and as Markdown."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from grader.base.text import markdown_block, markdown_words, to_markdown
from grader.bundle.wording import STATES
from grader.course.model import Exercise
from grader.feedback.view import view
from grader.grading.score import FinalResult

if TYPE_CHECKING:
    import jinja2


def feedback_html(result: FinalResult, exercise: Exercise, student_name: str = "") -> bytes:
    """Render one self-contained HTML page: no script, nothing loaded, all text escaped."""
    return _html().render(view=view(result, exercise, student_name)).encode()


def feedback_markdown(result: FinalResult, exercise: Exercise, student_name: str = "") -> bytes:
    """Render the same as Markdown; text of the student stands in code spans and blocks, as typed."""
    return _markdown().render(view=view(result, exercise, student_name)).encode()


@lru_cache(maxsize=1)
def _html() -> jinja2.Template:
    return _environment(autoescape=True).get_template("feedback.html")


@lru_cache(maxsize=1)
def _markdown() -> jinja2.Template:
    environment = _environment(autoescape=False, finalize=to_markdown)
    environment.filters |= {"block": markdown_block, "words": markdown_words}
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
    environment.filters |= {"word": lambda state: STATES[state][0], "symbol": lambda state: STATES[state][1]}
    return environment
