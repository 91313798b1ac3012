"""The exercise itself: its suites against the stub, the solution, wrong versions and right ones."""

import ast
import doctest
import inspect
import json
import math
import os
import re
import subprocess
import sys
from fractions import Fraction

import pytest
from exercise_suites import NAME, ROOT, Suites, load_module
from right_variants import RIGHT

SUITES = Suites()
EXERCISE = SUITES.exercise
WRONG = load_module(ROOT / "solutions" / NAME / "misconceptions.py", "misconceptions").ALL
FUNCTIONS = EXERCISE.functions["reservation.py"]
TEST_FILES = sorted((ROOT / "tests").glob(f"*/{NAME}/test_*.py"))
# The counts of Part 1, and the criterion that each of them earns.
HANDS_ON = {"RESERVED": "hands-on-reserved", "IDLE": "hands-on-idle", "MORE": "hands-on-more"}

# --- names and words ---


def test_classes_and_criteria_match():
    """Every test class earns points, and all points have a class."""
    for file in EXERCISE.files:
        for visibility in ("visible", "hidden"):
            wanted = {
                c.tests
                for c in EXERCISE.criteria
                if c.visibility == visibility and EXERCISE.task(c.task).file == file
            }
            assert set(SUITES.classes(visibility, file)) == wanted


def test_names_are_short_enough():
    """A node id fits into a terminal line, and a criterion's id into a grade id."""
    for (_visibility, file), module in SUITES.tests.items():
        for name, cls in vars(module).items():
            if name.startswith("Test"):
                for test in (t for t in vars(cls) if t.startswith("test_")):
                    assert len(f"test_{file}::{name}::{test}") <= 60
    assert all(len(criterion.id) <= 40 for criterion in EXERCISE.criteria)


def test_hints_are_short():
    """A hint is an action of at most 45 words; a sentence completes "your function ..."."""
    for criterion in EXERCISE.criteria:
        assert len(criterion.hint.split()) <= 45
        assert criterion.hint.endswith((".", "?"))
        assert criterion.sentence[0].islower()
        assert not criterion.sentence.endswith(".")


def test_titles_name_their_todos():
    """A task's title ends with the numbers that its stub shows."""
    stub = (ROOT / "exercises" / NAME / "reservation.py").read_text(encoding="utf-8")
    functions = {node.name: node for node in ast.parse(stub).body if isinstance(node, ast.FunctionDef)}
    for name in FUNCTIONS:
        number = re.search(r"TODO \d+", ast.unparse(functions[name]))
        assert number is not None
        assert EXERCISE.task(name).title.endswith(f"({number[0]})")
    constants = (ROOT / "exercises" / NAME / "hands_on.py").read_text(encoding="utf-8")
    assert re.findall(r"^[A-Z_]+ = None  # TODO (\d)$", constants, re.MULTILINE) == list("12345")
    assert EXERCISE.task("hands_on").title.endswith("(TODO 1 to 5)")


# --- what the test files may hold ---


@pytest.mark.parametrize("path", TEST_FILES, ids=lambda path: f"{path.parents[1].name}-{path.stem}")
def test_imports_are_few_and_whole(path):
    """A test file imports pytest, the standard library's few and the exercise, and names nothing from it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        assert not isinstance(node, ast.ImportFrom)
        if isinstance(node, ast.Import):
            for alias in node.names:
                assert alias.name in {"pytest", "math", "fractions", "hashlib", "hands_on", "reservation"}
                assert alias.asname is None


@pytest.mark.parametrize("visibility", ["visible", "hidden"])
def test_expectations_are_literals(visibility):
    """No test of a function computes what it expects, and a share is compared within 1e-9 absolute."""
    source = (ROOT / "tests" / visibility / NAME / "test_reservation.py").read_text(encoding="utf-8")
    checks = [node.test for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Assert)]
    assert len(checks) > 30
    for check in checks:
        assert isinstance(check, ast.Compare)
        (wanted,) = check.comparators
        if isinstance(check.ops[0], ast.Is):
            assert ast.unparse(wanted) == "int"
        elif isinstance(wanted, ast.Call):
            assert ast.unparse(wanted.func) == "pytest.approx"
            assert [ast.unparse(keyword) for keyword in wanted.keywords] == ["abs=1e-09", "rel=0"]
            assert type(ast.literal_eval(wanted.args[0])) is float
        else:
            assert type(ast.literal_eval(wanted)) in (int, list)


def test_tests_use_no_fixtures():
    """Every test is a method that takes nothing."""
    for module in SUITES.tests.values():
        for name, cls in vars(module).items():
            if name.startswith("Test"):
                assert all(
                    list(inspect.signature(test).parameters) == ["self"]
                    for key, test in vars(cls).items()
                    if key.startswith("test_")
                )


def test_part_1_answers_do_not_stand_in_its_tests():
    """No number of Part 1, right or commonly wrong, can be read off its test file."""
    path = ROOT / "tests" / "visible" / NAME / "test_hands_on.py"
    constants = {n.value for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Constant)}
    assert not constants & {300, 235, 65, 335, 400, 100}
    assert True not in {c for c in constants if type(c) is bool}
    assert False not in {c for c in constants if type(c) is bool}


def test_released_code_runs_on_python_3_10():
    """What a student gets parses by the grammar of Python 3.10."""
    released = [*(ROOT / "exercises" / NAME).glob("*.py"), *(ROOT / "tests" / "visible" / NAME).glob("*.py")]
    assert len(released) == 4
    for path in released:
        ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 10))


# --- the solution and its stub ---


@pytest.mark.parametrize("task", [task.name for task in EXERCISE.tasks])
def test_solution_earns_everything(task):
    """The reference solution passes every criterion."""
    assert SUITES.passed(task, {}) == {criterion.id for criterion in EXERCISE.criteria_of(task)}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstring_has_one_example_that_holds(name):
    """Each function shows one call in its docstring, and the solution answers it exactly so."""
    function = getattr(SUITES.solutions["reservation"], name)
    (found,) = doctest.DocTestFinder().find(function, name, globs=vars(SUITES.solutions["reservation"]))
    assert len(found.examples) == 1
    assert doctest.DocTestRunner(verbose=False).run(found).failed == 0


def test_stub_keeps_signatures_and_docstrings():
    """A stub differs from the solution in its bodies alone."""
    stub = load_module(ROOT / "exercises" / NAME / "reservation.py", "stub")
    for name in FUNCTIONS:
        ours, theirs = getattr(SUITES.solutions["reservation"], name), getattr(stub, name)
        assert inspect.signature(ours) == inspect.signature(theirs)
        assert ours.__doc__ == theirs.__doc__


def real_run(tmp_path, folder):
    """Run both suites with pytest itself on the files of ``folder``: outcome and message by test."""
    report = tmp_path / "report.json"
    subprocess.run(
        [
            *(sys.executable, "-B", "-m", "pytest", "-q", "-c", os.devnull, "--import-mode=importlib"),
            *("-p", "no:cacheprovider", "--json-report", f"--json-report-file={report}"),
            *(str(ROOT / "tests" / visibility / NAME) for visibility in ("visible", "hidden")),
        ],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(folder)},
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    tests = json.loads(report.read_text())["tests"]
    return [
        (test["outcome"], test["call"].get("crash", {}).get("message", ""))
        for test in tests
        if test["setup"]["outcome"] == "passed"
    ]


def test_pytest_passes_the_solution(tmp_path):
    """Under pytest as a student runs it every test of the solution passes."""
    ended = real_run(tmp_path, ROOT / "solutions" / NAME)
    assert len(ended) >= 90
    assert {outcome for outcome, _message in ended} == {"passed"}


def test_pytest_finds_the_stub_not_started(tmp_path):
    """On the stub every test fails, and says which TODO it waits for."""
    ended = real_run(tmp_path, ROOT / "exercises" / NAME)
    assert len(ended) >= 90
    assert {outcome for outcome, _message in ended} == {"failed"}
    assert all(message.startswith("NotImplementedError: TODO ") for _outcome, message in ended)


# --- Part 1 ---


def hands_on_error(name, answer):
    """What the test of ``name`` ends in when it is answered so."""
    (ended,) = SUITES.run("hands_on", {name: answer})[HANDS_ON.get(name, "hands-on-check")].values()
    return ended


@pytest.mark.parametrize("name", [*HANDS_ON, "UNUSED_IS_SHARED"])
def test_unanswered_constant_is_not_started(name):
    """None is the stub's own error, naming the TODO, and costs no other answer."""
    error = hands_on_error(name, None)
    assert isinstance(error, NotImplementedError)
    assert re.fullmatch(rf"TODO [2-5]: {name} in hands_on.py is still None", str(error))
    assert len(SUITES.passed("hands_on", {name: None})) == 3


def test_prediction_is_never_marked():
    """Either prediction, and none at all, earns the same."""
    for prediction in (True, False, None, "perhaps"):
        assert len(SUITES.passed("hands_on", {"PREDICTION": prediction})) == 4


@pytest.mark.parametrize(
    ("name", "answer", "words"),
    [
        ("RESERVED", 65, "hold a token"),
        ("RESERVED", 400, "whole pool"),
        ("RESERVED", 100, "one region"),
        ("RESERVED", 103, "adds a number"),
        ("IDLE", 65, "do hold a token"),
        ("IDLE", 335, "nobody reserved is free"),
        ("IDLE", 100, "nobody reserved; look inside"),
        ("MORE", 4, "empty pool"),
        ("MORE", 3, "stay with their sequences"),
        ("MORE", 100, "free slots"),
        ("MORE", 0, "larger than"),
        ("UNUSED_IS_SHARED", True, "idle slots belong"),
    ],
)
def test_common_wrong_answer_has_its_sentence(name, answer, words):
    """The usual wrong answers are met with what they overlook, not with the right number."""
    error = hands_on_error(name, answer)
    assert isinstance(error, AssertionError)
    assert words in str(error)


@pytest.mark.parametrize("name", HANDS_ON)
def test_other_wrong_number_says_count_again(name):
    """A number that no known mistake gives is met with a neutral sentence."""
    for answer in (12345, -300, -235, -1):
        assert f"{name} is not right yet; count again" in str(hands_on_error(name, answer))


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("RESERVED", 300.0),
        ("IDLE", "235"),
        ("IDLE", 235.0),
        ("MORE", True),
        ("MORE", 1.0),
        ("RESERVED", [300]),
    ],
)
def test_answer_of_another_kind_says_so(name, answer):
    """A float, a text or a yes in place of a count is told what kind is wanted."""
    assert "plain whole number" in str(hands_on_error(name, answer))


@pytest.mark.parametrize("answer", [0, "False", 0.0, [], "no"])
def test_check_takes_only_true_or_false(answer):
    """What is merely false-like does not answer the closing question."""
    assert "is True or False" in str(hands_on_error("UNUSED_IS_SHARED", answer))


# --- right versions ---


@pytest.mark.parametrize(("task", "function"), RIGHT, ids=lambda value: getattr(value, "__name__", None))
def test_right_version_earns_everything(task, function):
    """Whatever its style, a version that keeps the docstring's promises passes every criterion."""
    assert SUITES.passed(task, {task: function}) == {criterion.id for criterion in EXERCISE.criteria_of(task)}


# --- wrong versions ---


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.id)
def test_misconception_loses_points_of_its_task(wrong):
    """A wrong version misses at least one criterion of the function that it is wrong about."""
    assert SUITES.passed(wrong.task, {wrong.task: wrong.function}) != {
        criterion.id for criterion in EXERCISE.criteria_of(wrong.task)
    }


def traced(task, function):
    """All that the tests of ``task`` see of a function: its calls, replies and changed arguments."""
    seen = []

    def watched(*args):
        call = repr(args)
        try:
            reply = function(*args)
        except Exception as error:
            seen.append(
                (call, "raised", [c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins"])
            )
            raise
        seen.append((call, type(reply).__name__, repr(reply), repr(args)))
        return reply

    SUITES.run(task, {task: watched})
    return repr(seen)


def test_misconceptions_are_told_apart():
    """No two wrong versions of a function answer the suites alike, so that each can be recognised."""
    known = {}
    for wrong in WRONG:
        other = known.setdefault((wrong.task, traced(wrong.task, wrong.function)), wrong.id)
        assert other == wrong.id


def test_misconceptions_are_well_named_and_said():
    """Ids are unique and plain; a sentence is short, stands by itself and gives no test's value away."""
    assert len({wrong.id for wrong in WRONG}) == len(WRONG) >= 90
    for wrong in WRONG:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)+", wrong.id)
        assert wrong.task in FUNCTIONS
        assert wrong.explanation.endswith((".", "?"))
        assert len(wrong.explanation.split()) <= 45
        assert set(re.findall(r"\d+(?:\.\d+)?", wrong.explanation)) <= {"0", "1", "0.0", "1.0", "100"}


@pytest.mark.parametrize("task", FUNCTIONS)
@pytest.mark.parametrize(
    "answer",
    [
        None,
        True,
        False,
        0,
        1,
        3,
        16,
        48,
        65,
        100,
        300,
        0.0,
        0.25,
        0.5,
        1.0,
        math.nan,
        math.inf,
        "",
        "65",
        [],
        {},
    ],
    ids=repr,
)
def test_constant_earns_nothing(task, answer):
    """One and the same answer to everything passes no criterion, hidden or visible."""
    assert SUITES.passed(task, {task: lambda *_args: answer}) == set()


@pytest.mark.parametrize("task", FUNCTIONS)
@pytest.mark.parametrize("error", [ValueError, NotImplementedError, AssertionError, KeyError, TypeError])
def test_raising_always_earns_nothing(task, error):
    """A function that only raises, be it the right error, passes no criterion."""

    def raises(*_args):
        raise error

    assert SUITES.passed(task, {task: raises}) == set()


@pytest.mark.parametrize("otherwise", [None, 0, 0.0, 1, ValueError], ids=repr)
@pytest.mark.parametrize("task", FUNCTIONS)
def test_table_of_visible_cases_earns_visible_points_only(task, otherwise):
    """Who copies the answers to all visible calls gets no hidden point, whatever else is answered."""
    solution = getattr(SUITES.solutions["reservation"], task)
    known = set()

    def noting(*args):
        known.add(repr(args))
        return solution(*args)

    def hard_coded(*args):
        if repr(args) in known:
            return solution(*args)
        if otherwise is ValueError:
            raise ValueError
        return otherwise

    SUITES.run(task, {task: noting}, ("visible",))
    visible = {c.id for c in EXERCISE.criteria_of(task) if c.visibility == "visible"}
    assert SUITES.passed(task, {task: hard_coded}) == visible


# --- shades of right and wrong that the docstrings settle ---


@pytest.mark.parametrize("share", [Fraction(235, 300), 0.7833333333333333, 0.7833333333999999])
def test_equal_share_of_any_number_type_is_right(share):
    """A share may be any real number within 1e-9 of the right one."""
    ended = SUITES.run("waste_fraction", {"waste_fraction": lambda *_args: share})
    assert ended["waste-share"]["test_lesson"] is None


@pytest.mark.parametrize("share", [0.78, 0.7833, 0.78333333, "0.7833333333333333", None, math.nan, 235])
def test_rounded_share_is_wrong(share):
    """A rounded share, a text or a count is not the share."""
    ended = SUITES.run("waste_fraction", {"waste_fraction": lambda *_args: share})
    assert ended["waste-share"]["test_lesson"] is not None


def test_float_in_place_of_a_count_costs_one_idea():
    """Counting with a decimal point is told at once, in visible tests that say what a count is."""
    solution = SUITES.solutions["reservation"]
    for task in ("reserved_slots", "used_slots", "extra_reservations", "paged_slots"):
        right = getattr(solution, task)
        ended = SUITES.run(task, {task: lambda *args, right=right: float(right(*args))})
        visible = [c.id for c in EXERCISE.criteria_of(task) if c.visibility == "visible"]
        messages = [str(error) for c in visible for error in ended[c].values() if error is not None]
        assert len(messages) == 1
        assert messages[0].startswith("a count is an int, such as ")
