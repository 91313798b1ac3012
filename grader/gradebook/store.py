"""Open nbgrader's database: make all its tables if it is new, check them if it is not.

nbgrader makes a database by starting the program ``alembic`` that it finds on PATH, and leaves tables without
a version behind where there is none. Here the same tables and version are written in one transaction, on
SQLite from ``tables.sql``. nbgrader itself, which takes seconds to import, is needed for other databases and
other versions alone; a database that is there is read and written by the tables that it describes.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from grader.base import DISTRIBUTION
from grader.base.errors import CourseError, GraderError
from grader.base.text import one_line
from grader.course.model import Course
from grader.gradebook.by_hand import TABLE, make_table
from grader.gradebook.words import gradebook_id

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine

DATABASE = "gradebook.db"
LOCK_SECONDS = 30.0  # how long another program may hold an SQLite database before recording gives up

_FIRST_TABLES = frozenset(("assignment", "comment", "grade", "notebook", "student", "submitted_assignment"))
"""Tables that nbgrader has had in all of its versions."""
_TABLES = _FIRST_TABLES | frozenset(
    (
        "base_cell",
        "course",
        "grade_cells",
        "solution_cells",
        "source_cell",
        "submitted_notebook",
        "task_cells",
    )
)
_TABLES_SQL = Path(__file__).with_name("tables.sql")
_KNOWN_VERSION = "e43177bfe90b"  # the version of the tables in ``tables.sql``
_REVISION = re.compile(r"^(revision|down_revision)\b[^=\n]*= *['\"](\w+)['\"]", re.MULTILINE)
_CAUSES = (
    ("database is locked", "another program holds it; wait until it is done"),
    ("readonly database", "it is read-only; make the file and its folder writable"),
    ("disk is full", "the disk is full; make room on it"),
    ("no space left", "the disk is full; make room on it"),
    ("disk i/o error", "the disk gave an error; look at its file system"),
    ("not a database", "it is not an SQLite database; move it away or name another one in course.toml"),
    ("unable to open database", "it cannot be opened; look at the folder and its permissions"),
)
_MISSING = "The gradebook needs {name}, which is not installed: pip install '" + DISTRIBUTION + "[{extra}]'."


def nbgrader_is_installed() -> bool:
    """True if nbgrader is installed; it is not imported, which takes seconds."""
    return importlib.util.find_spec("nbgrader") is not None


def course_id(course: Course) -> str:
    """Make the course's name in nbgrader from its title: letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", course.title.lower()).strip("-")[:64] or "course"


def gradebook_url(course: Course, home: Path) -> URL:
    """Return the database's address: ``course.gradebook``, or ``gradebook.db`` in the course's own folder.

    A relative SQLite path in course.toml is meant from the course's folder. An address that is none raises
    CourseError, and GraderError is raised where nbgrader is not installed.
    """
    sqlalchemy = _sqlalchemy()
    if not course.gradebook:
        local: URL = sqlalchemy.URL.create("sqlite", database=str((home / DATABASE).absolute()))
        return local
    try:
        url: URL = sqlalchemy.make_url(course.gradebook)
    except (sqlalchemy.exc.ArgumentError, ValueError):  # the latter for a port that is no number
        raise CourseError(
            "course.toml: course.gradebook: is not a database's address; "
            "write one like 'postgresql+psycopg2://host/name' or 'sqlite:///grades.db'."
        ) from None
    if url.get_backend_name() == "sqlite":
        if url.database in (None, "", ":memory:"):
            raise CourseError("course.toml: course.gradebook: names no file; write 'sqlite:///grades.db'.")
        url = url.set(database=str(course.root / str(url.database)))
    return url


@dataclass(frozen=True)
class Database:
    """An open gradebook: nbgrader's tables by name, as the database itself describes them."""

    engine: Engine
    tables: Mapping[str, Any]


@contextlib.contextmanager
def opened(course: Course, home: Path) -> Iterator[Database]:
    """Open the course's gradebook, and make it if need be; an error says why it cannot be used."""
    url = gradebook_url(course, home)
    with _plain_errors(url, home):
        if url.get_backend_name() == "sqlite":
            path = Path(str(url.database))
            with contextlib.suppress(FileExistsError):  # a file that SQLite makes can be read by all
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with _engine(url) as engine:
            if not _sqlalchemy().inspect(engine).get_table_names():
                _create(engine)
            tables, errors = _checked_tables(engine), _sqlalchemy().exc
            if TABLE not in tables:
                # Another run may be faster.
                with contextlib.suppress(errors.DBAPIError), exclusive(engine) as connection:
                    make_table(connection)
                tables = _checked_tables(engine)
            table, row = tables["course"], {"id": course_id(course)}
            with engine.connect() as connection:
                is_there = connection.execute(table.select().filter_by(**row)).first() is not None
            if not is_there:
                with contextlib.suppress(errors.IntegrityError), exclusive(engine) as connection:
                    connection.execute(table.insert(), row)
            yield Database(engine, tables)


def refuse_unusable(course: Course, home: Path) -> None:
    """Refuse a gradebook that cannot be used, as :func:`opened` would; nothing is made or written."""
    url = gradebook_url(course, home)
    if not nbgrader_is_installed():
        raise GraderError(_MISSING.format(name="nbgrader", extra="nbgrader"))
    if url.get_backend_name() == "sqlite" and not Path(str(url.database)).exists():
        return
    with _plain_errors(url, home), _engine(url) as engine:
        if _sqlalchemy().inspect(engine).get_table_names():
            _checked_tables(engine)


def forget_student(course: Course, home: Path, student: str) -> str:
    """Remove a student from the course's gradebook; return its name, or nothing if it had none of them."""
    url = gradebook_url(course, home)
    if url.get_backend_name() == "sqlite" and not Path(str(url.database)).exists():
        return ""
    api = _nbgrader_api()
    with _plain_errors(url, home), api.Gradebook(url.render_as_string(hide_password=False)) as book:
        try:
            book.remove_student(gradebook_id(student))
        except api.MissingEntry:
            return ""
        text = f"DELETE FROM {TABLE} WHERE id NOT IN (SELECT id FROM submitted_notebook)"  # noqa: S608 - ours
        if _sqlalchemy().inspect(book.engine).has_table(TABLE):
            book.db.execute(_sqlalchemy().text(text))
            book.db.commit()
    return shown(url)


@contextlib.contextmanager
def _engine(url: URL) -> Iterator[Engine]:
    connect = {"timeout": LOCK_SECONDS} if url.get_backend_name() == "sqlite" else {}
    try:
        engine = _sqlalchemy().create_engine(url, connect_args=connect)
    except ModuleNotFoundError as error:
        raise GraderError(_MISSING.format(name=error.name, extra="postgres")) from None
    try:
        yield engine
    finally:
        engine.dispose()


@contextlib.contextmanager
def exclusive(engine: Engine) -> Iterator[Connection]:
    """Open a transaction; on SQLite nobody else writes meanwhile, PostgreSQL locks the rows that it needs."""
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        yield connection


def shown(url: URL) -> str:
    """Name the database: a file's path, or host and name; what else the address has may be secret."""
    if url.get_backend_name() == "sqlite":
        return str(url.database)
    host = url.host or url.query.get("host") or "localhost"
    name = f"{host}{f':{url.port}' if url.port else ''}/{url.database}"
    return name.rpartition("@")[2]  # a password with @ and / in it is read as host or name


def _sqlalchemy() -> Any:
    """SQLAlchemy, which comes with nbgrader and takes a quarter of a second to import."""
    try:
        import sqlalchemy  # noqa: PLC0415 - only recording needs it
    except ModuleNotFoundError:
        raise GraderError(_MISSING.format(name="nbgrader", extra="nbgrader")) from None
    return sqlalchemy


def _nbgrader_api() -> Any:
    """The module of nbgrader's models, which takes seconds to import."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what nbgrader's own dependencies are told on import
            import nbgrader.api  # type: ignore[import-untyped]  # noqa: PLC0415 - only recording needs it
    except ModuleNotFoundError:
        raise GraderError(_MISSING.format(name="nbgrader", extra="nbgrader")) from None
    return nbgrader.api


def _create(engine: Engine) -> None:
    """Make all tables and the version in one transaction; two first runs at once make them once."""
    sqlalchemy = _sqlalchemy()
    try:
        with exclusive(engine) as connection:
            if not sqlalchemy.inspect(connection).get_table_names():
                if engine.dialect.name == "sqlite" and _versions()[0] == _KNOWN_VERSION:
                    for statement in _TABLES_SQL.read_text(encoding="utf-8").split(";\n")[:-1]:
                        connection.exec_driver_sql(statement)
                else:
                    _nbgrader_api().Base.metadata.create_all(bind=connection)
                make_table(connection)
                _stamp(connection)
    except sqlalchemy.exc.DBAPIError:
        if not sqlalchemy.inspect(engine).get_table_names():  # else another run was faster
            raise


def _stamp(connection: Connection) -> None:
    """Write the version of the tables, as nbgrader's own upgrades expect it."""
    sqlalchemy = _sqlalchemy()
    connection.execute(sqlalchemy.text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
    connection.execute(
        sqlalchemy.text("INSERT INTO alembic_version (version_num) VALUES (:head)"), {"head": _versions()[0]}
    )


def _versions() -> list[str]:
    """List the versions of nbgrader's tables, the newest first; each upgrade script names the one before."""
    spec = importlib.util.find_spec("nbgrader")
    if spec is None or spec.origin is None:
        raise GraderError(_MISSING.format(name="nbgrader", extra="nbgrader"))
    scripts = (Path(spec.origin).parent / "alembic" / "versions").glob("*.py")
    found = [dict(_REVISION.findall(path.read_text(encoding="utf-8"))) for path in scripts]
    after = {one.get("down_revision", ""): one["revision"] for one in found if "revision" in one}
    versions = [""]
    while versions[0] in after:
        versions.insert(0, after.pop(versions[0]))
    if len(versions) == 1:
        raise GraderError("The versions of nbgrader's tables cannot be read; install another nbgrader.")
    return versions[:-1]


def _checked_tables(engine: Engine) -> Mapping[str, Any]:
    """Read what tables there are; refuse those of something else, and nbgrader's of another version."""
    sqlalchemy = _sqlalchemy()
    name, names = shown(engine.url), set(sqlalchemy.inspect(engine).get_table_names())
    if missing := _FIRST_TABLES - names:
        raise GraderError(
            f"The database {name} is no nbgrader gradebook (it has no table {min(missing)}); "
            "name another one in course.toml, or move it away."
        )
    newest, *older = _versions()
    metadata = sqlalchemy.MetaData()
    version = ""
    if "alembic_version" in names:
        with engine.connect() as connection:
            found = connection.execute(sqlalchemy.text("SELECT version_num FROM alembic_version"))
            version = str(found.scalar() or "")
    elif names >= _TABLES:  # perhaps of this version, which nobody wrote down
        metadata.reflect(engine)
        models = _nbgrader_api().Base.metadata.tables.items()
        if all({*table.columns.keys()} <= {*metadata.tables[key].columns.keys()} for key, table in models):
            with exclusive(engine) as connection:
                _stamp(connection)
            version = newest
    if not version or version in older:
        raise GraderError(
            f"The gradebook {name} was made by an older nbgrader; run 'nbgrader db upgrade' on it."
        )
    if version != newest:
        raise GraderError(
            f"The gradebook {name} was made by a newer nbgrader than this one; update nbgrader."
        )
    if missing := _TABLES - names:
        raise GraderError(f"The gradebook {name} is damaged: it has no table {min(missing)}; restore it.")
    metadata.reflect(engine)
    return cast("Mapping[str, Any]", metadata.tables)


@contextlib.contextmanager
def _plain_errors(url: URL, out: Path) -> Iterator[None]:
    """Turn a database's errors into one sentence that also says that the results are complete."""
    sqlalchemy = _sqlalchemy()
    try:
        yield
    except (sqlalchemy.exc.SQLAlchemyError, OSError) as error:
        original = getattr(error, "orig", None) or error
        text = one_line(str(original), 200)
        why = next((cause for words, cause in _CAUSES if words in text.lower()), text.rstrip("."))
        raise GraderError(
            f"The gradebook {shown(url)} was not brought up to date: {why}. "
            f"The results in {out} are complete; 'grader grade' again records them."
        ) from None
