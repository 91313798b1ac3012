"""Results by hand for the small course of ``notebook_course``, and what the gradebook holds of them."""

import contextlib
import warnings

from grader.gradebook.store import course_id, gradebook_url, opened
from grader.grading.score import CriterionResult, Diagnosis, Received, Result
from grader.roster.roster import Person

ALL = {"facts-half": 1, "add-two": 2, "add-negative": 1, "mean-any": 2}
"""The points of every criterion."""

PEOPLE = [
    Person("ada", "Lovelace, Countess", "ada@example.edu"),
    Person("bob", "=1+1", "bob@example.edu"),
    Person("li", "李小明", "li@example.edu"),
    Person("mia", "Mia Miller Jones", ""),
    Person("max", "", ""),
]


def result(exercise, student, missed=(), *, status="graded", late=0, at="2027-03-01T12:00:00Z", diagnosis=""):
    """A result in which these criteria earned nothing."""
    graded = status == "graded"
    criteria = tuple(
        CriterionResult(
            one.id,
            one.task,
            one.visibility,
            0 if one.id in missed or not graded else one.points,
            one.points,
            "not-run" if not graded else "needs-work" if one.id in missed else "passed",
            f"{one.task}(1, 2) was wrong." if one.id in missed or not graded else "",
        )
        for one in exercise.criteria
    )
    return Result(
        student=student,
        exercise=exercise.name,
        status=status,
        score=sum(one.points for one in criteria) if graded else None,
        max_score=6,
        late_penalty=late if graded else None,
        criteria=criteria,
        diagnoses=(Diagnosis("add", "adds-one", diagnosis),) if diagnosis else (),
        flags=(),
        submission=None if status == "missing" else Received("ab", at, ("lab.py",)),
    )


@contextlib.contextmanager
def opened_by_nbgrader(course, home):
    """The gradebook as nbgrader itself sees it; what its mappings warn of themselves is not ours."""
    with opened(course, home):
        pass  # made, if it was not there
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from nbgrader.api import Gradebook  # noqa: PLC0415 - it takes seconds

        address = gradebook_url(course, home).render_as_string(hide_password=False)
        with Gradebook(address, course_id(course)) as gradebook:
            yield gradebook


def everything(gradebook, exercise):
    """What the gradebook holds, by student: points by cell, comments by task, time, penalty, open cells."""
    found = {}
    for submission in gradebook.assignment_submissions(exercise.name):
        notebook = submission.notebooks[0]
        found[submission.student.id] = {
            "auto": {grade.name: grade.auto_score for grade in notebook.grades},
            "manual": {
                grade.name: grade.manual_score for grade in notebook.grades if grade.manual_score is not None
            },
            "open": sorted(grade.name for grade in notebook.grades if grade.needs_manual_grade),
            "comments": {
                comment.name: comment.auto_comment for comment in notebook.comments if comment.auto_comment
            },
            "time": submission.timestamp,
            "penalty": notebook.late_submission_penalty,
            "score": submission.score,
        }
    return found
