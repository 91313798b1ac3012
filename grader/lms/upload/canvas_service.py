"""Canvas's REST interface: its addresses and answers, and one assignment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from grader.course.platforms import Canvas
from grader.lms.upload import answers, http
from grader.lms.upload.http import Patience


class CanvasService:
    """Requests with a token about the assignment that ``settings`` name."""

    def __init__(self, settings: Canvas, token: str, patience: Patience) -> None:
        self.settings = settings
        self.client = http.Client(
            settings.url,
            patience,
            hint="compare url, course_id and assignment_id in course.toml with the assignment's address.",
            token_hint=f"Canvas does not take the token in ${settings.token_env} (401); is it expired?",
            bearer=lambda: token,
        )

    @property
    def place(self) -> str:
        """Address, course and assignment."""
        return f"canvas {self.settings.url} {self.settings.course_id} {self.settings.assignment_id}"

    @property
    def course(self) -> str:
        """The course's address below ``/api/v1/``."""
        return f"courses/{self.settings.course_id}"

    @property
    def address(self) -> str:
        """The assignment's address below ``/api/v1/``."""
        return f"{self.course}/assignments/{self.settings.assignment_id}"

    @cached_property
    def assignment(self) -> Mapping[str, Any]:
        """The assignment as Canvas describes it."""
        return self.record("GET", self.address)

    def url(self, address: str) -> str:
        """Return the whole address of one below ``/api/v1/``."""
        return f"{self.settings.url.rstrip('/')}/api/v1/{address}"

    def record(self, method: str, address: str, **content: Any) -> Mapping[str, Any]:
        """Send one request and return the object that Canvas answers."""
        request = f"Canvas: {method} {address}"
        response = self.client.ask(request, method, self.url(address), **content)
        return answers.record(self.client.json(request, response), request)

    def records(self, address: str, query: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Read all pages of a list of objects."""
        request = f"Canvas: GET {address}"
        for page in self.client.pages(request, self.url(address), params={**query, "per_page": "100"}):
            yield from answers.records(page, request)
