"""Any text as Markdown that shows it as typed, in GitHub's and GitLab's dialects too."""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"[\\`*_\[\]<>|~&#!$@]")
_TICKS = re.compile(r"`+")
# Words of letters and digits, joined by single blanks; a dot or comma only at a word's end. Nothing in it can
# become a link, a mention, a list or markup.
_HARMLESS = re.compile(r"(?:[^\W_]+(?:['\u2019-][^\W_]+)*[.,]?(?: |$))+")


class Markdown(str):
    """Text that is Markdown already."""

    __slots__ = ()


def safe(value: object) -> Markdown:
    """Whatever a template writes out: Markdown as it is, anything else as a student's text on one line."""
    return value if isinstance(value, Markdown) else inline(str(value))


def escaped(text: str) -> Markdown:
    """Text of the course's own, on one line: what has a meaning in Markdown loses it."""
    return Markdown(_SPECIAL.sub(r"\\\g<0>", text))


def inline(text: str) -> Markdown:
    """A student's text on one line: plain words as they are, anything else as code, where nothing acts."""
    if not text or _HARMLESS.fullmatch(text):
        return Markdown(text)
    ticks = "`" * (_longest_ticks(text) + 1)
    # In a table even a code span ends at a bar; HTML's escape for it would be shown, so it is replaced.
    shown = text.replace("|", "¦")
    pad = " " if shown[0] == "`" or shown[-1] == "`" or shown.strip() != shown else ""
    return Markdown(f"{ticks}{pad}{shown}{pad}{ticks}")


def block(text: str) -> Markdown:
    """A student's text of any lines, as a code block whose fence no line of it can close."""
    fence = "`" * max(3, _longest_ticks(text) + 1)
    return Markdown(f"{fence}text\n{text}\n{fence}")


def _longest_ticks(text: str) -> int:
    return max(map(len, _TICKS.findall(text)), default=0)
