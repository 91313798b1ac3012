"""Forty notebooks, graded here and by nbgrader's own autograde: equal cell by cell, or a reason why not."""

import shutil
import sqlite3
from contextlib import closing

import pytest
from helpers.nbgrader_class import NAME, command, course_words, table
from helpers.notebook_kinds import KINDS, REFUSED, notebook_of
from helpers.paths import ROOT

from grader.course.load import load_course

pytestmark = pytest.mark.slow

STUDENTS = {f"k{number:02}": name for number, name in enumerate(KINDS)}
EQUAL = [student for student, name in STUDENTS.items() if not KINDS[name].differs]
OTHER = [student for student, name in STUDENTS.items() if KINDS[name].native]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The forty hand-ins in a native course, graded by the kit."""
    folder = tmp_path_factory.mktemp("kinds")
    for student, name in STUDENTS.items():
        place = folder / "course" / "submitted" / student / NAME
        place.mkdir(parents=True)
        (place / "reservation.ipynb").write_bytes(notebook_of(KINDS[name]))
    words = course_words()
    command(folder, "grader", "grade", "course/submitted", "--out", "graded", *words)
    command(folder, "grader", "nbgrader", "course", "--out", "graded", *words)
    return folder / "course"


def points(course):
    """The automatic points of each student by criterion, as the gradebook has them."""
    query = (
        "SELECT s.student_id, c.name, g.auto_score "
        "FROM grade g JOIN base_cell c ON g.cell_id = c.id JOIN submitted_notebook n ON g.notebook_id = n.id "
        "JOIN submitted_assignment s ON n.assignment_id = s.id"
    )
    with closing(sqlite3.connect(course.parent / "graded/gradebook.db")) as database:
        found = database.execute(query).fetchall()
    return {
        student: {name: score for other, name, score in found if other == student} for student in STUDENTS
    }


def lost(points_by_criterion):
    """The tasks that lose points."""
    criteria = load_course(ROOT / "course.toml").exercise(NAME).criteria
    assert {criterion.id for criterion in criteria} == set(points_by_criterion)
    return {c.task for c in criteria if (points_by_criterion[c.id] or 0) < c.points}


@pytest.fixture(scope="module")
def ours(course):
    """The points that the kit gave."""
    return points(course)


@pytest.fixture(scope="module")
def native(course, ours):
    """The points that nbgrader's own autograde gives, all students in one run."""
    assert ours
    with closing(sqlite3.connect(course.parent / "graded/gradebook.db")) as database:
        database.execute("UPDATE grade SET auto_score = NULL")
        database.commit()
    for student, name in STUDENTS.items():
        if name in REFUSED:
            shutil.move(course / "submitted" / student, course.parent / student)
    command(course, "nbgrader", "generate_assignment", NAME, "--force")
    command(course, "nbgrader", "autograde", NAME, "--force")
    return points(course)


def test_forty():
    """There are forty kinds, and each that differs from nbgrader says why."""
    assert len(KINDS) == 40
    assert all(bool(kind.native or name in REFUSED) is bool(kind.differs) for name, kind in KINDS.items())


@pytest.mark.parametrize("student", STUDENTS)
def test_points_here(course, ours, student):
    """Each kind loses the points that it should lose, and has its flag."""
    kind = KINDS[STUDENTS[student]]
    assert lost(ours[student]) == set(kind.lost)
    flags = table(course.parent / "graded/scores.csv", "student")[student]["flags"].split()
    assert kind.flag in flags or not kind.flag


@pytest.mark.parametrize("student", EQUAL)
def test_points_are_equal(ours, native, student):
    """Without a reason to differ, nbgrader gives the same points, cell by cell."""
    assert native[student] == ours[student]


@pytest.mark.parametrize("student", OTHER)
def test_points_differ_where_they_should(ours, native, student):
    """Where there is a reason, only cells of the named tasks differ, and they lose points in nbgrader."""
    kind = KINDS[STUDENTS[student]]
    assert lost(native[student]) == set(kind.native)
    task = {c.id: c.task for c in load_course(ROOT / "course.toml").exercise(NAME).criteria}
    differ = {task[name] for name, score in native[student].items() if score != ours[student][name]}
    assert differ == set(kind.native)


@pytest.mark.parametrize("student", [student for student, name in STUDENTS.items() if name in REFUSED])
def test_refused(native, student):
    """What nbgrader does not grade has no points there."""
    assert set(native[student].values()) == {None}
