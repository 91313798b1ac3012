"""Canvas over its REST interface: one bulk job for many scores, waited for, then read back."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any

from canvasapi.util import combine_kwargs  # type: ignore[import-untyped]  # it has no types

from grader.course.platforms import Canvas
from grader.lms.formats.canvas import KEY
from grader.lms.payload import Leaving, Staying, plain
from grader.lms.upload import shape
from grader.lms.upload.canvas_http import PatientRequester, RefusedError
from grader.lms.upload.canvas_page import store_page
from grader.lms.upload.compare import Change, Standing
from grader.lms.upload.http import Patience, PlatformError, UnsureError

_GRADING_TYPES = ("points", "percent", "letter_grade", "gpa_scale")
_POLL_SECONDS = 600.0


class CanvasPlatform:
    """One assignment on Canvas."""

    chunk = 100

    def __init__(self, settings: Canvas, token: str, patience: Patience) -> None:
        self._settings, self._patience = settings, patience
        self._requester = PatientRequester(settings.url, token, settings.token_env, patience)

    @property
    def place(self) -> str:
        """Address, course and assignment."""
        return f"canvas {self._settings.url} {self._settings.course_id} {self._settings.assignment_id}"

    @property
    def _address(self) -> str:
        """The assignment's address below ``/api/v1/``."""
        return f"courses/{self._settings.course_id}/assignments/{self._settings.assignment_id}"

    @cached_property
    def _assignment(self) -> Mapping[str, Any]:
        answer = self._requester.request("GET", self._address).json()
        return shape.record(answer, f"Canvas: GET {self._address}")

    @property
    def maximum(self) -> Decimal | None:
        """What the assignment is worth there, in points.

        Raises:
            PlatformError: Canvas does not say it as a number, or null.
        """
        return shape.number(self._assignment, "points_possible", f"Canvas: GET {self._address}")

    @property
    def warnings(self) -> tuple[str, ...]:
        """Whether a group shares one score, and whether scores stay hidden.

        Raises:
            PlatformError: The assignment takes no points.
        """
        found = []
        assignment = self._assignment
        kind = assignment.get("grading_type", "points")
        if kind not in _GRADING_TYPES:
            raise PlatformError(f"{self.place}: the assignment is graded as {kind!r} and takes no points.")
        alone = assignment.get("grade_group_students_individually", True)
        if assignment.get("group_category_id") and not alone:
            found.append("Canvas gives every member of a group the score that was sent last")
        return tuple(found)

    def find(self, sent: Sequence[Leaving]) -> tuple[Mapping[str, Leaving], list[Staying]]:
        """People by Canvas's user id."""
        return KEY.sort(sent)

    def read(self, keys: Iterable[str]) -> Mapping[str, Standing]:
        """Everyone's score, with the comments.

        Raises:
            PlatformError: Its list is not such a list: no score can be told from it, nor that there is none.
        """
        wanted, standings = set(keys), {}
        address = f"{self._address}/submissions"
        request = f"Canvas: GET {address}"
        fields = [("include[]", "submission_comments"), ("per_page", "100")]
        for page in self._requester.pages(address, fields):
            for one in shape.records(page, request):
                key = shape.identity(one, "user_id", request)
                if key in wanted:
                    standings[key] = _standing(one, request)
        return standings

    def write(self, changes: Sequence[Change], stamps: Mapping[str, int]) -> Mapping[str, str]:
        """Send scores as one job and wait for it; whom it left out shows when it is read back.

        A comment whose feedback page Canvas refuses is not sent.
        """
        del stamps
        data: dict[str, dict[str, Any]] = {}
        refused = {}
        for change in changes:
            fields = {} if change.verdict == "comment" else {"posted_grade": plain(change.entry.points)}
            try:
                fields |= self._comment(change)
            except RefusedError as error:
                refused[change.entry.student] = f"comment and feedback page were not sent: {error}"
            if fields:
                data[change.entry.key] = fields
        if data:
            self._run(data)
        return refused

    def close(self) -> None:
        """Let go of the connection."""
        self._requester.close()

    def _comment(self, change: Change) -> dict[str, Any]:
        """What a job is told about a student's comment; its feedback page is on Canvas then.

        A job files a comment under the latest attempt, where Canvas's other call takes the first.
        """
        if not change.with_comment:
            return {}
        fields: dict[str, Any] = {"text_comment": f"{change.entry.comment}\n{change.entry.mark}"}
        if change.with_page:
            address = f"{self._address}/submissions/{change.entry.key}"
            fields["file_ids"] = [store_page(self._requester, address, change.entry.page)]
        return fields

    def _run(self, data: Mapping[str, Mapping[str, Any]]) -> None:
        """Start a job and wait for it."""
        address = f"{self._address}/submissions/update_grades"
        try:
            response = self._requester.request("POST", address, _kwargs=combine_kwargs(grade_data=data))
        except UnsureError:
            # A job that was accepted nevertheless needs a moment before it can be seen.
            time.sleep(5 * self._patience.first)
            raise
        self._wait_for(shape.record(response.json(), f"Canvas: POST {address}"))

    def _wait_for(self, job: Mapping[str, Any]) -> None:
        number = job.get("id")
        if type(number) is not int and not re.fullmatch("[0-9]{1,30}", str(number)):
            raise PlatformError(f"Canvas: POST {self._address}/submissions/update_grades: names no job.")
        address = f"progress/{number}"
        waited, pause = 0.0, self._patience.first / 4
        while job.get("workflow_state") not in ("completed", "failed"):
            if waited > _POLL_SECONDS:
                raise PlatformError(
                    f"Canvas: GET {address}: the job has not ended after {waited:.0f} seconds; "
                    "run it again later, it goes on where it stopped."
                )
            time.sleep(pause)
            waited, pause = waited + pause, min(2 * pause, 10 * self._patience.first)
            job = shape.record(self._requester.request("GET", address).json(), f"Canvas: GET {address}")


def _standing(submission: Mapping[str, Any], request: str) -> Standing:
    score = shape.number(submission, "score", request)
    entered = shape.number(submission, "entered_score", request, optional=True)
    deducted = shape.number(submission, "points_deducted", request, optional=True)
    comments = shape.listed(submission, "submission_comments", request)
    return Standing(
        score if entered is None else entered,
        touched=str(submission.get("graded_at") or ""),
        excused=bool(submission.get("excused")),
        comments=tuple(str(one.get("comment", "")) for one in comments),
        attached=tuple(str(one.get("comment", "")) for one in comments if one.get("attachments")),
        taken_off=deducted or Decimal(0),
    )
