"""One root for all errors."""

import ast
import builtins

from helpers.paths import ROOT

# What ships into the jail or to students cannot import the root.
OUTSIDE = {"GraderError", "WireError", "AskedForInput", "TimeLimitReached"}


def test_every_error_derives_from_the_root():
    """Only the root and errors of code that runs without the grader derive from a built-in exception."""
    classes = [
        node
        for path in (ROOT / "grader").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    ]
    found = set()
    for node in classes:
        kinds = [getattr(builtins, base.id, None) for base in node.bases if isinstance(base, ast.Name)]
        if any(isinstance(kind, type) and issubclass(kind, BaseException) for kind in kinds):
            found.add(node.name)
    assert found == OUTSIDE
