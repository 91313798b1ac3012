"""``grader check``: a sound course gives one line, and each problem gives its own."""

import json
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner
from helpers import small_lesson
from helpers.small_lesson import edit

from grader.base.errors import CourseError, GraderError
from grader.check import check, static_findings
from grader.check.answers import verdict_of
from grader.check.editions import generated
from grader.check.layout import (
    handout_findings,
    missing_files,
    sentence_findings,
    stray_folders,
    stray_tests,
    todo_findings,
)
from grader.check.runs import run_in_pytest, run_on
from grader.check.versions import Misconceptions, solution, stub
from grader.cli import cli
from grader.course.load import load_course
from grader.lesson.own_code import Limit
from grader.sandbox.host import choose_tier
from grader.suite.process import WorkerError
from grader.suite.run import Run

VISIBLE, HIDDEN = "tests/visible/sums/test_sums.py", "tests/hidden/sums/test_sums.py"
SOLUTION, WRONG = "solutions/sums/sums.py", "solutions/sums/misconceptions.py"
TASK = "course.toml: exercise.sums.task"


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Write a sound course once; tests copy it."""
    root = tmp_path_factory.mktemp("sound")
    small_lesson.write(root)
    return root


@pytest.fixture
def root(sound, tmp_path):
    """A copy of the sound course that a test can break."""
    return shutil.copytree(sound, tmp_path / "course")


def loaded(root):
    """Load the course below ``root`` and its exercise."""
    course = load_course(root / "course.toml")
    return course, course.exercise(None)


def run(root, *more):
    """Run ``grader check``; return its exit status and lines."""
    done = CliRunner().invoke(cli, ["check", "--course", str(root / "course.toml"), *more])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output.splitlines()


def add_wrong(root, text):
    """Add an entry to the registry of wrong versions."""
    with (root / WRONG).open("a", encoding="utf-8") as file:
        file.write(f"\n\n{text}")


def static(root):
    """Check the test files without running them; return the lines."""
    return [str(finding) for finding in static_findings(*loaded(root))[0]]


# --- the whole command ---


def test_quiet(root):
    """--quiet prints problems only; --exercise checks one exercise."""
    (root / HIDDEN).unlink()
    assert run(root, "--quiet", "--exercise", "sums") == (
        2,
        [f"{HIDDEN}: is missing; there are points for its TestTotalNone"],
    )


@pytest.mark.slow
def test_table_of_costs(sound):
    """With --table there is a line for each mistake: the criteria that it costs, and what is said of it."""
    status, lines = run(sound, "--table")
    costs = [line for line in lines if "Said: " in line]
    registered = list(Misconceptions(*loaded(sound)).versions())
    assert (status, len(lines)) == (0, len(costs) + 2)
    assert [line.split()[0] for line in costs] == [version.name for version in registered]
    assert not [line for line in costs if ": nothing. Said" in line]
    assert lines[-2].startswith(f"Of {len(costs)} mistakes ")
    assert lines[-1].startswith("sums is sound: 4 criteria, 6 tests, 5 wrong versions told apart. Sandbox: ")


def test_second_lesson_says_what_is_missing(root):
    """Each missing file of a section in course.toml gives a line, and no test runs."""
    section = small_lesson.COURSE[small_lesson.COURSE.index("[exercise.sums]") :].replace("sums", "products")
    with (root / "course.toml").open("a", encoding="utf-8") as file:
        file.write(f"\n{section}")
    status, lines = run(root, "--exercise", "products")
    assert status == 2
    assert lines[:9] == [
        f"{place}: is missing; {advice}"
        for place, advice in (
            ("solutions/products/warm_up.py", "write the reference solution"),
            ("solutions/products/products.py", "write the reference solution"),
            ("solutions/products/misconceptions.py", "write wrong versions that the tests must not accept"),
            ("exercises/products/warm_up.py", "'grader build' makes it from the solution"),
            ("exercises/products/products.py", "'grader build' makes it from the solution"),
            ("exercises/products/README.md", "write the handout"),
            ("tests/visible/products/test_warm_up.py", "there are points for its TestAnswer"),
            (
                "tests/visible/products/test_products.py",
                "there are points for its TestDouble, TestTotal",
            ),
            ("tests/hidden/products/test_products.py", "there are points for its TestTotalNone"),
        )
    ]
    assert lines[9:] == ["products: its tests were not run; correct what is said above first."]


def test_folders_of_no_exercise(root):
    """A folder of a lesson that course.toml does not know gives a line, wherever it is."""
    for place in ("exercises", "solutions", "tests/visible", "tests/hidden"):
        (root / place / "old").mkdir()
        (root / place / "__pycache__").mkdir()
    advice = "belongs to no exercise; add a section [exercise.old] to course.toml or remove the folder"
    assert [str(finding) for finding in stray_folders(loaded(root)[0])] == [
        f"exercises/old: {advice}",
        f"solutions/old: {advice}",
        f"tests/visible/old: {advice}",
        f"tests/hidden/old: {advice}",
    ]


def test_mistake_in_course_file(root):
    """A course.toml with a mistake gives one line and exit status 2."""
    edit(root, "course.toml", "points = 5", "points = 6")
    done = CliRunner().invoke(cli, ["check", "--course", str(root / "course.toml")])
    assert isinstance(done.exception, CourseError)
    assert done.exception.exit_status == 2
    assert str(done.exception) == "course.toml: exercise.sums.points: the criteria add up to 5 points, not 6."


@pytest.mark.slow
def test_what_runs_show(root):
    """Each problem gives its line with file and line number, also before there is a handout.

    The last test depends on the order of a set, and passes under some hash seeds only.
    """
    order = "str(list({'one', 'two', 'three', 'four', 'five'}))"
    seeds = {seed: _order(seed, order) for seed in ("1", "2")}
    assert seeds["1"] != seeds["2"], "the two seeds must differ for this test to say anything"
    (root / "exercises/sums/README.md").unlink()
    (root / WRONG).unlink()
    edit(root, VISIBLE, "assert sums.double(3) == 6", "assert sums.double(3) == 7")
    edit(
        root,
        VISIBLE,
        "    def test_three(self):\n        assert sums.total",
        "    def test_anything(self):\n        assert sums\n\n"
        "    def test_with_a_name_that_is_far_too_long_to_show(self):\n        assert sums.total",
    )
    edit(
        root,
        HIDDEN,
        "assert sums.total([]) == 0",
        "assert sums.total([]) == 0\n\n    def test_module(self):\n"
        "        assert type(sums).__name__ == 'StandIn' and sums.total([]) == 0\n\n"
        f"    def test_order(self):\n        assert sums.total([1]) == 1 and {order} == {seeds['1']!r}",
    )
    status, lines = run(root)
    assert status == 2
    assert lines[:2] == [
        f"{WRONG}: is missing; write wrong versions that the tests must not accept",
        "exercises/sums/README.md: is missing; write the handout",
    ]
    long = "test_sums.py::TestTotal::test_with_a_name_that_is_far_too_long_to_show"
    wanted = (
        f"{VISIBLE}:6: the solution does not pass it (assert 6 == 7",
        f"{VISIBLE}:15: the stub passes it; ask what an unwritten answer cannot know",
        f"{VISIBLE}:18: {long} has 70 characters; shorten it to 60",
        f"{HIDDEN}:8: on solutions/sums it passes in the grader and fails in pytest with hash seed 1; let it",
    )
    for line in wanted:
        assert any(one.startswith(line) for one in lines), (line, lines)
    order = [line for line in lines if line.startswith(f"{HIDDEN}:11: ")]
    assert any("let it depend on answers alone" in line for line in order), order


@pytest.mark.slow
def test_misconceptions_that_nothing_shows(root):
    """Wrong versions with full marks, equal answers, no text and other parameters each give a line."""
    edit(root, WRONG, "    return number * number\n", "    return 2 * number\n")
    edit(
        root,
        WRONG,
        '@wrong("total", "Nothing is no error.")',
        '@wrong("total", "Nothing again.")\ndef also_none(numbers):\n'
        "    if not numbers:\n        return None\n    return sum(numbers)\n\n\n"
        '@wrong("total", " ")\ndef zero(numbers):\n    return 0\n\n\n'
        '@wrong("total", "Nothing is no error.")',
    )
    add_wrong(root, '@wrong("double", "You forget.")\ndef forgets():\n    return 0\n')
    signature = "forgets cannot be called like double(3): too many positional arguments"
    status, lines = run(root)
    assert status == 2
    assert lines == [
        "exercises/sums/kit/points.json: is not what its source makes; run 'grader build'",
        f"{WRONG}:56: zero explains nothing; write a sentence for the student",
        f"{WRONG}:68: {signature}; write the stub's parameters",
        f"{WRONG}:29: squares earns all points of double; add a test that it does not pass",
        f"{WRONG}:49: also_none answers every test as none_for_none does; merge them or add a test",
        "solutions/sums/diagnoses.json: is not what its source makes; run 'grader build'",
    ]


def _order(seed, expression):
    """Return the value of an expression under a hash seed."""
    call = [sys.executable, "-c", f"print({expression}, end='')"]
    return subprocess.run(
        call, env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.slow
def test_suite_that_cannot_be_collected(root):
    """A test file that fails during collection gives one line with the place."""
    edit(root, HIDDEN, "import sums\n", "import sums\n\nTOTAL = sums.total([])\n")
    course, exercise = loaded(root)
    checked = check(course, exercise, choose_tier("auto", exercise.limits, unsafe=False))
    assert not checked.ran
    assert "The tests could not be collected" in str(checked.findings[-1])


def test_suite_that_is_not_complete(root):
    """No test runs while a test file is not Python, or while a class has no points."""
    course, exercise = loaded(root)
    tier = choose_tier("auto", exercise.limits, unsafe=False)
    edit(root, HIDDEN, "class TestTotalNone", "class TestNone")
    checked = check(course, exercise, tier)
    assert not checked.ran
    assert "TestNone earns no points" in str(checked.findings[-1])
    edit(root, HIDDEN, "class TestNone", "class TestNone(")
    checked = check(course, exercise, tier)
    assert not checked.ran
    assert f"{HIDDEN}:4: is no Python" in str(checked.findings[-1])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "command"),
    [
        (VISIBLE, "check"),
        (HIDDEN, "check"),
        (SOLUTION, "check"),
        (WRONG, "check"),
        ("exercises/sums/README.md", "check"),
        (SOLUTION, "build"),
        (VISIBLE, "build"),
        ("exercises/sums/README.md", "build"),
    ],
)
def test_file_that_is_not_utf8(root, file, command):
    """A file in another encoding gives one line: the file, the line number and what to do."""
    (root / file).write_bytes((root / file).read_bytes() + b"\n# caf\xe9\n")
    line = (root / file).read_bytes().count(b"\n")
    done = CliRunner().invoke(cli, [command, "--course", str(root / "course.toml")])
    said = str(done.exception) if isinstance(done.exception, CourseError) else done.output
    assert f"{file}:{line}: is not in UTF-8; save the file in that encoding" in said
    assert getattr(done.exception, "exit_status", done.exit_code) == 2


class Failing:
    """A worker that fails instead of returning a run."""

    def __init__(self, what):
        self.what = what

    def run(self, files, notebook=None):
        """Fail in the way that was asked for."""
        assert files
        assert notebook is None
        if isinstance(self.what, Exception):
            raise self.what
        return self.what


@pytest.mark.parametrize(
    ("what", "said"),
    [
        (WorkerError("a worker ended"), "solutions/sums: a worker ended."),
        (Run(fault="no memory"), "solutions/sums: the grader failed: no memory."),
    ],
)
def test_fault_of_the_grader(sound, what, said):
    """A fault of the grader ends the check with status 1; it is not a problem of the course."""
    with pytest.raises(GraderError) as caught:
        run_on(Failing(what), solution(*loaded(sound)))
    assert str(caught.value) == said
    assert caught.value.exit_status == 1


# --- its parts ---


def made(root):
    """Return the lines about generated files."""
    return [str(finding) for finding in generated(*loaded(root))]


def test_generated_files(root):
    """A stub or a notebook that differs from its source gives a line."""
    assert made(root) == []
    edit(root, "exercises/sums/sums.py", "Sums of whole", "Sums of small")
    (root / "exercises/sums/sums.ipynb").write_text("{}\n")
    assert made(root)[:2] == [
        "exercises/sums/sums.py: is not what its source makes; run 'grader build'",
        "exercises/sums/sums.ipynb: is not what its source makes; run 'grader build'",
    ]


def test_marks_that_do_not_pair_up(root):
    """A BEGIN mark without END gives one line with its line number."""
    edit(root, SOLUTION, "    return sum(numbers)\n    ### END SOLUTION\n", "    return sum(numbers)\n")
    (line,) = made(root)
    assert line.startswith(f"{SOLUTION}:15: ")
    assert "never ends" in line


def test_bundle_that_tells_a_solution(root):
    """A handout with a line of the solution gives a line, as in ``grader release``."""
    with (root / "exercises/sums/README.md").open("a") as file:
        file.write("\nHint: `return number + number`\n")
    assert any("README.md" in line and SOLUTION in line for line in made(root))


def test_file_that_nothing_names(root):
    """A test file without points is never run and gives a line."""
    (root / "tests/visible/sums/test_more.py").write_text("")
    (finding,) = stray_tests(*loaded(root))
    assert finding.where == "tests/visible/sums/test_more.py"
    assert finding.text.startswith(
        "is never run; name it test_warm_up.py or test_sums.py and give its classes"
    )


def test_nothing_is_missing(sound):
    """A sound course has all its files."""
    assert list(missing_files(*loaded(sound))) == []


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (
            "import sums\n",
            "from sums import total\n",
            "1: takes names from sums while tests are collected; write 'import sums' and call sums.NAME",
        ),
        (
            "import sums\n",
            "import random\nimport sums\n",
            "1: imports random; tests import nothing but fractions, hashlib, math, pytest, sums, warm_up",
        ),
        (
            "import sums\n",
            "from os import path\nimport sums\n",
            "1: imports os; tests import nothing but fractions, hashlib, math, pytest, sums, warm_up",
        ),
        (
            "test_none(self)",
            "test_none(self, tmp_path)",
            "5: test_none uses the fixture tmp_path; write the values into the test",
        ),
        (
            "    def test_none(self)",
            "    @staticmethod\n    def test_none(numbers)",
            "6: test_none uses the fixture numbers; write the values into the test",
        ),
        (
            "import sums\n",
            "import pytest\nimport sums\n\n\n@pytest.fixture\ndef numbers():\n    return []\n",
            "5: uses pytest.fixture; write the values into the test",
        ),
        (
            "    def test_none",
            "    def setup_method(self):\n        self.numbers = []\n\n    def test_none",
            "5: setup_method prepares tests; write the values into each test",
        ),
        (
            "sums.total([]) == 0",
            "sums.total([]) == hash(0)",
            "6: uses hash(); a test's outcome depends on the submission's answers alone",
        ),
        (
            "sums.total([]) == 0\n",
            "sums.total([]) == 0\n\n    def test_none(self):\n        assert sums.total([]) == 0\n",
            "5: TestTotalNone.test_none is there again in line 8, which replaces it; rename one",
        ),
        (
            "sums.total([]) == 0\n",
            "sums.total([]) == 0\n\n\nclass TestTotalNone:\n    def test_any(self):\n        assert sums\n",
            "4: TestTotalNone is there again in line 9, which replaces it; rename one",
        ),
        (
            "import sums\n",
            "import sums\n\n\ndef test_alone():\n    assert sums\n",
            "4: test_alone stands in no class; points belong to classes",
        ),
        (
            "sums.total([]) == 0\n",
            "sums.total([]) == 0\n\n\nclass Other:\n    def test_any(self):\n        assert sums\n",
            "9: Other has tests and is never run; let its name begin with Test",
        ),
        (
            "sums.total([]) == 0\n",
            "sums.total([]) == 0\n\n\nclass TestOther:\n    def test_any(self):\n        assert sums\n",
            "9: TestOther earns no points; add a criterion or remove it",
        ),
        ("sums.total([]) == 0", "sums.total([] == 0", "6: is no Python: '(' was never closed"),
    ],
)
def test_what_a_test_file_must_not_do(root, old, new, line):
    """Code that makes a test run differently elsewhere, or not at all, gives a line with its line number."""
    edit(root, HIDDEN, old, new)
    assert [text.removesuffix(" in a test") for text in static(root)] == [f"{HIDDEN}:{line}"]


def test_points_without_a_class(root):
    """A criterion with a class without tests gives a line with its key."""
    edit(root, HIDDEN, "class TestTotalNone", "class TestNone")
    key = "course.toml: exercise.sums.criterion.total-none.tests"
    assert static(root) == [
        f"{key}: there is no test in {HIDDEN}::TestTotalNone; write it or name another",
        f"{HIDDEN}:4: TestNone earns no points; add a criterion or remove it",
    ]


def test_sentences(root):
    """A hint of more than 45 words, an empty hint and a repeated class name each give a line with the key."""
    edit(root, "course.toml", '"Try it with fingers."', f'"{"word " * 46}"')
    edit(root, "course.toml", '"Read the guide once more."', '"   "')
    edit(root, "course.toml", '"TestTotalNone"', '"TestTotal"')
    key = "course.toml: exercise.sums.criterion"
    assert [str(finding) for finding in sentence_findings(loaded(root)[1])] == [
        f"{key}.answer.hint: says nothing; write it for the student",
        f"{key}.double-some.hint: has 46 words; say it in 45",
        f"{key}.total-none.tests: 'total-some' has a class TestTotal too; name one of them otherwise",
    ]


def test_hint_of_45_words(root):
    """A hint may have 45 words."""
    edit(root, "course.toml", '"Try it with fingers."', f'"{"word " * 45}"')
    assert list(sentence_findings(loaded(root)[1])) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "line"),
    [
        (SOLUTION, "TODO 3", "TODO 4", f"{SOLUTION}:14: TODO 4 follows TODO 2; number them 1, 2, 3, ..."),
        (
            SOLUTION,
            "    # TODO 3: go through all of them\n",
            "",
            f"{SOLUTION}:12: total has no TODO; write '# TODO n: what to do' above its solution",
        ),
        (
            SOLUTION,
            "def total(",
            "def sum_up(",
            f"{TASK}.total: {SOLUTION} has no function total; write it or remove the task",
        ),
        (
            "course.toml",
            "Totals (TODO 3)",
            "Totals (TODO 3 to 4)",
            f"{TASK}.total.title: says TODO 3 to 4, and {SOLUTION} numbers it TODO 3",
        ),
    ],
)
def test_todos(root, name, old, new, line):
    """TODOs are numbered through all files; every task has one, and its title has the same number."""
    edit(root, name, old, new)
    found = [str(finding) for finding in todo_findings(*loaded(root))]
    assert line in found
    assert len(found) <= 2


def test_task_of_several_todos(root):
    """A file of constants has a TODO for each; its title has the first and the last number."""
    edit(
        root,
        "solutions/sums/warm_up.py",
        "ANSWER = 42  # TODO 1\n",
        "ANSWER = 42  # TODO 1\nQUESTION = 6  # TODO 2\n",
    )
    edit(root, SOLUTION, "TODO 2", "TODO 4")
    edit(root, SOLUTION, "TODO 3", "TODO 5")
    edit(root, "course.toml", "Warm up (TODO 1)", "Warm up (TODO 1 to 3)")
    assert [str(finding) for finding in todo_findings(*loaded(root))] == [
        f"{TASK}.warm_up.title: says TODO 1 to 3, and solutions/sums/warm_up.py numbers it TODO 1 to 2",
        f"{SOLUTION}:6: TODO 4 follows TODO 2; number them 1, 2, 3, ...",
        f"{TASK}.double.title: says TODO 2, and {SOLUTION} numbers it TODO 4",
        f"{TASK}.total.title: says TODO 3, and {SOLUTION} numbers it TODO 5",
    ]


def test_versions_replace_one_function(sound):
    """A wrong version is the solution with one function replaced, and the helpers and imports it needs."""
    course, exercise = loaded(sound)
    right = solution(course, exercise)
    versions = {version.name: version for version in Misconceptions(course, exercise).versions()}
    assert [*versions] == ["squares", "same", "first", "none_for_none", "error_for_none"]
    first = versions["first"]
    assert (first.task, first.where) == ("total", f"{WRONG}:39")
    assert first.files["warm_up.py"] == right.files["warm_up.py"]
    space = {}
    exec(first.files["sums.py"], space)  # noqa: S102 - it is the course's own code
    assert space["total"]([9, 1]) == 9
    assert space["double"](4) == 8
    assert "none_for_none" not in space


def test_stub_and_solution_are_read_as_they_are(sound):
    """The stub and the solution are run without any change."""
    course, exercise = loaded(sound)
    for version, place in ((stub(course, exercise), "exercises"), (solution(course, exercise), "solutions")):
        assert version.files["sums.py"] == (sound / place / "sums/sums.py").read_bytes()


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("ALL = []", "ALL = 1 / 0", f"{WRONG}: failed with ZeroDivisionError: division by zero."),
        ("return function\n", "return max\n", ""),
        ("ALL.append(Entry(function", "ALL.append(Entry(len", ""),
    ],
)
def test_registry_that_cannot_be_used(root, old, new, text):
    """A registry that fails is a mistake in the course; its decorator may return anything."""
    edit(root, WRONG, old, new)
    if text:
        with pytest.raises(CourseError) as caught:
            Misconceptions(*loaded(root))
        assert str(caught.value) == text
    else:
        assert len(list(Misconceptions(*loaded(root)).versions())) == 5


def test_one_statement_may_register_several(root):
    """A loop that makes wrong functions is run as a whole; each version takes its own entry."""
    with (root / WRONG).open("a") as file:
        file.write(
            "\n\nfor factor in (3, 4):\n"
            "    ALL.append(Entry(f'times-{factor}', 'double', 'No.', factor.__mul__))\n"
        )
    *_, three, four = Misconceptions(*loaded(root)).versions()
    assert (three.name, three.where) == ("times-3", f"{WRONG}:55")
    assert (four.name, four.where) == ("times-4", f"{WRONG}:55")
    space = {}
    exec(four.files["sums.py"], space)  # noqa: S102 - it is the course's own code
    assert space["double"](5) == 20


def test_entries_of_the_registry(root):
    """Repeated names, unknown tasks and functions without a wrong version each give a line."""
    with (root / WRONG).open("a") as file:
        file.write('\n\nALL.append(Entry("same", "halve", "No.", squares))\n')
    edit(root, WRONG, '@wrong("total", "You take the first only.")\n', "")
    edit(root, WRONG, '@wrong("total", "Nothing adds up to nothing.")\n', "")
    edit(root, WRONG, '@wrong("total", "Nothing is no error.")\n', "")
    registry = Misconceptions(*loaded(root))
    assert [str(finding) for finding in registry.findings()] == [
        f"{WRONG}:52: same is there twice; rename one",
        f"{WRONG}:52: same is of no task 'halve'; the tasks are: double, total, warm_up",
        f"{WRONG}: total has no wrong version; add one that the tests must not accept",
    ]
    assert [version.name for version in registry.versions()] == ["squares", "same"]


@pytest.mark.slow
def test_plain_pytest_that_never_ends(root, monkeypatch):
    """Tests that take too long under plain pytest are ended and are a mistake in the course."""
    edit(root, SOLUTION, "    return sum(numbers)", "    while True:\n        pass")
    monkeypatch.setattr("grader.check.runs._SECONDS", 2)
    course, exercise = loaded(root)
    with pytest.raises(CourseError, match=r"^solutions/sums: pytest took longer than 2 seconds\.$"):
        run_in_pytest(course, [root / VISIBLE], solution(course, exercise), 1)


@pytest.mark.slow
def test_plain_pytest_without_a_report(root):
    """A solution that ends the process leaves no report, which is a mistake in the course."""
    edit(root, SOLUTION, '"""Sums of whole numbers."""', "import os\nos._exit(3)")
    course, exercise = loaded(root)
    with pytest.raises(CourseError, match=r"^solutions/sums: pytest wrote no report: "):
        run_in_pytest(course, [root / VISIBLE], solution(course, exercise), 1)


def test_mistakes_of_a_private_folder_are_named_there(root, tmp_path):
    """A finding names the private folder's file and key, not those of the course with the same name."""
    private = tmp_path / "mine"
    hidden = private / "tests/hidden/sums"
    hidden.mkdir(parents=True)
    (hidden / "test_mine.py").write_text("class TestMine:\n    def test_it(self):\n        assert True\n")
    (private / "private.toml").write_text(
        '[exercise.sums]\npoints = 6\n[exercise.sums.criterion.mine]\ntask = "total"\nvisibility = "hidden"\n'
        f'tests = "TestMine"\npoints = 1\nsentence = "adds mine"\nhint = "{"Add it. " * 30}"\n'
    )
    _, lines = run(root, "--private", str(private))
    assert "mine/tests/hidden/sums/test_sums.py: is missing; there are points for its TestMine" in lines
    assert any(
        line.startswith("mine/tests/hidden/sums/test_mine.py: is never run; name it") for line in lines
    )
    assert any(
        line.startswith("private.toml: exercise.sums.criterion.mine.hint: has 60 words") for line in lines
    )
    (private / "private.toml").write_text(
        (private / "private.toml").read_text().replace("points = 6\n", "points = 5\n")
    )
    done = CliRunner().invoke(
        cli, ["check", "--course", str(root / "course.toml"), "--private", str(private)]
    )
    assert str(done.exception) == (
        "private.toml: exercise.sums.points: the criteria add up to 6 points "
        "(with those of private.toml), not 5."
    )


def test_misconceptions_without_their_list(root):
    """A file of misconceptions without the list ALL is refused by that name."""
    (root / "solutions/sums/misconceptions.py").write_text('"""None yet."""\n')
    _, lines = run(root)
    assert (
        "solutions/sums/misconceptions.py: there is no list ALL of the misconceptions; write it at the end"
        in lines
    )


@pytest.mark.slow
def test_private_tests(root, tmp_path):
    """Private criteria and their tests are checked like the course's."""
    private = tmp_path / "private"
    (private / "tests/hidden/sums").mkdir(parents=True)
    (private / "tests/hidden/sums/test_sums.py").write_text(
        "import sums\n\n\nclass TestZero:\n    def test_zero(self):\n        assert sums.double(0) == 0\n"
        "        assert sums.double(4) == 8\n"
    )
    (private / "private.toml").write_text(
        '[exercise.sums]\npoints = 6\n\n[exercise.sums.criterion.double-zero]\ntask = "double"\n'
        'visibility = "hidden"\ntests = "TestZero"\npoints = 1\nsentence = "doubles zero"\n'
        'hint = "What is twice nothing?"\n'
    )
    status, lines = run(root, "--private", str(private))
    assert status == 0, lines
    assert lines[0].startswith("sums is sound: 5 criteria, 7 tests, ")


# --- drafts ---


def test_draft_is_named_and_not_checked(root):
    """Without --exercise a draft gives a line and is not checked, whatever is wrong with it."""
    with (root / "course.toml").open("a", encoding="utf-8") as file:
        file.write("\n[exercise.half]\ndraft = true\n")
    (root / "solutions/half").mkdir()
    (root / HIDDEN).unlink()
    status, lines = run(root)
    assert (status, lines[0]) == (2, f"{HIDDEN}: is missing; there are points for its TestTotalNone")
    assert "half is a draft and was not checked; 'grader check --exercise half' checks it." in lines


def test_draft_is_not_released(root):
    """A draft is not released before its mark is gone."""
    edit(root, "course.toml", "points = 5\n", "points = 5\ndraft = true\n")
    done = CliRunner().invoke(
        cli, ["release", "--course", str(root / "course.toml"), "--to", str(root / "dist")]
    )
    assert isinstance(done.exception, CourseError)
    assert str(done.exception) == "sums is a draft; remove 'draft = true' before you release it."
    assert not (root / "dist").exists()


# --- what wrong versions and calls show of the tests ---


FIRST_BREAKS_BOTH = ("return _first(numbers) if numbers else 0", "return 7 + len(numbers)")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edits", "text"),
    [
        (
            [
                FIRST_BREAKS_BOTH,
                ("return sum(numbers) if numbers else None", "return 5"),
                ("if not numbers:\n        raise ValueError\n    return sum(numbers)", "return None"),
            ],
            "and total-none fail on the same wrong versions; add one that breaks only one idea",
        ),
        (
            [FIRST_BREAKS_BOTH],
            "never fails alone (first also fails total-none); add a wrong version that breaks this",
        ),
    ],
)
def test_criterion_that_no_wrong_version_sets_apart(root, edits, text):
    """A criterion that always falls together with another one, or never alone, is named with its key."""
    for old, new in edits:
        edit(root, WRONG, old, new)
    status, lines = run(root)
    assert status == 2
    line = f"course.toml: exercise.sums.criterion.total-some: {text}"
    assert any(one.startswith(line) for one in lines), lines


@pytest.mark.slow
def test_shortcuts(root):
    """A class in which one answer, or an argument given back, is right every time is named."""
    classes = (
        ("double(0) == 0", "double(number=0) == 0", "all its calls expect one answer; add"),
        ("double(0) == 0", "double(2) == 2", "all its calls expect argument 1 back; add"),
        ("double(0) == 0", "double(3) == 6", ""),
        ("double(2) == 2", "total([4]) == 4", "all its calls expect one answer; add"),
    )
    edit(root, SOLUTION, "return number + number", "return number + number if number != 2 else 2")
    edit(root, "course.toml", "points = 5", "points = 9")
    with (root / HIDDEN).open("a") as tests, (root / "course.toml").open("a", encoding="utf-8") as course:
        for number, (one, other, _) in enumerate(classes):
            tests.write(
                f"\n\nclass TestSame{number}:\n    def test_same(self):\n        assert sums.{one}\n"
                f"        assert sums.{other}\n"
            )
            course.write(
                f'\n[exercise.sums.criterion.same-{number}]\ntask = "double"\nvisibility = "hidden"\n'
                f'tests = "TestSame{number}"\npoints = 1\nsentence = "keeps"\nhint = "Look at a pair."\n'
            )
    _, lines = run(root, "--task", "double")
    for number, (_, _, text) in enumerate(classes):
        found = [line for line in lines if f"same-{number}.tests: " in line]
        assert [line.partition("tests: ")[2][: len(text)] for line in found] == [text] * bool(text), number


def test_syntax_error_in_any_file(root, tmp_path):
    """A Python file of the lesson that cannot be read gives its line, and nothing is run."""
    (root / "solutions/sums/closing.py").write_text("def closing(:\n")
    (root / "exercises/sums/explore.py").write_text("x = 1\ny = (\n")
    edit(root, SOLUTION, "return sum(numbers)", "return sum(numbers")
    hidden = tmp_path / "mine/tests/hidden/sums/test_sums.py"
    hidden.parent.mkdir(parents=True)
    hidden.write_text("class TestMine\n")
    (tmp_path / "mine/private.toml").touch()
    status, lines = run(root, "--private", str(tmp_path / "mine"))
    assert status == 2
    assert lines[:4] == [
        "exercises/sums/explore.py:2: is no Python: '(' was never closed",
        "solutions/sums/closing.py:1: is no Python: invalid syntax",
        f"{SOLUTION}:16: is no Python: '(' was never closed",
        "mine/tests/hidden/sums/test_sums.py:1: is no Python: expected ':'",
    ]
    assert lines[-1:] == ["sums: its tests were not run; correct what is said above first."]


@pytest.mark.slow
def test_given_code_and_a_wrong_version_without_an_end(root, monkeypatch):
    """Code outside the marks works in every edition; a wrong version that never ends is like any other."""
    monkeypatch.setattr("grader.check.answers.Limit", lambda _: Limit(0.2))
    limits = "[exercise.sums.limits]\ncall_cpu_seconds = 0.2\n\n[exercise.sums]\n"
    edit(root, "course.toml", "[exercise.sums]\n", limits)
    edit(root, WRONG, "return number * number", "while number != 5:\n        pass\n    return 10")
    edit(
        root,
        SOLUTION,
        '"""Sums of whole numbers."""\n',
        '"""Sums of whole numbers."""\n\nimport math\n\n'
        'TWO = 2\n\n\ndef product(*numbers):\n    """Return the product."""\n    return math.prod(numbers)\n',
    )
    edit(root, SOLUTION, "return number + number", "return product(TWO, number)")
    done = CliRunner().invoke(cli, ["build", "--course", str(root / "course.toml")], catch_exceptions=False)
    assert done.exit_code == 0
    status, lines = run(root)
    assert (status, len(lines)) == (0, 1), lines


@pytest.mark.slow
def test_solution_that_fails_as_a_notebook(root):
    """What works as files alone is said: a module's own name is not there in a notebook."""
    edit(
        root,
        SOLUTION,
        "    return number + number\n",
        "    return number + number if __name__ == 'sums' else 0\n",
    )
    done = CliRunner().invoke(cli, ["build", "--course", str(root / "course.toml")], catch_exceptions=False)
    assert done.exit_code == 0
    status, lines = run(root)
    assert status == 2
    assert any(f"{VISIBLE}:6: the solution as a notebook does not pass it" in line for line in lines), lines


@pytest.mark.slow
def test_prediction_alone(root):
    """A file with nothing but an unmarked prediction needs no criterion and no test; results have it."""
    (root / "solutions/sums/guess.py").write_text(
        '"""Guess."""\n\n# Is it large?\n### BEGIN SOLUTION\nPREDICTION = True  # TODO 1\n### END SOLUTION\n'
    )
    for name, old in (("warm_up", 1), ("sums", 2), ("sums", 3)):
        text = (root / f"solutions/sums/{name}.py").read_text()
        (root / f"solutions/sums/{name}.py").write_text(text.replace(f"TODO {old}", f"TODO {old + 10}"))
    for name, new in (("warm_up", 2), ("sums", 3), ("sums", 4)):
        text = (root / f"solutions/sums/{name}.py").read_text()
        (root / f"solutions/sums/{name}.py").write_text(text.replace(f"TODO {new + 9}", f"TODO {new}"))
    text = (root / "course.toml").read_text()
    for number in (3, 2, 1):
        text = text.replace(f"(TODO {number})", f"(TODO {number + 1})")
    edit(root, "exercises/sums/README.md", "Hand in `warm_up.py`", "Hand in `guess.py`, `warm_up.py`")
    task = '[exercise.sums.task.guess]\nfile = "guess.py"\ntitle = "Guess (TODO 1)"\n\n'
    (root / "course.toml").write_text(
        text.replace("[exercise.sums.task.warm_up]", f"{task}[exercise.sums.task.warm_up]")
    )
    add_wrong(root, 'REFLECTIONS = [("large", "You guessed large.", {"PREDICTION": True})]\n')
    done = CliRunner().invoke(cli, ["build", "--course", str(root / "course.toml")], catch_exceptions=False)
    assert done.exit_code == 0
    status, lines = run(root)
    assert (status, len(lines)) == (0, 1), lines
    hand_in = root / "class/ada"
    hand_in.mkdir(parents=True)
    for name in ("guess", "warm_up", "sums"):
        (hand_in / f"{name}.py").write_bytes((root / f"solutions/sums/{name}.py").read_bytes())
    words = ["grade", str(root / "class"), "--course", str(root / "course.toml"), "--out", str(root / "out")]
    assert CliRunner().invoke(cli, [*words, "--no-gradebook"], catch_exceptions=False).exit_code == 0
    result = json.loads((root / "out/students/ada/result.json").read_text())
    assert (result["score"], result["prediction"]) == (5, "large")
    assert "You guessed large." in result["notes"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("reflections = []", "there is reflections, but no REFLECTIONS; correct the name"),
        ("REFLEXIONS = []", "there is REFLEXIONS, but no REFLECTIONS; correct the name"),
        ("def composition(task):\n    yield", "there is composition, but no compositions; correct the name"),
        ("REFLECTIONS = []\nREFLECTION = []", ""),
        (
            "REFLECTIONS = [('one', 'A.')]",
            "REFLECTIONS holds ('one', 'A.'); write (id, sentence, {constant: value}).",
        ),
    ],
)
def test_misspelt_names_of_misconceptions(root, line, told):
    """A name that is nearly REFLECTIONS or compositions is found, and so is an incomplete reflection."""
    add_wrong(root, line + "\n")
    course = load_course(root / "course.toml")
    try:
        found = [str(one) for one in Misconceptions(course, course.exercise(None)).findings()]
    except CourseError as error:
        found = [str(error)]
    assert found == ([f"{WRONG}: {told}"] if told else [])


# --- what a stranger fell over ---


def test_the_courses_own_calls_have_a_limit():
    """A call that computes for too long is stopped as in the jail; the next ones get less time, then none."""
    limit, calls = Limit(0.2), []

    def endless(number):
        calls.append(number)
        while number:
            pass
        return 7

    request = {"verb": "call", "module": "m", "name": "endless", "keywords": []}
    for _ in range(9):
        assert verdict_of(endless, {**request, "arguments": [1]}, limit)["kind"] == "stopped"
    assert len(calls) == 6
    assert verdict_of(endless, {**request, "arguments": [0]}) == {"kind": "value", "value": 7}


@pytest.mark.slow
def test_slips_and_hidden_calls_in_what_students_read(root):
    """A wrong version with a name that is not there, and a hidden call in a sentence or a hint, are named."""
    edit(root, WRONG, "return number * number", "return nummer * number")
    edit(root, WRONG, "You take the first only.", "You take the first only, so that total([]) fails.")
    edit(root, "course.toml", "Which number changes no other when it is added?", "Try total( [9] ).")
    edit(root, "course.toml", "Try it with fingers.", "Try double(3).")
    edit(root, "course.toml", "Begin with nothing and go on.", "`number+number` is right.")
    add_wrong(root, "REFLECTIONS = [('one', 'A.', {'ANSWER': 1}), ('two', 'B.', {'ANSWER': 1})]\n")
    status, lines = run(root)
    assert status == 2
    key = "course.toml: exercise.sums.criterion.total-none"
    some = "course.toml: exercise.sums.criterion.total-some.hint"
    for line in (
        f"{WRONG}:29: squares raises NameError, and so tests nothing; correct the slip",
        f"{WRONG}:39: gives away a call of the hidden tests, total([]); write other numbers",
        f"{key}.hint: gives away a call of the hidden tests, total([9]); write other numbers",
        f"{some}: gives away line 8 of {SOLUTION}, number + number; say it in words",
        f"{WRONG}: REFLECTIONS: two is never said, since one is about the same values",
    ):
        assert line in lines, lines
    assert not any("double(3)" in line for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "what"),
    [
        ((WRONG, "You square.", "A square: double( 11 )."), "a call of the hidden tests, double(11)"),
        ((WRONG, "You square.", "Try sums.total(['9',  8])."), "a call of the hidden tests, total(['9', 8])"),
        ((WRONG, "You square.", "Write number+number."), f"line 8 of {SOLUTION}, number + number"),
        (("course.toml", "doubles a number", "gives double(13)"), "a call of the hidden tests, double(13)"),
        (
            ("course.toml", "Try it with fingers.", "Write `number + number`."),
            f"line 8 of {SOLUTION}, number + number",
        ),
        (
            ("course.toml", 'title = "Doubling', 'hints = ["total([9])"]\ntitle = "Doubling'),
            "a call of the hidden tests, total([9])",
        ),
    ],
)
def test_release_refuses_sentences_that_tell(root, tmp_path, change, what):
    """A hidden call, also of a parametrized test, or a formula of the solution leaves in no sentence."""
    (root / HIDDEN).write_text(
        "import pytest\nimport sums\n\n\nclass TestTotalNone:\n"
        "    def test_none(self):\n        assert sums.total([9]) == 9\n\n"
        "    @pytest.mark.parametrize('number', [11, pytest.param(13)])\n"
        "    def test_number(self, number):\n        assert sums.double(number) == 2 * number\n\n"
        "    @pytest.mark.parametrize('numbers, answer', [(['9', 8], 1)])\n"
        "    def test_text(self, numbers, answer):\n        assert sums.total(numbers) == answer\n"
    )
    edit(root, *change)
    words = ["release", "--course", str(root / "course.toml"), "--to", str(tmp_path / "dist")]
    CliRunner().invoke(cli, ["build", *words[1:3]], catch_exceptions=False)
    done = CliRunner().invoke(cli, words)
    assert isinstance(done.exception, CourseError)
    assert str(done.exception).startswith("Nothing was released: ")
    assert f"gives away {what}" in str(done.exception)
    assert not (tmp_path / "dist").exists()


@pytest.mark.slow
def test_what_students_have_is_no_secret(root, tmp_path):
    """A call of a visible test, also where a hidden test makes it too, may stand in a sentence."""
    with (root / HIDDEN).open("a") as file:
        file.write("        assert sums.double(7) == 14\n        assert sums.total([1, 2, 4]) == 7\n")
    edit(root, "course.toml", "Try it with fingers.", "Try double(7), then total([1, 2, 4]).")
    words = ["release", "--course", str(root / "course.toml"), "--to", str(tmp_path / "dist")]
    CliRunner().invoke(cli, ["build", *words[1:3]], catch_exceptions=False)
    assert CliRunner().invoke(cli, words, catch_exceptions=False).exit_code == 0


def test_handout_that_is_not_ready(root):
    """Without ``draft`` a handout has the title, all files to hand in, and no line of the skeleton."""
    readme = "exercises/sums/README.md"
    edit(
        root,
        readme,
        "# Sums\n\nAdd. Hand in `warm_up.py` and",
        "# Totals\n\n<!-- WRITE: what it is. -->\n\nHand in",
    )
    assert [str(finding) for finding in handout_findings(*loaded(root))] == [
        f"{readme}:3: is not written yet; write the text in place of this line",
        f"{readme}:1: says 'Totals', and course.toml 'Sums'; write one title",
        f"{readme}: does not name warm_up.py, which students hand in; name it",
    ]
    edit(root, "course.toml", "points = 5\n", "points = 5\ndraft = true\n")
    assert list(handout_findings(*loaded(root))) == []


@pytest.mark.parametrize("command", ["build", "release", "preview"])
@pytest.mark.parametrize("file", [SOLUTION, VISIBLE])
def test_syntax_errors_in_other_commands(root, command, file):
    """``build``, ``release`` and ``preview`` name file and line of what is no Python, as ``check`` does."""
    (root / file).write_text("def (:\n")
    done = CliRunner().invoke(cli, [command, "--course", str(root / "course.toml")])
    assert isinstance(done.exception, CourseError)
    assert f"{file}:1: is no Python: invalid syntax." in str(done.exception)


def test_preview_of_what_is_not_complete(root):
    """``preview`` names the missing file."""
    (root / HIDDEN).unlink()
    done = CliRunner().invoke(cli, ["preview", "--course", str(root / "course.toml")])
    assert isinstance(done.exception, CourseError)
    assert str(done.exception) == (
        f"Nothing was written: {HIDDEN}: is missing; there are points for its TestTotalNone."
    )
