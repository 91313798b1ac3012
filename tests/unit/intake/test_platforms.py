"""Each platform's download as it really comes: names, times, groups, people without a name."""

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from helpers.intake_class import ONE, OTHER, TWO, contents, make_tree, setting, tree
from helpers.platform_downloads import (
    BLACKBOARD,
    BRIGHTSPACE,
    CANVAS,
    EXAMPLES,
    GRADESCOPE,
    MOODLE,
    NBGRADER,
    STAMP,
)

from grader.base.errors import UsageError
from grader.course.model import LatePolicy
from grader.intake.match import match_students
from grader.intake.platforms import blackboard, brightspace, canvas, github, gradescope, moodle, nbgrader
from grader.intake.recognise import SCHEMES
from grader.roster.roster import Person
from grader.sources.tree import Member, UnreadableError

BERLIN = ZoneInfo("Europe/Berlin")


def hand_ins(scheme, files, *people, zone=None, name="class"):
    """Each hand-in by the key of its first person and the time it came."""
    found = scheme.hand_ins(tree(files, name), setting(*people, zone=zone))
    return {one.senders[0].key if one.senders else one.received_as: one for one in found.hand_ins}


def files_of(one):
    """What a hand-in holds."""
    return contents(make_tree("", one.members, ()))


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_download_is_recognised_as_its_platforms(name):
    """No scheme that is asked earlier takes it."""
    made = tree(EXAMPLES[name])
    assert next(n for n, scheme in SCHEMES.items() if scheme.recognise(made, setting())) == name
    plain_class = tree(["ada/reservation.py", "bo_1_2/hands_on.py", "cy.py", "attempt_2.txt"])
    assert not SCHEMES[name].recognise(plain_class, setting())


# --- Canvas ---


def test_canvas_files_are_sorted_by_user_id():
    """Accents, other scripts, a name of nothing, a name that ends in 'late'."""
    found = hand_ins(canvas, CANVAS)
    assert {key: files_of(one) for key, one in found.items()} == {
        "11": {"hands_on.py": ONE, "reservation.py": TWO},
        "14": {"my lab (1).py": TWO},
        "15": {"reservation.py": TWO},
        "19": {"e.py": TWO},
        "23": {"reservation.py": TWO},
        "31": {"text.html": b"<p>see mail</p>"},
        "99": {"reservation.py": TWO},
    }
    assert found["11"].flags == ("canvas-late",)
    assert found["23"].flags == ()
    assert found["99"].flags == ("test-student",)
    assert found["11"].received_as == "lovelaceada_LATE_11_5001_hands_on.py"
    assert found["11"].senders[0].name == "lovelaceada"


def test_canvas_files_without_names_keep_canvas_own_ids():
    """Anonymous marking knows five characters of each student."""
    found = hand_ins(canvas, {"anon_Ab3dE_5002_reservation.py": TWO, "LATE_anon_zZ9xY_5003_x.py": TWO})
    assert sorted(found) == ["anon_Ab3dE", "anon_zZ9xY"]
    assert found["anon_zZ9xY"].flags == ("anonymous", "canvas-late")
    assert files_of(found["anon_zZ9xY"]) == {"x.py": TWO}


def test_a_canvas_name_with_two_readings_is_not_guessed():
    """Without a roster both readings are kept."""
    found = canvas.hand_ins(tree({"abcd_12_17_5006_x.py": TWO, "7_18_5007_g.py": ONE}), setting()).hand_ins
    assert [one.received_as for one in found] == ["7_18_5007_g.py", "abcd_12_17_5006_x.py"]
    assert found[0].senders[0].key == "18"
    assert [(r.senders[0].key, list(files_of(r))) for r in found[1].readings] == [
        ("12", ["5006_x.py"]),
        ("17", ["x.py"]),
    ]


@pytest.mark.parametrize(
    ("person", "key", "file"),
    [(Person("0012", canvas_id="17"), "17", "x.py"), (Person("12"), "12", "5006_x.py")],
)
def test_the_roster_decides_between_two_readings(person, key, file):
    """By Canvas's ids, or by ids that are Canvas's."""
    found = hand_ins(canvas, {"abcd_12_17_5006_x.py": TWO}, person)
    assert list(files_of(found[key])) == [file]


def test_of_canvas_copies_the_newest_is_taken():
    """Attachment ids grow: 90010 is newer than 90002, whatever number stands in the name."""
    files = {
        "kimalex_1001_90002_reservation-1.py": OTHER,
        "kimalex_1001_90010_reservation.py": TWO,
        "kimalex_1001_90001_hands_on.py": ONE,
        "kimalex_1004_90005_reservation.py": OTHER,
    }
    found = hand_ins(canvas, files)
    assert files_of(found["1001"]) == {"hands_on.py": ONE, "reservation.py": TWO}
    assert found["1001"].flags == ("several-files",)
    assert found["1001"].order == 90010
    assert files_of(found["1004"]) == {"reservation.py": OTHER}


def test_canvas_numbers_in_other_names_are_no_copies():
    """Only behind an expected name a number means a copy; two parts stay two files."""
    files = {"kimalex_1001_90001_part-1.zip": ONE, "kimalex_1001_90002_part-2.zip": TWO}
    found = hand_ins(canvas, files)
    assert files_of(found["1001"]) == {"part-1.zip": ONE, "part-2.zip": TWO}
    assert found["1001"].flags == ()


def test_the_name_decides_between_two_canvas_users():
    """The reading with a name like its person's; if neither is, both are kept."""
    people = (Person("a", "Ada Lovelace", canvas_id="12"), Person("b", "Bo Abcd", canvas_id="17"))
    (one,) = canvas.hand_ins(tree({"lovelaceada_12_17_5006_x.py": TWO}), setting(*people)).hand_ins
    assert (one.senders[0].key, files_of(one)) == ("12", {"5006_x.py": TWO})
    (one,) = canvas.hand_ins(tree({"zzz_12_17_5006_x.py": TWO}), setting(*people)).hand_ins
    assert [reading.senders[0].key for reading in one.readings] == ["12", "17"]


def test_a_students_file_name_is_no_canvas_name():
    """Behind the sender's numbers only a person's whole name would count."""
    name = "mal_103_950_aalice_101_999999_reservation.py"
    alice = Person("alice", "Alice A", canvas_id="101")
    (one,) = canvas.hand_ins(tree({name: ONE}), setting(alice)).hand_ins
    assert (one.senders, len(one.readings)) == ((), 2)
    (one,) = canvas.hand_ins(tree({name: ONE}), setting(alice, Person("mal", canvas_id="103"))).hand_ins
    assert one.senders[0].key == "103"


def test_other_files_among_canvas_files_are_left_over():
    """They are listed, not lost."""
    made = tree({**CANVAS, "notes.py": b"", "sub/reservation.py": b""})
    assert [m.path for m in canvas.hand_ins(made, setting()).leftover] == ["notes.py", "sub/reservation.py"]


# --- Moodle ---


def test_moodle_folders_are_sorted_by_participant():
    """Older names with a bar at the end, any name, a team, those without one, blind marking."""
    found = hand_ins(moodle, MOODLE)
    assert sorted(found) == ["12", "13", "14", "15", "3", "Default group"]
    assert sorted(files_of(found["12"])) == ["hands_on.py", "onlinetext.html", "reservation.py"]
    assert found["13"].senders[0].name == "De La Cruz_Ana"
    assert found["14"].senders[0].name == "=1+1 @Cmd"
    assert (found["15"].senders[0].name, found["15"].flags) == ("", ("anonymous",))
    assert found["12"].received_as == "Ada Lovelace_12_assignsubmission_file"


def test_moodle_files_without_folders_are_the_same():
    """The prefix goes, the file's name stays."""
    found = hand_ins(
        moodle, {"A_B_12_assignsubmission_file_my_lab.py": TWO, "A_B_12_assignsubmission_file_x.py": ONE}
    )
    assert files_of(found["12"]) == {"my_lab.py": TWO, "x.py": ONE}


def test_moodle_times_come_from_the_worksheet():
    """As the worksheet is written, in the course's zone; what is no time is flagged."""
    heading = "Last modified (submission)"
    people = (
        Person("a", moodle_id="12", extra={heading: "Friday, 10 October 2025, 10:22 PM"}),
        Person("b", moodle_id="13", extra={heading: "-"}),
        Person("c", moodle_id="14", extra={heading: "vendredi"}),
    )
    found = hand_ins(moodle, MOODLE, *people, zone=BERLIN)
    assert found["12"].submitted_at == datetime(2025, 10, 10, 20, 22, tzinfo=UTC)
    assert (found["13"].submitted_at, found["13"].flags) == (None, ())
    assert (found["14"].submitted_at, found["14"].flags) == (None, ("unreadable-time",))


def test_blind_marking_is_recognised_in_any_language():
    """Two numbers with one word that is nobody's name; with one folder, or two words, it is a name."""
    both = {
        "Teilnehmerin_8_assignsubmission_file/x.py": TWO,
        "Teilnehmerin_9_assignsubmission_file/x.py": ONE,
    }
    found = hand_ins(moodle, both, Person("a", "Ada Lovelace", moodle_id="8"))
    assert [(one.senders[0].name, one.flags) for one in found.values()] == [("", ("anonymous",))] * 2
    found = hand_ins(moodle, both, Person("a", "Teilnehmerin", moodle_id="8"))
    assert found["8"].senders[0].name == "Teilnehmerin"
    alone = dict(list(both.items())[:1])
    assert hand_ins(moodle, alone)["8"].senders[0].name == "Teilnehmerin"


def test_a_teams_number_is_no_participants():
    """The team 8 is not participant 8; each member's own row has the time."""
    came, team = "Last modified (submission)", {"Group": "Team_A 1"}
    people = (
        Person("a", "Ada", moodle_id="8", extra={came: "Friday, 10 October 2025, 9:00 AM"}),
        Person("b", "Bo", moodle_id="36", extra={came: "Friday, 10 October 2025, 10:00 AM", **team}),
        Person("c", "Cy", moodle_id="33", extra={came: "Friday, 10 October 2025, 11:00 AM", **team}),
    )
    files = {
        "Team_A 1_8_assignsubmission_file/reservation.py": TWO,
        "Ada_8_assignsubmission_file/reservation.py": ONE,
    }
    found = moodle.hand_ins(tree(files, "class"), setting(*people, zone=BERLIN)).hand_ins
    given = {}
    for one in found:
        matched, unmatched = match_students(one, setting(*people).roster, {})
        assert unmatched == []
        given |= {hand_in.student: hand_in.submitted_at.hour for hand_in in matched}
    assert given == {"a": 9, "b": 10, "c": 11}


def test_canvas_tells_no_times_to_charge_by():
    """Where the kit charges lateness, Canvas's download is refused with what to do instead."""
    charged = setting()
    late, due = LatePolicy(applied_by="kit", percent_per_day=10), datetime(2026, 1, 1, tzinfo=UTC)
    charged = replace(charged, exercise=replace(charged.exercise, late=late, due=due))
    with pytest.raises(UsageError, match='"grader fetch canvas", which brings the times'):
        canvas.hand_ins(tree(CANVAS, "class"), charged)


def test_other_names_among_moodle_folders_are_left_over():
    """A file, and a folder of another name."""
    made = tree({**MOODLE, "x.py": b"", "other/y.py": b""})
    assert [m.path for m in moodle.hand_ins(made, setting()).leftover] == ["other/y.py", "x.py"]


# --- Brightspace ---


def test_brightspace_folders_are_split_at_the_first_and_last_dash():
    """A name may contain a dash; each time of handing in is a hand-in."""
    found = brightspace.hand_ins(tree(BRIGHTSPACE), setting(zone=BERLIN)).hand_ins
    assert [(one.senders[0].key, one.senders[0].name, files_of(one)) for one in found] == [
        ("39786", "Ada Lovelace", {"reservation.py": TWO}),
        ("39786", "Ada Lovelace", {"reservation.py": OTHER}),
        ("39790", "Anne - Marie", {"hands_on.py": ONE}),
        ("39791", "Bo O'Neil", {"reservation.py": TWO}),
        ("39792", "Cy", {"reservation.py": TWO}),
    ]
    assert found[1].submitted_at == datetime(2025, 10, 11, 19, 22, tzinfo=UTC)
    assert (found[4].submitted_at, found[4].flags) == (None, ("unreadable-time",))


def test_other_names_in_a_brightspace_download_are_left_over():
    """Its index, and a folder of another name."""
    made = tree({**BRIGHTSPACE, "other/y.py": b""})
    assert [m.path for m in brightspace.hand_ins(made, setting()).leftover] == ["index.html", "other/y.py"]


def test_brightspace_demo_student_is_a_test_student():
    """Teachers hand in as one."""
    found = hand_ins(brightspace, {"1-2 - Demo Student - Oct 10, 2025 1022 AM/reservation.py": TWO})
    assert found["1"].flags == ("test-student",)


# --- Blackboard ---


def test_blackboard_manifests_name_the_student_and_the_files():
    """What the student wrote into the form changes neither; user names may hold bars."""
    found = blackboard.hand_ins(tree(BLACKBOARD), setting(zone=BERLIN)).hand_ins
    assert [(one.senders[0].key, files_of(one)) for one in found] == [
        ("ada_l", {"hands_on.py": ONE, "reservation.py": TWO}),
        ("hopper", {"reservation.py": TWO}),
        ("hopper", {"reservation.py": OTHER}),
        ("ta_previewuser", {"reservation.py": TWO}),
    ]
    assert found[0].senders[0].name == "Ada (the first) Lovelace"
    assert found[0].submitted_at == datetime(2025, 10, 10, 8, 22, 33, tzinfo=UTC)
    assert found[3].flags == ("test-student",)


def test_one_underscore_is_certain_without_manifests():
    """With more, all readings are kept."""
    found = blackboard.hand_ins(
        tree({f"Lab_ada{STAMP}_x.py": TWO, f"Lab_b_c{STAMP}_x.py": ONE}), setting()
    ).hand_ins
    assert [one.senders[0].key for one in found] == ["ada", "b_c"]
    found = blackboard.hand_ins(tree({f"Lab_1_ada{STAMP}_x.py": TWO}), setting()).hand_ins
    assert [reading.senders[0].key for reading in found[0].readings] == ["1_ada", "ada"]
    assert found[0].senders == ()


def test_the_roster_tells_blackboards_user_names():
    """And what they agree on tells the others'."""
    files = {f"Lab_1_b_c{STAMP}_x.py": TWO, f"Lab_1_d_e{STAMP}_x.py": ONE, f"Lab_1_e{STAMP}_x.py": ONE}
    assert sorted(hand_ins(blackboard, files, Person("7", blackboard_id="b_c"))) == ["b_c", "d_e", "e"]


def test_blackboards_assignment_is_shared_by_all_names():
    """A person who left the course is not taken for one with the same end of the user name."""
    files = {f"Lab 1_{user}{STAMP}_x.py": TWO for user in ("bob", "jo_lee")}
    found = hand_ins(blackboard, files, Person("1", blackboard_id="lee"), Person("2", blackboard_id="bob"))
    assert sorted(found) == ["bob", "jo_lee"]


def test_blackboard_files_of_two_assignments_are_read_one_by_one():
    """They share no assignment, and one underscore is still certain."""
    files = {f"Lab_ada{STAMP}_x.py": TWO, f"Other_bo{STAMP}_x.py": ONE}
    assert sorted(hand_ins(blackboard, files)) == ["ada", "bo"]


def test_a_students_file_is_never_a_blackboard_attempt():
    """The first date is Blackboard's; one behind it belongs to the student's file name."""
    files = {f"Lab_{user}{STAMP}_reservation.py": TWO for user in ("alice", "mal")}
    files[f"Lab_mal{STAMP}_Lab_alice_attempt_2030-01-01-00-00-00_reservation.py"] = ONE
    files[f"Lab_mal{STAMP}_Lab_alice_attempt_2030-01-01-00-00-00.txt"] = b"Name: Alice A (alice)\n"
    found = hand_ins(blackboard, files)
    assert sorted(found) == ["alice", "mal"]
    assert files_of(found["alice"]) == {"reservation.py": TWO}
    assert found["alice"].submitted_at.year == 2025


def test_older_moodles_folders_of_a_teams_members():
    """Each begins with the team's name; under blind marking the word for everyone follows it."""
    files = {f"Team-A-{who}_assignsubmission_file/x.py": TWO for who in ("Ada Lovelace_12", "Participant_13")}
    people = Person("1", "Ada Lovelace", moodle_id="12"), Person("2", "Bo Li", moodle_id="13")
    found = moodle.hand_ins(tree(files), setting(*people)).hand_ins
    matched = [one for each in found for one in match_students(each, setting(*people).roster, {})[0]]
    assert [(one.student, one.flags) for one in matched] == [("1", ()), ("2", ("anonymous",))]


def test_a_text_that_was_pasted_into_blackboard():
    """It stands in the manifest alone; for a student without one Blackboard says that there is none."""
    text = "Name: A (ada)\n\nSubmission Field:\n{}\n\nComments:\nHello.\n\nFiles:\nNo files were attached.\n"
    nothing = "There is no student submission text data for this assignment."
    files = {
        f"Lab_ada{STAMP}.txt": text.format("<p>def f(): ...</p>").encode(),
        f"Lab_bo{STAMP}.txt": text.replace("ada", "bo").format(nothing).encode(),
    }
    found = hand_ins(blackboard, files)
    assert {key: list(files_of(one)) for key, one in found.items()} == {"ada": ["text.html"], "bo": []}


def test_a_group_of_blackboard_or_github_is_matched_by_its_name():
    """Their names hold the group instead of a user."""
    people = [Person("1", extra={"group": "Team_A"}), Person("2", extra={"group": "Team_A"}), Person("3")]
    roster = setting(*people).roster
    for scheme, names in (
        (blackboard, [f"Lab_1_Team_A{STAMP}_x.py", f"Lab_1_3{STAMP}_x.py"]),
        (github, ["contiguous-reservation-team-a/x.py", "contiguous-reservation-3/x.py"]),
    ):
        found = scheme.hand_ins(tree(dict.fromkeys(names, TWO)), setting(*people)).hand_ins
        matched = [one.student for each in found for one in match_students(each, roster, {})[0]]
        assert sorted(matched) == ["1", "2", "3"]


def test_a_damaged_blackboard_manifest_is_passed_over():
    """The names of the files say enough."""
    files = {
        f"Lab_ada{STAMP}.txt": b"x" * ((1 << 20) + 1),
        f"Lab_ada{STAMP}_x.py": TWO,
        f"Lab_bo{STAMP}.txt": b"\xff",
    }
    assert {key: files_of(one) for key, one in hand_ins(blackboard, files).items()} == {
        "ada": {"x.py": TWO},
        "bo": {},
    }


def test_two_brightspace_folders_of_one_minute_are_not_mixed():
    """They are two attempts, of which nothing tells the later."""
    files = {f"1-{number} - Ada - Oct 10, 2025 1022 AM/x.py": TWO for number in (2, 3)}
    assert len(brightspace.hand_ins(tree(files), setting()).hand_ins) == 2


def test_brightspaces_time_in_another_language():
    """No name of a file has a colon in it."""
    files = {"1-2 - Ada - 3 f\u00e9vr. 2025 922/x.py": TWO, "3-2 - Bo - 10 oct. 2025 1022/x.py": TWO}
    found = hand_ins(brightspace, files, zone=BERLIN)
    assert found["1"].submitted_at == datetime(2025, 2, 3, 9, 22, tzinfo=BERLIN)
    assert found["3"].submitted_at == datetime(2025, 10, 10, 10, 22, tzinfo=BERLIN)


def test_other_names_in_a_blackboard_download_are_left_over():
    """And an owner without an underscore is the user."""
    made = tree({f"ada{STAMP}_x.py": TWO, "x.py": b"", "sub/y.py": b""})
    found = blackboard.hand_ins(made, setting())
    assert [one.senders[0].key for one in found.hand_ins] == ["ada"]
    assert [m.path for m in found.leftover] == ["sub/y.py", "x.py"]


def test_an_impossible_blackboard_date_is_flagged():
    """There is no month 13."""
    found = hand_ins(blackboard, {"Lab_ada_attempt_2025-13-10-10-22-33_x.py": TWO})
    assert (found["ada"].submitted_at, found["ada"].flags) == (None, ("unreadable-time",))


# --- Gradescope ---


def test_gradescope_metadata_give_senders_and_times():
    """Ids stay text, a group has several senders, and a folder without metadata is kept."""
    found = gradescope.hand_ins(tree(GRADESCOPE), setting()).hand_ins
    people = [[(sender.key, sender.name, sender.email) for sender in one.senders] for one in found]
    assert people == [
        [("00017", "Ada Lovelace", "ada@example.edu")],
        [("0o17", "Bo O'Neil", "bo@example.edu"), ("cy@example.edu", "Cy", "cy@example.edu")],
        [("submission_103", "", "")],
        [("submission_104", "", "")],
        [("submission_105", "", "")],
    ]
    assert [one.submitted_at for one in found[:3]] == [
        datetime(2025, 10, 10, 10, 22, 33, tzinfo=UTC),
        datetime(2025, 10, 11, 10, 22, 33, tzinfo=UTC),
        None,
    ]
    assert [one.flags for one in found] == [(), ("group-work",), ("unreadable-time",), (), ()]
    assert files_of(found[1]) == {"lab/reservation.py": TWO}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"a: [", "is damaged"),
        (b"- a\n- b\n", "lists no submissions"),
        (b"[" * 5000, "is damaged"),
        (b"&a {x: *a}", "is damaged"),
        (b"\xff\xfe\x00", "is damaged"),
    ],
)
def test_unreadable_gradescope_metadata_are_named(data, why):
    """Damaged, of another kind, nested without end, naming itself."""
    with pytest.raises(UnreadableError, match=f"is not readable: its submission_metadata.yml {why}"):
        gradescope.hand_ins(tree({"submission_metadata.yml": data}), setting())


def test_gradescope_aliases_are_not_expanded():
    """Ten levels of ten aliases would be gigabytes of text; a name is text or empty."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 11)]
    lines.append('submission_1: {":submitters": [{":sid": *a10, ":name": *a10}], ":created_at": *a10}')
    data = "\n".join(lines).encode()
    found = gradescope.hand_ins(tree({"submission_metadata.yml": data}), setting()).hand_ins
    (one,) = (one for one in found if one.received_as == "submission_1")
    assert (one.senders[0].key, one.submitted_at) == ("", None)


def test_gradescope_metadata_that_are_a_link_are_named():
    """The link is not followed."""
    made = tree(GRADESCOPE)
    linked = [
        m if len(m.parts) > 1 else type(m)(m.parts, 0, m.source, "is a symbolic link") for m in made.members
    ]
    with pytest.raises(UnreadableError, match=r"its submission_metadata\.yml is a symbolic link"):
        gradescope.hand_ins(make_tree("x", linked, ()), setting())


def test_other_downloads_are_refused_as_gradescopes():
    """``--format gradescope`` may be wrong."""
    with pytest.raises(UnreadableError, match=r"it has no submission_metadata\.yml"):
        gradescope.hand_ins(tree({"ada/x.py": TWO}), setting())


# --- nbgrader ---


def test_nbgrader_folders_have_a_students_and_an_assignments_level():
    """Another assignment's work is not this one's; a time without a zone is UTC, as nbgrader takes it."""
    found = hand_ins(nbgrader, NBGRADER, zone=BERLIN)
    assert {key: list(files_of(one)) for key, one in found.items()} == {
        "ada": ["reservation.ipynb"],
        "bo": ["reservation.py"],
        "cy": ["reservation.py"],
        "dee": ["hands_on.py"],
    }
    assert found["ada"].submitted_at == datetime(2025, 10, 10, 10, 22, 33, tzinfo=UTC)
    assert found["bo"].submitted_at == datetime(2025, 10, 10, 10, 22, tzinfo=UTC)
    assert (found["cy"].submitted_at, found["cy"].flags) == (None, ("unreadable-time",))
    assert (found["dee"].submitted_at, found["dee"].flags) == (None, ())


def test_an_nbgrader_timestamp_that_is_no_text_is_flagged():
    """A file of a megabyte under that name is not a time."""
    files = {"ada/contiguous_reservation/timestamp.txt": b"2" * 1000}
    assert hand_ins(nbgrader, files)["ada"].flags == ("unreadable-time",)


def test_nbgraders_only_assignment_may_have_another_name():
    """The folder is recognised by its own name, 'submitted'."""
    files = {"ada/ps1/reservation.py": TWO, "bo/ps1/reservation.py": TWO}
    assert nbgrader.recognise(tree(files, "submitted"), setting())
    assert sorted(hand_ins(nbgrader, files, name="submitted")) == ["ada", "bo"]
    assert hand_ins(nbgrader, {**files, "cy/ps2/reservation.py": TWO}, name="submitted") == {}


def test_an_nbgrader_folder_that_cannot_be_read_is_not_missing():
    """Files in the place of the assignment's folder are the student's too."""
    made = tree({**NBGRADER, "fay/reservation.py": TWO, "x.py": b""})
    blocked = Member(("gil", ""), problem="cannot be read: Permission denied")
    found = nbgrader.hand_ins(make_tree("submitted", [*made.members, blocked], made.folders), setting())
    assert [one.senders[0].key for one in found.hand_ins] == ["ada", "bo", "cy", "dee", "fay", "gil"]
    assert files_of(found.hand_ins[4]) == {"reservation.py": TWO}
    assert [m.path for m in found.leftover] == ["x.py"]


def test_nbgraders_exchange():
    """Each attempt is a folder with student, assignment and time; another assignment's are left aside."""
    files = {
        f"{who}+{lab}+2025-10-{day} 10:22:33.948203 UTC{end}/{name}": TWO
        for who, lab, day, end in (
            ("ada", "contiguous_reservation", 10, "+a_-1"),
            ("ada", "contiguous_reservation", 11, "+b2"),
            ("bo+1", "contiguous_reservation", 10, ""),
            ("cy", "ps2", 10, "+c3"),
        )
        for name in ("reservation.py", "timestamp.txt")
    }
    assert nbgrader.recognise(tree(files, "inbound"), setting())
    found = nbgrader.hand_ins(tree(files, "inbound"), setting()).hand_ins
    assert [(one.senders[0].key, one.submitted_at.day, files_of(one)) for one in found] == [
        ("ada", 10, {"reservation.py": TWO}),
        ("ada", 11, {"reservation.py": TWO}),
        ("bo+1", 10, {"reservation.py": TWO}),
    ]


# --- GitHub Classroom ---


def test_githubs_own_zips_add_the_branch():
    """It is no part of the login if every repository has it."""
    tops = ["contiguous-reservation-ada-main", "contiguous-reservation-bo-main"]
    assert sorted(hand_ins(github, {f"{top}/x.py": TWO for top in tops})) == ["ada", "bo"]
    tops.append("contiguous-reservation-cy")
    assert sorted(hand_ins(github, {f"{top}/x.py": TWO for top in tops})) == ["ada-main", "bo-main", "cy"]


@pytest.mark.parametrize(
    ("tops", "name", "people", "logins"),
    [
        (["contiguous-reservation-ada-l", "contiguous_reservation-bo"], "x", (), ["ada-l", "bo"]),
        (["lab-1-ada-l", "lab-1-bo"], "lab-1-submissions", (), ["ada-l", "bo"]),
        (
            ["lab-1-Ada-L", "lab-1-bo"],
            "x",
            (Person("1", github_id="ada-l"), Person("2", github_id="bo")),
            ["Ada-L", "bo"],
        ),
        (["kv-lab-a", "kv-lab-zoe", "notes"], "x", (Person("1", github_id="a"),), ["a", "notes", "zoe"]),
        (
            ["l-a-b", "l-b", "l-c"],
            "x",
            (Person("1", github_id="a-b"), Person("2", github_id="b")),
            ["a-b", "b", "c"],
        ),
    ],
)
def test_a_login_begins_behind_the_assignment(tops, name, people, logins):
    """Known by the exercise, the folder around, or the roster; another folder changes nothing."""
    files = {f"{top}/reservation.py": TWO for top in tops}
    assert github.recognise(tree(files, name), setting(*people))
    assert sorted(hand_ins(github, files, *people, name=name)) == logins


def test_a_login_that_can_begin_in_two_places_is_not_guessed():
    """Of two logins on the roster the longer one is not preferred; a person can match it."""
    people = (Person("1", github_id="ada"), Person("2", github_id="x-ada"))
    (one,) = github.hand_ins(tree({"l-x-ada/reservation.py": TWO}), setting(*people)).hand_ins
    assert [reading.senders[0].key for reading in one.readings] == ["x-ada", "ada"]


def test_unknown_repositories_are_not_github_classrooms():
    """Their names are not split on a guess; with ``--format`` the whole name is the key."""
    files = {"lab-1-ada/x.py": TWO, "lab-1-bo/x.py": TWO, "y.py": b""}
    assert not github.recognise(tree(files), setting())
    assert sorted(hand_ins(github, files)) == ["lab-1-ada", "lab-1-bo"]
