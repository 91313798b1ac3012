"""One run's results: each student's files as the best attempt is known, and the class's tables at the end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from grader.base.errors import GraderError
from grader.base.files import csv_bytes, harmless, write_whole
from grader.base.text import one_line
from grader.course.model import Course, Exercise
from grader.gradebook.store import nbgrader_is_installed
from grader.grading.score import Result, unscored
from grader.grading.workers import Graded
from grader.intake.collect import Intake
from grader.intake.match import unmatched_bytes
from grader.results.adjust import final_results, record_results
from grader.results.files import load_result, result_bytes, scores_bytes, student_folder
from grader.results.late import Recharge, charge_for, charged, extensions_of, recharge
from grader.results.student import is_by, keep, keep_feedback, keep_submission
from grader.roster.roster import Roster, roster_bytes
from grader.sources.submission import Submission

_FAULT = 300
"""Characters that are shown of what failed in the grader itself."""


def _is_missing(folder: Path, points: int) -> bool:
    """Whether a student has no result, or one that says, out of other points, that nothing came."""
    path = folder / "result.json"
    if not path.exists():
        return True
    known = load_result(path)
    return known.status == "missing" and known.max_score != points


class Collected:
    """The results of one run; :meth:`take` each and :meth:`finish` once.

    ``anew`` says that what was graded before counts for nothing, not even where the best attempt does.
    ``kept`` are the students whose result was written, ``unkept`` a sentence for each that could not be,
    ``faults`` what failed in the grader itself, by student; the rest is as in
    :class:`grader.run.grade.Summary`.
    """

    def __init__(
        self,
        course: Course,
        exercise: Exercise,
        out: Path,
        suite: str,
        roster: Roster | None,
        *,
        gradebook: bool,
        anew: bool,
    ) -> None:
        self.course, self.exercise, self.out, self.suite = course, exercise, out, suite
        self.roster, self.gradebook = roster, gradebook
        self.keeps_better = course.attempts == "best" and not anew
        self.extensions = extensions_of(roster, course.timezone)
        self.kept: set[str] = set()
        self.unkept: list[str] = []
        self.complaints: list[str] = []
        self.faults: dict[str, str] = {}
        self.recharged: tuple[Recharge, ...] = ()
        self.overtaken: tuple[str, ...] = ()
        self._best: dict[str, tuple[bool, float, int]] = {}
        self._seconds: dict[str, float] = defaultdict(float)

    def take(self, graded: Graded) -> None:
        """Keep a result unless a better attempt of the same student was kept before."""
        student = graded.submission.student
        result = self.charge(graded.result)
        self._seconds[student] += graded.cpu_seconds
        if result.status == "grader-error":
            self.faults[student] = one_line(graded.fault, _FAULT)
        points = (result.score or 0) - (result.late_penalty or 0)
        worth = (result.status == "graded", points, graded.submission.attempt)
        if student not in self._best and self.keeps_better and (kept := self._kept_before(student)):
            self._best[student] = kept
        if self._best.get(student, worth) > worth:
            return
        self._best[student] = worth
        try:
            keep(self.out, self.exercise, graded, result, self.suite)
            self.kept.add(student)
        except Exception as error:  # noqa: BLE001 - whatever it is, the others are kept
            why = str(error) if isinstance(error, GraderError | OSError) else repr(error)[:_FAULT]
            self.unkept.append(f"{student}: {why}")

    def _kept_before(self, student: str) -> tuple[bool, float, int] | None:
        """What an earlier run's best attempt is worth, if the same suite graded it."""
        if not is_by(self.out, student, self.suite):
            return None
        result = self.charge(load_result(student_folder(self.out, student) / "result.json"))
        return result.status == "graded", (result.score or 0) - (result.late_penalty or 0), 0

    def charge(self, result: Result) -> Result:
        """The result with what its lateness costs."""
        extension = self.extensions.get(result.student)
        return charged(result, charge_for(result, self.course, self.exercise, extension))

    def finish(self, intake: Intake) -> None:
        """Give everyone a row: those who handed in nothing, those graded in earlier runs, and all of now."""
        names = {person.id: person.name for person in self.roster.people} if self.roster else {}
        for student in intake.missing:
            folder = student_folder(self.out, student)
            if _is_missing(folder, self.exercise.points):
                result = unscored(self.exercise, Submission(student, {}), "missing", "Nothing was handed in.")
                keep_feedback(folder, self.exercise, result, names.get(student, ""))
                write_whole(folder / "result.json", result_bytes(result))
        self.recharged = self._recharge(names)
        for earlier in intake.earlier:
            place = student_folder(self.out, earlier.student) / "attempts" / str(earlier.attempt)
            try:
                keep_submission(place, earlier)
            except (GraderError, OSError) as error:
                self.unkept.append(f"{earlier.student}, attempt {earlier.attempt}: {error}")
        if self.roster:
            write_whole(self.out / "roster.csv", roster_bytes(self.roster))
        self.complaints += self._record()
        write_whole(self.out / "scores.csv", scores_bytes(final_results(self.out)))
        write_whole(self.out / "unmatched.csv", unmatched_bytes(intake.unmatched))
        if self._seconds:
            times = ((harmless(student), round(used, 6)) for student, used in sorted(self._seconds.items()))
            write_whole(self.out / "timing.csv", csv_bytes(("student", "cpu_seconds"), times))

    def _recharge(self, names: Mapping[str, str]) -> tuple[Recharge, ...]:
        """Charge those who were graded before by the due dates of now."""

        def write_feedback(folder: Path, result: Result) -> None:
            keep_feedback(folder, self.exercise, result, names.get(result.student, ""))

        return tuple(recharge(self.out, self.course, self.exercise, self.extensions, write_feedback))

    def _record(self) -> list[str]:
        """Bring the gradebook up to date; what is wrong with it costs no result."""
        if not self.gradebook or not nbgrader_is_installed():
            return []
        try:
            people = self.roster.people if self.roster else ()
            self.overtaken = record_results(self.course, self.exercise, self.out, people)
        except GraderError as error:
            return [str(error)]
        return []
