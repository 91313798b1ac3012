"""OUT: all results of one exercise on disk, held by one run; loaded once, charged once, written once.

``OUT/scores.csv`` has a row for everyone; ``OUT/students/ID/`` holds one student's ``result.json``,
``report.json``, ``feedback.html``, ``feedback.md`` and ``submission/``. ``result.json`` is what the grader
found, and ends with the final result, in which a person's points come before the grader's; everything else
shows that one alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from grader.base.files import write_whole
from grader.course.model import Course, Exercise
from grader.feedback.closing import load_closing
from grader.grading.score import FinalResult, Result, unscored
from grader.grading.workers import Graded
from grader.results.adjust import (
    ChangesByStudent,
    Values,
    read_changes,
    read_in_gradebook,
    write_changes,
    write_in_gradebook,
)
from grader.results.course_table import write_course_table
from grader.results.final import FinalPart, final_part, final_result, scores_bytes
from grader.results.folder import ROSTER, course_folder, locked_out
from grader.results.late import Recharge, charged, extensions_of
from grader.results.student import (
    is_unfinished,
    load_kept,
    load_result,
    read_stamp,
    student_folder,
    write_graded,
    write_result,
    write_submission,
)
from grader.roster.roster import Roster, roster_bytes
from grader.sources.submission import Submission

_Worth = tuple[bool, float, int]


@contextmanager
def open_out(folder: Path, course: Course, exercise: Exercise, roster: Roster | None) -> Iterator[Out]:
    """Hold OUT until the block ends.

    Raises UsageError if it holds the results of another exercise or course, or an extension is no date.
    """
    extensions_of(roster, course.timezone)  # a mistake in them is said before OUT is opened
    with locked_out(folder, course, exercise):
        yield Out(folder, course, exercise, roster)


class Out:
    """The results of one exercise, while OUT is held.

    Attributes:
        folder: OUT itself.
        home: The folder of the course's own files: roster and gradebook.
        roster: Who takes the course, if that is known.
        changes: All points and comments that people gave, before the late penalty, by student.
        in_gradebook: Those that the gradebook had when it was last brought up to date, by student; None if it
            never was.
    """

    def __init__(self, folder: Path, course: Course, exercise: Exercise, roster: Roster | None) -> None:
        self.folder, self.home = folder, course_folder(folder)
        self.course, self.exercise, self.roster = course, exercise, roster
        self.changes = read_changes(folder)
        self.in_gradebook = read_in_gradebook(folder)
        self._extensions = extensions_of(roster, course.timezone)
        self._names = {person.id: person.name for person in roster.people} if roster else {}
        self._results: dict[Path, Result] = {}
        self._written: dict[Path, FinalPart | None] = {}
        self._best: dict[str, _Worth] = {}
        self._closing = load_closing(course, exercise)

    def results(self) -> list[Result]:
        """What the grader found for everyone, sorted by student."""
        for path in (self.folder / "students").glob("*/result.json"):
            if path.parent not in self._results:
                self._results[path.parent], written = load_kept(path)
                # Without the stamp the pages may be of a hand-in that a killed run was writing.
                unfinished = is_unfinished(path.parent)
                self._written[path.parent] = None if unfinished else written
        return sorted(self._results.values(), key=lambda result: result.student)

    def finals(self) -> tuple[FinalResult, ...]:
        """The final results of everyone, sorted by student."""
        return tuple(map(self._final, self.results()))

    def keep(self, graded: Graded, suite: str, *, best: bool) -> bool:
        """Write a student's files, unless a better attempt was kept before; True if they were written.

        Of several attempts in one run the one with the most points after lateness counts, and the latest of
        equal ones. With ``best`` an earlier run's attempt is compared too, whichever suite graded it.
        """
        submission, found = graded.submission, self._charge(graded.result)
        student, folder = submission.student, student_folder(self.folder, submission.student)
        worth = _worth(found, submission.attempt)
        before = folder / "result.json"
        if best and student not in self._best and read_stamp(folder) and before.exists():
            self._best[student] = _worth(self._charge(load_result(before)), 0)
        if self._best.get(student, worth) > worth:
            return False
        self._best[student] = worth
        if submission.name:
            self._names[student] = submission.name
        final = self._final(found)
        write_graded(folder, self.exercise, graded, found, final, suite=suite, closing=self._closing)
        self._results[folder], self._written[folder] = found, final_part(final)
        return True

    def keep_missing(self, student: str) -> None:
        """Write the result of a student who handed in nothing, unless there is one for the same maximum."""
        path = student_folder(self.folder, student) / "result.json"
        if path.exists():
            known = load_result(path)
            if known.status != "missing" or known.max_score == self.exercise.points:
                return
        self._write(unscored(self.exercise, Submission(student, {}), "missing", "Nothing was handed in."))

    def keep_attempt(self, earlier: Submission) -> None:
        """Write the files of an attempt that does not count below its student's folder."""
        attempts = student_folder(self.folder, earlier.student) / "attempts"
        write_submission(attempts / str(earlier.attempt), self.exercise, earlier)

    def charge_anew(self) -> tuple[Recharge, ...]:
        """Charge everyone's lateness by the due dates of now; return what changed, sorted by student.

        No submission is run. Pages that do not show the final result, because a call ended too soon, are
        written again.
        """
        changes = []
        for old in self.results():
            new = self._charge(old)
            if new != old or not self._is_shown(new):
                self._write(new)
            if new.late_penalty != old.late_penalty:
                changes.append(Recharge(old.student, old.late_penalty or 0, new.late_penalty or 0))
        return tuple(changes)

    def note_gradebook(
        self, changes: ChangesByStudent, values: Mapping[str, Values], *, recorded: bool = False
    ) -> None:
        """Keep what people changed in the gradebook, and the values that it has once it is up to date.

        ``recorded`` says that everything is recorded. What could not be written, the next call writes.
        """
        known = {**(self.in_gradebook or {}), **values}
        if known != (self.in_gradebook or {}) or (recorded and self.in_gradebook is None):
            write_in_gradebook(self.folder, known)
            self.in_gradebook = known
        self.set_changes(changes)

    def set_changes(self, changes: ChangesByStudent) -> None:
        """Keep these changes by hand of these students, and write the pages of everyone whom they concern."""
        before, self.changes = self.changes, {**self.changes, **changes}
        if before == self.changes:
            return
        write_changes(self.folder, self.changes)
        for found in self.results():
            if found.student in changes and not self._is_shown(found):
                self._write(found)

    def write_tables(self, tables: Mapping[str, bytes] | None = None) -> None:
        """Write ``scores.csv`` where it changed, the course's table, and any other tables by their names."""
        scores, data = self.folder / "scores.csv", scores_bytes(self.finals())
        if not scores.is_file() or scores.read_bytes() != data:
            write_whole(scores, data)
        for name, table in (tables or {}).items():
            write_whole(self.folder / name, table)
        if self.home != self.folder:
            write_course_table(self.home, self.course.exercises)

    def write_roster(self) -> None:
        """Keep the roster for the next call, if there is one."""
        if self.roster:
            write_whole(self.home / ROSTER, roster_bytes(self.roster))

    def _final(self, found: Result) -> FinalResult:
        return final_result(found, self.changes.get(found.student, ()))

    def _charge(self, result: Result) -> Result:
        return charged(result, self.course, self.exercise, self._extensions.get(result.student))

    def _write(self, found: Result) -> None:
        folder = student_folder(self.folder, found.student)
        name = self._names.get(found.student) or str(read_stamp(folder).get("name") or "")
        final = self._final(found)
        write_result(folder, self.exercise, found, final, name, self._closing)
        self._results[folder], self._written[folder] = found, final_part(final)

    def _is_shown(self, found: Result) -> bool:
        """True if the pages were written with this final result."""
        return self._written.get(student_folder(self.folder, found.student)) == final_part(self._final(found))


def _worth(result: Result, attempt: int) -> _Worth:
    """How good an attempt is: any grade before none, then the points after lateness, then the later one."""
    return result.status == "graded", (result.score or 0) - (result.late_penalty or 0), attempt
