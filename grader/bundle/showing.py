"""A student's values and texts, as they are shown: on one line, bounded, and unable to act unseen.

Standard library only and Python 3.10, because a copy of this file goes into the students' bundle.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence

VALUE_LIMIT = 240
"""Characters of one value that are shown."""
TEXT_LIMIT = 400
"""Characters of an error's own text that are shown."""

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def plain(text: str, limit: int = TEXT_LIMIT) -> str:
    """Any text on one line, unprintable characters as escapes, its middle left out beyond ``limit``."""
    if len(text) > 4 * limit:
        text = f"{text[: 2 * limit]} {text[-2 * limit :]}"
    text = " ".join(text.split())
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    half = (limit - 5) // 2
    return text if len(text) <= limit else f"{text[:half]} ... {text[-half:]}"


def value_text(value: object, limit: int = VALUE_LIMIT) -> str:
    """A value as Python writes it, bounded; never raises, and the same in every run."""
    return plain(_full_text(value), limit)


def value_pair(got: object, expected: object, limit: int = VALUE_LIMIT) -> tuple[str, str]:
    """Two values as text; of long ones the part around their first difference, the same part of both."""
    texts = _full_text(got), _full_text(expected)
    if max(map(len, texts)) <= limit:
        return plain(texts[0], limit), plain(texts[1], limit)
    alike = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False)))
    start = max(0, alike - limit // 3)
    return _window(texts[0], start, limit), _window(texts[1], start, limit)


def _full_text(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # an int of more than 4,300 digits
        text = f"a number of about {value.bit_length() * 3 // 10:,} digits" if type(value) is int else ""
    except Exception:  # noqa: BLE001 - a student's own __repr__ may raise anything
        text = ""
    return _ADDRESS.sub("", text) if text else f"a {type(value).__name__} that cannot be shown"


def _window(text: str, start: int, limit: int) -> str:
    cut = text[start : start + limit]
    return f"{'... ' if start else ''}{plain(cut, limit)}{' ...' if start + limit < len(text) else ''}"


def call_text(function: str, args: Sequence[object] = (), kwargs: Mapping[str, object] | None = None) -> str:
    """A call as it would be typed: ``paged_slots([33], 16)``. Make it before the call: arguments change."""
    texts = [value_text(value) for value in args]
    texts += [f"{name}={value_text(value)}" for name, value in (kwargs or {}).items()]
    return f"{function}({', '.join(texts)})"
