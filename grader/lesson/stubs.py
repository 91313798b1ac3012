"""solutions/ -> exercises/: the files that a student starts from, made from the one source.

``### BEGIN SOLUTION`` and ``### END SOLUTION`` enclose what a stub must not show. Inside a function the line
above them is ``# TODO 6: what to do``, and the stub raises ``NotImplementedError("TODO 6: what to do")``. At
the left margin they enclose constants, ``NAME = 300  # TODO 2``, and the stub has ``NAME = None  # TODO 2``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from grader.base.errors import CourseError
from grader.base.files import read_text, write_whole
from grader.course.model import Course, Exercise
from grader.lesson.handout import handout_files

BEGIN = "### BEGIN SOLUTION"
END = "### END SOLUTION"

# Anything that a person may have meant as a mark: one typing error must not release a solution.
_LIKE_A_MARK = re.compile(r"#+\s*(begin|end)[\s_-]*solution", re.IGNORECASE)
_TODO = re.compile(r"(?P<indent> +)# (?P<text>TODO \d+: \S.*)")
_CONSTANT = re.compile(r"(?P<name>[A-Z][A-Z0-9_]*) = .*\S {2}# (?P<todo>TODO \d+)")


def stub_text(source: str, name: str) -> str:
    """What a student starts from: ``source`` with every solution replaced by its TODO.

    ``name`` is the file's name, for the errors. Text without marks comes back as it is.

    Raises:
        CourseError: Marks do not pair up or are misspelt, or a solution has no TODO; the text starts with
            ``name:line``.
    """
    lines = source.splitlines()
    stub: list[str] = []
    taken = 0
    for begun, ended in _solutions(lines, name):
        stub += lines[taken : begun - 1]
        if lines[begun - 1].startswith(BEGIN):
            stub += _unanswered(lines[begun : ended - 1], name, begun + 1)
        else:
            stub[-1:] = [_not_implemented(stub[-1:], name, begun)]
        taken = ended
    return "\n".join([*stub, *lines[taken:]]) + "\n"


def _solutions(lines: list[str], name: str) -> Iterator[tuple[int, int]]:
    """The line numbers, from 1, of each pair of marks."""
    begun = 0
    for number, line in enumerate(lines, start=1):
        mark = line.strip()
        if mark not in (BEGIN, END):
            if _LIKE_A_MARK.search(line):
                raise _mistake(name, number, f"this is like a mark but none; write {BEGIN!r} or {END!r}")
        elif mark == BEGIN:
            if begun:
                raise _mistake(name, number, f"a solution begins inside that of line {begun}; end that first")
            begun = number
        else:
            if not begun:
                raise _mistake(name, number, f"a solution ends that never began; write {BEGIN!r} above it")
            if line.index(END) != lines[begun - 1].index(BEGIN):
                raise _mistake(name, number, f"the marks do not line up; indent it like that of line {begun}")
            yield begun, number
            begun = 0
    if begun:
        raise _mistake(name, begun, f"a solution begins that never ends; write {END!r} below it")


def generated_files(course: Course, exercise: Exercise) -> Mapping[str, bytes]:
    """What ``exercises/NAME/`` must hold that is not written by hand: its bytes by file name.

    Raises:
        CourseError: A source is missing or its marks are wrong.
    """
    folder = course.root / "solutions" / exercise.name
    stubs: dict[str, bytes] = {}
    for name in exercise.files:
        source = read_text(folder / name, f"solutions/{exercise.name}/{name}")
        stubs[name] = stub_text(source, f"solutions/{exercise.name}/{name}").encode()
    return {**stubs, **handout_files(course, exercise)}


def stale_files(course: Course, exercise: Exercise) -> list[str]:
    """The names of the generated files that are missing in ``exercises/NAME/`` or differ from their source.

    Raises:
        CourseError: A source is missing or its marks are wrong.
    """
    return list(_stale(course.root / "exercises" / exercise.name, generated_files(course, exercise)))


def build(course: Course, exercise: Exercise) -> list[str]:
    """Write the generated files that are stale, whole or not at all; their names.

    Raises:
        CourseError: A source is missing or its marks are wrong; nothing is written then.
        GraderError: A file could not be written.
    """
    folder = course.root / "exercises" / exercise.name
    stale = _stale(folder, generated_files(course, exercise))
    for name, data in stale.items():
        write_whole(folder / name, data)
        (folder / name).chmod(0o644)  # unlike results, these are for everyone
    return list(stale)


def _stale(folder: Path, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Those of ``files`` that the folder does not hold byte for byte."""
    return {
        name: data
        for name, data in files.items()
        if not (folder / name).is_file() or (folder / name).read_bytes() != data
    }


def _unanswered(constants: list[str], name: str, first: int) -> list[str]:
    """A solution at the left margin, whose first line has the number ``first``: constants without answers."""
    lines = []
    for number, line in enumerate(constants, start=first):
        constant = _CONSTANT.fullmatch(line)
        if constant is None:
            raise _mistake(
                name, number, "at the left margin a solution holds lines like 'NAME = 300  # TODO 2' only"
            )
        lines.append(f"{constant['name']} = None  # {constant['todo']}")
    return lines


def _not_implemented(above: list[str], name: str, begun: int) -> str:
    """A solution in a function: the line that stands for it and for its TODO, the last line of ``above``."""
    todo = _TODO.fullmatch("".join(above))
    if todo is None:
        raise _mistake(name, begun, "the solution has no task; write a line '# TODO n: what to do' above it")
    return f"{todo['indent']}raise NotImplementedError({json.dumps(todo['text'], ensure_ascii=False)})"


def _mistake(name: str, line: int, text: str) -> CourseError:
    return CourseError(f"{name}:{line}: {text}.")
