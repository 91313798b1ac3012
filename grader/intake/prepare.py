"""Read one hand-in: choose its files, decode them for Python, and take its notebook apart into cells."""

from __future__ import annotations

from dataclasses import replace

from grader.base.flags import MISSING_FILE, NOT_UTF8
from grader.course.model import Exercise
from grader.intake.answers import answered_in, asked_in, without
from grader.intake.choose import choose
from grader.intake.decode import LEFT_BEHIND, python_bytes, why_not_python
from grader.intake.handin import HandIn
from grader.intake.notebook.cells import read_cells
from grader.intake.notebook.read import Document, NotebookError, code_cell, read_document, read_script
from grader.sources.submission import Submission


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
            if note:
                notes.append(f"{name} {note}.")
            if note and note != LEFT_BEHIND:
                flags.add(NOT_UTF8)
            if group is submission.files and (why := why_not_python(name, data)):
                problems[name] = why
            else:
                groups[-1][name] = data
    files, helpers = groups
    return replace(
        submission,
        files=files,
        helpers=helpers,
        problems=problems,
        notes=tuple(notes),
        flags=tuple(sorted(flags)),
    )
