"""The lessons' suites, tried on right versions, wrong versions and constant answers."""

import ast
import doctest
import math
import re
from fractions import Fraction

import pytest
from helpers.exercise_suites import ROOT
from helpers.golden import assert_golden
from helpers.lessons import LESSONS, each_function, each_lesson

FIRST, SECOND = LESSONS
WRONG = {one.id: one for lesson in LESSONS for one in lesson.misconceptions().ALL}

# --- what test files and hints say ---


@each_lesson
def test_hints_are_short(lesson):
    """A hint is an action of at most 45 words; a sentence completes "your function ..."."""
    for criterion in lesson.exercise.criteria:
        assert len(criterion.hint.split()) <= 45
        assert criterion.hint.endswith((".", "?"))
        assert criterion.sentence[0].islower()
        assert not criterion.sentence.endswith(".")


# What a call returns is another criterion's question here: replies are compared with replies.
COMPARING = {
    "contiguous_reservation": {
        *("TestUsedGiven", "TestUsedReads", "TestWasteReads"),
        *("test_all_empty", "test_less_than_a_region", "test_kind_of_zero"),
    },
    "block_tables": {
        *("TestTableReads", "TestSlackEach", "TestAnyOrder", "TestPartial"),
        *("test_full_is_another_case", "test_some_without_tokens", "test_same_again", "test_kind_of_zero"),
        *("test_only_block_zero", "test_from_block_zero", "test_from_block_one", "test_large_numbers"),
        *("test_one_block", "test_one_sequence", "test_nothing_but_the_prefix"),
    },
}


@pytest.mark.parametrize("visibility", ["visible", "hidden"])
@each_lesson
def test_expectations_are_literals(lesson, visibility):
    """No test of a function computes what it expects, and a share is compared within 1e-9 absolute."""
    path = ROOT / "tests" / visibility / lesson.name / f"test_{lesson.stem}.py"
    source = path.read_text(encoding="utf-8")
    groups = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    left_out = COMPARING[lesson.name]
    tests = [test for group in groups if group.name not in left_out for test in group.body]
    tests = [test for test in tests if test.name not in left_out]
    checks = [node.test for test in tests for node in ast.walk(test) if isinstance(node, ast.Assert)]
    assert len(checks) > (30 if lesson is FIRST else 15)
    for check in checks:
        assert isinstance(check, ast.Compare)
        (wanted,) = check.comparators
        if isinstance(check.ops[0], ast.Is):
            assert ast.unparse(wanted) in ("int", "bool")
        elif isinstance(wanted, ast.Call):
            assert ast.unparse(wanted.func) == "pytest.approx"
            assert [ast.unparse(keyword) for keyword in wanted.keywords] == ["abs=1e-09", "rel=0"]
            assert type(ast.literal_eval(wanted.args[0])) is float
        else:
            assert type(ast.literal_eval(wanted)) in (int, list, bool)


@each_lesson
def test_part_1_answers_do_not_stand_in_its_tests(lesson):
    """No number of Part 1, right or commonly wrong, can be read off its test file."""
    path = ROOT / "tests" / "visible" / lesson.name / f"test_{lesson.by_hand}.py"
    constants = {n.value for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Constant)}
    answers = [*WRONG_ANSWERS[lesson.name].items(), *((name, [lesson.given[name]]) for name in lesson.counts)]
    # Small numbers stand there as numbers of TODOs and of digits.
    assert not constants & {n for name, some in answers for n in some if type(n) is int and n > 16}
    assert True not in {c for c in constants if type(c) is bool}
    assert False not in {c for c in constants if type(c) is bool}


@each_lesson
def test_released_code_runs_on_python_3_10(lesson):
    """What a student gets parses by the grammar of Python 3.10."""
    folders = [ROOT / "exercises" / lesson.name, ROOT / "tests" / "visible" / lesson.name]
    released = [path for folder in folders for path in folder.rglob("*.py")]
    assert len(released) >= 4
    for path in released:
        ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 10))


# --- the solution ---


@each_function
def test_docstring_has_one_example_that_holds(lesson, task):
    """Each function shows one call in its docstring, and the solution answers it exactly so."""
    solution = lesson.suites.solutions[lesson.stem]
    (found,) = doctest.DocTestFinder().find(getattr(solution, task), task, globs=vars(solution))
    assert len(found.examples) == 1
    assert doctest.DocTestRunner(verbose=False).run(found).failed == 0


# --- Part 1 ---


def error_of(lesson, name, answer):
    """The error in which the test of the constant ``name`` ends for this answer."""
    criterion = lesson.counts.get(name, lesson.exercise.criteria_of(lesson.by_hand)[-1].id)
    ended = lesson.suites.run(lesson.by_hand, {name: answer})[criterion]
    (found,) = [error for error in ended.values() if error is not None]
    return found


@pytest.mark.parametrize(
    ("lesson", "name"),
    [pytest.param(lesson, name, id=name) for lesson in LESSONS for name in (*lesson.counts, *lesson.checks)],
)
def test_unanswered_constant_is_not_started(lesson, name):
    """None gives the stub's own error, which names the TODO, and costs no other point."""
    error = error_of(lesson, name, None)
    assert isinstance(error, NotImplementedError)
    assert re.fullmatch(rf"TODO [2-9]: {name} in {lesson.by_hand}.py is still None", str(error))
    assert len(lesson.suites.passed(lesson.by_hand, {name: None})) == 3


@each_lesson
def test_prediction_is_never_marked(lesson):
    """Any prediction, and none at all, earns the same."""
    predictions = [name for name in lesson.given if name.startswith("PREDICT")]
    assert predictions
    for prediction in (True, False, None, "perhaps"):
        given = dict.fromkeys(predictions, prediction)
        assert len(lesson.suites.passed(lesson.by_hand, given)) == 4


WRONG_ANSWERS = {
    "contiguous_reservation": {
        "RESERVED": [65, 400, 100, 103, 12345, -300, 300.0, [300]],
        "IDLE": [65, 335, 100, -235, "235", 235.0],
        "MORE": [4, 3, 100, 0, -1, True, 1.0],
        "UNUSED_IS_SHARED": [True, 0, "False", 0.0, [], "no"],
    },
    "block_tables": {
        "SLOT": [17, 57, 73, 32, 4, 1, 5, 34, 119, 33.0],
        "HANDED_OUT": [56, 6, 7, 50, 42, 120, 72, -48, "48"],
        "HOLE": [9, 24, 2, 5, 1, 0, 3.0],
        "NEIGHBOURS": [True, 0, "no"],
        "ROOM": [False, 1, "True"],
        "TWICE": [True, 0],
    },
}


@pytest.mark.parametrize(
    ("lesson", "golden"), [(FIRST, "part_1.txt"), (SECOND, "part_1_tables.txt")], ids=["first", "second"]
)
def test_wrong_answers_of_part_1_word_for_word(lesson, golden):
    """A usual wrong answer is met with what it overlooks; the sentence never gives the right number away."""
    lines = []
    for name, answers in WRONG_ANSWERS[lesson.name].items():
        for answer in answers:
            error = error_of(lesson, name, answer)
            assert isinstance(error, AssertionError)
            lines.append(f"{name} = {answer!r}: {error}\n")
    assert_golden(golden, "".join(lines))


# --- right versions ---


@pytest.mark.parametrize(
    ("lesson", "task", "function"),
    [pytest.param(lesson, *pair, id=pair[1].__name__) for lesson in LESSONS for pair in lesson.right],
)
def test_right_version_earns_everything(lesson, task, function):
    """A version that does what the docstring says passes every criterion, in any style."""
    criteria = {criterion.id for criterion in lesson.exercise.criteria_of(task)}
    assert lesson.suites.passed(task, {task: function}) == criteria


# --- wrong versions ---


@each_lesson
def test_misconceptions_are_well_named_and_said(lesson):
    """Ids are unique and plain; a sentence is short and holds no value of a test."""
    known = lesson.misconceptions().ALL
    assert len({wrong.id for wrong in known}) == len(known) >= 90
    for wrong in known:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)+", wrong.id)
        assert wrong.task in (*lesson.functions, lesson.by_hand)
        assert wrong.explanation.endswith((".", "?"))
        assert len(wrong.explanation.split()) <= 45
        numbers = set(re.findall(r"\d+(?:\.\d+)?", wrong.explanation))
        # The size of a block that stands in the lesson and in no expectation may be said.
        assert numbers <= {"0", "1", "0.0", "1.0", "100" if lesson is FIRST else "16", "8"}


@each_function
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
def test_constant_earns_nothing(lesson, task, answer):
    """The same answer to every call passes no criterion, hidden or visible."""
    assert lesson.suites.passed(task, {task: lambda *_args: answer}) == set()


@each_function
@pytest.mark.parametrize(
    "error", [ValueError, IndexError, NotImplementedError, AssertionError, KeyError, TypeError]
)
def test_raising_always_earns_nothing(lesson, task, error):
    """A function that always raises passes no criterion, even with the right error."""

    def raises(*_args):
        raise error

    assert lesson.suites.passed(task, {task: raises}) == set()


@pytest.mark.parametrize("otherwise", [None, 0, 0.0, 1, ValueError], ids=repr)
@each_function
def test_table_of_visible_cases_earns_visible_points_only(lesson, task, otherwise):
    """A table of the answers to all visible calls earns no hidden point."""
    solution = getattr(lesson.suites.solutions[lesson.stem], task)
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

    lesson.suites.run(task, {task: noting}, ("visible",))
    visible = {c.id for c in lesson.exercise.criteria_of(task) if c.visibility == "visible"}
    assert lesson.suites.passed(task, {task: hard_coded}) == visible


@pytest.mark.parametrize("given", [None, 0, 0.5, "the first", "the last", "nothing"], ids=str)
@each_lesson
def test_answers_without_formula_or_check_earn_almost_nothing(lesson, given):
    """A constant, an argument given back or an empty body in all functions earns at most 2 of 16 points."""
    points = 0
    for task in lesson.functions:

        def junk(*args, **_kwargs):
            if given in ("the first", "the last"):
                return args[0 if given == "the first" else -1]
            return None if given == "nothing" else given

        passed = lesson.suites.graded(task, junk)[0]
        points += sum(c.points for c in lesson.exercise.criteria_of(task) if c.id in passed)
    assert points <= 2


# --- a class's wrong answers ---


@each_lesson
def test_wrong_answers_of_a_class_lose_the_ideas_that_they_break(lesson):
    """No criterion is given against its sentence, and at most 2 % of those to be kept are taken."""
    kept, taken, given = 0, [], []
    for task, function, loses, _named in lesson.answers:
        criteria = {criterion.id for criterion in lesson.exercise.criteria_of(task)}
        assert loses <= criteria
        lost = criteria - lesson.suites.graded(task, function)[0]
        kept += len(criteria - loses)
        taken += [(function.__name__, criterion) for criterion in sorted(lost - loses)]
        given += [(function.__name__, criterion) for criterion in sorted(loses - lost)]
    assert len(lesson.answers) >= 100
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
        ("slot-raises-other", {"slot-past-table"}),
        ("slot-refuses-the-last", {"slot-past-table"}),
        ("slot-float", {"slot-follows-table"}),
        ("slot-pops", {"slot-reads-only"}),
        ("append-keeps-one-back", {"append-new-block"}),
        ("append-first-is-free", {"append-first-token"}),
        ("append-number", {"append-new-block"}),
        ("slack-percent", {"slack-share"}),
        ("slack-rounds-total", {"slack-each"}),
        ("slack-zeros-divide-by-zero", {"slack-ends"}),
        ("hole-counts-steps", {"hole-side-by-side"}),
        ("hole-list-order", {"hole-any-order"}),
        ("hole-one-for-nobody", {"hole-ends"}),
        ("pool-blocks", {"pool-once"}),
        ("pool-prefix-and-rest", {"pool-partial"}),
        ("pool-prefix-for-nobody", {"pool-ends"}),
    ],
)
def test_a_mistake_costs_the_criterion_that_it_breaks_once(wrong, costs):
    """The same formula with one mistake keeps the points of all other ideas."""
    one = WRONG[wrong]
    lesson = next(lesson for lesson in LESSONS if one.task in lesson.functions)
    criteria = {criterion.id for criterion in lesson.exercise.criteria_of(one.task)}
    assert criteria - lesson.suites.graded(one.task, one.function)[0] == costs


# --- answers that are nearly right ---


SHARES = (
    (FIRST, "waste_fraction", "waste-share", Fraction(235, 300), 235),
    (SECOND, "slack_share", "slack-share", Fraction(15, 48), 15),
)


@pytest.mark.parametrize(("lesson", "task", "criterion", "share", "count"), SHARES, ids=["first", "second"])
def test_a_share_is_right_as_any_number_and_wrong_rounded(lesson, task, criterion, share, count):
    """It may be any real number within 1e-9; a rounded one, a text or a count is wrong."""

    def error_for(answer):
        return lesson.suites.run(task, {task: lambda *_args: answer})[criterion]["test_lesson"]

    for right in (share, float(share), float(share) + 6e-10):
        assert error_for(right) is None
    for wrong in (
        math.floor(float(share) * 1e8) / 1e8 - 1e-8,
        0.78,
        str(float(share)),
        None,
        math.nan,
        count,
    ):
        assert error_for(wrong) is not None


COUNTS = (
    (FIRST, ("reserved_slots", "used_slots", "extra_reservations", "paged_slots")),
    (SECOND, ("physical_slot", "largest_hole", "pool_slots")),
)


@pytest.mark.parametrize(("lesson", "tasks"), COUNTS, ids=["first", "second"])
def test_float_in_place_of_a_count_costs_one_idea(lesson, tasks):
    """A float in place of a count fails one visible criterion, with a sentence about counts."""
    solution = lesson.suites.solutions[lesson.stem]
    for task in tasks:
        right = getattr(solution, task)
        ended = lesson.suites.run(task, {task: lambda *args, right=right: float(right(*args))})
        visible = [c.id for c in lesson.exercise.criteria_of(task) if c.visibility == "visible"]
        messages = [str(error) for c in visible for error in ended[c].values() if error is not None]
        assert len(messages) == 1
        assert " is an int, such as " in messages[0]
