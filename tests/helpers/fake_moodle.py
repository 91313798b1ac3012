"""Moodle's REST web service as far as scores go: ``null`` for success and for nothing, errors as 200."""

import email
import re

from helpers.fake_server import Answer, FakeServer

TOKEN = "moodle-secret-7"  # noqa: S105 - the fake's own


class FakeMoodle(FakeServer):
    """Course 3 with the assignment at ``id=44`` (instance 9); ``users`` are enrolled, by their number.

    ``own`` has the latest attempt of everyone with a submission of their own, ``groups`` everyone's team and
    ``teams`` the latest attempt of a team and when it began. The gradebook shows ``book``, or what a
    teacher set there (``overridden``).
    """

    def __init__(self, users: dict[int, dict[str, str]]) -> None:
        super().__init__()
        self.users = users
        self.grades: dict[int, dict] = {}
        self.comments: dict[int, str] = {}
        self.maximum = 20
        self.more: dict[str, int] = {}
        self.own = dict.fromkeys(users, 0)
        self.groups: dict[int, int] = {}
        self.teams: dict[int, tuple[int, int]] = {}
        self.book: dict[int, dict] = {}
        self.overridden: dict[int, float] = {}
        self.locked: set[int] = set()
        self.states: dict[int, str] = {}
        self.hidden: set[int] = set()
        self.no_rights: set[str] = set()
        self.ignored: set[int] = set()
        self.refused: set[int] = set()
        self.clock = 1000
        self.pages: dict[int, bytes] = {}
        self.stored: list[bytes] = []
        self.uploads_allowed = True
        self.files: dict[int, dict[str, bytes]] = {}
        self.times: dict[int, int] = {}
        self.extensions: dict[int, int] = {}
        self.drafts: set[int] = set()
        self.earlier: dict[int, list[tuple[int, dict[str, bytes]]]] = {}

    def grade(self, user: int, grade: float, attempt: int | None = None) -> None:
        """Somebody gives a score by hand, in the assignment."""
        self.clock += 1
        if attempt is None:
            attempt = self.own.get(user, self.teams.get(self.groups.get(user, 0), (0, 0))[0])
        elif user in self.own:
            self.own[user] = attempt
        self.grades[user] = {"grade": grade, "time": self.clock, "attempt": attempt}
        self.book[user] = {"grade": None if grade < 0 else grade, "time": self.clock}

    def handle(self, request):
        """Act on a call as Moodle does."""
        if request.path == "/webservice/upload.php":
            return self._store(request)
        if request.path.startswith("/webservice/pluginfile.php/"):
            assert request.method == "POST"
            if request.form != {"token": TOKEN}:
                return Answer({"error": "Invalid token", "errorcode": "invalidtoken"})
            user, attempt, name = request.path.removeprefix("/webservice/pluginfile.php/").split("/")
            files = self.files[int(user)] if attempt == "last" else self.earlier[int(user)][int(attempt)][1]
            return Answer(files[name])
        assert request.path == "/webservice/rest/server.php"
        assert not request.query, "a token in the address ends in the server's log"
        form = request.form
        if form.get("wstoken") != TOKEN:
            return self._exception("moodle_exception", "invalidtoken", "Invalid token - token not found")
        function = getattr(self, form.get("wsfunction", ""), None)
        if function is None:
            return self._exception(
                "webservice_access_exception", "accessexception", "Access control exception"
            )
        return function(form)

    @staticmethod
    def _exception(kind, code, message):
        return Answer({"exception": kind, "errorcode": code, "message": message})

    def mod_assign_get_assignments(self, form):
        """The assignments of a course; another course is a warning and an empty list."""
        if form.get("courseids[0]") != "3":
            return Answer({"courses": [], "warnings": [{"item": "course", "warningcode": "2"}]})
        flags = dict.fromkeys(("teamsubmission", "markingworkflow", "blindmarking", "revealidentities"), 0)
        shown = {"id": 9, "cmid": 44, "name": "Lab 1", "grade": self.maximum, **flags, **self.more}
        other = {"id": 44, "cmid": 45, "name": "Lab 2", "grade": 100, "teamsubmission": 0}
        return Answer({"courses": [{"id": 3, "assignments": [other, shown]}], "warnings": []})

    def core_enrol_get_enrolled_users(self, form):
        """Everyone who is enrolled."""
        assert form["courseid"] == "3"
        return Answer([{"id": number, **fields} for number, fields in self.users.items()])

    def _listed(self, form, name, rows):
        """A list about assignments: nothing in it is warning 3, no rights is warning 1 and not an error."""
        assert form["assignmentids[0]"] == "9"
        if form["wsfunction"] in self.no_rights:
            warning = {"item": "assignment", "itemid": 9, "warningcode": "1"}
            warning["message"] = "No access rights in module context"
            return Answer({"assignments": [], "warnings": [warning]})
        if not rows:
            return Answer({"assignments": [], "warnings": [{"warningcode": "3", "message": "Nothing found"}]})
        return Answer({"assignments": [{"assignmentid": 9, name: rows}], "warnings": []})

    def mod_assign_get_grades(self, form):
        """The grade of the latest attempt, only of users with a submission of their own; -1 means none."""
        rows = [
            {
                "userid": user,
                "grade": f"{one['grade']:.5f}",
                "timemodified": one["time"],
                "attemptnumber": one["attempt"],
                "grader": 2,
            }
            for user, one in self.grades.items()
            if self.own.get(user) == one["attempt"]
        ]
        return self._listed(form, "grades", rows)

    def mod_assign_get_submissions(self, form):
        """The latest submissions: of users, and of teams with the user 0."""
        rows = [
            {
                "userid": user,
                "groupid": 0,
                "attemptnumber": attempt,
                "timecreated": 1,
                "timemodified": self.times.get(user, 1),
                "status": "draft" if user in self.drafts else "submitted",
                "plugins": [self._plugin(user)],
            }
            for user, attempt in self.own.items()
        ]
        rows += [
            {
                "userid": 0,
                "groupid": team,
                "attemptnumber": attempt,
                "timecreated": began,
                "timemodified": began,
                "status": "submitted",
                "plugins": [self._plugin(-team)],
            }
            for team, (attempt, began) in self.teams.items()
        ]
        return self._listed(form, "submissions", rows)

    def _store(self, request):
        """Put a file into a draft area with a number of its own."""
        head = f"Content-Type: {request.headers['content-type']}\r\n\r\n".encode()
        parts = email.message_from_bytes(head + request.body).get_payload()
        given = {part.get_param("name", header="content-disposition"): part for part in parts}
        assert given["token"].get_payload() == TOKEN
        assert (given["filearea"].get_payload(), given["itemid"].get_payload()) == ("draft", "0")
        if not self.uploads_allowed:
            return Answer({"error": "Uploads are not allowed", "errorcode": "cannotuploadfile"})
        self.stored.append(given["file_1"].get_payload(decode=True))
        return Answer([{"filename": given["file_1"].get_filename(), "itemid": len(self.stored)}])

    def _plugin(self, key, attempt="last"):
        there = self.files.get(key, {}) if attempt == "last" else self.earlier[key][attempt][1]
        files = [
            {
                "filename": name,
                "filesize": len(data),
                "fileurl": f"{self.url}/webservice/pluginfile.php/{key}/{attempt}/{name}",
            }
            for name, data in there.items()
        ]
        return {"type": "file", "fileareas": [{"area": "submission_files", "files": files}]}

    def mod_assign_get_submission_status(self, form):
        """A user's earlier attempts, by when they came; a team's are those of each member."""
        assert form["assignid"] == "9"
        user = int(form["userid"])
        key = user if user in self.own else -self.groups[user]
        attempts = [
            {
                "attemptnumber": number,
                "submission": {
                    "userid": max(key, 0),
                    "attemptnumber": number,
                    "timemodified": came,
                    "status": "submitted",
                    "plugins": [self._plugin(key, number)],
                },
            }
            for number, (came, _) in enumerate(self.earlier.get(key, []))
        ]
        return Answer({"warnings": [], **({"previousattempts": attempts} if attempts else {})})

    def mod_assign_get_user_flags(self, form):
        """The flags of everyone for whom something was set."""
        rows = [
            {
                "userid": user,
                "workflowstate": self.states.get(user, ""),
                "extensionduedate": self.extensions.get(user, 0),
            }
            for user in sorted({*self.states, *self.extensions})
        ]
        return self._listed(form, "userflags", rows)

    def mod_assign_list_participants(self, form):
        """Everyone who can hand in, with their team."""
        assert form["assignid"] == "9"
        return Answer(
            [
                {
                    "id": user,
                    "fullname": f"User {user}",
                    "groupid": (team := self.groups.get(user, 0)),
                    "groupname": f"Team {team}" if team else "",
                }
                for user in self.users
            ]
        )

    def gradereport_user_get_grade_items(self, form):
        """Everyone's gradebook: what is held back or hidden is null."""
        assert (form["courseid"], form["userid"]) == ("3", "0")
        rows = []
        for user in self.users:
            held = user in self.hidden or (
                self.more.get("blindmarking") and not self.more.get("revealidentities")
            )
            held = held or (self.more.get("markingworkflow") and self.states.get(user) != "released")
            one = self.book.get(user) or {"grade": None, "time": None}
            grade = None if held else one["grade"]
            item = {
                "id": 70,
                "itemtype": "mod",
                "itemmodule": "assign",
                "iteminstance": 9,
                "cmid": 44,
                "locked": False,
                "gradeislocked": user in self.locked,
                "gradeishidden": user in self.hidden,
                "gradeisoverridden": user in self.overridden,
                "graderaw": self.overridden.get(user, grade),
                "gradedategraded": one["time"],
            }
            total = {"id": 71, "itemtype": "course", "itemmodule": None, "graderaw": 3}
            rows.append({"courseid": 3, "userid": user, "gradeitems": [item, total]})
        return Answer({"usergrades": rows, "warnings": []})

    def mod_assign_save_grades(self, form):
        """Store grades, also of strangers; ``null`` whatever happens, unless the whole call is refused."""
        assert (form["assignmentid"], form["applytoall"]) == ("9", "0")
        entries: dict[str, dict[str, str]] = {}
        for key, value in form.items():
            if found := re.fullmatch(r"grades\[(\d+)\]\[(.+)\]", key):
                entries.setdefault(found[1], {})[found[2]] = value
        if any(int(entry["userid"]) in self.refused for entry in entries.values()):
            return self._exception("moodle_exception", "nopermission", "Grade is locked")
        for entry in entries.values():
            assert entry["attemptnumber"] == "-1"
            user = int(entry["userid"])
            if user in self.ignored:
                continue
            if user not in self.overridden and user not in self.locked:
                number = re.match(r"-?\d*\.?\d*", entry["grade"])[0]
                self.grade(user, float(number or 0))
                if self.more.get("markingworkflow"):
                    self.states[user] = entry["workflowstate"]
            text = entry.get("plugindata][assignfeedbackcomments_editor][text")
            if text is not None:
                self.comments[user] = text
            if draft := entry.get("plugindata][files_filemanager"):
                self.pages[user] = self.stored[int(draft) - 1]
        return Answer(None)
