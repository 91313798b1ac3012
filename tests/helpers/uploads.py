"""What tests of uploads share: a short patience, entries by the platform's id, and one upload."""

import time
from decimal import Decimal

from grader.lms.upload import plan
from grader.lms.upload.http import Patience
from grader.lms.upload.journal import Journal
from grader.lms.upload.target import Entry

QUICK = Patience(attempts=4, first=0.002, most=0.01, silence=1.0)


class CrashError(Exception):
    """The power goes."""


def entries(**points):
    """Entries by the platform's id: ``entries(s11=20)`` is student ``s11``, there 11, with 20 points."""
    return [
        Entry(name, name[1:], Decimal(str(value)), f"Well done, {name} <3.") for name, value in points.items()
    ]


def send(target, folder, wanted, *, overwrite=False, now=None):
    """One upload with the journal in a folder, at a fixed time if ``now`` is given."""
    clock = time.time if now is None else lambda: now
    return plan.Upload(target, Journal(folder), overwrite, clock).send(wanted)
