"""A student's files as the tests see them: imported late, watched, and unable to end the test run."""

from __future__ import annotations

import builtins
import contextlib
import copy
import functools
import importlib.machinery
import importlib.util
import inspect
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest

from . import causes, display, failure, newer, plain, timeout, warn, wording


class EndTest(pytest.fail.Exception):  # type: ignore[name-defined,misc]  # it is a variable, to mypy
    """End the running test with a state, a sentence, and the kind that :class:`judge.Verdict` has.

    No ``pytest.raises`` in a test catches it.
    """

    def __init__(self, state: str, sentence: str, kind: str = "") -> None:
        super().__init__(sentence, pytrace=False)
        self.state, self.sentence, self.kind = state, sentence, kind


class AskedForInput(Exception):  # noqa: N818 - it names what happened; the grader did not fail
    """The student's code called ``input()``."""


class Watch:
    """The calls of the running test, and how they ended.

    ``limits`` has the seconds of computing that the grader allows for one call, one import and everything.
    ``tell`` hears ``call`` or ``import`` and its name when the student's code begins, and two empty texts at
    its end; it may raise what ends that call. ``slow`` names what took longer than the grader allows.
    """

    def __init__(self, folder: Path, limits: Mapping[str, float]) -> None:
        self.seconds = timeout.SECONDS
        self.limits = limits
        self.refusals = warn.Refusals(folder)
        self.tell: Callable[[str, str], object] = lambda *_: None
        self.slow: dict[str, float] = {}
        self.spent = 0.0
        self.too_slow: set[str] = set()
        self.interrupted = ""
        self.importing: list[str] = []
        self.current: list[tuple[timeout.Interrupter | None, Callable[..., str]]] = []
        self.begin(running=False)

    def begin(self, *, running: bool = True) -> None:
        """Forget the last test; with ``running`` a new one begins."""
        self.running = running
        self.calls: list[failure.Call] = []
        self.answers: list[list[str]] = []
        self.raised: BaseException | None = None
        self.at = ""
        self.compared: failure.Comparison | None = None
        self.wrong_arguments = False
        self.last: tuple[str, list[Any], dict[str, Any]] | None = None

    @contextlib.contextmanager
    def run(self, name: str, what: str) -> Iterator[None]:
        """Run the student's code inside: with a time limit, no keyboard, and an eye on what is refused.

        Args:
            name: What a warning about its time calls it.
            what: ``call`` or ``import``, the limit that the grader applies.

        Raises:
            timeout.TimeLimitReached: The time was over.
        """
        outer, was_import = self.refusals.inside, self.refusals.in_import
        keyboard, started = builtins.input, time.process_time()
        try:
            if not self.current:
                self.tell(what, name)
            with timeout.time_limit(self.seconds) as interrupter:
                self.current.append((interrupter, keyboard))
                self.refusals.inside, self.refusals.in_import = True, what == "import"
                builtins.input = _nobody_answers
                yield
        except KeyboardInterrupt:  # a person's: the limit's became TimeLimitReached
            self.interrupted = self.interrupted or name
            raise
        finally:
            self.refusals.inside, self.refusals.in_import = outer, was_import
            builtins.input = keyboard
            del self.current[-1:]
            took = time.process_time() - started
            if took > self.limits.get(what, 1e9):
                self.slow.setdefault(name, self.limits[what])
            if not self.current:
                self.tell("", "")
                self.spent += took
                if self.spent > self.limits.get("all", 1e9):
                    self.slow.setdefault("", self.limits["all"])

    def end(self, reason: str, seconds: float) -> None:
        """End what begins, where ``tell`` heard of it: of too much ``memory`` or ``depth``, or too slow."""
        self.seconds = seconds
        raise {"memory": MemoryError, "depth": RecursionError}.get(reason, timeout.TimeLimitReached)

    def pause(self) -> None:
        """Let a person work in the debugger: without a time limit, and with ``input()``."""
        for interrupter, usual in self.current:
            if interrupter is not None:
                interrupter.end()
            builtins.input = usual


class StudentFile(ModuleType):
    """Stand-in for one file in ``sys.modules``; it imports the file when a test first asks for a name.

    So a file that cannot be imported fails only the tests that need it, each with the same sentence.
    """

    def __init__(self, path: Path, functions: Sequence[str], watch: Watch) -> None:
        super().__init__(path.stem)
        self.__file__ = str(path)
        self._path, self._functions, self._watch = path, functions, watch
        self._module: ModuleType | None = None
        self._failure = ""

    def __dir__(self) -> list[str]:
        """Import the file and list its names, for a collector of doctests."""
        with contextlib.suppress(EndTest):
            self._load()
        return list(self.__dict__)

    def __getattribute__(self, name: str) -> Any:
        """Return a public name of the student's file, wrapped so that each use is recorded."""
        __tracebackhide__ = True
        if name == "__all__":  # from lab import *
            with contextlib.suppress(EndTest):
                names = vars(self._load())
                return names.get("__all__", [one for one in names if not one.startswith("_")])
            return []
        if name.startswith("_"):
            return super().__getattribute__(name)
        try:
            value = getattr(self._load(), name, self)
        except EndTest:
            if self._watch.running:
                raise
            raise AttributeError(name) from None
        if value is self:
            if not self._watch.running:
                raise AttributeError(name)
            names = vars(self._load())
            raise EndTest("not-run", wording.missing_name(name, self._path.name, names, self._functions))
        if name in self._functions or callable(value):
            return _watched(name, value, self._path, self._watch)
        value = plain.plain(value)
        self._watch.calls.append(failure.Call(name, value, verb="is", kind=plain.kind_of(value)))
        return value

    def _load(self) -> ModuleType:
        """Import the student's file once.

        Raises:
            EndTest: The file cannot be imported.
        """
        __tracebackhide__ = True
        inner = bool(self._watch.importing)  # another file imports this one; each may wait for the other
        if self._failure and not inner:
            raise EndTest("not-run", self._failure)
        if self._module is None:
            try:
                self._module = _run(self._path, _compiled(self._path), self._watch)
            except EndTest as end:
                # As in Python, the next file that imports this one tries again.
                self._failure = self._failure if inner else end.sentence
                raise
            # A collector of doctests looks into the module's dictionary.
            self.__dict__.update({k: v for k, v in vars(self._module).items() if k not in self.__dict__})
            self.__doc__ = self._module.__doc__
        return self._module


def _compiled(path: Path) -> CodeType:
    """Compile a student's file from its source, never from a cache, so that every edit counts.

    Raises:
        EndTest: The file is missing, is not text in UTF-8, or is not Python.
    """
    file = path.name
    try:
        source = path.read_bytes()
        if b"\0" in source:
            raise EndTest("not-run", wording.nul_characters(file))
        if not source.strip():
            raise EndTest("not-run", wording.empty_file(file))
        return compile(source, str(path), "exec", dont_inherit=True)
    except FileNotFoundError:
        similar = display.display_text(warn.similar_file(path), 80)
        there = f", but {similar} is: give it the name {file}" if similar else ": put it back under this name"
        raise EndTest("not-run", f"{file} is not in this folder{there}.") from None
    except OSError as error:
        raise EndTest("not-run", wording.unreadable(file, error.strerror or str(error))) from None
    except SyntaxError as error:
        if error.msg.startswith("(unicode error) 'utf-8'"):
            raise EndTest("not-run", wording.not_utf8(file)) from None
        text = error.text or ""
        line, needs = newer.syntax_needs(error.lineno or 0, text, source)
        why = wording.not_python(file, error.lineno, error.msg, text, error.offset or 0)
        if needs:
            why = wording.newer_python(file, line, needs, "{}.{}".format(*sys.version_info))
        raise EndTest("not-run", why) from None


def _run(path: Path, code: CodeType, watch: Watch) -> ModuleType:
    """Run a file's code as a module.

    Raises:
        EndTest: The code raised an error, ended Python, or reached the time limit.
    """
    name = path.stem
    spec = importlib.machinery.ModuleSpec(name, None, origin=str(path))
    module = importlib.util.module_from_spec(spec)
    module.__file__ = str(path)
    usual = sys.modules.get(name)
    sys.modules[name] = module  # as in any import, its name is the unfinished module meanwhile
    vars(spec)["_initializing"] = True  # Python reads this for its message "partially initialized"
    watch.importing.append(name)
    try:
        with watch.run(path.name, "import"):
            exec(code, module.__dict__)  # noqa: S102 - importing a student's file is what this is for
    except timeout.TimeLimitReached:
        raise EndTest("not-run", wording.slow_import(path.name, watch.seconds)) from None
    except (KeyboardInterrupt, EndTest):
        raise
    except BaseException as error:  # noqa: BLE001 - whatever it raises, even SystemExit, is told
        line = next((f.lineno for f in reversed(frames(error)) if f.filename == str(path)), None)
        if isinstance(error, SystemExit):
            sentence = wording.ended_import(path.name, line=line)
        elif isinstance(error, AskedForInput):
            sentence = wording.asks_for_input(path.name, line)
        else:
            sentence = wording.import_failed(path.name, type(error).__name__, text_of(error), line)
        raise EndTest("not-run", sentence) from None
    finally:
        vars(spec)["_initializing"] = False
        watch.importing.pop()
        sys.modules.pop(name, None)
        if usual is not None:
            sys.modules[name] = usual
    return module


def _watched(name: str, value: Any, path: Path, watch: Watch) -> Callable[..., Any]:
    """Wrap the student's function so that each call and its end are recorded in ``watch``."""

    @functools.wraps(value, updated=())
    def function(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        call = display.call_text(name, args, kwargs)
        if not callable(value):
            raise EndTest("not-run", wording.not_a_function(name, path.name))
        if name in watch.too_slow:
            raise EndTest("stopped", f"{call} was not run, since {name} took too long before.", "slow")
        # Copies of the arguments that a function could change.
        before = [copy.deepcopy(arg) if isinstance(arg, (list, dict, set)) else None for arg in args]
        watch.at, watch.last = call, (name, [*map(copy.copy, args)], {**kwargs})
        try:
            with watch.run(call, "call"):
                got = value(*args, **kwargs)
        except timeout.TimeLimitReached:
            watch.too_slow.add(name)
            raise EndTest("stopped", wording.too_slow(call, watch.seconds), "slow") from None
        except SystemExit as error:
            sentence = wording.ended_program(call, where=place(error, path))
            raise EndTest("needs-work", sentence, "ended") from None
        except MemoryError:
            raise EndTest("stopped", wording.too_much_memory(call), "memory") from None
        except Exception as error:
            watch.raised = error
            watch.wrong_arguments = type(error) is TypeError and not _accepts(value, args, kwargs)
            watch.answers.append([name, *causes.digests(call, f"raised {type(error).__name__}")])
            raise
        pairs = zip(before, args, strict=True)
        changed = [(was, now) for was, now in pairs if type(was) is type(now) and was != now]
        got = plain.plain(got)
        watch.answers.append([name, *causes.digests(call, causes.answer_text(got, changed))])
        watch.calls.append(failure.Call(call, got, kind=plain.kind_of(got), changed=changed))
        return got

    return function


def _accepts(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """True if a function accepts these arguments, or if its signature is not known."""
    with contextlib.suppress(ValueError):
        try:
            inspect.signature(function).bind(*args, **kwargs)
        except TypeError:
            return False
    return True


def _nobody_answers(*_: object) -> str:
    """Stands for ``input`` while the student's code runs."""
    raise AskedForInput


def frames(error: BaseException) -> Sequence[traceback.FrameSummary]:
    """The frames of an error's traceback, outermost first, without their lines' text."""
    return traceback.StackSummary.extract(
        traceback.walk_tb(error.__traceback__), limit=-50, lookup_lines=False
    )


def place(error: BaseException, path: Path) -> str:
    """The innermost line of the student's own folder, such as ``lab.py line 41``."""
    for frame in reversed(frames(error)):
        if Path(frame.filename).parent == path.parent:
            return f"{Path(frame.filename).name} line {frame.lineno}"
    return ""


def text_of(error: BaseException) -> str:
    """An error's own text; empty if it cannot be read."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - a student's own __str__ may raise anything
        return ""
