"""The roster: ours, the platforms' own lists, and several joined."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from grader.base.errors import UsageError
from grader.roster.roster import Person, Roster, load_roster, read_extension, roster_bytes

CANVAS = """\
\ufeffStudent;ID;SIS User ID;SIS Login ID;Section;Lab 1 (501);Final Score
;;;;;Manual Posting;
    Points Possible;;;;;20;(read only)
Lovelace, Ada;11;00017;ada;Sec A and Sec B;10,5;50
="=Able";12;00018;able;Sec A;EX;N/A
Student, Test;99;;3f2a;Sec A;;
"""
MOODLE = """\
\ufeffIdentifier,"Full name","ID number","Email address",Status,Group,Grade,"Last modified (submission)"
"Participant 8","Ada Lovelace",00017,ada@example.edu,Submitted,Blue,,"Friday, 10 October 2025, 10:22 AM"
"Teilnehmer/in9",Bo,00018,bo@example.edu,"No submission",,,-
"""
GITHUB = "identifier,github_username,github_id,name\n00017,ada-l,5,Ada\n00018,,,\n"
BRIGHTSPACE = """\
OrgDefinedId,Username,Last Name,First Name,Email,Lab 1 Points Grade,End-of-Line Indicator
#00017,#ada,Lovelace,Ada,ada@example.edu,,#
#00018,#bo,Able,Bo,bo@example.edu,5,#
"""
BLACKBOARD = """\
Last Name\tFirst Name\tUsername\tStudent ID\tLast Access\tAvailability\tLab 1 [Total Pts: 20 Score] |664617
Lovelace\tAda\tada_l\t00017\t2025-10-10 10:00:00\tYes\t
Able\tBo\tbo\t00018\t\tYes\t5
Prof\tX\tx_previewuser\t\t\tYes\t
"""
GRADESCOPE = """\
First Name,Last Name,SID,Email,Role,Section
Ada,Lovelace,00017,ada@example.edu,Student,A
Bo,Able,00018,bo@example.edu,Student,B
Prof,X,,x@example.edu,Instructor,
"""


def load(tmp_path, *texts: str) -> Roster:
    """Write files with these contents and load them as one roster."""
    paths = []
    for number, text in enumerate(texts):
        paths.append(tmp_path / f"r{number}.csv")
        paths[-1].write_text(text, encoding="utf-8", newline="")
    return load_roster(paths)


def mistake(tmp_path, *texts: str) -> str:
    """Load files that must be refused; return the sentence."""
    with pytest.raises(UsageError) as error:
        load(tmp_path, *texts)
    return str(error.value)


def test_our_own_roster_keeps_ids_as_text_and_unknown_columns(tmp_path):
    """Leading zeros, a letter like an exponent and sixteen digits stay; people are sorted by id."""
    text = "ID ,Name,Email,Canvas_ID,extension,Section\n0429,Ada,a@example.edu,7,2026-12-01,B\n"
    text += "".join(f"{number},X,,,,\n" for number in ("1234567890123456", "12E4", "3-1", "00429"))
    roster = load(tmp_path, text)
    assert [person.id for person in roster.people] == ["00429", "0429", "1234567890123456", "12E4", "3-1"]
    assert roster.person("0429") == Person(
        "0429", "Ada", "a@example.edu", canvas_id="7", extension="2026-12-01", extra={"Section": "B"}
    )
    assert roster.person("429") is None
    assert [person.id for person in roster.find("canvas_id", "7")] == ["0429"]
    assert roster.find("canvas_id", "") == ()


def test_any_name_comes_back_as_it_was(tmp_path):
    """Names with quotes, commas, line breaks, other scripts or great length survive writing and reading."""
    names = [
        'O\'Neil, Bo "B"',
        "Zoë 👨\u200d👩",
        "דנה כהן",
        "Line\nBreak",
        "Madonna",
        "张三",
        "\u202eevil.py",
        "Very " * 60 + "Long",
    ]
    roster = Roster(tuple(Person(f"{n:04}", name) for n, name in enumerate(names)))
    path = tmp_path / "r.csv"
    path.write_bytes(roster_bytes(roster))
    assert load_roster([path]) == roster


def test_a_roster_is_written_the_same_for_the_same_people():
    """Used columns have a fixed order, further columns are sorted by name, people by id."""
    people = (
        Person("b", "Bo", extra={"Zeta": "1"}),
        Person("a", moodle_id="8", extra={"Group": "x,y"}),
    )
    expected = b'id,name,email,moodle_id,Group,Zeta\na,,,8,"x,y",\nb,Bo,,,,1\n'
    assert roster_bytes(Roster(people)) == expected
    assert roster_bytes(Roster(people[::-1])) == expected


def test_a_platforms_list_is_written_and_read_back_equal(tmp_path):
    """The columns id, name and email mark our own file, even with a platform's columns behind them."""
    for text in (CANVAS, MOODLE, BRIGHTSPACE, BLACKBOARD, GRADESCOPE, GITHUB):
        roster = load(tmp_path, text)
        again = load(tmp_path, roster_bytes(roster).decode())
        assert roster_bytes(again) == roster_bytes(roster)


def test_canvas_gradebook_is_a_roster(tmp_path):
    """Canvas's extra rows, its test student and the grades are left out."""
    assert load(tmp_path, CANVAS).people == (
        Person(
            "00017",
            "Lovelace, Ada",
            canvas_id="11",
            extra={"Section": "Sec A and Sec B", "SIS User ID": "00017", "SIS Login ID": "ada"},
        ),
        Person(
            "00018",
            "=Able",
            canvas_id="12",
            extra={"Section": "Sec A", "SIS User ID": "00018", "SIS Login ID": "able"},
        ),
    )
    smallest = "Student,ID,Section,Lab 1\nLovelace,11,A,1\n"
    assert [(p.id, p.canvas_id) for p in load(tmp_path, smallest).people] == [("11", "11")]


def test_a_canvas_gradebook_without_every_sis_id_goes_by_canvas_ids(tmp_path):
    """If a single SIS id is missing, everyone gets the Canvas id."""
    roster = load(tmp_path, "Student,ID,SIS User ID,SIS Login ID,Section\nA,11,00017,a,\nB,12,,b,\n")
    assert [person.id for person in roster.people] == ["11", "12"]


def test_moodles_worksheet_is_a_roster(tmp_path):
    """The number at the end of the identifier is the moodle_id, in any language."""
    people = load(tmp_path, MOODLE).people
    assert [(p.id, p.moodle_id, p.name, p.email, p.group) for p in people] == [
        ("00017", "8", "Ada Lovelace", "ada@example.edu", "Blue"),
        ("00018", "9", "Bo", "bo@example.edu", ""),
    ]
    assert people[0].more("last modified (SUBMISSION)") == "Friday, 10 October 2025, 10:22 AM"
    assert "Grade" not in people[0].extra
    blind = load(tmp_path, "Identifier,Status,Grade\nParticipant 8,,\n").people
    assert blind == (Person("8", moodle_id="8"),)


@pytest.mark.parametrize(
    ("text", "people"),
    [
        (GITHUB, [("00017", "github_id", "ada-l", "Ada", ""), ("00018", "github_id", "", "", "")]),
        (
            BRIGHTSPACE,
            [
                ("00017", "brightspace_id", "00017", "Ada Lovelace", "ada@example.edu"),
                ("00018", "brightspace_id", "00018", "Bo Able", "bo@example.edu"),
            ],
        ),
        (
            BLACKBOARD,
            [
                ("00017", "blackboard_id", "ada_l", "Ada Lovelace", ""),
                ("00018", "blackboard_id", "bo", "Bo Able", ""),
            ],
        ),
        (
            GRADESCOPE,
            [
                ("00017", "gradescope_id", "00017", "Ada Lovelace", "ada@example.edu"),
                ("00018", "gradescope_id", "00018", "Bo Able", "bo@example.edu"),
            ],
        ),
        (
            "Name,SID,Email,Role\nAda L,,ada@example.edu,\n",
            [("ada@example.edu", "gradescope_id", "", "Ada L", "ada@example.edu")],
        ),
    ],
)
def test_other_platforms_lists_are_rosters(tmp_path, text, people):
    """People get the id that the platform knows them by; teachers and preview users are left out."""
    found = []
    for person, (_, column, *_) in zip(load(tmp_path, text).people, people, strict=True):
        found.append((person.id, column, getattr(person, column), person.name, person.email))
    assert found == people


def test_lists_are_joined_by_any_id_and_by_address(tmp_path):
    """The first list's ids and names stay; later lists fill in what is missing."""
    ours = "id,name,email,extension\n00017,Ada King,,2026-12-01\n00018,,BO@example.edu,\n"
    brightspace = BRIGHTSPACE.replace("00018", "777")
    roster = load(tmp_path, ours, CANVAS, MOODLE.replace("00018", "x18"), brightspace, GITHUB)
    assert [person.id for person in roster.people] == ["00017", "00018"]
    ada, bo = roster.people
    assert (
        ada.name,
        ada.email,
        ada.canvas_id,
        ada.moodle_id,
        ada.brightspace_id,
        ada.github_id,
        ada.extension,
    ) == (
        "Ada King",
        "ada@example.edu",
        "11",
        "8",
        "00017",
        "ada-l",
        "2026-12-01",
    )
    assert (bo.name, bo.email, bo.canvas_id, bo.moodle_id, bo.brightspace_id) == (
        "=Able",
        "BO@example.edu",
        "12",
        "9",
        "777",
    )
    assert ada.extra["Username"] == "#ada"


def test_a_login_or_a_platforms_id_joins_too(tmp_path):
    """People are joined if our id is Canvas's login, or if our list has the Canvas id."""
    by_login = load(tmp_path, "id,name\nada,\nable,\n", CANVAS)
    assert [(p.id, p.canvas_id) for p in by_login.people] == [("able", "12"), ("ada", "11")]
    by_number = load(tmp_path, "id,canvas_id\nx,11\ny,12\n", CANVAS)
    assert [(p.id, p.name) for p in by_number.people] == [("x", "Lovelace, Ada"), ("y", "=Able")]


def test_a_further_column_has_one_heading_however_the_lists_write_it(tmp_path):
    """The first list's heading is kept, so that the written roster can be read back."""
    own = "id,name,email,canvas_id,section\n00017,Ada,,11,A\n"
    roster = load(tmp_path, own, CANVAS)
    assert [(one.id, one.extra["section"]) for one in roster.people] == [("00017", "A"), ("00018", "Sec A")]
    assert load(tmp_path, roster_bytes(roster).decode()) == roster


def test_a_user_name_that_looks_like_a_date_is_kept_as_an_id(tmp_path):
    """A Blackboard user name may look like a date; without another id it is the id."""
    roster = load(tmp_path, "Last Name\tFirst Name\tUsername\tStudent ID\nLovelace\tAda\tJan-12\t\n")
    assert [person.id for person in roster.people] == ["Jan-12"]
    assert load(tmp_path, roster_bytes(roster).decode()) == roster


def test_a_moodle_worksheet_in_another_language_is_told_so(tmp_path):
    """A list of participants without names is refused; the same ids in a list with names are fine."""
    german = "ID,Vollst\u00e4ndiger Name,E-Mail-Adresse\nTeilnehmer/in 8,Ada,a@example.edu\n"
    assert mistake(tmp_path, german) == (
        "r0.csv: column 'ID' holds the participants of a Moodle worksheet in another language; "
        "name its columns in English: Identifier, Full name, Email address, Status."
    )
    assert load(tmp_path, "id,name,email\nstudent 8,Ada,\n").people[0].id == "student 8"


def test_people_whom_only_a_later_list_has_are_added(tmp_path):
    """People who only the second list has are added."""
    roster = load(tmp_path, "id,name\n00017,Ada\n", CANVAS)
    assert [person.id for person in roster.people] == ["00017", "00018"]


def test_lists_that_have_nobody_in_common_are_a_mistake(tmp_path):
    """Two lists without a common person are refused, or everyone would be there twice."""
    assert mistake(tmp_path, "id,name\n1,Ada\n", CANVAS) == (
        "r1.csv: nobody in it has an id or an address that the roster before it has; "
        "add a column 'email' or the platform's ids to one of them."
    )


def test_a_person_who_fits_two_is_a_mistake(tmp_path):
    """A row that fits two people, or two rows that fit one person, are refused."""
    one = "id,email\n1,a@example.edu\n2,b@example.edu\n"
    assert mistake(tmp_path, one, "id,email\n1,b@example.edu\n") == (
        "r1.csv: '1' fits more than one person, or one that was there: '1', '2'."
    )
    assert "fits more than one person" in mistake(tmp_path, one, "id,email\n1,\n9,A@example.edu\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "id,name,section\n0001,A,1\n0001,A,2\n",
            "r0.csv: column 'id', rows 2, 3: the id '0001' is there twice.",
        ),
        ("id,name\n1,A\n,B\n", "r0.csv: column 'id', row 3: there is no id; every person needs one."),
        (
            "id,name\na\u200bb,A\n",
            "r0.csv: column 'id', row 2: the id is very long or holds an invisible character.",
        ),
        (
            f"id\n{'x' * 129}\n",
            "r0.csv: column 'id', row 2: the id is very long or holds an invisible character.",
        ),
        ("id,name\n", "r0.csv lists nobody; it needs a row for each person."),
        ("name,mail\nA,B\n", "r0.csv: there is no column 'id'; the columns are: name, mail."),
        ("id,id\n1,2\n", "r0.csv: the column 'id' is there twice; remove one."),
        (
            "id,canvas_id\n1,7\n2,7\n",
            "r0.csv: column 'canvas_id': '7' stands at '1' and at '2'; each person has one of their own.",
        ),
    ],
)
def test_a_mistake_is_named_with_file_row_and_column(tmp_path, text, message):
    """A repeated, empty or invisible id, a list without people and one without the column are refused."""
    assert mistake(tmp_path, text) == message


def test_ids_that_differ_only_in_how_an_accent_is_stored_are_the_same(tmp_path):
    """Both forms of an accent are one id, because they look the same."""
    assert "is there twice" in mistake(tmp_path, "id\n\u00e9\ne\u0301\n")


@pytest.mark.parametrize(
    "cell",
    [
        "1.23457E+15",
        "1,20E+05",
        "12E+4",
        "01. Mrz",
        "1-Mar",
        "01-Mar-24",
        "Mar-24",
        "3/1/2024",
        "01.03.2024",
        "2024-03-01 00:00:00",
        "12.0",
        "#####",
        "#REF!",
    ],
)
def test_what_a_spreadsheet_made_of_an_id_is_recognised(tmp_path, cell):
    """An id that a spreadsheet turned into a number or a date is refused."""
    message = mistake(tmp_path, f"id;name\n0429;Ada\n{cell};Bo\n")
    assert message.startswith("r0.csv: column 'id', row 3: a spreadsheet has changed these ids")
    assert load(tmp_path, f"id;name\n1;{cell}\n").people[0].name == cell


@pytest.mark.parametrize(
    "cell", ["12E4", "3-1", "1-abc", "20240301", "jan-12", "1.2", "e5", "12-Foo", "ab-12"]
)
def test_an_id_that_only_resembles_a_number_is_kept(tmp_path, cell):
    """An id that no spreadsheet would write is kept."""
    assert load(tmp_path, f"id;name\n{cell};Ada\n").people[0].id == cell


def test_a_platforms_mangled_ids_are_recognised_but_not_chosen_names(tmp_path):
    """A mangled Canvas id is refused; a GitHub login that looks like a month is kept."""
    assert "column 'ID', row 2" in mistake(tmp_path, "Student,ID,Section\nA,1.2E+05,B\n")
    assert load(tmp_path, "identifier,github_username\n1,Jan-12\n").people[0].github_id == "Jan-12"
    assert "column 'canvas_id'" in mistake(tmp_path, "id,canvas_id\n1,1.2E+05\n")


def test_people_are_found_by_any_field():
    """People are found by the value of any field, in the order of the roster; an empty value finds nobody."""
    ada, bob, cem = (Person(name, email="same@example.edu", canvas_id=name * 2) for name in "abc")
    roster = Roster((ada, bob, cem))
    assert roster.person("b") == bob
    assert roster.person("d") is None
    assert [*roster.find("email", "same@example.edu")] == [ada, bob, cem]
    assert [*roster.find("canvas_id", "cc")] == [cem]
    assert [*roster.find("moodle_id", "")] == []


def test_groups_by_name():
    """Members of a group are listed under its name; people without a group are in no list."""
    ada, bob, cem = (Person(name, extra={"Group": group}) for name, group in zip("abc", "xyx", strict=True))
    assert Roster((ada, bob, cem, Person("d"))).groups == {"x": [ada, cem], "y": [bob]}


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-12-01 23:59", "2026-12-01T22:59:00+00:00"),
        (" 2026-12-01T23:59:30 ", "2026-12-01T22:59:30+00:00"),
        ("2026-07-01", "2026-07-01T21:59:59+00:00"),
        ("20260701", "2026-07-01T21:59:59+00:00"),
        ("2026-12-01T23:59-05:00", "2026-12-02T04:59:00+00:00"),
        ("2026-12-01T23:59Z", "2026-12-01T23:59:00+00:00"),
    ],
)
def test_extension_as_a_person_writes_it(text, moment):
    """A time without an offset is on the course's clock; a day alone means its last second."""
    assert read_extension(text, ZoneInfo("Europe/Berlin")) == datetime.fromisoformat(moment)


@pytest.mark.parametrize("text", ["9999-12-31", "0001-01-01", "next week", "2026-13-01"])
def test_extension_that_is_no_date(tmp_path, text):
    """Row and column are named; 9999-12-31 would lie behind the end of time somewhere west of Greenwich."""
    said = mistake(tmp_path, f"id,extension\n7,2026-12-01\n8,{text}\n")
    assert "r0.csv: column 'extension', row 3: " in said
    assert repr(text) in said


@pytest.mark.parametrize("heading", ["edx_id", "edX ID", "EDX  id"])
def test_further_columns_are_found_by_any_spelling(tmp_path, heading):
    """Case, spaces and ``_`` in a heading make no difference."""
    (person,) = load(tmp_path, f"id,{heading}\n7,42\n").people
    assert person.more("edx_id") == "42"
