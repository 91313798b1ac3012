"""Which scheme a source follows, and where in it."""

import pytest
from helpers.intake_class import ONE, TWO, setting, tree
from helpers.platform_downloads import EXAMPLES

from grader.base.errors import UsageError
from grader.intake.recognise import SCHEMES, recognise
from grader.roster.roster import Person


def found(files, *people, forced=None, name="class", archive=False):
    """The name of the scheme, and what the tree is called that follows it."""
    scheme, view = recognise(tree(files, name, archive=archive), setting(*people), forced)
    return next(key for key, one in SCHEMES.items() if one is scheme), view


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_download_is_recognised_also_below_folders_that_wrap_it(name):
    """Unpacking adds a folder or two."""
    assert found(EXAMPLES[name])[0] == name
    wrapped = {f"Lab 1/export/{key}": data for key, data in EXAMPLES[name].items()}
    scheme, view = found(wrapped)
    assert (scheme, view.name) == (name, "export")


EVIL = {
    "moodle": "x_assignsubmission_file_y.py",
    "blackboard": "Lab_ada_attempt_2030-01-01-00-00-00_reservation.py",
    "brightspace": "1-2 - Ada Lovelace - Oct 10, 2030 1022 AM - x.py",
}


@pytest.mark.parametrize("evil", EVIL.values(), ids=EVIL)
def test_one_uploads_name_never_changes_the_platform(evil):
    """Neither among Canvas's files, behind Canvas's part of the name, nor beside folders."""
    canvas = {"adal_101_201_x.py": TWO, "bob_102_202_x.py": TWO, f"mal_103_203_{evil}": ONE}
    assert found(canvas)[0] == "canvas"
    plain = {"ada/reservation.py": TWO, "bob/reservation.py": TWO, f"mal/{evil}": ONE, evil: ONE}
    assert found(plain)[0] == "plain"


def test_of_two_platforms_the_better_fit_is_taken():
    """All files have Canvas's names, and most have another platform's marks in the student's part."""
    evil = {f"mal_103_{number}_{EVIL['moodle']}": ONE for number in range(9)}
    assert found({"adal_101_201_x.py": TWO, **evil})[0] == "canvas"


def test_one_folder_named_for_the_exercise_is_not_nbgraders():
    """One of two students packed the bundle's folder."""
    files = {"mal/contiguous_reservation/reservation.py": TWO, "ada/reservation.py": TWO}
    assert found(files)[0] == "plain"


@pytest.mark.parametrize(
    "inside",
    [
        {"submission_metadata.yml": b"submission_1: {}", "submission_1/reservation.py": ONE},
        {"Ada Lovelace_1_assignsubmission_file_/reservation.py": ONE},
        {"ada/contiguous_reservation/reservation.py": ONE},
    ],
)
def test_a_students_folder_is_not_a_download(inside):
    """A folder of somebody on the roster is not a wrapper, whatever is in it."""
    files = {f"mal/{name}": data for name, data in inside.items()}
    scheme, view = found(files, Person("mal", "Mal"), Person("ada", "Ada Lovelace"))
    assert (scheme, view.tops) == ("plain", ("mal",))


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("Ada Lovelace_3_assignsubmission_file", "moodle"),
        ("39786-1 - Ada Lovelace - Oct 10, 2025 1022 AM", "brightspace"),
        ("contiguous-reservation-ada", "github"),
    ],
)
def test_a_platforms_only_hand_in_is_read_from_outside(folder, name):
    """The student packed something that looks like a whole download; it is that student's."""
    inside = {
        "submission_metadata.yml": b"submission_1: {}",
        "Bob_4_assignsubmission_file/reservation.py": ONE,
    }
    files = {f"{folder}/{name}": data for name, data in inside.items()}
    scheme, view = found(files, Person("bob", "Bob"), Person("ada", "Ada Lovelace"))
    assert (scheme, view.tops) == (name, (folder,))


def test_a_path_that_is_called_like_a_student_is_that_students():
    """Whatever is in it: metadata, other names, another platform's folders."""
    people = (Person("mal", "Mal"), Person("alice", "Alice"), Person("zoe", "Zoe"))
    for inside in (
        {"submission_metadata.yml": b"submission_1: {}", "submission_1/reservation.py": ONE},
        {"alice/reservation.py": ONE, "zoe/reservation.py": ONE},
    ):
        for name, archive in (("mal", False), ("mal.zip", True)):
            scheme, view = recognise(tree(inside, name, archive=archive), setting(*people))
            (one,) = scheme.hand_ins(view, setting(*people)).hand_ins
            assert one.senders[0].key == "mal"


def test_one_students_subfolder_makes_no_nbgrader_course():
    """Not in a folder called "submitted", and not with the bundle's own folder in two of three."""
    class_ = {f"{student}/reservation.py": TWO for student in ("alice", "mal", "zoe")}
    assert found({**class_, "mal/notes/x.txt": b""}, name="submitted")[0] == "plain"
    bundles = {f"{student}/contiguous_reservation/reservation.py": TWO for student in ("alice", "mal")}
    scheme, view = found({**bundles, "zoe/reservation.py": TWO})
    everyone = SCHEMES[scheme].hand_ins(view, setting()).hand_ins
    assert [one.senders[0].key for one in everyone] == ["alice", "mal", "zoe"]
    assert all(len(one.members) == 1 for one in everyone)


def test_a_timestamp_of_one_student_is_not_nbgraders():
    """Nbgrader writes one beside every hand-in; beside one of three the student added it."""
    files = {f"{student}/contiguous_reservation/reservation.py": TWO for student in ("alice", "mal", "zoe")}
    files["mal/contiguous_reservation/timestamp.txt"] = b"2020-01-01 00:00:00 UTC"
    scheme, view = found(files)
    times = [one.submitted_at for one in SCHEMES[scheme].hand_ins(view, setting()).hand_ins]
    assert times == [None] * 3


def test_the_folder_around_githubs_clones_is_no_clone():
    """Even if the assignment is named like the exercise, in a zip, and for one student."""
    around = "contiguous-reservation-submissions"
    for logins in (("ada",), ("ada", "bo-b")):
        files = {f"{around}/contiguous-reservation-{login}/reservation.py": TWO for login in logins}
        scheme, view = found(files, name="x.zip", archive=True)
        people = [one.senders[0].key for one in SCHEMES[scheme].hand_ins(view, setting()).hand_ins]
        assert (scheme, people) == ("github", [*logins])


def test_an_expected_file_beside_a_class_is_not_the_class():
    """Archives, or folders of people on the roster, are other students' hand-ins."""
    files = {"alice.zip": b"PK", "zoe.zip": b"PK", "reservation.py": TWO}
    assert not SCHEMES["plain"].is_one_student(tree(files), setting())
    files = {"alice/work.zip": b"PK", "zoe/work.zip": b"PK", "reservation.py": TWO}
    assert not SCHEMES["plain"].is_one_student(tree(files), setting(Person("alice"), Person("zoe")))


def test_one_name_of_a_platform_does_not_decide():
    """A student called "submitted", and a metadata file that somebody added."""
    class_ = {f"{student}/reservation.py": TWO for student in ("a1", "b2", "c3")}
    assert found({**class_, "submitted/b2/contiguous_reservation/reservation.py": ONE})[0] == "plain"
    assert found({**class_, "submission_metadata.yml": b"a1: {}"})[0] == "plain"


def test_an_nbgrader_course_is_entered_at_its_submitted_folder():
    """Source and release are not handed in."""
    files = {f"submitted/{key}": data for key, data in EXAMPLES["nbgrader"].items()}
    files |= {"source/contiguous_reservation/reservation.ipynb": b"{}", "nbgrader_config.py": b""}
    scheme, view = found(files)
    assert (scheme, view.name, view.tops) == ("nbgrader", "submitted", ("ada", "bo", "cy", "dee", "eli"))


def test_a_named_format_is_not_overruled():
    """Even if nothing looks like it."""
    assert found(EXAMPLES["moodle"], forced="plain")[0] == "plain"
    assert found({"ada/x.py": ONE}, forced="github")[0] == "github"
    assert found({f"w/{k}": d for k, d in EXAMPLES["canvas"].items()}, forced="canvas")[1].name == "w"


def test_an_unknown_format_is_an_error():
    """The sentence lists the known ones."""
    with pytest.raises(UsageError, match="--format word is not known; there is: fetched, gradescope, "):
        found({}, forced="word")


@pytest.mark.parametrize(
    ("files", "tops"),
    [
        (["class/ada/reservation.py", "class/bo/reservation.py"], ("ada", "bo")),
        (["a/b/ada/reservation.py", "a/b/bo/reservation.py"], ("ada", "bo")),
        (["ada/reservation.py"], ("ada",)),
        (["ada/one/hands_on.py", "ada/two/reservation.py"], ("ada",)),
        (["class/ada/reservation.py", "class/bo/reservation.py", "cy.py"], ("class",)),
        (["a/b/c/d/ada/reservation.py", "a/b/c/d/bo/reservation.py"], ("ada", "bo")),
    ],
)
def test_folders_that_wrap_a_class_are_entered(files, tops):
    """But no student's own folder."""
    scheme, view = found(files)
    assert (scheme, view.tops) == ("plain", tops)


def test_the_roster_tells_a_wrapper_from_a_student():
    """A folder of two attempts is a student's if the roster has that student."""
    files = ["ada/v1/reservation.py", "ada/v2/reservation.py"]
    assert found(files)[1].tops == ("v1", "v2")
    assert found(files, Person("ada"))[1].tops == ("ada",)
    assert found(files, Person("7", name="Ada"))[1].tops == ("ada",)
    assert found(["x/ada/lab.py"], Person("ada"))[1].tops == ("ada",)


@pytest.mark.parametrize(
    ("files", "archive", "name"),
    [
        (["lab/reservation.py"], True, "bo.zip"),
        (["My Homework/final/reservation.py"], True, "bo.zip"),
        (["contiguous-reservation/reservation.py"], False, "bo.zip"),
    ],
)
def test_a_packed_folder_does_not_name_the_student(files, archive, name):
    """The archive's name does."""
    view = found(files, name="bo.zip", archive=archive)[1]
    assert (view.name, [m.path for m in view.members]) == (name, ["reservation.py"])


def test_an_archive_of_one_student_of_the_roster_keeps_that_student():
    """A class may have one hand-in."""
    assert found({"ada/reservation.py": TWO}, Person("ada"), name="class.zip", archive=True)[1].tops == (
        "ada",
    )
    assert found({"ada/lab.py": TWO}, name="class.zip", archive=True)[1].tops == ("ada",)
    assert found({"a/b/c/d/lab.py": TWO}, name="x.zip", archive=True)[1].tops == ("a",)
    assert found({"a/b/c/d/reservation.py": TWO}, name="x.zip", archive=True)[1].name == "x.zip"


def test_a_folder_around_files_that_name_students_is_opened():
    """The folder is no student, and each file is one's."""
    view = found(
        ["Lab/reservation - Ada.py", "Lab/reservation - Bo.py"],
        Person("1", name="Ada"),
        Person("2", name="Bo"),
    )[1]
    assert view.name == "Lab"
