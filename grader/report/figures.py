"""Work out what a report on a class says: shares, discrimination, misconceptions, copies, advice.

Test students of a platform count nowhere. Shares are of those who were graded; points are those of the
tests, before points by hand and lateness.
"""

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.base.flags import MANUAL, MEANINGS, TEST_STUDENT
from grader.course.model import Exercise
from grader.grading.score import FinalResult
from grader.results.history import Move

ENOUGH = 10  # students from whom on a criterion's discrimination is worked out, and advice is given
_GOOD = 0.25  # the share of a class, by their other points, that counts as its good students


@dataclass(frozen=True)
class CriterionFigures:
    """One criterion: the share of the graded that earned it, how it agrees with the rest, and its states."""

    id: str
    task: str
    visibility: str
    sentence: str
    points: int
    share: float
    discrimination: float | None  # point-biserial correlation with other points; None for all, none or few
    good: float  # the share of the good students
    states: Mapping[str, int]


@dataclass(frozen=True)
class Group:
    """Something that several students have in common: its name, what it means, and who."""

    name: str
    text: str
    students: tuple[str, ...]


@dataclass(frozen=True)
class ClassFigures:
    """All figures of a class. ``results`` are of everyone but test students, sorted by student."""

    results: tuple[FinalResult, ...]
    points: tuple[float, ...]
    max_points: int
    tasks: Mapping[str, float]
    criteria: tuple[CriterionFigures, ...]
    statuses: tuple[Group, ...]
    misconceptions: tuple[Group, ...]
    predictions: tuple[Group, ...]
    flags: tuple[Group, ...]
    late: tuple[Group, ...]
    by_hand: tuple[Group, ...]
    copies: tuple[Group, ...]
    moves: tuple[Move, ...]
    seconds: Mapping[str, float]
    memory: Mapping[str, float]
    advice: tuple[str, ...]


def work_out(
    exercise: Exercise,
    results: Iterable[FinalResult],
    *,
    copies: Sequence[Sequence[str]] = (),
    moves: Sequence[Move] = (),
    seconds: Mapping[str, float] | None = None,
    memory: Mapping[str, float] | None = None,
) -> ClassFigures:
    """Work out all figures of a class from everyone's final results.

    ``seconds`` are the CPU seconds of each student's code, ``memory`` is the most that it held in MiB, as far
    as known.
    """
    known = sorted((r for r in results if TEST_STUDENT not in r.flags), key=lambda result: result.student)
    graded = [result for result in known if result.submission and result.criteria and _was_run(result)]
    earned = {
        criterion.id: [_earned(result, criterion.id) for result in graded] for criterion in exercise.criteria
    }
    totals = [points_of_tests(result) for result in graded]
    criteria = tuple(_criterion(exercise, c.id, earned[c.id], totals, graded) for c in exercise.criteria)
    tasks = {
        task.name: _share(
            [points_of_tests(result, task.name) for result in graded],
            sum(c.points for c in exercise.criteria_of(task.name)) * len(graded),
        )
        for task in exercise.tasks
        if task.name in exercise.marked
    }
    return ClassFigures(
        results=tuple(known),
        points=tuple(float(result.points) for result in known if result.score is not None),
        max_points=exercise.points,
        tasks=tasks,
        criteria=criteria,
        statuses=_groups((result.status, "", result.student) for result in known),
        misconceptions=_groups(
            (one.misconception, one.explanation, result.student)
            for result in known
            for one in result.diagnoses
        ),
        predictions=_groups((result.prediction, "", result.student) for result in graded),
        flags=_groups((flag, MEANINGS.get(flag, ""), r.student) for r in known for flag in r.flags),
        late=_groups(
            (f"{result.taken_off:f} points", "", result.student) for result in known if result.taken_off
        ),
        by_hand=_groups(("points by hand", "", r.student) for r in known if MANUAL in r.flags),
        copies=tuple(Group(f"group {n}", "", tuple(sorted(one))) for n, one in enumerate(copies, 1)),
        moves=tuple(moves),
        seconds=dict(seconds or {}),
        memory=dict(memory or {}),
        advice=tuple(_advice(criteria, earned, len(graded), copies)),
    )


def _was_run(result: FinalResult) -> bool:
    """True unless nothing of it could be graded; points by hand do not make a run."""
    return any(one.status != "not-run" for one in result.criteria) or result.score is not None


def points_of_tests(result: FinalResult, task: str = "") -> int:
    """The points that the tests gave, of one task or of all, whatever a person gave since."""
    passed = (one for one in result.criteria if one.status == "passed" and task in ("", one.task))
    return sum(one.max_points for one in passed)


def _earned(result: FinalResult, criterion: str) -> int:
    return int(any(one.id == criterion and one.status == "passed" for one in result.criteria))


def _share(earned: Sequence[float], of: float) -> float:
    return sum(earned) / of if of else 0.0


def _criterion(
    exercise: Exercise,
    name: str,
    earned: Sequence[int],
    totals: Sequence[int],
    graded: Sequence[FinalResult],
) -> CriterionFigures:
    criterion = next(one for one in exercise.criteria if one.id == name)
    rest = [total - criterion.points * one for total, one in zip(totals, earned, strict=True)]
    discrimination = None
    if len(graded) >= ENOUGH and len(set(earned)) > 1 and len(set(rest)) > 1:
        discrimination = statistics.correlation(earned, rest)
    best = sorted(zip(rest, earned, strict=True), reverse=True)[: max(1, round(len(graded) * _GOOD))]
    states = Counter(one.status for result in graded for one in result.criteria if one.id == name)
    return CriterionFigures(
        id=name,
        task=criterion.task,
        visibility=criterion.visibility,
        sentence=criterion.sentence,
        points=criterion.points,
        share=_share(earned, len(earned)),
        discrimination=discrimination,
        good=_share([one for _, one in best], len(best)),
        states={str(state): count for state, count in states.items()},
    )


def _groups(found: Iterable[tuple[str, str, str]]) -> tuple[Group, ...]:
    """Group students by name; the largest group first."""
    students: dict[str, list[str]] = defaultdict(list)
    texts: dict[str, str] = {}
    for name, text, student in found:
        if name:
            students[name].append(student)
            texts.setdefault(name, text)
    groups = [Group(name, texts[name], tuple(sorted(some))) for name, some in students.items()]
    return tuple(sorted(groups, key=lambda group: (-len(group.students), group.name)))


def _advice(
    criteria: Sequence[CriterionFigures],
    earned: Mapping[str, Sequence[int]],
    graded: int,
    copies: Sequence[Sequence[str]],
) -> Iterator[str]:
    """What an instructor may want to look at, each a sentence."""
    if graded < ENOUGH:
        yield f"With {graded} graded students there is no advice on criteria; it needs {ENOUGH}."
    else:
        yield from filter(None, map(_oddity, criteria))
        alike: dict[tuple[int, ...], list[str]] = defaultdict(list)
        for one in criteria:
            if 0 < one.share < 1:
                alike[tuple(earned[one.id])].append(one.id)
        for *some, last in alike.values():
            if some:
                both = f"{', '.join(some)} and {last}"
                yield f"{both} were earned by the same students: one of them may be enough."
    if copies:
        many = "is 1 group" if len(copies) == 1 else f"are {len(copies)} groups"
        yield f"There {many} of hand-ins that are copies of each other; short right answers often are."


def _oddity(one: CriterionFigures) -> str:
    """What is odd about a criterion; empty if nothing is."""
    if one.share in (0, 1):
        who = "Everybody" if one.share else "Nobody"
        return f"{who} earned {one.id}: it tells nobody apart; is it worth its points?"
    if one.good < 0.5:
        best = f"{one.good:.0%} of the best quarter have it"
        return f"Good students miss {one.id} ({best}): read its tests and its hint."
    if one.discrimination is not None and one.discrimination < 0:
        return f"Those who earn {one.id} have fewer other points than the others: read its tests."
    return ""
