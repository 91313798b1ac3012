"""Make the table of answers: what the solution and every misconception answer to the calls of the tests."""

import ast
import contextlib
import io
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from grader.check.runs import VersionRun, run_in_sandbox
from grader.check.versions import Misconceptions, Version, constant_digests, solution
from grader.course.model import Course, Exercise
from grader.grading.diagnosis import (
    UNCHANGED,
    Answers,
    Misconception,
    TaskTable,
    alike,
    answer_table_bytes,
)
from grader.lesson.own_code import Limit
from grader.sandbox.inside.serve import Server
from grader.sandbox.reply import check_verdict
from grader.sandbox.tiers import Tier
from grader.suite.run import Exchange, answer_digests


def make_diagnoses(course: Course, exercise: Exercise, tier: Tier) -> bytes:
    """Make the table from which students' mistakes are named."""
    right = solution(course, exercise)
    runs, _ = run_in_sandbox(course, exercise, tier, [right])
    return make_table(Misconceptions(course, exercise), right, runs[right.name])


def make_table(registry: Misconceptions, right: Version, on_right: VersionRun) -> bytes:
    """Make the table of answers from the solution's run, and from the same calls of every misconception.

    A wrong function is called by itself: what others of the solution call it for must not matter.
    """
    tables: dict[str, TaskTable] = {}
    calls: dict[str, list[Exchange]] = defaultdict(list)
    marked = {exchange.request["name"] for exchange in on_right.exchanges if exchange.test}
    for exchange in on_right.exchanges:
        if exchange.request["verb"] == "call":
            calls[exchange.request["name"]].append(exchange)
    nodes = (node for data in right.files.values() for node in ast.parse(data).body)
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef) and node.returns]
    # The answer of a function that promises a float may be any real number.
    shares = {node.name for node in functions if node.returns and ast.unparse(node.returns) == "float"}
    for task, answers in on_right.answers.items():
        asked, table = calls[task], TaskTable({}, any_number=task in shares)
        expected = {c: table.answer(a) for c, a in answers.items() if asked or c in marked}
        found = []
        for entry in registry.entries(task):
            given = _answers(table, entry.function, asked) if asked else constant_digests(entry.constants)
            wrong = {call: answer for call, answer in given.items() if answer != expected.get(call)}
            true_of = getattr(entry, "true_of", "")
            found.append(Misconception(entry.id, str(entry.explanation), wrong, true_of))
        table = replace(table, right=expected, misconceptions=tuple(found))
        if asked:
            groups: dict[str, list[str]] = defaultdict(list)  # the calls with equal arguments
            for one, call in zip(asked, answers, strict=True):
                groups[repr([one.request["arguments"], one.request["keywords"]])].append(call)
            table = replace(table, repeated=tuple(tuple(some) for some in groups.values() if len(some) > 1))
            tables[task] = replace(table, together=tuple(_together(table, registry, task, asked)))
        else:
            tables[task] = replace(table, reflections=tuple(registry.reflections(answers)))
    return answer_table_bytes(tables)


def _answers(table: TaskTable, function: Callable[..., Any], asked: Iterable[Exchange]) -> dict[str, str]:
    """Make the calls of the tests to a function, and return the digests of its answers."""
    limit = Limit(1.0)
    exchanges = [Exchange(e.test, e.request, verdict_of(function, e.request, limit), {}) for e in asked]
    return {call: table.answer(a) for some in answer_digests(exchanges).values() for call, a in some.items()}


def _together(
    table: TaskTable, registry: Misconceptions, task: str, exchanges: Sequence[Exchange]
) -> Iterable[tuple[tuple[str, ...], Answers]]:
    """Call misconceptions that occur together, and keep what follows from no single one of them.

    Those that remember earlier calls are left out, and those that nothing tells from simpler ones. A name is
    left out where its sentence, which is about kinds of answers, is not true of all together.
    """
    parts = {one.name: one for one in table.misconceptions}
    forgetful = {
        name
        for name, one in parts.items()
        if all(len({one.wrong[call] for call in group if call in one.wrong}) <= 1 for group in table.repeated)
    }
    seen = {tuple(sorted(one.wrong.items())) for one in table.misconceptions}
    for names, function in registry.together(task):
        if not forgetful.issuperset(names):
            continue
        given = _answers(table, function, exchanges)
        key = tuple(sorted((c, a) for c, a in given.items() if a != table.right.get(c)))
        if key in seen:
            continue
        seen.add(key)
        true = tuple(name for name in names if _is_true(parts[name], given, table.right))
        follows = {**table.right, **table.wrong_together(true, {})}
        really = {call: given.get(call, UNCHANGED) for call in (*given, *follows)}
        yield true, {call: answer for call, answer in really.items() if answer != follows.get(call)}


def _is_true(part: Misconception, given: Answers, right: Answers) -> bool:
    """True unless a misconception that shows in the kinds of answers does not show in these."""
    if part.true_of != "kind":
        return True
    shows = any(given[call] != right[call] for call in part.wrong)
    return shows and all(alike(given[call], answer, right[call]) for call, answer in part.wrong.items())


def verdict_of(
    function: Callable[..., Any], request: Mapping[str, Any], limit: Limit | None = None
) -> dict[str, Any]:
    """Call one of the course's own functions in this process, as the jailed child would, within a limit."""

    def call() -> dict[str, Any]:
        with contextlib.redirect_stdout(io.StringIO()):
            return Server(-1, 0).call(function, dict(request))[0]

    reply = (limit or Limit(1.0)).call(call)
    if reply is None:
        return {"kind": "stopped", "reason": "time"}
    if reply.get("classes", [])[:1] == ["KeyboardInterrupt"]:
        raise KeyboardInterrupt
    return check_verdict({**reply, "n": ""}, "", request)
