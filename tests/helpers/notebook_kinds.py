"""Forty notebooks as students hand them in, each with what it earns here and in nbgrader's own autograde.

Each is the released notebook with right answers, changed as its name says. ``Kind.lost`` are the tasks that
lose points here. Where nbgrader gives other points, ``differs`` says why and ``native`` which tasks lose
points there; ``REFUSED`` are those that nbgrader does not grade at all.
"""

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from grader.course.load import load_course
from helpers.notebook_course import notebook_with_answers
from helpers.paths import ROOT

NAME = "contiguous_reservation"
Cells = list[dict[str, Any]]


@dataclass(frozen=True)
class Kind:
    """A notebook: its change, the tasks that lose points here and in nbgrader, and its flag here."""

    change: Callable[[Cells], Cells | None]
    lost: Collection[str] = ()
    differs: str = ""
    native: Collection[str] = ()
    flag: str = ""


def right_notebook() -> bytes:
    """Return the released notebook with the answers of the solution."""
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise(NAME)
    files = {name: (ROOT / "solutions" / NAME / name).read_bytes() for name in exercise.files}
    return notebook_with_answers(course, exercise, files)


def notebook_of(kind: Kind) -> bytes:
    """Return the notebook of a kind."""
    document = json.loads(right_notebook())
    cells: Cells = document["cells"]
    for one in cells:
        one["source"] = "".join(one["source"])
    document["cells"] = kind.change(cells) or cells
    return json.dumps(document, indent=1).encode()


def code(source: str) -> dict[str, Any]:
    """Return a cell that a student adds."""
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source,
            "id": f"own-{sum(map(ord, source)) % 10**8}"}  # fmt: skip


def at(cells: Cells, name: str) -> int:
    """Return the place of a cell by its id."""
    return next(n for n, one in enumerate(cells) if one.get("id") == name)


def add(source: str, *, before: str = "", behind: str = "") -> Callable[[Cells], Cells]:
    """Add a cell before or behind the cell of an id, or at the end."""

    def change(cells: Cells) -> Cells:
        place = at(cells, before) if before else at(cells, behind) + 1 if behind else len(cells)
        return [*cells[:place], code(source), *cells[place:]]

    return change


def put(name: str, source: str) -> Callable[[Cells], None]:
    """Put another source into the cell of an id."""

    def change(cells: Cells) -> None:
        cells[at(cells, name)]["source"] = source

    return change


def prefix(name: str, source: str) -> Callable[[Cells], None]:
    """Put code above the answer in the cell of an id."""

    def change(cells: Cells) -> None:
        one = cells[at(cells, name)]
        one["source"] = source + "\n\n" + one["source"]

    return change


def replaced(name: str, old: str, new: str, *, extra: str = "") -> Callable[[Cells], Cells]:
    """Change a text in the cell of an id; add a cell with ``extra`` at the end."""

    def change(cells: Cells) -> Cells:
        one = cells[at(cells, name)]
        assert old in one["source"], one["source"]
        one["source"] = one["source"].replace(old, new)
        return [*cells, code(extra)] if extra else cells

    return change


def every(*changes: Callable[[Cells], Cells | None]) -> Callable[[Cells], Cells]:
    """Make several changes."""

    def change(cells: Cells) -> Cells:
        for one in changes:
            cells = one(cells) or cells
        return cells

    return change


def stub(name: str) -> str:
    """Return the function of this name as it was handed out."""
    text = (ROOT / "exercises" / NAME / "reservation.py").read_text(encoding="utf-8")
    start = text.index(f"def {name}(")
    return text[start : text.find("\n\n\ndef ", start) % (len(text) + 1)].rstrip()


def moved_below(name: str) -> Callable[[Cells], Cells]:
    """Put the stub back into a task's cell, and its answer into a cell at the end."""

    def change(cells: Cells) -> Cells:
        one = cells[at(cells, name)]
        answer, one["source"] = one["source"], stub(name)
        return [*cells, code(answer)]

    return change


def elsewhere(name: str) -> Callable[[Cells], Cells]:
    """Write a task's answer into a cell above its own, which stays a stub."""

    def change(cells: Cells) -> Cells:
        place = at(cells, name)
        answer, cells[place]["source"] = cells[place]["source"], stub(name)
        return [*cells[:place], code(answer), *cells[place:]]

    return change


def without(*names: str) -> Callable[[Cells], Cells]:
    """Remove cells."""
    return lambda cells: [one for one in cells if one.get("id") not in names]


def doubled(name: str) -> Callable[[Cells], Cells]:
    """Copy a cell, its metadata included, as nbgrader refuses it."""

    def change(cells: Cells) -> Cells:
        place = at(cells, name)
        copy = json.loads(json.dumps(cells[place])) | {"id": f"{name}-copy"}
        return [*cells[: place + 1], copy, *cells[place + 1 :]]

    return change


def bare(cells: Cells) -> None:
    """Remove all metadata, as another editor does."""
    for one in cells:
        one["metadata"] = {}


def tagged(name: str) -> Callable[[Cells], None]:
    """Tag a cell to be skipped."""

    def change(cells: Cells) -> None:
        cells[at(cells, name)]["metadata"]["tags"] = ["skip-execution"]

    return change


def as_text(name: str) -> Callable[[Cells], None]:
    """Turn an answer cell into a text cell."""

    def change(cells: Cells) -> None:
        one = cells[at(cells, name)]
        one["cell_type"] = "markdown"
        del one["outputs"], one["execution_count"]

    return change


COUNT = """\
def count(lengths):
    return sum(lengths)


def used_slots(lengths, max_len=None):
    if max_len is not None and any(length > max_len for length in lengths):
        raise ValueError
    return count(lengths)"""
OTHER_COUNT = """\
def count(lengths, block):
    return sum(-(-length // block) for length in lengths)


def paged_slots(lengths, block):
    return count(lengths, block) * block"""
SCALED = "SCALE = 1\n\ndef reserved_slots(n_seq, max_len):\n    return SCALE * n_seq * max_len"
BY_TABLE = """\
def set_up():
    global RESERVED, IDLE, MORE, UNUSED_IS_SHARED
    RESERVED, IDLE, MORE, UNUSED_IS_SHARED = 300, 235, 1, False

set_up()"""

KINDS = {
    "as it is": Kind(lambda _cells: None),
    # The fifteen that lost points.
    "one helper name in two cells": Kind(every(put("used_slots", COUNT), put("paged_slots", OTHER_COUNT))),
    "a correction in a new cell": Kind(
        every(
            put("used_slots", "def used_slots(lengths, max_len=None):\n    return 0"),
            add(COUNT, before="used-sum"),
        )
    ),
    "a wrapper in a new cell": Kind(
        every(
            put("used_slots", "def used_slots(lengths, max_len=None):\n    return sum(lengths)"),
            add(
                "_old = used_slots\n\n"
                "def used_slots(lengths, max_len=None):\n"
                "    if max_len is not None and any(n > max_len for n in lengths):\n"
                "        raise ValueError\n"
                "    return _old(lengths)",
                before="used-sum",
            ),
        )
    ),
    "max in the last cell": Kind(add("max = 100")),
    "sum in the last cell": Kind(add("sum = 3")),
    "len in the last cell": Kind(add("len = 4")),
    "a global changed in the last cell": Kind(every(put("reserved_slots", SCALED), add("SCALE = 7"))),
    "a constant added up in a loop": Kind(
        replaced("hands_on", "RESERVED = 300", "RESERVED = 0\nfor _ in range(3):\n    RESERVED += 100")
    ),
    "a constant added up in a new cell": Kind(
        every(
            replaced("hands_on", "RESERVED = 300", "RESERVED = 200"),
            add("RESERVED += 100", behind="hands_on"),
        )
    ),
    "constants set through global": Kind(add(BY_TABLE, behind="hands_on")),
    "exec": Kind(put("reserved_slots", 'exec("def reserved_slots(n, m):\\n    return n * m")')),
    "globals()": Kind(
        put("reserved_slots", 'globals()["reserved_slots"] = lambda n_seq, max_len: n_seq * max_len')
    ),
    "a top-level await": Kind(
        prefix(
            "reserved_slots",
            "import asyncio\n\n"
            "async def one():\n    await asyncio.sleep(0)\n    return 1\n\n"
            "_one = await one()",
        )
    ),
    "display and get_ipython": Kind(
        prefix(
            "used_slots",
            "display(1)\nget_ipython().run_line_magic('pwd', '')\nshell = get_ipython()",
        )
    ),
    "a main guard": Kind(
        replaced(
            "reserved_slots",
            "n_seq * max_len",
            "FACTOR * n_seq * max_len",
        )
        and every(
            put("reserved_slots", "def reserved_slots(n_seq, max_len):\n    return FACTOR * n_seq * max_len"),
            add('if __name__ == "__main__":\n    FACTOR = 1', behind="reserved_slots"),
        )
    ),
    # What Jupyter understands and Python alone does not.
    "magics and shell lines": Kind(
        prefix("used_slots", "%pwd\n!echo it's (\nfiles = !ls\n%time total = 5\nsum?")
    ),
    "a timed cell": Kind(
        lambda cells: cells[at(cells, "paged_slots")].update(
            source="%%time\n" + cells[at(cells, "paged_slots")]["source"]
        )
    ),
    "a shell cell": Kind(add("%%bash\nls | head -1", behind="setup")),
    "an error in a cell of its own": Kind(add("print(undefined)", behind="setup")),
    "an own check that fails": Kind(add("assert used_slots([1]) == 2", behind="used_slots")),
    "an error below the answer": Kind(
        lambda cells: cells[at(cells, "used_slots")].update(
            source=cells[at(cells, "used_slots")]["source"] + "\n\nused_slots([9], 1)"
        )
    ),
    "a cell that is not Python": Kind(add("total = (1,", behind="used_slots")),
    "a blank cell and one of comments": Kind(every(add("  \n"), add("# the end"))),
    # Wrong in both.
    "untouched": Kind(
        lambda cells: (
            [
                one.update(source=stub(one["id"]))
                for one in cells
                if one["metadata"].get("nbgrader", {}).get("solution") and one["id"] != "hands_on"
            ]
            and None
        ),
        lost=("reserved_slots", "used_slots", "waste_fraction", "extra_reservations", "paged_slots"),
    ),
    "an answer that is not Python": Kind(
        put("extra_reservations", "def extra_reservations(pool, max_len, n_running)\n    return 1"),
        lost=("extra_reservations",),
    ),
    "a wrong sum": Kind(
        replaced("paged_slots", "-(-length // block)", "(length // block)"), lost=("paged_slots",)
    ),
    "a hidden case that is wrong": Kind(
        replaced("extra_reservations", "return max(0, ", "return ("),
        lost=("extra_reservations",),
    ),
    "a global that a test spoils": Kind(
        put(
            "reserved_slots",
            "calls = []\n\ndef reserved_slots(n_seq, max_len):\n    calls.append(1)\n"
            "    return n_seq * max_len if len(calls) < 2 else 0",
        ),
        lost=("reserved_slots", "waste_fraction"),
    ),
    # Kinder than nbgrader.
    "an answer below its tests": Kind(
        moved_below("paged_slots"),
        differs="The second reading finds it.",
        native=("paged_slots",),
        flag="read-two-ways",
    ),
    "a corrected copy at the end": Kind(
        every(
            put("paged_slots", "def paged_slots(lengths, block):\n    return 0"),
            add("def paged_slots(lengths, block):\n    return sum(-(-n // block) * block for n in lengths)"),
        ),
        differs="The second reading finds it.",
        native=("paged_slots",),
        flag="read-two-ways",
    ),
    "an answer above a stub": Kind(
        elsewhere("waste_fraction"), differs="A stub never replaces an answer.", native=("waste_fraction",)
    ),
    "a stub pasted below": Kind(
        add(stub("used_slots"), behind="used_slots"),
        differs="A stub never replaces an answer.",
        native=("used_slots", "waste_fraction"),
    ),
    "a name that hides the tests' module": Kind(
        add("reservation = check = 5", behind="setup"),
        differs="Names of a student overwrite nothing of ours.",
        native=(
            "reserved_slots",
            "used_slots",
            "waste_fraction",
            "extra_reservations",
            "paged_slots",
            "hands_on",
        ),
    ),
    "a test cell deleted": Kind(
        without("used-sum"),
        differs="Every test is run, whatever the notebook holds.",
        native=("used_slots",),
        flag="missing-tests",
    ),
    "a test cell doubled": Kind(doubled("used-sum"), differs="nbgrader refuses two cells of one name."),
    "no metadata": Kind(bare, differs="nbgrader finds no cell without its metadata."),
    "a skipped answer cell": Kind(
        tagged("used_slots"), differs="Tags are not looked at.", native=("used_slots", "waste_fraction")
    ),
    "input at the top of an answer": Kind(
        prefix("used_slots", 'name = input("your name? ")'),
        differs="A statement that fails only because nobody answers is left out.",
        native=("used_slots", "waste_fraction"),
    ),
    "an answer cell that became text": Kind(as_text("extra_reservations")),
}

REFUSED = ("a test cell doubled", "no metadata")
"""A doubled name ends nbgrader's whole run, and without metadata it finds nothing to grade."""
