"""Name feedback files so that platforms know whose they are, without a person's name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from grader.base.errors import GraderError
from grader.lms.payload import Payload
from grader.results.student import student_folder


def moodle_members(out: Path, by_participant: Mapping[str, Payload]) -> dict[str, bytes]:
    """Make the members of Moodle's *Upload multiple feedback files in a zip*: a folder for each participant.

    Raises:
        GraderError: Someone's feedback page is missing.
    """
    return {
        f"x_{number}_assignfeedback_file/feedback.html": feedback_page(out, one.person.id, "feedback.html")
        for number, one in by_participant.items()
    }


def canvas_members(out: Path, sent: Iterable[Payload]) -> tuple[dict[str, bytes], list[str]]:
    """Make the members of Canvas's *Upload Submissions*: each page under the name of the downloaded file.

    Returns:
        The members, and the ids of those whose file's name is not known.

    Raises:
        GraderError: Someone's feedback is missing.
    """
    members, unknown = {}, []
    for one in sent:
        name = received_as(out, one.person.id)
        if name:
            members[name] = feedback_page(out, one.person.id, "feedback.md")
        else:
            unknown.append(one.person.id)
    return members, unknown


def received_as(out: Path, student: str) -> str:
    """Return the plain file name under which a student's work was received; empty if it is not known."""
    try:
        name = json.loads((student_folder(out, student) / "graded.json").read_bytes())["received_as"]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return name if isinstance(name, str) and name == Path(name).name else ""


def feedback_page(out: Path, student: str, name: str) -> bytes:
    """Read one student's ``feedback.html`` or ``feedback.md``.

    Raises:
        GraderError: It is missing.
    """
    path = student_folder(out, student) / name
    try:
        return path.read_bytes()
    except OSError as error:
        raise GraderError(f"{path} cannot be read: {error.strerror}; grade {student} again.") from None
