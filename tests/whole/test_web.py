"""The exercise in the browser: a student's whole way, from the first visit to a graded hand-in."""

import json
import re
import runpy
import shutil
import subprocess
import sys
import zipfile
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from helpers import bundle
from helpers.paths import ROOT
from helpers.web_page import MODULES, installed, served

from grader.check.versions import Misconceptions
from grader.cli import cli
from grader.course.load import load_course
from grader.lesson import web
from grader.lesson.stubs import regions

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ResourceWarning")]

COURSE = load_course(ROOT / "course.toml")
EXERCISE = COURSE.exercise(bundle.NAME)
FILES = ("hands_on.py", "reservation.py")
WHOLE = "8 of 20 points are decided by hidden tests"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The page as ``grader release --web`` writes it."""
    installed()
    where = tmp_path_factory.mktemp("web")
    web.release_page(COURSE, [EXERCISE], where)
    return where


def answers(folder, *, hands_on=(), reservation=(), **written):
    """The texts of both files with these TODOs solved, and others written by hand (``todo_6="..."``)."""
    folder.mkdir(exist_ok=True)
    bundle.unpack(folder)
    bundle.solve(folder, "hands_on.py", *hands_on)
    bundle.solve(folder, "reservation.py", *reservation)
    for todo, body in written.items():
        bundle.write(folder, "reservation.py", int(todo.removeprefix("todo_")), body)
    return {name: (folder / name).read_text("utf-8") for name in FILES}


def stubs():
    """The released files that students write."""
    return {name: bundle.released()[name].decode() for name in FILES}


def fits(files):
    """True if a page can hold these files: the exercise's own, as text."""
    return set(files) <= set(FILES) and all(isinstance(text, str) for text in files.values())


def as_text(content):
    """A file's text."""
    return content if isinstance(content, str) else content.decode()


def grade(hand_ins, out):
    """Grade a folder of hand-ins: the visible points of each student."""
    call = ["grade", str(hand_ins), "--out", str(out), "--exercise", bundle.NAME, "--no-gradebook", "--quiet"]
    done = CliRunner().invoke(cli, [*call, "--course", str(ROOT / "course.toml")])
    assert done.exit_code == 0, done.output
    results = [json.loads(path.read_text()) for path in out.glob("students/*/result.json")]
    return {
        result["student"]: sum(one["points"] for one in result["criteria"] if one["visibility"] == "visible")
        for result in results
    }


def newer_release(page):
    """The files of a page that change with a newer release, in which the exercise has another title."""
    lesson, worker = page / f"{EXERCISE.name}.json", page / "sw.js"
    changed = {**json.loads(lesson.read_text("utf-8")), "release": "newer", "title": "The newer title"}
    text = re.sub(r'RELEASE = "\w+"', 'RELEASE = "newer"', worker.read_text("utf-8"))
    return {str(lesson): json.dumps(changed), str(worker): text}


@pytest.fixture(scope="module")
def walked(chromium, folder, tmp_path_factory):
    """What a walk through the page saw, its folder, and what a server elsewhere was asked."""
    where = tmp_path_factory.mktemp("walk")
    page = shutil.copytree(folder, where / "page")
    todos = {"hands_on": (1, 2, 3, 4, 5), "reservation": (6, 7, 8, 9, 10)}
    few = {"hands_on": (1, 2), "reservation": (7, 10)}
    chatty = "    print('hello' + 3000 * '.')\n    return n_seq + max_len\n"
    (where / "elsewhere").mkdir()
    with served(page) as (address, _), served(where / "elsewhere") as (elsewhere, asked):
        reach = (
            f"    from pyodide.http import open_url\n    open_url({elsewhere!r} + 'stolen')\n    return 7\n"
        )
        given = {
            "wrong": answers(where / "w", **few, todo_6=chatty),
            "endless": answers(where / "e", **few, todo_6="    while True:\n        pass\n"),
            "reaching": answers(where / "n", **few, todo_6=reach),
            "right": answers(where / "r", **todos),
            "newer": newer_release(page),
        }
        node = shutil.which("node") or pytest.skip("there is no node here (apt-get install nodejs)")
        command = [node, "web/tests/walk.js", chromium, address, str(where)]
        done = subprocess.run(
            command,
            cwd=ROOT,
            input=json.dumps(given),
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout), where, asked


def test_prediction_is_asked_before_any_number_is_shown(walked):
    """At the first visit there is the question, no editor and no picture; the answer opens both."""
    seen = walked[0]
    assert "Can another sequence use" in seen["asked"]["question"]
    assert not seen["asked"]["work"]
    assert "Contiguous reservation" in seen["asked"]["handout"]
    assert "400 slots" not in seen["asked"]["handout"]
    assert seen["answered"]["work"]
    assert "400 slots" in seen["answered"]["handout"]
    assert "PREDICTION = True" in seen["answered"]["said"]


def test_stubs_earn_nothing(walked):
    """Untouched files have no points, and the next step is the first number."""
    seen = walked[0]["stubs"]
    assert seen["points"] == ["0 of 4", "0 of 1", "0 of 2", "0 of 2", "0 of 1", "0 of 2"]
    assert "TODO 2: RESERVED is still None" in seen["text"].partition("Points by task")[0]
    assert WHOLE in seen["status"]


def test_wrong_answer_is_explained(walked):
    """The next step comes first; then call, answer, expected value, hint, picture, print and points."""
    seen = walked[0]["wrong"]
    wanted = ["Next:", "Call", "reserved_slots(3, 100)", "Got", "103", "Expected", "300"]
    wanted += ["Likely cause:", "Because:", "Hint:", "What your code printed", "Points by task"]
    places = [seen["text"].find(word) for word in wanted]
    assert -1 not in places
    assert places == sorted(places)
    assert seen["points"] == ["1 of 4", "0 of 1", "2 of 2", "0 of 2", "0 of 1", "2 of 2"]
    assert seen["pictures"] >= 1
    assert walked[0]["hint"].startswith("TODO 3 is untouched. Try it first")


def test_endless_loop_is_ended_and_the_rest_counts(walked):
    """The call is stopped, the other tasks keep their points, and the next run is as quick as before."""
    seen = walked[0]["endless"]
    assert "took too long and was stopped after 3 seconds" in seen["text"]
    assert seen["points"] == ["1 of 4", "0 of 1", "2 of 2", "0 of 2", "0 of 1", "2 of 2"]
    assert "stopped" in seen["states"][1]


def test_all_points(walked):
    """With everything right the page says what to hand in, and closes the lesson in the student's numbers."""
    seen = walked[0]["right"]
    assert seen["points"] == ["4 of 4", "1 of 1", "2 of 2", "2 of 2", "1 of 1", "2 of 2"]
    assert "hand in hands_on.py and reservation.py" in seen["text"]
    assert "300 slots reserved" in seen["text"]
    assert "All visible tests pass" in seen["status"]


def test_nothing_is_lost(walked):
    """A reload keeps the work; a reset file comes back by undo, also after a reload; a hand-in is opened."""
    seen = walked[0]
    assert seen["reset"]["points"] == ["4 of 4", "0 of 1", "0 of 2", "0 of 2", "0 of 1", "0 of 2"]
    assert seen["undone"]["points"] == seen["right"]["points"]
    assert seen["opened"]["points"] == seen["right"]["points"]


def test_what_the_code_prints_is_bounded(walked):
    """Of 3,000 characters a test 1,500 are shown, and 4,000 in all; both say how many more there were."""
    printed = walked[0]["wrong"]["printed"]
    assert printed.startswith("hello...")
    assert "\n... and 1506 more characters that it printed" in printed
    assert re.search(r"\n\.\.\. and \d+ more characters$", printed)
    assert 4_000 < len(printed) < 4_100


def test_change_in_another_tab_is_shown(walked):
    """What is typed in a second tab stands in the first one at once."""
    assert walked[0]["otherTab"] == "# typed in the second tab"


def test_newer_release_is_offered_and_takes_over_the_work(walked):
    """The button loads it; the work of the older one, the second tab's line included, keeps its points."""
    seen = walked[0]
    assert seen["newer"]["title"] == "The newer title"
    assert seen["newer"]["said"] == "Your work on an earlier release of this exercise was taken over."
    assert seen["newer"]["points"] == seen["offline"]["points"]


def test_works_without_a_network(walked):
    """After the first visit the page starts and runs the tests offline."""
    assert walked[0]["offline"]["points"] == walked[0]["right"]["points"]


def test_nothing_leaves_the_page(walked):
    """No request and no cookie goes anywhere else, not even one of the student's own code."""
    seen, _, asked = walked
    hosts = {urlsplit(one).netloc for one in seen["requests"] if one.startswith("http")}
    assert len(hosts) <= 2  # the page, and what the student's code tried to reach
    assert asked == []
    assert seen["cookies"] == 0
    assert seen["reaching"]["points"][1] == "0 of 1"
    assert seen["errors"] == []


def test_accessible(walked):
    """Axe finds nothing and nothing is wider than the screen: light and dark, at 320 pixels and at 200 %."""
    found = walked[0]["axe"]
    assert len(found) == 12
    assert {name: one["faults"] for name, one in found.items() if one["faults"]} == {}
    assert {name: one["wide"] for name, one in found.items() if one["wide"] > 0} == {}
    assert min(one["passes"] for one in found.values()) > 10


def test_keyboard_reaches_everything(walked):
    """Tab reaches every button, the tabs' list, and the choice of the hint."""
    assert {"run", "hand-in", "open", "reset", "todo", "hint", "editor"} <= set(walked[0]["reached"])
    assert any(one.startswith("tab-") for one in walked[0]["reached"])


def test_hand_in_is_graded_alike(walked, tmp_path):
    """``grader grade`` takes the zip as it was downloaded, and gives the points that the page showed."""
    seen, where, _ = walked
    assert seen["download"] == "hand-in.zip"
    assert "Upload it" in seen["told"]
    with zipfile.ZipFile(where / "hand-in.zip") as archive:
        assert sorted(archive.namelist()) == sorted(FILES)
    (tmp_path / "in" / "ada").mkdir(parents=True)
    shutil.copy(where / "hand-in.zip", tmp_path / "in" / "ada")
    call = [
        "grade",
        str(tmp_path / "in"),
        "--out",
        str(tmp_path / "out"),
        "--course",
        str(ROOT / "course.toml"),
    ]
    done = CliRunner().invoke(cli, [*call, "--exercise", bundle.NAME, "--quiet", "--allow-unmatched"])
    assert done.exit_code == 0, done.output
    result = json.loads((tmp_path / "out" / "students" / "ada" / "result.json").read_text())
    visible = sum(one["points"] for one in result["criteria"] if one["visibility"] == "visible")
    shown = sum(int(points.partition(" ")[0]) for points in seen["undone"]["points"])
    assert (visible, result["score"]) == (shown, 20)


def test_nothing_hidden_is_in_the_page(folder):
    """No line of a solution, hidden test or misconception, no source map, and no other host to load from."""
    paths = [
        path for path in folder.rglob("*") if path.suffix in {".html", ".css", ".js", ".json", ".mjs", ".map"}
    ]
    texts = {path: path.read_bytes() for path in paths}
    assert not [path for path in texts if path.suffix == ".map"]
    hidden = ROOT / "tests" / "hidden" / bundle.NAME / "test_reservation.py"
    lines = {line.strip() for line in hidden.read_text("utf-8").splitlines() if "assert" in line}
    public = (ROOT / "tests" / "visible" / bundle.NAME / "test_reservation.py").read_text("utf-8")
    for name in FILES:
        source = (ROOT / "solutions" / bundle.NAME / name).read_text("utf-8").splitlines()
        for begin, end in regions(source, name):
            lines |= {line.strip() for line in source[begin + 1 : end]}
    secrets = [line for line in lines if len(line) > 24 and line not in public]
    assert len(secrets) > 20
    found = [(path.name, line) for path, data in texts.items() for line in secrets if line.encode() in data]
    assert found == []
    page = (folder / "index.html").read_text("utf-8")
    assert "default-src 'none'" in page
    assert "http" not in page.replace("http-equiv", "").replace("(http or https)", "")


def at_home(folder, texts):
    """Run pytest in the released bundle with these files; return the visible points."""
    bundle.unpack(folder)
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    last = bundle.run(folder)[1][-1]
    found = re.match(r"(\d+) of 12 visible points so far", last)
    assert found or last.startswith("All visible tests pass"), last
    return int(found[1]) if found else 12


LACKS = "This page's Python has no threads, processes, asyncio.run, time zones or windows"
PAGE_ALONE = {
    # Clumsy hand-ins whose points differ: on the page, graded, and what the page says of it.
    "top: asyncio": (4, 12, LACKS),
    "top: thread": (4, 12, LACKS),
    "top: zoneinfo": (4, 12, LACKS),
    "top: resource": (4, 12, LACKS),
    "top: tkinter": (4, 12, "line 12 imports tkinter, which is not there when you are graded"),
    "top: numpy unused": (4, 12, "line 12 imports numpy, which is not there when you are graded"),
    "top: input": (4, 12, "reservation.py calls input() in line 12, and nobody answers it here"),
    "top: exit": (4, 12, "reservation.py ends the program while it is being read"),
    "top: slow import": (12, 4, "reservation.py took longer than the 2 seconds allowed when you are graded."),
    "paged_slots: open": (12, 10, "line 107 uses files, which is refused when you are graded"),
    "paged_slots: asyncio": (10, 12, LACKS),
}
for number, name in ((12, "f-string"), (12, "batched"), (13, "replace")):
    if sys.version_info < (3, number):
        PAGE_ALONE[f"top: python 3.{number} {name}"] = (12, 4, f"needs Python 3.{number} or newer; this is")


def test_points_are_those_of_home_and_of_grading(folder, tmp_path):
    """Clumsy hand-ins and wrong versions earn the same on the page, at home and graded.

    Those that differ are listed, each with the sentence by which the page names the reason; where the page
    lacks nothing, home says the same. Loops that never end are in the walk.
    """
    clumsy = dict(runpy.run_path(str(ROOT / "docs" / "make_at_home.py"))["variants"]())
    ends = [
        name for name, files in clumsy.items() if fits(files) and "loop" not in name and "endless" not in name
    ]
    names = [*PAGE_ALONE, "top: breakpoint", "top: pdb", "paged_slots: breakpoint", *ends[::20]]
    wrong = [version.files for version in Misconceptions(COURSE, EXERCISE).versions()]
    chosen = {name: clumsy[name] for name in names} | {
        f"wrong {n}": files for n, files in enumerate(wrong[::25])
    }
    texts = [{name: as_text(one) for name, one in files.items()} for files in chosen.values()]
    command = ["node", "web/tests/verdicts.js", str(folder), EXERCISE.name, str(tmp_path / "page")]
    subprocess.run(command, cwd=ROOT, input=json.dumps(texts), text=True, check=True, timeout=300)
    page = json.loads((tmp_path / "page").read_text())
    for place, files in enumerate(texts):
        (tmp_path / "in" / f"s{place}").mkdir(parents=True)
        for name, text in {**stubs(), **files}.items():
            (tmp_path / "in" / f"s{place}" / name).write_text(text, "utf-8")
    graded = grade(tmp_path / "in", tmp_path / "out")
    for place, (name, files, found) in enumerate(zip(chosen, texts, page, strict=True)):
        points, said = (
            sum(task["got"] for task in found["tasks"]),
            " ".join(found["broken"] + found["warnings"]),
        )
        on_page, when_graded, sentence = PAGE_ALONE.get(name, (points, points, ""))
        assert (points, graded[f"s{place}"]) == (on_page, when_graded), name
        assert sentence in said, name
        assert (LACKS in said) is (sentence == LACKS) or name == "top: tkinter", name
        known = name in ("top: asyncio", "top: input", "top: exit", "paged_slots: open")
        if known or (name.startswith("wrong") and place % 3 == 0):
            home = 12 if sentence == LACKS else points
            assert at_home(tmp_path / f"home{place}", files) == home, name


def test_sources_are_sound():
    """TypeScript and biome find nothing, the lock file names no host, and no lesson is named."""
    installed()
    for command in (["tsc"], ["biome", "lint", "--error-on-warnings", "src", "tests", "build.js"]):
        program = [str(MODULES / ".bin" / command[0]), *command[1:]]
        done = subprocess.run(
            program, cwd=ROOT / "web", capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert "resolved" not in (ROOT / "web" / "package-lock.json").read_text()
    sources = [path for path in (ROOT / "web" / "src").iterdir() if path.is_file()]
    for path in sources:
        text = path.read_text("utf-8")
        assert not [
            word for word in ("reservation", "slots_", "hands_on", *EXERCISE.files) if word in text
        ], path
