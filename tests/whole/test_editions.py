"""The sample class handed in as files and as notebooks: the same scores wherever a score is shown."""

import contextlib
import shutil
from pathlib import Path

import pytest
from helpers import postgres_server, sample_class
from helpers.jupyter_server import server_on
from helpers.nbgrader_class import NAME, command, table
from helpers.notebook_course import notebook_with_answers

from grader.course.load import load_course

pytestmark = pytest.mark.slow

STUDENTS = (
    "abara", "achterberg", "birch", "bjarnason", "castellanos", "cheptoo", "demir", "dlamini", "ekholm",
    "ivanova", "mbeki", "nakamura", "okafor", "petrov", "quispe", "rossi", "sato", "usman", "varga", "wang",
    "xu", "yilmaz", "zelaya",
)  # fmt: skip
"""Those whose two files can be imported; of others a notebook loses less than a file does, cell by cell."""


COURSE = ("--course", "course.toml")


def expected() -> dict[str, str]:
    """The scores that were written down by hand."""
    return {student: sample_class.expected()[student]["score"] for student in STUDENTS}


def course_file(folder: Path, database: str) -> Path:
    """The sample class's settings with a gradebook of their own."""
    path = folder / "course.toml"
    path.write_text(sample_class.course_text(sample=True, gradebook=database), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    """The same answers as files and as notebooks, each graded once, without a gradebook."""
    folder = tmp_path_factory.mktemp("editions")
    course = load_course(sample_class.COURSE)
    exercise = course.exercise(None)
    for student in STUDENTS:
        files = {name: (sample_class.FOLDER / student / name).read_bytes() for name in exercise.files}
        for place, content in (
            ("files", files),
            ("notebooks", {"reservation.ipynb": notebook_with_answers(course, exercise, files)}),
        ):
            (folder / place / student).mkdir(parents=True)
            for name, data in content.items():
                (folder / place / student / name).write_bytes(data)
    course_file(folder, "")
    for edition in ("files", "notebooks"):
        command(folder, "grader", "grade", edition, "--out", f"graded-{edition}", "--no-gradebook", *COURSE)
    return folder


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def graded(request, classes):
    """The results of both editions recorded, each in a gradebook on SQLite or PostgreSQL."""
    with (
        contextlib.contextmanager(postgres_server.started)()
        if request.param == "postgresql"
        else (contextlib.nullcontext()) as make
    ):
        folder = classes / request.param
        for edition in ("files", "notebooks"):
            (folder / edition).mkdir(parents=True)
            address = make(edition) if make else ""
            course_file(folder / edition, address)
            shutil.copytree(classes / f"graded-{edition}", folder / edition / "graded")
            words = ("--out", "graded", *COURSE)
            command(folder / edition, "grader", "grade", str(classes / edition), *words)
            command(folder / edition, "grader", "nbgrader", "native", *words)
        yield folder


@pytest.mark.parametrize("edition", ["files", "notebooks"])
def test_same_scores_everywhere(graded, edition):
    """scores.csv, what nbgrader exports, and formgrader's list all have the hand-written scores."""
    folder = graded / edition
    scores = table(folder / "graded/scores.csv", "student")
    assert {student: row["score"] for student, row in scores.items()} == expected()
    command(folder / "native", "nbgrader", "export", "--to", "grades.csv")
    exported = table(folder / "native/grades.csv", "student_id")
    assert {student: row["score"] for student, row in exported.items()} == expected()
    with server_on(folder / "native") as site:
        shown = {row["student"]: row["score"] for row in site.api(f"submissions/{NAME}")}
        assert {student: f"{score:g}" for student, score in shown.items()} == expected()
        assert site.get(f"/formgrader/manage_submissions/{NAME}")[0] == 200
