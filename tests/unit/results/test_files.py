"""OUT's files: whole or untouched, for their owner's eyes, and no two students in one folder."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import stat
import string
from dataclasses import replace

import pytest
from helpers import small_class
from hypothesis import given
from hypothesis import strategies as st

from grader.base.errors import GraderError
from grader.base.files import write_whole
from grader.results.files import (
    load_result,
    load_results,
    result_bytes,
    safe_name,
    scores_bytes,
    student_folder,
)


def test_file_for_its_owner(tmp_path):
    """A file is written with its folders, and nobody else can read either."""
    path = tmp_path / "students" / "ada" / "result.json"
    write_whole(path, b"one")
    assert path.read_bytes() == b"one"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    write_whole(path, b"two", durable=False)
    assert path.read_bytes() == b"two"
    assert [one.name for one in path.parent.iterdir()] == ["result.json"]


def test_no_room_for_the_file(tmp_path):
    """When a write fails, what was there stays, nothing half-written is left, and the path is named."""
    path = tmp_path / "scores.csv"
    write_whole(path, b"old\n")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        with pytest.raises(GraderError) as caught:
            write_whole(path, b"x" * 10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert str(caught.value) == (
        f"{path} could not be written: File too large. What was there before is untouched."
    )
    assert caught.value.exit_status == 1
    assert path.read_bytes() == b"old\n"
    assert [one.name for one in tmp_path.iterdir()] == ["scores.csv"]


def test_disk_that_fills_while_flushing(tmp_path, monkeypatch):
    """A disk that turns out full only when the bytes are flushed costs nothing that was there."""

    def full(_handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "scores.csv"
    path.write_bytes(b"old\n")
    monkeypatch.setattr("grader.base.files.os.fsync", full)
    with pytest.raises(
        GraderError, match=r"scores\.csv could not be written: No space left on device\. What"
    ):
        write_whole(path, b"new\n")
    assert path.read_bytes() == b"old\n"
    assert [one.name for one in tmp_path.iterdir()] == ["scores.csv"]


def test_folder_that_cannot_be_made(tmp_path):
    """Where a file stands in the way of a folder, the path is named."""
    (tmp_path / "students").write_bytes(b"")
    with pytest.raises(GraderError, match=r"students/ada/result\.json could not be written: "):
        write_whole(tmp_path / "students" / "ada" / "result.json", b"")


@pytest.mark.parametrize("student", ["ada", "0041207", "a.b-c_d", "x" * 64, "mallory-net", "com", "con1"])
def test_plain_ids_are_their_own_names(student):
    """An id that any file system takes is the folder's name."""
    assert safe_name(student) == student


@pytest.mark.parametrize(
    "student",
    [
        "Ada",
        "ada.",
        "a/b",
        "../x",
        "..",
        ".",
        "",
        ".ada",
        "con",
        "nul.txt",
        "com1",
        "lpt9.x",
        "x" * 65,
        "a b",
        "李小明",
    ],
)
def test_other_ids_get_a_digest(student):
    """Any other id becomes readable letters and a digest, which no plain id looks like."""
    name = safe_name(student)
    assert set(name) <= set(string.ascii_lowercase + string.digits + "_-~")
    assert name.partition("~")[2] != ""
    assert len(name) <= 41


@given(st.lists(st.text(max_size=80), unique=True, min_size=2, max_size=8))
def test_two_ids_never_share_a_folder(students):
    """Different ids have different names, on file systems that fold case and normalise as well."""
    names = [safe_name(student).casefold() for student in students]
    assert len(set(names)) == len(names)


@given(st.text(max_size=200))
def test_any_id_is_one_harmless_name(student):
    """A name is one step below OUT/students, never a way out of it, and short enough for any file system."""
    name = safe_name(student)
    assert "/" not in name
    assert "\\" not in name
    assert name not in ("", ".", "..")
    assert len(name.encode()) <= 64


def test_result_comes_back(tmp_path):
    """A result that was written is read back equal, and the same result gives the same bytes."""
    result = small_class.result("00017", ("add-two",), 2.5, flags=("late",))
    path = tmp_path / "result.json"
    path.write_bytes(result_bytes(result))
    assert load_result(path) == result
    assert result_bytes(load_result(path)) == path.read_bytes()


def test_fields_of_a_result():
    """result.json holds the fields that others rely on, in their order."""
    document = json.loads(result_bytes(small_class.result("00017", ("add-two",))))
    assert [*document][:10] == [
        "student",
        "exercise",
        "status",
        "score",
        "max_score",
        "late_penalty",
        "criteria",
        "diagnoses",
        "flags",
        "submission",
    ]
    assert document["score"] == 8
    assert document["criteria"][1] == {
        "id": "add-none",
        "task": "add",
        "visibility": "hidden",
        "points": 0,
        "max_points": 4,
        "status": "needs-work",
        "message": "",
    }


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b'{"student": "ada"', b"\xff"])
def test_damaged_result(tmp_path, data):
    """A file that is no result of ours is named."""
    path = tmp_path / "students" / "ada" / "result.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    with pytest.raises(GraderError, match=r"result\.json is not a result of this grader: "):
        load_results(tmp_path)


def test_results_are_sorted(tmp_path):
    """All results come back sorted by id, whatever their folders are called."""
    for student in ("b", "Ada", "00017"):
        write_whole(
            student_folder(tmp_path, student) / "result.json", result_bytes(small_class.result(student))
        )
    (tmp_path / "students" / "empty").mkdir()
    assert [result.student for result in load_results(tmp_path)] == ["00017", "Ada", "b"]


def test_no_results(tmp_path):
    """An OUT without any student has no results."""
    assert load_results(tmp_path) == []


def test_half_a_pair_is_written_as_json_writes_it():
    """A text that no encoding knows is no reason to lose a result."""
    odd = replace(small_class.result("ada"), notes=("a\ud800b",))
    data = result_bytes(odd)
    assert b'"a\\ud800b"' in data
    assert json.loads(data)["notes"] == ["a\ud800b"]


def test_scores_table():
    """A row for everyone, sorted; a score is blank unless graded; ids keep their zeros; none is a formula."""
    rows = scores_bytes(
        [
            small_class.result("b", (), flags=("late", "renamed-file")),
            small_class.result("00017", penalty=2.5),
            small_class.result("=1+1", status="unreadable"),
            small_class.result("a,b", status="missing"),
            small_class.result("z", status="grader-error"),
        ]
    )
    assert rows.decode() == (
        "student,status,score,max_score,late_penalty,submitted_at,flags\n"
        "00017,graded,20,20,2.5,2026-10-24T10:00:00+00:00,\n"
        "'=1+1,unreadable,,20,,2026-10-24T10:00:00+00:00,\n"
        '"a,b",missing,,20,,,\n'
        "b,graded,0,20,0,2026-10-24T10:00:00+00:00,late renamed-file\n"
        "z,grader-error,,20,,2026-10-24T10:00:00+00:00,\n"
    )
