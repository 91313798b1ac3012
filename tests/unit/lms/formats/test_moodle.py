"""Moodle's worksheet, read back as PHP and Moodle read it: no row swallowed, skipped or damaged."""

import pytest
from helpers import platform_readers, small_class

from grader.base.errors import UsageError
from grader.lms.formats import moodle
from grader.lms.formats.sheet import ExportOrder
from grader.lms.payload import leaving
from grader.roster.roster import load_roster
from grader.sources.table import read_table

pytestmark = pytest.mark.usefixtures("unforked")

HEADER = (
    'Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Grade can be changed",'
    '"Last modified (submission)","Last modified (grade)","Feedback comments"\n'
)
TIME = '"Friday, 23 October 2026, 9:15 PM"'


def row(number, name, email, *, grade="", modified="-", comment="", changeable="Yes", maximum="20.00"):
    """One row as Moodle writes it."""
    return (
        f'"Participant {number}",{name},{email},"Submitted for grading",{grade},{maximum},{changeable},'
        f"{TIME},{modified},{comment}\n"
    )


SHEET = (
    "\ufeff"
    + HEADER
    + row(8, '"Ada Lovelace"', "ada@example.edu")
    + row(9, '"Alex Kim"', "alex1@example.edu", grade="16.00", modified=TIME)
    + row(10, '"Alex Kim"', "alex2@example.edu")
    + row(11, "李小明", "xiaoming@example.edu")
    + row(12, '"=1+1 @Cmd, \\"', "cmd@example.edu")
    + row(13, '"Grace Hopper"', "GRACE@example.edu")
    + row(14, '"Not Graded"', "other@example.edu")
)
KNOWN = {f"Participant {n}": "-" for n in (8, 10, 11, 12, 13, 14)} | {"Participant 9": TIME.strip('"')}


def make(tmp_path, sheet=SHEET, *, platform="", results=None, people=small_class.PEOPLE, overwrite=False):
    """The worksheet of the usual class, unless told otherwise."""
    course = small_class.course_at(tmp_path, platform)
    (tmp_path / "roster.csv").write_text(people, encoding="utf-8")
    data = sheet if isinstance(sheet, bytes) else sheet.encode()
    (tmp_path / "grades.csv").write_bytes(data)
    results = small_class.usual_finals() if results is None else results
    sent = leaving(results, load_roster([tmp_path / "roster.csv"])).sent
    table = read_table(tmp_path / "grades.csv")
    return moodle.make(ExportOrder(course.exercise("lab"), tuple(sent), worksheet=table, overwrite=overwrite))


GERMAN = (
    "ID,Vollst\u00e4ndiger Name,E-Mail-Adresse,ID-Nummer,Status,Bewertung,Bestwertung,"
    "Bewertung kann ge\u00e4ndert werden,Zuletzt ge\u00e4ndert (Abgabe),Text,"
    "Zuletzt ge\u00e4ndert (Bewertung),"
    "Feedback als Kommentar\n"
    'Teilnehmer/in8,Ada,ada@example.edu,1,Da,"11,00","20,00",Ja,-,,"Dienstag, 1. Dezember 2026, 01:28",\n'
    'Teilnehmer/in9,Alex,alex1@example.edu,2,Da,,"20,00",Nein,-,,-,\n'
)


def test_a_moodle_in_another_language(tmp_path):
    """The columns are known; that Moodle cannot read its own date back is said, with what to tick."""
    made = make(tmp_path, GERMAN, overwrite=True)
    assert made.points == {"00017": 20}
    assert "\nTeilnehmer/in8,Ada,ada@example.edu,1,Da,20," in made.data.decode()
    assert [one.why for one in made.withheld if one.student == "00018"] == [
        "is locked (grades.csv row 3, Bewertung kann ge\u00e4ndert werden)"
    ]
    assert len(made.warnings) == 1
    assert 'tick "Update records that have been modified since"' in made.warnings[0]


def grades(made):
    """The grades that Moodle stores, by participant number."""
    stored = platform_readers.moodle_import(made.data, KNOWN)
    return {key.removeprefix("Participant "): grade for key, (grade, _) in stored.items()}


def test_read_back_as_moodle_reads_it(tmp_path):
    """All six grades arrive, although one student's name ends in a backslash; there are no other rows."""
    made = make(tmp_path)
    assert made.data.startswith(b"\xef\xbb\xbfIdentifier,")
    assert grades(made) == {"8": 20.0, "9": 16.0, "10": 12.0, "11": 14.5, "12": 0.0, "13": 8.0}
    assert tuple(made.points) == ("00017", "00018", "00019", "0429", "7", "8")
    assert (made.withheld, made.warnings) == ((), ())


def test_the_reader_swallows_rows_as_php_does():
    """A quoted cell that ends in a backslash eats the next row in the independent reader, too."""
    assert platform_readers.php_rows('a,"b\\"\nc,d\n') == [["a", 'b\\"\nc,d\n']]
    assert platform_readers.php_rows('a,"b""c"\nd,e\n') == [["a", 'b"c'], ["d", "e"]]


@pytest.mark.parametrize(
    "explanation", ["ends in a backslash \\", 'a "quote"\\', "<script>alert(1)</script>", "1 < 2"]
)
def test_comments_swallow_nobody(tmp_path, explanation):
    """A comment is one line of escaped HTML without a backslash, so the next student's row stays whole."""
    results = [
        small_class.final("00017", (), diagnoses=[("add", "odd", explanation)]),
        small_class.final("00018", ("add-two",)),
    ]
    sheet = SHEET.replace(",16.00,", ",,")
    made = make(tmp_path, sheet, results=results)
    stored = platform_readers.moodle_import(made.data, KNOWN)
    assert {key: grade for key, (grade, _) in stored.items()} == {"Participant 8": 0.0, "Participant 9": 8.0}
    comment = stored["Participant 8"][1]
    assert "\n" not in comment
    assert "\\" not in comment
    assert "<script" not in comment
    assert stored["Participant 9"][1].startswith("<p>Lab 1: 8 of 20 points.<br>")


def test_identifier_and_time_stay_as_they_were(tmp_path):
    """Moodle skips a row with another time than it wrote: both cells are copied exactly."""
    made = make(tmp_path)
    rows = platform_readers.php_rows(made.data.decode("utf-8-sig"))
    assert (rows[2][0], rows[2][8]) == ("Participant 9", "Friday, 23 October 2026, 9:15 PM")
    assert rows[0] == next(iter(platform_readers.php_rows(HEADER)))


def test_grades_are_plain_decimals(tmp_path):
    """Moodle reads 14,5 as 14: half points have a point, whole ones nothing."""
    made = make(tmp_path)
    assert [cells[4] for cells in platform_readers.php_rows(made.data.decode("utf-8-sig"))[1:]] == [
        "20",
        "16",
        "12",
        "14.5",
        "0",
        "8",
    ]


def test_no_worksheet(tmp_path):
    """Without the worksheet there is nothing to fill in."""
    course = small_class.course_at(tmp_path)
    with pytest.raises(UsageError, match="--worksheet FILE"):
        moodle.make(ExportOrder(course.exercise("lab"), ()))


def test_maximum_of_a_hundred_is_refused(tmp_path):
    """Moodle's default of 100 is refused with its place; scale = true converts."""
    sheet = SHEET.replace("20.00", "100.00")
    with pytest.raises(
        UsageError, match=r"20 points here and 100 on the platform \(grades.csv row 2, Maximum"
    ):
        make(tmp_path, sheet)
    made = make(tmp_path, sheet, platform="[exercise.lab.platform.moodle]\nscale = true\n", overwrite=True)
    stored = platform_readers.moodle_import(made.data, KNOWN, maximum=100)
    assert [grade for grade, _ in stored.values()] == [100.0, 80.0, 60.0, 72.5, 0.0, 40.0]


def test_maximum_that_is_no_number(tmp_path):
    """Where Moodle grades by a scale there is no maximum to compare; a word is an error with its place."""
    assert tuple(make(tmp_path, HEADER + row(8, "Ada", "", maximum="-")).points) == ("00017",)
    with pytest.raises(
        UsageError, match=r"grades.csv: column 'Maximum Grade', row 2: 'Good' is not a number"
    ):
        make(tmp_path, HEADER + row(8, "Ada", "", maximum="Good"))


def test_another_grade_is_kept(tmp_path):
    """A grade that somebody entered is replaced only with --overwrite; an equal one is written."""
    sheet = SHEET.replace("16.00", '"9,5"')
    made = make(tmp_path, sheet)
    assert "00018" not in made.points
    assert [(one.student, one.why, one.lost) for one in made.withheld] == [
        ("00018", "has 9,5 already (grades.csv row 3, Grade); 16 replaces it with --overwrite only", True)
    ]
    assert "00018" in make(tmp_path, sheet, overwrite=True).points


def test_a_teachers_comment_is_kept(tmp_path):
    """A comment that is there stays, without its backslashes; --overwrite replaces it."""
    sheet = HEADER + row(8, "Ada", "", comment='"see me \\"') + row(9, "Alex", "")
    kept = platform_readers.moodle_import(
        make(tmp_path, sheet).data, {"Participant 8": "-", "Participant 9": "-"}
    )
    assert kept["Participant 8"] == (20.0, "see me &#92;")
    assert kept["Participant 9"][0] == 16.0
    new = make(tmp_path, sheet, overwrite=True)
    assert platform_readers.moodle_import(new.data, {"Participant 8": "-"})["Participant 8"][1].startswith(
        "<p>Lab 1"
    )


def test_comments_can_be_left_out(tmp_path):
    """Setting comment = false takes the whole column out; grades arrive all the same."""
    made = make(tmp_path, platform="[exercise.lab.platform.moodle]\ncomment = false\n")
    assert b"Feedback" not in made.data
    assert grades(made)["12"] == 0.0
    assert platform_readers.moodle_import(made.data, KNOWN)["Participant 8"] == (20.0, "")


def test_worksheet_without_comments(tmp_path):
    """Where feedback comments are off in Moodle only grades are written, and the reader is told."""
    lines = [",".join(line.rsplit(",", 1)[:1]) for line in (HEADER + row(8, "Ada", "")).splitlines()]
    made = make(tmp_path, "\n".join(lines) + "\n")
    assert made.warnings == ("grades.csv has no column for comments: only scores are written",)
    assert platform_readers.moodle_import(made.data, KNOWN)["Participant 8"] == (20.0, "")
    silent = make(
        tmp_path, "\n".join(lines) + "\n", platform="[exercise.lab.platform.moodle]\ncomment = false\n"
    )
    assert silent.warnings == ()


def test_locked_grade(tmp_path):
    """A grade that Moodle would not change is not written but named."""
    made = make(tmp_path, HEADER + row(8, "Ada", "", changeable="No") + row(9, "Alex", ""))
    assert tuple(made.points) == ("00018",)
    assert ("00017", "is locked (grades.csv row 2, Grade can be changed)") in [
        (o.student, o.why) for o in made.withheld
    ]


def test_worksheet_of_another_assignment(tmp_path):
    """Participant numbers belong to one assignment: when none fits, the worksheet is refused."""
    with pytest.raises(
        UsageError, match=r"grades.csv knows none of the students: is it another assignment's\?"
    ):
        make(tmp_path, HEADER + row(108, "Ada", "elsewhere@example.edu"))


def test_number_that_belongs_to_somebody_else(tmp_path):
    """A fitting number with another address is another person: that row is not written."""
    made = make(tmp_path, HEADER + row(8, "Bo", "bo@example.edu") + row(9, "Alex", "alex1@example.edu"))
    assert tuple(made.points) == ("00018",)
    assert made.withheld[-1].lost or made.withheld[0].lost
    assert {one.student: one.why for one in made.withheld}["00017"] == (
        "has another address there (grades.csv row 2, Email address): another assignment's?"
    )


def test_numbers_of_another_assignment(tmp_path):
    """The roster has those of the assignment that was graded last; the addresses tell the right ones."""
    sheet = HEADER + row(9, "Ada", "ada@example.edu") + row(8, "Alex", "alex1@example.edu")
    made = make(tmp_path, sheet)
    known = {"Participant 8": "-", "Participant 9": "-"}
    stored = platform_readers.moodle_import(made.data, known)
    assert {key: grade for key, (grade, _) in stored.items()} == {"Participant 9": 20, "Participant 8": 16}


def test_an_address_that_two_students_share(tmp_path):
    """It tells nothing of either, and the roster's numbers count."""
    people = "id,name,email,moodle_id\n1,Ada,us@example.edu,8\n2,Bo,us@example.edu,9\n"
    sheet = HEADER + row(8, "Ada", "us@example.edu") + row(9, "Bo", "")
    made = make(tmp_path, sheet, people=people, results=[small_class.final(student) for student in "12"])
    assert tuple(made.points) == ("1", "2")


def test_a_worksheet_without_addresses(tmp_path):
    """A number with a name that cannot be the person's, or with a namesake in another row, is not written."""
    people = "id,name,moodle_id\n1,Ada Lovelace,8\n2,Alan Kim,9\n3,Alex Kim,10\n4,A. Hopper,11\n"
    names = {8: '"Bo Li"', 9: '"Alex Kim"', 10: '"Alan Kim"', 11: '"Anna Hopper"'}
    sheet = (HEADER + "".join(row(n, name, "") for n, name in names.items())).replace("Email", "Some")
    made = make(tmp_path, sheet, people=people, results=[small_class.final(student) for student in "1234"])
    assert tuple(made.points) == ("4",)
    assert (
        made.withheld[0].why == "has another name there (grades.csv row 2, Full name): another assignment's?"
    )


def test_joined_by_address(tmp_path):
    """Without a moodle_id an address that one row alone has is enough; one that two have is not."""
    people = "id,name,email\n1,Ada,Ada@example.edu\n2,Bo,bo@example.edu\n3,Cy,\n"
    sheet = (
        HEADER
        + row(8, "Ada", "ada@example.edu")
        + row(9, "Bo", "bo@example.edu")
        + row(10, "Bo", "bo@example.edu")
    )
    results = [small_class.final(student) for student in "123"]
    made = make(tmp_path, sheet, people=people, results=results)
    assert tuple(made.points) == ("1",)
    assert [(one.student, one.why) for one in made.withheld] == [
        ("2", "has no moodle_id; add it to the roster"),
        ("3", "has no moodle_id; add it to the roster"),
    ]


def test_not_in_the_worksheet(tmp_path):
    """A student who is not in the worksheet is named: Moodle would silently skip the row."""
    made = make(tmp_path, HEADER + row(8, "Ada", ""))
    assert {one.why for one in made.withheld} == {"is not in grades.csv"}
    assert len(made.withheld) == 5


@pytest.mark.parametrize(
    "sheet",
    [
        "Identifier,Status,Maximum Grade,Last modified (grade)\nParticipant 8,S,20.00,-\n",
        "Identifier,Status,Grade,Maximum Grade\nParticipant 8,S,,20.00\n",
        "Other,Status,Grade,Last modified (grade)\neight,S,,-\n",
    ],
)
def test_missing_column(tmp_path, sheet):
    """A column that Moodle needs is named, with those that are there."""
    with pytest.raises(UsageError, match=r"grades.csv: row 1 has no column '.*'; the columns are: "):
        make(tmp_path, sheet)


@pytest.mark.parametrize(
    ("sheet", "message"),
    [
        (
            HEADER + row(8, "A", "", maximum="20") + row(9, "B", "", maximum="10,00"),
            "grades.csv has several maxima: 10, 20",
        ),
        (SHEET.replace("16.00", '"1,000"'), "column 'Grade', row 3: '1,000' can be read in two ways"),
        (
            '"Grades of Lab 1",,,,,,,,,\n' + SHEET.removeprefix("\ufeff"),
            "row 1 has no column 'Identifier'; the columns are: Grades of Lab 1",
        ),
        (
            HEADER + row(8, "Ada", "") + row(9, "B", "") + row(8, "Ada", ""),
            "column 'Identifier', rows 2, 4: both rows are 'Participant 8'",
        ),
        (
            HEADER + row(8, "Ada", "").replace('"Participant 8"', "Ada"),
            "column 'Identifier', row 2: 'Ada' is not like 'Participant 8'",
        ),
    ],
    ids=["two assignments", "one or a thousand", "row above the headings", "twice", "changed identifier"],
)
def test_worksheet_that_is_refused(tmp_path, sheet, message):
    """What Moodle would not take, or take otherwise, is an error with its place."""
    with pytest.raises(UsageError, match=message):
        make(tmp_path, sheet)


def test_moodle_in_another_language(tmp_path):
    """Headings of another language are named in course.toml and come back unchanged."""
    header = (
        "ID,Name,E-Mail-Adresse,Status,Bewertung,Bestwertung,Änderbar,Abgabe,"
        '"Zuletzt geändert (Bewertung)","Feedback als Kommentar"\n'
    )
    sheet = header + row(8, "Ada", "ada@example.edu", maximum='"20,00"', changeable="Ja").replace(
        "Participant", "Teilnehmer/in"
    )
    columns = (
        '[exercise.lab.platform.moodle.columns]\nIdentifier = "ID"\nGrade = "Bewertung"\n'
        '"Maximum Grade" = "Bestwertung"\n"Last modified (grade)" = "Zuletzt geändert (Bewertung)"\n'
        '"Feedback comments" = "Feedback als Kommentar"\n"Email address" = "E-Mail-Adresse"\n'
    )
    made = make(tmp_path, sheet, platform=columns)
    cells = platform_readers.php_rows(made.data.decode("utf-8-sig"))[1]
    assert (cells[0], cells[4]) == ("Teilnehmer/in 8", "20")
    assert cells[9].startswith("<p>Lab 1: 20 of 20")


def test_semicolons_and_utf16(tmp_path):
    """A worksheet that was saved with semicolons as UTF-16 is read; what goes back is Moodle's form."""
    sheet = (
        (HEADER + row(8, "Ada", "ada@example.edu"))
        .replace(", 23 October 2026,", " 23 October 2026")
        .replace(",", ";")
    )
    made = make(tmp_path, sheet.encode("utf-16"))
    rows = platform_readers.php_rows(made.data.decode("utf-8-sig"))
    assert (rows[1][0], rows[1][4]) == ("Participant 8", "20")


def test_participants_for_the_feedback_zip(tmp_path):
    """Feedback goes by the same numbers: the roster's, or by the worksheet's addresses."""
    course = small_class.course_at(tmp_path)
    (tmp_path / "roster.csv").write_text("id,name,email\n1,Ada,ada@example.edu\n", encoding="utf-8")
    sent = leaving([small_class.final("1")], load_roster([tmp_path / "roster.csv"])).sent
    (tmp_path / "grades.csv").write_text(SHEET, encoding="utf-8")
    exercise = course.exercise("lab")
    assert list(moodle.participants(sent, read_table(tmp_path / "grades.csv"), exercise)) == ["8"]
    assert moodle.participants(sent, None, exercise) == {}


def test_a_page_goes_to_its_own_student_alone(tmp_path):
    """A number of another assignment may be somebody else's there, who must not get the page."""
    course = small_class.course_at(tmp_path)
    people = "id,name,email,moodle_id\n1,Ada,ada@example.edu,8\n2,Bo,bo@example.edu,9\n3,Cy,,77\n"
    (tmp_path / "roster.csv").write_text(people, encoding="utf-8")
    sent = leaving([small_class.final(one) for one in "123"], load_roster([tmp_path / "roster.csv"])).sent
    (tmp_path / "grades.csv").write_text(
        HEADER + row(9, "Ada", "ada@example.edu") + row(8, "Eve", "eve@example.edu"), encoding="utf-8"
    )
    table = read_table(tmp_path / "grades.csv")
    found = moodle.participants(sent, table, course.exercise("lab"))
    assert {number: one.person.id for number, one in found.items()} == {"9": "1"}


def test_a_score_that_cannot_be_read_is_replaced_with_overwrite(tmp_path):
    """Whatever score 1,000 or 85% is, ours takes its place; a word without a digit stays."""
    sheet = SHEET.replace("16.00", '"1,000"')
    assert make(tmp_path, sheet, overwrite=True).points["00018"] == 16
    assert make(tmp_path, SHEET.replace("16.00", "85%"), overwrite=True).points["00018"] == 16
    assert "00018" not in make(tmp_path, SHEET.replace("16.00", "EX"), overwrite=True).points
