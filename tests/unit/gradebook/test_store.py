"""A database that cannot be used is one plain line, and is left as it was; a new one is made whole."""

import contextlib
import os
import re
import sqlite3
import stat
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from helpers import notebook_course, postgres_server
from helpers.gradebook_class import opened_by_nbgrader, result

from grader.base.errors import CourseError, GraderError
from grader.gradebook import store as gradebook_store
from grader.gradebook.sync import record
from grader.gradebook.words import gradebook_id

UNPRIVILEGED = 65534


@pytest.fixture
def course(tmp_path):
    """The small course and its exercise."""
    return notebook_course.course_at(tmp_path)


@pytest.fixture
def out(tmp_path):
    """The results folder, with a gradebook that has one student's result."""
    folder = tmp_path / "graded"
    folder.mkdir()
    return folder


def complaint(course, out):
    """The line that recording one result ends with."""
    with pytest.raises(GraderError) as caught:
        record(*course, [result(course[1], "ada")], out)
    line = str(caught.value)
    assert "\n" not in line
    return line


def query(path, text):
    """One statement, by the standard library's own driver."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        found = connection.execute(text).fetchall()
        connection.commit()
        return found


@pytest.mark.slow
def test_made_whole(course, out):
    """A new database has all tables and the version, is its owner's alone, and needs no program on PATH."""
    before = os.environ["PATH"]
    os.environ["PATH"] = "/nowhere"
    try:
        record(*course, [result(course[1], "ada")], out)
    finally:
        os.environ["PATH"] = before
    path = out / "gradebook.db"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert re.fullmatch(r"[0-9a-f]{12}", query(path, "SELECT version_num FROM alembic_version")[0][0])
    assert list(out.iterdir()) == [path]


@pytest.mark.slow
def test_version_is_nbgraders(course, out):
    """The version is the one that nbgrader's own alembic names."""
    record(*course, [], out)
    from nbgrader.api import get_alembic_version  # noqa: PLC0415 - takes seconds to import

    before = os.environ["PATH"]
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{before}"
    try:
        version = get_alembic_version()
    finally:
        os.environ["PATH"] = before
    assert query(out / "gradebook.db", "SELECT version_num FROM alembic_version") == [(version,)]


@pytest.mark.slow
def test_tables_are_nbgraders(course, out, monkeypatch):
    """The tables that are written without importing nbgrader are those that its models describe."""
    record(*course, [], out)
    monkeypatch.setattr(gradebook_store, "_KNOWN_VERSION", "")
    (out / "other").mkdir()
    record(*course, [], out / "other")
    texts = [
        {
            name: re.sub(r"\s", "", text)
            for name, text in query(
                folder / "gradebook.db", "SELECT name, sql FROM sqlite_master WHERE sql != ''"
            )
        }
        for folder in (out, out / "other")
    ]
    assert texts[0] == texts[1]
    assert len(texts[0]) > 13


def test_stopped_while_it_was_made(course, out, monkeypatch):
    """Tables are made with their version or not at all: what stops in between leaves an empty database."""

    def stop(connection):
        del connection
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(gradebook_store, "_stamp", stop)
    assert "the disk is full" in complaint(course, out)
    assert query(out / "gradebook.db", "SELECT name FROM sqlite_master") == []
    monkeypatch.undo()
    assert record(*course, [result(course[1], "ada")], out).recorded == 1


@pytest.mark.slow
def test_version_is_written_where_it_is_missing(course, out):
    """Tables of this version that nobody wrote the version of, as nbgrader leaves them, are taken."""
    record(*course, [], out)
    query(out / "gradebook.db", "DROP TABLE alembic_version")
    record(*course, [result(course[1], "ada")], out)
    assert len(query(out / "gradebook.db", "SELECT * FROM alembic_version")) == 1


def test_newer(course, out):
    """A version that this nbgrader does not know is a newer one's."""
    record(*course, [], out)
    query(out / "gradebook.db", "UPDATE alembic_version SET version_num = 'ffffffffffff'")
    assert complaint(course, out).endswith("was made by a newer nbgrader than this one; update nbgrader.")


def test_older(course, out):
    """An older version is not upgraded behind anybody's back."""
    record(*course, [], out)
    query(out / "gradebook.db", "UPDATE alembic_version SET version_num = '167914646830'")
    assert complaint(course, out).endswith("was made by an older nbgrader; run 'nbgrader db upgrade' on it.")
    query(out / "gradebook.db", "DROP TABLE alembic_version")
    query(out / "gradebook.db", "ALTER TABLE student DROP COLUMN lms_user_id")
    assert "older nbgrader" in complaint(course, out)


def test_older_without_tables_of_today(course, out):
    """Tables of an nbgrader from before courses and task cells are an older one's, not something else's."""
    record(*course, [], out)
    for table in ("course", "task_cells", "base_cell", "grade_cells", "solution_cells"):
        query(out / "gradebook.db", f"DROP TABLE {table}")
    assert "older nbgrader" not in complaint(course, out), "a table that this version should have is missing"
    query(out / "gradebook.db", "UPDATE alembic_version SET version_num = 'b6d005d67074'")
    assert complaint(course, out).endswith("was made by an older nbgrader; run 'nbgrader db upgrade' on it.")
    query(out / "gradebook.db", "DROP TABLE alembic_version")
    assert "older nbgrader" in complaint(course, out)


@pytest.mark.parametrize("name", ["what?", "50%41", "a#b", "a b+c", "q?mode=ro"])
def test_any_folder(course, tmp_path, name):
    """The gradebook is in OUT whatever signs of an address are in OUT's name; nbgrader finds it there."""
    folder = tmp_path / name
    assert record(*course, [result(course[1], "ada")], folder).recorded == 1
    assert list(folder.iterdir()) == [folder / "gradebook.db"]
    assert query(folder / "gradebook.db", "SELECT count(*) FROM student") == [(1,)]
    with opened_by_nbgrader(course[0], folder) as gradebook:
        assert [student.id for student in gradebook.students] == ["ada"]


def test_looked_at_without_a_trace(course, out):
    """Looking whether a gradebook can be used makes none, and refuses what recording would refuse."""
    gradebook_store.refuse_unusable(course[0], out)
    assert list(out.iterdir()) == []
    query(out / "gradebook.db", "CREATE TABLE songs (title)")
    with pytest.raises(GraderError, match="is no nbgrader gradebook"):
        gradebook_store.refuse_unusable(course[0], out)


def test_foreign(course, out):
    """A database of something else is named, and nothing is made in it."""
    query(out / "gradebook.db", "CREATE TABLE songs (title)")
    assert "is no nbgrader gradebook (it has no table assignment)" in complaint(course, out)
    assert query(out / "gradebook.db", "SELECT name FROM sqlite_master") == [("songs",)]


def test_no_database(course, out):
    """A file of another kind is left as it was."""
    (out / "gradebook.db").write_text("my notes " * 100)
    assert "it is not an SQLite database" in complaint(course, out)
    assert (out / "gradebook.db").read_text() == "my notes " * 100


def test_folder_in_its_place(course, out):
    """A folder under the database's name cannot be opened."""
    (out / "gradebook.db").mkdir()
    assert "it cannot be opened" in complaint(course, out)


def test_locked(course, out, monkeypatch):
    """A database that another program holds for too long is left for later."""
    record(*course, [], out)
    monkeypatch.setattr(gradebook_store, "LOCK_SECONDS", 0.2)
    with contextlib.closing(sqlite3.connect(out / "gradebook.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        line = complaint(course, out)
    assert "another program holds it" in line
    assert f"The results in {out} are complete; 'grader grade' again records them." in line
    assert record(*course, [result(course[1], "ada")], out).recorded == 1


def test_full_disk(course, out):
    """A disk that fills up in the middle leaves what was recorded before, whole."""
    from sqlalchemy import Engine, event  # noqa: PLC0415 - takes a while to import

    record(*course, [result(course[1], "ada")], out)
    pages = query(out / "gradebook.db", "PRAGMA page_count")[0][0]

    def limit(connection, _):
        connection.execute(f"PRAGMA max_page_count = {pages + 1}")

    event.listen(Engine, "connect", limit)
    try:
        with pytest.raises(GraderError, match="the disk is full"):
            record(*course, [result(course[1], f"s{number}") for number in range(300)], out)
    finally:
        event.remove(Engine, "connect", limit)
    assert query(out / "gradebook.db", "SELECT count(*) FROM submitted_assignment") == [(1,)]
    assert record(*course, [result(course[1], f"s{number}") for number in range(300)], out).recorded == 300


def test_a_fault_that_is_not_the_gradebooks(course, out, monkeypatch):
    """A mistake of our own is not told as a gradebook that was not brought up to date."""

    def wrong(*_arguments):
        raise ValueError("our own")

    monkeypatch.setattr("grader.gradebook.sync.record_people", wrong)
    with pytest.raises(ValueError, match="our own"):
        record(*course, [result(course[1], "ada")], out)


def test_read_only(course):
    """A database that may only be read is not brought up to date, and says so."""
    with tempfile.TemporaryDirectory() as name:
        out = Path(name)
        out.chmod(0o755)
        record(*course, [], out)
        (out / "gradebook.db").chmod(0o444)
        was_root = os.geteuid() == 0
        if was_root:
            os.seteuid(UNPRIVILEGED)
        try:
            line = complaint(course, out)
        finally:
            if was_root:
                os.seteuid(0)
    assert "it is read-only; make the file and its folder writable" in line


def test_nowhere_to_write(course, tmp_path):
    """A folder that cannot be made is said in a line as well."""
    (tmp_path / "file").write_text("")
    assert "was not brought up to date: " in complaint(course, tmp_path / "file" / "graded")


def test_relative_sqlite_address(course, out, tmp_path):
    """A relative file in course.toml is meant from the course's folder."""
    course = replace(course[0], gradebook="sqlite:///grades.db"), course[1]
    record(*course, [], out)
    assert (tmp_path / "grades.db").is_file()
    assert list(out.iterdir()) == []


@pytest.mark.parametrize(
    "address", ["grades.db", "sqlite://", "sqlite:///:memory:", "postgresql://host:port/name"]
)
def test_no_address(course, out, address):
    """What is not a database's address, or names no file, is a mistake in course.toml."""
    with pytest.raises(CourseError, match=r"course.toml: course.gradebook: .* write "):
        record(replace(course[0], gradebook=address), course[1], [], out)


def test_driver_is_missing(course, out, monkeypatch):
    """A database whose driver is not installed names the extra that has it."""
    monkeypatch.setitem(sys.modules, "psycopg2", None)
    course = replace(course[0], gradebook="postgresql+psycopg2://host/name"), course[1]
    assert "psycopg2, which is not installed: pip install 'exercise-grader-kit[postgres]'" in complaint(
        course, out
    )


def test_nbgrader_is_missing(course, out, monkeypatch):
    """Without nbgrader, which brings SQLAlchemy, recording says what to install."""
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    assert "needs nbgrader, which is not installed" in complaint(course, out)


def test_is_installed():
    """Whether nbgrader is there is known without importing it."""
    assert gradebook_store.nbgrader_is_installed()


def test_unreachable_server_keeps_its_password(course, out):
    """A server that does not answer is one line, and the line does not hold the password."""
    pytest.importorskip("psycopg2")
    course = replace(course[0], gradebook="postgresql+psycopg2://kit:secret@127.0.0.1:1/grades"), course[1]
    line = complaint(course, out)
    assert "The gradebook 127.0.0.1:1/grades was not brought up to date" in line
    assert "secret" not in line


@pytest.mark.parametrize(
    ("title", "name"), [("Sums, and means!", "sums-and-means"), ("数学", "course"), ("A" * 100, "a" * 64)]
)
def test_course_id(course, title, name):
    """The course's name in nbgrader is made of plain characters."""
    assert gradebook_store.course_id(replace(course[0], title=title)) == name


@pytest.mark.slow
def test_two_first_runs(course, out):
    """Two runs that both find an empty database make its tables once."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - for this test alone

    server = postgres_server.started()
    new = next(server)
    try:
        for gradebook in ("", new("first")):
            ours = replace(course[0], gradebook=gradebook)
            with ThreadPoolExecutor(4) as pool:
                jobs = [
                    pool.submit(record, ours, course[1], [result(course[1], f"s{number}")], out)
                    for number in range(4)
                ]
                assert [job.result().recorded for job in jobs] == [1, 1, 1, 1]
    finally:
        server.close()


@pytest.mark.slow
def test_foreign_postgres(course, out):
    """Nothing is made in a PostgreSQL database of something else."""
    server = postgres_server.started()
    new = next(server)
    try:
        from sqlalchemy import create_engine, inspect, text  # noqa: PLC0415 - takes a while to import

        address = new("songs")
        engine = create_engine(address)
        with engine.begin() as connection:
            connection.execute(text("CREATE TABLE songs (title text)"))
        assert "is no nbgrader gradebook" in complaint(
            (replace(course[0], gradebook=address), course[1]), out
        )
        assert inspect(engine).get_table_names() == ["songs"]
        engine.dispose()
    finally:
        server.close()


def test_a_student_is_forgotten(course, out):
    """Their submissions and what we noted of them are gone, whatever the id; the others' are as they were."""
    students = ("ada", "a/b", "bob")
    record(*course, [result(course[1], one) for one in students], out)
    with opened_by_nbgrader(course[0], out) as gradebook:
        for one in students:
            gradebook.find_grade("add-two", "lab", "week1", gradebook_id(one)).manual_score = 1
        gradebook.db.commit()
    record(*course, [result(course[1], one) for one in students], out)
    assert query(out / "gradebook.db", "select count(*) from grader_by_hand") == [(3,)]
    for one in ("ada", "a/b"):
        assert gradebook_store.forget_student(course[0], out, one) == str(out / "gradebook.db")
        assert gradebook_store.forget_student(course[0], out, one) == ""
    assert query(out / "gradebook.db", "select id from student") == [("bob",)]
    assert query(out / "gradebook.db", "select count(*) from submitted_assignment") == [(1,)]
    kept = "select count(*) from grader_by_hand natural join submitted_notebook"
    assert query(out / "gradebook.db", kept) == [(1,)]
    assert query(out / "gradebook.db", "select count(*) from grader_by_hand") == [(1,)]
