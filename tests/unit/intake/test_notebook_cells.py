"""A handed-in notebook is run cell by cell: a right answer keeps its points, wherever it stands."""

import json
import time

import pytest
from helpers import jail, notebook_course
from helpers.notebook_course import cell, notebook_with_answers
from helpers.notebook_course import notebook as handed_in
from helpers.notebook_run import NotebookRun

from grader.base.errors import GraderError
from grader.intake.notebook.cells import read_cells
from grader.intake.notebook.read import read_document
from grader.lesson.notebook import student_notebook

ADD = "def add(a, b):\n    return a + b"
MEAN = "def mean(numbers):\n    return sum(numbers) / len(numbers)"
STUB = 'def add(a, b):\n    """The sum."""\n    raise NotImplementedError("TODO 2: add them")'
TESTS = "class TestTwo:\n    def test_it(self):\n        assert lab.add(2, 3) == 5\n\n\ncheck(TestTwo)"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The small course and its exercise."""
    return notebook_course.course_at(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def exercise(course):
    """Its exercise."""
    return course[1]


@pytest.fixture(scope="module")
def zygote():
    """One zygote for all notebooks."""
    with jail.opened() as zygote:
        yield zygote


@pytest.fixture
def run(zygote, exercise):
    """Run a notebook of the given cells, or its bytes; the runs are closed at the end."""
    runs = []

    def run(*cells, at_end=False, metadata=None):
        data = cells[0] if isinstance(cells[0], bytes) else handed_in(*cells, metadata=metadata)
        runs.append(NotebookRun(zygote, data, exercise, at_end=at_end))
        return runs[-1]

    yield run
    for one in runs:
        one.session.close()


def test_cells_and_kinds(exercise):
    """Tests become marks of their task; our locked code, answers and all other code keep their order."""
    source = read_cells(
        read_document(
            handed_in(
                cell("import math", "setup", "shown"),
                cell("HALF = 3  # TODO 1", "facts"),
                cell(TESTS, "add-two", "tests"),
                cell("print(1)"),
            ),
            exercise,
        ),
        exercise,
    )
    assert [(one.name, one.source, one.kind, one.task) for one in source.cells] == [
        ("code cell 1", b"import math", "given", ""),
        ("code cell 2", b"HALF = 3  # TODO 1", "answer", "facts"),
        ("code cell 3", b"", "tests", "add"),
        ("code cell 4", b"print(1)", "other", ""),
    ]


def test_tests_are_found_without_metadata(exercise):
    """A test class of ours splits a cell: code above it, its place, and code below it with its own lines."""
    merged = f"{ADD}\n\n# 2 points\n{TESTS}\nadd(1, 2)"
    source = read_cells(
        read_document(handed_in(cell(merged), cell("class TestTwo: pass")), exercise), exercise
    )
    found = [(one.source.decode().strip(), one.kind, one.task) for one in source.cells]
    assert found == [
        (f"{ADD}\n\n# 2 points", "other", ""),
        ("", "tests", "add"),
        ("add(1, 2)", "other", ""),
        ("", "tests", "add"),
    ]
    assert source.cells[2].above + 1 == merged.count("\n")


def test_kept_notebook(exercise):
    """The notebook that is kept has all code, answers under their tasks' names, and no outputs."""
    outputs = [{"output_type": "stream", "name": "stdout", "text": "x" * 10_000}]
    source = read_cells(
        read_document(
            handed_in(cell(ADD, "add", outputs=outputs), cell(ADD, "add"), cell("x = '\ud800'")), exercise
        ),
        exercise,
    )
    kept = json.loads(source.notebook)["cells"]
    assert [one["id"] for one in kept] == ["add", "cell-2", "cell-3"]
    assert "".join(kept[0]["source"]) == ADD
    assert kept[0]["outputs"] == []


def test_stub_stays_a_stub(course, run):
    """The notebook as it was handed out answers as the stubs do, with nothing to say about it."""
    ran = run(student_notebook(*course))
    assert ran.ask("add", 1, 2)["classes"][0] == "NotImplementedError"
    assert ran.ask("HALF", verb="constant") == {"kind": "value", "value": None}
    assert (ran.notes(), ran.source.notes, ran.source.flags) == ([], (), ())


def test_there_and_back(course, run):
    """The files of a solution, put into a notebook and read back, give the same answers."""
    files = {"facts.py": notebook_course.FACTS.encode(), "lab.py": notebook_course.LAB.encode()}
    ran = run(notebook_with_answers(*course, files))
    assert (ran.value("add", 2, 3), ran.value("mean", [1, 2, 6]), ran.constant("HALF")) == (5, 3.0, 3)
    assert (ran.notes(), ran.source.notes, ran.source.flags) == ([], (), ())


def test_without_metadata(run):
    """Another editor took the metadata away: answers are found by what the cells define."""
    ran = run(cell(ADD + "\n\n" + MEAN), cell("HALF = 3"), cell("print(HALF)"))
    assert (ran.value("add", 2, 3), ran.constant("HALF")) == (5, 3)


def test_jupyter_lines(run):
    """Magics and shell lines cost nothing; an import of Colab's is left out with a note."""
    ran = run(
        cell("!pip install numpy\n%matplotlib inline\nfrom google.colab import drive\ndrive.mount('/x')"),
        cell("%%time\n" + ADD, "add"),
        cell("files = !ls\nmean?\n" + MEAN + "\nt = %timeit -o add(1, 2)", "mean"),
        cell("%%bash\nrm -rf ~"),
        cell("if True:\n    !ls\n    %cd /"),
    )
    assert (ran.value("add", 2, 3), ran.value("mean", [1, 3])) == (5, 2.0)
    assert [note[:11] for note in ran.notes()] == ["Code cell 1"] * 2
    assert "google" in ran.notes()[0]


def test_percent_inside_python(run):
    """A line that begins with % inside a formula or a text stays, although the cell has a magic too."""
    text = 'def add(a, b):\n    """\n    % sum\n    !\n    """\n    return ((a + b)\n            % 100)'
    ran = run(cell("%load_ext x\n" + text + "\n\nTEXT = add.__doc__", "add"))
    assert ran.value("add", 60, 50) == 10
    assert ran.constant("TEXT").count("% sum\n    !") == 1


def test_written_module(run):
    """A cell that writes a module makes it importable, as in Jupyter."""
    ran = run(cell("%%writefile lab.py\n" + ADD), cell("from lab import add\nimport lab"), at_end=True)
    assert ran.value("add", 2, 3) == 5


@pytest.mark.parametrize(
    "extra",
    [
        "print(total)",
        "exit()",
        "import sys\nsys.exit(0)",
        "import os\nos._exit(0)",
        "n = input('name? ')",
        "open(r'C:\\data.csv').read()",
        "for i in range(60000):\n    print('x' * 200)",
        "while True:\n    pass",
        "x = bytearray(1 << 40)",
        "assert add(1, 1) == 3",
        "import matplotlib.pyplot as plt\nplt.plot([1])\nplt.show()",
        "display(add(1, 2))",
        "await something()",
        "raise KeyboardInterrupt",
        "lab = facts = check = reservation = 5",
        "import lab",
        "",
        "# nothing",
    ],
)
def test_code_beside_the_answers(run, extra):
    """Code that no answer needs costs nothing, whatever it does."""
    ran = run(cell(extra), cell(ADD, "add"), cell(extra))
    assert ran.value("add", 2, 3) == 5
    assert ran.value("add", 2, 3, hidden=True) == 5


def test_stuck_cells_are_run_once(run):
    """A cell that never ends is stopped once, told, and passed over in every later child."""
    ran = run(cell("while True: pass"), cell("import os\nos._exit(1)"), cell(ADD, "add"))
    assert ran.value("add", 2, 3) == 5
    spent = ran.session.cpu_spent
    assert 0.4 < spent < 1.5
    assert ran.value("add", 2, 3, hidden=True) == 5
    assert ran.session.cpu_spent - spent < 0.3
    assert [note[:23] for note in ran.notes()] == ["Code cell 1 was stopped", "Code cell 2 was stopped"]


def test_what_needs_a_missing_module_is_left_out(run):
    """As in a file, a statement that needs what was left out above is left out, too, cells below."""
    ran = run(cell("import numpy as np"), cell("x = np.arange(3)\nprint(x)\n" + ADD, "add"))
    assert ran.value("add", 2, 3) == 5
    assert [note[:18] for note in ran.notes()] == [
        f"Code cell {n}" for n in ("1 line 1", "2 line 1", "2 line 2")
    ]


def test_errors_are_told(run):
    """A cell that raises is told with its line, unless a stub is not written yet; its rest is not run."""
    ran = run(cell("x = 1\n1 / 0\nHALF = 3"), cell(STUB, "add"), cell("add(1, 2)"))
    assert ran.constant("HALF") is None
    assert ran.notes() == [
        "Code cell 1 line 2 raised ZeroDivisionError: division by zero; the cells below it were run."
    ]


def test_helpers_come_along(run):
    """Whatever an answer needs comes from any cell above: imports, helpers, tables."""
    ran = run(
        cell("import math\nfrom functools import reduce as fold\nunused = 1 / 0"),
        cell("def plus(a, b):\n    return TABLE[a] + b"),
        cell("TABLE = {}\nfor i in range(9):\n    TABLE[i] = i\nTABLE.update({9: 9})"),
        cell("def add(a, b):\n    return fold(plus, [a, b]) + math.floor(0.5)", "add"),
    )
    assert ran.value("add", 9, 3) == 12


@pytest.mark.parametrize(
    "code",
    [
        "calls = 0\ndef add(a, b):\n    global calls\n    calls += 1\n    return a + b",
        "calls = 0\ndef up():\n    global calls\n    calls += 1\ndef add(a, b):\n    up()\n    return a + b",
        "n = 0\ndef add(a, b):\n    def up():\n        global n\n        n += 1\n    up()\n    return a + b",
        "def add(a, b):\n    return a\nold = add\ndef add(a, b):\n    return old(a, b) + b",
        "def add(a, b):\n    return a\nold = add\nadd = lambda a, b: old(a, b) + b",
        "add = lambda a, b: a + b",
        "import functools\n" + ADD + "\nadd = functools.lru_cache(add)",
        "from math import *\ndef add(a, b):\n    return floor(a + b)",
        "a = 1; b = a + 1; print(b)\ndef add(x, y): return x + y + b - 2",
        "class Pair(tuple):\n    pass\ndef add(a, b):\n    return sum(Pair([a, b]))",
        "async def one():\n    return 1\nONE = await one()\ndef add(a, b):\n    return a + b + ONE - 1",
        "import asyncio\nawait asyncio.sleep(0)\n" + ADD,
        "exec('def add(a, b): return a + b')",
        "globals()['add'] = lambda a, b: a + b",
        "if __name__ == '__main__':\n    def add(a, b): return a + b",
        "get_ipython().run_line_magic('matplotlib', 'inline')\n" + ADD,
        "get_ipython().run_cell_magic('time', '', 'def add(a, b):\\n    return a + b\\n')",
        "from IPython.display import display, HTML\n" + ADD + "\ndisplay(add)",
        "from nowhere import thing\n" + ADD,
    ],
)
def test_ways_to_answer(run, code):
    """An answer counts however it comes to be, as in Jupyter."""
    assert run(cell(code, "add")).value("add", 2, 3) == 5


def test_state_at_the_tests(run):
    """A task counts as it stands at its first cell of tests; the second reading is at the end."""
    cells = (cell(ADD, "add"), cell(TESTS, "add-two", "tests"), cell("def add(a, b):\n    return 0"))
    assert run(*cells).value("add", 2, 3) == 5
    assert run(*cells, at_end=True).value("add", 2, 3) == 0
    hidden = (cell(STUB, "add"), cell(TESTS, "add-two", "tests"), cell(ADD))
    assert run(*hidden).ask("add", 2, 3)["kind"] == "raised"
    assert run(*hidden, at_end=True).value("add", 2, 3) == 5


def test_visible_calls_leave_no_trace_for_hidden_ones(run):
    """Hidden calls come to a fresh process, in which the cells are run again."""
    count = "calls = []\ndef add(a, b):\n    calls.append(1)\n    return len(calls)"
    ran = run(cell(count, "add"), cell(TESTS, "add-two", "tests"))
    assert [ran.value("add", 2, 3), ran.value("add", 2, 3)] == [1, 2]
    assert ran.value("add", 2, 3, hidden=True) == 1


def test_what_hidden_calls_make_cells_print_is_not_kept(run):
    """In the second pass no exchange of a cell is kept, and an answer to a hidden call has no aside."""
    ran = run(cell("print('secret')\n1 / 0"), cell("def add(a, b):\n    print(a)\n    return a + b", "add"))
    ran.value("add", 2, 3)
    cells = [e for e in ran.session.exchanges if e.request["verb"] == "cell"]
    ran.value("add", 41, 1, hidden=True)
    assert [e for e in ran.session.exchanges if e.request["verb"] == "cell"] == cells
    assert ran.session.exchanges[-1].aside == {}


def test_cells_that_were_run_in_another_order(run):
    """At the end, cells run once more that missed a name of a later cell."""
    cells = (
        cell("HALF = int(mean([2, 4]))", "facts"),
        cell(MEAN, "mean"),
        cell("def add(a, b, start=ZERO):\n    return start + a + b", "add"),
        cell("ZERO = 0"),
    )
    ran = run(*cells, at_end=True)
    assert (ran.constant("HALF"), ran.value("add", 2, 3)) == (3, 5)
    assert run(*cells).ask("add", 2, 3)["kind"] == "missing"


@pytest.mark.parametrize("body", ["pass", "...", '"""Only a docstring."""', "raise NotImplementedError"])
def test_a_stub_never_replaces_an_answer(run, body):
    """Whatever a function without an answer looks like, in a cell below or in the same cell."""
    stub = f"def add(a, b):\n    {body}"
    assert run(cell(ADD), cell(stub, "add")).value("add", 2, 3) == 5
    assert run(cell(ADD), cell(f"@staticmethod\n{stub}", "add")).value("add", 2, 3) == 5
    assert run(cell(f"{ADD}\n\n\n{stub}", "add")).value("add", 2, 3) == 5
    assert run(cell(stub), cell(ADD, "add"), cell(stub, "add")).value("add", 2, 3) == 5


def test_a_constant_is_not_emptied(run):
    """A copy of the cell with None in place of the answers does not undo them."""
    assert run(cell("HALF = 3"), cell("HALF = None  # TODO 1", "facts")).constant("HALF") == 3
    assert run(cell("HALF = 3\nHALF = None", "facts")).constant("HALF") == 3


def test_the_last_draft_counts(run):
    """Of several answers above the tests the last one counts, in one cell and in several."""
    draft = "def add(a, b):\n    return 0"
    assert run(cell(draft, "add"), cell("print(1)"), cell(ADD, "add")).value("add", 2, 3) == 5
    assert run(cell(f"{draft}\n\n{ADD}", "add")).value("add", 2, 3) == 5


def test_deleted_tests(exercise):
    """Deleted cells of tests cost nothing; they are counted in a note."""
    source = read_cells(
        read_document(
            handed_in(cell(ADD, "add"), cell(TESTS, "add-two", "tests"), cell("x", "mean-any", "tests")),
            exercise,
        ),
        exercise,
    )
    assert source.flags == ("missing-tests",)
    assert source.notes == ("2 cells of tests are gone from the notebook; every test was run all the same.",)


def test_edited_tests(course):
    """Edited cells of tests change nothing, and are flagged: they no longer have the fingerprint they had."""
    document = json.loads(student_notebook(*course))
    changed = [one for one in document["cells"] if one["id"] in ("add-two", "setup")]
    for one in changed:
        one["source"] = ["pass"]
    source = read_cells(read_document(json.dumps(document).encode(), course[1]), course[1])
    assert source.flags == ("edited-tests",)
    assert source.notes == (
        "Locked code was changed in code cell 1, code cell 6; the tests that count are the course's own.",
    )
    changed[0]["metadata"]["nbgrader"]["points"] = "many"
    again = read_cells(read_document(json.dumps(document).encode(), course[1]), course[1])
    assert again.flags == ("edited-tests",)


def test_answer_among_the_tests(run):
    """An answer that was written into a cell of tests is found in the second reading."""
    cells = (cell(STUB, "add"), cell("class T: pass\n" + ADD, "add-two", "tests"))
    assert run(*cells, at_end=True).value("add", 2, 3) == 5
    assert run(*cells).ask("add", 2, 3)["kind"] == "raised"


def test_answer_in_a_text_cell(run):
    """An answer cell that became Markdown is read as code, with a note; any other text is no code."""
    text = cell(ADD, "add") | {"cell_type": "markdown"}
    other = cell("def mean(n):\n    return 1") | {"cell_type": "markdown"}
    ran = run(text, other)
    assert (ran.value("add", 2, 3), ran.ask("mean", [1])["kind"]) == (5, "missing")
    assert ran.source.notes == ("The answer cell of add is a text cell; it was read as code.",)
    assert run(cell(ADD, "q1") | {"cell_type": "markdown"}).value("add", 2, 3) == 5


def test_a_cell_that_is_not_python(run):
    """It costs what it defines, and is flagged and told with its line."""
    ran = run(cell("def add(a, b)\n    return a", "add"), cell("x = 1\n\nreturn x"), cell(MEAN, "mean"))
    assert ran.value("mean", [1, 3]) == 2.0
    assert ran.ask("add", 1, 2) == {"kind": "missing"}
    assert ran.session.flags == {"cell-not-python"}
    assert [note[:43] for note in ran.notes()] == [
        "Code cell 1 line 1 is not valid Python: exp",
        "Code cell 2 line 3 is not valid Python: 're",
    ]


def test_future_import(run):
    """An import from __future__ holds for the cells below, as in Jupyter."""
    ran = run(
        cell("from __future__ import annotations"),
        cell("def mean(n: Unknown) -> Unknown:\n    return 1", "mean"),
    )
    assert ran.value("mean", [1]) == 1


def test_windows_text_is_noted(run):
    """A notebook in the Windows code page is read, with a note and a flag."""
    ran = run(handed_in(cell(ADD + "  # groesser", "add")).replace(b"oe", b"\xf6"))
    assert ran.value("add", 2, 3) == 5
    assert ran.source.flags == ("not-utf-8",)
    assert ran.source.notes == ("The notebook is not saved as UTF-8; it was read as Windows text.",)


@pytest.mark.parametrize(
    "code",
    [
        "def add(a: Unknown):\n    return a",
        "def add(a=UNKNOWN):\n    return a",
        "@undefined\ndef add(a, b):\n    return 1",
        "add: Unknown = 3",
        "import nowhere as add",
    ],
)
def test_what_fails_costs_its_cell_alone(run, code):
    """What fails when it is run does not take other cells with it."""
    assert run(cell(code, "add"), cell(MEAN, "mean")).value("mean", [1, 3]) == 2.0


def test_kernel_does_not_matter(run):
    """A kernel that is not installed here, or none, is no reason to refuse a Python notebook."""
    for metadata in (
        {"kernelspec": {"name": "conda-env-x", "display_name": "x", "language": "python"}},
        {"kernelspec": {"name": "gone"}},
        {"kernelspec": 3, "language_info": {"name": ["x"]}},
    ):
        assert run(cell(ADD, "add"), metadata=metadata).value("add", 2, 3) == 5


def test_other_language(exercise, run):
    """A notebook in another language is refused by name, unless Python answers are in it all the same."""
    metadata = {"kernelspec": {"name": "ir", "language": "R"}}
    data = handed_in(cell("add <- function(a, b) a + b"), metadata=metadata)
    with pytest.raises(GraderError, match="This is a notebook for R, not for Python"):
        read_cells(read_document(data, exercise), exercise)
    assert run(cell(ADD, "add"), metadata=metadata).value("add", 2, 3) == 5


def test_skip_execution(run):
    """Tags that keep a cell from being run are not looked at."""
    skipped = cell(ADD, "add")
    skipped["metadata"]["tags"] = ["skip-execution"]
    assert run(skipped).value("add", 2, 3) == 5


def test_too_much_code(exercise):
    """Code beyond the limit of a file is refused; outputs and our own tests do not count."""
    big = "x = 1\n" * 11000
    with pytest.raises(GraderError, match="more than 256 KiB of code"):
        read_cells(read_document(handed_in(*[cell(big)] * 5), exercise), exercise)
    locked = [cell(big, "add-two", "tests")] * 5
    assert read_cells(read_document(handed_in(*locked), exercise), exercise).cells[0].source == b""


@pytest.mark.parametrize(
    "code",
    [
        "x = " + "-" * 60000 + "1",
        "x = a" + ".b" * 30000,
        "(" * 60000,
        "x = " + "9" * 60000,
        "%a\n" * 20000,
        "a\0b",
        "x = [" + "1," * 30000 + "]",
        "V = 1\n" * 9000,
        "if a:\n pass\n" + "elif a:\n pass\n" * 4000,
        "x = '\ud800'",
    ],
)
def test_hostile_code_costs_its_cell_alone(run, code):
    """Code made to be slow, deep or large neither stops the grader nor costs another cell."""
    start = time.process_time()
    assert run(cell(code), cell(ADD, "add")).value("add", 2, 3) == 5
    assert time.process_time() - start < 5


def test_many_notes_are_bounded(run):
    """However much there is to say, it stays a short list."""
    ran = run(*[cell("def") for _ in range(30)], cell(ADD, "add"))
    assert ran.value("add", 2, 3) == 5
    assert len(ran.notes()) == 9
    assert ran.notes()[-1] == "22 more cells ended early."
    assert max(map(len, ran.notes())) < 300


def test_names_of_text_cells_are_cleaned(exercise):
    """A cell's name is a student's text: control characters are escaped, and it is cut and counted."""
    names = ["\ud800", "a\x1b[2J\u202e", "b" * 100_000, *(f"c{n}" for n in range(1_500))]
    cells = [cell("x = 1", name) | {"cell_type": "markdown"} for name in names]
    copies = [cell(ADD, "add") | {"cell_type": "raw"} for _ in range(50)]
    notes = read_cells(read_document(handed_in(*cells, *copies), exercise), exercise).notes
    assert "The answer cell of \\ud800 is a text cell; it was read as code." in notes
    assert "The answer cell of a\\x1b[2J\\u202e is a text cell; it was read as code." in notes
    assert "1496 more answer cells are text cells." in notes
    assert max(map(len, notes)) < 300
    assert all(note.isprintable() for note in notes)


def test_text_cell_without_a_name(exercise):
    """An answer cell without a name is told of all the same."""
    text = cell(ADD) | {"cell_type": "markdown", "metadata": {"nbgrader": {"solution": True}}}
    assert read_cells(read_document(handed_in(text), exercise), exercise).notes == (
        "The answer cell without a name is a text cell; it was read as code.",
    )


@pytest.mark.parametrize("kind", ["answer", "tests"])
@pytest.mark.parametrize("end", ["x", "x = (", "def add(a, b): return 1", "class TestTwo:"])
def test_many_empty_lines_are_quick(exercise, kind, end):
    """Any number of empty lines, in a cell of any kind, takes one pass."""
    start = time.process_time()
    for lines in ("\n" * 250_000, "class TestTwo:\n" * 17_000):
        read_cells(read_document(handed_in(cell(lines + end, "more", kind)), exercise), exercise)
    assert time.process_time() - start < 5
