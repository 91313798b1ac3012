"""Requests to a learning platform: when to try again, one sentence for each failure, JSON of the right shape.

The token goes to the platform's own server only: redirects are not followed, and another server gets none.
A score that cannot be read must never count as no score.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import re
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import httpx

from grader.base.text import one_line
from grader.lms.upload.target import MAX_BYTES, PlatformError, RefusedError, TokenError, UnsureError

_PAGES = 1000
_HOPS = 4
_CONNECT_SECONDS = 5.0
_WORDS_LIMIT = 200
_ID = re.compile(r"[!-~]{1,255}")
_SIZES = range(-100, 10)  # of the exponent of points
_SLOWEST = 1 << 14  # bytes a second, below which an answer counts as silence


@dataclass(frozen=True)
class Patience:
    """How often to try a request, and how long to wait in between, in seconds."""

    attempts: int = 7
    first: float = 1.0  # the first wait; each further one is twice as long
    most: float = 60.0
    silence: float = 20.0  # until a silent host is given up, all tries and waits included


PATIENCE = Patience()  # the patience of the command ``upload``


@functools.cache
def _tls() -> ssl.SSLContext:
    """Load the trusted certificates, once a process: it takes longer than most requests."""
    return httpx.create_ssl_context()


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
        self._http = httpx.Client(follow_redirects=False, verify=_tls())

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

        A ``harmless`` request, by default a GET, is repeated after no answer came; any other only after the
        platform said that it did not act. An ``anonymous`` request goes without the token. Its answer may
        be a redirect, as that of one that ``may_redirect``; none is followed. Content that is a function is
        made anew for each try.

        Raises:
            RefusedError: The platform refused it, or answered more than ``MAX_BYTES``.
            TokenError: The platform does not take the token.
            PlatformError: It failed for good.
            UnsureError: No answer came, and it is not harmless.
        """
        with_token = self._bearer is not None and not anonymous and self.is_home(url)
        if self._bearer is not None and with_token:
            content["headers"] = {**content.get("headers", {}), "Authorization": f"Bearer {self._bearer()}"}
        harmless = method == "GET" if harmless is None else harmless
        response = self._until_answered(request, method, url, content, harmless=harmless)
        status = response.status_code
        if response.is_success or ((anonymous or may_redirect) and response.is_redirect):
            return response
        if response.is_redirect:
            raise PlatformError(f"{request}: leads to another address (status {status}); {self._hint}")
        if status == httpx.codes.UNAUTHORIZED and with_token:
            raise TokenError(f"{request}: {self._token_hint}")
        hints: dict[int, str] = {403: "may the token do that?", 404: self._hint}
        hint = f"; {hints[status]}" if status in hints and not anonymous else "."
        words = _text(response).strip()
        said = f": {one_line(words, _WORDS_LIMIT)}" if words and not words.startswith("<") else ""
        raise RefusedError(f"{request}: refused with status {status}{said}{hint}", status)

    def _until_answered(
        self, request: str, method: str, url: str, content: Mapping[str, Any], *, harmless: bool
    ) -> httpx.Response:
        """Repeat a request as the client's patience says; return an answer that is no fault of the server."""
        patience, host = self._patience, _host(url)
        silent_since: float | None = None
        for tries in itertools.count(1):
            now = time.monotonic()
            silent_since = now if silent_since is None else silent_since
            seconds = max(silent_since + patience.silence - now, 0.001)
            made = {key: value() if callable(value) else value for key, value in content.items()}
            wait, unsure = patience.first * 2 ** (tries - 1), ""
            try:
                response = self._read_whole(request, method, url, seconds, made)
            except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError):
                raise PlatformError(f"{request}: the address is not one; {self._hint}") from None
            except httpx.HTTPError as error:
                unsure = type(error).__name__
            else:
                silent_since, status = None, response.status_code
                is_throttled = status == httpx.codes.FORBIDDEN and "rate limit" in _text(response).lower()
                if status == httpx.codes.TOO_MANY_REQUESTS or is_throttled:
                    asked = response.headers.get("Retry-After", "")  # for a date our own waits are used
                    wait = float(asked) if asked.isascii() and asked.isdigit() else wait
                elif response.is_server_error:
                    unsure = f"status {status}"
                else:
                    return response
            if unsure and not harmless:
                raise UnsureError(unsure)
            why = f"no answer from {host} ({unsure})" if unsure else f"{host} is still too busy"
            wait = min(wait, patience.most)
            end = None if silent_since is None else silent_since + patience.silence
            if tries >= patience.attempts or (end is not None and time.monotonic() + wait >= end):
                break
            time.sleep(wait)
        count = f"{tries} {'try' if tries == 1 else 'tries'}"
        raise PlatformError(
            f"{request}: {why} after {count}; run it again later, it goes on where it stopped."
        )

    def _read_whole(
        self, request: str, method: str, url: str, seconds: float, content: Mapping[str, Any]
    ) -> httpx.Response:
        """Send a request once and read its answer; ReadTimeout if it comes too slowly to ever end."""
        limit, began = httpx.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS)), time.monotonic()
        sent = self._http.build_request(method, url, timeout=limit, **content)
        with contextlib.closing(self._http.send(sent, stream=True)) as response:
            body = bytearray()
            for part in response.iter_bytes():
                body += part
                if len(body) > MAX_BYTES:
                    raise RefusedError(
                        f"{request}: the answer has more than {MAX_BYTES >> 20} MiB.", response.status_code
                    )
                if time.monotonic() - began > seconds + len(body) / _SLOWEST:
                    raise httpx.ReadTimeout("too slow", request=sent)
        headers = response.headers.copy()
        headers.pop("Content-Encoding", None)  # the body is decoded
        return httpx.Response(response.status_code, headers=headers, content=bytes(body), request=sent)

    def json(self, request: str, response: httpx.Response) -> Any:
        """Decode the JSON of an answer; PlatformError if Python reads none, as when it is too deep."""
        try:
            return response.json()
        except (ValueError, RecursionError):
            kind = one_line(response.headers.get("Content-Type", "nothing").partition(";")[0], 80)
            raise PlatformError(f"{request}: answered {kind} instead of JSON; {self._hint}") from None

    def download(self, request: str, url: str) -> bytes:
        """Read a file. It may lie on another server, which is asked without the token, over https alone.

        A file that cannot be had raises RefusedError.
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

    def pages(self, request: str, url: str, **content: Any) -> Iterator[Any]:
        """Read a list page by page, each as decoded JSON.

        A list that goes on at another server, where the token would go too, or has no end is a PlatformError.
        """
        for _ in range(_PAGES):
            response = self.ask(request, "GET", url, **content)
            yield self.json(request, response)
            content.pop("params", None)  # a link to the next page has them
            if (link := response.links.get("next", {}).get("url")) is None:
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


def parse_url(text: str, answer: httpx.Response | None = None) -> httpx.URL | None:
    """Parse an address, or a link in an answer; None if it is none."""
    try:
        found = answer.url.join(text) if answer else httpx.URL(text)
    except httpx.InvalidURL:
        return None
    return None if "%" in found.host else found  # httpx escapes what no host may hold


def _text(response: httpx.Response) -> str:
    return response.content.decode("utf-8", "replace")  # a charset may be any codec of Python's, such as hex


def _host(url: str) -> str:
    parsed = parse_url(url)
    return (parsed.netloc.decode("ascii") if parsed else "") or url


@dataclass(frozen=True)
class JsonObject:
    """An object in a platform's answer; ``request`` names what was asked, for messages.

    What cannot be read as asked raises PlatformError.
    """

    fields: Mapping[str, Any]
    request: str = ""

    def get(self, key: str) -> Any:
        """Return the value under ``key``; None if there is none."""
        return self.fields.get(key)

    def text(self, key: str) -> str:
        """Return the text under ``key``; empty if there is none or something else."""
        value = self.fields.get(key)
        return value if isinstance(value, str) else ""

    def id(self, key: str) -> str:
        """Return the id under ``key``: a whole number, or ASCII text without blanks."""
        value = self.fields.get(key)
        if type(value) not in (int, str) or not _ID.fullmatch(str(value)):
            raise PlatformError(f"{self.request}: an entry has no {key}, which says who it is about.")
        return str(value)

    def decimal(self, key: str, *, optional: bool = False) -> Decimal | None:
        """Return the number under ``key``; None for null, and for a missing key if ``optional``."""
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
        """Return the whole number under ``key``; 0 for null and for a missing key."""
        return int(self.decimal(key, optional=True) or 0)

    def objects(self, key: str, *, optional: bool = False) -> list[JsonObject]:
        """Return the list of objects under ``key``; none for a missing or empty value if ``optional``."""
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
    """Return an answer that is a list of objects, or raise PlatformError if it is something else."""
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
    kinds = {type(None): "null", bool: "true or false", str: "a text", list: "a list", dict: "an object"}
    return kinds.get(type(value), "a number")
