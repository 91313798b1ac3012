"""Every result is in nbgrader's gradebook, on SQLite and on PostgreSQL; a person's points are safe there."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime

import msgspec
import pytest
from helpers import gradebook_class, notebook_course, postgres_server
from helpers.gradebook_class import ALL, PEOPLE, everything, opened_by_nbgrader, result

from grader.base.errors import GraderError
from grader.course.load import load_course
from grader.gradebook.store import opened
from grader.gradebook.sync import _patiently, manual_points, record
from grader.roster.roster import Person


@pytest.fixture(scope="module")
def postgres():
    """A PostgreSQL server; gives the address of a new database."""
    yield from postgres_server.started()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def course(request, tmp_path):
    """The small course with its gradebook in OUT, or in a PostgreSQL database."""
    course, exercise = notebook_course.course_at(tmp_path)
    if request.param == "postgres":
        new = request.getfixturevalue("postgres")
        course = replace(course, gradebook=new(f"kit{abs(hash(request.node.nodeid))}"))
    return course, exercise


@pytest.fixture
def out(tmp_path):
    """The results folder."""
    return tmp_path / "graded"


@pytest.fixture
def small(tmp_path):
    """The small course with its gradebook in OUT."""
    return notebook_course.course_at(tmp_path)


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


@pytest.mark.slow
def test_a_class(course, out):
    """Points by criterion, comments by task, naive UTC, the penalty, and everybody of the roster."""
    course, exercise = course
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
    assert (report.recorded, report.manual, report.overtaken) == (3, {}, ())
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
        "add": "adds two numbers (0 of 2 points): add(1, 2) was wrong.",
        "mean": "gives the mean (0 of 2 points): mean(1, 2) was wrong.",
    }
    assert found["li"]["time"] is None
    assert found["li"]["comments"]["add"].startswith("You add one too many.\n\nadds two numbers")
    assert set(found) == {"ada", "bob", "li"}


def test_people(course, out):
    """Any name is kept: with a comma, like a formula, in any script; a roster without one changes nothing."""
    course, exercise = course
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


def test_long_and_strange_ids_and_names(course, out):
    """What a column could not hold is shortened; ids stay apart all the same."""
    course, exercise = course
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


def test_again_is_the_same(course, out):
    """Recording the same results again writes nothing and changes nothing."""
    course, exercise = course
    some = [result(exercise, "ada"), result(exercise, "bob", missed=["add-two"])]
    record(course, exercise, some, out, PEOPLE)
    before = recorded(course, exercise, out)
    record(course, exercise, some, out, PEOPLE)
    assert recorded(course, exercise, out) == before


def test_regrade(course, out):
    """New results replace points, comments, time and penalty; students that were not graded now stay."""
    course, exercise = course
    first = result(exercise, "ada", missed=["add-two"], late=1.5)
    record(course, exercise, [first, result(exercise, "bob")], out)
    record(course, exercise, [result(exercise, "ada", at="2027-03-02T08:00:00Z")], out)
    found = recorded(course, exercise, out)
    assert found["ada"] | {"time": 0} == found["bob"] | {"time": 0}
    assert found["ada"]["time"] == utc(2027, 3, 2, 8, 0)
    assert found["ada"]["penalty"] == 0.0


@pytest.mark.parametrize("status", ["unreadable", "grader-error"])
def test_not_graded_is_no_zero(course, out, status):
    """What could not be graded has no points and waits for a person; once graded it has some."""
    course, exercise = course
    record(course, exercise, [result(exercise, "ada", status=status)], out)
    found = recorded(course, exercise, out)["ada"]
    assert set(found["auto"].values()) == {None}
    assert found["open"] == sorted(ALL)
    record(course, exercise, [result(exercise, "ada")], out)
    found = recorded(course, exercise, out)["ada"]
    assert (found["auto"], found["open"]) == (ALL, [])


def test_missing_has_no_submission(course, out):
    """Who handed in nothing has no submission, also when an earlier run had recorded one."""
    course, exercise = course
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


def test_manual_points_survive(course, out):
    """Points given by hand go before the grader's, survive every regrade, and are reported by criterion."""
    course, exercise = course
    some = [result(exercise, "ada", missed=["add-two", "mean-any"], late=1), result(exercise, "bob")]
    record(course, exercise, some, out)
    give(course, exercise, out, "ada", "add-two", 1.5)
    give(course, exercise, out, "bob", "mean-any", None, extra=0.5)
    report = record(course, exercise, some, out)
    assert report.manual == {"ada": {"add-two": 1.5}, "bob": {"mean-any": 2.5}}
    assert report.overtaken == ()
    assert recorded(course, exercise, out)["ada"]["score"] == 3.5
    assert manual_points(course, exercise, some, out) == report.manual


def test_manual_points_overtaken(course, out):
    """When the grader's own points change under a person's, the person's stay and the student is named."""
    course, exercise = course
    record(course, exercise, [result(exercise, "ada", missed=["add-two"])], out)
    give(course, exercise, out, "ada", "add-two", 1)
    report = record(course, exercise, [result(exercise, "ada")], out)
    assert report.overtaken == ("ada",)
    found = recorded(course, exercise, out)["ada"]
    assert found["auto"]["add-two"] == 2
    assert found["manual"] == {"add-two": 1}
    assert report.manual["ada"] == {"add-two": 1}


def test_manual_points_without_a_submission(course, out):
    """What a person has marked is not removed, although nothing is there any more; only ours goes."""
    course, exercise = course
    record(course, exercise, [result(exercise, "ada")], out)
    give(course, exercise, out, "ada", "mean-any", 2)
    report = record(course, exercise, [result(exercise, "ada", status="missing")], out)
    assert report.manual["ada"] == {"mean-any": 2}
    found = recorded(course, exercise, out)["ada"]
    assert found["open"] == ["add-negative", "add-two", "facts-half"]
    assert found["score"] == 2


def test_manual_comment_survives(course, out):
    """A person's comment is kept beside ours, and keeps the submission."""
    course, exercise = course
    record(course, exercise, [result(exercise, "ada", missed=["add-two"])], out)
    with opened_by_nbgrader(course, out) as gradebook:
        gradebook.find_comment("add", "lab", exercise.name, "ada").manual_comment = "Nearly."
        gradebook.db.commit()
    record(course, exercise, [result(exercise, "ada", status="missing")], out)
    with opened_by_nbgrader(course, out) as gradebook:
        assert gradebook.find_comment("add", "lab", exercise.name, "ada").comment == "Nearly."


def test_manual_points_before_anything(course, out):
    """Looking for manual points before the first recording finds none."""
    course, exercise = course
    assert manual_points(course, exercise, [result(exercise, "ada")], out) is None


def test_cell_added_later(course, out):
    """A criterion that is new gets a cell, and an open grade in submissions recorded before."""
    course, exercise = course
    fewer = replace(exercise, criteria=exercise.criteria[:-1])
    record(course, fewer, [result(fewer, "ada"), result(fewer, "bob")], out)
    record(course, exercise, [result(exercise, "ada")], out)
    found = recorded(course, exercise, out)
    assert found["ada"]["auto"] == ALL
    assert found["bob"]["auto"] == ALL | {"mean-any": None}
    assert found["bob"]["open"] == ["mean-any"]


def test_points_of_a_cell_change(small, out):
    """A criterion that is worth more than before is worth more in the gradebook too."""
    course, exercise = small
    record(course, exercise, [], out)
    more = msgspec.structs.replace(exercise.criteria[0], points=5)
    record(course, replace(exercise, criteria=(more, *exercise.criteria[1:])), [], out)
    with opened_by_nbgrader(course, out) as gradebook:
        assert gradebook.find_grade_cell("facts-half", "lab", "week1").max_score == 5
        assert gradebook.find_assignment("week1").max_score == 10


def test_half_recorded_is_repaired(course, out):
    """Rows that went missing, as after a crash of another program, are made again."""
    course, exercise = course
    record(course, exercise, [result(exercise, "ada")], out)
    with opened_by_nbgrader(course, out) as gradebook:
        gradebook.db.delete(gradebook.find_grade("add-two", "lab", exercise.name, "ada"))
        gradebook.db.delete(gradebook.find_comment("add", "lab", exercise.name, "ada"))
        gradebook.db.commit()
    record(course, exercise, [result(exercise, "ada")], out)
    assert recorded(course, exercise, out)["ada"]["auto"] == ALL


def test_missing_grade_under_manual_points(small, out):
    """A grade that went missing has no points by hand; it is made again beside those that have."""
    course, exercise = small
    record(course, exercise, [result(exercise, "ada", missed=["add-two"])], out)
    give(course, exercise, out, "ada", "add-two", 1)
    with opened_by_nbgrader(course, out) as gradebook:
        gradebook.db.delete(gradebook.find_grade("mean-any", "lab", exercise.name, "ada"))
        gradebook.db.commit()
    report = record(course, exercise, [result(exercise, "ada", missed=["add-two"])], out)
    assert report.manual["ada"] == {"add-two": 1}


def test_exact_time(course, out):
    """A fraction of a second, which formgrader compares, is taken over and kept; another time is not."""
    course, exercise = course
    exact = utc(2027, 3, 1, 12, 0, 0, 123456)
    some = [result(exercise, "ada"), result(exercise, "bob")]
    record(course, exercise, some, out, times={"ada": exact, "bob": exact.replace(second=5)})
    record(course, exercise, some, out)
    found = recorded(course, exercise, out)
    assert found["ada"]["time"] == exact
    assert found["bob"]["time"] == exact.replace(microsecond=0)


def test_due_date_in_utc(small, out):
    """The due date stands there in naive UTC, and follows course.toml."""
    course, exercise = small
    for due in (datetime(2027, 3, 1, 23, 59, tzinfo=UTC), None):
        record(course, replace(exercise, due=due), [], out)
        with opened_by_nbgrader(course, out) as gradebook:
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
def test_impossible_results(small, out, change, says):
    """Points beyond a criterion's, no numbers, and criteria of another course are refused before anything."""
    course, exercise = small
    one = result(exercise, "ada")
    bad = replace(one, criteria=(replace(one.criteria[0], **change), *one.criteria[1:]))
    with pytest.raises(GraderError, match=says):
        record(course, exercise, [bad], out)
    assert not (out / "gradebook.db").exists()


def test_other_cells_are_refused(small, out):
    """An assignment with points that the exercise does not have is left alone, and named."""
    course, exercise = small
    record(course, exercise, [result(exercise, "ada")], out)
    fewer = replace(exercise, criteria=exercise.criteria[1:])
    with pytest.raises(GraderError, match=r"week1 has cells that the exercise does not have \(facts-half\)"):
        record(course, fewer, [], out)


def test_other_courses_assignment_is_refused(small, out):
    """In a shared database, an assignment of that name of another course is not touched."""
    course, exercise = small
    record(course, exercise, [], out)
    with pytest.raises(GraderError, match="belongs to the course 'sums-and-means', not to 'other'"):
        record(replace(course, title="Other"), exercise, [], out)


def test_course_without_a_name_is_taken_over(small, out):
    """An assignment that nbgrader made before the course had a name is ours."""
    course, exercise = small
    with opened_by_nbgrader(course, out) as gradebook:
        gradebook.check_course("default_course")
        gradebook.add_assignment("week1", course_id="default_course")
    assert record(course, exercise, [result(exercise, "ada")], out).recorded == 1


@pytest.mark.slow
def test_thousand_are_quick(small, out):
    """A thousand submissions cost at most 3 ms of computing each, also when all of them change."""
    course, exercise = small
    record(course, exercise, [], out)
    students = [f"s{number:04}" for number in range(1000)]
    for missed in ((), ALL):
        start = time.process_time()
        record(course, exercise, [result(exercise, one, missed) for one in students], out)
        assert time.process_time() - start < 3


@pytest.mark.slow
def test_two_at_once(course, out):
    """Two runs that record the same students at the same time end with every row once."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - for this test alone

    course, exercise = course
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

    def work(_connection, _tables, until):
        tries.append("tried")
        if len(tries) < until:
            raise IntegrityError("INSERT", {}, ValueError("unique"))
        return "done"

    with opened(small[0], out) as database:
        assert _patiently(work, database, 3) == "done"
        tries.clear()
        with pytest.raises(IntegrityError):
            _patiently(work, database, 9)
    assert len(tries) == 3


def test_nothing_is_imported_early():
    """Neither the command line nor these modules import nbgrader before something is recorded."""
    import subprocess  # noqa: PLC0415 - for this test alone
    import sys  # noqa: PLC0415 - the same

    code = (
        "import sys, grader.cli, grader.gradebook.sync\n"
        "import grader.lesson.notebook, grader.intake.notebook.assemble\n"
        "import grader.gradebook.native\n"
        "print([name for name in ('nbgrader', 'sqlalchemy', 'nbformat', 'alembic') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


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
