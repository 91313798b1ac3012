"""Show progress, the class table and what needs a look to the instructor.

Everything goes to stderr; results go to files. Names, ids and file names come from students and platforms:
they are shown as text, never as markup, with control characters made visible.
"""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from grader.base.flags import shows_attempt
from grader.base.text import clean, short_names
from grader.course.model import Exercise
from grader.grading.score import FinalResult
from grader.grading.workers import Graded
from grader.intake.collect import Intake
from grader.results.history import Move
from grader.run.grade import Summary
from grader.sandbox.tiers import TITLES

_ROWS = 60
_MANY = 10  # so many students with the same flags are counted, not listed
_WIDE = 1_000
_ID = 80


class Rate(ProgressColumn):
    """Submissions a second."""

    def render(self, task: Task) -> Text:
        """The rate as text."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:.0f}/s" if speed and speed >= 10 else f"{speed:.1f}/s" if speed else "", "cyan")


class Screen:
    """Tell a person how a run goes: a bar in a terminal, else plain lines; only trouble with ``quiet``."""

    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet
        self.console = Console(stderr=True, highlight=False, soft_wrap=True)
        self._bar: Progress | None = None
        self._total = self._done = 0
        self._begun = time.monotonic()
        self._slowest = ("", 0.0)

    def say(self, text: str, style: str = "") -> None:
        """Print one line of text, never as markup."""
        self.console.print(Text(clean(text, 2_000)), style=style or None)

    def started(self, intake: Intake, where: str, count: int) -> None:
        """Print what came in and the sandbox, if one is needed; in a terminal, start a bar."""
        unsafe = where == TITLES["none"]
        if unsafe:
            self.say(where, "bold red")
        if self.quiet:
            return
        for sentence in intake.recognised:
            self.say(sentence)
        if where and not unsafe:
            self.say(f"Sandbox: {where}.")
        self._total, self._begun = count, time.monotonic()
        if self.console.is_terminal and count:
            columns = (TextColumn("Grading"), BarColumn(), MofNCompleteColumn(), TaskProgressColumn(), Rate())
            slowest = TextColumn("{task.fields[slowest]}", markup=False)
            self._bar = Progress(*columns, TimeRemainingColumn(), slowest, console=self.console)
            self._bar.add_task("", total=count, slowest="")
            self._bar.start()

    def advanced(self, graded: Graded) -> None:
        """Count one graded submission."""
        self._done += 1
        used = sum(graded.spent.values())
        if used > self._slowest[1]:
            self._slowest = clean(graded.submission.student, _ID), used
        slowest = f"slowest: {self._slowest[0]} {self._slowest[1]:.1f} s" if self._slowest[1] >= 0.1 else ""
        if self._bar:
            self._bar.update(self._bar.task_ids[0], advance=1, slowest=slowest)
        elif not self.quiet and (self._done == self._total or self._done % 100 == 0):
            rate = self._done / max(time.monotonic() - self._begun, 1e-3)
            left = f"{(self._total - self._done) / rate:.0f} s left" if self._done < self._total else ""
            more = ", ".join(part for part in (f"{rate:.1f}/s", left, slowest) if part)
            self.say(f"Graded {self._done} of {self._total} ({more}).")

    def stopped(self) -> None:
        """End the bar."""
        if self._bar:
            self._bar.stop()

    def summary(
        self, summary: Summary, exercise: Exercise, out: Path, names: Mapping[str, str] | None = None
    ) -> None:
        """Print the class table, what needs a look, and where the files are; ``names`` only in a terminal."""
        if not self.quiet:
            if summary.results:
                shown = names if names and self.console.is_terminal else {}
                self.console.print(self._table(summary.results, exercise, shown))
            self.say(_counts(summary))
        for heading, lines in concerns(summary):
            self.say(heading, "bold yellow")
            for line in lines:
                self.say(f"  {line}")
        if not self.quiet:
            self.say(f"Scores:   {out / 'scores.csv'}")
            self.say(f"Feedback: {out / 'students'}/ID/feedback.html")

    def profile(self, summary: Summary) -> None:
        """Print the CPU seconds by stage, of all processes together, also with ``quiet``."""
        table = Table(box=box.SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
        for heading in ("stage", "CPU s", "ms each"):
            table.add_column(heading, justify="left" if heading == "stage" else "right")
        count = max(1, len(summary.graded))
        for stage, seconds in (*summary.spent.items(), ("all", sum(summary.spent.values()))):
            table.add_row(stage, f"{seconds:.2f}", f"{seconds / count * 1000:.1f}")
        table.caption = Text(f"ms each: of {len(summary.graded)} graded now.")
        self.console.print(table)

    def _table(self, results: Sequence[FinalResult], exercise: Exercise, names: Mapping[str, str]) -> Table:
        """Make the class table; a narrow terminal gets no columns of tasks."""
        table = class_table(results, exercise, names=names)
        # Measured in this terminal's own width, any table would seem to fit.
        wide = self.console.options.update(max_width=_WIDE)
        room = self.console.measure(table, options=wide).minimum <= self.console.width
        return table if room else class_table(results, exercise, by_task=False, names=names)


def class_table(
    results: Sequence[FinalResult],
    exercise: Exercise,
    *,
    by_task: bool = True,
    names: Mapping[str, str] | None = None,
) -> Table:
    """Make a table with one row a student, sorted by id: points by task (optional) and the score."""
    title = Text(exercise.title)
    table = Table(box=box.SIMPLE, title=title, title_justify="left", pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("student", overflow="fold", min_width=12)
    for heading in short_names(list(exercise.marked)) if by_task else ():
        table.add_column(Text(heading), justify="right", min_width=len(heading))
    rows = []
    for result in results[:_ROWS]:
        points: dict[str, float] = dict.fromkeys(exercise.marked, 0)
        for criterion in result.criteria:
            points[criterion.task] = points.get(criterion.task, 0) + criterion.points
        graded = result.status == "graded"
        score = f"{result.score}/{result.max_score}" if graded else result.status
        if graded and result.late_penalty:
            score += f" -{result.late_penalty:g} late = {max(0, (result.score or 0) - result.late_penalty):g}"
        student = Text(clean(result.student, _ID))
        if name := (names or {}).get(result.student, ""):
            student.append(f" {clean(name, _ID)}", "dim")
        cells = [Text(f"{points[task]:g}" if graded else "") for task in exercise.marked]
        rows.append([student, *(cells if by_task else ()), Text(score, "" if graded else "yellow")])
    widest = max((len(score) for *_, score in rows), default=0)
    table.add_column("score", justify="right", style="bold", min_width=widest)
    for row in rows:
        table.add_row(*row)
    if len(results) > _ROWS:
        table.caption = Text(f"{len(results) - _ROWS} more rows are in scores.csv.")
    return table


def _counts(summary: Summary) -> str:
    """Say in one sentence how many were graded, missing and unreadable, and the mean score."""
    scores = [result.score for result in summary.results if result.score is not None]
    parts = [f"{len(summary.graded)} graded now"]
    if summary.unchanged:
        parts.append(f"{summary.unchanged} unchanged since they were last graded")
    for status, words in (("missing", "handed in nothing"), ("unreadable", "could not be read")):
        if count := sum(result.status == status for result in summary.results):
            parts.append(f"{count} {words}")
    mean = f"; mean score {sum(scores) / len(scores):.1f}" if scores else ""
    return f"{', '.join(parts)}{mean}."


def concerns(summary: Summary) -> list[tuple[str, list[str]]]:
    """List what needs a look, as headings with lines; empty if nothing does."""
    intake, results = summary.intake, summary.results
    by_flags: dict[str, list[str]] = defaultdict(list)
    for result in results:
        if result.flags and not shows_attempt(result.flags):
            by_flags[" ".join(result.flags)].append(result.student)
    flagged = [
        f"{', '.join(students) if len(students) < _MANY else f'{len(students)} students'}: {flags}"
        for flags, students in by_flags.items()
    ]
    attempts = [f"{r.student}: {' '.join(r.flags)}" for r in results if shows_attempt(r.flags)]
    unreadable = [
        f"{r.student}: {' '.join(r.criteria[0].message.split())}" for r in results if r.status == "unreadable"
    ]
    unmatched = []
    for one in intake.unmatched:
        perhaps = f" (perhaps {', '.join(one.candidates)})" if one.candidates else ""
        unmatched.append(f"{one.received_as}: {one.why}{perhaps}")
    if len(unmatched) > _ROWS:
        unmatched[_ROWS:] = [f"and {len(unmatched) - _ROWS} more"]
    found = [
        ("Flagged:", flagged),
        ("Tried what honest work never does (the score is not changed by it):", attempts),
        ("Could not be read:", unreadable),
        ("Belongs to nobody on the roster (listed in unmatched.csv; --match FILE settles it):", unmatched),
        (
            "Graded in an earlier run, not on the roster (not exported; remove students/ID to forget):",
            list(summary.strangers),
        ),
        (
            "Given points by hand, and what the grader found has changed since (the points by hand count):",
            list(summary.overtaken),
        ),
        (
            "Would move, because tests or points have changed; left as it is (--regrade writes it):",
            [*map(_move, summary.held)],
        ),
        ("Moved by grading again (earlier results: students/ID/history):", [*map(_move, summary.moved)]),
        ("Refused:", [f"{one.name}: {one.why}" for one in intake.refused]),
        ("Not graded for a fault of the grader; nothing is lost, run it again:", list(summary.faults)),
        ("Graded, but the result could not be written:", list(summary.unkept)),
        ("Workers of the cluster that were not used or were lost:", list(summary.workers)),
        ("The gradebook was made again:", [summary.said] if summary.said else []),
        ("The gradebook was not brought up to date; the results are kept:", list(summary.complaints)),
    ]
    return [(heading, lines) for heading, lines in found if lines]


def _move(move: Move) -> str:
    return f"{move.student}: {move.before:g} -> {move.after:g} ({', '.join(move.criteria)})"
