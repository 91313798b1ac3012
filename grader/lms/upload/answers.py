"""The shape of a platform's answer: a score that cannot be read must never count as no score."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from grader.lms.upload.http import PlatformError

_ID = re.compile(r"[!-~]{1,255}")
_SIZES = range(-100, 10)


@dataclass(frozen=True)
class JsonObject:
    """An object in a platform's answer; ``request`` names what was asked, for messages."""

    fields: Mapping[str, Any]
    request: str

    def get(self, key: str) -> Any:
        """Return the value under ``key``; None if there is none."""
        return self.fields.get(key)

    def text(self, key: str) -> str:
        """Return the text under ``key``; empty if there is none or something else."""
        value = self.fields.get(key)
        return value if isinstance(value, str) else ""

    def id(self, key: str) -> str:
        """Return the id under ``key``: a whole number, or ASCII text without blanks.

        Raises:
            PlatformError: It is missing or something else.
        """
        value = self.fields.get(key)
        if type(value) not in (int, str) or not _ID.fullmatch(str(value)):
            raise PlatformError(f"{self.request}: an entry has no {key}, which says who it is about.")
        return str(value)

    def decimal(self, key: str, *, optional: bool = False) -> Decimal | None:
        """Return the number under ``key``; None for null, and for a missing key if ``optional``.

        Raises:
            PlatformError: It is no number, or one that points cannot be; or it is missing, not ``optional``.
        """
        if key not in self.fields and not optional:
            raise PlatformError(f"{self.request}: the answer has no {key}; may the token see it?")
        value = self.fields.get(key)
        if value is None:
            return None
        if type(value) not in (int, float):
            raise PlatformError(f"{self.request}: {key} is {_kind(value)} instead of a number.")
        found = Decimal(str(value))
        if not can_be_points(found):
            raise PlatformError(f"{self.request}: {key} is of a size that points do not have.")
        return found

    def whole(self, key: str) -> int:
        """Return the whole number under ``key``; 0 for null and for a missing key.

        Raises:
            PlatformError: It is something else.
        """
        return int(self.decimal(key, optional=True) or 0)

    def objects(self, key: str, *, optional: bool = False) -> list[JsonObject]:
        """Return the list of objects under ``key``; none for a missing or empty value if ``optional``.

        Raises:
            PlatformError: It is something else.
        """
        value = self.fields.get(key)
        if optional and not value:
            return []
        return [JsonObject(one.fields, self.request) for one in objects(value, f"{self.request} ({key})")]


def as_object(answer: object, request: str) -> JsonObject:
    """Return an answer that is an object, or raise PlatformError if it is something else."""
    if not isinstance(answer, dict):
        raise PlatformError(f"{request}: answered {_kind(answer)} instead of an object.")
    return JsonObject(answer, request)


def objects(answer: object, request: str) -> list[JsonObject]:
    """Return an answer that is a list of objects.

    Raises:
        PlatformError: It is something else, or one of its entries is.
    """
    if not isinstance(answer, list):
        raise PlatformError(f"{request}: answered {_kind(answer)} instead of a list.")
    for one in answer:
        if not isinstance(one, dict):
            raise PlatformError(f"{request}: the list holds {_kind(one)} instead of an object.")
    return [JsonObject(one, request) for one in answer]


def can_be_points(value: Decimal) -> bool:
    """True if a number is finite and of a size that can be calculated with."""
    return value.is_finite() and value.adjusted() in _SIZES


def _kind(value: object) -> str:
    # The value itself is not shown: it may be private.
    if value is None:
        return "null"
    kinds = {bool: "true or false", str: "a text", list: "a list", dict: "an object"}
    return kinds.get(type(value), "a number")
