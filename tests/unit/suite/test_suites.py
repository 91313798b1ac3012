"""The lesson's suites, tried on right versions, wrong versions and constant answers."""

import ast
import doctest
import math
import re
from fractions import Fraction

import pytest
from helpers.class_answers import ANSWERS
from helpers.exercise_suites import NAME, ROOT, Suites, load_module
from helpers.golden import assert_golden
from helpers.right_variants import RIGHT

SUITES = Suites()
EXERCISE = SUITES.exercise
WRONG = load_module(ROOT / "solutions" / NAME / "misconceptions.py", "misconceptions").ALL
FUNCTIONS = EXERCISE.functions["reservation.py"]
# The counts of Part 1, and the criterion that each of them earns.
HANDS_ON = {"RESERVED": "hands-on-reserved", "IDLE": "hands-on-idle", "MORE": "hands-on-more"}

# --- what test files and hints say ---


def test_hints_are_short():
    """A hint is an action of at most 45 words; a sentence completes "your function ..."."""
    for criterion in EXERCISE.criteria:
        assert len(criterion.hint.split()) <= 45
        assert criterion.hint.endswith((".", "?"))
        assert criterion.sentence[0].islower()
        assert not criterion.sentence.endswith(".")


# What a call returns is another criterion's question here: replies are compared with replies.
COMPARING = {"TestUsedGiven", "TestUsedReads", "TestWasteReads"}
COMPARING |= {"test_all_empty", "test_less_than_a_region", "test_kind_of_zero"}


@pytest.mark.parametrize("visibility", ["visible", "hidden"])
def test_expectations_are_literals(visibility):
    """No test of a function computes what it expects, and a share is compared within 1e-9 absolute."""
    source = (ROOT / "tests" / visibility / NAME / "test_reservation.py").read_text(encoding="utf-8")
    groups = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    tests = [test for group in groups if group.name not in COMPARING for test in group.body]
    tests = [test for test in tests if test.name not in COMPARING]
    checks = [node.test for test in tests for node in ast.walk(test) if isinstance(node, ast.Assert)]
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
    assert len(released) >= 4
    for path in released:
        ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 10))


# --- the solution ---


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstring_has_one_example_that_holds(name):
    """Each function shows one call in its docstring, and the solution answers it exactly so."""
    function = getattr(SUITES.solutions["reservation"], name)
    (found,) = doctest.DocTestFinder().find(function, name, globs=vars(SUITES.solutions["reservation"]))
    assert len(found.examples) == 1
    assert doctest.DocTestRunner(verbose=False).run(found).failed == 0


# --- Part 1 ---


def hands_on_error(name, answer):
    """The error in which the test of the constant ``name`` ends for this answer."""
    (ended,) = SUITES.run("hands_on", {name: answer})[HANDS_ON.get(name, "hands-on-check")].values()
    return ended


@pytest.mark.parametrize("name", [*HANDS_ON, "UNUSED_IS_SHARED"])
def test_unanswered_constant_is_not_started(name):
    """None gives the stub's own error, which names the TODO, and costs no other point."""
    error = hands_on_error(name, None)
    assert isinstance(error, NotImplementedError)
    assert re.fullmatch(rf"TODO [2-5]: {name} in hands_on.py is still None", str(error))
    assert len(SUITES.passed("hands_on", {name: None})) == 3


def test_prediction_is_never_marked():
    """Either prediction, and none at all, earns the same."""
    for prediction in (True, False, None, "perhaps"):
        assert len(SUITES.passed("hands_on", {"PREDICTION": prediction})) == 4


WRONG_ANSWERS = {
    "RESERVED": [65, 400, 100, 103, 12345, -300, 300.0, [300]],
    "IDLE": [65, 335, 100, -235, "235", 235.0],
    "MORE": [4, 3, 100, 0, -1, True, 1.0],
    "UNUSED_IS_SHARED": [True, 0, "False", 0.0, [], "no"],
}


def test_wrong_answers_of_part_1_word_for_word():
    """A usual wrong answer is met with what it overlooks; the sentence never gives the right number away."""
    lines = []
    for name, answers in WRONG_ANSWERS.items():
        for answer in answers:
            error = hands_on_error(name, answer)
            assert isinstance(error, AssertionError)
            lines.append(f"{name} = {answer!r}: {error}\n")
    assert_golden("part_1.txt", "".join(lines))


# --- right versions ---


@pytest.mark.parametrize(("task", "function"), RIGHT, ids=lambda value: getattr(value, "__name__", None))
def test_right_version_earns_everything(task, function):
    """A version that does what the docstring says passes every criterion, in any style."""
    assert SUITES.passed(task, {task: function}) == {criterion.id for criterion in EXERCISE.criteria_of(task)}


# --- wrong versions ---


def test_misconceptions_are_well_named_and_said():
    """Ids are unique and plain; a sentence is short and holds no value of a test."""
    assert len({wrong.id for wrong in WRONG}) == len(WRONG) >= 90
    for wrong in WRONG:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)+", wrong.id)
        assert wrong.task in (*FUNCTIONS, "hands_on")
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
    """The same answer to every call passes no criterion, hidden or visible."""
    assert SUITES.passed(task, {task: lambda *_args: answer}) == set()


@pytest.mark.parametrize("task", FUNCTIONS)
@pytest.mark.parametrize("error", [ValueError, NotImplementedError, AssertionError, KeyError, TypeError])
def test_raising_always_earns_nothing(task, error):
    """A function that always raises passes no criterion, even with the right error."""

    def raises(*_args):
        raise error

    assert SUITES.passed(task, {task: raises}) == set()


@pytest.mark.parametrize("otherwise", [None, 0, 0.0, 1, ValueError], ids=repr)
@pytest.mark.parametrize("task", FUNCTIONS)
def test_table_of_visible_cases_earns_visible_points_only(task, otherwise):
    """A table of the answers to all visible calls earns no hidden point."""
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


@pytest.mark.parametrize("given", [None, 0, 0.5, "the first", "the last", "nothing"], ids=str)
def test_answers_without_formula_or_check_earn_almost_nothing(given):
    """A constant, an argument given back or an empty body in all functions earns at most 2 of 16 points."""
    points = 0
    for task in FUNCTIONS:

        def junk(*args, **_kwargs):
            if given in ("the first", "the last"):
                return args[0 if given == "the first" else -1]
            return None if given == "nothing" else given

        passed = SUITES.graded(task, junk)[0]
        points += sum(c.points for c in EXERCISE.criteria_of(task) if c.id in passed)
    assert points <= 2


# --- a class's wrong answers ---


def test_wrong_answers_of_a_class_lose_the_ideas_that_they_break():
    """No criterion is given against its sentence, and at most 2 % of those to be kept are taken."""
    kept, taken, given = 0, [], []
    for task, function, loses, _named in ANSWERS:
        criteria = {criterion.id for criterion in EXERCISE.criteria_of(task)}
        assert loses <= criteria
        lost = criteria - SUITES.graded(task, function)[0]
        kept += len(criteria - loses)
        taken += [(function.__name__, criterion) for criterion in sorted(lost - loses)]
        given += [(function.__name__, criterion) for criterion in sorted(loses - lost)]
    assert len(ANSWERS) >= 100
    assert given == []
    assert len(taken) <= 0.02 * kept, taken


@pytest.mark.parametrize(
    ("wrong", "costs"),
    [
        ("used-minus-one", {"used-too-long"}),
        ("used-max-of-nothing", {"used-limit-given"}),
        ("used-raises-exception", {"used-too-long"}),
        ("used-float", {"used-sum"}),
        ("waste-percent", {"waste-share"}),
        ("waste-refuses-exactly-full", {"waste-ends"}),
        ("extra-fractions", {"extra-whole"}),
        ("paged-rounds-total", {"paged-each-sequence"}),
        ("paged-always-one-more", {"paged-no-empty-block"}),
    ],
)
def test_a_mistake_costs_the_criterion_that_it_breaks_once(wrong, costs):
    """The same formula with one mistake keeps the points of all other ideas."""
    one = next(one for one in WRONG if one.id == wrong)
    criteria = {criterion.id for criterion in EXERCISE.criteria_of(one.task)}
    assert criteria - SUITES.graded(one.task, one.function)[0] == costs


# --- answers that are nearly right ---


@pytest.mark.parametrize("share", [Fraction(235, 300), 0.7833333333333333, 0.7833333333999999])
def test_equal_share_of_any_number_type_is_right(share):
    """A share may be any real number within 1e-9 of the right one."""
    ended = SUITES.run("waste_fraction", {"waste_fraction": lambda *_args: share})
    assert ended["waste-share"]["test_lesson"] is None


@pytest.mark.parametrize("share", [0.78, 0.7833, 0.78333333, "0.7833333333333333", None, math.nan, 235])
def test_rounded_share_is_wrong(share):
    """A rounded share, a text or a count is wrong."""
    ended = SUITES.run("waste_fraction", {"waste_fraction": lambda *_args: share})
    assert ended["waste-share"]["test_lesson"] is not None


def test_float_in_place_of_a_count_costs_one_idea():
    """A float in place of a count fails one visible criterion, with a sentence about counts."""
    solution = SUITES.solutions["reservation"]
    for task in ("reserved_slots", "used_slots", "extra_reservations", "paged_slots"):
        right = getattr(solution, task)
        ended = SUITES.run(task, {task: lambda *args, right=right: float(right(*args))})
        visible = [c.id for c in EXERCISE.criteria_of(task) if c.visibility == "visible"]
        messages = [str(error) for c in visible for error in ended[c].values() if error is not None]
        assert len(messages) == 1
        assert messages[0].startswith("a count is an int, such as ")
