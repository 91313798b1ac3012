"""Check a child's reply: the verdict, which tests see, and the aside, which feedback may show.

A submission shares its process with the code that sends replies, so both may hold anything.
"""

import builtins
import json
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
# The kinds of reply to each verb.
_KINDS = {
    "load": frozenset({"loaded", "raised"}),
    "cell": frozenset({"loaded", "raised"}),
    "constant": frozenset({"value", "raised", "missing"}),
    "call": frozenset({"value", "raised", "missing", "uncallable"}),
}
_MOST_CLASSES = 12


def canonical(message: Any) -> bytes:
    """Write a message so that equal messages give the same bytes."""
    return json.dumps(message, sort_keys=True, separators=(",", ":")).encode()


def check_verdict(reply: Mapping[str, Any], nonce: str, request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the verdict: the known keys of a reply with checked values; other keys are dropped.

    Raises WireError if the reply does not belong to this request, or a value is not what its key allows.
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
    """Check which arguments a call changed: pairs of a list's or dict's position and new content, in order.

    Raises WireError if a pair is malformed, out of order, or changes what is not a list or dict.
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
    """Remove the type names of opaque values from a checked tree: outcomes must not depend on them."""
    if type(tree) is list:
        return [_without_names(item) for item in tree]
    if type(tree) is dict:
        return {tag: "" if tag == "o" else _without_names(body) for tag, body in tree.items()}
    return tree


# --- The aside ---

# Most characters of an error's text, a name and a source line; largest line number; most names.
_TEXT, _NAME, _LINE = 600, 80, 200
_LAST_LINE, _MOST_NAMES = 10**6, 100
_REASONS = frozenset({"files", "network", "processes", "threads", "module", "input", "exit", "needs"})
_MOST_LEFT_OUT = 20

# Where Python and the code beside a submission lie; and addresses in memory. Both differ between machines,
# tiers or runs and are removed from texts.
_HOME = re.escape(sys.base_prefix) + ("(?=/lib)" if sys.base_prefix in ("/usr", "/usr/local") else "")
_PYTHON = re.compile(rf"{_HOME}|(/kit|/proc/self/fd/\d+)(?=/inside/)")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{1,16}")


def clean_aside(message: Any, printed: int) -> dict[str, Any]:
    """Return the known keys of an aside with checked, bounded values; readers need no checks of their own.

    The keys are ``type`` (of an exception or a value), ``text`` (of an exception), ``module`` (that was not
    found), ``where`` (rows of file, line, function), ``syntax`` (a row of file, line, column, source line),
    ``signature`` (True: the arguments did not fit the function), ``names`` (public names of a module),
    ``printed`` (at most ``printed`` characters), ``impostor`` (True: the value's class poses as another) and
    ``left_out`` (rows of file, line, reason, name; see :mod:`grader.sandbox.inside.statements`). A key with
    an empty or invalid value is left out. Raises WireError if the aside is not an object.
    """
    if type(message) is not dict:
        raise wire.WireError("an aside is an object")
    found = {key: check(message[key]) for key, check in _CHECKS.items() if key in message}
    found["printed"] = _text(message.get("printed"), printed)
    return {key: value for key, value in found.items() if value}


def _text(value: Any, limit: int) -> str:
    if type(value) is not str:
        return ""
    return _ADDRESS.sub("", _PYTHON.sub("python", value[:limit]))


def _row(value: Any, *most: int) -> list[Any]:
    """Return texts of at most so many characters and, where that is 0, line numbers; or an empty list."""
    if type(value) is not list or len(value) != len(most):
        return []
    pairs = [*zip(value, most, strict=True)]
    if not all(type(part) is int and 0 <= part <= _LAST_LINE for part, limit in pairs if not limit):
        return []
    return [_text(part, limit) if limit else part for part, limit in pairs]


def _rows(value: Any, part: slice, *most: int) -> list[list[Any]]:
    """Return the rows of a part of a list, without malformed ones."""
    return [row for item in value[part] if (row := _row(item, *most))] if type(value) is list else []


def _left_out(value: Any) -> list[list[Any]]:
    rows = _rows(value, slice(_MOST_LEFT_OUT), _NAME, 0, _NAME, _NAME)
    return [row for row in rows if row[2] in _REASONS]


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "type": lambda value: _text(value, _NAME),
    "text": lambda value: _text(value, _TEXT),
    "module": lambda value: _text(value, _NAME),
    "where": lambda value: _rows(value, slice(-3, None), _NAME, 0, _NAME),
    "syntax": lambda value: _row(value, _NAME, 0, 0, _LINE),
    "signature": lambda value: value is True,
    "names": lambda value: [_text(v, _NAME) for v in value[:_MOST_NAMES]] if type(value) is list else [],
    "impostor": lambda value: value is True,
    "left_out": _left_out,
}
