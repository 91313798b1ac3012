"""Moodle's web service: its calls, and what it says about one assignment and the people of its course."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from grader.base.text import one_line
from grader.course.platforms import Moodle
from grader.lms.upload.answers import JsonObject, as_object, objects
from grader.lms.upload.http import Client, Patience, PlatformError, RefusedError, TokenError

_ENDPOINT = "/webservice/rest/server.php"
_UPLOAD = "/webservice/upload.php"
_REFUSED_TOKEN = ("invalidtoken", "accessexception", "invalidprivatetoken")
_NOTHING_THERE = "3"  # the warning of a list without entries; any other is about rights


class MoodleAssignment:
    """The assignment that ``settings`` name, and calls about it; ``place`` names it with its course."""

    def __init__(self, settings: Moodle, token: str, patience: Patience) -> None:
        self.settings, self._token = settings, token
        self.place = f"moodle {settings.url} {settings.course_id} {settings.assignment_id}"
        self.client = Client(settings.url, patience, hint="is url in course.toml right?")

    @cached_property
    def assignment(self) -> JsonObject:
        """The assignment as ``mod_assign_get_assignments`` describes it.

        Raises:
            PlatformError: The token sees no such assignment.
        """
        name, wanted = "mod_assign_get_assignments", self.settings.assignment_id
        answer = self.call(name, {"courseids[0]": str(self.settings.course_id)})
        for course in _dicts(answer, "courses"):
            for one in _dicts(course, "assignments"):
                if one.get("cmid") == wanted:
                    return JsonObject(one, f"Moodle: {name}")
        said = "".join(f" ({_words(one)})" for one in _dicts(answer, "warnings")[:1])
        raise PlatformError(
            f"Moodle: {name}: course {self.settings.course_id} has no assignment {wanted} for this token"
            f"{said}; course_id and assignment_id are the numbers behind id= in the addresses of both."
        )

    @property
    def instance(self) -> str:
        """The assignment's id in the web service, which is not the number in its address."""
        return self.assignment.id("id")

    @cached_property
    def users(self) -> Mapping[str, JsonObject]:
        """Everyone who is enrolled, by the account's number."""
        name = "core_enrol_get_enrolled_users"
        answer = self.call(name, {"courseid": str(self.settings.course_id)})
        return {user.id("id"): user for user in objects(answer, f"Moodle: {name}")}

    @cached_property
    def participants(self) -> list[JsonObject]:
        """Everyone who can hand in, with the number of their team as ``groupid``."""
        name = "mod_assign_list_participants"
        answer = self.call(name, {"assignid": self.instance, "groupid": "0", "filter": ""})
        return objects(answer, f"Moodle: {name}")

    def of_assignment(self, function: str, name: str) -> list[JsonObject]:
        """Return the entries of the list ``name`` that a function gives for the assignment.

        Raises:
            PlatformError: The token may not read them, or they cannot be understood.
        """
        request = f"Moodle: {function}"
        answer = self.call(function, {"assignmentids[0]": self.instance})
        for warning in _dicts(answer, "warnings"):
            if str(warning.get("warningcode")) != _NOTHING_THERE:
                raise PlatformError(
                    f"{request}: {_words(warning)}; may the token read and give scores there?"
                )
        assignments = as_object(answer, request).objects("assignments")
        return [entry for assignment in assignments for entry in assignment.objects(name)]

    def has_feedback(self, kind: str) -> bool:
        """Return whether the assignment gives feedback of a kind, ``comments`` or ``file``.

        An answer that says nothing of its feedback has comments alone, as an assignment has by default.
        """
        kinds = {
            str(one.get("plugin")): str(one.get("value")) == "1"
            for one in _dicts(self.assignment.fields, "configs")
            if one.get("subtype") == "assignfeedback" and one.get("name") == "enabled"
        }
        return kinds.get(kind, kind == "comments" and not kinds)

    def store(self, name: str, data: bytes) -> str:
        """Put a file into a draft area of the token's owner, and return the area's number.

        Raises:
            RefusedError: Moodle does not take it; may the token's service upload files?
            PlatformError: It failed for good.
        """
        request = f"Moodle: POST {_UPLOAD}"
        form = {"token": self._token, "filearea": "draft", "itemid": "0", "filepath": "/"}
        file = {"file_1": (name, data, "text/html")}
        url = self.settings.url.rstrip("/") + _UPLOAD
        response = self.client.ask(request, "POST", url, harmless=True, data=form, files=file)
        match self.client.json(request, response):
            case [dict(stored)]:
                return JsonObject(stored, request).id("itemid")
            case answer:
                words = one_line(str(answer.get("error") if isinstance(answer, dict) else "no file"), 200)
                raise RefusedError(f"{request}: {words}; may the token's service upload files?", 200)

    def download(self, url: str) -> bytes:
        """Read a file of Moodle's; the token goes along, so that another server is not asked.

        Raises:
            RefusedError: It is on another server, or Moodle does not give it.
            PlatformError: It failed for good.
        """
        if not self.client.is_home(url):
            raise RefusedError("Moodle: a file: is said to be on another server.", 0)
        form = {"token": self._token}
        return self.client.ask(
            "Moodle: a file", "POST", url.partition("?")[0], harmless=True, data=form
        ).content

    def call(self, function: str, fields: Mapping[str, str], *, harmless: bool = True) -> Any:
        """Call a function of the web service; Moodle reports its own errors as JSON with status 200.

        Raises:
            RefusedError: Moodle reports an error.
            PlatformError: The call failed for good.
            UnsureError: A call that changes something got no answer.
        """
        request = f"Moodle: {function}"
        # The token goes into the body: an address ends in logs.
        form = {"wstoken": self._token, "wsfunction": function, "moodlewsrestformat": "json", **fields}
        url = self.settings.url.rstrip("/") + _ENDPOINT
        try:
            response = self.client.ask(request, "POST", url, harmless=harmless, data=form)
        except RefusedError as error:  # a status is about the service, not about one student
            raise PlatformError(str(error)) from None
        answer = self.client.json(request, response)
        if not isinstance(answer, dict) or "exception" not in answer:
            return answer
        code = one_line(str(answer.get("errorcode")), 80)
        if code in _REFUSED_TOKEN:
            raise TokenError(
                f"{request}: Moodle does not take the token in ${self.settings.token_env} ({code}); is it "
                "expired, and does its service have this function?"
            )
        raise RefusedError(
            f"{request}: {one_line(str(answer.get('message')), 200)} ({code}).", response.status_code
        )

    def close(self) -> None:
        """Close the connections."""
        self.client.close()


def _dicts(answer: Any, key: str) -> list[Mapping[str, Any]]:
    """Return the objects in a list of an answer; none if there is no such list."""
    found = answer.get(key) if isinstance(answer, Mapping) else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _words(warning: Mapping[str, Any]) -> str:
    return one_line(str(warning.get("message") or warning.get("warningcode")), 200)
