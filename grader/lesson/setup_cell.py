"""Run this cell first. The tests below find your answers with it."""

import ast as _ast
import linecache as _linecache
import os as _os
import sys as _sys


class _NoPytest:
    """Stands for pytest where it is missing, so that the cells of tests can be run and say so."""

    def __getattr__(self, name):
        return self

    def __call__(self, *given, **_more):
        return given[0] if len(given) == 1 and callable(given[0]) else self


class Answers:
    """What this notebook defines, under the names that the tests use."""

    def __getattr__(self, name):
        if name not in globals():
            raise AttributeError(f"this notebook has no {name}: run the cell that defines it")
        answer = globals()[name]
        return _noted(name, answer) if callable(answer) else answer


class _Other:
    """Stands for an answer that is not plain data: it equals nothing, as when the notebook is graded."""

    __hash__ = None

    def __init__(self, answer):
        self.kind = type(answer).__name__

    def __eq__(self, other):
        return False

    def __repr__(self):
        return f"a value of type {self.kind}"


def _noted(name, function):
    def call(*args, **kwargs):
        words = [*map(repr, args), *(f"{key}={value!r}" for key, value in kwargs.items())]
        _last_call[0] = f"{name}({', '.join(words)})"
        answer = function(*args, **kwargs)
        answer = answer if type(answer).__name__ in _PLAIN else _Other(answer)
        _last_call[0] += f" returned {answer!r}"
        return answer

    return call


def _cases(test):
    cases = [{}]
    for mark in getattr(test, "pytestmark", []):
        if mark.name == "parametrize":
            names, rows = mark.args
            names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
            rows = [getattr(row, "values", row) for row in rows]
            rows = [[row] if len(names) == 1 and not isinstance(row, tuple) else row for row in rows]
            cases = [case | dict(zip(names, row)) for case in cases for row in rows]
    return cases


def check(tests):
    """Run the tests of one class, and explain the first that fails in a few lines."""
    name = tests.__name__
    _points[name] = 0
    if isinstance(_sys.modules["pytest"], _NoPytest):
        if _os.environ.get("NBGRADER_EXECUTION"):  # nbgrader gives the points where nothing is raised
            raise ImportError(_MISSING)
        print(_MISSING)
        return
    count = 0
    for word, test in list(vars(tests).items()):
        for case in _cases(test) if word.startswith("test") else []:
            _last_call[0] = ""
            try:
                test(tests(), **case)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                if _os.environ.get("NBGRADER_EXECUTION"):  # nbgrader takes the points off for the error
                    print(_last_call[0])
                    raise
                _explain(name, error)
                return
            count += 1
    _points[name] = _criteria.get(name, ("", 0))[1]
    print(f"{name}: {f'all {count} tests pass' if count > 1 else 'the test passes'}.")


def _explain(name, error):
    task, _, sentence, hint, noun = _criteria.get(name, (name, 0, "", "", name))
    said = str(error).strip().split("\n")[0]
    if isinstance(error, NotImplementedError):
        print(f"{task} is not started: {said}.")
        return
    call = _last_call[0] or task
    if isinstance(error, AssertionError):
        said = said if said and not said.startswith("assert ") else _expected(error)
    elif said.startswith("DID NOT RAISE"):
        said = f"expected an error: {said.split()[-1].strip('<>').strip(chr(39)).split('.')[-1]}"
    elif " returned " not in call:
        said = f"raised {type(error).__name__}: {said}"
    print(f"{call}{' ' if said.startswith('raised') else '; '}{said}.")
    if sentence:
        print(f"  Because: a right {noun} {sentence}.")
        print(f"  Hint: {hint}")


def _expected(error):
    step, line, file = error.__traceback__, 0, ""
    while step:
        if step.tb_frame.f_code.co_name.startswith("test"):
            line, file = step.tb_lineno, step.tb_frame.f_code.co_filename
        step = step.tb_next
    try:
        tree = _ast.parse("".join(_linecache.getlines(file)))
    except SyntaxError:
        return "that is not what was expected"
    for node in _ast.walk(tree):
        if isinstance(node, _ast.Assert) and node.lineno <= line <= (node.end_lineno or 0):
            right = getattr(node.test, "comparators", [None])[0]
            if isinstance(right, _ast.Call) and right.args:  # pytest.approx(0.25)
                right = right.args[0]
            if right is not None:
                return f"expected {_ast.unparse(right)}"
    return "that is not what was expected"


def _is_answered(name):
    return not _criteria[name][1] and globals().get(name) is not None


def summary():
    """Show the points so far, the next step, and what the lesson adds."""
    got = sum(_points.values())
    print(f"{got} of {sum(row[1] for row in _criteria.values())} visible points so far.")
    left = [name for name in _criteria if not (_points.get(name) or _is_answered(name))]
    if left:
        task, points, sentence, *_ = _criteria[left[0]]
        if points:
            print(
                f"Next: {task}. Goal: your work {sentence}. Run its cell, then the cells of tests below it."
            )
        else:
            print(f"Next: {task}: {left[0]} is still None. Put your answer there, and run its cell.")
    else:
        print("Next: save the notebook and hand it in. Reread the special cases in the docstrings first.")
    for line in globals().get("lesson_summary", lambda _: ())(Answers()):
        print(line)


_PLAIN = {"NoneType", "bool", "int", "float", "str", "bytes", "range", "Fraction"}
_PLAIN |= {"list", "tuple", "dict", "set", "frozenset"}
_last_call, _points, _criteria = [""], {}, {}
_MISSING = "pytest is missing: run  %pip install pytest  in a new cell, then all cells from the first one."
try:
    __import__("pytest")
except ImportError:
    _sys.modules["pytest"] = _NoPytest()
    print(_MISSING)
