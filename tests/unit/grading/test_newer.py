"""Syntax that only a newer Python knows, told from its line."""

from __future__ import annotations

import pytest

from grader.grading.newer import python_needed


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("type Point = tuple[int, int]", "3.12"),
        ("    type Alias[T] = list[T]", "3.12"),
        ("def first[T](values: list[T]) -> T:", "3.12"),
        ("class Box[T]:", "3.12"),
        ("async def f[T](x): ...", "3.12"),
        ("except ValueError, TypeError:", "3.14"),
        ("    except* errors.A, errors.B:", "3.14"),
        ("x = t'{name}'", "3.14"),
        ('x = Tr"{name}"', "3.14"),
        ('print(rt"{name}")', "3.14"),
        ("lazy import json", "3.15"),
        ("lazy from json import dumps", "3.15"),
    ],
)
def test_signs_of_a_newer_python(line, version):
    """The first version that can read such a line."""
    assert python_needed(line, (3, 11)) == version


@pytest.mark.parametrize(
    "line",
    [
        "",
        "type = 5",
        "type(x) == int",
        "def first(values):",
        "class Box(dict[str, int]):",
        "except (ValueError, TypeError):",
        "except ValueError as error:",
        "x = 'it is not'",
        'part"of a name"',
        "print('left' 'right')",
        "lazy = import_module('json')",
        "def broken(:",
    ],
)
def test_ordinary_lines(line):
    """What any Python reads, or none, is no sign."""
    assert python_needed(line, (3, 11)) == ""


def test_only_what_is_newer_than_the_running_one():
    """The same line says nothing to a Python that knows it."""
    assert python_needed("type Point = int", (3, 11)) == "3.12"
    assert python_needed("type Point = int", (3, 12)) == ""
