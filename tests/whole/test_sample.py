"""The sample class, graded for real in both of its shapes: the scores are those written down by hand."""

import hashlib
import importlib.util
import json

import pytest
from click.testing import CliRunner
from helpers import sample_class
from helpers.paths import ROOT

from grader.cli import cli
from grader.results.student import load_result, student_folder

pytestmark = pytest.mark.slow

SHAPES = {"canvas": sample_class.ARCHIVE, "folders": sample_class.FOLDER}


def grade(path, out, *more):
    """Run ``grader grade`` on the sample class."""
    call = ["grade", str(path), "--course", str(sample_class.COURSE), "--roster", str(sample_class.ROSTER)]
    return CliRunner().invoke(cli, [*call, "--out", str(out), *more])


@pytest.fixture(scope="module", params=SHAPES)
def run(request, tmp_path_factory):
    """The class graded in one of its shapes: OUT, and what the command said."""
    out = tmp_path_factory.mktemp(request.param) / "graded"
    return out, grade(SHAPES[request.param], out)


@pytest.fixture
def out(run):
    """OUT of a run."""
    return run[0]


def test_ends_well(run):
    """Whatever is handed in, a class that needs no look ends with 0, and the output names the sandbox."""
    assert run[1].exit_code == 0, run[1].output
    assert "43 hand-ins" in run[1].output
    assert "tier " in run[1].output


def test_points_by_task(out):
    """Everyone has the points, task by task, that were written down by hand."""
    got = {}
    for result in map(load_result, out.glob("students/*/result.json")):
        points = {
            task: str(sum(c.points for c in result.criteria if c.task == task))
            if result.status == "graded"
            else ""
            for task in sample_class.TASKS
        }
        got[result.student] = {"status": result.status, **points}
    wanted = {
        student: {key: row[key] for key in ("status", *sample_class.TASKS)}
        for student, row in sample_class.expected().items()
    }
    assert got == wanted


def test_scores_table(out):
    """scores.csv has a row for everyone with the score written down by hand, out of 20."""
    got = {row["student"]: (row["status"], row["score"], row["max_score"]) for row in rows_of(out)}
    expected = sample_class.expected()
    assert got == {student: (row["status"], row["score"], "20") for student, row in expected.items()}
    assert list(got) == sorted(got)


def test_flags(out):
    """What an instructor has to know of a hand-in stands in its row."""
    flags = {row["student"]: set(row["flags"].split()) for row in rows_of(out)}
    for student, row in sample_class.expected().items():
        assert flags[student] >= set(row["flags"].split()), student


def test_honest_work_has_no_flags(out):
    """Who did nothing out of the ordinary is not flagged."""
    flags = {row["student"]: row["flags"] for row in rows_of(out)}
    for student in ("abara", "bjarnason", "castellanos", "dlamini", "eriksen", "farouk", "gruber", "petrov"):
        assert flags[student] == "", student


def test_untouched_stub_is_not_started(out):
    """Of an untouched stub every criterion is not started: none is wrong."""
    assert {c["status"] for c in result_of(out, "farouk")["criteria"]} == {"not-started"}


def test_stopped_is_not_wrong(out):
    """A function that does not end, or takes all memory, is stopped, and no other function is."""
    for student in ("kowalski", "mallory-memory"):
        states = {(c["task"], c["status"]) for c in result_of(out, student)["criteria"]}
        stopped = {task for task, status in states if status == "stopped"}
        assert stopped == {"paged_slots"}, student
        assert not [task for task, status in states if status in ("not-run", "needs-work")], student


def test_a_file_that_cannot_be_imported_is_not_run(out):
    """A syntax error and an empty file cost that file's criteria, which were not run."""
    for student in ("haddad", "0041207"):
        states = {(c["task"] == "hands_on", c["status"]) for c in result_of(out, student)["criteria"]}
        assert states == {(True, "passed"), (False, "not-run")}, student


def test_nothing_was_found_to_steal(out):
    """A submission that searched for tests, solutions and environments came back with nothing."""
    messages = [c["message"] for c in result_of(out, "mallory-files")["criteria"]]
    assert any("nothing found" in message for message in messages)


def test_markup_is_shown_and_does_nothing(out):
    """HTML from a submission or a name is text on the page; escape sequences and bidi marks are seen."""
    page = (student_folder(out, "mallory-markup") / "feedback.html").read_text(encoding="utf-8")
    assert "alert(document.cookie)" in page
    for active in ("<script", "<img", "<b>Markup", "\x1b", "\u202e", "\x07"):
        assert active not in page


def test_everyone_has_feedback(out):
    """Each student finds a page and a text."""
    for student in sample_class.expected():
        folder = student_folder(out, student)
        assert (folder / "feedback.html").stat().st_size > 1000
        assert (folder / "feedback.md").stat().st_size > 100


def test_picture_in_the_readme_is_current(out):
    """docs/feedback.png was made from the page as it is; otherwise run docs/make_pictures.py."""
    digest = hashlib.sha256((student_folder(out, "varga") / "feedback.html").read_bytes()).hexdigest()
    noted = (ROOT / "docs" / "pictures.txt").read_text(encoding="utf-8")
    assert noted == f"feedback.png shows the page with the SHA-256 {digest}\n"


def test_again_grades_nobody(run, request):
    """The same class into the same OUT grades nobody, and leaves every result as it is."""
    out = run[0]
    before = {p: p.read_bytes() for p in out.rglob("*") if p.name in ("result.json", "feedback.html")}
    again = grade(SHAPES[request.node.callspec.params["run"]], out)
    assert again.exit_code == 0
    assert "0 graded now, 43 unchanged" in again.output
    assert {p: p.read_bytes() for p in before} == before
    assert len(before) == 88


@pytest.mark.parametrize("run", ["canvas"], indirect=True)
def test_same_bytes_with_one_worker(tmp_path, run):
    """A fresh run with one worker gives every result and every page byte for byte as with several."""
    out = run[0]
    assert grade(sample_class.ARCHIVE, tmp_path / "graded", "--jobs", "1", "--no-gradebook").exit_code == 0
    names = ("result.json", "report.json", "feedback.html", "feedback.md")
    for name in names:
        pages = sorted((out / "students").glob(f"*/{name}"))
        assert len(pages) > 40
        for one in pages:
            other = tmp_path / "graded" / one.relative_to(out)
            assert one.read_bytes() == other.read_bytes(), one
    assert (out / "scores.csv").read_bytes() == (tmp_path / "graded/scores.csv").read_bytes()


def test_expectations_add_up():
    """The table written by hand is sound in itself: the tasks make the score, and everyone is in it once."""
    roster = [row["id"] for row in sample_class.rows(sample_class.ROSTER)]
    table = sample_class.rows(sample_class.HERE / "expected.csv")
    assert [row["student"] for row in table] == roster
    assert {row["id"] for row in sample_class.rows(sample_class.ROSTER)} - {"thibault"} == {
        path.name for path in sample_class.FOLDER.iterdir()
    }
    for row in table:
        if row["status"] == "graded":
            assert sum(int(row[task]) for task in sample_class.TASKS) == int(row["score"]), row["student"]
            assert row["why"]


def test_archive_is_current():
    """class.zip is what make_zip.py makes of the folder today."""
    spec = importlib.util.spec_from_file_location("make_zip", sample_class.HERE / "make_zip.py")
    make_zip = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_zip)
    assert sample_class.ARCHIVE.read_bytes() == make_zip.zip_bytes()


def rows_of(out):
    """The rows of scores.csv."""
    return sample_class.rows(out / "scores.csv")


def result_of(out, student):
    """One student's result.json."""
    return json.loads((student_folder(out, student) / "result.json").read_bytes())
