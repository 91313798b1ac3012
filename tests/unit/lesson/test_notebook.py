"""The notebook edition is made from the sources alone, hides what is hidden, and runs."""

import json
import re
import sys
import warnings

import pytest
from helpers import nbgrader_class, notebook_course
from helpers.paths import ROOT

from grader.base.errors import CourseError
from grader.course.load import load_course
from grader.lesson import notebook
from grader.lesson.format import NotebookCell, cell_fingerprint, fingerprint
from grader.lesson.generate import build, stale_files
from grader.lesson.stubs import without_regions


@pytest.fixture
def course(tmp_path):
    """The small course and its exercise."""
    return notebook_course.course_at(tmp_path)


def cells_of(data):
    """The cells of a notebook by their id."""
    return {cell["id"]: cell for cell in json.loads(data)["cells"]}


def source_of(data, name):
    """The text of one cell."""
    return "".join(cells_of(data)[name]["source"])


def run(cells, names=None, changed=None):
    """Run the cells in one namespace, as a kernel would; the ids of those that raised an error."""
    space = {}
    failed = {}
    for one in cells:
        if one.kind != "text" and (names is None or one.id in names):
            try:
                exec((changed or {}).get(one.id, one.source), space)  # noqa: S102 - the course's own code
            except BaseException as error:  # noqa: BLE001 - pytest's own failures are no Exceptions
                failed[one.id] = error
    return failed


def test_same_sources_same_bytes(course):
    """Building twice gives the same bytes, for both notebooks."""
    assert notebook.student_notebook(*course) == notebook.student_notebook(*course)
    assert notebook_course.instructor_notebook(*course) == notebook_course.instructor_notebook(*course)


def test_order_of_cells(course):
    """Handout, the way to work, set-up, then each task with the tests of its criteria below it."""
    assert list(cells_of(notebook.student_notebook(*course))) == [
        "text-1",
        "text-3",
        "text-notebook",
        "setup",
        "about-facts",
        "task-facts",
        "facts",
        "facts-half",
        "about-lab",
        "tests-lab",
        "task-add",
        "add",
        "add-two",
        "add-negative",
        "task-mean",
        "mean",
        "mean-any",
        "text-summary",
        "summary",
    ]


def test_criterion_is_a_locked_cell(course):
    """A criterion's cell has its id, its points and nbgrader's marks for locked tests."""
    role = cells_of(notebook_course.instructor_notebook(*course))["add-two"]["metadata"]["nbgrader"]
    assert role == {
        "grade": True,
        "grade_id": "add-two",
        "locked": True,
        "points": 2,
        "schema_version": 3,
        "solution": False,
        "task": False,
    }


def test_answer_cells_are_the_students(course):
    """An answer cell can be edited but not deleted; a locked one neither."""
    cells = cells_of(notebook.student_notebook(*course))
    assert cells["add"]["metadata"]["nbgrader"]["solution"] is True
    assert "editable" not in cells["add"]["metadata"]
    assert cells["add"]["metadata"]["deletable"] is False
    assert cells["add-two"]["metadata"]["editable"] is False
    assert cells["setup"]["metadata"]["jupyter"] == {"source_hidden": True}


def test_nothing_hidden_is_released(course):
    """The students' notebook holds no solution and no hidden test; the instructor's holds both, marked."""
    student, instructor = notebook.student_notebook(*course), notebook_course.instructor_notebook(*course)
    for secret in (b"the secret", b"SECRET", b"-5", b"[1, 2, 6]", b"HIDDEN TESTS", b"SOLUTION"):
        assert secret not in student
        assert secret in instructor
    assert source_of(student, "add-negative") == (
        "# 1 point: your work adds negative numbers.\n"
        "# The tests of this cell are hidden: they run when your work is graded."
    )


def test_stub_of_a_function(course):
    """A function's stub raises NotImplementedError with its TODO, as in the .py file."""
    source = source_of(notebook.student_notebook(*course), "add")
    assert (
        source
        == 'def add(a, b):\n    """The sum."""\n    \n    raise NotImplementedError("TODO 2: add them")'
    )


def test_stub_of_a_constant(course):
    """A constant's stub is None; the instructor's cell gives it its value below."""
    assert "HALF = None  # TODO 1" in source_of(notebook.student_notebook(*course), "facts")
    instructor = source_of(notebook_course.instructor_notebook(*course), "facts")
    assert instructor.index("HALF = None") < instructor.index("HALF = 3")


def test_picture_is_inside(course):
    """A picture of the handout stands in the notebook, so that the notebook is one file."""
    text = source_of(notebook.student_notebook(*course), "text-1")
    address = f"data:image/svg+xml;base64,{notebook_course.encoded(notebook_course.PICTURE)}"
    assert text == f"# Sums\n\n![Two piles]({address})"


def test_section_that_says_so_is_left_out(course):
    """A section about a terminal says that it has no place in the notebook."""
    assert b"python -m pytest" not in notebook.student_notebook(*course)


def test_code_in_the_handout_is_kept(tmp_path):
    """Any other section stays, with its code."""
    text = b"# Sums\n\n## Look\n\n```\nadd(1, 2)\n```\n"
    assert b"add(1, 2)" in notebook.student_notebook(*notebook_course.course_at(tmp_path, README=text))


def test_constants_beside_functions(tmp_path):
    """Constants that students write need a file of their own: in a locked cell they could not be written."""
    more = "\n\n# Half?\n### BEGIN SOLUTION\nHALF = 3  # TODO 4\n### END SOLUTION\n"
    course = notebook_course.course_at(tmp_path, solutions__week1__lab=notebook_course.LAB + more)
    with pytest.raises(CourseError, match=r"^solutions/week1/lab.py:21: students write constants and func"):
        notebook.student_notebook(*course)


def test_no_handout(tmp_path):
    """Without a handout the exercise's title stands there."""
    course = notebook_course.course_at(tmp_path, README=None)
    assert source_of(notebook.student_notebook(*course), "text-1") == "# Sums"


def test_given_code(tmp_path):
    """Imports and helpers beside the functions of a file are a locked cell of their own."""
    lab = notebook_course.LAB.replace('functions."""\n', 'functions."""\n\nimport math\n\nLIMIT = 3\n')
    course = notebook_course.course_at(tmp_path, solutions__week1__lab=lab)
    assert source_of(notebook.student_notebook(*course), "given-lab") == "import math\nLIMIT = 3"


def test_private_tests_only_for_instructors(tmp_path):
    """Private criteria have their tests from the private folder."""
    notebook_course.course_at(tmp_path)
    private = tmp_path / "private"
    (private / "tests/hidden/week1").mkdir(parents=True)
    (private / "private.toml").write_text(
        "[exercise.week1.criterion.add-mine]\ntask = 'add'\nvisibility = 'hidden'\ntests = 'TestMine'\n"
        "points = 1\nsentence = 'adds what I like'\nhint = 'Guess.'\n[exercise.week1]\npoints = 7\n"
    )
    text = "import lab\n\n\nclass TestMine:\n    def test_it(self):\n        assert lab.add(40, 2) == 42\n"
    (private / "tests/hidden/week1/test_lab.py").write_text(text)
    course = load_course(tmp_path / "course.toml", private)
    assert b"lab.add(40, 2)" in notebook_course.instructor_notebook(course, course.exercise(None))
    assert b"lab.add(40, 2)" not in notebook.student_notebook(course, course.exercise(None))


@pytest.mark.slow
def test_valid_for_jupyter_and_nbgrader(course):
    """The schema of nbformat and nbgrader's own check of the metadata accept both notebooks."""
    import nbformat  # noqa: PLC0415 - takes a while to import

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from nbgrader.nbgraderformat import MetadataValidator  # noqa: PLC0415 - the same
    for data in (notebook.student_notebook(*course), notebook_course.instructor_notebook(*course)):
        document = nbformat.reads(data.decode(), as_version=4)
        nbformat.validate(document)
        MetadataValidator().validate_nb(document)


@pytest.mark.slow
def test_fingerprint_is_nbgraders(course):
    """Our fingerprint of a cell is the one that nbgrader works out."""
    import nbformat  # noqa: PLC0415 - takes a while to import

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from nbgrader.utils import compute_checksum  # noqa: PLC0415 - the same
    document = nbformat.reads(notebook.student_notebook(*course).decode(), as_version=4)
    found = {cell.id: cell for cell in document.cells if "nbgrader" in cell.metadata}
    assert set(found) > {"setup", "add", "add-two", "tests-lab"}
    for cell in found.values():
        role = cell.metadata.nbgrader
        assert compute_checksum(cell) == role.checksum == fingerprint(cell.source, "code", role)


def test_fingerprint_tells_cells_apart():
    """Another source, another id and other points give another fingerprint."""
    cells = [
        NotebookCell("a", "tests", "x", 1),
        NotebookCell("a", "tests", "y", 1),
        NotebookCell("b", "tests", "x", 1),
        NotebookCell("a", "tests", "x", 2),
        NotebookCell("a", "answer", "x"),
        NotebookCell("a", "shown", "x"),
    ]
    assert len({cell_fingerprint(cell) for cell in cells}) == 6


@pytest.fixture(autouse=True)
def in_nbgrader(monkeypatch):
    """Run the cells as nbgrader does, which takes the points off for an error."""
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")


def test_run_all_never_stops(course, capsys, monkeypatch):
    """A cell of tests explains itself and raises nothing; the last cell has the points and the next step."""
    monkeypatch.delenv("NBGRADER_EXECUTION")
    assert run(notebook.student_cells(*course)) == {}
    said = capsys.readouterr().out
    assert "add is not started: TODO" in said
    assert "visible points so far." in said
    wrong = {"add": "def add(a, b):\n    return 0\n"}
    assert run(notebook.instructor_cells(*course), changed=wrong) == {}
    said = capsys.readouterr().out
    assert " returned 0; " in said
    assert "  Because: a right add " in said
    assert "  Hint: " in said
    assert "Next: add. Goal: your work " in said


@pytest.mark.parametrize(
    ("name", "first"), [("contiguous_reservation", "PREDICTION"), ("block_tables", "PREDICT_NEIGHBOURS")]
)
def test_a_prediction_is_the_first_step(name, first, capsys):
    """A constant that no test reads comes first, also in a file whose other constants earn points."""
    course = load_course(ROOT / "course.toml")
    run(notebook.student_cells(course, course.exercise(name)))
    assert f"Next: TODO 1: {first} is still None. Put your answer there" in capsys.readouterr().out


def test_solved_notebook_passes(course, capsys):
    """With the solution filled in every cell runs, and each cell of tests says how many passed."""
    assert run(notebook.instructor_cells(*course)) == {}
    assert capsys.readouterr().out.split("\n")[:4] == [
        "TestHalf: the test passes.",
        "TestTwo: all 5 tests pass.",
        "TestNegative: the test passes.",
        "TestMean: the test passes.",
    ]


def test_without_pytest(course, capsys, monkeypatch):
    """At home a sentence says what to install; in nbgrader no cell of tests passes, solved or not."""
    monkeypatch.setitem(sys.modules, "pytest", None)
    failed = run(notebook.instructor_cells(*course))
    assert list(failed) == ["facts-half", "add-two", "add-negative", "mean-any"]
    assert {type(error) for error in failed.values()} == {ImportError}
    capsys.readouterr()
    monkeypatch.setitem(sys.modules, "pytest", None)
    monkeypatch.delenv("NBGRADER_EXECUTION")
    assert run(notebook.instructor_cells(*course)) == {}
    assert "pytest is missing: run  %pip install pytest" in capsys.readouterr().out


def test_lesson_itself():
    """The kit's own lesson passes all its tests when it is solved, and none as it is handed out."""
    root = ROOT
    lesson = load_course(root / "course.toml")
    exercise = lesson.exercise("contiguous_reservation")
    assert run(notebook.instructor_cells(lesson, exercise)) == {}
    visible = [one.id for one in exercise.criteria if one.visibility == "visible"]
    assert sorted(run(notebook.student_cells(lesson, exercise))) == sorted(visible)


def test_stub_passes_nothing(course):
    """In the notebook as it is handed out every visible cell of tests fails, for want of an answer."""
    failed = run(notebook.student_cells(*course))
    assert list(failed) == ["facts-half", "add-two"]
    assert isinstance(failed["add-two"], NotImplementedError)


def test_wrong_answer_shows_its_call(course, capsys):
    """A failing cell says what was called last and what came back; other criteria are not touched."""
    wrong = {"add": "def add(a, b):\n    return abs(a) + b\n"}
    failed = run(notebook.instructor_cells(*course), changed=wrong)
    assert list(failed) == ["add-negative"]
    assert "add(-7, 2) returned 9" in capsys.readouterr().out


def test_answer_that_only_looks_like_a_number_is_none(course, capsys):
    """A Decimal equals nothing, as when the notebook is graded; a fraction is plain data."""
    other = {"add": "from decimal import Decimal\ndef add(a, b):\n    return Decimal(a + b)\n"}
    assert "add-two" in run(notebook.instructor_cells(*course), changed=other)
    assert "returned a value of type Decimal" in capsys.readouterr().out
    exact = {"add": "from fractions import Fraction\ndef add(a, b):\n    return Fraction(a + b)\n"}
    assert "add-two" not in run(notebook.instructor_cells(*course), changed=exact)


def test_missing_answer_is_said(course):
    """A name that no cell has defined is an AttributeError that says so."""
    failed = run(notebook.instructor_cells(*course), names={"setup", "tests-lab", "add-two"})
    assert "no add: run the cell" in str(failed["add-two"])


def test_notebook_is_generated(course):
    """The notebook is written with the other generated files, and is stale when a source changes."""
    path = course[0].root / "exercises/week1/lab.ipynb"
    assert path in build(*course)
    assert list(stale_files(*course)) == []
    source = course[0].root / "solutions/week1/lab.py"
    source.write_text(source.read_text().replace("The sum.", "Their sum."))
    assert path in stale_files(*course)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"piles": None}, r"exercises/week1/README.md: the picture piles.svg cannot be read"),
        ({"solutions__week1__lab": None}, r"solutions/week1/lab.py cannot be read"),
        ({"README": b"f\xfcr"}, r"exercises/week1/README.md:1: is not in UTF-8"),
        (
            {"solutions__week1__lab": b"# f\xfcr"},
            r"solutions/week1/lab.py:1: is not in UTF-8",
        ),
        (
            {"visible__week1__test_lab": b"# f\xfcr"},
            r"tests/visible/week1/test_lab.py:1: is not in UTF-8",
        ),
        ({"solutions__week1__lab": "def"}, r"solutions/week1/lab.py:1: is no Python: "),
        (
            {"solutions__week1__lab": notebook_course.LAB.replace("def mean", "def median")},
            r"solutions/week1/lab.py: there is no function mean",
        ),
        ({"hidden__week1__test_lab": None}, r"tests/hidden/week1/test_lab.py cannot be read"),
        ({"hidden__week1__test_lab": "("}, r"tests/hidden/week1/test_lab.py:1: is no Python: "),
        (
            {
                "hidden__week1__test_lab": notebook_course.HIDDEN_LAB.replace(
                    "class TestMean", "class TestMedian"
                )
            },
            r"tests/hidden/week1/test_lab.py: the class TestMean is missing",
        ),
        (
            {
                "visible__week1__test_lab": notebook_course.VISIBLE_LAB.replace(
                    "import lab", "from lab import add"
                )
            },
            r"tests/visible/week1/test_lab.py:3: names are imported out of lab",
        ),
        (
            {"course": notebook_course.COURSE.replace("add-two", "mean")},
            r"'mean' would name two cells",
        ),
        (
            {"solutions__week1__facts": notebook_course.FACTS.replace("### END SOLUTION\n", "")},
            r"solutions/week1/facts.py:\d+: a region begins that never ends",
        ),
        (
            {
                "solutions__week1__facts": notebook_course.FACTS.replace(
                    "HALF = 3", "### BEGIN SOLUTION\nHALF = 3"
                )
            },
            r"solutions/week1/facts.py:\d+: a region begins inside that of line \d",
        ),
    ],
)
def test_mistakes_in_the_course(tmp_path, changed, says):
    """Whatever is missing or wrong is named with its file."""
    course = notebook_course.course_at(tmp_path, **changed)
    with pytest.raises(CourseError, match=says):
        notebook.student_notebook(*course)


def test_region_inside_a_region():
    """Hidden tests that begin inside hidden tests are a mistake, not a leak."""
    text = "### BEGIN HIDDEN TESTS\n### BEGIN HIDDEN TESTS\n### END HIDDEN TESTS"
    with pytest.raises(CourseError, match=r"^a cell:2: a region begins inside that of line 1"):
        without_regions(text, "a cell", "HIDDEN TESTS")


@pytest.mark.slow
def test_jupyter_runs_it(course, tmp_path):
    """``jupyter nbconvert --execute`` runs the solved notebook to its end without an error."""
    (tmp_path / "solved.ipynb").write_bytes(notebook_course.instructor_notebook(*course))
    nbgrader_class.command(tmp_path, "jupyter", "nbconvert", "--to", "notebook", "--execute", "solved.ipynb")
    outputs = (tmp_path / "solved.nbconvert.ipynb").read_text()
    assert len(re.findall(r"all \d tests pass|: the test passes", outputs)) == 4
