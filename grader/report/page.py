"""Write the report on a class: one page that holds everything, and one table."""

import base64
import hashlib
from collections.abc import Mapping
from importlib import resources
from typing import Any

from grader.base import DISTRIBUTION
from grader.base.files import csv_bytes, escape_formula
from grader.course.model import Exercise
from grader.report import plots
from grader.report.figures import ClassFigures, Group, points_of_tests

HEADER = ("student", "status", "points", "max_points", "score_of_tests", "late_penalty")
_SOME = 12  # ids of a group that are shown at once; the others open with a click


def report_html(exercise: Exercise, figures: ClassFigures, names: Mapping[str, str] | None = None) -> bytes:
    """Render the page; ``names`` are shown beside the ids where they are given."""
    import jinja2  # noqa: PLC0415 - most commands render nothing
    from markupsafe import Markup  # noqa: PLC0415 - as Jinja

    loader = jinja2.ChoiceLoader(
        [jinja2.PackageLoader("grader.report"), jinja2.PackageLoader("grader.feedback")]
    )
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    script = resources.files("grader.report").joinpath("templates/sort.js").read_text(encoding="utf-8")
    drawn = plots.is_installed() and bool(figures.points)
    environment.filters |= {"percent": lambda share: f"{share:.0%}", "few": _few}
    page = environment.get_template("class.html").render(
        title=exercise.title,
        figures=figures,
        criteria=exercise.criteria,
        titles={task.name: task.title for task in exercise.tasks},
        names=names or {},
        rows=rows(exercise, figures, names, by_task=True),
        header=header(exercise, names, by_task=True),
        seconds=_spread("CPU seconds", figures.seconds, ".2f"),
        memory=_spread("Peak memory in MiB", figures.memory, ".0f"),
        script=Markup(script),  # noqa: S704 - our own
        kit=DISTRIBUTION,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii"),
        distribution=Markup(plots.distribution(figures)) if drawn else "",  # noqa: S704 - our own numbers
        shares=Markup(plots.shares(figures.criteria)) if drawn else "",  # noqa: S704 - our own ids
    )
    return page.encode("utf-8", "backslashreplace")


def report_csv(exercise: Exercise, figures: ClassFigures, names: Mapping[str, str] | None = None) -> bytes:
    """Write ``class.csv``: a row for each student with the states of all criteria; no cell is a formula."""
    return csv_bytes(
        header(exercise, names),
        ([escape_formula(str(c)) for c in row] for row in rows(exercise, figures, names)),
    )


def header(exercise: Exercise, names: Mapping[str, str] | None, *, by_task: bool = False) -> tuple[str, ...]:
    """The columns of the table of students, with one for each criterion, or for each task."""
    first = (HEADER[0], "name", *HEADER[1:]) if names is not None else HEADER
    return (
        *first,
        *(exercise.marked if by_task else ()),
        *(criterion.id for criterion in exercise.criteria if not by_task),
        "misconceptions",
        "prediction",
        "flags",
        "cpu_seconds",
        "peak_mib",
    )


def rows(
    exercise: Exercise, figures: ClassFigures, names: Mapping[str, str] | None, *, by_task: bool = False
) -> list[tuple[Any, ...]]:
    """A row for each student, sorted by id: states of the criteria, or the tests' points of the tasks."""
    made = []
    for result in figures.results:
        states = {one.id: one.status for one in result.criteria}
        graded = result.score is not None
        made.append(
            (
                result.student,
                *([names.get(result.student, "")] if names is not None else []),
                result.status,
                f"{result.points:f}" if graded else "",
                result.max_score,
                points_of_tests(result) if graded else "",
                f"{result.taken_off:f}" if graded else "",
                *(points_of_tests(result, task) if graded else "" for task in exercise.marked if by_task),
                *(states.get(c.id, "") for c in exercise.criteria if not by_task),
                " ".join(one.misconception for one in result.diagnoses),
                result.prediction,
                " ".join(result.flags),
                figures.seconds.get(result.student, ""),
                figures.memory.get(result.student, ""),
            )
        )
    return made


def _few(group: Group) -> tuple[str, str]:
    """The ids of a group: the first ones, and the rest."""
    return ", ".join(group.students[:_SOME]), ", ".join(group.students[_SOME:])


def _spread(what: str, used: Mapping[str, float], form: str) -> str:
    """Say how much of something the students' code used."""
    if not used:
        return ""
    values = sorted(used.values())
    most = max(used, key=lambda student: (used[student], student))
    half, nine = values[len(values) // 2], values[len(values) * 9 // 10]
    return (
        f"{what} of students' code: half below {half:{form}}, nine of ten below {nine:{form}}, "
        f"the most {values[-1]:{form}} ({most})."
    )
