"""Check a course before term: find what would cost a student a point, or give a point away."""

from __future__ import annotations

from dataclasses import dataclass

from grader.base.errors import CourseError
from grader.check.finding import Finding
from grader.check.generated import generated
from grader.check.layout import missing_files, sentence_findings, stray_folders, stray_tests, todo_findings
from grader.check.outcomes import Cost, Suite, outcomes
from grader.check.testfiles import code_findings, name_findings, point_findings, read_test_files
from grader.course.model import Course, Exercise
from grader.sandbox.tiers import Tier

__all__ = ["Checked", "Cost", "Finding", "check", "stray_folders"]


@dataclass(frozen=True)
class Checked:
    """The findings about one exercise, how many criteria and tests were checked, what each mistake costs.

    ``ran`` is False when the exercise was not complete enough to run its tests.
    """

    findings: tuple[Finding, ...]
    criteria: int
    tests: int = 0
    costs: tuple[Cost, ...] = ()
    ran: bool = False


def check(course: Course, exercise: Exercise, tier: Tier) -> Checked:
    """Check one exercise; its solution, stub and wrong versions run in the sandbox ``tier``.

    Raises:
        GraderError: The grader itself failed.
    """
    count = len(exercise.criteria)
    found = [*sentence_findings(exercise), *stray_tests(course, exercise)]
    if missing := list(missing_files(course, exercise)):
        return Checked((*missing, *found), count)
    files, unreadable = read_test_files(course, exercise)
    found += [*todo_findings(course, exercise), *generated(course, exercise), *unreadable]
    for file in files:
        found += [*name_findings(file), *code_findings(file, exercise)]
    if unreadable:
        return Checked(tuple(found), count)
    if unearned := list(point_findings(course, exercise, files)):
        return Checked((*found, *unearned), count)
    try:
        tried = outcomes(Suite(course, exercise, tier, files))
    except CourseError as error:
        return Checked((*found, Finding("", str(error).rstrip("."))), count)
    return Checked((*found, *tried.findings), count, tried.tests, tried.costs, ran=True)
