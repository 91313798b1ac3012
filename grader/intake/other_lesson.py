"""Recognise what was handed in for another exercise of the course, so that it does not count as a zero."""

import re
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from itertools import takewhile
from pathlib import Path

from grader.base.errors import GraderError
from grader.course.model import Exercise
from grader.intake.answers import asked_in, names_in
from grader.intake.helper_files import max_bytes, read_within
from grader.sources.archives import open_source
from grader.sources.names import split_ending
from grader.sources.reader import read_one
from grader.sources.tree import Member

_MAX_SEARCHED = 50
_MAX_NOTEBOOK = 8 << 20
_LISTING_SECONDS = 120.0
_LINE_STARTS = re.compile(rb"\"|\\n")  # in a notebook: a quotation mark, and a line end as JSON writes it


def other_exercise(members: Sequence[Member], exercise: Exercise) -> Exercise | None:
    """Return the exercise of the course that the files answer, if they answer nothing of this one.

    The functions and constants that they define decide; where they define nothing, their file names do. The
    text is searched, so that half a file and a damaged notebook count too.
    """
    if not exercise.others:
        return None
    own = asked_in(exercise, *exercise.files)
    asked = {one.name: asked_in(one, *one.files) for one in exercise.others}
    unique = own.difference(*asked.values())
    found: set[str] = set()
    sources = [m for m in members if split_ending(m.name)[1] in ("py", "ipynb")]
    names = {*exercise.files, exercise.notebook}
    for member in sorted(sources, key=lambda one: one.name not in names)[:_MAX_SEARCHED]:
        is_notebook = member.name.endswith("ipynb")
        data = read_within(member, _MAX_NOTEBOOK if is_notebook else max_bytes(exercise)) or b""
        found |= names_in(_LINE_STARTS.sub(b"\n", data) if is_notebook else data)
        if found & unique:
            return None
    best = max(exercise.others, key=lambda one: len(found & asked[one.name] - own))
    if found & asked[best.name] - own:
        return best
    there = {m.name for m in sources}
    others = (one for one in exercise.others if there & {*one.files, one.notebook})
    return None if there & names else next(others, None)


def exercise_of(paths: Sequence[Path], exercises: Sequence[Exercise]) -> Exercise | None:
    """Return the exercise that the files of most hand-ins are named for; None if that is none or several.

    A file is named for an exercise if its name contains the name of one of that exercise's files, which no
    other exercise has. A folder of the class is one hand-in, however many files it has. Archives inside an
    archive are not opened.
    """
    stems = [{name.removesuffix(".py") for name in one.files} for one in exercises]
    unique = [own.difference(*stems[:place], *stems[place + 1 :]) for place, own in enumerate(stems)]

    def count() -> list[int]:
        found: list[set[tuple[int, str]]] = [set() for _ in unique]
        for place, path in enumerate(paths):
            with ExitStack() as stack:
                there = [member.parts for member in open_source(path, stack).members]
            # The folders around the whole class are those that the first and the last folder share.
            folders = [parts[:-1] for parts in there] or [()]
            pairs = zip(min(folders), max(folders), strict=False)
            around = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            for parts in there:
                for own, hand_ins in zip(unique, found, strict=True):
                    if any(stem in parts[-1].casefold() for stem in own):
                        hand_ins.add((place, parts[around]))
        return [len(hand_ins) for hand_ins in found]

    try:
        counts = read_one(count, list[int], _LISTING_SECONDS)
    except GraderError:  # grading reads the same paths and says what is wrong
        return None
    best = max(counts)
    return exercises[counts.index(best)] if best and counts.count(best) == 1 else None


def without_others(members: Sequence[Member], exercise: Exercise, names: Collection[str]) -> Sequence[Member]:
    """Leave out the folders of other exercises, unless none of the expected ``names`` lies elsewhere."""
    others = {one.name for one in exercise.others}
    left = [m for m in members if others.isdisjoint(m.parts[:-1])]
    return left if any(m.name in names for m in left) else members
