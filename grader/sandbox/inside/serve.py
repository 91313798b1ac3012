"""The submission's own process: import its files, answer calls, one at a time, until the other side ends it.

What is sent for a request is two frames: the reply, which tests may see, and the aside (an exception's
text, the place of it, what was printed), which only feedback on visible tests may show. Nothing here has
to be trusted: a submission shares this process and may answer for itself.
"""

from __future__ import annotations

import builtins
import importlib.machinery
import importlib.util
import io
import os
import sys
import traceback
import types
from collections.abc import Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from typing import Any

from . import frames, wire

FOLDER = "/submission/"
_SHOWN = 600
_FRAMES = 3
_EQUALITY = frozenset({"__eq__", "__ne__", "__class__"})
_NUMBERS_AND_TEXTS = (int, float, complex, str, bytes, list, tuple)


class Printed(io.TextIOBase):
    """Standard output of the submission: keeps the first ``limit`` characters of each request."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit
        self.parts: list[str] = []
        self.left = limit

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, text: str) -> int:
        """Keep what there is room for."""
        kept = text[: self.left]
        if kept:
            self.parts.append(kept)
            self.left -= len(kept)
        return len(text)

    def take(self) -> str:
        """What was printed since the last time, as far as it was kept."""
        text = "".join(self.parts)
        self.parts, self.left = [], self.limit
        return text


class Notice:
    """Stands for ``help`` and its kin, which wait for a key: it may be called, and says nothing."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        """What a terminal shows of it."""
        return f"Type {self.name}() in a terminal of your own."

    def __call__(self, *_: object, **__: object) -> None:
        """Nothing."""


class SubmittedFiles(MetaPathFinder, Loader):
    """Imports the submission's files from memory, after all of Python's own modules."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A module that was handed in, by its file's name."""
        del path, target
        if f"{fullname}.py" not in self.files:
            return None
        place = FOLDER + fullname + ".py"
        return importlib.util.spec_from_file_location(fullname, place, loader=self)

    def exec_module(self, module: types.ModuleType) -> None:
        """Compile the file's bytes as Python itself would (its coding line included) and run them."""
        name = module.__name__ + ".py"
        try:
            code = compile(self.files[name], FOLDER + name, "exec", dont_inherit=True)
        except (MemoryError, RecursionError):
            raise SyntaxError("it is nested too deeply to be read", (FOLDER + name, 0, 0, "")) from None
        exec(code, module.__dict__)  # noqa: S102 - what this process is for


def describe(error: BaseException) -> tuple[list[str], dict[str, Any]]:
    """The names of an exception's built-in classes, most special first; and what feedback may show of it."""
    classes = [cls.__name__ for cls in type(error).__mro__ if cls.__module__ == "builtins"]
    try:
        return classes, _error_details(error)
    except BaseException:  # noqa: BLE001 - a submission's own __str__ may raise anything, and memory may be full
        return classes, {"type": classes[0]} if classes else {}


def _error_details(error: BaseException) -> dict[str, Any]:
    """An exception's type, text and place, and what two kinds of them know besides."""
    # Not extract_tb: it would open the files for their lines.
    where = [
        [frame.f_code.co_filename[len(FOLDER) :], line or 0, frame.f_code.co_name]
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename.startswith(FOLDER)
    ][-_FRAMES:]
    aside: dict[str, Any] = {"type": type(error).__qualname__[:80], "where": where}
    if isinstance(error, SyntaxError):
        # The message alone: str() adds a place of its own, and the line is the student's own text.
        line = error.text if type(error.text) is str else ""
        aside["text"] = str(error.msg)[:_SHOWN]
        aside["syntax"] = [
            str(error.filename or "")[len(FOLDER) :],
            error.lineno or 0,
            max(0, error.offset or 0),
            line[:200],
        ]
        return aside
    if isinstance(error, ImportError) and type(error.name) is str:
        aside["module"] = error.name[:80]
    try:
        aside["text"] = str(error)[:_SHOWN]
    except BaseException:  # noqa: BLE001 - as above; its place is still worth telling
        aside["text"] = ""
    return aside


class Server:
    """Answers requests on one descriptor."""

    def __init__(self, channel: int, printed_limit: int) -> None:
        self.channel = channel
        self.printed = Printed(printed_limit)
        self.files: dict[str, bytes] = {}

    def read(self, count: int) -> bytes:
        """Exactly ``count`` bytes; the process ends when the other side has gone."""
        data = bytearray()
        while len(data) < count:
            part = os.read(self.channel, count - len(data))
            if not part:
                os._exit(0)
            data += part
        return bytes(data)

    def send(self, reply: dict[str, Any], aside: dict[str, Any]) -> None:
        """Send both frames; of what does not fit into one, a value that equals nothing, or less text."""
        try:
            first = frames.dumps(reply)
        except wire.WireError:
            first = frames.dumps({"n": reply["n"], "kind": "value", "value": {"o": "object"}})
        while True:
            try:
                second = frames.dumps(aside)
                break
            except wire.WireError:
                aside = {**aside, "printed": aside["printed"][: len(aside["printed"]) // 2]}
        view = memoryview(first + second)
        while view:
            view = view[os.write(self.channel, view) :]

    def run(self) -> None:
        """Serve for ever."""
        sys.stdout = sys.stderr = self.printed
        # Python has these from its site module, which is left out here.
        vars(builtins).update(exit=sys.exit, quit=sys.exit)
        vars(builtins).update({name: Notice(name) for name in ("help", "copyright", "credits", "license")})
        first = frames.receive(self.read)
        # The files come one frame each, so that no frame has to be large.
        self.files = {name: self.read(size) for name, size in first["files"]}
        sys.meta_path.append(SubmittedFiles(self.files))
        while True:
            request = frames.receive(self.read)
            reply, aside = self.answer(request)
            self.send({**reply, "n": request["n"]}, {**aside, "printed": self.printed.take()})

    def answer(self, request: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Do what a request asks for; whatever the submission raises becomes part of the reply."""
        try:
            if request["verb"] == "load":
                module = importlib.import_module(request["module"])
                return {"kind": "loaded"}, {"names": _public_names(module)}
            module = sys.modules[request["module"]]
            names = vars(module)
            if request["name"] not in names:
                return {"kind": "missing"}, {"names": _public_names(module)}
            if request["verb"] == "constant":
                return self.value_reply(names[request["name"]])
            return self.call(names[request["name"]], request)
        except BaseException as error:  # noqa: BLE001 - SystemExit and its kin are answers here too
            classes, aside = describe(error)
            return {"kind": "raised", "classes": classes}, aside

    def call(self, function: Any, request: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Call a function with plain arguments; say which of them it changed."""
        if not callable(function):
            return {"kind": "uncallable"}, {"type": type(function).__name__[:80]}
        arguments = [wire.decode_argument(argument) for argument in request["arguments"]]
        keywords = {name: wire.decode_argument(value) for name, value in request["keywords"]}
        try:
            reply, aside = self.value_reply(function(*arguments, **keywords))
        except BaseException as error:  # noqa: BLE001 - whatever it raises is the answer
            classes, aside = describe(error)
            reply = {"kind": "raised", "classes": classes}
            # A frame of the submission means that its code ran; without one the call itself did not fit.
            aside["signature"] = not aside.get("where") and classes[:1] == ["TypeError"]
        reply["changed"] = [
            [position, tree]
            for position, argument in enumerate(arguments)
            if type(argument) in (list, dict)
            and (tree := wire.encode(argument)) != request["arguments"][position]
        ]
        return reply, aside

    def value_reply(self, value: object) -> tuple[dict[str, Any], dict[str, Any]]:
        """A value as a reply, and its type as an aside."""
        kind = type(value)
        if type(value) is types.CoroutineType:
            value.close()  # or Python would say, among what the student printed, that nobody awaited it
        aside = {"type": kind.__name__[:80], "impostor": self.is_impostor(kind)}
        return {"kind": "value", "value": wire.encode(value)}, aside

    def is_impostor(self, kind: type) -> bool:
        """Whether a value's class pretends to be another: a number's or text's kind, or equal as it likes.

        Only classes of the submission, and mocks, can mean to; the standard library's are what they say.
        """
        for cls in kind.__mro__:
            own = f"{cls.__module__}.py" in self.files or cls.__module__ == "unittest.mock"
            if own and (issubclass(kind, _NUMBERS_AND_TEXTS) or not _EQUALITY.isdisjoint(vars(cls))):
                return True
        return False


def _public_names(module: types.ModuleType) -> list[str]:
    return sorted(name[:80] for name in vars(module) if type(name) is str and not name.startswith("_"))[:100]
