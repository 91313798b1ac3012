"""Search files for students for anything of ``solutions/``, ``tests/hidden/`` or a hidden criterion."""

from __future__ import annotations

import ast
import itertools
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grader.course.model import Course, Exercise
from grader.lesson.own_code import DRAWING, SOURCE
from grader.lesson.stubs import LIKE_A_MARK, regions, stub_text

SHORTEST = 16
"""A line of code with fewer characters (without blanks) is no secret: anyone might write it."""
SHORTEST_SENTENCE = 25
"""The same for a sentence."""

_ONE_WORD = re.compile(r"\W*\w+\W*")


def leaks(
    course: Course, exercise: Exercise, files: Mapping[str, bytes], own: Mapping[str, bytes]
) -> list[str]:
    """List what ``files`` must not hold, each as a clause: the file and what it holds.

    ``own`` are the plugin's files, which are the same for every exercise: they are not searched, and their
    lines are no secret. Blanks don't count, so a line is found at any indentation.

    Raises:
        CourseError: The marks in a solution are wrong.
    """
    # What no student gets, by path in the course or in ``private/``.
    folders = {
        place: course.root / place
        for place in (f"solutions/{exercise.name}", f"tests/hidden/{exercise.name}")
    }
    folders |= {"private": course.private} if course.private else {}
    withheld = {
        f"{shown}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for shown, folder in folders.items()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    }
    # Lines of a stub are public. The stub is made anew from its source, in case the released one is wrong.
    solutions = [f"solutions/{exercise.name}/{name}" for name in exercise.files]
    shared = [stub_text(withheld.get(path, b"").decode("utf-8", "replace"), path) for path in solutions]
    shared += [data.decode() for name, data in files.items() if name.startswith("test_") or name in own]
    public = {_dense(line) for text in shared for line in text.splitlines()}
    secrets = [*_secrets(withheld, public)]
    found: list[str] = []
    for name, data in files.items():
        if name not in own:
            found += [f"{name} is {path}" for path, whole in withheld.items() if whole and whole == data]
            found += [f"{name} {what}" for what in _found(name, text_of(name, data), secrets, exercise)]
    return found


def text_of(name: str, data: bytes) -> str:
    """A file as text; of a notebook or other JSON all texts in it, because JSON has escapes."""

    def strings(tree: Any) -> Iterator[str]:
        if isinstance(tree, str):
            yield tree
        for item in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
            yield from strings(item)

    text = data.decode("utf-8", "replace")
    return "\n".join(strings(json.loads(text))) if name.endswith((".ipynb", ".json")) else text


def _found(name: str, text: str, secrets: list[tuple[str, str]], exercise: Exercise) -> Iterator[str]:
    if mark := LIKE_A_MARK.search(text):
        yield f"holds the mark {mark[0]!r}"
    dense = _dense(text)
    yield from (f"holds {what}" for secret, what in secrets if secret in dense)
    words = set(re.findall(r"[\w-]+", text))
    visible = {c.hint for c in exercise.criteria if c.visibility == "visible"}
    for criterion in exercise.criteria:
        # Its sentence is no secret: the handout lists what hidden tests are about. An id of a single word may
        # stand anywhere, and a notebook has an empty cell for the hidden test, with its id.
        names = {criterion.tests}
        if "-" in criterion.id and not name.endswith(".ipynb"):
            names.add(criterion.id)
        is_told = criterion.hint not in visible and _dense(criterion.hint) in dense
        if criterion.visibility == "hidden" and (is_told or names & words):
            yield f"tells of the hidden criterion {criterion.id!r}"


def _secrets(withheld: Mapping[str, bytes], public: set[str]) -> Iterator[tuple[str, str]]:
    """Find the lines of code and the sentences of the withheld files that are long enough and not public.

    Where a file marks its solutions, only their lines are secret, and none of its sentences is: its
    docstrings are in the stub.

    Yields:
        A text without blanks, and where it comes from.
    """
    for path, data in withheld.items():
        name = Path(path).name
        if not name.endswith(".py") or name in (DRAWING, SOURCE):  # a picture may show the lines that draw it
            continue
        source = data.decode("utf-8", "replace")
        lines = source.splitlines()
        marks = [*regions(lines, path)]
        inside = [range(begun + 1, ended) for begun, ended in marks]
        for number in itertools.chain(*inside) if marks else range(1, len(lines) + 1):
            line = _dense(lines[number - 1])
            if len(line) >= SHORTEST and line not in public and not _ONE_WORD.fullmatch(line):
                yield line, f"line {number} of {path}"
        for node in () if marks else ast.walk(ast.parse(source)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for sentence in map(_dense, re.split(r"(?<=[.?!:;])\s", node.value)):
                    if len(sentence) >= SHORTEST_SENTENCE and not any(sentence in line for line in public):
                        yield sentence, f"a text from line {node.lineno} of {path}"


def _dense(text: str) -> str:
    return "".join(text.split())
