"""class/ and roster.csv -> class.zip, as Canvas's "Download Submissions" would write it.

Canvas puts all files into one folder and names them ``{name}_[LATE_]{user id}_{attachment id}_{file}``.
Run it after a change to the class: ``python tests/sample/make_zip.py``.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
ARCHIVE = HERE / "class.zip"

_LATE = frozenset({"okafor", "wang"})
_FIRST_ATTACHMENT = 904_000
_WHEN = (2027, 3, 1, 12, 0, 0)
# Someone who handed in again: Canvas gives the second file of a name a number.
_AGAIN = {"tran": "farouk"}


def zip_bytes() -> bytes:
    """The archive; the same class gives the same bytes."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in _members():
            entry = zipfile.ZipInfo(name, _WHEN)
            entry.compress_type = zipfile.ZIP_STORED  # deflate's bytes differ from version to version
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    return stream.getvalue()


def _members() -> Iterator[tuple[str, bytes]]:
    attachment = _FIRST_ATTACHMENT
    with (HERE / "roster.csv").open(encoding="utf-8", newline="") as file:
        people = list(csv.DictReader(file))
    for person in people:
        student = person["id"]
        first = HERE / "class" / _AGAIN.get(student, "")
        attempts = [first, HERE / "class" / student] if student in _AGAIN else [HERE / "class" / student]
        late = "LATE_" if student in _LATE else ""
        for number, folder in enumerate(attempts):
            for path in sorted(folder.glob("*")):
                name = f"{path.stem}-{number}{path.suffix}" if number else path.name
                owner = f"{_sortable(person['name'])}_{late}{person['canvas_id']}"
                yield f"{owner}_{attachment}_{name}", path.read_bytes()
                attachment += 1


def _sortable(name: str) -> str:
    """The last name and the others, run together: ``xujiali`` for both ``Jia-Li Xu`` and ``Xu, Jia-Li``."""
    words = [name] if "," in name else [name.rsplit(maxsplit=1)[-1], *name.split()[:-1]]
    return re.sub(r"[\W_]", "", "".join(words).lower())


if __name__ == "__main__":
    ARCHIVE.write_bytes(zip_bytes())
