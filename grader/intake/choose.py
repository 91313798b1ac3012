"""Choose one file of a hand-in for each expected name, or say why not; take the other modules as helpers.

An exact name comes before a close miss (``sources.names``), and that before a file of another name that
defines the functions asked for; a file without the exact name is flagged and noted. Of two candidates with
different contents none is chosen. A file that is as it was released is no answer: any other candidate, and
the notebook, come before it. Nothing here runs anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
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
from grader.intake.handin import HandIn
from grader.intake.helper_files import is_test_file, max_bytes, read_within, take_helpers
from grader.intake.notebook.read import MAX_NOTEBOOK
from grader.intake.notebook.script import read_script
from grader.intake.other_lesson import other_exercise, without_others
from grader.sources.archives import HEAD, is_archive, is_handed_in, kind_of, open_nested
from grader.sources.names import is_close, split_ending
from grader.sources.submission import Submission
from grader.sources.tree import Member, UnreadableError

_NOTHING = b"\xef\xbb\xbf \t\r\n\f"  # editors write a mark or a line end into an empty file
_MAX_CANDIDATES = 10
_MAX_SEARCHED = 50  # files of unrelated names that are searched for the functions asked for
_MAX_ARCHIVES = 5
_MAX_CONSIDERED = 5_000  # files of one hand-in
_ONLINE_TEXTS = ("onlinetext.html", "text.html")  # as Moodle and Canvas name it


@dataclass
class _Chosen:
    """What was chosen so far, in fields of Submission; ``considered`` are the members that had a chance."""

    files: dict[str, bytes] = field(default_factory=dict)
    helpers: dict[str, bytes] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    notebook: bytes | None = None
    flags: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    considered: set[Member] = field(default_factory=set)


def expected_names(exercise: Exercise) -> tuple[str, ...]:
    """Return the names that files of the course may have: this exercise's own come before the others'."""
    names = [(*one.files, one.notebook) for one in (exercise, *exercise.others)]
    return tuple(dict.fromkeys(name for some in names for name in some))


def choose(hand_in: HandIn, exercise: Exercise) -> Submission:
    """Take the expected files, the notebook and the helpers out of one hand-in.

    A single file that is named for the student is taken for what it defines, or else for the last expected
    file.
    """
    chosen, owner = _Chosen(), hand_in.owner_words
    with ExitStack() as stack:
        members = _considered(_with_archives(hand_in.members, stack), exercise, chosen)
        if other := other_exercise(members, exercise):
            wanted = " and ".join(exercise.files)
            why = f"This is the hand-in of {other.name}; hand in {wanted} of {exercise.name}."
            return replace(hand_in.empty_submission(), problems=dict.fromkeys(exercise.files, why))
        members = without_others(members, exercise, (*exercise.files, exercise.notebook))
        sources = [m for m in members if split_ending(m.name)[1] == "py"]
        if hand_in.named_for_student and len(sources) == 1:
            name = (*defines(sources[0], exercise), exercise.files[-1])[0]
            members = [replace(m, parts=(name,)) if m is sources[0] else m for m in members]
        for expected in exercise.files:
            _take(expected, members, exercise, owner, chosen)
        _take_notebook(members, exercise, owner, chosen)
        folders = {m.parts[:-1] for m in chosen.considered}
        beside = [m for m in members if m.parts[:-1] in folders and m not in chosen.considered]
        chosen.helpers, ignored = take_helpers(beside, exercise)
        if ignored:
            chosen.flags.add(IGNORED_FILES)
            chosen.notes.append(f"Left out: {_listed(ignored)}.")
    _say_what_is_missing(members, exercise, chosen)
    _say_what_was_refused(members, chosen)
    return replace(
        hand_in.empty_submission(),
        files=chosen.files,
        helpers=chosen.helpers,
        problems=chosen.problems,
        flags=tuple(sorted({*chosen.flags, *hand_in.flags})),
        notebook=chosen.notebook,
        notes=tuple(chosen.notes),
    )


def defines(member: Member, exercise: Exercise) -> list[str]:
    """Return the expected files of which a file defines a function, in the exercise's order.

    The text is searched, because parsing what was handed in would be a needless risk.
    """
    data = read_within(member, max_bytes(exercise)) or b""
    return [
        file
        for file, functions in exercise.functions.items()
        if any(re.search(rb"^(?:async\s+)?def\s+%b\s*\(" % f.encode(), data, re.MULTILINE) for f in functions)
    ]


def _considered(members: Sequence[Member], exercise: Exercise, chosen: _Chosen) -> Sequence[Member]:
    """Return the members; of too many, those first that are expected, can be handed in, lie at the top."""
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
    """Return the members with each archive replaced by its members; a refused one gets a problem."""
    plain = [m for m in members if not is_archive(m.name)]
    archives = [m for m in members if is_archive(m.name)]
    for member in archives[:_MAX_ARCHIVES]:
        try:
            tree = open_nested(member, stack)
        except UnreadableError as error:
            plain.append(replace(member, problem=str(error)))
            continue
        if tree.refused:  # no honest tool writes such names: trust nothing in it
            bad = tree.refused[0]
            plain.append(replace(member, problem=f"is refused: {bad.name!r} in it {bad.why}"))
        else:
            plain += [replace(inner, parts=(*member.parts, *inner.parts)) for inner in tree.members]
    late = archives[_MAX_ARCHIVES:]
    return plain + [replace(m, problem="was not read: too many archives; hand in a single one") for m in late]


def _take(
    expected: str, members: Sequence[Member], exercise: Exercise, owner: Collection[str], chosen: _Chosen
) -> None:
    """Choose one expected file, or note why there is none."""
    exact = [m for m in members if m.name == expected]
    close = [m for m in members if m.name != expected and is_close(m.name, expected, owner)]
    named = exact or close
    found = _changed_since_release(exact, expected, exercise) or _changed_since_release(
        close, expected, exercise
    )
    if not found:
        sources = [m for m in members if split_ending(m.name)[1] == "py" and m.name not in exercise.files]
        others = [m for m in sources if not is_test_file(split_ending(m.name)[0])]
        if len(others) <= _MAX_SEARCHED:
            others = [m for m in others if m not in close and expected in defines(m, exercise)]
            found = _changed_since_release(others, expected, exercise) if named else others
    found = found or named
    chosen.considered.update([*exact, *close, *found])
    data = _only_content(expected, found, max_bytes(exercise), chosen)
    if data is None:
        return
    chosen.files[expected] = data
    if not data.strip(_NOTHING):
        chosen.flags.add(EMPTY_FILE)
    if found[0] not in exact:
        _say_renamed(found[0], expected, chosen)
        if exact:
            chosen.notes[-1] += f" {_listed(exact)} is as it was released."
    elif close:
        chosen.notes.append(f"{expected} was taken; {_listed(close)} was left out.")


def _changed_since_release(members: list[Member], expected: str, exercise: Exercise) -> list[Member]:
    """Return the members that differ from the released file in more than blanks and comments.

    Of too many candidates none is read.
    """
    if expected not in exercise.released or len(members) > _MAX_CANDIDATES:
        return members
    released = _code_lines(expected, exercise.released[expected])
    limit = MAX_NOTEBOOK if expected == exercise.notebook else max_bytes(exercise)
    data = [(m, read_within(m, limit)) for m in members]
    return [m for m, content in data if content is None or _code_lines(expected, content) != released]


def _code_lines(name: str, data: bytes) -> list[bytes]:
    """Return the lines of a file, or of a notebook's code cells, without blanks and comment lines."""
    if name.endswith(".ipynb"):
        try:
            cells = json.loads(data)["cells"]
            sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return [data]
        data = "\n".join(sources).encode("utf-8", "surrogatepass")
    lines = (b"".join(line.split()) for line in data.removeprefix(_NOTHING[:3]).splitlines())
    return [line for line in lines if line and not line.startswith(b"#")]


def _only_content(expected: str, found: Sequence[Member], limit: int, chosen: _Chosen) -> bytes | None:
    """Return the bytes that all of ``found`` have; note a problem if they differ or cannot be read."""
    contents: set[bytes] = set()
    for member in found[:_MAX_CANDIDATES]:
        problem = ""
        try:
            data = member.read(limit)
        except UnreadableError as error:
            problem = f"{error}."
        else:
            contents.add(data)
            if kind := kind_of(data[:HEAD]):
                what = f"is a {kind} archive" if kind in ("zip", "tar") else kind.partition(",")[0]
                problem = f"{what} under another name; hand in the file itself."
        if problem:
            chosen.problems[expected] = f"{member.path} {problem}"
            return None
    if len(contents) == 1 and len(found) <= _MAX_CANDIDATES:
        return contents.pop()
    if found:
        chosen.flags.add(SEVERAL_FILES)
        chosen.problems[expected] = (
            f"More than one file could be {expected}: {_listed(found)}; hand in only the one that is meant."
        )
    return None


def _say_renamed(member: Member, expected: str, chosen: _Chosen) -> None:
    chosen.flags.add(RENAMED_FILE)
    chosen.notes.append(f"{member.path} was taken for {expected}; please keep the name {expected}.")


def _take_notebook(
    members: Sequence[Member], exercise: Exercise, owner: Collection[str], chosen: _Chosen
) -> None:
    """Choose the one notebook, unless every expected file came as ``.py``."""
    expected = exercise.notebook
    exact = [m for m in members if m.name == expected]
    close = [m for m in members if is_close(m.name, expected, owner)]
    others = [m for m in members if split_ending(m.name)[1] == "ipynb"]
    found = exact or close or others
    answered = next(
        filter(None, (_changed_since_release(some, expected, exercise) for some in (exact, close, others))),
        [],
    )
    stubs = [
        name
        for name, data in chosen.files.items()
        if name in exercise.released and _code_lines(name, data) == _code_lines(name, exercise.released[name])
    ]
    if answered and stubs:
        for name in stubs:
            del chosen.files[name]
        verb = "is as it was" if len(stubs) == 1 else "are as they were"
        chosen.notes.append(f"{' and '.join(stubs)} {verb} released; {_listed(answered)} was read instead.")
    scripts = [name for name, data in chosen.files.items() if read_script(name, data, exercise)]
    if answered and scripts:
        for name in scripts:
            del chosen.files[name]
        verb = "is a script" if len(scripts) == 1 else "are scripts"
        chosen.flags.add(IGNORED_FILES)
        chosen.notes.append(
            f"{' and '.join(scripts)} {verb} made of a notebook; {_listed(answered)} was read."
        )
    if found and (scripts or len(chosen.files) == len(exercise.files)) and not (answered and scripts):
        if answered:
            chosen.flags.add(IGNORED_FILES)
            chosen.notes.append(f"The .py files were graded; {_listed(answered)} was left out.")
        return
    found = answered or found
    chosen.notebook = _only_content(expected, found, MAX_NOTEBOOK, chosen)
    if chosen.notebook is None:
        return
    chosen.considered.update(found)
    if found[0].name != expected:
        _say_renamed(found[0], expected, chosen)
    if chosen.files and answered:
        chosen.flags.add(IGNORED_FILES)
        graded = ", ".join(chosen.files)
        chosen.notes.append(f"{graded} was graded; the same tasks in {found[0].path} were ignored.")


def _say_what_is_missing(members: Sequence[Member], exercise: Exercise, chosen: _Chosen) -> None:
    """Flag what is missing; note a problem if another file may be it."""
    missing = [name for name in exercise.files if name not in chosen.files and name not in chosen.problems]
    if not missing or chosen.notebook is not None:
        return
    chosen.flags.add(MISSING_FILE)
    others = [m for m in members if m not in chosen.considered]
    unread = [m for m in others if m.problem and (not m.name or is_handed_in(m.name))]
    if not unread and (chosen.files or chosen.problems or not others):
        return
    named = _listed(m for m in others if m.name)
    there = f"; there is {named}" if named else ""
    if any(m.name in _ONLINE_TEXTS for m in others):
        there = "; what came is text that was pasted into the page: hand in the file itself"
    reasons = "".join(f" {m.path} {m.problem}." for m in unread[:2])
    for name in missing:
        chosen.problems[name] = f"{name} was not found{there}.{reasons}"


def _say_what_was_refused(members: Sequence[Member], chosen: _Chosen) -> None:
    """Flag and note links, duplicates and the like, unless a problem names them already."""
    refused = [m for m in members if m.problem]
    if refused:
        chosen.flags.add(REFUSED_FILES)
    said = " ".join(chosen.problems.values())
    sentences = (f"{member.path} {member.problem}." for member in refused)
    chosen.notes += islice((sentence for sentence in sentences if sentence not in said), 3)


def _listed(members: Iterable[Member], most: int = 5) -> str:
    """List at most ``most`` of the members' names for a sentence."""
    ordered = sorted(members, key=lambda member: member.parts)
    more = f" and {len(ordered) - most} more" if len(ordered) > most else ""
    return ", ".join(member.path for member in ordered[:most]) + more
