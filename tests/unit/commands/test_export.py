"""``grader export`` from end to end: what is said, what is written, and with what exit status."""

import csv
import io
import json
import re
import shutil
import zipfile

import pytest
from click.testing import CliRunner
from helpers import platform_readers, small_class, small_lesson
from helpers.paths import ROOT

from grader.base.errors import CourseError, GraderError, UsageError
from grader.cli import cli
from grader.commands.export import FORMATS
from grader.grading.score import Change
from grader.lms.upload.journal import Journal
from grader.results.adjust import write_changes

NOT_COMPARED = "not compared with the scores on the platform: its import replaces them"
CANVAS = "[exercise.lab.platform.canvas]\nassignment_id = 501\n"


@pytest.fixture
def term(tmp_path):
    """A course with the usual class graded."""
    small_class.course_at(tmp_path, CANVAS, small_class.DUE)
    small_class.write_class(tmp_path / "graded")
    return tmp_path


def export(term, *arguments):
    """Run the command in a folder."""
    course, out = str(term / "course.toml"), str(term / "graded")
    return CliRunner().invoke(cli, ["export", *arguments, "--course", course, "--out", out])


def test_writes_the_file_for_its_owner_only(term):
    """The score file in OUT/exports is for its owner only; who is left out is said with the reason."""
    done = export(term, "canvas")
    assert done.exit_code == 0, done.output
    path = term / "graded/exports/canvas.csv"
    scores, _, _ = platform_readers.canvas_import(
        path.read_bytes(), dict.fromkeys(range(11, 17), ""), {501: "Lab 1"}
    )
    assert {number: score for (number, _), score in scores.items()} == {
        11: "20",
        12: "16",
        13: "12",
        14: "14.5",
        15: "0",
        16: "8",
    }
    assert small_class.is_private(path)
    assert done.stderr.splitlines() == [
        "9: nothing was handed in",
        "studenttest: is the platform's test student",
        f"{NOT_COMPARED}; to compare, name its own file with --worksheet FILE",
        f"6 scores in {path}",
    ]


def test_more_points_than_the_maximum(term):
    """Extra points beyond the maximum are written and said: a platform may drop them silently."""
    write_changes(term / "graded", {"00017": (Change("add-two", 1.5, "adjust", what="extra"),)})
    done = export(term, "canvas", "--quiet")
    assert done.exit_code == 0, done.output
    above = "21.5 points are more than the maximum of 20"
    assert done.stderr == f"00017: {above}; a platform may refuse or ignore them\n"
    assert b",21.5\n" in (term / "graded/exports/canvas.csv").read_bytes()


def test_says_no_names(term):
    """What is printed has ids and no names: it may end in a log."""
    done = export(term, "canvas")
    assert "Lovelace" not in done.output
    assert "Kim" not in done.output


def test_quiet(term):
    """With --quiet only a score that is left out is said."""
    assert export(term, "canvas", "--quiet").output == ""
    people = small_class.PEOPLE.replace(",11,8,b17", ",,8,b17")
    (term / "graded/roster.csv").write_text(people, encoding="utf-8")
    done = export(term, "canvas", "--quiet")
    assert done.exit_code == 1
    assert done.stderr == "00017: has no canvas_id; add it to the roster\n"


def test_to_another_file(term):
    """--to names the file; nothing else appears beside it."""
    target = term / "elsewhere/points.csv"
    done = export(
        term, "csv", "--columns", "Matrikelnummer=id,Punkte=score", "--delimiter", ";", "--to", str(target)
    )
    assert done.exit_code == 0, done.output
    rows = list(csv.reader(io.StringIO(target.read_text("utf-8")), delimiter=";"))
    assert rows[0] == ["Matrikelnummer", "Punkte"]
    assert dict(rows[1:]) == small_class.USUAL_SCORES
    assert [path.name for path in target.parent.iterdir()] == ["points.csv"]


@pytest.mark.parametrize("name", ["brightspace", "nbgrader", "csv"])
def test_formats_that_need_nothing_more(term, name):
    """Every format that needs no setting writes a row for each of the six scores."""
    assert export(term, name).exit_code == 0
    (path,) = (term / "graded/exports").iterdir()
    assert len(path.read_text("utf-8").splitlines()) == 7


@pytest.mark.parametrize(("name", "file"), [("gradescope", "results.json"), ("coursera", "coursera.json")])
def test_formats_about_one_student(term, name, file):
    """Gradescope and Coursera take one student's file; nobody else is reported as left out."""
    done = export(term, name, "--student", "0429")
    assert done.exit_code == 0, done.output
    assert done.stderr == f"{NOT_COMPARED}\n1 score in {term / 'graded/exports' / file}\n"
    document = json.loads((term / "graded/exports" / file).read_text("utf-8"))
    assert document.get("score", document.get("fractionalScore")) in (14.5, 0.725)
    assert isinstance(export(term, name).exception, UsageError)


def test_two_runs_write_the_same_bytes(term):
    """Nothing in the file depends on when or where it is made."""
    export(term, "moodle", "--worksheet", str(worksheet(term)), "--feedback", str(term / "a.zip"))
    first = (term / "graded/exports/moodle.csv").read_bytes(), (term / "a.zip").read_bytes()
    export(term, "moodle", "--worksheet", str(worksheet(term)), "--feedback", str(term / "a.zip"))
    assert ((term / "graded/exports/moodle.csv").read_bytes(), (term / "a.zip").read_bytes()) == first


# --- lateness is worked out anew ---

LATE = 'due = 2026-10-23T23:59:59\n\n[exercise.lab.late]\napplied_by = "kit"\n'


def test_new_policy_is_charged_before_export(term):
    """A policy written after grading costs 2 of 20; OUT, its feedback and the file say so at once."""
    small_class.course_at(term, CANVAS, top=LATE)
    done = export(term, "csv", "--columns", "id,score")
    assert "00017: lateness costs 2 points now, not 0" in done.stderr
    assert "0429: lateness costs 4 points now, not 2.5" in done.stderr
    rows = dict(csv.reader((term / "graded/exports/scores.csv").read_text("utf-8").splitlines()))
    assert (rows["00017"], rows["0429"], rows["7"]) == ("18", "13", "0")
    assert "2" in (term / "graded/students/00017/feedback.md").read_text("utf-8")
    assert "page of" not in (term / "graded/students/00017/feedback.md").read_text("utf-8")
    assert "00017,graded,20,20,2," in (term / "graded/scores.csv").read_text("utf-8")


def test_extension_in_the_roster(term):
    """An extension in the kept roster lifts one student's penalty, and nothing is graded again."""
    small_class.course_at(term, CANVAS, top=LATE)
    export(term, "csv")
    people = small_class.PEOPLE.replace("17,ada,3,,", "17,ada,3,2026-10-30,")
    (term / "graded/roster.csv").write_text(people, encoding="utf-8")
    done = export(term, "csv", "--columns", "id,score")
    assert done.stderr.startswith("00017: lateness costs 0 points now, not 2\n")
    rows = dict(csv.reader((term / "graded/exports/scores.csv").read_text("utf-8").splitlines()))
    assert (rows["00017"], rows["00018"]) == ("20", "14")


# --- feedback to go back with it ---


def worksheet(term):
    """Moodle's worksheet for the class."""
    header = 'Identifier,"Email address",Grade,"Maximum Grade","Last modified (grade)","Feedback comments"\n'
    rows = "".join(f'"Participant {number}",,,20.00,-,\n' for number in range(8, 14))
    path = term / "grades.csv"
    path.write_text(header + rows, encoding="utf-8")
    return path


def members(path):
    """The members of a zip and their text."""
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_feedback_for_moodle(term):
    """A folder for each participant number, no name of a person and no further underscore in front."""
    done = export(term, "moodle", "--worksheet", str(worksheet(term)), "--feedback", str(term / "back.zip"))
    assert done.exit_code == 0, done.output
    found = members(term / "back.zip")
    assert found["x_8_assignfeedback_file/feedback.html"] == "<p>page of 00017</p>\n"
    assert sorted(found) == sorted(f"x_{number}_assignfeedback_file/feedback.html" for number in range(8, 14))
    assert small_class.is_private(term / "back.zip")


def test_feedback_for_canvas(term):
    """Each page has exactly the name of the file that was downloaded, and opens as such a file does."""
    assert export(term, "canvas", "--feedback", str(term / "back.zip")).exit_code == 0
    found = members(term / "back.zip")
    assert found["name00017_11_5002_lab-1.py"] == "# page of 00017\n"
    assert len(found) == 6


@pytest.mark.parametrize(
    ("platform", "name", "page"),
    [
        ("moodle", "x_13_assignfeedback_file/feedback.html", "<p>page of 8</p>\n"),
        ("canvas", "name8_16_5002_lab-1.py", "# page of 8\n"),
    ],
)
def test_feedback_for_a_hand_in_that_could_not_be_read(term, platform, name, page):
    """Its student has no score in the file, and in the zip the page that says why."""
    results = [small_class.unreadable("8"), *small_class.usual_results()[:2]]
    small_class.write_class(term / "graded", results)
    shutil.rmtree(term / "graded/students/7")
    sheet = ["--worksheet", str(worksheet(term))] if platform == "moodle" else []
    done = export(term, platform, *sheet, "--feedback", str(term / "back.zip"), "--to", str(term / "to.csv"))
    assert done.exit_code == 0, done.output
    assert "8: the hand-in could not be read" in done.stderr
    assert members(term / "back.zip")[name] == page
    scores = (term / "to.csv").read_text("utf-8")
    assert {"moodle": "Participant 13", "canvas": "Grace Hopper"}[platform] not in scores
    assert {"moodle": "Participant 8,", "canvas": "Lovelace, Ada"}[platform] in scores


def test_feedback_without_the_downloaded_name(term):
    """A student without a downloaded file is named and left out of Canvas's zip."""
    (term / "graded/students/8/graded.json").unlink()
    (term / "graded/students/7/graded.json").write_text('{"received_as": "folder/lab.py"}')
    done = export(term, "canvas", "--feedback", str(term / "back.zip"))
    assert "7: no feedback in the zip: the downloaded file's name is not known" in done.stderr
    assert "8: no feedback in the zip" in done.stderr
    assert len(members(term / "back.zip")) == 4


@pytest.mark.parametrize("ending", ["zip", "ipynb", "html", "txt"])
def test_feedback_opens_under_the_students_own_name(term, ending):
    """Canvas shows it under that name: a notebook, an archive, a page or a text."""
    (term / "graded/students/00017/graded.json").write_text(f'{{"received_as": "a_11_5_lab.{ending}"}}')
    assert export(term, "canvas", "--feedback", str(term / "back.zip")).exit_code == 0
    with zipfile.ZipFile(term / "back.zip") as back:
        data = back.read(f"a_11_5_lab.{ending}")
    if ending == "zip":
        with zipfile.ZipFile(io.BytesIO(data)) as inner:
            assert inner.namelist() == ["feedback.html"]
    elif ending == "ipynb":
        assert json.loads(data)["cells"][0]["source"] == "page of 00017\n"
    else:
        assert data in (b"page of 00017\n", b"<p>page of 00017</p>\n")


def test_feedback_that_canvas_would_ignore(term):
    """A name that begins with a number is taken for another student's: that is said, and it is left out."""
    (term / "graded/students/00017/graded.json").write_text('{"received_as": "7_11_5_lab.py"}')
    done = export(term, "canvas", "--feedback", str(term / "back.zip"))
    assert "00017: no feedback in the zip: Canvas takes the first number in '7_11_5_lab.py'" in done.stderr


def test_feedback_on_a_text_or_a_link_for_canvas(term):
    """Canvas ignores a file without an attachment's number in its name."""
    (term / "graded/students/00017/graded.json").write_text('{"received_as": "lovelaceada_11_text.html"}')
    done = export(term, "canvas", "--feedback", str(term / "back.zip"))
    assert "00017: no feedback in the zip: a text or a link was handed in, and Canvas takes" in done.stderr
    assert len(members(term / "back.zip")) == 5


def test_missing_work_gets_zero_where_the_course_says_so(term):
    """With missing = "zero" who handed in nothing gets 0 points, and that is said."""
    small_class.course_at(term, CANVAS, 'missing = "zero"\n')
    roster = term / "graded/roster.csv"
    roster.write_text(roster.read_text(encoding="utf-8") + "9,Nina,,17\n", encoding="utf-8")
    done = export(term, "csv", "--columns", "id,score")
    assert '1 student who handed in nothing: 0 points (missing = "zero")' in done.stderr
    assert "\n9,0\n" in (term / "graded/exports/scores.csv").read_text()


def test_feedback_page_that_is_gone(term):
    """A missing page is an error with its path, and no score file is written."""
    (term / "graded/students/00017/feedback.html").unlink()
    done = export(term, "moodle", "--worksheet", str(worksheet(term)), "--feedback", str(term / "back.zip"))
    assert isinstance(done.exception, GraderError)
    assert "feedback.html cannot be read: No such file or directory; grade 00017 again" in str(done.exception)
    assert not (term / "graded/exports").exists()


@pytest.mark.parametrize(
    ("name", "option", "value", "formats"),
    [
        ("canvas", "--student", "0429", "gradescope, coursera"),
        ("canvas", "--columns", "a=id", "csv"),
        ("edx", "--delimiter", ";", "csv"),
        ("brightspace", "--decimal", ",", "csv"),
        ("csv", "--feedback", "back.zip", "canvas, moodle"),
        ("edx", "--worksheet", "grades.csv", "canvas, moodle, brightspace, blackboard, csv"),
        ("edx", "--overwrite", None, "canvas, moodle, brightspace, blackboard, csv"),
        ("canvas", "--delimiter", ",", "csv"),
    ],
)
def test_an_option_that_would_change_nothing_is_refused(term, name, option, value, formats):
    """Each platform's options are checked before OUT is opened: a new late policy is not charged either."""
    small_class.course_at(term, CANVAS, top=LATE)
    before = (term / "graded/scores.csv").read_bytes()
    done = export(term, name, option, *([] if value is None else [value]))
    assert isinstance(done.exception, UsageError)
    assert str(done.exception) == f"{option} is for {formats}; {name} has no use for it."
    assert (term / "graded/scores.csv").read_bytes() == before
    assert not (term / "graded/exports").exists()


def test_the_page_lists_every_format_with_its_options():
    """The table in docs/platforms.md is the command's own."""
    text = (ROOT / "docs/platforms.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z]+)`[^|]*\|([^|]*)\|", text, re.MULTILINE)
    listed = {name: tuple(re.findall(r"--([a-z]+)", options)) for name, options in rows}
    assert listed == {name: known.options for name, known in FORMATS.items()}


GRADES = {
    "canvas": ("ID,Student,Section,Lab 1 (501)", "{},x,s,{}", {"00017": "11", "00018": "12", "00019": "13"}),
    "brightspace": (
        "OrgDefinedId,Username,Lab 1 Points Grade <Numeric MaxPoints:20 Weight:5>,End-of-Line Indicator",
        "#{},u,{},#",
        {"00017": "b17", "00018": "b18", "00019": "b19"},
    ),
    "blackboard": (
        "Username,Lab 1 [Total Pts: 20 Score] |664617",
        "{},{}",
        {"00017": "ada", "00018": "akim1", "00019": "akim2"},
    ),
    "csv": ("id,score", "{},{}", {"00017": "00017", "00018": "00018", "00019": "00019"}),
}


@pytest.mark.parametrize("name", GRADES)
def test_a_second_week(term, name):
    """A score that an earlier export gave is replaced by the new one; one by hand, and EX, are kept."""
    heading, form, keys = GRADES[name]
    column = '[exercise.lab.platform.blackboard]\ncolumn = "Lab 1 [Total Pts: 20 Score] |664617"\n'
    small_class.course_at(term, CANVAS + column, small_class.DUE)
    small_class.write_class(term / "graded", [small_class.result("00017", ())])
    assert export(term, name).exit_code == 0
    small_class.write_class(term / "graded")
    first = Journal(term / "graded").points_sent(name, "00017")
    assert len(first) == 1
    assert 20 not in first
    cells = {"00017": str(*first), "00018": "19.5", "00019": "EX"}
    sheet = term / "sheet.csv"
    sheet.write_text("\n".join([heading, *(form.format(keys[who], cells[who]) for who in keys)]))
    only = [part for who in keys for part in ("--only", who)]
    done = export(term, name, "--worksheet", str(sheet), *only)
    assert done.exit_code == 1
    assert Journal(term / "graded").points_sent(name, "00017") == {*first, 20}
    lines = done.stderr.splitlines()
    assert [line.partition(":")[0] for line in lines[:-1]] == ["00018", "00019"]
    assert "has 19.5 already" in lines[0]
    assert "has 'EX' (" in lines[1]
    assert lines[-1].startswith("1 score in ")
    again = export(term, name, "--worksheet", str(sheet), "--overwrite", "--only", "00018", "--only", "00019")
    assert [line.partition(":")[0] for line in again.stderr.splitlines()[:-1]] == ["00019"]
    assert Journal(term / "graded").points_sent(name, "00018") == {16}


def test_only_a_stranger(term):
    """A student without any result is a mistake in the call."""
    done = export(term, "csv", "--only", "00017", "--only", "77777")
    assert isinstance(done.exception, UsageError)
    assert str(done.exception) == "--only: there is no result of '77777'."


def test_overwrite_needs_a_worksheet(term):
    """Without a worksheet there is no score that could be replaced."""
    done = export(term, "canvas", "--overwrite")
    assert isinstance(done.exception, UsageError)
    assert "name it with --worksheet FILE" in str(done.exception)


def test_scores_out_of_other_points_do_not_leave(term):
    """Graded with private criteria, or before the points were changed: the platform would take 20 for 22."""
    small_lesson.edit(term, "graded/students/00017/result.json", '"max_score": 20', '"max_score": 22')
    done = export(term, "csv")
    assert isinstance(done.exception, UsageError)
    assert str(done.exception) == (
        f"{term / 'graded'}: 00017 was graded out of 22 points, and the exercise is worth 20; grade again "
        "with --regrade, or name the private criteria with --private DIR."
    )


# --- bad input ---


def test_no_results(tmp_path):
    """Without an OUT there is nothing to export, and none is made."""
    small_class.course_at(tmp_path)
    done = export(tmp_path, "csv")
    assert isinstance(done.exception, UsageError)
    assert "holds no results; grade first" in str(done.exception)
    assert not (tmp_path / "graded").exists()


def test_another_exercises_results(term):
    """Results of another exercise or course are refused."""
    (term / "graded/grader.json").write_text('{"course": "Other", "exercise": "lab2", "sample": false}')
    done = export(term, "csv")
    assert isinstance(done.exception, UsageError)
    assert "holds the results of lab2 in 'Other'" in str(done.exception)


def test_the_sample_classs_results(term):
    """The sample class is not sent as a real one, and stays as it is."""
    (term / "graded/grader.json").write_text('{"course": "Sums", "exercise": "lab", "sample": true}')
    done = export(term, "csv")
    assert isinstance(done.exception, UsageError)
    assert "holds the sample class; grade your own first" in str(done.exception)
    assert (term / "graded/students/00017/result.json").is_file()


@pytest.mark.parametrize("mark", [b"\xff", b"[1]", None])
def test_a_mark_that_cannot_be_read(term, mark):
    """A folder with a damaged or missing mark is refused, and nothing is written to it."""
    (term / "graded/grader.json").unlink()
    if mark is not None:
        (term / "graded/grader.json").write_bytes(mark)
    done = export(term, "csv")
    assert isinstance(done.exception, GraderError)
    assert not (term / "graded/exports").exists()


def test_nothing_half_written(term):
    """A title that Canvas drops: one line, exit status 2, no file."""
    small_class.course_at(term, '[exercise.lab.platform.canvas]\ntitle = "Final Score"\n')
    done = export(term, "canvas")
    assert isinstance(done.exception, CourseError)
    assert done.exception.exit_status == 2
    assert not (term / "graded/exports").exists()


def test_unknown_format(term):
    """An unknown format is a mistake in the call."""
    assert export(term, "excel").exit_code == 2


def test_warning_comes_before_writing(term):
    """Without an assignment id a warning says what Canvas does."""
    small_class.course_at(term, "", small_class.DUE)
    done = export(term, "canvas")
    assert done.stderr.startswith("no assignment_id in course.toml: Canvas makes a new assignment 'Lab 1'")


def test_without_a_roster(tmp_path):
    """Without a kept roster everyone is known by the platform's own id."""
    small_class.course_at(tmp_path, CANVAS)
    small_class.write_class(tmp_path / "graded", [small_class.result("5002")], people=None)
    done = export(tmp_path, "canvas")
    assert done.exit_code == 0, done.output
    assert (
        tmp_path / "graded/exports/canvas.csv"
    ).read_text() == "Student,ID,Section,Lab 1 (501)\n5002,5002,,20\n"
