"""Stands in for pytest in the jail: enough to import a file that holds tests of its own, and to call them.

Marks and fixtures leave their function as it is; nothing is collected or run.
"""

from __future__ import annotations

import re
from types import TracebackType
from typing import Any, NoReturn, Self


class _Any:
    """``mark`` and its marks, ``fixture``, ``param`` and the like: they decorate, and change nothing."""

    def __getattr__(self, name: str) -> _Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if len(arguments) == 1 and not keywords and callable(arguments[0]):
            return arguments[0]
        return self


def __getattr__(name: str) -> _Any:
    return getattr(_Any(), name)  # type: ignore[no-any-return]


class raises:  # noqa: N801 - pytest's own name
    """A block or a call that must raise one of these exceptions; ``value`` is what it raised."""

    def __init__(self, expected: Any, *call: Any, match: str | None = None, **keywords: Any) -> None:
        self.expected, self.pattern = expected, match
        self.value: Any = None
        self.type: Any = None
        if call:
            with self:
                call[0](*call[1:], **keywords)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, _trace: TracebackType | None
    ) -> bool:
        if kind is None:
            fail(f"DID NOT RAISE {self.expected}")
        self.value, self.type = value, kind
        return issubclass(kind, self.expected) and (self.pattern is None or self.match(self.pattern))

    def match(self, pattern: str) -> bool:
        """Fail unless the exception's text matches a pattern."""
        return bool(re.search(pattern, str(self.value))) or fail(f"{pattern!r} does not match {self.value!s}")


class approx:  # noqa: N801 - pytest's own name
    """A number, list, tuple or dict that equals what differs by a millionth at most."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, expected: Any, rel: float | None = None, abs: float | None = None) -> None:  # noqa: A002 - as in pytest
        self.expected, self.rel, self.abs = expected, rel, abs

    def __eq__(self, got: object) -> bool:
        return self._near(self.expected, got)

    def _near(self, expected: Any, got: Any) -> bool:
        if isinstance(expected, dict):
            return isinstance(got, dict) and self._near(
                [*expected.items()], [(k, got.get(k)) for k in expected]
            )
        if isinstance(expected, (list, tuple)):
            return len(expected) == len(got) and all(map(self._near, expected, got))
        if expected == got or not hasattr(expected, "__sub__"):
            return bool(expected == got)
        relative = self.rel if self.rel is not None else 1e-6 if self.abs is None else 0.0
        return bool(abs(expected - got) <= max(relative * abs(expected), self.abs or 1e-12))


def fail(reason: str = "", **_: object) -> NoReturn:
    """Fail the test; ``skip`` leaves it."""
    raise AssertionError(reason)


skip = xfail = fail
