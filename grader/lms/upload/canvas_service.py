"""Canvas's REST interface, as far as it is about one assignment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from grader.course.platforms import Canvas
from grader.lms.upload.answers import JsonObject, as_object, objects
from grader.lms.upload.http import Client, Patience


class CanvasAssignment:
    """The assignment that ``settings`` name, and requests about it.

    ``place`` names platform, course and assignment. ``course`` and ``address`` are the addresses of course
    and assignment below ``/api/v1/``.
    """

    def __init__(self, settings: Canvas, token: str, patience: Patience) -> None:
        self.settings, self.patience = settings, patience
        self.place = f"canvas {settings.url} {settings.course_id} {settings.assignment_id}"
        self.course = f"courses/{settings.course_id}"
        self.address = f"{self.course}/assignments/{settings.assignment_id}"
        self.client = Client(
            settings.url,
            patience,
            hint="compare url, course_id and assignment_id in course.toml with the assignment's address.",
            token_hint=f"Canvas does not take the token in ${settings.token_env} (401); is it expired?",
            bearer=lambda: token,
        )

    @cached_property
    def assignment(self) -> JsonObject:
        """The assignment as Canvas describes it."""
        return self.ask("GET", self.address)

    def url(self, address: str) -> str:
        """Return the whole address of one below ``/api/v1/``."""
        return f"{self.settings.url.rstrip('/')}/api/v1/{address}"

    def ask(self, method: str, address: str, **content: Any) -> JsonObject:
        """Send one request and return the object that Canvas answers."""
        request = f"Canvas: {method} {address}"
        response = self.client.ask(request, method, self.url(address), **content)
        return as_object(self.client.json(request, response), request)

    def each(
        self, address: str, under: str = "", query: Mapping[str, Any] | None = None
    ) -> Iterator[JsonObject]:
        """Read all pages of a list of objects, which is ``under`` a key of each page."""
        request = f"Canvas: GET {address}"
        for page in self.client.pages(
            request, self.url(address), params={**(query or {}), "per_page": "100"}
        ):
            yield from as_object(page, request).objects(under) if under else objects(page, request)

    def close(self) -> None:
        """Close the connections."""
        self.client.close()
