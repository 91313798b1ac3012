"""What is kept of one student: whole, with its stamp last, and done only when nothing has changed."""

import json
import string
from dataclasses import replace
from datetime import UTC, datetime

import msgspec
import pytest
from helpers import small_class, small_lesson
from hypothesis import given
from hypothesis import strategies as st

from grader.base.errors import CourseError, GraderError
from grader.course.load import load_course
from grader.grading.diagnosis import table_path
from grader.grading.workers import Graded
from grader.results import student as keeping
from grader.results.final import final_result
from grader.results.student import (
    is_done,
    load_result,
    result_bytes,
    safe_name,
    student_folder,
    suite_digest,
    write_graded,
    write_submission,
)
from grader.sources.submission import Submission

SUBMISSION = Submission("ada", {"lab.py": b"x = 1\n"}, helpers={"more.py": b""}, received_as="ada.zip")
RESULT = small_class.result("ada")


@pytest.fixture
def exercise(tmp_path):
    """The small class's exercise."""
    return small_class.course_at(tmp_path / "course").exercise(None)


def kept(out, exercise, submission=SUBMISSION, result=RESULT, suite="s1"):
    """Keep one student's results; their folder."""
    return write(out, exercise, Graded(submission, result, {"tests": []}, 0.0), suite)


def write(out, exercise, graded, suite="s1"):
    """Write the files of one who was graded; their folder."""
    folder = student_folder(out, graded.submission.student)
    write_graded(folder, exercise, graded, graded.result, final_result(graded.result), suite=suite)
    return folder


def test_what_is_kept(tmp_path, exercise):
    """The graded bytes, the report, both pages, the result and the stamp."""
    folder = kept(tmp_path, exercise)
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*")) == [
        "feedback.html",
        "feedback.md",
        "graded.json",
        "report.json",
        "result.json",
        "submission",
        "submission/lab.py",
        "submission/more.py",
    ]
    assert load_result(folder / "result.json") == RESULT
    assert (folder / "submission/lab.py").read_bytes() == b"x = 1\n"


def test_no_report_of_what_did_not_run(tmp_path, exercise):
    """A submission that was not run has no report."""
    result = small_class.result("ada", status="unreadable")
    write(tmp_path, exercise, Graded(SUBMISSION, result, {}, 0.0))
    assert not (student_folder(tmp_path, "ada") / "report.json").exists()


def test_no_report_of_an_earlier_hand_in(tmp_path, exercise):
    """What was not run has no report beside it, although the hand-in before it had one."""
    folder = kept(tmp_path, exercise)
    assert (folder / "report.json").exists()
    result = small_class.result("ada", status="unreadable")
    write(tmp_path, exercise, Graded(SUBMISSION, result, {}, 0.0))
    assert not (folder / "report.json").exists()


def test_done_when_nothing_changed(tmp_path, exercise):
    """The same bytes under the same suite are done; other bytes, another suite or name are not."""
    kept(tmp_path, exercise)
    assert is_done(tmp_path, SUBMISSION, "s1")
    assert not is_done(tmp_path, SUBMISSION, "s2")
    assert not is_done(tmp_path, replace(SUBMISSION, files={"lab.py": b"x = 2\n"}), "s1")
    assert not is_done(tmp_path, replace(SUBMISSION, helpers={}), "s1")
    assert not is_done(tmp_path, replace(SUBMISSION, received_as="ada (2).zip"), "s1")
    assert not is_done(tmp_path, replace(SUBMISSION, student="bea"), "s1")


@pytest.mark.parametrize(
    "news",
    [
        {"submitted_at": datetime(2026, 10, 24, 10, tzinfo=UTC)},
        {"name": "Ada Lovelace"},
        {"flags": ("renamed-file",)},
        {"notes": ("lab2.py was taken for lab.py.",)},
        {"problems": {"other.py": "other.py is empty."}},
    ],
)
def test_not_done_when_more_is_known(tmp_path, exercise, news):
    """The same bytes are graded again when a time, a name or a word about them has come to be known."""
    kept(tmp_path, exercise)
    assert not is_done(tmp_path, replace(SUBMISSION, **news), "s1")
    kept(tmp_path, exercise, replace(SUBMISSION, **news))
    assert is_done(tmp_path, replace(SUBMISSION, **news), "s1")


@pytest.mark.parametrize(
    ("status", "done"), [("graded", True), ("unreadable", True), ("grader-error", False), ("missing", False)]
)
def test_faults_are_tried_again(tmp_path, exercise, status, done):
    """A fault of the grader's is not done: the next run tries it again."""
    kept(tmp_path, exercise, result=small_class.result("ada", status=status))
    assert is_done(tmp_path, SUBMISSION, "s1") is done


@pytest.mark.parametrize("name", ["graded.json", "result.json"])
@pytest.mark.parametrize("data", [None, b"", b"[]", b"{}", b"\xff"])
def test_damaged_files_are_not_done(tmp_path, exercise, name, data):
    """A stamp or a result that is gone or damaged is graded again."""
    folder = kept(tmp_path, exercise)
    (folder / name).unlink()
    if data is not None:
        (folder / name).write_bytes(data)
    assert not is_done(tmp_path, SUBMISSION, "s1")


def test_run_that_ends_in_the_middle(tmp_path, exercise, monkeypatch):
    """When writing a student's files ends early, they do not count as done, whatever was there before."""
    kept(tmp_path, exercise)

    def full(*_arguments):
        raise GraderError("no space")

    monkeypatch.setattr(keeping, "write_result", full)
    with pytest.raises(GraderError):
        kept(tmp_path, exercise)
    assert not is_done(tmp_path, SUBMISSION, "s1")


def test_earlier_files_go(tmp_path, exercise):
    """Of a new attempt only its own files are kept."""
    write_submission(tmp_path / "submission", exercise, SUBMISSION)
    later = replace(SUBMISSION, files={}, helpers={"util.py": b"1"})
    write_submission(tmp_path / "submission", exercise, later)
    assert [path.name for path in (tmp_path / "submission").iterdir()] == ["util.py"]


def test_folder_that_running_the_files_left(tmp_path, exercise):
    """Whoever ran a hand-in where it is kept left a cache there, which is in nobody's way; links go."""
    folder = tmp_path / "submission"
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "lib.py").symlink_to(tmp_path)
    write_submission(folder, exercise, SUBMISSION)
    assert sorted(path.name for path in folder.iterdir()) == ["__pycache__", "lab.py", "more.py"]


@pytest.mark.slow
def test_what_a_result_depends_on(tmp_path, monkeypatch):
    """The title, tests, points, sentences, limits, diagnoses and the kit do; a due date does not."""
    small_lesson.write(tmp_path)

    def digest():
        course = load_course(tmp_path / "course.toml")
        return suite_digest(course, course.exercise(None))

    seen = [digest()]
    assert digest() == seen[0]
    small_lesson.edit(tmp_path, "course.toml", 'title = "Sums"', 'title = "Sums"\ndue = 2027-03-01T23:59:00')
    assert digest() == seen[0]
    for name, old, new in (
        ("tests/hidden/sums/test_sums.py", "total([]) == 0", "total([]) == 0 == 0"),
        ("tests/visible/sums/test_sums.py", "double(3)", "double(3 + 0)"),
        ("course.toml", 'title = "Sums"', 'title = "Sums!"'),
        ("course.toml", "doubles a number", "doubles any number"),
        ("course.toml", "points = 5\n", "points = 5\n[exercise.sums.limits]\ncall_cpu_seconds = 2.0\n"),
    ):
        small_lesson.edit(tmp_path, name, old, new)
        seen.append(digest())
    course = load_course(tmp_path / "course.toml")
    table_path(course, course.exercise(None)).write_text("{}")
    seen.append(digest())
    monkeypatch.setattr("grader.results.student.__version__", "99.0")
    seen.append(digest())
    assert len(set(seen)) == 8


def test_exercise_is_plain_data(exercise):
    """What the digest is made of is plain data, so that it is the same on every machine."""
    assert msgspec.json.encode([exercise.tasks, exercise.criteria, exercise.limits]).startswith(b'[[{"file":')


@pytest.mark.slow
def test_a_criterion_without_its_test_file_is_a_mistake_in_the_course(tmp_path):
    """A private criterion whose test file nobody wrote is one sentence that names the file, no traceback."""
    small_lesson.write(tmp_path)
    course = load_course(tmp_path / "course.toml")
    (tmp_path / "tests/hidden/sums/test_sums.py").unlink()
    with pytest.raises(CourseError, match=r"tests/hidden/sums/test_sums\.py: No such file or directory; "):
        suite_digest(course, course.exercise(None))


@pytest.mark.parametrize("student", ["ada", "0041207", "a.b-c_d", "x" * 64, "mallory-net", "com", "con1"])
def test_plain_ids_are_their_own_names(student):
    """An id that any file system takes is the folder's name."""
    assert safe_name(student) == student


@pytest.mark.parametrize(
    "student",
    [
        "Ada",
        "ada.",
        "a/b",
        "../x",
        "..",
        ".",
        "",
        ".ada",
        "con",
        "nul.txt",
        "com1",
        "lpt9.x",
        "x" * 65,
        "a b",
        "李小明",
    ],
)
def test_other_ids_get_a_digest(student):
    """Any other id becomes readable letters and a digest, which no plain id looks like."""
    name = safe_name(student)
    assert set(name) <= set(string.ascii_lowercase + string.digits + "_-~")
    assert name.partition("~")[2] != ""
    assert len(name) <= 41


@given(st.lists(st.text(max_size=80), unique=True, min_size=2, max_size=8))
def test_two_ids_never_share_a_folder(students):
    """Different ids have different names, on file systems that fold case and normalise as well."""
    names = [safe_name(student).casefold() for student in students]
    assert len(set(names)) == len(names)


@given(st.text(max_size=200))
def test_any_id_is_one_harmless_name(student):
    """A name is one step below OUT/students, never a way out of it, and short enough for any file system."""
    name = safe_name(student)
    assert "/" not in name
    assert "\\" not in name
    assert name not in ("", ".", "..")
    assert len(name.encode()) <= 64


def test_result_comes_back(tmp_path):
    """A result that was written is read back equal, and the same result gives the same bytes."""
    result = small_class.result("00017", ("add-two",), 2.5, flags=("late",))
    path = tmp_path / "result.json"
    path.write_bytes(result_bytes(result))
    assert load_result(path) == result
    assert result_bytes(load_result(path)) == path.read_bytes()


def test_fields_of_a_result():
    """result.json holds the fields that others rely on, in their order."""
    document = json.loads(result_bytes(small_class.result("00017", ("add-two",))))
    assert [*document][:10] == [
        "student",
        "exercise",
        "status",
        "score",
        "max_score",
        "late_penalty",
        "criteria",
        "diagnoses",
        "flags",
        "submission",
    ]
    assert document["score"] == 8
    assert document["criteria"][1] == {
        "id": "add-none",
        "task": "add",
        "visibility": "hidden",
        "points": 0,
        "max_points": 4,
        "status": "needs-work",
        "message": "",
        "kind": "",
    }


def test_half_a_pair_is_written_as_json_writes_it():
    """A text that no encoding knows is no reason to lose a result."""
    odd = replace(small_class.result("ada"), notes=("a\ud800b",))
    data = result_bytes(odd)
    assert b'"a\\ud800b"' in data
    assert json.loads(data)["notes"] == ["a\ud800b"]
