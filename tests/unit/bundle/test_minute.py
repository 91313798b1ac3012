"""The student's minute: map, hints, closing, debugger and Ctrl-C, as a student has them in a terminal."""

import contextlib
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time

import pytest
from helpers.bundle import NAME, run, solve, unpack, write

pytestmark = pytest.mark.slow

FUNCTIONS = {
    "3 sequences with 100 slots each": "reserved_slots",
    "The tokens of each sequence": "used_slots",
    "Regions of 100 slots": "waste_fraction",
    "A pool of 400 slots": "extra_reservations",
    "Blocks of 16 slots": "paged_slots",
}


@pytest.fixture
def bundle(tmp_path):
    """The unzipped bundle in an empty folder."""
    return unpack(tmp_path / NAME)


@pytest.fixture
def solved(bundle):
    """The bundle with all TODOs answered right."""
    solve(bundle, "hands_on.py", 1, 2, 3, 4, 5)
    solve(bundle, "reservation.py", 6, 7, 8, 9, 10)
    return bundle


def map_lines(lines):
    """What ``--map`` drew: the lines between pytest's own and the points."""
    start = next(place for place, line in enumerate(lines) if " passed in " in line)
    end = next(place for place, line in enumerate(lines) if line.startswith("  Points"))
    return lines[start + 1 : end]


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_map_draws_a_call_of_every_function(solved, columns):
    """One picture of each function, in at most 80 columns and never wider than the terminal."""
    status, lines = run(solved, "-q", "--map", environment={"COLUMNS": columns})
    drawn = map_lines(lines)
    assert status == 0
    assert [line for line in drawn if line in FUNCTIONS] == [*FUNCTIONS]
    assert max(map(len, drawn)) <= min(int(columns), 80)
    blocks = drawn.index("Blocks of 16 slots")
    assert drawn[blocks + 1].startswith("A: 33 tokens in 3 blocks of 16")
    if columns != "40":
        assert drawn[blocks + 2] == f"  [{'█' * 16}][{'█' * 16}][█{'▒' * 15}]"


def test_map_is_ascii_where_unicode_cannot_be_had(solved):
    """On a terminal with an old code page: # is a token, - is slack."""
    environment = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252", "COLUMNS": "80"}
    _, lines = run(solved, "-q", "--map", environment=environment)
    drawn = map_lines(lines)
    assert all(line.isascii() for line in drawn)
    assert f"  [{'#' * 16}][{'#' * 16}][#{'-' * 15}]" in drawn
    assert "# holds a token, - slack" in drawn


def test_map_draws_the_students_wrong_number(solved):
    """A wrong answer stands beside the right one, without ``--map`` too."""
    path = solved / "reservation.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(f"{text}\n\ndef paged_slots(lengths, block):\n    return 32\n", encoding="utf-8")
    for options in (["--map"], []):
        _, lines = run(solved, "-q", *options)
        shown = [line.strip() for line in lines]
        assert "your function counts 32" in shown
        assert "there are 48" in shown


def test_hints_come_one_step_at_a_time_after_an_attempt(bundle):
    """None before an attempt; then each step once, and the last one again."""

    def hint(number):
        status, lines = run(bundle, "--hint", str(number))
        assert (status, len(lines)) == (0, 1)
        return lines[0]

    for _ in range(2):
        assert hint(8).startswith("TODO 8 is untouched. Try it first")
        assert hint(2).startswith("TODO 2 is untouched. Try it first")
    points = json.loads((bundle / "kit" / "points.json").read_text(encoding="utf-8"))
    steps = next(task["hints"] for task in points["tasks"] if task["name"] == "waste_fraction")
    assert len(steps) == 3
    write(bundle, "reservation.py", 8, "    return 0.5")
    start = "of 3 on TODO 8 (waste_fraction):"
    assert [hint(8) for _ in range(4)] == [
        f"Hint 1 {start} {steps[0]} Ask again for the next one.",
        f"Hint 2 {start} {steps[1]} Ask again for the next one.",
        f"Hint 3 {start} {steps[2]} There are no more.",
        f"Hint 3 {start} {steps[2]} There are no more.",
    ]
    assert hint(9).startswith("TODO 9 is untouched.")
    assert hint(77) == "There is no TODO 77; the last one is TODO 10."


def test_hint_without_a_number_is_on_the_next_todo(bundle):
    """That is the first untouched TODO, and after a run the one that its last lines named."""
    assert run(bundle, "--hint")[1][0].startswith("TODO 1 is untouched.")
    solve(bundle, "hands_on.py", 1, 2, 3, 4, 5)
    solve(bundle, "reservation.py", 6)
    write(bundle, "reservation.py", 7, "    return 1")
    assert run(bundle, "--hint")[1][0].startswith("TODO 8 is untouched.")
    run(bundle)
    assert run(bundle, "--hint")[1][0].startswith("Hint 1 of 3 on TODO 7 (used_slots): ")
    assert run(bundle, "--hint")[1][0].startswith("Hint 2 of 3 on TODO 7 (used_slots): ")


def test_todo_without_hints(bundle):
    """Where there is neither a hint nor a test, one sentence says so."""
    path = bundle / "kit" / "points.json"
    points = json.loads(path.read_text(encoding="utf-8"))
    points["tasks"][0] |= {"hints": [], "criteria": []}
    path.write_text(json.dumps(points), encoding="utf-8")
    solve(bundle, "hands_on.py", 1)
    assert run(bundle, "--hint", "1")[1] == ["There are no hints on TODO 1 (PREDICTION)."]


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_is_short(bundle, option):
    """``python3 kit --help`` has our own lines, and says where pytest's are."""
    command = [sys.executable, "kit", option]
    lines = subprocess.check_output(command, cwd=bundle, encoding="utf-8").splitlines()
    assert len(lines) == 10
    assert lines[3].split()[2:5] == ["--hint", "8", "one"]
    assert lines[-1].endswith("-m pytest --help lists all it knows.")


@pytest.mark.parametrize("words", [["--mapp"], ["--hint", "six"], ["-k", "nothing"], ["test_none.py"]])
def test_words_that_run_no_test(bundle, words):
    """After a misspelt option or name one line says what runs all tests and what explains the options."""
    command = [sys.executable, "kit", *words]
    done = subprocess.run(command, cwd=bundle, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode in (4, 5)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("No test was run.")
    assert last.endswith("kit --help has more.")


def test_conftest_is_missing(bundle):
    """One sentence says where it is missing and how to get it back, in place of a failed import."""
    (bundle / "conftest.py").unlink()
    command = [sys.executable, "kit"]
    done = subprocess.run(command, cwd=bundle, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"conftest.py is missing in {bundle}: unzip the exercise once more")


@pytest.mark.parametrize(
    ("prediction", "sentence"),
    [
        ("True", "You predicted True and now say False, because "),
        ("False", "You predicted False, and it is so: "),
    ],
)
def test_closing_is_in_the_students_own_numbers(bundle, prediction, sentence):
    """300 slots, 235 of them idle; 96 slots, 31 of them slack; and the prediction with what came out."""
    write(bundle, "hands_on.py", 1, f"PREDICTION = {prediction}  # TODO 1")
    solve(bundle, "hands_on.py", 2, 3, 4, 5)
    solve(bundle, "reservation.py", 6, 7, 8, 9)
    _, lines = run(bundle, "-q")
    assert not [line for line in lines if line.startswith(("Same three sequences", "You predicted"))]
    solve(bundle, "reservation.py", 10)
    _, lines = run(bundle, "-q")
    assert (
        "Same three sequences: 300 slots reserved, 78.3 % of them idle; in blocks of 16, 96 slots, "
        "32.3 % of them slack."
    ) in lines
    assert [line for line in lines if line.startswith(sentence)]
    _, lines = run(bundle, "-q", "-k", "Paged")
    assert not [line for line in lines if line.startswith("Same three sequences")]


class Terminal:
    """``python -m pytest`` in a pseudo-terminal: what it wrote so far, and keys to type."""

    def __init__(self, folder, *options):
        pty = pytest.importorskip("pty")
        self.master, slave = pty.openpty()
        environment = {
            "PATH": os.defpath,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "TERM": "dumb",
            "COLUMNS": "200",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--color=no", *options],
            cwd=folder,
            env={**environment, "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self.text = ""

    def read_until(self, pattern, seconds=30.0):
        """Read until the pattern is there, or the run has ended; the text since the last call."""
        text, end = "", time.monotonic() + seconds
        while not re.search(pattern, text):
            ready, _, _ = select.select([self.master], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"{pattern!r} was not written in {seconds} s:\n{self.text}{text}"
            try:
                data = os.read(self.master, 65536)
            except OSError:  # Linux says so when the other side is closed
                data = b""
            if not data:
                break
            text += data.decode("utf-8", "replace").replace("\r\n", "\n")
        self.text += text
        return text

    def type(self, line):
        """Type a line and Enter."""
        os.write(self.master, f"{line}\n".encode())

    def close(self):
        """End the run, if it has not ended."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait(timeout=30)
        os.close(self.master)


@pytest.fixture
def terminal(solved):
    """Run pytest in a pseudo-terminal on the solved bundle with a limit of 1 s a call."""
    limit = solved / "kit" / "timeout.py"
    text = limit.read_text(encoding="utf-8")
    assert text.count("\nSECONDS = 10.0\n") == 1
    limit.write_text(text.replace("SECONDS = 10.0", "SECONDS = 1.0"), encoding="utf-8")
    started = []

    def start(body, *options):
        path = solved / "reservation.py"
        source = path.read_text(encoding="utf-8")
        path.write_text(f"{source}\n\ndef paged_slots(lengths, block):\n{body}", encoding="utf-8")
        shutil.rmtree(solved / "kit" / "__pycache__", ignore_errors=True)
        started.append(Terminal(solved, *options))
        return started[-1]

    yield start
    for one in started:
        one.close()


RIGHT = "    return sum(-(-n // block) * block for n in lengths)\n"
LESSON = "test_reservation.py::TestPagedUp::test_lesson"


@pytest.mark.parametrize("stop", ["breakpoint()", "import pdb; pdb.set_trace()"])
def test_breakpoint_works_and_thinking_interrupts_nothing(terminal, stop):
    """At the prompt a name is shown; 1.5 s later, over the limit, ``continue`` ends with the points."""
    run_in = terminal(f"    {stop}\n{RIGHT}", LESSON)
    run_in.read_until(r"\(Pdb\) ")
    time.sleep(1.5)
    run_in.type("p lengths, 1000 + block")
    assert "([33], 1016)" in run_in.read_until(r"\(Pdb\) ")
    run_in.type("continue")
    end = run_in.read_until("Run plain pytest for all of them")
    assert "1 passed" in end
    assert "KeyboardInterrupt" not in run_in.text
    assert "took too long" not in run_in.text
    assert run_in.process.wait(timeout=30) == 0


def test_pdb_option_stops_at_a_wrong_answer(terminal):
    """``pytest --pdb`` has its prompt after the failure; ``quit`` ends with the points."""
    run_in = terminal("    return 32\n", "--pdb", LESSON)
    before = run_in.read_until(r"\(Pdb\) ")
    assert "paged_slots([33], 16) returned 32; expected 48." in before
    time.sleep(1.5)
    run_in.type("quit")
    assert "0 of 1 points" in run_in.read_until("Run plain pytest for all of them")


def test_ctrl_c_in_an_endless_loop_names_the_call(terminal):
    """The sentence has the call and the line; a limit that sends the same interrupt is told otherwise."""
    run_in = terminal("    print('begun', flush=True)\n    while True:\n        pass\n", "-s", LESSON)
    run_in.read_until("begun")
    run_in.process.send_signal(signal.SIGINT)
    end = run_in.read_until(r"You stopped .*\n")
    assert "You stopped paged_slots([33], 16), at reservation.py line " in end
    assert run_in.process.wait(timeout=30) == 2


@pytest.mark.parametrize(
    "command", ["test_hands_on.py", "test_reservation.py", "-m unittest", "-m unittest test_reservation"]
)
def test_other_ways_to_run_the_tests_name_the_right_one(bundle, command):
    """A test file as a program, and unittest: one sentence with the command, and exit status 1."""
    done = subprocess.run(
        [sys.executable, "-B", *command.split()],
        cwd=bundle,
        capture_output=True,
        check=False,
        timeout=60,
        encoding="utf-8",
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == ["Run the tests in this folder with: python3 kit (on Windows: py kit)"]
