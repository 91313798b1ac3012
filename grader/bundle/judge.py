"""Say of a failed test what happened: its state, the kind of what happened, and the sentence."""

from __future__ import annotations

import builtins
import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from . import failure, hints, student_file, wording


class Verdict(NamedTuple):
    """What became of a test.

    ``kind`` decides which hint helps: ``value``, ``no-error``, ``slow``, ``memory``, ``ended``,
    ``arguments``, ``left-over``, the name of an error that has a hint, ``error`` for the others, or empty.
    ``waits`` is the unwritten function that was called. ``wanted`` is the error that should have been raised.
    """

    state: str
    sentence: str
    kind: str = ""
    waits: str = ""
    wanted: str = ""


def judge(
    excinfo: pytest.ExceptionInfo[BaseException],
    task: Mapping[str, Any],
    watch: student_file.Watch,
    folder: Path,
) -> Verdict:
    """Judge a test that failed."""
    error = excinfo.value
    text = student_file.text_of(error)
    if isinstance(error, student_file.EndTest):
        return Verdict(error.state, error.sentence, error.kind)
    if isinstance(error, NotImplementedError):
        return _not_started(error, text, task, watch, folder)
    if error is watch.raised:
        kind = "arguments" if watch.wrong_arguments else hints.kind_of(type(error).__name__)
        return Verdict("needs-work", _raised(excinfo, text, task["file"], watch, folder), kind)
    if wanted := failure.not_raised(text):
        sentence = failure.failed_raises(watch.calls, wanted)
        return Verdict("needs-work", sentence, "no-error", wanted=wanted)
    if isinstance(error, AssertionError):
        return Verdict("needs-work", failure.failed_check(watch.calls, watch.compared, text), "value")
    return Verdict("needs-work", wording.raised(watch.at or "This test", type(error).__name__, text), "error")


def _not_started(
    error: BaseException, text: str, task: Mapping[str, Any], watch: student_file.Watch, folder: Path
) -> Verdict:
    """NotImplementedError: a stub, a call of one, or a finished function with the stub's line still in it."""
    own = [frame for frame in student_file.frames(error) if Path(frame.filename).parent == folder]
    if error is watch.raised and own:
        name, path = own[-1].name, Path(own[-1].filename)
        if line := failure.left_over_raise(path.read_bytes().decode("utf-8", "replace"), name):
            return Verdict("needs-work", wording.left_over(watch.at, f"{path.name} line {line}"), "left-over")
        if name.isidentifier() and name != task["name"]:
            return Verdict("not-started", wording.needs_other(watch.at, name, text), waits=name)
    name = watch.calls[-1].text if watch.calls else task["name"]
    todo = text.partition(": ")[0] if watch.calls else text
    return Verdict("not-started", wording.not_started(name, todo, task["file"]))


def _raised(
    excinfo: pytest.ExceptionInfo[BaseException],
    text: str,
    file: str,
    watch: student_file.Watch,
    folder: Path,
) -> str:
    """The sentence for an error that the student's function raised."""
    error, call = excinfo.value, watch.at
    where = student_file.place(error, folder / file)
    if isinstance(error, student_file.AskedForInput):
        at, _, line = where.partition(" line ")
        return wording.asks_for_input(at or file, int(line) if line else None)
    if watch.wrong_arguments:
        return wording.wrong_arguments(call, text)
    if text.startswith("unhashable type") and where.startswith("test_"):
        return wording.cached(call, text)
    if isinstance(error, RecursionError):
        return wording.too_deep(call, where)
    test = next((e for e in excinfo.traceback if Path(e.path).name == f"test_{file}"), None)
    source = Path(test.path).read_text(encoding="utf-8") if test else ""
    expected = failure.expected_at(source, test.lineno + 1) if test else ""
    return wording.raised(call, type(error).__name__, text + _did_you_mean(error, text), where, expected)


def _did_you_mean(error: BaseException, text: str) -> str:
    """Python's suggestion for a name that does not exist, the same in every version, or nothing."""
    name = getattr(error, "name", None)
    if not isinstance(name, str) or "Did you mean" in text:
        return ""
    there: list[Any] = []
    if isinstance(error, NameError) and (step := error.__traceback__):
        while step.tb_next:
            step = step.tb_next
        there = [*step.tb_frame.f_locals, *step.tb_frame.f_globals, *dir(builtins)]
    elif isinstance(error, AttributeError):
        try:
            there = dir(error.obj)
        except Exception:  # noqa: BLE001 - a student's own __dir__ may raise anything
            return ""
    known = [one for one in there if isinstance(one, str) and one != name and not one.startswith("_")]
    near = difflib.get_close_matches(name, known, 1, 0.7)
    return f". Did you mean: '{near[0]}'?" if near else ""
