"""Canvas's REST interface as far as scores go: pages, throttling, bulk jobs that end later or in part."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from grader.course.platforms import Canvas
from grader.lms.upload.canvas import CanvasTarget
from grader.lms.upload.http import Patience
from helpers.fake_canvas_files import CanvasFiles
from helpers.fake_server import Answer, FakeServer

TOKEN = "canvas-secret-7"  # noqa: S105 - the fake's own
MISSING = Answer({"errors": [{"message": "The specified resource does not exist."}]}, 404)


class FakeCanvas(FakeServer):
    """Course 7 with assignment 501; ``students`` hold score, comments and the time of the last grade.

    ``attached`` has an entry for each comment: the numbers of its files. A ``forgetful`` Canvas leaves
    attachments out of comments without a word.
    """

    def __init__(self, *students: int) -> None:
        super().__init__()
        self.assignment = {
            "id": 501,
            "course_id": 7,
            "name": "Lab 1",
            "points_possible": 20.0,
            "grading_type": "points",
            "group_category_id": None,
            "grade_group_students_individually": False,
        }
        self.students = {
            number: {
                "score": None,
                "excused": False,
                "comments": [],
                "attached": [],
                "graded_at": None,
                "off": None,
            }
            for number in students
        }
        self.polls = 1
        self.refused: set[int] = set()
        self.ignored: set[int] = set()
        self.ungraded: dict[int, str] = {}  # whom Canvas refuses to grade, and its words
        self.closed: set[int] = set()
        self.people: dict[int, dict[str, str]] = {}
        self.handed_in: dict[int, list[dict[str, object]]] = {}  # "at", "files" {name: bytes} or "body"
        self.due: dict[int, str] = {}
        self.late_policy: dict[str, object] | None = None
        self.forgetful = False
        self.files = CanvasFiles()
        self._jobs: dict[int, dict] = {}
        self._clock = 0

    def grade(self, number: int, score: float | None) -> None:
        """Somebody gives a score by hand."""
        self._clock += 1
        self.students[number] |= {"score": score, "graded_at": f"2026-11-01T10:00:{self._clock:02}Z"}

    def handle(self, request):
        """Act on a request as Canvas does."""
        if request.path == "/storage":
            return self.files.store(request, self.url)
        if request.path.startswith("/inst-fs/"):
            assert "authorization" not in request.headers, "the token goes to Canvas alone"
            return Answer(self._file(int(request.path.rpartition("/")[2])))
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            body = {"errors": [{"message": "Invalid access token."}]}
            return Answer(body, 401, {"WWW-Authenticate": 'Bearer realm="canvas-lms"'})
        base = "/api/v1/courses/7/assignments/501"
        routes = {
            f"GET {base}": lambda: Answer(self.assignment),
            f"GET {base}/submissions": lambda: self._page(request),
            f"POST {base}/submissions/update_grades": lambda: self._update(request.form),
            rf"POST {base}/submissions/(\d+)/comments/files": lambda student: self._announce(
                student, request
            ),
            rf"PUT {base}/submissions/(\d+)": lambda student: self._put(student, request.form),
            "GET /api/v1/courses/7/grading_periods": lambda: Answer(
                {
                    "grading_periods": [
                        {"id": 1, "title": "Autumn", "is_closed": True},
                        {"id": 2, "title": "Winter"},
                    ]
                }
            ),
            r"GET /api/v1/progress/(\d+)": self._progress,
            "GET /api/v1/courses/7/users": lambda: self._users(request),
            "GET /api/v1/courses/7/late_policy": lambda: (
                Answer({"late_policy": self.late_policy}) if self.late_policy else MISSING
            ),
            r"GET /files/(\d+)/download": lambda number: Answer(
                b"", 302, {"Location": f"{self.url}/inst-fs/{number}"}
            ),
            r"GET /api/v1/files/(\d+)/create_success": lambda number: self.files.confirm(number, request),
        }
        for route, act in routes.items():
            if found := re.fullmatch(route, f"{request.method} {request.path}"):
                return act(*map(int, found.groups()))
        return MISSING

    def _announce(self, student, request):
        return self.files.announce(request.form, self.url) if student in self.students else MISSING

    def _page(self, request):
        page = int(dict(request.query).get("page", 1))
        size = 2
        numbers = sorted(self.students)[(page - 1) * size : page * size]
        more = page * size < len(self.students)
        asked = "&".join(f"{key}={value}" for key, value in request.query if key != "page")
        link = f'<{self.url}{request.path}?page={page + 1}&{asked}>; rel="next"'
        return Answer([self._submission(n) for n in numbers], headers={"Link": link} if more else {})

    def _submission(self, number):
        student = self.students[number]
        off = student["off"]
        return {
            "id": 9000 + number,
            "user_id": number,
            "assignment_id": 501,
            "score": student["score"] - off if off and student["score"] is not None else student["score"],
            "entered_score": student["score"],
            "points_deducted": off,
            "excused": student["excused"],
            "grading_period_id": 1 if number in self.closed else 2,
            "graded_at": student["graded_at"],
            "cached_due_date": self.due.get(number),
            **self._attempts(number),
            "submission_comments": [
                {
                    "id": i,
                    "comment": text,
                    **({"attachments": [self.files.shown(n) for n in files]} if files else {}),
                }
                for i, (text, files) in enumerate(zip(student["comments"], student["attached"], strict=True))
            ],
        }

    def _users(self, request):
        assert ("enrollment_type[]", "student") in request.query
        return Answer([{"id": number, **fields} for number, fields in self.people.items()])

    def _attempts(self, number):
        attempts = [
            {
                "attempt": at,
                "submitted_at": one["at"],
                "submission_type": "online_text_entry" if "body" in one else "online_upload",
                "body": one.get("body"),
                "attachments": [
                    {
                        "id": number * 1000 + at * 10 + place,
                        "display_name": name,
                        "filename": one.get("originals", {}).get(name, name).replace(" ", "+"),
                        "size": len(data),
                        "url": f"{self.url}/files/{number * 1000 + at * 10 + place}/download?verifier=x",
                    }
                    for place, (name, data) in enumerate(one.get("files", {}).items())
                ],
            }
            for at, one in enumerate(self.handed_in.get(number, []), start=1)
        ]
        if not attempts:
            return {"attempt": None, "submitted_at": None, "submission_history": [{"attempt": None}]}
        return {**attempts[-1], "submission_history": attempts}

    def _file(self, number):
        student, rest = divmod(number, 1000)
        at, place = divmod(rest, 10)
        return [*self.handed_in[student][at - 1]["files"].values()][place]

    def _update(self, form):
        data: dict[int, dict[str, str]] = {}
        for key, value in form.items():
            found = re.fullmatch(r"grade_data\[(\d+)\]\[(posted_grade|text_comment|file_ids\]\[)\]", key)
            assert found, f"Canvas ignores {key}"
            data.setdefault(int(found[1]), {})[found[2]] = value
        number = len(self._jobs) + 1
        self._jobs[number] = {"data": data, "polls": self.polls, "state": "queued", "message": None}
        if self.polls == 0:
            self._run(number)
        return Answer(self._shown(number))

    def _progress(self, number):
        job = self._jobs[number]
        job["polls"] -= 1
        if job["polls"] <= 0 and job["state"] == "queued":
            self._run(number)
        return Answer(self._shown(number))

    def _run(self, number):
        job = self._jobs[number]
        unknown = []
        for student, fields in job["data"].items():
            if student in self.ungraded and "posted_grade" in fields:
                # An error that nobody catches: those behind are left out, and the job names a number only.
                job |= {"state": "failed", "message": "Unexpected error, ID: 412"}
                return
            if student not in self.students or student in self.refused:
                unknown.append(str(student))
                continue
            if student in self.ignored:
                continue
            if "posted_grade" in fields:
                self.grade(student, float(fields["posted_grade"]))
            if "text_comment" in fields or "file_ids][" in fields:
                number = int(fields.get("file_ids][", 0))
                attached = (
                    [number] if number and self.files.stored[number].done and not self.forgetful else []
                )
                self.students[student]["comments"].append(fields.get("text_comment", "See attached files."))
                self.students[student]["attached"].append(attached)
        job["state"] = "failed" if unknown else "completed"
        job["message"] = f"Couldn't find User(s) with API ids {', '.join(unknown)}" if unknown else None

    def _put(self, student, form):
        if student in self.ungraded:
            return Answer({"errors": {"base": self.ungraded[student]}}, 400)
        if student in self.students and student not in self.refused:
            self.grade(student, float(form["submission[posted_grade]"]))
            return Answer(self._submission(student))
        return MISSING

    def _shown(self, number):
        job = self._jobs[number]
        return {"id": number, "workflow_state": job["state"], "completion": 100, "message": job["message"]}


@contextmanager
def connected(canvas: FakeCanvas, patience: Patience) -> Iterator[CanvasTarget]:
    """A connection to the assignment of that Canvas."""
    platform = CanvasTarget(Canvas(url=canvas.url, course_id=7, assignment_id=501), TOKEN, patience)
    try:
        yield platform
    finally:
        platform.close()
