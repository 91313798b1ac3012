"""The handout's tables: filled in between marks, and checked like everything that is generated."""

import pytest
from click.testing import CliRunner
from helpers import small_lesson

from grader.base.errors import CourseError
from grader.check.editions import stale
from grader.cli import cli
from grader.course.load import load_course
from grader.lesson.notebook import student_cells
from grader.lesson.release import bundle_files
from grader.lesson.tables import with_tables, without_marks

POINTS = """\
| task | visible tests | hidden tests |
|---|---|---|
| Warm up | 1 | 0 |
| `double` | 1 | 0 |
| `total` | 1 | 2 |
| all 5 | 3 | 2 |
"""
TODOS = """\
| TODO | function | gives |
|---|---|---|
| 2 | `double(number)` | Doubling |
| 3 | `total(numbers)` | the sum |
"""
IDEAS = "- `total` gives zero where there is nothing to add.\n"
README = "exercises/sums/README.md"


@pytest.fixture
def root(tmp_path):
    """The small lesson, with a handout that has all tables; not built since."""
    small_lesson.write(tmp_path)
    marks = "".join(f"<!-- BEGIN {what} -->\n<!-- END {what} -->\n" for what in ("TODOS", "IDEAS", "POINTS"))
    (tmp_path / README).write_text(f"# Sums\n\nAdd.\n\n{marks}")
    small_lesson.edit(
        tmp_path,
        "course.toml",
        'title = "Totals (TODO 3)"',
        'title = "Totals (TODO 3)"\ngives = "the sum"',
    )
    return tmp_path


def build(root):
    """Run ``grader build``."""
    done = CliRunner().invoke(cli, ["build", "--course", str(root / "course.toml")], catch_exceptions=False)
    assert done.exit_code == 0, done.output


def findings(root):
    """What ``grader check`` says of generated files."""
    course = load_course(root / "course.toml")
    return [str(one) for one in stale(course, course.exercise(None))]


@pytest.mark.slow
def test_build_fills_the_tables(root):
    """Points, TODOs and ideas come from course.toml and the stubs; a second build changes nothing."""
    assert f"{README}: is not what its source makes; run 'grader build'" in findings(root)
    build(root)
    text = (root / README).read_text()
    for what, table in (("POINTS", POINTS), ("TODOS", TODOS), ("IDEAS", IDEAS)):
        assert f"<!-- BEGIN {what} -->\n\n{table}\n<!-- END {what} -->\n" in text
    assert text.startswith("# Sums\n\nAdd.\n\n")
    assert findings(root) == []


@pytest.mark.slow
def test_students_see_no_marks(root):
    """Bundle, page and notebook have the tables without the marks."""
    build(root)
    course = load_course(root / "course.toml")
    exercise = course.exercise(None)
    files = bundle_files(course, exercise)
    notebook = "".join(cell.source for cell in student_cells(course, exercise))
    for text in (files["README.md"].decode(), files["README.html"].decode(), notebook):
        assert "<!--" not in text
        assert "&lt;!--" not in text
    assert POINTS in files["README.md"].decode()
    assert "| all 5 | 3 | 2 |" in notebook


def test_handout_without_points(root):
    """A handout must have a place for its points."""
    (root / README).write_text("# Sums\n")
    assert f"{README}: has no table of points" in findings(root)[0]


def test_unknown_table(root):
    """Marks of another name are named with their line."""
    exercise = load_course(root / "course.toml").exercise(None)
    with pytest.raises(
        CourseError, match=r"^x.md:2: there is no table POINT; there are: POINTS, TODOS, IDEAS"
    ):
        with_tables("\n<!-- BEGIN POINT -->\n<!-- END POINT -->\n", "x.md", exercise, {})


def test_comments_are_left_out():
    """Only whole lines are marks; an empty line above and below leaves one."""
    text = "a\n\n<!-- BEGIN POINTS -->\n\n| t |\n\n<!-- END POINTS -->\n\nb <!-- c -->\n"
    assert without_marks(text) == "a\n\n| t |\n\nb <!-- c -->\n"
