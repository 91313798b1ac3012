"""grader.intake.prepare: what Python cannot read is made readable by one rule, and the student is told."""

import pytest
from helpers.intake_class import exercise, member
from helpers.notebook_course import cell, notebook

from grader.base.flags import NOT_UTF8
from grader.intake.handin import HandIn
from grader.intake.prepare import decoded, python_bytes, read_hand_in
from grader.sources.submission import Submission

TEXT = "def total(xs):\n    return sum(xs)  # Größe\n"
PLAIN = b"def total(xs):\n    return sum(xs)\n"


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"\xff\xfe" + TEXT.encode("utf-16-le"), "UTF-16"),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), "UTF-16"),
        (b"\xff\xfe\x00\x00" + TEXT.encode("utf-32-le"), "UTF-32"),
        (b"\x00\x00\xfe\xff" + TEXT.encode("utf-32-be"), "UTF-32"),
    ],
)
def test_a_marked_encoding_becomes_utf8(data, name):
    """The byte order mark tells the encoding, and is removed."""
    assert python_bytes(data) == (TEXT.encode(), f"was read as {name}; please save it as UTF-8")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_recognised_by_its_nuls(encoding):
    """Every second byte of plain text in UTF-16 is NUL."""
    data, note = python_bytes(PLAIN.decode().encode(encoding))
    assert data == PLAIN
    assert note.startswith("was read as UTF-16")


def test_a_damaged_encoding_stays_as_it_came():
    """Half a character behind a mark is not repaired; nor is one that UTF-8 cannot hold left as it is."""
    damaged = b"\xff\xfe" + b"a\x00b"
    assert python_bytes(damaged) == (damaged, "")


@pytest.mark.parametrize("end", [b"\x1a", b"\x1a\r\n", b"\0\0\0", b"\n\x1a\0\n\x1a"])
def test_nuls_and_ctrl_z_behind_the_text_are_dropped(end):
    """With line ends between them."""
    data, note = python_bytes(PLAIN + end)
    assert data == PLAIN
    assert note == "has NUL or Ctrl-Z characters behind its text; they were left out"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        PLAIN,
        b"\xef\xbb\xbf" + PLAIN,
        PLAIN.replace(b"\n", b"\r\n"),
        PLAIN.replace(b"\n", b"\r"),
        TEXT.encode(),
        b"x = 1\n\n\n",
        b"# -*- coding: latin-1 -*-\n# Jos\xe9\n",
        b"#!/usr/bin/env python\n# vim: set fileencoding=cp1252 :\n# \x93\n",
        b"x = 'Jos\xe9'\n",
        b"x = '# Jos\xe9'\n",
        b'x = "it\'s # Jos\xe9"\n',
    ],
)
def test_the_rest_stays_byte_for_byte(data):
    """UTF-8 marks, any line ends, coding lines, and what Python refuses: other bytes in strings."""
    assert python_bytes(data) == (data, "")


@pytest.mark.parametrize(
    ("data", "readable", "line"),
    [
        (b"# Jos\xe9\nx = 1\n", b"# Jos?\nx = 1\n", 1),
        (b"x = 'a'  # Jos\xe9 \xc3\xa9\n", b"x = 'a'  # Jos? \xc3\xa9\n", 1),
        (b"x = 1\r\ny = '\\'#'  # \x93so\x94\r\n", b"x = 1\r\ny = '\\'#'  # ?so?\r\n", 2),
    ],
)
def test_in_comments_other_bytes_become_question_marks(data, readable, line):
    """So that every version of Python reads the file; texts before the comment are passed over."""
    assert python_bytes(data) == (readable, f"is not UTF-8 (line {line}); please save it as UTF-8")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"x = 1\ny\0 = 2\n", "it holds NUL characters (line 2); save it as UTF-8"),
        (
            b'\n {"cells": [], "nbformat": 4}',
            "it is a notebook; give it the ending .ipynb, or save it as a .py file",
        ),
        (b"\n<!DOCTYPE html>\n", "it is a web page (HTML); download the file itself and hand that in"),
        (b"<html lang='en'>", "it is a web page (HTML); download the file itself and hand that in"),
        (b"%PDF-1.7\n\0", "it is a PDF document; save the code as plain text and hand that in"),
        (rb"{\rtf1\ansi", "it is a rich text document (RTF); save the code as plain text and hand that in"),
        (b"\x89PNG\r\n\x1a\n\0", "it is a picture; save the code as plain text and hand that in"),
    ],
)
def test_a_file_that_is_not_python_is_a_problem(data, why):
    """It is not graded, and the sentence says what to do; the other file is not touched."""
    got = decoded(Submission("ada", {"sums.py": data, "more.py": PLAIN}))
    assert got.files == {"more.py": PLAIN}
    assert got.problems == {"sums.py": f"sums.py could not be read: {why}."}
    assert got.flags == ()


def test_notes_and_flags_are_added():
    """Each changed file has its note, helpers too; one flag says that an encoding was changed."""
    wide = TEXT.encode("utf-16")
    before = Submission(
        "ada", {"sums.py": wide}, {"more.py": wide, "end.py": b"x = 1\n\x1a"}, flags=("a",), notes=("b",)
    )
    got = decoded(before)
    assert got.files == {"sums.py": TEXT.encode()}
    assert got.helpers == {"more.py": TEXT.encode(), "end.py": b"x = 1\n"}
    assert got.flags == ("a", NOT_UTF8)
    assert got.notes == (
        "b",
        "sums.py was read as UTF-16; please save it as UTF-8.",
        "more.py was read as UTF-16; please save it as UTF-8.",
        "end.py has NUL or Ctrl-Z characters behind its text; they were left out.",
    )


def test_nuls_behind_the_text_are_not_flagged():
    """They get a note only."""
    assert decoded(Submission("ada", {"sums.py": PLAIN + b"\x1a"})).flags == ()


def test_a_good_file_is_not_touched():
    """The same submission comes back."""
    before = Submission("ada", {"sums.py": PLAIN}, {"more.py": PLAIN}, notes=("b",))
    assert decoded(before) == before


@pytest.mark.parametrize("unit", [b"'\\", b'"\xe9', b"#\xe9\n", b"'\xe9\n", b"''\"\""])
def test_hostile_text_is_quick(unit):
    """A quarter of a mebibyte made to be slow to look through costs less than a second."""
    import time  # noqa: PLC0415 - only this test measures

    started = time.process_time()
    python_bytes(unit * (262_144 // len(unit)) + b"\xe9")
    assert time.process_time() - started < 1


def hand_in(name, data, **fields):
    """A hand-in of Ada's with one file."""
    return HandIn((), (member(name, data),), name, student="ada", **fields)


def test_a_notebook_is_read_only_for_an_attempt_to_grade():
    """An attempt that does not count stays as it came."""
    data = notebook(cell("def reserved_slots(limit):\n    return limit"))
    got = read_hand_in(hand_in("reservation.ipynb", data), exercise(), to_grade=True)
    assert (got.files, [one.source for one in got.cells]) == (
        {},
        [b"def reserved_slots(limit):\n    return limit"],
    )
    kept = read_hand_in(hand_in("reservation.ipynb", data), exercise(), to_grade=False)
    assert (kept.files, kept.cells, kept.notebook) == ({}, (), data)


def test_a_script_made_of_a_notebook_is_read_like_one():
    """Its cells stand for the files that did not come; it does not stay a file."""
    data = b"# In[1]:\n\nANSWER = 1\n\n# In[2]:\n\ndef reserved_slots(limit):\n    return limit\n"
    got = read_hand_in(hand_in("reservation.py", data), exercise(), to_grade=True)
    assert (got.files, len(got.cells), got.flags) == ({}, 2, ())
    assert got.notes == ("reservation.py was made of a notebook; it was read cell by cell, like a notebook.",)
    assert b"ANSWER" in (got.notebook or b"")


def test_a_problem_of_the_hand_in_is_kept():
    """Nothing of it is read then."""
    got = read_hand_in(
        hand_in("reservation.py", b"x = 1", problem="It is refused."), exercise(), to_grade=True
    )
    assert got.problems == {"hands_on.py": "It is refused.", "reservation.py": "It is refused."}
    assert (got.files, got.student) == ({}, "ada")
