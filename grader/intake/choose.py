"""Choose one file of a hand-in for each expected name, or say why not; take the other modules as helpers.

An exact name comes before a close miss (``sources.names``), and that before a file of another name that
defines the functions asked for; a file without the exact name is flagged and noted. Of two candidates with
different contents none is chosen. A file that is as it was released is no answer: any other candidate, and
the notebook, come before it. Nothing here runs anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cache
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
from grader.intake.notebook.read import MAX_NOTEBOOK, read_script
from grader.intake.other_lesson import other_exercise, without_others
from grader.intake.platforms.fetched import ONLINE_TEXT
from grader.sources.archives import HEAD, archive_kind, is_archive, is_handed_in, open_nested
from grader.sources.names import is_close, split_ending
from grader.sources.submission import Submission
from grader.sources.tree import Member, UnreadableError

_NOTHING = b"\xef\xbb\xbf \t\r\n\f"  # editors write a mark or a line end into an empty file
_MAX_SEARCHED = 50  # files of unrelated names that are searched for the functions asked for
_ONLINE_TEXTS = (ONLINE_TEXT, "text.html")  # as Moodle and Canvas name it


def expected_names(exercise: Exercise) -> tuple[str, ...]:
    """Return the names that files of the course may have: this exercise's own come before the others'."""
    names = [(*one.files, one.notebook) for one in (exercise, *exercise.others)]
    return tuple(dict.fromkeys(name for some in names for name in some))


def choose(hand_in: HandIn, exercise: Exercise) -> Submission:
    """Take the expected files, the notebook and the helpers out of one hand-in.

    A single file that is named for the student is taken for what it defines, or else for the last expected
    file.
    """
    with ExitStack() as stack:
        choice = _Choice(exercise, hand_in.owner_words, _with_archives(hand_in.members, stack))
        if other := other_exercise(choice.members, exercise):
            wanted = " and ".join(exercise.files)
            why = f"This is the hand-in of {other.name}; hand in {wanted} of {exercise.name}."
            return replace(hand_in.empty_submission(), problems=dict.fromkeys(exercise.files, why))
        choice.members = without_others(choice.members, exercise, (*exercise.files, exercise.notebook))
        sources = [m for m in choice.members if split_ending(m.name)[1] == "py"]
        if hand_in.named_for_student and len(sources) == 1:
            name = (*defines(sources[0], exercise), exercise.files[-1])[0]
            choice.members = [replace(m, parts=(name,)) if m is sources[0] else m for m in choice.members]
        for expected in exercise.files:
            choice.take_file(expected)
        choice.take_notebook()
        folders = {m.parts[:-1] for m in choice.considered}
        beside = [m for m in choice.members if m.parts[:-1] in folders and m not in choice.considered]
        helpers, ignored = take_helpers(beside, exercise)
        if ignored:
            choice.note(f"Left out: {_listed(ignored)}.", IGNORED_FILES)
    choice.say_what_is_missing()
    choice.say_what_was_refused()
    return replace(
        hand_in.empty_submission(),
        files=choice.files,
        helpers=helpers,
        problems=choice.problems,
        flags=tuple(sorted({*choice.flags, *hand_in.flags})),
        notebook=choice.notebook,
        notes=tuple(choice.notes),
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


def _with_archives(members: Sequence[Member], stack: ExitStack) -> list[Member]:
    """Return the members with each archive replaced by its members; a refused one gets a problem."""
    plain = [m for m in members if not is_archive(m.name)]
    for member in (m for m in members if is_archive(m.name)):
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
    return plain


@dataclass
class _Choice:
    """What was chosen of one hand-in so far, in fields of Submission.

    ``owner`` are words of the student's names. ``considered`` are the ``members`` that had a chance.
    """

    exercise: Exercise
    owner: frozenset[str]
    members: Sequence[Member]
    files: dict[str, bytes] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    notebook: bytes | None = None
    flags: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    considered: set[Member] = field(default_factory=set)

    def note(self, sentence: str, *flags: str) -> None:
        """Add a sentence for the student and flags for the instructor."""
        self.notes.append(sentence)
        self.flags.update(flags)

    def take_file(self, expected: str) -> None:
        """Choose one expected file, or note why there is none."""
        exact, close, answers = self._candidates(expected)
        found = answers or exact or close
        self.considered.update([*exact, *close, *found])
        data = self._only_content(expected, found)
        if data is None:
            return
        self.files[expected] = data
        if not data.strip(_NOTHING):
            self.flags.add(EMPTY_FILE)
        if found[0] not in exact:
            released = f" {_listed(exact)} is as it was released." if exact else ""
            self._note_renamed(found[0], expected, released)
        elif close:
            self.note(f"{expected} was taken; {_listed(close)} was left out.")

    def take_notebook(self) -> None:
        """Choose the one notebook, unless every expected file came as ``.py``."""
        expected, released = self.exercise.notebook, self.exercise.released
        exact, close, answers = self._candidates(expected)
        others = [m for m in self.members if split_ending(m.name)[1] == "ipynb"]
        for name, data in [*self.files.items()] if answers else ():
            if name in released and _is_as_released(name, data, released[name]):
                del self.files[name]
                self.note(f"{name} is as it was released; {_listed(answers)} was read instead.")
        scripts = [name for name, data in self.files.items() if read_script(name, data, self.exercise)]
        if answers and scripts:
            for name in scripts:
                del self.files[name]
                sentence = f"{name} is a script made of a notebook; {_listed(answers)} was read instead."
                self.note(sentence, IGNORED_FILES)
        elif others and (scripts or len(self.files) == len(self.exercise.files)):
            if answers:
                self.note(f"The .py files were graded; {_listed(answers)} was left out.", IGNORED_FILES)
            return
        found = answers or exact or close or others
        self.notebook = self._only_content(expected, found)
        if self.notebook is None:
            return
        self.considered.update(found)
        if found[0].name != expected:
            self._note_renamed(found[0], expected)
        if self.files and answers:
            graded = ", ".join(self.files)
            sentence = f"{graded} was graded; the same tasks in {found[0].path} were ignored."
            self.note(sentence, IGNORED_FILES)

    def _candidates(self, expected: str) -> tuple[list[Member], list[Member], list[Member]]:
        """Return the members with the expected name, those with a close one, and those that may be chosen.

        The last are the first of these that hold an answer: the exact ones, the close ones, others. A file
        of another name must define one of the functions; a file as it was released holds no answer.
        """
        exact = [m for m in self.members if m.name == expected]
        close = [m for m in self.members if m.name != expected and is_close(m.name, expected, self.owner)]
        found = self._changed(exact, expected) or self._changed(close, expected)
        if found:
            return exact, close, found
        ending = expected.rpartition(".")[2]
        others = [m for m in self.members if split_ending(m.name)[1] == ending]
        if ending == "py":
            others = [m for m in others if m.name not in self.exercise.files]
            others = [m for m in others if not is_test_file(split_ending(m.name)[0])]
            if len(others) > _MAX_SEARCHED:
                return exact, close, []
            taken = {*close}
            others = [m for m in others if m not in taken and expected in defines(m, self.exercise)]
            if not (exact or close):
                return exact, close, others
        return exact, close, self._changed(others, expected)

    def _changed(self, members: list[Member], expected: str) -> list[Member]:
        """Return the members that differ from the released file in more than blanks and comments."""
        if expected not in self.exercise.released:
            return members
        released = self.exercise.released[expected]
        data = [(m, read_within(m, self._limit(expected))) for m in members]
        return [
            m for m, content in data if content is None or not _is_as_released(expected, content, released)
        ]

    def _limit(self, expected: str) -> int:
        return MAX_NOTEBOOK if expected == self.exercise.notebook else max_bytes(self.exercise)

    def _only_content(self, expected: str, found: Sequence[Member]) -> bytes | None:
        """Return the bytes that all of ``found`` have; note a problem if they differ or cannot be read."""
        contents: set[bytes] = set()
        for member in found:
            try:
                data = member.read(self._limit(expected))
            except UnreadableError as error:
                problem = str(error)
            else:
                contents.add(data)
                kind = archive_kind(data[:HEAD])
                what = f"is a {kind} archive" if kind in ("zip", "tar") else kind.partition(",")[0]
                problem = f"{what} under another name; hand in the file itself" if kind else ""
            if problem:
                self.problems[expected] = f"{member.path} {problem}."
                return None
            if len(contents) > 1:
                self.flags.add(SEVERAL_FILES)
                listed = f"{_listed(found)}; hand in only the one that is meant."
                self.problems[expected] = f"More than one file could be {expected}: {listed}"
                return None
        return contents.pop() if contents else None

    def _note_renamed(self, member: Member, expected: str, more: str = "") -> None:
        sentence = f"{member.path} was taken for {expected}; please keep the name {expected}.{more}"
        self.note(sentence, RENAMED_FILE)

    def say_what_is_missing(self) -> None:
        """Flag what is missing; note a problem if another file may be it."""
        missing = [n for n in self.exercise.files if n not in self.files and n not in self.problems]
        if not missing or self.notebook is not None:
            return
        self.flags.add(MISSING_FILE)
        others = [m for m in self.members if m not in self.considered]
        unread = [m for m in others if m.problem and (not m.name or is_handed_in(m.name))]
        if not unread and (self.files or self.problems or not others):
            return
        named = _listed(m for m in others if m.name)
        there = f"; there is {named}" if named else ""
        if any(m.name in _ONLINE_TEXTS for m in others):
            there = "; what came is text that was pasted into the page: hand in the file itself"
        reasons = "".join(f" {m.path} {m.problem}." for m in unread[:2])
        self.problems |= {name: f"{name} was not found{there}.{reasons}" for name in missing}

    def say_what_was_refused(self) -> None:
        """Flag and note links, duplicates and the like, unless a problem names them already."""
        refused = [m for m in self.members if m.problem]
        self.flags |= {REFUSED_FILES} if refused else set()
        said = " ".join(self.problems.values())
        sentences = (f"{member.path} {member.problem}." for member in refused)
        self.notes += islice((sentence for sentence in sentences if sentence not in said), 3)


def _is_as_released(name: str, data: bytes, released: bytes) -> bool:
    """Return whether a file has the code of the released one."""
    return data == released or _code_lines(name, data) == _released_code_lines(name, released)


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


# The files of the course are the same for every hand-in.
_released_code_lines = cache(_code_lines)


def _listed(members: Iterable[Member], most: int = 5) -> str:
    """List at most ``most`` of the members' names for a sentence."""
    ordered = sorted(members, key=lambda member: member.parts)
    more = f" and {len(ordered) - most} more" if len(ordered) > most else ""
    return ", ".join(member.path for member in ordered[:most]) + more
