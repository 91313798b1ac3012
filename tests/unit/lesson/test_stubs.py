"""What a student starts from: made from the solution, or refused with the line that is wrong."""

import stat

import pytest
from click.testing import CliRunner
from helpers.adding_course import COURSE

from grader.base.errors import CourseError, GraderError
from grader.commands.build import command
from grader.course.load import load_course
from grader.lesson.generate import build, generated_files, stale_files
from grader.lesson.stubs import stub_text

SOURCE = '''\
"""Sums."""


def add(a, b):
    """Add two numbers."""
    # TODO 1: one line, "really"
    ### BEGIN SOLUTION
    total = a + b

    return total
    ### END SOLUTION


def helper():
    return 1
'''
STUB = '''\
"""Sums."""


def add(a, b):
    """Add two numbers."""
    raise NotImplementedError("TODO 1: one line, \\"really\\"")


def helper():
    return 1
'''


@pytest.fixture
def course(tmp_path):
    """A course of one exercise with one file, its stub not yet written."""
    (tmp_path / "course.toml").write_text(COURSE)
    for folder in ("solutions", "exercises"):
        (tmp_path / folder / "sums").mkdir(parents=True)
    (tmp_path / "solutions" / "sums" / "sums.py").write_text(SOURCE)
    return load_course(tmp_path / "course.toml")


def test_function_becomes_its_todo():
    """The lines between the marks, and the TODO above them, give way to one raise with the TODO's text."""
    assert stub_text(SOURCE, "sums.py") == STUB


def test_deeper_solution_keeps_its_indentation():
    """A solution inside a nested block raises at that depth."""
    marked = "        # TODO 2: go\n        ### BEGIN SOLUTION\n        return 1\n        ### END SOLUTION\n"
    source = f"if x:\n    def f():\n{marked}"
    assert (
        stub_text(source, "a.py") == 'if x:\n    def f():\n        raise NotImplementedError("TODO 2: go")\n'
    )


def test_constants_become_none():
    """Constants between marks lose their values and keep their numbers; comments around them stay."""
    source = (
        "# How many? (slots)\n### BEGIN SOLUTION\nSLOTS = 3 * 100  # TODO 1\nMORE = False  # TODO 2\n"
        "### END SOLUTION\n# done\n"
    )
    wanted = "# How many? (slots)\nSLOTS = None  # TODO 1\nMORE = None  # TODO 2\n# done\n"
    assert stub_text(source, "a.py") == wanted


def test_text_without_marks_stays():
    """A file without solutions is released as it is, with line ends made plain."""
    assert stub_text("a = 1\r\nb = 2", "a.py") == "a = 1\nb = 2\n"


@pytest.mark.parametrize(
    ("source", "line", "words"),
    [
        ("    # TODO 1: x\n    ### BEGIN SOLUTION\n    return 1\n", 2, "never ends"),
        ("a = 1\n    ### END SOLUTION\n", 2, "never began"),
        ("    # TODO 1: x\n    ### BEGIN SOLUTION\n    ### BEGIN SOLUTION\n", 3, "inside that of line 2"),
        ("    # TODO 1: x\n    ### BEGIN SOLUTION\n    return 1\n### END SOLUTION\n", 4, "do not line up"),
        ("def f():\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION\n", 2, "has no task"),
        ("    # TODO: x\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION\n", 2, "has no task"),
        ("    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION\n", 1, "has no task"),
        ("### BEGIN SOLUTION\nA = 1\n### END SOLUTION\n", 2, "at the left margin"),
        ("### BEGIN SOLUTION\nA = 1  # TODO 1\nimport x\n### END SOLUTION\n", 3, "at the left margin"),
        ("### BEGIN SOLUTION\nA = (1,  # TODO 1\n2)\n### END SOLUTION\n", 3, "at the left margin"),
    ],
)
def test_wrong_marks_name_their_line(source, line, words):
    """Marks that do not pair up, or a solution without a TODO, stop the build at file and line."""
    with pytest.raises(CourseError, match=rf"^solutions/a\.py:{line}: .*{words}.*\.$"):
        stub_text(source, "solutions/a.py")


@pytest.mark.parametrize(
    "mark",
    [
        "# BEGIN SOLUTION",
        "### begin solution",
        "###BEGIN SOLUTION",
        "### BEGIN  SOLUTION",
        "### END-SOLUTION",
    ],
)
def test_misspelt_mark_releases_nothing(mark):
    """What a person may have meant as a mark is refused, never taken for an ordinary comment."""
    with pytest.raises(CourseError, match=r"^a\.py:2: this looks like a mark"):
        stub_text(f"def f():\n    {mark}\n    return 1\n", "a.py")


def test_stale_until_built(course):
    """A missing or changed stub is stale; after a build nothing is, and the file is for everyone to read."""
    exercise = course.exercise(None)
    written = course.root / "exercises" / "sums" / "sums.py"
    both = [written, written.with_name("kit") / "points.json"]
    assert list(stale_files(course, exercise)) == both
    assert build(course, exercise) == both
    assert written.read_text() == STUB
    assert stat.S_IMODE(written.stat().st_mode) == 0o644
    assert list(stale_files(course, exercise)) == build(course, exercise) == []
    written.write_text(STUB + "# edited\n")
    assert list(stale_files(course, exercise)) == [written]


def test_generated_files_are_the_same_every_time(course):
    """The same source gives the same bytes."""
    exercise = course.exercise(None)
    first = dict(generated_files(course, exercise))
    assert dict(generated_files(course, exercise)) == first
    assert [path.name for path in first] == ["sums.py", "points.json"]
    assert next(iter(first.values())) == STUB.encode()


def test_missing_solution_is_named(course):
    """A solution that is not there, or not text, is a mistake in the course that names the file."""
    source = course.root / "solutions" / "sums" / "sums.py"
    source.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(CourseError, match=r"^solutions/sums/sums\.py:1: is not in UTF-8"):
        build(course, course.exercise(None))
    source.unlink()
    with pytest.raises(CourseError, match=r"^solutions/sums/sums\.py cannot be read: "):
        list(stale_files(course, course.exercise(None)))


def test_wrong_source_writes_nothing(course):
    """One wrong file keeps the others from being written, so that exercises/ is never half new."""
    (course.root / "solutions" / "sums" / "picture.py").write_text(
        "def pictures(s):\n    return {'a.svg': s.x}\n"
    )
    with pytest.raises(CourseError):
        build(course, course.exercise(None))
    assert list((course.root / "exercises" / "sums").iterdir()) == []


def test_command_says_what_it_wrote(course, monkeypatch):
    """`grader build` finds the course upwards, names what it wrote and what is missing."""
    missing = (
        "solutions/sums/misconceptions.py: is missing; write wrong versions that the tests must not accept\n"
        "exercises/sums/README.md: is missing; write the handout\n"
        "tests/visible/sums/test_sums.py: is missing; there are points for its TestAdd\n"
    )
    monkeypatch.chdir(course.root / "solutions" / "sums")
    first = CliRunner().invoke(command, [])
    assert (first.exit_code, first.stderr) == (
        0,
        f"exercises/sums/sums.py: written\nexercises/sums/kit/points.json: written\n{missing}",
    )
    again = CliRunner().invoke(command, ["--exercise", "sums"])
    assert (again.exit_code, again.stderr) == (0, f"{missing}exercises/sums: nothing to do\n")


def test_quiet_command_says_nothing(course):
    """With --quiet the files are written and nothing is said; --course names the course from anywhere."""
    result = CliRunner().invoke(command, ["--quiet", "--course", str(course.root / "course.toml")])
    assert (result.exit_code, result.output) == (0, "")
    assert (course.root / "exercises" / "sums" / "sums.py").read_text() == STUB


def test_command_refuses_an_unknown_exercise(course):
    """A name that course.toml does not have is a mistake in the call."""
    result = CliRunner().invoke(
        command, ["--course", str(course.root / "course.toml"), "--exercise", "products"]
    )
    assert isinstance(result.exception, GraderError)
    assert "There is no exercise 'products'" in str(result.exception)
