"""exercises/ and the visible tests -> the students' bundle, a folder and a zip, with nothing else in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from grader.base.errors import CourseError
from grader.base.files import archive_bytes, write_whole
from grader.course.model import Course, Exercise
from grader.lesson.handout import HANDOUT
from grader.lesson.handout_page import handout_html
from grader.lesson.leaks import leaks
from grader.lesson.points import points

_PLACES = {"conftest.py": "conftest.py", "pytest.ini": "pytest.ini", "settings.json": ".vscode/settings.json"}
"""Where files of ``grader/bundle`` go in a bundle; all others go to ``kit``."""
_TAKEN_ALONG = {".svg", ".png", ".ipynb"}


def bundle_files(course: Course, exercise: Exercise) -> Mapping[str, bytes]:
    """The bundle's files by their names in its folder, sorted; the same course gives the same bytes.

    Raises:
        CourseError: A file of the exercise is missing, or the bundle would hold what it must not.
    """
    files = _given(course, exercise)
    own = plugin_files()
    page = handout_html(files[HANDOUT].decode(), exercise.title, files)
    data = json.dumps(points(exercise, files), indent=1, ensure_ascii=False) + "\n"
    files |= {"README.html": page, "kit/points.json": data.encode(), **own}
    if found := leaks(course, exercise, files, own):
        raise CourseError(f"Nothing was released, because {found[0]}.")
    return dict(sorted(files.items()))


def plugin_files() -> dict[str, bytes]:
    """The files of a bundle that are the same for every exercise: ``grader/bundle``, copied unchanged."""
    sources = {path.name: path for path in resources.files("grader.bundle").iterdir() if path.is_file()}
    return {_PLACES.get(name, f"kit/{name}"): sources[name].read_bytes() for name in sorted(sources)}


def release(course: Course, exercise: Exercise, to: Path) -> tuple[Path, Path]:
    """Write the bundle below ``to``, as a folder and as a zip; both are returned.

    Raises:
        CourseError: The bundle would leak, or the folder holds files of someone else; nothing is written.
        GraderError: A file could not be written.
    """
    files = bundle_files(course, exercise)
    folder = to / exercise.name
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    if strange := sorted(name for name in present - set(files) if "__pycache__" not in name):
        raise CourseError(
            f"{folder} holds {strange[0]}, which is not the bundle's; remove it or choose another --to."
        )
    for name, data in files.items():
        write_whole(folder / name, data)
    archive = to / f"{exercise.name}.zip"
    write_whole(archive, archive_bytes({f"{exercise.name}/{name}": data for name, data in files.items()}))
    _for_everyone(folder, archive)
    return folder, archive


def _given(course: Course, exercise: Exercise) -> dict[str, bytes]:
    """What the course itself gives to students."""
    lesson, tests = Path("exercises", exercise.name), Path("tests", "visible", exercise.name)
    paths = [lesson / name for name in (*exercise.files, HANDOUT)]
    paths += [tests / f"test_{name}" for name in exercise.files]
    paths += [
        lesson / path.name
        for path in sorted((course.root / lesson).glob("*"))
        if path.suffix in _TAKEN_ALONG and path.is_file()
    ]
    return {path.name: _read(course.root, path) for path in paths}


def _read(root: Path, path: Path) -> bytes:
    try:
        return (root / path).read_bytes()
    except OSError as error:
        raise CourseError(
            f"{path.as_posix()} cannot be read ({error.strerror}); the bundle needs it."
        ) from None


def _for_everyone(folder: Path, archive: Path) -> None:
    """Unlike results, these files may be read by all."""
    archive.chmod(0o644)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
