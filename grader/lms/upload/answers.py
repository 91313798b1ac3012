"""The shape of a platform's answer: a score that is not understood must never pass for none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from grader.lms.upload.http import PlatformError

_ID = re.compile(r"[!-~]{1,255}")
_SIZES = range(-100, 10)


def record(answer: object, request: str) -> Mapping[str, Any]:
    """Return an answer that is an object, or raise PlatformError if it is something else."""
    if not isinstance(answer, dict):
        raise PlatformError(f"{request}: answered {_kind(answer)} instead of an object.")
    return answer


def records(answer: object, request: str) -> list[Mapping[str, Any]]:
    """Return an answer that is a list of objects.

    Raises:
        PlatformError: It is something else, or one of its entries is.
    """
    if not isinstance(answer, list):
        raise PlatformError(f"{request}: answered {_kind(answer)} instead of a list.")
    for one in answer:
        if not isinstance(one, dict):
            raise PlatformError(f"{request}: the list holds {_kind(one)} instead of an object.")
    return answer


def listed(answer: object, key: str, request: str) -> list[Mapping[str, Any]]:
    """Return the list of objects under ``key`` of an object, or raise PlatformError if there is none."""
    return records(record(answer, request).get(key), f"{request} ({key})")


def number(holder: Mapping[str, Any], key: str, request: str, *, optional: bool = False) -> Decimal | None:
    """Return the number of points under ``key``; None for null, and for a missing key if ``optional``.

    Raises:
        PlatformError: It is no number, or one that points cannot be; or it is missing and not ``optional``.
    """
    if key not in holder and not optional:
        raise PlatformError(f"{request}: the answer has no {key}; may the token see it?")
    value = holder.get(key)
    if value is None:
        return None
    if type(value) not in (int, float):
        raise PlatformError(f"{request}: {key} is {_kind(value)} instead of a number.")
    found = Decimal(str(value))
    if not can_be_points(found):
        raise PlatformError(f"{request}: {key} is of a size that points do not have.")
    return found


def can_be_points(value: Decimal) -> bool:
    """True if a number is finite and of a size that can be calculated with."""
    return value.is_finite() and value.adjusted() in _SIZES


def identity(holder: Mapping[str, Any], key: str, request: str) -> str:
    """Return the id under ``key``: a whole number, or ASCII text without blanks.

    Raises:
        PlatformError: It is missing or something else.
    """
    value = holder.get(key)
    if type(value) not in (int, str) or not _ID.fullmatch(str(value)):
        raise PlatformError(f"{request}: an entry has no {key}, which says who it is about.")
    return str(value)


def _kind(value: object) -> str:
    # The value itself is not shown: it may be private.
    if value is None:
        return "null"
    kinds = {bool: "true or false", str: "a text", list: "a list", dict: "an object"}
    return kinds.get(type(value), "a number")
