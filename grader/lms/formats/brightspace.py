"""Brightspace's grade import: ids and the last cell of each row begin with ``#``, so that they stay text."""

from __future__ import annotations

from grader.course.platforms import Brightspace
from grader.lms.formats.sheet import csv_bytes
from grader.lms.payload import ANY_ID, Key, plain, scale_to, settings_of
from grader.lms.scorefile import Order, ScoreFile

KEY = Key("brightspace_id", lambda person: (person.brightspace_id or person.id).removeprefix("#"), ANY_ID)

_FORBIDDEN = '/"*<>+=|,%'


def make(order: Order) -> ScoreFile:
    """The file for Brightspace's *Import Grades*; an id that is not on the roster there is refused there."""
    title = settings_of(order.exercise, Brightspace).title or order.exercise.title
    by_key, kept = KEY.sort(order.sent)
    scale = scale_to(order.exercise, "brightspace", None, "")
    names = {key: one.person.more("Username").removeprefix("#") for key, one in by_key.items()}
    with_names = bool(names) and all(names.values())
    table = [
        [
            "OrgDefinedId",
            *(["Username"] if with_names else []),
            f"{title} Points Grade",
            "End-of-Line Indicator",
        ]
    ]
    for key, one in sorted(by_key.items()):
        name = [f"#{names[key]}"] if with_names else []
        table.append([f"#{key}", *name, plain(scale(one.points)), "#"])
    odd = "".join(mark for mark in _FORBIDDEN if mark in title)
    warnings = (f"Brightspace allows none of {odd} in a grade item's name",) if odd else ()
    written = tuple(one.person.id for _, one in sorted(by_key.items()))
    return ScoreFile(csv_bytes(table), written, tuple(kept), warnings)
