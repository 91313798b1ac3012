"""The wire of LTI 1.3: an access token that is kept until it expires, and requests that carry it."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Mapping
from typing import Any, TypeVar

import httpx
import jwt

from grader.course.platforms import Lti
from grader.lms.upload.http import BusyError, Patience, PlatformError, UnsureError, retry_after

_T = TypeVar("_T", list[Any], dict[str, Any])

_SCOPE = "https://purl.imsglobal.org/spec/lti-ags/scope/"
_LONGEST = 366 * 24 * 3600
_ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


class ConflictError(PlatformError):
    """The platform holds a score with the same or a later time."""


class RefusedError(PlatformError):
    """The platform does not take one student's score."""


class Connection:
    """A registered tool's way to its platform."""

    def __init__(self, settings: Lti, private_key: str, patience: Patience) -> None:
        self._settings, self._private_key, self._patience = settings, private_key, patience
        self._client = httpx.Client(timeout=patience.timeout)
        self._token, self._expires = "", 0.0

    def ask(
        self, method: str, address: str, headers: Mapping[str, str], body: Mapping[str, Any] | None = None
    ) -> httpx.Response:
        """One request with the token, which is fetched anew once when the platform no longer takes it."""
        name = f"LTI: {method} {httpx.URL(address).copy_with(query=None)}"

        def act() -> httpx.Response:
            response = self._once(name, method, address, headers, body)
            if response.status_code == httpx.codes.UNAUTHORIZED:
                self._expires = 0.0
                response = self._once(name, method, address, headers, body)
            return self._checked(name, response)

        return self._patience.ask(name, act, harmless=method == "GET")

    def close(self) -> None:
        """Let go of the connection."""
        self._client.close()

    def _once(
        self,
        name: str,
        method: str,
        address: str,
        headers: Mapping[str, str],
        body: Mapping[str, Any] | None,
    ) -> httpx.Response:
        bearer = {"Authorization": f"Bearer {self._fresh_token()}", **headers}
        content = None if body is None else httpx.Request("POST", address, json=body).content
        return self._send(name, method, address, headers=bearer, content=content)

    def _send(self, name: str, method: str, address: str, **options: Any) -> httpx.Response:
        try:
            response = self._client.request(method, address, **options)
        except httpx.HTTPError as error:
            raise UnsureError(type(error).__name__) from None
        if response.status_code == httpx.codes.TOO_MANY_REQUESTS or (
            response.status_code == httpx.codes.FORBIDDEN and "rate limit" in response.text.lower()
        ):
            raise BusyError(retry_after(response.headers.get("Retry-After")))
        if response.is_server_error:
            raise UnsureError(f"status {response.status_code}")
        if response.is_redirect:
            raise PlatformError(f"{name}: sends us elsewhere ({response.status_code}); is the address right?")
        return response

    @staticmethod
    def _checked(name: str, response: httpx.Response) -> httpx.Response:
        status = response.status_code
        if response.is_success:
            return response
        if status == httpx.codes.CONFLICT:
            raise ConflictError(f"{name}: 409")
        if status == httpx.codes.UNAUTHORIZED:
            raise PlatformError(f"{name}: the platform does not take its own token (401).")
        if response.request.method == "POST":
            raise RefusedError(f"was refused by the platform ({status})")
        raise PlatformError(f"{name}: status {status}; is line_item in course.toml right, and ours to read?")

    def _fresh_token(self) -> str:
        """The access token, fetched anew a minute before it expires."""
        if time.time() < self._expires:
            return self._token
        name = f"LTI: POST {self._settings.token_url}"
        response = self._patience.ask(name, lambda: self._request_token(name), harmless=True)
        if not response.is_success:
            raise PlatformError(
                f"{name}: no token ({response.status_code}); compare client_id, token_url and the key in "
                f"${self._settings.key_env} with the platform's registration."
            )
        document = answered(response, dict)
        token, seconds = document.get("access_token"), document.get("expires_in")
        if not isinstance(token, str) or not re.fullmatch(r"[!-~]+", token):
            raise PlatformError(f"{name}: answered without an access_token.")
        lifetime = 3600.0
        if isinstance(seconds, (int, float)) and 0 <= seconds <= _LONGEST:
            lifetime = float(seconds)
        self._token, self._expires = token, time.time() + max(lifetime - 60, lifetime / 2)
        return token

    def _request_token(self, name: str) -> httpx.Response:
        now, settings = int(time.time()), self._settings
        claims = {
            "iss": settings.client_id,
            "sub": settings.client_id,
            "aud": settings.token_url,
            "iat": now,
            "exp": now + 300,
            "jti": str(uuid.uuid4()),
        }
        headers = {"kid": settings.key_id} if settings.key_id else None
        try:
            assertion = jwt.encode(claims, self._private_key, algorithm="RS256", headers=headers)
        except (ValueError, TypeError, jwt.PyJWTError):
            raise PlatformError(
                f"${settings.key_env} does not hold an RSA private key as PEM text."
            ) from None
        form = {
            "grant_type": "client_credentials",
            "client_assertion_type": _ASSERTION,
            "client_assertion": assertion,
            "scope": f"{_SCOPE}score {_SCOPE}result.readonly",
        }
        return self._send(name, "POST", settings.token_url, data=form)


def answered(response: httpx.Response, kind: type[_T]) -> _T:
    """The JSON list or object of an answer.

    Raises:
        PlatformError: It is something else.
    """
    try:
        document = response.json()
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, kind):
        request = response.request
        found = response.headers.get("Content-Type", "nothing").partition(";")[0]
        raise PlatformError(
            f"LTI: {request.method} {request.url.copy_with(query=None)}: answered {found} instead of a JSON "
            f"{'list' if kind is list else 'object'}; is the address right?"
        )
    return document
