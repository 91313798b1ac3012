"""Write and read messages: Python values as JSON trees, and frames, a four-byte length before JSON in ASCII.

JSON has int, float, bool, None, str and list. Any other value is an object with one key, its tag: ``t``
tuple, ``d`` dict (pairs), ``s`` set, ``b`` bytes (hexadecimal), ``f`` a float that JSON lacks, ``q`` Fraction
(two ints), ``r`` range, ``g`` a generator's items (requests only), ``o`` a value that is not plain data.
Only exact built-in types are encoded as themselves: an int subclass that overrides ``==`` arrives as an
:class:`Opaque`, which equals nothing.

Runs on both sides of the jail. The trusted side relies on :func:`decode`, :func:`next_body` and :func:`loads`
alone, which accept any tree and any bytes.
"""

import json
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
MAX_FRAME = 1 << 18  # largest size of one message, in bytes
CELL = ".cell"  # ending of the names under which the cells of a notebook are sent among the files
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
        return _opaque(kind)
    return tree


def _opaque(kind: type) -> dict[str, str]:
    name = type.__dict__["__name__"].__get__(kind)
    return {"o": name[:80] if type(name) is str else "object"}


def _are_keys(values: Any) -> bool:
    """Return True for a few texts and short ints, which may be keys of a dict or members of a set."""
    return len(values) <= MAX_KEYS and all(
        type(value) is str or (type(value) is int and int.bit_length(value) <= MAX_KEY_BITS)
        for value in values
    )


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
        # If nothing imported the module, no value can be a Fraction.
        if kind is getattr(sys.modules.get("fractions"), "Fraction", None):
            parts = [self.value(int(part), depth) for part in (value.numerator, value.denominator)]
            return {"q": parts} if all(type(part) is int for part in parts) else {"o": "Fraction"}
        return self.held(value, depth + 1) if depth < MAX_DEPTH else _opaque(kind)

    def held(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind is list or kind is tuple:
            items = [self.value(item, depth) for item in value]
            return items if kind is list else {"t": items}
        if kind is dict and _are_keys(value):
            return {"d": [[key, self.value(item, depth)] for key, item in value.items()]}
        if kind in (set, frozenset) and _are_keys(value):
            return {"s": sorted(value, key=lambda key: (type(key) is str, key))}
        if kind is bytes:
            return {"b": value.hex()}
        if kind is range:
            return {"r": [value.start, value.stop, value.step]}
        return _opaque(kind)


def decode(tree: Any) -> Any:
    """Decode a JSON tree into objects of exact built-in types, Fraction or :class:`Opaque`.

    Raises WireError if the tree has an unknown form, is too deep or has too many nodes.
    """
    return _Decoder().value(tree, 0)


def decode_argument(tree: Any) -> Any:
    """Decode an argument of a request, which may also be a generator of plain objects.

    Raises WireError as :func:`decode` does.
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
            if type(body) is str:
                return self.from_text(tag, body)
            if type(body) is list:
                self.left -= len(body)
                return self.from_list(tag, body, depth + 1)
        raise WireError("not plain data")

    @staticmethod
    def from_text(tag: str, body: str) -> Any:
        if tag == "o":
            return Opaque(body[:80])
        if tag == "f" and body in ("nan", "inf", "-inf"):
            return float(body)
        try:
            if tag == "b":
                return bytes.fromhex(body)
        except ValueError:
            raise WireError("not hexadecimal") from None
        raise WireError("an unknown tag")

    def from_list(self, tag: str, body: list[Any], depth: int) -> Any:
        if tag == "t":
            return tuple(self.value(item, depth) for item in body)
        if tag == "d":
            pairs = [self.value(pair, depth) for pair in body]
            if all(type(pair) is list and len(pair) == 2 for pair in pairs) and _are_keys(
                [key for key, _ in pairs]
            ):
                return dict(pairs)
        if tag == "s" and _are_keys(body):
            return set(body)
        if all(type(part) is int and part.bit_length() <= MAX_INT_BITS for part in body):
            if tag == "r" and len(body) == 3 and body[2] != 0:
                # A test may make a list of it.
                self.left -= max(0, (body[1] - body[0]) // body[2])
                if self.left >= 0:
                    return range(*body)
            if tag == "q" and len(body) == 2 and body[1] > 0:
                from fractions import Fraction  # noqa: PLC0415 - only a lesson that returns one pays for it

                return Fraction(*body)
        raise WireError("an unknown tag, or not what belongs to it")


# --- Frames ---


def _refuse(name: str) -> NoReturn:
    raise WireError(f"{name} is not JSON")


_reader = json.JSONDecoder(parse_constant=_refuse)
_writer = json.JSONEncoder(allow_nan=False, separators=(",", ":"))


def dumps(message: Any) -> bytes:
    """Write a message as one frame. Raises WireError if the message is larger than a frame may be."""
    body = _writer.encode(message).encode("ascii")
    if len(body) > MAX_FRAME:
        raise WireError("a message that is larger than a frame may be")
    return len(body).to_bytes(4, "big") + body


def loads(body: bytes) -> dict[str, Any]:
    """Parse a frame's body into a dict with text keys; its values are not checked here.

    Raises WireError if the body is not a JSON object in ASCII.
    """
    try:
        message = _reader.decode(body.decode("ascii"))
    except (ValueError, RecursionError, MemoryError) as error:
        raise WireError(f"not JSON: {type(error).__name__}") from None
    if type(message) is not dict:
        raise WireError("a message is an object")
    return message


def next_body(received: bytearray, read_more: Callable[[], None]) -> bytes:
    """Take the body of the first frame out of ``received``; ``read_more`` appends bytes to it or raises.

    Raises WireError if the frame is longer than a frame may be.
    """
    while len(received) < 4:
        read_more()
    end = 4 + int.from_bytes(received[:4], "big")
    if end > 4 + MAX_FRAME:
        raise WireError("a frame that is too long")
    while len(received) < end:
        read_more()
    body = bytes(received[4:end])
    del received[:end]
    return body
