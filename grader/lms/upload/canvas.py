"""Canvas over its REST interface: one bulk job for many scores, waited for, then read back.

A feedback page goes up in the steps of "Uploading Files" in Canvas's documentation: announced, sent,
confirmed; then a comment names its id. Nobody sees the file before that, so each step may be repeated.
"""

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any

from grader.base.text import one_line
from grader.course.platforms import Canvas
from grader.lms.formats.canvas import KEY
from grader.lms.upload.http import Client, JsonObject, Patience, as_object, objects, parse_url
from grader.lms.upload.target import (
    About,
    Difference,
    ManyRefusedError,
    PlatformError,
    PlatformScore,
    RefusedError,
    TokenError,
    UnsureError,
)

_GRADING_TYPES = ("points", "percent", "letter_grade", "gpa_scale")
_JOB_SECONDS = 600.0
_PAGE_NAME = "feedback.html"  # for every student the same: it tells nothing of them
_PAGE_TYPE = "text/html"


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
        self.close = self.client.close

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

    def each(self, address: str, under: str = "", **query: Any) -> Iterator[JsonObject]:
        """Read all pages of a list of objects, which is ``under`` a key of each page."""
        request, params = f"Canvas: GET {address}", {**query, "per_page": "100"}
        for page in self.client.pages(request, self.url(address), params=params):
            yield from as_object(page, request).objects(under) if under else objects(page, request)


class CanvasTarget(CanvasAssignment):
    """Scores and comments of one assignment on Canvas."""

    key = KEY
    chunk = 100

    def about(self) -> About:
        """Say what the assignment is worth, whether a group shares one score, and what holds scores back."""
        assignment, found = self.assignment.fields, []
        maximum = self.assignment.decimal("points_possible")
        kind = assignment.get("grading_type", "points")
        where = f"{self.place}: the assignment is"
        if kind not in _GRADING_TYPES:
            raise PlatformError(f"{where} graded as {kind!r} and takes no points.")
        if assignment.get("published") is False:
            raise PlatformError(f"{where} not published, and Canvas grades none of it.")
        if assignment.get("anonymize_students"):
            raise PlatformError(
                f"{where} graded anonymously, and Canvas does not tell who is who; upload after its grades "
                "are posted."
            )
        if assignment.get("moderated_grading"):
            found.append("the assignment is moderated: Canvas refuses scores until its grades are released")
        if assignment.get("post_manually"):
            found.append("students see neither score nor comment before you post the grades in Canvas")
        alone = assignment.get("grade_group_students_individually", True)
        if assignment.get("group_category_id") and not alone:
            found.append("Canvas gives every member of a group the score that was sent last")
        return About(maximum, tuple(found), takes_pages=True, takes_lone_comments=True)

    @cached_property
    def _closed_periods(self) -> Mapping[str, str]:
        """The titles of closed grading periods by their numbers; asked for if a student is in one."""
        if not self.assignment.get("in_closed_grading_period"):
            return {}
        periods = self.each(f"{self.course}/grading_periods", "grading_periods")
        return {
            str(one.get("id")): one_line(str(one.get("title")), 80) for one in periods if one.get("is_closed")
        }

    def read(self, keys: Iterable[str]) -> Mapping[str, PlatformScore]:
        """Read everyone's score, with the comments."""
        wanted, scores = set(keys), {}
        query = {"include[]": "submission_comments"}
        for one in self.each(f"{self.address}/submissions", **query):
            if (key := one.id("user_id")) not in wanted:
                continue
            period = self._closed_periods.get(str(one.get("grading_period_id")))
            why = f"is kept: the grading period {period} is closed; an administrator can reopen it"
            score, entered = one.decimal("score"), one.decimal("entered_score", optional=True)
            comments = [
                (str(said.get("comment") or ""), said.get("attachments"))
                for said in one.objects("submission_comments")
            ]
            scores[key] = PlatformScore(
                score if entered is None else entered,
                touched=str(one.get("graded_at") or ""),
                excused=bool(one.get("excused")),
                comments=tuple(text for text, _ in comments),
                attached=tuple(text for text, attached in comments if attached),
                taken_off=one.decimal("points_deducted", optional=True) or Decimal(0),
                held=why if period else "",
            )
        return scores

    def write(self, changes: Sequence[Difference]) -> Mapping[str, str]:
        """Send scores as one job, and wait for its end.

        A job that fails on one student leaves out everyone behind. A comment is not sent when Canvas refuses
        its feedback page. The job adds a comment to the latest attempt; Canvas's call for single comments
        would add it to the first.
        """
        form, refused = dict[str, str](), {}
        for change in changes:
            entry, field = change.entry, f"grade_data[{change.entry.key}]"
            if change.verdict != "comment":
                form[f"{field}[posted_grade]"] = entry.points_text
            try:
                page = {f"{field}[file_ids][]": self._store_page(change)} if change.with_page else {}
            except RefusedError as error:
                refused[entry.student] = f"comment and feedback page were not sent: {error}"
                continue
            if change.with_comment:
                form |= {f"{field}[text_comment]": f"{entry.comment}\n{entry.mark}", **page}
        if not form or not (said := self._run_job(form)):
            return refused
        if len(changes) > 1:
            raise ManyRefusedError(said)
        return {changes[0].entry.student: self._why_failed(changes[0], said)}

    def _why_failed(self, change: Difference, said: str) -> str:
        """Say why Canvas's job failed on one student: its call for a single score tells more than the job."""
        if change.verdict != "comment":
            form = {"submission[posted_grade]": change.entry.points_text}
            try:
                self.ask("PUT", f"{self.address}/submissions/{change.entry.key}", harmless=True, data=form)
            except TokenError:
                return f"was refused by Canvas: the token may not grade this student now ({said})"
            except RefusedError as error:
                return f"was refused: {error}"
        return f"Canvas's job failed: {said}"

    def _run_job(self, form: Mapping[str, str]) -> str:
        """Start the job that writes scores and comments, wait for its end; return why it failed, or ""."""
        address = f"{self.address}/submissions/update_grades"
        try:
            job = self.ask("POST", address, data=form)
        except UnsureError:
            # If Canvas accepted the job nevertheless, it needs a moment before its scores can be seen.
            time.sleep(5 * self.patience.first)
            raise
        number = job.get("id")
        if type(number) is not int and not re.fullmatch("[0-9]{1,30}", str(number)):
            raise PlatformError(f"Canvas: POST {address}: names no job.")
        progress = f"progress/{number}"
        waited, pause = 0.0, self.patience.first / 4
        while job.get("workflow_state") not in ("completed", "failed"):
            if waited > _JOB_SECONDS:
                raise PlatformError(
                    f"Canvas: GET {progress}: the job has not ended after {waited:.0f} seconds; "
                    "run it again later, it goes on where it stopped."
                )
            time.sleep(pause)
            waited, pause = waited + pause, min(2 * pause, 10 * self.patience.first)
            job = self.ask("GET", progress)
        failed = job.get("workflow_state") == "failed"
        return one_line(str(job.get("message") or "it does not say why"), 200) if failed else ""

    def _store_page(self, change: Difference) -> str:
        """Upload a feedback page to where a comment can take it from, and return the file's id."""
        page = change.entry.page
        address = f"{self.address}/submissions/{change.entry.key}/comments/files"
        announced = {"name": _PAGE_NAME, "size": str(len(page)), "content_type": _PAGE_TYPE}
        request = f"Canvas: POST {address}"
        response = self.client.ask(request, "POST", self.url(address), harmless=True, data=announced)
        match self.client.json(request, response):
            case {"upload_url": str(url), "upload_params": dict(fields)}:
                pass
            case _:
                raise PlatformError(f"{request}: the answer does not say where the file goes.")
        place, ours = parse_url(url), parse_url(self.settings.url)
        if place is None or ours is None or place.scheme not in ("https", ours.scheme):
            raise PlatformError(f"{request}: the file would go over the network unprotected.")
        sending = f"Canvas: POST {place.path} (the file)"
        # The fields are signed: each is sent as it came.
        signed = {str(key): str(value) for key, value in fields.items() if value is not None}
        file = {"file": (_PAGE_NAME, page, _PAGE_TYPE)}
        response = self.client.ask(
            sending, "POST", url, harmless=True, anonymous=True, data=signed, files=file
        )
        if location := response.headers.get("Location"):
            if (place := parse_url(location, response)) is None:
                raise PlatformError(f"{sending}: the answer leads to no address.")
            response = self.client.ask(f"Canvas: GET {place.path}", "GET", str(place))
        try:
            stored = response.json()
        except (ValueError, RecursionError):
            stored = None
        number = stored.get("id") if isinstance(stored, dict) else None
        if type(number) is not int or stored.get("size", len(page)) != len(page):
            raise RefusedError(f"{request}: the file did not arrive whole.", response.status_code)
        return str(number)
