"""Read a student's hand-ins in order: choose the files, decode them, take the notebook apart into cells."""

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC

import msgspec

from grader.base.flags import MISSING_FILE, NOT_UTF8, SEVERAL_HAND_INS
from grader.course.model import Exercise
from grader.intake.answers import answered_in, asked_in, without
from grader.intake.choose import choose
from grader.intake.decode import LEFT_BEHIND, python_bytes, why_not_python
from grader.intake.handin import HandIn
from grader.intake.notebook.cells import read_cells
from grader.intake.notebook.read import Document, NotebookError, code_cell, read_document, read_script
from grader.sources.reader import LimitError, read_each
from grader.sources.submission import Submission

STUDENT_SECONDS = 20.0
"""CPU seconds to read all attempts of a student; ordinary ones take milliseconds."""


class Read(msgspec.Struct, tag=True):
    """A submission that was read, whether it is the student's latest, and the CPU seconds that it took."""

    submission: Submission
    latest: bool
    seconds: float = 0.0


def read_all(
    students: Sequence[Sequence[HandIn]], exercise: Exercise, *, only_latest: bool
) -> Iterator[bytes]:
    """Read the ordered hand-ins of every student in a process with limits; yield a Read as JSON for each.

    Of one student the latest is read first. Each may take half of the student's seconds that are left, so
    that a bad one leaves time for the others. With ``only_latest`` the earlier ones stay as they were handed
    in: their notebook is not turned into files.
    """
    todo = [(one, one is ordered[-1]) for ordered in students for one in reversed(ordered)]
    left: dict[str, float] = defaultdict(lambda: STUDENT_SECONDS)

    def read(item: tuple[HandIn, bool]) -> bytes:
        hand_in, latest = item
        begun = time.process_time()
        submission = read_hand_in(hand_in, exercise, to_grade=latest or not only_latest)
        used = time.process_time() - begun
        left[hand_in.student] -= used  # in the process that reads; below in the one that asks
        return msgspec.json.encode(Read(submission, latest, used))

    for (hand_in, latest), message in read_each(todo, read, lambda item: left[item[0].student] / 2):
        if message is not None:
            left[hand_in.student] -= msgspec.json.decode(message, type=Read).seconds
            yield message
        else:
            left[hand_in.student] /= 2
            why = f"{hand_in.received_as} {LimitError()}."
            yield msgspec.json.encode(Read(unreadable_submission(hand_in, exercise, why), latest))


def numbered(hand_ins: Sequence[HandIn]) -> list[HandIn]:
    """Put one student's hand-ins in order of time and number them; [] when nothing tells the order."""
    ordered = in_order(hand_ins) or []
    numbers = [one.attempt for one in ordered]
    if 0 in numbers or len(set(numbers)) < len(numbers):
        numbers = list(range(1, len(ordered) + 1))
    flags = (SEVERAL_HAND_INS,) if len({one.path for one in ordered}) > 1 else ()
    return [
        replace(one, attempt=number, flags=(*one.flags, *flags))
        for one, number in zip(ordered, numbers, strict=True)
    ]


def in_order(hand_ins: Sequence[HandIn]) -> list[HandIn] | None:
    """Sort the hand-ins of one student from the earliest to the latest; None when nothing tells their order.

    Times decide if all hand-ins have one; otherwise the platform's numbers within one PATH, and the order in
    which the PATHs were given. Two people of one download who fit the same student are never taken for one
    person's two attempts, unless a person said so.
    """
    whole = _with_strays(hand_ins)
    # A later download holds the earlier one: the same name and time are one hand-in.
    by_time = {(h.received_as, h.submitted_at) if h.submitted_at else n: h for n, h in enumerate(whole or ())}
    ones = list(by_time.values())
    if whole is None or len(ones) < 2:
        return None if whole is None else ones
    keys = {(one.path, one.key) for one in ones if one.key}
    if len(keys) > len({path for path, _ in keys}):
        return None
    times = {one.submitted_at.astimezone(UTC): one for one in ones if one.submitted_at}
    if len(times) == len(ones):
        return [times[moment] for moment in sorted(times)]
    places = {(one.path, one.order): one for one in ones}
    return [places[place] for place in sorted(places)] if len(places) == len(ones) else None


def _with_strays(hand_ins: Sequence[HandIn]) -> list[HandIn] | None:
    """Add the files that a person gave to the student; None when nothing tells to which hand-in."""
    wholes = [one for one in hand_ins if not one.stray]
    strays = [one for one in hand_ins if one.stray]
    paths = {one.path for one in strays}
    own = [one for one in wholes if one.path in paths] or wholes
    if not strays or len(own) > 1:
        return None if strays else wholes
    main, *more = [*own, *strays]
    members = tuple(member for one in (main, *more) for member in one.members)
    joined = replace(main, members=members, stray="", named_for_student=main.named_for_student and not more)
    return [one for one in wholes if one is not main] + [joined]


def read_hand_in(hand_in: HandIn, exercise: Exercise, *, to_grade: bool) -> Submission:
    """Read a hand-in; one that is not ``to_grade`` stays as it came. Called in a process with limits.

    Whatever goes wrong becomes a problem of this submission, so that the rest of the class is read.
    """
    problem = hand_in.problem
    if not problem:
        try:
            submission = choose(hand_in, exercise)
            return with_cells(decoded(submission), exercise) if to_grade else submission
        except Exception as error:  # noqa: BLE001 - nobody can foresee what students hand in
            problem = f"The hand-in could not be read ({type(error).__name__}); hand in plain files."
    return unreadable_submission(hand_in, exercise, problem)


def unreadable_submission(hand_in: HandIn, exercise: Exercise, problem: str) -> Submission:
    """Return the submission of a hand-in of which nothing could be read; ``problem`` is the sentence why."""
    return replace(hand_in.empty_submission(), problems=dict.fromkeys(exercise.files, problem))


def with_cells(submission: Submission, exercise: Exercise) -> Submission:
    """Return the submission with the cells of its notebook, or of the scripts that were made of a notebook.

    The files that were joined are cells, too, before those. The cells stand for all expected files that did
    not come.
    """
    scripts: dict[str, Document] = {}
    joined = tuple(code_cell(cell.name, cell.source.decode(), {}, ()) for cell in submission.cells)
    try:
        document = Document(())
        if submission.notebook is not None:
            document = read_document(submission.notebook, exercise)
            asked = asked_in(exercise, *exercise.files)
            taken = answered_in([cell.source for cell in joined], asked) or ()
            cells = tuple(
                replace(cell, source=without(cell.source, taken))
                if cell.kind in ("answer", "other")
                else cell
                for cell in document.cells
            )
            document = replace(document, cells=cells) if joined else document
        else:
            found = {name: read_script(name, data, exercise) for name, data in submission.files.items()}
            scripts = {name: script for name, script in found.items() if script}
            document = Document(tuple(cell for script in scripts.values() for cell in script.cells))
            if not scripts and not joined:
                return submission
        source = read_cells(replace(document, cells=(*joined, *document.cells)), exercise)
    except NotebookError as error:
        problems = {name: str(error) for name in exercise.files if name not in submission.files}
        return replace(submission, problems={**problems, **submission.problems})
    read = [f"{name} was made of a notebook; it was read cell by cell, like a notebook." for name in scripts]
    # A script of a whole notebook holds the answers of the other files, too.
    flags = {*submission.flags, *source.flags} - ({MISSING_FILE} if scripts else set())
    return replace(
        submission,
        files={name: data for name, data in submission.files.items() if name not in scripts},
        notebook=source.notebook,
        cells=source.cells,
        flags=tuple(sorted(flags)),
        notes=(*submission.notes, *read, *source.notes),
    )


def decoded(submission: Submission) -> Submission:
    """Return the submission with files that Python can read, and notes on what was changed."""
    problems, notes, flags = dict(submission.problems), list(submission.notes), set(submission.flags)
    groups: list[dict[str, bytes]] = []
    for group in (submission.files, submission.helpers):
        groups.append({})
        for name, handed_in in group.items():
            data, note = python_bytes(handed_in)
            if group is submission.files and (why := why_not_python(name, data)):
                problems[name] = why
                continue
            groups[-1][name] = data
            if note:
                notes.append(f"{name} {note}.")
            if note and note != LEFT_BEHIND:
                flags.add(NOT_UTF8)
    files, helpers = groups
    return replace(
        submission,
        files=files,
        helpers=helpers,
        problems=problems,
        notes=tuple(notes),
        flags=tuple(sorted(flags)),
    )
