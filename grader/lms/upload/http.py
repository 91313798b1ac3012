"""Requests to a learning platform: when to try again, one sentence for each failure, JSON of the right shape.

The token goes to the platform's own server only: redirects are not followed, and another server gets none.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx

from grader.base.errors import GraderError
from grader.base.text import one_line
from grader.lms.upload.target import UnsureError

_T = TypeVar("_T")

_PAGES = 1000
_HOPS = 4
_CONNECT_SECONDS = 5.0
_WORDS_LIMIT = 200


class PlatformError(GraderError):
    """A request failed for good; the text names the request and never holds a token."""


class RefusedError(PlatformError):
    """The platform will not do what was asked; it may do it for another student. ``status`` is HTTP's."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class TokenError(PlatformError):
    """The platform does not take our token."""


class BusyError(GraderError):
    """The platform did not act and asks to come again, after ``seconds`` if it says so."""

    def __init__(self, seconds: float | None = None) -> None:
        super().__init__("the platform is busy")
        self.seconds = seconds


class SilentError(UnsureError):
    """No answer came at all."""


@dataclass(frozen=True)
class Patience:
    """How often to try a request, and how long to wait in between, in seconds.

    ``first`` is the first wait; each further one is twice as long, up to ``most``. A host that stays silent
    is given up after ``silence``, all tries and waits included.
    """

    attempts: int = 7
    first: float = 1.0
    most: float = 60.0
    silence: float = 20.0

    def ask(self, request: str, host: str, act: Callable[[float], _T], *, harmless: bool) -> _T:
        """Repeat a request until it is answered.

        Args:
            request: The request's name, for messages.
            host: The host's name, for messages.
            act: Sends the request once; it is given the seconds that the host may still be silent.
            harmless: Whether the request may be repeated after no answer came; otherwise it is repeated only
                after the platform said that it did not act.

        Raises:
            PlatformError: The platform is still too busy, or did not answer a harmless request.
            UnsureError: It did not answer a request that must not be repeated.
        """
        silent_since: float | None = None
        for tries in itertools.count(1):
            now = time.monotonic()
            silent_since = now if silent_since is None else silent_since
            wait = self.first * 2 ** (tries - 1)
            try:
                return act(max(silent_since + self.silence - now, 0.001))
            except BusyError as error:
                silent_since, why = None, f"{host} is still too busy"
                wait = wait if error.seconds is None else error.seconds
            except UnsureError as error:
                if not harmless:
                    raise
                silent_since = silent_since if isinstance(error, SilentError) else None
                why = f"no answer from {host} ({error})"
            wait = min(wait, self.most)
            is_silent = silent_since is not None and time.monotonic() + wait >= silent_since + self.silence
            if is_silent or tries >= self.attempts:
                break
            time.sleep(wait)
        count = f"{tries} {'try' if tries == 1 else 'tries'}"
        raise PlatformError(
            f"{request}: {why} after {count}; run it again later, it goes on where it stopped."
        )


PATIENCE = Patience()
"""The patience of the command ``upload``."""


class Client:
    """Requests to one platform; ``home`` is an address on its server, which alone is sent the token.

    ``hint`` says what to look at when the address seems wrong, ``token_hint`` when the token is not taken.
    ``bearer`` gives the token, where the platform wants it in the header ``Authorization``.
    """

    def __init__(
        self,
        home: str,
        patience: Patience,
        *,
        hint: str,
        token_hint: str = "",
        bearer: Callable[[], str] | None = None,
    ) -> None:
        self._home, self._patience = home, patience
        self._hint, self._token_hint, self._bearer = hint, token_hint, bearer
        self._http = httpx.Client(follow_redirects=False)

    def ask(
        self,
        request: str,
        method: str,
        url: str,
        *,
        harmless: bool | None = None,
        anonymous: bool = False,
        may_redirect: bool = False,
        **content: Any,
    ) -> httpx.Response:
        """Send a request until it is answered; ``content`` is what httpx takes: headers, query, form, body.

        By default only a GET is ``harmless``. An ``anonymous`` request goes without the token. Its answer may
        be a redirect, as that of one that ``may_redirect``; none is followed. Content that is a function is
        made anew for each try.

        Raises:
            RefusedError: The platform refused it.
            TokenError: The platform does not take the token.
            PlatformError: It failed for good.
            UnsureError: No answer came, and it is not harmless.
        """
        headers = dict(content.pop("headers", {}))
        with_token = self._bearer is not None and not anonymous and self.is_home(url)
        if self._bearer is not None and with_token:
            headers["Authorization"] = f"Bearer {self._bearer()}"

        def act(seconds: float) -> httpx.Response:
            limit = httpx.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS))
            made = {key: value() if callable(value) else value for key, value in content.items()}
            try:
                response = self._http.request(method, url, headers=headers, timeout=limit, **made)
            except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError):
                raise PlatformError(f"{request}: the address is not one; {self._hint}") from None
            except httpx.HTTPError as error:
                raise SilentError(type(error).__name__) from None
            status = response.status_code
            is_throttled = status == httpx.codes.FORBIDDEN and "rate limit" in response.text.lower()
            if status == httpx.codes.TOO_MANY_REQUESTS or is_throttled:
                raise BusyError(retry_after(response.headers.get("Retry-After")))
            if response.is_server_error:
                raise UnsureError(f"status {status}")
            return response

        harmless = method == "GET" if harmless is None else harmless
        response = self._patience.ask(request, _host(url), act, harmless=harmless)
        status = response.status_code
        if response.is_success or ((anonymous or may_redirect) and response.is_redirect):
            return response
        if response.is_redirect:
            raise PlatformError(f"{request}: leads to another address (status {status}); {self._hint}")
        if status == httpx.codes.UNAUTHORIZED and with_token:
            raise TokenError(f"{request}: {self._token_hint}")
        hints: dict[int, str] = {403: "may the token do that?", 404: self._hint}
        hint = f"; {hints[status]}" if status in hints and not anonymous else "."
        words = response.text.strip()
        said = f": {one_line(words, _WORDS_LIMIT)}" if words and not words.startswith("<") else ""
        raise RefusedError(f"{request}: refused with status {status}{said}{hint}", status)

    def json(self, request: str, response: httpx.Response) -> Any:
        """Decode the JSON of an answer.

        Raises:
            PlatformError: It is not JSON that Python reads: too deep, or with a number too long, too.
        """
        try:
            return response.json()
        except (ValueError, RecursionError):
            kind = one_line(response.headers.get("Content-Type", "nothing").partition(";")[0], 80)
            raise PlatformError(f"{request}: answered {kind} instead of JSON; {self._hint}") from None

    def download(self, request: str, url: str) -> bytes:
        """Read a file. It may lie on another server, which is asked without the token, over https alone.

        Raises:
            RefusedError: It cannot be had.
            PlatformError: It failed for good.
        """
        anonymous = False
        for _ in range(_HOPS):
            if not self.is_home(url) and not url.startswith("https://"):
                break
            response = self.ask(request, "GET", url, anonymous=anonymous, may_redirect=True)
            if not response.is_redirect:
                return response.content
            url, anonymous = str(parse_url(response.headers.get("Location", ""), response) or ""), True
        raise RefusedError(f"{request}: leads to no file on a protected server.", 0)

    def pages(
        self, request: str, url: str, *, headers: Mapping[str, str] | None = None, **query: Any
    ) -> Iterator[Any]:
        """Read a list page by page, each as decoded JSON.

        Raises:
            PlatformError: The list goes on at another server, where the token would go too, or has no end.
        """
        for _ in range(_PAGES):
            response = self.ask(request, "GET", url, headers=headers or {}, **query)
            yield self.json(request, response)
            link, query = response.links.get("next", {}).get("url"), {}
            if link is None:
                return
            url = str(parse_url(link, response) or "")
            if not self.is_home(url):
                raise PlatformError(
                    f"{request}: the list goes on at another server than {_host(self._home)}."
                )
        raise PlatformError(f"{request}: the list has more than {_PAGES:,} pages; {self._hint}")

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def is_home(self, url: str) -> bool:
        """Return whether an address is on the platform's own server."""
        here, there = parse_url(self._home), parse_url(url)
        if here is None or there is None:
            return False
        return (here.scheme, here.host, here.port) == (there.scheme, there.host, there.port)


def retry_after(text: str | None) -> float | None:
    """The seconds of a ``Retry-After`` header; None for none, or for one that is a date."""
    return float(text) if text is not None and text.isascii() and text.isdigit() else None


def parse_url(text: str, answer: httpx.Response | None = None) -> httpx.URL | None:
    """Parse an address, or a link in an answer; None if it is none."""
    try:
        found = answer.url.join(text) if answer else httpx.URL(text)
    except httpx.InvalidURL:
        return None
    return None if "%" in found.host else found  # httpx escapes what no host may hold


def _host(url: str) -> str:
    parsed = parse_url(url)
    return (parsed.netloc.decode("ascii") if parsed else "") or url
