"""``grader purge``: what is about people goes, what is not ours stays, and both are said."""

import pytest
from click.testing import CliRunner
from filelock import FileLock
from helpers import small_class

from grader.base.errors import GraderError, UsageError
from grader.cli import cli
from grader.results.purge import remove, survey


@pytest.fixture
def out(tmp_path):
    """OUT with eight students, an export, a journal and a gradebook."""
    folder = small_class.write_class(tmp_path / "graded")
    (folder / "exports").mkdir()
    for name in (
        "exports/canvas.csv",
        "uploads.jsonl",
        "gradebook.db",
        "gradebook.db-journal",
        "timing.csv",
        ".lock",
    ):
        (folder / name).write_text("x")
    return folder


def purge(*arguments, answer=None):
    """Run the command."""
    return CliRunner().invoke(cli, ["purge", *map(str, arguments)], input=answer)


def test_removes_everything_and_says_so(out):
    """Asked and answered with yes, the whole folder is gone, and every part of it was listed."""
    done = purge("--out", out, answer="y\n")
    assert done.exit_code == 0, done.output
    assert not out.exists()
    lines = done.stderr.splitlines()
    assert f"{out}/students: hand-ins, results and feedback, 32 files" in lines
    assert f"{out}/roster.csv: names, addresses and ids, 1 file" in lines
    assert f"{out}/gradebook.db-journal: the gradebook, 1 file" in lines
    # 8 students with 4 files each, scores, roster, timing, two of the gradebook, journal, export, mark, lock
    assert lines[-1] == f"Removed 41 files about 8 students from {out}."


@pytest.mark.parametrize("answer", ["n\n", "\n", ""])
def test_asks_first(out, answer):
    """Any answer but yes leaves everything as it is."""
    before = sorted(out.rglob("*"))
    done = purge("--out", out, answer=answer)
    assert done.exit_code == 1
    assert sorted(out.rglob("*")) == before
    assert "Remove all this, about 8 students, for good?" in done.output


def test_yes_does_not_ask(out):
    """With --yes nothing is asked."""
    done = purge("--out", out, "--yes")
    assert done.exit_code == 0
    assert "for good" not in done.output
    assert not out.exists()


def test_what_is_not_ours_stays(out):
    """A file that the grader did not make stays with its folder and is named."""
    (out / "notes.txt").write_text("mine")
    (out / "report-to-the-dean.txt").write_text("mine")
    done = purge("--out", out, "--yes")
    assert f"{out}/notes.txt: not made by the grader, stays" in done.stderr
    assert sorted(path.name for path in out.iterdir()) == ["notes.txt", "report-to-the-dean.txt"]


def test_score_files_elsewhere_are_named(out, tmp_path, monkeypatch):
    """Files that ``grader export`` wrote outside OUT are named, by ``--only`` too, and stay."""
    small_class.course_at(tmp_path)
    monkeypatch.chdir(tmp_path)
    (out / "uploads.jsonl").unlink()
    (out / "gradebook.db").unlink()
    there, gone = tmp_path / "there.csv", tmp_path / "gone.csv"
    for call in (("--to", there, "--feedback", tmp_path / "pages.zip"), ("--to", gone), ("--to", there), ()):
        assert (
            CliRunner().invoke(cli, ["export", "canvas", "--out", str(out), *map(str, call)]).exit_code == 0
        )
    gone.unlink()
    told = [f"{there}: written by grader export", f"{tmp_path}/pages.zip: written by grader export"]
    for words in (["--only", "7"], []):
        lines = purge("--out", out, "--yes", *words).stderr.splitlines()
        found = [line.removeprefix("7: ") for line in lines if "written by grader export" in line]
        assert [line.partition(",")[0] for line in found] == told
    assert there.exists()
    assert not out.exists()


def test_links_are_not_followed(out, tmp_path):
    """A link in OUT is removed; what it points to stays."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/keep.txt").write_text("x")
    (out / "exports/linked").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (out / "students/linked").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert purge("--out", out, "--yes").exit_code == 0
    assert (tmp_path / "elsewhere/keep.txt").read_text() == "x"
    assert not out.exists()


def test_a_folder_that_is_no_out(tmp_path):
    """A folder without the grader's mark is not touched."""
    (tmp_path / "students").mkdir()
    done = purge("--out", tmp_path, "--yes")
    assert isinstance(done.exception, UsageError)
    assert "is no folder of results" in str(done.exception)
    assert (tmp_path / "students").is_dir()


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("postgresql+psycopg2:///sums", "localhost/sums"),
        ("postgresql+psycopg2:///sums?host=/run/pg&password=secret", "/run/pg/sums"),
        ("postgresql+psycopg2://kit:sec@ret/1@db.example.edu:5433/sums", "db.example.edu:5433/sums"),
        ("postgresql+psycopg2://kit:x@sec@ret@db.example.edu/sums", "db.example.edu/sums"),
        ("sqlite:///../team.db", "{course}/../team.db"),
        ("postgresql+psycopg2://kit:sec@host:port/sums", "that course.toml names"),
    ],
)
def test_default_folder_and_shared_gradebook(out, tmp_path, monkeypatch, address, name):
    """Without --out it is the course's own; a gradebook elsewhere is named, without password, and stays."""
    course = small_class.COURSE.format(top="", rest="")
    course = course.replace('title = "Sums"\n', f'title = "Sums"\ngradebook = "{address}"\n')
    (tmp_path / "course.toml").write_text(course)
    monkeypatch.chdir(tmp_path)
    done = purge("--yes")
    assert done.exit_code == 0, done.output
    name = name.format(course=tmp_path)
    assert f"The gradebook {name} is elsewhere and stays as it is, with what" in done.stderr
    assert "sec" not in done.stderr
    assert not out.exists()


@pytest.mark.parametrize(("title", "is_named"), [("Sums", True), ("Other", False)])
def test_a_named_folder_and_a_shared_gradebook(out, tmp_path, monkeypatch, title, is_named):
    """With --out the gradebook of the nearest course is named if the results are that course's."""
    course = small_class.COURSE.format(top="", rest="")
    course = course.replace('title = "Sums"\n', f'title = "{title}"\ngradebook = "sqlite:///shared.db"\n')
    (tmp_path / "course.toml").write_text(course)
    monkeypatch.chdir(tmp_path)
    done = purge("--out", out, "--yes")
    assert done.exit_code == 0, done.output
    assert ("shared.db is elsewhere and stays as it is" in done.stderr) == is_named


def test_default_folder_without_a_shared_gradebook(out, tmp_path, monkeypatch):
    """Nothing is said of a gradebook that is in OUT."""
    small_class.course_at(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert "elsewhere" not in purge("--yes").stderr
    assert not out.exists()


def test_not_while_a_run_writes(out):
    """While a run holds OUT nothing is removed."""
    before = sorted(out.rglob("*"))
    with FileLock(out / ".lock"):
        done = purge("--out", out, "--yes")
    assert isinstance(done.exception, GraderError)
    assert str(done.exception) == f"Another run is writing to {out} (x); wait until it has ended."
    assert sorted(out.rglob("*")) == before


def test_what_cannot_be_removed(out, monkeypatch):
    """A file that cannot be removed is one sentence with its path."""

    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("grader.results.folder.shutil.rmtree", refuse)
    with pytest.raises(GraderError, match=r"students could not be removed: Permission denied"):
        remove(survey([out]))


def test_the_courses_files_go_with_its_last_exercise(tmp_path):
    """Roster and gradebook stay while another exercise has results, and are named; then they go too."""
    graded = tmp_path / "graded"
    graded.mkdir()
    outs = [small_class.write_class(graded / name, people=None) for name in ("lab", "quiz")]
    for name in ("course.json", "roster.csv", "gradebook.db", ".lock"):
        (graded / name).write_text("{}")
    done = purge("--out", outs[0], "--yes")
    assert f"{graded}/roster.csv: the course's, stays for its other exercises" in done.stderr
    assert sorted(path.name for path in graded.iterdir()) == [
        ".lock",
        "course.json",
        "gradebook.db",
        "quiz",
        "roster.csv",
    ]
    assert purge("--out", outs[1], "--yes").exit_code == 0
    assert not graded.exists()
