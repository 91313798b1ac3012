"""What a platform's JSON must be before it counts: anything else is one sentence that names the request.

A score that is not understood must never pass for no score, since ours would then be written over it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from grader.lms.upload.http import PlatformError

_ID = re.compile(r"[!-~]{1,255}")
_SIZES = range(-100, 10)


def record(answer: object, request: str) -> Mapping[str, Any]:
    """An answer that is an object.

    Raises:
        PlatformError: It is something else.
    """
    if not isinstance(answer, dict):
        raise PlatformError(f"{request}: answered {_kind(answer)} instead of an object.")
    return answer


def records(answer: object, request: str) -> list[Mapping[str, Any]]:
    """An answer that is a list of objects.

    Raises:
        PlatformError: It is something else, or one of them is.
    """
    if not isinstance(answer, list):
        raise PlatformError(f"{request}: answered {_kind(answer)} instead of a list.")
    for one in answer:
        if not isinstance(one, dict):
            raise PlatformError(f"{request}: the list holds {_kind(one)} instead of an object.")
    return answer


def listed(answer: object, key: str, request: str) -> list[Mapping[str, Any]]:
    """The list of objects that an object holds under ``key``.

    Raises:
        PlatformError: There is no such list.
    """
    found = record(answer, request).get(key)
    return records(found, f"{request} ({key})")


def number(holder: Mapping[str, Any], key: str, request: str, *, optional: bool = False) -> Decimal | None:
    """The number that an object holds under ``key``; None where it says null, or where it may be silent.

    Raises:
        PlatformError: It is no number, one that no points can be, or missing and not ``optional``.
    """
    if key not in holder and not optional:
        raise PlatformError(f"{request}: the answer has no {key}; may the token see it?")
    value = holder.get(key)
    if value is None:
        return None
    if type(value) not in (int, float):
        raise PlatformError(f"{request}: {key} is {_kind(value)} instead of a number.")
    found = Decimal(str(value))
    if not within(found):
        raise PlatformError(f"{request}: {key} is of a size that no points have.")
    return found


def within(found: Decimal) -> bool:
    """Whether a number can be points: finite, and of a size that can be calculated with."""
    return found.is_finite() and found.adjusted() in _SIZES


def identity(holder: Mapping[str, Any], key: str, request: str) -> str:
    """The id of somebody or something, which is a whole number or a text in ASCII without blanks.

    Raises:
        PlatformError: It is missing or something else.
    """
    value = holder.get(key)
    if type(value) not in (int, str) or not _ID.fullmatch(str(value)):
        raise PlatformError(f"{request}: an entry has no {key}, which says whose it is.")
    return str(value)


def _kind(value: object) -> str:
    """What a JSON value is; it is not shown, since it may hold what nobody should see."""
    if value is None:
        return "null"
    kinds = {bool: "true or false", str: "a text", list: "a list", dict: "an object"}
    return kinds.get(type(value), "a number")
