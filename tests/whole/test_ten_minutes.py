"""A new instructor's first ten minutes: the commands of the README, each in a new process."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.paths import ROOT, TESTS

pytestmark = pytest.mark.slow

SAMPLE = TESTS / "sample"

SCORES = {
    "abara": "20",  # the solution in other words
    "farouk": "0",  # the stubs as they were
    "mallory-equal": "4",  # objects that claim to be equal to everything earn nothing; Part 1 is right
    "mallory-forge": "4",  # a forged report is no report
    "mallory-exit": "16",  # used_slots ends the process, and costs its own 4 points
    "oyelaran": "16",  # hands_on.py, worth 4, is not there
    "thibault": "",  # handed in nothing
}


def grader(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of the grader in a folder, without a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "grader", *map(str, arguments)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


def rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def desk(tmp_path_factory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A folder in which the sample class was graded as by ``make grade``, and the output."""
    folder = tmp_path_factory.mktemp("desk")
    call = (
        "grade",
        SAMPLE / "class.zip",
        "--course",
        SAMPLE / "course.toml",
        "--roster",
        SAMPLE / "roster.csv",
    )
    return folder, grader(*call, folder=folder)


def test_the_sample_class_is_graded(desk):
    """Status 0, and a few students have the scores that their files are worth."""
    folder, said = desk
    assert said.returncode == 0, said.stderr
    assert said.stdout == ""
    scores = {
        row["student"]: row["score"] for row in rows(folder / "graded/contiguous_reservation/scores.csv")
    }
    assert len(scores) == 44
    assert {student: scores[student] for student in SCORES} == SCORES
    table = [line.split() for line in said.stderr.splitlines()]
    assert ["abara", "4", "2", "4", "4", "3", "3", "20/20"] in table
    assert ["thibault", "missing"] in table
    assert "43 graded now, 1 handed in nothing" in said.stderr
    assert (folder / "graded/contiguous_reservation/students/abara/feedback.html").is_file()


def test_the_sample_class_leaves_for_no_platform(desk):
    """Export refuses invented people in one line, and writes nothing."""
    folder, _ = desk
    said = grader("export", "canvas", "--course", ROOT / "course.toml", folder=folder)
    assert said.returncode == 2
    held = "grader: graded/contiguous_reservation holds the sample class; grade your own first, "
    assert said.stderr == held + "or name the sample's course file with --course.\n"
    assert not (folder / "graded/contiguous_reservation/exports").exists()


def test_a_class_of_ones_own_goes_to_canvas_and_is_purged(desk):
    """Two students are graded in place of the sample class, exported with Canvas's ids, and purged."""
    folder, _ = desk
    for student, kind in (("ada", "solutions"), ("ben", "exercises")):
        (folder / "class" / student).mkdir(parents=True)
        for name in ("hands_on.py", "reservation.py"):
            data = (ROOT / kind / "contiguous_reservation" / name).read_bytes()
            (folder / "class" / student / name).write_bytes(data)
    people = "id,name,email,canvas_id\nada,Ada Quill,ada@example.edu,101\nben,Ben Moss,ben@example.edu,102\n"
    (folder / "roster.csv").write_text(people, encoding="utf-8")
    course = ("--course", ROOT / "course.toml")

    said = grader("grade", "class", "--roster", "roster.csv", "--no-gradebook", *course, folder=folder)
    assert said.returncode == 0, said.stderr
    assert [
        (row["student"], row["score"]) for row in rows(folder / "graded/contiguous_reservation/scores.csv")
    ] == [
        ("ada", "20"),
        ("ben", "0"),
    ]

    said = grader("export", "canvas", *course, folder=folder)
    assert said.returncode == 0, said.stderr
    title = "Contiguous reservation and paging"
    assert [
        (row["ID"], row[title]) for row in rows(folder / "graded/contiguous_reservation/exports/canvas.csv")
    ] == [
        ("101", "20"),
        ("102", "0"),
    ]

    said = grader("purge", "--yes", *course, folder=folder)
    assert said.returncode == 0, said.stderr
    assert "about 2 students" in said.stderr
    assert not (folder / "graded").exists()
    assert sorted(path.name for path in folder.iterdir()) == ["class", "roster.csv"]
