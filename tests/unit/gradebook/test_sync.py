"""Every result is in nbgrader's gradebook, on SQLite and on PostgreSQL; a person's points are safe there."""

import shutil
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime

import msgspec
import pytest
from helpers import gradebook_class, notebook_course, postgres_server
from helpers.gradebook_class import ALL, PEOPLE, everything, opened_by_nbgrader, result
from helpers.paths import TESTS

from grader.base.errors import GraderError
from grader.course.load import load_course
from grader.gradebook.store import opened
from grader.gradebook.sync import _retry_on_conflict, record, record_out
from grader.grading.score import Change
from grader.results.out import open_out
from grader.results.student import safe_name
from grader.roster.roster import Person


@pytest.fixture(scope="module")
def postgres():
    """A PostgreSQL server; gives the address of a new database."""
    yield from postgres_server.started()


@pytest.fixture
def small(tmp_path):
    """The small course with its gradebook in OUT."""
    return notebook_course.course_at(tmp_path)[0]


@pytest.fixture
def exercise(small):
    """The small course's exercise."""
    return small.exercise(None)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def course(request, small):
    """The small course with its gradebook in OUT, or in a PostgreSQL database."""
    if request.param == "sqlite":
        return small
    new = request.getfixturevalue("postgres")
    return replace(small, gradebook=new(f"kit{abs(hash(request.node.nodeid))}"))


@pytest.fixture
def out(tmp_path):
    """The results folder."""
    return tmp_path / "graded"


def utc(*parts):
    """A time as nbgrader keeps it: in UTC, without saying so."""
    return datetime(*parts, tzinfo=UTC).replace(tzinfo=None)


def recorded(course, exercise, out):
    """Everything that is recorded."""
    with opened_by_nbgrader(course, out) as gradebook:
        return everything(gradebook, exercise)


def give(course, exercise, out, student, cell, points, extra=None):  # noqa: PLR0917 - as formgrader does
    """Give points by hand, as formgrader does."""
    with opened_by_nbgrader(course, out) as gradebook:
        grade = gradebook.find_grade(cell, "lab", exercise.name, student)
        grade.manual_score, grade.extra_credit, grade.needs_manual_grade = points, extra, False
        gradebook.db.commit()


def by_hand(report):
    """The values by hand that OUT and the gradebook have now, by student."""
    return {student: one.in_gradebook for student, one in report.by_hand.items() if one.in_gradebook}


@pytest.mark.slow
def test_a_class(course, exercise, out):
    """Points by criterion, comments by task, naive UTC, the penalty, and everybody of the roster."""
    report = record(
        course,
        exercise,
        [
            result(exercise, "ada"),
            result(exercise, "bob", missed=["add-two", "mean-any"], late=0.5, at="2027-03-01T23:30:00+02:00"),
            result(exercise, "li", missed=ALL, at="", diagnosis="You add one too many."),
        ],
        out,
        PEOPLE,
    )
    assert (report.recorded, by_hand(report), report.overtaken) == (3, {}, ())
    found = recorded(course, exercise, out)
    assert found["ada"] == {
        "auto": ALL,
        "manual": {},
        "open": [],
        "comments": {},
        "time": utc(2027, 3, 1, 12, 0),
        "penalty": 0.0,
        "score": 6.0,
    }
    assert found["bob"]["auto"] == {"facts-half": 1, "add-two": 0, "add-negative": 1, "mean-any": 0}
    assert (found["bob"]["score"], found["bob"]["penalty"]) == (2.0, 0.5)
    assert found["bob"]["time"] == utc(2027, 3, 1, 21, 30)
    assert found["bob"]["comments"] == {
        "add": "adds two numbers (0 of 2 points): `add(1, 2) was wrong.`",
        "mean": "gives the mean (0 of 2 points): `mean(1, 2) was wrong.`",
    }
    assert found["li"]["time"] is None
    assert found["li"]["comments"]["add"].startswith("You add one too many.\n\nadds two numbers")
    assert set(found) == {"ada", "bob", "li"}


def test_people(course, exercise, out):
    """Any name is kept: with a comma, like a formula, in any script; a roster without one changes nothing."""
    record(course, exercise, [], out, PEOPLE)
    record(course, exercise, [result(exercise, "mia")], out, [Person("mia", "", "mia@example.edu")])
    with opened_by_nbgrader(course, out) as gradebook:
        found = {one.id: (one.last_name, one.first_name, one.email) for one in gradebook.students}
    assert found == {
        "ada": ("Lovelace", "Countess", "ada@example.edu"),
        "bob": ("=1+1", "", "bob@example.edu"),
        "li": ("李小明", "", "li@example.edu"),
        "mia": ("Jones", "Mia Miller", "mia@example.edu"),
        "max": ("", "", None),
    }


def test_long_and_strange_ids_and_names(course, exercise, out):
    """What a column could not hold is shortened; ids stay apart all the same."""
    ids = ["x" * 200, "x" * 199 + "y", "a/b", "../up", "tab\tnull\0", "a" * 128]
    record(
        course,
        exercise,
        [result(exercise, one) for one in ids],
        out,
        [Person(one, "Name\0" * 100, "e" * 300) for one in ids],
    )
    with opened_by_nbgrader(course, out) as gradebook:
        students = gradebook.students
        assert len(students) == 6
        assert "a" * 128 in {one.id for one in students}
        assert all(len(one.id) <= 128 and "/" not in one.id for one in students)
        assert {len(one.last_name) for one in students} == {128}
        assert {len(one.email) for one in students} == {128}


def test_an_id_that_was_recorded_otherwise(course, exercise, out, monkeypatch):
    """An id that an earlier version could not keep is renamed, with all that people gave the student."""
    some = [result(exercise, "o'neil", missed=["add-two"])]
    with monkeypatch.context() as patch:
        patch.setattr("grader.gradebook.rows.gradebook_id", safe_name)
        record(course, exercise, some, out)
    give(course, exercise, out, safe_name("o'neil"), "add-two", 1)
    report = record(course, exercise, some, out)
    assert by_hand(report) == {"o'neil": {("points", "add-two"): 1}}
    with opened_by_nbgrader(course, out) as gradebook:
        assert [student.id for student in gradebook.students] == ["o'neil"]
    assert recorded(course, exercise, out)["o'neil"]["score"] == 5


def test_again_is_the_same(course, exercise, out):
    """Recording the same results again writes nothing and changes nothing."""
    some = [result(exercise, "ada"), result(exercise, "bob", missed=["add-two"])]
    record(course, exercise, some, out, PEOPLE)
    before = recorded(course, exercise, out)
    record(course, exercise, some, out, PEOPLE)
    assert recorded(course, exercise, out) == before


def test_regrade(course, exercise, out):
    """New results replace points, comments, time and penalty; students that were not graded now stay."""
    first = result(exercise, "ada", missed=["add-two"], late=1.5)
    record(course, exercise, [first, result(exercise, "bob")], out)
    record(course, exercise, [result(exercise, "ada", at="2027-03-02T08:00:00Z")], out)
    found = recorded(course, exercise, out)
    assert found["ada"] | {"time": 0} == found["bob"] | {"time": 0}
    assert found["ada"]["time"] == utc(2027, 3, 2, 8, 0)
    assert found["ada"]["penalty"] == 0.0


@pytest.mark.parametrize("status", ["unreadable", "grader-error"])
def test_not_graded_is_no_zero(course, exercise, out, status):
    """What could not be graded has no points and waits for a person; once graded it has some."""
    record(course, exercise, [result(exercise, "ada", status=status)], out)
    found = recorded(course, exercise, out)["ada"]
    assert set(found["auto"].values()) == {None}
    assert found["open"] == sorted(ALL)
    record(course, exercise, [result(exercise, "ada")], out)
    found = recorded(course, exercise, out)["ada"]
    assert (found["auto"], found["open"]) == (ALL, [])


def test_missing_has_no_submission(course, exercise, out):
    """Who handed in nothing has no submission, also when an earlier run had recorded one."""
    record(course, exercise, [result(exercise, "ada"), result(exercise, "bob")], out)
    record(
        course,
        exercise,
        [result(exercise, "ada", status="missing"), result(exercise, "li", status="missing")],
        out,
    )
    assert set(recorded(course, exercise, out)) == {"bob"}
    with opened_by_nbgrader(course, out) as gradebook:
        assert {one.id for one in gradebook.students} == {"ada", "bob", "li"}


def test_manual_points_survive(course, exercise, out):
    """Points given by hand go before the grader's, survive every regrade, and are reported by criterion."""
    some = [result(exercise, "ada", missed=["add-two", "mean-any"], late=1), result(exercise, "bob")]
    record(course, exercise, some, out)
    give(course, exercise, out, "ada", "add-two", 1.5)
    give(course, exercise, out, "bob", "mean-any", None, extra=0.5)
    report = record(course, exercise, some, out)
    assert by_hand(report) == {"ada": {("points", "add-two"): 1.5}, "bob": {("extra", "mean-any"): 0.5}}
    assert report.overtaken == ()
    assert recorded(course, exercise, out)["ada"]["score"] == 3.5
    assert by_hand(record(course, exercise, some, out)) == by_hand(report)


def test_manual_points_overtaken(course, exercise, out):
    """When the grader's own points change under a person's, the person's stay and the student is named."""
    record(course, exercise, [result(exercise, "ada", missed=["add-two"])], out)
    give(course, exercise, out, "ada", "add-two", 1)
    report = record(course, exercise, [result(exercise, "ada")], out)
    assert report.overtaken == ("ada",)
    found = recorded(course, exercise, out)["ada"]
    assert found["auto"]["add-two"] == 2
    assert found["manual"] == {"add-two": 1}
    assert by_hand(report)["ada"] == {("points", "add-two"): 1}


def test_manual_points_without_a_submission(course, exercise, out):
    """What a person has marked is not removed, although nothing is there any more; only ours goes."""
    record(course, exercise, [result(exercise, "ada")], out)
    give(course, exercise, out, "ada", "mean-any", 2)
    report = record(course, exercise, [result(exercise, "ada", status="missing")], out)
    assert by_hand(report)["ada"] == {("points", "mean-any"): 2}
    found = recorded(course, exercise, out)["ada"]
    assert found["open"] == ["add-negative", "add-two", "facts-half"]
    assert found["score"] == 2


def test_manual_comment_survives(course, exercise, out):
    """A person's comment is kept beside ours, and keeps the submission."""
    record(course, exercise, [result(exercise, "ada", missed=["add-two"])], out)
    with opened_by_nbgrader(course, out) as gradebook:
        gradebook.find_comment("add", "lab", exercise.name, "ada").manual_comment = "Nearly."
        gradebook.db.commit()
    record(course, exercise, [result(exercise, "ada", status="missing")], out)
    with opened_by_nbgrader(course, out) as gradebook:
        assert gradebook.find_comment("add", "lab", exercise.name, "ada").comment == "Nearly."


def test_cell_added_later(course, exercise, out):
    """A criterion that is new gets a cell, and an open grade in submissions recorded before."""
    fewer = replace(exercise, criteria=exercise.criteria[:-1])
    record(course, fewer, [result(fewer, "ada"), result(fewer, "bob")], out)
    record(course, exercise, [result(exercise, "ada")], out)
    found = recorded(course, exercise, out)
    assert found["ada"]["auto"] == ALL
    assert found["bob"]["auto"] == ALL | {"mean-any": None}
    assert found["bob"]["open"] == ["mean-any"]


def test_points_of_a_cell_change(small, exercise, out):
    """A criterion that is worth more than before is worth more in the gradebook too."""
    record(small, exercise, [], out)
    more = msgspec.structs.replace(exercise.criteria[0], points=5)
    record(small, replace(exercise, criteria=(more, *exercise.criteria[1:])), [], out)
    with opened_by_nbgrader(small, out) as gradebook:
        assert gradebook.find_grade_cell("facts-half", "lab", "week1").max_score == 5
        assert gradebook.find_assignment("week1").max_score == 10


def test_half_recorded_is_repaired(course, exercise, out):
    """Rows that went missing, as after a crash of another program, are made again."""
    record(course, exercise, [result(exercise, "ada")], out)
    with opened_by_nbgrader(course, out) as gradebook:
        gradebook.db.delete(gradebook.find_grade("add-two", "lab", exercise.name, "ada"))
        gradebook.db.delete(gradebook.find_comment("add", "lab", exercise.name, "ada"))
        gradebook.db.commit()
    record(course, exercise, [result(exercise, "ada")], out)
    assert recorded(course, exercise, out)["ada"]["auto"] == ALL


def test_missing_grade_under_manual_points(small, exercise, out):
    """A grade that went missing has no points by hand; it is made again beside those that have."""
    record(small, exercise, [result(exercise, "ada", missed=["add-two"])], out)
    give(small, exercise, out, "ada", "add-two", 1)
    with opened_by_nbgrader(small, out) as gradebook:
        gradebook.db.delete(gradebook.find_grade("mean-any", "lab", exercise.name, "ada"))
        gradebook.db.commit()
    report = record(small, exercise, [result(exercise, "ada", missed=["add-two"])], out)
    assert by_hand(report)["ada"] == {("points", "add-two"): 1}


def test_exact_time(course, exercise, out):
    """A fraction of a second, which formgrader compares, is taken over and kept; another time is not."""
    exact = utc(2027, 3, 1, 12, 0, 0, 123456)
    some = [result(exercise, "ada"), result(exercise, "bob")]
    record(course, exercise, some, out, times={"ada": exact, "bob": exact.replace(second=5)})
    record(course, exercise, some, out)
    found = recorded(course, exercise, out)
    assert found["ada"]["time"] == exact
    assert found["bob"]["time"] == exact.replace(microsecond=0)


def test_due_date_in_utc(small, exercise, out):
    """The due date stands there in naive UTC, and follows course.toml."""
    for due in (datetime(2027, 3, 1, 23, 59, tzinfo=UTC), None):
        record(small, replace(exercise, due=due), [], out)
        with opened_by_nbgrader(small, out) as gradebook:
            assert gradebook.find_assignment("week1").duedate == (due and due.replace(tzinfo=None))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"points": 3}, "has 3 points for 'facts-half', which has 1"),
        ({"points": -1}, "has -1 points"),
        ({"points": float("nan")}, "has nan points"),
        ({"id": "gone"}, "has a criterion 'gone' that course.toml does not have"),
    ],
)
def test_impossible_results(small, exercise, out, change, says):
    """Points beyond a criterion's, no numbers, and criteria of another course are refused before anything."""
    one = result(exercise, "ada")
    bad = replace(one, criteria=(replace(one.criteria[0], **change), *one.criteria[1:]))
    with pytest.raises(GraderError, match=says):
        record(small, exercise, [bad], out)
    assert not (out / "gradebook.db").exists()


def test_other_cells_are_refused(small, exercise, out):
    """An assignment with points that the exercise does not have is left alone, and named."""
    record(small, exercise, [result(exercise, "ada")], out)
    fewer = replace(exercise, criteria=exercise.criteria[1:])
    with pytest.raises(GraderError, match=r"week1 has cells that the exercise does not have \(facts-half\)"):
        record(small, fewer, [], out)


def test_other_courses_assignment_is_refused(small, exercise, out):
    """In a shared database, an assignment of that name of another course is not touched."""
    record(small, exercise, [], out)
    with pytest.raises(GraderError, match="belongs to the course 'sums-and-means', not to 'other'"):
        record(replace(small, title="Other"), exercise, [], out)


def test_course_without_a_name_is_taken_over(small, exercise, out):
    """An assignment that nbgrader made before the course had a name is ours."""
    with opened_by_nbgrader(small, out) as gradebook:
        gradebook.check_course("default_course")
        gradebook.add_assignment("week1", course_id="default_course")
    assert record(small, exercise, [result(exercise, "ada")], out).recorded == 1


@pytest.mark.slow
def test_thousand_are_quick(small, exercise, out):
    """A thousand submissions cost at most 3 ms of computing each; where nothing changed, at most 0.6 ms."""
    record(small, exercise, [], out)
    students = [f"s{number:04}" for number in range(1000)]
    for missed in ((), ALL):
        start = time.process_time()
        record(small, exercise, [result(exercise, one, missed) for one in students], out)
        assert time.process_time() - start < 3
    start = time.process_time()
    record(small, exercise, [result(exercise, one, ALL) for one in students], out)
    assert time.process_time() - start < 0.6


@pytest.mark.slow
def test_two_at_once(course, exercise, out):
    """Two runs that record the same students at the same time end with every row once."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - for this test alone

    record(course, exercise, [], out)
    students = [f"s{number:03}" for number in range(300)]
    runs = [[result(exercise, one, missed) for one in students] for missed in ((), ["add-two"], ALL)]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda some: record(course, exercise, some, out), runs))
    found = recorded(course, exercise, out)
    assert sorted(found) == students
    assert all(len(one["auto"]) == 4 for one in found.values())


def test_gives_up_after_three_tries(small, out):
    """Rows that another program writes again and again end in its error, not in an endless loop."""
    from sqlalchemy.exc import IntegrityError  # noqa: PLC0415 - takes a while to import

    tries = []

    def work(_connection, until):
        tries.append("tried")
        if len(tries) < until:
            raise IntegrityError("INSERT", {}, ValueError("unique"))
        return "done"

    with opened(small, out) as database:
        assert _retry_on_conflict(database, work, 3) == "done"
        tries.clear()
        with pytest.raises(IntegrityError):
            _retry_on_conflict(database, work, 9)
    assert len(tries) == 3


def test_nothing_is_imported_early():
    """Neither the command line nor these modules import nbgrader before something is recorded."""
    code = (
        "import sys, grader.cli, grader.gradebook.sync\n"
        "import grader.lesson.notebook, grader.intake.notebook.cells\n"
        "import grader.gradebook.native\n"
        "print([name for name in ('nbgrader', 'sqlalchemy', 'nbformat', 'alembic') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_recording_imports_no_nbgrader(tmp_path):
    """A new gradebook is made and filled with SQLAlchemy alone: nbgrader's import takes seconds."""
    code = (
        "import sys; from pathlib import Path; from helpers import notebook_course\n"
        "from helpers.gradebook_class import result; from grader.gradebook.sync import record\n"
        f"course = notebook_course.course_at(Path({str(tmp_path)!r}))\n"
        f"record(*course, [result(course[1], 'ada')], Path({str(tmp_path)!r}))\n"
        "print([name for name in ('nbgrader', 'nbformat', 'alembic') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60, cwd=TESTS
    )
    assert done.stdout.strip() == "[]"
    assert (tmp_path / "gradebook.db").is_file()


def test_class_with_a_private_test(tmp_path, out):
    """The results of private criteria are recorded like any other."""
    notebook_course.course_at(tmp_path)
    private = tmp_path / "private"
    private.mkdir()
    (private / "private.toml").write_text(
        "[exercise.week1]\npoints = 7\n[exercise.week1.criterion.add-mine]\ntask = 'add'\n"
        "visibility = 'hidden'\ntests = 'TestMine'\npoints = 1\n"
        "sentence = 'adds what I like'\nhint = 'Guess.'\n"
    )
    course = load_course(tmp_path / "course.toml", private)
    exercise = course.exercise(None)
    record(course, exercise, [gradebook_class.result(exercise, "ada")], out)
    assert recorded(course, exercise, out)["ada"]["auto"]["add-mine"] == 1


# --- OUT and the gradebook together ---


class Kept:
    """An OUT with one student's result, and its gradebook; every step opens OUT anew, as a command does."""

    def __init__(self, course, exercise, folder):
        self.course, self.exercise, self.folder = course, exercise, folder
        self.found = result(exercise, "ada", missed=["add-two"], late=1)
        with self.opened() as held:
            held._write(self.found)

    def opened(self):
        """OUT, held."""
        return open_out(self.folder, self.course, self.exercise, None)

    def record(self, **options):
        """Bring both up to date, as grade, export and upload do; what was reported."""
        with self.opened() as held:
            return record_out(held, **options)

    def give(self, points, extra=None):
        """Give points for add-two in formgrader."""
        give(self.course, self.exercise, self.folder, "ada", "add-two", points, extra)

    def adjust(self, points):
        """Give points for add-two by ``grader adjust``."""
        with self.opened() as held:
            change = Change("add-two", points, "adjust", by="Ada", because="Renamed.")
            held.set_changes({"ada": (*held.changes.get("ada", ()), change)})

    def score(self):
        """The score in OUT, which must be the gradebook's own."""
        with self.opened() as held:
            (final,) = held.finals()
        assert recorded(self.course, self.exercise, self.folder)["ada"]["score"] == final.score
        return final.score


@pytest.fixture
def kept(course, exercise, out):
    """An OUT with its gradebook, recorded."""
    found = Kept(course, exercise, out)
    found.record()
    return found


IN_OUT = pytest.mark.parametrize("course", ["sqlite"], indirect=True)
"""For tests of backups of the file gradebook.db: a server keeps backups of its own."""


@pytest.fixture
def backups(kept, tmp_path):
    """Save and restore the SQLite gradebook."""
    place = kept.folder / "gradebook.db"

    class Backups:
        def save(self, name):
            shutil.copyfile(place, tmp_path / name)

        def restore(self, name):
            shutil.copyfile(tmp_path / name, place)

        def delete(self):
            place.unlink()

    return Backups()


def test_points_there_and_adjusted_points(kept):
    """The later of both counts, in OUT and in the gradebook alike, until it is taken back."""
    kept.give(0.5)
    assert (kept.record().recorded, kept.score()) == (1, 4.5)
    kept.adjust(1)
    kept.record()
    assert kept.score() == 5
    kept.adjust(None)
    kept.record()
    assert kept.score() == 4.5
    kept.give(1.5, extra=0.25)
    kept.record()
    assert kept.score() == 5.75
    kept.give(None)
    kept.record()
    assert kept.score() == 4
    with kept.opened() as held:
        assert [(one.what, one.value, one.source) for one in held.changes["ada"]] == [
            ("points", 0.5, "formgrader"),
            ("points", 1.0, "adjust"),
            ("points", None, "adjust"),
            ("extra", 0.25, "formgrader"),
            ("points", 1.5, "formgrader"),
            ("extra", None, "formgrader"),
            ("points", None, "formgrader"),
        ]


@IN_OUT
def test_deleted_then_restored(kept, backups):
    """Points are entered into the new gradebook; the old one, restored, changes nothing."""
    kept.give(0.5)
    kept.record()
    backups.save("old")
    backups.delete()
    report = kept.record()
    assert "all results were entered again, with changes by hand for 1 student." in report.anew
    assert kept.score() == 4.5
    backups.restore("old")
    assert (kept.record().anew, kept.score()) == ("", 4.5)


@IN_OUT
def test_changed_after_it_was_deleted_then_restored(kept, backups):
    """What was given in the new gradebook counts; the old one, restored, gets it."""
    kept.give(0.5)
    kept.record()
    backups.save("old")
    backups.delete()
    kept.record()
    kept.give(1.5)
    kept.record()
    backups.restore("old")
    kept.record()
    assert kept.score() == 5.5
    kept.give(None)
    kept.record()
    assert kept.score() == 4


@IN_OUT
def test_restored_before_anything_was_recorded(kept, backups):
    """A backup that takes the place of the gradebook, without a run in between, gets what it did not have."""
    backups.save("before")
    kept.give(0.5)
    backups.save("after")
    kept.record()
    backups.delete()
    backups.restore("before")
    kept.record()
    assert kept.score() == 4.5
    backups.restore("after")
    kept.record()
    assert kept.score() == 4.5
    kept.give(None)
    kept.record()
    assert kept.score() == 4
    backups.restore("after")
    kept.record()
    assert kept.score() == 4, "taken back once is taken back in every backup"


def test_out_is_gone(kept):
    """A new OUT takes the points over from the gradebook."""
    kept.give(0.5)
    kept.record()
    shutil.rmtree(kept.folder / "students")
    for name in ("manual.json", "gradebook.json"):
        (kept.folder / name).unlink()
    again = Kept(kept.course, kept.exercise, kept.folder)
    again.record()
    assert again.score() == 4.5


def test_a_gradebook_made_anew_is_said(kept):
    """Also one without anything by hand, and one in which nbgrader knows the exercise already."""
    assert kept.record().anew == ""
    with opened(kept.course, kept.folder) as database, database.engine.begin() as connection:
        for table in ("grade", "comment", "submitted_notebook", "submitted_assignment"):
            connection.execute(database.tables[table].delete())
    said = kept.record().anew
    assert "had nothing of week1, which was recorded before: all results were entered again" in said
    assert kept.record().anew == ""


def test_interrupted_before_the_gradebook(kept, monkeypatch):
    """OUT has the points and the gradebook not yet: the next run enters them, and nothing counts twice."""
    kept.give(0.5)

    def stop(*_arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("grader.gradebook.rows._put", stop)
        with pytest.raises(KeyboardInterrupt):
            kept.record()
    kept.adjust(1)
    kept.record()
    assert kept.score() == 5


def test_only_what_was_recorded(course, exercise, out):
    """Export and upload do not record what was graded without the gradebook, and make none."""
    kept = Kept(course, exercise, out)
    assert kept.record(only_known=True).recorded == 0
    assert not (out / "gradebook.db").exists()
    kept.record()
    kept.give(0.5)
    assert (kept.record(only_known=True).recorded, kept.score()) == (1, 4.5)


def test_comments_reach_out_and_a_new_gradebook(kept):
    """A person's comment is kept in OUT, and entered into a gradebook that is made anew."""
    with opened_by_nbgrader(kept.course, kept.folder) as gradebook:
        gradebook.find_comment("add", "lab", "week1", "ada").manual_comment = "Nearly."
        gradebook.db.commit()
    kept.record()
    with kept.opened() as held:
        assert [(one.criterion, one.text) for one in held.finals()[0].comments] == [("add", "Nearly.")]
    with opened_by_nbgrader(kept.course, kept.folder) as gradebook:
        gradebook.remove_submission("week1", "ada")
    kept.record()
    with opened_by_nbgrader(kept.course, kept.folder) as gradebook:
        assert gradebook.find_comment("add", "lab", "week1", "ada").comment == "Nearly."


def test_what_native_autograde_writes_is_put_right(kept):
    """A late penalty, points and open cells that nbgrader's own autograde left are ours again."""
    kept.give(0.5)
    kept.record()
    before = recorded(kept.course, kept.exercise, kept.folder)
    with opened_by_nbgrader(kept.course, kept.folder) as gradebook:
        (submission,) = gradebook.assignment_submissions("week1")
        submission.notebooks[0].late_submission_penalty = None
        for grade in submission.notebooks[0].grades:
            grade.auto_score, grade.needs_manual_grade = 0, True
        gradebook.db.commit()
    kept.record()
    assert recorded(kept.course, kept.exercise, kept.folder) == before
    assert before["ada"]["penalty"] == 1
