"""The whole way: paths in, submissions out, everything else named."""

import os
import signal
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from helpers.intake_class import ONE, OTHER, TWO, exercise, lay_out, tarred, zipped, zipped_link
from helpers.platform_downloads import EXAMPLES

from grader.base.errors import UsageError
from grader.intake import collect as collect_module
from grader.intake.collect import collect
from grader.intake.match import Unmatched
from grader.roster.roster import Person, Roster
from grader.sources.submission import Submission
from grader.sources.tree import Refused

SEVERAL = "several hand-ins fit the same student, and nothing tells which is the latest"


def gather(*paths, people=(), **options):
    """All that these paths give for the exercise."""
    return collect(paths, exercise(), Roster(tuple(people)) if people else None, **options)


def files(intake):
    """Every student's files, the latest attempt's."""
    return {one.student: dict(one.files) for one in intake.submissions}


def write(path, data: bytes):
    """The path, with this content."""
    path.write_bytes(data)
    return path


def test_a_folder_of_folders_is_a_class_sorted_by_student(tmp_path):
    """Whatever the order on disk; an empty folder is a student who handed in nothing."""
    lay_out(tmp_path / "class", {"bo/reservation.py": TWO, "ada/hands_on.py": ONE, "cy/": b""})
    intake = gather(tmp_path / "class")
    assert intake.submissions == (
        Submission("ada", {"hands_on.py": ONE}, flags=("missing-file",), received_as="ada"),
        Submission("bo", {"reservation.py": TWO}, flags=("missing-file",), received_as="bo"),
        Submission("cy", {}, flags=("missing-file",), received_as="cy"),
    )
    assert intake.recognised == ("class: a folder or a file for each student, 3 hand-ins",)
    assert (intake.unmatched, intake.refused, intake.missing, intake.earlier) == ((), (), (), ())


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_download_is_the_same_zipped_and_unpacked(tmp_path, name):
    """As a folder, a zip and a tar."""
    folder = lay_out(tmp_path / "download", EXAMPLES[name])
    packed = write(tmp_path / "download.zip", zipped(EXAMPLES[name]))
    tar = write(tmp_path / "download.tgz", tarred(EXAMPLES[name]))
    unpacked = gather(folder)
    for path in (packed, tar):
        intake = gather(path)
        assert intake.submissions == unpacked.submissions
        assert intake.unmatched == unpacked.unmatched
        assert intake.recognised[0].replace(path.name, "download") == unpacked.recognised[0]


def test_a_moodle_download_is_graded_under_the_rosters_ids(tmp_path):
    """By participant number; a group's hand-in is every member's; unknown senders are listed."""
    people = (
        Person("0012", "Ada Lovelace", "ada@example.edu", moodle_id="12"),
        Person("0015", moodle_id="15"),
        Person("0020", "Bo O'Neil", extra={"Group": "Blue team"}),
        Person("0021", "Cy", moodle_id="77", extra={"Group": "Blue team"}),
        Person("0022", "Dee"),
    )
    intake = gather(lay_out(tmp_path / "m", EXAMPLES["moodle"]), people=people)
    assert [(one.student, one.flags) for one in intake.submissions] == [
        ("0012", ()),
        ("0015", ("anonymous", "missing-file")),
        ("0020", ("group-work", "missing-file")),
        ("0021", ("group-work", "missing-file")),
    ]
    assert intake.submissions[0].name == "Ada Lovelace"
    assert intake.submissions[0].received_as == "Ada Lovelace_12_assignsubmission_file"
    assert intake.missing == ("0022",)
    assert [one.received_as for one in intake.unmatched] == [
        "=1+1 @Cmd_14_assignsubmission_file",
        "De La Cruz_Ana_13_assignsubmission_file_",
        "Default group_assignsubmission_file",
    ]


def test_attempts_are_ordered_by_their_time(tmp_path):
    """With ``latest`` the earlier one is kept apart; with ``best`` all are returned in order."""
    folder = lay_out(tmp_path / "b", EXAMPLES["brightspace"])
    berlin = ZoneInfo("Europe/Berlin")
    latest = gather(folder, timezone=berlin)
    ada = next(one for one in latest.submissions if one.student == "39786")
    assert (dict(ada.files), ada.attempt) == ({"reservation.py": OTHER}, 2)
    assert ada.submitted_at == datetime(2025, 10, 11, 19, 22, tzinfo=UTC)
    assert [(one.student, one.attempt, dict(one.files)) for one in latest.earlier] == [
        ("39786", 1, {"reservation.py": TWO})
    ]
    best = gather(folder, timezone=berlin, attempts="best")
    assert [(one.student, one.attempt) for one in best.submissions][:2] == [("39786", 1), ("39786", 2)]
    assert best.earlier == ()


def test_numbered_attempts_are_ordered_and_never_mixed(tmp_path):
    """Attempt 10 comes after attempt 9; a file of an earlier attempt is missing in the latest."""
    lay_out(
        tmp_path / "ada", {"attempt10/reservation.py": TWO, "attempt9/hands_on.py": ONE, "attempt1/": b""}
    )
    intake = gather(tmp_path / "ada", attempts="best")
    assert [(one.attempt, list(one.files)) for one in intake.submissions] == [
        (1, []),
        (9, ["hands_on.py"]),
        (10, ["reservation.py"]),
    ]
    assert files(gather(tmp_path / "ada")) == {"ada": {"reservation.py": TWO}}


def test_two_paths_give_one_class_and_the_later_path_counts(tmp_path):
    """A student in both is flagged; a PATH given twice counts once."""
    first = lay_out(tmp_path / "one", {"ada/reservation.py": TWO, "bo/reservation.py": TWO})
    second = lay_out(tmp_path / "two", {"ada/reservation.py": OTHER})
    intake = gather(first, second, first)
    assert files(intake) == {"ada": {"reservation.py": OTHER}, "bo": {"reservation.py": TWO}}
    assert intake.submissions[0].flags == ("missing-file", "several-hand-ins")
    assert intake.submissions[0].attempt == 2
    assert files(gather(second, first))["ada"] == {"reservation.py": TWO}


def test_two_hand_ins_without_an_order_are_listed(tmp_path):
    """A folder and a file, or two people of one name: both are listed, neither is graded."""
    folder = lay_out(tmp_path / "c", {"ada/reservation.py": TWO, "ada.py": OTHER, "bo/reservation.py": TWO})
    intake = gather(folder)
    assert list(files(intake)) == ["bo"]
    assert intake.unmatched == (Unmatched("ada", SEVERAL, ("ada",)), Unmatched("ada.py", SEVERAL, ("ada",)))
    canvas = lay_out(tmp_path / "k", {"kimalex_1_5_reservation.py": TWO, "kimalex_2_6_reservation.py": OTHER})
    intake = gather(canvas, people=[Person("0001", "Kim, Alex")])
    assert intake.submissions == ()
    assert [one.candidates for one in intake.unmatched] == [("0001",), ("0001",)]
    assert intake.missing == ("0001",)


def test_the_match_file_names_the_students(tmp_path):
    """By received name; ``-`` leaves a hand-in out."""
    folder = lay_out(
        tmp_path / "c", {"0001/reservation.py": TWO, "9999/reservation.py": TWO, "alex_backup/x.py": TWO}
    )
    people = [Person("0001", "Alex A"), Person("0003", "Casey C")]
    intake = gather(folder, people=people)
    assert list(files(intake)) == ["0001"]
    assert [one.received_as for one in intake.unmatched] == ["9999", "alex_backup"]
    assert intake.missing == ("0003",)
    settled = write(tmp_path / "m.csv", b"received as,student\n9999,0003\nalex_backup,-\n")
    intake = gather(folder, people=people, match=settled)
    assert list(files(intake)) == ["0001", "0003"]
    assert (intake.unmatched, intake.missing) == ((), ())


def test_a_matched_folder_may_have_outer_spaces(tmp_path):
    """They are not part of the listed name, because tables do not keep them."""
    folder = lay_out(tmp_path / "c", {" weird /reservation.py": TWO, "0001/reservation.py": ONE})
    people = [Person("0001"), Person("0003")]
    assert [one.received_as for one in gather(folder, people=people).unmatched] == ["weird"]
    settled = write(tmp_path / "m.csv", b"received as,student\nweird,0003\n")
    assert list(files(gather(folder, people=people, match=settled))) == ["0001", "0003"]


def test_a_stray_file_can_be_matched(tmp_path):
    """It is left out, is a student's whole hand-in, or joins the hand-in from the platform."""
    people = [Person("0001", "Ada", canvas_id="11"), Person("0002", "Bo", canvas_id="12")]
    download = {"ada_11_5001_hands_on.py": ONE, "ada_11_5002_notes.py": b"", "bobs_reservation.py": TWO}
    folder = lay_out(tmp_path / "c", download)

    def settled(student):
        match = write(tmp_path / "m.csv", f"received as,student\nbobs_reservation.py,{student}\n".encode())
        intake = gather(folder, people=people, match=match)
        assert intake.unmatched == ()
        return files(intake)

    assert [one.received_as for one in gather(folder, people=people).unmatched] == ["bobs_reservation.py"]
    assert settled("-") == {"0001": {"hands_on.py": ONE}}
    assert settled("0002") == {"0001": {"hands_on.py": ONE}, "0002": {"reservation.py": TWO}}
    assert settled("0001") == {"0001": {"hands_on.py": ONE, "reservation.py": TWO}}


def test_a_stray_file_of_another_path_joins_the_hand_in(tmp_path):
    """It is not an attempt of its own."""
    ada = lay_out(tmp_path / "a", {"adal_11_5001_hands_on.py": ONE})
    bo = {"bo_12_5002_hands_on.py": ONE, "bo_12_5003_reservation.py": OTHER}
    other = lay_out(tmp_path / "b", {**bo, "reservation_of_ada.py": TWO})
    match = write(tmp_path / "m.csv", b"received as,student\nreservation_of_ada.py,0001\n")
    people = [Person("0001", "Ada", canvas_id="11"), Person("0002", "Bo", canvas_id="12")]
    intake = gather(ada, other, people=people, match=match)
    assert files(intake)["0001"] == {"hands_on.py": ONE, "reservation.py": TWO}


def test_a_stray_file_fits_neither_of_two_attempts(tmp_path):
    """Nothing tells to which it belongs, so all three are listed."""
    ada = "39786-1 - Ada Lovelace - Oct {}, 2025 1022 AM/reservation.py"
    folder = lay_out(tmp_path / "b", {ada.format(10): ONE, ada.format(11): TWO, "hands_on.py": ONE})
    match = write(tmp_path / "m.csv", b"received as,student\nhands_on.py,0001\n")
    intake = gather(folder, people=[Person("0001", "Ada Lovelace")], match=match)
    assert intake.submissions == ()
    assert [one.why for one in intake.unmatched] == [SEVERAL] * 3


@pytest.mark.parametrize(
    ("people", "student"),
    [
        ([Person("ada", "Ada Lovelace", canvas_id="11"), Person("bo", "Bo")], "ada"),
        ([Person("ada", "Ada Lovelace"), Person("bo", "Bo")], "ada"),
        ([], "11"),
        ([], "ada"),
    ],
)
def test_matched_canvas_files_of_one_user_are_one_hand_in(tmp_path, people, student):
    """Both names can be read as user 11's, the reading that they share."""
    names = ["lovelaceada_11_5001_1_hands_on.py", "lovelaceada_11_5002_2_reservation.py"]
    folder = lay_out(tmp_path / "c", dict(zip(names, (ONE, TWO), strict=True)))
    rows = "".join(f"{name},{student}\n" for name in names)
    match = write(tmp_path / "m.csv", f"received as,student\n{rows}".encode())
    intake = gather(folder, people=people, match=match)
    assert files(intake) == {student: {"hands_on.py": ONE, "reservation.py": TWO}}
    assert (intake.unmatched, intake.earlier) == ((), ())


def test_an_ambiguous_canvas_file_joins_those_that_are_certain(tmp_path):
    """One is matched by the roster and one by hand: one hand-in with both files."""
    certain, ambiguous = "lovelaceada_11_5001_hands_on.py", "lovelaceada_11_5002_3_reservation.py"
    folder = lay_out(tmp_path / "c", {certain: ONE, ambiguous: TWO})
    match = write(tmp_path / "m.csv", f"received as,student\n{ambiguous},11\n".encode())
    assert files(gather(folder, match=match)) == {"11": {"hands_on.py": ONE, "reservation.py": TWO}}


def test_times_order_attempts_that_were_matched_by_hand(tmp_path):
    """Of two dated folders one is matched by hand; the later one counts."""
    folder = lay_out(
        tmp_path / "b",
        {
            "39786-1 - Ada Lovelace - Oct 10, 2025 1022 AM/reservation.py": ONE,
            "39787-1 - Countess - Oct 11, 2025 1022 AM/reservation.py": TWO,
        },
    )
    settled = b'received as,student\n"39787-1 - Countess - Oct 11, 2025 1022 AM",0001\n'
    match = write(tmp_path / "m.csv", settled)
    intake = gather(folder, people=[Person("0001", "Ada Lovelace")], match=match)
    assert files(intake) == {"0001": {"reservation.py": TWO}}
    assert [one.attempt for one in intake.earlier] == [1]


def test_a_groups_hand_in_is_the_same_for_every_member(tmp_path):
    """A file with one member's name counts for all; matching by hand adds a member and removes none."""
    files_ = {**EXAMPLES["gradescope"], "submission_102/lab/reservation_cy.py": OTHER}
    del files_["submission_102/lab/reservation.py"]
    folder = lay_out(tmp_path / "g", files_)
    people = [Person("0020", "Bo O'Neil", "bo@example.edu"), Person("0021", "Cyrus", "c@example.edu")]
    intake = gather(folder, people=people)
    assert files(intake) == {"0020": {"reservation.py": OTHER}}
    assert "submission_102: cy@example.edu" in [one.received_as for one in intake.unmatched]
    settled = write(tmp_path / "m.csv", b"received as,student\nsubmission_102,0021\n")
    intake = gather(folder, people=people, match=settled)
    assert files(intake) == {"0020": {"reservation.py": OTHER}, "0021": {"reservation.py": OTHER}}


def test_a_hand_in_in_two_downloads_is_one(tmp_path):
    """The same name and time is one hand-in; a new one since is a later attempt."""
    first = {"101-1 - Ada Lovelace - Oct 10, 2025 1022 AM/reservation.py": ONE}
    again = {"101-1 - Ada Lovelace - Oct 12, 2025 1022 AM/reservation.py": TWO}
    early = lay_out(tmp_path / "early", first)
    late = lay_out(tmp_path / "late", {**first, **again})
    intake = gather(early, late)
    assert files(intake) == {"101": {"reservation.py": TWO}}
    assert (len(intake.earlier), intake.unmatched) == (1, ())


def test_all_attempts_of_a_student_share_one_time_limit(tmp_path, monkeypatch):
    """Of 20 seconds the latest has half, and the earlier ones share the rest; a lone one has half."""

    def choose(hand_in, _exercise):
        given = round(signal.getitimer(signal.ITIMER_PROF)[0])
        return replace(hand_in.empty_submission(), notes=(str(given),))

    monkeypatch.setattr("grader.intake.prepare.choose", choose)
    lay_out(tmp_path / "c", {f"ada/attempt{n}/reservation.py": TWO for n in (1, 2, 3)})
    lay_out(tmp_path / "c", {"bo/reservation.py": TWO})
    intake = gather(tmp_path / "c")
    assert [(one.student, one.attempt, *one.notes) for one in (*intake.earlier, *intake.submissions)] == [
        ("ada", 1, "5"), ("ada", 2, "5"), ("ada", 3, "10"), ("bo", 1, "10"),
    ]  # fmt: skip


@pytest.mark.slow
def test_attempts_that_take_too_much_have_no_more_time_than_one(tmp_path, monkeypatch):
    """Each is named, also where its share is too short to read anything."""

    def choose(hand_in, _exercise):
        while hand_in.student == "m":
            pass
        return replace(hand_in.empty_submission(), files={"reservation.py": TWO})

    monkeypatch.setattr("grader.intake.prepare.STUDENT_SECONDS", 0.8)
    monkeypatch.setattr("grader.intake.prepare.choose", choose)
    lay_out(tmp_path / "c", {f"m/attempt{n}/reservation.py": TWO for n in range(1, 21)})
    lay_out(tmp_path / "c", {"ada/reservation.py": TWO, "zoe/reservation.py": TWO})
    intake = gather(tmp_path / "c", attempts="best")
    why = "m/attempt{} takes too much time or memory to read; hand in plain files, as small as they can be."
    unread = [one for one in intake.submissions if one.student == "m"]
    assert [one.problems["reservation.py"] for one in unread] == [why.format(n) for n in range(1, 21)]
    assert [one.student for one in intake.submissions if one.files] == ["ada", "zoe"]


def test_a_path_that_takes_too_much_is_refused_and_the_others_are_read(tmp_path, monkeypatch):
    """Whichever of them it is."""
    really = collect_module.open_source

    def open_source(path, stack):
        while path.name.startswith("m"):
            pass
        return really(path, stack)

    monkeypatch.setattr(collect_module, "_PATH_SECONDS", 0.1)
    monkeypatch.setattr(collect_module, "open_source", open_source)
    names = ("a", "m1", "k", "m2")
    folders = [lay_out(tmp_path / name, {f"{name}da/reservation.py": TWO}) for name in names]
    intake = gather(*folders)
    assert list(files(intake)) == ["ada", "kda"]
    why = "takes too much time or memory to read; hand in plain files, as small as they can be"
    assert intake.refused == (Refused("m1", why), Refused("m2", why))


def test_a_groups_senders_are_matched_one_by_one(tmp_path):
    """Each has a row; leaving out or naming one changes nothing for the others."""
    metadata = (
        b'submission_1:\n  ":submitters":\n    - {":name": Ada, ":sid": "1"}\n'
        b'    - {":name": Bo, ":sid": "8"}\n    - {":name": Cy, ":sid": "9"}\n'
    )
    folder = lay_out(
        tmp_path / "g", {"submission_metadata.yml": metadata, "submission_1/reservation.py": TWO}
    )
    people = [Person("1", "Ada L"), Person("2", "Bo B"), Person("3", "Cy C")]
    assert [one.received_as for one in gather(folder, people=people).unmatched] == [
        "submission_1: 8",
        "submission_1: 9",
    ]
    rows = b"received as,student\nsubmission_1: 8,2\nsubmission_1: 9,-\n"
    intake = gather(folder, people=people, match=write(tmp_path / "m.csv", rows))
    assert list(files(intake)) == ["1", "2"]
    assert intake.unmatched == ()


def test_paths_count_in_the_order_given(tmp_path):
    """For files too: the later PATH is the later attempt."""
    first = lay_out(tmp_path / "a", {"ada/reservation.py": TWO}) / "ada/reservation.py"
    second = lay_out(tmp_path / "b", {"ada/reservation.py": OTHER, "bo/reservation.py": TWO})
    assert files(gather(first, second))["ada"] == {"reservation.py": OTHER}
    assert files(gather(second, first))["ada"] == {"reservation.py": TWO}


def test_two_spellings_of_one_name_are_two_hand_ins(tmp_path):
    """Nobody is unreadable for a neighbour's file; where they fit one student, both are listed."""
    one, two = "Jos\u00e9", "Jose\u0301"
    names = ["alice-x", "alice_x", one, two]
    for suffix in ("/reservation.py", ".py"):
        folder = tmp_path / f"c{len(suffix)}"
        intake = gather(lay_out(folder, {f"{name}{suffix}": TWO for name in names}))
        assert files(intake) == {name: {"reservation.py": TWO} for name in names[:2]}
        both = [(name + suffix.removesuffix("/reservation.py"), SEVERAL, (one,)) for name in (two, one)]
        assert [(u.received_as, u.why, u.candidates) for u in intake.unmatched] == both
        settled = f"received as,student\n{both[0][0]},x\n{both[1][0]},y\n".encode()
        intake = gather(folder, match=write(tmp_path / "m.csv", settled))
        assert list(files(intake)) == ["alice-x", "alice_x", "x", "y"]


def test_the_match_file_goes_before_the_roster(tmp_path):
    """A student's folder may be matched with another student."""
    folder = lay_out(tmp_path / "c", {"0001/reservation.py": TWO})
    settled = write(tmp_path / "m.csv", b"received as,student\n0001,0003\n")
    people = [Person("0001"), Person("0003")]
    assert list(files(gather(folder, people=people, match=settled))) == ["0003"]
    assert list(files(gather(folder, match=settled))) == ["0003"]


def test_files_belong_to_a_student_by_folder_or_name(tmp_path):
    """Files with expected names by their folder, others by their own names."""
    lay_out(
        tmp_path,
        {"ada/reservation.py": TWO, "ada/hands_on.py": ONE, "bo/reservation.ipynb": b"{}", "cy.py": OTHER},
    )
    intake = gather(
        tmp_path / "ada" / "hands_on.py",
        tmp_path / "cy.py",
        tmp_path / "bo" / ".." / "bo" / "reservation.ipynb",
        tmp_path / "ada" / "reservation.py",
    )
    assert files(intake) == {
        "ada": {"hands_on.py": ONE, "reservation.py": TWO},
        "bo": {},
        "cy": {"reservation.py": OTHER},
    }
    assert intake.submissions[1].notebook == b"{}"


def test_one_unreadable_path_does_not_lose_the_others(tmp_path):
    """Each unreadable PATH is named with its reason."""
    good = lay_out(tmp_path / "good", {"ada/reservation.py": TWO})
    os.mkfifo(tmp_path / "pipe")
    intake = gather(
        write(tmp_path / "bad.zip", b"PK\x03\x04"),
        write(tmp_path / "roster.csv", b"id\n1\n"),
        tmp_path / "pipe",
        write(tmp_path / "g.zip", zipped({"submission_metadata.yml": b"["})),
        good,
    )
    assert list(files(intake)) == ["ada"]
    assert intake.refused == (
        Refused("bad.zip", "is a damaged zip; download or pack it again"),
        Refused("roster.csv", "holds nothing that a student hands in"),
        Refused("pipe", "is a pipe, not a file"),
        Refused("g.zip", "is not readable: its submission_metadata.yml is damaged"),
    )


def test_a_bad_member_of_a_classs_archive_costs_nobody_else(tmp_path):
    """It is named, and the other students are graded."""
    data = zipped({"ada/reservation.py": TWO, "../evil.py": OTHER, "bo/reservation.py": TWO})
    intake = gather(write(tmp_path / "class.zip", data))
    assert list(files(intake)) == ["ada", "bo"]
    assert intake.refused == (Refused("class.zip: ../evil.py", "has a name that leads out of its folder"),)


def test_a_students_archive_with_a_bad_name_is_refused(tmp_path):
    """No honest tool writes such a name: nothing of it is graded, and the student is told."""
    intake = gather(write(tmp_path / "ada.zip", zipped({"reservation.py": TWO, "../evil.py": OTHER})))
    why = "ada.zip is refused: '../evil.py' in it has a name that leads out of its folder."
    assert [(one.student, dict(one.files), one.problems) for one in intake.submissions] == [
        ("ada", {}, {"hands_on.py": why, "reservation.py": why})
    ]
    assert len(intake.refused) == 1


def test_a_link_never_gives_another_students_work(tmp_path):
    """In a folder and in a zip the student gets a sentence about it."""
    lay_out(tmp_path / "c", {"bo/reservation.py": TWO, "ada/hands_on.py": ONE})
    (tmp_path / "c" / "ada" / "reservation.py").symlink_to("../bo/reservation.py")
    (tmp_path / "c" / "cy").symlink_to("bo")
    intake = gather(tmp_path / "c")
    link = "is a symbolic link; the file itself is needed"
    assert list(files(intake)) == ["ada", "bo"]
    assert intake.submissions[0].problems == {"reservation.py": f"reservation.py {link}."}
    assert intake.refused == (Refused("c: cy", link),)
    zip_ = write(tmp_path / "z.zip", zipped_link("ada/reservation.py", "/etc/passwd"))
    assert "reservation.py is a link" in gather(zip_).submissions[0].problems["reservation.py"]


def test_a_folder_that_cannot_be_read_is_named(tmp_path, monkeypatch):
    """A student's folder is a problem of the student, any other is refused; neither is missing."""
    lay_out(tmp_path / "p", {"ada/reservation.py": TWO, "bo/reservation.py": TWO})
    canvas = {"ada_1_2_reservation.py": TWO, "cy_3_4_reservation.py": TWO}
    lay_out(tmp_path / "k", {**canvas, "bo/x.txt": b""})
    really = os.open

    def no_entry(path, *args, **kwargs):
        if path == "bo":
            raise PermissionError(13, "Permission denied")
        return really(path, *args, **kwargs)

    monkeypatch.setattr(os, "open", no_entry)
    bo = gather(tmp_path / "p").submissions[1]
    assert bo.problems["reservation.py"].endswith("The folder cannot be read: Permission denied.")
    assert gather(tmp_path / "k").refused == (Refused("k: bo/", "cannot be read: Permission denied"),)


def test_a_file_that_fits_no_name_of_the_platform_is_listed(tmp_path):
    """A source file is listed as unmatched, a note is ignored."""
    made = EXAMPLES["canvas"] | {"forgotten.py": TWO, "notes.txt": b""}
    intake = gather(lay_out(tmp_path / "c", made))
    assert intake.unmatched == (
        Unmatched("forgotten.py", "its name is not like those of Canvas's submissions"),
    )


def test_a_format_can_be_named(tmp_path):
    """An unknown name is an error before anything is read."""
    folder = lay_out(tmp_path / "c", {"a_1_2_reservation.py": TWO})
    assert gather(folder).recognised == ("c: Canvas's submissions, 1 hand-in",)
    assert list(files(gather(folder, format="plain"))) == ["a_1_2"]
    assert gather(folder, format="gradescope").refused[0].name == "c"
    assert [one.received_as for one in gather(folder, format="blackboard").unmatched] == [
        "a_1_2_reservation.py"
    ]
    with pytest.raises(UsageError, match="--format x is not known"):
        gather(folder, format="x")


def test_a_path_that_does_not_exist_is_an_error(tmp_path, monkeypatch):
    """Nothing is graded then; the same for a PATH without permission."""
    with pytest.raises(UsageError, match=r"There is nothing at .*none; name a folder, an archive or a file."):
        gather(tmp_path, tmp_path / "none")
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    with pytest.raises(UsageError, match=r"loop cannot be read: Too many levels"):
        gather(loop)
    monkeypatch.chdir(lay_out(tmp_path / "here", {"ada/reservation.py": TWO}))
    assert gather(type(tmp_path)(".")).recognised == ("here: a folder or a file for each student, 1 hand-in",)


def test_strange_names_stay_apart_and_harmless(tmp_path):
    """Ids that differ in case, with formulas or direction marks, are different students."""
    names = ["a_b", "AB12", "ab12", "CON", "-rf", 'O\'Neil, "Bo"', "\u202eevil", "x\x1b[2Jy"]
    intake = gather(lay_out(tmp_path / "c", {f"{name}/reservation.py": TWO for name in names}))
    assert sorted(files(intake)) == sorted(
        ["a_b", "AB12", "ab12", "CON", "-rf", 'O\'Neil, "Bo"', "\\u202eevil", "x\\x1b[2Jy"]
    )


def test_the_same_input_gives_the_same_submissions(tmp_path):
    """The order in which a zip holds its members changes nothing."""
    pairs = list(EXAMPLES["blackboard"].items())
    one = gather(write(tmp_path / "a.zip", zipped(pairs)))
    two = gather(write(tmp_path / "b.zip", zipped(pairs[::-1])))
    assert one.submissions == two.submissions


def test_a_digest_covers_all_that_is_graded():
    """Files, helpers and the notebook, each by kind and name; not notes or flags."""
    base = Submission("a", {"x.py": b"1"})
    assert base.digest == Submission("b", {"x.py": b"1"}, flags=("late",), notes=("n",)).digest
    others = [
        Submission("a", {"x.py": b"2"}),
        Submission("a", {"y.py": b"1"}),
        Submission("a", {}, {"x.py": b"1"}),
        Submission("a", {"x.py": b"1"}, notebook=b""),
        Submission("a", {"x.py": b"1"}, notebook=b"1"),
    ]
    assert len({one.digest for one in (base, *others)}) == 6


def test_results_in_the_class_folder_are_nobodys(tmp_path):
    """OUT within PATH, as after ``cd class; grader grade .``, is passed over."""
    mine = {"ada/reservation.py": TWO, "ben/reservation.py": TWO}
    lay_out(tmp_path, {**mine, "graded/lab/students/ada/reservation.py": TWO, "graded/course.json": b"{}"})
    assert files(gather(tmp_path, out=tmp_path / "graded/lab")).keys() == {"ada", "ben"}
