"""course.toml, read and checked: the one place where points, sentences, dates and limits are written.

Every error is a line of the form ``course.toml: exercise.NAME.key: what is wrong and what would be right``.
"""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR, datetime
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta

from grader.base.errors import UsageError
from grader.course.model import Course, Criterion, Exercise, LatePolicy, Limits, Name, Sentence, Task
from grader.course.overlay import PRIVATE_FILE, Settings, convert, mistake, read_settings
from grader.course.platforms import PLATFORMS, Platform

COURSE_FILE = "course.toml"


class _ExerciseTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: Sentence
    points: Annotated[int, Meta(ge=1)]
    task: dict[Name, Any]
    criterion: dict[Annotated[str, Meta(pattern=r"^[a-z][a-z0-9-]{0,47}$")], Any]
    due: datetime | None = None
    late: Any = None
    limits: Any = {}
    platform: dict[str, Any] = {}


class _CourseTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: Sentence
    timezone: str = "UTC"
    attempts: Literal["latest", "best"] = "latest"
    gradebook: str = ""
    sample: bool = False
    folder: str = "."


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    course: Any
    exercise: dict[Name, Any]


def find_course(start: Path) -> Path:
    """The nearest course.toml from ``start`` upwards.

    Raises:
        UsageError: There is none.
    """
    for folder in (start.absolute(), *start.absolute().parents):
        if (folder / COURSE_FILE).is_file():
            return folder / COURSE_FILE
    raise UsageError(f"There is no {COURSE_FILE} here or in any folder above; name one with --course FILE.")


def load_course(path: Path, private: Path | None = None) -> Course:
    """Read and check a course.toml, with this term's settings and an instructor's private criteria.

    Raises:
        UsageError: A file cannot be read.
        CourseError: Something in one is wrong; the text names the file and the key.
    """
    file = read_settings(path, private)
    top = convert(file.merged, _File, "", file)
    table = convert(top.course, _CourseTable, "course", file)
    try:
        zone = ZoneInfo(table.timezone)
    except (KeyError, ValueError, OSError):
        raise mistake(
            file,
            "course.timezone",
            f"there is no time zone {table.timezone!r}; write one like 'Europe/Berlin' or 'UTC'",
        ) from None
    if table.gradebook and "://" not in table.gradebook:
        raise mistake(
            file,
            "course.gradebook",
            f"{table.gradebook!r} is no database's address; write one like "
            "'postgresql+psycopg2://user@host/name', or leave it out for a file in the results",
        )
    root = path.absolute().parent / table.folder
    if not root.is_dir():
        raise mistake(file, "course.folder", f"there is no folder {table.folder!r} beside {path.name}")
    exercises = {name: _exercise(name, value, zone, file) for name, value in top.exercise.items()}
    if not exercises:
        raise mistake(file, "exercise", "the course has none; add a section [exercise.NAME]")
    return Course(
        root.resolve(),
        table.title,
        zone,
        table.attempts,
        table.gradebook,
        exercises,
        table.sample,
        private.resolve() if private else None,
    )


def _exercise(name: str, value: object, zone: ZoneInfo, file: Settings) -> Exercise:
    where = f"exercise.{name}"
    table = convert(value, _ExerciseTable, where, file)
    tasks = tuple(
        msgspec.structs.replace(convert(task, Task, f"{where}.task.{key}", file), name=key)
        for key, task in table.task.items()
    )
    criteria = tuple(
        _criterion(key, item, f"{where}.criterion.{key}", file) for key, item in table.criterion.items()
    )
    limits = convert(table.limits, Limits, f"{where}.limits", file)
    late = None if table.late is None else convert(table.late, LatePolicy, f"{where}.late", file)
    due = table.due.replace(tzinfo=zone) if table.due and table.due.tzinfo is None else table.due
    if due and due.year in (MINYEAR, MAXYEAR):  # such a time may not exist in another time zone
        raise mistake(file, f"{where}.due", f"is {due.date()}; write a real date, or leave it out")
    platform = {
        key: _platform(key, value, f"{where}.platform.{key}", file) for key, value in table.platform.items()
    }
    exercise = Exercise(name, table.title, table.points, due, late, limits, tasks, criteria, platform)
    _check(exercise, where, file)
    return exercise


def _criterion(name: str, value: object, where: str, file: Settings) -> Criterion:
    criterion = convert(value, Criterion, where, file)
    private = file.file_of(f"{where}.tests") == PRIVATE_FILE
    if private and criterion.visibility != "hidden":
        raise mistake(file, f"{where}.visibility", "private criteria are hidden; write 'hidden'")
    return msgspec.structs.replace(criterion, id=name, private=private)


def _platform(name: str, value: object, where: str, file: Settings) -> Platform:
    if name not in PLATFORMS:
        raise mistake(file, where, f"is not known here; the platforms are: {', '.join(PLATFORMS)}")
    return convert(value, PLATFORMS[name], where, file)


def _check(exercise: Exercise, where: str, file: Settings) -> None:
    """What no single key shows: names that must meet, points that must add up."""
    names = {task.name for task in exercise.tasks}
    classes: dict[tuple[str, str, str], str] = {}
    for criterion in exercise.criteria:
        key = f"{where}.criterion.{criterion.id}"
        if criterion.task not in names:
            raise mistake(
                file,
                f"{key}.task",
                f"there is no task {criterion.task!r}; there is: {', '.join(sorted(names))}",
            )
        place = (criterion.visibility, exercise.task(criterion.task).file, criterion.tests)
        if place in classes:
            raise mistake(
                file,
                f"{key}.tests",
                f"{criterion.tests} already earns the points of "
                f"{classes[place]!r}; give each criterion a class of its own",
            )
        classes[place] = criterion.id
    total = sum(criterion.points for criterion in exercise.criteria)
    if total != exercise.points:
        others = file.files_of(f"{where}.criterion")[1:]
        counted = f" (with those of {' and '.join(others)})" if others else ""
        raise mistake(
            file, f"{where}.points", f"the criteria add up to {total} points{counted}, not {exercise.points}"
        )
    if idle := names - {criterion.task for criterion in exercise.criteria}:
        raise mistake(
            file, f"{where}.task.{min(idle)}", "no criterion earns points for it; add one or remove the task"
        )
    if exercise.limits.call_cpu_seconds > exercise.limits.call_wall_seconds:
        raise mistake(file, f"{where}.limits.call_wall_seconds", "is below call_cpu_seconds; make it larger")
    if exercise.late is not None and exercise.due is None:
        raise mistake(file, f"{where}.due", "a late policy needs a due date; write one or remove the policy")
