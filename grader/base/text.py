"""Text of unknown origin -> text that is safe to show: bounded, and nothing in it acts unseen."""

from __future__ import annotations

import re
from collections.abc import Iterable

LINE_LIMIT = 1000
"""Characters of one line that are shown; of a longer one, its two ends."""

# Listed rather than asked of `unicodedata`, whose answer depends on the Python that runs. In order: controls
# but tab and newline; soft hyphen; the Arabic letter mark, the Hangul fillers, Khmer and Mongolian
# invisibles; zero-width and bidirectional marks; line and paragraph separators; variation selectors; lone
# surrogates; characters that Unicode promises never to assign; tags.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f"
    r"\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"
    r"\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb"
    r"\ufe00-\ufe0f\ud800-\udfff\ufdd0-\ufdef"
    + "".join(f"\\U{plane:04x}fffe\\U{plane:04x}ffff" for plane in range(17))
    + r"\U000e0000-\U000e0fff]"
)
_LONG_LINE = re.compile(rf"[^\n]{{{LINE_LIMIT + 1},}}")


def clean(text: str, limit: int) -> str:
    r"""Any string as at most ``limit`` characters of plain text, plus a note about what was left out.

    Characters that would act unseen (a terminal's escape sequences, direction marks, zero-width ones, lone
    surrogates) become visible escapes such as ``\x1b``; CR LF becomes a newline; tab and newline stay. The
    whole is cut in its middle with a count, and before it, where the limit leaves room for several lines,
    each line over ``LINE_LIMIT`` characters.
    """
    text = text.replace("\r\n", "\n")
    if limit >= 2 * LINE_LIMIT:
        text = _LONG_LINE.sub(_cut_line, text)
    return _cut(text, limit)


def one_line(text: str, limit: int) -> str:
    """The same for a cell or a file's name: line breaks and tabs are blanks, and runs of blanks are one."""
    return " ".join(clean(text, limit).split())


def _cut_line(match: re.Match[str]) -> str:
    line, half = match[0], LINE_LIMIT // 2
    return line[:half] + _note(len(line) - 2 * half) + line[-half:]


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit and len(shown := _UNSEEN.sub(_escape, text)) <= limit:
        return shown
    head = _fitting(text[:limit], limit - limit // 2)
    tail = _fitting(reversed(text[max(len(text) - limit, head) :]), limit // 2)
    ends = text[:head], text[len(text) - tail :]
    return _note(len(text) - head - tail).join(_UNSEEN.sub(_escape, end) for end in ends)


def _fitting(characters: Iterable[str], room: int) -> int:
    """How many of the characters, escaped, fit into ``room``."""
    count = 0
    for character in characters:
        room -= len(_UNSEEN.sub(_escape, character))
        if room < 0:
            break
        count += 1
    return count


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


def _note(count: int) -> str:
    return f" ... {count:,} character{'' if count == 1 else 's'} left out ... "
