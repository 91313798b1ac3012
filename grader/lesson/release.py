"""Make the students' bundle, a folder and a zip, from ``exercises/``, the visible tests and the plugin."""

import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from grader.base.errors import CourseError
from grader.base.files import FOR_ALL, archive_bytes, write_whole
from grader.course.model import Course, Exercise
from grader.lesson.handout import HANDOUT, handout_html, is_picture
from grader.lesson.leaks import leaks
from grader.lesson.mistakes import mistakes_table
from grader.lesson.points import POINTS, points_bytes
from grader.lesson.tables import without_marks

_PLACES = {"conftest.py": "conftest.py", "pytest.ini": "pytest.ini", "settings.json": ".vscode/settings.json"}
"""Where files of ``grader/bundle`` go in a bundle; all others go to ``kit``."""

EXPLORE = "explore.py"  # a program of a lesson that students may run for more, without points


def bundle_files(course: Course, exercise: Exercise) -> Mapping[str, bytes]:
    """Make the bundle's files, by their names in its folder, sorted; the same course gives the same bytes.

    Raises CourseError if a file of the exercise is missing, or the bundle would leak something.
    """
    lesson, tests = Path("exercises", exercise.name), Path("tests", "visible", exercise.name)
    there = sorted(path for path in (course.root / lesson).glob("*") if path.is_file())
    criteria = [one for one in exercise.criteria if one.visibility == "visible"]
    paths = {name: lesson / name for name in (*exercise.files, HANDOUT)}
    for name in sorted({f"test_{exercise.task(one.task).file}" for one in criteria}):
        paths[name] = tests / name
    more = [
        one.name for one in there if is_picture(one.name) or one.suffix == ".ipynb" or one.name == EXPLORE
    ]
    more += [f"kit/{one.name}" for one in sorted((course.root / lesson / "kit").glob("*.*"))]
    paths |= {name: lesson / name for name in more if not name.endswith(".pyc")}
    files = {name: _read(course.root, path) for name, path in paths.items()}
    files[HANDOUT] = without_marks(files[HANDOUT].decode()).encode()
    own = plugin_files()
    page = handout_html(files[HANDOUT].decode(), exercise.title, files)
    known = points_bytes(exercise, files, mistakes_table(course, exercise), sys.version_info[:2])
    spare = {f"kit/{name.removesuffix('.py')}.txt": files[name] for name in files if name.startswith("test_")}
    files |= {"README.html": page, POINTS: known, **spare, **own}
    if found := leaks(course, exercise, files, own):
        raise CourseError(f"Nothing was released, because {found[0]}.")
    return dict(sorted(files.items()))


def plugin_files() -> dict[str, bytes]:
    """The files of a bundle that are the same for every exercise: ``grader/bundle``, copied unchanged."""
    sources = {path.name: path for path in resources.files("grader.bundle").iterdir() if "." in path.name}
    return {_PLACES.get(name, f"kit/{name}"): sources[name].read_bytes() for name in sorted(sources)}


def release(course: Course, exercise: Exercise, to: Path) -> tuple[Path, Path]:
    """Write the bundle below ``to``, as a folder and as a zip, and return both paths.

    Raises CourseError if the bundle would leak, or the folder holds other files; nothing is written.
    """
    files = bundle_files(course, exercise)
    folder = to / exercise.name
    if strange := sorted(name for name in files_in(folder) - set(files) if "__pycache__" not in name):
        raise CourseError(
            f"{folder} holds {strange[0]}, which is not the bundle's; remove it or choose another --to."
        )
    write_for_all(folder, files)
    archive = to / f"{exercise.name}.zip"
    packed = archive_bytes({f"{exercise.name}/{name}": data for name, data in files.items()})
    write_whole(archive, packed, mode=FOR_ALL)
    return folder, archive


def files_in(folder: Path) -> set[str]:
    """The names of all files below a folder."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def write_for_all(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files below a folder; everyone may read what is in it."""
    for name, data in files.items():
        write_whole(folder / name, data)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else FOR_ALL)


def _read(root: Path, path: Path) -> bytes:
    """Read a file of the bundle; all but pictures must be text in UTF-8."""
    try:
        data = (root / path).read_bytes()
        if not is_picture(path.name):
            data.decode()
    except OSError as error:
        why = error.strerror
    except UnicodeDecodeError:
        why = "it is not in UTF-8"
    else:
        return data
    raise CourseError(f"{path.as_posix()} cannot be read ({why}); the bundle needs it.")
