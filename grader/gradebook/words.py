"""Make ids, names and comments that nbgrader's text columns and pages can hold."""

import re

from grader.base.text import clean, markdown_inline, one_line
from grader.course.model import Exercise
from grader.grading.score import Result
from grader.results.student import safe_name
from grader.roster.roster import Person, last_and_first

EXPORT_COLUMNS = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
)
"""The columns of the table that ``nbgrader export`` writes."""

LENGTH = 128  # characters of an id, a name or an address: PostgreSQL refuses more, SQLite does not ask

_COMMENT, _MESSAGE = 4000, 2000
_AS_IT_IS = re.compile(r"[^\W_](?:[\w.@+= ,()!'\u2019-]*[\w)!])?")


def gradebook_id(student: str) -> str:
    """Return the student's id in the gradebook.

    nbgrader names folders and pages by it, so that an id which cannot be such a name becomes the name of the
    student's folder in OUT.
    """
    plain = _AS_IT_IS.fullmatch(student) and len(student.encode()) <= LENGTH
    return student if plain else safe_name(student)


def names_of(person: Person) -> tuple[str, str]:
    """First and last name, by the rule of our own export for nbgrader."""
    last, first = last_and_first(one_line(person.name, 4 * LENGTH))
    return short(first), short(last)


def short(text: str) -> str:
    """Shorten a text to at most ``LENGTH`` plain characters."""
    text = one_line(text, 4 * LENGTH).strip()
    return text if len(text) <= LENGTH else f"{text[: LENGTH - 1]}\u2026"


def comments_of(exercise: Exercise, result: Result) -> dict[str, str]:
    """Make a comment for each task, empty if all of it passed; of hidden criteria as much as the feedback.

    nbgrader shows it as Markdown with HTML and formulas in it, so a message stands there as code.
    """
    comments: dict[str, str] = {}
    for task in exercise.tasks:
        lines = [diagnosis.explanation for diagnosis in result.diagnoses if diagnosis.task == task.name]
        for one in result.criteria:
            if one.task == task.name and one.status != "passed":
                sentence = next(known.sentence for known in exercise.criteria if known.id == one.id)
                points = f"{one.points} of {one.max_points} point{'s' * (one.max_points != 1)}"
                said = "\n".join(map(markdown_inline, clean(one.message, _MESSAGE).splitlines()))
                lines.append(f"{sentence} ({points}): {said or one.shown_word}")
        while len(lines) > 1 and len("\n\n".join(lines)) > _COMMENT:
            lines.pop()  # whole: half a message would no longer be code
        comments[task.name] = clean("\n\n".join(lines), _COMMENT)
    return comments
