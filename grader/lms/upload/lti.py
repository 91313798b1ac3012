"""LTI 1.3 Assignment and Grade Services: scores for any platform that keeps a line item for us.

The access token is kept until it expires. ``/scores`` comes before the query of the line item's address. The
time sent with a score grows with each score of a student. Canvas is told that a score is no new attempt.
"""

import json
import re
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import httpx
import jwt

from grader.course.platforms import Lti
from grader.grading.score import points_number
from grader.lms.payload import ANY_ID, PersonKey
from grader.lms.upload.http import Client, Patience, as_object, objects
from grader.lms.upload.target import (
    About,
    Difference,
    PlatformError,
    PlatformScore,
    RefusedError,
    TokenError,
)

_SCORE = "application/vnd.ims.lis.v1.score+json"
_RESULTS = "application/vnd.ims.lis.v2.resultcontainer+json"
_CANVAS = "https://canvas.instructure.com/lti/submission"
_SCOPE = "https://purl.imsglobal.org/spec/lti-ags/scope/"
_RIGHTS = ("score", "result.readonly")
_ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
_SKEW = 60  # seconds by which a platform's clock may be behind ours
_LONGEST = 366 * 24 * 3600
_CONFLICT = 409
_NEW_TIMES = 3
_LEAST = Decimal("0.000001")


class LtiTarget(Client):
    """One line item of a platform, and requests with an access token, which is kept until it expires."""

    key = PersonKey("lti_id", lambda person: person.lti_id, ANY_ID)
    chunk = 1

    def __init__(self, settings: Lti, private_key: str, maximum: int, patience: Patience) -> None:
        super().__init__(
            settings.line_item,
            patience,
            hint="is line_item in course.toml right, and ours to read?",
            token_hint="the platform does not take its own token (401).",  # noqa: S106 - a sentence
            bearer=self._fresh_token,
        )
        self.place = f"lti {settings.line_item}"
        self._settings, self._private_key, self._maximum = settings, private_key, maximum
        self._token, self._expires = "", 0.0

    def about(self) -> About:
        """Return our own maximum: the platform converts by the one that is sent along."""
        return About(Decimal(self._maximum))

    def read(self, keys: Iterable[str]) -> Mapping[str, PlatformScore]:
        """Read everyone's result, in our points; a student whom the platform does not list has none."""
        scores = {key: PlatformScore() for key in keys}
        address = _beside(self._settings.line_item, "results")
        request = f"LTI: GET {address.partition('?')[0]}"
        for page in self.pages(request, address, headers={"Accept": _RESULTS}):
            for result in objects(page, request):
                key, points = result.id("userId"), result.decimal("resultScore", optional=True)
                most = result.decimal("resultMaximum", optional=True)
                if points is not None and most is not None and most > _LEAST and most != self._maximum:
                    points = round(points * self._maximum / most, 2)  # the platform keeps it in its own
                if key in scores:
                    scores[key] = PlatformScore(points if points is None else points.normalize())
        return scores

    def write(self, changes: Sequence[Difference]) -> Mapping[str, str]:
        """Post one score; a time that the platform finds too old is moved on by a second."""
        (change,) = changes
        address = _beside(self._settings.line_item, "scores")
        for late in range(_NEW_TIMES):
            moment = datetime.fromtimestamp(change.stamp + late, UTC)
            body: dict[str, Any] = {
                "userId": change.entry.key,
                "scoreGiven": points_number(change.entry.points or Decimal(0)),
                "scoreMaximum": self._maximum,
                "timestamp": moment.isoformat(timespec="milliseconds"),
                "activityProgress": "Completed",
                "gradingProgress": "FullyGraded",
                _CANVAS: {"new_submission": False},
            }
            if change.with_comment:
                body["comment"] = change.entry.comment
            request, data = f"LTI: POST {address.partition('?')[0]}", json.dumps(body).encode()
            try:
                self.ask(request, "POST", address, headers={"Content-Type": _SCORE}, content=data)
            except RefusedError as error:
                if error.status == _CONFLICT:
                    continue
                return {change.entry.student: f"was refused by the platform ({error.status})"}
            return {}
        return {change.entry.student: "has a newer score on the platform (409)"}

    def ask(self, request: str, method: str, url: str, **options: Any) -> httpx.Response:
        """Send a request; if the platform does not take the token, once more with a new one."""
        try:
            return super().ask(request, method, url, **options)
        except TokenError:
            self._expires = 0.0
            return super().ask(request, method, url, **options)

    def _fresh_token(self) -> str:
        """Return the access token, fetched anew a minute before it expires."""
        if time.time() < self._expires:
            return self._token
        address, key_env = self._settings.token_url, self._settings.key_env
        request = f"LTI: POST {address}"
        try:
            response = super().ask(
                request, "POST", address, harmless=True, anonymous=True, data=self._token_form
            )
            refused = response.status_code if response.is_redirect else 0
        except RefusedError as error:
            refused = error.status
            if "invalid_scope" in str(error):
                raise _no_rights(request, _RIGHTS) from None
        if refused:
            raise PlatformError(
                f"{request}: no token ({refused}); compare client_id, token_url and the key in ${key_env} "
                "with the platform's registration, and this computer's clock with the time."
            )
        document = as_object(self.json(request, response), request)
        granted = document.text("scope")
        missing = [right for right in _RIGHTS if f"{_SCOPE}{right}" not in granted]
        if missing and _SCOPE.partition("/spec/")[0] in granted:  # other words there are not LTI's
            raise _no_rights(request, missing)
        token, seconds = document.text("access_token"), document.get("expires_in")
        if not re.fullmatch(r"[!-~]+", token):
            raise PlatformError(f"{request}: answered without an access_token.")
        is_known = isinstance(seconds, (int, float)) and 0 <= seconds <= _LONGEST
        lifetime = float(seconds) if is_known else 3600.0
        self._token, self._expires = token, time.time() + max(lifetime - 60, lifetime / 2)
        return token

    def _token_form(self) -> dict[str, str]:
        """Make and sign the request for a token; a platform takes each only once."""
        now, settings = int(time.time()), self._settings
        claims = {
            "iss": settings.client_id,
            "sub": settings.client_id,
            "aud": settings.token_url,
            "iat": now - _SKEW,  # a platform refuses what seems to come from the future
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
        return {
            "grant_type": "client_credentials",
            "client_assertion_type": _ASSERTION,
            "client_assertion": assertion,
            "scope": " ".join(f"{_SCOPE}{right}" for right in _RIGHTS),
        }


def _no_rights(request: str, missing: Iterable[str]) -> PlatformError:
    return PlatformError(
        f"{request}: the platform does not grant the tool {' and '.join(missing)}; allow it in the tool's "
        "settings there, under Assignment and Grade Services."
    )


def _beside(line_item: str, name: str) -> str:
    """The address of a line item's service: its path goes on, its query stays at the end."""
    path, mark, query = line_item.partition("?")
    return f"{path.rstrip('/')}/{name}{mark}{query}"
