"""Brightspace's *Import Grades*: ids and each row's last cell begin with ``#``, so that they stay text."""

from __future__ import annotations

from grader.base.files import csv_bytes
from grader.course.platforms import Brightspace
from grader.lms.payload import ANY_ID, Key, plain, scale_to, settings_of
from grader.lms.scorefile import Order, ScoreFile

KEY = Key("brightspace_id", lambda person: (person.brightspace_id or person.id).removeprefix("#"), ANY_ID)

_FORBIDDEN = '/"*<>+=|,%'


def make(order: Order) -> ScoreFile:
    """Make the file for Brightspace, which refuses ids that it does not know."""
    title = settings_of(order.exercise, Brightspace).title or order.exercise.title
    by_key, kept = KEY.sort(order.sent)
    scale = scale_to(order.exercise, "brightspace", None, "")
    names = {key: one.person.more("Username").removeprefix("#") for key, one in by_key.items()}
    with_names = bool(names) and all(names.values())
    name_column = ["Username"] if with_names else []
    header = ["OrgDefinedId", *name_column, f"{title} Points Grade", "End-of-Line Indicator"]
    rows = sorted(by_key.items())
    table = []
    for key, one in rows:
        name = [f"#{names[key]}"] if with_names else []
        table.append([f"#{key}", *name, plain(scale(one.points)), "#"])
    odd = "".join(mark for mark in _FORBIDDEN if mark in title)
    warnings = (f"Brightspace allows none of {odd} in a grade item's name",) if odd else ()
    written = tuple(one.person.id for _, one in rows)
    return ScoreFile(csv_bytes(header, table), written, tuple(kept), warnings)
