"""OUT belongs to one exercise of one course, and to one run at a time."""

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from filelock import FileLock
from helpers import small_class

from grader.base.errors import GraderError, UsageError
from grader.results.folder import course_folder, kept_roster, locked_out, move_old_results


@pytest.fixture
def course(tmp_path):
    """A small course."""
    return small_class.course_at(tmp_path / "course")


@pytest.fixture
def out(tmp_path):
    """Where results go."""
    return tmp_path / "deep" / "graded"


def enter(out, course):
    """Open OUT and close it again."""
    with locked_out(out, course, course.exercise(None)):
        pass


def test_first_run(out, course):
    """OUT is made, for its owner alone, and says whose results it holds."""
    enter(out, course)
    assert stat.S_IMODE(out.stat().st_mode) == 0o700
    assert json.loads((out / "grader.json").read_bytes()) == {
        "course": "Sums",
        "exercise": "lab",
        "sample": False,
    }


def test_next_run(out, course):
    """The same exercise's OUT is opened again, and what is in it is kept."""
    enter(out, course)
    small_class.write_class(out)
    before = (out / "scores.csv").read_bytes()
    enter(out, course)
    assert (out / "scores.csv").read_bytes() == before
    assert (out / "students" / "00017" / "result.json").exists()


def test_another_course(out, course):
    """Results of another course or exercise are not mixed with these."""
    enter(out, course)
    with pytest.raises(UsageError) as caught:
        enter(out, replace(course, title="Products"))
    assert str(caught.value) == (f"{out} holds the results of lab in 'Sums'; name another folder with --out.")
    exercise = replace(course.exercise(None), name="lab2")
    with (
        pytest.raises(UsageError, match="holds the results of lab in 'Sums'"),
        locked_out(out, course, exercise),
    ):
        pass


def test_folder_of_someone_else(out, course):
    """A folder that holds other files is not written into."""
    out.mkdir(parents=True)
    (out / "thesis.tex").write_text("")
    with pytest.raises(UsageError) as caught:
        enter(out, course)
    assert str(caught.value) == f"{out} holds other files (thesis.tex); name an empty folder with --out."
    assert sorted(path.name for path in out.iterdir()) in ([".lock", "thesis.tex"], ["thesis.tex"])


def test_results_without_a_mark(out, course):
    """A folder with students whose mark is gone is not taken for an empty one."""
    enter(out, course)
    small_class.write_class(out)
    (out / "grader.json").unlink()
    with pytest.raises(UsageError, match="holds other files"):
        enter(out, course)


def test_sample_makes_way(out, course):
    """The first real class empties an OUT that holds the sample class, and keeps what is not the grader's."""
    sample = replace(course, title="The sample class", sample=True)
    enter(out, sample)
    small_class.write_class(out)
    (out / "grader.json").write_text('{"course": "The sample class", "exercise": "lab", "sample": true}')
    (out / "notes.txt").write_text("mine")
    enter(out, course)
    assert sorted(path.name for path in out.iterdir() if path.name != ".lock") == ["grader.json", "notes.txt"]
    assert json.loads((out / "grader.json").read_bytes())["sample"] is False


def test_sample_never_empties_a_real_class(out, course):
    """The sample class is refused where a real one lies."""
    enter(out, course)
    small_class.write_class(out)
    with pytest.raises(UsageError, match="holds the results of lab in 'Sums'"):
        enter(out, replace(course, title="The sample class", sample=True))
    assert (out / "students" / "00017" / "result.json").exists()


@pytest.mark.parametrize("mark", [b"", b"{", b"\xff"])
def test_damaged_mark(out, course, mark):
    """A mark that cannot be read is not guessed at."""
    enter(out, course)
    (out / "grader.json").write_bytes(mark)
    with pytest.raises(
        GraderError, match=r"grader\.json is damaged; bring a copy of it back, or name an empty folder"
    ):
        enter(out, course)


@pytest.mark.parametrize("mark", [b"[]", b"3", b"{}"])
def test_foreign_mark(out, course, mark):
    """A mark that says something else is another's."""
    enter(out, course)
    (out / "grader.json").write_bytes(mark)
    with pytest.raises(UsageError, match="name another folder with --out"):
        enter(out, course)


def test_what_a_killed_run_was_writing_is_removed(out, course):
    """Half-written files are gone after the next run; a lock that says its holder tells of a killed run."""
    enter(out, course)
    assert (out / ".lock").read_bytes() == b""
    left = [out / ".writing-a", out / "students/ada/.writing-b", out / "students/ada/submission/.writing-c"]
    for path in left:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("half a pa")
    (out / ".lock").write_text("host process 7")
    enter(out, course)
    assert not any(path.exists() for path in left)
    assert (out / ".lock").read_bytes() == b""


def test_what_a_killed_run_was_writing_beside_out_is_removed(tmp_path, course, monkeypatch):
    """The same holds for the course's own folder."""
    monkeypatch.chdir(tmp_path)
    out = Path("graded/lab")
    enter(out, course)
    Path("graded/.writing-a").write_text("half a ros")
    (out / ".lock").write_text("host process 7")
    enter(out, course)
    assert not Path("graded/.writing-a").exists()


def test_one_run_at_a_time(out, course, monkeypatch):
    """A second run is told who holds OUT, and gives up soon."""
    monkeypatch.setattr("grader.results.folder._LOCK_SECONDS", 0.1)
    with locked_out(out, course, course.exercise(None)), pytest.raises(GraderError) as caught:
        enter(out, course)
    assert str(caught.value).startswith(f"Another run is writing to {out} (")
    assert " process " in str(caught.value)
    enter(out, course)


@pytest.mark.parametrize("text", ["", "\x1b[31mred", "a\nb"])
def test_lock_that_says_nothing(out, course, monkeypatch, text):
    """What a lock's file says is shown only when it is a plain line."""
    monkeypatch.setattr("grader.results.folder._LOCK_SECONDS", 0.1)
    out.mkdir(parents=True)
    with FileLock(out / ".lock"):
        (out / ".lock").write_text(text)
        with pytest.raises(GraderError) as caught:
            enter(out, course)
    assert str(caught.value) == f"Another run is writing to {out}; wait until it has ended."


def test_out_that_is_a_file(tmp_path, course):
    """Where a file has OUT's name, it is named."""
    (tmp_path / "graded").write_text("")
    with pytest.raises(GraderError, match=r"graded cannot be written: "):
        enter(tmp_path / "graded", course)


def test_lock_is_given_back_after_a_failure(out, course):
    """A run that fails does not lock OUT for the next."""

    def fail():
        with locked_out(out, course, course.exercise(None)):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    enter(out, course)


def test_folder_of_someone_else_is_not_touched(out, course):
    """A folder that is refused keeps its permissions, and nothing is left in it."""
    out.mkdir(parents=True)
    out.chmod(0o755)
    (out / "thesis.tex").write_text("")
    with pytest.raises(UsageError):
        enter(out, course)
    assert stat.S_IMODE(out.stat().st_mode) == 0o755
    assert [path.name for path in out.iterdir()] == ["thesis.tex"]


def test_sample_makes_way_whatever_became_of_it(out, course):
    """A link in the place of a folder is removed, not followed, and so is what a killed run was writing."""
    enter(out, replace(course, title="The sample class", sample=True))
    elsewhere = out.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine.txt").write_text("")
    (out / "students").symlink_to(elsewhere)
    for name in ("gradebook.db-journal", "exports", ".writing-x"):
        (out / name).write_text("")
    enter(out, course)
    assert sorted(path.name for path in out.iterdir() if path.name != ".lock") == ["grader.json"]
    assert [path.name for path in elsewhere.iterdir()] == ["mine.txt"]


def test_what_cannot_be_removed(out, course, monkeypatch):
    """What stands in the way of a real class is named."""
    enter(out, replace(course, title="The sample class", sample=True))
    (out / "students").mkdir()

    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("grader.results.folder.shutil.rmtree", refuse)
    with pytest.raises(GraderError) as caught:
        enter(out, course)
    assert str(caught.value) == f"{out / 'students'} could not be removed: Permission denied."


# --- the course's own files, and results of an earlier version ---


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty folder to work in, where OUT is graded/lab."""
    monkeypatch.chdir(tmp_path)
    return Path("graded")


def names(folder):
    """What lies in a folder, but for the lock."""
    return sorted(path.name for path in folder.iterdir() if path.name != ".lock")


def test_the_course_has_its_files_above(home, course):
    """In graded/ is the mark of the course, and roster and gradebook of all its exercises belong there."""
    enter(home / "lab", course)
    assert json.loads((home / "course.json").read_bytes()) == {"course": "Sums", "sample": False}
    assert course_folder(home / "lab") == home
    (home / "roster.csv").write_text("id\n")
    assert kept_roster(home / "lab", course) == home / "roster.csv"


def test_a_folder_that_was_named_has_the_files_itself(out, course):
    """With --out everything lies in that folder."""
    enter(out, course)
    assert course_folder(out) == out
    assert names(out.parent) == ["graded"]


def test_another_course_in_the_same_folder(home, course):
    """Two courses never share a roster."""
    enter(home / "lab", course)
    exercise = replace(course.exercise(None), name="quiz")
    with (
        pytest.raises(UsageError, match="graded holds the results of 'Sums'; name another folder"),
        locked_out(home / "quiz", replace(course, title="Products"), exercise),
    ):
        pass


def test_a_roster_of_someone_else(home, course):
    """Without the course's mark a roster.csv is not the grader's, and is not written over."""
    home.mkdir()
    (home / "roster.csv").write_text("mine")
    with pytest.raises(UsageError, match=r"graded/roster\.csv is not the grader's"):
        enter(home / "lab", course)
    assert (home / "roster.csv").read_text() == "mine"


def test_sample_makes_way_in_the_courses_files_too(home, course):
    """The sample class's roster and gradebook go with its results."""
    enter(home / "lab", replace(course, title="The sample class", sample=True))
    for name in ("roster.csv", "gradebook.db"):
        (home / name).write_text("")
    assert kept_roster(home / "lab", course) is None
    enter(home / "lab", course)
    assert names(home) == ["course.json", "lab"]


def test_files_that_an_exercise_had_for_itself(home, course):
    """The roster that an earlier version kept with the exercise becomes the course's."""
    enter(home / "lab", course)
    for name in ("roster.csv", "gradebook.db"):
        (home / "lab" / name).write_text("lab")
    enter(home / "lab", course)
    assert names(home) == ["course.json", "gradebook.db", "lab", "roster.csv"]
    (home / "lab/roster.csv").write_text("other")
    enter(home / "lab", course)
    assert (home / "roster.csv").read_text() == "lab"


def old_results(home):
    """Results as version 0.1.0 kept them for a course with one exercise."""
    small_class.write_class(home)
    (home / "exports").mkdir()
    for name in ("gradebook.db", "manual.json", "notes.txt"):
        (home / name).write_text(name)
    return {path.relative_to(home): path.read_bytes() for path in home.rglob("*") if path.is_file()}


def test_results_of_an_earlier_version_are_moved(home, course):
    """What is the exercise's is in graded/lab, byte for byte; the course's files and others' stay."""
    before = old_results(home)
    assert move_old_results(home, course) == (
        "Each exercise has its own folder in graded now; the results of lab were moved to graded/lab."
    )
    assert names(home) == ["course.json", "gradebook.db", "lab", "notes.txt", "roster.csv"]
    for path, data in before.items():
        stays = path.name in {"gradebook.db", "roster.csv", "notes.txt"}
        assert ((home if stays else home / "lab") / path).read_bytes() == data
    assert move_old_results(home, course) == ""
    enter(home / "lab", course)


@pytest.mark.parametrize("moves", range(5))
def test_a_move_that_is_cut_short_goes_on(home, course, monkeypatch, moves):
    """Killed after any of its moves it loses nothing: the next call moves the rest."""
    before = old_results(home)
    rename, done = Path.rename, []

    def killed(path, target):
        if len(done) == moves and not path.name.startswith(".writing"):
            raise KeyboardInterrupt
        done.append(path)
        return rename(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", killed)
        with pytest.raises(KeyboardInterrupt):
            move_old_results(home, course)
    assert move_old_results(home, course) != ""
    after = {path.relative_to(home) for path in home.rglob("*") if path.is_file()}
    assert {Path("lab") / path for path in before if (Path("lab") / path) in after} | (
        after & before.keys()
    ) == after - {Path("course.json"), Path(".lock")}
    assert len(after - {Path("course.json"), Path(".lock")}) == len(before)
    assert (home / "lab/grader.json").is_file()


def test_results_of_another_course_are_not_moved(home, course):
    """They stay where they are, and are named."""
    before = old_results(home)
    with pytest.raises(UsageError, match="graded holds the results of lab in 'Sums'; name another folder"):
        move_old_results(home, replace(course, title="Products"))
    assert all((home / path).read_bytes() == data for path, data in before.items())


def test_results_in_both_places(home, course):
    """Results are never mixed: a person has to move one of them away."""
    enter(home / "lab", course)
    old_results(home)
    with pytest.raises(UsageError, match="graded and graded/lab both hold results of lab"):
        move_old_results(home, course)
