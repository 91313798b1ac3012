"""Grade random hand-ins among ten honest ones: ``python -m helpers.fuzz_class COUNT [SEED]`` in ``tests/``.

Everyone has to be named somewhere, the run must not fail, and no byte of what the honest ones get may change.
"""

import gzip
import io
import json
import random
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from grader.course.load import load_course
from grader.course.model import Limits
from grader.results.student import student_folder
from grader.run.grade import Options, Progress, Summary, grade
from helpers.intake_class import tarred
from helpers.paths import ROOT

BATCH = 500
"""Random hand-ins in one run of the grader."""
NAME = "contiguous_reservation"
LIMITS = Limits(call_cpu_seconds=0.1, submission_cpu_seconds=0.4, call_wall_seconds=5)
"""Short for what hangs; honest calls need a hundredth of it."""
_FILES = ("reservation.py", "hands_on.py")
_NOTEBOOK = "reservation.ipynb"
_ENDINGS = (".zip", ".tar.gz", ".tgz", ".tar")
_WORDS = (
    "def ", "return", "    ", "\n", "(", ")", "[", "]", "{", "}", "lambda x: ", "try:\n", "finally:\n",
    "yield ", "await ", "import os\n", "from x import *\n", "# coding: undefined\n", "%%bash\n", "!ls\n",
    "\x00", "\ufeff", "\u202e", "e\u0301" * 40, "9" * 5000, "\\\n", '"""', "'", "f'{", "}'", "@", ":=", "*",
    "print(1)\n", "\t", "\r", "while True: pass\n", "exit()\n", "raise SystemExit\n", "None", "True",
    "reserved_slots", "limit", "global x\n",
)  # fmt: skip


def main(count: int, seed: int = 1) -> int:
    """Grade so many random hand-ins in batches and print what went wrong; return the number of faults."""
    started, faults, done = time.monotonic(), [], 0
    while done < count:
        size = min(BATCH, count - done)
        faults += run(size, seed + done)
        done += size
        print(f"{done} random hand-ins, {len(faults)} faults, {time.monotonic() - started:.0f} s", flush=True)  # noqa: T201
    for fault in faults:
        print(fault)  # noqa: T201
    return len(faults)


def run(count: int, seed: int) -> list[str]:
    """Grade so many random hand-ins among the honest ones; return what is wrong with the outcome."""
    chance = random.Random(seed)  # noqa: S311 - nothing secret: the same seed gives the same class
    with tempfile.TemporaryDirectory(prefix="kit-fuzz-") as name:
        folder = Path(name)
        lay_out_honest(folder / "class")
        strangers = [f"s{number:05}" for number in range(count)]
        for student in strangers:
            for place, data in hand_in(chance):
                path = folder / "class" / student / place
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        try:
            honest = honest_alone()
            together = grade_folder(folder / "class", folder / "out")
        except Exception as error:  # noqa: BLE001 - any failure is what is looked for
            return [f"seed {seed}: the run ended with {error!r}"]
        faults = [f"seed {seed}: {fault}" for fault in (*together.faults, *together.unkept)]
        named = {result.student for result in together.results}
        named |= {one.received_as.partition("/")[0] for one in together.intake.unmatched}
        named |= {word for one in together.intake.refused for word in one.name.replace(": ", "/").split("/")}
        faults += [
            f"seed {seed}: {one} is named nowhere" for one in (*honest, *strangers) if one not in named
        ]
        for student, alone in honest.items():
            if kept(folder / "out", student) != alone:
                faults.append(f"seed {seed}: {student} has other bytes than alone")
        return faults


@cache
def honest_alone() -> dict[str, dict[str, bytes]]:
    """Return all bytes that the honest students get when nobody else is in the class."""
    with tempfile.TemporaryDirectory(prefix="kit-fuzz-") as name:
        students = lay_out_honest(Path(name) / "class")
        grade_folder(Path(name) / "class", Path(name) / "out")
        return {student: kept(Path(name) / "out", student) for student in students}


def lay_out_honest(folder: Path) -> list[str]:
    """Write ten honest hand-ins: right ones, stubs, and a notebook; return the students."""
    right, stub = ROOT / "solutions" / NAME, ROOT / "exercises" / NAME
    students = []
    for number in range(10):
        place = folder / f"honest{number}"
        place.mkdir(parents=True)
        students.append(place.name)
        if number == 9:
            (place / _NOTEBOOK).write_bytes((stub / _NOTEBOOK).read_bytes())
            continue
        for name in _FILES:
            (place / name).write_bytes(((stub if number % 3 == 2 else right) / name).read_bytes())
    return students


def grade_folder(folder: Path, out: Path) -> Summary:
    """Grade a class with the kit's own course."""
    course = load_course(ROOT / "course.toml")
    exercise = replace(course.exercise(NAME), limits=LIMITS)
    silent = Progress(lambda *_: None, lambda *_: None)
    return grade(course, exercise, [folder], Options(out=out, jobs=2, gradebook=False), silent)


def kept(out: Path, student: str) -> dict[str, bytes]:
    """Return all bytes that a student's folder holds."""
    folder = student_folder(out, student)
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def hand_in(chance: random.Random) -> Iterator[tuple[str, bytes]]:
    """Yield the files of one random hand-in: source files, a notebook, an archive, or a mixture."""
    kind = chance.random()
    if kind < 0.45:
        yield from ((name, source(chance, name)) for name in _FILES if chance.random() < 0.9)
    if 0.35 < kind < 0.75:
        yield _NOTEBOOK, notebook(chance)
    if kind > 0.7:
        yield f"work{chance.choice(_ENDINGS)}", archive(chance)
    yield (
        chance.choice((*_FILES, _NOTEBOOK, "notes.txt", "helper.py")),
        mutated(chance, source(chance, _FILES[0])),
    )


def source(chance: random.Random, name: str) -> bytes:
    """Return a right solution or its stub, mostly with words put in, cut out or changed."""
    folder = ROOT / chance.choice(("solutions", "exercises")) / NAME
    text = (folder / name).read_text(encoding="utf-8")
    for _ in range(chance.choice((0, 1, 1, 2, 5, 40))):
        at, end = (chance.randrange(len(text) + 1) for _ in range(2))
        cut = min(len(text), at + (end - at) % 30)
        text = text[:at] + chance.choice(("", chance.choice(_WORDS), chance.choice(_WORDS) * 9)) + text[cut:]
    data = text.encode(chance.choice(("utf-8", "utf-8", "utf-8", "utf-16", "latin-1")), "replace")
    return mutated(chance, data) if chance.random() < 0.3 else data


def notebook(chance: random.Random) -> bytes:
    """Return the exercise's notebook with answers and random changes of its tree, or of its bytes."""
    tree = json.loads((ROOT / "exercises" / NAME / _NOTEBOOK).read_bytes())
    for cell in tree["cells"]:
        if chance.random() < 0.3:
            cell["source"] = source(chance, chance.choice(_FILES)).decode("utf-8", "replace")
    for _ in range(chance.choice((0, 1, 3))):
        place = tree
        while isinstance(place, dict | list) and place and chance.random() < 0.8:
            keys = list(place) if isinstance(place, dict) else range(len(place))
            key = chance.choice(list(keys))
            if not isinstance(place[key], dict | list) or chance.random() < 0.2:
                place[key] = chance.choice((None, 1, -1e308, "", [], {}, [[]], "x" * 9999, True, {"a": [1]}))
                break
            place = place[key]
    data = json.dumps(tree).encode()
    return mutated(chance, data) if chance.random() < 0.3 else data


def archive(chance: random.Random) -> bytes:
    """Return a zip or a tar of random files with odd names, mostly damaged or with forged numbers."""
    names = [
        *_FILES,
        _NOTEBOOK,
        "../x.py",
        "/x.py",
        "a/b/c.py",
        "\u202e.py",
        "x" * 300 + ".py",
        "__MACOSX/._x",
        ".",
    ]
    files = {
        chance.choice(names): notebook(chance)
        if chance.random() < 0.2
        else source(chance, chance.choice(_FILES))
        for _ in range(chance.randrange(5))
    }
    if chance.random() < 0.2:
        files["inner.zip"] = archive(chance)
    if chance.random() < 0.5:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", chance.choice((0, 8, 12, 14))) as made:
            for name, data in files.items():
                made.writestr(name, data)
        data = stream.getvalue()
    else:
        data = tarred(files, "w")
        data = gzip.compress(data) if chance.random() < 0.7 else data
    return mutated(chance, data) if chance.random() < 0.6 else data


def mutated(chance: random.Random, data: bytes) -> bytes:
    """Return the bytes with some changed, repeated, cut off or replaced."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 2, 8, 64))):
        if not changed:
            return chance.randbytes(chance.randrange(2000))
        at = chance.randrange(len(changed))
        match chance.randrange(5):
            case 0:
                changed[at] = chance.randrange(256)
            case 1:
                changed[at:at] = chance.randbytes(chance.randrange(9))
            case 2:
                del changed[at : at + chance.randrange(200)]
            case 3:
                changed[at:at] = changed[at : at + chance.randrange(200)] * chance.randrange(9)
            case _:
                changed[at : at + 4] = chance.choice(
                    (b"\xff\xff\xff\xff", bytes(4), b"PK\1\2", b"\x7f\xff\xff\xff")
                )
    return bytes(changed)


if __name__ == "__main__":
    sys.exit(min(1, main(*map(int, sys.argv[1:]))))
