"""Tell an untouched stub from a function that a student has begun."""

from __future__ import annotations

import re


def left_over_raise(source: str, function: str) -> int:
    """The line of ``raise NotImplementedError`` in a function that has other code too; 0 if there is none.

    The text is searched, because the grader asks this too and does not parse what was handed in.
    """
    start = re.search(rf"^(?:async\s+)?def\s+{re.escape(function)}\s*\(", source, re.MULTILINE)
    if start is None:
        return 0
    body = source[start.start() :]
    end = re.search(r"\n(?![ \t)#\r\n])", body)
    body = body[: end.start()] if end else body
    first = source.count("\n", 0, start.start()) + 1
    body = re.sub(r'("""|\'\'\')(?:.|\n)*?\1', lambda found: "\n" * found[0].count("\n"), body)
    code = [(first + n, line.partition("#")[0].strip()) for n, line in enumerate(body.split("\n"))]
    header = next((place for place, (_, line) in enumerate(code) if line.endswith(":")), 0)
    code = [(n, line) for n, line in code[header + 1 :] if line]
    left = [n for n, line in code if line.startswith("raise NotImplementedError")]
    return left[0] if left and len(code) > 1 else 0
