"""Moodle over its REST web service: many scores in one call, read back, since Moodle answers ``null`` always.

Moodle also stores scores of people who are not enrolled, so everyone is looked up among the enrolled first.
``mod_assign_get_grades`` lists only people with a submission of their own, so that in a team nobody else's
score is in it; for them the gradebook is asked. A score that a person set in the gradebook goes before the
assignment's.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Any

from grader.base.text import one_line
from grader.course.platforms import Moodle
from grader.lms.comment import comment_html
from grader.lms.payload import NUMBER, PersonKey
from grader.lms.upload.http import Client, JsonObject, Patience, as_object, can_be_points, objects
from grader.lms.upload.target import (
    About,
    Difference,
    ManyRefusedError,
    PlatformError,
    PlatformScore,
    RefusedError,
    TokenError,
)
from grader.roster.roster import Person

_REFUSED_TOKEN = ("invalidtoken", "accessexception", "invalidprivatetoken")
_NOTHING_THERE = "3"  # the warning of a list without entries; any other is about rights
_COMPARE = "compare id and address with those who are enrolled in the course there"
_NO_GRADE = "-1"
_BOOK = "gradereport_user_get_grade_items"
_OVERRIDDEN = "is kept: it was set by hand in Moodle's gradebook and replaces every other; change it there"
_LOCKED = "is kept: it is locked in Moodle's gradebook; unlock it there"
_UNTOLD = "is not sent: Moodle does not tell whether a score is there ({}); give it there by hand"


class MoodleAssignment:
    """The assignment that ``settings`` name, and calls about it; ``place`` names it with its course."""

    def __init__(self, settings: Moodle, token: str, patience: Patience) -> None:
        self.settings, self._token = settings, token
        self.place = f"moodle {settings.url} {settings.course_id} {settings.assignment_id}"
        self.client = Client(settings.url, patience, hint="is url in course.toml right?")
        self.close = self.client.close

    @cached_property
    def assignment(self) -> JsonObject:
        """The assignment as ``mod_assign_get_assignments`` describes it; PlatformError if there is none."""
        name, wanted = "mod_assign_get_assignments", str(self.settings.assignment_id)
        answer = self.ask(name, {"courseids[0]": str(self.settings.course_id)})
        for course in answer.objects("courses", optional=True):
            for one in course.objects("assignments", optional=True):
                if str(one.get("cmid")) == wanted:
                    return one
        said = "".join(f" ({_words(one)})" for one in answer.objects("warnings", optional=True)[:1])
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
        """Return the entries of the list ``name`` that a function gives for the assignment."""
        answer = self.ask(function, {"assignmentids[0]": self.instance})
        for warning in answer.objects("warnings", optional=True):
            if str(warning.get("warningcode")) != _NOTHING_THERE:
                raise PlatformError(
                    f"{answer.request}: {_words(warning)}; may the token read and give scores there?"
                )
        return [entry for one in answer.objects("assignments") for entry in one.objects(name)]

    def has_feedback(self, kind: str) -> bool:
        """Return whether the assignment gives feedback of a kind, ``comments`` or ``file``.

        An answer that says nothing of its feedback has comments alone, as an assignment has by default.
        """
        kinds = {
            str(one.get("plugin")): str(one.get("value")) == "1"
            for one in self.assignment.objects("configs", optional=True)
            if one.get("subtype") == "assignfeedback" and one.get("name") == "enabled"
        }
        return kinds.get(kind, kind == "comments" and not kinds)

    def store(self, name: str, data: bytes) -> str:
        """Put a file into a draft area of the token's owner, and return the area's number."""
        form = {"token": self._token, "filearea": "draft", "itemid": "0", "filepath": "/"}
        request, file = "Moodle: POST /webservice/upload.php", {"file_1": (name, data, "text/html")}
        response = self.client.ask(
            request, "POST", self._url("upload.php"), harmless=True, data=form, files=file
        )
        match self.client.json(request, response):
            case [dict(stored)]:
                return JsonObject(stored, request).id("itemid")
            case answer:
                words = one_line(str(answer.get("error") if isinstance(answer, dict) else "no file"), 200)
                raise RefusedError(f"{request}: {words}; may the token's service upload files?", 200)

    def download(self, url: str) -> bytes:
        """Read a file of Moodle's; the token goes along, so that another server is not asked."""
        if not self.client.is_home(url):
            raise RefusedError("Moodle: a file: is said to be on another server.", 0)
        form, place = {"token": self._token}, url.partition("?")[0]
        return self.client.ask("Moodle: a file", "POST", place, harmless=True, data=form).content

    def ask(self, function: str, fields: Mapping[str, str]) -> JsonObject:
        """Call a harmless function of the web service that answers an object."""
        return as_object(self.call(function, fields), f"Moodle: {function}")

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
        try:
            response = self.client.ask(
                request, "POST", self._url("rest/server.php"), harmless=harmless, data=form
            )
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
        said = one_line(str(answer.get("message")), 200)
        raise RefusedError(f"{request}: {said} ({code}).", response.status_code)

    def _url(self, script: str) -> str:
        return f"{self.settings.url.rstrip('/')}/webservice/{script}"


class MoodleTarget(MoodleAssignment):
    """Scores and comments of one assignment on Moodle."""

    chunk = 50

    def __init__(self, settings: Moodle, token: str, patience: Patience) -> None:
        super().__init__(settings, token, patience)
        self.key = PersonKey("account on Moodle", self._account, NUMBER, _COMPARE)
        self._states: Mapping[str, str] = {}  # each student's in the marking workflow, as it was read last

    def about(self) -> About:
        """Say what the assignment is worth, whether a team shares one score, and whether grades wait."""
        grade = _number(self.assignment.get("grade"))
        if grade is None or grade < 0:
            raise PlatformError(f"{self.place}: the assignment is graded by a scale and takes no points.")
        comments, found = self.has_feedback("comments"), []
        if self._has("teamsubmission"):
            found.append("the assignment is for teams: Moodle may give a score to the whole team")
        if self._has("markingworkflow"):
            found.append(
                "marking workflow is on: grades wait for release in Moodle, each student's state stays"
            )
        if self._is_blind:
            found.append("students are anonymous there: grades wait until their identities are revealed")
        if not comments:
            found.append("feedback comments are off in the assignment: only scores are sent")
        return About(grade, tuple(found), self.has_feedback("file"), comments)

    def _account(self, person: Person) -> str:
        """Find a person among the enrolled: by id number or user name, else by an address of one alone."""
        users, email = self.users.items(), person.email.casefold()
        fitting = [n for n, user in users if person.id in (user.get("idnumber"), user.get("username"))]
        if not fitting and email:
            fitting = [n for n, user in users if str(user.get("email") or "").casefold() == email]
        return fitting[0] if len(fitting) == 1 else ""

    def read(self, keys: Iterable[str]) -> Mapping[str, PlatformScore]:
        """Read everyone's score, without comments: Moodle does not show them here."""
        grades: dict[str, JsonObject] = {}
        for grade in self.of_assignment("mod_assign_get_grades", "grades"):
            key = grade.id("userid")
            if key not in grades or _attempt(grade) >= _attempt(grades[key]):
                grades[key] = grade
        attempts, reopened = self._attempts()
        self._states = {
            one.id("userid"): str(one.get("workflowstate") or "")
            for one in self.of_assignment("mod_assign_get_user_flags", "userflags")
        }
        answer = self.ask(_BOOK, {"courseid": str(self.settings.course_id), "userid": "0"})
        book = {
            person.id("userid"): item
            for person in answer.objects("usergrades")
            for item in person.objects("gradeitems")
            if item.get("itemmodule") == "assign"
            and str(item.get("cmid")) == str(self.settings.assignment_id)
        }
        scores = {}
        for key in self.users.keys() & set(keys):
            item, attempt = book.get(key), attempts.get(key, 0)
            is_overridden = item is not None and item.get("gradeisoverridden")
            is_locked = item is not None and (item.get("gradeislocked") or item.get("locked"))
            if item and (is_overridden or is_locked):
                why = _OVERRIDDEN if is_overridden else _LOCKED
                scores[key] = PlatformScore(item.decimal("graderaw", optional=True), held=why)
            elif key in grades and _attempt(grade := grades[key]) >= attempt:
                text, touched = grade.fields.get("grade", "missing"), str(grade.get("timemodified"))
                points = _number(text)
                if points is None and text not in (None, ""):
                    raise PlatformError(f"{grade.request}: the grade of user {key} is no number.")
                points = None if points is not None and points < 0 else points  # -1 is none
                scores[key] = PlatformScore(points, touched, attempt=_attempt(grade))
            elif key in attempts and (attempt or not item or item.get("graderaw") is None):
                # Nobody has scored it yet; what the gradebook shows is an earlier attempt's.
                scores[key] = PlatformScore(attempt=attempt)
            else:
                scores[key] = self._score_in_book(key, item, *reopened.get(key, (0, 0)))
        return scores

    def write(self, changes: Sequence[Difference]) -> Mapping[str, str]:
        """Send scores in one call."""
        fields = {"assignmentid": self.instance, "applytoall": "0"}
        refused: dict[str, str] = {}
        for number, change in enumerate(changes):
            try:
                fields |= self._fields(f"grades[{number}]", change)
            except RefusedError as error:
                refused[change.entry.student] = f"comment and feedback page were not sent: {error}"
        if len(refused) == len(changes):
            return refused
        try:
            self.call("mod_assign_save_grades", fields, harmless=False)
        except RefusedError as error:
            if len(changes) > 1:
                raise ManyRefusedError(str(error)) from None
            return {changes[0].entry.student: str(error)}
        return refused

    def _fields(self, prefix: str, change: Difference) -> dict[str, str]:
        """Make one student's fields of ``mod_assign_save_grades``; attempt -1 is the latest.

        The workflow's state goes back as it is: an empty one would begin the workflow anew.
        """
        entry = change.entry
        fields = {
            "[userid]": entry.key,
            "[grade]": entry.points_text or _NO_GRADE,
            "[attemptnumber]": "-1",
            "[addattempt]": "0",
            "[workflowstate]": self._states.get(entry.key, ""),
        }
        if change.with_comment and self.has_feedback("comments"):
            editor = "[plugindata][assignfeedbackcomments_editor]"
            fields |= {f"{editor}[text]": comment_html(entry.comment), f"{editor}[format]": "1"}
        if change.with_page:
            fields["[plugindata][files_filemanager]"] = self.store("feedback.html", entry.page)
        return {f"{prefix}{key}": value for key, value in fields.items()}

    def _has(self, key: str) -> bool:
        return str(self.assignment.get(key) or "0") not in ("0", "False")

    @property
    def _is_blind(self) -> bool:
        return self._has("blindmarking") and not self._has("revealidentities")

    def _attempts(self) -> tuple[Mapping[str, int], Mapping[str, tuple[int, int]]]:
        """Ask for everyone's latest attempt with a submission of their own, by their number.

        The second map has for a team's members its later attempt, and when it began in seconds since 1970.
        """
        own, teams = {}, {}
        for one in self.of_assignment("mod_assign_get_submissions", "submissions"):
            if (key := one.id("userid")) != "0":
                own[key] = _attempt(one)
            elif _attempt(one):
                teams[str(one.get("groupid") or 0)] = (_attempt(one), one.whole("timecreated"))
        members = self.participants if teams else ()
        team_of = {str(one.get("id")): str(one.get("groupid") or 0) for one in members}
        return own, {key: teams[team] for key, team in team_of.items() if team in teams}

    def _score_in_book(self, key: str, item: JsonObject | None, attempt: int, began: int) -> PlatformScore:
        """Say what stands there for a person whom the assignment does not list."""
        if item is None:
            return PlatformScore(held=_UNTOLD.format("its gradebook does not list them"))
        shown, why = item.decimal("graderaw", optional=True), "it is anonymous" if self._is_blind else ""
        if shown is None and not why:
            waits = key in self._states and self._has("markingworkflow")
            why = "it is hidden in the gradebook" if item.get("gradeishidden") else ""
            why = why or ("it waits for release" if waits else "")
        if why:
            return PlatformScore(held=_UNTOLD.format(why))
        graded = item.whole("gradedategraded")
        if shown is None or graded < began:  # what the gradebook shows is about an earlier attempt
            return PlatformScore(attempt=attempt)
        return PlatformScore(shown, str(graded), attempt=attempt)


def _attempt(one: JsonObject) -> int:
    return one.whole("attemptnumber")


def _number(value: object) -> Decimal | None:
    """Read a number that may be written as text; None for anything else, such as true."""
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if can_be_points(number) else None


def _words(warning: JsonObject) -> str:
    return one_line(str(warning.get("message") or warning.get("warningcode")), 200)
