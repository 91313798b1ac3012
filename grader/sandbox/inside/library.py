"""Load Python's standard library into memory, so that a child imports all of it and opens no file.

Runs in the zygote. Pure modules are kept as compiled code, extension modules are imported, and time zones are
kept as bytes. Code and zones lie in one private mapping that nobody writes to: a fork copies nothing of it.
"""

from __future__ import annotations

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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
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
    """A pure module: where its code lies, the path of its file, and whether the code is compiled."""

    start: int
    end: int
    path: str
    is_package: bool
    is_compiled: bool


class Library(MetaPathFinder, Loader):
    """Imports pure modules of the standard library from memory, and knows the time zones."""

    def __init__(
        self, modules: dict[str, _Module], zones: dict[str, tuple[int, int]], data: mmap.mmap | bytes
    ) -> None:
        self.modules = modules
        self.zones = zones
        self.data = memoryview(data)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find a module by its full name."""
        del path, target
        module = self.modules.get(fullname)
        if module is None:
            return None
        spec = importlib.machinery.ModuleSpec(
            fullname, self, origin=module.path, is_package=module.is_package
        )
        spec.has_location = True
        return spec

    def exec_module(self, module: types.ModuleType) -> None:
        """Run a module's code."""
        exec(self.get_code(module.__name__), module.__dict__)  # noqa: S102 - Python's own code
        if change := AFTER_IMPORT.get(module.__name__):
            change(module)

    def get_code(self, fullname: str) -> types.CodeType:
        """Return a module's code; a Python without compiled files has its source compiled now."""
        module = self.modules[fullname]
        data = self.data[module.start : module.end]
        if module.is_compiled:
            code: types.CodeType = marshal.loads(data)  # noqa: S302 - written by this Python
            return code
        return compile(bytes(data), module.path, "exec", dont_inherit=True)

    def is_package(self, fullname: str) -> bool:
        """Return True for a package."""
        return self.modules[fullname].is_package

    def get_source(self, fullname: str) -> None:
        """Return None: sources are not kept."""
        del fullname

    def zone(self, key: str) -> io.BytesIO:
        """Open the data of a time zone, as ``zoneinfo`` asks for it."""
        if key not in self.zones:
            import zoneinfo  # noqa: PLC0415 - only who asks for an unknown zone needs its error

            raise zoneinfo.ZoneInfoNotFoundError(f"No time zone found with key {key}")
        start, end = self.zones[key]
        return io.BytesIO(self.data[start:end])


def load_library() -> Library:
    """Read the library, import its extension modules, and replace Python's finder of files by the Library."""
    folders = [Path(place) for place in sys.path if os.path.isdir(place)]  # noqa: PTH112 - a text
    for name in sorted(_extension_modules(folders)):
        importlib.import_module(name)
    # Its watches are counted for each user, so it is refused; asyncio then takes poll.
    vars(importlib.import_module("select")).pop("epoll", None)
    importlib.reload(importlib.import_module("selectors"))
    modules: dict[str, _Module] = {}
    zones: dict[str, tuple[int, int]] = {}
    file = io.BytesIO()
    for name, path in _pure_modules(folders):
        try:
            data, is_compiled = _code_of(path)
        except OSError:  # Debian's sitecustomize.py is a link to a file that the jail does not show
            continue
        span = file.tell(), file.tell() + file.write(data)
        modules[name] = _Module(*span, str(path), path.name == "__init__.py", is_compiled)
    span = file.tell(), file.tell() + file.write(_PYTEST)
    modules["pytest"] = _Module(*span, "pytest.py", is_package=False, is_compiled=False)
    for key, data in _zones():
        zones[key] = file.tell(), file.tell() + file.write(data)
    library = Library(modules, zones, _mapped(file.getvalue()))
    vars(importlib.import_module("zoneinfo._common"))["load_tzdata"] = library.zone
    sys.meta_path.remove(importlib.machinery.PathFinder)
    sys.meta_path.append(library)
    sys.path_hooks.clear()
    sys.path_importer_cache.clear()
    return library


def _mapped(data: bytes) -> mmap.mmap | bytes:
    """Return the bytes as a private mapping; as they are where the size of files is limited to less."""
    memory = os.memfd_create("library")
    try:
        with open(memory, "wb") as file:  # noqa: PTH123 - a descriptor
            file.write(data)
            file.flush()
            return mmap.mmap(memory, len(data), mmap.MAP_PRIVATE, mmap.PROT_READ)
    except OSError:
        return data


def _extension_modules(folders: Iterable[Path]) -> set[str]:
    """Return the names of the extension modules that submissions may need."""
    files = {path.name for folder in folders for path in folder.iterdir()}
    found = {name.partition(".")[0] for name in files if name.endswith(tuple(EXTENSION_SUFFIXES))}
    return {name for name in found if not name.startswith(_UNWANTED)}


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
