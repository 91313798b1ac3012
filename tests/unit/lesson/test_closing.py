"""What students read after full marks, and the look at a real trace."""

# ruff: noqa: ARG005 - a wrong function need not look at its arguments

import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
from helpers.exercise_suites import NAME, ROOT, load_module

from grader.base.errors import CourseError
from grader.check.editions import stale
from grader.course.load import load_course
from grader.feedback.closing import load_closing
from grader.lesson.own_code import closing_bytes, closing_path

LESSON = ROOT / "exercises" / NAME
EXPLORE = load_module(LESSON / "explore.py", "explore")
SOLUTION = load_module(ROOT / "solutions" / NAME / "reservation.py", "reference")


@pytest.fixture
def course(tmp_path):
    """A copy of the lesson's closing, and the course that has it."""
    course = load_course(ROOT / "course.toml")
    for name in ("closing.py", "closing.json", "reservation.py", "hands_on.py"):
        target = tmp_path / "solutions" / NAME / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / "solutions" / NAME / name).read_bytes())
    (tmp_path / "exercises").symlink_to(ROOT / "exercises")
    return replace(course, root=tmp_path)


def test_the_closing_is_counted_by_the_solution():
    """300 reserved slots, 78.3 % of them idle; 96 in blocks, 32.3 % of them slack; the paper; the trace."""
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise(NAME)
    assert closing_path(course, exercise).read_bytes() == closing_bytes(course, exercise)
    same, paper, trace, after = load_closing(course, exercise)
    assert same.title == "300 slots or 96"
    assert "300 slots for them, and 78.3% of these are idle" in same.text[0]
    assert "96 slots, and 32.3% of these are slack" in same.text[0]
    assert [label.rpartition(": ")[2] for label, _ in paper.pictures[0][1]] == [
        "20.4 %",
        "26.8 %",
        "38.2 %",
        "96.3 %",
    ]
    assert "CC-BY 4.0" in trace.text[-1]
    assert "block table" in after.text[0]


def test_a_closing_that_is_out_of_date_is_found(course):
    """``grader check`` names the file, and damage to it is one sentence."""
    exercise = course.exercise(NAME)
    path = closing_path(course, exercise)
    path.write_text(path.read_text().replace("78.3", "78.4"))
    assert f"solutions/{NAME}/closing.json" in [finding.where for finding in stale(course, exercise)]
    path.write_text("[{}]")
    with pytest.raises(CourseError, match=r"closing\.json is damaged"):
        load_closing(course, exercise)
    path.unlink()
    assert load_closing(course, exercise) == ()


def test_a_closing_that_fails_is_a_mistake_of_the_course(course):
    """The sentence names the file and the error; a lesson may have none."""
    exercise = course.exercise(NAME)
    source = course.root / "solutions" / NAME / "closing.py"
    source.write_text("def closing(solutions):\n    return [1 / 0]\n")
    with pytest.raises(CourseError, match=r"closing\.py: closing\(solutions\) failed with ZeroDivisionError"):
        closing_bytes(course, exercise)
    source.unlink()
    assert closing_bytes(course, exercise) is None


def test_the_trace_is_as_published():
    """2,000 requests of each service; of regions of 8,192 slots 16 fit, whatever the requests are."""
    trace = EXPLORE.read_trace()
    assert {name: len(lengths) for name, lengths in trace.items()} == {
        "Code completion": 2000,
        "Conversation": 2000,
    }
    code = EXPLORE.measure(SOLUTION, trace["Code completion"])
    total = sum(trace["Code completion"])
    assert (code["regions"], code["reserved"]) == (16, 131_072)
    assert code["idle"] == pytest.approx(1 - total / (2000 * 8192))
    assert (code["sequences"], code["held"] <= 131_072) == (56, True)
    assert "CC-BY 4.0" in (LESSON / "kit" / "trace.txt").read_text()


BAD = {
    "reserved_slots": [lambda n, m: None, lambda n, m: -1, lambda n, m: True],
    "used_slots": [lambda n, m=None: "65", lambda n, m=None: 10**8, lambda n: 0],
    "waste_fraction": [lambda n, m: 78.3, lambda n, m: 1 / 0, lambda n, m: float("nan")],
    "extra_reservations": [lambda p, m, n: sys.exit(), lambda p, m, n: [1]],
    "paged_slots": [lambda n, b: n.no_such_method(), lambda n, b: {}[n[0]]],
}


@pytest.mark.parametrize(
    ("name", "place"), [(name, place) for name in BAD for place in range(len(BAD[name]))]
)
def test_a_bad_function_gets_its_own_sentence(name, place):
    """No error of a student's function reaches the caller but as a sentence that names the function."""
    functions = SimpleNamespace(**vars(SOLUTION) | {name: BAD[name][place]})
    with pytest.raises(EXPLORE.Trouble, match=name):
        EXPLORE.report(functions, EXPLORE.read_trace())


def test_a_function_that_is_missing():
    """It is named."""
    with pytest.raises(EXPLORE.Trouble, match=r"reservation\.py has no extra_reservations\."):
        EXPLORE.report(SimpleNamespace(), EXPLORE.read_trace())


@pytest.mark.slow
def test_run_in_the_students_folder(tmp_path):
    """The stub is told which TODO is first; the solution is shown in text with bars, in ASCII."""

    def run(source):
        (tmp_path / "reservation.py").write_bytes(source)
        command = [sys.executable, "explore.py"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    (tmp_path / "kit").mkdir()
    for name in ("explore.py", "kit/trace.txt"):
        (tmp_path / name).write_bytes((LESSON / name).read_bytes())
    stub = run((LESSON / "reservation.py").read_bytes())
    assert (stub.returncode, stub.stdout.split(":")[0]) == (1, "extra_reservations is not started")
    assert "could not be imported (SyntaxError" in run(b"def (").stdout
    done = run((ROOT / "solutions" / NAME / "reservation.py").read_bytes())
    assert (done.returncode, done.stderr) == (0, "")
    assert "16 fit and reserve 131072 slots; 75.4% of what all requests reserve is idle" in done.stdout
    assert done.stdout.isascii()
