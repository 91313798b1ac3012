"""A student's files as the tests see them: imported late, watched, and never able to end the run."""

from __future__ import annotations

import builtins
import contextlib
import copy
import functools
import importlib.util
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest

from . import alarm, outcome, showing, wording


class Told(pytest.fail.Exception):  # type: ignore[name-defined,misc]  # it is a variable, to mypy
    """A test that cannot go on, with its state and the sentence that says why; no ``raises`` takes it."""

    def __init__(self, state: str, sentence: str) -> None:
        super().__init__(sentence, pytrace=False)
        self.state, self.sentence = state, sentence


class AskedForInput(Exception):  # noqa: N818 - it is what happened, not an error of ours
    """The student's code called ``input()``."""


class Watch:
    """What the running test asked of the student's code, and what came of it."""

    def __init__(self) -> None:
        self.running = False
        self.seconds = alarm.SECONDS
        self.too_slow: set[str] = set()
        self.importing: list[str] = []
        self.begin(running=False)

    def begin(self, *, running: bool = True) -> None:
        """A new test begins, or, with ``running=False``, none does."""
        self.running = running
        self.calls: list[outcome.Call] = []
        self.raised: BaseException | None = None
        self.at = ""
        self.compared: outcome.Comparison | None = None


class StudentFile(ModuleType):
    """Stands in ``sys.modules`` for one file; imports it when something is first asked of it.

    So a file that cannot be imported fails only the tests that need it, each with the same sentence.
    """

    def __init__(self, path: Path, functions: Sequence[str], watch: Watch) -> None:
        super().__init__(path.stem)
        self.__file__ = str(path)
        self._path, self._functions, self._watch = path, functions, watch
        self._module: ModuleType | None = None
        self._failure = ""

    def __getattribute__(self, name: str) -> Any:
        """Public names come from the student's file, wrapped so that their use is seen."""
        if name.startswith("_"):
            return super().__getattribute__(name)
        return self._answer(name)

    def __dir__(self) -> list[str]:
        """The names of the student's file; import it for that, and for whoever looks for doctests."""
        with contextlib.suppress(Told):
            self._load()
        return list(self.__dict__)

    def _answer(self, name: str) -> Any:
        __tracebackhide__ = True
        value = getattr(self._load(), name, self)
        if value is self:
            if not self._watch.running:
                raise AttributeError(name)
            names = vars(self._load())
            raise Told("not-run", wording.missing_name(name, self._path.name, names, self._functions))
        if name in self._functions or callable(value):
            return _watched(name, value, self._path, self._watch)
        self._watch.calls.append(outcome.Call(name, value, verb="is"))
        return value

    def _load(self) -> ModuleType:
        """The student's module.

        Raises:
            Told: It cannot be imported.
        """
        __tracebackhide__ = True
        inner = bool(self._watch.importing)  # another file asks for it, which may wait for each other
        if self._failure and not inner:
            raise Told("not-run", self._failure)
        if self._module is None:
            try:
                self._module = _import(self._path, self._watch)
            except Told as told:
                # As in Python, an import that failed is tried anew by the next file that asks for it.
                self._failure = self._failure if inner else told.sentence
                raise
            # What looks into the module, such as a collector of doctests, finds what is there.
            self.__dict__.update({k: v for k, v in vars(self._module).items() if k not in self.__dict__})
            self.__doc__ = self._module.__doc__
        return self._module


def _import(path: Path, watch: Watch) -> ModuleType:
    """Run a student's file as a module, from its source, so that an edit always counts."""
    file = path.name
    try:
        source = path.read_bytes()
        if b"\0" in source:
            raise Told("not-run", wording.unreadable(file, "it holds NUL characters; save it as UTF-8"))
        code = compile(source, str(path), "exec", dont_inherit=True)
    except FileNotFoundError:
        raise Told("not-run", f"{file} is not in this folder: put it back under this name.") from None
    except OSError as error:
        raise Told("not-run", wording.unreadable(file, error.strerror or str(error))) from None
    except SyntaxError as error:
        if error.msg.startswith("(unicode error) 'utf-8'"):
            raise Told("not-run", wording.unreadable(file, "it is not text in UTF-8; save it so")) from None
        why = wording.not_python(file, error.lineno, error.msg, error.text or "", error.offset or 0)
        raise Told("not-run", why) from None
    return _run(path, code, watch)


def _run(path: Path, code: CodeType, watch: Watch) -> ModuleType:
    """The module that a file's code makes.

    Raises:
        Told: It did not come to its end.
    """
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None:
        raise Told("not-run", wording.unreadable(path.name, "its name does not end in .py"))
    module = importlib.util.module_from_spec(spec)
    try:
        with _known_by_its_name(module, watch), alarm.stopped_after(watch.seconds), _no_keyboard():
            exec(code, module.__dict__)  # noqa: S102 - importing a student's file is what this is for
    except alarm.TookTooLong:
        raise Told("not-run", wording.slow_import(path.name, watch.seconds)) from None
    except (KeyboardInterrupt, Told):
        raise
    except BaseException as error:  # noqa: BLE001 - whatever it raises, even SystemExit, is told
        raise Told("not-run", _failed_import(path, error)) from None
    return module


@contextlib.contextmanager
def _known_by_its_name(module: ModuleType, watch: Watch) -> Iterator[None]:
    """While a file is run its own name leads to it, half done as it is, as in any import of Python's."""
    name, spec = module.__name__, module.__spec__
    usual = sys.modules.get(name)
    sys.modules[name] = module
    watch.importing.append(name)
    vars(spec)["_initializing"] = True  # what Python goes by when it says "partially initialized"
    try:
        yield
    finally:
        vars(spec)["_initializing"] = False
        watch.importing.pop()
        sys.modules.pop(name, None)
        if usual is not None:
            sys.modules[name] = usual


def _failed_import(path: Path, error: BaseException) -> str:
    line = next((frame.lineno for frame in reversed(frames(error)) if frame.filename == str(path)), None)
    if isinstance(error, SystemExit):
        return wording.ended_import(path.name, line=line)
    if isinstance(error, AskedForInput):
        return wording.asks_for_input(path.name, line)
    return wording.import_failed(path.name, type(error).__name__, text_of(error), line)


def _watched(name: str, value: Any, path: Path, watch: Watch) -> Callable[..., Any]:
    """The student's function, noting each call and what came of it."""

    @functools.wraps(value, updated=())
    def function(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        call = showing.call_text(name, args, kwargs)
        if not callable(value):
            raise Told("not-run", f"{name} in {path.name} is not a function: define it with def.")
        if name in watch.too_slow:
            raise Told("stopped", f"{call} was not run, since {name} took too long before.")
        before = [_copy(argument) for argument in args]
        watch.at = call
        try:
            with alarm.stopped_after(watch.seconds), _no_keyboard():
                got = value(*args, **kwargs)
        except alarm.TookTooLong:
            watch.too_slow.add(name)
            raise Told("stopped", wording.too_slow(call, watch.seconds)) from None
        except SystemExit as error:
            raise Told("needs-work", wording.ended_program(call, where=place(error, path))) from None
        except MemoryError:
            raise Told("stopped", wording.too_much_memory(call)) from None
        except Exception as error:
            watch.raised = error
            raise
        pairs = zip(before, args, strict=True)
        changed = [(was, now) for was, now in pairs if type(was) is type(now) and was != now]
        watch.calls.append(outcome.Call(call, got, changed=changed))
        return got

    return function


def _copy(argument: Any) -> Any:
    """An argument as it is now, if it is of a kind that a function could change."""
    return copy.deepcopy(argument) if isinstance(argument, (list, dict, set)) else None


@contextlib.contextmanager
def _no_keyboard() -> Iterator[None]:
    """``input()`` has nobody to ask here; say so instead of waiting."""

    def refuse(*_: object) -> str:
        raise AskedForInput

    usual = builtins.input
    builtins.input = refuse
    try:
        yield
    finally:
        builtins.input = usual


def frames(error: BaseException) -> Sequence[traceback.FrameSummary]:
    """Where an error came from, outermost call first; without the lines' text, which may be long."""
    return traceback.StackSummary.extract(
        traceback.walk_tb(error.__traceback__), limit=-50, lookup_lines=False
    )


def place(error: BaseException, path: Path) -> str:
    """The innermost line of the student's own folder, such as ``reservation.py line 41``."""
    for frame in reversed(frames(error)):
        if Path(frame.filename).parent == path.parent:
            return f"{Path(frame.filename).name} line {frame.lineno}"
    return ""


def text_of(error: BaseException) -> str:
    """An error's own text, if it has one that can be read."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - a student's own __str__ may raise anything
        return ""
