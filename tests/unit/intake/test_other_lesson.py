"""What was handed in for another lesson of the course is recognised, and is no zero."""

import io
import json
import zipfile

import pytest
from helpers import two_lessons
from helpers.two_lessons import RIGHT

from grader.course.load import load_course
from grader.intake.collect import collect
from grader.intake.other_lesson import exercise_of
from grader.roster.roster import Person, Roster

MANY = [f"eve/{number}/products.py" for number in range(9)]
OTHER = "This is the hand-in of products; hand in warm_up.py and sums.py of sums."


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The course of two lessons."""
    root = tmp_path_factory.mktemp("course")
    two_lessons.write(root)
    return load_course(root / "course.toml")


def read(course, folder, files, exercise="sums", roster=None):
    """Write files below ``folder`` and collect them; return the submissions by student."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    intake = collect([folder], course.exercise(exercise), roster)
    assert (intake.unmatched, intake.refused) == ((), ())
    return {one.student: one for one in intake.submissions}


def notebook(course, exercise):
    """The notebook that students of an exercise get."""
    folder = course.root / "exercises" / exercise
    return (folder / course.exercise(exercise).notebook).read_bytes()


def zipped(files):
    """A zip of these files."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


@pytest.mark.parametrize(
    "files",
    [
        RIGHT["products"],
        {"products.py": RIGHT["products"]["products.py"]},
        {"ada.py": RIGHT["products"]["products.py"]},
        {"products.py": ""},
        {"products.py": "def triple(:\n"},
        {"products.ipynb": None},
        {"work.ipynb": None},
        {"sums.py": RIGHT["products"]["products.py"]},
        {"hand-in.zip": "bundle"},
    ],
    ids=["all", "one", "own name", "empty", "broken", "notebook", "renamed notebook", "renamed file", "zip"],
)
def test_hand_in_of_the_other_lesson(course, tmp_path, files):
    """Whatever form it has, nothing of it is graded, and its student is told whose it is."""
    made = dict(files)
    for name, data in files.items():
        if data is None:
            made[name] = notebook(course, "products")
        elif data == "bundle":
            folder = course.root / "exercises/products"
            inside = {p.relative_to(folder.parent).as_posix(): p.read_bytes() for p in folder.rglob("*.*")}
            made[name] = zipped(inside)
    found = read(course, tmp_path / "class", {f"ada/{name}": data for name, data in made.items()})
    assert set(found) == {"ada"}
    assert (found["ada"].files, found["ada"].cells) == ({}, ())
    assert set(found["ada"].problems.values()) == {OTHER}


@pytest.mark.parametrize(
    "files",
    [
        RIGHT["sums"],
        {"sums.py": RIGHT["sums"]["sums.py"] + RIGHT["products"]["products.py"]},
        {**RIGHT["sums"], **RIGHT["products"]},
        {"answers.py": RIGHT["sums"]["sums.py"]},
        {"sums.py": ""},
        {"warm_up.py": "ANSWER = 42\n"},
        {"notes.py": "x = 1\n"},
    ],
    ids=["right", "a helper of the other's name", "both", "renamed", "empty", "shared file alone", "neither"],
)
def test_own_hand_in(course, tmp_path, files):
    """An answer to the lesson itself, or to neither, is read as in a course with one lesson."""
    found = read(course, tmp_path / "class", {f"ada/{name}": data for name, data in files.items()})
    assert OTHER not in found["ada"].problems.values()


def test_both_lessons_in_one_archive(course, tmp_path):
    """Of a folder with both lessons only this one's is looked at, although a file name is in both."""
    files = {f"ada/{lesson}/{name}": data for lesson, some in RIGHT.items() for name, data in some.items()}
    files["ada/products/warm_up.py"] = "ANSWER = 7\n"
    for lesson, answer in (("sums", b"ANSWER = 42\n"), ("products", b"ANSWER = 7\n")):
        found = read(course, tmp_path / lesson, files, lesson)
        assert found["ada"].files["warm_up.py"] == answer
        assert set(found["ada"].files) == set(RIGHT[lesson])


@pytest.mark.parametrize("roster", [None, Roster((Person("hopper"), Person("ada")))])
def test_flat_files_of_the_other_lesson(course, tmp_path, roster):
    """``hopper_products.py`` belongs to hopper in the other lesson, too; no student gets a file's name."""
    files = {
        "hopper_products.py": RIGHT["products"]["products.py"],
        "ada_sums.py": RIGHT["sums"]["sums.py"],
        "ada_warm_up.py": RIGHT["sums"]["warm_up.py"],
    }
    found = read(course, tmp_path / "class", files, roster=roster)
    assert set(found) == {"ada", "hopper"}
    assert set(found["hopper"].problems.values()) == {OTHER}
    assert set(found["ada"].files) == {"sums.py", "warm_up.py"}


def test_only_file_of_the_other_lesson(course, tmp_path):
    """A folder with nothing but the other lesson's files is one student's, named after the folder."""
    found = read(course, tmp_path / "ada", RIGHT["products"])
    assert set(found) == {"ada"}
    assert set(found["ada"].problems.values()) == {OTHER}


def test_notebook_without_our_names(course, tmp_path):
    """A notebook of neither lesson is read as the lesson's own."""
    cell = {"cell_type": "code", "source": ["x = 1\n"], "metadata": {}, "outputs": []}
    data = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    found = read(course, tmp_path / "class", {"ada/a.ipynb": data})
    assert found["ada"].cells


@pytest.mark.parametrize(
    ("files", "exercise"),
    [
        ({"ada/sums.py": "", "bo/sums (1).py": ""}, "sums"),
        ({"ada_products.py": "", "bo_12_34_products-1.py": "", "cy_sums.py": ""}, "products"),
        ({"class.zip": zipped({"ada/products.ipynb": "{}"})}, "products"),
        ({"ada/warm_up.py": "", "bo/warm_up.py": ""}, None),
        ({"ada_sums.py": "", "bo_products.py": ""}, None),
        ({f"class/{name}": "" for name in ("ada/sums.py", "bo/a/sums.py", *MANY)}, "sums"),
        ({"notes.txt": "sums"}, None),
        ({}, None),
    ],
    ids=["folders", "flat", "zip", "in both", "as many", "many of one", "content", "nothing"],
)
def test_the_exercise_of_a_class_is_told_by_its_file_names(course, tmp_path, files, exercise):
    """Most names decide; a name that both lessons have tells nothing, nor does what is in a file."""
    for name, data in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    paths = [tmp_path / "class.zip"] if "class.zip" in files else [tmp_path]
    found = exercise_of(paths, course.finished)
    assert (found and found.name) == exercise


def test_a_path_that_is_not_there_tells_nothing(course, tmp_path):
    """What is wrong with it is said when it is graded."""
    assert exercise_of([tmp_path / "none.zip"], course.finished) is None
