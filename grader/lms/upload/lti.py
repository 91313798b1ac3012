"""LTI 1.3 Assignment and Grade Services: scores to any platform that keeps a line item for us.

The token is kept until it expires; ``/scores`` comes before the query of the line item's address; the time
sent with a score grows with each of a student's scores; and Canvas is told that this is no new attempt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import httpx

from grader.course.platforms import Lti
from grader.lms.payload import ANY_ID, Key, Leaving, Staying, number
from grader.lms.upload import shape
from grader.lms.upload.compare import Change, Standing
from grader.lms.upload.http import Patience, PlatformError
from grader.lms.upload.lti_http import ConflictError, Connection, RefusedError, answered

KEY = Key("lti_id", lambda person: person.lti_id, ANY_ID)

_SCORE = "application/vnd.ims.lis.v1.score+json"
_RESULTS = "application/vnd.ims.lis.v2.resultcontainer+json"
_CANVAS = "https://canvas.instructure.com/lti/submission"
_NEW_TIMES = 3
_PAGES = 1000
_LEAST = Decimal("0.000001")


class LtiPlatform:
    """One line item of a platform."""

    chunk = 1

    def __init__(self, settings: Lti, private_key: str, maximum: int, patience: Patience) -> None:
        self._settings, self._maximum = settings, maximum
        self._connection = Connection(settings, private_key, patience)

    @property
    def place(self) -> str:
        """The line item."""
        return f"lti {self._settings.line_item}"

    @property
    def maximum(self) -> Decimal:
        """Ours, whatever the platform's: it converts by the maximum that is sent along."""
        return Decimal(self._maximum)

    @property
    def warnings(self) -> tuple[str, ...]:
        """None are known."""
        return ()

    def find(self, sent: Sequence[Leaving]) -> tuple[Mapping[str, Leaving], list[Staying]]:
        """People by the platform's own id for them."""
        return KEY.sort(sent)

    def read(self, keys: Iterable[str]) -> Mapping[str, Standing]:
        """Everyone's result, in our points; whom the platform does not list has none.

        Raises:
            PlatformError: Its list is not such a list, or has no end: no result can be told from it.
        """
        standings = {key: Standing() for key in keys}
        address = _beside(self._settings.line_item, "results")
        request = f"LTI: GET {address.partition('?')[0]}"
        for _ in range(_PAGES):
            response = self._connection.ask("GET", address, {"Accept": _RESULTS})
            for result in shape.records(answered(response, list), request):
                key = shape.identity(result, "userId", request)
                points = self._points(result, request)
                if key in standings:
                    standings[key] = Standing(points)
            following = _next_page(response)
            if following is None:
                return standings
            address = following
        raise PlatformError(f"{request}: the list of results has more than {_PAGES:,} pages.")

    def write(self, changes: Sequence[Change], stamps: Mapping[str, int]) -> Mapping[str, str]:
        """Post each score; a time that the platform finds too old is moved on by a second."""
        refused = {}
        for change in changes:
            why = self._post(change, stamps[change.entry.student])
            if why:
                refused[change.entry.student] = why
        return refused

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def _post(self, change: Change, stamp: int) -> str:
        """Why the platform refused the score; empty when it took it."""
        entry = change.entry
        for late in range(_NEW_TIMES):
            moment = datetime.fromtimestamp(stamp + late, UTC)
            body: dict[str, Any] = {
                "userId": entry.key,
                "scoreGiven": number(entry.points),
                "scoreMaximum": self._maximum,
                "timestamp": moment.isoformat(timespec="milliseconds"),
                "activityProgress": "Completed",
                "gradingProgress": "FullyGraded",
                _CANVAS: {"new_submission": False},
            }
            if change.with_comment:
                body["comment"] = entry.comment
            try:
                self._connection.ask(
                    "POST", _beside(self._settings.line_item, "scores"), {"Content-Type": _SCORE}, body
                )
            except ConflictError:
                continue
            except RefusedError as error:
                return str(error)
            return ""
        return "has a newer score on the platform (409)"

    def _points(self, result: Mapping[str, Any], request: str) -> Decimal | None:
        """A result in our points: the platform may keep it in its own."""
        points = shape.number(result, "resultScore", request, optional=True)
        most = shape.number(result, "resultMaximum", request, optional=True)
        if points is None:
            return None
        if most is not None and most > _LEAST and most != self._maximum:
            points = round(points * self._maximum / most, 2)
        return points.normalize()


def _beside(line_item: str, name: str) -> str:
    """The address of a line item's service: its path goes on, its query stays at the end."""
    path, mark, query = line_item.partition("?")
    return f"{path.rstrip('/')}/{name}{mark}{query}"


def _next_page(response: httpx.Response) -> str | None:
    """Where the list goes on, if it does: at the same server, since the token goes there too."""
    link = response.links.get("next", {}).get("url")
    if link is None:
        return None
    here = response.request.url
    try:
        there = here.join(link)
    except httpx.InvalidURL:
        raise PlatformError("LTI: the list of results goes on at what is no address.") from None
    if (there.scheme, there.host, there.port) != (here.scheme, here.host, here.port):
        raise PlatformError(f"LTI: the list of results goes on at {there.host}, not at {here.host}.")
    return str(there)
