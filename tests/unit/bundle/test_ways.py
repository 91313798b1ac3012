"""The ways in which students run the bundle: other options, other terminals, other folders, own tests."""

import re
import subprocess
import sys

import pytest
from helpers.bundle import NAME, run, solve, unpack, write

pytestmark = pytest.mark.slow

RERUN = """
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for last in (False, True):
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        again = not last and any(report.failed for report in reports)
        for report in reports:
            if again and report.failed:
                report.outcome = "rerun"
            item.ihook.pytest_runtest_logreport(report=report)
        if not again:
            break
    return True
"""
"""Runs a failed test once more, and reports it as pytest-rerunfailures does."""


@pytest.fixture
def bundle(tmp_path):
    """The unzipped bundle, with all but paged_slots answered right: 10 of 12 visible points."""
    folder = unpack(tmp_path / NAME)
    solve(folder, "hands_on.py", 1, 2, 3, 4, 5)
    solve(folder, "reservation.py", 6, 7, 8, 9)
    return folder


def body(folder, code):
    """Write paged_slots."""
    write(folder, "reservation.py", 10, code)


def test_missing_test_file_comes_back(bundle):
    """A deleted test file is there again, said in a sentence, and its points count; the other one stays."""
    lost, kept = bundle / "test_hands_on.py", bundle / "test_reservation.py"
    text = lost.read_bytes()
    kept.write_bytes(kept.read_bytes() + b"\n# mine\n")
    lost.unlink()
    _, lines = run(bundle)
    assert "test_hands_on.py was missing; it is there again." in lines
    assert lost.read_bytes() == text
    assert kept.read_bytes().endswith(b"# mine\n")
    assert lines[-1].startswith("10 of 12 visible points so far")


@pytest.mark.parametrize(
    ("code", "end"),
    [
        ("    return sum(-(-n // block) * block for n in length)", ". Did you mean: 'lengths'?"),
        ("    import math\n    return math.cell(lengths[0] / block)", ". Did you mean: 'ceil'?"),
        ("    return zebra", ""),
    ],
)
def test_did_you_mean_is_kept(bundle, code, end):
    """Python's suggestion for a misspelt name of a variable or of a module's function is shown, once."""
    body(bundle, code)
    _, lines = run(bundle, "-k", "TestPagedUp", environment={"COLUMNS": "300"})
    said = next(line for line in lines if line.startswith("paged_slots([33], 16) raised "))
    assert said.count("Did you mean") == (1 if end else 0)
    assert f"{end.rstrip('?')}" in said


def test_lru_cache_on_a_list_is_told_as_such(bundle):
    """The TypeError names the decorator, and is not taken for wrong arguments."""
    path = bundle / "reservation.py"
    text = path.read_text(encoding="utf-8").replace("def paged_slots(", "@functools.cache\ndef paged_slots(")
    path.write_text(text.replace('"""\n', '"""\nimport functools\n', 1), encoding="utf-8")
    body(bundle, "    return 48")
    _, lines = run(bundle, "-k", "TestPagedUp", environment={"COLUMNS": "300"})
    assert (
        "paged_slots([33], 16) raised TypeError: unhashable type: 'list'; a decorator such as @lru_cache "
        "cannot remember calls with a list: remove the line above def."
    ) in lines


@pytest.mark.parametrize("first", ["hands_on", "reservation"])
def test_star_imports_work_in_any_order(bundle, first):
    """In the files themselves, and in own test files, whichever is imported first."""
    second = "reservation" if first == "hands_on" else "hands_on"
    (bundle / "test_a_own.py").write_text(
        f"from {first} import *\nfrom {second} import *\n\n\ndef test_it():\n"
        "    assert used_slots([1, 2]) == 3\n    assert RESERVED == 300\n",
        encoding="utf-8",
    )
    path = bundle / f"{second}.py"
    path.write_text(f"{path.read_text(encoding='utf-8')}\nfrom {first} import *\n", encoding="utf-8")
    _, lines = run(bundle, "-v")
    assert [line for line in lines if line.startswith("test_a_own.py::test_it PASSED")]
    assert lines[-1].startswith("10 of 12 visible points so far")


def test_own_failing_tests_are_named_apart(bundle):
    """They stand in one line of their own, and neither points nor the next step follow them."""
    body(bundle, "    return sum(-(-n // block) * block for n in lengths)")
    (bundle / "test_own.py").write_text(
        "def test_a():\n    assert 0\n\n\ndef test_b():\n    assert 1\n\n\ndef test_c():\n    1 / 0\n",
        encoding="utf-8",
    )
    status, lines = run(bundle)
    assert status == 1
    assert "Your own tests, which earn and cost nothing: test_own.py::test_a and 1 more failed." in lines
    assert lines[-1].startswith("All visible tests pass")
    assert [line for line in lines if line.startswith("Next: hand in ")]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-rA"], "56 passed, 17 not started"),
        (["-p", "xdist", "-n", "2"], "56 passed, 17 not started"),
        (["-p", "rerun"], "56 passed, 17 not started, 17 rerun"),
    ],
)
def test_options_count_each_test_once(bundle, options, words):
    """73 tests, 17 of them of the one untouched function: in two processes and run again, too."""
    (bundle / "rerun.py").write_text(RERUN, encoding="utf-8")
    _, lines = run(bundle, *options)
    counted = next(line for line in lines if " passed" in line and " in " in line)
    for part in words.split(", "):
        assert re.search(rf"\b{part}\b", counted)
    assert sum(map(int, re.findall(r"(\d+) (?:passed|not started|failed)", counted))) == 73
    assert lines[-1].startswith("10 of 12 visible points so far")


def test_stop_at_the_first_and_last_failed(bundle):
    """``-x`` counts what it ran, ``--lf`` runs and counts what failed before."""
    body(bundle, "    return 48")
    _, lines = run(bundle, "-p", "cacheprovider", "-x")
    counted = next(line for line in lines if " 1 failed" in line)
    ran = int(re.search(r"(\d+) passed", counted)[1]) + 1
    assert ran < 73
    assert lines[-1].startswith("Not all tests ran: 10 of 11 points of what did.")
    _, lines = run(bundle, "-p", "cacheprovider")
    failed = int(re.search(r"(\d+) failed", " ".join(lines))[1])
    _, lines = run(bundle, "-p", "cacheprovider", "--lf", "-q")
    assert f"{failed} failed" in " ".join(lines)
    assert " passed" not in " ".join(lines)
    assert lines[-1].startswith("Not all tests ran: 0 of 2 points of what did.")


def test_printed_text_is_bounded(bundle):
    """Of a million characters that a call printed, 1,500 are shown, and the others are counted."""
    body(bundle, "    print('x' * 1_000_000)\n    return 32")
    _, lines = run(
        bundle, "-k", "TestPagedUp and lesson", "--show-capture=all", environment={"COLUMNS": "80"}
    )
    text = "\n".join(lines)
    assert text.count("x" * 1_500) == 1
    assert "x" * 1_501 not in text
    assert "... and 998501 more characters that it printed" in text
    assert "paged_slots([33], 16) returned 32; expected 48." in lines


@pytest.mark.parametrize("name", ["my [x] work", "a b & c", "[week-1]"])
def test_folder_may_have_any_name(bundle, name):
    """Brackets and blanks, which mean something else to pytest or to a shell."""
    folder = bundle.rename(bundle.with_name(name))
    _, lines = run(folder)
    assert lines[-1].startswith("10 of 12 visible points so far")
    _, lines = run(folder.parent)
    assert f"Next time run pytest inside the folder {name}, so that its own settings apply." in lines
    assert lines[-1].startswith("10 of 12 visible points so far")


def test_forty_columns_hold_every_line(bundle):
    """On a narrow terminal none of our lines is wider, and points stand below their task."""
    body(bundle, "    return sum(n // block * block for n in lengths)")
    _, lines = run(bundle, "-q", "--tb=auto", environment={"COLUMNS": "40"})
    first = next(n for n, line in enumerate(lines) if line.startswith("paged_slots("))
    assert max(map(len, lines[first:])) <= 40
    assert "    0 of 2, 1 hidden later: needs work" in lines
    said = " ".join(line.strip() for line in lines[first:])
    assert "paged_slots([33], 16) returned 32; expected 48." in said


@pytest.mark.parametrize("name", ["random", "math", "typing", "json", "pytest"])
def test_file_with_a_module_name_is_named(bundle, name):
    """``python3 kit`` says it in one sentence, before Python or pytest meets the file."""
    (bundle / f"{name}.py").write_text("X = 1\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-B", "kit"],
        cwd=bundle,
        capture_output=True,
        check=False,
        timeout=60,
        encoding="utf-8",
    )
    assert (done.returncode, done.stdout.strip()) == (4, "")
    assert done.stderr.strip() == (
        f"ERROR: {name}.py has the name of a module that Python or pytest needs: give the file another name, "
        "and run the tests again."
    )
