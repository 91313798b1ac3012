"""PATHs + exercise + roster -> Submissions: the one entry to the intake."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Literal

from grader.base.errors import UsageError
from grader.base.flags import SEVERAL_HAND_INS
from grader.course.model import Exercise
from grader.intake import match as matching
from grader.intake.attempts import Arrived, in_order
from grader.intake.choose import choose
from grader.intake.chosen import expected_names
from grader.intake.handin import NOBODY, HandIn, Setting
from grader.intake.match import Unmatched
from grader.intake.platforms.plain import is_one_student
from grader.intake.prepare import prepared
from grader.intake.recognise import recognise, scheme_named
from grader.intake.unmatched import read_matches
from grader.roster.roster import Roster
from grader.sources.archives import is_archive, is_handed_in, open_files, open_source
from grader.sources.names import is_close, owner_words
from grader.sources.reader import READING_SECONDS, TooLongError, within
from grader.sources.submission import Submission
from grader.sources.tree import Refused, Tree, UnreadableError, shown


@dataclass(frozen=True)
class Intake:
    """All that came in.

    ``submissions`` are sorted by student and attempt, several of one student only under ``best``; ``earlier``
    are the attempts that ``latest`` passes over. ``missing`` are the ids on the roster of which nothing came.
    ``refused`` could not be read and is nobody's. ``recognised`` says of every path what it was taken for.
    """

    submissions: tuple[Submission, ...]
    unmatched: tuple[Unmatched, ...] = ()
    refused: tuple[Refused, ...] = ()
    recognised: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    earlier: tuple[Submission, ...] = ()


@dataclass
class _Gathered:
    """What the paths gave so far, before attempts are told apart."""

    arrived: dict[str, list[Arrived]] = field(default_factory=lambda: defaultdict(list))
    unmatched: list[Unmatched] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    recognised: list[str] = field(default_factory=list)


def collect(
    paths: Sequence[Path],
    exercise: Exercise,
    roster: Roster | None = None,
    *,
    format: str | None = None,  # noqa: A002  # named like the option
    attempts: Literal["latest", "best"] = "latest",
    match: Path | None = None,
    timezone: tzinfo = UTC,
) -> Intake:
    """Read what a class handed in; what cannot be read or is nobody's is listed and the rest goes on.

    Args:
        paths: Folders, archives or files; several give one class.
        exercise: What is expected.
        roster: Who takes the course; without one the platform's ids become the students' ids.
        format: The name of a naming scheme, where it should not be recognised.
        attempts: Whether a student's latest attempt is returned, or all of them for the best to be found.
        match: A CSV by which a person says whose what is.
        timezone: The zone of times that a platform writes without one.

    Raises:
        UsageError: A path does not exist, or ``format`` or ``match`` cannot be used.
    """
    _check_call(paths, format)
    settled = read_matches(match, roster) if match else {}
    setting = Setting(exercise, roster, timezone, settled)
    gathered = _Gathered()
    with ExitStack() as stack:
        for number, (name, tree) in enumerate(_trees(paths, exercise, stack)):
            if isinstance(tree, UnreadableError):
                gathered.refused.append(Refused(shown(name), str(tree)))
                continue
            for hand_in in _hand_ins(name, tree, setting, format, gathered):
                _match(hand_in, number, setting, gathered)
        passed = 0 if attempts == "best" else -1
        every = _submissions(gathered, exercise, only_last=bool(passed))
    return Intake(
        tuple(one for ones in every.values() for one in ones[passed:]),
        tuple(sorted(gathered.unmatched, key=lambda one: (one.received_as, one.why))),
        tuple(gathered.refused),
        tuple(gathered.recognised),
        tuple(person.id for person in roster.people if person.id not in every) if roster else (),
        tuple(one for ones in every.values() for one in ones[:passed]) if passed else (),
    )


def _check_call(paths: Sequence[Path], forced: str | None) -> None:
    for path in paths:
        try:
            path.stat()
        except (FileNotFoundError, NotADirectoryError):
            raise UsageError(f"There is nothing at {path}; name a folder, an archive or a file.") from None
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
    if forced is not None:
        scheme_named(forced)


def _trees(
    paths: Sequence[Path], exercise: Exercise, stack: ExitStack
) -> Iterator[tuple[str, Tree | UnreadableError]]:
    """Each path's name and tree.

    Files that bear expected names are one student's: they are called by the folder in which they lie.
    """
    sources: dict[Path, list[Path]] = {}  # each path, or the folder of loose files, where it was first named
    for path in dict.fromkeys(path.resolve() if ".." in path.parts else path.absolute() for path in paths):
        own = path.is_file() and any(is_close(path.name, name) for name in expected_names(exercise))
        sources.setdefault(path.parent / "*" if own else path, []).append(path)
    for source, files in sources.items():
        if source.name == "*":
            yield source.parent.name, open_files(files, source.parent.resolve().name or files[0].name)
            continue
        try:
            yield source.name, open_source(source, stack)
        except UnreadableError as error:
            yield source.name, error


def _hand_ins(
    name: str, tree: Tree, setting: Setting, forced: str | None, gathered: _Gathered
) -> Sequence[HandIn]:
    """The hand-ins of one path, and the files in it that are nobody's; what cannot be read is noted."""
    scheme, view = recognise(tree, setting, forced)
    try:
        found = scheme.hand_ins(view, setting)
    except UnreadableError as error:
        gathered.refused.append(Refused(shown(name), str(error)))
        return ()
    gathered.refused += [Refused(f"{shown(name)}: {bad.name}", bad.why) for bad in tree.refused]
    stray: list[HandIn] = []
    for member in found.leftover:
        if member.problem:  # a folder that cannot be read, a link in the place of one
            gathered.refused.append(Refused(f"{shown(name)}: {member.path}", member.problem))
        elif is_handed_in(member.name):
            why = f"its name is not like those of {scheme.LABEL}"
            stray.append(HandIn((), (member,), member.path, lone=not is_archive(member.name), nobody=why))
    count = len(found.hand_ins)
    gathered.recognised.append(
        f"{shown(name)}: {found.label or scheme.LABEL}, {count} hand-in{'s' * (count != 1)}"
    )
    if not (count or tree.refused or found.leftover):
        gathered.refused.append(Refused(shown(name), "holds nothing that a student hands in"))
    if count == 1 and tree.refused and is_one_student(view, setting):
        bad = tree.refused[0]
        return [replace(found.hand_ins[0], problem=f"{name} is refused: {bad.name!r} in it {bad.why}.")]
    return [*found.hand_ins, *stray]


def _match(hand_in: HandIn, path: int, setting: Setting, gathered: _Gathered) -> None:
    """Note whose a hand-in is; a person's word goes before the roster, except for others of a group."""
    several = len(hand_in.people) > 1
    matched, unmatched = matching.match(hand_in, setting.roster)
    given = [student for label in hand_in.labels if (student := setting.settled.get(label))]
    if given and not several:
        matched, unmatched = [], []
    for student in given:
        unmatched = [one for one in unmatched if one.received_as not in setting.settled]
        if student != NOBODY:
            matched = [one for one in matched if one.student != student]
            matched.append(matching.settle(hand_in, student, setting.roster))
    if several and hand_in.label in setting.settled:
        unmatched = []
    gathered.unmatched += unmatched
    names = [name for one in matched for name in (one.student, one.name)]
    names += [name for who in hand_in.people for name in (who.key, who.name)]
    for one in matched:
        gathered.arrived[one.student].append(Arrived(one, path, owner_words(*names)))


def _submissions(gathered: _Gathered, exercise: Exercise, *, only_last: bool) -> dict[str, list[Submission]]:
    """Every student's attempts in order; those whose order nothing tells go to ``gathered``."""
    every: dict[str, list[Submission]] = {}
    for student, arrived in sorted(gathered.arrived.items()):
        ordered = in_order(arrived)
        if ordered is None:
            why = "several hand-ins fit the same student, and nothing tells which is the latest"
            gathered.unmatched += [Unmatched(a.matched.hand_in.label, why, (student,)) for a in arrived]
            continue
        numbers = [one.matched.hand_in.attempt for one in ordered]
        if 0 in numbers or len(set(numbers)) < len(numbers):
            numbers = list(range(1, len(ordered) + 1))
        paths = {one.path for one in ordered}
        flags = {SEVERAL_HAND_INS} if len(paths) > 1 else set()
        left = READING_SECONDS
        ones: list[Submission] = []
        for one, number in reversed([*zip(ordered, numbers, strict=True)]):  # what counts is read first
            begun = time.process_time()
            counts = not ones or not only_last
            ones.append(_submission(one, number, flags, exercise, left, counts=counts))
            left = max(0.1, left - (time.process_time() - begun))
        every[student] = ones[::-1]
    return every


def _submission(
    arrived: Arrived, number: int, flags: set[str], exercise: Exercise, seconds: float, *, counts: bool
) -> Submission:
    """One attempt, read in at most so many seconds, and ready to be graded if it ``counts``.

    Whatever is wrong with it is a sentence for its student, and the others have their turn.
    """
    one, hand_in = arrived.matched, arrived.matched.hand_in
    problem = hand_in.problem
    submission = Submission(
        one.student,
        {},
        flags=tuple(sorted({*hand_in.flags, *flags})),
        received_as=hand_in.received_as,
        submitted_at=hand_in.submitted_at,
        name=one.name,
        email=one.email,
        attempt=number,
    )
    if not problem:
        try:
            with within(seconds):
                chosen = choose(hand_in.members, exercise, arrived.owner, lone=hand_in.lone)
                submission = replace(
                    submission,
                    files=chosen.files,
                    helpers=chosen.helpers,
                    problems=chosen.problems,
                    flags=tuple(sorted({*chosen.flags, *submission.flags})),
                    notebook=chosen.notebook,
                    notes=tuple(chosen.notes),
                )
                return prepared(submission, exercise) if counts else submission
        except TooLongError as error:
            problem = f"The hand-in could not be read: {error}."
        except Exception as error:  # noqa: BLE001 - nobody knows what somebody will hand in
            problem = f"The hand-in could not be read ({type(error).__name__}); hand in plain files."
    return replace(submission, files={}, helpers={}, problems=dict.fromkeys(exercise.files, problem))
