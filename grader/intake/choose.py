"""Choose one file of a hand-in for each expected name, or say why not; take the other modules as helpers.

An exact name comes before a close miss (``sources.names``), and that before a file of another name that
defines the functions asked for; a file without the exact name is flagged and noted. Of two candidates with
different contents none is chosen, unless each answers other tasks: then they are joined, as is a file with
the notebook that answers what it leaves open. A file without an answer comes behind any other candidate, and
behind the notebook. Nothing here runs anything.
"""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice

from grader.base.flags import (
    EMPTY_FILE,
    IGNORED_FILES,
    JOINED_FILES,
    MISSING_FILE,
    NOT_UTF8,
    REFUSED_FILES,
    RENAMED_FILE,
    SEVERAL_FILES,
)
from grader.course.model import Exercise
from grader.intake.answers import Source, asked_in, names_in, parts, read_source, without
from grader.intake.decode import LEFT_BEHIND
from grader.intake.handin import HandIn
from grader.intake.helper_files import is_test_file, max_bytes, read_within, take_helpers
from grader.intake.notebook.read import MAX_NOTEBOOK, read_script
from grader.intake.other_lesson import other_exercise, without_others
from grader.intake.platforms.fetched import ONLINE_TEXT
from grader.sources.archives import HEAD, archive_kind, is_archive, is_handed_in, open_nested
from grader.sources.names import is_close, split_ending
from grader.sources.submission import Cell, Submission
from grader.sources.tree import Member, UnreadableError

_NOTHING = b"\xef\xbb\xbf \t\r\n\f"  # editors write a mark or a line end into an empty file
_MAX_SEARCHED = 50  # files of unrelated names that are searched for the functions asked for
_PASTED = "text that was pasted into the page"
PASTED_TEXT = "text.html"
"""What students typed into the page instead of handing in a file, as Canvas names it."""
_ONLINE = {ONLINE_TEXT: _PASTED, PASTED_TEXT: _PASTED, "link.html": "a link"}


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
        members = _with_archives(hand_in.members, stack)
        if other := other_exercise(members, exercise):
            wanted = " and ".join(exercise.files)
            why = f"This is the hand-in of {other.name}; hand in {wanted} of {exercise.name}."
            return hand_in.unreadable(exercise, why)
        members = without_others(members, exercise, (*exercise.files, exercise.notebook))
        sources = [m for m in members if split_ending(m.name)[1] == "py"]
        if hand_in.named_for_student and len(sources) == 1:
            name = (*defines(sources[0], exercise), exercise.files[-1])[0]
            members = [replace(m, parts=(name,)) if m is sources[0] else m for m in members]
        choice = _Choice(exercise, hand_in.owner_words, members)
        for expected in exercise.files:
            choice.take_file(expected)
        if choice.by_ending["ipynb"]:
            choice.take_notebook()
        folders = {m.parts[:-1] for m in choice.considered}
        beside = [m for m in members if m.parts[:-1] in folders and m not in choice.considered]
        helpers, ignored = take_helpers(beside, exercise)
        if ignored:
            choice.note(f"Left out: {_listed(ignored)}.", IGNORED_FILES)
    choice.say_what_is_missing()
    choice.say_what_was_refused()
    return replace(
        hand_in.empty_submission().noted(choice.notes, choice.flags),
        files=choice.files,
        helpers=helpers,
        problems=choice.problems,
        notebook=choice.notebook,
        cells=tuple(choice.cells),
    )


def defines(member: Member, exercise: Exercise) -> list[str]:
    """Return the expected files of which a file defines a function, in the exercise's order.

    The text is searched, because parsing what was handed in would be a needless risk.
    """
    found = names_in(read_within(member, max_bytes(exercise)) or b"")
    return [file for file, functions in exercise.functions.items() if not found.isdisjoint(functions)]


def _with_archives(members: Sequence[Member], stack: ExitStack) -> Sequence[Member]:
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


class _Choice:
    """What was chosen of one hand-in so far, in fields of Submission.

    ``owner`` are words of the student's names. ``considered`` are the ``members`` that had a chance.
    """

    def __init__(self, exercise: Exercise, owner: frozenset[str], members: Sequence[Member]) -> None:
        self.exercise, self.owner, self.members = exercise, owner, members
        self.files: dict[str, bytes] = {}
        self.problems: dict[str, str] = {}
        self.notebook: bytes | None = None
        self.cells: list[Cell] = []
        self.notes: list[str] = []
        self.flags: set[str] = set()
        self.considered: set[Member] = set()
        self.joined: set[str] = set()
        self._sources: dict[tuple[str, Member], Source] = {}
        self.by_ending: dict[str, list[Member]] = {"py": [], "ipynb": [], "": []}
        for member in members:
            self.by_ending[split_ending(member.name)[1]].append(member)

    def note(self, sentence: str, *flags: str) -> None:
        """Add a sentence for the student and flags for the instructor."""
        self.notes.append(sentence)
        self.flags.update(flags)

    def take_file(self, expected: str) -> None:
        """Choose one expected file, join several that each answer a part, or note why there is none."""
        ranks = exact, close, others = self._candidates(expected)
        found = self._answering(expected, ranks) or exact or close or others
        self.considered.update([*exact, *close, *found])
        first = {*found}
        every = [*found, *(m for rank in ranks for m in rank if m not in first)]
        contents: dict[bytes, Member] = {}
        for member in every if 1 < len(every) <= _MAX_SEARCHED else ():
            if (content := read_within(member, self._limit(expected))) is not None:
                contents.setdefault(content, member)
        sources = [self._source(expected, member) for member in contents.values()]
        equal = sum(member in first for member in contents.values())
        if joined := parts(sources, asked_in(self.exercise, expected), equal):
            self.considered.update(m for m in every if m.path in {source.path for source, _ in joined})
            self._join(expected, joined)
            return
        data = self._only_content(expected, found)
        if data is None:
            return
        self.files[expected] = data
        if not data.strip(_NOTHING):
            self.flags.add(EMPTY_FILE)
        self._note_which(expected, found[0], exact, close)

    def take_notebook(self) -> None:
        """Choose the one notebook, unless every expected file came as ``.py`` and needs nothing of it."""
        expected = self.exercise.notebook
        ranks = exact, close, others = self._candidates(expected)
        answering = self._answering(expected, ranks)
        theirs = self._source(expected, answering[0]) if answering else Source("", (), frozenset())
        told = _listed(answering)
        files = self.files if answering else {}
        sources = {name: read_source(name, name, data, self.exercise) for name, data in files.items()}
        for name, own in sources.items():
            if theirs.answers is not None and theirs.answers.isdisjoint(asked_in(self.exercise, name)):
                continue
            is_script = read_script(name, self.files[name]) is not None
            if is_script or own.answers == frozenset():
                del self.files[name]
                why = "is a script made of a notebook" if is_script else "holds no answer"
                self.note(f"{name} {why}; {told} was read instead.", *[IGNORED_FILES] * is_script)
        asked = {name: asked_in(self.exercise, name) for name in self.files}
        pairs = {name: parts([sources[name], theirs], asked[name]) for name in self.files if sources}
        joined = {name: pair for name, pair in pairs.items() if pair}
        scripts = any(read_script(name, data) for name, data in self.files.items())
        is_whole = len({*self.files, *self.joined}) == len(self.exercise.files)
        found = answering or exact or close or others
        if not joined and (scripts or is_whole):
            if answering:
                self.note(f"The .py files were graded; {told} was left out.", IGNORED_FILES)
            return
        self.notebook = self._only_content(expected, found)
        if self.notebook is None:
            return
        self.considered.update(found)
        for name, of_file in joined.items():
            del self.files[name]
            self._join(name, of_file, notebook=True)
        self._note_which(expected, found[0], exact, close)
        graded = [n for n in self.files if theirs.answers is None or theirs.answers & asked[n]]
        if answering and graded:
            sentence = f"{', '.join(graded)} was graded; the same tasks in {found[0].path} were ignored."
            self.note(sentence, IGNORED_FILES)

    def _join(
        self, expected: str, joined: Sequence[tuple[Source, frozenset[str]]], *, notebook: bool = False
    ) -> None:
        """Take an expected file as cells, one of each part, and say so; a ``notebook`` is read later."""
        self.joined.add(expected)
        for source, added in joined:
            if source is not joined[0][0]:
                names, were = " and ".join(sorted(added)), "was" if len(added) == 1 else "were"
                sentence = f"{names} {were} taken from {source.path}, the rest from {joined[0][0].path}."
                self.note(f"Of {expected}, {sentence}", JOINED_FILES)
            if source.changed:
                self.note(f"{source.path} {source.changed}.", *[NOT_UTF8] * (source.changed != LEFT_BEHIND))
            if source is joined[0][0] or not notebook:
                others = asked_in(self.exercise, expected) - added if source is not joined[0][0] else ()
                text = without("".join(source.texts), others)
                self.cells.append(Cell(source.path, text.encode("utf-8", "backslashreplace")))

    def _candidates(self, expected: str) -> tuple[list[Member], list[Member], list[Member]]:
        """Return the members with the expected name, those with a close one, and others that may be meant.

        A source file of another name must define one of the functions, and one is looked for only where the
        functions are not all answered.
        """
        named = self.by_ending[expected.rpartition(".")[2]]
        exact = [m for m in named if m.name == expected]
        close = [m for m in named if m.name != expected and is_close(m.name, expected, self.owner)]
        taken = {*exact, *close}
        others = [m for m in named if m not in taken]
        if expected in self.exercise.files:
            others = others if self.exercise.functions[expected] else []
            others = [m for m in others if m.name not in self.exercise.files]
            others = [m for m in others if not is_test_file(split_ending(m.name)[0])]
            here = {self._source(expected, m).answers for m in exact[:_MAX_SEARCHED] if others}
            if len(others) > _MAX_SEARCHED or here == {asked_in(self.exercise, expected)}:
                others = []
            others = [m for m in others if expected in defines(m, self.exercise)]
        return exact, close, others

    def _answering(self, expected: str, ranks: Sequence[list[Member]]) -> list[Member]:
        """Return the members of the first rank that hold an answer; a lone source is taken unread."""
        beside = len(self.files) + len(self.joined) if expected == self.exercise.notebook else 0
        is_alone = sum(map(len, ranks)) + beside < 2
        for rank in ranks:
            is_asked = not is_alone and len(rank) <= _MAX_SEARCHED
            if found := [m for m in rank if not is_asked or self._source(expected, m).answers != frozenset()]:
                return found
        return []

    def _source(self, expected: str, member: Member) -> Source:
        """Read a member once; what cannot be read may hold any answer."""
        if (expected, member) not in self._sources:
            data = read_within(member, self._limit(expected))
            self._sources[expected, member] = read_source(expected, member.path, data, self.exercise)
        return self._sources[expected, member]

    def _limit(self, expected: str) -> int:
        return MAX_NOTEBOOK if expected == self.exercise.notebook else max_bytes(self.exercise)

    def _only_content(self, expected: str, found: Sequence[Member]) -> bytes | None:
        """Return the bytes that all of ``found`` have; note a problem if they differ or cannot be read."""
        contents: set[bytes] = set()
        for member in found:
            problem = ""
            try:
                contents.add(data := member.read(self._limit(expected)))
            except UnreadableError as error:
                problem = f"{member.path} {error}."
            else:
                if kind := archive_kind(data[:HEAD]):
                    what = f"is a {kind} archive" if kind in ("zip", "tar") else kind.partition(",")[0]
                    problem = f"{member.path} {what} under another name; hand in the file itself."
            if not problem and len(contents) > 1:
                self.flags.add(SEVERAL_FILES)
                listed = f"{_listed(found)}; hand in only the one that is meant."
                problem = f"More than one file could be {expected}: {listed}"
            if problem:
                self.problems[expected] = problem
                return None
        return contents.pop() if contents else None

    def _note_which(self, expected: str, taken: Member, exact: list[Member], close: list[Member]) -> None:
        """Say that a file of another name was taken, or that one was left out."""
        if taken not in exact:
            more = f" {_listed(exact)} holds no answer." if exact else ""
            sentence = f"{taken.path} was taken for {expected}; please keep the name {expected}.{more}"
            self.note(sentence, RENAMED_FILE)
        elif close:
            self.note(f"{expected} was taken; {_listed(close)} was left out.")

    def say_what_is_missing(self) -> None:
        """Flag what is missing; note a problem if another file may be it."""
        missing = [n for n in self.exercise.files if n not in {*self.files, *self.joined, *self.problems}]
        if not missing or self.notebook is not None:
            return
        self.flags.add(MISSING_FILE)
        others = [m for m in self.members if m not in self.considered]
        unread = [m for m in others if m.problem and (not m.name or is_handed_in(m.name))]
        if not unread and (self.files or self.problems or not others):
            return
        named = _listed(m for m in others if m.name)
        there = f"; there is {named}" if named else ""
        if online := next((m.name for m in others if m.name in _ONLINE), ""):
            there = f"; what came is {_ONLINE[online]}: hand in the file itself"
        reasons = "".join(f" {m.path} {m.problem}." for m in unread[:2])
        if any(is_archive(m.name) for m in others if not m.problem):
            reasons += " An archive inside an archive is not opened."
        elif not (unread or online or any(split_ending(m.name)[1] for m in others)):
            reasons = " Only files that end in .py or .ipynb can be graded."
        self.problems |= {name: f"{name} was not found{there}.{reasons}" for name in missing}

    def say_what_was_refused(self) -> None:
        """Flag and note links, duplicates and the like, unless a problem names them already."""
        refused = [m for m in self.members if m.problem]
        self.flags |= {REFUSED_FILES} if refused else set()
        said = " ".join(self.problems.values())
        sentences = (f"{member.path} {member.problem}." for member in refused)
        self.notes += islice((sentence for sentence in sentences if sentence not in said), 3)


def _listed(members: Iterable[Member], most: int = 5) -> str:
    """List at most ``most`` of the members' names for a sentence."""
    ordered = sorted(members, key=lambda member: member.parts)
    more = f" and {len(ordered) - most} more" if len(ordered) > most else ""
    return ", ".join(member.path for member in ordered[:most]) + more
