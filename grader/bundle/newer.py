"""Find syntax and names of a newer Python than the one that grades."""

from __future__ import annotations

import ast
import re
import sys
import warnings

_LINES: tuple[tuple[tuple[int, int], re.Pattern[str]], ...] = (
    ((3, 11), re.compile(r"\s*except\s*\*")),
    ((3, 12), re.compile(r"\s*type\s+\w+\s*(\[.*\])?\s*=")),
    ((3, 12), re.compile(r"\s*(async\s+)?(def|class)\s+\w+\s*\[")),
    # A name in small letters behind the comma is how Python 2 named the error: no later version reads that.
    ((3, 14), re.compile(r"\s*except\s*\*?\s+\w+(\.\w+)*\s*,\s*(\w+\.)*[A-Z]\w*\s*:")),
    ((3, 14), re.compile(r".*(?<!\w)([tT][rR]?|[rR][tT])(\"|')")),
    ((3, 15), re.compile(r"\s*lazy\s+(import|from)\s")),
)
"""The first Python version that reads a line of this form."""

_NAMES = {
    "itertools.batched": (3, 12),
    "math.sumprod": (3, 12),
    "typing.override": (3, 12),
    "typing.TypeAliasType": (3, 12),
    "pathlib.UnsupportedOperation": (3, 13),
    "copy.replace": (3, 13),
    "math.fma": (3, 13),
    "typing.TypeIs": (3, 13),
    "typing.ReadOnly": (3, 13),
    "warnings.deprecated": (3, 13),
}
"""The first Python version whose standard library has a name."""

_STRING = re.compile(r"(?P<prefix>[A-Za-z]{0,2})(?P<quote>'''|\"\"\"|'|\")")


def line_needs(line: str, running: tuple[int, int]) -> str:
    """The first Python version that reads this line, such as ``3.12``; empty if the running one does."""
    fits = (version for version, form in _LINES if version > running and form.match(line))
    return "{}.{}".format(*version) if (version := next(fits, None)) else ""


def name_needs(name: str, running: tuple[int, int]) -> str:
    """The first Python version with a name such as ``itertools.batched``; empty if the running one has it."""
    version = _NAMES.get(name, (0, 0))
    return "{}.{}".format(*version) if version > running else ""


def syntax_needs(line: int, text: str, source: bytes) -> tuple[int, str]:
    """The line of a file with a syntax error that needs a newer Python than this one, and which one it needs.

    ``line`` and ``text`` are the error's own. It is 0 and an empty text if no newer Python reads the file.
    """
    if needs := line_needs(text, sys.version_info[:2]):
        return line, needs
    start = nested_quotes(source.decode("utf-8", "replace")) if sys.version_info < (3, 12) else 0
    return (start, "3.12") if start and start <= line <= start + 20 else (0, "")


def newer_parts(source: str, running: tuple[int, int]) -> list[tuple[int, str]]:
    """The lines of a file that a Python of that version cannot run, each with the version that it needs.

    The file must be valid for this Python.
    """
    found: list[tuple[int, str]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source)
        try:
            ast.parse(source, feature_version=running)
        except SyntaxError as error:
            # The parser names the last line of a statement of several lines.
            ends = [n for n in ast.walk(tree) if isinstance(n, ast.stmt) and n.end_lineno == error.lineno]
            starts = [n.lineno for n in ends if not isinstance(n, (ast.FunctionDef, ast.ClassDef))]
            line = min(starts, default=error.lineno or 1)
            text = source.splitlines()[line - 1] if line <= source.count("\n") + 1 else ""
            found.append((line, line_needs(text, running) or f"{running[0]}.{running[1] + 1}"))
    if running < (3, 12) and (line := nested_quotes(source)):
        found.append((line, "3.12"))
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = [f"{node.value.id}.{node.attr}"]
        line = getattr(node, "lineno", 0)
        found += [(line, needs) for name in names if (needs := name_needs(name, running))]
    return sorted(found)


def nested_quotes(source: str) -> int:
    """The first line with an f-string that Python 3.11 does not read; 0 if there is none.

    Before 3.12 the braces of an f-string must not hold its own quotes, a backslash, a comment, or (between
    single quotes) a new line.
    """
    place = 0
    while place < len(source):
        found = _STRING.match(source, place)
        if source[place] == "#":
            place = (source.find("\n", place) + 1) or len(source)
        elif not found or (place and (source[place - 1].isalnum() or source[place - 1] == "_")):
            place += 1
        else:
            place, wrong = _after_string(source, found)
            if wrong >= 0:
                return source.count("\n", 0, wrong) + 1
    return 0


def _after_string(source: str, opening: re.Match[str]) -> tuple[int, int]:
    """The place behind a string, and the place of what Python 3.11 does not read in it, or -1."""
    quote, prefix, place = opening["quote"], opening["prefix"].lower(), opening.end()
    while place < len(source):
        char = source[place]
        if source.startswith(quote, place):
            return place + len(quote), -1
        if char == "\n" and len(quote) == 1:
            break  # it never ends; Python says so
        if char == "\\" and not source.startswith("\\N{", place):
            place += 1 if "r" in prefix and source[place + 1 : place + 2] in "{}" else 2
        elif "f" in prefix and source.startswith("{{", place):
            place += 2
        elif "f" in prefix and char == "{":
            place, wrong = _after_braces(source, place + 1, quote)
            if wrong >= 0:
                return place, wrong
        else:
            place += 1
    return place, -1


def _after_braces(source: str, place: int, quote: str) -> tuple[int, int]:
    """The place behind the braces of an f-string, and of what Python 3.11 does not read in them, or -1."""
    depth, in_format = 1, False
    while place < len(source) and depth:
        char = source[place]
        inner = _STRING.match(source, place)
        if inner:
            after, wrong = _after_string(source, inner)
            same = inner["quote"][0] == quote[0] and len(inner["quote"]) >= len(quote)
            if same or wrong >= 0 or "\\" in source[inner.end() : after]:
                return after, place
            place = after
            continue
        if char == "\\" or (char == "#" and not in_format) or (char == "\n" and len(quote) == 1):
            return place, place
        in_format = in_format or (char == ":" and depth == 1)
        depth += (char in "{[(") - (char in "}])")
        place += 1
    return place, -1
