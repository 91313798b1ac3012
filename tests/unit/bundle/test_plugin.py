"""grader.bundle.plugin and summary: what pytest says in a student's folder, for a small exercise."""

import json
import re
import sys
from pathlib import Path

import pytest
from helpers.golden import assert_golden

from grader.bundle import plugin
from grader.bundle.failure_view import FailureView, TerminalView, can_show_symbols
from grader.bundle.summary import Found, RunState, lines

pytest_plugins = ["pytester"]

TESTS = """
import pytest
import work

class TestOne:
    def test_value(self):
        assert work.one(1) == 10
    def test_other(self):
        assert work.one(2) == 20

class TestTwo:
    def test_share(self):
        assert work.two([1]) == pytest.approx(0.25, abs=1e-9)
    def test_error(self):
        with pytest.raises(ValueError):
            work.two([9])
    def test_kept(self):
        values = [2, 1]
        work.two(values)
        assert values == [2, 1]

class TestNumber:
    def test_number(self):
        if work.NUMBER is None:
            raise NotImplementedError("TODO 3: NUMBER in work.py is still None")
        assert work.NUMBER == 5, "count again"

class TestOwn:
    def test_mine(self):
        assert work.one(1) == 11
"""
POINTS = {
    "title": "Small",
    "points": 9,
    "hidden": 4,
    "files": {"work.py": ["one", "two"]},
    "tasks": [
        {
            "name": "one",
            "file": "work.py",
            "title": "One (TODO 1)",
            "hidden": 4,
            "criteria": [
                {
                    "tests": "TestOne",
                    "points": 1,
                    "sentence": "gives ten",
                    "hint": "Try 1.",
                    "names": ["test_value", "test_other"],
                }
            ],
        },
        {
            "name": "two",
            "file": "work.py",
            "title": "Two (TODO 2)",
            "hidden": 0,
            "criteria": [
                {
                    "tests": "TestTwo",
                    "points": 2,
                    "sentence": "gives a share",
                    "hint": "Draw it.",
                    "names": ["test_share", "test_error", "test_kept"],
                }
            ],
        },
        {
            "name": "work",
            "file": "work.py",
            "title": "By hand (TODO 3)",
            "hidden": 0,
            "criteria": [
                {
                    "tests": "TestNumber",
                    "points": 2,
                    "sentence": "says the number",
                    "hint": "Count.",
                    "names": ["test_number"],
                }
            ],
        },
    ],
    "todos": [
        {"number": 1, "text": "ten", "name": "one", "file": "work.py", "task": "one", "constant": False},
        {"number": 2, "text": "share", "name": "two", "file": "work.py", "task": "two", "constant": False},
        {"number": 3, "text": "", "name": "NUMBER", "file": "work.py", "task": "work", "constant": True},
    ],
}
STUB = """
def one(n):
    raise NotImplementedError("TODO 1: ten")

def two(values):
    raise NotImplementedError("TODO 2: share")

NUMBER = None  # TODO 3
"""
CONFTEST = """
from pathlib import Path
from grader.bundle import plugin
from grader.bundle.failure_view import TerminalView, FailureView

def pytest_configure(config):
    plugin.start(config, Path(__file__).parent)
"""
RIGHT_TWO = """
def two(values):
    if max(values) > 8:
        raise ValueError("too long")
    return 0.25
"""


@pytest.fixture
def exercise(pytester, monkeypatch):
    """Run the small exercise with that text in work.py, in this process; the lines that pytest wrote."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (pytester.path / "kit").mkdir()
    (pytester.path / "kit" / "points.json").write_text(json.dumps(POINTS), encoding="utf-8")
    pytester.makepyfile(conftest=CONFTEST, test_work=TESTS)
    pytester.makeini("[pytest]\naddopts = --import-mode=importlib -rN -p no:cacheprovider\n")

    def run(text, *options):
        (pytester.path / "work.py").write_text(text, encoding="utf-8")
        result = pytester.runpytest_inprocess(*options)
        return [*result.outlines, *result.errlines]

    return run


def test_whole_screens_word_for_word(exercise):
    """What a student sees of a stub, of wrong answers, of a file that is not Python, and of right answers."""
    wrong = "def one(n):\n    return n\n\ndef two(values):\n    values.sort()\n    return 25\n\nNUMBER = 4\n"
    works = {
        "untouched": STUB,
        "wrong": wrong,
        "not Python": "def one(n)\n",
        "right": "def one(n):\n    return 10 * n\n" + RIGHT_TWO + "NUMBER = 5\n",
    }
    screens = ""
    for name, text in works.items():
        said = exercise(text, "--deselect", "test_work.py::TestOwn")
        start = next(place for place, line in enumerate(said) if line.startswith("test_work.py "))
        screens += f"# {name}\n" + "".join(line.rstrip() + "\n" for line in said[start:]) + "\n"
    assert_golden("terminal.txt", re.sub(r"=+ (.*) in \d.*", r"\1", screens))


def test_error_has_its_line_and_the_expected_value(exercise):
    """Raised in the student's function, whatever the test is about."""
    said = exercise("def one(n):\n    return 1 / 0\n" + RIGHT_TWO + "NUMBER = 5\n")
    assert "one(1) raised ZeroDivisionError: division by zero, at work.py line 2; expected 10." in said
    assert said[-2].startswith("Next: work.py, TODO 1 (one): one(1) raised ZeroDivisionError")


@pytest.mark.parametrize(
    ("one", "sentence"),
    [
        ("def one():\n    return 1\n", "one(1) was not accepted: the function takes other arguments"),
        (
            "def one(n):\n    return one(n)\n",
            "one(1) called itself too often (RecursionError), at work.py line 2.",
        ),
        ("def one(n):\n    return input()\n", "work.py calls input() in line 2, and nobody answers it here"),
        ("def one(n):\n    return eval('input()')\n", "work.py calls input() in line 2, and nobody answers"),
        ("def one(n):\n    return int('x')\n", "one(1) raised ValueError: invalid literal for int()"),
        (
            "import sys\ndef one(n):\n    sys.exit(1)\n",
            "one(1) ended the whole program (sys.exit() or quit() at work.py",
        ),
    ],
)
def test_other_ends_of_a_call_have_their_sentences(exercise, one, sentence):
    """Wrong arguments, a recursion, ``input()``, any error, the end of the program."""
    said = exercise(one, "-k", "TestOne")
    assert [line for line in said if line.startswith(sentence)]


@pytest.mark.parametrize(
    "skip", ["pytest.skip('later')", "raise unittest.SkipTest('later')", "pytest.xfail('later')"]
)
def test_skip_is_no_pass(exercise, skip):
    """Code that asks pytest to skip its test fails it, and earns nothing."""
    said = exercise(f"import pytest, unittest\ndef one(n):\n    {skip}\n", "-k", "TestOne")
    assert "2 failed" in " ".join(said)
    assert [line for line in said if line.startswith("one(1) raised ") and "later" in line]
    assert said[-1].startswith("Not all tests ran: 0 of 1 points")


def test_function_that_calls_a_stub_names_it(exercise):
    """``one`` calls ``two``, which is still a stub: not started, and the other TODO is told."""
    text = STUB.replace('raise NotImplementedError("TODO 1: ten")', "return two([n])")
    said = exercise(text, "-k", "TestOne", "-rA", "-v")
    assert "NOT STARTED" in " ".join(said)
    assert said[-2] == "Next: work.py, TODO 2 (two): share. Replace the raise line."
    assert "o One (TODO 1)      0 of 1  ? of 4  waits for two" in [line.replace("○", "o") for line in said]


@pytest.mark.parametrize(
    ("error", "todo"),
    [("NotImplementedError", ""), ('NotImplementedError("later")', "later"), ("NotImplementedError()", "")],
)
def test_own_not_implemented_error_is_not_started(exercise, error, todo):
    """As in grading, the error alone decides, whatever its text; also for a function that calls it."""
    said = exercise(f"def one(n):\n    raise {error}\n", "-k", "TestOne", "-v")
    assert "NOT STARTED" in " ".join(said)
    assert f"Next: one is not started: {f'work.py, {todo}' if todo else 'work.py'}." in said
    text = f"def two(values):\n    raise {error}\ndef one(n):\n    return two([n])\n"
    said = exercise(text, "-k", "TestOne")
    assert f"Next: one(1) calls two, which is not started{f': {todo}' if todo else ''}." in said


def test_broken_test_of_the_exercise_has_its_sentence(exercise, pytester):
    """An error that is neither the student's nor an assertion's is not blamed on a call."""
    (pytester.path / "test_work.py").write_text(
        "import work\nclass TestOne:\n    def test_value(self):\n        {}['x']\n", encoding="utf-8"
    )
    said = exercise("def one(n):\n    return 1\n")
    assert "This test raised KeyError: 'x'." in said


def test_own_test_of_the_student_is_left_to_pytest(exercise):
    """A class that is no criterion fails with pytest's usual traceback, and counts nowhere."""
    said = exercise("def one(n):\n    return 10 * n\n" + RIGHT_TWO + "NUMBER = 5\n")
    assert "E       assert 10 == 11" in said
    assert said[-1] == "All visible tests pass (4 of 9 points are decided by hidden tests after you hand in)."


@pytest.mark.parametrize(
    ("style", "shown", "hidden"),
    [
        ("long", "E       assert 1 == 10", "no such line"),
        ("short", "  Hint: Try 1.", "E       assert 1 == 10"),
        ("line", "one(1) returned 1; expected 10.", "  Hint: Try 1."),
        ("no", "Not all tests ran: 0 of 1 points of what did. Run plain pytest for all of them.", "one(1)"),
    ],
)
def test_traceback_styles_keep_their_meaning(exercise, style, shown, hidden):
    """``long`` adds pytest's own traceback, ``line`` is one line each, ``no`` shows nothing."""
    said = exercise("def one(n):\n    return n\n", f"--tb={style}", "-k", "TestOne")
    assert shown in said
    assert hidden not in said
    if style == "line":
        assert said.count("one(1) returned 1; expected 10.") == 1


def test_reports_for_machines_hold_the_sentence(exercise, pytester):
    """JUnit's report, which editors and CI read, has the sentence as its message and the whole as text."""
    exercise("def one(n):\n    return n\n", "-k", "TestOne", "--junitxml=report.xml")
    report = (pytester.path / "report.xml").read_text(encoding="utf-8")
    assert 'message="one(1) returned 1; expected 10.' in report
    assert report.count("Hint: Try 1.") == 2


def test_failed_import_is_shown_once(exercise):
    """None of its tests runs; the reason stands once, above the points."""
    said = exercise("def one(:\n", "-v", "--deselect", "test_work.py::TestOwn")
    assert sum("NOT RUN" in line for line in said) == 6
    reason = "work.py line 1 is not valid Python: invalid syntax. The line reads: def one(:"
    assert said.count(reason) == 1
    assert "Next: put that right, then run the tests again." in said


def test_doctests_are_found(exercise):
    """``--doctest-modules`` sees the student's functions, not the stand-in."""
    source = 'def one(n):\n    """Ten.\n\n    >>> one(1)\n    10\n    """\n    return 10 * n\n'
    said = exercise(source, "--doctest-modules", "-k", "work.one")
    assert "1 passed" in " ".join(said)


def test_no_time_limit_in_a_debugger(exercise, pytester):
    """Entering the debugger lifts the time limit."""
    del exercise
    mine = plugin.Plugin(pytester.parseconfig(), pytester.path, pytester.path)
    mine.pytest_enter_pdb()
    assert mine.watch.seconds > 3600


def test_second_folder_is_refused(exercise, monkeypatch):
    """When another copy was seen before, nothing runs and one sentence says what to do."""
    package = sys.modules["grader.bundle"]
    monkeypatch.setattr(package, "copies", [Path("/elsewhere/small")], raising=False)
    said = exercise(STUB)
    assert not [line for line in said if "not started" in line]
    assert [
        line for line in said if "more than one exercise folder here" in line and "/elsewhere/small" in line
    ]


def test_without_a_terminal_nothing_is_written(exercise):
    """With pytest's terminal plugin off, the run still works."""
    assert exercise(STUB, "-o", "addopts=--import-mode=importlib", "-p", "no:terminal") == []


def test_failure_as_text_has_all_lines(pytester):
    """What another process or a plain report shows: the sentence, because, hint, where."""
    screen = TerminalView(pytester.parseconfig())
    failure = FailureView(
        screen, ("test_work.py", "TestOne"), "one", "one(1) is wrong.", {"Because": "x.", "Where": "y"}, None
    )
    assert str(failure) == "one(1) is wrong.\n  Because: x.\n  Where: y"
    assert str(failure.reprcrash) == "one(1) is wrong."
    assert (failure.reprcrash.path, failure.reprcrash.lineno) == ("test_work.py", 0)
    # An editor asks for the text of each report, and gets all of it each time.
    report = pytest.TestReport("t", ("t.py", 1, "t"), {}, "failed", failure, "call")
    for _ in range(2):
        assert report.longreprtext == "one(1) is wrong.\n  Because: x.\n  Where: y"


PASSED = {
    (f"test_{task['file']}", criterion["tests"]): {name: ["passed"] for name in criterion["names"]}
    for task in POINTS["tasks"]
    for criterion in task["criteria"]
}


def run_state(seen=None, failures=None, **changes):
    """The state of a run of the small exercise: by default every test passed."""
    nodes = {
        key: {
            f"{'::'.join(key)}::{name}[{n}]": Found(one)
            for name, some in tests.items()
            for n, one in enumerate(some)
        }
        for key, tests in (PASSED if seen is None else seen).items()
    }
    for key, told in (failures or {}).items():
        node, test = next((node, test) for node, test in nodes[key].items() if test.state != "passed")
        nodes[key][node] = Found(test.state, *told)
    return RunState({**POINTS, **changes}, nodes, [], {}, [], {})


def shown_lines(which, warnings=(), **options):
    """The lines of the last block, without their styles."""
    given = {"unicode": True, "outside": "", "width": 200, **options}
    return [line for line, _ in lines(which, warnings, **given)]


def test_all_pass_without_hidden_tests():
    """The last line names no points that are decided later."""
    assert shown_lines(run_state(hidden=0))[-1] == "All tests pass."


def test_some_pass_without_hidden_tests():
    """The points so far are out of all points."""
    seen = PASSED | {("test_work.py", "TestOne"): {"test_value": ["needs-work"], "test_other": ["passed"]}}
    failures = {("test_work.py", "TestOne"): ("work.py, TODO 1 (one)", "one(1) returned 1; expected 10.")}
    said = shown_lines(run_state(seen, failures, hidden=0))
    assert said[-1] == "4 of 5 points so far."
    assert said[-2] == "Next: work.py, TODO 1 (one): one(1) returned 1; expected 10."


def test_criterion_needs_all_its_tests():
    """One of two tests passed, the other did not run: no points, and the row says so."""
    said = shown_lines(run_state({("test_work.py", "TestOne"): {"test_value": ["passed"]}}))
    assert "~ One (TODO 1)      0 of 0  ? of 4  ran in part" in said
    assert said[-1].startswith("Not all tests ran: 0 of 0 points of what did.")


def test_every_case_of_a_parametrized_test_counts():
    """A test that passed twice and was stopped once is stopped."""
    seen = PASSED | {("test_work.py", "TestNumber"): {"test_number": ["passed", "stopped", "passed"]}}
    assert "■ By hand (TODO 3)  0 of 2       -  stopped" in shown_lines(run_state(seen))


def test_task_begun_in_part_needs_work():
    """One criterion passed, the other is not started."""
    one, two = POINTS["tasks"][:2]
    both = {**one, "criteria": [*one["criteria"], *two["criteria"]]}
    untouched = {name: ["not-started"] for name in ("test_share", "test_error", "test_kept")}
    seen = {
        ("test_work.py", "TestOne"): {"test_value": ["passed"], "test_other": ["passed"]},
        ("test_work.py", "TestTwo"): untouched,
    }
    assert "✗ One (TODO 1)  1 of 3  ? of 4  needs work" in shown_lines(run_state(seen, tasks=[both]))


def test_constant_without_an_answer_comes_first():
    """A constant that is still None is the next step before any failed test of its task."""
    said = shown_lines(run_state()._replace(unanswered=["NUMBER"]))
    assert "Next: work.py, TODO 3: NUMBER is still None." in said
    seen = {("test_work.py", "TestNumber"): {"test_number": ["not-started"]}}
    failures = {("test_work.py", "TestNumber"): ("work.py", "NUMBER is not started: work.py, TODO 3.")}
    assert "Next: work.py, TODO 3: NUMBER is still None." in shown_lines(run_state(seen, failures))


def test_predictions_without_tests():
    """A task without visible tests holds no ending back; its constant that is still None comes first."""
    guess = {"name": "guess", "file": "guess.py", "title": "Guess", "hints": [], "hidden": 0, "criteria": []}
    todo = {"number": 1, "text": "", "name": "GUESS", "file": "guess.py", "task": "guess", "constant": True}
    state = run_state(tasks=[guess, *POINTS["tasks"]], todos=[todo, *POINTS["todos"]], hidden=0)
    assert shown_lines(state)[-1] == "All tests pass."
    said = shown_lines(state._replace(unanswered=["GUESS", "NUMBER"]))
    assert "Next: guess.py, TODO 1: GUESS is still None." in said


def test_unknown_todo_is_shown_as_written():
    """A student's own NotImplementedError may name any TODO."""
    seen = {("test_work.py", "TestOne"): {"test_value": ["not-started"], "test_other": ["not-started"]}}
    failures = {("test_work.py", "TestOne"): ("work.py", "one is not started: work.py, TODO later.")}
    assert "Next: one is not started: work.py, TODO later." in shown_lines(run_state(seen, failures))


def test_symbols_have_ascii_forms():
    """A terminal without the symbols gets ASCII characters."""
    said = shown_lines(run_state(), unicode=False)
    assert all(line.isascii() for line in said)
    assert "+ One (TODO 1)      1 of 1  ? of 4  visible passed" in said


def test_folder_to_work_in_is_named():
    """If pytest was started elsewhere, one sentence names the folder for next time."""
    assert "Next time run pytest inside the folder small, so that its own settings apply." in shown_lines(
        run_state(), outside="small"
    )


@pytest.mark.parametrize(
    ("encoding", "able"), [("utf-8", True), ("cp1252", False), (None, False), ("odd", False)]
)
def test_symbols_depend_on_the_encoding(monkeypatch, encoding, able):
    """Symbols are used only where the terminal's encoding has them."""

    class Terminal:
        pass

    terminal = Terminal()
    terminal.encoding = encoding
    monkeypatch.setattr(sys, "__stdout__", terminal)
    assert can_show_symbols() is able
