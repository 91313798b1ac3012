"""Name feedback files so that platforms know whose they are, without a person's name."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from grader.base.errors import GraderError
from grader.base.files import archive_bytes
from grader.lms.payload import Payload
from grader.results.student import read_stamp, student_folder


def moodle_members(out: Path, by_participant: Mapping[str, Payload]) -> dict[str, bytes]:
    """Make the members of Moodle's *Upload multiple feedback files in a zip*: a folder a participant."""
    return {
        f"x_{number}_assignfeedback_file/feedback.html": feedback_page(out, one.person.id, "feedback.html")
        for number, one in by_participant.items()
    }


def canvas_members(out: Path, sent: Iterable[Payload]) -> tuple[dict[str, bytes], dict[str, str]]:
    """Make the members of Canvas's *Upload Submissions*; return also why a student has none, by id.

    Canvas finds the student by the first number in the downloaded file's name, and shows the page under the
    student's own file name; so it is written as what opens under such a name.
    """
    members, unknown = {}, {}
    for one in sent:
        student = one.person.id
        name = read_stamp(student_folder(out, student)).get("received_as")
        name = name if isinstance(name, str) and name == Path(name).name else ""
        numbers = [part for part in name.split("_") if part.isdigit()]
        if not name:
            unknown[student] = "the downloaded file's name is not known"
        elif one.person.canvas_id and numbers[:1] != [one.person.canvas_id]:
            unknown[student] = (
                f"Canvas takes the first number in {name!r} for the student's and ignores the file"
            )
        elif one.person.canvas_id and len(numbers) < 2:
            unknown[student] = "a text or a link was handed in, and Canvas takes back files only"
        else:
            members[name] = _opening_as(Path(name).suffix.lower(), out, student)
    return members, unknown


def _opening_as(ending: str, out: Path, student: str) -> bytes:
    """Return a student's feedback as what programs open under a file name's ending."""
    if ending in (".html", ".htm", ".zip"):
        page = feedback_page(out, student, "feedback.html")
        return archive_bytes({"feedback.html": page}) if ending == ".zip" else page
    data = feedback_page(out, student, "feedback.md")
    text = data.decode("utf-8", "replace")
    if ending == ".py":
        return "".join(f"# {line}".rstrip() + "\n" for line in text.splitlines()).encode()
    if ending == ".ipynb":
        cell = {"cell_type": "markdown", "metadata": {}, "source": text}
        return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}).encode()
    return data


def feedback_page(out: Path, student: str, name: str) -> bytes:
    """Read one student's ``feedback.html`` or ``feedback.md``; GraderError if it is missing."""
    path = student_folder(out, student) / name
    try:
        return path.read_bytes()
    except OSError as error:
        raise GraderError(f"{path} cannot be read: {error.strerror}; grade {student} again.") from None
