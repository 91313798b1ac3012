"""A handed-in notebook is put together into files: a right answer keeps its marks, wherever it stands."""

from __future__ import annotations

import ast
import time

import pytest
from helpers import notebook_course
from helpers.notebook_course import cell, notebook_with_answers
from helpers.notebook_course import notebook as handed_in

from grader.base.errors import GraderError
from grader.intake.notebook.assemble import read_notebook
from grader.lesson.notebook import student_notebook

ADD = "def add(a, b):\n    return a + b"
MEAN = "def mean(numbers):\n    return sum(numbers) / len(numbers)"
STUB = 'def add(a, b):\n    """The sum."""\n    raise NotImplementedError("TODO 2: add them")'


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The small course and its exercise."""
    return notebook_course.course_at(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def exercise(course):
    """Its exercise."""
    return course[1]


def run(source, file="lab.py"):
    """What a file defines when it is run; the texts here are our own."""
    space = {}
    exec(source.files[file].decode(), space)  # noqa: S102 - our own text
    return space


def test_whole_file(exercise):
    """The files hold the answers only, each under the number of its cell, unchanged."""
    source = read_notebook(
        handed_in(
            cell("import math", "setup", "shown"),
            cell("HALF = 3  # TODO 1", "facts"),
            cell(ADD, "add"),
            cell(MEAN, "mean"),
        ),
        exercise,
    )
    head = b"# Put together from the cells of a notebook.\n\n\n"
    assert source.files == {
        "facts.py": head + b"# Code cell 2\nHALF = 3  # TODO 1\n",
        "lab.py": head + f"# Code cell 3\n{ADD}\n\n\n# Code cell 4\n{MEAN}\n".encode(),
    }
    assert (source.notes, source.flags, source.problems) == ((), (), {})


def test_stub_stays_a_stub(course):
    """The notebook as it was handed out comes back as the stubs."""
    source = read_notebook(student_notebook(*course), course[1])
    assert b"HALF = None  # TODO 1" in source.files["facts.py"]
    with pytest.raises(NotImplementedError, match="TODO 2"):
        run(source)["add"](1, 2)
    assert (source.notes, source.flags) == ((), ())


def test_there_and_back(course):
    """The files of a solution, put into a notebook and read back, give the same answers."""
    files = {"facts.py": notebook_course.FACTS.encode(), "lab.py": notebook_course.LAB.encode()}
    source = read_notebook(notebook_with_answers(*course, files), course[1])
    assert run(source)["add"](2, 3) == 5
    assert run(source)["mean"]([1, 2, 6]) == 3
    assert run(source, "facts.py")["HALF"] == 3
    assert (source.notes, source.flags) == ((), ())


def test_without_metadata(exercise):
    """Another editor took the metadata away: answers are found by what the cells define."""
    source = read_notebook(
        handed_in(cell(ADD + "\n\n" + MEAN), cell("HALF = 3"), cell("print(HALF)")), exercise
    )
    assert run(source)["add"](2, 3) == 5
    assert run(source, "facts.py")["HALF"] == 3


def test_jupyter_lines(exercise):
    """Magics and shell lines are left out with a note, and cost nothing; nor does an import of Colab's."""
    source = read_notebook(
        handed_in(
            cell("!pip install numpy\n%matplotlib inline\nfrom google.colab import drive\ndrive.mount('/x')"),
            cell("%%time\n" + ADD, "add"),
            cell("files = !ls\nmean?\n" + MEAN + "\nt = %timeit -o add(1, 2)", "mean"),
            cell("%%bash\nrm -rf ~"),
            cell("if True:\n    !ls\n    %cd /"),
        ),
        exercise,
    )
    assert run(source)["add"](2, 3) == 5
    assert run(source)["mean"]([1, 3]) == 2
    assert source.notes[0] == (
        "Code cells 1, 2, 3, 4 and 5: lines that only Jupyter understands, with % or !, were left out."
    )
    assert b"colab" not in source.files["lab.py"]


def test_percent_inside_python(exercise):
    """A line that begins with % inside a formula or a text stays, although the cell has a magic too."""
    text = 'def add(a, b):\n    """\n    % sum\n    !\n    """\n    return ((a + b)\n            % 100)'
    source = read_notebook(handed_in(cell("%load_ext x\n" + text, "add")), exercise)
    add = run(source)["add"]
    assert add(60, 50) == 10
    assert "% sum\n    !" in add.__doc__


@pytest.mark.parametrize(
    "extra",
    [
        "print(total)",
        "exit()",
        "import sys\nsys.exit(0)",
        "n = input('name? ')",
        "open(r'C:\\data.csv').read()",
        "for i in range(60000):\n    print('x' * 200)",
        "while True:\n    pass",
        "assert add(1, 1) == 3",
        "import matplotlib.pyplot as plt\nplt.plot([1])\nplt.show()",
        "display(add(1, 2))",
        "await something()",
    ],
)
def test_what_no_answer_needs(exercise, extra):
    """Code that no answer needs is never run, whatever it would do; one note says so."""
    source = read_notebook(handed_in(cell(extra), cell(ADD, "add")), exercise)
    assert list(run(source)) == ["__builtins__", "add"]


def test_note_on_what_was_not_run(exercise):
    """The note names the cells."""
    source = read_notebook(handed_in(cell("print(1)"), cell(ADD + "\nprint(add(1, 2))", "add")), exercise)
    assert source.notes == (
        "Code cells 1 and 2: what no answer needs, such as printing or drawing, was not run.",
    )


def test_helpers_come_along(exercise):
    """Whatever an answer needs comes along from any cell, step by step: imports, helpers, tables."""
    source = read_notebook(
        handed_in(
            cell("import math\nfrom functools import reduce as fold\nunused = 1 / 0"),
            cell("def plus(a, b):\n    return TABLE[a] + b"),
            cell("TABLE = {}\nfor i in range(9):\n    TABLE[i] = i\nTABLE.update({9: 9})"),
            cell("def add(a, b):\n    return fold(plus, [a, b]) + math.floor(0.5)", "add"),
        ),
        exercise,
    )
    assert run(source)["add"](9, 3) == 12
    assert "unused" not in run(source)


@pytest.mark.parametrize(
    "code",
    [
        "calls = 0\ndef add(a, b):\n    global calls\n    calls += 1\n    return a + b",
        "calls = 0\ndef up():\n    global calls\n    calls += 1\ndef add(a, b):\n    up()\n    return a + b",
        "n = 0\ndef add(a, b):\n    def up():\n        global n\n        n += 1\n    up()\n    return a + b",
    ],
)
def test_global_that_is_only_counted_up(exercise, code):
    """A name that a function declares global comes along, though nothing ever reads it."""
    assert run(read_notebook(handed_in(cell(code, "add")), exercise))["add"](2, 3) == 5


def test_any_order(exercise):
    """What is only defined further down, and needed at once, is put first."""
    source = read_notebook(
        handed_in(
            cell("HALF = int(mean([2, 4]))", "facts"),
            cell(MEAN, "mean"),
            cell("def add(a, b, start=ZERO):\n    return start + a + b", "add"),
            cell("ZERO = 0"),
        ),
        exercise,
    )
    assert run(source, "facts.py")["HALF"] == 3
    assert run(source)["add"](2, 3) == 5


def test_copied_stub_below(exercise):
    """A copy of the cell as it was handed out does not undo the answer."""
    source = read_notebook(handed_in(cell(ADD, "add"), cell(STUB, "add")), exercise)
    assert run(source)["add"](2, 3) == 5
    assert source.flags == ()


def test_same_answer_twice(exercise):
    """Two copies of one answer are one answer, whatever their blanks."""
    source = read_notebook(handed_in(cell(ADD, "add"), cell(ADD + "  # done\n", "add")), exercise)
    assert run(source)["add"](2, 3) == 5
    assert source.flags == ()


def test_two_answers(exercise):
    """Of two different answers in cells of the task the last counts, and it is flagged."""
    first = "def add(a, b):\n    return 0"
    source = read_notebook(handed_in(cell(first, "add"), cell("print(1)"), cell(ADD, "add")), exercise)
    assert run(source)["add"](2, 3) == 5
    assert source.flags == ("two-answers",)
    assert (
        source.notes[0] == "add has different answers in code cells 1 and 3; that of code cell 3 was graded."
    )


def test_two_drafts_in_one_cell(exercise):
    """Of two drafts in one cell the last counts, and the note says which one that is."""
    draft = "def add(a, b):\n    return 0"
    source = read_notebook(handed_in(cell(f"{draft}\n\n{ADD}", "add")), exercise)
    assert run(source)["add"](2, 3) == 5
    assert source.notes[0] == "add has different answers in code cell 1; the last one was graded."
    source = read_notebook(handed_in(cell(draft, "add"), cell(f"{draft}  # no\n{ADD}", "add")), exercise)
    assert source.notes[0] == (
        "add has different answers in code cells 1 and 2; the last one of code cell 2 was graded."
    )


@pytest.mark.parametrize(
    "code",
    [
        "def add(a, b):\n    return a\nold = add\ndef add(a, b):\n    return old(a, b) + b",
        "def add(a, b):\n    return a\nold = add\nadd = lambda a, b: old(a, b) + b",
        "add = pow\no = add\nadd = lambda a, b: o(a, 1) + 1\np = add\nadd = lambda a, b: p(a, b) + b - 1",
    ],
)
def test_wraps_an_earlier_answer(exercise, code):
    """What a cell takes from an answer before it defines it anew stays what it was; it is one answer."""
    source = read_notebook(handed_in(cell(code, "add")), exercise)
    assert run(source)["add"](2, 3) == 5
    assert (source.notes, source.flags) == ((), ())


def test_draft_that_the_answer_does_not_use(exercise):
    """A name taken from a draft keeps the draft only if the answer uses it."""
    code = f"def add(a, b):\n    return 0\nold = add\n{ADD}"
    source = read_notebook(handed_in(cell(code, "add")), exercise)
    assert "return 0" not in source.files["lab.py"].decode()
    assert source.flags == ("two-answers",)


def test_own_cell_first(exercise):
    """An answer in the task's cell comes before one elsewhere, even a later one; a stub there does not."""
    trial = "def add(a, b):\n    return 0"
    assert run(read_notebook(handed_in(cell(ADD, "add"), cell(trial)), exercise))["add"](2, 3) == 5
    assert run(read_notebook(handed_in(cell(STUB, "add"), cell(ADD)), exercise))["add"](2, 3) == 5


def test_builds_upon_itself(exercise):
    """A name that is wrapped after its definition keeps both, in their order."""
    source = read_notebook(
        handed_in(cell("import functools"), cell(ADD, "add"), cell("add = functools.lru_cache(add)", "add")),
        exercise,
    )
    assert run(source)["add"](2, 3) == 5
    assert run(source)["add"].cache_info().hits == 0


def test_answer_by_lambda(exercise):
    """An answer need not be written with def."""
    assert run(read_notebook(handed_in(cell("add = lambda a, b: a + b", "add")), exercise))["add"](2, 3) == 5


def test_deleted_tests(course):
    """Deleted cells of tests cost nothing; they are counted in a note."""
    source = read_notebook(
        handed_in(
            cell(ADD, "add"), cell("check(TestTwo)", "add-two", "tests"), cell("x", "mean-any", "tests")
        ),
        course[1],
    )
    assert run(source)["add"](2, 3) == 5
    assert source.flags == ("missing-tests",)
    assert source.notes == ("2 cells of tests are gone from the notebook; every test was run all the same.",)


def test_edited_tests(course):
    """Edited cells of tests change nothing, and are flagged: they no longer have the fingerprint they had."""
    import json  # noqa: PLC0415 - for this test alone

    document = json.loads(student_notebook(*course))
    changed = [one for one in document["cells"] if one["id"] in ("add-two", "setup")]
    for one in changed:
        one["source"] = ["pass"]
    source = read_notebook(json.dumps(document).encode(), course[1])
    assert source.flags == ("edited-tests",)
    assert source.notes == (
        "Code cells 1 and 6: locked code was changed; the tests that count are the course's own.",
    )
    changed[0]["metadata"]["nbgrader"]["points"] = "many"
    assert read_notebook(json.dumps(document).encode(), course[1]).flags == ("edited-tests",)


def test_answer_among_the_tests(exercise):
    """An answer that was written into a locked cell is found, if there is no other."""
    locked = cell("class T: pass\n" + ADD, "add-two", "tests")
    assert run(read_notebook(handed_in(cell(STUB, "add"), locked), exercise))["add"](2, 3) == 5
    other = cell("def add(a, b):\n    return 1", "add")
    assert run(read_notebook(handed_in(other, locked), exercise))["add"](2, 3) == 1


def test_answer_in_a_text_cell(exercise):
    """An answer cell that became Markdown is read as code, with a note; any other text is no code."""
    text = cell(ADD, "add") | {"cell_type": "markdown"}
    other = cell("def mean(n):\n    return 1") | {"cell_type": "markdown"}
    source = read_notebook(handed_in(text, other), exercise)
    assert run(source)["add"](2, 3) == 5
    assert "mean" not in run(source)
    assert source.notes == ("The answer cell of add is a text cell; it was read as code.",)


def test_text_cell_of_another_name(exercise):
    """The same for an answer cell whose name is none of ours: what it defines counts."""
    text = cell(ADD, "q1") | {"cell_type": "markdown"}
    assert run(read_notebook(handed_in(text), exercise))["add"](2, 3) == 5


def test_syntax_error_costs_its_cell(exercise):
    """A cell that is not Python costs what it defines; the problem names cell, line and reason."""
    source = read_notebook(
        handed_in(cell("def add(a, b)\n    return a", "add"), cell(MEAN, "mean")), exercise
    )
    assert run(source)["mean"]([1, 3]) == 2
    with pytest.raises(RuntimeError, match="Code cell 1 is not valid Python, at its line 1"):
        run(source)["add"](1, 2)
    sentence = "Code cell 1 is not valid Python, at its line 1: expected ':'."
    assert source.notes == (sentence,)
    assert source.problems == {"add": sentence}
    assert source.flags == ("cell-not-python",)


def test_syntax_error_without_metadata(exercise):
    """The problem finds its task by the function's name; a broken cell that nobody needs is no problem."""
    source = read_notebook(handed_in(cell("x = 1\ndef mean(n:\n"), cell("print 1")), exercise)
    assert list(source.problems) == ["mean"]
    assert len(source.notes) == 2
    good = read_notebook(handed_in(cell("def mean(n:\n"), cell(MEAN, "mean")), exercise)
    assert good.problems == {}


def test_return_outside_a_function(exercise):
    """Code that parses but does not compile is not Python; the line counts within the cell."""
    source = read_notebook(handed_in(cell("x = 1\n\nreturn x", "add")), exercise)
    assert source.problems["add"].startswith(
        "Code cell 1 is not valid Python, at its line 3: 'return' outside"
    )


def test_failing_statements_cost_only_their_names(exercise, capsys):
    """An error while the file runs is printed and costs only what the statement defines."""
    source = read_notebook(
        handed_in(
            cell("from nowhere import thing\ndef add(a, b):\n    return thing(a, b)", "add"),
            cell("@undefined\ndef mean(n):\n    return 1", "mean"),
            cell("HALF = 1 / 0\nOTHER = 2", "facts"),
        ),
        exercise,
    )
    space = run(source)
    assert "add" in space
    assert "mean" not in space
    assert "HALF" not in run(source, "facts.py")
    assert run(source, "facts.py")["OTHER"] == 2
    assert "code cell 1: No module named 'nowhere'" in capsys.readouterr().out


def test_guarded_text_keeps_its_lines(exercise):
    """A text over several lines is not indented with the guarded code around it."""
    text = (
        'WORDS = str("""one\n  two\n""")\nMORE = f"""a\n{WORDS}b"""\ndef add(a, b):\n    return WORDS + MORE'
    )
    space = run(read_notebook(handed_in(cell(text, "add")), exercise))
    assert space["add"](0, 0) == "one\n  two\na\none\n  two\nb"


def test_several_statements_on_a_line(exercise):
    """Statements on one line are taken one by one."""
    source = read_notebook(
        handed_in(cell("a = 1; b = a + 1; print(b)\ndef add(x, y): return x + y + b - 2", "add")), exercise
    )
    assert run(source)["add"](2, 3) == 5
    assert b"print(b)" not in source.files["lab.py"]


def test_future_import_first(exercise):
    """An import from __future__ stands at the head of the file, wherever the cell was."""
    source = read_notebook(
        handed_in(
            cell("def mean(n: Unknown) -> Unknown:\n    return 1", "mean"),
            cell("from __future__ import annotations"),
        ),
        exercise,
    )
    assert run(source)["mean"]([1]) == 1


def test_star_import(exercise):
    """Nobody knows what a star import brings, so it is taken."""
    source = read_notebook(
        handed_in(cell("from math import *"), cell("def add(a, b):\n    return floor(a + b)", "add")),
        exercise,
    )
    assert run(source)["add"](2, 3.5) == 5


def test_windows_text_is_noted(exercise):
    """A notebook in the Windows code page is read, with a note and a flag."""
    data = handed_in(cell(ADD + "  # groesser", "add")).replace(b"oe", b"\xf6")
    source = read_notebook(data, exercise)
    assert run(source)["add"](2, 3) == 5
    assert source.flags == ("not-utf-8",)
    assert source.notes == ("The notebook is not saved as UTF-8; it was read as Windows text.",)


@pytest.mark.parametrize("body", ["pass", "...", '"""Only a docstring."""', "raise NotImplementedError"])
def test_empty_bodies_are_stubs(exercise, body):
    """Whatever a function without an answer looks like, an answer elsewhere goes before it."""
    source = read_notebook(handed_in(cell(ADD), cell(f"def add(a, b):\n    {body}", "add")), exercise)
    assert run(source)["add"](2, 3) == 5


@pytest.mark.parametrize(
    "code",
    [
        "def add(a: int, b: 'int | None' = None) -> list[int]:\n    return a",
        "def add(a: dict[str, int] | None, *rest: tuple[int, ...], b=-1, c=(1, [2])):\n    return a",
        "add: int = 3",
        "add = mean = None",
    ],
)
def test_plain_code_is_not_guarded(exercise, code):
    """What cannot fail stands in the file as it was written."""
    assert (
        read_notebook(handed_in(cell(code, "add")), exercise).files["lab.py"].endswith(f"\n{code}\n".encode())
    )


@pytest.mark.parametrize(
    "code",
    [
        "def add(a: Unknown):\n    return a",
        "def add(a=UNKNOWN):\n    return a",
        "def add(a: 'int' | int):\n    return a",
        "def add(a: Unknown[int]):\n    return a",
        "add = -'x'",
        "add: Unknown = 3",
        "import nowhere as add",
    ],
)
def test_what_can_fail_is_guarded(exercise, code):
    """What fails when it is run does not take the file with it."""
    source = read_notebook(handed_in(cell(code, "add"), cell(MEAN, "mean")), exercise)
    assert run(source)["mean"]([1, 3]) == 2


def test_kernel_does_not_matter(exercise):
    """A kernel that is not installed here, or none, is no reason to refuse a Python notebook."""
    for metadata in (
        {"kernelspec": {"name": "conda-env-x", "display_name": "x", "language": "python"}},
        {"kernelspec": {"name": "gone"}},
        {"kernelspec": 3, "language_info": {"name": ["x"]}},
    ):
        assert run(read_notebook(handed_in(cell(ADD, "add"), metadata=metadata), exercise))["add"](2, 3) == 5


def test_other_language(exercise):
    """A notebook in another language is refused by name, unless Python answers are in it all the same."""
    metadata = {"kernelspec": {"name": "ir", "language": "R"}}
    with pytest.raises(GraderError, match="This is a notebook for R, not for Python"):
        read_notebook(handed_in(cell("add <- function(a, b) a + b"), metadata=metadata), exercise)
    assert run(read_notebook(handed_in(cell(ADD, "add"), metadata=metadata), exercise))["add"](2, 3) == 5


def test_skip_execution(exercise):
    """Tags that keep a cell from being run are not looked at."""
    skipped = cell(ADD, "add")
    skipped["metadata"]["tags"] = ["skip-execution"]
    assert run(read_notebook(handed_in(skipped), exercise))["add"](2, 3) == 5


def test_too_much_code(exercise):
    """Code beyond the limit of a file is refused, in one cell or over all."""
    big = "x = 1\n" * 11000
    with pytest.raises(GraderError, match="more than 256 KiB of code"):
        read_notebook(handed_in(*[cell(big)] * 5), exercise)
    source = read_notebook(handed_in(cell(big), cell(ADD, "add")), exercise)
    assert run(source)["add"](2, 3) == 5
    assert "at most 65,536 are read" in source.notes[-1]


def test_guards_add_up(exercise):
    """A file that grows beyond the limit by what it is wrapped in is refused as well."""
    chain = "".join(f"v{i} = v{i + 1}\n" for i in range(3000))
    cells = [cell(chain.replace("v", f"v{n}_").replace(f"v{n}_3000", f"v{n + 1}_0")) for n in range(3)]
    with pytest.raises(GraderError, match="come to more than 256 KiB"):
        read_notebook(handed_in(cell("def add(a, b): return v0_0", "add"), *cells), exercise)


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
    ],
)
def test_hostile_code_is_quick(exercise, code):
    """Code made to be slow, deep or large neither stops the grader nor costs another cell."""
    start = time.process_time()
    source = read_notebook(handed_in(cell(code), cell(ADD, "add")), exercise)
    assert run(source)["add"](2, 3) == 5
    assert time.process_time() - start < 5


def test_many_notes_are_bounded(exercise):
    """However much there is to say, it stays a short list."""
    many = [cell(f"V{i % 50} = {i}") for i in range(150)]
    broken = [cell("def") for _ in range(30)]
    source = read_notebook(handed_in(*many, *broken, *[cell("%x") for _ in range(30)]), exercise)
    assert len(source.notes) <= 40
    assert max(map(len, source.notes)) < 300
    assert source.notes[-1] == "22 more cells are not valid Python."
    assert any("and 22 more: lines that only" in note for note in source.notes)


def test_copied_text_cells(exercise):
    """Of copies of an answer cell that became text, one note is enough."""
    cells = [cell(ADD, "add") | {"cell_type": "raw"} for _ in range(50)]
    notes = read_notebook(handed_in(*cells), exercise).notes
    assert [note for note in notes if "text cell" in note] == [
        "The answer cell of add is a text cell; it was read as code."
    ]


def test_long_chains_are_not_sorted(exercise):
    """Beyond some hundred parts the notebook's own order is kept, so that reading stays quick."""
    many = "\n".join(f"v{i} = {i}" for i in range(500))
    body = " + ".join(f"v{i}" for i in range(500))
    source = read_notebook(handed_in(cell(many), cell(f"def add(a, b):\n    return {body}", "add")), exercise)
    assert run(source)["add"](0, 0) == 124750


def test_names_of_text_cells_are_cleaned(exercise):
    """A cell's name is a student's text: control characters are escaped, and it is cut and counted."""
    names = ["\ud800", "a\x1b[2J\u202e", "b" * 100_000, *(f"c{n}" for n in range(1_500))]
    cells = [cell("x = 1", name) | {"cell_type": "markdown"} for name in names]
    notes = read_notebook(handed_in(*cells), exercise).notes
    assert "The answer cell of \\ud800 is a text cell; it was read as code." in notes
    assert "The answer cell of a\\x1b[2J\\u202e is a text cell; it was read as code." in notes
    assert "1495 more answer cells are text cells." in notes
    assert max(map(len, notes)) < 300
    assert all(note.isprintable() for note in notes)


def test_text_cell_without_a_name(exercise):
    """An answer cell without a name is told of all the same."""
    text = cell(ADD) | {"cell_type": "markdown", "metadata": {"nbgrader": {"solution": True}}}
    assert read_notebook(handed_in(text), exercise).notes == (
        "The answer cell without a name is a text cell; it was read as code.",
    )


@pytest.mark.parametrize("deep", ["+0" * 1_500, "+0" * 2_000, ".a" * 900, " if a else b" * 500])
def test_deep_answers_are_compared(exercise, deep):
    """Answers that are nested deeply are told apart, or are the same, like any others."""
    one, two = (f"def add(a, b):\n    return {start}{deep}" for start in "ab")
    assert read_notebook(handed_in(cell(one), cell(two)), exercise).flags == ("two-answers",)
    assert read_notebook(handed_in(cell(one), cell(f"{one}  # again")), exercise).flags == ()


@pytest.mark.parametrize(
    ("one", "two", "differ"),
    [
        ("add = 1", "add = 1.0", True),
        ("add = 1", "add = True", True),
        ("add = [[1], 2]", "add = [[1, 2]]", True),
        ("add = [[], [1]]", "add = [[1], []]", True),
        ("add = f(a)(b)", "add = f(a, b)", True),
        ("add = ''", "add = b''", True),
        ("add = 0x" + "f" * 9_000, "add = 0x" + "e" * 9_000, True),
        ("add = 0x" + "f" * 9_000, "add = 0x" + "F" * 9_000, False),
        ("add = 'a'", 'add = ("a")', False),
    ],
)
def test_what_differs(exercise, one, two, differ):
    """Two answers are the same when Python reads them as the same, whatever their numbers' length."""
    flags = read_notebook(handed_in(cell(one), cell(two)), exercise).flags
    assert flags == (("two-answers",) if differ else ())


def test_rivals_are_parsed_once(exercise, monkeypatch):
    """Of two thousand names with six answers each, each statement is parsed for its cell and once more."""
    names = "=".join(f"A{n}" for n in range(2_000))
    asked = []
    parse = ast.parse
    monkeypatch.setattr(ast, "parse", lambda text: asked.append(text) or parse(text))
    source = read_notebook(handed_in(*[cell(f"{names}={n}") for n in range(6)]), exercise)
    assert source.flags == ("two-answers",)
    assert len(asked) == 12


@pytest.mark.parametrize("code", ["a;" * 30_000, "a\n" * 30_000])
def test_too_many_statements_of_a_cell(exercise, code):
    """A cell with more statements than any person writes costs only itself, and says so."""
    source = read_notebook(handed_in(cell(code), cell(ADD, "add")), exercise)
    assert run(source)["add"](2, 3) == 5
    assert source.notes[-1].endswith("the cell has 30,000 statements, and at most 5,000 are read.")


@pytest.mark.slow
def test_too_many_statements_of_a_notebook(exercise):
    """Together they are bounded as well."""
    with pytest.raises(GraderError, match="more than 20,000 statements"):
        read_notebook(handed_in(*[cell("a;" * 4_500)] * 5), exercise)


@pytest.mark.parametrize("kind", ["answer", "tests"])
@pytest.mark.parametrize("end", ["x", "x = (", "def add(a, b): return 1"])
def test_many_empty_lines_are_quick(exercise, kind, end):
    """Any number of empty lines, in a cell of any kind, takes one pass."""
    start = time.process_time()
    hostile = cell("\n" * 250_000 + end, "more", kind)
    assert run(read_notebook(handed_in(hostile, cell(ADD, "add")), exercise))["add"](2, 3) == 5
    locked = cell("\n" * 4_000_000 + end, "more", "tests")
    assert run(read_notebook(handed_in(locked, cell(ADD, "add")), exercise))["add"](2, 3) == 5
    assert time.process_time() - start < 5


def test_a_string_of_many_lines_is_quick(exercise):
    """The lines within a string are numbered once, however many parts the string has."""
    start = time.process_time()
    code = 'TEXT = f"""' + "{a}\n" * 16_000 + '"""'
    source = read_notebook(handed_in(cell(code)), exercise)
    assert code in source.files["facts.py"].decode()
    assert time.process_time() - start < 5
