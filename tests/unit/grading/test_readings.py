"""Of two readings of a notebook each task is taken from the one that earned more."""

from contextlib import closing

import pytest
from helpers import jail, notebook_course
from helpers.notebook_course import cell, notebook

from grader.grading.workers import Grader
from grader.intake.prepare import with_cells
from grader.sources.submission import Submission

ADD = "def add(a, b):\n    return a + b"
WRONG = "def add(a, b):\n    return 0"
MEAN = "def mean(numbers):\n    return sum(numbers) / len(numbers)"
HALF, SECRET = cell("HALF = 3", "facts"), "print('the secret is', a)"


def cell_of_tests(name, criterion):
    """A cell of tests."""
    return cell(f"class {name}:\n    pass\n\n\ncheck({name})", criterion, "tests")


TESTS = cell_of_tests("TestTwo", "add-two")


@pytest.fixture(scope="module")
def grade(tmp_path_factory):
    """Grade a notebook of these cells in the small course; return the result."""
    course, exercise = notebook_course.course_at(tmp_path_factory.mktemp("course"))
    with jail.opened() as zygote:
        tier = zygote.tier
    with closing(Grader(course, exercise, tier)) as grader:

        def grade(*cells, **files):
            submission = Submission("ada", {f"{name}.py": data for name, data in files.items()})
            if cells:
                submission = Submission("ada", submission.files, notebook=notebook(*cells))
            return grader.grade(with_cells(submission, exercise))

        yield grade


def points(graded):
    """The points of each criterion."""
    assert graded.fault == ""
    return [criterion.points for criterion in graded.result.criteria]


def test_first_reading_alone(grade):
    """A notebook with all points is run once, whatever stands at its end."""
    graded = grade(
        HALF, cell(ADD, "add"), TESTS, cell(MEAN, "mean"), cell("", "mean-any", "tests"), cell(WRONG)
    )
    assert points(graded) == [1, 2, 1, 2]
    assert graded.result.flags == ("missing-tests",)


def test_answer_below_its_tests(grade):
    """The answer at the end earns more, which is flagged and told; the other tasks stay as they were."""
    graded = grade(HALF, cell(WRONG, "add"), TESTS, cell(MEAN, "mean"), cell("sum = HALF = 3"), cell(ADD))
    assert points(graded) == [1, 2, 1, 2]
    assert "read-two-ways" in graded.result.flags
    assert graded.result.notes[-1] == (
        "add counted as it stands at the end of the notebook, which earned more."
    )
    assert graded.submission.notes == (
        "3 cells of tests are gone from the notebook; every test was run all the same.",
    )


def test_hidden_tests_do_not_choose_for_visible_ones(grade):
    """What is said of visible tests is the same whether the hidden ones earn more at the end or not."""
    said = []
    for end, earned in (("a + b if a < 0 else 9", 1), ("9", 0)):
        last = cell(f"def add(a, b):\n    return {end}")
        graded = grade(HALF, cell(WRONG, "add"), TESTS, last, cell("1 / 0"))
        assert points(graded) == [1, 0, earned, 0]
        said.append((graded.result.criteria[1], graded.result.notes))
    assert said[0] == said[1]
    assert "returned 0" in said[0][0].message


def test_no_better_at_the_end(grade):
    """If the end earns no more, the first reading stays, without a flag."""
    graded = grade(HALF, cell(WRONG, "add"), TESTS, cell("def add(a, b):\n    return 1"))
    assert points(graded) == [1, 0, 0, 0]
    assert "read-two-ways" not in graded.result.flags


def test_names_of_later_cells(grade):
    """A cell that was run after later ones counts in the second reading."""
    graded = grade(HALF, cell("def add(a, b, zero=ZERO):\n    return a + b + zero", "add"), cell("ZERO = 0"))
    assert points(graded)[1:3] == [2, 1]
    assert "read-two-ways" in graded.result.flags


def test_file_beside_the_notebook(grade):
    """A file that was handed in counts for its tasks, the notebook for the others."""
    graded = grade(cell("HALF = 7", "facts"), cell(ADD, "add"), facts=b"HALF = 3\n")
    assert points(graded) == [1, 2, 1, 0]
    assert graded.result.submission.files == ("facts.py", "lab.ipynb")


@pytest.mark.parametrize(
    "code", ["name = input()\n", "exit()\n", "import numpy\n", "open('notes.txt')\n", ""]
)
def test_file_and_notebook_earn_the_same(grade, code):
    """What fails only because it is graded is left out by one rule, in a file, a notebook and a script."""
    lab = f"{code}{ADD}\n\n\n{MEAN}\n"
    facts = b"HALF = 3\n"
    script = f"# In[1]:\nHALF = 3\n# In[2]:\n{lab}".encode()
    all_points = [1, 2, 1, 2]
    assert points(grade(lab=lab.encode(), facts=facts)) == all_points
    assert points(grade(HALF, cell(lab, "add"))) == all_points
    assert points(grade(lab=script)) == all_points


def test_messages_name_the_notebook_and_its_cells(grade):
    """A missing function is missing in the notebook; a broken cell is named with its line."""
    graded = grade(cell("import numpy as np"), HALF, cell("def add(a, b)\n    return a", "add"))
    assert points(graded) == [1, 0, 0, 0]
    assert [criterion.status for criterion in graded.result.criteria] == ["passed", *["not-run"] * 3]
    assert graded.result.criteria[1].message.startswith(
        "code cell 3 line 1 is not valid Python: expected ':'"
    )
    assert any(note.startswith("Code cell 1") and "numpy" in note for note in graded.result.notes)
    missing = grade(HALF, cell("def plus(a, b):\n    return a", "add"))
    assert missing.result.criteria[1].message.startswith("lab.ipynb has no add")


def test_an_emptied_answer(grade):
    """A cell that was emptied or commented out is no fault: its function is not started."""
    for source in ("", "\n  \n", "# def add(a, b):"):
        graded = grade(HALF, cell(source, "add"), cell(""))
        assert points(graded) == [1, 0, 0, 0]
        assert [c.status for c in graded.result.criteria] == [
            "passed",
            "not-started",
            "not-started",
            "not-run",
        ]
        assert graded.result.criteria[1].message.startswith("add is not started")
        assert graded.result.flags == ()
        assert graded.result.notes == ()


def test_nothing_of_hidden_calls_reaches_the_page(grade):
    """What a function prints or raises in a hidden call is in no message and no note."""
    graded = grade(HALF, cell(f"def add(a, b):\n    {SECRET}\n    raise ValueError(a)", "add"))
    text = str(graded.result)
    assert "the secret is 1" in text
    assert "-7" not in text
