"""What a child says beside its verdict, for feedback alone: typed and bounded, or left out.

A submission shares its process with the code that speaks for it and may say anything here. What passes holds
the keys below with values of exactly their types: whoever reads an aside needs no checks of its own. Texts
lose what differs between two runs or two machines: addresses in memory, and where Python lies.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

LONGEST = 600
"""Characters of an error's text."""

_NAME = 80
_LINE = 200
_LAST_LINE = 10**6
_MOST_NAMES = 100

# Where the jail's Python lies: its own folder, or the way to it through an open descriptor.
_HOME = re.escape(sys.base_prefix) + ("(?=/lib)" if sys.base_prefix in ("/usr", "/usr/local") else "")
_PYTHON = re.compile(rf"{_HOME}|/proc/self/fd/\d+(?=/lib)")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{1,16}")


def cleaned(message: Mapping[str, Any], printed: int) -> dict[str, Any]:
    """An aside as it may be read: known keys, checked values; of what was printed ``printed`` characters.

    The keys are ``type`` (an exception's or a value's type), ``text`` (an exception's), ``module`` (that was
    not found), ``where`` (lists of file, line, function), ``syntax`` (a list of file, line, column, source
    line), ``signature`` (the call did not fit the function), ``names`` (that a module has), ``printed`` and
    ``poses`` (a value's class pretends to be another). A key without content is left out.
    """
    found = {key: check(message[key]) for key, check in _CHECKS.items() if key in message}
    found["printed"] = _text(message.get("printed"), printed)
    return {key: value for key, value in found.items() if value}


def _text(value: Any, limit: int) -> str:
    if type(value) is not str:
        return ""
    return _ADDRESS.sub("", _PYTHON.sub("python", value[:limit]))


def _texts(value: Any) -> list[str]:
    return [_text(item, _NAME) for item in value[:_MOST_NAMES]] if type(value) is list else []


def _is_line(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _LAST_LINE


def _places(value: Any) -> list[list[Any]]:
    """The last places, of those that are written as places are."""
    places = value[-3:] if type(value) is list else []
    return [
        [_text(place[0], _NAME), place[1], _text(place[2], _NAME)]
        for place in places
        if type(place) is list and len(place) == 3 and _is_line(place[1])
    ]


def _syntax(value: Any) -> list[Any]:
    if type(value) is not list or len(value) != 4 or not (_is_line(value[1]) and _is_line(value[2])):
        return []
    return [_text(value[0], _NAME), value[1], value[2], _text(value[3], _LINE)]


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "type": lambda value: _text(value, _NAME),
    "text": lambda value: _text(value, LONGEST),
    "module": lambda value: _text(value, _NAME),
    "where": _places,
    "syntax": _syntax,
    "signature": lambda value: value is True,
    "names": _texts,
    "poses": lambda value: value is True,
}
