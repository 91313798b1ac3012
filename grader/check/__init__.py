"""Check a course before term: find what would cost a student a point, or give a point away."""

from dataclasses import dataclass

from grader.base.errors import CourseError
from grader.check.editions import generated
from grader.check.finding import Finding
from grader.check.layout import (
    handout_findings,
    missing_files,
    sentence_findings,
    stray_folders,
    stray_tests,
    syntax_findings,
    todo_findings,
)
from grader.check.outcomes import Cost, Suite, outcomes
from grader.check.testfiles import TestFile, code_findings, name_findings, point_findings, read_test_files
from grader.course.model import Course, Exercise
from grader.sandbox.tiers import Tier

__all__ = ["Checked", "Cost", "Finding", "check", "stray_folders"]


@dataclass(frozen=True)
class Checked:
    """The findings about one exercise, what was counted, and what each wrong version costs.

    ``ran`` is False when the exercise was not complete enough to run its tests.
    """

    findings: tuple[Finding, ...]
    criteria: int
    tests: int = 0
    costs: tuple[Cost, ...] = ()
    wrong: int = 0
    ran: bool = False


def check(course: Course, exercise: Exercise, tier: Tier) -> Checked:
    """Check one exercise; its solution, stub and wrong versions run in the sandbox ``tier``."""
    count = len(exercise.criteria)
    found, files = static_findings(course, exercise)
    if files is None:
        return Checked(tuple(found), count)
    try:
        found += handout_findings(course, exercise)
        found += generated(course, exercise)
        more, tests, costs = outcomes(Suite(course, exercise, tier, files))
    except CourseError as error:
        return Checked(tuple(dict.fromkeys((*found, Finding.of(error)))), count)
    findings = tuple(dict.fromkeys((*found, *more)))
    return Checked(findings, count, tests, costs, len(costs), ran=True)


def static_findings(
    course: Course, exercise: Exercise, *, quick: bool = False
) -> tuple[list[Finding], list[TestFile] | None]:
    """Check the text of all files; nothing is run. A ``quick`` check needs no generated file.

    Returns:
        The findings, and the test files; None if something is missing without which no test can run.
    """
    found = [*sentence_findings(exercise), *stray_tests(course, exercise)]
    missing = list(missing_files(course, exercise, quick=quick))
    broken = list(syntax_findings(course, exercise))
    if broken or any(needed for needed, _ in missing):
        return [*(finding for _, finding in missing), *broken, *found], None
    files = read_test_files(course, exercise)
    found = [*(finding for _, finding in missing), *found, *todo_findings(course, exercise)]
    for file in files:
        found += [*name_findings(file), *code_findings(file, exercise)]
    unearned = list(point_findings(course, exercise, files))
    return [*found, *unearned], None if unearned else files
