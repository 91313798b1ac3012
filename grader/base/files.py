"""Write files whole or not at all, make zips and CSV files, and read text of the course.

The same content gives the same bytes: CSV files are UTF-8 with one line ending, and a zip's members are
sorted and carry no times.
"""

import csv
import io
import os
import re
import tempfile
import zipfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from grader.base.errors import CourseError, GraderError

WRITING = ".writing-"  # what the name of a file begins with while it is being written

FOR_ALL = 0o644  # the mode of files that everyone may read, unlike results
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_UNIX = 3

# At the start of a cell, and behind a semicolon: in many countries a spreadsheet ends a cell there.
_CELL = r"(\A|;)"
_FORMULA = r"(?='*[ \u00a0]*[=+@\t\r\uff1d-])"


def write_whole(path: Path, data: bytes, *, durable: bool = True, mode: int = 0o600) -> None:
    """Write a file whole or not at all: temporary name, flush, rename. Only its owner can read it by default.

    Without ``durable`` a power cut soon after may lose the file; use that for what can be made again. Raises
    GraderError if the file could not be written; what was there before is untouched.
    """
    temporary = ""
    try:
        if not path.parent.is_dir():
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=WRITING)
        with open(handle, "wb", buffering=0) as stream:  # noqa: PTH123 - a descriptor
            view = memoryview(data)
            while view:
                view = view[stream.write(view) :]
            os.fchmod(handle, mode)
            if durable:
                os.fsync(handle)
        os.replace(temporary, path)  # noqa: PTH105 - hot
        temporary = ""
    except OSError as error:
        raise GraderError(
            f"{path} could not be written: {error.strerror}. What was there before is untouched."
        ) from None
    finally:  # also when the run is interrupted
        if temporary:
            Path(temporary).unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove what a run that was killed was writing, in a folder and all folders in it."""
    for path in folder.rglob(f"{WRITING}*"):
        if path.is_file() and not path.is_symlink():
            path.unlink(missing_ok=True)


def archive_bytes(members: Mapping[str, bytes], executable: Collection[str] = ()) -> bytes:
    """Make a zip of members by name; those in ``executable`` can be run."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name in sorted(members):
            member = zipfile.ZipInfo(name, _LONG_AGO)
            member.create_system = _UNIX
            member.external_attr = (0o100755 if name in executable else 0o100644) << 16
            # Stored: a compressor's output for the same bytes differs between versions of zlib.
            archive.writestr(member, members[name], zipfile.ZIP_STORED)
    return data.getvalue()


def read_text(path: Path, name: str) -> str:
    """Read a text file of the course in UTF-8; ``name`` is how an error calls it."""
    try:
        data = path.read_bytes()
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise CourseError(f"{name} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CourseError(f"{name}:{line}: is not in UTF-8; save the file in that encoding.") from None


def csv_bytes(
    header: Sequence[str],
    rows: Iterable[Iterable[object]],
    *,
    delimiter: str = ",",
    quote_all: bool = False,
) -> bytes:
    """Write rows as UTF-8 with one line ending, within cells too; cells may be formulas."""
    text = io.StringIO()
    quoting: Literal[0, 1] = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=quoting)
    for row in (header, *rows):
        # A lone CR would end the row for most readers, and csv does not put it in quotes here.
        writer.writerow(str(cell).replace("\r\n", "\n").replace("\r", "\n") for cell in row)
    return text.getvalue().encode()


def is_formula(text: str) -> bool:
    """Return True if a spreadsheet would take a cell, or what it takes for one, for a formula."""
    return re.search(_CELL + _FORMULA, text) is not None


def escape_formula(text: str) -> str:
    """Return the text of a cell with an apostrophe in front of all that a spreadsheet would run."""
    return re.sub(_CELL + _FORMULA, r"\1'", text)


def unescape_formula(text: str) -> str:
    """Undo :func:`escape_formula`."""
    return re.sub(f"{_CELL}'{_FORMULA}", r"\1", text)
