"""Run a source as a module; leave out top-level statements that fail only because of the jail.

Runs in the child. A file counts at home with its ``open("notes.txt")`` at the top, so it must count here: the
statement is left out, the rest runs, and the list ``left_out`` tells the student. Sources are run whole; only
after such a failure is the rest of the source compiled again and run. The same loop serves files and, one
after the other in one namespace, the cells of a notebook.
"""

import ast
import errno
import itertools
import sys
import types
from collections.abc import Collection
from typing import Any

FOLDER = "/submission/"  # folder in the file names of submitted code; it exists nowhere
_MOST = 20
# The bits of code flags that __future__ imports set.
_FUTURE = 0x1FE0000

# What an audit event is about, by the whole event or by the part before its dot.
_EVENTS = {
    "files": "open os shutil tempfile sqlite3 ctypes mmap fcntl",
    "network": "socket urllib ftplib smtplib imaplib poplib",
    "processes": "subprocess pty signal webbrowser os.system os.exec os.fork os.forkpty os.posix_spawn"
    " os.kill os.killpg os.spawn",
    "threads": "_thread",
    "": "ctypes.addressof ctypes.string_at os.putenv os.unsetenv",
}
_ABOUT = {event: about for about, events in _EVENTS.items() for event in events.split()}
_Heard = dict[types.CodeType, list[tuple[str, int]]]


class Statements:
    """Runs sources in their namespaces; ``left_out`` holds [place, line, reason, name] of each statement.

    Reasons: ``files``, ``network``, ``processes``, ``threads`` (the jail refused it), ``module`` (there is
    no module ``name``), ``input`` (nobody answers), ``exit`` (it ends the program), ``needs`` (it uses
    ``name``, which a statement that was left out would have set or changed).
    """

    def __init__(self, modules: Collection[str]) -> None:
        self.modules = frozenset(modules)
        self.left_out: list[list[Any]] = []
        self._heard: _Heard = {}
        sys.addaudithook(self._hear)

    def _hear(self, event: str, _arguments: tuple[Any, ...]) -> None:
        """Note what an audit event is about, for the statements that are running.

        Files that Python's own import opens are not theirs.
        """
        if not self._heard:
            return
        about = _ABOUT.get(event, _ABOUT.get(event.partition(".")[0]))
        if not about:
            return
        frame: types.FrameType | None = sys._getframe()  # noqa: SLF001 - the only way to it
        while frame and not frame.f_code.co_filename.startswith("<frozen importlib"):
            if frame.f_code in self._heard:
                self._heard[frame.f_code].append((about, frame.f_lineno))
            frame = frame.f_back

    def run(
        self,
        source: bytes | str,
        place: str,
        names: dict[str, Any],
        *,
        flags: int = 0,
        unset: set[str] | None = None,
    ) -> int:
        """Run a source in the namespace ``names``; ``place`` is a file's name or ``code cell N``.

        ``flags`` are compiler flags; those that imports from ``__future__`` set are returned. ``unset`` holds
        the names that statements of ``names`` would have set or changed if they had not been left out.

        Raises:
            SyntaxError: The source is not Python.
            BaseException: A statement raised it, and not because of the jail.
        """
        filename = FOLDER + place
        try:
            code = compile(source, filename, "exec", flags, dont_inherit=True)
        except (MemoryError, RecursionError):
            raise SyntaxError("it is nested too deeply to be read", (filename, 0, 0, "")) from None
        future: int = code.co_flags & _FUTURE
        rest: list[ast.stmt] = []
        unset = set() if unset is None else unset
        while True:
            self._heard[code] = []
            try:
                result = eval(code, names)  # noqa: S307 - what this process is for
                if type(result) is types.CoroutineType:  # a source with ``await`` at its top level
                    import asyncio  # noqa: PLC0415 - hardly any source needs it

                    asyncio.run(result)
            except (Exception, SystemExit) as error:
                try:
                    rest = rest or ast.parse(source, filename).body
                except (MemoryError, RecursionError):
                    raise error from None
                position = _position(error, code)
                done = [n for n in rest if position >= (n.end_lineno or 0, n.end_col_offset or 0)]
                failed = min(len(done), len(rest) - 1)
                statement, rest = rest[failed], rest[failed + 1 :]
                reason, name = self._why(error, statement, self._heard[code], unset)
                if not reason or len(self.left_out) >= _MOST:
                    raise
                self.left_out.append([place, _start(statement), reason, name])
                unset |= _bound(statement) | _changed(statement, names)
            else:
                return future
            finally:
                del self._heard[code]
            if not rest:
                return future
            code = compile(ast.Module(rest, []), filename, "exec", flags | future, dont_inherit=True)

    def _why(  # noqa: PLR0911 - one return a kind
        self, error: BaseException, statement: ast.stmt, heard: list[tuple[str, int]], unset: set[str]
    ) -> tuple[str, str]:
        """Return the reason to leave a statement out, and the name it is about; two empty texts if none."""
        if isinstance(error, SystemExit):
            return "exit", ""
        if isinstance(error, (MemoryError, RecursionError)):
            return "", ""
        if isinstance(error, EOFError) and str(error) == "EOF when reading a line":
            return "input", ""
        if isinstance(error, NameError) and error.name in unset:
            return "needs", error.name
        if isinstance(error, ModuleNotFoundError) and type(error.name) is str:
            module = error.name.partition(".")[0]
            return ("", "") if module in sys.modules or module in self.modules else ("module", module)
        if isinstance(error, RuntimeError) and str(error) == "can't start new thread":
            return "threads", ""
        for about, line in heard:
            if _start(statement) <= line <= (statement.end_lineno or 0):
                return about, ""
        if isinstance(error, OSError) and error.errno in (errno.EPERM, errno.EACCES):
            return "files", ""
        used = (node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id in unset)
        name = next(used, "")
        return ("needs", name) if name else ("", "")


def _position(error: BaseException, code: types.CodeType) -> tuple[int, int]:
    """Return line and column of the instruction of ``code`` that was running when an error was raised."""
    step = error.__traceback__
    while step and step.tb_frame.f_code is not code:
        step = step.tb_next
    if not step:
        raise error
    line, _, column, _ = next(itertools.islice(code.co_positions(), step.tb_lasti // 2, None))
    return line or step.tb_lineno, column or 0


def _start(statement: ast.stmt) -> int:
    """Return a statement's first line, decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(node.lineno for node in decorators)])


def _bound(statement: ast.stmt) -> set[str]:
    """Return the names that a statement would have set."""
    found: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    return found


def _changed(statement: ast.stmt, names: dict[str, Any]) -> set[str]:
    """Return the names of objects that a statement such as ``thread.start()`` would have changed."""
    match statement:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(name)))):
            return set() if isinstance(names.get(name), types.ModuleType) else {name}
    return set()
