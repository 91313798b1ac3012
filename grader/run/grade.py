"""The whole of ``grader grade``: what a class handed in -> results, feedback and a table in OUT."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.base.flags import TEST_STUDENT
from grader.course.model import Course, Exercise
from grader.grading.score import Result
from grader.grading.workers import Graded, grade_all
from grader.intake.collect import Intake, collect
from grader.results.adjust import final_results
from grader.results.folder import opened
from grader.results.late import Recharge
from grader.results.out import Collected
from grader.results.student import is_done, suite_digest
from grader.roster.roster import Roster
from grader.sandbox.host import choose_tier
from grader.sandbox.tiers import refuse_readable_course
from grader.sources.submission import Submission


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
    ``recharged`` were graded before, and their lateness costs something else now. ``overtaken`` were given
    points by a person, and what the grader found has changed since.
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
    overtaken: tuple[str, ...] = ()

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
        refuse_readable_course(place)
    intake = _taken_in(course, exercise, paths, options)
    # What can be refused is refused before OUT is opened, which clears the sample class away.
    suite = suite_digest(course, exercise)
    where, run = _runner(course, exercise, options)
    with opened(options.out, course, exercise):
        again = options.regrade or course.attempts == "best"
        todo = [s for s in intake.submissions if again or not is_done(options.out, s, suite)]
        collected = Collected(
            course,
            exercise,
            options.out,
            suite,
            options.roster,
            gradebook=options.gradebook,
            anew=options.regrade,
        )
        progress.started(intake, where, len(todo))
        for graded in run(todo):
            collected.take(graded)
            progress.advanced(graded)
        collected.finish(intake)
        return _summary(intake, collected, unchanged=len(intake.submissions) - len(todo))


def _taken_in(course: Course, exercise: Exercise, paths: Sequence[Path], options: Options) -> Intake:
    return collect(
        paths,
        exercise,
        options.roster,
        format=options.format,
        attempts=course.attempts,
        match=options.match,
        timezone=course.timezone,
    )


def _summary(intake: Intake, collected: Collected, *, unchanged: int) -> Summary:
    """What the run did, with everything that OUT holds now."""
    results = tuple(final_results(collected.out))
    return Summary(
        intake,
        results,
        tuple(sorted(collected.kept)),
        unchanged,
        tuple(collected.unkept),
        tuple(collected.complaints),
        _faults(results, collected.faults),
        _strangers(results, collected.roster),
        collected.recharged,
        collected.overtaken,
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


def _runner(
    course: Course, exercise: Exercise, options: Options
) -> tuple[str, Callable[[Sequence[Submission]], Iterator[Graded]]]:
    """Where submissions run, in words, and what runs them and gives their results as they are done."""
    if options.scheduler:
        from grader.run.cluster import connected, grade_on_cluster, order_for  # noqa: PLC0415 - one machine needs no Dask

        order = order_for(course, exercise, sandbox=options.sandbox, unsafe=options.unsafe)
        client = connected(options.scheduler)
        where = f"the workers of {options.scheduler}, each in the best sandbox it has"
        return where, lambda todo: grade_on_cluster(exercise, order, todo, client)
    tier = choose_tier(options.sandbox, exercise.limits, unsafe=options.unsafe)
    return tier.title, lambda todo: grade_all(course, exercise, tier, todo, options.jobs)
