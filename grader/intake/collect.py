"""Collect what a class handed in: from PATHs, an exercise and a roster to one submission a student."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Literal

from grader.base.errors import UsageError
from grader.base.text import printable
from grader.course.model import Exercise
from grader.intake.attempts import read_attempts
from grader.intake.choose import expected_names
from grader.intake.handin import HandIn, Setting
from grader.intake.match import Unmatched, match_students, read_matches
from grader.intake.platforms.plain import is_one_student
from grader.intake.recognise import recognise, scheme_named
from grader.roster.roster import Roster
from grader.sources.archives import is_archive, is_handed_in, open_files, open_source
from grader.sources.names import is_close
from grader.sources.submission import Submission
from grader.sources.tree import Refused, Tree, UnreadableError


@dataclass(frozen=True)
class Intake:
    """Everything that a class handed in.

    ``submissions`` are ready to be graded, sorted by student and attempt; only under ``best`` a student has
    several. ``earlier`` are the attempts that ``latest`` does not grade, as they came. ``missing`` are the
    ids on the roster without a hand-in. ``refused`` could not be read and belongs to no student.
    ``recognised`` says for every PATH what it was taken for.
    """

    submissions: tuple[Submission, ...]
    unmatched: tuple[Unmatched, ...] = ()
    refused: tuple[Refused, ...] = ()
    recognised: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    earlier: tuple[Submission, ...] = ()


@dataclass
class _Gathered:
    """What the PATHs gave so far; hand-ins by student."""

    hand_ins: dict[str, list[HandIn]] = field(default_factory=lambda: defaultdict(list))
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
    """Read what a class handed in; what cannot be read or matched is listed, and the rest is read.

    Args:
        paths: Folders, archives or files; several give one class.
        exercise: What is expected.
        roster: The people of the course; without it the platform's ids become the students' ids.
        format: The name of a naming scheme, instead of recognising it.
        attempts: Whether each student's latest attempt is returned, or all, so that the best can be found.
        match: ``unmatched.csv`` with the students' ids that a person filled in.
        timezone: The zone of times that are written without one.

    Raises:
        UsageError: A path does not exist, or ``format`` or ``match`` cannot be used.
    """
    _check_call(paths, format)
    matches = read_matches(match, roster) if match else {}
    setting = Setting(exercise, roster, timezone, matches)
    gathered = _Gathered()
    every: dict[str, list[Submission]] = {}
    with ExitStack() as stack:
        for number, (name, tree) in enumerate(_trees(paths, exercise, stack)):
            if isinstance(tree, UnreadableError):
                gathered.refused.append(Refused(printable(name), str(tree)))
                continue
            for hand_in in _hand_ins(name, tree, setting, format, gathered):
                matched, unmatched = match_students(replace(hand_in, path=number), roster, matches)
                gathered.unmatched += unmatched
                for one in matched:
                    gathered.hand_ins[one.student].append(one)
        for student, hand_ins in sorted(gathered.hand_ins.items()):
            if read := read_attempts(hand_ins, exercise, only_last=attempts == "latest"):
                every[student] = read
                continue
            why = "several hand-ins fit the same student, and nothing tells which is the latest"
            gathered.unmatched += [Unmatched(one.label, why, (student,)) for one in hand_ins]
    passed = 0 if attempts == "best" else -1
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
    """Open every PATH: its name, and its tree or the reason why it cannot be read.

    Files with expected names that lie in one folder are one tree, named after the folder.
    """
    sources: dict[Path, list[Path]] = {}  # by path, or for loose files by FOLDER/*
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
    """Return the hand-ins of one PATH and its files that belong to none; note what cannot be read."""
    scheme, view = recognise(tree, setting, forced)
    try:
        found = scheme.hand_ins(view, setting)
    except UnreadableError as error:
        gathered.refused.append(Refused(printable(name), str(error)))
        return ()
    gathered.refused += [Refused(f"{printable(name)}: {bad.name}", bad.why) for bad in tree.refused]
    strays: list[HandIn] = []
    for member in found.leftover:
        if member.problem:  # a folder that cannot be read, or a link instead of one
            gathered.refused.append(Refused(f"{printable(name)}: {member.path}", member.problem))
        elif is_handed_in(member.name):
            why = f"its name is not like those of {scheme.LABEL}"
            strays.append(
                HandIn((), (member,), member.path, named_for_student=not is_archive(member.name), stray=why)
            )
    count = len(found.hand_ins)
    gathered.recognised.append(
        f"{printable(name)}: {found.label or scheme.LABEL}, {count} hand-in{'s' * (count != 1)}"
    )
    if not (count or tree.refused or found.leftover):
        gathered.refused.append(Refused(printable(name), "holds nothing that a student hands in"))
    if count == 1 and tree.refused and is_one_student(view, setting):
        bad = tree.refused[0]
        return [replace(found.hand_ins[0], problem=f"{name} is refused: {bad.name!r} in it {bad.why}.")]
    return [*found.hand_ins, *strays]
