"""Open edX's *Import scores* of a staff-graded block: rows by the learner's number, one block a file."""

from __future__ import annotations

from grader.base.errors import CourseError, UsageError
from grader.base.files import csv_bytes
from grader.course.platforms import Edx
from grader.grading.score import points_text
from grader.lms.formats.sheet import ExportOrder, ScoreFile, lines_of, score_file
from grader.lms.payload import NUMBER, PersonKey, scale_to, settings_of

MAX_BYTES = 4 << 20
"""What Open edX accepts, in bytes."""


# Never the roster's own id: a matriculation number may be another learner's number there.
KEY = PersonKey("edx_id", lambda person: person.more("edx_id") or person.more("user_id"), NUMBER)


def make(order: ExportOrder) -> ScoreFile:
    """Make the file for *Import scores*.

    Raises:
        CourseError: The block's key is missing.
        UsageError: The file would be larger than Open edX takes.
    """
    block = settings_of(order.exercise, Edx).block_id
    if not block:
        raise CourseError(
            f"course.toml: exercise.{order.exercise.name}.platform.edx.block_id: is missing; "
            "copy it from the block's staff view."
        )
    scale = scale_to(order.exercise, "edx", None, "")
    lines, withheld = lines_of(order, KEY, scale)
    header = ("user_id", "New Points", "block_id", "Previous Points")
    data = csv_bytes(header, ((line.key, points_text(line.points), block, "") for line in lines))
    if len(data) > MAX_BYTES:
        raise UsageError(f"The file would have {len(data):,} bytes, and Open edX takes {MAX_BYTES:,}.")
    return score_file(data, lines, withheld)
