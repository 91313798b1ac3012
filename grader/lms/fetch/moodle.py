"""Fetch from Moodle: people, the latest or all attempts with their times, extensions and teams."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial

from grader.course.platforms import Moodle
from grader.intake.platforms.fetched import ONLINE_TEXT, FetchedHandIn
from grader.lms.fetch.inbox import RemoteFile, RemoteHandIn
from grader.lms.upload.http import JsonObject, Patience
from grader.lms.upload.moodle import MoodleAssignment
from grader.roster.roster import Person, Roster


class MoodleSource(MoodleAssignment):
    """People and hand-ins of one assignment on Moodle."""

    def __init__(self, settings: Moodle, token: str, patience: Patience) -> None:
        super().__init__(settings, token, patience)
        self._students: dict[str, str] = {}  # by the account's number
        self._teams: dict[str, list[str]] = {}  # the accounts of its members, by the team's number
        self._drafts = 0

    def people(self, kept: Roster | None) -> Iterator[Person]:
        """Read everyone who can hand in; the id number is the id, else the user name, else the account's."""
        extensions = {
            one.id("userid"): one.whole("extensionduedate")
            for one in self.of_assignment("mod_assign_get_user_flags", "userflags")
        }
        for one in self.participants:
            number = one.id("id")
            about = [user.fields for user in (self.users.get(number), one) if user]
            email = _first("email", *about)
            student = kept.student({"email": email}) if kept else ""
            student = student or _first("idnumber", *about) or _first("username", *about) or number
            until, team = extensions.get(number, 0), str(one.get("groupname") or "")
            self._students[number] = student
            if one.get("groupid"):
                self._teams.setdefault(str(one.get("groupid")), []).append(number)
            extension = _time(until).isoformat() if until else ""
            extra = {"group": team} if team else {}
            yield Person(student, _first("fullname", *about), email, extension=extension, extra=extra)

    def hand_ins(self, *, every: bool) -> Iterator[RemoteHandIn]:
        """Return what was submitted for grading; drafts are left out."""
        for one in self.of_assignment("mod_assign_get_submissions", "submissions"):
            user, team = str(one.get("userid") or 0), str(one.get("groupid") or 0)
            accounts = self._teams.get(team, []) if user == "0" else [user]
            students = sorted({self._students[account] for account in accounts if account in self._students})
            if not students:
                continue
            key = user if user != "0" else f"team{team}"
            earlier = self._earlier(accounts[0]) if every and one.get("attemptnumber") else []
            for attempt in (*earlier, one):
                if attempt.get("status") != "submitted":
                    self._drafts += attempt.get("status") == "draft"
                    continue
                number, came = attempt.whole("attemptnumber"), int(attempt.decimal("timemodified") or 0)
                listed = FetchedHandIn(f"{key}/{number}-{came}", tuple(students), number + 1, _time(came))
                yield listed, tuple(self._files(attempt))

    def notes(self, *, charged: bool) -> Iterable[str]:
        """Say that drafts were left out."""
        del charged
        if self._drafts:
            yield f"not fetched: {self._drafts} draft{'s' * (self._drafts > 1)}, not submitted for grading"

    def _earlier(self, user: str) -> list[JsonObject]:
        """Return the submissions of a user's earlier attempts."""
        answer = self.ask("mod_assign_get_submission_status", {"assignid": self.instance, "userid": user})
        found = [one.get("submission") for one in answer.objects("previousattempts", optional=True)]
        return [JsonObject(one, answer.request) for one in found if isinstance(one, dict)]

    def _files(self, attempt: JsonObject) -> Iterator[RemoteFile]:
        for plugin in attempt.objects("plugins", optional=True):
            for area in plugin.objects("fileareas", optional=True):
                for one in area.objects("files", optional=True):
                    size, name = one.get("filesize"), str(one.get("filename") or "")
                    read = partial(self.download, str(one.get("fileurl") or ""))
                    yield RemoteFile(name, size if type(size) is int else None, read)
            for field in plugin.objects("editorfields", optional=True):
                if text := str(field.get("text") or "").encode("utf-8", "replace"):
                    yield RemoteFile(ONLINE_TEXT, len(text), partial(bytes, text))


def _first(key: str, *holders: Mapping[str, object]) -> str:
    """Return what the first of several objects has under a key, as text; empty if none has anything."""
    return next((str(holder[key]) for holder in holders if holder.get(key)), "")


def _time(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
