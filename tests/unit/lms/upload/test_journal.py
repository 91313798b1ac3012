"""The journal of uploads: what survives a crash, and what is damaged."""

import json
from decimal import Decimal

import pytest

from grader.base.errors import GraderError
from grader.lms.upload.journal import Journal, Step
from grader.lms.upload.target import MARK_LENGTH, Entry


def step(student="a", state="sending", points="1", **more):
    """A step with one place and digest."""
    return Step("place", student, "digest", state, points, **more)


def test_journal_survives(tmp_path):
    """A reopened journal has all steps from the last time that a score was seen."""
    journal = Journal(tmp_path)
    journal.add([step(), step("b")])
    journal.add([step(state="sent"), step(state="seen", touched="t1", stamp=5), step(points="2")])
    assert Journal(tmp_path).of("place", "a") == [
        step(state="seen", touched="t1", stamp=5),
        step(points="2"),
    ]
    assert Journal(tmp_path).of("place", "b") == [step("b")]
    assert Journal(tmp_path).of("elsewhere", "a") == []


def test_journal_with_a_cut_end(tmp_path):
    """A last line that a crash cut off is ignored, and the next step replaces it."""
    Journal(tmp_path).add([step()])
    path = tmp_path / "uploads.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"place": "pla')
    journal = Journal(tmp_path)
    assert journal.of("place", "a") == [step()]
    journal.add([step(state="sent")])
    assert path.read_bytes().startswith(whole)
    assert [json.loads(line)["state"] for line in path.read_text().splitlines()] == ["sending", "sent"]
    assert Journal(tmp_path).of("place", "a") == [step(), step(state="sent")]


WHOLE = b'{"place": "p", "student": "a", "digest": "d", "state": "sent", "points": "1", "stamp": 5}\n'


@pytest.mark.parametrize(
    "line",
    [
        b"not json\n",
        b"{}\n",
        b'{"place": 1}\n',
        b"\n",
        b"\0" * 100 + b"\n",
        WHOLE[9:],
        *(WHOLE.replace(b'"1"', points) for points in (b'"x"', b'"NaN"', b'"1e9"', b"1")),
        WHOLE.replace(b"5", b"9" * 18),
    ],
)
def test_journal_that_is_damaged(tmp_path, line):
    """A damaged line before the end is an error with its number."""
    Journal(tmp_path).add([step()])
    path = tmp_path / "uploads.jsonl"
    path.write_bytes(path.read_bytes() + line)
    with pytest.raises(GraderError, match=r"uploads.jsonl line 2 is damaged; move the file away"):
        Journal(tmp_path)


def test_journal_that_cannot_be_read_or_written(tmp_path):
    """A folder in the journal's place is an error with its path."""
    journal = Journal(tmp_path)
    (tmp_path / "uploads.jsonl").mkdir()
    with pytest.raises(GraderError, match=r"uploads.jsonl could not be written: Is a directory"):
        journal.add([step()])
    with pytest.raises(GraderError, match=r"uploads.jsonl cannot be read: Is a directory"):
        Journal(tmp_path)


def test_mark_length():
    """MARK_LENGTH is the length of the mark and the line break before it."""
    entry = Entry("a", "1", Decimal(5), "text")
    assert len(f"\n{entry.mark}") == MARK_LENGTH
    assert entry.mark != Entry("a", "1", Decimal(6), "text").mark
