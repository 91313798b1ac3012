"""``grader package gradescope``: what is in the archive, and that it grades in Gradescope's own folders."""

import io
import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from helpers import small_lesson
from helpers.paths import unmeasured

import grader
from grader.base.errors import CourseError, GraderError, UsageError
from grader.cli import cli
from grader.course.load import load_course
from grader.course.model import Limits
from grader.lms import package as autograder
from grader.lms.gradescope import container
from grader.sandbox.host import choose_tier

pytestmark = pytest.mark.slow

OTHER = """
[exercise.other]
title = "The other lesson"
points = 1

[exercise.other.task.thing]
file = "thing.py"
title = "A thing"

[exercise.other.criterion.thing-one]
task = "thing"
visibility = "visible"
tests = "TestThing"
points = 1
sentence = "does a thing"
hint = "Do it."

[exercise.sums.platform.canvas]
url = "https://canvas.example.edu"
course_id = 7
assignment_id = 501

[exercise.sums.platform.gradescope]
scale = true
"""
PRIVATE = """\
[exercise.sums]
points = 9

[exercise.sums.criterion.double-minus]
task = "double"
visibility = "hidden"
tests = "TestMinus"
points = 4
sentence = "doubles a negative number"
hint = "Which side of zero is it?"
"""
LATE = """
[exercise.sums.late]
applied_by = "kit"
percent_per_day = 20.0
"""
WARM_UP = "ANSWER = 42\n"
RIGHT = "def double(n):\n    return n + n\n\n\ndef total(numbers):\n    return sum(numbers)\n"
HIDDEN_WRONG = RIGHT.replace("return sum(numbers)", "return sum(numbers) if numbers else 1")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course with two exercises, of which one has files, platforms and private tests."""
    root = tmp_path_factory.mktemp("course")
    small_lesson.write(root)
    private = root.parent / f"{root.name}-private"
    (private / "tests/hidden/sums").mkdir(parents=True)
    (private / "private.toml").write_text(PRIVATE)
    (private / "tests/hidden/sums/test_sums.py").write_text(
        "import sums\n\n\nclass TestMinus:\n    def test_minus(self):\n        assert sums.double(-3) == -6\n"
    )
    with (root / "course.toml").open("a") as stream:
        stream.write(OTHER + LATE)
    text = (root / "course.toml").read_text()
    (root / "course.toml").write_text(
        text.replace('title = "Sums"\n', 'title = "Sums"\ndue = 2026-10-24T23:59:59\n')
    )
    return root, private


def package(course, to, *more):
    """Build the archive with the command."""
    root, _ = course
    call = [
        "package",
        "gradescope",
        "--course",
        str(root / "course.toml"),
        "--exercise",
        "sums",
        "--to",
        str(to),
    ]
    return CliRunner().invoke(cli, [*call, *more], catch_exceptions=False)


@pytest.fixture(scope="module")
def archive(course, tmp_path_factory):
    """The archive, with private tests in it."""
    path = tmp_path_factory.mktemp("packed") / "autograder.zip"
    done = package(course, path, "--private", str(course[1]))
    assert done.exit_code == 0
    assert done.stderr == f"{path}: set the assignment to 9 points in Gradescope.\n"
    return path


def packed(root, loaded):
    """The archive's bytes, made without the command."""
    return autograder.autograder_zip(root / "course.toml", loaded, loaded.exercise("sums"))


def names(path):
    """The members of the archive but for the kit's own."""
    with zipfile.ZipFile(path) as members:
        return {name for name in members.namelist() if not name.startswith("kit/grader/")}


def test_no_more_than_it_needs(archive, course):
    """Scripts, requirements, one exercise's settings and tests, and the digests that diagnoses need."""
    assert names(archive) == {
        "setup.sh",
        "run_autograder",
        "requirements.txt",
        "course/course.toml",
        "course/tests/visible/sums/test_sums.py",
        "course/tests/visible/sums/test_warm_up.py",
        "course/tests/hidden/sums/test_sums.py",
        "course/solutions/sums/diagnoses.json",
        "private/private.toml",
        "private/tests/hidden/sums/test_sums.py",
    }
    with zipfile.ZipFile(archive) as members:
        data = b"".join(members.read(name) for name in members.namelist())
    for text in (
        small_lesson.FILES["solutions/sums/misconceptions.py"],
        small_lesson.FILES["solutions/sums/sums.py"],
    ):
        assert text.encode() not in data
    assert b"canvas.example.edu" not in data
    assert b"The other lesson" not in data
    assert str(course[0]).encode() not in data


def test_the_kit_is_whole(archive):
    """Every source file and template of the kit is there, and nothing compiled."""
    home = Path(grader.__file__).parent
    wanted = {
        f"kit/grader/{path.relative_to(home).as_posix()}"
        for path in home.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    with zipfile.ZipFile(archive) as members:
        assert {name for name in members.namelist() if name.startswith("kit/")} == wanted


def test_scripts_can_be_run(archive):
    """Both scripts are executable in the archive, and are shell that parses."""
    with zipfile.ZipFile(archive) as members:
        modes = {name: members.getinfo(name).external_attr >> 16 & 0o777 for name in names(archive)}
        scripts = {name: members.read(name) for name in ("setup.sh", "run_autograder")}
    assert {name for name, mode in modes.items() if mode & 0o111} == {"setup.sh", "run_autograder"}
    for script in scripts.values():
        assert script.startswith(b"#!/usr/bin/env bash\n")
        done = subprocess.run(["bash", "-n"], input=script, capture_output=True, check=False)  # noqa: S607 - any bash
        assert (done.returncode, done.stderr) == (0, b"")


def test_reduced_settings_mean_the_same(archive, course, tmp_path):
    """The exercise in the archive equals the course's, except for other platforms' settings."""
    with zipfile.ZipFile(archive) as members:
        members.extractall(tmp_path)
    there = load_course(tmp_path / "course/course.toml", tmp_path / "private")
    here = load_course(course[0] / "course.toml", course[1])
    assert list(there.exercises) == ["sums"]
    assert list(there.exercise("sums").platform) == ["gradescope"]
    for field in ("title", "points", "due", "late", "limits", "tasks", "criteria"):
        assert getattr(there.exercise("sums"), field) == getattr(here.exercise("sums"), field)
    assert (there.title, there.timezone) == (here.title, here.timezone)


def test_any_text_and_date_comes_out_equal(tmp_path):
    """Quotes, backslashes, control characters, all scripts, and a due date with a zone of its own."""
    small_lesson.write(tmp_path)
    title = 'a "quote" \\ and\na line, \x7f, \u674e\u5c0f\u660e, \x00 \N{GRINNING FACE}'
    written = json.dumps(title, ensure_ascii=False).replace("\x7f", "\\u007f")
    small_lesson.edit(
        tmp_path, "course.toml", 'title = "Sums"\n', f"title = {written}\ndue = 2026-10-24T23:59:59.5-07:00\n"
    )
    settings = tomllib.loads((tmp_path / "course.toml").read_text("utf-8"))["exercise"]["sums"]
    with zipfile.ZipFile(io.BytesIO(packed(tmp_path, load_course(tmp_path / "course.toml")))) as members:
        there = tomllib.loads(members.read("course/course.toml").decode())["exercise"]["sums"]
    assert (there["title"], there["due"]) == (title, settings["due"])
    assert there == settings


def test_same_bytes(archive, course, tmp_path):
    """Built twice, the archive is the same; without private tests it has none."""
    package(course, tmp_path / "again.zip", "--private", str(course[1]))
    assert (tmp_path / "again.zip").read_bytes() == archive.read_bytes()
    package(course, tmp_path / "public.zip")
    assert not any(name.startswith("private/") for name in names(tmp_path / "public.zip"))


def test_requirements(archive, monkeypatch, tmp_path):
    """What the kit needs, without extras: from its source, or as it was installed."""
    with zipfile.ZipFile(archive) as members:
        lines = members.read("requirements.txt").decode().splitlines()
    source = tomllib.loads((Path(grader.__file__).parents[1] / "pyproject.toml").read_text())
    assert lines == sorted(source["project"]["dependencies"])
    monkeypatch.setattr(grader, "__file__", str(tmp_path / "site/grader/__init__.py"))
    installed = autograder._requirements().decode()
    assert "click" in installed
    assert "extra ==" not in installed
    monkeypatch.setattr(autograder.metadata, "entry_points", lambda **_: ())
    with pytest.raises(GraderError, match="exercise-grader-kit is not installed"):
        autograder._requirements()


def test_missing_test_file(tmp_path):
    """A test file that is not there is named; nothing is written."""
    small_lesson.write(tmp_path)
    (tmp_path / "solutions/sums/diagnoses.json").unlink()
    loaded = load_course(tmp_path / "course.toml")
    with zipfile.ZipFile(io.BytesIO(packed(tmp_path, loaded))) as members:
        assert not [name for name in members.namelist() if name.startswith("course/solutions")]
    (tmp_path / "tests/hidden/sums/test_sums.py").unlink()
    with pytest.raises(CourseError, match=r"tests/hidden/sums/test_sums.py cannot be read: No such file"):
        packed(tmp_path, loaded)


def test_maximum_unlike_ours(course, tmp_path):
    """What Gradescope would refuse with every submission is refused when the archive is built."""
    text = (course[0] / "course.toml").read_text()
    (tmp_path / "course.toml").write_text(text.replace("scale = true", "maximum = 100"))
    loaded = load_course(tmp_path / "course.toml")
    with pytest.raises(UsageError, match="worth 5 points here and 100 on the platform"):
        packed(tmp_path, loaded)


# --- in Gradescope's folders ---


@pytest.fixture(scope="module")
def landlock():
    """Gradescope's container allows no namespaces: this machine must have the jail that needs none."""
    try:
        choose_tier("landlock", Limits(), unsafe=False)
    except UsageError as error:
        pytest.skip(str(error))


@pytest.fixture
def root(archive, tmp_path, landlock):
    """A folder laid out like Gradescope's /autograder, the archive unpacked in its place."""
    del landlock
    with zipfile.ZipFile(archive) as members:
        members.extractall(tmp_path / "source")
    (tmp_path / "submission").mkdir()
    (tmp_path / "results").mkdir()
    (tmp_path / "source/run_autograder").chmod(0o755)
    return tmp_path


def run(root, *, metadata=None, script=False, **files):
    """Hand these files in and grade them, by Gradescope's script or by what it calls: result and status."""
    for name, text in files.items():
        (root / "submission" / f"{name}.py").write_text(text)
    if metadata is not None:
        (root / "submission_metadata.json").write_text(json.dumps(metadata))
    status = by_script(root) if script else container.main(root)
    path = root / "results/results.json"
    assert path.stat().st_mode & 0o777 == 0o644
    return json.loads(path.read_text(encoding="utf-8")), status


def by_script(root):
    """Run the script as Gradescope does; its copy of the kit is no part of the coverage."""
    environment = {**unmeasured(), "AUTOGRADER_ROOT": str(root), "AUTOGRADER_PYTHON": sys.executable}
    done = subprocess.run([root / "source/run_autograder"], env=environment, check=False, cwd="/")
    return done.returncode


def test_right_submission(root):
    """Everything right: all points, private ones too; hidden ones are shown after publishing."""
    result, status = run(root, script=True, warm_up=WARM_UP, sums=RIGHT)
    assert status == 0
    assert result["score"] == 9
    assert [(test["score"], test["visibility"]) for test in result["tests"]] == [
        (1, "visible"),
        (1, "visible"),
        (1, "visible"),
        (2, "after_published"),
        (4, "after_published"),
    ]
    assert "doubles a negative number" in result["tests"][4]["name"]
    assert str(root) not in json.dumps(result)


def test_hidden_failure_late_with_an_extension(root):
    """A hidden failure shows in nothing visible; Gradescope's extension covers one of two late days."""
    metadata = {
        "id": 5,
        "created_at": "2026-10-26T10:00:00.5+00:00",
        "assignment": {"due_date": "2026-10-24T23:59:59+00:00"},
        "users": [
            {"email": "ada@example.edu", "assignment": {"due_date": "2026-10-24T23:59:59+00:00"}},
            {"email": "bo@example.edu", "assignment": {"due_date": "2026-10-25T23:59:59+00:00"}},
        ],
    }
    # Somebody's own timestamp is no time of hand-in.
    (root / "submission/timestamp.txt").write_text("2020-01-01T00:00:00+00:00")
    result, status = run(root, metadata=metadata, warm_up=WARM_UP, sums=HIDDEN_WRONG)
    assert status == 0
    assert result["score"] == pytest.approx(5.2)  # 7 earned, 20 % of 9 taken off for one day
    assert result["output"].splitlines() == [
        "Sums: 3 of 3 points by what you can see.",
        "6 further points are earned by hidden tests and shown when grades are published.",
        "1.8 points are taken off for lateness.",
    ]
    assert [test["status"] for test in result["tests"] if test["visibility"] == "visible"] == ["passed"] * 3


def test_nothing_that_can_be_graded(root):
    """An empty hand-in with a link, a pipe and a folder in it has 0 points, and each test says why."""
    (root / "submission/sums.py").symlink_to(root / "source/course/course.toml")
    os.mkfifo(root / "submission/warm_up.py")
    (root / "submission/timestamp.txt").mkdir()
    result, status = run(root)
    assert status == 0
    assert result["score"] == 0
    assert "Nothing of this submission could be graded" in result["output"]
    assert "exercise" not in json.dumps([test["output"] for test in result["tests"]])


def test_a_fault_of_the_grader(root, capfd):
    """When the grader itself fails there is no score and no zero, and an old result does not stay."""
    (root / "results/results.json").write_text('{"score": 9}')
    (root / "source/course/tests/hidden/sums/test_sums.py").write_text("import nothing_like_that\n")
    result, status = run(root, warm_up=WARM_UP, sums=RIGHT)
    assert status == 1
    assert set(result) == {"output", "output_format", "visibility", "stdout_visibility"}
    assert "not your code" in result["output"]
    assert "nothing_like_that" in capfd.readouterr().out


@pytest.mark.parametrize("missing", ["submission", "course"])
def test_what_is_not_there(root, missing):
    """A hand-in or a course that is not there is a fault like any other."""
    shutil.rmtree(root / {"submission": "submission", "course": "source/course"}[missing])
    (root / "results").rmdir()
    assert container.main(root) == 1
    assert "score" not in json.loads((root / "results/results.json").read_text())


@pytest.mark.parametrize(
    ("metadata", "due"),
    [
        ({}, None),
        ({"users": None, "assignment": None}, None),
        ({"users": ["odd", {"assignment": {"due_date": 5}}, {"assignment": {"due_date": "soon"}}]}, None),
        ({"assignment": {"due_date": "2026-10-24T10:00:00-07:00"}}, "2026-10-24T10:00:00-07:00"),
        ({"assignment": {"due_date": "2026-10-24T10:00:00"}, "users": 5}, None),
        (
            {
                "assignment": {"due_date": "2026-10-30T10:00:00Z"},
                "users": [
                    {"assignment": {"due_date": "2026-10-24T23:00:00-07:00"}},
                    {"assignment": {"due_date": "2026-10-25T05:00:00+00:00"}},
                ],
            },
            "2026-10-24T23:00:00-07:00",
        ),
    ],
)
def test_due_date_of_a_group(metadata, due):
    """The latest due date of the group's members counts, compared as times and not as texts."""
    assert container._own_due(metadata) == (due and datetime.fromisoformat(due))


@pytest.mark.parametrize("text", [None, 5, "", "soon", "2026-10-24T10:00:00", "0001-01-01T00:00:00+14:00"])
def test_times_without_a_zone_are_none(text):
    """A time without a zone, or anything else, is None."""
    assert container._time(text) is None


@pytest.mark.parametrize("data", [b"", b"[1]", b"\xff", b"null"])
def test_metadata_that_cannot_be_read(tmp_path, data):
    """Metadata that cannot be read counts as empty."""
    (tmp_path / "m.json").write_bytes(data)
    assert container._metadata(tmp_path / "m.json") == {}
    assert container._metadata(tmp_path / "none.json") == {}
