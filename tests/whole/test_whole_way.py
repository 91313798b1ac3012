"""For each platform the whole way: its download in, its score file out, scores as written down by hand.

Eight people of the sample class, one of whom handed in nothing, and the platform's test student where there
is one. The download is named as the platform names it, and its own list of people is the roster.
"""

import csv
import io
import json
import zipfile

import pytest
from click.testing import CliRunner
from helpers import platform_readers, sample_class

from grader.cli import cli

pytestmark = pytest.mark.slow

EXERCISE = "contiguous_reservation"
TITLE = "Contiguous reservation and paging"
# id -> name; two of them are called the same.
PEOPLE = {
    "abara": "Ngozi Abara",
    "birch": "Tamsin Birch",
    "demir": "Sam Lee",
    "farouk": "Sam Lee",
    "gruber": 'O\'Neil, Bo "B"',
    "haddad": "=1+1 @Cmd",
    "petrov": "李小明",
    "thibault": "Nobody Yet",
}
NUMBERS = {student: 5000 + place for place, student in enumerate(PEOPLE)}


def scores():
    """Every hand-written score of those who handed in, by id."""
    found = {student: sample_class.expected()[student]["score"] for student in PEOPLE}
    return {student: score for student, score in found.items() if score}


def hand_in(student):
    """A student's two files, by name."""
    folder = sample_class.FOLDER / student
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix == ".py"}


def packed(members):
    """A zip of members."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return data.getvalue()


def table(*rows, delimiter=","):
    """A CSV."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return text.getvalue()


@pytest.fixture
def term(tmp_path):
    """Runs commands in a folder with the sample's exercise as a course of its own."""
    return Term(tmp_path)


class Term:
    """A folder with a course and what was downloaded."""

    def __init__(self, folder):
        self.folder, self.out = folder, folder / "graded"
        self.settings("")

    def settings(self, platform):
        """Write course.toml with these tables of platforms."""
        (self.folder / "course.toml").write_text(f"{sample_class.course_text()}\n{platform}", "utf-8")

    def file(self, name, content):
        """Write a download; its path."""
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    def run(self, *arguments):
        """Run a command to its end."""
        common = ["--course", str(self.folder / "course.toml"), "--out", str(self.out)]
        return CliRunner().invoke(cli, [*arguments, *common], catch_exceptions=False)

    def grade(self, download, roster, *more):
        """Grade a download with a platform's list of people."""
        done = self.run("grade", download, "--roster", roster, "--no-gradebook", *more)
        assert done.exit_code == 0, done.output
        assert "thibault" in (self.out / "roster.csv").read_text("utf-8")

    def export(self, *arguments):
        """Export, and the bytes that came out."""
        done = self.run("export", *arguments, "--to", str(self.folder / "out.file"))
        assert done.exit_code == 0, done.output
        return (self.folder / "out.file").read_bytes()


def test_canvas(term):
    """Submissions zip and gradebook export in; gradebook import and feedback zip out; no test student."""
    gradebook = table(
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", f"{TITLE} (501)"],
        ["    Points Possible", "", "", "", "", "20"],
        *([name, NUMBERS[s], s, s, "A", ""] for s, name in PEOPLE.items()),
        ["Student, Test", 99, "", "x", "A", ""],
    )
    members = {
        f"{'late' if student == 'demir' else 'x'}{student}_{'LATE_' if student == 'demir' else ''}"
        f"{NUMBERS[student]}_{10 * NUMBERS[student] + place}_{name}": data
        for student in scores()
        for place, (name, data) in enumerate(sorted(hand_in(student).items()))
    }
    members |= {
        f"studenttest_99_{9 + place}_{name}": data
        for place, (name, data) in enumerate(hand_in("abara").items())
    }
    download, people = term.file("submissions.zip", packed(members)), term.file("gradebook.csv", gradebook)
    term.grade(download, people)
    feedback = term.folder / "feedback.zip"
    data = term.export("canvas", "--worksheet", people, "--feedback", str(feedback))
    students = {NUMBERS[student]: name for student, name in PEOPLE.items()} | {99: "Student, Test"}
    got, new, unknown = platform_readers.canvas_import(data, students, {501: TITLE})
    assert got == {(NUMBERS[student], 501): score for student, score in scores().items()}
    assert (new, unknown) == ([], [])
    with zipfile.ZipFile(feedback) as archive:
        assert set(archive.namelist()) < set(members)
        assert len(archive.namelist()) == len(scores())


def test_moodle(term):
    """Submissions zip and grading worksheet in; the same worksheet filled in and the feedback zip out."""
    header = [
        "Identifier",
        "Full name",
        "Email address",
        "Status",
        "Grade",
        "Maximum Grade",
        "Grade can be changed",
        "Last modified (submission)",
        "Last modified (grade)",
        "Feedback comments",
    ]
    rows = [
        [f"Participant {n}", PEOPLE[s], f"{s}@example.edu", "Submitted", "", "20.00", "Yes", "-", "-", ""]
        for s, n in NUMBERS.items()
    ]
    sheet = term.file("grades.csv", "\ufeff" + table(header, *rows))
    ours = term.file(
        "roster.csv", table(["id", "name", "email"], *([s, n, f"{s}@example.edu"] for s, n in PEOPLE.items()))
    )
    members = {
        f"{PEOPLE[student]}_{NUMBERS[student]}_assignsubmission_file/{name}": data
        for student in scores()
        for name, data in hand_in(student).items()
    }
    term.grade(term.file("submissions.zip", packed(members)), ours, "--roster", sheet)
    feedback = term.folder / "feedback.zip"
    data = term.export("moodle", "--worksheet", sheet, "--feedback", str(feedback))
    stored = platform_readers.moodle_import(data, {row[0]: "-" for row in rows})
    assert {key: str(int(grade)) for key, (grade, _) in stored.items()} == {
        f"Participant {NUMBERS[student]}": score for student, score in scores().items()
    }
    with zipfile.ZipFile(feedback) as archive:
        assert sorted(archive.namelist()) == sorted(
            f"x_{NUMBERS[student]}_assignfeedback_file/feedback.html" for student in scores()
        )


def test_brightspace(term):
    """Submissions zip and grades export in; grades import out."""
    people = table(
        ["OrgDefinedId", "Username", "Last Name", "First Name", "Email", "End-of-Line Indicator"],
        *([f"#{NUMBERS[s]}", f"#{s}", name, "", f"{s}@example.edu", "#"] for s, name in PEOPLE.items()),
    )
    members = {
        f"{NUMBERS[student]}-640693 - {PEOPLE[student]} - Oct 10, 2025 1022 AM/{name}": data
        for student in scores()
        for name, data in hand_in(student).items()
    }
    term.grade(term.file("submissions.zip", packed(members)), term.file("people.csv", people))
    title, points = platform_readers.brightspace_import(term.export("brightspace"))
    assert title == TITLE
    assert points == {str(NUMBERS[student]): score for student, score in scores().items()}


def test_blackboard(term):
    """Submissions zip with manifests and grade centre's download in; its upload out."""
    heading = f"{TITLE} [Total Pts: 20 Score] |664617"
    people = table(
        ["Last Name", "First Name", "Username", heading],
        *([name, "", f"{s}_x", ""] for s, name in PEOPLE.items()),
        delimiter="\t",
    )
    stamp = "attempt_2025-10-10-10-22-33"
    members = {
        f"Lab_{student}_x_{stamp}_{name}": data
        for student in scores()
        for name, data in hand_in(student).items()
    }
    grades = term.file("gc.xls", people.encode("utf-16"))
    term.grade(term.file("gradebook.zip", packed(members)), grades)
    number, points = platform_readers.blackboard_import(term.export("blackboard", "--worksheet", grades))
    assert number == 664617
    assert points == {f"{student}_x": score for student, score in scores().items()}


def test_gradescope(term):
    """Gradescope's export and roster in; one results.json a student out, with the honest total."""
    people = table(
        ["Name", "SID", "Email", "Role"],
        *([name, NUMBERS[s], f"{s}@example.edu", "Student"] for s, name in PEOPLE.items()),
    )
    lines, members = ["---"], {}
    for student in scores():
        folder = f"submission_{NUMBERS[student]}"
        lines += [f"{folder}:", "  :submitters:", f"  - :name: {json.dumps(PEOPLE[student])}"]
        lines += [f"    :sid: '{NUMBERS[student]}'", f"    :email: {student}@example.edu"]
        lines += ["  :created_at: 2025-10-10 10:22:33.123456789 Z"]
        members |= {f"{folder}/{name}": data for name, data in hand_in(student).items()}
    members["submission_metadata.yml"] = "\n".join(lines) + "\n"
    # Gradescope's own people file has no thibault by that id, so the kit's roster names everyone first.
    ours = term.file(
        "roster.csv", table(["id", "name", "email"], *([s, n, f"{s}@example.edu"] for s, n in PEOPLE.items()))
    )
    term.grade(term.file("export.zip", packed(members)), ours, "--roster", term.file("people.csv", people))
    for student, score in scores().items():
        document = json.loads(term.export("gradescope", "--student", student))
        assert str(document["score"]) == score
        assert sum(test["max_score"] for test in document["tests"]) == 20
        hidden = [test for test in document["tests"] if test["visibility"] == "after_published"]
        assert sum(test["max_score"] for test in hidden) == 8


def test_github_classroom(term):
    """Cloned repositories and Classroom's roster in; a plain table for any other system out."""
    people = table(
        ["identifier", "github_username", "github_id", "name"],
        *([s, f"gh-{s}", n, PEOPLE[s]] for s, n in NUMBERS.items()),
    )
    members = {
        f"contiguous-reservation-gh-{student}/{name}": data
        for student in scores()
        for name, data in hand_in(student).items()
    }
    term.grade(term.file("clones.zip", packed(members)), term.file("classroom_roster.csv", people))
    data = term.export("csv", "--columns", "Matrikelnummer=id,Name=name,Punkte=score", "--delimiter", ";")
    rows = list(csv.DictReader(io.StringIO(data.decode()), delimiter=";"))
    assert {row["Matrikelnummer"]: row["Punkte"] for row in rows} == scores()
    assert {row["Matrikelnummer"]: row["Name"] for row in rows}["haddad"] == "'=1+1 @Cmd"


def test_nbgrader(term):
    """The tree of nbgrader's submissions in; the table that nbgrader itself would export out."""
    members = {
        f"submitted/{student}/{EXERCISE}/{name}": data
        for student in scores()
        for name, data in {**hand_in(student), "timestamp.txt": b"2025-10-10 10:22:33 UTC"}.items()
    }
    ours = term.file(
        "roster.csv", table(["id", "name", "email"], *([s, n, f"{s}@example.edu"] for s, n in PEOPLE.items()))
    )
    term.grade(term.file("submitted.zip", packed(members)), ours)
    rows = list(csv.DictReader(io.StringIO(term.export("nbgrader").decode())))
    assert {row["student_id"]: row["score"] for row in rows} == scores()
    assert {row["timestamp"] for row in rows} == {"2025-10-10 10:22:33"}
