"""Find hand-ins that are copies of each other: the same but for spaces, comments, docstrings and names."""

import builtins
import hashlib
import keyword
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache

_TOKEN = re.compile(
    r"#[^\n]*"
    r"|(?P<text>\"\"\".*?\"\"\"|'''.*?''')"
    r"|(?P<other>\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n])*+'?|\d[\w.]*|[^\s\w])"
    r"|(?P<name>[^\W\d]\w*)",
    re.DOTALL,
)
_KEPT = frozenset([*keyword.kwlist, *dir(builtins)])


@lru_cache(maxsize=8192)
def fingerprint(source: bytes) -> str:
    """A digest of a file without spaces, comments and docstrings, its own names numbered as they come."""
    numbers: dict[str, int] = {}
    parts = []
    for match in _TOKEN.finditer(source.decode("utf-8", "replace")):
        if name := match["name"]:
            parts.append(name if name in _KEPT else f"n{numbers.setdefault(name, len(numbers))}")
        elif other := match["other"]:
            parts.append(other)
    return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()


def copies(handed_in: Mapping[str, Sequence[bytes]], stub: Sequence[bytes]) -> list[list[str]]:
    """Group students whose files are the same; a file that is as it was given does not count.

    ``handed_in`` and ``stub`` have the files in one order. The largest group comes first.
    """
    given = [fingerprint(data) for data in stub]
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for student, files in handed_in.items():
        found = tuple(map(fingerprint, files))
        if not any(one == other for one, other in zip(found, given, strict=False)):
            groups[found].append(student)
    return sorted(
        (sorted(some) for some in groups.values() if len(some) > 1), key=lambda some: (-len(some), some)
    )
