"""Asking Canvas: with patience, with a limit of time, and with one sentence for each way to fail.

canvasapi itself neither waits for a busy Canvas nor gives up on a silent one: its requester is given both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from http import HTTPStatus
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import requests
from canvasapi import exceptions, requester  # type: ignore[import-untyped]  # it has no types
from requests.adapters import HTTPAdapter

from grader.lms.upload.http import BusyError, Patience, PlatformError, UnsureError, retry_after

Fields: TypeAlias = Sequence[tuple[str, str]]
File: TypeAlias = tuple[str, bytes, str]
"""A file's name, its bytes and its kind."""

_PAGES = 1000


class RefusedError(PlatformError):
    """Canvas understood and will not do it; it may well do the same for another student."""


class _TimeLimit(HTTPAdapter):
    """Sends every request with a time limit, in seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:  # type: ignore[override]  # requests passes all by name
        return super().send(request, **{**options, "timeout": self._seconds})


class PatientRequester(requester.Requester):  # type: ignore[misc]  # the same
    """canvasapi's requester that waits, gives up in time, and says which request failed."""

    def __init__(self, url: str, token: str, variable: str, patience: Patience) -> None:
        super().__init__(url.rstrip("/"), token)
        self._variable, self._patience = variable, patience
        for scheme in ("https://", "http://"):
            self._session.mount(scheme, _TimeLimit(patience.timeout))

    def request(
        self, method: str, endpoint: str | None = None, *, harmless: bool = False, **options: Any
    ) -> requests.Response:
        """One request, answered with JSON; what only reads is always ``harmless`` to repeat.

        Raises:
            RefusedError: Canvas will not do it.
            PlatformError: It failed for good.
            UnsureError: A request that changes something got no answer.
        """
        name = f"Canvas: {method} {endpoint or urlsplit(options['_url']).path}"
        fields = list(options.pop("_kwargs", None) or [])

        def act() -> requests.Response:
            # canvasapi adds to the list that it is given, and so each try needs its own.
            return self._once(method, endpoint, name, _kwargs=list(fields), **options)

        return self._patience.ask(name, act, harmless=harmless or method == "GET")

    def pages(self, endpoint: str, fields: Fields) -> Iterator[Any]:
        """The pages of a list, as they are answered.

        Raises:
            PlatformError: It goes on at another server, where the token would go too, or without an end.
        """
        name = f"Canvas: GET {endpoint}"
        response = self.request("GET", endpoint, _kwargs=fields)
        for _ in range(_PAGES):
            yield response.json()
            following = response.links.get("next", {}).get("url")
            if following is None:
                return
            if not self.is_canvas(following):
                raise PlatformError(f"{name}: the list goes on at another address than {self.original_url}.")
            response = self.request("GET", _url=following)
        raise PlatformError(f"{name}: the list has more than {_PAGES:,} pages; is url in course.toml right?")

    def hand_over(self, url: str, fields: Fields, file: File) -> requests.Response:
        """Send a form with a file, without the token and without following where the answer leads.

        Raises:
            RefusedError: The file is not taken.
            PlatformError: It failed for good.
        """
        name = f"Canvas: POST {urlsplit(url).path} (the file)"

        def act() -> requests.Response:
            try:
                response: requests.Response = self._session.post(
                    url, data=fields, files={"file": file}, allow_redirects=False
                )
            except (requests.RequestException, ValueError) as error:
                raise UnsureError(type(error).__name__) from None
            status = response.status_code
            if status == HTTPStatus.TOO_MANY_REQUESTS:
                raise BusyError(retry_after(response.headers.get("Retry-After")))
            if status == HTTPStatus.FORBIDDEN and "rate limit" in response.text.lower():
                raise BusyError
            if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                raise UnsureError(f"status {status}")
            if status >= HTTPStatus.BAD_REQUEST:
                raise RefusedError(f"{name}: refused with status {status}.")
            return response

        return self._patience.ask(name, act, harmless=True)

    def is_canvas(self, url: str) -> bool:
        """Whether an address is at the same server as Canvas itself, which alone may see the token."""
        try:
            here, there = urlsplit(self.original_url), urlsplit(url)
        except ValueError:
            return False
        return (here.scheme, here.netloc) == (there.scheme, there.netloc)

    def close(self) -> None:
        """Let go of the connection."""
        self._session.close()

    def _once(self, method: str, endpoint: str | None, name: str, **options: Any) -> requests.Response:
        try:
            response: requests.Response = super().request(method, endpoint, **options)
            response.json()
        except exceptions.RateLimitExceeded:
            raise BusyError(retry_after(self._cache[0].headers.get("Retry-After"))) from None
        except exceptions.Forbidden as error:
            if "rate limit" in str(error).lower():
                raise BusyError from None
            raise RefusedError(f"{name}: the token may not do that (403).") from None
        except (exceptions.InvalidAccessToken, exceptions.Unauthorized):
            raise PlatformError(
                f"{name}: Canvas does not take the token in ${self._variable} (401); is it expired?"
            ) from None
        except exceptions.ResourceDoesNotExist:
            raise RefusedError(
                f"{name}: there is no such thing (404); compare url, course_id and assignment_id in "
                "course.toml with the assignment's address."
            ) from None
        except requests.JSONDecodeError:
            raise self._not_json(name) from None
        except requests.RequestException as error:
            raise UnsureError(type(error).__name__) from None
        except exceptions.CanvasException as error:
            raise self._failed(name, error) from None
        except (ValueError, RecursionError):  # a number or a depth that Python does not read
            raise self._not_json(name) from None
        return response

    def _not_json(self, name: str) -> PlatformError:
        last = self._cache[0]
        if last.status_code == requests.codes.unauthorized:
            return PlatformError(f"{name}: Canvas does not take the token in ${self._variable} (401).")
        kind = last.headers.get("Content-Type", "nothing").partition(";")[0]
        return PlatformError(f"{name}: answered {kind} instead of JSON; is url in course.toml right?")

    def _failed(self, name: str, error: Exception) -> Exception:
        status = self._cache[0].status_code
        if status >= requests.codes.server_error:
            return UnsureError(f"status {status}")
        return RefusedError(f"{name}: refused with status {status}: {str(error)[:200]}.")
