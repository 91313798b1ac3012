"""One student explained to the instructor, from the sample class's kind of files."""

import pytest
from click.testing import CliRunner
from helpers import small_lesson

from grader.base.errors import UsageError
from grader.cli import cli

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def term(tmp_path_factory):
    """The small lesson with one student who doubles wrongly and forgets the empty list."""
    root = tmp_path_factory.mktemp("course")
    small_lesson.write(root)
    folder = root / "class" / "ada"
    folder.mkdir(parents=True)
    (folder / "warm_up.py").write_bytes((root / "solutions/sums/warm_up.py").read_bytes())
    (folder / "sums.py").write_text(
        "def double(n):\n    return n + 2\n\n\ndef total(values):\n    return max(values)\n"
    )
    call = ["grade", str(root / "class"), "--course", str(root / "course.toml"), "--out", str(root / "out")]
    done = CliRunner().invoke(cli, [*call, "--no-gradebook", "--jobs", "1", "--quiet"])
    assert done.exit_code == 0, done.output
    return root


def explain(term, student):
    """Run the command."""
    options = ["--course", str(term / "course.toml"), "--out", str(term / "out")]
    return CliRunner().invoke(cli, ["explain", student, *options])


def test_everything_about_one_student(term):
    """Hidden tests, calls and what was found are there, and it is said to be for the instructor alone."""
    before = {path: path.read_bytes() for path in term.joinpath("out").rglob("*") if path.is_file()}
    done = explain(term, "ada")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == "For the instructor alone: the lines below show hidden tests."
    assert lines[1] == "ada: graded, 1 of 5 points"
    hidden = lines.index("total-none (total, hidden): needs work, 0 of 2")
    failed = next(line for line in lines[hidden:] if line.startswith("  x "))
    assert failed.startswith("  x assert sums.total([])")
    assert "(raised, ValueError)" in "".join(lines[hidden:])
    assert any(line.startswith("  + ") for line in lines)
    assert not any("where sums.total = sums.total" in line for line in lines)
    assert {path: path.read_bytes() for path in before} == before


def test_tests_that_have_changed_are_said(term):
    """Lines of tests are those of today."""
    path = term / "tests/hidden/sums/test_sums.py"
    text = path.read_text()
    path.write_text(f"{text}\n# another comment\n")
    assert "The tests have changed since" in explain(term, "ada").stdout
    path.write_text(text)
    assert "The tests have changed since" not in explain(term, "ada").stdout


def test_an_unknown_student(term):
    """The id is named."""
    assert isinstance(explain(term, "eve").exception, UsageError)
