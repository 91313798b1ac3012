"""A source file as it was saved -> bytes that Python reads, by one rule, with a note on what was changed.

- UTF-16 and UTF-32 that begin with their byte order mark become UTF-8, and so does UTF-16 without one whose
  every second byte is NUL.
- NULs and Ctrl-Z behind the text, which some editors leave there, are dropped.
- In a comment, bytes that are not UTF-8 become ``?`` where no coding line says what they are: some versions
  of Python pass over them, others refuse the file, and no score shall depend on that.
- A file that still holds a NUL, a notebook and a web page are no Python text: that is a problem.

All else stays as it came, byte for byte, and Python itself says what is wrong with it.
"""

from __future__ import annotations

import re
from dataclasses import replace

from grader.base.flags import NOT_UTF8
from grader.base.text import marked_encoding
from grader.bundle.wording import unreadable
from grader.course.model import Exercise
from grader.intake.notebook.answers import read_notebook
from grader.intake.notebook.read import NotebookError
from grader.sources.submission import Submission

_LEFT_BEHIND = "has NUL or Ctrl-Z characters behind its text; they were left out"

_LOOKED_AT = 512  # bytes that tell UTF-16 without a mark
_CODING = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+")
_COMMENT = re.compile(
    rb"""^((?:[^'"#\r\n]|'(?:[^'\\\r\n]|\\.)*'|"(?:[^"\\\r\n]|\\.)*")*)(#[^\r\n]*)""", re.MULTILINE
)
_WEB_PAGE = re.compile(rb"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)


def prepared(submission: Submission, exercise: Exercise) -> Submission:
    """The submission as source files in UTF-8: from its notebook, if that is what came, and decoded."""
    return decoded(_without_notebook(submission, exercise))


def _without_notebook(submission: Submission, exercise: Exercise) -> Submission:
    if submission.notebook is None:
        return submission
    try:
        source = read_notebook(submission.notebook, exercise)
    except NotebookError as error:
        problems = {file: str(error) for file in exercise.files if file not in submission.files}
        return replace(submission, problems={**problems, **submission.problems})
    return replace(
        submission,
        files={**source.files, **submission.files},
        flags=(*submission.flags, *source.flags),
        notes=(*submission.notes, *source.notes),
    )


def decoded(submission: Submission) -> Submission:
    """The submission with its source files in bytes that Python reads, and notes on what was changed."""
    files, helpers = dict(submission.files), dict(submission.helpers)
    problems, notes, flags = dict(submission.problems), list(submission.notes), list(submission.flags)
    for group in (files, helpers):
        for name, data in list(group.items()):
            group[name], note = python_bytes(data)
            if note:
                notes.append(f"{name} {note}.")
            if note and note != _LEFT_BEHIND and NOT_UTF8 not in flags:
                flags.append(NOT_UTF8)
    for name, data in list(files.items()):
        if why := _no_python(data):
            problems[name] = unreadable(name, why)
            del files[name]
    return replace(
        submission,
        files=files,
        helpers=helpers,
        problems=problems,
        notes=tuple(notes),
        flags=tuple(flags),
    )


def python_bytes(data: bytes) -> tuple[bytes, str]:
    """The bytes for Python, and what was done to them as a sentence without its subject (empty: nothing)."""
    if encoding := _wide_encoding(data):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            return data, ""
        name = encoding[:6].upper()
        return _without_end(text.encode("utf-8", "replace")), f"was read as {name}; please save it as UTF-8"
    shorter = _without_end(data)
    if shorter != data:
        return shorter, _LEFT_BEHIND
    return _with_readable_comments(data)


def _wide_encoding(data: bytes) -> str:
    """UTF-16 or UTF-32 if that is what the file is; empty for anything else."""
    if (named := marked_encoding(data)) and named != "utf-8-sig":
        return named
    head = data[: min(_LOOKED_AT, len(data) // 2 * 2)]
    for encoding, zeros, letters in (
        ("utf-16-le", head[1::2], head[::2]),
        ("utf-16-be", head[::2], head[1::2]),
    ):
        if zeros and not any(zeros) and all(letters):
            return encoding
    return ""


def _without_end(data: bytes) -> bytes:
    """The bytes up to the NULs and Ctrl-Zs that stand behind the text."""
    end = len(data.rstrip(b"\0\x1a\r\n \t"))
    return data if not set(data[end:]) & set(b"\0\x1a") else data[:end] + b"\n"


def _with_readable_comments(data: bytes) -> tuple[bytes, str]:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
    else:
        return data, ""
    if any(_CODING.match(first) for first in data.split(b"\n", 2)[:2]):
        return data, ""
    readable = _COMMENT.sub(lambda found: found[1] + _ascii_where_needed(found[2]), data)
    return readable, f"is not UTF-8 (line {line}); please save it as UTF-8" if readable != data else ""


def _ascii_where_needed(comment: bytes) -> bytes:
    return comment.decode("utf-8", "replace").replace("\ufffd", "?").encode()


def _no_python(data: bytes) -> str:
    """Why a file cannot be Python text; empty where it may be."""
    if (place := data.find(b"\0")) >= 0:
        line = data.count(b"\n", 0, place) + 1
        return f"it holds NUL characters (line {line}); save it as UTF-8"
    if data.lstrip().startswith(b"{") and re.search(rb'"nbformat"\s*:', data):
        return "it is a notebook; give it the ending .ipynb, or save it as a .py file"
    if _WEB_PAGE.match(data):
        return "it is a web page (HTML); download the file itself and hand that in"
    return ""
