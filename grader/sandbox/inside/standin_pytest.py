"""Stands in for pytest in the jail: enough to import a file that holds tests of its own, and to call them.

Marks and fixtures leave their function as it is; nothing is collected or run.
"""

from __future__ import annotations

import importlib
import re
from types import TracebackType
from typing import Any, NoReturn

__version__ = "9.0.0"


class _FailedError(AssertionError):
    """A failed test."""


class _Mark:
    """``pytest.mark`` and all of its marks: they decorate, with or without arguments, and change nothing."""

    def __getattr__(self, name: str) -> _Mark:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if len(arguments) == 1 and not keywords and (callable(arguments[0])):
            return arguments[0]
        return self


mark = fixture = _Mark()


class _ExceptionInfo:
    """What ``raises`` caught."""

    value: Any = None
    type: Any = None

    def match(self, pattern: str) -> bool:
        """Fail unless the exception's text matches a pattern."""
        if not re.search(pattern, str(self.value)):
            raise _FailedError(f"{pattern!r} does not match {str(self.value)!r}")
        return True


class _Raises:
    """A block that must raise one of these exceptions."""

    def __init__(self, expected: Any, pattern: str | None) -> None:
        self.expected, self.pattern, self.info = expected, pattern, _ExceptionInfo()

    def __enter__(self) -> _ExceptionInfo:
        return self.info

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if kind is None:
            raise _FailedError(f"DID NOT RAISE {self.expected}")
        if not issubclass(kind, self.expected):
            return False
        self.info.value, self.info.type = value, kind
        return self.pattern is None or self.info.match(self.pattern)


def raises(expected: Any, *arguments: Any, match: str | None = None, **keywords: Any) -> Any:
    """Expect an exception in a ``with`` block, or of the call of a function."""
    block = _Raises(expected, match)
    if not arguments:
        return block
    with block as info:
        arguments[0](*arguments[1:], **keywords)
    return info


class approx:  # noqa: N801 - pytest's own name
    """A number, list, tuple or dict that equals what differs by a millionth at most."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, expected: Any, rel: float | None = None, abs: float | None = None) -> None:  # noqa: A002 - as in pytest
        self.expected, self.rel, self.abs = expected, rel, abs

    def __eq__(self, got: object) -> bool:
        return self._near(self.expected, got)

    def _near(self, expected: Any, got: Any) -> bool:
        if isinstance(expected, dict):
            return (
                isinstance(got, dict)
                and expected.keys() == got.keys()
                and all(self._near(value, got[key]) for key, value in expected.items())
            )
        if isinstance(expected, (list, tuple)):
            return len(expected) == len(got) and all(map(self._near, expected, got))
        if expected == got or not hasattr(expected, "__sub__"):
            return bool(expected == got)
        relative = self.rel if self.rel is not None else 1e-6 if self.abs is None else 0.0
        return bool(abs(expected - got) <= max(relative * abs(expected), self.abs or 1e-12))


def fail(reason: str = "", pytrace: bool = True) -> NoReturn:  # noqa: FBT002 - pytest's own signature
    """Fail the test."""
    del pytrace
    raise _FailedError(reason)


def skip(reason: str = "", **_: object) -> NoReturn:
    """Leave the test."""
    raise _FailedError(f"skipped: {reason}")


xfail = skip


def exit(reason: str = "", returncode: int | None = None) -> NoReturn:  # noqa: A001 - pytest's own name
    """End the run."""
    del returncode
    raise SystemExit(reason)


def importorskip(name: str, **_: object) -> Any:
    """Import a module."""
    return importlib.import_module(name)


def param(*values: Any, **_: object) -> tuple[Any, ...]:
    """One case of a parametrized test."""
    return values


def main(*_: object, **__: object) -> int:
    """Run nothing."""
    return 0
