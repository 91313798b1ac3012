"""What commands share: their common options, and what these mean, in one object."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.base.errors import UsageError
from grader.base.text import one_line
from grader.course.load import find_course, load_course
from grader.course.model import Course, Exercise
from grader.course.platforms import Moodle
from grader.grading.score import points_text
from grader.lms.payload import Leaving, Withheld, leaving, settings_of
from grader.results.folder import GRADED, MARK, kept_roster, move_old_results, read_mark
from grader.results.late import Recharge
from grader.roster.roster import Roster, load_roster
from grader.sandbox.host import SANDBOXES

if TYPE_CHECKING:
    from grader.run.refresh import Outgoing

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)

_LONGEST_LINE = 400


def to_option(kind: click.Path, text: str, default: Path | None = None) -> Decorator:
    """Make the option --to, a FILE or FOLDER that a command writes."""
    name = "FILE" if kind is FILE else "DIR"
    return click.option(
        "--to", type=kind, metavar=name, help=text, default=default, show_default=default is not None
    )


# In the order in which help lists them; each key is the option's field in Call.
_OPTIONS: dict[str, Decorator] = {
    "rosters": click.option(
        "--roster",
        "rosters",
        multiple=True,
        type=FILE,
        metavar="FILE",
        help="Who takes the course: a CSV with id,name,email, or a platform's own people file. Without it "
        "the roster of the last run. Can be repeated.",
    ),
    "out": click.option(
        "--out",
        type=FOLDER,
        metavar="DIR",
        help="The folder of the results; without it graded/NAME/, with the exercise's name.",
    ),
    "only": click.option(
        "--only",
        multiple=True,
        metavar="STUDENT",
        help="Only this student, by id; everyone else stays as they are. Can be repeated.",
    ),
    "sandbox": click.option(
        "--sandbox",
        type=click.Choice(SANDBOXES),
        default="auto",
        show_default=True,
        help="Which jail runs the submissions; auto takes the best that works here.",
    ),
    "unsafe": click.option("--unsafe", is_flag=True, help="Allow --sandbox none, which protects nothing."),
    "private": click.option(
        "--private",
        type=FOLDER,
        metavar="DIR",
        help="A folder outside the repository with hidden tests of your own and their private.toml.",
    ),
    "exercise_name": click.option(
        "--exercise",
        "exercise_name",
        metavar="NAME",
        help="Which exercise, where a course has several.",
    ),
    "course_file": click.option(
        "--course",
        "course_file",
        type=FILE,
        metavar="FILE",
        help="The course file; without it course.toml in this folder or the nearest one above.",
    ),
    "quiet": click.option("--quiet", is_flag=True, help="Say only what went wrong."),
}


@dataclass(frozen=True)
class Call:
    """The shared options of one call, and what they mean. Files are read when they are first asked for."""

    course_file: Path | None = None
    exercise_name: str | None = None
    private: Path | None = None
    out: Path | None = None
    rosters: tuple[Path, ...] = ()
    only: tuple[str, ...] = ()
    sandbox: str = "auto"
    unsafe: bool = False
    quiet: bool = False

    @cached_property
    def course_path(self) -> Path:
        """The course file: the named one, or the nearest upwards. Raises UsageError if there is none."""
        return self.course_file or find_course(Path.cwd())

    @cached_property
    def course(self) -> Course:
        """The course, read and checked. Raises UsageError if there is none, or a file cannot be read."""
        return load_course(self.course_path, self.private)

    @property
    def each(self) -> Iterator[Call]:
        """This call for the named exercise, or without a name for every one except drafts."""
        named = [self.exercise] if self.exercise_name or not self.course.finished else self.course.finished
        yield from map(self.of, named)

    def of(self, exercise: Exercise) -> Call:
        """This call with the exercise named."""
        one = replace(self, exercise_name=exercise.name)
        vars(one)["course"] = self.course  # read and checked once
        return one

    @property
    def is_open(self) -> bool:
        """True if the course has several exercises, and neither a name nor OUT says which one is meant."""
        return not self._named and len(self.course.finished) > 1

    @property
    def _named(self) -> str | None:
        """The named exercise, or else the one that OUT is of."""
        mark = read_mark(self.out / MARK) if self.out and not self.exercise_name else None
        name = str(mark.get("exercise")) if mark else self.exercise_name
        return name if name in self.course.exercises else self.exercise_name

    def about(self, place: Path | None, platform: str = "") -> Call:
        """This call; if it is open, the call for the exercise that a path or a platform tells.

        A path tells it by a name in it, such as ``in/NAME`` or ``NAME.zip``; a platform if one exercise alone
        has settings (an assignment, where these exist) for it.
        """
        names = {Path(part).stem for part in place.parts} if place else set()
        named = [one for one in self.course.finished if one.name in names]
        there = [
            one
            for one in self.course.finished
            if (settings := one.platform.get(platform)) and getattr(settings, "assignment_id", True)
        ]
        return self._only(named or there)

    @property
    def graded(self) -> Call:
        """This call; if it is open, and one exercise alone has results in graded/, the call for that one."""
        return self._only(
            [one for one in self.course.finished if (GRADED / one.name / "scores.csv").is_file()]
        )

    def _only(self, found: Sequence[Exercise]) -> Call:
        return self.of(found[0]) if len(found) == 1 and self.is_open else self

    @cached_property
    def exercise(self) -> Exercise:
        """The named exercise, or the only one; without a name and with OUT given, the one that OUT is of."""
        return self.course.exercise(self._named)

    @cached_property
    def folder(self) -> Path:
        """OUT: the named folder, or graded/NAME; results of one exercise in graded/ are moved there.

        Raises:
            UsageError: What lies in graded/ is another course's.
            GraderError: Something could not be moved.
        """
        if self.out is not None:
            return self.out
        if moved := move_old_results(GRADED, self.course):
            self.say(moved, always=True)
        return GRADED / self.exercise.name

    @cached_property
    def roster(self) -> Roster | None:
        """The named roster, or else the one that OUT kept; None where there is neither."""
        path = kept_roster(self.folder, self.course)
        kept = None
        try:
            kept = load_roster([path]) if path else None
        except UsageError as error:
            if not self.rosters:
                raise
            self.say(f"{path} of the last run is replaced, because it cannot be used: {error}", always=True)
        if not self.rosters:
            return kept
        columns = settings_of(self.exercise, Moodle).columns
        roster = load_roster(self.rosters, columns, kept, self.course.id_column)
        for note in roster.notes:
            self.say(note, always=True)
        return roster

    def say(self, text: str, *, always: bool = False) -> None:
        """Print one line on stderr, bounded and without control characters; --quiet hides most lines."""
        if always or not self.quiet:
            click.echo(one_line(text, _LONGEST_LINE), err=True)

    def named(self, student: str, roster: Roster | None) -> str:
        """Return an id, in a terminal with the person's name behind it; logs hold no names."""
        person = roster.person(student) if roster and sys.stderr.isatty() else None
        return f"{student} ({person.name})" if person and person.name else student

    def leaving(self, leaves: Outgoing) -> Leaving:
        """Say what changed in OUT just now; return who leaves for a platform, of those in --only."""
        self.say_recharged(leaves.recharged)
        if leaves.said:
            self.say(leaves.said, always=True)
        found = leaving(leaves.results, leaves.roster, self.exercise, self.only)
        if count := sum(one.result.status == "missing" for one in found.sent):
            who = "student" if count == 1 else "students"
            self.say(f'{count} {who} who handed in nothing: 0 points (missing = "zero")', always=True)
        for one in found.sent:
            if one.result.points > self.exercise.points:
                who, points = self.named(one.person.id, leaves.roster), points_text(one.result.points)
                above = f"{points} points are more than the maximum of {self.exercise.points}"
                self.say(f"{who}: {above}; a platform may refuse or ignore them", always=True)
        return found

    def say_withheld(self, withheld: Iterable[Withheld], roster: Roster | None) -> bool:
        """Print who is not sent, and why; return whether a graded score is among them."""
        found = sorted(withheld, key=lambda one: one.student)
        for one in found:
            self.say(f"{self.named(one.student, roster)}: {one.why}", always=one.lost)
        return any(one.lost for one in found)

    def say_recharged(self, changes: Iterable[Recharge]) -> None:
        """Print for each student the new cost of lateness."""
        for change in changes:
            self.say(f"{change.student}: lateness costs {change.after:g} points now, not {change.before:g}")


def shared_options(*names: str, exercise: bool = True) -> Decorator:
    """Give a command --course, --exercise (unless told not to), and shared options by their field in Call.

    The command gets a Call as its first argument in their place. It must be the innermost decorator.
    """
    always = ("exercise_name", "course_file") if exercise else ("course_file",)
    chosen = [name for name in _OPTIONS if name in (*names, *always)]

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def command(**given: Any) -> Any:
            call = Call(**{name: given.pop(name) for name in chosen})
            return function(call, **given)

        decorated: Callable[..., Any] = command
        for name in reversed(chosen):
            decorated = _OPTIONS[name](decorated)
        return decorated

    return decorate
