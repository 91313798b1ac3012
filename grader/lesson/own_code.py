"""Run a lesson's own Python files: its solution, and what draws its pictures and its closing from that.

``solutions/NAME/picture.py``, where a lesson has one, has a function ``pictures(solutions)``. It gets the
solution's modules by name (``solutions["lab"]``) and returns the text of each picture by file name.
``solutions/NAME/closing.py`` has ``closing(solutions)``, which returns what a student reads after full marks:
sections of a title, a list of paragraphs, and a list of pictures as :mod:`grader.bundle.draw` takes them.
The same solution gives the same texts.
"""

import json
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import TypeVar

import msgspec

from grader.base.errors import CourseError
from grader.bundle.timeout import TimeLimitReached
from grader.course.model import Course, Exercise
from grader.feedback.closing import CLOSING, Section

DRAWING, SOURCE = "picture.py", "closing.py"

_T = TypeVar("_T")


@dataclass
class Limit:
    """The time for the calls of one of the lesson's functions: an endless loop in it ends no build.

    One call has ``seconds`` of CPU time, those after a slow one a tenth, and none after five more slow ones.
    Use it in the main thread.
    """

    seconds: float
    slow: int = 0

    def call(self, function: Callable[[], _T]) -> _T | None:
        """Call the function; return None if it took too long."""
        if self.slow > 5:
            return None
        is_over = False

        def strike(_signal: int, _frame: FrameType | None) -> None:
            nonlocal is_over
            is_over = True
            raise TimeLimitReached

        before = signal.signal(signal.SIGVTALRM, strike)
        try:
            # Repeat: a broad ``except`` may swallow the first signal.
            signal.setitimer(signal.ITIMER_VIRTUAL, self.seconds * (0.1 if self.slow else 1), 0.2)
            made = function()
        except TimeLimitReached:
            is_over = True
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)
        self.slow += is_over
        return None if is_over else made


def drawn_files(course: Course, exercise: Exercise) -> Mapping[str, bytes]:
    """Draw the pictures of ``exercises/NAME/``: their bytes by file name; empty if the lesson draws none."""

    def encode(pictures: Mapping[str, str]) -> dict[str, bytes]:
        return {name: text.encode() for name, text in pictures.items()}

    return _made(course, exercise, DRAWING, "pictures", encode) or {}


def closing_path(course: Course, exercise: Exercise) -> Path:
    """Where it is kept: in ``solutions/``, which is never released."""
    return course.root / "solutions" / exercise.name / CLOSING


def closing_bytes(course: Course, exercise: Exercise) -> bytes | None:
    """The content of ``closing.json``, counted anew; None where the lesson has nothing to say."""

    def encode(sections: list[tuple[str, list[str], list[object]]]) -> bytes:
        plain = [
            {"title": title, "text": [*text], "pictures": msgspec.to_builtins([*pictures])}
            for title, text, pictures in sections
        ]
        msgspec.convert(plain, tuple[Section, ...])
        return (json.dumps(plain, indent=1, ensure_ascii=False) + "\n").encode()

    return _made(course, exercise, SOURCE, "closing", encode)


def _made(
    course: Course, exercise: Exercise, file: str, function: str, encode: Callable[..., _T]
) -> _T | None:
    """Call a function of one of the lesson's files on the solution, and encode what it returns."""
    where = f"solutions/{exercise.name}"
    if not (course.root / where / file).is_file():
        return None
    source = run_module(course, f"{where}/{file}")
    solutions = {Path(name).stem: run_module(course, f"{where}/{name}") for name in exercise.files}
    try:
        return encode(getattr(source, function)(solutions))
    except Exception as error:  # the course's own code may raise anything
        text = f"{function}(solutions) failed with {type(error).__name__}: {error}."
        raise CourseError(f"{where}/{file}: {text}") from error


def run_module(course: Course, path: str) -> ModuleType:
    """Run one of the course's own files as a module that nothing else can import."""
    module = ModuleType(Path(path).stem)
    module.__file__ = str(course.root / path)
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module  # a dataclass looks its module up
    try:
        exec(_compiled(path, (course.root / path).read_bytes()), vars(module))  # noqa: S102 - the course's own
    except Exception as error:  # the course's own code may raise anything
        raise CourseError(f"{path}: failed with {type(error).__name__}: {error}.") from error
    finally:
        del sys.modules[module.__name__]
        if before:
            sys.modules[module.__name__] = before
    return module


@lru_cache(64)
def _compiled(path: str, source: bytes) -> CodeType:
    return compile(source, path, "exec", dont_inherit=True)
