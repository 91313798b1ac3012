"""A small course and a small class with hand-made results, for tests of what goes out to platforms.

Four criteria: ``add`` is worth 8 visible and 4 hidden points, ``mean`` 5 visible and 3 hidden ones.
"""

import json
from dataclasses import replace
from pathlib import Path

from grader.base.files import write_whole
from grader.course.load import load_course
from grader.grading.score import Change, CriterionResult, Diagnosis, Received, Result
from grader.results.final import final_result, scores_bytes
from grader.results.student import result_bytes, student_folder

COURSE = """\
[course]
title = "Sums"
timezone = "Europe/Berlin"

[exercise.lab]
title = "Lab 1"
points = 20
{top}

[exercise.lab.task.add]
file = "lab.py"
title = "Adding"

[exercise.lab.task.mean]
file = "lab.py"
title = "The mean"

[exercise.lab.criterion.add-two]
task = "add"
visibility = "visible"
tests = "TestTwo"
points = 8
sentence = "adds two numbers"
hint = "Try it on paper."

[exercise.lab.criterion.add-none]
task = "add"
visibility = "hidden"
tests = "TestNone"
points = 4
sentence = "gives 0 for nothing"
hint = "What is the sum of nothing?"

[exercise.lab.criterion.mean-two]
task = "mean"
visibility = "visible"
tests = "TestMean"
points = 5
sentence = "gives the mean of two numbers"
hint = "Divide by how many there are."

[exercise.lab.criterion.mean-none]
task = "mean"
visibility = "hidden"
tests = "TestMeanNone"
points = 3
sentence = "refuses an empty list"
hint = "Raise a ValueError."
{rest}
"""

CRITERIA = (
    ("add-two", "add", "visible", 8),
    ("add-none", "add", "hidden", 4),
    ("mean-two", "mean", "visible", 5),
    ("mean-none", "mean", "hidden", 3),
)
ALL = tuple(name for name, *_ in CRITERIA)
WHEN, A_DAY_LATER = "2026-10-24T10:00:00+00:00", "2026-10-25T10:00:00+00:00"

DUE = """\
due = 2026-10-24T23:59:59

[exercise.lab.late]
applied_by = "kit"
percent_per_day = 12.5
"""
"""With it the usual results are charged as they are: a started day of one student, 2.5 of 20 points."""

PEOPLE = (
    "id,name,email,canvas_id,moodle_id,brightspace_id,blackboard_id,lti_id,extension,edx_id\n"
    '00017,"Lovelace, Ada",ada@example.edu,11,8,b17,ada,3,,901\n'
    '00018,"Kim, Alex",alex1@example.edu,12,9,b18,akim1,4,,902\n'
    '00019,"Kim, Alex",alex2@example.edu,13,10,b19,akim2,5,,903\n'
    "0429,李小明,xiaoming@example.edu,14,11,b29,xiaoming,6,,904\n"
    "7,=1+1 @Cmd\\,cmd@example.edu,15,12,b7,cmd,7,,905\n"
    "8,Grace Hopper,grace@example.edu,16,13,b8,grace,8,,906\n"
)

CANVAS_IDS = {"00017": 11, "00018": 12, "00019": 13, "0429": 14, "7": 15, "8": 16}


def course_at(folder: Path, platform: str = "", top: str = "", rest: str = ""):
    """A course file in that folder with this text in its tables, loaded."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "course.toml"
    path.write_text(COURSE.format(top=top, rest=f"{rest}\n{platform}"), encoding="utf-8")
    return load_course(path)


def result(student, passed=ALL, penalty=0, *, status="graded", flags=(), diagnoses=(), came=WHEN):
    """A result in which the criteria named ``passed`` are passed and the others need work."""
    criteria = []
    for name, task, visibility, points in CRITERIA:
        ok = name in passed and status == "graded"
        state = "passed" if ok else "needs-work" if status == "graded" else "not-run"
        message = "" if ok else f"{task}([1]) returned 2; expected 1." if visibility == "visible" else ""
        criteria.append(CriterionResult(name, task, visibility, points if ok else 0, points, state, message))
    graded = status == "graded"
    score = sum(c.points for c in criteria) if graded else None
    received = None if status == "missing" else Received("d" * 64, came, ("lab.py",))
    return Result(
        student,
        "lab",
        status,
        score,
        20,
        penalty if graded else None,
        tuple(criteria),
        tuple(Diagnosis(*diagnosis) for diagnosis in diagnoses),
        tuple(flags),
        received,
    )


def final(student, *arguments, by_hand=None, changes=(), **options):
    """The same as a final result, with changes by hand; ``by_hand`` is a whole score that a person gave."""
    whole = () if by_hand is None else (Change("", by_hand, "formgrader"),)
    return final_result(result(student, *arguments, **options), (*whole, *changes))


def unreadable(student):
    """The final result of a hand-in that could not be read."""
    why = "lab.py could not be read: it is not UTF-8 text; save it as UTF-8."
    made = result(student, status="unreadable")
    criteria = tuple(replace(one, message=why) for one in made.criteria)
    return final_result(replace(made, criteria=criteria))


def comment(task, text):
    """A person's comment on a task."""
    return Change(task, None, "formgrader", what="comment", text=text)


def usual_finals():
    """The usual results, as they leave OUT."""
    return [final_result(one) for one in usual_results()]


def usual_results():
    """Six graded (20, 16, 12, 17 less 2.5, 0, 8), one who handed in nothing, one test student."""
    return [
        result("00017"),
        result("00018", ("add-two", "mean-two", "mean-none")),
        result("00019", ("add-two", "add-none")),
        result("0429", ("add-two", "add-none", "mean-two"), 2.5, flags=("late",), came=A_DAY_LATER),
        result("7", ()),
        result("8", ("add-two",)),
        result("9", status="missing"),
        result("studenttest", flags=("test-student",)),
    ]


USUAL_SCORES = {"00017": "20", "00018": "16", "00019": "12", "0429": "14.5", "7": "0", "8": "8"}


def write_class(out: Path, results=None, people: str | None = PEOPLE):
    """OUT as a run of ``grader grade`` leaves it."""
    results = usual_results() if results is None else results
    out.mkdir(mode=0o700, exist_ok=True)
    for one in results:
        folder = student_folder(out, one.student)
        write_whole(folder / "result.json", result_bytes(one))
        write_whole(folder / "feedback.html", f"<p>page of {one.student}</p>\n".encode())
        write_whole(folder / "feedback.md", f"page of {one.student}\n".encode())
        stamp = {
            "suite": "",
            "digest": "",
            "received_as": f"name{one.student}_{CANVAS_IDS.get(one.student, 19)}_5002_lab-1.py",
        }
        write_whole(folder / "graded.json", json.dumps(stamp).encode())
    write_whole(out / "scores.csv", scores_bytes(map(final_result, results)))
    write_whole(
        out / "grader.json", json.dumps({"course": "Sums", "exercise": "lab", "sample": False}).encode()
    )
    if people is not None:
        write_whole(out / "roster.csv", people.encode())
    return out


def is_private(path: Path) -> bool:
    """Whether nobody but its owner can read a file."""
    return path.stat().st_mode & 0o077 == 0
