"""Write the skeleton of a new lesson: one function, its tests, wrong versions, a handout and a section."""

import keyword
import re
import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from string import Template

from grader.base.errors import UsageError
from grader.base.files import FOR_ALL, write_whole
from grader.course.model import Course

_FILES = {
    "solution.py": "solutions/{name}/{name}.py",
    "misconceptions.py": "solutions/{name}/misconceptions.py",
    "test_visible.py": "tests/visible/{name}/test_{name}.py",
    "test_hidden.py": "tests/hidden/{name}/test_{name}.py",
    "README.md": "exercises/{name}/README.md",
}
NOT_WRITTEN = "<!-- WRITE: "
"""The beginning of a line of the skeleton's handout that its author replaces; students never see it."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_TAKEN = {"steps_needed", "kit", "conftest", "misconceptions", "picture", "closing", "pytest", "grader"}
"""Names of the skeleton's function, of other files of a lesson, and of what its tests need."""


def write_lesson(course: Course, course_file: Path, name: str, title: str) -> list[Path]:
    """Write the files of a lesson and its section, a draft, at the end of course.toml; return their paths.

    Raises UsageError if the name cannot be used, or is in use already; nothing is written.
    """
    if not _NAME.fullmatch(name) or name in _TAKEN | sys.stdlib_module_names or keyword.iskeyword(name):
        raise UsageError(
            f"{name!r} cannot be a lesson's name: write small letters, digits and _, and no word or module "
            "of Python or of the kit (such as class or random), because the students' file is named like it."
        )
    there = [path for pattern in _FILES.values() if (path := _path(course, pattern, name)).parent.exists()]
    if name in course.exercises or name in course.broken or there:
        where = there[0].parent if there else course_file
        raise UsageError(f"There is a lesson {name!r} already, in {where}; choose another name.")
    words = {"name": name, "title": title.replace('"', "'")}
    written = [_path(course, pattern, name) for pattern in _FILES.values()]
    for path, source in zip(written, _FILES, strict=True):
        write_whole(path, _filled(source, words), mode=FOR_ALL)
    section = course_file.read_bytes().rstrip() + b"\n" + _filled("section.toml", words)
    write_whole(course_file, section, mode=FOR_ALL)
    return [*written, course_file]


def _path(course: Course, pattern: str, name: str) -> Path:
    return course.root / pattern.format(name=name)


def _filled(source: str, words: Mapping[str, str]) -> bytes:
    place = resources.files("grader.lesson").joinpath("new_lesson", f"{source}.template")
    return Template(place.read_text(encoding="utf-8")).substitute(words).encode()
