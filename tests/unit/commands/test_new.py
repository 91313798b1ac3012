"""``grader new`` writes a lesson that is sound at once; ``grader preview`` shows what students get."""

import pytest
from click.testing import CliRunner
from helpers import small_lesson

from grader.base.errors import UsageError
from grader.cli import cli
from grader.course.load import load_course


@pytest.fixture
def root(tmp_path):
    """A course with one lesson."""
    small_lesson.write(tmp_path)
    return tmp_path


def call(root, *words):
    """Run a command on the course."""
    return CliRunner().invoke(cli, [*words, "--course", str(root / "course.toml")])


@pytest.mark.slow
def test_new_lesson_is_sound(root):
    """After ``grader new`` a check finds nothing, whole or of one task; the lesson is a draft."""
    done = call(root, "new", "steps", "--title", 'Steps, "small" and large')
    assert done.exit_code == 0, done.output
    course = load_course(root / "course.toml")
    assert course.exercise(None).name == "sums"
    assert (course.exercise("steps").draft, course.exercise("steps").title) == (
        True,
        "Steps, 'small' and large",
    )
    assert (root / "exercises/steps/steps.ipynb").is_file()
    done = call(root, "check", "--exercise", "steps")
    assert done.exit_code == 0, done.output
    assert done.output.startswith("steps is sound: 2 criteria, 6 tests, 2 wrong versions told apart.")
    assert call(root, "check", "--exercise", "steps", "--task", "steps_needed").exit_code == 0


@pytest.mark.parametrize(
    "name", ["Steps", "1st", "random", "steps_needed", "kit", "", "a-b", "x" * 41, "class"]
)
def test_names_that_cannot_be(root, name):
    """A name that no module can have, or that a module has already, is refused."""
    before = (root / "course.toml").read_bytes()
    done = call(root, "new", name)
    assert isinstance(done.exception, UsageError)
    assert "cannot be a lesson's name" in str(done.exception)
    assert (root / "course.toml").read_bytes() == before


def test_what_is_there_is_left_alone(root):
    """A lesson of that name, or a folder of it, is not overwritten."""
    for name in ("sums", "steps"):
        (root / "tests/hidden/steps").mkdir(exist_ok=True)
        done = call(root, "new", name)
        assert isinstance(done.exception, UsageError)
        assert f"There is a lesson {name!r} already" in str(done.exception)
    assert not (root / "solutions/steps").exists()


@pytest.mark.slow
def test_preview(root):
    """The pages are the handout's, one for a wrong version of each task, and one for full marks."""
    done = call(root, "preview", "--to", str(root / "pages"))
    assert done.exit_code == 0, done.output
    assert {path.name for path in (root / "pages").iterdir()} == {
        "handout.html",
        "warm_up.py",
        "sums.py",
        "feedback-full-marks.html",
        "feedback-double.html",
        "feedback-total.html",
        "sentences.txt",
    }
    assert "5 of 5 points" in (root / "pages/feedback-full-marks.html").read_text()
    assert "You square." in (root / "pages/feedback-double.html").read_text()
    assert "solutions/sums/misconceptions.py:29: You square." in (root / "pages/sentences.txt").read_text()
    assert "<!--" not in (root / "pages/handout.html").read_text()
    # Without a handout its old page does not stay; other files of the folder do.
    (root / "pages/mine.html").touch()
    (root / "exercises/sums/README.md").unlink()
    done = call(root, "preview", "--to", str(root / "pages"))
    assert done.exit_code == 0, done.output
    assert not (root / "pages/handout.html").exists()
    assert (root / "pages/mine.html").exists()
