"""The native nbgrader course is complete: nbgrader's own commands run on it and agree with ours."""

import getpass
import html
import json
import os
import re
import sqlite3
import stat
import sys
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from helpers import nbgrader_class, notebook_course
from helpers.gradebook_class import PEOPLE, result
from helpers.nbgrader_class import NAME, ROOT, SCORES, command, table

from grader.base.errors import GraderError, UsageError
from grader.commands.nbgrader import command as nbgrader_command
from grader.course.load import load_course
from grader.gradebook import native as native_module
from grader.gradebook.native import lay_out as lay_out_course
from grader.gradebook.sync import record_out
from grader.lesson.notebook import student_notebook
from grader.results.out import open_out
from grader.results.student import result_bytes, student_folder
from grader.roster.roster import Roster

pytestmark = pytest.mark.slow


@pytest.fixture
def course(tmp_path):
    """The small course and its exercise."""
    return notebook_course.course_at(tmp_path)


@pytest.fixture
def folders(tmp_path):
    """DIR and OUT."""
    return tmp_path / "native", tmp_path / "graded"


def keep(out, one, files=None):
    """A student's result, feedback and submission in OUT."""
    folder = student_folder(out, one.student)
    (folder / "submission").mkdir(parents=True)
    (folder / "result.json").write_bytes(result_bytes(one))
    (folder / "feedback.html").write_text(f"<p>{one.student}</p>")
    for name, text in (files or {}).items():
        (folder / "submission" / name).write_text(text)


def lay_out(course, exercise, folder, out, people=()):
    """Lay out a native course for OUT as a run has left it."""
    if out.is_dir():
        mark = {"course": course.title, "exercise": exercise.name, "sample": False}
        (out / "grader.json").write_text(json.dumps(mark))
    with open_out(out, course, exercise, Roster(tuple(people))) as held:
        return lay_out_course(held, folder)


def settings(folder):
    """What nbgrader reads out of the settings file."""
    path = folder / "nbgrader_config.py"
    found = {}

    class Section(SimpleNamespace):
        def __setattr__(self, name, value):
            found[name] = value

    class Config:
        def __getattr__(self, name):
            return Section()

    exec(path.read_text(), {"get_config": Config, "__file__": str(path)})  # noqa: S102 - our own settings
    return found


def test_files(course, folders):
    """Settings, a README that warns, the source notebook; all for the instructor's eyes alone."""
    folder, out = folders
    layout = lay_out(*course, folder, out, PEOPLE)
    assert (layout.kept, layout.recorded.recorded) == ((), 0)
    source = folder / "source/week1/lab.ipynb"
    assert source.read_bytes() == notebook_course.instructor_notebook(*course)
    assert stat.S_IMODE(source.stat().st_mode) == 0o600
    found = settings(folder)
    assert found["course_id"] == "sums-and-means"
    assert found["db_url"] == f"sqlite:///{out.resolve() / 'gradebook.db'}"
    text = (folder / "README.md").read_text()
    assert "`nbgrader autograde` can be forged" in text
    assert "`nbgrader generate_feedback` replaces our pages" in text
    assert "WARNING" in (folder / "nbgrader_config.py").read_text()


def test_people_are_in_the_gradebook(course, folders):
    """The roster is in the database, before anybody has handed in."""
    folder, out = folders
    lay_out(*course, folder, out, PEOPLE)
    with closing(sqlite3.connect(out / "gradebook.db")) as database:
        rows = database.execute("SELECT id, last_name FROM student ORDER BY id").fetchall()
    assert rows == [("ada", "Lovelace"), ("bob", "=1+1"), ("li", "李小明"), ("max", ""), ("mia", "Jones")]


def test_pages(course, folders):
    """Each result has its notebook for formgrader and our feedback; who handed in nothing has none."""
    folder, out = folders
    exercise = course[1]
    keep(
        out,
        result(exercise, "ada"),
        {"facts.py": "HALF = 3\n", "lab.py": "def add(a, b):\n    return a + b\n"},
    )
    keep(out, result(exercise, "bob", status="unreadable"))
    keep(out, result(exercise, "cy", status="missing"))
    assert lay_out(*course, folder, out).recorded.recorded == 3
    page = (folder / "autograded/ada/week1/lab.ipynb").read_text()
    assert "return a + b" in page
    assert "lab.add(SECRET, 2)" in page, "the instructor's own page shows the hidden tests"
    assert (folder / "autograded/bob/week1/lab.ipynb").is_file()
    assert (folder / "feedback/ada/week1/lab.html").read_text() == "<p>ada</p>"
    assert not (folder / "autograded/cy").exists()
    assert not (folder / "feedback/cy").exists()


def test_markup_of_a_student_stays_code(course, folders):
    """Formgrader shows HTML of a notebook as it is, so nothing but code comes from a student."""
    import json  # noqa: PLC0415 - for this test alone

    folder, out = folders
    keep(out, result(course[1], "ada"), {"lab.py": "<script>alert(1)</script>\n"})
    lay_out(*course, folder, out)
    cells = json.loads((folder / "autograded/ada/week1/lab.ipynb").read_text())["cells"]
    kinds = {cell["cell_type"] for cell in cells if "<script>" in "".join(cell["source"])}
    assert kinds == {"code"}


def test_stamps(course, folders):
    """What the exchange put beside a submission goes beside its feedback; else a secret is drawn, once."""
    folder, out = folders
    for student in ("ada", "bob"):
        keep(out, result(course[1], student))
    collected = folder / "submitted/ada/week1"
    collected.mkdir(parents=True)
    (collected / "timestamp.txt").write_text("2027-03-01 12:00:00.250000 UTC")
    (collected / "submission_secret.txt").write_text("abc")
    lay_out(*course, folder, out)
    ada, bob = folder / "feedback/ada/week1", folder / "feedback/bob/week1"
    assert (ada / "submission_secret.txt").read_text() == "abc"
    assert (ada / "timestamp.txt").read_text() == "2027-03-01 12:00:00.250000 UTC"
    drawn = (bob / "submission_secret.txt").read_text()
    assert len(drawn) == 128
    lay_out(*course, folder, out)
    assert (bob / "submission_secret.txt").read_text() == drawn
    with closing(sqlite3.connect(out / "gradebook.db")) as database:
        times = dict(database.execute("SELECT student_id, timestamp FROM submitted_assignment"))
    assert times == {"ada": "2027-03-01 12:00:00.250000", "bob": "2027-03-01 12:00:00.000000"}


def test_damaged_stamp(course, folders):
    """A time that is none does not stop anything; the result's own counts."""
    folder, out = folders
    keep(out, result(course[1], "ada"))
    (folder / "submitted/ada/week1").mkdir(parents=True)
    (folder / "submitted/ada/week1/timestamp.txt").write_text("yesterday, I think")
    assert lay_out(*course, folder, out).recorded.recorded == 1


def test_changed_settings_are_kept(course, folders):
    """A file that the instructor has changed is left alone and named; deleted, it is made again."""
    folder, out = folders
    lay_out(*course, folder, out)
    config = folder / "nbgrader_config.py"
    ours = config.read_text()
    config.write_text(ours + "\nc.Exchange.root = '/tmp'\n")
    assert lay_out(*course, folder, out).kept == ("nbgrader_config.py",)
    assert config.read_text().endswith("c.Exchange.root = '/tmp'\n")
    config.unlink()
    assert lay_out(*course, folder, out).kept == ()
    assert config.read_text() == ours


def test_same_bytes_twice(course, folders):
    """A second layout writes the same bytes, but for the drawn secrets."""
    folder, out = folders
    keep(out, result(course[1], "ada"))
    lay_out(*course, folder, out)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    lay_out(*course, folder, out)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_source_cells_follow_the_course(course, folders):
    """What nbgrader knows of the source is what the source is now: a cell that is gone is forgotten."""
    folder, out = folders
    lab = course[0].root / "solutions/week1/lab.py"
    text = lab.read_text()
    lab.write_text(text.replace('functions."""\n', 'functions."""\n\nimport math\n'))
    lay_out(*course, folder, out)
    names = "SELECT name FROM source_cell WHERE name LIKE 'given%'"
    with closing(sqlite3.connect(out / "gradebook.db")) as database:
        assert database.execute(names).fetchall() == [("given-lab",)]
        lab.write_text(text)
        lay_out(*course, folder, out)
        assert database.execute(names).fetchall() == []
        sources = dict(database.execute("SELECT name, source FROM source_cell"))
    assert "the secret" not in sources["add"]
    assert "SECRET" in sources["add-negative"]


def test_shared_gradebook(course, folders):
    """With a gradebook in course.toml the settings name that one."""
    folder, out = folders
    shared = replace(course[0], gradebook="sqlite:///grades.db")
    lay_out(shared, course[1], folder, out)
    assert settings(folder)["db_url"] == f"sqlite:///{course[0].root / 'grades.db'}"


def test_several_exercises_need_one_gradebook(course, folders):
    """Two exercises with a database each, where nbgrader knows one, are a mistake that is said first."""
    folder, out = folders
    two = replace(course[0], exercises={"week1": course[1], "week2": replace(course[1], name="week2")})
    with pytest.raises(UsageError, match=r'write gradebook = "sqlite:///gradebook.db" under \[course\]'):
        lay_out(two, course[1], folder, out)
    assert not folder.exists()


def test_feedback_is_missing(course, folders):
    """A result without its feedback is named, not passed over."""
    folder, out = folders
    keep(out, result(course[1], "ada"))
    (student_folder(out, "ada") / "feedback.html").unlink()
    keep(out, result(course[1], "bo"))
    with pytest.raises(GraderError, match=r"feedback.html cannot be read"):
        lay_out(*course, folder, out)
    assert list(folder.glob("feedback/bo/*/*.html"))


def test_one_student_costs_no_other_the_page(course, folders, monkeypatch):
    """Whatever a file holds: a coding line that is no encoding, what takes too long, what nobody foresaw."""
    folder, out = folders
    texts = {"ada": "# coding: undefined", "bo": "endless", "cy": "odd", "di": "def add(a, b):\n    return a"}
    for student, text in texts.items():
        keep(out, result(course[1], student), {"lab.py": text})
    really = native_module.filled_cells

    def filled_cells(cells, exercise, files):
        while files["lab.py"] == b"endless":
            pass
        if files["lab.py"] == b"odd":
            raise UnicodeError
        return really(cells, exercise, files)

    monkeypatch.setattr(native_module, "filled_cells", filled_cells)
    monkeypatch.setattr(native_module, "_STUDENT_SECONDS", 0.2)
    lay_out(*course, folder, out)
    pages = {path.parts[-3]: path.read_text() for path in folder.glob("autograded/*/*/*.ipynb")}
    assert sorted(pages) == ["ada", "bo", "cy", "di"]
    assert "# coding: undefined" in pages["ada"]
    for student in ("bo", "cy"):
        assert "# This file takes too much time or memory to read." in pages[student]
    assert "return a" in pages["di"]
    assert len(list(folder.glob("feedback/*/*/*.html"))) == 4


@pytest.mark.usefixtures("course")
def test_command(folders, tmp_path):
    """The command takes a roster, or the one in OUT, and says what it did."""
    folder, out = folders
    (tmp_path / "people.csv").write_text("id,name,email\nada,Ada Byron,ada@example.edu\n")
    words = [str(folder), "--out", str(out), "--course", str(tmp_path / "course.toml")]
    done = CliRunner().invoke(nbgrader_command, [*words, "--roster", str(tmp_path / "people.csv")])
    assert done.exit_code == 0, done.output
    assert (
        done.output
        == f"{folder} is an nbgrader course: 1 people, 0 results. Read {folder}/README.md first.\n"
    )
    (folder / "README.md").write_text("mine")
    (out / "roster.csv").write_text("id,name,email\nbob,,\ncy,,\n")
    done = CliRunner().invoke(nbgrader_command, [*words, "--quiet"])
    assert done.output == f"{folder}/README.md: changed by hand, left as it is\n"
    with closing(sqlite3.connect(out / "gradebook.db")) as database:
        assert database.execute("SELECT count(*) FROM student").fetchone() == (3,)


def run(folder, out, tmp_path, *words):
    """Call the command on the small course."""
    place = ("--out", str(out), "--course", str(tmp_path / "course.toml"))
    return CliRunner().invoke(nbgrader_command, [str(folder), *place, *words])


def test_a_roster_given_once_is_kept(course, folders, tmp_path):
    """The roster of one call is that of the next."""
    folder, out = folders
    (tmp_path / "people.csv").write_text("id,name,email\nada,Ada Byron,\nbob,,\n")
    assert run(folder, out, tmp_path, "--roster", str(tmp_path / "people.csv")).exit_code == 0
    (out / "gradebook.db").unlink()
    assert "2 people" in run(folder, out, tmp_path).output
    with closing(sqlite3.connect(out / "gradebook.db")) as database:
        assert database.execute("SELECT id FROM student").fetchall() == [("ada",), ("bob",)]
    assert course[0].title == "Sums, and means!"


def test_a_shared_gradebook_that_was_dropped(course, folders, tmp_path):
    """It is made anew and filled, and a line says so once."""
    folder, out = folders
    text = (tmp_path / "course.toml").read_text(encoding="utf-8")
    text = text.replace("[course]", '[course]\ngradebook = "sqlite:///shared.db"', 1)
    (tmp_path / "course.toml").write_text(text, encoding="utf-8")
    keep(out, result(course[1], "ada"))
    lay_out(load_course(tmp_path / "course.toml"), course[1], folder, out)
    (tmp_path / "shared.db").unlink()
    said = f"The gradebook {tmp_path}/shared.db had nothing of week1, which was recorded before: all results"
    assert said in run(folder, out, tmp_path).output
    assert "had nothing of" not in run(folder, out, tmp_path).output


@pytest.mark.parametrize("cause", ["foreign database", "no address", "another course", "no solution"])
def test_a_refused_command_leaves_nothing(course, folders, tmp_path, cause):
    """Whatever it is refused for, there is neither a course nor an OUT, and nothing of the sample is gone."""
    folder, out = folders
    text = (tmp_path / "course.toml").read_text()
    address = f"sqlite:///{tmp_path}/songs.db" if cause == "foreign database" else "songs"
    if cause == "another course":
        folder.mkdir()
        (folder / "nbgrader_config.py").write_text("c.CourseDirectory.course_id = 'history'\n")
    elif cause == "no solution":
        (course[0].root / "solutions/week1/lab.py").unlink()
    else:
        (tmp_path / "course.toml").write_text(
            text.replace("[course]", f'[course]\ngradebook = "{address}"', 1)
        )
    with closing(sqlite3.connect(tmp_path / "songs.db")) as database:
        database.execute("CREATE TABLE songs (title)")
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    done = run(folder, out, tmp_path)
    assert isinstance(done.exception, GraderError), done.output
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == before
    assert not out.exists()


def test_after_the_sample_class(course, folders, tmp_path, monkeypatch):
    """The sample's results and gradebook, which ``make grade`` leaves in graded/, do not stand in the way."""
    folder = folders[0]
    monkeypatch.chdir(tmp_path)
    sample = replace(course[0], sample=True)
    with open_out(Path("graded/week1"), sample, course[1], Roster(tuple(PEOPLE))) as held:
        record_out(held)
        held.write_roster()
    done = CliRunner().invoke(nbgrader_command, [str(folder)])
    assert done.exit_code == 0, done.output
    assert "0 people, 0 results" in done.output
    assert settings(folder)["db_url"] == f"sqlite:///{tmp_path / 'graded/gradebook.db'}"
    with closing(sqlite3.connect(tmp_path / "graded/gradebook.db")) as database:
        assert database.execute("SELECT count(*) FROM student").fetchone() == (0,)
        assert database.execute("SELECT count(*) FROM source_cell").fetchone() > (0,)


def test_only_the_page_is_for_students(course, folders):
    """What release_feedback copies can be read by others; the secret and formgrader's page cannot."""
    folder, out = folders
    keep(out, result(course[1], "ada"))
    lay_out(*course, folder, out)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("week1/*.*")}
    assert modes.pop("lab.html") == 0o644
    assert set(modes.values()) == {0o600}


def test_a_killed_run_leaves_nothing_behind(course, folders):
    """What a killed run was writing into the course is removed by the next."""
    folder, out = folders
    keep(out, result(course[1], "ada"))
    lay_out(*course, folder, out)
    left = folder / "feedback/ada/week1/.writing-x"
    left.write_text("half a pa")
    lay_out(*course, folder, out)
    assert not left.exists()


@pytest.mark.parametrize("name", ["what?", "50%41#"])
def test_settings_of_any_folder(course, tmp_path, name):
    """The settings name the gradebook also where OUT has signs of an address in its name."""
    from sqlalchemy import make_url  # noqa: PLC0415 - takes a while to import

    lay_out(*course, tmp_path / "native", tmp_path / name)
    url = make_url(settings(tmp_path / "native")["db_url"])
    assert (url.database, dict(url.query)) == (str(tmp_path.resolve() / name / "gradebook.db"), {})


@pytest.fixture(scope="module")
def native(tmp_path_factory):
    """The kit's own lesson in a native course, with a class that is graded."""
    return nbgrader_class.laid_out(tmp_path_factory.mktemp("class"))


@pytest.fixture(scope="module")
def generated(native):
    """The same course, for which nbgrader has made the students' notebook."""
    command(native, "nbgrader", "generate_assignment", NAME)
    return native


@pytest.fixture(scope="module")
def exchange(native):
    """A folder for nbgrader's exchange."""
    folder = native.parent / "exchange"
    folder.mkdir()
    folder.chmod(0o777)
    return f"--Exchange.root={folder}"


def test_graded_as_it_should(native):
    """The class has the scores that it should have."""
    rows = table(native.parent / "graded/scores.csv", "student")
    assert {student: row["score"] for student, row in rows.items()} == SCORES


def test_generate_assignment(generated):
    """The students' notebook that nbgrader makes is ours, byte for byte, also with submissions recorded."""
    course = load_course(ROOT / "course.toml")
    assert (generated / "release" / NAME / "reservation.ipynb").read_bytes() == student_notebook(
        course, course.exercise(NAME)
    )


def test_release_assignment(generated, exchange):
    """The notebook can be handed out through nbgrader's exchange."""
    command(generated, "nbgrader", "release_assignment", NAME, exchange)
    assert list((generated.parent / "exchange").rglob("outbound/*/reservation.ipynb"))


def test_release_feedback(native, exchange):
    """Our pages are released; who handed in through nbgrader's exchange finds theirs by the secret."""
    from nbgrader.utils import notebook_hash  # noqa: PLC0415 - takes seconds to import

    command(native, "nbgrader", "release_feedback", NAME, exchange)
    pages = list((native.parent / "exchange").rglob("feedback/*.html"))
    assert len(pages) == 5
    (mine,) = (
        page
        for page in pages
        if page.stem == notebook_hash(secret=nbgrader_class.SECRET, notebook_id="reservation")
    )
    assert (
        mine.read_bytes() == (student_folder(native.parent / "graded", "ada") / "feedback.html").read_bytes()
    )


@pytest.fixture
def exchange_of_two():
    """A folder that other users may enter, with nbgrader's exchange and the home of a student."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        for inner in ("exchange", "home"):
            (folder / inner).mkdir()
            (folder / inner).chmod(0o777)
        yield folder


def test_another_user_fetches_our_page(course, folders, exchange_of_two):
    """A student with a Unix user of their own hands in through the exchange, and fetches our page."""
    folder, out = folders
    folder.mkdir(mode=0o700)
    lay_out(*course, folder, out)
    home = exchange_of_two / "home"
    exchange = f"--Exchange.root={exchange_of_two / 'exchange'}"
    user = "nobody" if os.geteuid() == 0 else getpass.getuser()

    def student(*words):
        script = ("-P", "-B", str(ROOT / "tests/helpers/nbgrader_as.py"), user)
        course_id = "--CourseDirectory.course_id=sums-and-means"
        return command(home, sys.executable, *script, *words, course_id, exchange)

    command(folder, "nbgrader", "generate_assignment", "week1")
    command(folder, "nbgrader", "release_assignment", "week1", exchange)
    student("fetch_assignment", "week1")
    student("submit", "week1")
    command(folder, "nbgrader", "collect", "week1", exchange)
    assert (folder / "submitted" / user / "week1" / "lab.ipynb").is_file()
    with open_out(out, *course, None) as held:
        held._write(result(course[1], user, missed=["add-two"]))
        lay_out_course(held, folder)
    command(folder, "nbgrader", "release_feedback", "week1", exchange)
    student("fetch_feedback", "week1")
    (page,) = home.glob("week1/feedback/*/lab.html")
    ours = student_folder(out, user) / "feedback.html"
    assert page.read_bytes() == ours.read_bytes()
    if os.geteuid() == 0:
        assert page.stat().st_uid != ours.stat().st_uid
    assert "lab.add(SECRET" not in page.read_text(), "no hidden test is on it"


def test_export_agrees(native):
    """``nbgrader export`` has the scores of scores.csv, blank where nothing is graded, whatever the names."""
    command(native, "nbgrader", "export", "--to", "grades.csv")
    rows = table(native / "grades.csv", "student_id")
    assert {student: row["score"] for student, row in rows.items()} == SCORES
    assert (rows["ada"]["last_name"], rows["ada"]["first_name"]) == ("Lovelace", "Countess")
    assert rows["bob"]["last_name"] == "=1+1"
    assert rows["cy"]["last_name"] == "李小明"
    assert {row["max_score"] for row in rows.values()} == {"20"}
    assert rows["ada"]["late_submission_penalty"] == "0"
    assert rows["eve"]["raw_score"] == rows["fay"]["raw_score"] == ""


def test_export_of_some(native):
    """The export takes nbgrader's own options for some students and assignments."""
    command(native, "nbgrader", "export", "--to", "some.csv", "--student", "['ada']")
    assert set(table(native / "some.csv", "student_id")) == {"ada"}
    command(native, "nbgrader", "export", "--to", "none.csv", "--assignment", "['other']")
    assert table(native / "none.csv", "student_id") == {}


def points(database):
    """The automatic points by student and criterion."""
    text = (
        "SELECT s.student_id, c.name, g.auto_score "
        "FROM grade g JOIN base_cell c ON g.cell_id = c.id JOIN submitted_notebook n ON g.notebook_id = n.id "
        "JOIN submitted_assignment s ON n.assignment_id = s.id"
    )
    with closing(sqlite3.connect(database)) as connection:
        return {(student, cell): score for student, cell, score in connection.execute(text)}


def test_native_autograde_agrees(generated):
    """For honest notebooks nbgrader's own autograde gives the same points, criterion by criterion."""
    database = generated.parent / "graded/gradebook.db"
    ours = points(database)
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE grade SET auto_score = NULL")
        connection.commit()
    command(generated, "nbgrader", "autograde", NAME, "--student", "[abc]*", "--force")
    theirs = points(database)
    compared = [key for key in ours if key[0] in ("ada", "bob", "cy")]
    assert len(compared) == 3 * len(load_course(ROOT / "course.toml").exercise(NAME).criteria)
    assert {key: theirs[key] for key in compared} == {key: ours[key] for key in compared}
    nbgrader_class.regrade(generated.parent)
    assert points(database) == ours, "grading again repairs what another program wrote"


def hidden_lines(notebook):
    """The lines of the hidden tests in a notebook with solutions."""
    cells = ["".join(cell["source"]) for cell in json.loads(notebook.read_text())["cells"]]
    found = re.findall(r"### BEGIN HIDDEN TESTS\n(.*?)### END HIDDEN TESTS", "\n".join(cells), re.DOTALL)
    return {line.strip() for line in "".join(found).splitlines() if len(line.strip()) > 25}


def test_nbgraders_own_feedback_shows_no_hidden_test(generated):
    """``generate_feedback`` after ``autograde`` shows no line of a hidden test; then our pages come back."""
    released = (generated / "release" / NAME / "reservation.ipynb").read_text()
    hidden = hidden_lines(generated / "source" / NAME / "reservation.ipynb")
    hidden = {line for line in hidden if json.dumps(line)[1:-1] not in released}
    assert len(hidden) > 50
    page = generated / "feedback/bob" / NAME / "reservation.html"
    ours = page.read_bytes()
    command(generated, "nbgrader", "autograde", NAME, "--student", "bob", "--force")
    command(generated, "nbgrader", "generate_feedback", NAME, "--student", "bob", "--force")
    assert page.read_bytes() != ours
    text = html.unescape(re.sub("<[^>]+>", "", page.read_text()))
    assert "def reserved_slots" in text
    assert [line for line in hidden if line in text] == []
    nbgrader_class.regrade(generated.parent)
    command(
        generated.parent, "grader", "nbgrader", "course", "--out", "graded", *nbgrader_class.course_words()
    )
    assert page.read_bytes() == ours
