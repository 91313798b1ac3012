"""What authors write wrong versions with, in a lesson and by itself."""

import json

import pytest
from click.testing import CliRunner
from helpers import small_lesson

from grader.cli import cli
from grader.lesson.wrong_versions import (
    Total,
    WrongVersion,
    fail,
    first_tries,
    registering,
    together,
    unchanged,
)


def version(name, parts, **more):
    """A wrong version of a task that is built from parts."""
    return WrongVersion(name, "total", f"{name}.", print, parts=parts, **more)


COUNT, UNIT = version("count", {"count": 1}), version("unit", {"unit": 2})
EMPTY = version("empty", {"empty": 3}, left_out=True)
CLAMP = version("clamp", {"clamp": 4}, left_out=True)
BOTH = version("both", {"count": 5, "empty": 6}, left_out=True)


def test_registering():
    """The decorator adds the function with its name as the id, and leaves the function as it is."""
    listed = []
    wrong = registering(listed)

    @wrong("total", "You count one too many.", true_of="kind")
    def one_too_many(numbers):
        return len(numbers) + 1

    assert listed == [
        WrongVersion("one-too-many", "total", "You count one too many.", one_too_many, true_of="kind")
    ]
    assert one_too_many([4]) == 2


def test_first_tries():
    """One mistake with one or two of what is left out, or two of these; versions without parts stay out."""
    whole = WrongVersion("whole", "total", "Whole.", print)
    groups = first_tries([COUNT, UNIT, EMPTY, CLAMP, whole])
    assert ["+".join(one.id for one in group) for group in groups] == [
        "empty+clamp",
        "count+empty",
        "unit+empty",
        "count+clamp",
        "unit+clamp",
        "count+empty+clamp",
        "unit+empty+clamp",
    ]


def test_together():
    """Each group is built with the parts of all its members; one whose members share a part is left out."""
    found = [*together([(COUNT, EMPTY), (COUNT, BOTH), (UNIT, BOTH)], dict)]
    assert found == [
        (("count", "empty"), {"count": 1, "empty": 3}),
        (("unit", "both"), {"unit": 2, "count": 5, "empty": 6}),
    ]


def test_small_parts():
    """Parts of wrong functions: an error as an expression, an answer as it is, a total that is kept."""
    with pytest.raises(IndexError):
        fail(IndexError())
    assert unchanged([3]) == [3]
    total = Total()
    assert (total.add(3), total.add(4)) == (3, 7)


LESSON = """\
from grader.lesson.wrong_versions import WrongVersion, first_tries, registering, together

ALL: list[WrongVersion] = []
wrong = registering(ALL)


def build(count=sum, empty=0):
    return lambda numbers: count(numbers) if numbers else empty


def part(name, explanation, left_out=False, **parts):
    ALL.append(
        WrongVersion(name, "total", explanation, build(**parts), parts=parts, left_out=left_out)
    )


part("largest", "You take the largest.", count=max)
part("none-for-none", "Nothing adds up to nothing.", left_out=True, empty=None)


@wrong("double", "You square.")
def squares(number):
    return number * number


@wrong("total", "Text is no number.", true_of="kind")
def as_text(numbers):
    return str(sum(numbers))


def compositions(task):
    yield from together(first_tries(one for one in ALL if one.task == task), build)
"""


@pytest.mark.slow
def test_lesson_written_with_it(tmp_path):
    """Its wrong versions run in the jail; mistakes that occur together follow from the single ones."""
    small_lesson.write(tmp_path)
    (tmp_path / "solutions/sums/misconceptions.py").write_text(LESSON)
    course = str(tmp_path / "course.toml")
    assert CliRunner().invoke(cli, ["build", "--course", course], catch_exceptions=False).exit_code == 0
    done = CliRunner().invoke(cli, ["check", "--course", course], catch_exceptions=False)
    assert done.output.startswith("sums is sound: 4 criteria, 6 tests, 4 wrong versions told apart."), (
        done.output
    )
    table = json.loads((tmp_path / "solutions/sums/diagnoses.json").read_text())["total"]
    assert [*table["misconceptions"]] == ["largest", "none-for-none", "as-text"]
    assert [names for names, _ in table["together"]] == ["largest none-for-none"]
