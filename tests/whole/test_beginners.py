"""What beginners write at the top of a file, at home and when graded: nothing honest costs the file.

The lines are those of the table docs/at-home.md; ``DIFFERENT`` has what does not simply run in both places.
"""

import importlib.util
import json
import subprocess
import sys

import pytest
from helpers.paths import ROOT

from grader.base.flags import FLAGS
from grader.course.load import load_course
from grader.grading.workers import Grader
from grader.intake.prepare import decoded
from grader.sandbox.host import choose_tier
from grader.sources.submission import Submission

pytestmark = pytest.mark.slow


def the_table():
    """docs/make_at_home.py, which has the lines and makes the table."""
    spec = importlib.util.spec_from_file_location("make_at_home", ROOT / "docs" / "make_at_home.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TABLE = the_table()

# name: (at home: "runs", "warns" or "fails"; when graded: "counts", "left out" or "fails")
DIFFERENT = {
    **dict.fromkeys(("thread", "thread pool", "subprocess"), ("warns", "left out")),
    **dict.fromkeys(("logging to a file", "open a file", "open its own file"), ("warns", "left out")),
    **dict.fromkeys(("write a file", "tempfile"), ("warns", "left out")),
    **dict.fromkeys(("numpy unused", "matplotlib", "typing_extensions"), ("warns", "left out")),
    **dict.fromkeys(("tkinter", "turtle", "readline", "curses", "listdir"), ("warns", "left out")),
    "open in try": ("warns", "counts"),  # the try catches what is refused
    "process pool": ("runs", "left out"),  # home warns when the pool starts its first process
    **dict.fromkeys(("input", "exit", "quit", "missing helper"), ("fails", "left out")),
    # This test has no terminal, which the debugger needs.
    **dict.fromkeys(("breakpoint", "pdb"), ("fails", "counts")),
    **dict.fromkeys(("assert", "error", "loop", "slow import", "syntax", "tab"), ("fails", "fails")),
    **dict.fromkeys(("curly quotes", "python 2 print", "magic", "prompt"), ("fails", "fails")),
    **dict.fromkeys(("merge marks", "relative import"), ("fails", "fails")),
}
if sys.version_info < (3, 12):
    newer = [name for name in TABLE.TOP if name.startswith("python 3.12")]
    DIFFERENT |= dict.fromkeys(newer, ("fails", "fails"))
if sys.version_info < (3, 13):
    DIFFERENT["python 3.13 replace"] = ("fails", "fails")
HOME = """
import json, logging, pathlib, sys, tempfile
sys.path.insert(0, sys.argv[1])
from grader.bundle import student_file, warn
found, here = {}, pathlib.Path(tempfile.mkdtemp())
for number, (name, text) in enumerate(json.load(sys.stdin).items()):
    folder = here / str(number)
    folder.mkdir()
    for file, content in {"README.md": "x", "hands_on.py": "RESERVED = 300"}.items():
        (folder / file).write_text(content)
    (folder / "reservation.py").write_text(text, encoding="utf-8")
    watch = student_file.Watch(folder, {})
    watch.seconds = 3.0 if name in ("loop", "slow import") else 60.0
    sys.modules["hands_on"] = student_file.StudentFile(folder / "hands_on.py", [], watch)
    file = student_file.StudentFile(folder / "reservation.py", ["paged_slots"], watch)
    sys.modules["reservation"] = file
    points = {"files": {"reservation.py": ["paged_slots"]}, "python": [3, 11]}
    logging.root.handlers.clear()
    try:
        file._load()
        said = ""
    except student_file.EndTest as end:
        said = end.sentence
    found[name] = [said, warn.all_warnings(folder, folder, points, watch.refusals, watch.slow)]
pathlib.Path(sys.argv[2]).write_text(json.dumps(found))
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Each file imported as the bundle does it: the sentence if that failed, and the warnings."""
    slots = "\n\ndef paged_slots(lengths, block):\n    return 48\n"
    texts = {name: text + slots for name, text in TABLE.TOP.items()}
    found = tmp_path_factory.mktemp("home") / "found.json"
    subprocess.run(
        [sys.executable, "-c", HOME, str(ROOT), str(found)],
        input=json.dumps(texts),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
        timeout=300,
        encoding="utf-8",
    )
    return json.loads(found.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def results():
    """Each file graded: by its name the score, notes and flags."""
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise(TABLE.NAME)
    grader = Grader(course, exercise, choose_tier("auto", exercise.limits, unsafe=False))
    done = TABLE.finished()
    found = {}
    for name, text in TABLE.TOP.items():
        files = {**done, "reservation.py": f"{text}\n\n{done['reservation.py']}"}
        submission = Submission("ada", {file: source.encode() for file, source in files.items()}, {})
        found[name] = grader.grade(decoded(submission)).result
    grader.close()
    return found


def test_table_has_a_hundred_kinds():
    """As many as the commonest things that beginners write."""
    assert len(TABLE.TOP) >= 100


@pytest.mark.parametrize("name", TABLE.TOP)
def test_beginners_line(name, home, results):
    """It runs, or home says before hand-in what will be different; when graded it costs at most itself."""
    said, warned = home[name]
    result = results[name]
    at_home = "fails" if said else "warns" if warned else "runs"
    left_out = any("left out" in note or "is not there when" in note for note in result.notes)
    when_graded = "fails" if result.score < result.max_score else "left out" if left_out else "counts"
    assert (at_home, when_graded) == DIFFERENT.get(name, ("runs", "counts")), (said, warned, result.notes)


def test_nobody_is_accused(results):
    """None of the lines has a flag that stands for what honest work never does."""
    attempts = {flag.word for flag in FLAGS if flag.attempt}
    assert {name: result.flags for name, result in results.items() if attempts & set(result.flags)} == {}


def test_table_of_all_variants_is_current():
    """docs/at-home.md has a row for each variant, and says why points differ; otherwise make it anew."""
    text = (ROOT / "docs" / "at-home.md").read_text(encoding="utf-8")
    rows = TABLE.rows_of(text)
    assert list(rows) == [name for name, _ in TABLE.variants()]
    silent = []
    for name, row in rows.items():
        _, old, new, course, said, _ = [*row.split("|")[1:], ""][:6]
        points = {old.strip(), new.strip(), course.strip(" *")}
        if len(points) > 1 and (len(said.strip()) < 10 or said.strip().startswith("Next: hand in")):
            silent.append(name)
    assert silent == []
