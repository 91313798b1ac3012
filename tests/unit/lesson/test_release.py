"""Stubs, bundle, points and handout page: what leaves for students."""

import ast
import hashlib
import io
import json
import re
import shutil
import stat
import sys
import zipfile
from pathlib import Path

import html5lib
import pytest
from click.testing import CliRunner
from helpers import small_lesson
from helpers.paths import ROOT

from grader.base.errors import CourseError, GraderError
from grader.base.files import archive_bytes
from grader.bundle.warn import file_digest
from grader.commands.release import command
from grader.course.load import load_course
from grader.lesson.handout import handout_html
from grader.lesson.notebook import student_notebook
from grader.lesson.points import points
from grader.lesson.release import bundle_files, plugin_files, release

NAME = "contiguous_reservation"

COURSE = """
[course]
title = "A course"

[exercise.small]
title = "A small exercise"
points = 6

[exercise.small.task.numbers]
file = "numbers.py"
title = "By hand (TODO 1)"

[exercise.small.task.total]
file = "work.py"
title = "Total (TODO 2)"

[exercise.small.criterion.number]
task = "numbers"
visibility = "visible"
tests = "TestNumber"
points = 1
sentence = "says the number"
hint = "Count."

[exercise.small.criterion.total-sum]
task = "total"
visibility = "visible"
tests = "TestSum"
points = 2
sentence = "adds everything up"
hint = "Go through the list."

[exercise.small.criterion.total-none]
task = "total"
visibility = "hidden"
tests = "TestNothing"
points = 3
sentence = "gives zero for an empty list"
hint = "What if nothing is there?"
"""
FILES = {
    "course.toml": COURSE,
    "exercises/small/README.md": "# Small\n\nSee ![the picture](pool.svg).\n",
    "exercises/small/pool.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>\n',
    "exercises/small/numbers.py": "NUMBER = None  # TODO 1\n",
    "exercises/small/work.py": (
        'HELPER = 3\n\n\ndef total(values: list[int]) -> int:\n    """Add up."""\n'
        '    raise NotImplementedError("TODO 2: add them up")\n\n\ndef helper() -> int:\n    return HELPER\n'
    ),
    "solutions/small/numbers.py": "### BEGIN SOLUTION\nNUMBER = 4711  # TODO 1\n### END SOLUTION\n",
    "solutions/small/work.py": (
        'HELPER = 3\n\n\ndef total(values: list[int]) -> int:\n    """Add up."""\n    # TODO 2: add them up\n'
        "    ### BEGIN SOLUTION\n    if not values:\n        return 0\n"
        "    return values[0] + total(values[1:])\n    ### END SOLUTION\n\n\ndef helper() -> int:\n"
        "    return HELPER\n"
    ),
    "solutions/small/misconceptions.py": (
        "@misconception(\n    'total',\n"
        "    'You seem to skip the first value. Every value counts, that one too.',\n"
        ")\ndef skips_first(values):\n    return sum(values[1:])\n"
    ),
    "tests/visible/small/test_numbers.py": (
        "import numbers\n\n\nclass TestNumber:\n    def test_it(self):\n        assert numbers.NUMBER == 1\n"
    ),
    "tests/visible/small/test_work.py": (
        "import work\n\nLIMIT = 3\n\n\nclass TestSum:\n    def test_some(self):\n"
        "        assert work.total([1, 2]) == 3\n\n    def helper(self):\n        pass\n"
    ),
    "tests/hidden/small/test_work.py": (
        'import work\n\n\nclass TestNothing:\n    """Nothing at all adds up to zero, promised."""\n\n'
        "    def test_none(self):\n        assert work.total([]) == 0\n"
    ),
}


@pytest.fixture
def course(tmp_path):
    """A small course that may be released; its folder."""
    for name, text in FILES.items():
        path = tmp_path / "course" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "course"


def files_of(folder, private=None):
    """The bundle of the course in that folder."""
    course = load_course(folder / "course.toml", private)
    return bundle_files(course, course.exercise(None))


def test_bundle_holds_these_files_and_no_more(course):
    """Stubs, visible tests, the handout with its picture, settings, and the plugin."""
    assert list(files_of(course)) == [
        ".vscode/settings.json",
        "README.html",
        "README.md",
        "conftest.py",
        "kit/__init__.py",
        "kit/__main__.py",
        "kit/causes.py",
        "kit/display.py",
        "kit/draw.py",
        "kit/failure.py",
        "kit/failure_view.py",
        "kit/hints.py",
        "kit/judge.py",
        "kit/newer.py",
        "kit/options.py",
        "kit/plain.py",
        "kit/plugin.py",
        "kit/points.json",
        "kit/student_file.py",
        "kit/summary.py",
        "kit/test_numbers.txt",
        "kit/test_work.txt",
        "kit/timeout.py",
        "kit/warn.py",
        "kit/wording.py",
        "numbers.py",
        "pool.svg",
        "pytest.ini",
        "test_numbers.py",
        "test_work.py",
        "work.py",
    ]


@pytest.mark.slow
def test_real_exercise_can_be_released():
    """Its bundle passes the leak check and is small."""
    course = load_course(ROOT / "course.toml")
    files = bundle_files(course, course.exercise(NAME))
    assert {"hands_on.py", "reservation.py", "test_hands_on.py", "test_reservation.py"} <= set(files)
    assert sum(map(len, files.values())) < 500_000


def test_notebook_goes_along(course):
    """A notebook in the exercise's folder is in the bundle; other files are not."""
    (course / "exercises/small/work.ipynb").write_text('{"cells": []}', encoding="utf-8")
    (course / "exercises/small/notes.txt").write_text("mine", encoding="utf-8")
    files = files_of(course)
    assert files["work.ipynb"] == b'{"cells": []}'
    assert "notes.txt" not in files


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("a.png", "data:image/png;base64,eA=="),
        ("a.jpg", "data:image/jpeg;base64,eA=="),
        ("a.JPEG", "data:image/jpeg;base64,eA=="),
        ("a.gif", "data:image/gif;base64,eA=="),
        ("a.webp", "data:image/webp;base64,eA=="),
    ],
)
def test_every_kind_of_picture_goes_everywhere(course, name, address):
    """A picture of the handout is in the bundle, in its page and in the notebook."""
    (course / "exercises/small" / name).write_bytes(b"x")
    (course / "exercises/small/README.md").write_text(f"# Small\n\n![It]({name})\n", encoding="utf-8")
    files = files_of(course)
    assert files[name] == b"x"
    assert f'src="{address}"' in files["README.html"].decode()
    loaded = load_course(course / "course.toml")
    assert f"![It]({address})" in student_notebook(loaded, loaded.exercise(None)).decode()


@pytest.mark.parametrize(
    "name", ["exercises/small/README.md", "exercises/small/work.py", "tests/visible/small/test_work.py"]
)
def test_file_in_another_encoding_is_named(course, name):
    """Text in Windows-1252 is refused with the file's name, not with a traceback."""
    (course / name).write_bytes("# f\xfcr alle\n".encode("cp1252"))
    with pytest.raises(CourseError, match=rf"^{name} cannot be read \(it is not in UTF-8\)"):
        files_of(course)


def test_plugin_is_copied_unchanged():
    """Each file of grader/bundle is in the bundle byte for byte."""
    sources = {path.name: path.read_bytes() for path in (ROOT / "grader/bundle").iterdir() if path.is_file()}
    assert {name.rpartition("/")[2]: data for name, data in plugin_files().items()} == sources
    assert len(sources) == len(plugin_files())


def test_plugin_imports_pytest_and_the_standard_library_only():
    """It runs on Python 3.10 without the grader; each module that it imports from its package is there."""
    files = plugin_files()
    for name in (name for name in files if name.endswith(".py")):
        for node in ast.walk(ast.parse(files[name], feature_version=(3, 10))):
            if isinstance(node, ast.Import):
                imported = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level:
                neighbours = [node.module] if node.module else [alias.name for alias in node.names]
                assert {f"kit/{neighbour}.py" for neighbour in neighbours} <= files.keys(), name
                continue
            elif isinstance(node, ast.ImportFrom):
                imported = [node.module]
            else:
                continue
            tops = {module.partition(".")[0] for module in imported}
            assert tops <= sys.stdlib_module_names | {"pytest"}, name


def test_points_of_hidden_criteria_are_one_number(course):
    """points.json has the tasks, the visible criteria with their tests, the TODOs, and the hidden points."""
    made = json.loads(files_of(course)["kit/points.json"])
    assert made == {
        "title": "A small exercise",
        "points": 6,
        "hidden": 3,
        "files": {"numbers.py": [], "work.py": ["total"]},
        "limits": {"call": 1.0, "import": 2.0, "all": 8.0},
        "tests": {
            name: file_digest((course / "tests/visible/small" / name).read_bytes())
            for name in ("test_numbers.py", "test_work.py")
        },
        "causes": {},
        "python": list(sys.version_info[:2]),
        "tasks": [
            {
                "name": "numbers",
                "file": "numbers.py",
                "title": "By hand (TODO 1)",
                "hints": [],
                "hidden": 0,
                "criteria": [
                    {
                        "tests": "TestNumber",
                        "points": 1,
                        "sentence": "says the number",
                        "hint": "Count.",
                        "names": ["test_it"],
                    }
                ],
            },
            {
                "name": "total",
                "file": "work.py",
                "title": "Total (TODO 2)",
                "hints": [],
                "hidden": 3,
                "criteria": [
                    {
                        "tests": "TestSum",
                        "points": 2,
                        "sentence": "adds everything up",
                        "hint": "Go through the list.",
                        "names": ["test_some"],
                    }
                ],
            },
        ],
        "todos": [
            {
                "number": 1,
                "text": "",
                "name": "NUMBER",
                "file": "numbers.py",
                "task": "numbers",
                "constant": True,
            },
            {
                "number": 2,
                "text": "add them up",
                "name": "total",
                "file": "work.py",
                "task": "total",
                "constant": False,
            },
        ],
    }


def test_criterion_without_a_class_has_no_tests(course):
    """Points are still made; ``grader check`` finds the missing class."""
    exercise = load_course(course / "course.toml").exercise(None)
    files = {**files_of(course), "test_work.py": b"import work\n"}
    assert points(exercise, files)["tasks"][1]["criteria"][0]["names"] == []


LEAKS = {
    "solution": ("exercises/small/work.py", FILES["solutions/small/work.py"], "is solutions/small/work.py"),
    "solution line": (
        "exercises/small/work.py",
        "def total(values):\n    return values[0]+total( values[1:] )\n",
        "holds line 10 of solutions/small/work.py",
    ),
    "answer": (
        "exercises/small/README.md",
        "Hint: NUMBER = 4711  # TODO 1\n",
        "holds line 2 of solutions/small/numbers.py",
    ),
    "mark": ("exercises/small/work.py", "#  Begin solution\n", "holds the mark '#  Begin solution'"),
    "hidden line": (
        "exercises/small/README.md",
        "Note: assert work.total([]) == 0\n",
        "holds line 8 of tests/hidden/small/test_work.py",
    ),
    "hidden test": (
        "exercises/small/README.md",
        FILES["tests/hidden/small/test_work.py"],
        "is tests/hidden/small/test_work.py",
    ),
    "hidden text": (
        "exercises/small/README.md",
        "Nothing at all adds up\nto zero, promised.\n",
        "holds a text from line 5 of tests/hidden/small/test_work.py",
    ),
    "hidden class": (
        "exercises/small/README.md",
        "See TestNothing.\n",
        "tells of the hidden criterion 'total-none'",
    ),
    "hidden id": (
        "exercises/small/README.md",
        "See `total-none`.\n",
        "tells of the hidden criterion 'total-none'",
    ),
    "hidden hint": (
        "exercises/small/README.md",
        "What if nothing is there?\n",
        "tells of the hidden criterion 'total-none'",
    ),
    "misconception": (
        "exercises/small/README.md",
        "Every value counts, that one too.\n",
        "holds a text from line 3 of solutions/small/misconceptions.py",
    ),
    "wrong function": (
        "exercises/small/README.md",
        "    return sum(values[1:])\n",
        "holds line 6 of solutions/small/misconceptions.py",
    ),
    "notebook": (
        "exercises/small/work.ipynb",
        json.dumps({"cells": [{"source": ["return values[0] + ", "total(values[1:])"]}], "nbformat": 4}),
        "holds line 10 of solutions/small/work.py",
    ),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_nothing_is_released_that_would_leak(course, tmp_path, leak):
    """Each kind of leak is refused with the file and what it holds, and nothing is written."""
    name, text, what = LEAKS[leak]
    (course / name).write_text(text, encoding="utf-8")
    loaded = load_course(course / "course.toml")
    with pytest.raises(CourseError) as refused:
        release(loaded, loaded.exercise(None), tmp_path / "dist")
    assert str(refused.value) == f"Nothing was released, because {Path(name).name} {what}."
    assert not (tmp_path / "dist").exists()


def test_private_folder_does_not_leak_either(course, tmp_path):
    """An instructor's own hidden tests outside the course are searched for as well."""
    private = tmp_path / "mine"
    (private / "small").mkdir(parents=True)
    (private / "private.toml").write_text(
        "[exercise.small]\npoints = 7\n[exercise.small.criterion.total-large]\ntask = 'total'\n"
        "visibility = 'hidden'\ntests = 'TestLarge'\npoints = 1\n"
        "sentence = 'adds large numbers'\nhint = 'Try.'\n",
        encoding="utf-8",
    )
    line = "assert work.total([10**9, 1]) == 1000000001\n"
    (private / "small" / "test_work.py").write_text(line, encoding="utf-8")
    assert json.loads(files_of(course, private)["kit/points.json"])["hidden"] == 4
    (course / "exercises/small/README.md").write_text(line, encoding="utf-8")
    with pytest.raises(CourseError, match=r"README\.md is private/small/test_work\.py"):
        files_of(course, private)


def test_public_text_is_no_leak(course):
    """A word that is also an id, a line that the stub has too, a short line, a visible criterion's words."""
    text = (
        (course / "course.toml").read_text(encoding="utf-8").replace("criterion.total-none", "criterion.none")
    )
    (course / "course.toml").write_text(text, encoding="utf-8")
    readme = (
        "There is none. adds everything up. return HELPER. return 0. def total(values: list[int]) -> int:\n"
    )
    (course / "exercises/small/README.md").write_text(readme, encoding="utf-8")
    assert files_of(course)["README.md"] == readme.encode()


def test_lines_of_picture_py_may_be_in_the_picture(course):
    """picture.py holds lines that its picture holds too."""
    drawing = '<text x="10" y="20">three regions of a hundred</text>\n'
    (course / "solutions/small/picture.py").write_text(f"TEXT = '''\n{drawing}'''\n", encoding="utf-8")
    (course / "exercises/small/pool.svg").write_text(f"<svg>{drawing}</svg>", encoding="utf-8")
    assert "pool.svg" in files_of(course)


@pytest.mark.parametrize(
    "name", ["exercises/small/work.py", "exercises/small/README.md", "tests/visible/small/test_work.py"]
)
def test_missing_file_is_named(course, name):
    """Without one of its files no bundle is made."""
    (course / name).unlink()
    with pytest.raises(
        CourseError, match=rf"{name} cannot be read \(No such file or directory\); the bundle needs"
    ):
        files_of(course)


def test_handout_becomes_a_page_with_its_picture_inside():
    """Valid HTML with a title and tables; a picture that is there is embedded, no HTML is let through."""
    markdown = (
        "# Small\n\n![pool](pool.svg) ![gone](gone.png) ![far](https://example.edu/x.png)\n\n"
        "| a | b |\n| - | - |\n| 1 | 2 |\n\n<script>alert(1)</script>\n"
    )
    source = handout_html(markdown, "Small & <fine>", {"pool.svg": b"<svg/>"}).decode()
    tree = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(source)
    assert tree.findtext("head/title") == "Small & <fine>"
    assert [image.get("src") for image in tree.iter("img")] == [
        "data:image/svg+xml;base64,PHN2Zy8+",
        "gone.png",
        "https://example.edu/x.png",
    ]
    assert [cell.text for cell in tree.iter("td")] == ["1", "2"]
    assert not list(tree.iter("script"))


def test_folder_and_the_zip_hold_the_same(course, tmp_path):
    """Everyone may read the files; in the zip they lie in a folder with the exercise's name."""
    loaded = load_course(course / "course.toml")
    folder, archive = release(loaded, loaded.exercise(None), tmp_path / "dist")
    assert (folder, archive) == (tmp_path / "dist" / "small", tmp_path / "dist" / "small.zip")
    expected = files_of(course)
    with zipfile.ZipFile(archive) as opened:
        assert opened.testzip() is None
        assert {name: opened.read(name) for name in opened.namelist()} == {
            f"small/{name}": data for name, data in expected.items()
        }
    for name, data in expected.items():
        assert (folder / name).read_bytes() == data
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o644
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    assert stat.S_IMODE(archive.stat().st_mode) == 0o644


def test_same_course_gives_the_same_bytes(course, tmp_path):
    """In another place, at another time: the zip's digest is the same; an entry's date and mode are fixed."""
    loaded = load_course(course / "course.toml")
    shutil.copytree(course, tmp_path / "moved")
    moved = load_course(tmp_path / "moved" / "course.toml")
    digests = set()
    for source, to in ((loaded, "one"), (moved, "two")):
        _, archive = release(source, source.exercise(None), tmp_path / to)
        digests.add(hashlib.sha256(archive.read_bytes()).hexdigest())
    assert len(digests) == 1
    with zipfile.ZipFile(io.BytesIO(archive_bytes({"f/b": b"2", "f/a": b"1"}))) as opened:
        assert [(e.filename, e.date_time, e.external_attr >> 16) for e in opened.infolist()] == [
            ("f/a", (1980, 1, 1, 0, 0, 0), 0o100644),
            ("f/b", (1980, 1, 1, 0, 0, 0), 0o100644),
        ]


def test_releasing_again_replaces_what_was_there(course, tmp_path):
    """A second release into the same folder replaces its files; pytest's cache there is no obstacle."""
    loaded = load_course(course / "course.toml")
    folder, _ = release(loaded, loaded.exercise(None), tmp_path)
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "work.pyc").write_bytes(b"x")
    (folder / "work.py").write_text("mine", encoding="utf-8")
    release(loaded, loaded.exercise(None), tmp_path)
    assert (folder / "work.py").read_text(encoding="utf-8") == FILES["exercises/small/work.py"]


def test_folder_with_other_files_is_left_alone(course, tmp_path):
    """A folder with a file of someone else is refused with that file's name, and nothing is changed."""
    loaded = load_course(course / "course.toml")
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "mine.py").write_text("mine", encoding="utf-8")
    with pytest.raises(CourseError, match=r"small holds mine\.py, which is not the bundle's"):
        release(loaded, loaded.exercise(None), tmp_path)
    assert [path.name for path in (tmp_path / "small").iterdir()] == ["mine.py"]
    assert not (tmp_path / "small.zip").exists()


def test_place_that_cannot_be_written_is_named(course, tmp_path):
    """A file in place of the folder is an error that names it."""
    loaded = load_course(course / "course.toml")
    (tmp_path / "dist").write_text("x", encoding="utf-8")
    with pytest.raises(GraderError, match="could not be written"):
        release(loaded, loaded.exercise(None), tmp_path / "dist")


@pytest.fixture
def lesson(tmp_path):
    """A sound course with one lesson; its folder."""
    (tmp_path / "lesson").mkdir()
    small_lesson.write(tmp_path / "lesson")
    return tmp_path / "lesson"


def test_command_says_where_the_bundle_is(lesson, tmp_path):
    """On stderr, the zip last; with --quiet nothing."""
    arguments = ["--course", str(lesson / "course.toml"), "--to", str(tmp_path / "dist")]
    said = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert said.stdout == ""
    assert said.stderr == (
        f"{tmp_path / 'dist' / 'sums'}: written\n"
        f"{tmp_path / 'dist' / 'sums.zip'}: written; give this to your students\n"
    )
    said = CliRunner().invoke(command, [*arguments, "--quiet"], catch_exceptions=False)
    assert (said.exit_code, said.output) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "text", "why"),
    [
        (
            "exercises/sums/sums.py",
            "x = 1\n",
            r"exercises/sums/sums\.py: is not what its source makes; run 'gr",
        ),
        ("exercises/sums/sums.ipynb", None, r"exercises/sums/sums\.ipynb: is missing; run 'grader build'"),
        ("exercises/sums/README.md", "# Sums\n", r"exercises/sums/README\.md: has no table of points"),
    ],
)
def test_nothing_stale_is_released(lesson, tmp_path, file, text, why):
    """A stub or notebook that differs from its source is refused, and a handout without points."""
    if text is None:
        (lesson / file).unlink()
    else:
        (lesson / file).write_text(text)
    arguments = ["--course", str(lesson / "course.toml"), "--to", str(tmp_path / "dist")]
    said = CliRunner().invoke(command, arguments)
    assert isinstance(said.exception, CourseError)
    assert re.match(f"Nothing was released: {why}", str(said.exception))
    assert not (tmp_path / "dist").exists()


def test_bundle_has_the_lesson_s_slot_map(course):
    """``kit/slotmap.py`` of a lesson goes along, and must not hold a line of the solution."""
    kit = course / "exercises/small/kit"
    kit.mkdir(exist_ok=True)
    (kit / "slotmap.py").write_text("def picture(*_):\n    return None\n")
    assert files_of(course)["kit/slotmap.py"].startswith(b"def picture")
    (kit / "slotmap.py").write_text("def total(values):\n    return values[0] + total(values[1:])\n")
    with pytest.raises(CourseError, match=r"kit/slotmap\.py holds line 10 of solutions/small/work\.py"):
        files_of(course)
