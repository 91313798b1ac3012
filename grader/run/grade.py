"""Grade what a class handed in: results, feedback and a table of scores in OUT."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from grader.base.errors import GraderError
from grader.base.files import csv_bytes, escape_formula
from grader.base.flags import TEST_STUDENT
from grader.base.text import one_line
from grader.course.model import Course, Exercise
from grader.gradebook.store import nbgrader_is_installed
from grader.gradebook.sync import RecordReport, record_out
from grader.grading.score import FinalResult
from grader.grading.workers import Graded, grade_all
from grader.intake.collect import Intake, collect
from grader.intake.match import unmatched_bytes
from grader.report.gather import is_current, write_report
from grader.results.folder import holds_sample
from grader.results.history import Move, graded_before, keep_history, move_between
from grader.results.late import Recharge
from grader.results.out import Out, open_out
from grader.results.student import is_done, suite_digest
from grader.roster.roster import Roster
from grader.run.stages import Stages
from grader.sandbox.host import choose_tier
from grader.sources.submission import Submission
from grader.suite.memory import Shared
from grader.suite.process import report_versions

REMEMBERED = "remembered"
"""The file in OUT with what the tests said to answers, for the next run of the same suite."""
_FAULT = 300  # characters that are shown of what failed in the grader itself


@dataclass(frozen=True)
class Options:
    """The command's options: how to grade, and where results go."""

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
    """What a run did."""

    intake: Intake
    results: tuple[FinalResult, ...]  # the final results of everyone in OUT
    graded: tuple[str, ...]  # the students graded in this run
    unchanged: int  # how many submissions were graded before and not again
    unkept: tuple[str, ...]  # a sentence for each result that could not be written
    complaints: tuple[str, ...] = ()  # why the gradebook or the report was not brought up to date
    faults: tuple[str, ...] = ()  # students whom a fault of the grader hit, and what failed
    strangers: tuple[str, ...] = ()  # students with a result who are not on the roster
    recharged: tuple[Recharge, ...] = ()  # students whose lateness costs something else than before
    overtaken: tuple[str, ...] = ()  # students with points by hand, for whom other points were found since
    said: str = ""  # a sentence about a gradebook that was made anew, else empty
    workers: tuple[str, ...] = ()  # a sentence for each worker of a cluster that was not used or was lost
    held: tuple[Move, ...] = ()  # whose points would change, because tests or points did; left alone
    moved: tuple[Move, ...] = ()  # whose points changed for that reason
    spent: Mapping[str, float] = field(default_factory=dict)  # CPU seconds by stage, of all processes

    @property
    def needs_a_look(self) -> bool:
        """True if something went wrong that no option allows: exit status 1."""
        return bool(self.faults or self.unkept or self.complaints or self.intake.refused or self.held)


@dataclass(frozen=True)
class Progress:
    """Functions that show progress: at the start (what came in, sandbox, how many), and for each result."""

    started: Callable[[Intake, str, int], None]
    advanced: Callable[[Graded], None]


def grade(
    course: Course, exercise: Exercise, paths: Sequence[Path], options: Options, progress: Progress
) -> Summary:
    """Grade what lies at ``paths`` into OUT. Raises UsageError if a mistake in the call or the course."""
    stages = Stages()
    with stages.measured("reading what was handed in"):
        intake = collect(
            paths,
            exercise,
            options.roster,
            format=options.format,
            attempts=course.attempts,
            match=options.match,
            timezone=course.timezone,
            out=options.out,
        )
    # What can be refused is refused before OUT is opened, which removes the sample class.
    suite = suite_digest(course, exercise)
    best = course.attempts == "best" and not options.regrade
    again = options.regrade or best
    is_new = not course.sample and holds_sample(options.out)
    with stages.measured("looking for what has changed"):
        todo = [s for s in intake.submissions if again or is_new or not is_done(options.out, s, suite)]
    with (
        _runner(course, exercise, options, todo) as runner,
        open_out(options.out, course, exercise, options.roster) as out,
    ):
        progress.started(intake, runner.where, len(todo))
        tally = _Tally()
        waiting = Counter(submission.student for submission in todo)
        attempts: dict[str, list[Graded]] = defaultdict(list)
        for graded in runner.run(suite):
            student = graded.submission.student
            tally.add(graded)
            stages.add(graded.spent)
            attempts[student].append(graded)
            if len(attempts[student]) == waiting[student]:
                with stages.measured("writing results and pages"), tally.noting(student):
                    _keep(out, attempts.pop(student), suite, tally, best=best, regrade=options.regrade)
            progress.advanced(graded)
        recharged, recorded, results = _write_for_all(
            out, intake, tally, stages, gradebook=options.gradebook, is_new=bool(todo)
        )
    known = {person.id for person in options.roster.people} if options.roster else None
    return Summary(
        intake,
        results,
        graded=tuple(sorted(tally.kept)),
        unchanged=len(intake.submissions) - len(todo),
        unkept=tuple(tally.unkept),
        complaints=tuple(tally.complaints),
        faults=tally.all_faults(results),
        strangers=tuple(
            one.student
            for one in results
            if known is not None and one.student not in known and TEST_STUDENT not in one.flags
        ),
        recharged=recharged,
        overtaken=recorded.overtaken,
        said=recorded.anew,
        workers=tuple(runner.trouble),
        held=tuple(tally.held),
        moved=tuple(tally.moved),
        spent=stages.all(),
    )


def _keep(
    out: Out, attempts: Sequence[Graded], suite: str, tally: _Tally, *, best: bool, regrade: bool
) -> None:
    """Write a student's result into OUT; unless ``regrade``, hold back other points of the kept hand-in."""
    for graded in attempts:
        was = graded_before(out.folder, graded.submission)
        move = move_between(was, graded.result) if was and not graded.fault else None
        if move and not regrade:
            tally.held.append(move)
            return
        if move and was:
            keep_history(out.folder, was)
            tally.moved.append(move)
    for graded in attempts:
        if out.keep(graded, suite, best=best):
            tally.kept.add(graded.submission.student)


def _write_for_all(
    out: Out, intake: Intake, tally: _Tally, stages: Stages, *, gradebook: bool, is_new: bool
) -> tuple[tuple[Recharge, ...], RecordReport, tuple[FinalResult, ...]]:
    """Write who handed in nothing, attempts that do not count, and what is about the whole class."""
    with stages.measured("writing results and pages"):
        for student in intake.missing:
            with tally.noting(student):
                out.keep_missing(student)
        for earlier in intake.earlier:
            with tally.noting(f"{earlier.student}, attempt {earlier.attempt}"):
                out.keep_attempt(earlier)
        recharged = out.charge_anew()
        out.write_roster()
    recorded = RecordReport(0)
    if gradebook and nbgrader_is_installed():
        with stages.measured("gradebook"), tally.complaining():
            recorded = record_out(out)
    with stages.measured("tables and the report on the class"):
        out.write_tables({"unmatched.csv": unmatched_bytes(intake.unmatched), **tally.times()})
        results = out.finals()
        if is_new or not is_current(out):
            with tally.complaining():
                write_report(out)
    return recharged, recorded, results


@dataclass(frozen=True)
class _Runner:
    """Where submissions run, how to run them (given the suite's digest), and what went wrong with workers."""

    where: str
    run: Callable[[str], Iterator[Graded]]
    trouble: Sequence[str] = ()


class _Tally:
    """Notes of one run, student by student."""

    def __init__(self) -> None:
        self.kept: set[str] = set()
        self.unkept: list[str] = []
        self.complaints: list[str] = []
        self._faults: dict[str, str] = {}
        self.held: list[Move] = []
        self.moved: list[Move] = []
        self._seconds: dict[str, float] = defaultdict(float)
        self._peaks: dict[str, int] = defaultdict(int)

    def add(self, graded: Graded) -> None:
        """Note the CPU seconds and the memory of a submission, and a fault of the grader."""
        student = graded.submission.student
        self._seconds[student] += graded.cpu_seconds
        self._peaks[student] = max(self._peaks[student], graded.peak_kib)
        if graded.result.status == "grader-error":
            self._faults[student] = one_line(graded.fault, _FAULT)

    @contextmanager
    def noting(self, what: str) -> Iterator[None]:
        """Note whatever goes wrong while something is written: the others are written all the same."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - whatever it is, the others are written
            why = str(error) if isinstance(error, GraderError | OSError) else repr(error)[:_FAULT]
            self.unkept.append(f"{what}: {why}")

    @contextmanager
    def complaining(self) -> Iterator[None]:
        """Note why the gradebook or the report could not be written: no result is lost by it."""
        try:
            yield
        except GraderError as error:
            self.complaints.append(str(error))

    def all_faults(self, results: Iterable[FinalResult]) -> tuple[str, ...]:
        """Return the students whom a fault of the grader hit, in this run or an earlier one."""
        faults = {one.student: "" for one in results if one.status == "grader-error"} | self._faults
        return tuple(f"{student}: {why}" if why else student for student, why in sorted(faults.items()))

    def times(self) -> dict[str, bytes]:
        """``timing.csv``, or nothing if nothing was run."""
        rows = [
            (escape_formula(student), round(used, 6), round(self._peaks[student] / 1024, 1))
            for student, used in sorted(self._seconds.items())
        ]
        return {"timing.csv": csv_bytes(("student", "cpu_seconds", "peak_mib"), rows)} if rows else {}


@contextmanager
def _runner(
    course: Course, exercise: Exercise, options: Options, todo: Sequence[Submission]
) -> Iterator[_Runner]:
    """Choose where submissions run."""
    if not todo:
        yield _Runner("", lambda _: iter(()))
    elif options.scheduler:
        from grader.run.cluster import cluster_at, order_for  # noqa: PLC0415 - one machine needs no Dask

        order = order_for(course, exercise, sandbox=options.sandbox, unsafe=options.unsafe)
        with cluster_at(options.scheduler, order) as cluster:
            yield _Runner(cluster.title, lambda _: cluster.grade(exercise, todo), cluster.trouble)
    else:
        tier = choose_tier(options.sandbox, exercise.limits, unsafe=options.unsafe)

        def run(suite: str) -> Iterator[Graded]:
            # Tests may read files that the key does not name.
            key = f"{suite} {report_versions()}"
            shared = Shared(key, options.out / REMEMBERED, anew=options.regrade)
            yield from grade_all(course, exercise, tier, todo, options.jobs, shared)
            shared.save()

        yield _Runner(tier.title, run)
