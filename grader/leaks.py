"""Does what goes to students hold anything of solutions/, of tests/hidden/ or of a hidden criterion?"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from grader.course import Course, Exercise
from grader.stubs import BEGIN, END

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
    """
    withheld = _withheld(course, exercise)
    given = {name: data for name, data in files.items() if name in exercise.files or name.startswith("test_")}
    public = {line for data in (*given.values(), *own.values()) for line in _lines(data.decode())}
    secrets = [*_secret_lines(withheld, public), *_secret_sentences(exercise)]
    checked = {name: data for name, data in files.items() if name not in own}
    return [
        f"{name} {found}"
        for name, data in checked.items()
        for found in (*_found(data, withheld, secrets), *_names(data, exercise))
    ]


def _withheld(course: Course, exercise: Exercise) -> dict[str, bytes]:
    """The files that no student gets, by their path in the course."""
    folders = (Path("solutions", exercise.name), Path("tests", "hidden", exercise.name))
    return {
        path.relative_to(course.root).as_posix(): path.read_bytes()
        for folder in folders
        for path in sorted((course.root / folder).rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    }


def _found(data: bytes, withheld: Mapping[str, bytes], secrets: list[_Secret]) -> Iterator[str]:
    for path, whole in withheld.items():
        if whole and whole == data:
            yield f"is {path}"
    text = data.decode("utf-8", "replace")
    if mark := _MARK.search(text):
        yield f"holds the mark {mark[0]!r}"
    dense = _dense(text)
    for secret, what in secrets:
        if secret in dense:
            yield f"holds {what}"


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


def _secret_sentences(exercise: Exercise) -> Iterator[_Secret]:
    """What describes a hidden criterion, and no visible one."""
    visible = {text for c in exercise.criteria if c.visibility == "visible" for text in (c.sentence, c.hint)}
    for criterion in exercise.criteria:
        for text in {criterion.sentence, criterion.hint} - visible:
            yield _Secret(_dense(text), f"what the hidden criterion {criterion.id!r} says")


def _names(data: bytes, exercise: Exercise) -> Iterator[str]:
    """The names of hidden criteria and of their classes in a file; an id of one word may be any word."""
    words = set(re.findall(r"[\w-]+", data.decode("utf-8", "replace")))
    for criterion in exercise.criteria:
        if criterion.visibility == "hidden":
            for name in words & {criterion.tests, criterion.id if "-" in criterion.id else ""}:
                yield f"names the hidden criterion {name}"


def _lines(text: str) -> set[str]:
    return {_dense(line) for line in text.splitlines()}


def _dense(text: str) -> str:
    return "".join(text.split())
