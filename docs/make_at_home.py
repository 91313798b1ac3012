"""Write docs/at-home.md: what clumsy hand-ins earn at home and when graded, and the sentence between.

Each variant is a finished exercise with one change. The released bundle runs it on the oldest and the newest
Python that can be found here, and ``grader grade`` grades all of them as one class:

    python docs/make_at_home.py [FIRST_LETTERS_OF_VARIANTS]

With first letters, only the rows of these variants are renewed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from grader.course.load import load_course
from grader.lesson.fill import filled_cells
from grader.lesson.format import notebook_bytes
from grader.lesson.notebook import student_cells

ROOT = Path(__file__).resolve().parents[1]
NAME = "contiguous_reservation"
COURSE = str(ROOT / "course.toml")
OUT = ROOT / "docs" / "at-home.md"
GRADER = (sys.executable, "-m", "grader")
WITH_PYTEST = (
    "_pytest",
    "pytest",
    "pluggy",
    "iniconfig",
    "packaging",
    "pygments",
    "exceptiongroup",
    "tomli",
    "typing_extensions.py",
    "py.py",
)
ONE, TWO, NOTEBOOK = "hands_on.py", "reservation.py", "reservation.ipynb"
Files = dict[str, "str | bytes | None"]
Seen = tuple[int, list[str]]
"""Visible points, and what was said."""

MEMORY_KIB = 3_000_000
"""Address space of a run at home, for the variants that take all that there is."""

RUN_ALL = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell()
cells = json.load(open(sys.argv[1], encoding="utf-8"))["cells"]
sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
for source in sources:
    if not shell.run_cell(source).success:
        shell.run_cell("summary()")
        break
"""
"""What runs a notebook's cells in order up to the first that fails."""

# Lines at the top of reservation.py, below its docstring.
TOP = {
    "stdout reconfigure": "import sys\nsys.stdout.reconfigure(encoding='utf-8')",
    "stdout buffer": "import sys\nsys.stdout.buffer.write(b'hello\\n')",
    "stdout fileno": "import sys\nprint(sys.stdout.fileno(), sys.stdout.isatty(), sys.stdout.encoding)",
    "stderr flush": "import sys\nsys.stderr.write('x\\n')\nsys.stderr.flush()",
    "stdin": "import sys\nsys.stdin.isatty()",
    "faulthandler": "import faulthandler\nfaulthandler.enable()",
    "chdir": "import os\nos.chdir(os.path.dirname(os.path.abspath(__file__)))",
    "sys.path": "import os\nimport sys\nsys.path.insert(0, os.path.dirname(__file__))",
    "getcwd": "import os\nHERE = os.getcwd()",
    "pathlib": "from pathlib import Path\nHERE = Path(__file__).parent",
    "logging": "import logging\nlogging.basicConfig(level=logging.INFO)\nlogging.info('start')",
    "logging to a file": "import logging\nlogging.basicConfig(filename='debug.log')\nlogging.info('start')",
    "asyncio": "import asyncio\n\n\nasync def main():\n    return 1\n\n\nasyncio.run(main())",
    "thread": "import threading\nt = threading.Thread(target=lambda: sum(range(10)))\nt.start()\nt.join()",
    "thread pool": "from concurrent.futures import ThreadPoolExecutor\n"
    "with ThreadPoolExecutor() as pool:\n    list(pool.map(abs, [1, 2]))",
    "process pool": "from concurrent.futures import ProcessPoolExecutor\nPOOL = ProcessPoolExecutor(1)",
    "zoneinfo": "from zoneinfo import ZoneInfo\nZONE = ZoneInfo('Europe/Berlin')",
    "datetime": "import datetime\nNOW = datetime.datetime.now()",
    "doctest": "import doctest\ndoctest.testmod()",
    "os.system cls": "import os\nos.system('cls' if os.name == 'nt' else 'clear')",
    "platform": "import platform\nprint(platform.platform())",
    "glob": "import glob\nFILES = glob.glob('*.py')",
    "listdir": "import os\nFILES = os.listdir()",
    "uuid": "import uuid\nID = uuid.uuid4()\nOTHER = uuid.uuid1()",
    "random": "import random\nrandom.seed(1)\nrandom.random()",
    "secrets": "import secrets\nsecrets.token_hex()",
    "time": "import time\nSTART = time.time()\ntime.sleep(0.01)",
    "open a file": "TEXT = open('README.md', encoding='utf-8').read()",
    "open its own file": "LINES = open(__file__, encoding='utf-8').read()",
    "write a file": "with open('out.txt', 'w') as out:\n    out.write('x')",
    "open in try": "try:\n    open('settings.txt')\nexcept OSError:\n    pass",
    "csv": "import csv\nimport io\nROWS = list(csv.reader(io.StringIO('a,b')))",
    "json": "import json\nDATA = json.loads('[1]')",
    "sqlite3": "import sqlite3\nDB = sqlite3.connect(':memory:')",
    "tempfile": "import tempfile\nFOLDER = tempfile.mkdtemp()",
    "subprocess": "import subprocess\nsubprocess.run(['echo'], check=False)",
    "socket": "import socket\nNAME = socket.gethostname()",
    "urllib": "import urllib.request",
    "environ": "import os\nUSER = os.environ.get('USER', '')",
    "environ key": "import os\nHOME = os.environ['PATH']",
    "getpass": "import getpass\nUSER = getpass.getuser()",
    "locale": "import locale\nlocale.setlocale(locale.LC_ALL, '')",
    "signal": "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)",
    "recursion limit": "import sys\nsys.setrecursionlimit(5000)",
    "int digits": "import sys\nprint(sys.version, sys.argv)",
    "warnings": "import warnings\nwarnings.filterwarnings('ignore')\nwarnings.warn('x')",
    "gc": "import gc\ngc.collect()",
    "tracemalloc": "import tracemalloc\ntracemalloc.start()",
    "resource": "import resource\nresource.getrusage(resource.RUSAGE_SELF)",
    "atexit": "import atexit\natexit.register(print, 'bye')",
    "inspect source": "import inspect\nimport sys\ninspect.getsource(sys.modules[__name__])",
    "dataclass": "from dataclasses import dataclass\n\n\n@dataclass\nclass Region:\n    size: int = 0",
    "enum": "import enum\n\n\nclass Kind(enum.Enum):\n    A = 1",
    "typing": "from typing import List, Optional\n\nNumbers = List[int]",
    "numpy unused": "import numpy as np",
    "numpy in try": "try:\n    import numpy as np\nexcept ImportError:\n    np = None",
    "matplotlib": "import matplotlib.pyplot as plt",
    "typing_extensions": "from typing_extensions import TypeAlias",
    "tkinter": "import tkinter",
    "turtle": "import turtle",
    "readline": "import readline",
    "curses": "import curses",
    "import pytest": "import pytest",
    "pytest mark": "import pytest\n\n\n@pytest.mark.parametrize('n', [1, 2])\ndef test_n(n):\n    assert n",
    "pytest raises": "import pytest\nwith pytest.raises(ValueError):\n    int('x')",
    "pytest approx": "import pytest\nassert 0.1 + 0.2 == pytest.approx(0.3)",
    "pytest fixture": "import pytest\n\n\n@pytest.fixture\ndef lengths():\n    return [1]",
    "unittest": "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_x(self):\n        pass",
    "own tests": "def test_mine():\n    assert paged_slots([33], 16) == 48",
    "hands_on": "from hands_on import *",
    "hands_on name": "from hands_on import RESERVED\nprint(RESERVED)",
    "print": "print('Hello', 1, 2)",
    "print a lot": "print('x' * 100000)",
    "print unicode": "print('\\u2713 \\U0001f600')",
    "input": "LIMIT = int(input('max_len? '))",
    "input in main": "if __name__ == '__main__':\n    LIMIT = int(input('max_len? '))",
    "breakpoint in main": "if __name__ == '__main__':\n    breakpoint()",
    "breakpoint": "breakpoint()",
    "pdb": "import pdb\npdb.set_trace()",
    "exit": "import sys\nsys.exit()",
    "quit": "quit()",
    "exit in main": "import sys\nif __name__ == '__main__':\n    sys.exit(0)",
    "assert": "assert 1 + 1 == 3",
    "error": "x = [][0]",
    "missing helper": "import my_helper",
    "loop": "while True:\n    pass",
    "slow import": "end = __import__('time').process_time() + 3\n"
    "while __import__('time').process_time() < end:\n    pass",
    "syntax": "def f(:\n    pass",
    "tab": "def f():\n\tif 1:\n        return 1",
    "curly quotes": "x = \u201ca\u201d",
    "match": "match 1:\n    case 1:\n        x = 1",
    "walrus": "if (n := 10) > 5:\n    pass",
    "python 3.11 except*": "try:\n    pass\nexcept* ValueError:\n    pass",
    "python 3.12 f-string": 'NAMES = ["a"]\nprint(f"{", ".join(NAMES)}")',
    "python 3.12 type": "type Numbers = list[int]",
    "python 3.12 generic": "def first[T](items: list[T]) -> T:\n    return items[0]",
    "python 3.12 batched": "from itertools import batched",
    "python 3.13 replace": "from copy import replace",
    "python 2 print": "print 'hello'",
    "magic": "%matplotlib inline",
    "prompt": ">>> import math",
    "merge marks": "<<<<<<< HEAD",
    "look-alike name": "def p\u0430ged_slots(lengths, block):\n    return 0",
    "__all__": "__all__ = ['paged_slots']",
    "from __future__": "from __future__ import annotations",
    "relative import": "from . import hands_on",
    "import itself": "import reservation",
}

RIGHT = "sum(-(-n // block) * block for n in lengths)"
PAGED = "def paged_slots(lengths, block):\n    {}\n"
# Other bodies of paged_slots: 3 visible points of 12 hang on it.
BODY = {
    "Decimal": "from decimal import Decimal\n    return Decimal(@)",
    "Fraction": "from fractions import Fraction\n    return Fraction(@)",
    "int subclass": "class Slots(int):\n        pass\n    return Slots(@)",
    "IntEnum": "import enum\n    return enum.IntEnum('N', {'A': @}).A",
    "equal to everything": "class All:\n        def __eq__(self, other): return True\n    return All()",
    "mock": "from unittest.mock import MagicMock\n    return MagicMock()",
    "float": "return float(@)",
    "bool": "return True",
    "text": "return str(@)",
    "list": "return [-(-n // block) * block for n in lengths]",
    "generator": "yield 48",
    "async": "return 1",
    "print": "print(@)",
    "rounds down": "return sum(n // block * block for n in lengths)",
    "sorts": "lengths.sort()\n    return @",
    "raise left above": "raise NotImplementedError('TODO 10')\n    return 48",
    "raise left below": "if lengths == [33]:\n        return 48\n    raise NotImplementedError('TODO 10')",
    "stub": "raise NotImplementedError('TODO 10: round every sequence up to whole blocks')",
    "pass": "pass",
    "other arguments": "return 48",
    "name slip": "return sum(-(-n // block) * block for n in length)",
    "open": "open('x.txt', 'w').close()\n    return @",
    "open in try": "try:\n        open('x.txt')\n    except OSError:\n        pass\n    return @",
    "thread": "import threading\n    t = threading.Thread(target=int)\n    t.start()\n    t.join()\n"
    "    return @",
    "subprocess": "import subprocess\n    subprocess.run(['true'])\n    return @",
    "os.system": "import os\n    os.system('')\n    return @",
    "asyncio": "import asyncio\n    asyncio.run(asyncio.sleep(0))\n    return @",
    "input": "input('? ')\n    return @",
    "breakpoint": "breakpoint()\n    return @",
    "exit": "exit()",
    "slow": "import time\n    end = time.process_time() + 1.5\n    while time.process_time() < end: pass\n"
    "    return @",
    "sleep": "import time\n    time.sleep(0.3)\n    return @",
    "endless": "while True:\n        pass",
    "endless with except": "while True:\n        try:\n            n = len(lengths)\n        except:\n"
    "            pass",
    "recursion": "return paged_slots(lengths, block)",
    "memory": "x = [0]\n    while True:\n        x += x",
    "numpy": "import numpy as np\n    return int(np.sum(-(-np.array(lengths) // block) * block))",
    "global state": "global seen\n    seen = globals().get('seen', 0) + @\n    return seen",
}


def finished() -> dict[str, str]:
    """The two files with all answers right."""
    solutions = {name: (ROOT / "solutions" / NAME / name).read_text(encoding="utf-8") for name in (ONE, TWO)}
    marked = re.compile(r"^ *### (BEGIN|END) SOLUTION\n", re.MULTILINE)
    return {name: marked.sub("", text) for name, text in solutions.items()}


def variants() -> Iterator[tuple[str, Files]]:
    """Each variant: its name, and the files that it has in place of the finished ones; None: not there."""
    one, two = finished().values()
    end = two.index('"""', 3) + 4
    head, rest = two[:end], two[end:]
    yield "finished", {ONE: one, TWO: two}
    yield "untouched", {}
    for name, text in TOP.items():
        yield f"top: {name}", {ONE: one, TWO: f"{head}\n{text}\n{rest}"}
    start = rest.index("def paged_slots")
    for name, body in BODY.items():
        function = PAGED.format(body.replace("@", RIGHT))
        if name == "async":
            function = f"async {function}"
        if name == "other arguments":
            function = function.replace("lengths, block", "lengths")
        yield f"paged_slots: {name}", {ONE: one, TWO: head + rest[:start] + function}
    cached = rest.replace("def used_slots", "@functools.lru_cache\ndef used_slots")
    yield "decorator: lru_cache", {ONE: one, TWO: f"{head}\nimport functools\n{cached}"}
    yield "name: capital letter", {ONE: one, TWO: two.replace("def paged_slots", "def Paged_slots")}
    yield "name: deleted", {ONE: one, TWO: head + rest[:start]}
    yield (
        "calls: unwritten",
        {
            ONE: one,
            TWO: head
            + rest.replace(
                "def used_slots",
                "def used_slots(lengths, max_len=None):\n"
                "    raise NotImplementedError('TODO 7')\n\n\ndef old",
            ),
        },
    )
    yield from file_variants(one, two)
    yield from part_variants(one, two)
    yield from notebook_variants()
    changed = (ROOT / "tests/visible" / NAME / "test_reservation.py").read_text(encoding="utf-8")
    wrong = {TWO: head + rest[:start] + PAGED.format("return 0")}
    yield "tests: changed", {ONE: one, **wrong, "test_reservation.py": re.sub(r"== 48", "== 0", changed)}
    yield "tests: missing", {ONE: one, TWO: two, "test_hands_on.py": None}
    yield "tests: own that fail", {ONE: one, TWO: two, "test_own.py": "def test_x():\n    assert 0\n"}
    yield (
        "tests: own with stars",
        {
            ONE: one,
            TWO: two,
            "test_own.py": "from hands_on import *\nfrom reservation import *\n\n\n"
            "def test_x():\n    assert paged_slots([33], 16) == 48\n",
        },
    )


def file_variants(one: str, two: str) -> Iterator[tuple[str, Files]]:
    """Variants of the file of part 2: its encoding, its name, or what lies beside it."""
    yield "file: UTF-16", {ONE: one, TWO: two.encode("utf-16")}
    yield "file: Latin-1 comment", {ONE: one, TWO: two.encode() + "# caf\u00e9\n".encode("latin-1")}
    yield "file: Latin-1 text", {ONE: one, TWO: two.encode() + "X = 'caf\u00e9'\n".encode("latin-1")}
    yield "file: byte-order mark", {ONE: one, TWO: two.encode("utf-8-sig")}
    yield "file: Windows line ends", {ONE: one, TWO: two.replace("\n", "\r\n").encode()}
    yield "file: Ctrl-Z at the end", {ONE: one, TWO: two.encode() + b"\x1a"}
    yield "file: NUL at the end", {ONE: one, TWO: two.encode() + b"\0"}
    yield "file: empty", {ONE: one, TWO: ""}
    yield "file: missing", {ONE: one, TWO: None}
    yield "file: .py.txt", {ONE: one, TWO: None, f"{TWO}.txt": two}
    yield "file: capital letter", {ONE: one, TWO: None, "Reservation.py": two}
    yield "file: my_reservation.py", {ONE: one, TWO: None, "my_reservation.py": two}
    yield "file: finished copy beside the stub", {ONE: one, "reservation (1).py": two}
    yield "file: helper", {ONE: one, TWO: f"{two}\nimport sizes\n", "sizes.py": "BLOCK = 16\n"}


def part_variants(one: str, two: str) -> Iterator[tuple[str, Files]]:
    """Variants of the answers in part 1."""
    yield "part 1: text", {ONE: one.replace("RESERVED = 300", "RESERVED = '300'"), TWO: two}
    yield "part 1: float", {ONE: one.replace("RESERVED = 300", "RESERVED = 300.0"), TWO: two}
    yield "part 1: sum", {ONE: one.replace("RESERVED = 300", "RESERVED = 3 * 100"), TWO: two}
    yield "part 1: wrong", {ONE: one.replace("RESERVED = 300", "RESERVED = 65"), TWO: two}
    yield "part 1: yes", {ONE: re.sub(r"UNUSED_IS_SHARED = \w+", "UNUSED_IS_SHARED = 'no'", one), TWO: two}
    yield (
        "part 1: 0 for False",
        {ONE: re.sub(r"UNUSED_IS_SHARED = \w+", "UNUSED_IS_SHARED = 0", one), TWO: two},
    )
    yield "part 1: true", {ONE: re.sub(r"UNUSED_IS_SHARED = \w+", "UNUSED_IS_SHARED = false", one), TWO: two}
    yield (
        "part 1: imports part 2",
        {ONE: one + "from reservation import *\nprint(paged_slots([33], 16))\n", TWO: two},
    )


SLOTS = "def paged_slots(lengths, block):\n    "
# Cells in the finished notebook above that of paged_slots, or in place of it.
CELLS = {
    "magic": "%time x = 1",
    "shell": "!echo hello",
    "print": "print('Hello', 1, 2)",
    "print a lot": "print('x' * 100000)",
    "numpy": "import numpy as np",
    "input": "LIMIT = int(input('max_len? '))",
    "error": "x = [][0]",
    "syntax": "def f(:",
    "exit": "exit()",
    "empty": "",
    "comment": "# my notes",
    "question": "paged_slots?",
    "open a file": "open('notes.txt', 'w').write('x')",
    "own check": "assert 1 + 1 == 3",
    "answer: rounds down": f"{SLOTS}return sum(n // block * block for n in lengths)",
    "answer: Decimal": f"from decimal import Decimal\n{SLOTS}return Decimal({RIGHT})",
    "answer: prints": f"{SLOTS}print({RIGHT})",
    "answer: raise left": f"{SLOTS}raise NotImplementedError('TODO 10')\n    return 48",
    "answer: uses a name of a later cell": f"{SLOTS}return later({RIGHT})",
    "answer: global state": f"total = 0\n{SLOTS}global total\n    total += {RIGHT}\n    return total",
}


def notebook_variants() -> Iterator[tuple[str, Files]]:
    """Variants of the finished notebook, which is handed in alone: exported, or with an odd cell."""
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise(NAME)
    answers = {name: text.encode() for name, text in finished().items()}
    cells = filled_cells(student_cells(course, exercise), exercise, answers)
    whole = notebook_bytes(cells, released=True)
    yield "notebook: untouched", {NOTEBOOK: notebook_bytes(student_cells(course, exercise), released=True)}
    yield "notebook: finished", {NOTEBOOK: whole}
    yield "notebook: exported as .py", {NOTEBOOK: whole, TWO: _exported(whole)}
    for name, source in CELLS.items():
        document = json.loads(whole)
        own = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "id": "own"}
        place = next(n for n, one in enumerate(document["cells"]) if one["id"] == "paged_slots")
        if name.startswith("answer: "):
            document["cells"][place]["source"] = source
            own["source"] = "def later(n):\n    return n"
        else:
            own["source"] = source
        document["cells"].insert(place + 2 * name.startswith("answer: "), own)
        yield f"notebook: {name}", {NOTEBOOK: json.dumps(document)}


def _exported(notebook: bytes) -> str:
    """The notebook as nbconvert exports it to Python."""
    texts = []
    for cell in json.loads(notebook)["cells"]:
        source = "".join(cell["source"])
        is_code = cell["cell_type"] == "code"
        text = source if is_code else re.sub(r"^", "# ", source, flags=re.MULTILINE)
        texts.append(f"# In[ ]:\n\n\n{text}\n" if is_code else f"{text}\n")
    return "#!/usr/bin/env python\n# coding: utf-8\n\n" + "\n\n".join(texts)


def pythons(site: Path) -> list[str]:
    """The oldest and the newest Python that the bundle is for and that can be found here."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    paths = os.environ.get("PATH", "").split(os.pathsep)
    found = {}
    for folder in [*map(Path, paths), *(one / "bin" for one in pyenv.glob("3.*"))]:
        for path in folder.glob("python3.*"):
            version = re.fullmatch(r"python3\.(\d+)", path.name)
            if not version or int(version[1]) < 10:
                continue
            command, environment = [path, "-c", "import pytest"], {"PYTHONPATH": str(site)}
            if not subprocess.run(command, env=environment, capture_output=True, check=False).returncode:
                found[int(version[1])] = str(path)
    return [found[min(found)], found[max(found)]]


def at_home(folder: Path, python: str, site: Path) -> Seen:
    """Run the bundle, or the notebook where there is one: visible points, and what is said."""
    environment = {"PYTHONUTF8": "1", "COLUMNS": "2000", "PATH": os.defpath, "HOME": str(folder)}
    is_notebook = (folder / NOTEBOOK).exists()
    if is_notebook:
        command = [sys.executable, "-c", RUN_ALL, NOTEBOOK]
    else:
        command = [python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no"]
        environment["PYTHONPATH"] = str(site)
    done = subprocess.run(
        ["/bin/sh", "-c", f'ulimit -v {MEMORY_KIB}; exec "$@"', "sh", *command],
        cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=900,
        encoding="utf-8", errors="replace",
    )  # fmt: skip
    lines = re.sub(r"\x1b\[[\d;]*m", "", done.stdout).splitlines()
    if is_notebook:
        points = re.findall(r"^(\d+) of 12 visible points so far\.$", done.stdout, re.MULTILINE)
        said = [one for one in lines if re.search(r"Error: |; expected |is not started|^Next: ", one)]
        return int(points[-1]) if points else 0, said
    end = next((place for place, line in enumerate(lines) if line.startswith("  Points")), 0)
    table = [re.search(r" (\d+) of \d+ ", line) for line in lines[end:]]
    earned = sum(int(found[1]) for found in table if found and "visible points" not in found.string)
    said = [line for line in lines if line.startswith(("- ", "Next: ")) or " is not in this folder" in line]
    why = [one for one in lines[max(0, end - 3) : end] if one.strip() and not re.search(r" in \d|%\]$", one)]
    return earned, [line.removeprefix("- ") for line in [*why[-1:], *said]]


def graded(folder: Path, out: Path) -> Mapping[str, Seen]:
    """Grade all variants as one class: visible points and sentences, by the name of their folder."""
    command = [*GRADER, "grade", str(folder), "--course", COURSE, "--out", str(out), "--no-gradebook"]
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    found = {}
    for path in out.glob("students/*/result.json"):
        result = json.loads(path.read_text(encoding="utf-8"))
        visible = [one for one in result["criteria"] if one["visibility"] == "visible"]
        texts = [*result["notes"], *(one["message"] for one in visible if one["message"]), *result["flags"]]
        found[result["student"]] = sum(one["points"] for one in visible), texts
    if not found:
        sys.exit(done.stderr)
    return found


def main() -> None:
    """Write the table; with letters, only renew the rows of the variants that begin with them."""
    letters = sys.argv[1] if len(sys.argv) > 1 else ""
    everything = list(variants())
    chosen = [(name, files) for name, files in everything if name.startswith(letters)]
    with tempfile.TemporaryDirectory() as place:
        base = Path(place)
        site = base / "site"
        site.mkdir()
        installed = Path(pytest.__file__).parents[1]
        for source in (one for name in WITH_PYTEST for one in installed.glob(name)):
            (site / source.name).symlink_to(source)
        subprocess.run([*GRADER, "release", "--to", str(base / "dist"), "--course", COURSE],
                       check=True, capture_output=True)  # fmt: skip
        both = pythons(site)
        homes = []
        for number, (_, files) in enumerate(chosen):
            homes.append(base / "home" / f"s{number:03}")
            shutil.copytree(base / "dist" / NAME, homes[-1])
            for file in (ONE, TWO) if NOTEBOOK in files else (NOTEBOOK,):
                (homes[-1] / file).unlink()
            for file, text in files.items():
                if text is None:
                    (homes[-1] / file).unlink()
                else:
                    (homes[-1] / file).write_bytes(text if isinstance(text, bytes) else text.encode())
        shutil.copytree(base / "home", base / "class")
        for script in base.glob(f"class/*/{TWO}"):  # of a notebook that was exported, only this is handed in
            script.with_name(NOTEBOOK).unlink(missing_ok=True)
        found = graded(base / "class", base / "out")
        rows = rows_of(OUT.read_text(encoding="utf-8")) if letters and OUT.exists() else {}
        with ThreadPoolExecutor(2) as pool:
            seen = [pool.map(lambda one, python=python: at_home(one, python, site), homes) for python in both]
            for (name, _), folder, old, new in zip(chosen, homes, *seen, strict=True):
                rows[name] = row(name, old, new, found[folder.name])
                if not old[0] == new[0] == found[folder.name][0]:
                    sys.stdout.write(f"{name}\n    {old}\n    {new}\n    {found[folder.name]}\n")
                    sys.stdout.flush()
    OUT.write_text(page([rows[name] for name, _ in everything if name in rows], *both), encoding="utf-8")


def row(name: str, old: Seen, new: Seen, course: Seen) -> str:
    """One line of the table; points that differ stand out."""
    said = next((text for text in [*old[1], *new[1]] if not text.startswith("Next: hand in")), "")
    said = re.sub(r" \(/[^)]*\)", "", said).replace("|", "\\|").replace("<", "&lt;")
    points = f"{course[0]}" if old[0] == new[0] == course[0] else f"**{course[0]}**"
    return f"| {name} | {old[0]} | {new[0]} | {points} | {said} |"


def rows_of(text: str) -> dict[str, str]:
    """The lines of the table by their variants."""
    lines = [line for line in text.splitlines() if line.startswith("| ") and " | graded | " not in line]
    return {line.split(" | ")[0].removeprefix("| "): line for line in lines}


def page(lines: Sequence[str], oldest: str, newest: str) -> str:
    """The table in Markdown."""
    first, last = (Path(one).name.replace("python", "Python ") for one in (oldest, newest))
    head = [
        "# At home and when graded",
        "",
        "Finished hand-ins of `contiguous_reservation`, each with one clumsy change:",
        f"the visible points of 12 in the bundle on {first} and {last}, those of `grader grade`,",
        "and the sentence at home.",
        "A notebook is run from top to bottom by IPython, as *Run All* does.",
        "Where points differ, the sentence warns of it. `python docs/make_at_home.py` writes this page.",
        "",
        f"| change | {first} | {last} | graded | sentence at home |",
        "|---|---|---|---|---|",
    ]
    return "\n".join([*head, *lines]) + "\n"


if __name__ == "__main__":
    main()
