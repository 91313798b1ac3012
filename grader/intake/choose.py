"""Of everything that one student handed in: exactly one file for each expected name, or a sentence why not.

An exact name goes before a close miss (``names``), and that before a file of another name that defines the
functions asked for; what was not named exactly is flagged and said. Two candidates with different contents
are never guessed between. Nothing here decodes or runs anything.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice

from grader.base.flags import (
    EMPTY_FILE,
    IGNORED_FILES,
    MISSING_FILE,
    REFUSED_FILES,
    RENAMED_FILE,
    SEVERAL_FILES,
)
from grader.course.model import Exercise
from grader.intake.chosen import MAX_NOTEBOOK, Chosen, expected_names, limit_of, listed
from grader.intake.content import defines
from grader.intake.helpers import is_test_file, take_helpers
from grader.sources.archives import HEAD, is_archive, is_handed_in, kind_of, open_nested
from grader.sources.limits import Room
from grader.sources.names import is_close, split_ending
from grader.sources.tree import Member, UnreadableError

_NOTHING = b"\xef\xbb\xbf \t\r\n\f"  # an editor writes a mark or a line into an empty file
_MAX_CANDIDATES = 10
_MAX_LOOKED_INTO = 50
_MAX_ARCHIVES = 5
_MAX_CONSIDERED = 5_000  # files of one hand-in


def choose(
    members: Sequence[Member], exercise: Exercise, owner: Collection[str] = (), *, lone: bool = False
) -> Chosen:
    """Take the expected files, the notebook and the helpers out of one hand-in.

    Args:
        members: What was handed in.
        exercise: What is expected.
        owner: Words of the student's names, which may stand in file names.
        lone: The only source file is named for its student; it is taken for what it defines, or else for the
            last expected file.
    """
    chosen = Chosen()
    with ExitStack() as stack:
        members = _considered(_with_archives(members, stack), exercise, chosen)
        if lone:
            members = _named(members, exercise)
        for expected in exercise.files:
            _take(expected, members, exercise, owner, chosen)
        _take_notebook(members, exercise, owner, chosen)
        take_helpers(members, exercise, chosen)
    _say_what_is_missing(members, exercise, chosen)
    _say_what_was_refused(members, chosen)
    return chosen


def _named(members: Sequence[Member], exercise: Exercise) -> Sequence[Member]:
    """The members, a single source file among them by the expected name for what it defines."""
    sources = [m for m in members if split_ending(m.name)[1] == "py"]
    if len(sources) != 1:
        return members
    name = (*defines(sources[0], exercise), exercise.files[-1])[0]
    return [replace(m, parts=(name,)) if m is sources[0] else m for m in members]


def _considered(members: Sequence[Member], exercise: Exercise, chosen: Chosen) -> Sequence[Member]:
    """The members; of a crowd those first that have an expected name, can be handed in, lie at the top."""
    if len(members) <= _MAX_CONSIDERED:
        return members
    chosen.flags.add(IGNORED_FILES)
    chosen.notes.append(
        f"Of the {len(members)} files, {_MAX_CONSIDERED} were looked at; hand in only what is asked for."
    )
    expected = expected_names(exercise)

    def rank(member: Member) -> tuple[bool, bool, int]:
        unlikely = bool(member.name) and not is_handed_in(member.name)
        return member.name not in expected, unlikely, len(member.parts)

    return sorted(members, key=rank)[:_MAX_CONSIDERED]


def _with_archives(members: Sequence[Member], stack: ExitStack) -> list[Member]:
    """The members, each archive among them replaced by what it holds; one that is refused says why."""
    room = Room.of_hand_in()
    plain = [m for m in members if not is_archive(m.name)]
    archives = [m for m in members if is_archive(m.name)]
    for member in archives[:_MAX_ARCHIVES]:
        try:
            tree = open_nested(member, stack, room)
        except UnreadableError as error:
            plain.append(replace(member, problem=str(error)))
            continue
        if tree.refused:  # no honest tool writes such names, so that nothing in it deserves trust
            bad = tree.refused[0]
            plain.append(replace(member, problem=f"is refused: {bad.name!r} in it {bad.why}"))
        else:
            plain += [replace(inner, parts=(*member.parts, *inner.parts)) for inner in tree.members]
    late = archives[_MAX_ARCHIVES:]
    return plain + [replace(m, problem="is one archive too many; hand in a single one") for m in late]


def _take(
    expected: str, members: Sequence[Member], exercise: Exercise, owner: Collection[str], chosen: Chosen
) -> None:
    """Put one expected file, or the reason why there is none, into ``chosen``."""
    exact = [m for m in members if m.name == expected]
    close = [m for m in members if m.name != expected and is_close(m.name, expected, owner)]
    found = exact or close or _by_content(expected, members, exercise)
    chosen.considered.update([*exact, *close] or found)
    data = _only_content(expected, found, limit_of(exercise), chosen)
    if data is None:
        return
    chosen.files[expected] = data
    if not data.strip(_NOTHING):
        chosen.flags.add(EMPTY_FILE)
    if not exact:
        _say_renamed(found[0], expected, chosen)
    elif close:
        chosen.notes.append(f"{expected} was taken; {listed(close)} was left out.")


def _only_content(expected: str, found: Sequence[Member], limit: int, chosen: Chosen) -> bytes | None:
    """The bytes that all of ``found`` have; None where there are none, with a problem if any was found."""
    if not found:
        return None
    contents: set[bytes] = set()
    try:
        for member in found[:_MAX_CANDIDATES]:
            contents.add(_content(member, limit))
    except UnreadableError as error:
        chosen.problems[expected] = str(error)
        return None
    if len(contents) == 1 and len(found) <= _MAX_CANDIDATES:
        return contents.pop()
    chosen.flags.add(SEVERAL_FILES)
    chosen.problems[expected] = (
        f"More than one file could be {expected}: {listed(found)}; hand in only the one that is meant."
    )
    return None


def _content(member: Member, limit: int) -> bytes:
    """The bytes of a file; raises UnreadableError with a whole sentence."""
    try:
        data = member.read(limit)
    except UnreadableError as error:
        raise UnreadableError(f"{member.path} {error}.") from None
    if kind := kind_of(data[:HEAD]):
        what = f"is a {kind} archive" if kind in ("zip", "tar") else kind.partition(",")[0]
        raise UnreadableError(f"{member.path} {what} under another name; hand in the file itself.")
    return data


def _say_renamed(member: Member, expected: str, chosen: Chosen) -> None:
    chosen.flags.add(RENAMED_FILE)
    chosen.notes.append(f"{member.path} was taken for {expected}; please keep the name {expected}.")


def _by_content(expected: str, members: Sequence[Member], exercise: Exercise) -> list[Member]:
    """The files of unrelated names that define one of the functions of an expected file."""
    sources = [m for m in members if split_ending(m.name)[1] == "py" and m.name not in exercise.files]
    others = [m for m in sources if not is_test_file(split_ending(m.name)[0])]
    if len(others) > _MAX_LOOKED_INTO:
        return []
    return [m for m in others if expected in defines(m, exercise)]


def _take_notebook(
    members: Sequence[Member], exercise: Exercise, owner: Collection[str], chosen: Chosen
) -> None:
    """The one notebook, unless every expected file is there without it."""
    expected = exercise.notebook
    exact = [m for m in members if m.name == expected]
    close = [m for m in members if is_close(m.name, expected, owner)]
    found = exact or close or [m for m in members if split_ending(m.name)[1] == "ipynb"]
    if found and len(chosen.files) == len(exercise.files):
        chosen.flags.add(IGNORED_FILES)
        chosen.notes.append(f"The .py files were graded; {listed(found)} was left out.")
        return
    chosen.notebook = _only_content(expected, found, MAX_NOTEBOOK, chosen)
    if chosen.notebook is None:
        return
    chosen.considered.update(found)
    if not exact:
        _say_renamed(found[0], expected, chosen)
    if chosen.files:
        chosen.flags.add(IGNORED_FILES)
        chosen.notes.append(f"{', '.join(chosen.files)} was graded, not what {found[0].path} says of it.")


def _say_what_is_missing(members: Sequence[Member], exercise: Exercise, chosen: Chosen) -> None:
    """A flag for what is missing; a problem where something else was found that may be it."""
    missing = [name for name in exercise.files if name not in chosen.files and name not in chosen.problems]
    if not missing or chosen.notebook is not None:
        return
    chosen.flags.add(MISSING_FILE)
    others = [m for m in members if m not in chosen.considered]
    unread = [m for m in others if m.problem and (not m.name or is_handed_in(m.name))]
    if not unread and (chosen.files or chosen.problems or not others):
        return
    named = listed(m for m in others if m.name)
    there = f"; there is {named}" if named else ""
    reasons = "".join(f" {m.path} {m.problem}." for m in unread[:2])
    for name in missing:
        chosen.problems[name] = f"{name} was not found{there}.{reasons}"


def _say_what_was_refused(members: Sequence[Member], chosen: Chosen) -> None:
    """A flag and notes for links, duplicates and their like, unless a problem says it already."""
    refused = [m for m in members if m.problem]
    if refused:
        chosen.flags.add(REFUSED_FILES)
    told = " ".join(chosen.problems.values())
    sentences = (f"{member.path} {member.problem}." for member in refused)
    chosen.notes += islice((sentence for sentence in sentences if sentence not in told), 3)
