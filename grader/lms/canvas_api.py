"""Canvas over its REST interface: one bulk job for many scores, waited for, then read back."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any

from canvasapi import course  # type: ignore[import-untyped]  # it has no types

from grader.lms.canvas import KEY
from grader.lms.canvas_http import PatientRequester, RefusedError
from grader.lms.canvas_page import store_page
from grader.lms.compare import Change, Standing
from grader.lms.leaving import Leaving, Staying, plain
from grader.lms.patience import Patience, PlatformError, UnsureError
from grader.lms.settings import Canvas

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
            place = self._assignment
            address = f"courses/{place.course_id}/assignments/{place.id}/submissions/{change.entry.key}"
            fields["file_ids"] = [store_page(self._requester, address, change.entry.page)]
        return fields

    def _run(self, data: Mapping[str, Mapping[str, Any]]) -> None:
        """Start a job and wait for it."""
        try:
            progress = self._assignment.submissions_bulk_update(grade_data=data)
        except UnsureError:
            # A job that was accepted nevertheless needs a moment before it can be seen.
            time.sleep(5 * self._patience.first)
            raise
        self._wait_for(progress)

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
    comments = getattr(submission, "submission_comments", [])
    return Standing(
        None if score is None else Decimal(str(score)),
        touched=str(getattr(submission, "graded_at", None) or ""),
        excused=bool(getattr(submission, "excused", False)),
        comments=tuple(str(one.get("comment", "")) for one in comments),
        attached=tuple(str(one.get("comment", "")) for one in comments if one.get("attachments")),
        taken_off=Decimal(str(deducted or 0)),
    )
