"""Read a student's hand-ins in order: choose the files, decode them, take the notebook apart into cells."""

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
from grader.intake.notebook.read import Document, DocumentCell, NotebookError, read_document, read_script
from grader.sources.reader import LimitError, read_each
from grader.sources.submission import Submission

STUDENT_SECONDS = 20.0  # CPU seconds to read all attempts of a student; ordinary ones take milliseconds


def read_all(
    students: Sequence[Sequence[HandIn]], exercise: Exercise, *, only_latest: bool
) -> Iterator[bytes]:
    """Read the ordered hand-ins of every student in a process with limits.

    Yields each submission, and whether it is the student's latest, as JSON.

    The latest of a student is read first, in half of the student's seconds; the earlier ones share the other
    half. With ``only_latest`` these stay as they were handed in: their notebook is not turned into files.
    """
    todo = [
        (one, one is ordered[-1], STUDENT_SECONDS / 2 / (1 if one is ordered[-1] else len(ordered) - 1))
        for ordered in students
        for one in reversed(ordered)
    ]

    def read(item: tuple[HandIn, bool, float]) -> bytes:
        hand_in, latest, _ = item
        submission = read_hand_in(hand_in, exercise, to_grade=latest or not only_latest)
        return msgspec.json.encode((submission, latest))

    for (hand_in, latest, _), message in read_each(todo, read, lambda item: item[2]):
        lost = hand_in.unreadable(exercise, f"{hand_in.received_as} {LimitError()}.")
        yield message if message is not None else msgspec.json.encode((lost, latest))


def numbered(hand_ins: Sequence[HandIn]) -> list[HandIn]:
    """Put one student's hand-ins in order of time and number them; [] when nothing tells the order."""
    ordered = in_order(hand_ins)
    numbers = [one.attempt for one in ordered]
    if 0 in numbers or len(set(numbers)) < len(numbers):
        numbers = list(range(1, len(ordered) + 1))
    flags = (SEVERAL_HAND_INS,) if len({one.path for one in ordered}) > 1 else ()
    return [
        replace(one, attempt=number, flags=(*one.flags, *flags))
        for one, number in zip(ordered, numbers, strict=True)
    ]


def in_order(hand_ins: Sequence[HandIn]) -> list[HandIn]:
    """Sort the hand-ins of one student from the earliest to the latest; [] when nothing tells their order.

    Times decide if all hand-ins have one; otherwise the platform's numbers within one PATH, and the order in
    which the PATHs were given. Two people of one download who fit the same student are never taken for one
    person's two attempts, unless a person said so.
    """
    whole = enumerate(_with_strays(hand_ins))
    # A later download holds the earlier one: the same name and time are one hand-in.
    ones = [*{(h.received_as, h.submitted_at) if h.submitted_at else n: h for n, h in whole}.values()]
    if len(ones) < 2:
        return ones
    keys = {(one.path, one.key) for one in ones if one.key}
    if len(keys) > len({path for path, _ in keys}):
        return []
    times = {one.submitted_at.astimezone(UTC): one for one in ones if one.submitted_at}
    if len(times) == len(ones):
        return [times[moment] for moment in sorted(times)]
    places = {(one.path, one.order): one for one in ones}
    return [places[place] for place in sorted(places)] if len(places) == len(ones) else []


def _with_strays(hand_ins: Sequence[HandIn]) -> list[HandIn]:
    """Add the files that a person gave to the student; [] when nothing tells to which hand-in."""
    wholes = [one for one in hand_ins if not one.stray]
    strays = [one for one in hand_ins if one.stray]
    paths = {one.path for one in strays}
    own = [one for one in wholes if one.path in paths] or wholes
    if not strays or len(own) > 1:
        return [] if strays else wholes
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
    return hand_in.unreadable(exercise, problem)


def with_cells(submission: Submission, exercise: Exercise) -> Submission:
    """Return the submission with the cells of its notebook, or of the scripts that were made of a notebook.

    The files that were joined are cells, too, before those. The cells stand for all expected files that did
    not come.
    """
    scripts: dict[str, Document] = {}
    joined = tuple(DocumentCell(cell.name, cell.source.decode()) for cell in submission.cells)
    try:
        if submission.notebook is not None:
            document = read_document(submission.notebook, exercise)
            asked = asked_in(exercise, *exercise.files)
            taken = answered_in([cell.source for cell in joined], asked) or ()
            own = [cell for cell in document.cells if joined and cell.kind in ("answer", "other")]
            cells = [replace(c, source=without(c.source, taken)) if c in own else c for c in document.cells]
        else:
            found = {name: read_script(name, data) for name, data in submission.files.items()}
            scripts = {name: script for name, script in found.items() if script}
            if not scripts and not joined:
                return submission
            document = Document(())
            cells = [cell for script in scripts.values() for cell in script.cells]
        read = replace(
            submission,
            files={name: data for name, data in submission.files.items() if name not in scripts},
            # A script of a whole notebook holds the answers of the other files, too.
            flags=tuple(flag for flag in submission.flags if not scripts or flag != MISSING_FILE),
        ).noted(
            f"{name} was made of a notebook; it was read cell by cell, like a notebook." for name in scripts
        )
        return read_cells(replace(document, cells=(*joined, *cells)), exercise, read)
    except NotebookError as error:
        problems = {name: str(error) for name in exercise.files if name not in submission.files}
        return replace(submission, problems={**problems, **submission.problems})


def decoded(submission: Submission) -> Submission:
    """Return the submission with files that Python can read, and notes on what was changed."""
    files: dict[str, bytes] = {}
    helpers: dict[str, bytes] = {}
    problems, notes, flags = dict(submission.problems), list[str](), set[str]()
    for group, kept in ((submission.files, files), (submission.helpers, helpers)):
        for name, handed_in in group.items():
            data, note = python_bytes(handed_in)
            if kept is files and (why := why_not_python(name, data)):
                problems[name] = why
                continue
            kept[name] = data
            notes += [f"{name} {note}."] if note else []
            flags |= {NOT_UTF8} if note and note != LEFT_BEHIND else set()
    return replace(submission.noted(notes, flags), files=files, helpers=helpers, problems=problems)
