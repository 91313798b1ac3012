"""Show a student's values and texts on one line, with a length limit and without invisible characters."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence

VALUE_LIMIT = 240
"""How many characters of one value are shown."""
TEXT_LIMIT = 400
"""How many characters of an error's own text are shown."""

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def display_text(text: str, limit: int = TEXT_LIMIT) -> str:
    """Put a text on one line: unprintable characters as escapes, the middle cut out beyond ``limit``."""
    if len(text) > 4 * limit:
        text = f"{text[: 2 * limit]} {text[-2 * limit :]}"
    text = " ".join(text.split())
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    half = (limit - 5) // 2
    return text if len(text) <= limit else f"{text[:half]} ... {text[-half:]}"


def value_text(value: object, limit: int = VALUE_LIMIT) -> str:
    """Write a value as Python does, shortened to ``limit``. Never raises; the same text in every run."""
    return display_text(_full_text(value), limit)


def value_pair(got: object, expected: object, limit: int = VALUE_LIMIT) -> tuple[str, str]:
    """Write two values as text; of long ones only the part around their first difference."""
    texts = _full_text(got), _full_text(expected)
    if max(map(len, texts)) <= limit:
        return display_text(texts[0], limit), display_text(texts[1], limit)
    alike = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False)))
    start = max(0, alike - limit // 3)

    def part(text: str) -> str:
        end = " ..." if start + limit < len(text) else ""
        return f"{'... ' if start else ''}{display_text(text[start : start + limit], limit)}{end}"

    return part(texts[0]), part(texts[1])


def call_text(function: str, args: Sequence[object] = (), kwargs: Mapping[str, object] | None = None) -> str:
    """Write a call as one would type it: ``mean([3, 5])``.

    Make the text before the call, because the call may change its arguments.
    """
    texts = [value_text(value) for value in args]
    texts += [f"{name}={value_text(value)}" for name, value in (kwargs or {}).items()]
    return f"{function}({', '.join(texts)})"


def _full_text(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # an int of more than 4,300 digits
        text = f"a number of about {value.bit_length() * 3 // 10:,} digits" if type(value) is int else ""
    except Exception:  # noqa: BLE001 - a student's own __repr__ may raise anything
        text = ""
    return _ADDRESS.sub("", text) if text else f"a {type(value).__name__} that cannot be shown"
