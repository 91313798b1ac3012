"""The page for the browser as a folder of files, made around a stand-in for what npm builds."""

import io
import json
import zipfile
from dataclasses import replace

import pytest
from helpers.paths import ROOT

from grader.base.errors import CourseError
from grader.course.load import load_course
from grader.course.platforms import Canvas, Moodle
from grader.lesson import web

pytestmark = pytest.mark.slow

COURSE = load_course(ROOT / "course.toml")
NAMES = ["contiguous_reservation", "block_tables"]
LESSONS = [COURSE.exercise(name) for name in NAMES]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder as ``npm run build`` leaves it."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "pyodide").mkdir()
    for name in ("index.html", "page.js", "sw.js", "pyodide/pyodide.asm.wasm"):
        (folder / name).write_text(f"/* {name} */")
    return folder


@pytest.fixture(scope="module")
def files(built):
    """The page of both lessons."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(web, "BUILT", built)
        return web.page_files(COURSE, LESSONS)


def test_predictions_are_the_first_constants_that_no_test_reads(files):
    """Each lesson has its own; until they are answered the handout ends with the part that names TODO 1."""
    one, two = (json.loads(files[f"{name}.json"]) for name in NAMES)
    assert [asked["name"] for asked in one["predictions"]] == ["PREDICTION"]
    names = ["PREDICT_NEIGHBOURS", "PREDICT_ROOM", "PREDICT_TWICE"]
    assert [asked["name"] for asked in two["predictions"]] == names
    assert "Can another sequence use those slots?" in " ".join(one["predictions"][0]["question"])
    assert one["handout"][one["opening"] - 1]["title"] == "First: predict"
    assert "pip install" not in json.dumps(one["handout"])


def test_page_lists_its_lessons_and_files(files):
    """The list of lessons has their order, and the service worker knows every file but itself."""
    assert [one["name"] for one in json.loads(files["lessons.json"])] == NAMES
    known = json.loads(files["sw.js"].decode().partition("FILES = ")[2].partition(";")[0])
    assert set(known) == {"./", *files} - {"sw.js"}
    releases = {json.loads(files[f"{name}.json"])["release"] for name in NAMES}
    assert len(releases) == 2


def test_student_gets_the_released_files(files):
    """Stubs and plugin are those of the bundle; pytest is the grader's own, with its licence."""
    lesson = json.loads(files["contiguous_reservation.json"])
    exercises = ROOT / "exercises" / "contiguous_reservation"
    for name, text in lesson["files"].items():
        assert text == (exercises / name).read_text("utf-8")
    assert lesson["kit"]["kit/plugin.py"] == (ROOT / "grader" / "bundle" / "plugin.py").read_text("utf-8")
    names = zipfile.ZipFile(io.BytesIO(files["pytest.zip"])).namelist()
    assert {"pytest/__init__.py", "_pytest/main.py", "pluggy/__init__.py", "iniconfig/__init__.py"} <= set(
        names
    )
    assert [name for name in names if "licenses/LICENSE" in name]
    assert "pygments/lexers/sql.py" not in names


@pytest.mark.parametrize(
    ("platform", "address"),
    [
        (
            Canvas(url="https://lms.example.edu", course_id=7, assignment_id=501),
            "https://lms.example.edu/courses/7/assignments/501",
        ),
        (
            Moodle(url="https://lms.example.edu", assignment_id=12),
            "https://lms.example.edu/mod/assign/view.php?id=12",
        ),
        (Canvas(), ""),
    ],
)
def test_hand_in_names_the_assignment(platform, address):
    """The page links to the assignment of Canvas or Moodle, if the course has its address."""
    assert web._address(replace(LESSONS[0], platform={"it": platform})) == address


def test_nothing_is_written_that_would_leak(built, monkeypatch):
    """A line of a solution in what only the page has is refused, with the file."""
    monkeypatch.setattr(web, "BUILT", built)
    line = "return sum(-(-length // block) * block for length in lengths)"
    monkeypatch.setattr(web, "_address", lambda _: line)
    with pytest.raises(CourseError, match=r"contiguous_reservation.json holds line \d+ of solutions"):
        web.page_files(COURSE, LESSONS[:1])


def test_page_without_npm_s_part_says_what_to_do(monkeypatch, tmp_path):
    """Without ``make web`` one sentence says what is missing."""
    monkeypatch.setattr(web, "BUILT", tmp_path / "dist")
    with pytest.raises(CourseError, match="run make web, which needs Node 20 and npm"):
        web.page_files(COURSE, LESSONS)


def test_other_folder_is_left_alone(files, monkeypatch, tmp_path):
    """A folder that holds no page is not written to; an earlier page is replaced, with nothing left of it."""
    monkeypatch.setattr(web, "page_files", lambda *_: files)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(CourseError, match="holds something else"):
        web.release_page(COURSE, LESSONS, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    (tmp_path / "lessons.json").write_text("[]")
    web.release_page(COURSE, LESSONS, tmp_path)
    there = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert there == set(files)
