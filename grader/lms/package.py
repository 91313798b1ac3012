"""Build archives for platforms that run tests themselves: Gradescope's autograder, GitHub's template.

An autograder is the kit and one exercise's tests. It holds no solution, no misconception, no other exercise
and no other platform's settings; diagnoses need only a table of digests.
"""

import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import tomli_w

import grader
from grader.base import DISTRIBUTION
from grader.base.errors import CourseError, GraderError
from grader.base.files import archive_bytes
from grader.course.layers import COURSE_FILE, PRIVATE_FILE, read_settings
from grader.course.model import Course, Exercise, test_file
from grader.grading.diagnosis import TABLE
from grader.lesson.release import bundle_files
from grader.lms.payload import scale_to

_HERE = Path(__file__).parent
_SCRIPTS = ("setup.sh", "run_autograder")
_GITHUB = {"points.yml": ".github/workflows/points.yml", "points.py": ".github/points.py"}
_COURSE_KEYS = ("title", "timezone")


def autograder_zip(course_file: Path, course: Course, exercise: Exercise) -> bytes:
    """Build ``autograder.zip``: the same bytes for the same kit and course, read from ``course_file``.

    Raises:
        UsageError: course.toml says that the assignment is worth something else on Gradescope.
        GraderError: The kit itself cannot be read, or is not installed.
    """
    scale_to(exercise, "gradescope", None, "")  # fail now rather than at the first submission
    members = {name: _read(_HERE / "gradescope" / "files" / name) for name in _SCRIPTS}
    members["requirements.txt"] = _requirements()
    home = Path(grader.__file__).parent
    members |= {
        f"kit/grader/{path.relative_to(home).as_posix()}": _read(path)
        for path in home.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    members |= _course(course_file, course, exercise)
    return archive_bytes(members, executable=_SCRIPTS)


def template_zip(course: Course, exercise: Exercise) -> bytes:
    """Build the template of students' repositories: the released bundle, and a workflow that runs its tests.

    The tests are once more beside the workflow, where students do not change them.
    """
    files = bundle_files(course, exercise)
    members = {**files, **{f".github/bundle/{name}": data for name, data in files.items()}}
    members |= {place: _read(_HERE / "github" / name) for name, place in _GITHUB.items()}
    return archive_bytes(members)


def _requirements() -> bytes:
    """List what the kit needs, without extras: from its source, or else from how it was installed."""
    source = Path(grader.__file__).parents[1] / "pyproject.toml"
    if source.is_file():
        wanted = tomllib.loads(source.read_text(encoding="utf-8"))["project"]["dependencies"]
    else:
        commands = metadata.entry_points(group="console_scripts", name="grader")
        installed = next((command.dist for command in commands if command.dist), None)
        if installed is None:
            raise GraderError(f"{DISTRIBUTION} is not installed; install it with pip.")
        wanted = [line for line in installed.requires or [] if "extra ==" not in line]
    return "".join(f"{line}\n" for line in sorted(wanted)).encode()


def _course(course_file: Path, course: Course, exercise: Exercise) -> dict[str, bytes]:
    """Collect one exercise: its part of the settings, its tests, and the digests for diagnoses."""
    settings = read_settings(course_file, None)
    members = {f"course/{COURSE_FILE}": tomli_w.dumps(_reduced(settings.merged, exercise.name)).encode()}
    for criterion in exercise.criteria:
        file = test_file(course, exercise, criterion)
        place = "private" if criterion.private else "course"
        home = (course.private if criterion.private else None) or course.root
        members[f"{place}/{file.relative_to(home).as_posix()}"] = _read(file)
    if course.private is not None:
        private = read_settings(course.private / PRIVATE_FILE, None)
        members[f"private/{PRIVATE_FILE}"] = tomli_w.dumps(_reduced(private.merged, exercise.name)).encode()
    table = f"solutions/{exercise.name}/{TABLE}"
    if (course.root / table).is_file():
        members[f"course/{table}"] = _read(course.root / table)
    return members


def _reduced(document: dict[str, Any], exercise: str) -> dict[str, Any]:
    """Reduce a course file to one exercise and the settings for Gradescope."""
    reduced: dict[str, Any] = {}
    if "course" in document:
        reduced["course"] = {
            key: document["course"][key] for key in _COURSE_KEYS if key in document["course"]
        }
    own = dict(document.get("exercise", {}).get(exercise, {}))
    platform = {key: value for key, value in own.pop("platform", {}).items() if key == "gradescope"}
    reduced["exercise"] = {exercise: own | ({"platform": platform} if platform else {})}
    return reduced


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CourseError(f"{path} cannot be read: {error.strerror}; the autograder needs it.") from None
