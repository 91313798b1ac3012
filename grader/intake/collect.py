"""Collect what a class handed in: from PATHs, an exercise and a roster to one submission a student."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from functools import partial
from pathlib import Path
from typing import Literal

import msgspec

from grader.base.errors import GraderError, UsageError
from grader.base.text import printable
from grader.course.model import Exercise
from grader.intake.choose import expected_names
from grader.intake.handin import HandIn, Setting
from grader.intake.match import Unmatched, match_students, read_matches
from grader.intake.platforms.plain import is_one_student
from grader.intake.prepare import numbered, read_all
from grader.intake.recognise import recognise, scheme_named
from grader.results.folder import course_folder
from grader.roster.roster import Roster
from grader.sources.archives import is_archive, is_handed_in, open_files, open_source
from grader.sources.names import is_close
from grader.sources.reader import LimitError, allow, read_apart
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


_PATH_SECONDS = 120.0  # CPU seconds to list what a PATH holds, whoever handed it in
_CLASS_MEMORY = 4 << 30  # bytes to list everything: 200,000 files, and what is kept of tars


def refuse_missing(paths: Sequence[Path]) -> None:
    """Raise UsageError if a path does not exist or cannot be reached."""
    for path in paths:
        try:
            path.stat()
        except (FileNotFoundError, NotADirectoryError):
            raise UsageError(f"There is nothing at {path}; name a folder, an archive or a file.") from None
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}.") from None


def collect(
    paths: Sequence[Path],
    exercise: Exercise,
    roster: Roster | None = None,
    *,
    format: str | None = None,  # noqa: A002  # named like the option
    attempts: Literal["latest", "best"] = "latest",
    match: Path | None = None,
    timezone: tzinfo = UTC,
    out: Path | None = None,
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
        out: Where results are; a PATH that holds it is read without it.

    Raises:
        UsageError: A path does not exist, or ``format`` or ``match`` cannot be used.
        GraderError: Everything together takes too much memory to read.
    """
    refuse_missing(paths)
    if format:
        scheme_named(format)
    matches = read_matches(match, roster) if match else {}
    work = partial(
        _gather,
        _sources(paths, exercise),
        Setting(exercise, roster, timezone, out),
        format,
        matches,
        only_latest=attempts == "latest",
    )
    gathered = Intake(())
    every: list[Submission] = []
    earlier: list[Submission] = []
    for said in _read_class(work):
        if isinstance(said, Intake):
            gathered = said
        else:
            submission, latest = said
            (every if latest or attempts == "best" else earlier).append(submission)
    every, earlier = (sorted(some, key=lambda one: (one.student, one.attempt)) for some in (every, earlier))
    students = {one.student for one in every}
    missing = tuple(p.id for p in roster.people if p.id not in students) if roster else ()
    return replace(gathered, submissions=tuple(every), missing=missing, earlier=tuple(earlier))


def _read_class(
    work: Callable[[Mapping[int, str]], Iterable[bytes]],
) -> Iterator[Intake | tuple[Submission, bool]]:
    """Read every PATH in a process of its own; start again without a PATH that takes too much."""
    lost: dict[int, str] = {}
    opening: int | None = None
    while True:
        try:
            # Everything that comes from students is read in this process, and their files in forks of it.
            for message in read_apart(partial(work, lost), _CLASS_MEMORY):
                said = msgspec.json.decode(message, type=int | Intake | tuple[Submission, bool])
                if isinstance(said, int):
                    opening = said
                else:
                    opening = None
                    yield said
            return
        except LimitError as error:
            if opening is None or opening in lost:
                raise GraderError(
                    "What was handed in takes too much memory to read; grade it in parts."
                ) from None
            lost[opening] = str(error)  # once more, without it


def _gather(
    sources: Mapping[Path, Sequence[Path]],
    setting: Setting,
    forced: str | None,
    matches: Mapping[str, tuple[str, ...]],
    lost: Mapping[int, str],
    *,
    only_latest: bool,
) -> Iterator[bytes]:
    """Open every PATH except the ``lost`` ones, match the hand-ins with students, and read them.

    Yields as JSON the number of each PATH before it is opened, then an Intake without submissions, then each
    submission and whether it is the student's latest.
    """
    unmatched: list[Unmatched] = []
    refused: list[Refused] = []
    recognised: list[str] = []
    hand_ins: dict[str, list[HandIn]] = defaultdict(list)
    with ExitStack() as stack:
        for number, (source, files) in enumerate(sources.items()):
            yield msgspec.json.encode(number)
            allow(_PATH_SECONDS)
            name = printable(source.parent.name if files else source.name)
            if number in lost:
                refused.append(Refused(name, lost[number]))
                continue
            try:
                whole = source.parent.resolve().name
                tree = open_files(files, whole or files[0].name) if files else open_source(source, stack)
                tree = _without(setting.out, source, tree)
                label, found = _hand_ins(name, tree, setting, forced, refused)
            except UnreadableError as error:
                refused.append(Refused(name, str(error)))
                continue
            recognised.append(label)
            for hand_in in found:
                matched, others = match_students(replace(hand_in, path=number), setting.roster, matches)
                unmatched += others
                for one in matched:
                    hand_ins[one.student].append(one)
        students = []
        for student, ones in sorted(hand_ins.items()):
            if ordered := numbered(ones):
                students.append(ordered)
                continue
            why = "several hand-ins fit the same student, and nothing tells which is the latest"
            unmatched += [Unmatched(one.label, why, (student,)) for one in ones]
        unmatched.sort(key=lambda one: (one.received_as, one.why))
        yield msgspec.json.encode(Intake((), tuple(unmatched), tuple(refused), tuple(recognised)))
        allow(0)
        yield from read_all(students, setting.exercise, only_latest=only_latest)


def _sources(paths: Sequence[Path], exercise: Exercise) -> dict[Path, list[Path]]:
    """Return the sources by path: no files for a PATH, or under FOLDER/* the files that make up one tree.

    These have expected names and lie in one folder.
    """
    sources: dict[Path, list[Path]] = {}
    for path in dict.fromkeys(path.resolve() if ".." in path.parts else path.absolute() for path in paths):
        own = path.is_file() and any(is_close(path.name, name) for name in expected_names(exercise))
        files = sources.setdefault(path.parent / "*" if own else path, [])
        files += [path] if own else []
    return sources


def _without(out: Path | None, source: Path, tree: Tree) -> Tree:
    """Return a folder without the results of earlier runs in it, which nobody handed in."""
    for home in {out.resolve(), course_folder(out).resolve()} if out else ():
        if home != source.resolve() and home.is_relative_to(source.resolve()):
            inner = home.relative_to(source.resolve()).parts
            members = tuple(m for m in tree.members if m.parts[: len(inner)] != inner)
            folders = tuple(parts for parts in tree.folders if parts[: len(inner)] != inner)
            tree = replace(tree, members=members, folders=folders)
    return tree


def _hand_ins(
    name: str, tree: Tree, setting: Setting, forced: str | None, refused: list[Refused]
) -> tuple[str, Sequence[HandIn]]:
    """Return what one PATH is taken for, its hand-ins, and as such its files that belong to none."""
    scheme, view = recognise(tree, setting, forced)
    found = scheme.hand_ins(view, setting)
    count = len(found.hand_ins)
    label = f"{name}: {found.label or scheme.LABEL}, {count} hand-in{'s' * (count != 1)}"
    refused += [Refused(f"{name}: {bad.name}", bad.why) for bad in tree.refused]
    if not (count or tree.refused or found.leftover):
        refused.append(Refused(name, "holds nothing that a student hands in"))
    if count == 1 and tree.refused and is_one_student(view, setting):
        bad = tree.refused[0]
        problem = f"{name} is refused: {bad.name!r} in it {bad.why}."
        return label, [replace(found.hand_ins[0], problem=problem)]
    strays: list[HandIn] = []
    for member in found.leftover:
        if member.problem:  # a folder that cannot be read, or a link instead of one
            refused.append(Refused(f"{name}: {member.path}", member.problem))
        elif is_handed_in(member.name):
            why = f"its name is not like those of {scheme.LABEL}"
            alone = not is_archive(member.name)
            strays.append(HandIn((), (member,), member.path, named_for_student=alone, stray=why))
    return label, [*found.hand_ins, *strays]
