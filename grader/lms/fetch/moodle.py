"""Fetch from Moodle: people, the latest or all attempts with their times, extensions and teams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

from grader.course.platforms import Moodle
from grader.lms.fetch.inbox import RemoteFile, RemoteHandIn
from grader.lms.upload import answers
from grader.lms.upload.http import Patience
from grader.lms.upload.moodle_service import MoodleService
from grader.roster.roster import Person, Roster

_SUBMISSIONS = "mod_assign_get_submissions"
_STATUS = "mod_assign_get_submission_status"


class MoodleSource:
    """One assignment on Moodle."""

    def __init__(self, settings: Moodle, token: str, patience: Patience) -> None:
        self._service = MoodleService(settings, token, patience)
        self._students: dict[str, str] = {}  # by the account's number
        self._teams: dict[str, list[str]] = {}
        self._drafts = 0

    @property
    def place(self) -> str:
        """Address, course and assignment."""
        return self._service.place

    def roster(self, kept: Roster | None) -> Roster:
        """Return everyone who can hand in; the id number is the id, else the user name, else the account's.

        Raises:
            PlatformError: A list cannot be understood.
        """
        request = "Moodle: mod_assign_get_user_flags"
        extensions = {
            answers.identity(one, "userid", request): int(
                answers.number(one, "extensionduedate", request, optional=True) or 0
            )
            for one in self._service.of_assignment("mod_assign_get_user_flags", "userflags")
        }
        users = {user.id: user.fields for user in self._service.users}
        people = []
        for one in self._service.participants:
            number = answers.identity(one, "id", "Moodle: mod_assign_list_participants")
            user = users.get(number, {})
            email = str(user.get("email") or one.get("email") or "")
            known = kept.student({"email": email}) if kept else ""
            student = known or next(
                (
                    str(holder[key])
                    for key in ("idnumber", "username")
                    for holder in (user, one)
                    if holder.get(key)
                ),
                number,
            )
            team = str(one.get("groupname") or "")
            until = extensions.get(number, 0)
            people.append(
                Person(
                    student,
                    str(user.get("fullname") or one.get("fullname") or ""),
                    email,
                    extension=datetime.fromtimestamp(until, UTC).isoformat() if until else "",
                    extra={"group": team} if team else {},
                )
            )
            self._students[number] = student
            if one.get("groupid"):
                self._teams.setdefault(str(one["groupid"]), []).append(student)
        return Roster(tuple(sorted(people, key=lambda one: one.id)), states_extensions=True)

    def hand_ins(self, roster: Roster, *, every: bool) -> Iterator[RemoteHandIn]:
        """Return what was submitted for grading; drafts are left out."""
        del roster
        for one in self._service.of_assignment(_SUBMISSIONS, "submissions"):
            user, team = str(one.get("userid") or 0), str(one.get("groupid") or 0)
            students = self._teams.get(team, []) if user == "0" else [self._students.get(user, "")]
            if not any(students):
                continue
            key = user if user != "0" else f"team{team}"
            earlier: Iterable[Mapping[str, Any]] = ()
            if every and one.get("attemptnumber"):
                earlier = self._earlier(user if user != "0" else self._member(team))
            for attempt in (*earlier, one):
                if attempt.get("status") != "submitted":
                    self._drafts += attempt.get("status") == "draft"
                    continue
                request = f"Moodle: {_SUBMISSIONS}"
                number = int(answers.number(attempt, "attemptnumber", request, optional=True) or 0)
                came = int(answers.number(attempt, "timemodified", request) or 0)
                yield RemoteHandIn(
                    f"{key}/{number}-{came}",
                    tuple(sorted(students)),
                    number + 1,
                    datetime.fromtimestamp(came, UTC),
                    tuple(self._files(attempt, request)),
                )

    def notes(self, *, charged: bool) -> Iterable[str]:
        """Say that drafts were left out."""
        del charged
        if self._drafts:
            yield f"{self._drafts} drafts that were not submitted for grading were left out"

    def close(self) -> None:
        """Close the connections."""
        self._service.client.close()

    def _member(self, team: str) -> str:
        return next(n for n, student in self._students.items() if student in self._teams[team])

    def _earlier(self, user: str) -> list[Mapping[str, Any]]:
        """Return the submissions of a user's earlier attempts."""
        answer = self._service.call(_STATUS, {"assignid": self._service.instance, "userid": user})
        answer = answers.record(answer, f"Moodle: {_STATUS}")
        if not answer.get("previousattempts"):
            return []
        attempts = answers.listed(answer, "previousattempts", f"Moodle: {_STATUS}")
        return [one["submission"] for one in attempts if isinstance(one.get("submission"), dict)]

    def _files(self, attempt: Mapping[str, Any], request: str) -> Iterator[RemoteFile]:
        for plugin in _list(attempt, "plugins", request):
            for area in _list(plugin, "fileareas", request):
                for one in _list(area, "files", request):
                    size, name = one.get("filesize"), str(one.get("filename") or "")
                    read = partial(self._service.download, str(one.get("fileurl") or ""))
                    yield RemoteFile(name, size if type(size) is int else None, read)
            for field in _list(plugin, "editorfields", request):
                if text := str(field.get("text") or "").encode("utf-8", "replace"):
                    yield RemoteFile("onlinetext.html", len(text), partial(bytes, text))


def _list(holder: Mapping[str, Any], key: str, request: str) -> list[Mapping[str, Any]]:
    """Return the list of objects under a key that may be missing."""
    return answers.listed(holder, key, request) if holder.get(key) else []
