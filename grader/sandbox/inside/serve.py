"""Serve one submission: import its files and answer one request after the other.

Runs in the child, inside the jail, in one process with the submission. Each answer is one frame: the reply,
which tests may see, the aside (an exception's text and place, printed text), which only feedback on visible
tests shows, and last the request's nonce. The trusted side checks all, because a submission can send frames
of its own.
"""

import contextlib
import enum
import importlib.machinery
import importlib.util
import os
import sys
import traceback
import types
from collections.abc import Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from typing import Any

from . import standins, wire
from .notebook import Notebook
from .statements import FOLDER, Statements

_SHOWN = 600
_FRAMES = 3
# So many characters fit into a frame, twelve bytes each, beside all else.
_CUT = 16_000
_EQUALITY = frozenset({"__eq__", "__ne__", "__class__"})
_PLAIN = frozenset({int, float, bool, str, list, tuple, dict, type(None)})
_NUMBERS_AND_TEXTS = (int, float, complex, str, bytes, list, tuple)


class SubmittedFiles(MetaPathFinder, Loader):
    """Imports the submission's files from memory; Python's own modules come first."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self.statements = Statements([name.removesuffix(".py") for name in files])

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find a module by the name of its file."""
        del path, target
        if f"{fullname}.py" not in self.files:
            return None
        place = FOLDER + fullname + ".py"
        return importlib.util.spec_from_file_location(fullname, place, loader=self)

    def exec_module(self, module: types.ModuleType) -> None:
        """Run the file's bytes as Python does, coding line included."""
        name = module.__name__ + ".py"
        self.statements.run(self.files[name], name, module.__dict__)

    def get_source(self, fullname: str) -> str:
        """Return a file's text, which ``inspect``, ``linecache``, tracebacks and ``doctest`` ask for."""
        return importlib.util.decode_source(self.files[fullname + ".py"])


def describe(error: BaseException) -> tuple[list[str], dict[str, Any]]:
    """Return the names of an exception's built-in classes, most specific first, and its aside."""
    classes = [cls.__name__ for cls in type(error).__mro__ if cls.__module__ == "builtins"]
    aside: dict[str, Any] = {"type": classes[0] if classes else ""}
    try:
        aside["type"] = type(error).__qualname__[:80]
        # Not extract_tb: it would try to open the files.
        aside["where"] = [
            [frame.f_code.co_filename[len(FOLDER) :], line or 0, frame.f_code.co_name]
            for frame, line in traceback.walk_tb(error.__traceback__)
            if frame.f_code.co_filename.startswith(FOLDER)
        ][-_FRAMES:]
        if isinstance(error, SyntaxError):
            line = error.text if type(error.text) is str else ""
            file, column = str(error.filename or "")[len(FOLDER) :], max(0, error.offset or 0)
            aside["syntax"] = [file, error.lineno or 0, column, line[:200]]
        if isinstance(error, ImportError) and type(error.name) is str:
            aside["module"] = error.name[:80]
        # Of a syntax error the message alone: str() would add the place.
        aside["text"] = str(error.msg if isinstance(error, SyntaxError) else error)[:_SHOWN]
    except BaseException:  # noqa: BLE001 - a submission's own __str__ may raise anything, and memory may be full
        return classes, aside
    return classes, aside


class Server:
    """Answers requests on one descriptor."""

    def __init__(self, channel: int, printed_limit: int) -> None:
        self.channel = channel
        self.printed = standins.Printed(printed_limit)
        self.received = bytearray()
        self.files: dict[str, bytes] = {}
        self.given: frozenset[str] = frozenset()
        self.notebook: Notebook | None = None

    def read_more(self) -> None:
        """Read what the trusted side sent; end the process when the channel is closed."""
        part = os.read(self.channel, 1 << 16)
        if not part:
            os._exit(0)
        self.received += part

    def receive(self) -> dict[str, Any]:
        """Read the next message."""
        return wire.loads(wire.next_body(self.received, self.read_more))

    def send(self, reply: dict[str, Any], aside: dict[str, Any], nonce: str) -> None:
        """Send a reply; where all is too much, printed text is cut, the aside left out, the value opaque."""
        short = {**aside, "printed": aside.get("printed", "")[:_CUT]}
        opaque = {"kind": "value", "value": {"o": "object"}}
        whole = {**reply, "aside": aside} if aside else reply
        for fields in (whole, {**reply, "aside": short}, reply, opaque):
            with contextlib.suppress(wire.WireError):
                frame = wire.dumps({**fields, "n": nonce})
                break
        view = memoryview(frame)
        while view:
            view = view[os.write(self.channel, view) :]

    def run(self) -> None:
        """Receive the files, then answer requests until the channel is closed."""
        # The first frame lists names and sizes; the bytes follow without frames, since files may be larger.
        for name, size in self.receive()["files"]:
            while len(self.received) < size:
                self.read_more()
            self.files[name] = bytes(self.received[:size])
            del self.received[:size]
        self.given = frozenset(self.files)
        finder = SubmittedFiles(self.files)
        if any(name.endswith(wire.CELL) for name in self.files):
            self.notebook = Notebook(self.files, finder.statements)
        sys.meta_path.append(finder)
        while True:
            request = self.receive()
            reply, aside = self.answer(request)
            if finder.statements.left_out:
                aside["left_out"], finder.statements.left_out = finder.statements.left_out, []
            if printed := self.printed.take():
                aside["printed"] = printed
            self.send(reply, aside, request["n"])

    def answer(self, request: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Carry out one request; an exception of the submission becomes the reply."""
        try:
            if request["verb"] == "load":
                module = importlib.import_module(request["module"])
                return {"kind": "loaded"}, {"names": _public_names(module)}
            if request["verb"] == "cell":
                if self.notebook:
                    source = self.files[request["file"]].decode()
                    self.notebook.run(source, request["name"], request["answers"], request["above"])
                return {"kind": "loaded"}, {}
            module = self.module_with(request["module"], request["name"])
            names = vars(module)
            if request["name"] not in names:
                return {"kind": "missing"}, {"names": _public_names(module)}
            if request["verb"] == "constant":
                return self.value_reply(names[request["name"]])
            return self.call(names[request["name"]], request)
        except BaseException as error:  # noqa: BLE001 - SystemExit is a reply, too
            classes, aside = describe(error)
            return {"kind": "raised", "classes": classes}, aside

    def module_with(self, module: str, name: str) -> types.ModuleType:
        """Return the module in which to look a name up: a file that was handed in, or the notebook."""
        if self.notebook and f"{module}.py" not in self.given:
            own = self.notebook.module
            # A cell may have written the file itself (%%writefile) and imported it.
            return own if name in vars(own) else sys.modules.get(module, own)
        return sys.modules[module]

    def call(self, function: Any, request: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Call a function with decoded arguments; reply with its value and the arguments that it changed."""
        if not callable(function):
            return {"kind": "uncallable"}, {"type": type(function).__name__[:80]}
        arguments = [wire.decode_argument(argument) for argument in request["arguments"]]
        keywords = {name: wire.decode_argument(value) for name, value in request["keywords"]}
        try:
            reply, aside = self.value_reply(function(*arguments, **keywords))
        except BaseException as error:  # noqa: BLE001 - any exception is the reply
            classes, aside = describe(error)
            reply = {"kind": "raised", "classes": classes}
            # Without a frame of the submission, its code never ran: the arguments did not fit the function.
            aside["signature"] = not aside.get("where") and classes[:1] == ["TypeError"]
        changed = [
            [position, tree]
            for position, argument in enumerate(arguments)
            if type(argument) in (list, dict)
            # A list of ints alone can be compared as it is.
            and not ({*map(type, argument)} <= {int} and argument == request["arguments"][position])
            and (tree := wire.encode(argument)) != request["arguments"][position]
        ]
        if changed:
            reply["changed"] = changed
        return reply, aside

    def value_reply(self, value: object) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return a value as a reply, and its type as the aside if it is not plain data."""
        kind = type(value)
        if type(value) is types.CoroutineType:
            value.close()  # or Python would print that it was never awaited
        aside: dict[str, Any] = {} if kind in _PLAIN else {"type": kind.__name__[:80]}
        if aside and self.is_impostor(kind):
            aside["impostor"] = True
        return {"kind": "value", "value": wire.encode(value)}, aside

    def is_impostor(self, kind: type) -> bool:
        """Return True if a value's class derives from a number or text, or defines its own equality.

        Only classes of the submission and mocks count; the standard library has honest ones, such as IntEnum,
        and an enumeration of the submission has the equality of its members' values.
        """
        for cls in kind.__mro__:
            if isinstance(cls, enum.EnumType) and _EQUALITY.isdisjoint(vars(cls)):
                continue
            own = f"{cls.__module__}.py" in self.files or cls.__module__ in ("__main__", "unittest.mock")
            if own and (issubclass(kind, _NUMBERS_AND_TEXTS) or not _EQUALITY.isdisjoint(vars(cls))):
                return True
        return False


def _public_names(module: types.ModuleType) -> list[str]:
    return sorted(name[:80] for name in vars(module) if type(name) is str and not name.startswith("_"))[:100]
