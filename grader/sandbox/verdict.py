"""A child's reply -> the verdict: what a test may see of it, checked; whatever else it holds is dropped."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
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


def verdict_of(reply: Mapping[str, Any], nonce: str, request: Mapping[str, Any]) -> dict[str, Any]:
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
