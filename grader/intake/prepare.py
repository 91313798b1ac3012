"""Read one hand-in: choose its files, decode them for Python, and take its notebook apart into cells.

A source file becomes UTF-8 by these rules, with a note for the student:

- UTF-16 and UTF-32 with a byte order mark are decoded, and UTF-16 without one if every second byte is NUL.
- NULs and Ctrl-Z behind the text, which some editors leave there, are dropped.
- In a comment, bytes that are not UTF-8 become ``?`` unless a coding line names the encoding: some versions
  of Python ignore them and others refuse the file, and no score may depend on that.
- A file that still holds a NUL, a notebook and a web page are not Python: that is a problem.

Everything else stays byte for byte, and Python itself says what is wrong with it.
"""

from __future__ import annotations

import re
from dataclasses import replace

from grader.base.flags import MISSING_FILE, NOT_UTF8
from grader.base.text import marked_encoding
from grader.bundle.wording import nul_characters, unreadable
from grader.course.model import Exercise
from grader.intake.choose import choose
from grader.intake.handin import HandIn
from grader.intake.notebook.cells import read_cells
from grader.intake.notebook.read import Document, NotebookError, read_document, read_script
from grader.sources.submission import Submission

_LEFT_BEHIND = "has NUL or Ctrl-Z characters behind its text; they were left out"

_LOOKED_AT = 512  # bytes in which UTF-16 without a mark is recognised
_CODING = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+")
_COMMENT = re.compile(
    rb"""^((?:[^'"#\r\n]|'(?:[^'\\\r\n]|\\.)*'|"(?:[^"\\\r\n]|\\.)*")*)(#[^\r\n]*)""", re.MULTILINE
)
_WEB_PAGE = re.compile(rb"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)


def read_hand_in(hand_in: HandIn, exercise: Exercise, *, to_grade: bool) -> Submission:
    """Read a hand-in; one that is not ``to_grade`` stays as it came. Called in a process with limits.

    Whatever goes wrong becomes a problem of this submission, so that the rest of the class is read.
    """
    problem = hand_in.problem
    if not problem:
        try:
            submission = choose(hand_in, exercise)
            return with_cells(decoded(submission), exercise) if to_grade else submission
        except Exception as error:  # noqa: BLE001 - nobody can foresee what students hand in
            problem = f"The hand-in could not be read ({type(error).__name__}); hand in plain files."
    return unreadable_submission(hand_in, exercise, problem)


def unreadable_submission(hand_in: HandIn, exercise: Exercise, problem: str) -> Submission:
    """Return the submission of a hand-in of which nothing could be read; ``problem`` is the sentence why."""
    return replace(hand_in.empty_submission(), problems=dict.fromkeys(exercise.files, problem))


def with_cells(submission: Submission, exercise: Exercise) -> Submission:
    """Return the submission with the cells of its notebook, or of the scripts that were made of a notebook.

    The cells stand for all expected files that did not come.
    """
    scripts: dict[str, Document] = {}
    try:
        if submission.notebook is not None:
            document = read_document(submission.notebook, exercise)
        else:
            found = {name: read_script(name, data, exercise) for name, data in submission.files.items()}
            scripts = {name: script for name, script in found.items() if script}
            document = Document(tuple(cell for script in scripts.values() for cell in script.cells))
            if not scripts:
                return submission
        source = read_cells(document, exercise)
    except NotebookError as error:
        problems = {name: str(error) for name in exercise.files if name not in submission.files}
        return replace(submission, problems={**problems, **submission.problems})
    read = [f"{name} was made of a notebook; it was read cell by cell, like a notebook." for name in scripts]
    # A script of a whole notebook holds the answers of the other files, too.
    flags = {*submission.flags, *source.flags} - ({MISSING_FILE} if scripts else set())
    return replace(
        submission,
        files={name: data for name, data in submission.files.items() if name not in scripts},
        notebook=source.notebook,
        cells=source.cells,
        flags=tuple(sorted(flags)),
        notes=(*submission.notes, *read, *source.notes),
    )


def decoded(submission: Submission) -> Submission:
    """Return the submission with files that Python can read, and notes on what was changed."""
    problems, notes, flags = dict(submission.problems), list(submission.notes), set(submission.flags)
    groups: list[dict[str, bytes]] = []
    for group in (submission.files, submission.helpers):
        groups.append({})
        for name, handed_in in group.items():
            data, note = python_bytes(handed_in)
            if note:
                notes.append(f"{name} {note}.")
            if note and note != _LEFT_BEHIND:
                flags.add(NOT_UTF8)
            if group is submission.files and (why := _why_not_python(name, data)):
                problems[name] = why
            else:
                groups[-1][name] = data
    files, helpers = groups
    return replace(
        submission,
        files=files,
        helpers=helpers,
        problems=problems,
        notes=tuple(notes),
        flags=tuple(sorted(flags)),
    )


def python_bytes(data: bytes) -> tuple[bytes, str]:
    """Return the bytes for Python, and what was changed as a sentence's end, or an empty string."""
    encoding = marked_encoding(data)
    head = data[: min(_LOOKED_AT, len(data) // 2 * 2)]
    if not encoding and all(head[::2]) and not any(head[1::2]) and head:
        encoding = "utf-16-le"
    elif not encoding and all(head[1::2]) and not any(head[::2]) and head:
        encoding = "utf-16-be"
    if encoding and encoding != "utf-8-sig":
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            return data, ""
        why = f"was read as {encoding[:6].upper()}; please save it as UTF-8"
        return _without_end(text.encode("utf-8", "replace")), why
    shorter = _without_end(data)
    if shorter != data:
        return shorter, _LEFT_BEHIND
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        if not any(_CODING.match(first) for first in data.split(b"\n", 2)[:2]):
            readable = _COMMENT.sub(_readable, data)
            changed = f"is not UTF-8 (line {line}); please save it as UTF-8"
            return readable, changed if readable != data else ""
    return data, ""


def _without_end(data: bytes) -> bytes:
    """Cut off the NULs and Ctrl-Zs behind the text."""
    end = len(data.rstrip(b"\0\x1a\r\n \t"))
    return data if not set(data[end:]) & set(b"\0\x1a") else data[:end] + b"\n"


def _readable(found: re.Match[bytes]) -> bytes:
    """Return a line up to its comment as it is, and the comment with ``?`` in place of other bytes."""
    return found[1] + found[2].decode("utf-8", "replace").replace("\ufffd", "?").encode()


def _why_not_python(name: str, data: bytes) -> str:
    """Return why a file cannot be Python, or an empty string."""
    if (place := data.find(b"\0")) >= 0:
        return nul_characters(name, data.count(b"\n", 0, place) + 1)
    if data.lstrip().startswith(b"{") and re.search(rb'"nbformat"\s*:', data):
        return unreadable(name, "it is a notebook; give it the ending .ipynb, or save it as a .py file")
    if _WEB_PAGE.match(data):
        return unreadable(name, "it is a web page (HTML); download the file itself and hand that in")
    return ""
