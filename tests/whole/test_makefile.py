"""The Makefile and CI's script, run with stand-ins for the programs that they call."""

import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner
from helpers.paths import ROOT, unmeasured

from grader.cli import cli

MAKE = shutil.which("make")
BASH = shutil.which("bash")

# A Python that is new enough: it notes its arguments; as venv it makes more stand-ins.
PYTHON = """\
#!/bin/sh
echo "$(basename "$0") $*" >> "$LOG"
case "$*" in
  *"-m venv"*)
    mkdir -p .venv/bin
    for name in python grader ruff mypy lint-imports; do cp "$0" ".venv/bin/$name"; done ;;
esac
"""
OLD = """\
#!/bin/sh
[ "$1" = --version ] && echo "Python 3.9.2"
[ "$1" = --version ]
"""
NOTE = """\
#!/bin/sh
echo "$(basename "$0") $* [$KIT_NOTHING_SKIPPED]" >> "$LOG"
"""

# An npm that makes what the page needs.
NPM = """\
#!/bin/sh
echo "npm $*" >> "$LOG"
mkdir -p node_modules dist
case "$*" in *build) touch dist/index.html ;; *) touch node_modules/.package-lock.json ;; esac
"""

STYLE = ["ruff check .", "ruff format --check .", "mypy ", "lint-imports "]

pytestmark = pytest.mark.skipif(MAKE is None or BASH is None, reason="make or bash is not installed")


@pytest.fixture
def place(tmp_path):
    """A folder with our Makefile and CI's script, and a folder of stand-ins, which is the whole PATH."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit" / "pyproject.toml").write_text("")
    shutil.copy(ROOT / "Makefile", tmp_path / "kit")
    shutil.copytree(ROOT / ".ci", tmp_path / "kit" / ".ci")
    for name in ("touch", "basename", "mkdir", "cp", "dirname", "bash", "sh"):
        (tmp_path / "bin" / name).symlink_to(shutil.which(name))
    return tmp_path


def stand_in(place, name, text):
    """Add an executable to the PATH."""
    (place / "bin" / name).write_text(text)
    (place / "bin" / name).chmod(0o755)


def run(place, *call):
    """Run a command there; return its result and the lines that the stand-ins noted."""
    log = place / "log"
    log.write_text("")
    done = subprocess.run(
        call,
        cwd=place / "kit",
        env={"PATH": str(place / "bin"), "LOG": str(log)},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return done, log.read_text().splitlines()


def test_sample_class(place):
    """``make grade`` sets up .venv with the gradebook's extra, once, and grades the sample class."""
    stand_in(place, "python3", PYTHON)
    done, lines = run(place, MAKE, "grade")
    assert done.returncode == 0, done.stderr
    sample = "tests/sample"
    grading = f"grader grade {sample}/class.zip --course {sample}/course.toml --roster {sample}/roster.csv"
    assert lines[1:] == [
        "python3 -m venv --clear .venv",
        "python -m pip install --quiet --disable-pip-version-check --editable .[nbgrader,report]",
        grading,
    ]
    assert run(place, MAKE, "grade")[1] == [grading]


def test_page_for_the_browser(place):
    """``make web`` installs and builds once, and releases each time; without npm it says what is missing."""
    stand_in(place, "python3", PYTHON)
    (place / "kit" / "web").mkdir()
    for name in ("package-lock.json", "build.js"):
        (place / "kit" / "web" / name).touch()
    done, _ = run(place, MAKE, "web")
    assert done.returncode != 0
    assert "make web needs Node 20 or newer and npm" in done.stderr
    stand_in(place, "npm", NPM)
    done, lines = run(place, MAKE, "web", "EXERCISE=small")
    assert done.returncode == 0, done.stderr
    assert [line.split()[:2] for line in lines[:2]] == [["npm", "ci"], ["npm", "run"]]
    assert lines[2:] == ["grader release --web --exercise small"]
    assert run(place, MAKE, "web")[1] == ["grader release --web"]


@pytest.mark.parametrize("name", ["class.zip", "my class's $work (1).zip", "-x.zip"])
def test_class_of_any_name(place, name):
    """``make grade CLASS=FILE`` passes on any file name unchanged, with and without a roster."""
    stand_in(place, "python3", PYTHON)
    assert run(place, MAKE, "grade", f"CLASS={name}")[1][-1] == f"grader grade -- {name}"
    _, lines = run(place, MAKE, "grade", f"CLASS={name}", "ROSTER=my roster.csv")
    assert lines == [f"grader grade --roster my roster.csv -- {name}"]


def test_python_that_is_too_old(place):
    """Without a Python that is new enough, one sentence says so and how to name one; nothing is made."""
    stand_in(place, "python3", OLD)
    done, _ = run(place, MAKE, "grade")
    assert done.returncode != 0
    assert done.stderr.startswith("The grader needs Python 3.11 or newer, and here is Python 3.9.2. Install")
    assert "make grade PYTHON=" in done.stderr
    assert not (place / "kit" / ".venv").exists()


def test_newer_python_beside_an_old_one(place):
    """A newer Python is found beside an old ``python3``, and one that is named comes first."""
    stand_in(place, "python3", OLD)
    stand_in(place, "python3.12", PYTHON)
    assert run(place, MAKE, "grade")[1][1] == "python3.12 -m venv --clear .venv"
    shutil.rmtree(place / "kit" / ".venv")
    stand_in(place, "mine", PYTHON)
    assert run(place, MAKE, "grade", f"PYTHON={place}/bin/mine")[1][1] == "mine -m venv --clear .venv"


def test_python_without_venv(place):
    """Without venv, the message says what to install."""
    stand_in(place, "python3", '#!/bin/sh\n[ "$1" = -c ]\n')
    done, _ = run(place, MAKE, "grade")
    assert done.returncode != 0
    assert (
        "python3 could not make a virtual environment; on Debian and Ubuntu install python3-venv."
        in done.stderr
    )


@pytest.mark.parametrize(
    ("target", "calls"),
    [
        ("test", ["python -m pytest -n auto --dist loadfile --cov --cov-report=term -q", "grader check"]),
        ("quick", ["python -m pytest -n 3 --dist worksteal -m not slow -q"]),
    ],
)
def test_what_is_tested(place, target, calls):
    """Both check style, types and layers; ``test`` runs all tests with coverage, ``quick`` those not slow."""
    stand_in(place, "python3", PYTHON)
    done, lines = run(place, MAKE, target)
    assert done.returncode == 0, done.stderr
    assert lines[3:] == [*STYLE, *calls]


def test_ci_as_root(place):
    """As root, CI installs system packages, then runs ``make test`` with KIT_NOTHING_SKIPPED."""
    stand_in(place, "id", "#!/bin/sh\necho 0\n")
    stand_in(place, "apt-get", NOTE)
    stand_in(place, "make", NOTE)
    done, lines = run(place, BASH, ".ci/run")
    assert done.returncode == 0, done.stderr
    assert lines[0].startswith("apt-get update")
    for package in ("bubblewrap", "chromium", "postgresql"):
        assert package in lines[1]
    assert lines[2] == "make test [1]"


@pytest.mark.parametrize("there", [True, False])
def test_ci_leaves_another_npm_alone(place, there):
    """As root, CI installs Debian's npm only where no npm is found: both cannot be there."""
    stand_in(place, "id", "#!/bin/sh\necho 0\n")
    stand_in(place, "apt-get", NOTE)
    stand_in(place, "make", NOTE)
    if there:
        stand_in(place, "npm", NOTE)
    _, lines = run(place, BASH, ".ci/run")
    assert lines[1].split().count("npm") == (not there)


def test_ci_as_anyone(place):
    """As an ordinary user, CI installs no system packages."""
    stand_in(place, "id", "#!/bin/sh\necho 1000\n")
    stand_in(place, "make", NOTE)
    done, lines = run(place, BASH, ".ci/run")
    assert done.returncode == 0, done.stderr
    assert lines == ["make test [1]"]


@pytest.mark.parametrize("failing", ["apt-get", "make"])
def test_ci_ends_at_the_first_failure(place, failing):
    """When a step fails, CI ends with its status."""
    stand_in(place, "id", "#!/bin/sh\necho 0\n")
    stand_in(place, "apt-get", NOTE)
    stand_in(place, "make", NOTE)
    stand_in(place, failing, "#!/bin/sh\nexit 100\n")
    done, lines = run(place, BASH, ".ci/run")
    assert done.returncode == 100
    assert not [line for line in lines if line.startswith("make")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("solutions", "some", "status"),
    [("solutions", (), 0), ("exercises", ("--exercise", "block_tables"), 1)],
)
def test_ci_tries_the_bundle(tmp_path, solutions, some, status):
    """Each released bundle gets 0 points untouched and all with the solution; stubs in its place fail."""
    release = ["release", "--to", str(tmp_path / "dist"), "--course", str(ROOT / "course.toml"), "--quiet"]
    assert CliRunner().invoke(cli, [*release, *some]).exit_code == 0
    call = [sys.executable, str(ROOT / ".ci/try_bundle.py"), str(tmp_path / "dist"), str(ROOT / solutions)]
    done = subprocess.run(call, capture_output=True, text=True, check=False, env=unmeasured())
    assert done.returncode == status, done.stdout + done.stderr
    assert done.stderr.count("solved: expected status 0") == status
