"""``grader grade`` from end to end: bad input is named, the rest graded, nothing that was there is lost."""

import csv
import io
import json
import resource
import shutil
import stat
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from helpers import small_lesson
from helpers.paths import unmeasured

from grader.base.errors import GraderError, UsageError
from grader.cli import cli
from grader.grading import workers
from grader.results.history import earlier_results
from grader.results.student import student_folder

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A small course."""
    root = tmp_path_factory.mktemp("course")
    small_lesson.write(root)
    return root


@pytest.fixture(scope="module")
def right(root):
    """What earns all five points: the solution's files by name."""
    return {name: (root / "solutions/sums" / name).read_bytes() for name in ("warm_up.py", "sums.py")}


@pytest.fixture
def class_folder(tmp_path, right):
    """A folder with two students who are right."""
    for student in ("ada", "zoe"):
        for name, data in right.items():
            path = tmp_path / "class" / student / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return tmp_path / "class"


def grade(root, *call):
    """Run the command in this process, with one worker and without a gradebook."""
    options = ["--course", str(root / "course.toml"), "--jobs", "1", "--no-gradebook"]
    return CliRunner().invoke(cli, ["grade", *map(str, call), *options])


def scores(out):
    """Status and score of everyone in scores.csv."""
    with (out / "scores.csv").open(encoding="utf-8", newline="") as file:
        return {row["student"]: (row["status"], row["score"]) for row in csv.DictReader(file)}


def zipped(members):
    """A zip of names and bytes, in that order."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one of our names is there twice
        for name, data in members:
            archive.writestr(name, data)
    return stream.getvalue()


def bad_archives(right):
    """Archives that must not be trusted, by what is wrong with them, and a part of what is said of each."""
    whole = zipped(right.items())
    link = zipfile.ZipInfo("sums.py")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    first = ("warm_up.py", right["warm_up.py"])
    return {
        "empty": (zipped([]), "is a zip without any files"),
        "damaged": (whole[: len(whole) // 2], "is a damaged zip"),
        "encrypted": (_encrypted(whole), "is password-protected"),
        "upwards": (zipped([*right.items(), ("../../evil.py", b"")]), "leads out of its folder"),
        "absolute": (zipped([*right.items(), ("/etc/evil.py", b"")]), "has an absolute name"),
        "linked": (zipped([first, (link, b"/etc/passwd")]), "link"),
        "doubled": (zipped([*right.items(), ("sums.py", b"total = 7\n")]), "sums.py"),
        "bomb": (zipped([first, ("sums.py", b"#" * (100 << 20))]), "sums.py"),
    }


def _encrypted(archive):
    """A zip whose members say that they need a password."""
    data = bytearray(archive)
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = data.find(signature)
        while place >= 0:
            data[place + offset] |= 1
            place = data.find(signature, place + 4)
    return bytes(data)


# --- bad input ---


def test_bad_archives_of_students(root, class_folder, right, tmp_path):
    """In a class each bad archive is named to its student, and everyone else is graded."""
    bad = bad_archives(right)
    for name, (data, _) in bad.items():
        (class_folder / f"{name}.zip").write_bytes(data)
    out = tmp_path / "graded"
    assert grade(root, class_folder, "--out", out).exit_code == 0
    got = scores(out)
    assert {student: got[student] for student in ("ada", "zoe")} == dict.fromkeys(
        ("ada", "zoe"), ("graded", "5")
    )
    for name in ("empty", "damaged", "encrypted", "upwards", "absolute"):
        assert got[name] == ("unreadable", ""), name
    for name in ("linked", "doubled", "bomb"):
        assert got[name] == ("graded", "1"), name
    for name, (_, said) in bad.items():
        assert said in (student_folder(out, name) / "feedback.md").read_text(encoding="utf-8"), name
    assert not any(tmp_path.rglob("evil.py"))


@pytest.mark.parametrize("name", ["empty", "damaged", "encrypted", "upwards", "absolute"])
def test_bad_archive_of_a_class(root, class_folder, right, tmp_path, name):
    """A bad archive in the place of a class's is named and refused with exit 1; the other path is graded."""
    data, said = bad_archives(right)[name]
    path = tmp_path / f"{name}.zip"
    path.write_bytes(data)
    out = tmp_path / "graded"
    done = grade(root, path, class_folder, "--out", out)
    assert done.exit_code == 1
    assert f"{name}.zip" in done.output
    assert said in done.output
    got = scores(out)
    assert (got["ada"], got["zoe"]) == (("graded", "5"), ("graded", "5"))


def test_path_that_does_not_exist(root, tmp_path):
    """A path that leads nowhere is a mistake in the call."""
    done = grade(root, tmp_path / "nowhere.zip", "--out", tmp_path / "graded")
    assert isinstance(done.exception, UsageError)
    assert str(done.exception) == (
        f"There is nothing at {tmp_path}/nowhere.zip; name a folder, an archive or a file."
    )
    assert not (tmp_path / "graded").exists()


def test_class_that_is_empty(root, tmp_path):
    """A folder in which nobody handed in anything is said to be one."""
    (tmp_path / "class").mkdir()
    done = grade(root, tmp_path / "class", "--out", tmp_path / "graded")
    assert done.exit_code == 1
    assert "holds nothing that a student hands in" in done.output


def test_sandbox_none_needs_a_word_more(root, class_folder, tmp_path):
    """Grading without a jail is refused unless it is asked for in so many words, and then it is shouted."""
    done = grade(root, class_folder, "--out", tmp_path / "graded", "--sandbox", "none")
    assert isinstance(done.exception, UsageError)
    assert "add --unsafe" in str(done.exception)
    done = grade(root, class_folder, "--out", tmp_path / "graded", "--sandbox", "none", "--unsafe", "--quiet")
    assert done.exit_code == 0
    assert "NO SANDBOX" in done.output


# --- what was there is not lost ---


def test_disk_without_room(root, class_folder, tmp_path):
    """When a student's files cannot be written, the path is named and what was there stays."""
    out = tmp_path / "graded"
    assert grade(root, class_folder / "ada", "--out", out).exit_code == 0
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file() and path.name != ".lock"}
    call = [sys.executable, "-m", "grader", "grade", str(class_folder), "--out", str(out), "--no-gradebook"]
    call += ["--course", str(root / "course.toml"), "--regrade", "--jobs", "1"]
    # Coverage's own files would not find room either.
    kept = unmeasured() | {"PYTHONDONTWRITEBYTECODE": "1"}  # nor would compiled files
    done = subprocess.run(
        call, capture_output=True, text=True, check=False, env=kept, preexec_fn=lambda: _at_most(2_000)
    )
    assert done.returncode == 1
    assert "could not be written: File too large. What was there before is untouched." in done.stderr
    assert "students/ada/" in done.stderr
    assert "Traceback" not in done.stderr
    for path, data in before.items():
        if path.name in ("result.json", "feedback.html", "report.json"):
            assert path.read_bytes() == data, path
    assert not list(out.rglob(".writing-*"))
    assert grade(root, class_folder, "--out", out).exit_code == 0
    assert scores(out) == {"ada": ("graded", "5"), "zoe": ("graded", "5")}


def _at_most(size):
    """Let this process write no file larger than that."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="there is no /proc, which nobody can write to")
def test_folder_that_nobody_can_write_to(root, class_folder):
    """An OUT that cannot be made is named, with exit 1."""
    done = grade(root, class_folder, "--out", "/proc/graded")
    assert isinstance(done.exception, GraderError)
    assert done.exception.exit_status == 1
    assert str(done.exception).startswith("/proc/graded cannot be written: ")


def test_nothing_to_do_needs_no_sandbox(root, class_folder, tmp_path, monkeypatch):
    """A second run of the same files builds no jail and starts no worker."""
    out = tmp_path / "graded"
    assert grade(root, class_folder, "--out", out).exit_code == 0

    def fail(*_, **__):
        raise AssertionError

    for name in ("choose_tier", "grade_all"):
        monkeypatch.setattr(f"grader.run.grade.{name}", fail)
    done = grade(root, class_folder, "--out", out)
    assert done.exit_code == 0
    assert "0 graded now, 2 unchanged" in done.output
    assert "Sandbox" not in done.output


def test_rerun_grades_only_what_is_new(root, class_folder, right, tmp_path):
    """A second run grades who is new or changed, and leaves everyone else's files alone."""
    # 0 for every list costs both criteria of total, 1 and 2 points of 5.
    out = tmp_path / "graded"
    assert grade(root, class_folder, "--out", out).exit_code == 0
    stamp = (student_folder(out, "zoe") / "result.json").stat().st_mtime_ns
    (class_folder / "ada" / "sums.py").write_bytes(right["sums.py"].replace(b"sum(numbers)", b"0"))
    (class_folder / "bea").mkdir()
    (class_folder / "bea" / "warm_up.py").write_bytes(right["warm_up.py"])
    done = grade(root, class_folder, "--out", out)
    assert "2 graded now, 1 unchanged" in done.output
    assert scores(out) == {"ada": ("graded", "2"), "bea": ("graded", "1"), "zoe": ("graded", "5")}
    assert (student_folder(out, "zoe") / "result.json").stat().st_mtime_ns == stamp
    assert "3 graded now" in grade(root, class_folder, "--out", out, "--regrade").output


def test_a_file_that_was_removed_comes_back(root, class_folder, tmp_path):
    """As the sentence about a damaged one says; with the bytes that it had."""
    out = tmp_path / "out"
    assert grade(root, class_folder, "--out", out).exit_code == 0
    path = next((out / "students").glob("*/result.json"))
    before = path.read_bytes()
    path.write_bytes(before[:100])
    assert "Remove it, and grade again" in str(grade(root, class_folder, "--out", out).exception)
    path.unlink()
    assert grade(root, class_folder, "--out", out).exit_code == 0
    assert path.read_bytes() == before
    for name in ("feedback.html", "feedback.md", "report.json"):
        page = path.with_name(name)
        before = page.read_bytes()
        page.unlink()
        assert "1 graded now" in grade(root, class_folder, "--out", out).output
        assert page.read_bytes() == before


def test_report_is_written_when_something_changed(root, class_folder, tmp_path):
    """A run that grades nobody leaves the report on the class alone, unless points have changed since."""
    out = tmp_path / "graded"

    def written():
        assert grade(root, class_folder, "--out", out).exit_code == 0
        return (out / "class.html").stat().st_mtime_ns

    first = written()
    assert written() == first
    (out / "scores.csv").touch()
    assert written() > first


def test_what_is_remembered_is_kept_and_forgotten(root, class_folder, tmp_path):
    """The next run of the same tests runs none of them in pytest; other tests and --regrade begin anew."""
    out = tmp_path / "graded"
    assert "pytest on answers that are new" in grade(root, class_folder, "--out", out, "--profile").stderr
    kept = (out / "remembered").read_bytes()

    def in_pytest(*more):
        done = grade(root, class_folder, "--out", out, "--profile", *more)
        row = next(line for line in done.stderr.splitlines() if "pytest on answers" in line)
        return float(row.split()[-1])

    with (class_folder / "zoe" / "sums.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert in_pytest() == 0
    assert (out / "remembered").read_bytes() == kept
    assert in_pytest("--regrade") > 0
    tests = root / "tests/hidden/sums/test_sums.py"
    before = tests.read_text()
    try:
        tests.write_text(before + "\n# changed\n")
        assert grade(root, class_folder, "--out", out).exit_code == 0
    finally:
        tests.write_text(before)
    assert (out / "remembered").read_bytes() != kept


def test_students_of_an_earlier_run_stay(root, class_folder, tmp_path):
    """A run for one student into the class's OUT keeps everyone else's row."""
    out = tmp_path / "graded"
    assert grade(root, class_folder / "zoe", "--out", out).exit_code == 0
    assert grade(root, class_folder / "ada", "--out", out).exit_code == 0
    assert scores(out) == {"ada": ("graded", "5"), "zoe": ("graded", "5")}


def test_new_due_dates_count_for_those_who_were_graded_before(right, tmp_path):
    """An extension takes a penalty back, no code is run for it, and it is said for whom."""
    root = tmp_path / "course"
    root.mkdir()
    small_lesson.write(root)
    policy = 'due = 2027-03-01T12:00:00\n[exercise.sums.late]\napplied_by = "kit"\npercent_per_day = 20\n'
    small_lesson.edit(root, "course.toml", "points = 5\n", f"points = 5\n{policy}")
    for student in ("ada", "zoe"):
        folder = tmp_path / "submitted" / student / "sums"
        folder.mkdir(parents=True)
        (folder / "timestamp.txt").write_text("2027-03-02 10:00:00 UTC")
        for name, data in right.items():
            (folder / name).write_bytes(data)
    roster, out = tmp_path / "people.csv", tmp_path / "graded"
    roster.write_text("id,name,email\nada,Ada,\nzoe,Zoe,\n")
    call = (tmp_path / "submitted", "--out", out, "--roster", roster)

    def penalties():
        rows = csv.DictReader((out / "scores.csv").read_text().splitlines())
        return {row["student"]: row["late_penalty"] for row in rows}

    assert grade(root, *call).exit_code == 0
    assert penalties() == {"ada": "1", "zoe": "1"}
    roster.write_text("id,name,email,extension\nada,Ada,,2027-03-03\nzoe,Zoe,,\n")
    done = grade(root, *call)
    assert "ada: lateness costs 0 points now, not 1" in done.output
    assert "0 graded now, 2 unchanged" in done.output
    assert penalties() == {"ada": "0", "zoe": "1"}


@pytest.mark.parametrize("place", ["grader.intake.prepare.choose", "grader.intake.prepare.decoded"])
def test_whatever_reading_one_hand_in_meets_the_others_are_graded(
    root, class_folder, tmp_path, monkeypatch, place
):
    """A fault nobody thought of is a sentence for one student, and costs nobody else a point."""
    module, _, name = place.rpartition(".")
    real = getattr(sys.modules[module], name)

    def odd(one, *rest, **more):
        if b"odd" in str(one).encode():
            raise RecursionError
        return real(one, *rest, **more)

    (class_folder / "odd").mkdir()
    (class_folder / "odd/sums.py").write_text("x = 'odd'\n")
    monkeypatch.setattr(place, odd)
    out = tmp_path / "graded"
    assert grade(root, class_folder, "--out", out).exit_code == 0
    assert scores(out) == {"ada": ("graded", "5"), "odd": ("unreadable", ""), "zoe": ("graded", "5")}
    text = (student_folder(out, "odd") / "feedback.md").read_text()
    assert "The hand-in could not be read (RecursionError); hand in plain files." in text


def test_reading_one_hand_in_has_an_end(root, class_folder, tmp_path, monkeypatch):
    """Whoever packs something endless hears so, and the others have their turn."""

    def endless(submission):
        while submission.student == "ada":
            pass
        return submission

    monkeypatch.setattr("grader.intake.prepare.decoded", endless)
    monkeypatch.setattr("grader.intake.prepare.STUDENT_SECONDS", 0.2)
    out = tmp_path / "graded"
    assert grade(root, class_folder, "--out", out).exit_code == 0
    assert scores(out) == {"ada": ("unreadable", ""), "zoe": ("graded", "5")}


# --- the roster ---
# --- the roster ---


def test_everyone_on_the_roster_has_a_row(root, class_folder, tmp_path):
    """Who handed in nothing is missing; who is not on the roster is listed, and exit is 1 unless allowed."""
    roster = tmp_path / "people.csv"
    roster.write_text("id,name\nada,Ada\nmax,Max\n")
    out = tmp_path / "graded"
    done = grade(root, class_folder, "--out", out, "--roster", roster)
    assert done.exit_code == 1
    assert scores(out) == {"ada": ("graded", "5"), "max": ("missing", "")}
    unmatched = (out / "unmatched.csv").read_text().splitlines()
    assert [line.partition(",")[0] for line in unmatched[1:]] == ["zoe"]
    again = grade(root, class_folder, "--out", out, "--allow-unmatched")
    assert again.exit_code == 0, again.output
    assert (out / "roster.csv").read_text() == "id,name,email\nada,Ada,\nmax,Max,\n"


def test_late_hand_in_replaces_missing(root, class_folder, tmp_path):
    """Who was missing is graded when the files come."""
    roster = tmp_path / "people.csv"
    roster.write_text("id,name\nada,Ada\nzoe,Zoe\n")
    out = tmp_path / "graded"
    assert grade(root, class_folder / "ada", "--out", out, "--roster", roster).exit_code == 0
    assert scores(out)["zoe"] == ("missing", "")
    assert grade(root, class_folder, "--out", out).exit_code == 0
    assert scores(out)["zoe"] == ("graded", "5")


def test_sample_roster_is_not_the_next_class_s(root, class_folder, tmp_path):
    """A real class that follows the sample class is not measured by the sample's roster."""
    out = tmp_path / "graded"
    sample = tmp_path / "sample.toml"
    text = (root / "course.toml").read_text()
    sample.write_text(
        text.replace('title = "Arithmetic"', f'title = "S 1"\nsample = true\nfolder = "{root}"')
    )
    roster = tmp_path / "people.csv"
    roster.write_text("id,name\nada,Ada\nsam,Sam\n")
    call = ["grade", str(class_folder / "ada"), "--course", str(sample), "--out", str(out)]
    assert CliRunner().invoke(cli, [*call, "--roster", str(roster), "--no-gradebook"]).exit_code == 0
    assert scores(out) == {"ada": ("graded", "5"), "sam": ("missing", "")}
    done = grade(root, class_folder, "--out", out)
    assert done.exit_code == 0, done.output
    assert scores(out) == {"ada": ("graded", "5"), "zoe": ("graded", "5")}


def test_a_refused_call_leaves_the_sample_class_alone(root, class_folder, tmp_path):
    """What can be refused is refused before the sample's results make way."""
    text = (root / "course.toml").read_text(encoding="utf-8")
    sample, out = tmp_path / "sample.toml", tmp_path / "graded"
    sample.write_text(
        text.replace('title = "Arithmetic"', f'title = "S 1"\nsample = true\nfolder = "{root}"')
    )
    call = ["grade", str(class_folder / "ada"), "--course", str(sample), "--out", str(out)]
    assert CliRunner().invoke(cli, [*call, "--no-gradebook", "--jobs", "1"]).exit_code == 0
    for refused in (("--sandbox", "none"), ("--scheduler", "tcp://127.0.0.1:9")):
        assert isinstance(grade(root, class_folder, "--out", out, *refused).exception, UsageError)
        assert scores(out) == {"ada": ("graded", "5")}


# --- promises ---


def test_no_machine_in_the_results(root, class_folder, tmp_path, right):
    """Results, reports and pages name no path of this machine and no time of this run."""
    (class_folder / "ada" / "sums.py").write_bytes(b"def double(number):\n    return undefined\n")
    (class_folder / "zoe" / "sums.py").write_bytes(right["sums.py"] + b"\n1 / 0\n")
    out = tmp_path / "graded"
    assert grade(root, class_folder, "--out", out).exit_code == 0
    for path in out.rglob("*"):
        if path.suffix in (".json", ".html", ".md", ".csv") and path.name != "timing.csv":
            text = path.read_text(encoding="utf-8")
            for place in (str(root), str(tmp_path), sys.prefix, sys.base_prefix, "/kit/"):
                assert place not in text, (path, place)
    report = json.loads((student_folder(out, "ada") / "report.json").read_bytes())
    assert not {"created", "duration", "environment"} & set(report)


def test_private_criteria_count(root, class_folder, tmp_path):
    """Tests of an instructor's own are graded with the course's, and their points count."""
    private = tmp_path / "private"
    (private / "tests/hidden/sums").mkdir(parents=True)
    (private / "tests/hidden/sums/test_sums.py").write_text(
        "import sums\n\n\nclass TestZero:\n    def test_zero(self):\n        assert sums.double(0) == 0\n"
    )
    (private / "private.toml").write_text(
        '[exercise.sums]\npoints = 7\n\n[exercise.sums.criterion.double-zero]\ntask = "double"\n'
        'visibility = "hidden"\ntests = "TestZero"\npoints = 2\nsentence = "doubles zero"\nhint = "Zero?"\n'
    )
    wrong = class_folder / "zoe" / "sums.py"
    wrong.write_text(wrong.read_text().replace("return number + number", "return number + number or None"))
    out = tmp_path / "graded"
    assert grade(root, class_folder, "--out", out, "--private", private).exit_code == 0
    assert scores(out) == {"ada": ("graded", "7"), "zoe": ("graded", "5")}


# --- the grader's own faults ---


def test_fault_in_one_of_several_attempts(right, tmp_path, monkeypatch):
    """Where the best attempt counts, one that the grader failed on is said, too."""
    small_lesson.write(tmp_path)
    small_lesson.edit(tmp_path, "course.toml", "[course]\n", '[course]\nattempts = "best"\n')
    for attempt, data in (("attempt1", right["sums.py"]), ("attempt2", b"# odd\n" + right["sums.py"])):
        folder = tmp_path / "class" / "ada" / attempt
        folder.mkdir(parents=True)
        (folder / "sums.py").write_bytes(data)
    score = workers.score

    def odd(exercise, submission, *rest):
        if submission.attempt == 2:
            raise RuntimeError("no such thing")
        return score(exercise, submission, *rest)

    monkeypatch.setattr(workers, "score", odd)
    out = tmp_path / "graded"
    done = grade(tmp_path, tmp_path / "class", "--out", out)
    assert done.exit_code == 1
    assert "ada: RuntimeError: no such thing" in done.output
    assert scores(out) == {"ada": ("graded", "4")}


def test_changed_tests_move_nobody_unasked(root, class_folder, right, tmp_path):
    """First it is said who would move; --regrade writes it and keeps the earlier result; the report tells."""
    course, out = tmp_path / "course", tmp_path / "graded"
    shutil.copytree(root, course)
    (class_folder / "zoe" / "sums.py").write_bytes(right["sums.py"].replace(b"return", b"return 0 *", 1))
    assert grade(course, class_folder, "--out", out).exit_code == 0
    before = scores(out)
    page = (student_folder(out, "ada") / "result.json").read_bytes()
    tests = course / "tests/hidden/sums/test_sums.py"
    tests.write_text(tests.read_text().replace("== 0", "== 1"))
    done = grade(course, class_folder, "--out", out)
    assert done.exit_code == 1
    assert "ada: 5 -> 3 (total-none)" in done.stderr
    assert scores(out) == before
    assert (student_folder(out, "ada") / "result.json").read_bytes() == page
    done = grade(course, class_folder, "--out", out, "--regrade")
    assert done.exit_code == 0, done.output
    assert scores(out)["ada"] == ("graded", "3")
    assert [one.score for one in earlier_results(student_folder(out, "ada"))] == [5]
    report = (out / "class.html").read_text(encoding="utf-8")
    assert '<th scope="row">ada</th><td>5</td><td>3</td><td>total-none</td>' in report
    assert grade(course, class_folder, "--out", out).exit_code == 0


def test_changed_words_are_written_at_once(root, class_folder, tmp_path):
    """Where no points move, a new hint or a new test file is on the pages after the next run."""
    course, out = tmp_path / "course", tmp_path / "graded"
    shutil.copytree(root, course)
    assert grade(course, class_folder, "--out", out).exit_code == 0
    tests = course / "tests/hidden/sums/test_sums.py"
    tests.write_text(f"{tests.read_text()}\n# a comment\n")
    done = grade(course, class_folder, "--out", out)
    assert done.exit_code == 0
    assert "2 graded now" in done.stderr
    assert not list(out.glob("students/*/history"))
