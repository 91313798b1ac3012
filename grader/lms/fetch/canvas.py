"""Fetch from Canvas: people, the latest or all attempts with their times, extensions and groups."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import unquote_plus

from grader.course.platforms import Canvas
from grader.intake.platforms.canvas import COPY
from grader.intake.platforms.fetched import ONLINE_TEXT, FetchedHandIn
from grader.lms.fetch.inbox import RemoteFile, RemoteHandIn
from grader.lms.upload.canvas import CanvasAssignment
from grader.lms.upload.http import JsonObject, Patience
from grader.lms.upload.target import PlatformError, RefusedError
from grader.roster.roster import Person, Roster

_MISSING = 404


class CanvasSource(CanvasAssignment):
    """People and hand-ins of one assignment on Canvas."""

    def __init__(self, settings: Canvas, token: str, patience: Patience) -> None:
        super().__init__(settings, token, patience)
        self._submissions: list[JsonObject] = []
        self._students: dict[str, str] = {}  # by Canvas's number
        self._strangers = 0

    def people(self, kept: Roster | None) -> Iterator[Person]:
        """Read the course's students; an SIS id is the id, or the Canvas id where there is none.

        The date until which Canvas takes a person's work as in time is their extension.
        """
        if self.assignment.get("anonymize_students"):
            raise PlatformError(
                f"{self.place}: the assignment is graded anonymously; Canvas tells nobody's submission from "
                "another's before its grades are posted."
            )
        more: dict[str, Any] = {"include[]": ["submission_history", "group"]}
        self._submissions = list(self.each(f"{self.address}/submissions", **more))
        theirs = {one.id("user_id"): one for one in self._submissions}
        query = {"enrollment_type[]": "student", "include[]": "email"}
        for user in self.each(f"{self.course}/users", **query):
            number, email = user.id("id"), user.text("email")
            submission = theirs.get(number, JsonObject({}))
            known = kept.student({"canvas_id": number, "email": email}) if kept else ""
            group = submission.get("group")
            name = JsonObject(group).text("name") if isinstance(group, dict) else ""
            self._students[number] = known or user.text("sis_user_id") or number
            yield Person(
                self._students[number],
                user.text("name"),
                email,
                canvas_id=number,
                extension=submission.text("cached_due_date"),
                extra={"group": name} if name else {},
            )

    def hand_ins(self, *, every: bool) -> Iterator[RemoteHandIn]:
        """Return the attempts with files or text; those of people who left the course are left out."""
        for submission in self._submissions:
            number = submission.id("user_id")
            attempts = [submission]
            if every and isinstance(submission.get("submission_history"), list):
                attempts = submission.objects("submission_history") or attempts
            for one in attempts:
                if not one.get("submitted_at"):
                    continue
                if number not in self._students:
                    self._strangers += 1
                    continue
                came, attempt = _time(one), one.whole("attempt")
                folder, student = f"{number}/{attempt}-{came:%Y%m%dT%H%M%S}", self._students[number]
                yield FetchedHandIn(folder, (student,), attempt, came), tuple(self._files(one))

    def notes(self, *, charged: bool) -> Iterable[str]:
        """Say who was left out, and whether Canvas charges lateness too."""
        if self._strangers:
            people = "of people who are no students of the course now"
            yield f"not fetched: {self._strangers} hand-in{'s' * (self._strangers > 1)} {people}"
        try:
            policy = self.ask("GET", f"{self.course}/late_policy").get("late_policy")
        except RefusedError as error:
            if error.status != _MISSING:
                raise
            policy = None
        if isinstance(policy, dict) and policy.get("late_submission_deduction_enabled") and charged:
            yield (
                "Canvas takes points off for lateness too (its gradebook's late policy): turn that off, or "
                'write late.applied_by = "platform" in course.toml'
            )

    def _files(self, attempt: JsonObject) -> Iterator[RemoteFile]:
        files = attempt.objects("attachments", optional=True)
        originals = [unquote_plus(one.text("filename")) for one in files]
        for one, original in zip(files, originals, strict=True):
            size, name = one.get("size"), one.text("display_name") or original
            if COPY.sub("", name) == original and originals.count(original) == 1:
                name = original  # Canvas numbers a name that the student has used before
            read = partial(self.client.download, f"Canvas: GET file {one.id('id')}", one.text("url"))
            yield RemoteFile(name, size if type(size) is int else None, read)
        if attempt.get("submission_type") == "online_text_entry" and attempt.text("body"):
            text = attempt.text("body").encode("utf-8", "replace")
            yield RemoteFile(ONLINE_TEXT, len(text), partial(bytes, text))


def _time(attempt: JsonObject) -> datetime:
    """Read when an attempt came, as Canvas writes it, with its offset."""
    with suppress(ValueError):
        moment = datetime.fromisoformat(attempt.text("submitted_at"))
        if moment.tzinfo is not None:
            return moment.replace(microsecond=0)
    raise PlatformError(f"{attempt.request}: submitted_at is no time.")
