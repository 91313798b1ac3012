"""The handout's drawn files, and the limits that it names."""

import pytest
from helpers.adding_course import COURSE
from helpers.paths import ROOT

from grader.base.errors import CourseError
from grader.course.load import load_course
from grader.lesson.own_code import drawn_files


@pytest.fixture
def course(tmp_path):
    """A course of one exercise with a solution, and no picture yet."""
    (tmp_path / "course.toml").write_text(COURSE)
    (tmp_path / "solutions/sums").mkdir(parents=True)
    (tmp_path / "solutions" / "sums" / "sums.py").write_text("def add(a, b):\n    return a + b\n")
    return load_course(tmp_path / "course.toml")


def draw(course, text):
    """Give the course a picture.py."""
    (course.root / "solutions" / "sums" / "picture.py").write_text(text)


def test_lesson_without_pictures(course):
    """A lesson need not draw anything."""
    assert drawn_files(course, course.exercise(None)) == {}


def test_drawing_gets_the_solution(course):
    """pictures() is handed the solution's modules by name and gives text by file name."""
    draw(course, "def pictures(solutions):\n    return {'a.svg': str(solutions['sums'].add(2, 3))}\n")
    assert drawn_files(course, course.exercise(None)) == {"a.svg": b"5"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "def pictures(solutions):\n    return 1 // 0\n",
            r"pictures\(solutions\) failed with ZeroDivisionError",
        ),
        ("x = 1\n", r"pictures\(solutions\) failed with AttributeError"),
        (
            "def pictures(solutions):\n    return {'a.svg': None}\n",
            r"pictures\(solutions\) failed with AttributeError",
        ),
        ("import nothing_of_this_name\n", "failed with ModuleNotFoundError"),
        ("def pictures(:\n", "failed with SyntaxError"),
    ],
)
def test_failing_drawing_names_its_file(course, text, words):
    """Whatever goes wrong in picture.py is one sentence that names the file."""
    draw(course, text)
    with pytest.raises(CourseError, match=rf"^solutions/sums/picture\.py: {words}"):
        drawn_files(course, course.exercise(None))


def test_lesson_s_handout_names_its_limits():
    """The times that it tells are those after which a call, and a hand-in as a whole, are stopped."""
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise("contiguous_reservation")
    text = (course.root / "exercises" / exercise.name / "README.md").read_text(encoding="utf-8")
    assert exercise.limits.call_cpu_seconds == 1
    assert exercise.limits.submission_cpu_seconds == 8
    assert "Each call may take one second of computing, and everything together" in text
    assert "every call of every test, eight seconds" in text


def test_own_place_is_known(course):
    """A file of the course may read files beside it."""
    draw(course, "def pictures(_):\n    return {'a.svg': __file__.rpartition('/')[2]}\n")
    assert drawn_files(course, course.exercise(None)) == {"a.svg": b"picture.py"}
