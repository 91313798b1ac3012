"""Hand-ins joined to the roster: what is certain is joined, everything else listed."""

import time

import pytest

from grader.base.errors import UsageError
from grader.intake.handin import HandIn, Sender, clean_id, handed_in
from grader.intake.match import Unmatched, find, match_by_hand, match_students, read_matches, unmatched_bytes
from grader.roster.roster import Person, Roster

ADA = Person("0012", "Ada Lovelace", "ada@example.edu", canvas_id="11", moodle_id="8", github_id="Ada-L")
KIM = Person("0013", "Alex Kim", "kim@example.edu", canvas_id="12")
KIM2 = Person("0014", "Kim, Alex", "alex.kim@example.edu")
JOSE = Person("0015", "Jos\u00e9 N\u00fa\u00f1ez", extra={"Group": "Blue Team"})
LI = Person("0016", "Li Wei", extra={"Group": "Blue Team"})
ROSTER = Roster((ADA, KIM, KIM2, JOSE, LI))


def handed(*people: Sender, **fields) -> HandIn:
    """A hand-in of these people."""
    return HandIn(people, (), "x", **fields)


def students(*people: Sender, roster=ROSTER, **fields):
    """The students to whom it is matched, and otherwise why not and who it could be."""
    matched, unmatched = match_students(handed(*people, **fields), roster, {})
    return [one.student for one in matched], [(one.why, one.candidates) for one in unmatched]


@pytest.mark.parametrize(
    "who",
    [
        Sender("11", "canvas_id"),
        Sender("8", "moodle_id", "Ada King"),
        Sender("0012", "gradescope_id"),
        Sender("0012"),
        Sender("ada-l", "github_id"),
        Sender("s1", "gradescope_id", "A. L.", "ADA@example.edu"),
        Sender("Ada@example.edu"),
        Sender("Ada Lovelace"),
        Sender("lovelace, ada"),
        Sender("Lovelace_Ada"),
        Sender("99", "brightspace_id", "Ada Lovelace"),
    ],
)
def test_a_person_is_found_by_id_e_mail_or_name(who):
    """The platform's id, the id, the e-mail, the whole name in any order."""
    assert students(who) == (["0012"], [])


@pytest.mark.parametrize(
    ("name", "student"),
    [
        ("ADA-l", ["0012"]),
        ("Kim_Alex_akim_0013", ["0013"]),
        ("Kim, Alex(0014)", ["0014"]),
        ("oneil_bo_0019", ["0019"]),
        ("O_Neil_Bo_bo_0019", ["0019"]),
        ("Alex_0014", []),
        ("Kim_Alex_0012", []),
        ("0013_Kim_Alex_0014", []),
    ],
)
def test_a_folder_may_be_named_after_a_login_or_after_id_and_name(name, student):
    """As GitHub, ILIAS and Sakai name them; a part of the name, or another person's, is not enough."""
    roster = Roster((*ROSTER.people, Person("0019", "Bo O'Neil")))
    assert students(Sender(name), roster=roster)[0] == student


def test_letters_are_composed_before_names_are_compared():
    """MacOS writes accents as separate characters."""
    assert students(Sender(clean_id("Jose\u0301 Nu\u0301n\u0303ez"))) == (["0015"], [])


@pytest.mark.parametrize(
    ("who", "why", "candidates"),
    [
        (Sender("Alex Kim"), "several people on the roster fit it", ("0013", "0014")),
        (Sender("12", name="Grace"), "nobody on the roster fits it", ("0012",)),
        (Sender("16"), "nobody on the roster fits it", ("0016",)),
        (Sender("ada"), "nobody on the roster fits it", ("0012",)),
        (Sender("9", "canvas_id", "Ada Augusta Lovelace"), "nobody on the roster fits it", ("0012",)),
        (Sender("9", "canvas_id", "A. Lovelace"), "nobody on the roster fits it", ()),
        (Sender("backup_0013"), "nobody on the roster fits it", ("0013",)),
        (Sender("99", "canvas_id", "lovelaceada"), "nobody on the roster fits it", ("0012",)),
        (Sender("nobody"), "nobody on the roster fits it", ()),
        (Sender("  "), "it does not name a student", ()),
    ],
)
def test_an_uncertain_hand_in_is_listed_with_candidates(who, why, candidates):
    """Equal names, missing zeros, half a name, another Canvas id with the same name."""
    assert students(who) == ([], [(why, candidates)])


def test_a_name_run_together_fits_without_a_canvas_id():
    """In any order of the words."""
    assert students(Sender("77", "canvas_id", "liwei")) == (["0016"], [])


def test_a_worksheet_of_another_assignment_is_noticed():
    """The participant's number leads to a person of another name."""
    matched, unmatched = students(Sender("8", "moodle_id", "Grace Hopper"))
    assert matched == []
    assert unmatched[0][0].startswith(
        "participant 8 of the worksheet has another name; is the worksheet another"
    )
    assert unmatched[0][1] == ("0012",)


def test_a_platforms_number_is_no_id_under_another_name():
    """User 1 on Canvas is not number 1 of the class if the names have nothing in common."""
    roster = Roster((Person("1", "Ada Lovelace"), Person("2", "Bob Smith")))
    assert students(Sender("1", "canvas_id", "smithbob"), roster=roster) == (["2"], [])
    assert students(Sender("1", "canvas_id", "lovelaceada"), roster=roster) == (["1"], [])
    listed = students(Sender("1", "canvas_id", "hoppergrace"), roster=roster)
    assert listed == ([], [("nobody on the roster fits it", ("1",))])


def test_the_whole_name_goes_before_number_and_surname():
    """Of two people with one surname, the one with the whole name is found."""
    roster = Roster((Person("1", "Kim Minjun"), Person("2", "Kim Seoyeon")))
    for who in (
        Sender("2", "moodle_id", "Kim Minjun"),
        Sender("2", "canvas_id", "kimminjun"),
        Sender("2", "brightspace_id", "Kim Minjun"),
    ):
        assert students(who, roster=roster) == (["1"], [])


def test_a_login_is_no_id_of_a_person_with_another_login():
    """It belongs to somebody who is not on the roster."""
    alice = Person("alice", "Alice", github_id="alice-gh")
    why = "nobody on the roster fits it"
    assert students(Sender("alice", "github_id"), roster=Roster((alice,))) == ([], [(why, ("alice",))])
    assert students(Sender("ALICE-gh", "github_id"), roster=Roster((alice,))) == (["alice"], [])


def test_a_number_without_a_name_is_no_id():
    """Participant 3 of the assignment need not be the person with the id 3."""
    blind = {"flags": ("anonymous",)}
    roster = Roster((Person("3", "Ada"), Person("4", "Bo")))
    assert students(Sender("3", "moodle_id"), roster=roster, **blind)[0] == []
    assert students(Sender("9", "moodle_id"), roster=roster, **blind)[0] == ["9"]


def test_nobody_joins_a_group_by_a_display_name():
    """The person with the number must be a member."""
    people = (
        Person("mal", "Mallory Moss", canvas_id="102", moodle_id="102", extra={"group": "Team 2"}),
        Person("ada", "Ada", canvas_id="101", extra={"group": "Team 1"}),
    )
    assert students(Sender("102", "canvas_id", "team1"), roster=Roster(people)) == (["mal"], [])
    assert students(Sender("102", "moodle_id", "Team 1"), roster=Roster(people))[0] == []
    assert students(Sender("101", "canvas_id", "team1"), roster=Roster(people)) == (["ada"], [])


def test_brightspaces_number_is_not_the_orgdefinedid():
    """A person with an OrgDefinedId is still found by name; another person's number finds nobody."""
    ada = Person("1", "Ada Lovelace", brightspace_id="00017")
    bob = Person("2", "Bob Smith", brightspace_id="39786")
    who = Sender("39786", "brightspace_id", "Ada Lovelace")
    assert students(who, roster=Roster((ada, bob))) == (["1"], [])


def test_without_a_roster_the_platforms_ids_are_the_students():
    """With the platform's name and e-mail."""
    matched, _ = match_students(handed(Sender("11", "canvas_id", "lovelaceada", "a@example.edu")), None, {})
    assert [(one.student, one.name, one.email) for one in matched] == [("11", "lovelaceada", "a@example.edu")]


def test_a_matched_hand_in_has_the_rosters_name():
    """Not the platform's spelling of it."""
    matched, _ = match_students(handed(Sender("11", "canvas_id", "lovelaceada")), ROSTER, {})
    assert (matched[0].name, matched[0].email, matched[0].key) == ("Ada Lovelace", "ada@example.edu", "11")


def test_a_test_student_is_never_a_person_on_the_roster():
    """It has an id that nobody else can have, with a roster and without."""
    for roster in (ROSTER, None):
        assert students(Sender("0012", "canvas_id"), roster=roster, flags=("test-student",)) == (
            ["test-student-0012"],
            [],
        )


@pytest.mark.parametrize(
    ("who", "made_up"),
    [
        (Sender("9", name="studenttest"), True),
        (Sender("9", name="Student, Test"), True),
        (Sender("9", name="Demo Student"), True),
        (Sender("ta_previewuser"), True),
        (Sender("9", name="Ada Student"), False),
        (Sender("test"), False),
    ],
)
def test_test_students_are_recognised_by_their_names(who, made_up):
    """Canvas's, Brightspace's and Blackboard's."""
    assert handed_in([who], (), "x").flags == (("test-student",) if made_up else ())


def test_anonymous_work_keeps_the_platforms_id():
    """Unless the roster has that platform's ids: then an unknown one is listed."""
    blind = {"flags": ("anonymous",)}
    assert students(Sender("anon_Ab3dE"), **blind) == (["anon_Ab3dE"], [])
    assert students(Sender("8", "moodle_id"), **blind) == (["0012"], [])
    assert students(Sender("9", "moodle_id"), **blind) == ([], [("nobody on the roster fits it", ())])
    assert students(Sender("9", "moodle_id"), roster=Roster((KIM,)), **blind) == (["9"], [])


def test_a_groups_hand_in_is_every_members():
    """By the senders that the platform lists, or by the roster's groups."""
    assert students(Sender("0012"), Sender("0013"), Sender("zz")) == (
        ["0012", "0013"],
        [("nobody on the roster fits it", ())],
    )
    matched, _ = match_students(handed(Sender("3", "moodle_id", "Blue team")), ROSTER, {})
    assert [(one.student, one.flags) for one in matched] == [
        ("0015", ("group-work",)),
        ("0016", ("group-work",)),
    ]
    assert students(Sender("blue-team")) == (["0015", "0016"], [])


def test_a_member_of_a_group_may_hand_in_alone():
    """Under the person's own name it is the person's."""
    roster = Roster(
        (
            Person("1", "Li Wei", moodle_id="3", extra={"group": "Li Wei"}),
            Person("2", extra={"group": "Li Wei"}),
        )
    )
    assert students(Sender("3", "moodle_id", "Li Wei"), roster=roster) == (["1"], [])


def test_a_groups_name_may_be_a_persons_id():
    """Then it is the person's: group 3 gets nothing from participant, user or student 3."""
    roster = Roster(
        (
            Person("3", "Ada Lovelace", canvas_id="3", moodle_id="3", extra={"group": "1"}),
            Person("4", "Bo", extra={"group": "3"}),
        )
    )
    for who in (Sender("3"), Sender("3", "moodle_id"), Sender("3", "canvas_id", "lovelaceada")):
        assert students(who, roster=roster) == (["3"], [])
    assert students(Sender("18", "canvas_id", "3"), roster=roster) == (["4"], [])


def test_an_ambiguous_name_is_listed_with_its_readings():
    """A person can match it by hand."""
    readings = (handed(Sender("12", "canvas_id")), handed(Sender("17", "canvas_id")))
    matched, unmatched = match_students(HandIn((), (), "a_12_17_5_x.py", readings=readings), ROSTER, {})
    assert matched == []
    assert unmatched[0].candidates == ("12", "17")


def test_a_hand_in_matched_by_hand_is_that_students():
    """Of several readings the one that fits the student, else the last."""
    readings = (handed(Sender("11", "canvas_id")), handed(Sender("17", "canvas_id")))
    ambiguous = HandIn((), (), "name", readings=readings)
    for student, key in (("0012", "11"), ("17", "17"), ("0016", "17")):
        one = match_by_hand(ambiguous, student, ROSTER)
        assert (one.student, one.senders[0].key, one.received_as) == (student, key, "name")
    assert match_by_hand(handed(Sender("x")), "0012", ROSTER).name == "Ada Lovelace"
    assert match_by_hand(handed(Sender("x")), "new", None).student == "new"


def test_people_are_found_in_a_fixed_order_of_certainty():
    """A Canvas id goes before an equal id of someone else."""
    roster = Roster((Person("11", "Grace Hopper"), ADA))
    assert [p.id for p in find(Sender("11", "canvas_id"), roster)] == ["0012"]
    assert [p.id for p in find(Sender("11"), roster)] == ["11"]


def test_ids_are_safe_and_bounded():
    """NFC, stripped, printable, at most 128 characters, and still different."""
    assert clean_id(" Jose\u0301\n") == "Jos\u00e9"
    assert clean_id("a\u202eb\x1b") == "a\\u202eb\\x1b"
    long, other = clean_id("x" * 200), clean_id("x" * 199 + "y")
    assert len(long) <= 128
    assert long != other


def test_unmatched_csv_is_read_back_as_written(tmp_path):
    """It has no formulas, and the names survive."""
    rows = [Unmatched("=1+1", "nobody", ("0012", "0013")), Unmatched("-x, y", "several", ())]
    data = unmatched_bytes(rows)
    assert data.decode().splitlines() == [
        "received as,why,candidates,student",
        '"\'-x, y",several,,',
        "'=1+1,nobody,0012 0013,",
    ]
    path = tmp_path / "unmatched.csv"
    path.write_bytes(data.replace(b"0013,", b"0013,0012").replace(b"several,,", b"several,,-"))
    assert read_matches(path, ROSTER) == {"-x, y": ("-",), "=1+1": ("0012",)}
    path.write_bytes(data)
    assert read_matches(path, None) == {}


def test_one_file_of_several_people(tmp_path):
    """Ids with a semicolon between them share the file that nobody could be told from."""
    path = tmp_path / "unmatched.csv"
    path.write_text("received as,student\nx,0012; 0015\n")
    matches = read_matches(path, ROSTER)
    assert matches == {"x": ("0012", "0015")}
    matched, unmatched = match_students(handed(Sender("who")), ROSTER, matches)
    assert ([one.student for one in matched], unmatched) == (["0012", "0015"], [])


def test_a_name_run_together_on_either_side():
    """A folder's name with a space and the roster's without one are the same, either way round."""
    li = Person("640694", "\u674e\u5c0f\u660e", brightspace_id="640694")
    folder = Sender("640694", "brightspace_id", "\u5c0f\u660e \u674e")
    assert students(folder, roster=Roster((li,))) == (["640694"], [])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("received_as,student\nx,0099\n", "m.csv: column 'student', row 2: '0099' is not on the roster."),
        ("received as\nx\n", "m.csv: there is no column 'student'; it has 'received as' and 'student'."),
        (
            "received as,student\nx,0012\nx,0013\n",
            "m.csv: column 'received as', row 3: 'x' is there twice, with two students.",
        ),
    ],
)
def test_a_mistake_in_the_match_file_is_named(tmp_path, text, message):
    """With file, column and row."""
    path = tmp_path / "m.csv"
    path.write_text(text)
    with pytest.raises(UsageError) as error:
        read_matches(path, ROSTER)
    assert str(error.value) == message


def test_a_class_that_nobody_fits_is_looked_up_in_a_moment():
    """Of two thousand people, by id, address and name; the roster may be another course's."""
    roster = Roster(tuple(Person(f"s{n}", f"Given{n} Family{n}", f"a{n}@x.org") for n in range(2000)))
    started = time.process_time()
    for n in range(300):
        sender = Sender(f"{n}", "canvas_id", f"Other{n} Person{n}", f"b{n}@x.org")
        assert students(sender, roster=roster) == ([], [("nobody on the roster fits it", ())])
    assert time.process_time() - started < 5
