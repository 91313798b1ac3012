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
    (3, 12): "itertools.batched math.sumprod typing.override typing.TypeAliasType",
    (3, 13): "copy.replace math.fma pathlib.UnsupportedOperation typing.ReadOnly "
    "typing.TypeIs warnings.deprecated",
}
"""The names of the standard library that a Python version was the first to have."""

_STRING = re.compile(
    r"#.*|(?<!\w)(?P<prefix>[A-Za-z]{0,2})"
    r"(?:(?P<three>'''|\"\"\")(?P<long>(?:\\[\s\S]|[^\\])*?)(?:(?P=three)|\\?\Z)"
    r"|(?P<one>['\"])(?P<short>(?:\\[\s\S]|[^\\\n])*?)(?:(?P=one)|\n|\\?\Z))"
)
"""A comment, or a string up to where it ends in Python 3.11; what goes on in the next line is cut off.

A string without an end goes up to the end of the text, so that no text is searched twice.
"""


def line_needs(line: str, running: tuple[int, int]) -> str:
    """The first Python version that reads this line, such as ``3.12``; empty if the running one does."""
    needs = (version for version, form in _LINES if version > running and form.match(line))
    return ".".join(map(str, next(needs, ())))


def name_needs(name: str, running: tuple[int, int]) -> str:
    """The first Python version with a name such as ``itertools.batched``; empty if the running one has it."""
    needs = (version for version, names in _NAMES.items() if version > running and name in names.split())
    return ".".join(map(str, next(needs, ())))


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
        names, line = list[str](), getattr(node, "lineno", 0)
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = [f"{node.value.id}.{node.attr}"]
        found += [(line, needs) for name in names if (needs := name_needs(name, running))]
    return sorted(found)


def nested_quotes(source: str) -> int:
    """The first line with an f-string that Python 3.11 does not read; 0 if there is none.

    Before 3.12 the braces of an f-string must not hold its own quotes, a backslash, a comment, or (between
    single quotes) a new line. So the strings are found as 3.11 finds them, and each must close its braces.
    """
    for found in _STRING.finditer(source):
        prefix, text = (found["prefix"] or "").lower(), found["long"] or found["short"] or ""
        if "f" in prefix and not _closes_its_braces(text, "r" in prefix):
            return source.count("\n", 0, found.start()) + 1
    return 0


def _closes_its_braces(text: str, is_raw: bool) -> bool:
    """True if Python 3.11 reads this text of an f-string."""
    depth = place = 0
    in_format = False
    while place < len(text):
        char = text[place]
        if not depth and (text.startswith(("{{", "}}"), place) or (char == "\\" and not is_raw)):
            place += 1 if text.startswith("\\N{", place) else 2
            continue
        if depth and (char == "\\" or (char == "#" and not in_format)):
            return False
        if depth and char in "'\"" and not in_format:
            end = text.find(char, place + 1)  # of a string in the braces
            if end < 0 or "\\" in text[place:end]:
                return False
            place = end
        depth += (char in "{[(") - (char in "}])") if depth or char == "{" else 0
        in_format = depth > 0 and (in_format or (char == ":" and depth == 1))
        place += 1
    return not depth
