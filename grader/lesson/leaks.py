"""Does what goes to students hold anything of solutions/, of tests/hidden/ or of a hidden criterion?"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from grader.course.model import Course, Criterion, Exercise
from grader.lesson.stubs import BEGIN, END, stub_text

SHORTEST = 16
"""Characters, blanks not counted, from which a line of code says more than what anyone would write."""
SHORTEST_SENTENCE = 25
"""The same for a text."""

# However a person may have written a mark.
_MARK = re.compile(r"#\s*(?:begin|end)[\s_-]*solution", re.IGNORECASE)
_ONE_WORD = re.compile(r"\W*\w+\W*")


class _Secret(NamedTuple):
    """A text without blanks, and what it is."""

    text: str
    what: str


def leaks(
    course: Course, exercise: Exercise, files: Mapping[str, bytes], own: Mapping[str, bytes]
) -> list[str]:
    """What in ``files`` should not be there, a clause each: the file and what it holds; empty if all is well.

    ``own`` are files whose lines are no secret, since they are the same for every exercise. Blanks don't
    count: a line is found however it is indented.

    Raises:
        CourseError: The marks in a solution are wrong.
    """
    withheld = _withheld(course, exercise)
    # What a stub may hold is asked of its source: a solution that slipped into the stub is not public.
    solutions = [f"solutions/{exercise.name}/{name}" for name in exercise.files]
    shared = [stub_text(withheld.get(path, b"").decode(), path) for path in solutions]
    shared += [data.decode() for name, data in files.items() if name.startswith("test_") or name in own]
    public = {_dense(line) for text in shared for line in text.splitlines()}
    secrets = [*_secret_lines(withheld, public)]
    checked = {name: data for name, data in files.items() if name not in own}
    return [
        f"{name} {found}"
        for name, data in checked.items()
        for found in (*_copies(data, withheld), *_found(name, text_of(name, data), secrets, exercise))
    ]


def _withheld(course: Course, exercise: Exercise) -> dict[str, bytes]:
    """The files that no student gets, by their path in the course, or below the private folder."""
    folders = {
        f"solutions/{exercise.name}": course.root / "solutions" / exercise.name,
        f"tests/hidden/{exercise.name}": course.root / "tests" / "hidden" / exercise.name,
    }
    if course.private is not None:
        folders["private"] = course.private
    return {
        f"{shown}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for shown, folder in folders.items()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    }


def text_of(name: str, data: bytes) -> str:
    """A file's text as a person reads it; of a notebook all texts in it, which JSON spells differently."""
    text = data.decode("utf-8", "replace")
    return "\n".join(_strings(json.loads(text))) if name.endswith(".ipynb") else text


def _strings(tree: Any) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    for item in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _strings(item)


def _copies(data: bytes, withheld: Mapping[str, bytes]) -> Iterator[str]:
    return (f"is {path}" for path, whole in withheld.items() if whole and whole == data)


def _found(name: str, text: str, secrets: list[_Secret], exercise: Exercise) -> Iterator[str]:
    if mark := _MARK.search(text):
        yield f"holds the mark {mark[0]!r}"
    dense = _dense(text)
    for secret, what in secrets:
        if secret in dense:
            yield f"holds {what}"
    words = set(re.findall(r"[\w-]+", text))
    visible = {text for c in exercise.criteria if c.visibility == "visible" for text in (c.sentence, c.hint)}
    for criterion in exercise.criteria:
        if criterion.visibility == "hidden":
            names, texts = _said(criterion, in_notebook=name.endswith(".ipynb"))
            if names & words or any(_dense(text) in dense for text in texts - visible):
                yield f"tells of the hidden criterion {criterion.id!r}"


def _secret_lines(withheld: Mapping[str, bytes], public: set[str]) -> Iterator[_Secret]:
    """Each telling line of code and each sentence of the withheld files that is not public anyway."""
    for path, data in withheld.items():
        name = Path(path).name
        if not name.endswith(".py") or name == "picture.py":  # what draws a picture is seen in the picture
            continue
        source = data.decode("utf-8", "replace")
        lines = source.splitlines()
        marked = _solution_lines(lines) if BEGIN in source else range(1, len(lines) + 1)
        for number in marked:
            line = _dense(lines[number - 1])
            if len(line) >= SHORTEST and line not in public and not _ONE_WORD.fullmatch(line):
                yield _Secret(line, f"line {number} of {path}")
        for number, sentence in _sentences(source):
            if len(sentence) >= SHORTEST_SENTENCE and not any(sentence in line for line in public):
                yield _Secret(sentence, f"a text from line {number} of {path}")


def _solution_lines(lines: list[str]) -> Iterator[int]:
    inside = False
    for number, line in enumerate(lines, start=1):
        inside = (inside or line.strip() == BEGIN) and line.strip() != END
        if inside and line.strip() != BEGIN:
            yield number


def _sentences(source: str) -> Iterator[tuple[int, str]]:
    """The sentences of the strings in a file that are no docstrings of the solution's own functions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and BEGIN not in source:
            for sentence in re.split(r"(?<=[.?!:;])\s", node.value):
                yield node.lineno, _dense(sentence)


def _said(criterion: Criterion, *, in_notebook: bool) -> tuple[set[str], set[str]]:
    """What names a hidden criterion, and what describes it.

    An id that is a word like any other names nothing. In a notebook of nbgrader's the criterion has a cell of
    its own, empty until the hidden test is put in, which bears its id and says what it is about.
    """
    if in_notebook:
        return {criterion.tests}, {criterion.hint}
    ids = {criterion.id} if "-" in criterion.id else set()
    return {criterion.tests, *ids}, {criterion.sentence, criterion.hint}


def _dense(text: str) -> str:
    return "".join(text.split())
