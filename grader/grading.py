"""The whole of ``grader grade``: what a class handed in -> results, feedback and a table in OUT."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.batch import Graded, grade_all
from grader.course import Course
from grader.csvfile import csv_bytes, harmless
from grader.errors import GraderError
from grader.exercise import Exercise
from grader.folder import opened
from grader.gradebook_store import nbgrader_is_installed
from grader.intake.collect import Intake, collect
from grader.intake.decoding import decoded
from grader.intake.handin import TEST_STUDENT
from grader.intake.submission import Submission
from grader.intake.unmatched import unmatched_bytes
from grader.keeping import is_done, keep, keep_feedback, keep_submission, suite_digest
from grader.late import Recharge, charge_for, charged, extensions_of, recharge
from grader.manual import final_results, record_results
from grader.results import result_bytes, scores_bytes, student_folder, write_whole
from grader.roster import Roster, roster_bytes
from grader.sandbox.host import choose
from grader.sandbox.tiers import refuse_exposed
from grader.scoring import Result, unscored
from grader.text import one_line

_FAULT = 300
"""Characters that are shown of what failed in the grader itself."""


@dataclass(frozen=True)
class Options:
    """How to grade; the fields are the command's options."""

    out: Path
    roster: Roster | None = None
    jobs: int = 1
    format: str | None = None
    match: Path | None = None
    sandbox: str = "auto"
    unsafe: bool = False
    regrade: bool = False
    scheduler: str = ""
    gradebook: bool = True


@dataclass(frozen=True)
class Summary:
    """What a run did. ``results`` are all results in OUT, ``graded`` the students graded just now.

    ``unkept`` holds a sentence for each result that could not be written, ``complaints`` what the gradebook
    said. ``faults`` are the students whose grading failed for no fault of their own, with what failed, also
    when only one of their attempts was hit. ``strangers`` have a result in OUT and no place on the roster.
    ``recharged`` were graded before, and their lateness costs something else now.
    """

    intake: Intake
    results: tuple[Result, ...]
    graded: tuple[str, ...]
    unchanged: int
    unkept: tuple[str, ...]
    complaints: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    strangers: tuple[str, ...] = ()
    recharged: tuple[Recharge, ...] = ()

    @property
    def needs_a_look(self) -> bool:
        """Whether something went wrong that no option allows: exit status 1."""
        return bool(self.faults or self.unkept or self.complaints or self.intake.refused)


@dataclass(frozen=True)
class Progress:
    """What a watching person is told: what came in, where it runs, how much there is to do; each one done."""

    started: Callable[[Intake, str, int], None]
    advanced: Callable[[Graded], None]


def grade(
    course: Course, exercise: Exercise, paths: Sequence[Path], options: Options, progress: Progress
) -> Summary:
    """Grade what lies at ``paths`` into OUT.

    Raises:
        UsageError: A mistake in the call or the course.
        GraderError: OUT cannot be written.
    """
    for place in filter(None, (course.root, course.private)):
        refuse_exposed(place)
    intake = collect(
        paths,
        exercise,
        options.roster,
        format=options.format,
        attempts=course.attempts,
        match=options.match,
        timezone=course.timezone,
    )
    with opened(options.out, course, exercise):
        suite = suite_digest(course, exercise)
        submissions = [decoded(readable(submission, exercise)) for submission in intake.submissions]
        todo = [
            s
            for s in submissions
            if options.regrade or course.attempts == "best" or not is_done(options.out, s, suite)
        ]
        keeper = _Keeper(course, exercise, options, suite)
        where, running = _run(course, exercise, options, todo)
        progress.started(intake, where, len(todo))
        for graded in running:
            keeper.take(graded)
            progress.advanced(graded)
        keeper.finish(intake)
        results = tuple(final_results(options.out))
        return Summary(
            intake,
            results,
            tuple(sorted(keeper.kept)),
            len(submissions) - len(todo),
            tuple(keeper.unkept),
            tuple(keeper.complaints),
            _faults(results, keeper.faults),
            _strangers(results, options.roster),
            keeper.recharged,
        )


def _faults(results: Iterable[Result], now: Mapping[str, str]) -> tuple[str, ...]:
    """Whom a fault of the grader hit, in this run or in an earlier one; what failed is known of this one."""
    earlier = {result.student: "" for result in results if result.status == "grader-error"}
    return tuple(
        f"{student}: {why}" if why else student for student, why in sorted({**earlier, **now}.items())
    )


def _strangers(results: Iterable[Result], roster: Roster | None) -> tuple[str, ...]:
    """Who has a result and no place on the roster, as after a first run without one."""
    if roster is None:
        return ()
    known = {person.id for person in roster.people}
    return tuple(r.student for r in results if r.student not in known and TEST_STUDENT not in r.flags)


def _run(
    course: Course, exercise: Exercise, options: Options, todo: Sequence[Submission]
) -> tuple[str, Iterator[Graded]]:
    """Where the submissions run, in words, and their results as they are done."""
    if options.scheduler:
        from grader.cluster import grade_on_cluster, order_for  # noqa: PLC0415 - one machine needs no Dask

        order = order_for(course, exercise, sandbox=options.sandbox, unsafe=options.unsafe)
        where = f"the workers of {options.scheduler}, each in the best sandbox it has"
        return where, grade_on_cluster(exercise, order, todo, options.scheduler)
    tier = choose(options.sandbox, exercise.limits, unsafe=options.unsafe)
    return tier.title, grade_all(course, exercise, tier, todo, options.jobs)


def readable(submission: Submission, exercise: Exercise) -> Submission:
    """The submission with its notebook, if that is what came, turned into the exercise's files."""
    if submission.notebook is None:
        return submission
    from grader.notebook_answers import read_notebook  # noqa: PLC0415 - most classes hand in files

    try:
        source = read_notebook(submission.notebook, exercise)
    except GraderError as error:
        problems = {file: str(error) for file in exercise.files if file not in submission.files}
        return replace(submission, problems={**problems, **submission.problems})
    return replace(
        submission,
        files={**source.files, **submission.files},
        flags=(*submission.flags, *source.flags),
        notes=(*submission.notes, *source.notes),
    )


class _Keeper:
    """Writes each student's files as their best attempt is known, and the tables at the end."""

    def __init__(self, course: Course, exercise: Exercise, options: Options, suite: str) -> None:
        self.course, self.exercise, self.out, self.suite = course, exercise, options.out, suite
        self.roster, self.gradebook = options.roster, options.gradebook
        self.extensions = extensions_of(options.roster, course.timezone)
        self.kept: set[str] = set()
        self.unkept: list[str] = []
        self.complaints: list[str] = []
        self.faults: dict[str, str] = {}
        self.recharged: tuple[Recharge, ...] = ()
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
        if self._best.get(student, worth) > worth:
            return
        self._best[student] = worth
        try:
            keep(self.out, self.exercise, graded, result, self.suite)
            self.kept.add(student)
        except (GraderError, OSError) as error:
            self.unkept.append(f"{student}: {error}")

    def charge(self, result: Result) -> Result:
        """The result with what its lateness costs."""
        extension = self.extensions.get(result.student)
        return charged(result, charge_for(result, self.course, self.exercise, extension))

    def finish(self, intake: Intake) -> None:
        """Give everyone a row: those who handed in nothing, those graded in earlier runs, and all of now."""
        names = {person.id: person.name for person in self.roster.people} if self.roster else {}
        for student in intake.missing:
            folder = student_folder(self.out, student)
            if not (folder / "result.json").exists():
                result = unscored(self.exercise, Submission(student, {}), "missing", "Nothing was handed in.")
                keep_feedback(folder, self.exercise, result, names.get(student, ""))
                write_whole(folder / "result.json", result_bytes(result))
        self.recharged = self._recharge(names)
        for earlier in intake.earlier:
            place = student_folder(self.out, earlier.student) / "attempts" / str(earlier.attempt)
            keep_submission(place, earlier)
        if self.roster:
            write_whole(self.out / "roster.csv", roster_bytes(self.roster))
        self.complaints += self._record()
        write_whole(self.out / "scores.csv", scores_bytes(final_results(self.out)))
        write_whole(self.out / "unmatched.csv", unmatched_bytes(intake.unmatched))
        times = ((harmless(student), seconds) for student, seconds in sorted(self._seconds.items()))
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
            record_results(self.course, self.exercise, self.out, self.roster.people if self.roster else ())
        except GraderError as error:
            return [str(error)]
        return []
