"""What the instructor sees in a terminal and without one."""

import io
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers.paths import ROOT
from rich.console import Console

from grader.base.flags import shows_attempt
from grader.course.load import load_course
from grader.grading.score import CriterionResult, Result, unscored
from grader.grading.workers import Graded
from grader.intake.collect import Intake
from grader.intake.match import Unmatched
from grader.run.grade import Summary
from grader.run.terminal import Rate, Screen, class_table, concerns
from grader.sandbox.tiers import TITLES
from grader.sources.submission import Submission
from grader.sources.tree import Refused

EXERCISE = load_course(ROOT / "course.toml").exercise("contiguous_reservation")


def result(student: str, *, earned: bool = True, flags: tuple[str, ...] = ()) -> Result:
    """A graded result: everything earned, or nothing."""
    criteria = tuple(
        CriterionResult(c.id, c.task, c.visibility, c.points * earned, c.points, "passed", "")
        for c in EXERCISE.criteria
    )
    return Result(student, EXERCISE.name, "graded", 20 * earned, 20, 0, criteria, (), flags, None)


def unreadable(student: str) -> Result:
    """A result of someone whose file could not be read."""
    return unscored(EXERCISE, Submission(student, {}), "unreadable", "reservation.py is empty.")


def summary(*results: Result, **others) -> Summary:
    """A summary of these results."""
    known = {"intake": Intake(()), "graded": ("ada",), "unchanged": 0, "unkept": ()} | others
    return Summary(results=results, **known)


def watched(screen: Screen, *, terminal: bool = False, width: int = 80) -> io.StringIO:
    """Let a screen write into a text of its own."""
    text = io.StringIO()
    screen.console = Console(file=text, force_terminal=terminal, width=width, highlight=False, soft_wrap=True)
    return text


def shown(table, width: int = 80) -> str:
    """A table as text."""
    text = io.StringIO()
    Console(file=text, width=width, color_system=None).print(table)
    return text.getvalue()


def test_table_shows_what_leaves_for_a_platform():
    """Beside the score stands what lateness takes off and what is left; it is never below 0."""
    late = [replace(result("ada"), late_penalty=4.5), replace(result("bob", earned=False), late_penalty=2)]
    rows = shown(class_table(late, EXERCISE, by_task=False)).splitlines()
    assert next(row.split(maxsplit=1)[1].strip() for row in rows if "ada" in row) == "20/20 -4.5 late = 15.5"
    assert next(row.split(maxsplit=1)[1].strip() for row in rows if "bob" in row) == "0/20 -2 late = 0"


def test_names_stand_beside_ids_in_a_terminal_only():
    """A log has ids alone."""
    for terminal in (True, False):
        screen = Screen(quiet=False)
        text = watched(screen, terminal=terminal, width=120)
        screen.summary(summary(result("ada")), EXERCISE, Path("out"), {"ada": "Ada Lovelace"})
        assert ("Ada Lovelace" in text.getvalue()) == terminal


def test_table_has_points_by_task_and_in_all():
    """A row holds the points of each task, in the tasks' order, and the score."""
    rows = shown(class_table([result("ada"), result("bob", earned=False)], EXERCISE)).splitlines()
    assert next(row.split() for row in rows if "ada" in row) == ["ada", "4", "2", "4", "4", "3", "3", "20/20"]
    assert next(row.split() for row in rows if "bob" in row) == ["bob", "0", "0", "0", "0", "0", "0", "0/20"]


def test_table_shows_no_zero_for_the_ungraded():
    """Whoever is not graded has a word in place of a score, and no points."""
    rows = shown(class_table([unreadable("cem")], EXERCISE)).splitlines()
    assert next(row.split() for row in rows if "cem" in row) == ["cem", "unreadable"]


def test_ids_are_text_and_never_markup():
    """An id that looks like markup, or moves the cursor, is shown as it is written."""
    text = shown(class_table([result("[bold red]x[/]"), result("a\x1b[2Jb")], EXERCISE), width=120)
    assert "[bold red]x[/]" in text
    assert "\x1b" not in text
    assert r"a\x1b[2Jb" in text


def test_long_ids_are_not_cut():
    """A long id goes on in the next line of its cell."""
    text = shown(class_table([result("b" * 45)], EXERCISE))
    assert text.count("b") == 45


def test_a_large_class_is_cut_with_a_count():
    """Sixty rows are shown, and how many more there are is said."""
    text = shown(class_table([result(f"s{n:03}") for n in range(75)], EXERCISE))
    assert "s059" in text
    assert "s060" not in text
    assert "15 more rows are in scores.csv." in text


def test_concerns_are_grouped_and_empty_ones_left_out():
    """Every kind of trouble has its heading; a quiet run has none."""
    assert concerns(summary(result("ada"))) == []
    intake = Intake(
        (),
        unmatched=(Unmatched("x.zip", "nobody has this id", ("ada", "bob")),),
        refused=(Refused("y.rar", "not a zip"),),
    )
    found = dict(
        concerns(
            summary(
                result("ada", flags=("tried-network",)),
                result("bob", flags=("renamed-file",)),
                unreadable("cem"),
                unscored(EXERCISE, Submission("dee", {}), "grader-error", "Our fault."),
                intake=intake,
                unkept=("eve: disk full",),
                faults=("dee: a worker ended",),
                overtaken=("fay",),
                said="The gradebook had nothing of it.",
            )
        )
    )
    assert [*found.values()] == [
        ["bob: renamed-file"],
        ["ada: tried-network"],
        ["cem: reservation.py is empty."],
        ["x.zip: nobody has this id (perhaps ada, bob)"],
        ["fay"],
        ["y.rar: not a zip"],
        ["dee: a worker ended"],
        ["eve: disk full"],
        ["The gradebook had nothing of it."],
    ]


def test_students_with_the_same_flags_share_a_line():
    """Their ids stand on one line; of ten or more students their number (scores.csv has the ids)."""
    some = [result(f"s{n}", flags=("no-time",)) for n in range(9)]
    late = result("zoe", flags=("no-time", "late"))
    ((_, lines),) = concerns(summary(*some, late))
    assert lines == ["s0, s1, s2, s3, s4, s5, s6, s7, s8: no-time", "zoe: no-time late"]
    ((_, lines),) = concerns(summary(*some, result("ada", flags=("no-time",)), late))
    assert lines == ["10 students: no-time", "zoe: no-time late"]


@pytest.mark.parametrize(
    ("flag", "speaks"),
    [("tried-files", True), ("returned-impostor", True), ("tampered-channel", True), ("late", False)],
)
def test_attempts_are_told_from_slips(flag, speaks):
    """Flags of an attempt are listed apart from the others."""
    assert shows_attempt((flag,)) is speaks


def graded(student: str = "ada", **spent: float) -> Graded:
    """A graded submission that cost these CPU seconds by stage."""
    return Graded(Submission(student, {}), result(student), {}, 0.0, spent=spent)


def test_plain_lines_without_a_terminal(monkeypatch):
    """Without a terminal a line every hundred and one at the end: how fast, how long yet, and the slowest."""
    now = iter([0.0, 10.0, 60.0, 80.0, 81.0])
    monkeypatch.setattr("grader.run.terminal.time.monotonic", lambda: next(now))
    screen = Screen(quiet=False)
    text = watched(screen)
    screen.started(Intake((), recognised=("class.zip: Canvas, 201 hand-ins",)), "tier 3: x", 201)
    for number in range(201):
        screen.advanced(graded(f"s{number}", submission=1.5 if number == 150 else 0.01, worker=0.02))
    screen.stopped()
    assert text.getvalue().splitlines() == [
        "class.zip: Canvas, 201 hand-ins",
        "Sandbox: tier 3: x.",
        "Graded 100 of 201 (2.0/s, 50 s left).",
        "Graded 200 of 201 (2.9/s, 0 s left, slowest: s150 1.5 s).",
        "Graded 201 of 201 (2.8/s, slowest: s150 1.5 s).",
    ]


def test_a_bar_with_rate_on_a_terminal():
    """A person at a terminal sees a bar that counts, its rate and who was slowest."""
    screen = Screen(quiet=False)
    text = watched(screen, terminal=True, width=160)
    screen.started(Intake(()), "tier 1: x", 2)
    screen.advanced(graded("bob", submission=2.0))
    screen.advanced(graded("[b]", submission=3.0))
    screen.stopped()
    assert "2/2" in text.getvalue()
    assert "slowest: [b] 3.0 s" in text.getvalue()


def test_profile_lists_stages_and_their_sum():
    """Each stage has its CPU seconds and its milliseconds for each graded submission, also with quiet."""
    screen = Screen(quiet=True)
    text = watched(screen)
    spent = {"reading": 0.5, "points": 1.0}
    screen.profile(summary(result("ada"), graded=("ada", "bob"), spent=spent))
    rows = [line.split() for line in text.getvalue().splitlines() if line.strip()]
    assert rows[2:5] == [["reading", "0.50", "250.0"], ["points", "1.00", "500.0"], ["all", "1.50", "750.0"]]


def test_rate_has_a_decimal_below_ten():
    """A slow rate keeps one decimal; without any yet nothing is shown."""
    rates = [Rate().render(SimpleNamespace(finished_speed=None, speed=s)).plain for s in (None, 2.25, 80.4)]
    assert rates == ["", "2.2/s", "80/s"]


def test_quiet_says_only_what_went_wrong():
    """With quiet there is no table and no count, only what needs a look."""
    screen = Screen(quiet=True)
    text = watched(screen)
    screen.started(Intake((), recognised=("class.zip: Canvas",)), "tier 1: x", 1)
    screen.advanced(graded())
    screen.summary(summary(result("ada"), unreadable("cem")), EXERCISE, Path("graded"))
    assert text.getvalue().splitlines() == ["Could not be read:", "  cem: reservation.py is empty."]


def test_no_sandbox_is_said_even_when_quiet():
    """Whoever grades without a sandbox is told so in any case."""
    screen = Screen(quiet=True)
    text = watched(screen)
    screen.started(Intake(()), TITLES["none"], 1)
    assert "NO SANDBOX" in text.getvalue()


def test_summary_says_where_everything_lies():
    """The last two lines name the scores and the feedback; the one before counts."""
    screen = Screen(quiet=False)
    text = watched(screen)
    missing = unscored(EXERCISE, Submission("zoe", {}), "missing", "Nothing was handed in.")
    screen.summary(summary(result("ada"), missing, unchanged=1), EXERCISE, Path("graded"))
    last = text.getvalue().splitlines()[-3:]
    assert last == [
        "1 graded now, 1 unchanged since they were last graded, 1 handed in nothing; mean score 20.0.",
        "Scores:   graded/scores.csv",
        "Feedback: graded/students/ID/feedback.html",
    ]


def test_a_narrow_terminal_leaves_the_tasks_out():
    """Where the columns of the tasks have no room, each row keeps its student and score."""
    screen = Screen(quiet=False)
    text = watched(screen, width=40)
    screen.summary(summary(result("ada")), EXERCISE, Path("graded"))
    rows = text.getvalue().splitlines()
    assert next(row.split() for row in rows if "ada" in row) == ["ada", "20/20"]


def test_a_long_list_of_strangers_files_is_cut():
    """Sixty files that belong to nobody are listed, and how many more there are."""
    unmatched = tuple(Unmatched(f"{n}.py", "nobody has this id", ()) for n in range(63))
    ((_, lines),) = concerns(summary(intake=Intake((), unmatched=unmatched)))
    assert (len(lines), lines[-1]) == (61, "and 3 more")


def test_who_left_the_course_is_listed():
    """A result of an earlier run whose student is no longer on the roster needs a look."""
    ((heading, lines),) = concerns(summary(result("ada"), strangers=("zoe",)))
    assert (heading[:31], lines) == ("Graded in an earlier run, not o", ["zoe"])
