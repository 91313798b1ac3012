"""Check course.toml: the one place for points, sentences, dates and limits.

Every error is a line of the form ``course.toml: exercise.NAME.key: what is wrong and what would be right``.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import MAXYEAR, MINYEAR, datetime
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta

from grader.base.errors import CourseError, UsageError
from grader.course.layers import COURSE_FILE, PRIVATE_FILE, Settings, read_settings
from grader.course.model import Course, Criterion, Exercise, LatePolicy, Limits, Name, Sentence, Task
from grader.course.platforms import PLATFORMS


class _ExerciseTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: Sentence
    points: Annotated[int, Meta(ge=1)]
    task: dict[Name, Any]
    criterion: dict[Annotated[str, Meta(pattern=r"^[a-z][a-z0-9-]{0,47}$")], Any]
    due: datetime | None = None
    late: Any = None
    limits: Any = {}
    platform: dict[str, Any] = {}
    missing: Literal["blank", "zero"] = "blank"
    draft: bool = False


class _CourseTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: Sentence
    timezone: str = "UTC"
    attempts: Literal["latest", "best"] = "latest"
    gradebook: str = ""
    sample: bool = False
    id_column: str = ""
    folder: str = "."
    criteria_from: str = ""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    course: Any
    exercise: dict[Name, Any]


def find_course(start: Path) -> Path:
    """Return the nearest course.toml from ``start`` upwards. Raises UsageError if there is none."""
    for folder in (start.absolute(), *start.absolute().parents):
        if (folder / COURSE_FILE).is_file():
            return folder / COURSE_FILE
    raise UsageError(f"There is no {COURSE_FILE} here or in any folder above; name one with --course FILE.")


def load_course(path: Path, private: Path | None = None) -> Course:
    """Read and check a course.toml, with this term's settings and an instructor's private criteria."""
    file = read_settings(path, private)
    top = file.convert(file.merged, _File, "")
    table = file.convert(top.course, _CourseTable, "course")
    try:
        zone = ZoneInfo(table.timezone)
    except (KeyError, ValueError, OSError):
        raise file.mistake(
            "course.timezone",
            f"there is no time zone {table.timezone!r}; write one like 'Europe/Berlin' or 'UTC'",
        ) from None
    if table.gradebook and "://" not in table.gradebook:
        raise file.mistake(
            "course.gradebook",
            f"{table.gradebook!r} is no database's address; write one like "
            "'postgresql+psycopg2://user@host/name', or leave it out for a file in the results",
        )
    root = path.absolute().parent / table.folder
    if not root.is_dir():
        raise file.mistake("course.folder", f"there is no folder {table.folder!r} beside {path.name}")
    exercises: dict[str, Exercise] = {}
    _refuse_slips(top.exercise, file)
    broken = dict(file.broken)
    for name, value in top.exercise.items():
        try:
            exercise = _exercise(name, value, zone, file)
        except CourseError as error:
            if not (isinstance(value, dict) and value.get("draft") is True):
                raise
            broken.setdefault(name, str(error))
            continue
        lesson = root / "exercises" / name
        there = [one for one in (*exercise.files, exercise.notebook) if (lesson / one).is_file()]
        exercises[name] = replace(exercise, released={one: (lesson / one).read_bytes() for one in there})
    finished = [exercise for exercise in exercises.values() if not exercise.draft]
    for name, exercise in exercises.items():
        exercises[name] = replace(exercise, others=tuple(one for one in finished if one.name != name))
    if not exercises and not broken:
        raise file.mistake("exercise", "the course has none; add a section [exercise.NAME]")
    return Course(
        root.resolve(),
        table.title,
        zone,
        table.attempts,
        table.gradebook,
        exercises,
        table.sample,
        private.resolve() if private else None,
        table.id_column,
        broken,
    )


def _refuse_slips(exercises: Mapping[str, Any], file: Settings) -> None:
    """Refuse what only a slip in the name of another exercise's section makes."""
    for name, table in exercises.items():
        if isinstance(table, dict) and table and not {"title", "points", "draft"} & table.keys():
            text = "has no title and no points; correct the name if it is another exercise's section"
            raise file.mistake(f"exercise.{name}", text)


def _exercise(name: str, value: object, zone: ZoneInfo, file: Settings) -> Exercise:
    where = f"exercise.{name}"
    table = file.convert(value, _ExerciseTable, where)
    tasks = tuple(
        msgspec.structs.replace(file.convert(task, Task, f"{where}.task.{key}"), name=key)
        for key, task in table.task.items()
    )
    criteria = tuple(
        _criterion(key, item, f"{where}.criterion.{key}", file) for key, item in table.criterion.items()
    )
    limits = file.convert(table.limits, Limits, f"{where}.limits")
    late = None if table.late is None else file.convert(table.late, LatePolicy, f"{where}.late")
    due = table.due.replace(tzinfo=zone) if table.due and table.due.tzinfo is None else table.due
    if due and due.year in (MINYEAR, MAXYEAR):  # such a time may not exist in another time zone
        raise file.mistake(f"{where}.due", f"is {due.date()}; write a real date, or leave it out")
    platform = {}
    for key, settings in table.platform.items():
        if key not in PLATFORMS:
            known = ", ".join(PLATFORMS)
            raise file.mistake(f"{where}.platform.{key}", f"is not known here; the platforms are: {known}")
        platform[key] = file.convert(settings, PLATFORMS[key], f"{where}.platform.{key}")
    exercise = Exercise(
        *(name, table.title, table.points, due, late, limits, tasks, criteria, platform, table.missing),
        draft=table.draft,
    )
    _check(exercise, where, file)
    return exercise


def _criterion(name: str, value: object, where: str, file: Settings) -> Criterion:
    criterion = file.convert(value, Criterion, where)
    private = file.file_of(f"{where}.tests") == PRIVATE_FILE
    if private and criterion.visibility != "hidden":
        raise file.mistake(f"{where}.visibility", "private criteria are hidden; write 'hidden'")
    return msgspec.structs.replace(criterion, id=name, private=private)


def _check(exercise: Exercise, where: str, file: Settings) -> None:
    """Check what no single key shows: names must meet, points must add up."""
    names = {task.name for task in exercise.tasks}
    classes: dict[tuple[str, str, str], str] = {}
    for criterion in exercise.criteria:
        key = f"{where}.criterion.{criterion.id}"
        if criterion.task not in names:
            raise file.mistake(
                f"{key}.task",
                f"there is no task {criterion.task!r}; there is: {', '.join(sorted(names))}",
            )
        place = (criterion.visibility, exercise.task(criterion.task).file, criterion.tests)
        if place in classes:
            raise file.mistake(
                f"{key}.tests",
                f"{criterion.tests} already earns the points of "
                f"{classes[place]!r}; give each criterion a class of its own",
            )
        classes[place] = criterion.id
    total = sum(criterion.points for criterion in exercise.criteria)
    if total != exercise.points:
        others = file.files_of(f"{where}.criterion")[1:]
        counted = f" (with those of {' and '.join(others)})" if others else ""
        raise file.mistake(
            f"{where}.points", f"the criteria add up to {total} points{counted}, not {exercise.points}"
        )
    functions = {task.name for task in exercise.tasks if not task.of_constants}
    if idle := functions - {criterion.task for criterion in exercise.criteria}:
        raise file.mistake(
            f"{where}.task.{min(idle)}", "no criterion earns points for it; add one or remove the task"
        )
    if exercise.limits.call_cpu_seconds > exercise.limits.call_wall_seconds:
        raise file.mistake(f"{where}.limits.call_wall_seconds", "is below call_cpu_seconds; make it larger")
    if exercise.late is not None and exercise.due is None:
        raise file.mistake(f"{where}.due", "a late policy needs a due date; write one or remove the policy")
