"""The sample class: its files, and the results that were written by hand."""

import csv
import json
from pathlib import Path

from helpers.paths import ROOT, TESTS

HERE = TESTS / "sample"
COURSE = HERE / "course.toml"
ROSTER = HERE / "roster.csv"
ARCHIVE = HERE / "class.zip"
FOLDER = HERE / "class"
TASKS = ("hands_on", "reserved_slots", "used_slots", "waste_fraction", "extra_reservations", "paged_slots")


def course_text(**settings: object) -> str:
    """course.toml of the sample class for a folder elsewhere, with these settings of ``[course]`` changed."""
    fixed = 'folder = "../.."\ncriteria_from = "../../course.toml"\nsample = true\n'
    text = COURSE.read_text(encoding="utf-8").replace(fixed, "", 1)
    settings = {"folder": str(ROOT), "criteria_from": str(ROOT / "course.toml"), **settings}
    lines = (f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
    return text.replace("[course]\n", "[course]\n" + "".join(lines), 1)


def rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def expected() -> dict[str, dict[str, str]]:
    """Return the expected row of each student: status, points by task, score, flags, and why."""
    return {row["student"]: row for row in rows(HERE / "expected.csv")}
