"""Brightspace, Blackboard, Open edX, Coursera, nbgrader and the plain table, each read back."""

import csv
import io
import json

import pytest
from helpers import platform_readers, small_class

from grader.base.errors import CourseError, UsageError
from grader.lms.formats import csv as table_for_people
from grader.lms.formats import gradescope, tables
from grader.lms.formats.sheet import ExportOrder
from grader.lms.payload import leaving
from grader.roster.roster import Person, Roster, last_and_first, load_roster
from grader.sources.table import read_table

pytestmark = pytest.mark.usefixtures("unforked")


def order(tmp_path, *, platform="", results=None, people=small_class.PEOPLE, top="", **more):
    """An order for the usual class."""
    exercise = small_class.course_at(tmp_path, platform, top).exercise("lab")
    roster = people
    if isinstance(people, str):
        (tmp_path / "roster.csv").write_text(people, encoding="utf-8")
        roster = load_roster([tmp_path / "roster.csv"])
    results = small_class.usual_finals() if results is None else results
    return ExportOrder(exercise, leaving(results, roster).sent, tuple(results), **more)


# --- Brightspace ---


def test_brightspace(tmp_path):
    """Points by OrgDefinedId under the item's name, every row ended as Brightspace asks."""
    made = tables.brightspace(order(tmp_path))
    title, points = platform_readers.brightspace_import(made.data)
    assert title == "Lab 1"
    assert points == {"b17": "20", "b18": "16", "b19": "12", "b29": "14.5", "b7": "0", "b8": "8"}
    assert made.data.startswith(b"OrgDefinedId,Lab 1 Points Grade,End-of-Line Indicator\n")


def test_brightspace_names_and_leading_zeros(tmp_path):
    """User names are written when everyone's is known; ids keep their zeros and have one mark in front."""
    people = "id,name,Username,brightspace_id\n00017,Ada,ada.l,#00017\n00018,Alex,akim,\n"
    results = [small_class.final("00017"), small_class.final("00018", ())]
    made = tables.brightspace(
        order(
            tmp_path,
            people=people,
            results=results,
            platform='[exercise.lab.platform.brightspace]\ntitle = "Week 1"\n',
        )
    )
    assert made.data.decode().splitlines() == [
        "OrgDefinedId,Username,Week 1 Points Grade,End-of-Line Indicator",
        "#00017,#ada.l,20,#",
        "#00018,#akim,0,#",
    ]


def test_brightspace_item_name(tmp_path):
    """Characters that Brightspace allows in no item's name are said before writing."""
    platform = '[exercise.lab.platform.brightspace]\ntitle = "A+B, 50%"\n'
    made = tables.brightspace(order(tmp_path, platform=platform))
    assert made.warnings == ("Brightspace allows none of +,% in a grade item's name",)


def test_brightspace_nobody(tmp_path):
    """With nobody to send, the file has only its headings."""
    assert tables.brightspace(order(tmp_path, results=[])).data.count(b"\n") == 1


# --- Blackboard ---

COLUMN = '[exercise.lab.platform.blackboard]\ncolumn = "Lab 1 [Total Pts: 20 Score] |664617"\n'


def test_blackboard(tmp_path):
    """Points by user name under the column's own heading, number included, everything in quotes."""
    number, points = platform_readers.blackboard_import(
        tables.blackboard(order(tmp_path, platform=COLUMN)).data
    )
    assert number == 664617
    assert points == {"ada": "20", "akim1": "16", "akim2": "12", "xiaoming": "14.5", "cmd": "0", "grace": "8"}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_blackboard_heading_from_its_own_download(tmp_path, encoding):
    """The heading is taken from the file that Blackboard gave, tab-delimited, UTF-8 or UTF-16."""
    text = '"Last Name"\t"Username"\t"Lab 1 [Total Pts: 20 Score] |7"\n"Kim"\t"akim1"\t""\n'
    (tmp_path / "gc.xls").write_bytes(text.encode(encoding))
    made = tables.blackboard(order(tmp_path, worksheet=read_table(tmp_path / "gc.xls")))
    assert made.data.startswith(b'"Username","Lab 1 [Total Pts: 20 Score] |7"\n')


def test_blackboard_words_in_its_own_download(tmp_path):
    """A hand-in that waits for a score has none; a score and any other word stay."""
    cells = {"ada": "Needs Grading(18)", "akim1": "In Progress", "akim2": "EX", "xiaoming": "3", "grace": ""}
    text = "Username,Lab 1 [Total Pts: 20 Score] |7\n" + "".join(f"{k},{v}\n" for k, v in cells.items())
    (tmp_path / "gc.csv").write_text(text)
    made = tables.blackboard(order(tmp_path, worksheet=read_table(tmp_path / "gc.csv")))
    assert platform_readers.blackboard_import(made.data)[1] == {"ada": "20", "akim1": "16", "grace": "8"}
    assert [one.student for one in made.withheld] == ["00019", "0429", "7"]


def test_blackboard_without_a_heading(tmp_path):
    """No heading, a heading unlike Blackboard's, or a download without it: each says what to do."""
    with pytest.raises(CourseError, match=r"platform\.blackboard\.column: is missing; copy the heading"):
        tables.blackboard(order(tmp_path))
    with pytest.raises(CourseError, match=r"'Lab 1' is not like 'Lab 1 \[Total Pts: 20 Score\]"):
        tables.blackboard(order(tmp_path, platform='[exercise.lab.platform.blackboard]\ncolumn = "Lab 1"\n'))
    (tmp_path / "gc.csv").write_text("Username,Lab 2 [Total Pts: 20 Score] |7\na,\n")
    with pytest.raises(UsageError, match=r"gc.csv: row 1 has no column for 'Lab 1'"):
        tables.blackboard(order(tmp_path, worksheet=read_table(tmp_path / "gc.csv")))


def test_blackboard_maximum(tmp_path):
    """The heading says what the column is worth; another one is refused, and what may be a thousand."""
    with pytest.raises(UsageError, match="and 100 on the platform"):
        tables.blackboard(order(tmp_path, platform=COLUMN.replace("20 Score", "100,0 Score")))
    with pytest.raises(UsageError, match="'1,000' can be read in two ways"):
        tables.blackboard(
            order(tmp_path, platform=COLUMN.replace("20 Score", "1,000 Score") + "scale = true\n")
        )


def test_blackboard_with_two_columns_of_one_title(tmp_path):
    """A person names the one that is meant."""
    heading = "Lab 1 [Total Pts: 20 Score] |"
    (tmp_path / "gc.csv").write_text(f"Username,{heading}1,{heading}2\nada,,\n")
    with pytest.raises(UsageError, match=r"row 1 has several columns for 'Lab 1'; name it under"):
        tables.blackboard(order(tmp_path, worksheet=read_table(tmp_path / "gc.csv")))


def test_blackboards_user_names_in_another_case(tmp_path):
    """They are one name, and the file has it as Blackboard's download does."""
    (tmp_path / "gc.csv").write_text("Username,Lab 1 [Total Pts: 20 Score] |1\nADA,\nakim1,20\n")
    made = tables.blackboard(order(tmp_path, worksheet=read_table(tmp_path / "gc.csv")))
    assert platform_readers.blackboard_import(made.data)[1] == {"ADA": "20"}
    assert [one.student for one in made.withheld if "already" in one.why] == ["00018"]


# --- Open edX ---

BLOCK = '[exercise.lab.platform.edx]\nblock_id = "block-v1:Ex+Sums+2026+type@staffgradedxblock+block@lab1"\n'


def test_edx(tmp_path):
    """The four columns that Open edX needs, by learner number, one block throughout."""
    made = tables.edx(order(tmp_path, platform=BLOCK))
    rows = list(csv.DictReader(io.StringIO(made.data.decode())))
    assert [(row["user_id"], row["New Points"], row["Previous Points"]) for row in rows] == [
        ("901", "20", ""),
        ("902", "16", ""),
        ("903", "12", ""),
        ("904", "14.5", ""),
        ("905", "0", ""),
        ("906", "8", ""),
    ]
    assert {row["block_id"] for row in rows} == {"block-v1:Ex+Sums+2026+type@staffgradedxblock+block@lab1"}


def test_edx_never_takes_the_rosters_own_id(tmp_path):
    """A matriculation number may be another learner's number: without edx_id or user_id nobody is sent."""
    people = "id,name,user_id\n17,Ada,\n18,Alex,902\n"
    made = tables.edx(
        order(
            tmp_path,
            platform=BLOCK,
            people=people,
            results=[small_class.final("17"), small_class.final("18")],
        )
    )
    assert tuple(made.points) == ("18",)
    assert [(one.student, one.lost) for one in made.withheld] == [("17", True)]


def test_edx_needs_a_block(tmp_path):
    """A missing block_id is an error."""
    with pytest.raises(CourseError, match=r"platform\.edx\.block_id: is missing"):
        tables.edx(order(tmp_path))


def test_edx_size(tmp_path, monkeypatch):
    """A file over four mebibytes is refused; the limit is a parameter of the module."""
    assert tables.EDX_BYTES == 4 * 1024 * 1024
    monkeypatch.setattr(tables, "EDX_BYTES", 100)
    with pytest.raises(UsageError, match=r"Open edX takes 100\."):
        tables.edx(order(tmp_path, platform=BLOCK))


# --- Coursera ---


def test_coursera(tmp_path):
    """The score is a number between 0 and 1, beside the short comment."""
    late = small_class.final("1", ("add-two", "add-none", "mean-two"), penalty=2.5)
    document = json.loads(gradescope.make_coursera(order(tmp_path, results=[late], people=None)).data)
    assert document["fractionalScore"] == 0.725
    assert type(document["fractionalScore"]) is float
    assert document["feedback"].startswith("Lab 1: 14.5 of 20 points.")
    full = json.loads(
        gradescope.make_coursera(order(tmp_path, results=[small_class.final("1")], people=None)).data
    )
    assert full["fractionalScore"] == 1.0
    assert type(full["fractionalScore"]) is float


def test_coursera_without_a_score(tmp_path):
    """A student without a score is refused, not sent with zero."""
    with pytest.raises(UsageError, match="1 has no score"):
        gradescope.make_coursera(
            order(tmp_path, results=[small_class.final("1", status="unreadable")], people=None)
        )


# --- nbgrader's table ---


def test_nbgrader(tmp_path):
    """The columns of nbgrader, score after lateness, times as naive UTC, names taken apart."""
    made = tables.nbgrader(order(tmp_path, top="due = 2026-10-24T23:59:00\n"))
    rows = list(csv.DictReader(io.StringIO(made.data.decode())))
    assert list(rows[0]) == [
        "assignment",
        "duedate",
        "timestamp",
        "student_id",
        "last_name",
        "first_name",
        "email",
        "raw_score",
        "late_submission_penalty",
        "score",
        "max_score",
    ]
    assert list(rows[0].values()) == [
        "lab",
        "2026-10-24 21:59:00",
        "2026-10-24 10:00:00",
        "00017",
        "Lovelace",
        "Ada",
        "ada@example.edu",
        "20",
        "0",
        "20",
        "20",
    ]
    assert [rows[3][key] for key in ("raw_score", "late_submission_penalty", "score")] == [
        "17",
        "2.5",
        "14.5",
    ]


@pytest.mark.parametrize(
    ("name", "last", "first"),
    [
        ("Lovelace, Ada", "Lovelace", "Ada"),
        ("Grace Brewster Hopper", "Hopper", "Grace Brewster"),
        ("李小明", "李小明", ""),
        ("", "", ""),
    ],
)
def test_nbgrader_names(name, last, first):
    """A comma parts last and first name, else the last blank does."""
    assert last_and_first(name) == (last, first)


def test_nbgrader_without_times(tmp_path):
    """A missing due date or time of hand-in is an empty cell."""
    made = tables.nbgrader(order(tmp_path, results=[small_class.final("00017", came="")]))
    assert made.data.decode().splitlines()[1].startswith("lab,,,00017,")


# --- the plain table ---


def plain_rows(tmp_path, delimiter=",", **more):
    """The plain table as Python's csv reads it."""
    made = table_for_people.make(order(tmp_path, delimiter=delimiter, **more))
    mark = {"tab": "\t"}.get(delimiter, delimiter)
    return list(csv.reader(io.StringIO(made.data.decode()), delimiter=mark)), made


def test_plain_by_default(tmp_path):
    """Id, name, address, score and maximum; ids keep their zeros; a formula in a name is made harmless."""
    rows, made = plain_rows(tmp_path)
    assert rows == [
        ["id", "name", "email", "score", "max_score"],
        ["00017", "Lovelace, Ada", "ada@example.edu", "20", "20"],
        ["00018", "Kim, Alex", "alex1@example.edu", "16", "20"],
        ["00019", "Kim, Alex", "alex2@example.edu", "12", "20"],
        ["0429", "李小明", "xiaoming@example.edu", "14.5", "20"],
        ["7", "'=1+1 @Cmd\\", "cmd@example.edu", "0", "20"],
        ["8", "Grace Hopper", "grace@example.edu", "8", "20"],
    ]
    assert made.warnings == ()


def test_plain_with_columns(tmp_path):
    """Headings of one's own, semicolons, a decimal comma, further columns of the roster."""
    rows, _ = plain_rows(
        tmp_path,
        delimiter=";",
        decimal=",",
        columns="Matrikelnummer=id, Punkte=score,Abzug=late_penalty,raw_score,edx_id,flags,submitted_at",
    )
    assert rows[0] == ["Matrikelnummer", "Punkte", "Abzug", "raw_score", "edx_id", "flags", "submitted_at"]
    assert rows[4] == ["0429", "14,5", "2,5", "17", "904", "late", "2026-10-25T10:00:00+00:00"]


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "  =1+1", "\u00a0=nbsp", "\uff1dfullwidth"]
)
def test_formula_injection(tmp_path, text):
    """A text that a spreadsheet would run gets an apostrophe in front, and is the same after it."""
    rows, _ = plain_rows(
        tmp_path,
        people=Roster((Person("1", name=text, extra={"note": text}),)),
        results=[small_class.final("1")],
        columns="name,note,comment,score",
    )
    assert rows[1][:2] == [f"'{text}".replace("\r", "\n")] * 2
    assert rows[1][2].startswith("Lab 1: 20 of 20 points. By part:")


@pytest.mark.parametrize("text", ['O\'Neil, Bo "B"', "Line\nBreak", "דנה כהן", "Zoë 👨‍👩‍👧", "x=1"])
def test_other_texts_stay_as_they_are(tmp_path, text):
    """Commas, quotes, line breaks and any script come back equal."""
    rows, _ = plain_rows(
        tmp_path, people=Roster((Person("1", name=text),)), results=[small_class.final("1")], columns="name"
    )
    assert rows[1] == [text]


def test_ids_are_never_altered(tmp_path):
    """An id that looks like a formula stays as it is, and a warning names it."""
    rows, made = plain_rows(
        tmp_path, people=Roster((Person("=7"),)), results=[small_class.final("=7")], columns="id,score"
    )
    assert rows[1] == ["=7", "20"]
    assert made.warnings == ("would run as a formula in a spreadsheet, left as it is: =7",)


def test_plain_tabs_and_no_submission(tmp_path):
    """The word tab is a tab; a result without a submission has no time."""
    result = small_class.final("00017")
    bare = type(result)(**{**vars(result), "submission": None})
    rows, _ = plain_rows(tmp_path, delimiter="tab", results=[bare], columns="id,submitted_at")
    assert rows[1] == ["00017", ""]


@pytest.mark.parametrize(
    ("delimiter", "decimal", "columns", "message"),
    [
        (":", ".", "", "a delimiter is , ; tab or |"),
        (",", ",", "", "they must differ"),
        (";", "x", "", "a decimal mark . or ,"),
        (",", ".", "Grade=points", r"there is no 'points'; write HEADING=WHAT.*id, email, canvas_id.*edx_id"),
        (",", ".", "id,,score", "there is no ''"),
    ],
)
def test_plain_mistakes(tmp_path, delimiter, decimal, columns, message):
    """An unknown column, delimiter or decimal mark is an error that lists the known ones."""
    with pytest.raises(UsageError, match=message):
        plain_rows(tmp_path, delimiter=delimiter, decimal=decimal, columns=columns)
