"""Encode Python values as JSON trees and decode JSON trees into plain data.

JSON has int, float, bool, None, str and list. Any other value is an object with one key, its tag: ``t``
tuple, ``d`` dict (pairs), ``s`` set, ``b`` bytes (hexadecimal), ``f`` a float that JSON lacks, ``q`` Fraction
(two ints), ``r`` range, ``g`` a generator's items (requests only), ``o`` a value that is not plain data.
Only exact built-in types are encoded as themselves: an int subclass that overrides ``==`` arrives as an
:class:`Opaque`, which equals nothing.

Runs on both sides of the jail. The trusted side relies on :func:`decode` alone, which accepts any tree.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any, NoReturn

MAX_DEPTH = 24
MAX_NODES = 5_000
# A submission can choose keys that collide, which makes a dict take quadratic time; so dicts are kept short.
MAX_KEYS = 256
# Below 4,300 digits: CPython does not convert longer ints from or to text.
MAX_INT_BITS = 12_000
MAX_KEY_BITS = 60
_SMALL = 1 << 64


class WireError(ValueError):
    """A message is not a frame, not plain data, or larger than the bounds.

    This file also runs inside the jail, without the rest of the grader, so this is the one error of ours that
    is not a GraderError. ``Child`` turns it into one.
    """


class Opaque:
    """A value that is not plain data. It is unequal to everything, itself included, and ``bool`` raises.

    ``kind`` is the type's name as the submission states it; no comparison uses it.
    """

    __slots__ = ("kind",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __eq__(self, other: object) -> bool:
        return False

    def __ne__(self, other: object) -> bool:
        return True

    def __bool__(self) -> NoReturn:
        raise TypeError("a value that is not plain data is neither true nor false")

    def __repr__(self) -> str:
        return "<not plain data>"


def _fraction_type() -> type[Any] | None:
    """Return ``fractions.Fraction`` if it was imported; otherwise no value can be one."""
    module = sys.modules.get("fractions")
    return getattr(module, "Fraction", None)


def encode(value: object) -> Any:
    """Encode ``value`` as a JSON tree, without calling a method of a submission's own class.

    A part that is not plain data becomes opaque in its place. A value with more data than :func:`decode`
    accepts becomes opaque as a whole.
    """
    kind = type(value)
    if value is None or kind is bool or kind is str or (type(value) is int and -_SMALL < value < _SMALL):
        return value
    try:
        tree = _Encoder().value(value, 0)
        decode(tree)
    except WireError:
        return _opaque(type(value))
    return tree


def _opaque(kind: type) -> dict[str, str]:
    name = type.__dict__["__name__"].__get__(kind)
    return {"o": name[:80] if type(name) is str else "object"}


def _key(value: object) -> bool:
    return type(value) is str or (type(value) is int and int.bit_length(value) <= MAX_KEY_BITS)


class _Encoder:
    """Encodes one value within a budget of nodes."""

    def __init__(self) -> None:
        self.left = MAX_NODES

    def value(self, value: Any, depth: int) -> Any:
        self.left -= 1
        if self.left < 0:
            raise WireError("more data than the bounds allow")
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            return value if int.bit_length(value) <= MAX_INT_BITS else {"o": "int"}
        if kind is float:
            return value if math.isfinite(value) else {"f": float.__repr__(value)}
        if depth < MAX_DEPTH and (writer := _WRITERS.get(kind)):
            return writer(self, value, depth + 1)
        if kind is _fraction_type():
            parts = [self.value(int(part), depth) for part in (value.numerator, value.denominator)]
            return {"q": parts} if all(type(part) is int for part in parts) else {"o": "Fraction"}
        return _opaque(kind)

    def items(self, value: Any, depth: int) -> list[Any]:
        return [self.value(item, depth) for item in value]

    def keyed(self, value: dict[Any, Any], depth: int) -> Any:
        if len(value) > MAX_KEYS or not all(map(_key, value)):
            return {"o": "dict"}
        return {"d": [[key, self.value(item, depth)] for key, item in value.items()]}

    @staticmethod
    def members(value: set[Any] | frozenset[Any]) -> Any:
        if len(value) > MAX_KEYS or not all(map(_key, value)):
            return {"o": "set"}
        return {"s": sorted(value, key=lambda key: (type(key) is str, key))}


_WRITERS: dict[type, Callable[[_Encoder, Any, int], Any]] = {
    list: _Encoder.items,
    tuple: lambda encoder, value, depth: {"t": encoder.items(value, depth)},
    dict: _Encoder.keyed,
    set: lambda encoder, value, _depth: encoder.members(value),
    frozenset: lambda encoder, value, _depth: encoder.members(value),
    bytes: lambda _encoder, value, _depth: {"b": value.hex()},
    range: lambda _encoder, value, _depth: {"r": [value.start, value.stop, value.step]},
}


def decode(tree: Any) -> Any:
    """Decode a JSON tree into objects of exact built-in types, Fraction or :class:`Opaque`.

    Raises:
        WireError: The tree has an unknown form, is too deep or has too many nodes.
    """
    return _Decoder().value(tree, 0)


def decode_argument(tree: Any) -> Any:
    """Decode an argument of a request, which may also be a generator of plain objects.

    Raises:
        WireError: As for :func:`decode`.
    """
    if type(tree) is dict and list(tree) == ["g"]:
        return (item for item in decode(tree["g"]))
    return decode(tree)


class _Decoder:
    """Decodes one tree within a budget of nodes."""

    def __init__(self) -> None:
        self.left = MAX_NODES

    def value(self, tree: Any, depth: int) -> Any:
        self.left -= 1
        if self.left < 0 or depth > MAX_DEPTH + 1:
            raise WireError("more data than the bounds allow")
        kind = type(tree)
        if tree is None or kind is bool or kind is str:
            return tree
        if kind is int and tree.bit_length() <= MAX_INT_BITS:
            return tree
        if kind is float and math.isfinite(tree):
            return tree
        if kind is list:
            return [self.value(item, depth + 1) for item in tree]
        if kind is dict and len(tree) == 1:
            ((tag, body),) = tree.items()
            return self.tagged(tag, body, depth + 1)
        raise WireError("not plain data")

    def tagged(self, tag: str, body: Any, depth: int) -> Any:
        if tag == "o" and type(body) is str:
            return Opaque(body[:80])
        if tag == "f" and body in ("nan", "inf", "-inf"):
            return float(body)
        if tag == "b" and type(body) is str:
            try:
                return bytes.fromhex(body)
            except ValueError:
                raise WireError("not hexadecimal") from None
        if tag in _READERS and type(body) is list:
            self.left -= len(body)
            return _READERS[tag](self, body, depth)
        raise WireError("an unknown tag")

    def keyed(self, body: list[Any], depth: int) -> dict[Any, Any]:
        pairs = [self.value(pair, depth) for pair in body]
        if len(pairs) > MAX_KEYS or not all(type(p) is list and len(p) == 2 and _key(p[0]) for p in pairs):
            raise WireError("not the pairs of a dict")
        return dict(pairs)

    def members(self, body: list[Any], depth: int) -> set[Any]:
        del depth
        if len(body) > MAX_KEYS or not all(map(_key, body)):
            raise WireError("not the members of a set")
        return set(body)

    def whole(self, body: list[Any], count: int) -> list[int]:
        if len(body) != count or not all(type(n) is int and n.bit_length() <= MAX_INT_BITS for n in body):
            raise WireError("not whole numbers")
        return body

    def fraction(self, body: list[Any], depth: int) -> Any:
        del depth
        from fractions import Fraction  # noqa: PLC0415 - only a lesson that returns one pays for the import

        top, bottom = self.whole(body, 2)
        if bottom <= 0:
            raise WireError("not a fraction")
        return Fraction(top, bottom)

    def span(self, body: list[Any], depth: int) -> range:
        del depth
        start, stop, step = self.whole(body, 3)
        if step == 0:
            raise WireError("not a range")
        return range(start, stop, step)

    def items(self, body: list[Any], depth: int) -> list[Any]:
        return [self.value(item, depth) for item in body]


_READERS: dict[str, Callable[[_Decoder, list[Any], int], Any]] = {
    "t": lambda decoder, body, depth: tuple(decoder.items(body, depth)),
    "d": _Decoder.keyed,
    "s": _Decoder.members,
    "q": _Decoder.fraction,
    "r": _Decoder.span,
}
