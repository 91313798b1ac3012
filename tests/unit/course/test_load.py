"""Reading course.toml: values, defaults, and mistakes as one line with the key."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone

import pytest
from helpers import small_lesson

from grader.base.errors import CourseError, UsageError
from grader.course.load import find_course, load_course

SUMS = "exercise.sums"
TOP = "points = 5\n"
LATE = 'points = 5\ndue = 2027-03-01T23:59:00\n[exercise.sums.late]\napplied_by = "kit"\n'


@pytest.fixture
def path(tmp_path):
    """A sound course.toml."""
    path = tmp_path / "course.toml"
    path.write_text(small_lesson.COURSE, encoding="utf-8")
    return path


def edited(path, old, new):
    """The file with one text replaced."""
    small_lesson.edit(path.parent, path.name, old, new)
    return path


def test_what_is_read(path):
    """Tasks and criteria keep their order and get their keys as names; missing keys have defaults."""
    course = load_course(path)
    exercise = course.exercise(None)
    assert (course.root, course.title, course.timezone.key) == (path.parent, "Arithmetic", "UTC")
    assert (course.attempts, course.gradebook, course.sample, course.private) == ("latest", "", False, None)
    assert (exercise.name, exercise.points, exercise.due, exercise.late) == ("sums", 5, None, None)
    assert [task.name for task in exercise.tasks] == ["warm_up", "double", "total"]
    assert [c.id for c in exercise.criteria] == ["answer", "double-some", "total-some", "total-none"]
    assert [c.id for c in exercise.criteria_of("total")] == ["total-some", "total-none"]
    assert exercise.files == ("warm_up.py", "sums.py")
    assert exercise.functions == {"warm_up.py": (), "sums.py": ("double", "total")}
    assert exercise.limits.call_cpu_seconds == 1.0
    assert exercise.task("total").title == "Totals (TODO 3)"


def test_due_without_an_offset_is_local(path):
    """A due date without an offset is in the course's time zone; an offset is kept."""
    edited(path, 'title = "Arithmetic"', 'title = "Arithmetic"\ntimezone = "Europe/Berlin"')
    edited(path, TOP, f"{TOP}due = 2027-07-01T12:00:00\n")
    due = load_course(path).exercise(None).due
    assert due.astimezone(UTC) == datetime(2027, 7, 1, 10, 0, tzinfo=UTC)
    edited(path, "T12:00:00", "T12:00:00-05:00")
    due = load_course(path).exercise(None).due
    assert due == datetime(2027, 7, 1, 12, 0, tzinfo=timezone(timedelta(hours=-5)))


def test_folder_of_the_course(path):
    """A course file may lie in another folder and name the course's folder."""
    inner = path.parent / "sample" / "class"
    inner.mkdir(parents=True)
    moved = path.rename(inner / "course.toml")
    edited(moved, 'title = "Arithmetic"', 'title = "Arithmetic"\nfolder = "../.."')
    assert load_course(moved).root == path.parent.resolve()


def test_folder_that_is_not_there(path):
    """A folder that does not exist is named by its key."""
    edited(path, 'title = "Arithmetic"', 'title = "Arithmetic"\nfolder = "nowhere"')
    with pytest.raises(CourseError) as caught:
        load_course(path)
    assert str(caught.value) == "course.toml: course.folder: there is no folder 'nowhere' beside course.toml."


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        # unknown keys, at every level
        (TOP, f"{TOP}dew = 2027-03-01\n", f"{SUMS}.dew: is not known here; the keys are: "),
        ('title = "Arithmetic"', 'title = "Arithmetic"\nzone = "UTC"', "course.zone: is not known here; "),
        (
            "[exercise.sums]\n",
            "[exam]\n[exercise.sums]\n",
            "exam: is not known here; the keys are: course, exercise.",
        ),
        (
            "points = 2\n",
            "points = 2\nid = 7\n",
            f"{SUMS}.criterion.total-none.id: must be text in quotes, not a whole number.",
        ),
        (
            "points = 2\n",
            "points = 2\nhints = 'x'\n",
            f"{SUMS}.criterion.total-none.hints: is not known here; ",
        ),
        (
            "[exercise.sums.task.double]\n",
            "[exercise.sums.task.double]\nline = 3\n",
            f"{SUMS}.task.double.line: is not",
        ),
        (TOP, f"{TOP}[exercise.sums.limits]\ncpu = 3\n", f"{SUMS}.limits.cpu: is not known here; "),
        (TOP, f"{LATE}grace = 3\n", f"{SUMS}.late.grace: is not known here; "),
        (
            TOP,
            f"{TOP}[exercise.sums.platform.canva]\n",
            f"{SUMS}.platform.canva: is not known here; the platforms are: ",
        ),
        # missing keys
        ('title = "Arithmetic"\n', "", "course.title: is missing; write it."),
        (TOP, "", f"{SUMS}.points: is missing; write it."),
        ("points = 2\n", "", f"{SUMS}.criterion.total-none.points: is missing; write it."),
        ('[course]\ntitle = "Arithmetic"\n', "", "course: is missing; write it."),
        (
            TOP,
            LATE.replace('applied_by = "kit"', "cap_percent = 50"),
            f"{SUMS}.late.applied_by: is missing; write it.",
        ),
        # wrong types and values
        (TOP, 'points = "5"\n', f"{SUMS}.points: must be a whole number, not text in quotes."),
        (TOP, "points = 5.0\n", f"{SUMS}.points: "),
        (
            TOP,
            f"{TOP}due = 'tomorrow'\n",
            f"{SUMS}.due: must be a date with a time, like 2027-03-01T23:59:00",
        ),
        (
            TOP,
            f"{TOP}due = 2027-03-01\n",
            f"{SUMS}.due: must be a date with a time, like 2027-03-01T23:59:00",
        ),
        ('title = "Arithmetic"', "title = 3", "course.title: must be text in quotes, not a whole number."),
        ('title = "Arithmetic"', 'title = ""', "course.title: must be text of 3 characters or more."),
        (
            'title = "Arithmetic"',
            'title = "Arithmetic"\nattempts = "first"',
            "course.attempts: is 'first'; write 'latest' or 'best'.",
        ),
        (
            'title = "Arithmetic"',
            'title = "Arithmetic"\nsample = "yes"',
            "course.sample: must be true or false, not text in quotes.",
        ),
        ("points = 2\n", "points = 0\n", f"{SUMS}.criterion.total-none.points: must be a whole number >= 1."),
        (
            "points = 2\n",
            "points = -2\n",
            f"{SUMS}.criterion.total-none.points: must be a whole number >= 1.",
        ),
        (
            'visibility = "hidden"',
            'visibility = "secret"',
            f"{SUMS}.criterion.total-none.visibility: is 'secret'; write 'visible' or 'hidden'.",
        ),
        (
            'tests = "TestTotalNone"',
            'tests = "TotalNone"',
            f"{SUMS}.criterion.total-none.tests: must be text in quotes matching regex",
        ),
        (
            'hint = "Read the guide once more."',
            'hint = ""',
            f"{SUMS}.criterion.answer.hint: must be text of 3 characters or more.",
        ),
        (
            TOP,
            f"{TOP}[exercise.sums.limits]\nmemory_mib = 1\n",
            f"{SUMS}.limits.memory_mib: must be a whole number >= 64.",
        ),
        (
            TOP,
            f"{TOP}[exercise.sums.limits]\ncall_cpu_seconds = 0\n",
            f"{SUMS}.limits.call_cpu_seconds: must be a number > 0.0.",
        ),
        (TOP, f"{TOP}limits = 3\n", f"{SUMS}.limits: must be a table, not a whole number."),
        (TOP, f"{LATE}percent_per_day = 120\n", f"{SUMS}.late.percent_per_day: must be a number <= 100.0."),
        # what no key shows by itself
        (TOP, "points = 6\n", f"{SUMS}.points: the criteria add up to 5 points, not 6."),
        ("points = 2\n", "points = 3\n", f"{SUMS}.points: the criteria add up to 6 points, not 5."),
        (
            'tests = "TestTotalNone"\npoints = 2',
            'tests = "TestTotalNone"\npoints = true',
            f"{SUMS}.criterion.total-none.points: ",
        ),
        (
            'task = "warm_up"',
            'task = "cool_down"',
            f"{SUMS}.criterion.answer.task: there is no task 'cool_down'; there is: double, total, warm_up.",
        ),
        (
            'tests = "TestDouble"',
            'tests = "TestTotal"',
            f"{SUMS}.criterion.total-some.tests: TestTotal already earns the points of 'double-some'; give",
        ),
        (
            TOP,
            f'{TOP}[exercise.sums.task.halve]\nfile = "sums.py"\ntitle = "Halving"\n',
            f"{SUMS}.task.halve: no criterion earns points for it; add one or remove the task.",
        ),
        (
            TOP,
            f"{TOP}[exercise.sums.limits]\ncall_cpu_seconds = 9.0\n",
            f"{SUMS}.limits.call_wall_seconds: is below call_cpu_seconds; make it larger.",
        ),
        (
            TOP,
            LATE.replace("due = 2027-03-01T23:59:00\n", ""),
            f"{SUMS}.due: a late policy needs a due date; write one or remove the policy.",
        ),
        (
            'title = "Arithmetic"',
            'title = "Arithmetic"\ntimezone = "Mars/Olympus"',
            "course.timezone: there is no time zone 'Mars/Olympus'; write one like 'Europe/Berlin' or 'UTC'.",
        ),
        # not TOML at all
        ("[course]", "[course", "is not a TOML file: "),
        (TOP, f"{TOP}points = 5\n", "is not a TOML file: Cannot overwrite a value"),
    ],
)
def test_mistakes(path, old, new, line):
    """Each mistake is one line with file, key and what is wrong, and has exit status 2."""
    edited(path, old, new)
    with pytest.raises(CourseError) as caught:
        load_course(path)
    text = str(caught.value)
    assert text.startswith(f"course.toml: {line}")
    assert text.endswith(".")
    assert "\n" not in text
    assert caught.value.exit_status == 2


@pytest.mark.parametrize("due", ["9999-12-31T23:59:00", "0001-01-01T00:00:00+00:00"])
def test_due_at_the_end_of_the_calendar(path, due):
    """Such a time may not exist in another time zone, so it is refused by its key."""
    edited(path, TOP, f"{TOP}due = {due}\n")
    with pytest.raises(
        CourseError, match=rf"^course\.toml: exercise\.sums\.due: is {due[:10]}; write a real"
    ):
        load_course(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[course]\ntitle = "Empty"\n[exercise]\n',
            r"^course\.toml: exercise: the course has none; add a section",
        ),
        (small_lesson.COURSE.replace("exercise.sums", 'exercise."Sums 1"'), r"^course\.toml: exercise"),
        (b'[course]\ntitle = "\xe9"\n', r"course\.toml:2: is not in UTF-8; save the file in"),
    ],
)
def test_course_that_is_refused(path, text, message):
    """No exercise, a name that names no file, and another encoding than UTF-8 are refused."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(CourseError, match=message):
        load_course(path)


def test_file_that_is_not_there(tmp_path):
    """A course file that does not exist is named with its path."""
    with pytest.raises(
        UsageError, match=r"nowhere/course\.toml cannot be read: No such file or directory\.$"
    ):
        load_course(tmp_path / "nowhere" / "course.toml")


def test_which_exercise(path):
    """The only exercise needs no name; with several one must be named; an unknown name is refused."""
    course = load_course(path)
    assert course.exercise("sums").name == course.exercise(None).name == "sums"
    with pytest.raises(UsageError, match=r"^There is no exercise 'sum' in course\.toml; there is: sums\.$"):
        course.exercise("sum")
    second = small_lesson.COURSE[small_lesson.COURSE.index("[exercise.sums]") :].replace("sums", "more")
    path.write_text(f"{small_lesson.COURSE}\n{second}")
    with pytest.raises(UsageError, match=r"name one with --exercise: sums, more\.$"):
        load_course(path).exercise(None)


def test_nearest_course_file(path):
    """The nearest course file in this folder or above is found."""
    deep = path.parent / "a" / "b"
    deep.mkdir(parents=True)
    assert find_course(deep) == path
    (path.parent / "a" / "course.toml").touch()
    assert find_course(deep) == path.parent / "a" / "course.toml"


def test_no_course_file_anywhere(tmp_path):
    """Without a course file above, the sentence names the option --course."""
    with pytest.raises(UsageError, match="name one with --course FILE"):
        find_course(tmp_path)


def test_nothing_is_written(path):
    """A mistake in the course ends a command with status 2 and one line; nothing is written."""
    edited(path, TOP, "points = 6\n")
    (path.parent / "class").mkdir()
    before = sorted(path.parent.rglob("*"))
    done = subprocess.run(
        [sys.executable, "-m", "grader", "grade", "class"],
        cwd=path.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    line = "grader: course.toml: exercise.sums.points: the criteria add up to 5 points, not 6.\n"
    assert (done.stdout, done.stderr) == ("", line)
    assert sorted(path.parent.rglob("*")) == before


# --- drafts ---


def second(path, more):
    """Add a second exercise to the course: the first one's section under another name."""
    section = small_lesson.COURSE[small_lesson.COURSE.index("[exercise.sums]") :]
    section = section.replace("exercise.sums", "exercise.more").replace(
        "points = 5", f"points = 5\n{more}", 1
    )
    with path.open("a", encoding="utf-8") as file:
        file.write(f"\n{section}")


def test_draft_is_used_only_by_name(path):
    """Without a name the exercise is meant that is no draft; a draft is there under its name."""
    second(path, "draft = true")
    course = load_course(path)
    assert course.exercise(None).name == "sums"
    assert course.exercise("more").draft
    assert [one.name for one in course.finished] == ["sums"]
    assert [one.name for one in course.exercise("more").others] == ["sums"]
    assert course.exercise("sums").others == ()


def test_mistake_in_a_draft_blocks_no_other(path):
    """A draft's section may be wrong: only a command that names the draft says so."""
    second(path, "draft = true\nlimits = 3")
    course = load_course(path)
    assert course.exercise(None).name == "sums"
    with pytest.raises(CourseError, match=r"course.toml: exercise.more.limits: must be a table, not"):
        course.exercise("more")


def test_mistake_without_draft_blocks(path):
    """The same mistake in an exercise that is no draft is an error."""
    second(path, "limits = 3")
    with pytest.raises(CourseError, match=r"exercise\.more\.limits"):
        load_course(path)


def test_only_exercise_may_be_a_draft(path):
    """A course with nothing but one draft means that one."""
    edited(path, TOP, f"{TOP}draft = true\n")
    assert load_course(path).exercise(None).draft


@pytest.mark.parametrize(
    "mistake",
    ["limits = ", "hints = [", "[exercise.more.task", 'title = """x', 'title = "a"\ntitle = "b"'],
)
def test_draft_that_is_no_toml_blocks_no_other(path, mistake):
    """A draft may break TOML's syntax, in the middle of the file, too; whoever names it reads the line."""
    before = load_course(path)
    text = path.read_text()
    place = text.index("[exercise.")
    path.write_text(f"{text[:place]}[exercise.more]\ndraft = true\n{mistake}\n\n{text[place:]}")
    course = load_course(path)
    assert course.exercises == before.exercises
    line = text[:place].count("\n") + 3
    with pytest.raises(CourseError, match=r"^course\.toml: exercise\.more: is not TOML: .* \(at ") as said:
        course.exercise("more")
    assert mistake[0] != "l" or f"line {line}" in str(said.value)


def test_slip_in_the_name_of_a_section(path):
    """A section of tasks alone belongs to another exercise, and it is named and not what lacks the task."""
    text = path.read_text()
    path.write_text(text.replace("[exercise.sums.task.total]", "[exercise.sum.task.total]"))
    with pytest.raises(
        CourseError, match=r"^course\.toml: exercise\.sum: has no title and no points; correct"
    ):
        load_course(path)


def test_toml_that_is_wrong_outside_of_drafts(path):
    """A mistake in syntax outside of drafts is an error, whatever drafts there are."""
    second(path, "draft = true\nlimits = ")
    path.write_text(path.read_text().replace(TOP, f"{TOP}points = \n", 1))
    with pytest.raises(CourseError, match=r"^course\.toml: is not a TOML file: Invalid value \(at line"):
        load_course(path)
