"""Canvas's gradebook import: the file is read back as Canvas reads it, and each of its traps is avoided."""

import pytest
from helpers import platform_readers, small_class

from grader.base.errors import CourseError, UsageError
from grader.lms.formats import canvas
from grader.lms.formats.sheet import ExportOrder
from grader.lms.payload import leaving
from grader.roster.roster import Person, Roster, load_roster
from grader.sources.table import read_table

pytestmark = pytest.mark.usefixtures("unforked")

WITH_ID = "[exercise.lab.platform.canvas]\nassignment_id = 501\n"
STUDENTS = {
    11: "Lovelace, Ada",
    12: "Kim, Alex",
    13: "Kim, Alex",
    14: "李小明",
    15: "=1+1 @Cmd\\",
    16: "Grace Hopper",
}


def make(
    tmp_path, platform=WITH_ID, *, results=None, people=small_class.PEOPLE, gradebook=None, overwrite=False
):
    """The file for Canvas of the usual class, unless told otherwise."""
    course = small_class.course_at(tmp_path, platform)
    roster = None
    if people is not None:
        (tmp_path / "roster.csv").write_text(people, encoding="utf-8")
        roster = load_roster([tmp_path / "roster.csv"])
    results = small_class.usual_finals() if results is None else results
    table = None
    if gradebook is not None:
        (tmp_path / "gradebook.csv").write_bytes(gradebook)
        table = read_table(tmp_path / "gradebook.csv")
    sent = leaving(results, roster).sent
    return canvas.make(ExportOrder(course.exercise("lab"), tuple(sent), worksheet=table, overwrite=overwrite))


def test_read_back_as_canvas_reads_it(tmp_path):
    """Six scores under assignment 501, by user id; nobody new, no new assignment; no ungraded student."""
    made = make(tmp_path)
    scores, new, unknown = platform_readers.canvas_import(made.data, STUDENTS, {501: "Lab 1", 502: "Lab 2"})
    assert scores == {
        (11, 501): "20",
        (12, 501): "16",
        (13, 501): "12",
        (14, 501): "14.5",
        (15, 501): "0",
        (16, 501): "8",
    }
    assert (new, unknown) == ([], [])
    assert tuple(made.points) == ("00017", "00018", "00019", "0429", "7", "8")
    assert made.warnings == ()


def test_whole_file(tmp_path):
    """The file has only the columns that Canvas needs; two equal names are told apart by ids."""
    made = make(tmp_path, results=[small_class.final("00017"), small_class.final("00018", ("add-two",))])
    assert made.data == (b'Student,ID,Section,Lab 1 (501)\n"Lovelace, Ada",11,,20\n"Kim, Alex",12,,8\n')


def test_same_names_cannot_be_mixed_up(tmp_path):
    """Where Canvas does not know a number it goes by the name: of two Alex Kims it must find neither."""
    made = make(tmp_path)
    only_one_alex = {99: "Kim, Alex"}
    scores, _, unknown = platform_readers.canvas_import(made.data, only_one_alex, {501: "Lab 1"})
    assert scores == {}
    assert "Kim, Alex (00018)" in unknown


@pytest.mark.parametrize(
    "title",
    [
        "Final Score",
        "My Current Grade",
        "Lab Override Status",
        "Current Points of week 1",
        "Unposted Final Grade",
    ],
)
def test_title_that_canvas_drops(tmp_path, title):
    """A title that Canvas takes for one of its own totals is refused, with its key."""
    with pytest.raises(CourseError, match=r"platform\.canvas\.title: .* Canvas silently drops such a column"):
        make(tmp_path, f'{WITH_ID}title = "{title}"\n')


@pytest.mark.parametrize("title", ["Final score", "Final Lab", "Points of the Final"])
def test_title_that_only_looks_like_it(tmp_path, title):
    """Canvas minds case and order, and so do we."""
    made = make(tmp_path, f'{WITH_ID}title = "{title}"\n')
    assert made.data.startswith(f"Student,ID,Section,{title} (501)\n".encode())


def test_title_with_a_number_would_be_an_id(tmp_path):
    """Without an assignment id, a number in brackets at the end would be taken for one: another's column."""
    with pytest.raises(CourseError, match=r"assignment_id: is missing.*'Lab \(2026\)'"):
        make(tmp_path, '[exercise.lab.platform.canvas]\ntitle = "Lab (2026)"\n')


def test_title_with_a_semicolon(tmp_path):
    """A semicolon in the heading is refused: Canvas guesses the separator."""
    with pytest.raises(CourseError, match="semicolon"):
        make(tmp_path, f'{WITH_ID}title = "a;b;c;d;e;f"\n')


def test_no_assignment_id_makes_a_new_assignment(tmp_path):
    """Without an id the heading is the title, and a warning says that Canvas makes a new assignment."""
    made = make(tmp_path, "")
    _, new, _ = platform_readers.canvas_import(made.data, STUDENTS, {501: "Lab 1 "})
    assert new == ["Lab 1"]
    assert "Canvas makes a new assignment 'Lab 1'" in made.warnings[0]


@pytest.mark.parametrize(
    "name", ["a;b;c;d;e", 'the "boss"; x', "Line\nBreak", "\r\ntwo", "  Points Possible"]
)
def test_separator_is_a_comma_whatever_the_names(tmp_path, name):
    """Names with marks, quotes and line breaks leave three lines of equally many commas."""
    roster = Roster((Person("1", name=name, canvas_id="11"), Person("2", name="b;c;d;e;f", canvas_id="12")))
    course = small_class.course_at(tmp_path, WITH_ID)
    sent = leaving([small_class.final("1"), small_class.final("2")], roster).sent
    made = canvas.make(ExportOrder(course.exercise("lab"), tuple(sent)))
    assert platform_readers.canvas_separator(made.data.decode()) == ","
    scores, _, _ = platform_readers.canvas_import(made.data, {11: "x", 12: "y"}, {501: "Lab 1"})
    assert scores == {(11, 501): "20", (12, 501): "20"}


def test_the_reader_guesses_as_canvas_does():
    """Ragged rows make the independent reader take ';', as Canvas does: the check above can fail."""
    assert platform_readers.canvas_separator("a,b,c\nd;e,f\ng,h,i\n") == ","
    assert platform_readers.canvas_separator("a,b,c\nd,e\nf,g,h\n") == ";"


def test_no_canvas_id_stays_here(tmp_path):
    """Without a Canvas id Canvas would go by the name: the student stays, and is told apart from the rest."""
    people = "id,name,canvas_id\n00017,Ada,\n00018,Alex,12\n00019,Bo,0012\n0429,Cy,12x\n"
    made = make(
        tmp_path, people=people, results=[small_class.final(s) for s in ("00017", "00018", "00019", "0429")]
    )
    assert tuple(made.points) == ("00018",)
    assert {(one.student, one.why, one.lost) for one in made.withheld} == {
        ("00017", "has no canvas_id; add it to the roster", True),
        ("00019", "canvas_id '0012' is not one; add it to the roster", True),
        ("0429", "canvas_id '12x' is not one; add it to the roster", True),
    }


def test_one_id_for_two_people(tmp_path):
    """Two people with one Canvas id: neither is written, since one would get the other's score."""
    roster = Roster((Person("1", canvas_id="11"), Person("2", canvas_id="11"), Person("3", canvas_id="12")))
    course = small_class.course_at(tmp_path, WITH_ID)
    sent = leaving([small_class.final(s) for s in "123"], roster).sent
    made = canvas.make(ExportOrder(course.exercise("lab"), tuple(sent)))
    assert tuple(made.points) == ("3",)
    assert [one.why for one in made.withheld] == ["canvas_id 11 belongs to 1, 2"] * 2


def test_without_a_roster_ids_are_canvas_own(tmp_path):
    """A class graded from Canvas's download without a roster is known by Canvas's own numbers."""
    made = make(tmp_path, people=None, results=[small_class.final("5002"), small_class.final("lovelace")])
    assert made.data.decode().splitlines()[1:] == ["5002,5002,,20"]
    assert [(one.student, one.lost) for one in made.withheld] == [("lovelace", True)]


def test_maximum_unlike_ours_is_refused(tmp_path):
    """An assignment of 100 points needs scale = true; then scores are converted, rounded once."""
    with pytest.raises(UsageError, match=r"worth 20 points here and 100 on the platform .*scale = true"):
        make(tmp_path, f"{WITH_ID}maximum = 100\n")
    made = make(tmp_path, f"{WITH_ID}maximum = 100\nscale = true\n")
    assert [line.rsplit(",", 1)[1] for line in made.data.decode().splitlines()[1:]] == [
        "100",
        "80",
        "60",
        "72.5",
        "0",
        "40",
    ]


# --- with the gradebook that was downloaded before ---

GRADEBOOK = (
    "\ufeffStudent;ID;SIS User ID;SIS Login ID;Section;Lab 1 (501);Lab 2 (502);Current Score\n"
    ";;;;;;Muted;\n"
    "    Points Possible;;;;;20,0;10,0;(read only)\n"
    '"Lovelace, Ada";11;00017;ada;Sec 1 and Sec 2;;9,5;95,0\n'
    '"Kim, Alex";12;00018;alex1;Sec 1;EX;;(read only)\n'
    '"Kim, Alex";13;00019;alex2;Sec 2;N/A;7,25;72,5\n'
    '"李小明";14;0429;li;Sec 2;14,5;;45,0\n'
    '"=""=SUM(A1)""";15;7;cmd;Sec 2;4,5;;45,0\n'
    '"Student, Test";199;;abc123;Sec 1;;;\n'
).encode()


def test_gradebook_shows_what_is_there(tmp_path):
    """EX, N/A and another score are left alone and listed; an equal one and an empty one are written."""
    made = make(tmp_path, gradebook=GRADEBOOK)
    assert tuple(made.points) == ("00017", "0429")
    assert {one.student: one.why for one in made.withheld} == {
        "00018": "has 'EX' (gradebook.csv row 5, Lab 1 (501)), which no score replaces; change it there",
        "00019": "has 'N/A' (gradebook.csv row 6, Lab 1 (501)), which no score replaces; change it there",
        "7": "has 4,5 already (gradebook.csv row 8, Lab 1 (501)); 0 replaces it with --overwrite only",
        "8": "is not in gradebook.csv",
    }
    assert all(one.lost for one in made.withheld)


def test_gradebook_with_overwrite(tmp_path):
    """With --overwrite another score is written over; EX and N/A stay, and who is not in it is left out."""
    made = make(tmp_path, gradebook=GRADEBOOK, overwrite=True)
    assert tuple(made.points) == ("00017", "0429", "7")


def test_the_gradebooks_own_heading_is_checked(tmp_path):
    """A heading that Canvas drops is refused, too, when it comes from the gradebook."""
    gradebook = GRADEBOOK.replace(b"Lab 1 (501)", b"Final Grade of Lab 1 (501)")
    with pytest.raises(UsageError, match=r"gradebook.csv: row 1: .*'Final Grade', and Canvas silently drops"):
        make(tmp_path, gradebook=gradebook)


def test_gradebook_gives_the_heading(tmp_path):
    """Without an id in course.toml the gradebook's own heading is used, id and all."""
    made = make(tmp_path, "", gradebook=GRADEBOOK)
    assert made.data.startswith(b"Student,ID,Section,Lab 1 (501)\n")
    assert made.warnings == ()


def test_gradebook_maximum_unlike_ours(tmp_path):
    """Points Possible of 100 is refused, with the place."""
    with pytest.raises(UsageError, match=r"100 on the platform \(Points Possible in the gradebook\)"):
        make(tmp_path, gradebook=GRADEBOOK.replace(b"20,0", b"100,0"))


def test_gradebook_without_points_possible(tmp_path):
    """The row is optional: without it the maximum is not checked."""
    rows = GRADEBOOK.decode().splitlines(keepends=True)
    made = make(tmp_path, gradebook="".join([*rows[:2], *rows[3:]]).encode())
    assert tuple(made.points) == ("00017", "0429")


@pytest.mark.parametrize(
    "platform", [WITH_ID.replace("501", "777"), '[exercise.lab.platform.canvas]\ntitle = "Lab 9"\n']
)
def test_gradebook_of_another_course(tmp_path, platform):
    """A gradebook without our column is refused."""
    with pytest.raises(UsageError, match=r"gradebook.csv: row 1 has no column for 'Lab "):
        make(tmp_path, platform, gradebook=GRADEBOOK)


def test_gradebook_with_two_columns_of_one_title(tmp_path):
    """Only the assignment's number tells which is meant."""
    gradebook = b"Student,ID,Section,Lab 1 (501),Lab 1 (502)\nAda,11,S,,5\n"
    with pytest.raises(UsageError, match=r"several columns .*: Lab 1 \(501\), Lab 1 \(502\)\.$"):
        make(tmp_path, "", gradebook=gradebook)
    assert make(tmp_path, gradebook=gradebook).data.startswith(b"Student,ID,Section,Lab 1 (501)\n")


def test_gradebook_with_names_in_two_columns(tmp_path):
    """Canvas's other form of the export; its maximum stands in the same row."""
    gradebook = "LastName,FirstName,ID,Section,Lab 1 (501)\n    Points Possible,,,,{}\nLovelace,Ada,11,S,\n"
    assert tuple(make(tmp_path, gradebook=gradebook.format(20).encode()).points) == ("00017",)
    with pytest.raises(UsageError, match="and 100 on the platform"):
        make(tmp_path, gradebook=gradebook.format(100).encode())


def test_gradebook_with_three_decimals(tmp_path):
    """Nobody has sixteen thousand of 20 points; of 5,000 points somebody may have."""
    gradebook = "Student,ID,Section,Lab 1 (501)\n    Points Possible,,,{}\nAda,11,S,16.667\n"
    made = make(tmp_path, gradebook=gradebook.format(20).encode())
    assert made.withheld[0].why.startswith("has 16.667 already")
    with pytest.raises(UsageError, match=r"row 3: '16\.667' can be read in two ways"):
        make(tmp_path, WITH_ID + "scale = true\n", gradebook=gradebook.format(5000).encode())


def test_an_id_in_place_of_a_name_is_nobody_elses_name(tmp_path):
    """Who has no name is called by the id, and another student may be called like that."""
    people = "id,name,email,canvas_id\nkim,Points Possible,,11\nlee,Kim,,12\n"
    made = make(tmp_path, results=[small_class.final("kim"), small_class.final("lee")], people=people)
    assert [line.partition(",")[0] for line in made.data.decode().splitlines()[1:]] == [
        "kim (kim)",
        "Kim (lee)",
    ]
