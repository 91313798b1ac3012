"""Make the files that a student starts from, ``exercises/NAME/``, from the solution in ``solutions/NAME/``.

``### BEGIN SOLUTION`` and ``### END SOLUTION`` enclose what a stub must not show. Inside a function the line
above them is ``# TODO 6: what to do``, and the stub raises ``NotImplementedError("TODO 6: what to do")``. At
the left margin they enclose constants, ``NAME = 300  # TODO 2``, and the stub has ``NAME = None  # TODO 2``.
"""

import ast
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from grader.base.errors import CourseError
from grader.base.files import read_text
from grader.course.model import Course, Exercise

LIKE_A_MARK = re.compile(r"#+\s*(begin|end)[\s_-]*(solution|hidden[\s_-]*tests)", re.IGNORECASE)
"""What a person may have meant as a mark: one typing error must not release a solution."""

_TODO = re.compile(r"(?P<indent> +)# (?P<text>TODO \d+: \S.*)")
_CONSTANT = re.compile(r"(?P<name>[A-Z][A-Z0-9_]*) = .*\S {2}# (?P<todo>TODO \d+)")


def regions(lines: Sequence[str], name: str, what: str = "SOLUTION") -> Iterator[tuple[int, int]]:
    """Find the line numbers (from 1) of each ``### BEGIN what`` and its ``### END what``."""
    begin, end = f"### BEGIN {what}", f"### END {what}"
    begun = 0
    for number, line in enumerate(lines, start=1):
        mark = line.strip()
        if mark not in (begin, end):
            like = LIKE_A_MARK.search(line)
            if like and like[2].split()[0].lower() == what.split(maxsplit=1)[0].lower():
                raise _mistake(name, number, f"this looks like a mark; write {begin!r} or {end!r}")
        elif mark == begin:
            if begun:
                raise _mistake(name, number, f"a region begins inside that of line {begun}; end that first")
            begun = number
        else:
            if not begun:
                raise _mistake(name, number, f"a region ends that never began; write {begin!r} above it")
            if line.index(end) != lines[begun - 1].index(begin):
                raise _mistake(name, number, f"the marks do not line up; indent it like that of line {begun}")
            yield begun, number
            begun = 0
    if begun:
        raise _mistake(name, begun, f"a region begins that never ends; write {end!r} below it")


def stub_text(source: str, name: str) -> str:
    """Replace every solution in ``source`` with its TODO; text without marks stays as it is."""
    lines = source.splitlines()
    stub: list[str] = []
    taken = 0
    for begun, ended in regions(lines, name):
        stub += lines[taken : begun - 1]
        taken = ended
        if lines[begun - 1][0].isspace():
            todo = _TODO.fullmatch(stub.pop() if stub else "")
            if todo is None:
                text = "the solution has no task; write a line '# TODO n: what to do' above it"
                raise _mistake(name, begun, text)
            text = json.dumps(todo["text"], ensure_ascii=False)
            stub.append(f"{todo['indent']}raise NotImplementedError({text})")
            continue
        for number in range(begun + 1, ended):
            constant = _CONSTANT.fullmatch(lines[number - 1])
            if constant is None:
                text = "at the left margin a solution holds lines like 'NAME = 300  # TODO 2' only"
                raise _mistake(name, number, text)
            stub.append(f"{constant['name']} = None  # {constant['todo']}")
    return "\n".join([*stub, *lines[taken:]]) + "\n"


def without_regions(source: str, name: str, what: str = "SOLUTION", put: Iterable[str] = ()) -> str:
    """Leave the regions out as nbgrader does; the lines of ``put`` take their place, indented alike."""
    lines = source.split("\n")
    kept: list[str] = []
    taken = 0
    for begun, ended in regions(lines, name, what):
        first = lines[begun - 1]
        indent = first[: len(first) - len(first.lstrip())]
        kept += [*lines[taken : begun - 1], *(indent + text for text in put)]
        taken = ended
    return "\n".join([*kept, *lines[taken:]])


def parse_python(path: Path, where: str) -> tuple[str, ast.Module]:
    """Read and parse a Python file of the course; ``where`` is its name in errors."""
    text = read_text(path, where)
    try:
        return text, ast.parse(text)
    except SyntaxError as error:
        raise CourseError(f"{where}:{error.lineno}: is no Python: {error.msg}.") from None
    except ValueError as error:  # NUL bytes
        raise CourseError(f"{where}: is no Python: {error}.") from None


def stubs_of(course: Course, exercise: Exercise) -> dict[str, bytes]:
    """Make the files that students write in, by name."""
    paths = {name: f"solutions/{exercise.name}/{name}" for name in exercise.files}
    sources = {name: parse_python(course.root / path, path)[0] for name, path in paths.items()}
    return {name: stub_text(source, paths[name]).encode() for name, source in sources.items()}


def _mistake(name: str, line: int, text: str) -> CourseError:
    return CourseError(f"{name}:{line}: {text}.")
