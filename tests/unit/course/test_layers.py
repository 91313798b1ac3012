"""term.toml and private.toml laid over course.toml."""

from pathlib import Path

import pytest

from grader.base.errors import CourseError, UsageError
from grader.course.load import load_course

COURSE = """
[course]
title = "A course"

[exercise.lab]
title = "A lab"
points = 2

[exercise.lab.task.double]
file = "lab.py"
title = "Doubling"

[exercise.lab.criterion.doubles]
task = "double"
visibility = "visible"
tests = "TestDouble"
points = 2
sentence = "gives twice the number"
hint = "Try it with 3."
"""

PRIVATE = """
[exercise.lab]
points = 5

[exercise.lab.criterion.doubles-zero]
task = "double"
visibility = "hidden"
tests = "TestZero"
points = 3
sentence = "gives 0 for 0"
hint = "Try it with 0."
"""


@pytest.fixture
def course_file(tmp_path: Path) -> Path:
    """A course.toml of one exercise."""
    path = tmp_path / "course" / "course.toml"
    path.parent.mkdir()
    path.write_text(COURSE)
    return path


def test_course_alone(course_file):
    """Without the other files course.toml counts alone."""
    exercise = load_course(course_file).exercise("lab")
    assert exercise.points == 2
    assert exercise.due is None


def test_term_changes_only_what_it_says(course_file):
    """A key of term.toml replaces that of course.toml; other keys stay."""
    course_file.with_name("term.toml").write_text("[exercise.lab]\ndue = 2027-03-01T23:59:00\n")
    exercise = load_course(course_file).exercise("lab")
    assert exercise.due is not None
    assert exercise.due.isoformat() == "2027-03-01T23:59:00+00:00"
    assert exercise.title == "A lab"


def test_missing_key_is_blamed_on_the_course(course_file):
    """A key that is in no file is missing in course.toml."""
    course_file.write_text(COURSE.replace('hint = "Try it with 3."', ""))
    with pytest.raises(
        CourseError, match=r"^course\.toml: exercise\.lab\.criterion\.doubles\.hint: is missing"
    ):
        load_course(course_file)


def test_private_criteria_join(course_file, tmp_path):
    """A private folder adds its criteria, which are marked private."""
    private = tmp_path / "mine"
    private.mkdir()
    (private / "private.toml").write_text(PRIVATE)
    course = load_course(course_file, private)
    exercise = course.exercise("lab")
    assert [(c.id, c.private, c.points) for c in exercise.criteria] == [
        ("doubles", False, 2),
        ("doubles-zero", True, 3),
    ]
    assert course.private == private.resolve()


def test_private_criteria_are_hidden(course_file, tmp_path):
    """A private criterion cannot be visible, because private tests are never released."""
    (tmp_path / "private.toml").write_text(PRIVATE.replace('"hidden"', '"visible"'))
    with pytest.raises(
        CourseError, match=r"private\.toml: exercise\.lab\.criterion\.doubles-zero\.visibility"
    ):
        load_course(course_file, tmp_path)


def test_private_folder_without_its_file(course_file, tmp_path):
    """A private folder without private.toml is refused."""
    with pytest.raises(UsageError, match=r"private\.toml cannot be read"):
        load_course(course_file, tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[exercise.lab]\ndue = "soon"\n', r"exercise\.lab\.due: "),
        ("due = ", "is not a TOML file"),
        ("exercise = 3\n", "exercise: "),
        ("[exercise.labs]\npoints = 2\n", r"exercise\.labs: is not in course\.toml; there is: lab\.$"),
    ],
)
def test_mistake_names_the_file_it_is_in(course_file, text, message):
    """A wrong value, no TOML, a value in place of a table, and an exercise of term.toml alone are refused."""
    course_file.with_name("term.toml").write_text(text)
    with pytest.raises(CourseError, match=rf"^term\.toml: {message}"):
        load_course(course_file)


CLASS = """
[course]
title = "A class"
criteria_from = "course.toml"

[exercise.lab]
points = 1

[exercise.lab.criterion]
doubles.points = 1
"""


def test_class_takes_tasks_and_criteria_from_the_course(course_file):
    """A class's file has its own points; dates, limits and other exercises of the course do not reach it."""
    more = "[exercise.lab.limits]\ncall_cpu_seconds = 3\n[exercise.other]\ntitle = 'Other'\npoints = 1\n"
    more += "[exercise.other.task]\n[exercise.other.criterion]\n"
    course_file.write_text(COURSE.replace("points = 2", "due = 2027-03-01\npoints = 2", 1) + more)
    path = course_file.with_name("class.toml")
    path.write_text(CLASS)
    course = load_course(path)
    assert (course.title, list(course.exercises)) == ("A class", ["lab"])
    lab = course.exercise("lab")
    assert (lab.title, lab.points, lab.due, lab.limits.call_cpu_seconds) == ("A lab", 1, None, 1.0)
    assert [(one.id, one.points, one.hint) for one in lab.criteria] == [("doubles", 1, "Try it with 3.")]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (("course.toml", "gone.toml"), "gone.toml cannot be read: No such file or directory."),
        (("[exercise.lab", "[exercise.lap"), "class.toml: exercise.lap: is not in course.toml; there is: "),
    ],
)
def test_class_names_a_course_that_is_there(course_file, changed, sentence):
    """A missing course.toml, or an exercise that it lacks, is named."""
    path = course_file.with_name("class.toml")
    path.write_text(CLASS.replace(*changed))
    with pytest.raises(CourseError, match=sentence):
        load_course(path)
