"""Moodle's REST web service as far as scores go: ``null`` for success and for nothing, errors as 200."""

from __future__ import annotations

import re

from helpers.fake_server import Answer, FakeServer

TOKEN = "moodle-secret-7"  # noqa: S105 - the fake's own


class FakeMoodle(FakeServer):
    """Course 3 with the assignment at ``id=44`` (instance 9); ``users`` are enrolled, by their number."""

    def __init__(self, users: dict[int, dict[str, str]]) -> None:
        super().__init__()
        self.users = users
        self.grades: dict[int, dict] = {}
        self.comments: dict[int, str] = {}
        self.maximum = 20
        self.team = 0
        self.ignored: set[int] = set()
        self.refused: set[int] = set()
        self._clock = 1000

    def grade(self, user: int, grade: float, attempt: int = 0) -> None:
        """Somebody gives a score by hand."""
        self._clock += 1
        self.grades[user] = {"grade": grade, "time": self._clock, "attempt": attempt}

    def handle(self, request):
        """Act on a call as Moodle does."""
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
        shown = {"id": 9, "cmid": 44, "name": "Lab 1", "grade": self.maximum, "teamsubmission": self.team}
        other = {"id": 44, "cmid": 45, "name": "Lab 2", "grade": 100, "teamsubmission": 0}
        return Answer({"courses": [{"id": 3, "assignments": [other, shown]}], "warnings": []})

    def core_enrol_get_enrolled_users(self, form):
        """Everyone who is enrolled."""
        assert form["courseid"] == "3"
        return Answer([{"id": number, **fields} for number, fields in self.users.items()])

    def mod_assign_get_grades(self, form):
        """Every attempt's grade; -1 means none."""
        assert form["assignmentids[0]"] == "9"
        rows = [
            {
                "userid": user,
                "grade": f"{one['grade']:.5f}",
                "timemodified": one["time"],
                "attemptnumber": one["attempt"],
                "grader": 2,
            }
            for user, one in self.grades.items()
        ]
        rows += [
            {"userid": user, "grade": "1.00000", "timemodified": 1, "attemptnumber": 0, "grader": 2}
            for user, one in self.grades.items()
            if one["attempt"]
        ]
        if not rows:
            return Answer(
                {"assignments": [], "warnings": [{"warningcode": "3", "message": "No grades found"}]}
            )
        return Answer({"assignments": [{"assignmentid": 9, "grades": rows}], "warnings": []})

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
            number = re.match(r"\d*\.?\d*", entry["grade"])[0]
            self.grade(user, float(number or 0))
            text = entry.get("plugindata][assignfeedbackcomments_editor][text")
            if text is not None:
                self.comments[user] = text
        return Answer(None)
