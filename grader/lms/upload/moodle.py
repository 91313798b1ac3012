"""Moodle over its REST web service: many scores in one call, read back, since Moodle answers ``null`` always.

Moodle also stores scores of people who are not enrolled, so everyone is looked up among the enrolled first.
``mod_assign_get_grades`` lists only people with a submission of their own, so that in a team nobody else's
score is in it; for them the gradebook is asked. A score that a person set in the gradebook goes before the
assignment's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation

from grader.course.platforms import Moodle
from grader.lms.comment import comment_html
from grader.lms.payload import NUMBER, PersonKey
from grader.lms.upload.answers import JsonObject, as_object, can_be_points
from grader.lms.upload.http import Patience, PlatformError, RefusedError
from grader.lms.upload.moodle_service import MoodleAssignment
from grader.lms.upload.target import About, Difference, ManyRefusedError, PlatformScore
from grader.roster.roster import Person

_COMPARE = "compare id and address with those who are enrolled in the course there"
_NO_GRADE = "-1"
_BOOK = "gradereport_user_get_grade_items"
_OVERRIDDEN = "is kept: it was set by hand in Moodle's gradebook and replaces every other; change it there"
_LOCKED = "is kept: it is locked in Moodle's gradebook; unlock it there"
_UNTOLD = "is not sent: Moodle does not tell whether a score is there ({}); give it there by hand"


class MoodleTarget(MoodleAssignment):
    """Scores and comments of one assignment on Moodle."""

    chunk = 50

    def __init__(self, settings: Moodle, token: str, patience: Patience) -> None:
        super().__init__(settings, token, patience)
        self.key = PersonKey("account on Moodle", self._account, NUMBER, _COMPARE)
        self._states: Mapping[str, str] = {}  # each student's in the marking workflow, as it was read last

    def about(self) -> About:
        """Say what the assignment is worth, whether a team shares one score, and whether grades wait.

        Raises:
            PlatformError: It is graded by a scale of words.
        """
        grade = _number(self.assignment.get("grade"))
        if grade is None or grade < 0:
            raise PlatformError(f"{self.place}: the assignment is graded by a scale and takes no points.")
        comments = self.has_feedback("comments")
        known = (
            (
                self._has("teamsubmission"),
                "the assignment is for teams: Moodle may give a score to the whole team",
            ),
            (
                self._has("markingworkflow"),
                "marking workflow is on: grades wait for release in Moodle, each student's state stays",
            ),
            (self._is_blind, "students are anonymous there: grades wait until their identities are revealed"),
            (not comments, "feedback comments are off in the assignment: only scores are sent"),
        )
        warnings = tuple(text for is_so, text in known if is_so)
        return About(grade, warnings, self.has_feedback("file"), comments)

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
        book, scores = self._book(), {}
        for key in keys:
            item, attempt = book.get(key), attempts.get(key, 0)
            marks = [
                one for one in ("gradeisoverridden", "gradeislocked", "locked") if item and item.get(one)
            ]
            if key not in self.users:
                continue
            if item and marks:
                why = _OVERRIDDEN if "gradeisoverridden" in marks else _LOCKED
                scores[key] = PlatformScore(item.decimal("graderaw", optional=True), held=why)
            elif key in grades and _attempt(grade := grades[key]) >= attempt:
                touched = str(grade.get("timemodified"))
                scores[key] = PlatformScore(_given(grade), touched, attempt=_attempt(grade))
            elif key in attempts:  # one that nobody has scored yet
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

        Raises:
            RefusedError: Moodle does not take the feedback page.
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
        """Ask for the latest attempts of those with a submission of their own, by their number.

        Returns:
            These, and for members of a team its later attempt with when it began, in seconds since 1970.
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

    def _book(self) -> Mapping[str, JsonObject]:
        """Ask the gradebook for the assignment's item of each person, by their number."""
        answer = self.call(_BOOK, {"courseid": str(self.settings.course_id), "userid": "0"})
        return {
            person.id("userid"): item
            for person in as_object(answer, f"Moodle: {_BOOK}").objects("usergrades")
            for item in person.objects("gradeitems")
            if item.get("itemmodule") == "assign" and item.get("cmid") == self.settings.assignment_id
        }

    def _score_in_book(self, key: str, item: JsonObject | None, attempt: int, began: int) -> PlatformScore:
        """Say what stands there for a person whom the assignment does not list."""
        if item is None:
            return PlatformScore(held=_UNTOLD.format("its gradebook does not list them"))
        shown, why = item.decimal("graderaw", optional=True), "it is anonymous" if self._is_blind else ""
        if shown is None:
            waits = key in self._states and self._has("markingworkflow")
            why = why or ("it is hidden in the gradebook" if item.get("gradeishidden") else "")
            why = why or ("it waits for release" if waits else "")
        if why:
            return PlatformScore(held=_UNTOLD.format(why))
        graded = item.whole("gradedategraded")
        if shown is None or graded < began:  # what the gradebook shows is about an earlier attempt
            return PlatformScore(attempt=attempt)
        return PlatformScore(shown, str(graded), attempt=attempt)


def _attempt(one: JsonObject) -> int:
    return one.whole("attemptnumber")


def _given(grade: JsonObject) -> Decimal | None:
    """Read a score, which Moodle writes as text; a negative number, null and an empty text mean none.

    Raises:
        PlatformError: It is something else.
    """
    if grade.fields.get("grade", "missing") in (None, ""):
        return None
    points = _number(grade.get("grade"))
    if points is None:
        raise PlatformError(f"{grade.request}: the grade of user {grade.get('userid')} is no number.")
    return points if points >= 0 else None


def _number(value: object) -> Decimal | None:
    """Read a number that may be written as text; None for anything else, such as true."""
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if can_be_points(number) else None
