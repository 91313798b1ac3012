"""Of everything that one student handed in: exactly one file for each expected name, or a sentence why not.

An exact name goes before a close miss (``names``); a close miss is taken, flagged and said. Two candidates
with different contents are never guessed between. Other ``.py`` files beside the chosen ones come along as
helpers. Nothing here decodes or runs anything.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from grader.course import Exercise
from grader.intake.member import Member, Refusal, amount
from grader.intake.names import is_close
from grader.intake.source import MAX_PACKED, is_archive, kind_of, open_nested

MAX_NOTEBOOK = 10 << 20  # bytes: pictures in the cells' outputs make a notebook large
MAX_HELPERS = 20

_PYTEST_OWN = re.compile(r"test_.*|.*_test|conftest|pytest.*|_pytest|pluggy|sitecustomize|usercustomize")


@dataclass
class Chosen:
    """What was taken of one hand-in; the fields are those of Submission."""

    files: dict[str, bytes] = field(default_factory=dict)
    helpers: dict[str, bytes] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    notebook: bytes | None = None
    flags: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)


def choose(members: Sequence[Member], exercise: Exercise, owner: frozenset[str], stack: ExitStack) -> Chosen:
    """Take the expected files out of one hand-in's members."""
    chosen = Chosen()
    members = _with_archives(members, stack)
    taken: list[Member] = []
    for expected in exercise.files:
        taken += _take(expected, members, exercise, owner, chosen)
    _take_notebook(members, exercise, owner, chosen)
    _take_helpers(members, taken, exercise, chosen)
    _say_what_was_found(members, taken, exercise, chosen)
    return chosen


def notebook_name(exercise: Exercise) -> str:
    """The name of the exercise's notebook: its last file's, with the notebooks' ending."""
    return exercise.files[-1].removesuffix(".py") + ".ipynb"


def _limit(exercise: Exercise) -> int:
    return exercise.limits.file_kib << 10


def _with_archives(members: Sequence[Member], stack: ExitStack) -> list[Member]:
    """The members, each archive among them replaced by what it holds; one that is refused says why."""
    plain: list[Member] = []
    for member in members:
        if not is_archive(member):
            plain.append(member)
            continue
        try:
            tree = open_nested(member, stack)
            if tree.refused:
                bad = tree.refused[0]
                raise Refusal(f"is refused: its member {bad.name} {bad.why}")  # noqa: TRY301  # one way out
        except Refusal as refusal:
            plain.append(replace(member, problem=str(refusal)))
            continue
        plain += [replace(inner, parts=(*member.parts, *inner.parts)) for inner in tree.members]
    return plain


def _take(
    expected: str, members: Sequence[Member], exercise: Exercise, owner: frozenset[str], chosen: Chosen
) -> list[Member]:
    """Put one expected file, or the reason why there is none, into ``chosen``; what was considered."""
    exact = [m for m in members if m.name == expected]
    close = [m for m in members if m.name != expected and is_close(m.name, expected, owner)]
    found = exact or close or _by_content(expected, members, exercise)
    if not found:
        return []
    try:
        contents = {m.path: _content(m, _limit(exercise)) for m in found}
    except Refusal as refusal:
        chosen.problems[expected] = str(refusal)
        return found
    if len(set(contents.values())) > 1:
        listed = " and ".join(sorted(contents))
        chosen.problems[expected] = (
            f"There is more than one {expected}: {listed}; hand in only the one that is meant."
        )
        chosen.flags.add("several-files")
        return found
    chosen.files[expected] = next(iter(contents.values()))
    if not chosen.files[expected].strip():
        chosen.flags.add("empty-file")
    if not exact:
        chosen.flags.add("renamed-file")
        chosen.notes.append(f"{found[0].path} was taken for {expected}; please keep that name.")
    elif close:
        chosen.notes.append(f"{expected} was taken; {_listed(close)} was left out.")
    return found + close


def _content(member: Member, limit: int) -> bytes:
    """The bytes of a source file; raises Refusal with a whole sentence."""
    try:
        data = member.read(limit)
    except Refusal as refusal:
        raise Refusal(f"{member.path} {refusal}.") from None
    if kind := kind_of(data[:512]):
        what = f"is a {kind} archive" if kind in ("zip", "tar") else kind.partition(",")[0]
        raise Refusal(f"{member.path} {what} under another name; hand in the .py file itself.")
    return data


def _by_content(expected: str, members: Sequence[Member], exercise: Exercise) -> list[Member]:
    """The ``.py`` files of unrelated names that define one of the functions of an expected file.

    Looked for in the text: to parse what was handed in would be a risk without need.
    """
    functions = exercise.functions[expected]
    if not functions:
        return []
    defines = re.compile(
        rb"^(?:async[ \t]+)?def[ \t]+(?:" + b"|".join(name.encode() for name in functions) + rb")[ \t]*\(",
        re.M,
    )
    return [
        m
        for m in members
        if m.name.lower().endswith(".py")
        and m.name not in exercise.files
        and not _PYTEST_OWN.fullmatch(m.name[:-3])
        and not m.problem
        and m.size <= _limit(exercise)
        and defines.search(_peek(m, _limit(exercise)))
    ]


def _peek(member: Member, limit: int) -> bytes:
    try:
        return member.read(limit)
    except Refusal:
        return b""


def _take_notebook(
    members: Sequence[Member], exercise: Exercise, owner: frozenset[str], chosen: Chosen
) -> None:
    """The one notebook, unless every expected file is there without it."""
    expected = notebook_name(exercise)
    books = [m for m in members if m.name.lower().endswith(".ipynb") or is_close(m.name, expected, owner)]
    if not books:
        return
    found = (
        [m for m in books if m.name == expected]
        or [m for m in books if is_close(m.name, expected, owner)]
        or books
    )
    if len(chosen.files) == len(exercise.files):
        chosen.flags.add("ignored-files")
        chosen.notes.append(f"The .py files were graded; the notebook {_listed(found)} was left out.")
        return
    try:
        contents = {m.path: m.read(MAX_NOTEBOOK) for m in found}
    except Refusal as refusal:
        chosen.problems[expected] = f"{_listed(found)} {refusal}."
        return
    if len(set(contents.values())) > 1:
        chosen.problems[expected] = (
            f"There is more than one notebook: {_listed(found)}; hand in only the one that is meant."
        )
        chosen.flags.add("several-files")
        return
    chosen.notebook = next(iter(contents.values()))
    if found[0].name != expected:
        chosen.flags.add("renamed-file")
        chosen.notes.append(f"{found[0].path} was taken for {expected}; please keep that name.")
    if chosen.files:
        chosen.notes.append(f"{' and '.join(chosen.files)} went before the notebook {found[0].path}.")


def _take_helpers(
    members: Sequence[Member], taken: Sequence[Member], exercise: Exercise, chosen: Chosen
) -> None:
    """The other ``.py`` files of the folders that the chosen files came from."""
    folders = {m.parts[:-1] for m in taken}
    ignored: list[Member] = []
    room = 4 * _limit(exercise)
    for member in members:
        if member in taken or not member.name.endswith(".py") or member.parts[:-1] not in folders:
            continue
        stem = member.name[:-3]
        if stem.removeprefix("test_") + ".py" in exercise.files:
            continue  # the visible tests are part of what every student was given
        name = _helper_name(stem)
        data = _peek(member, min(room, _limit(exercise)))
        if not name or not data or name in chosen.helpers or len(chosen.helpers) == MAX_HELPERS:
            ignored.append(member)
            continue
        chosen.helpers[name] = data
        room -= len(data)
    if ignored:
        chosen.flags.add("ignored-files")
        chosen.notes.append(f"Left out: {_listed(ignored)}.")


def _helper_name(stem: str) -> str:
    """The name under which a helper can be imported, or nothing; platforms number copies as ``NAME-1``."""
    plain = re.sub(r"-\d+$", "", stem)
    if not plain.isidentifier() or keyword.iskeyword(plain) or _PYTEST_OWN.fullmatch(plain.lower()):
        return ""
    return f"{plain}.py"


def _say_what_was_found(
    members: Sequence[Member], taken: Sequence[Member], exercise: Exercise, chosen: Chosen
) -> None:
    """For what is missing: a problem where something else was found, a flag where nothing was."""
    missing = [name for name in exercise.files if name not in chosen.files and name not in chosen.problems]
    if not missing or chosen.notebook is not None or notebook_name(exercise) in chosen.problems:
        return
    others = [m for m in members if m not in taken]
    if not chosen.files and others:
        unread = [m for m in others if m.problem]
        why = f" {unread[0].path} {unread[0].problem}." if unread else ""
        for name in missing:
            chosen.problems[name] = (
                f"{name} was not found; there is {_listed(others)}.{why} Hand in the file under its own name."
            )
    chosen.flags.add("missing-file")


def _listed(members: Sequence[Member], most: int = 5) -> str:
    """Names for a sentence, at most ``most`` of them."""
    names = sorted(m.path for m in members)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


__all__ = ["MAX_NOTEBOOK", "MAX_PACKED", "Chosen", "amount", "choose", "notebook_name"]
