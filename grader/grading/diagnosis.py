"""Recognise misconceptions: which wrong versions give the same wrong answers as the submission.

``solutions/NAME/diagnoses.json`` holds, as digests, the answers of the solution and of every misconception to
every call of the tests, and those of misconceptions that occur together. `grader build` writes it; `grader
check` reports a file that is out of date. Nothing is said unless it is true of all answers: either known
mistakes explain each of them, or the answers' kinds alone show one.
"""

import itertools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from grader.base.errors import CourseError
from grader.course.model import Course, Exercise
from grader.grading.score import Diagnosis
from grader.suite.run import CHANGED

TABLE = "diagnoses.json"
MOST_SAID = 3  # misconceptions that are said of one function
_MOST_KNOWN = 4096
_FEWEST = 2  # answers that must show a misconception which their kinds alone give away
_FLOATS = str.maketrans("iqIQ", "ffFF")

UNCHANGED = "-"  # stands for the digest of changed arguments where none were changed

Answers = Mapping[str, str]  # the digest of a call (or a constant's name) -> the digest of its answer


@dataclass(frozen=True)
class Misconception:
    """A named wrong version: its sentence for students, and its wrong answers.

    ``true_of`` says when the sentence is true of answers that are wrong in other ways as well: ``kind`` where
    their kinds are those of this version, ``memory`` where equal calls are answered differently.
    """

    name: str
    explanation: str
    wrong: Answers
    true_of: str = ""


@dataclass(frozen=True)
class Reflection:
    """What an unmarked answer says beside a marked one: its id and its sentence."""

    name: str
    sentence: str


@dataclass(frozen=True)
class TaskTable:
    """The right answers of a task, the misconceptions about it, and those that occur together."""

    right: Answers
    misconceptions: tuple[Misconception, ...] = ()
    together: tuple[tuple[tuple[str, ...], Answers], ...] = ()  # names, and answers that follow from no one
    repeated: tuple[tuple[str, ...], ...] = ()  # calls with equal arguments
    any_number: bool = False  # an int, a float and a Fraction are one answer
    reflections: tuple[tuple[Reflection, Answers], ...] = ()  # with the constants to which each is said

    def answer(self, digest: str) -> str:
        """The digest with the kinds of numbers that this task does not tell apart as one."""
        return digest[:-1] + digest[-1:].translate(_FLOATS) if self.any_number else digest

    @cached_property
    def versions(self) -> tuple[tuple[tuple[str, ...], Answers], ...]:
        """The names and wrong answers of each misconception, and of those that occur together."""
        single = tuple(((one.name,), one.wrong) for one in self.misconceptions)
        return (*single, *((names, self.wrong_together(names, more)) for names, more in self.together))

    @cached_property
    def explaining(self) -> Callable[..., list[Misconception]]:
        """:func:`_explaining` with this table; what many submissions answer is explained once."""

        @lru_cache(_MOST_KNOWN)
        def explaining(
            answers: frozenset[tuple[str, str]], *, only_if_sure: bool = False
        ) -> list[Misconception]:
            return _explaining(self, dict(answers), only_if_sure=only_if_sure)

        return explaining

    def wrong_together(self, names: tuple[str, ...], differing: Answers) -> dict[str, str]:
        """The wrong answers of misconceptions that occur together; the first has most weight."""
        parts = {one.name: one.wrong for one in self.misconceptions}
        expected = dict(self.right)
        for name in reversed(names):
            expected |= parts[name]
        expected |= differing
        return {call: a for call, a in expected.items() if a != self.right.get(call, UNCHANGED)}


AnswerTable = Mapping[str, TaskTable]  # for each function, and for each file of constants, its table


def diagnose(
    table: AnswerTable, answers: Mapping[str, Answers], visible: Mapping[str, Answers]
) -> tuple[Diagnosis, ...]:
    """Name the misconceptions behind a submission's wrong answers, function by function.

    ``answers`` are all, ``visible`` those to visible tests. If the visible ones leave no doubt, they decide
    alone, and the diagnosis tells nothing of hidden tests. Otherwise all decide, and at most one
    misconception a function is named: a submission could choose among them to tell of a hidden call.
    """
    found = []
    for task, entry in table.items():
        plain = entry.explaining(frozenset(visible.get(task, {}).items()), only_if_sure=True)[:MOST_SAID]
        named = plain or entry.explaining(frozenset(answers.get(task, {}).items()))[:1]
        found += [Diagnosis(task, one.name, one.explanation, from_hidden=not plain) for one in named]
    return tuple(found)


def reflect(table: AnswerTable, answers: Mapping[str, Answers]) -> Reflection | None:
    """Find what is said to a submission's prediction and its closing answer; None for any other answers."""
    for task, entry in table.items():
        for reflection, wanted in entry.reflections:
            if wanted.items() <= answers.get(task, {}).items():
                return reflection
    return None


def _explaining(table: TaskTable, answers: Answers, *, only_if_sure: bool) -> list[Misconception]:
    """Find the misconceptions that give exactly the wrong answers, or that are true of their kinds.

    With ``only_if_sure`` none that others could take the place of.
    """
    # Calls that the table does not know come from a private test, or follow a changed list.
    given = {
        call: table.answer(answer)
        for call, answer in answers.items()
        if call.removesuffix(CHANGED) in table.right
    }
    wrong = {call: answer for call, answer in given.items() if table.right.get(call) != answer}
    if not wrong:
        return []

    consistent = not any(
        len({given[call] for call in calls if call in given and given[call][-1] != "x"}) > 1
        for calls in table.repeated
    )
    exact = _exactly(table, given, wrong, without_memory=consistent)
    sentences = {tuple(one.explanation for one in group) for group in exact}
    if exact:
        return [] if only_if_sure and len(sentences) > 1 else exact[0]
    if all(answer[-1] in "ex" for answer in given.values()):
        return []
    if not consistent:
        return [one for one in table.misconceptions if one.true_of == "memory"][:1]
    found = []
    for one in (one for one in table.misconceptions if one.true_of == "kind"):
        shown = _shown(one.wrong, given)
        if not any(answer[-1] == "e" for answer in shown.values()):
            # An error in place of a value says nothing about the kind of the values.
            shown = {c: a for c, a in shown.items() if given[c][-1] != "e" or table.right[c][-1] == "e"}
        enough = len(shown) >= _FEWEST and shown.keys() & wrong.keys()
        if enough and all(alike(given[call], answer, table.right[call]) for call, answer in shown.items()):
            same = all(given[call][-1] == answer[-1] for call, answer in shown.items())
            found.append((one, shown.keys(), same))
    # Nothing is said of some calls where it is said of these and more, or of the same more exactly.
    return [
        one
        for one, calls, same in found
        if not any(exact and (calls < more or (calls == more and not same)) for _, more, exact in found)
    ]


def _exactly(
    table: TaskTable, given: Answers, wrong: Answers, *, without_memory: bool
) -> list[list[Misconception]]:
    """Find the fewest misconceptions that give exactly the wrong answers, in every way that there is.

    With ``without_memory``, which says that equal calls had equal answers, none that remembers earlier calls
    is put together with another: its answers would only stand in for those of an unknown mistake.
    """
    known = {one.name: one for one in table.misconceptions}
    # Whoever made all calls shows all that a version gets wrong.
    shown = (lambda answers, _: answers) if table.right.keys() <= given.keys() else _shown
    fitting = [(names, shown(answers, given)) for names, answers in table.versions]
    fitting = [(names, calls) for names, calls in fitting if calls and calls.items() <= wrong.items()]
    fitting.sort(key=lambda item: (len(item[0]), -len(item[1])))
    singles = [
        item
        for item in fitting
        if len(item[0]) == 1 and not (without_memory and known[item[0][0]].true_of == "memory")
    ]
    found: list[list[Misconception]] = []
    for group in itertools.chain(
        ((item,) for item in fitting),
        itertools.combinations(singles, 2),
        ((item, one) for item in fitting if len(item[0]) > 1 for one in singles),
        itertools.combinations(singles, 3),
    ):
        if sum(len(calls) for _, calls in group) < len(wrong):
            continue
        if dict(pair for _, calls in group for pair in calls.items()) == wrong:
            # What these calls cannot show is not said.
            named = dict.fromkeys(name for names, _ in group for name in names)
            said = [known[name] for name in named if shown(known[name].wrong, given)]
            if not found or len(said) <= len(found[0]):
                found.append(said)
    return found


def _shown(version: Answers, given: Answers) -> dict[str, str]:
    """The answers of a version to the calls that were made."""
    return {call: answer for call, answer in version.items() if call.removesuffix(CHANGED) in given}


def alike(given: str, version: str, right: str) -> bool:
    """True if an answer is wrong in the same way as a version's, judged by its kind."""
    if given == version:
        return True
    kind = given[-1]
    if version[-1] == "e" and right[-1] == "e":  # another kind of error than the one that is asked for
        return kind == "e" and given != right
    if right[-1] == "e" and version[-1] in "ifqIFQ":  # no error at all: any value will do
        return kind not in "ex"
    if version[-1] in "IFQ":  # it can be negative
        return kind in "IFQ" or given == right
    return kind == version[-1] and kind not in "eox"


def table_path(course: Course, exercise: Exercise) -> Path:
    """Where an exercise's table of answers lies: in ``solutions/``, which is never released."""
    return course.root / "solutions" / exercise.name / TABLE


def load_answer_table(course: Course, exercise: Exercise) -> AnswerTable:
    """Load the exercise's table of answers; an empty one if there is no file."""
    path = table_path(course, exercise)
    try:
        return parse_answer_table(path.read_bytes()) if path.is_file() else {}
    except (ValueError, LookupError, TypeError, AttributeError):
        name = path.relative_to(course.root).as_posix()
        raise CourseError(f"{name} is damaged; make it again with: grader build.") from None


@lru_cache(maxsize=8)
def parse_answer_table(data: bytes) -> AnswerTable:
    """Read the content of the file."""
    tables: dict[str, TaskTable] = {}
    for task, entry in json.loads(data).items():
        digests = entry["digests"].split()

        def answers(pairs: str, digests: list[str] = digests) -> Answers:
            places = (pair.split(":") for pair in pairs.split())
            return {digests[int(call)]: digests[int(answer)] for call, answer in places}

        tables[task] = TaskTable(
            answers(entry["right"]),
            tuple(
                Misconception(name, one["explanation"], answers(one["wrong"]), one.get("true_of", ""))
                for name, one in entry["misconceptions"].items()
            ),
            tuple((tuple(names.split()), answers(pairs)) for names, pairs in entry["together"]),
            tuple(tuple(digests[int(call)] for call in group.split()) for group in entry["repeated"]),
            entry["any_number"],
            tuple(
                (Reflection(name, one["sentence"]), answers(one["given"]))
                for name, one in entry["reflections"].items()
            ),
        )
    return tables


def answer_table_bytes(tables: AnswerTable) -> bytes:
    """Write the table of answers as JSON; pairs CALL:ANSWER are places (from 0) in ``digests``."""
    written: dict[str, Any] = {}
    for task, table in tables.items():
        places: dict[str, int] = {}
        right = _pairs(table.right, places)
        misconceptions = {
            one.name: {
                "explanation": one.explanation,
                **({"true_of": one.true_of} if one.true_of else {}),
                "wrong": _pairs(one.wrong, places),
            }
            for one in table.misconceptions
        }
        together = [[" ".join(names), _pairs(answers, places)] for names, answers in table.together]
        repeated = [" ".join(str(places[call]) for call in group) for group in table.repeated]
        reflections = {
            one.name: {"sentence": one.sentence, "given": _pairs(given, places)}
            for one, given in table.reflections
        }
        written[task] = {
            "digests": " ".join(places),
            "right": right,
            "any_number": table.any_number,
            "repeated": repeated,
            "misconceptions": misconceptions,
            "together": together,
            "reflections": reflections,
        }
    return (json.dumps(written, indent=1) + "\n").encode()


def _pairs(answers: Answers, places: dict[str, int]) -> str:
    """Answers as pairs of places; a digest that is new gets the next free place."""
    return " ".join(
        f"{places.setdefault(call, len(places))}:{places.setdefault(answer, len(places))}"
        for call, answer in answers.items()
    )


def known_constants(table: AnswerTable, exercise: Exercise) -> dict[str, list[str]]:
    """The constants that are read from each file of a submission."""
    found = {}
    for task in exercise.tasks:
        if task.of_constants and (entry := table.get(task.name)):
            unmarked = [name for _, given in entry.reflections for name in given]
            found[task.file] = [*dict.fromkeys((*entry.right, *unmarked))]
    return found
