"""Name the likely cause of wrong answers: the known mistake that answers all visible calls in the same way.

``kit/points.json`` has for each function the digests of the visible calls, and for each known mistake the
digests of its answers and its sentence. The sentence can be read only with a wrong answer that the mistake
gives, so the file tells nobody what the mistakes are.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from . import display


def answer_text(got: object, changed: Sequence[object] = ()) -> str:
    """Write an answer so that equal answers of one type have equal texts."""
    return f"returned {display.value_text(got)}{' and changed its argument' if changed else ''}"


def digests(call: str, answer: str) -> tuple[str, str]:
    """The digests of a call and of its answer; the second also opens the sentence of a mistake."""
    return _digest(call)[:8], _digest(f"{call} {answer}")


def sign(answer: str) -> str:
    """What stands in the table for the digest of an answer."""
    return _digest(f"mark {answer}")[:8]


def likely(table: Mapping[str, Any], given: Mapping[str, str]) -> str:
    """The sentence of the one mistake that gives all of these answers; empty if none or several do.

    Args:
        table: The function's part of ``causes`` in ``kit/points.json``.
        given: The digests of the answers, by the digest of their call.
    """
    calls = table.get("calls", "").split()
    known = [(place, given[call]) for place, call in enumerate(calls) if call in given]
    found = set()
    for one in table.get("mistakes", ()):
        answers = one["answers"].split()
        if known and all(answers[place] == sign(answer) for place, answer in known):
            right = table["right"].split()
            first = next((answer for place, answer in known if sign(answer) != right[place]), "")
            text = mixed(base64.b64decode(one["says"]), first) if first else b""
            found.add(text.decode("utf-8", "replace"))
    sentence = found.pop() if len(found) == 1 else ""
    return sentence if sentence.isprintable() and "\ufffd" not in sentence else ""


def mixed(text: bytes, key: str) -> bytes:
    """Mix a text with a key; the same again gives the text back."""
    stream = b"".join(
        hashlib.sha256(f"{key} {number}".encode()).digest() for number in range(len(text) // 32 + 1)
    )
    return bytes(one ^ other for one, other in zip(text, stream, strict=False))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
