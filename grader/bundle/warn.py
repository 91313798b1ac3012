"""Warn, before anything is handed in, of what will be different when it is graded."""

from __future__ import annotations

import ast
import functools
import hashlib
import re
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from . import display, newer, wording

_FILES = "open os.listdir os.scandir os.mkdir os.remove os.rename shutil tempfile sqlite3.connect"
_PROGRAMS = "subprocess webbrowser pty os.system os.exec os.fork os.posix_spawn os.spawn os.startfile"
_REFUSED = {
    **dict.fromkeys(_FILES.split(), "uses files"),
    **dict.fromkeys(["socket", "urllib", "ftplib", "smtplib", "imaplib", "poplib"], "uses the network"),
    **dict.fromkeys(_PROGRAMS.split(), "starts a program"),
    "_thread": "starts a thread",
}
"""What Python reports of the code (an audit event, or all that begin with this word), in words."""
# What these do by themselves works when graded, or is done for pytest.
_NOT_THEIRS = re.compile(
    "asyncio|doctest|glob|inspect|linecache|pdb|platform|tokenize|traceback|warnings|zoneinfo"
)
_OF_THE_LIBRARY = re.compile(r"\.pyc?$|zoneinfo|^(b'cls'|b'clear'|:memory:)$")
_NOT_THERE = {"tkinter", "turtle", "curses", "readline"}
"""Modules of Python that are not there when graded: they need a screen or a keyboard."""
_HERE = str(Path(__file__).parent)
_listening: list[Refusals] = []


class Refusals:
    """What the student's code did that is refused when it is graded: file, line and what it did.

    Events count while ``inside`` is true; then ``in_import`` tells an import from a call.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)
        self.found: dict[tuple[str, int, str], bool] = {}
        self.inside = self.in_import = False
        _listening[:] = [self]
        _listen()

    def note(self, event: str, about: object) -> None:
        """Note an event if the student's code caused it; ``about`` is its first argument."""
        what = _REFUSED.get(event) or _REFUSED.get(event.partition(".")[0])
        harmless = _OF_THE_LIBRARY.search(str(about)) and not str(about).startswith(self.folder)
        if not what or harmless or event == "socket.gethostname" or len(self.found) > 20:
            return
        frame: FrameType | None = sys._getframe(2)  # noqa: SLF001 - the only way to it
        while frame is not None:
            file = frame.f_code.co_filename
            name = str(frame.f_globals.get("__name__", "")).partition(".")[0]
            ours = file.startswith(_HERE) and file != __file__
            if ours or file.startswith("<frozen importlib") or _NOT_THEIRS.fullmatch(name):
                return
            if str(Path(file).parent) == self.folder:
                self.found.setdefault((Path(file).name, frame.f_lineno, what), self.in_import)
                return
            frame = frame.f_back


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    watch = _listening[0]
    if watch.inside:
        watch.inside = False  # what is done here is not the student's
        try:
            watch.note(event, arguments[0] if arguments else "")
        finally:
            watch.inside = True


@functools.cache
def _listen() -> None:
    """Hear what any code does, until Python ends; only Python 3.12 and newer report threads by themselves."""
    usual = threading.Thread.start

    @functools.wraps(usual)
    def start(thread: threading.Thread) -> None:
        _hear("_thread.start", ())
        usual(thread)

    setattr(threading.Thread, "start", start)  # noqa: B010 - mypy refuses an assignment
    sys.addaudithook(_hear)


def all_warnings(
    folder: Path, tests: Path, points: Mapping[str, Any], refusals: Refusals, slow: Mapping[str, float]
) -> list[str]:
    """Make one sentence for each thing that will be different, each once.

    Args:
        folder: The student's folder.
        tests: The folder of the tests.
        points: ``kit/points.json``.
        refusals: What the code did that will be refused.
        slow: Calls and imports that took longer than the grader allows, with the seconds that it allows;
            an empty name stands for everything together.
    """
    found: list[str] = []
    for name, functions in points["files"].items():
        found += _of_file(folder, name, points)
        other = similar_file(folder / name) if (folder / name).is_file() else ""
        text = (folder / other).read_bytes().decode("utf-8", "replace") if other else ""
        if any(f"def {function}(" in text for function in functions):
            shown = display.display_text(other, 80)
            found.append(f"{shown} holds the same functions: keep one of the two, under the name {name}.")
    for (file, line, what), in_import in refusals.found.items():
        then = "that line is left out then" if in_import else "the function fails then"
        found.append(f"{file} line {line} {what}, which is refused when you are graded: {then}.")
    for call, seconds in slow.items():
        allowed = f"{wording.seconds_text(seconds)} allowed when you are graded"
        found.append(f"{call or 'Everything together'} took longer than the {allowed}.")
    for name, digest in points.get("tests", {}).items():
        path = tests / name
        if path.is_file() and file_digest(path.read_bytes()) != digest:
            mend = "you are graded with the original; unzip this file again from the bundle"
            found.append(f"{name} was changed; {mend}.")
    return list(dict.fromkeys(found))


def file_digest(data: bytes) -> str:
    """The digest of a file's words; line ends and blanks, which editors change, do not count."""
    return hashlib.sha256(b" ".join(data.split())).hexdigest()[:16]


def _of_file(folder: Path, name: str, points: Mapping[str, Any]) -> Iterator[str]:
    """Warn of syntax and imports that are not there when the file is graded."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            source = (folder / name).read_bytes().decode("utf-8-sig")
            tree = ast.parse(source)
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return  # said by the import itself
    if "python" in points:
        major, minor = points["python"]
        for line, needs in newer.newer_parts(source, (major, minor)):
            yield wording.newer_python(name, line, needs, f"{major}.{minor}")
    tries = (node for node in ast.walk(tree) if isinstance(node, ast.Try) and node.handlers)
    optional = {inner for one in tries for inner in ast.walk(ast.Module(one.body, []))}
    for node in ast.walk(tree):
        modules, line = list[str](), getattr(node, "lineno", 0)
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            modules = [node.module]
        for module in (one.partition(".")[0] for one in modules if node not in optional):
            own = (folder / f"{module}.py").is_file() or (folder / module).is_dir()
            if not own and (module not in {*sys.stdlib_module_names, "pytest"} or module in _NOT_THERE):
                yield wording.no_module(name, line, module)


def similar_file(path: Path) -> str:
    """The name of a file that may be meant by ``path``, such as ``lab.py.txt``; empty if none may."""
    words = re.split(r"[\W_]+", path.stem.lower())
    for name in sorted(one.name for one in path.parent.iterdir() if one.is_file() and one.name != path.name):
        inside = re.split(r"[\W_]+", name.lower().removesuffix(".txt").removesuffix(".py"))
        is_test = name.startswith("test_") or name.endswith((".pyc", ".ipynb"))
        if not is_test and ".py" in name.lower() and all(word in inside for word in words):
            return name
    return ""
