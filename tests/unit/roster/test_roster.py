"""The roster: ours, the platforms' own lists, and several joined."""

import time
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from grader.base.errors import UsageError
from grader.roster.roster import Person, Roster, load_roster, read_extension, roster_bytes
from grader.roster.worksheet import worksheet_columns
from grader.sources.table import read_table

pytestmark = pytest.mark.usefixtures("unforked")

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
        "evil.py",
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
    """Who has no SIS id gets the Canvas id, and the others keep theirs: no id changes with the last row."""
    roster = load(tmp_path, "Student,ID,SIS User ID,SIS Login ID,Section\nA,11,00017,a,\nB,12,,b,\n")
    assert [person.id for person in roster.people] == ["00017", "12"]


WEEK_1 = "Student,ID,SIS User ID,SIS Login ID,Section\nA,11,,a,\nB,12,,b,\n"
WEEK_2 = "Student,ID,SIS User ID,SIS Login ID,Section\nA,11,00017,a,\nB,12,00018,b,\nC,13,00019,c,\n"


def test_an_id_never_changes(tmp_path):
    """A list that has SIS ids now is read by the column that gives everyone the id that the course knows."""
    kept = load(tmp_path, WEEK_1)
    (tmp_path / "week2.csv").write_text(WEEK_2)
    roster = load_roster([tmp_path / "week2.csv"], kept=kept)
    assert [person.id for person in roster.people] == ["11", "12", "13"]


def test_course_toml_names_the_column_of_ids(tmp_path):
    """The named column gives the ids, and another one where it is empty."""
    (tmp_path / "week2.csv").write_text(WEEK_2.replace(",b,", ",,"))
    roster = load_roster([tmp_path / "week2.csv"], id_column="SIS Login ID")
    assert [person.id for person in roster.people] == ["12", "a", "c"]


def test_a_list_that_would_change_ids_is_refused(tmp_path):
    """A list that gives nobody the id that the course knows is refused, with both columns."""
    kept = load(tmp_path, "id,name,canvas_id\nada,A,11\n00018,B,12\n")
    (tmp_path / "week2.csv").write_text(WEEK_2)
    with pytest.raises(UsageError) as error:
        load_roster([tmp_path / "week2.csv"], kept=kept)
    assert str(error.value) == (
        "week2.csv: column 'SIS User ID', row 2: the id would become '00017', and the course knows this "
        "person as 'ada' from another column or file; an id never changes: use the list that has it, or "
        "grade into a new folder with --out."
    )
    kept = load(tmp_path, "id,name,canvas_id\n00017,A,11\n12,B,12\n")
    with pytest.raises(UsageError, match=r"column 'SIS User ID', row 3: .* as '12' from the column 'ID'"):
        load_roster([tmp_path / "week2.csv"], kept=kept)


def test_canvas_with_names_in_two_columns(tmp_path):
    """Canvas's other form, LastName and FirstName, is a roster too."""
    text = (
        "LastName,FirstName,ID,SIS User ID,SIS Login ID,Section\nPoints Possible,,,,,\nLi,Na,11,00017,a,S\n"
    )
    text += "Student,Test,99,,x,S\n"
    assert load(tmp_path, text).people[0].name == "Na Li"
    assert len(load(tmp_path, text).people) == 1


def test_moodles_participants_are_a_roster(tmp_path):
    """The download of the page Participants, in any language; who has no id number goes by the address."""
    heads = "First name,Last name,Email address,ID number,Groups"
    text = heads + "\nLi,Na,na@example.edu,0043,007\nBo,B,b@example.edu,,\n"
    people = load(tmp_path, text).people
    assert [(p.id, p.name, p.email, p.group) for p in people] == [
        ("0043", "Li Na", "na@example.edu", "007"),
        ("b@example.edu", "Bo B", "b@example.edu", ""),
    ]
    german = text.replace(heads, "Vorname,Nachname,E-Mail-Adresse,ID-Nummer,Gruppen")
    assert load(tmp_path, german).people == people


GERMAN = (
    "ID,Vollst\u00e4ndiger Name,E-Mail-Adresse,ID-Nummer,Status,F\u00e4lligkeitsdatum,Bewertung,Bestwertung,"
    "Bewertung kann ge\u00e4ndert werden,Zuletzt ge\u00e4ndert (Abgabe),Zuletzt ge\u00e4ndert (Bewertung)\n"
)


@pytest.mark.slow
def test_moodles_worksheet_with_due_dates(tmp_path):
    """Of a person's due date and an extension the later is theirs, in the language of the Moodle."""
    due = '"Freitag, 20. November 2026, 23:59"'
    granted = "Zur Bewertung abgegeben - Verl\u00e4ngertes Abgabeende bis: Sonntag, 22. November 2026, 12:00"
    text = (
        f'{GERMAN}Teilnehmer/in8,Ada,a@example.edu,0042,Zur Bewertung abgegeben -  - ,{due},,"20,00",Ja,-,-\n'
    )
    text += f'Teilnehmer/in9,Bo,b@example.edu,0043,"{granted}",{due},,"20,00",Ja,-,-\n'
    roster = load(tmp_path, text)
    assert [(p.id, p.moodle_id, p.name, p.extension) for p in roster.people] == [
        ("0042", "8", "Ada", "2026-11-20 23:59:59"),
        ("0043", "9", "Bo", "2026-11-22 12:00:59"),
    ]
    assert roster.states_extensions


def test_a_worksheet_in_a_language_that_nobody_knows(tmp_path):
    """Identifiers with one word and a number, and Moodle's order of the columns, are enough."""
    cells = 'Homo8,Ada,a@example.edu,Farita,,"20,00",Jes,"20 November 2026, 8:00 PM"'
    text = (
        "Kenn,Namo,Posto,Stato,Punkti,Maksimo,Cxu,Lasta (A),Lasta (B),Komento\n"
        f'{cells},"1 December 2026, 1:28 AM",Bone\n'
        'Homo9,Bo,b@example.edu,Farita,5,"20,00",Jes,-,-,\n'
    )
    (tmp_path / "sheet.csv").write_text(text)
    columns = worksheet_columns(read_table(tmp_path / "sheet.csv"))
    assert columns == {
        "Identifier": "kenn",
        "Email address": "posto",
        "Status": "stato",
        "Grade": "punkti",
        "Maximum Grade": "maksimo",
        "Grade can be changed": "cxu",
        "Last modified (submission)": "lasta (a)",
        "Last modified (grade)": "lasta (b)",
        "Feedback comments": "komento",
    }


def test_extensions_of_several_files(tmp_path):
    """Of two platforms' dates the later counts; the roster's own goes before, and differing is said."""
    heads = "Identifier,ID number,Email address,Status\n"
    sheet = heads + 'Participant 8,1,a@e.edu,"S - Extension granted until: {}"\n'
    early, late = (sheet.format(f"{day} November 2026, 11:59 PM") for day in (20, 22))
    assert load(tmp_path, early, late).people[0].extension == "2026-11-22 23:59:59"
    for texts in (("id,extension\n1,2026-11-21\n", late), (late, "id,extension\n1,2026-11-21\n")):
        roster = load(tmp_path, *texts)
        assert roster.people[0].extension == "2026-11-21"
        assert len(roster.notes) == 1
        assert "the extension 2026-11-21 of r" in roster.notes[0]
        assert roster.notes[0].endswith("counts, and another file says 2026-11-22 23:59:59")


def test_characters_that_nobody_sees(tmp_path):
    """They are taken out of ids, addresses and names, and that is said; ids that become equal are refused."""
    roster = load(
        tmp_path,
        "id,name,email,canvas_id\na\u200bb,A\u00add,a@\ufeffe.edu,\u200e73\nc,Zo\u200dZ,c@e.edu,74\n",
    )
    assert roster.people[0] == Person("ab", "Ad", "a@e.edu", canvas_id="73")
    assert roster.people[1].name == "Zo\u200dZ"
    assert [note.partition("out of ")[2] for note in roster.notes] == [
        "'id' in row 2",
        "'name' in row 2",
        "'email' in row 2",
        "'canvas_id' in row 2",
    ]
    assert mistake(tmp_path, "id,name\nab,A\na\u200bb,B\n") == (
        "r0.csv: column 'id', rows 2, 3: the id 'ab' is there twice."
    )


@pytest.mark.parametrize("mark", [";", "\t"])
def test_commas_within_quotes_are_no_delimiters(tmp_path, mark):
    """A heading in quotes may hold more commas than the file has delimiters."""
    text = (
        mark.join(["id", "name", "email", '"Group (lab, tutor, day, hour, room)"']) + "\n" + mark.join("1AbX")
    )
    assert load(tmp_path, text).people[0].more("group (lab, tutor, day, hour, room)") == "X"
    bare = text.replace('"', "")
    assert load(tmp_path, bare).people[0].more("group (lab, tutor, day, hour, room)") == "X"


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


def test_some_columns_of_a_moodle_worksheet_in_another_language(tmp_path):
    """Participants by number are Moodle's; the same ids in a list with our own headings are ids."""
    german = "ID,Vollst\u00e4ndiger Name,E-Mail-Adresse\nTeilnehmer/in 8,Ada,a@example.edu\n"
    assert load(tmp_path, german).people == (Person("8", "Ada", "a@example.edu", moodle_id="8"),)
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
            "id,name\na\x01b,A\n",
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
    roster = Roster((ada, bob, cem, Person("d")))
    assert [roster.members(name) for name in ("x", " X", "y")] == [[ada, cem], [ada, cem], [bob]]
    assert [*roster.members("z"), *roster.members("")] == []


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


def test_lists_of_thousands_are_joined_in_a_moment(tmp_path):
    """Each person is looked up, not compared with everyone."""
    own = "id,name,email\n" + "".join(f"{n},Given Family{n},a{n}@x.org\n" for n in range(3000))
    other = "id,email,canvas_id\n" + "".join(f"x{n},A{n}@x.org,{n}\n" for n in range(3000))
    started = time.process_time()
    roster = load(tmp_path, own, other)
    assert time.process_time() - started < 5
    assert (len(roster.people), roster.person("7").canvas_id) == (3000, "7")


@pytest.mark.parametrize(
    "headings",
    [
        "First name,Surname,ID number,Institution,Department,Email address,Assignment: Lab (Real)",
        "Vorname,Nachname,ID-Nummer,Institution,Abteilung,E-Mail-Adresse,Aufgabe: Lab (Punkte)",
    ],
)
def test_moodles_gradebook_export(tmp_path, headings):
    """It lists everyone, with more columns than the page Participants gives."""
    roster = load(tmp_path, f"{headings}\nAda,Lovelace,00017,,,ada@example.edu,12\n")
    assert roster.people == (Person("00017", "Ada Lovelace", "ada@example.edu"),)


def test_a_brightspace_export_without_ids_is_refused(tmp_path):
    """User names are not what scores are written by."""
    message = mistake(tmp_path, "Username,Last Name,First Name,End-of-Line Indicator\n#ada,L,Ada,#\n")
    assert message.startswith("r0.csv: there is no column 'OrgDefinedId'; export the grades again")


def test_participants_of_another_assignment_have_other_numbers(tmp_path):
    """What the course knows of an earlier one tells nobody's id, and a worksheet's number goes before it."""
    kept = load(tmp_path, "id,name,email,moodle_id\n00017,Ada,ada@example.edu,8\n00018,Bo,bo@example.edu,9\n")
    sheet = "Identifier,Full name,ID number,Status\nParticipant 8,Bo,00018,-\nParticipant 9,Ada,00017,-\n"
    (tmp_path / "sheet.csv").write_text(sheet)
    now = load_roster([tmp_path / "sheet.csv"], kept=kept)
    assert {person.id: person.moodle_id for person in now.people} == {"00017": "9", "00018": "8"}
    (tmp_path / "sheet.csv").write_text(
        "Identifier,Full name,Email address,Status\nParticipant 36,Ada,ada@example.edu,-\n"
    )
    (tmp_path / "kept.csv").write_bytes(roster_bytes(kept))
    now = load_roster([tmp_path / "kept.csv", tmp_path / "sheet.csv"])
    assert now.people[0] == Person("00017", "Ada", "ada@example.edu", moodle_id="36")
