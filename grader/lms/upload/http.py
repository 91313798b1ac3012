"""Asking a busy platform again, after a while that grows, and never twice where that could do harm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from grader.base.errors import GraderError

if TYPE_CHECKING:
    from tenacity import RetryCallState

_T = TypeVar("_T")


class BusyError(Exception):
    """The platform did not act and asks to come again, after ``seconds`` if it says so."""

    def __init__(self, seconds: float | None = None) -> None:
        super().__init__("busy")
        self.seconds = seconds


class UnsureError(Exception):
    """No usable answer came: the platform may or may not have acted."""


class PlatformError(GraderError):
    """A request that failed for good; the text names the request and what would be right, never a token."""


@dataclass(frozen=True)
class Patience:
    """How long to wait for a platform, in seconds, and how often to ask."""

    attempts: int = 7
    first: float = 1.0
    most: float = 60.0
    timeout: float = 30.0

    def ask(self, request: str, act: Callable[[], _T], *, harmless: bool) -> _T:
        """Do ``act`` until it is answered.

        Args:
            request: What is asked, for the reader.
            act: Asks once.
            harmless: Whether it may be done again after no answer came; otherwise only after the platform
                said that it did not act.

        Raises:
            PlatformError: It is still too busy, or gave no answer to something harmless.
            UnsureError: It gave no answer to something that must not be repeated.
        """
        import tenacity  # noqa: PLC0415 - only uploads need it

        kinds: tuple[type[Exception], ...] = (BusyError, UnsureError) if harmless else (BusyError,)
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(kinds),
            stop=tenacity.stop_after_attempt(self.attempts),
            wait=self._wait,
            reraise=True,
        )
        try:
            return retrying(act)
        except BusyError:
            raise PlatformError(
                f"{request}: the platform is still too busy after {self.attempts} tries; run it again later, "
                "it goes on where it stopped."
            ) from None
        except UnsureError as error:
            if not harmless:
                raise
            raise PlatformError(
                f"{request}: no answer after {self.attempts} tries ({error}); run it again later."
            ) from None

    def _wait(self, state: RetryCallState) -> float:
        """What the platform asks for; else twice as long each time."""
        error = state.outcome.exception() if state.outcome else None
        asked = error.seconds if isinstance(error, BusyError) else None
        return min(self.most, self.first * 2 ** (state.attempt_number - 1) if asked is None else asked)


def retry_after(text: str | None) -> float | None:
    """The seconds of a ``Retry-After`` header; None for none, or for one that is a date."""
    return float(text) if text is not None and text.isascii() and text.isdigit() else None
