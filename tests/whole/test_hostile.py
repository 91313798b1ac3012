"""The hostile class, graded among honest submissions, with bubblewrap and without."""

import ast
import json
import re
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers import grade_class, hostile_class, users
from helpers.paths import ROOT

pytestmark = pytest.mark.slow

TIERS = ("bwrap", "landlock")
WHERE = [(tier, user) for tier in TIERS for user in users.USERS]


@contextmanager
def listeners(folder: Path, abstract: str) -> Iterator[list[socket.socket]]:
    """Open sockets that a submission could send to: TCP, UDP on the same port, two Unix sockets."""
    with ExitStack() as stack:
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", tcp.getsockname()[1]))
        found = [tcp, udp]
        for address in (str(folder / "listener"), "\0" + abstract):
            found.append(stack.enter_context(socket.socket(socket.AF_UNIX)))
            found[-1].bind(address)
            found[-1].listen()
        (folder / "listener").chmod(0o777)
        for one in found:
            one.settimeout(0)
        yield found


def heard(listener: socket.socket) -> bool:
    """Return True if anything arrived."""
    try:
        return bool(listener.recv(100) if listener.type == socket.SOCK_DGRAM else listener.accept())
    except BlockingIOError:
        return False


@cache
def graded(tier: str, user: str) -> SimpleNamespace:
    """Grade the class with and without hostile submissions; return results and traces on the machine."""
    with tempfile.TemporaryDirectory(prefix="kit-hostile-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        loot = folder / "loot"
        loot.mkdir()
        loot.chmod(0o777)
        abstract = f"kit-hostile-{folder.name}"
        # The course that is graded with: for another user, a copy.
        course = users.everyones_folder() if user == "user" and "root" in users.USERS else ROOT
        with listeners(folder, abstract) as ears:
            words = {"LOOT": str(loot), "COURSE": str(course), "ABSTRACT": abstract}
            words["PORT"] = str(ears[0].getsockname()[1])
            hostile_class.lay_out(folder / "all", words, hostile=True)
            hostile_class.lay_out(folder / "honest", words, hostile=False)
            found = json.loads(users.run_as(user, "grade_class.py", tier, str(folder / "all"), "2"))
            if "unavailable" in found:
                pytest.skip(found["unavailable"])
            honest = json.loads(users.run_as(user, "grade_class.py", tier, str(folder / "honest"), "1"))
            return SimpleNamespace(
                texts=found["results"],
                results={student: json.loads(text) for student, text in found["results"].items()},
                honest=honest["results"],
                seconds=found["seconds"],
                alive=found["alive"] + honest["alive"],
                loot=sorted(path.name for path in loot.iterdir()),
                heard=[heard(ear) for ear in ears],
                places={str(course), str(folder), str(ROOT), sys.base_prefix},
            )


def hostile(tier: str, user: str) -> dict[str, dict]:
    """Return the results of the hostile submissions by name."""
    results = graded(tier, user).results
    return {name: results[f"h-{name}"] for name in hostile_class.hostile_names()}


def literals(visibility: str) -> set[str]:
    """Return the numbers of at least three digits in the tests of Part 2."""
    text = (ROOT / f"tests/{visibility}/contiguous_reservation/test_reservation.py").read_text(
        encoding="utf-8"
    )
    numbers = [node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)]
    return {str(number) for number in numbers if type(number) in (int, float) and len(str(number)) >= 3}


@pytest.mark.parametrize(("tier", "user"), WHERE)
def test_each_earns_what_its_honest_answers_earn(tier, user):
    """Most hostile submissions hold one honest function and earn its three points, no more and no less."""
    earned = {name: result["score"] for name, result in hostile(tier, user).items()}
    expected = {name: hostile_class.EARNED.get(name, hostile_class.EXTRA) for name in earned}
    assert earned == expected


@pytest.mark.parametrize(("tier", "user"), WHERE)
def test_no_fault_of_the_grader(tier, user):
    """No submission causes a grader-error; only the link is unreadable."""
    statuses = {name: result["status"] for name, result in hostile(tier, user).items()}
    assert {name for name, status in statuses.items() if status != "graded"} == {"files_by_link"}
    assert statuses["files_by_link"] == "unreadable"


@pytest.mark.parametrize(("tier", "user"), WHERE)
def test_the_honest_ones_are_as_without_them(tier, user):
    """Honest submissions get byte for byte the results that they get without hostile ones."""
    found = graded(tier, user)
    assert {student: found.texts[student] for student in hostile_class.HONEST} == found.honest
    scores = {student: found.results[student]["score"] for student in hostile_class.HONEST}
    assert scores == hostile_class.HONEST
    assert [found.results[student]["flags"] for student in scores] == [["missing-file"]] * 4
    students = sorted(found.results)
    assert students[0] == "a-right"
    assert students[-1] == "z-right"


@pytest.mark.parametrize(("tier", "user"), WHERE)
def test_nothing_was_taken_along(tier, user):
    """A folder that everyone may write to stays empty, and no socket received anything."""
    found = graded(tier, user)
    assert found.loot == []
    assert found.heard == [False] * 4


@pytest.mark.parametrize(("tier", "user"), WHERE)
def test_nothing_hidden_in_any_feedback(tier, user):
    """Messages hold no number of hidden tests and no path of this machine."""
    secret = literals("hidden") - literals("visible")
    assert {"512000", "100000", "2000001"} <= secret
    for name, result in hostile(tier, user).items():
        messages = [criterion["message"] for criterion in result["criteria"]]
        text = json.dumps([messages, result["diagnoses"], result["notes"]])
        assert not secret & set(re.findall(r"\d+(?:\.\d+)?", text)), name
        assert not [place for place in graded(tier, user).places if place in text], name


@pytest.mark.parametrize(("tier", "user"), WHERE)
def test_nothing_is_carried_from_one_to_another(tier, user):
    """The receiver prints only its own descriptors' flags and errors, the same in each of its calls."""
    messages = [c["message"] for c in hostile(tier, user)["carry_b_receive"]["criteria"] if c["message"]]
    printed = {line for message in messages for line in message.splitlines() if "received" in line}
    assert printed == {"It printed: received -1 -1" + "0" * 32 + " 32770 PermissionError"}


@pytest.mark.parametrize("name", ["patch_server", "channel_answer_itself", "patch_import"])
def test_attacks_on_internals_reach_them(name):
    """They name parts of the code beside them; their files load, so these parts are still there."""
    for tier, user in WHERE:
        states = {c["status"] for c in hostile(tier, user)[name]["criteria"] if c["task"] != "hands_on"}
        assert states <= {"passed", "needs-work"}, (name, states)


@pytest.mark.parametrize(("tier", "user"), WHERE)
def test_hidden_criteria_say_no_more_than_their_state(tier, user):
    """Where the file could be imported, a hidden criterion's message is empty."""
    for name, result in hostile(tier, user).items():
        messages = {c["message"] for c in result["criteria"] if c["visibility"] == "hidden"}
        imported = any(c["status"] != "not-run" for c in result["criteria"] if c["task"] != "hands_on")
        assert not imported or messages == {""}, name


@pytest.mark.parametrize(("tier", "user"), WHERE)
def test_grading_ends_within_the_limit(tier, user):
    """Each submission is graded within its wall limit and two seconds."""
    most = grade_class.LIMITS.submission_wall_seconds + 2
    assert {student: s for student, s in graded(tier, user).seconds.items() if s > most} == {}


@pytest.mark.parametrize(("tier", "user"), WHERE)
def test_no_process_is_left(tier, user):
    """Soon after the end, no process that grading started is alive."""
    assert graded(tier, user).alive == []


@pytest.mark.parametrize(("tier", "user"), WHERE)
@pytest.mark.parametrize("flag", hostile_class.FLAGS)
def test_attempts_are_flagged(tier, user, flag):
    """Each attempt has its flag."""
    results = hostile(tier, user)
    unseen = [name for name in hostile_class.FLAGS[flag] if flag not in results[name]["flags"]]
    assert unseen == []


@pytest.mark.parametrize("tier", TIERS)
def test_flags_are_the_same_whoever_grades(tier):
    """Flags are the same for root and an ordinary user."""
    runs = [{name: result["flags"] for name, result in hostile(tier, user).items()} for user in users.USERS]
    assert all(run == runs[0] for run in runs)


def test_every_one_says_what_it_tries():
    """The first line of each hostile file is a comment of one sentence."""
    for path in hostile_class.SOURCES.iterdir():
        source = path if path.is_file() else path / "reservation.py"
        first = source.read_text(encoding="utf-8").splitlines()[0]
        assert re.fullmatch(r"# [A-Z].*\.", first), path
