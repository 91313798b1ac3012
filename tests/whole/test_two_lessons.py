"""A class with two lessons: graded, reported, exported, recorded in one gradebook, and purged."""

import csv
import json
import shutil

import pytest
from click.testing import CliRunner
from helpers import two_lessons
from helpers.two_lessons import RIGHT

from grader.cli import cli

pytestmark = pytest.mark.slow

ROSTER = "id,name,email\nada,Ada Byron,ada@x.org\nhopper,Grace Hopper,g@x.org\nzuse,Konrad Zuse,k@x.org\n"
WRONG_LESSON = "This is the hand-in of products; hand in warm_up.py and sums.py of sums."


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """Both lessons graded: for sums Hopper handed in the other lesson, and Ada has one product wrong."""
    root = tmp_path_factory.mktemp("two")
    two_lessons.write(root)
    (root / "roster.csv").write_text(ROSTER)
    for student, lesson, folder in (
        ("ada", "sums", "sums"),
        ("hopper", "products", "sums"),
        ("ada", "products", "products"),
        ("hopper", "products", "products"),
    ):
        for name, text in RIGHT[lesson].items():
            path = root / "in-class" / folder / student / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    wrong = root / "in-class/products/ada/products.py"
    wrong.write_text(wrong.read_text().replace("3 * number", "number"))
    for lesson in ("sums", "products"):
        done = call(root, "grade", f"in-class/{lesson}", "--exercise", lesson, "--roster", "roster.csv")
        assert done.exit_code == 0, done.output
    return root


@pytest.fixture
def root(graded, tmp_path):
    """A copy of the graded course that a test can change."""
    return shutil.copytree(graded, tmp_path / "course")


def call(root, *words):
    """Run ``grader`` in the course's folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        return CliRunner().invoke(cli, list(words), catch_exceptions=False)


def rows(path):
    """The rows of a table by the first column."""
    with path.open(newline="") as file:
        return {row.pop(next(iter(row))): row for row in csv.DictReader(file)}


def test_each_lesson_has_its_results_and_the_course_its_table(graded):
    """Every lesson has a folder; course.csv has a column for each and the sum, and no score is no 0."""
    folder = graded / "graded"
    assert {path.name for path in folder.iterdir() if path.is_dir()} == {"sums", "products"}
    assert rows(folder / "course.csv") == {
        "ada": {"sums": "5", "products": "4", "total": "9", "max_points": "10"},
        "hopper": {"sums": "", "products": "5", "total": "5", "max_points": "10"},
        "zuse": {"sums": "", "products": "", "total": "", "max_points": "10"},
    }
    scores = rows(folder / "sums/scores.csv")
    assert {student: row["status"] for student, row in scores.items()} == {
        "ada": "graded",
        "hopper": "unreadable",
        "zuse": "missing",
    }
    result = json.loads((folder / "sums/students/hopper/result.json").read_text())
    assert result["criteria"][0]["message"] == WRONG_LESSON
    assert WRONG_LESSON in (folder / "sums/students/hopper/feedback.md").read_text()


def test_one_roster_for_the_course(graded):
    """The roster of the first lesson lies in the course's folder, so that the second needs none."""
    assert (graded / "graded/roster.csv").is_file()
    assert not list((graded / "graded").glob("*/roster.csv"))


def test_memory_is_measured(graded):
    """Beside the time of each student's code stands the most memory that it held, in MiB."""
    table = rows(graded / "graded/sums/timing.csv")
    assert 1 < float(table["ada"]["peak_mib"]) < 512
    assert "Peak memory in MiB of students" in (graded / "graded/sums/class.html").read_text()


def test_report_on_both(root):
    """Without --exercise every lesson is reported on; a folder of results says which lesson it is of."""
    for name in ("sums", "products"):
        (root / "graded" / name / "class.html").unlink()
    assert call(root, "report").exit_code == 0
    assert all((root / "graded" / name / "class.html").is_file() for name in ("sums", "products"))
    done = call(root, "explain", "ada", "--out", "graded/products")
    assert done.exit_code == 0
    assert "ada: graded, 4 of 5 points" in done.output


def test_export(root):
    """The wrong lesson's hand-in is withheld, never exported as 0."""
    done = call(root, "export", "csv", "--exercise", "sums")
    assert done.exit_code == 0, done.output
    assert "hopper: the hand-in could not be read" in done.output
    assert set(rows(root / "graded/sums/exports/scores.csv")) == {"ada"}
    assert call(root, "export", "csv", "--exercise", "products").exit_code == 0
    assert set(rows(root / "graded/products/exports/scores.csv")) == {"ada", "hopper"}


def test_points_by_hand_move_the_sum(root):
    """A change of points by hand is in the course's table at once."""
    words = ("ada", "triple-some", "1", "--because", "A slip.", "--by", "Staff", "--exercise", "products")
    assert call(root, "adjust", *words).exit_code == 0
    assert rows(root / "graded/course.csv")["ada"]["total"] == "10"


def test_one_gradebook(root):
    """Both lessons are assignments of one gradebook, and of one nbgrader course, with no file in the root."""
    from nbgrader.api import Gradebook  # noqa: PLC0415 - it takes seconds

    before = {path.name for path in root.iterdir()}
    for name in ("sums", "products"):
        done = call(root, "nbgrader", "native", "--exercise", name)
        assert done.exit_code == 0, done.output
    assert {path.name for path in root.iterdir()} - before == {"native"}
    assert (root / "native/source/sums/sums.ipynb").is_file()
    assert (root / "native/source/products/products.ipynb").is_file()
    with Gradebook(f"sqlite:///{root / 'graded/gradebook.db'}") as book:
        assert {one.name for one in book.assignments} == {"sums", "products"}
        assert book.find_submission("products", "ada").score == 4


def test_purge_of_one_lesson(root):
    """The other lesson, the roster and the gradebook stay; the course's table no longer tells of it."""
    done = call(root, "purge", "--exercise", "sums", "--yes")
    assert done.exit_code == 0, done.output
    assert "graded/roster.csv: the course's, stays for its other exercises" in done.output
    assert not (root / "graded/sums").exists()
    assert rows(root / "graded/course.csv")["ada"] == {"products": "4", "total": "4", "max_points": "5"}


def test_purge_of_everything(root):
    """Without --exercise everything about people goes, and each place of it is named first."""
    done = call(root, "purge", "--yes")
    assert done.exit_code == 0, done.output
    assert not (root / "graded").exists()
    for place in ("sums/students", "products/students", "roster.csv", "gradebook.db", "course.csv"):
        assert f"graded/{place}: " in done.output
    assert "about 3 students" in done.output


def test_one_person_is_forgotten(root):
    """--only forgets a person in both lessons and in the course's table."""
    done = call(root, "purge", "--only", "ada", "--yes")
    assert done.exit_code == 0, done.output
    assert set(rows(root / "graded/course.csv")) == {"hopper", "zuse"}
    assert not list((root / "graded").glob("*/students/ada"))
    assert "ada" not in (root / "graded/roster.csv").read_text()


def test_naming_is_asked_where_it_matters(root):
    """What is about one lesson asks which where both have results, and lists them."""
    with pytest.raises(Exception, match="name one with --exercise: sums, products"):
        call(root, "explain", "hopper")
