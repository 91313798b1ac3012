"""The template of students' repositories on GitHub, run as a job there runs it."""

import io
import os
import re
import subprocess
import sys
import zipfile

import pytest
import yaml
from helpers.paths import ROOT

from grader.course.load import load_course
from grader.lms.package import template_zip

pytestmark = pytest.mark.slow
NAME = "contiguous_reservation"


@pytest.fixture(scope="module")
def archive():
    """The archive for the course's own exercise."""
    course = load_course(ROOT / "course.toml")
    return template_zip(course, course.exercise(NAME))


@pytest.fixture
def repository(archive, tmp_path):
    """A student's repository made from it."""
    with zipfile.ZipFile(io.BytesIO(archive)) as members:
        members.extractall(tmp_path / "repository")
    return tmp_path / "repository"


def job(repository):
    """Run the workflow's script; return its exit status and the summary's text."""
    page = repository.parent / "summary.md"
    done = subprocess.run(
        [sys.executable, ".github/points.py"],
        cwd=repository,
        env={**os.environ, "GITHUB_STEP_SUMMARY": str(page)},
        capture_output=True,
        check=False,
    )
    return done.returncode, page.read_text(encoding="utf-8")


def test_the_stub_has_no_points_yet(repository):
    """A push of the untouched bundle: the table and what is next, in the summary."""
    status, page = job(repository)
    assert status == 1
    assert page.startswith("<pre>\n")
    assert "0 of 12 visible points so far" in page


def test_the_solution_with_changed_tests(repository):
    """The tests beside the workflow count, whatever became of the others, also in a folder of one's own."""
    (repository / "work").mkdir()
    for name in ("hands_on.py", "reservation.py"):
        (repository / name).unlink()
        (repository / "work" / name).write_bytes((ROOT / "solutions" / NAME / name).read_bytes())
    (repository / "test_reservation.py").write_text("def test_nothing():\n    assert False\n")
    status, page = job(repository)
    assert status == 0
    assert "All visible tests pass" in page


def with_solution(repository):
    """Put both right files into a student's repository."""
    for name in ("hands_on.py", "reservation.py"):
        (repository / name).write_bytes((ROOT / "solutions" / NAME / name).read_bytes())


def test_a_file_named_after_pytest(repository):
    """A file with pytest's name does not take its place: the bundle names it."""
    with_solution(repository)
    (repository / "pytest.py").write_text("raise SystemExit(0)\n")
    status, page = job(repository)
    assert status != 0
    assert "pytest.py has the name of a module that Python or pytest needs" in page


def test_an_end_without_a_table_is_no_pass(repository):
    """A file that ends Python with status 0 does not make the job green, and its output is cut."""
    with_solution(repository)
    text = "import os\nos.write(1, b'<' * 3_000_000)\nos.write(2, b'<' * 3_000_000)\nos._exit(0)\n"
    (repository / "reservation.py").write_text(text)
    status, page = job(repository)
    assert status == 1
    assert "The tests ended without a table of points: this is no pass." in page
    assert len(page) < 1 << 20


def test_what_is_in_it(archive):
    """A workflow that GitHub reads, with no right to write; no hidden test, no solution."""
    with zipfile.ZipFile(io.BytesIO(archive)) as members:
        names = members.namelist()
        workflow = yaml.safe_load(members.read(".github/workflows/points.yml"))
        text = b"".join(members.read(name) for name in names)
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow["jobs"]["points"]["steps"][-1] == {"run": "python .github/points.py"}
    hidden = (ROOT / "tests/hidden" / NAME / "test_reservation.py").read_text(encoding="utf-8")
    classes = re.findall(r"^class (\w+)", hidden, re.MULTILINE)
    assert classes
    assert not [name for name in classes if name.encode() in text]
    assert b"BEGIN SOLUTION" not in text
