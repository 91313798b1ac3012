"""A child's reply -> the verdict: what a test may see of it, checked; whatever else it holds is dropped."""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

from grader.sandbox.inside import wire

_BUILTIN_ERRORS = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
)
# What may come back for which verb.
_KINDS = {
    "load": frozenset({"loaded", "raised"}),
    "constant": frozenset({"value", "raised", "missing"}),
    "call": frozenset({"value", "raised", "missing", "uncallable"}),
}
_MOST_CLASSES = 12


def check_verdict(reply: Mapping[str, Any], nonce: str, request: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a reply that a test may see, checked; whatever else a child sends is dropped.

    Raises:
        WireError: It is no verdict on this request.
    """
    kind = reply.get("kind")
    if reply.get("n") != nonce:
        raise wire.WireError("a reply to another request")
    if type(kind) is not str or kind not in _KINDS[request["verb"]]:
        raise wire.WireError("an unknown kind of reply")
    verdict: dict[str, Any] = {"kind": kind}
    if kind == "value":
        wire.decode(reply.get("value"))
        verdict["value"] = _without_names(reply.get("value"))
    if kind == "raised":
        classes = reply.get("classes")
        if type(classes) is not list or not all(type(name) is str for name in classes):
            raise wire.WireError("no classes of an exception")
        verdict["classes"] = [name for name in classes if name in _BUILTIN_ERRORS][:_MOST_CLASSES]
    if changed := reply.get("changed"):
        verdict["changed"] = _changed(changed, request)
    return verdict


def _changed(changed: Any, request: Mapping[str, Any]) -> list[Any]:
    """What a call left in its arguments: pairs of a list's or dict's position and its new content, in order.

    Content that is not plain data, or too much of it, is opaque.

    Raises:
        WireError: It is anything else.
    """
    given = request.get("arguments", ())
    if type(changed) is not list or len(changed) > len(given):
        raise wire.WireError("no list of changed arguments")
    before = -1
    for pair in changed:
        if type(pair) is not list or len(pair) != 2 or type(pair[0]) is not int:
            raise wire.WireError("no changed argument")
        position, content = pair
        if not before < position < len(given):
            raise wire.WireError("no argument that could change")
        kinds = {type(wire.decode(content)), type(wire.decode(given[position]))} - {wire.Opaque}
        if kinds not in ({list}, {dict}):
            raise wire.WireError("a change of what cannot change")
        before = position
    checked: list[Any] = _without_names(changed)
    return checked


def _without_names(tree: Any) -> Any:
    """A checked tree whose opaque values have lost their types' names, which tests must not depend on."""
    if type(tree) is list:
        return [_without_names(item) for item in tree]
    if type(tree) is dict:
        return {tag: "" if tag == "o" else _without_names(body) for tag, body in tree.items()}
    return tree


# --- The aside ---

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


def clean_aside(message: Mapping[str, Any], printed: int) -> dict[str, Any]:
    """An aside as it may be read: known keys, checked values; of what was printed ``printed`` characters.

    The keys are ``type`` (an exception's or a value's type), ``text`` (an exception's), ``module`` (that was
    not found), ``where`` (lists of file, line, function), ``syntax`` (a list of file, line, column, source
    line), ``signature`` (the call did not fit the function), ``names`` (that a module has), ``printed`` and
    ``impostor`` (a value's class pretends to be another). A key without content is left out.
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
    "impostor": lambda value: value is True,
}
