"""Who leaves for a platform and with how many points; what course.toml may say of platforms."""

import re
from decimal import Decimal
from fractions import Fraction

import pytest
from helpers import small_class
from helpers.paths import ROOT

from grader.base.errors import CourseError, UsageError
from grader.course.platforms import Canvas, Moodle
from grader.grading.score import points_text
from grader.lms.payload import Scale, leaving, scale_to, settings_of
from grader.roster.roster import Person, Roster


@pytest.mark.parametrize(
    ("passed", "penalty", "points"),
    [
        (small_class.ALL, 0, "20"),
        (("add-two", "add-none", "mean-two"), 2.5, "14.5"),
        (("mean-none",), 3, "0"),
        (("mean-none",), 4, "0"),
        ((), 2, "0"),
        (small_class.ALL, 0.1, "19.9"),
        (small_class.ALL, 6.66, "13.34"),
    ],
)
def test_points_that_leave(passed, penalty, points):
    """Earned less lateness, never below 0, without the tail of binary fractions."""
    assert points_text(small_class.final("1", passed, penalty).points) == points


def test_points_given_by_hand():
    """A score that a person gave may have decimals; it leaves without a tail, less lateness."""
    by_hand = small_class.final("1", (), 2.5, by_hand=7.1)
    assert points_text(by_hand.points) == "4.6"


def test_who_leaves_and_who_stays():
    """Graded people on the roster leave; everyone else stays with a reason, some of them lost."""
    results = [
        small_class.final("d"),
        small_class.final("b", status="missing"),
        small_class.final("c", status="unreadable"),
        small_class.final("a", status="grader-error"),
        small_class.final("stranger"),
        small_class.final("test", flags=("odd", "test-student")),
    ]
    roster = Roster(tuple(Person(one) for one in ("a", "b", "c", "d", "e", "test")))
    found = leaving(results, roster)
    sent, kept = found.sent, found.withheld
    assert [one.person.id for one in sent] == ["d"]
    assert [(one.student, one.why, one.lost) for one in kept] == [
        ("a", "the grader failed on it; grade it again", False),
        ("b", "nothing was handed in", False),
        ("c", "the hand-in could not be read", False),
        ("stranger", "is not on the roster", True),
        ("test", "is the platform's test student", False),
    ]


def test_without_a_roster_ids_are_the_platforms():
    """Nobody is on no roster, so the id that a platform gave is its own."""
    found = leaving([small_class.final("5002"), small_class.final("t", flags=("test-student",))], None)
    sent, kept = found.sent, found.withheld
    assert (sent[0].person.canvas_id, sent[0].person.moodle_id, sent[0].person.lti_id) == ("5002",) * 3
    assert [one.student for one in kept] == ["t"]


@pytest.mark.parametrize(
    ("theirs", "points", "there"),
    [
        (20, "14.5", "14.5"),
        (100, "14.5", "72.5"),
        (100, "20", "100"),
        (100, "0", "0"),
        (10, "0.01", "0.01"),  # 0.005 exactly: halves go up
        (7, "10", "3.5"),
        (3, "1", "0.15"),
        (3, "19.99", "2.99"),  # 2.9985 would be 3, but something was lost
        (1, "19.99", "0.99"),  # 0.9995
        (Fraction("0.5"), "19.99", "0.49"),
        (100, "19.99", "99.95"),
    ],
)
def test_scaled_once_and_never_up_to_full_marks(theirs, points, there):
    """Converted exactly, rounded once to hundredths, and less than everything stays less."""
    assert points_text(Scale(20, Fraction(theirs))(Decimal(points))) == there


def test_maximum_from_the_platform_or_from_course_toml(tmp_path):
    """What the platform's own file says counts; else what course.toml says; else nothing is compared."""
    exercise = small_class.course_at(tmp_path, "[exercise.lab.platform.edx]\nmaximum = 5.5\n").exercise("lab")
    with pytest.raises(
        UsageError,
        match=r"lab is worth 20 points here and 5\.5 on the platform \(course\.toml: "
        r"exercise\.lab\.platform\.edx\.maximum\): set it to 20 there, or write scale = true under "
        r"course\.toml: exercise\.lab\.platform\.edx\.",
    ):
        scale_to(exercise, "edx", None, "")
    assert scale_to(exercise, "edx", Decimal(20), "there").theirs == 20
    assert scale_to(exercise, "canvas", None, "").theirs == 20


def test_maximum_of_nothing_is_refused_even_when_scaling(tmp_path):
    """An assignment of 0 points can take no score."""
    exercise = small_class.course_at(tmp_path, "[exercise.lab.platform.edx]\nscale = true\n").exercise("lab")
    with pytest.raises(UsageError, match="0 on the platform"):
        scale_to(exercise, "edx", Decimal(0), "there")
    assert scale_to(exercise, "edx", Decimal("5.5"), "there").theirs == Fraction(11, 2)


# --- the platforms' tables in course.toml ---


def test_settings_of_a_platform(tmp_path):
    """What course.toml says, and defaults for the rest and for platforms that it does not name."""
    exercise = small_class.course_at(
        tmp_path, '[exercise.lab.platform.canvas]\nassignment_id = 501\nurl = "https://canvas.example.edu"\n'
    ).exercise("lab")
    assert settings_of(exercise, Canvas) == Canvas(assignment_id=501, url="https://canvas.example.edu")
    assert settings_of(exercise, Canvas).token_env == "CANVAS_TOKEN"  # noqa: S105 - a variable's name
    assert settings_of(exercise, Moodle) == Moodle()


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            "[exercise.lab.platform.blackbord]\n",
            r"platform\.blackbord: is not known here; the platforms are: canvas,",
        ),
        (
            '[exercise.lab.platform.canvas]\ntoken = "abc"\n',
            r"platform\.canvas\.token: is not known here; the keys are: ",
        ),
        (
            "[exercise.lab.platform.canvas]\nassignment_id = 0\n",
            r"platform\.canvas\.assignment_id: must be a whole number",
        ),
        (
            '[exercise.lab.platform.canvas]\nassignment_id = "501"\n',
            r"platform\.canvas\.assignment_id: must be a whole number",
        ),
        (
            '[exercise.lab.platform.canvas]\nscale = "yes"\n',
            r"platform\.canvas\.scale: must be true or false",
        ),
        ("[exercise.lab.platform.edx]\nmaximum = -1\n", r"platform\.edx\.maximum: must be a number > 0"),
        (
            '[exercise.lab.platform.canvas]\ntitle = "Lab 1 "\n',
            r"platform\.canvas: title begins or ends with a blank",
        ),
        (
            '[exercise.lab.platform.canvas]\ntitle = "Lab\\n1"\n',
            r"platform\.canvas: title holds a line break",
        ),
        (
            '[exercise.lab.platform.moodle]\nurl = "http://moodle.example.edu"\n',
            r"url must begin with https://",
        ),
        ('[exercise.lab.platform.lti]\ntoken_url = "ftp://x"\n', r"token_url must begin with https://"),
        ('[exercise.lab.platform.moodle.columns]\nId = "ID"\n', r"platform\.moodle\.columns"),
        ("[exercise.lab.platform]\ncanvas = 3\n", r"platform\.canvas: must be a table"),
    ],
)
def test_settings_are_checked_as_strictly_as_the_rest(tmp_path, table, message):
    """A wrong table is one line that names its key."""
    with pytest.raises(CourseError, match=message):
        small_class.course_at(tmp_path, table)


def test_a_password_in_an_address_is_refused_and_not_repeated(tmp_path):
    """An address with a password would be logged by every server on its way."""
    with pytest.raises(CourseError) as caught:
        small_class.course_at(
            tmp_path, '[exercise.lab.platform.canvas]\nurl = "https://me:sesame@canvas.example.edu"\n'
        )
    assert "sesame" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["https://moodle.example.edu/moodle", "http://127.0.0.1:8099", "http://localhost/x"]
)
def test_addresses_that_protect_a_token(tmp_path, url):
    """Encrypted ones, and those of this very machine."""
    course = small_class.course_at(tmp_path, f'[exercise.lab.platform.moodle]\nurl = "{url}"\n')
    assert settings_of(course.exercise("lab"), Moodle).url == url


@pytest.mark.parametrize("page", ["platforms.md", "late.md"])
def test_settings_that_the_pages_show(tmp_path, page):
    """The settings in docs/ are taken as they stand there."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    (shown,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    shown = shown.replace("contiguous_reservation", "lab").replace("\n# [", "\n[").replace('\n# "', '\n"')
    shown = re.sub(r"\[course\]\n.*\n", "", shown)
    if "[exercise.lab]\n" in shown:
        course = small_class.course_at(tmp_path, top=shown.partition("[exercise.lab]\n")[2])
        assert course.exercise("lab").late.cap_percent == 50
    else:
        course = small_class.course_at(tmp_path, shown)
        assert set(course.exercise("lab").platform) == {
            "canvas",
            "moodle",
            "lti",
            "brightspace",
            "blackboard",
            "edx",
        }
