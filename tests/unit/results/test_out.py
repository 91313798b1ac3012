"""OUT as a whole: loaded once, charged by the due dates of now, and the same points in every place."""

import csv
import dataclasses
import json
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from helpers import small_class

from grader.base.errors import GraderError
from grader.base.files import write_whole
from grader.course.model import Course, Exercise, LatePolicy, Limits
from grader.grading.score import Change, Received, Result
from grader.results.adjust import read_changes
from grader.results.final import final_result, scores_bytes
from grader.results.late import Recharge
from grader.results.out import Out
from grader.results.student import load_result, result_bytes, student_folder
from grader.roster.roster import Person, Roster

TEN_A_DAY = LatePolicy(applied_by="kit", percent_per_day=10.0)
UTC_ZONE = ZoneInfo("UTC")


def utc(text):
    """A time in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def make_result(student, score, came, penalty_points=0, flags=()):
    """A graded result of 20 points that came at that time."""
    received = Received("0" * 64, came, ("reservation.py",))
    return Result(student, "lab", "graded", score, 20, penalty_points, (), (), flags, received)


def make_course(due, policy=TEN_A_DAY):
    """A course with one exercise, as far as lateness needs it."""
    exercise = Exercise("lab", "Lab", 20, due, policy, Limits(), (), (), {})
    return Course(Path("/nowhere"), "Course", UTC_ZONE, "latest", "", {"lab": exercise})


def write_out(out, *results):
    """An OUT with these results."""
    for result in results:
        write_whole(student_folder(out, result.student) / "result.json", result_bytes(result))
    write_whole(out / "scores.csv", scores_bytes(map(final_result, results)))


def opened(folder, course=None, roster=None):
    """The results below a folder, as if it were held."""
    course = course or make_course(utc("2024-03-01 23:59:59"))
    return Out(folder, course, course.exercise("lab"), roster)


def charge_anew(folder, course, roster=None):
    """Charge everyone in OUT by this course; who is charged otherwise now."""
    out = opened(folder, course, roster)
    changes = list(out.charge_anew())
    out.write_tables()
    return changes


def test_a_new_due_date_recharges_everyone(tmp_path):
    """A hand-in of 2 March 10:00 costs 2 of 20 for 1 March, and nothing once the due date is 5 March."""
    write_out(tmp_path, make_result("0001", 20, "2024-03-02T10:00:00+00:00", flags=("odd",)))
    first = charge_anew(tmp_path, make_course(utc("2024-03-01 23:59:59")))
    assert first == [Recharge("0001", 0, 2)]
    assert (tmp_path / "scores.csv").read_text().splitlines()[1] == (
        "0001,graded,20,20,2,2024-03-02T10:00:00+00:00,odd late"
    )
    assert "20 earned, 2 taken off" in (tmp_path / "students/0001/feedback.md").read_text()
    second = charge_anew(tmp_path, make_course(utc("2024-03-05 23:59:59")))
    assert second == [Recharge("0001", 2, 0)]
    result = load_result(tmp_path / "students/0001/result.json")
    assert (result.score, result.late_penalty, result.flags) == (20, 0, ("odd",))


def test_an_extension_recharges_one(tmp_path):
    """A later due date for one student changes that student's penalty and nobody else's."""
    came = "2024-03-02T10:00:00+00:00"
    write_out(tmp_path, make_result("a", 20, came, 2, ("late",)), make_result("b", 20, came, 2, ("late",)))
    before = (tmp_path / "students/b/result.json").stat().st_mtime_ns
    changes = charge_anew(
        tmp_path,
        make_course(utc("2024-03-01 23:59:59")),
        Roster((Person("a", extension="2024-03-04T00:00:00Z"),)),
    )
    assert changes == [Recharge("a", 2, 0)]
    assert (tmp_path / "students/b/result.json").stat().st_mtime_ns == before
    assert not (tmp_path / "students/b/feedback.md").exists()


def test_a_flag_alone_is_renewed_too(tmp_path):
    """Lateness that costs nothing is no change of a penalty, but the result says it."""
    write_out(tmp_path, make_result("a", 20, "2024-03-02T10:00:00+00:00"))
    assert charge_anew(tmp_path, make_course(utc("2024-03-01 23:59:59"), None)) == []
    assert load_result(tmp_path / "students/a/result.json").flags == ("late",)


def test_recharging_twice_changes_nothing(tmp_path):
    """The second time there is nothing to do: no file is written again."""
    write_out(tmp_path, make_result("a", 20, "2024-03-02T10:00:00+00:00"))
    course = make_course(utc("2024-03-01 23:59:59"))
    charge_anew(tmp_path, course)
    times = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert charge_anew(tmp_path, course) == []
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == times


def test_recharging_writes_scores_that_were_lost(tmp_path):
    """Without a scores.csv, one is written from the results."""
    write_out(tmp_path, make_result("b", 20, "2024-02-02T10:00:00+00:00"))
    (tmp_path / "scores.csv").unlink()
    assert charge_anew(tmp_path, make_course(utc("2024-03-01 23:59:59"))) == []
    assert (tmp_path / "scores.csv").read_text().splitlines()[1].startswith("b,graded,20,20,0,")


def test_only_graded_results_are_charged(tmp_path):
    """A hand-in that could not be read has no score and so no penalty, however late it came."""
    lost = dataclasses.replace(
        make_result("a", 20, "2024-03-02T10:00:00+00:00"), status="unreadable", score=None, late_penalty=None
    )
    write_out(tmp_path, lost)
    assert charge_anew(tmp_path, make_course(utc("2024-03-01 23:59:59"))) == []
    assert load_result(tmp_path / "students/a/result.json") == lost


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b'{"student": "ada"', b"\xff"])
def test_damaged_result(tmp_path, data):
    """A file that is no result of ours is named."""
    path = tmp_path / "students" / "ada" / "result.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    with pytest.raises(GraderError, match=r"result\.json is not a result of this grader: "):
        opened(tmp_path).results()


def test_results_are_sorted(tmp_path):
    """All results come back sorted by id, whatever their folders are called."""
    for student in ("b", "Ada", "00017"):
        write_whole(
            student_folder(tmp_path, student) / "result.json", result_bytes(small_class.result(student))
        )
    (tmp_path / "students" / "empty").mkdir()
    assert [result.student for result in opened(tmp_path).results()] == ["00017", "Ada", "b"]


def test_no_results(tmp_path):
    """An OUT without any student has no results."""
    assert opened(tmp_path).results() == []


# --- points by hand ---


@pytest.fixture
def marked(tmp_path):
    """An OUT in which ada has everything, two days late, and bob handed in nothing."""
    course = small_class.course_at(tmp_path / "course")
    out = tmp_path / "graded"
    results = [small_class.result("ada", penalty=2.5), small_class.result("bob", status="missing")]
    small_class.write_class(out, results, people=None)
    return opened_small(out, course)


def opened_small(folder, course):
    """The small class's OUT, as if it were held."""
    return Out(folder, course, course.exercise(None), None)


def row(out, student):
    """A student's row of scores.csv."""
    with (out.folder / "scores.csv").open(encoding="utf-8", newline="") as file:
        return next(row for row in csv.DictReader(file) if row["student"] == student)


def page(out, student):
    """A student's page as text."""
    return (student_folder(out.folder, student) / "feedback.md").read_text(encoding="utf-8")


def give(out, student, points, criterion="add-two"):
    """Change a student's points by hand, as formgrader's are noted."""
    before = out.changes.get(student, ())
    out.set_changes({student: (*before, Change(criterion, points, "formgrader"))})


def final_of(out, student):
    """The final part of a student's result.json."""
    return json.loads((student_folder(out.folder, student) / "result.json").read_bytes())["final"]


def test_points_by_hand_are_the_same_in_every_place(marked):
    """A person's 12.3, less 2.5, stands in the table, on the page and in the final part of result.json."""
    give(marked, "ada", 0.3)
    marked.write_tables()
    assert (row(marked, "ada")["score"], row(marked, "ada")["flags"]) == ("12.3", "manual")
    assert "9.8 of 20 points" in page(marked, "ada")
    assert "12.3 given, 2.5 taken off" in page(marked, "ada")
    assert "Everything works" not in page(marked, "ada")
    final = final_of(marked, "ada")
    assert (final["score"], final["late_penalty"], final["points"]) == (12.3, 2.5, 9.8)
    assert [(one["criterion"], one["points"]) for one in final["changes"]] == [("add-two", 0.3)]
    assert load_result(student_folder(marked.folder, "ada") / "result.json").score == 20
    assert marked.changes == read_changes(marked.folder)
    assert marked.changes == {"ada": (Change("add-two", 0.3, "formgrader"),)}


def test_a_comment_by_hand(marked):
    """It is on the page and in result.json, also of who handed in nothing; the points stay."""
    for student in ("ada", "bob"):
        marked.set_changes({student: (Change("add", None, "formgrader", what="comment", text="See me."),)})
        assert "See me." in page(marked, student)
        assert [one["text"] for one in final_of(marked, student)["comments"]] == ["See me."]
    assert [(one.score, one.flags) for one in marked.finals()] == [(20, ()), (None, ())]
    assert "Not graded" in page(marked, "bob")


def test_points_by_hand_for_who_handed_in_nothing(marked):
    """A person's points count on the page, too."""
    give(marked, "bob", 7)
    assert "7 of 20 points" in page(marked, "bob")
    assert "Not graded" not in page(marked, "bob")


def test_points_by_hand_that_are_taken_back(marked):
    """The grader's own points are back in the table and on the page."""
    give(marked, "ada", 0.3)
    again = opened_small(marked.folder, marked.course)
    give(again, "ada", None)
    again.write_tables()
    assert (row(again, "ada")["score"], row(again, "ada")["flags"]) == ("20", "")
    assert "17.5 of 20 points" in page(again, "ada")
    assert [one.points for one in again.changes["ada"]] == [0.3, None]


def test_pages_are_written_only_where_points_changed(marked):
    """The same points again, and everybody else's page, are left alone."""
    give(marked, "ada", 0.3)
    before = {path: path.stat().st_mtime_ns for path in marked.folder.rglob("feedback.*")}
    give(opened_small(marked.folder, marked.course), "ada", 0.3)
    assert {path: path.stat().st_mtime_ns for path in marked.folder.rglob("feedback.*")} == before
    assert page(marked, "bob") == "page of bob\n"


def test_a_call_that_ends_before_the_pages_are_written(marked, monkeypatch):
    """The points are kept first, and the next call writes the pages that do not show them."""

    def full(*_arguments):
        raise GraderError("no space")

    with monkeypatch.context() as patch:
        patch.setattr("grader.results.out.write_result", full)
        with pytest.raises(GraderError):
            give(marked, "ada", 0.3)
    assert page(marked, "ada") == "page of ada\n"
    opened_small(marked.folder, marked.course).charge_anew()
    assert "12.3 of 20 points" in page(marked, "ada")
    assert page(marked, "bob") == "page of bob\n"


def test_pages_of_a_hand_in_that_was_not_written_to_its_end(marked):
    """A run was killed before result.json, or met a full disk: the next call's pages show result.json."""
    marked.charge_anew()  # no due date: all 20
    folder = student_folder(marked.folder, "ada")
    (folder / "submission").mkdir()
    for one in ("feedback.md", "feedback.html"):
        (folder / one).write_text("<p>1 of 20 points</p>\n")
    opened_small(marked.folder, marked.course).charge_anew()
    assert page(marked, "ada") == "<p>1 of 20 points</p>\n"
    (folder / "graded.json").unlink()
    opened_small(marked.folder, marked.course).charge_anew()
    assert "20 of 20 points" in page(marked, "ada")
    assert page(marked, "bob") == "page of bob\n"


def test_a_rewritten_page_keeps_the_name(marked):
    """Without a roster it is the name that the student was graded under."""
    stamp = student_folder(marked.folder, "ada") / "graded.json"
    stamp.write_text(json.dumps(json.loads(stamp.read_text()) | {"name": "Ada Lovelace"}))
    give(marked, "ada", 0.3)
    assert "Ada Lovelace" in page(marked, "ada")
