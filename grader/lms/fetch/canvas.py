"""Fetch from Canvas: people, the latest or all attempts with their times, extensions and groups."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from grader.course.platforms import Canvas
from grader.lms.fetch.inbox import RemoteFile, RemoteHandIn
from grader.lms.upload import answers
from grader.lms.upload.canvas_service import CanvasService
from grader.lms.upload.http import Patience, PlatformError, RefusedError
from grader.roster.roster import Person, Roster

_MISSING = 404


class CanvasSource:
    """One assignment on Canvas."""

    def __init__(self, settings: Canvas, token: str, patience: Patience) -> None:
        self._service = CanvasService(settings, token, patience)
        self._submissions: list[Mapping[str, Any]] = []
        self._strangers = 0

    @property
    def place(self) -> str:
        """Address, course and assignment."""
        return self._service.place

    def roster(self, kept: Roster | None) -> Roster:
        """Return the course's students; an SIS id is the id, or the Canvas id where there is none.

        The date until which Canvas takes a person's work as in time is their extension.

        Raises:
            PlatformError: A list cannot be understood.
        """
        if self._service.assignment.get("anonymize_students"):
            raise PlatformError(
                f"{self.place}: the assignment is graded anonymously; Canvas tells nobody's submission from "
                "another's before its grades are posted."
            )
        address = f"{self._service.address}/submissions"
        more = {"include[]": ["submission_history", "group"]}
        self._submissions = list(self._service.records(address, more))
        theirs = {answers.identity(one, "user_id", address): one for one in self._submissions}
        people = []
        query = {"enrollment_type[]": "student", "include[]": "email"}
        for user in self._service.records(f"{self._service.course}/users", query):
            number = answers.identity(user, "id", "Canvas: GET users")
            email, submission = _text(user, "email"), theirs.get(number, {})
            known = kept.student({"canvas_id": number, "email": email}) if kept else ""
            group = submission.get("group")
            name = _text(group, "name") if isinstance(group, dict) else ""
            people.append(
                Person(
                    known or _text(user, "sis_user_id") or number,
                    _text(user, "name"),
                    email,
                    canvas_id=number,
                    extension=_text(submission, "cached_due_date"),
                    extra={"group": name} if name else {},
                )
            )
        return Roster(tuple(sorted(people, key=lambda one: one.id)), states_extensions=True)

    def hand_ins(self, roster: Roster, *, every: bool) -> Iterator[RemoteHandIn]:
        """Return the attempts with files or text; those of people who left the course are left out."""
        request = f"Canvas: GET {self._service.address}/submissions"
        for submission in self._submissions:
            number = answers.identity(submission, "user_id", request)
            people = roster.find("canvas_id", number)
            attempts = [submission]
            if every and isinstance(submission.get("submission_history"), list):
                attempts = answers.listed(submission, "submission_history", request) or attempts
            for one in attempts:
                if not one.get("submitted_at"):
                    continue
                if len(people) != 1:
                    self._strangers += 1
                    continue
                came = _time(_text(one, "submitted_at"), request)
                attempt = answers.number(one, "attempt", request, optional=True) or 0
                folder = f"{number}/{int(attempt)}-{came:%Y%m%dT%H%M%S}"
                files = tuple(self._files(one, request))
                yield RemoteHandIn(folder, (people[0].id,), int(attempt), came, files)

    def notes(self, *, charged: bool) -> Iterable[str]:
        """Say who was left out, and whether Canvas charges lateness too."""
        if self._strangers:
            yield f"{self._strangers} hand-ins of people who are no students of the course now were left out"
        address = f"{self._service.course}/late_policy"
        try:
            policy = self._service.record("GET", address).get("late_policy")
        except RefusedError as error:
            if error.status != _MISSING:
                raise
            policy = None
        if isinstance(policy, dict) and policy.get("late_submission_deduction_enabled") and charged:
            yield (
                "Canvas takes points off for lateness too (its gradebook's late policy): turn that off, or "
                'write late.applied_by = "platform" in course.toml'
            )

    def close(self) -> None:
        """Close the connections."""
        self._service.client.close()

    def _files(self, attempt: Mapping[str, Any], request: str) -> Iterator[RemoteFile]:
        for one in answers.listed(attempt, "attachments", request) if attempt.get("attachments") else ():
            url, size = _text(one, "url"), one.get("size")
            name = _text(one, "filename") or _text(one, "display_name")
            number = answers.identity(one, "id", request)
            read = partial(self._service.client.download, f"Canvas: GET file {number}", url)
            yield RemoteFile(_text(one, "display_name") or name, size if type(size) is int else None, read)
        if attempt.get("submission_type") == "online_text_entry" and _text(attempt, "body"):
            text = _text(attempt, "body").encode("utf-8", "replace")
            yield RemoteFile("onlinetext.html", len(text), lambda: text)


def _text(holder: Mapping[str, Any], key: str) -> str:
    value = holder.get(key)
    return value if isinstance(value, str) else ""


def _time(text: str, request: str) -> datetime:
    """Read a time as Canvas writes it, with its offset.

    Raises:
        PlatformError: It is none.
    """
    if re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)", text):
        try:
            return datetime.fromisoformat(text).replace(microsecond=0)
        except ValueError:
            pass
    raise PlatformError(f"{request}: submitted_at is no time.")
