"""Moodle over its REST web service: many scores in one call, read back, since Moodle answers ``null`` always.

Moodle also stores scores of people who are not enrolled, so everyone is looked up among the enrolled first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Any

from grader.base.text import one_line
from grader.course.platforms import Moodle
from grader.lms.comment import comment_html
from grader.lms.payload import NUMBER, Key, Payload, Withheld, plain
from grader.lms.upload import http
from grader.lms.upload.http import Patience, PlatformError, RefusedError, TokenError
from grader.lms.upload.plan import Change, PlatformScore

_ENDPOINT = "/webservice/rest/server.php"
_COMPARE = "compare id and address with those who are enrolled in the course there"
_REFUSED_TOKEN = ("invalidtoken", "accessexception", "invalidprivatetoken")


@dataclass(frozen=True)
class _User:
    id: str
    names: frozenset[str]
    email: str


class MoodleTarget:
    """One assignment on Moodle; ``assignment_id`` is the number in its address."""

    chunk = 50

    def __init__(self, settings: Moodle, token: str, patience: Patience) -> None:
        self._settings, self._token = settings, token
        self._client = http.Client(settings.url, patience, hint="is url in course.toml right?")

    @property
    def place(self) -> str:
        """Address, course and assignment."""
        return f"moodle {self._settings.url} {self._settings.course_id} {self._settings.assignment_id}"

    @property
    def maximum(self) -> Decimal | None:
        """What the assignment is worth there, in points.

        Raises:
            PlatformError: It is graded by a scale of words.
        """
        grade = _number(self._assignment.get("grade"))
        if grade is None or grade < 0:
            raise PlatformError(f"{self.place}: the assignment is graded by a scale and takes no points.")
        return grade

    @property
    def warnings(self) -> tuple[str, ...]:
        """Say whether a team shares one score."""
        shared = bool(self._assignment.get("teamsubmission"))
        return ("the assignment is for teams: Moodle may give a score to the whole team",) if shared else ()

    @cached_property
    def _assignment(self) -> Mapping[str, Any]:
        name, wanted = "mod_assign_get_assignments", self._settings.assignment_id
        answer = self._call(name, {"courseids[0]": str(self._settings.course_id)})
        for course in _listed(answer, "courses"):
            for one in _listed(course, "assignments"):
                if one.get("cmid") == wanted:
                    return one
        raise PlatformError(
            f"Moodle: {name}: course {self._settings.course_id} has no assignment {wanted} for this token; "
            "course_id and assignment_id are the numbers behind id= in the addresses of both."
        )

    @property
    def _instance(self) -> str:
        """The assignment's id in the web service, which is not the number in its address."""
        return http.identity(self._assignment, "id", "Moodle: mod_assign_get_assignments")

    @cached_property
    def _users(self) -> tuple[_User, ...]:
        name = "core_enrol_get_enrolled_users"
        answer = self._call(name, {"courseid": str(self._settings.course_id)})
        return tuple(
            _User(
                http.identity(user, "id", f"Moodle: {name}"),
                frozenset(filter(None, (str(user.get(key) or "") for key in ("idnumber", "username")))),
                str(user.get("email") or "").casefold(),
            )
            for user in http.records(answer, f"Moodle: {name}")
        )

    def find(self, sent: Sequence[Payload]) -> tuple[Mapping[str, Payload], list[Withheld]]:
        """Find people among the enrolled: by id number or user name, else by an address that only one has."""
        accounts = {}
        for one in sent:
            student, email = one.person.id, one.person.email.casefold()
            fitting = [user for user in self._users if student in user.names]
            fitting = fitting or [user for user in self._users if email and user.email == email]
            accounts[student] = fitting[0].id if len(fitting) == 1 else ""
        key = Key("account on Moodle", lambda person: accounts[person.id], NUMBER, _COMPARE)
        return key.sort(sent)

    def read(self, keys: Iterable[str]) -> Mapping[str, PlatformScore]:
        """Read everyone's score, without comments: Moodle does not show them here.

        Raises:
            PlatformError: The list cannot be understood: neither a score nor its absence can be told from it.
        """
        name = "mod_assign_get_grades"
        request = f"Moodle: {name}"
        answer = self._call(name, {"assignmentids[0]": self._instance})
        enrolled = {user.id for user in self._users}
        scores = {key: PlatformScore() for key in keys if key in enrolled}
        attempts: dict[str, int] = {}
        for assignment in http.listed(answer, "assignments", request):
            for grade in http.listed(assignment, "grades", request):
                key = http.identity(grade, "userid", request)
                attempt = int(http.number(grade, "attemptnumber", request, optional=True) or 0)
                if key in scores and attempt >= attempts.get(key, 0):
                    scores[key] = PlatformScore(
                        _given(grade, request), touched=str(grade.get("timemodified"))
                    )
                    attempts[key] = attempt
        return scores

    def write(self, changes: Sequence[Change], stamps: Mapping[str, int]) -> Mapping[str, str]:
        """Send scores in one call; if Moodle refuses it, one by one, to find out which."""
        fields = {"assignmentid": self._instance, "applytoall": "0"}
        for number, change in enumerate(changes):
            fields |= _fields(f"grades[{number}]", change)
        try:
            self._call("mod_assign_save_grades", fields, harmless=False)
        except RefusedError as error:
            if len(changes) == 1:
                return {changes[0].entry.student: str(error)}
            refused: dict[str, str] = {}
            for change in changes:
                refused |= self.write([change], stamps)
            return refused
        return {}

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _call(self, function: str, fields: Mapping[str, str], *, harmless: bool = True) -> Any:
        """Call a function of the web service; Moodle reports its own errors as JSON with status 200.

        Raises:
            RefusedError: Moodle reports an error.
            PlatformError: The call failed for good.
            UnsureError: A call that changes something got no answer.
        """
        request = f"Moodle: {function}"
        # The token goes into the body: an address ends in logs.
        form = {"wstoken": self._token, "wsfunction": function, "moodlewsrestformat": "json", **fields}
        url = self._settings.url.rstrip("/") + _ENDPOINT
        try:
            response = self._client.ask(request, "POST", url, harmless=harmless, data=form)
        except RefusedError as error:  # a status is about the service, not about one student
            raise PlatformError(str(error)) from None
        answer = self._client.json(request, response)
        if not isinstance(answer, dict) or "exception" not in answer:
            return answer
        code = one_line(str(answer.get("errorcode")), 80)
        if code in _REFUSED_TOKEN:
            raise TokenError(
                f"{request}: Moodle does not take the token in ${self._settings.token_env} ({code}); is it "
                "expired, and does its service have this function?"
            )
        raise RefusedError(
            f"{request}: {one_line(str(answer.get('message')), 200)} ({code}).", response.status_code
        )


def _fields(prefix: str, change: Change) -> dict[str, str]:
    """Make one student's fields of ``mod_assign_save_grades``; attempt -1 is the latest."""
    entry = change.entry
    fields = {
        f"{prefix}[userid]": entry.key,
        f"{prefix}[grade]": plain(entry.points),
        f"{prefix}[attemptnumber]": "-1",
        f"{prefix}[addattempt]": "0",
        f"{prefix}[workflowstate]": "",
    }
    if change.with_comment:
        editor = f"{prefix}[plugindata][assignfeedbackcomments_editor]"
        fields |= {f"{editor}[text]": comment_html(entry.comment), f"{editor}[format]": "1"}
    return fields


def _listed(answer: Any, key: str) -> list[Mapping[str, Any]]:
    """The objects in a list of an answer; none if there is no such list."""
    found = answer.get(key) if isinstance(answer, dict) else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _given(grade: Mapping[str, Any], request: str) -> Decimal | None:
    """Read a score, which Moodle writes as text; a negative number, null and an empty text mean none.

    Raises:
        PlatformError: It is something else.
    """
    if grade.get("grade", "missing") in (None, ""):
        return None
    points = _number(grade.get("grade"))
    if points is None:
        raise PlatformError(f"{request}: the grade of user {grade['userid']} is no number.")
    return points if points >= 0 else None


def _number(value: object) -> Decimal | None:
    """Read a number that may be written as text; None for anything else, such as true."""
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if http.can_be_points(number) else None
