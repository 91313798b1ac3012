"""The students' bundle as a student runs it: pytest in a folder, in a fresh process, with nothing else."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.bundle import NAME, run, solve, unpack, write

pytestmark = pytest.mark.slow

WITH_PYTEST = (
    "_pytest",
    "pytest",
    "py.py",
    "pluggy",
    "pluggy-*.dist-info",
    "iniconfig",
    "packaging",
    "pygments",
    "exceptiongroup",
    "tomli",
    "typing_extensions.py",
)
LATER = "(8 of 20 points are decided by hidden tests after you hand in)."


@pytest.fixture
def bundle(tmp_path):
    """The unzipped bundle in an empty folder."""
    return unpack(tmp_path / NAME)


def test_untouched_bundle_is_not_started(bundle):
    """Every test fails in one letter, none is skipped, and the first step is named."""
    status, lines = run(bundle)
    assert status == 1
    assert "test_hands_on.py oooo" in " ".join(lines)
    assert not [line for line in lines if "skipped" in line or "Traceback" in line or "FAILURES" in line]
    assert lines[-2:] == [
        "Next: hands_on.py, TODO 1: PREDICTION is still None.",
        f"0 of 12 visible points so far {LATER}",
    ]
    assert sum("not started" in line for line in lines) == 7
    assert len(lines) < 25


def test_points_move_with_each_function(bundle):
    """Solved one by one, the tasks add their points and the next step moves on."""
    solve(bundle, "hands_on.py", 1, 2, 3, 4, 5)
    steps = [
        (6, 4, "reserved_slots): every sequence gets a region of its own"),
        (7, 5, "used_slots): look at every length, then add them up"),
        (8, 7, "waste_fraction): divide the idle slots by the reserved slots"),
        (9, 9, "extra_reservations): what the running sequences hold is not free"),
        (10, 10, "paged_slots): round every sequence up to whole blocks"),
    ]
    for todo, points, words in steps:
        status, lines = run(bundle, "-q")
        step = f"Next: reservation.py, TODO {todo} ({words}. Replace the raise line."
        assert (status, lines[-2:]) == (1, [step, f"{points} of 12 visible points so far {LATER}"])
        solve(bundle, "reservation.py", todo)
    status, lines = run(bundle, "-q")
    assert status == 0
    assert lines[-1] == f"All visible tests pass {LATER}"
    assert [line for line in lines if line.startswith("Next: hand in hands_on.py and reservation.py.")]
    table = [line for line in lines if "TODO" in line]
    assert len(table) == 6
    assert all(line.startswith("✓ ") and line.endswith("passed") for line in table)
    assert " ".join(table[2].split()) == "✓ Used slots (TODO 7) 2 of 2 ? of 2 visible passed"


def test_failure_reads_in_the_promised_order(bundle):
    """Call, got, expected; because, likely cause, hint, where; then the rest in a line."""
    write(bundle, "reservation.py", 10, "    return lengths[0] // block * block")
    _, lines = run(bundle, "-k", "PagedUp", environment={"COLUMNS": "300"})
    first = lines.index("paged_slots([33], 16) returned 32; expected 48.")
    because, cause, hint, where = lines[first + 1 : first + 5]
    assert because == "  Because: a right paged_slots rounds a sequence up to whole blocks of any size."
    assert hint.startswith("  Hint: Compare what came back with what was expected: ")
    assert where == "  Where: reservation.py, TODO 10 (paged_slots)"
    assert cause.startswith("  Likely cause: You round down")
    end = next(place for place, line in enumerate(lines) if line.startswith("... and 8 more like it (pytest"))
    assert "your function counts 32" in [line.strip() for line in lines[first + 5 : end]]
    _, lines = run(bundle, "-k", "PagedUp", "--tb=short", environment={"COLUMNS": "300"})
    assert "paged_slots([1], 16) returned 0; expected 16." in lines
    assert sum("Hint:" in line for line in lines) == 1


def test_part_one_names_the_constant(bundle):
    """A wrong number has its name, its TODO and what it counts; the right number is not shown."""
    write(bundle, "hands_on.py", 2, "RESERVED = 65  # TODO 2")
    _, lines = run(bundle, "test_hands_on.py", environment={"COLUMNS": "300"})
    assert "  Where: hands_on.py, TODO 2 (RESERVED)" in lines
    assert [
        line for line in lines if line.startswith("RESERVED is 65: those are the slots that hold a token")
    ]
    assert not [line for line in lines if "300" in line]


def test_syntax_error_is_one_message_and_costs_only_its_file(bundle):
    """reservation.py does not compile: said once, with line and text; Part 1 is judged all the same."""
    solve(bundle, "hands_on.py", 1, 2, 3, 4, 5)
    (bundle / "reservation.py").write_text(
        "def reserved_slots(n_seq, max_len)\n    return 1\n", encoding="utf-8"
    )
    status, lines = run(bundle)
    assert status == 1
    said = "reservation.py line 1 is not valid Python: expected ':'. The line reads: def reserved_slots"
    assert sum(line.startswith(said) for line in lines) == 1
    assert "4 passed, 69 not run" in " ".join(lines)
    assert lines[-2:] == [
        "Next: put that right, then run the tests again.",
        f"4 of 12 visible points so far {LATER}",
    ]


def test_broken_part_one_does_not_hide_part_two(bundle):
    """hands_on.py ends the program when it is imported; all of Part 2 is judged."""
    solve(bundle, "reservation.py", 6, 7, 8, 9, 10)
    (bundle / "hands_on.py").write_text("import sys\n\nsys.exit(0)\n", encoding="utf-8")
    _, lines = run(bundle)
    said = (
        "hands_on.py ends the program while it is being read (sys.exit() or quit() in line 3): "
        "remove that call."
    )
    assert lines.count(said) == 1
    assert lines[-1] == f"8 of 12 visible points so far {LATER}"


def test_deleted_function_costs_its_own_points(bundle):
    """A renamed function is named with its new name; functions that don't call it keep their points."""
    solve(bundle, "reservation.py", 6, 7, 8, 9, 10)
    path = bundle / "reservation.py"
    path.write_text(
        path.read_text(encoding="utf-8").replace("def paged_slots(", "def Paged_slots("), encoding="utf-8"
    )
    _, lines = run(bundle, "test_reservation.py")
    said = "reservation.py has no paged_slots. It has Paged_slots: give it the name paged_slots."
    assert lines.count(said) == 1
    assert sum(line.startswith("✓ ") for line in lines) == 4
    assert sum(line.startswith("\u2013 ") for line in lines) == 1


def test_options_mean_what_they_mean_elsewhere(bundle):
    """-x stops at the first failure, -k counts what it chose and says so."""
    status, lines = run(bundle, "-x")
    assert status == 1
    assert "stopping after 1 failures" in " ".join(lines)
    assert lines[-1].startswith("Not all tests ran: 0 of 1 points of what did.")
    solve(bundle, "reservation.py", 10)
    status, lines = run(bundle, "-k", "paged", "-v", "--tb=short")
    assert status == 0
    assert sum(" PASSED " in line for line in lines) == 17
    assert lines[-1] == "Not all tests ran: 2 of 2 points of what did. Run plain pytest for all of them."


def test_editor_finds_and_runs_single_tests(bundle):
    """--collect-only lists node ids and nothing else of ours; a node id runs alone, even untouched."""
    status, lines = run(bundle, "--collect-only", "-q")
    assert status == 0
    assert lines[-1].startswith("73 tests collected")
    node = "test_reservation.py::TestPagedUp::test_lesson"
    assert node in lines
    status, lines = run(bundle, node, "-v")
    assert status == 1
    assert [line for line in lines if line.startswith(f"{node} NOT STARTED")]


def test_doctests_work_both_ways(bundle):
    """Both python -m doctest and pytest --doctest-modules run each docstring's example."""
    solve(bundle, "reservation.py", 6, 7, 8, 9, 10)
    done = subprocess.run(
        [sys.executable, "-m", "doctest", "-v", "reservation.py"],
        cwd=bundle,
        capture_output=True,
        check=True,
        timeout=60,
        encoding="utf-8",
    )
    assert re.search(r"^5 (tests )?passed", done.stdout, flags=re.MULTILINE)
    status, lines = run(bundle, "--doctest-modules", "reservation.py")
    assert status == 0
    assert "5 passed" in lines[-1]


def test_one_level_up_works_and_names_the_folder(bundle):
    """From the parent folder, whatever settings it has, the tests run; one sentence names the folder."""
    (bundle.parent / "pytest.ini").write_text(
        "[pytest]\naddopts = --strict-markers -W error\n", encoding="utf-8"
    )
    _, lines = run(bundle.parent)
    assert f"Next time run pytest inside the folder {NAME}, so that its own settings apply." in lines
    assert lines[-1] == f"0 of 12 visible points so far {LATER}"
    _, lines = run(bundle)
    assert "configfile: pytest.ini" in lines
    assert not [line for line in lines if "Next time" in line]


def test_two_copies_are_never_mixed(tmp_path):
    """With two copies below one folder neither runs, and one sentence says what to do."""
    unpack(tmp_path / "mine" / NAME)
    unpack(tmp_path / "old" / NAME)
    status, lines = run(tmp_path)
    assert status == 4
    text = " ".join(lines)
    assert "there is more than one exercise folder here" in text
    assert "run pytest there" in text
    assert "Traceback" not in text
    assert "passed" not in text
    assert "not started" not in text


def test_ascii_and_no_colour_where_needed(bundle):
    """On a terminal with an old code page symbols are ASCII; without colours no escape is written."""
    environment = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252", "NO_COLOR": "1"}
    _, lines = run(bundle, "-q", "--color=auto", environment=environment)
    assert sum(line.startswith("o ") for line in lines) == 6
    assert all(line.isascii() for line in lines)
    assert not [line for line in lines if "\x1b" in line]
    _, lines = run(bundle, "-q", "--color=yes")
    assert [line for line in lines if "\x1b[" in line]


def test_missing_kit_is_named(bundle):
    """If the folder was copied in part, one sentence names the missing folder."""
    shutil.rmtree(bundle / "kit")
    command = [sys.executable, "-m", "pytest"]
    done = subprocess.run(command, cwd=bundle, capture_output=True, check=False, timeout=60, encoding="utf-8")
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert f"The folder kit is missing beside conftest.py in {bundle}: unzip the exercise once more" in said


def other_pythons(site):
    """The oldest and the newest Python of this machine that the bundle is for and that can import pytest."""
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    folders += [path / "bin" for path in sorted(pyenv.glob("3.*"))]
    versions = {}
    for path in (path for folder in folders for path in folder.glob("python3.*")):
        found = re.fullmatch(r"python3\.(\d+)", path.name)
        if found and int(found[1]) >= 10 and int(found[1]) != sys.version_info.minor:
            versions.setdefault(int(found[1]), []).append(str(path))
    able = []
    for minor in sorted(versions):
        able += [path for path in versions[minor] if _imports_pytest(path, site)][:1]
    return list(dict.fromkeys([*able[:1], *able[-1:]]))


def _imports_pytest(python, site):
    command = [python, "-c", "import pytest"]
    try:
        done = subprocess.run(
            command, env={"PYTHONPATH": str(site)}, capture_output=True, check=False, timeout=60
        )
    except OSError:
        return False
    return done.returncode == 0


def test_it_runs_on_the_oldest_and_newest_python(bundle, tmp_path):
    """This Python, and the oldest and newest that can be had here, say the same with pytest alone."""
    site = tmp_path / "site"
    site.mkdir()
    installed = Path(pytest.__file__).parents[1]
    for pattern in WITH_PYTEST:
        for source in installed.glob(pattern):
            (site / source.name).symlink_to(source)
    solve(bundle, "hands_on.py", 1, 2, 3, 4, 5)
    solve(bundle, "reservation.py", 6, 7, 8, 9)
    write(bundle, "reservation.py", 10, "    return lengths[0] // block * block")
    for python in (sys.executable, *other_pythons(site)):
        status, lines = run(bundle, python=python, environment={"PYTHONPATH": str(site)})
        assert status == 1, "\n".join([python, *lines])
        assert "paged_slots([33], 16) returned 32; expected 48." in lines
        assert lines[-1] == f"10 of 12 visible points so far {LATER}"
