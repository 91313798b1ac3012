"""Search what students get for anything of ``solutions/``, ``tests/hidden/`` or a hidden criterion."""

import ast
import copy
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from grader.base.files import read_text
from grader.course.model import Course, Exercise, test_file
from grader.lesson.own_code import DRAWING, SOURCE
from grader.lesson.stubs import LIKE_A_MARK, regions, stub_text

SHORTEST = 16  # a line of code with fewer characters (without blanks) is no secret: anyone might write it
SHORTEST_SENTENCE = 25  # the same for a sentence
SHORTEST_FORMULA = 10  # the same for an expression of the solution that stands in a sentence

_ONE_WORD = re.compile(r"\W*\w+\W*")


def leaks(
    course: Course, exercise: Exercise, files: Mapping[str, bytes], own: Mapping[str, bytes]
) -> list[str]:
    """List what ``files`` must not hold, each as a clause: the file and what it holds.

    ``own`` are the plugin's files, which are the same for every exercise: they are not searched, and their
    lines are no secret. Blanks don't count, so a line is found at any indentation.
    """
    # What no student gets, by path in the course or in ``private/``.
    folders = {
        place: course.root / place
        for place in (f"solutions/{exercise.name}", f"tests/hidden/{exercise.name}")
    }
    folders |= {"private": course.private} if course.private else {}
    withheld = {
        f"{shown}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for shown, folder in folders.items()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    }
    # Lines of a stub are public. The stub is made anew from its source, in case the released one is wrong.
    solutions = [f"solutions/{exercise.name}/{name}" for name in exercise.files]
    shared = [stub_text(withheld.get(path, b"").decode("utf-8", "replace"), path) for path in solutions]
    shared += [data.decode() for name, data in files.items() if name.startswith("test_") or name in own]
    public = {_dense(line) for text in shared for line in text.splitlines()}
    secrets = [*_secrets(withheld, public)]
    found: list[str] = []
    for name, data in files.items():
        if name not in own:
            found += [f"{name} is {path}" for path, whole in withheld.items() if whole and whole == data]
            found += [f"{name} {what}" for what in _found(name, text_of(name, data), secrets, exercise)]
    return found


def text_of(name: str, data: bytes) -> str:
    """A file as text; of a notebook or other JSON all texts in it, because JSON has escapes."""

    def strings(tree: Any) -> Iterator[str]:
        if isinstance(tree, str):
            yield tree
        for item in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
            yield from strings(item)

    text = data.decode("utf-8", "replace")
    return "\n".join(strings(json.loads(text))) if name.endswith((".ipynb", ".json")) else text


def _found(name: str, text: str, secrets: list[tuple[str, str]], exercise: Exercise) -> Iterator[str]:
    if mark := LIKE_A_MARK.search(text):
        yield f"holds the mark {mark[0]!r}"
    dense = _dense(text)
    yield from (f"holds {what}" for secret, what in secrets if secret in dense)
    words = set(re.findall(r"[\w-]+", text))
    visible = {c.hint for c in exercise.criteria if c.visibility == "visible"}
    for criterion in exercise.criteria:
        # Its sentence is no secret: the handout lists what hidden tests are about. An id of a single word may
        # stand anywhere, and a notebook has an empty cell for the hidden test, with its id.
        names = {criterion.tests}
        if "-" in criterion.id and not name.endswith(".ipynb"):
            names.add(criterion.id)
        is_told = criterion.hint not in visible and _dense(criterion.hint) in dense
        if criterion.visibility == "hidden" and (is_told or names & words):
            yield f"tells of the hidden criterion {criterion.id!r}"


def _secrets(withheld: Mapping[str, bytes], public: set[str]) -> Iterator[tuple[str, str]]:
    """Find the lines of code and the sentences of withheld files that are long enough and not public.

    Of a file that marks its solutions only their lines are secret: its docstrings are in the stub. Yields
    each without blanks, and where it comes from.
    """
    for path, data in withheld.items():
        name = Path(path).name
        if not name.endswith(".py") or name in (DRAWING, SOURCE):  # a picture may show the lines that draw it
            continue
        source = data.decode("utf-8", "replace")
        lines = source.splitlines()
        marks = [*regions(lines, path)]
        inside = [range(begun + 1, ended) for begun, ended in marks]
        for number in itertools.chain(*inside) if marks else range(1, len(lines) + 1):
            line = _dense(lines[number - 1])
            if len(line) >= SHORTEST and line not in public and not _ONE_WORD.fullmatch(line):
                yield line, f"line {number} of {path}"
        for node in () if marks else ast.walk(ast.parse(source)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for sentence in map(_dense, re.split(r"(?<=[.?!:;])\s", node.value)):
                    if len(sentence) >= SHORTEST_SENTENCE and not any(sentence in line for line in public):
                        yield sentence, f"a text from line {node.lineno} of {path}"


def _dense(text: str) -> str:
    return "".join(text.split())


def given_away(
    course: Course, exercise: Exercise, texts: Iterable[tuple[str, str]], calls: Iterable[str] = ()
) -> Iterator[tuple[str, str]]:
    """Find texts for students that spell a call of a hidden test, or an expression of the solution.

    ``texts`` are sentences and their places; those of course.toml are searched, too. ``calls`` are more calls
    of hidden tests than stand there with literal arguments. What stubs and visible tests hold is no secret.
    Blanks, quotes and backticks don't count. Yields the place, and a clause that says what is given away.
    """
    solutions = [f"solutions/{exercise.name}/{name}" for name in exercise.files]
    sources = {path: read_text(course.root / path, path) for path in solutions}
    tests: dict[str, str] = {"visible": "", "hidden": ""}
    for path, visibility in {test_file(course, exercise, c): c.visibility for c in exercise.criteria}.items():
        tests[visibility] += read_text(path, f"tests/{visibility}/{exercise.name}/{path.name}") + "\n"
    stubs = [stub_text(text, path) for path, text in sources.items()]
    public = _bare("\n".join([tests["visible"], *stubs]))
    secrets = {
        _bare(call): f"gives away a call of the hidden tests, {call}; write other numbers"
        for call in sorted(
            {*calls, *_calls(tests["hidden"], exercise)} - {*_calls(tests["visible"], exercise)}
        )
    }
    for where, source in sources.items():
        for line, formula in _formulas(source, where):
            secrets[_bare(formula)] = f"gives away line {line} of {where}, {formula}; say it in words"
    told = [*texts]
    for one in exercise.criteria:
        key = f"{one.file}: exercise.{exercise.name}.criterion.{one.id}"
        told += [(f"{key}.sentence", one.sentence), (f"{key}.hint", one.hint)]
    for task in exercise.tasks:
        key = f"course.toml: exercise.{exercise.name}.task.{task.name}"
        told += [(f"{key}.hints", hint) for hint in task.hints]
    for where, text in told:
        bare = _bare(text)
        yield from (
            (where, what) for secret, what in secrets.items() if secret in bare and secret not in public
        )


def _calls(source: str, exercise: Exercise) -> Iterator[str]:
    """Spell the calls in a test file that have literal arguments; of a parametrized test for each case."""
    functions = {name for names in exercise.functions.values() for name in names}
    for test in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)):
        cases: list[dict[str, ast.expr]] = [{}]
        for mark in test.decorator_list:
            match mark:
                case ast.Call(
                    func=ast.Attribute(attr="parametrize"),
                    args=[ast.Constant(value=str(words)), ast.List(elts=rows) | ast.Tuple(elts=rows), *_],
                ):
                    names = [word.strip() for word in words.split(",")]
                    values = [
                        getattr(row, "args", getattr(row, "elts", []) if names[1:] else [row]) for row in rows
                    ]
                    cases = [case | dict(zip(names, row, strict=False)) for case in cases for row in values]
        for found, case in itertools.product(ast.walk(test), cases):
            if isinstance(found, ast.Call) and getattr(found.func, "attr", "") in functions:
                call = _Filled(case).visit(copy.deepcopy(found))
                call.func = ast.Name(call.func.attr)
                given = [*call.args, *call.keywords]
                if given and not any(isinstance(n, ast.Name) for part in given for n in ast.walk(part)):
                    yield ast.unparse(call)


class _Filled(ast.NodeTransformer):
    """Puts the values of one case in place of a parametrized test's names."""

    def __init__(self, case: Mapping[str, ast.expr]) -> None:
        self.case = case

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.case.get(node.id, node)


def _formulas(source: str, path: str) -> Iterator[tuple[int, str]]:
    """Find what the solution's statements compute, as it is written, each with its line."""
    inside = [range(begun, ended) for begun, ended in regions(source.splitlines(), path)]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and any(node.lineno in lines for lines in inside):
            for field in ("value", "test", "iter"):
                value = getattr(node, field, None)
                if isinstance(value, ast.expr) and not isinstance(value, ast.Name | ast.Constant):
                    text = ast.get_source_segment(source, value) or ""
                    if len(_bare(text)) >= SHORTEST_FORMULA:
                        yield node.lineno, " ".join(text.split())


def _bare(text: str) -> str:
    return re.sub(r"[\s`'\"]", "", text)
