"""Compare the CPU time of `grader grade` with that of other graders of Python exercises.

Usage: python benchmarks/peers.py [--count N] [--only NAME...]

Every grader gets the same hand-ins and the same tests of the functions, written in its own form. It runs as
its documentation says, in an environment of its own below ``benchmarks/.peers``, which pip makes on the first
run. Others are spared Part 1's constants. What a grader reports must be true: each one counted did the work.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from compare import ROOT, adopt_orphans, cost, cpu_seconds, whole_grader

from grader.course.load import load_course
from grader.course.model import Course, Exercise
from grader.lesson.fill import filled_cells
from grader.lesson.format import notebook_bytes
from grader.lesson.notebook import instructor_cells

PEERS = Path(__file__).resolve().parent / ".peers"
FILE = "reservation.py"
STAND_IN = ROOT / "grader" / "sandbox" / "inside" / "standin_pytest.py"
"""``raises`` and ``approx`` for graders without pytest: its import would cost them more than the tests."""


@dataclass(frozen=True)
class Class:
    """The hand-ins: for each the folder with its files, and whether all of its tests pass."""

    course: Course
    exercise: Exercise
    folders: Sequence[tuple[Path, bool]]

    def tests(self) -> Iterable[tuple[str, str]]:
        """The test files of the functions, by visibility."""
        for kind in ("visible", "hidden"):
            path = self.course.root / "tests" / kind / self.exercise.name / f"test_{FILE}"
            # Without the end, which tells students who use unittest to use pytest.
            yield kind, path.read_text(encoding="utf-8").partition("\n\ndef load_tests")[0]


@dataclass(frozen=True)
class Peer:
    """A grader: what pip installs (itself first), how it is set up, and how the class is graded.

    ``grade`` returns, for each hand-in, whether the grader says that all tests passed.
    """

    package: str
    prepare: Callable[[Class, Path], None]
    grade: Callable[[Class, Path, Path], list[bool]]

    @property
    def name(self) -> str:
        """The package without its version."""
        return self.package.partition("==")[0]


def run(program: Path, *arguments: object, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program as in its activated environment, whatever its exit status."""
    command = [str(program), *map(str, arguments)]
    variables["PATH"] = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command, cwd=cwd, check=False, capture_output=True, text=True, env=os.environ | variables
    )


def decorated(text: str, decorator: str) -> str:
    """Put a decorator before each test."""
    return re.sub(r"^( *)(?=def test_)", rf"\1{decorator}\n\1", text, flags=re.MULTILINE)


def copied(class_: Class, place: Path) -> Iterable[None]:
    """Put the hand-ins' file into a place, one after the other."""
    for folder, _ in class_.folders:
        shutil.copyfile(folder / FILE, place / FILE)
        yield


def prepare_gradescope(class_: Class, place: Path) -> None:
    """Write unittest cases with weights, and the run_tests.py of the documentation."""
    imports = "import unittest\nfrom gradescope_utils.autograder_utils.decorators import weight, visibility\n"
    (place / "tests").mkdir()
    shutil.copyfile(STAND_IN, place / "pytest.py")
    for kind, text in class_.tests():
        cases = re.sub(r"^class (\w+):", r"class \1(unittest.TestCase):", text, flags=re.MULTILINE)
        cases = imports + decorated(cases, f'@weight(1)\n    @visibility("{kind}")')
        (place / "tests" / f"test_{kind}.py").write_text(cases, encoding="utf-8")
    (place / "run_tests.py").write_text(
        "import unittest\n"
        "from gradescope_utils.autograder_utils.json_test_runner import JSONTestRunner\n"
        "if __name__ == '__main__':\n"
        "    suite = unittest.defaultTestLoader.discover('tests')\n"
        "    with open('results.json', 'w') as f:\n"
        "        JSONTestRunner(visibility='visible', stream=f).run(suite)\n",
        encoding="utf-8",
    )


def grade_gradescope(class_: Class, place: Path, programs: Path) -> list[bool]:
    """Run run_tests.py for each hand-in, as Gradescope's run_autograder does."""
    found = []
    for _ in copied(class_, place):
        run(programs / "python", "run_tests.py", cwd=place)
        tests = json.loads((place / "results.json").read_text(encoding="utf-8"))["tests"]
        found.append(all(test["score"] == test["max_score"] for test in tests))
    return found


def prepare_pytest_grader(class_: Class, place: Path) -> None:
    """Give each test a point."""
    (place / "conftest.py").write_text('pytest_plugins = ["pytest_grader"]\n', encoding="utf-8")
    for kind, text in class_.tests():
        scored = "from pytest_grader import points\n" + decorated(text, "@points(1)")
        (place / f"test_{kind}.py").write_text(scored, encoding="utf-8")


def grade_pytest_grader(class_: Class, place: Path, programs: Path) -> list[bool]:
    """Run ``pytest --score`` for each hand-in."""
    return [
        run(programs / "python", "-m", "pytest", "-q", "--score", cwd=place).returncode == 0
        for _ in copied(class_, place)
    ]


def prepare_check50(class_: Class, place: Path) -> None:
    """Write a check for each test class, which is what earns points in the lesson."""
    (place / "work").mkdir()
    checks = place / "checks"
    checks.mkdir()
    shutil.copyfile(STAND_IN, checks / "pytest.py")
    lines = ["import os, sys, check50"]
    lines += ["def run(name, kind):", "    sys.path[:0] = [os.getcwd(), os.path.dirname(__file__)]"]
    lines += ["    test = getattr(__import__(kind), name)()"]
    lines += ["    for one in dir(test):", "        if one.startswith('test_'):", "            try:"]
    lines += ["                getattr(test, one)()", "            except Exception as error:"]
    lines += ["                raise check50.Failure(f'{one}: {error!r}')"]
    for kind, text in class_.tests():
        (checks / f"{kind}_tests.py").write_text(text, encoding="utf-8")
        for name in re.findall(r"^class (\w+):", text, flags=re.MULTILINE):
            lines += ["@check50.check()", f"def {name.lower()}_{kind}():", f'    """{name}"""']
            lines += [f"    run({name!r}, '{kind}_tests')"]
    (checks / "__init__.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (checks / ".cs50.yml").write_text(f"check50:\n  files:\n    - !require {FILE}\n", encoding="utf-8")


def grade_check50(class_: Class, place: Path, programs: Path) -> list[bool]:
    """Run ``check50 --dev`` on each hand-in, with the checks that lie here."""
    found = []
    for _ in copied(class_, place / "work"):
        out = ("-o", "json", "--output-file", place / "out.json")
        run(programs / "check50", "--dev", place / "checks", *out, cwd=place / "work")
        results = json.loads((place / "out.json").read_text(encoding="utf-8"))["results"]
        found.append(all(one["passed"] for one in results))
    return found


def prepare_otter(class_: Class, place: Path) -> None:
    """Write exception-based tests, one file a class of tests, and the autograder's zip."""
    (place / "beside").mkdir()
    shutil.copyfile(STAND_IN, place / "beside" / "pytest.py")
    config = {"lang": "python", "show_stdout": False}
    with zipfile.ZipFile(place / "autograder.zip", "w") as archive:
        archive.writestr("otter_config.json", json.dumps(config))
        for kind, text in class_.tests():
            head, *classes = re.split(r"^(?=class )", text, flags=re.MULTILINE)
            for body in classes:
                name = f"{re.findall('[A-Za-z]+', body)[1]}_{kind}"
                archive.writestr(f"tests/{name}.py", _otter_test(name, head, body, hidden=kind == "hidden"))


def _otter_test(name: str, head: str, body: str, *, hidden: bool) -> str:
    """Return a test file of otter's own form for one class of tests."""
    class_ = re.findall(r"class (\w+)", body)[0]
    lines = ["from otter.test_files import test_case", "OK_FORMAT = False", f"name = {name!r}"]
    lines += [head.replace("import reservation", "import types, sys"), body]
    for test in re.findall(r"def (test_\w+)\(self", body):
        lines += [f"@test_case(points=1, hidden={hidden})", f"def {test}(env):"]
        lines += ["    global reservation", "    reservation = types.SimpleNamespace(**env)"]
        lines += [f"    {class_}().{test}()"]
    return "\n".join(lines) + "\n"


def grade_otter(class_: Class, place: Path, programs: Path) -> list[bool]:
    """Run ``otter run``, which grades one script without a container."""
    found = []
    for _ in copied(class_, place):
        command = ("run", "-a", "autograder.zip", "-o", place, FILE)
        run(programs / "otter", *command, cwd=place, PYTHONPATH=str(place / "beside"))
        results = json.loads((place / "results.json").read_text(encoding="utf-8"))
        tests = [one for one in results["tests"] if one.get("max_score")]
        found.append(bool(tests) and all(one["score"] == one["max_score"] for one in tests))
    return found


def prepare_nbgrader(class_: Class, place: Path) -> None:
    """Write the source notebook with all tests, and the hand-ins as notebooks."""
    cells, name = instructor_cells(class_.course, class_.exercise), class_.exercise.name
    source = place / "source" / name / class_.exercise.notebook
    source.parent.mkdir(parents=True)
    source.write_bytes(notebook_bytes(cells, released=False))
    for number, (folder, _) in enumerate(class_.folders):
        files = {one: (folder / one).read_bytes() for one in class_.exercise.files}
        path = place / "submitted" / f"s{number}" / name / class_.exercise.notebook
        path.parent.mkdir(parents=True)
        path.write_bytes(notebook_bytes(filled_cells(cells, class_.exercise, files), released=True))
    run(PEERS / "nbgrader/bin/nbgrader", "generate_assignment", name, cwd=place)


def grade_nbgrader(class_: Class, place: Path, programs: Path) -> list[bool]:
    """Run ``nbgrader autograde``, which grades the whole class in one process, and ``nbgrader export``."""
    run(programs / "nbgrader", "autograde", class_.exercise.name, cwd=place)
    run(programs / "nbgrader", "export", "--to", "grades.csv", cwd=place)
    head, *rows = [row.split(",") for row in (place / "grades.csv").read_text().splitlines()]
    scores = {row[head.index("student_id")]: row for row in rows}
    columns = head.index("raw_score"), head.index("max_score")
    return [scores[f"s{n}"][columns[0]] == scores[f"s{n}"][columns[1]] for n in range(len(class_.folders))]


ALL = (
    Peer("gradescope-utils==0.5.0", prepare_gradescope, grade_gradescope),
    Peer("pytest-grader==0.4.1", prepare_pytest_grader, grade_pytest_grader),
    Peer("check50==3.5.0", prepare_check50, grade_check50),
    Peer("otter-grader==7.0.0 ipykernel==7.4.0", prepare_otter, grade_otter),
    Peer("nbgrader==0.9.6 pytest==9.2.0", prepare_nbgrader, grade_nbgrader),
)


def write_class(folder: Path, course: Course, exercise: Exercise, count: int) -> Class:
    """Write hand-ins, no two the same: right, one function wrong, right and untouched in turn."""
    folders = []
    for number in range(count):
        place = folder / f"student{number:03}"
        place.mkdir(parents=True)
        source = "exercises" if number % 4 == 3 else "solutions"
        for name in exercise.files:
            text = (course.root / source / exercise.name / name).read_text(encoding="utf-8")
            if number % 4 == 1:
                text = text.replace("sum(lengths)", "max(lengths, default=0)")
            (place / name).write_text(f"{text}\n# hand-in {number}\n", encoding="utf-8")
        folders.append((place, number % 2 == 0))
    return Class(course, exercise, folders)


def install(peer: Peer) -> str:
    """Install a grader into its own environment unless it is there; return its version."""
    place = PEERS / peer.name
    if not (place / "done").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", place], check=True)
        pip = [place / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *peer.package.split()], check=True)
        (place / "done").touch()
    code = f"import importlib.metadata as m; print(m.version({peer.name!r}))"
    return run(place / "bin/python", "-c", code, cwd=place).stdout.strip()


def main() -> None:
    """Measure and print, and end with 1 if a grader was wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=8, help="hand-ins for each other grader (default 8)")
    parser.add_argument("--own", type=int, default=120, help="hand-ins for this grader (default 120)")
    parser.add_argument("--only", nargs="*", help="names of graders; without it all")
    options = parser.parse_args()
    adopt_orphans()
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise("contiguous_reservation")
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        write_class(scratch / "own", course, exercise, options.own)
        own = cost(lambda: whole_grader(course, scratch / "own", scratch / "out", 1)) / options.own
        print(f"{'grader grade, everything':28}{own * 1000:9.1f} ms CPU a submission ({options.own})")
        class_ = write_class(scratch / "class", course, exercise, options.count)
        wrong = False
        for peer in ALL:
            if options.only and peer.name not in options.only:
                continue
            version = install(peer)
            place = scratch / peer.name
            place.mkdir()
            peer.prepare(class_, place)
            before = cpu_seconds()
            verdicts = peer.grade(class_, place, PEERS / peer.name / "bin")
            each = (cpu_seconds() - before) / options.count
            right = verdicts == [passes for _, passes in class_.folders]
            wrong |= not right
            print(
                f"{f'{peer.name} {version}':28}{each * 1000:9.1f} ms CPU a submission ({options.count}), "
                f"{each / own:.1f} times ours{'' if right else ', BUT WRONG: ' + str(verdicts)}",
                flush=True,
            )
    sys.exit(wrong)


if __name__ == "__main__":
    main()
