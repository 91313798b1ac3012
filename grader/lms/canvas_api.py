"""Canvas over its REST interface: one bulk job for many scores, waited for, then read back.

canvasapi itself neither waits for a busy Canvas nor gives up on a silent one: its requester is given both.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any

import requests
from canvasapi import course, exceptions, requester  # type: ignore[import-untyped]  # it has no types
from requests.adapters import HTTPAdapter

from grader.lms.canvas import KEY
from grader.lms.leaving import Leaving, Staying, plain
from grader.lms.patience import BusyError, Patience, PlatformError, UnsureError, retry_after
from grader.lms.settings import Canvas
from grader.lms.upload import Change, Standing

_GRADING_TYPES = ("points", "percent", "letter_grade", "gpa_scale")
_POLL_SECONDS = 600.0


class _TimeLimit(HTTPAdapter):
    """Sends every request with a time limit, in seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:  # type: ignore[override]  # requests passes all by name
        return super().send(request, **{**options, "timeout": self._seconds})


class _PatientRequester(requester.Requester):  # type: ignore[misc]  # the same
    """canvasapi's requester that waits, gives up in time, and says which request failed."""

    def __init__(self, url: str, token: str, variable: str, patience: Patience) -> None:
        super().__init__(url.rstrip("/"), token)
        self._variable, self._patience = variable, patience
        for scheme in ("https://", "http://"):
            self._session.mount(scheme, _TimeLimit(patience.timeout))

    def request(self, method: str, endpoint: str | None = None, **options: Any) -> requests.Response:
        """One request, answered with JSON.

        Raises:
            PlatformError: It failed for good.
            UnsureError: A request that changes something got no answer.
        """
        name = f"Canvas: {method} {endpoint}"
        fields = list(options.pop("_kwargs", None) or [])

        def act() -> requests.Response:
            # canvasapi adds to the list that it is given, and so each try needs its own.
            return self._once(method, endpoint, name, _kwargs=list(fields), **options)

        return self._patience.ask(name, act, harmless=method == "GET")

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
            raise PlatformError(f"{name}: the token may not do that (403).") from None
        except (exceptions.InvalidAccessToken, exceptions.Unauthorized):
            raise PlatformError(
                f"{name}: Canvas does not take the token in ${self._variable} (401); is it expired?"
            ) from None
        except exceptions.ResourceDoesNotExist:
            raise PlatformError(
                f"{name}: there is no such thing (404); compare url, course_id and assignment_id in "
                "course.toml with the assignment's address."
            ) from None
        except requests.JSONDecodeError:
            raise self._not_json(name) from None
        except requests.RequestException as error:
            raise UnsureError(type(error).__name__) from None
        except exceptions.CanvasException as error:
            raise self._failed(name, error) from None
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
        return PlatformError(f"{name}: refused with status {status}: {str(error)[:200]}.")


class CanvasPlatform:
    """One assignment on Canvas."""

    chunk = 100

    def __init__(self, settings: Canvas, token: str, patience: Patience) -> None:
        self._settings, self._patience = settings, patience
        self._requester = _PatientRequester(settings.url, token, settings.token_env, patience)

    @property
    def place(self) -> str:
        """Address, course and assignment."""
        return f"canvas {self._settings.url} {self._settings.course_id} {self._settings.assignment_id}"

    @cached_property
    def _assignment(self) -> Any:
        known = course.Course(self._requester, {"id": self._settings.course_id})
        return known.get_assignment(self._settings.assignment_id)

    @property
    def maximum(self) -> Decimal | None:
        """What the assignment is worth there, in points."""
        points = self._assignment.points_possible
        return None if points is None else Decimal(str(points))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Whether a group shares one score, and whether scores stay hidden.

        Raises:
            PlatformError: The assignment takes no points.
        """
        found = []
        assignment = self._assignment
        kind = getattr(assignment, "grading_type", "points")
        if kind not in _GRADING_TYPES:
            raise PlatformError(f"{self.place}: the assignment is graded as {kind!r} and takes no points.")
        alone = getattr(assignment, "grade_group_students_individually", True)
        if getattr(assignment, "group_category_id", None) and not alone:
            found.append("Canvas gives every member of a group the score that was sent last")
        return tuple(found)

    def find(self, sent: Sequence[Leaving]) -> tuple[Mapping[str, Leaving], list[Staying]]:
        """People by Canvas's user id."""
        return KEY.sort(sent)

    def read(self, keys: Iterable[str]) -> Mapping[str, Standing]:
        """Everyone's score, with the comments."""
        wanted = set(keys)
        found = self._assignment.get_submissions(include=["submission_comments"])
        return {str(one.user_id): _standing(one) for one in found if str(one.user_id) in wanted}

    def write(self, changes: Sequence[Change], stamps: Mapping[str, int]) -> Mapping[str, str]:
        """Send scores as one job and wait for it; whom it left out shows when it is read back."""
        del stamps
        data: dict[str, dict[str, str]] = {}
        for change in changes:
            fields = data.setdefault(change.entry.key, {})
            if change.verdict != "comment":
                fields["posted_grade"] = plain(change.entry.points)
            if change.with_comment:
                fields["text_comment"] = f"{change.entry.comment}\n{change.entry.mark}"
        try:
            progress = self._assignment.submissions_bulk_update(grade_data=data)
        except UnsureError:
            # A job that was accepted nevertheless needs a moment before it can be seen.
            time.sleep(5 * self._patience.first)
            raise
        self._wait_for(progress)
        return {}

    def close(self) -> None:
        """Let go of the connection."""
        self._requester.close()

    def _wait_for(self, progress: Any) -> None:
        waited, pause = 0.0, self._patience.first / 4
        while progress.workflow_state not in ("completed", "failed"):
            if waited > _POLL_SECONDS:
                raise PlatformError(
                    f"Canvas: GET progress/{progress.id}: the job has not ended after {waited:.0f} seconds; "
                    "run it again later, it goes on where it stopped."
                )
            time.sleep(pause)
            waited, pause = waited + pause, min(2 * pause, 10 * self._patience.first)
            progress = progress.query()


def _standing(submission: Any) -> Standing:
    score = getattr(submission, "entered_score", None)
    score = getattr(submission, "score", None) if score is None else score
    deducted = getattr(submission, "points_deducted", None)
    return Standing(
        None if score is None else Decimal(str(score)),
        touched=str(getattr(submission, "graded_at", None) or ""),
        excused=bool(getattr(submission, "excused", False)),
        comments=tuple(str(one.get("comment", "")) for one in getattr(submission, "submission_comments", [])),
        taken_off=Decimal(str(deducted or 0)),
    )
