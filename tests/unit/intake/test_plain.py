"""Folders and files that no platform named."""

import pytest
from helpers.intake_class import ONE, OTHER, TWO, contents, make_tree, setting, tree, zipped

from grader.intake.platforms import plain
from grader.roster.roster import Person


def sorted_(files, name="class", *, archive=False):
    """Each hand-in's student and files."""
    made = tree(files, name, archive=archive)
    found = plain.hand_ins(made, setting())
    return {one.senders[0].key: contents(make_tree("", one.members, ())) for one in found.hand_ins}


def test_a_folder_a_student():
    """A folder's name is its student's; an empty one is there too."""
    assert sorted_({"ada/reservation.py": TWO, "bo/x/hands_on.py": ONE, "cy/": b"", "notes.txt": b""}) == {
        "ada": {"reservation.py": TWO},
        "bo": {"x/hands_on.py": ONE},
        "cy": {},
    }


def test_a_file_a_student():
    """A source file or an archive is its student's by its name."""
    packed = zipped({"reservation.py": TWO})
    made = tree({"ada.py": TWO, "bo.zip": packed, "cy.ipynb": b"{}", "roster.csv": b""})
    found = plain.hand_ins(made, setting()).hand_ins
    assert [(one.senders[0].key, one.received_as, one.named_for_student) for one in found] == [
        ("ada", "ada.py", True),
        ("bo", "bo.zip", False),
        ("cy", "cy.ipynb", True),
    ]


def test_a_file_may_name_student_and_exercise():
    """The files of one student come together under their own names."""
    files = {"ada_hands_on.py": ONE, "ada-reservation.py": TWO, "reservation_bo.py": OTHER, "cy.py": TWO}
    assert sorted_(files) == {
        "ada": {"hands_on.py": ONE, "reservation.py": TWO},
        "bo": {"reservation.py": OTHER},
        "cy": {"cy.py": TWO},
    }


def test_folders_and_files_may_be_mixed():
    """Some hand in a folder, some a file."""
    assert list(sorted_({"ada/reservation.py": TWO, "bo.py": TWO})) == ["ada", "bo"]


@pytest.mark.parametrize(
    "files",
    [
        {"reservation.py": TWO},
        {"reservation.py": TWO, "hands_on.py": ONE, "tools.py": b"", "data/x.csv": b""},
        {"reservation.py": TWO, "old/reservation.py": OTHER},
        {"reservation (1).py": TWO},
        {"Hands-On.py": ONE, "reservation-2.py": TWO},
        {"reservation.ipynb": b"{}"},
    ],
)
def test_a_folder_with_expected_files_at_its_top_is_one_students(files):
    """Its name is the student's, without an archive's ending."""
    assert list(sorted_(files, "ada")) == ["ada"]
    assert list(sorted_(files, "ada.tar.gz", archive=True)) == ["ada"]


def test_an_expected_file_beside_folders_is_still_a_class():
    """The instructor's own stub may lie beside the students' folders."""
    files = {"reservation.py": OTHER, "ada/reservation.py": TWO, "bo/reservation.py": TWO}
    assert list(sorted_(files)) == ["ada", "bo", "reservation"]


def test_an_expected_file_among_a_class_of_files_is_no_owner():
    """Files that define the same functions are other students'; one or two helpers are not a class."""
    files = {"reservation.py": TWO, "ada.py": TWO, "bo.py": OTHER}
    assert list(sorted_(files)) == ["ada", "bo", "reservation"]
    assert list(sorted_({"reservation.py": TWO, "tools.py": b"", "old.py": TWO})) == ["class"]


def test_the_roster_tells_helpers_from_other_students():
    """A file that is named after somebody on it is theirs, whatever it contains."""
    made = tree({"reservation.py": TWO, "ada.py": b"broken", "tools.py": TWO})
    assert not plain.is_one_student(made, setting(Person("ada")))
    assert plain.is_one_student(made, setting(Person("bo")))


def test_a_number_before_the_name_of_a_file_is_a_students():
    """A number behind it is a copy's."""
    assert list(sorted_({"1001_reservation.py": TWO, "1002_reservation.py": TWO})) == ["1001", "1002"]
    assert list(sorted_({"reservation (1).py": TWO, "reservation (2).py": OTHER})) == ["class"]


def test_a_hidden_ending_is_not_part_of_a_students_name():
    """Some systems write .txt behind what they don't know."""
    assert list(sorted_({"ada.py.txt": TWO, "bo.PY": TWO, "cy.tar.gz": b""})) == ["ada", "bo", "cy"]


def test_numbered_attempts_are_one_students_in_numeric_order():
    """Attempt 10 comes after attempt 9, each with its own files only."""
    made = tree({"attempt10/reservation.py": TWO, "attempt9/reservation.py": OTHER, "Attempt 1/": b""}, "ada")
    found = plain.hand_ins(made, setting())
    assert [(one.senders[0].key, one.attempt, one.order) for one in found.hand_ins] == [
        ("ada", 1, 1),
        ("ada", 10, 10),
        ("ada", 9, 9),
    ]
    assert found.label == "one student's files"
    assert [one.received_as for one in found.hand_ins] == ["ada/Attempt 1", "ada/attempt10", "ada/attempt9"]


def test_attempts_may_lie_in_each_students_folder():
    """Only where all of a student's folders are attempts."""
    made = tree({"ada/try 1/x.py": b"", "ada/try 2/x.py": b"", "bo/attempt1/x.py": b"", "bo/lib2/y.py": b""})
    found = plain.hand_ins(made, setting()).hand_ins
    assert [(one.senders[0].key, one.attempt) for one in found] == [("ada", 1), ("ada", 2), ("bo", 0)]


@pytest.mark.parametrize(
    ("files", "answer"),
    [
        (["ada/reservation.py", "bo/reservation.py"], True),
        (["ada/reservation (1).py", "bo/x/Reservation.py"], True),
        (["ada/work.zip", "bo/work.tgz"], True),
        (["part1/hands_on.py", "part2/reservation.py"], False),
        (["attempt1/reservation.py", "attempt2/reservation.py"], False),
        (["ada/reservation.py"], False),
    ],
)
def test_two_folders_with_the_same_file_are_a_class(files, answer):
    """Two parts of one student's work, or two attempts, are not."""
    assert plain.looks_like_a_class(tree(files), setting()) is answer


def test_anything_can_be_read_as_plain():
    """It is used when no platform's names fit."""
    assert plain.recognise(tree({}), setting())


def test_a_file_of_another_kind_is_a_hand_in_if_it_names_a_student():
    """Somebody on the roster without another hand-in: they handed in something, and are told what to do."""
    made = tree(
        {"7.pdf": b"%PDF", "8.py": TWO, "8.pdf": b"%PDF", "9/reservation.py": TWO, "9.txt": b"", "x.pdf": b""}
    )
    people = [Person("7"), Person("8"), Person("9")]
    found = plain.hand_ins(made, setting(*people)).hand_ins
    assert sorted(one.received_as for one in found) == ["7.pdf", "8.py", "9"]
    assert [one.received_as for one in plain.hand_ins(made, setting()).hand_ins] == ["9", "8.py"]
