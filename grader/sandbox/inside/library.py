"""Load Python's standard library into memory, so that a child imports all of it and opens no file.

Runs in the zygote. Pure modules are kept as compiled code, extension modules are imported, and time zones are
kept as bytes. Code and zones lie in one private mapping that nobody writes to: a fork copies nothing of it.
"""

import contextlib
import importlib
import importlib.machinery
import importlib.util
import io
import marshal
import mmap
import os
import struct
import sys
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.abc import ExecutionLoader, MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from .standins import AFTER_IMPORT

# Packages that no submission needs: they want a screen, or are Python's own tests and tools.
_WITHOUT = frozenset(
    {"test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip", "lib2to3", "pydoc_data", "__pycache__"}
)
# Extension modules that want a screen, a terminal or another process, are gone from newer Pythons, or make
# each fork dearer than they are worth (asyncio works without _asyncio).
_UNWANTED = (
    "_test", "_xx", "xx", "_interp", "_ctypes_test", "_tkinter", "_curses", "readline", "_uuid", "_dbm",
    "_gdbm", "_posixshmem", "_crypt", "nis", "ossaudiodev", "spwd", "syslog", "audioop", "_asyncio",
)  # fmt: skip


# Read at once: the folder of this code is closed when the zygote starts.
_PYTEST = Path(__file__).with_name("standin_pytest.py").read_bytes()


@dataclass(frozen=True)
class _Module:
    """A pure module: the path of its file, and its code if that is compiled, or its source."""

    path: str
    is_compiled: bool
    data: memoryview


class Library(MetaPathFinder, ExecutionLoader):
    """Imports pure modules of the standard library from memory, and knows the time zones."""

    def __init__(self, modules: Mapping[str, _Module], zones: Mapping[str, memoryview]) -> None:
        self.modules, self.zones = modules, zones

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find a module by its full name."""
        del path, target
        return importlib.util.spec_from_loader(fullname, self) if fullname in self.modules else None

    def exec_module(self, module: types.ModuleType) -> None:
        """Run a module's code."""
        super().exec_module(module)
        if change := AFTER_IMPORT.get(module.__name__):
            change(module)

    def get_filename(self, fullname: str) -> str:
        """Return the path of a module's file."""
        return self.modules[fullname].path

    def is_package(self, fullname: str) -> bool:
        """Return True for a package."""
        return self.modules[fullname].path.endswith("__init__.py")

    def get_code(self, fullname: str) -> types.CodeType:
        """Return a module's code; a Python without compiled files has its source compiled now."""
        module = self.modules[fullname]
        if module.is_compiled:
            code: types.CodeType = marshal.loads(module.data)  # noqa: S302 - written by this Python
            return code
        return compile(bytes(module.data), module.path, "exec", dont_inherit=True)

    def get_source(self, _fullname: str) -> None:
        """Return None: sources are not kept."""

    def zone(self, key: str) -> io.BytesIO:
        """Open the data of a time zone, as ``zoneinfo`` asks for it."""
        if key not in self.zones:
            import zoneinfo  # noqa: PLC0415 - only who asks for an unknown zone needs its error

            raise zoneinfo.ZoneInfoNotFoundError(f"No time zone found with key {key}")
        return io.BytesIO(self.zones[key])


def load_library() -> None:
    """Read the library, import its extension modules, and replace Python's finder of files by a Library."""
    folders = [Path(place) for place in sys.path if os.path.isdir(place)]  # noqa: PTH112 - a text
    files = {path.name for folder in folders for path in folder.iterdir()}
    extensions = {name.partition(".")[0] for name in files if name.endswith(tuple(EXTENSION_SUFFIXES))}
    for name in sorted(extensions):
        if not name.startswith(_UNWANTED):
            importlib.import_module(name)
    # Its watches are counted for each user, so it is refused; asyncio then takes poll.
    vars(importlib.import_module("select")).pop("epoll", None)
    importlib.reload(importlib.import_module("selectors"))
    found = [("pytest", Path("pytest.py"), (_PYTEST, False))]
    for name, path in _pure_modules(folders):
        # Debian's sitecustomize.py is a link to a file that the jail does not show.
        with contextlib.suppress(OSError):
            found.append((name, path, _code_of(path)))
    zones = list(_zones())
    kept = _kept([*(code for _, _, (code, _) in found), *(data for _, data in zones)])
    modules = {name: _Module(str(path), compiled, next(kept)) for name, path, (_, compiled) in found}
    library = Library(modules, {name: next(kept) for name, _ in zones})
    vars(importlib.import_module("zoneinfo._common"))["load_tzdata"] = library.zone
    sys.meta_path.remove(importlib.machinery.PathFinder)
    sys.meta_path.append(library)
    sys.path_hooks.clear()
    sys.path_importer_cache.clear()


def _kept(pieces: Sequence[bytes]) -> Iterator[memoryview]:
    """Copy bytes into one private mapping (in memory if no file may be so large); yield the pieces."""
    data = b"".join(pieces)
    whole = memoryview(data)
    memory = os.memfd_create("library")
    with contextlib.suppress(OSError), open(memory, "wb") as file:  # noqa: PTH123 - a descriptor
        file.write(data)
        file.flush()
        whole = memoryview(mmap.mmap(memory, len(data), mmap.MAP_PRIVATE, mmap.PROT_READ))
    end = 0
    for piece in pieces:
        end += len(piece)
        yield whole[end - len(piece) : end]


def _pure_modules(folders: Iterable[Path], prefix: str = "") -> Iterator[tuple[str, Path]]:
    """Yield full name and file of all modules in these folders, packages before what is in them."""
    for folder in folders:
        for path in sorted(folder.iterdir()):
            name = prefix + path.name.removesuffix(".py")
            inner = path / "__init__.py"
            if path.suffix == ".py" and path.stem != "__init__":
                yield name, path
            elif path.name not in _WITHOUT and not path.suffix and inner.is_file():
                yield name, inner
                yield from _pure_modules([path], f"{name}.")


def _code_of(path: Path) -> tuple[bytes, bool]:
    """Return a module's compiled code and True if Python keeps a current one on disk; else its source."""
    try:
        data = Path(importlib.util.cache_from_source(str(path))).read_bytes()
    except OSError:
        data = b""
    facts = path.stat()
    stamp = struct.pack("<III", 0, int(facts.st_mtime) & 0xFFFFFFFF, facts.st_size & 0xFFFFFFFF)
    # Instead of a time, a distributor may vouch for the file (1: a hash that is not checked).
    if data[:4] == importlib.util.MAGIC_NUMBER and (data[4:16] == stamp or data[4:8] == b"\1\0\0\0"):
        return data[16:], True
    return path.read_bytes(), False


def _zones() -> Iterator[tuple[str, bytes]]:
    """Yield name and data of this machine's time zones."""
    places = [Path(place) for place in importlib.import_module("zoneinfo").TZPATH]
    for place in [place for place in places if place.is_dir()][:1]:
        for path in sorted(place.rglob("*")):
            name = str(path.relative_to(place))
            if path.is_file() and not name.startswith(("posix/", "right/")):
                data = path.read_bytes()
                if data.startswith(b"TZif"):
                    yield name, data
