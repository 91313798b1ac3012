"""Of several attempts the latest counts, or the best after what its lateness costs, as course.toml says."""

import csv
import shutil

import pytest
from click.testing import CliRunner
from helpers import small_lesson

from grader.cli import cli

pytestmark = pytest.mark.slow

LATE = 'due = 2025-10-10T23:59:00\n[exercise.sums.late]\napplied_by = "kit"\npercent_per_day = 40.0\n'


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A small course, and one student's two attempts: 3 of 5 in time, all 5 two days late."""
    root = tmp_path_factory.mktemp("course")
    small_lesson.write(root)
    right = (root / "solutions/sums/sums.py").read_text(encoding="utf-8")
    for day, text in ((10, right.replace("return sum(numbers)", "return sum(numbers) or None")), (12, right)):
        folder = root / "class" / f"101-7 - Ada Lovelace - Oct {day}, 2025 1022 AM"
        folder.mkdir(parents=True)
        (folder / "sums.py").write_text(text, encoding="utf-8")
        (folder / "warm_up.py").write_bytes((root / "solutions/sums/warm_up.py").read_bytes())
    small_lesson.edit(root, "course.toml", "points = 5\n", f"points = 5\n{LATE}")
    return root


@pytest.mark.parametrize(
    ("attempts", "score", "penalty"),
    # Two days at 40 % of 5 points cost 4: the later attempt is worth 1, the earlier one 3.
    [("latest", "5", "4"), ("best", "3", "0")],
)
def test_which_attempt_counts(root, tmp_path, attempts, score, penalty):
    """A whole attempt, never a mixture, with its own lateness."""
    course = tmp_path / "course.toml"
    text = (root / "course.toml").read_text(encoding="utf-8")
    title = 'title = "Arithmetic"\n'
    course.write_text(text.replace(title, f'{title}attempts = "{attempts}"\nfolder = "{root}"\n'))
    out = tmp_path / "graded"
    call = ["grade", str(root / "class"), "--course", str(course), "--out", str(out), "--no-gradebook"]
    done = CliRunner().invoke(cli, [*call, "--jobs", "2"])
    assert done.exit_code == 0, done.output
    with (out / "scores.csv").open(encoding="utf-8", newline="") as file:
        rows = [(row["score"], row["late_penalty"]) for row in csv.DictReader(file)]
    assert rows == [(score, penalty)]


def test_a_better_attempt_of_an_earlier_run_stays(root, tmp_path):
    """A second call with the later attempt alone takes nothing back, unless all is to be graded anew."""
    course = tmp_path / "course.toml"
    text = (root / "course.toml").read_text(encoding="utf-8")
    title = 'title = "Arithmetic"\n'
    course.write_text(text.replace(title, f'{title}attempts = "best"\nfolder = "{root}"\n'))
    later = tmp_path / "later"
    shutil.copytree(next((root / "class").glob("*12, 2025*")), later / "101-7 - Ada - Oct 12, 2025 1022 AM")
    out = tmp_path / "graded"

    def graded(*paths):
        call = ["grade", *map(str, paths), "--course", str(course), "--out", str(out), "--no-gradebook"]
        assert CliRunner().invoke(cli, [*call, "--jobs", "1"]).exit_code == 0
        with (out / "scores.csv").open(encoding="utf-8", newline="") as file:
            return [(row["student"], row["score"], row["late_penalty"]) for row in csv.DictReader(file)]

    assert graded(root / "class") == [("101", "3", "0")]
    assert graded(later) == [("101", "3", "0")]
    assert graded(later, "--regrade") == [("101", "5", "4")]


def test_changed_tests_move_nobody_unasked(root, tmp_path):
    """With other tests, too, the better attempt stays; where its points differ, they wait for --regrade."""
    here = tmp_path / "course"
    shutil.copytree(root, here)
    title = 'title = "Arithmetic"\n'
    small_lesson.edit(here, "course.toml", title, f'{title}attempts = "best"\n')
    out = tmp_path / "graded"

    def graded(*arguments):
        call = ["grade", *map(str, arguments), "--course", str(here / "course.toml"), "--out", str(out)]
        done = CliRunner().invoke(cli, [*call, "--no-gradebook", "--jobs", "1"])
        with (out / "scores.csv").open(encoding="utf-8", newline="") as file:
            return done.exit_code, [(row["score"], row["late_penalty"]) for row in csv.DictReader(file)]

    assert graded(here / "class") == (0, [("3", "0")])
    later = tmp_path / "later"
    shutil.copytree(next((here / "class").glob("*12, 2025*")), later / "101-7 - Ada - Oct 12, 2025 1022 AM")
    tests = here / "tests/hidden/sums/test_sums.py"
    text = tests.read_text(encoding="utf-8")
    tests.write_text(f"{text}\n# a comment\n", encoding="utf-8")
    assert graded(later) == (0, [("3", "0")])
    tests.write_text(text.replace("== 0", "is None"), encoding="utf-8")
    assert graded(here / "class") == (1, [("3", "0")])
    assert graded(here / "class", "--regrade") == (0, [("5", "0")])
