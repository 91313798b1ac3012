"""Text of unknown origin, made safe to show: bounded, and without invisible or control characters.

In a terminal or a table it is shown as it is, in Markdown as code. HTML is escaped by the templates. The
students' bundle ships without the grader, so ``bundle/display.py`` does the same there on its own.
"""

import codecs
import re
from collections.abc import Iterable, Sequence

LINE_LIMIT = 1000  # characters of one line that are shown; of a longer one, its two ends

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
_MARKS = (  # of UTF-32 before UTF-16, which begins in the same way
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MARKDOWN_SIGNS = re.compile(r"[\\`*_\[\]<>|~&#!$@]")
_TICKS = re.compile(r"`+")
# Words of letters and digits, joined by single blanks; a dot or comma only at a word's end, and no dot behind
# a number at the start. Nothing in it can become a link, a mention, a list or markup.
_PLAIN_WORDS = re.compile(r"(?!\d+\.)(?:[^\W_]+(?:['\u2019-][^\W_]+)*[.,]?(?: |$))+")
_LONG_LINE = re.compile(rf"[^\n]{{{LINE_LIMIT + 1},}}")


def clean(text: str, limit: int) -> str:
    r"""Return at most ``limit`` characters of a text, plus a note that counts what was left out.

    Control characters, direction marks, zero-width characters and lone surrogates become visible escapes such
    as ``\x1b``. CR LF becomes a newline; tabs and newlines stay. A text over the limit is cut in its middle.
    If the limit leaves room for several lines, each line over ``LINE_LIMIT`` characters is cut first.
    """
    text = text.replace("\r\n", "\n")
    if limit >= 2 * LINE_LIMIT:
        text = _LONG_LINE.sub(_cut_line, text)
    return _cut(text, limit)


def one_line(text: str, limit: int) -> str:
    """Return the cleaned text on one line, for a cell or a message: all white space becomes single blanks."""
    return " ".join(clean(text, limit).split())


def printable(text: str, limit: int = 120) -> str:
    r"""Return at most ``limit`` characters, on one line; unprintable ones become escapes such as ``\x1b``."""
    begin = text[: limit + 1]
    plain = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in begin)
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"


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
    """Count how many of the characters fit into ``room`` when they are escaped."""
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


class Markdown(str):
    """Text that is Markdown already."""

    __slots__ = ()


def to_markdown(value: object) -> Markdown:
    """Return Markdown as it is, and anything else as a student's text on one line."""
    return value if isinstance(value, Markdown) else markdown_inline(str(value))


def markdown_words(text: str) -> Markdown:
    """Return one line of the course's own text; every sign that has a meaning in Markdown is escaped."""
    return Markdown(_MARKDOWN_SIGNS.sub(r"\\\g<0>", text))


def markdown_inline(text: str) -> Markdown:
    """Return one line of a student's text: plain words as they are, anything else as code."""
    if not text or _PLAIN_WORDS.fullmatch(text):
        return Markdown(text)
    ticks = "`" * (_longest_ticks(text) + 1)
    # In a table even a code span ends at a bar; HTML's escape for it would be shown, so it is replaced.
    shown = text.replace("|", "¦")
    pad = " " if shown[0] == "`" or shown[-1] == "`" or shown.strip() != shown else ""
    return Markdown(f"{ticks}{pad}{shown}{pad}{ticks}")


def markdown_block(text: str) -> Markdown:
    """Return a student's text of any lines as a code block with a fence that no line of it can close."""
    fence = "`" * max(3, _longest_ticks(text) + 1)
    return Markdown(f"{fence}text\n{text}\n{fence}")


def _longest_ticks(text: str) -> int:
    return max(map(len, _TICKS.findall(text)), default=0)


def short_names(names: Sequence[str], limit: int = 8) -> list[str]:
    """Return each name, or if it is longer than ``limit`` its shortest unique prefix of whole words."""
    parts = [name.split("_") for name in names]
    short = []
    for name, words in zip(names, parts, strict=True):
        counts = range(1, len(words))
        unique = (n for n in counts if sum(other[:n] == words[:n] for other in parts) == 1)
        short.append(name if len(name) <= limit else "_".join(words[: next(unique, len(words))]))
    return short


def marked_encoding(data: bytes) -> str:
    """Return the encoding that a byte-order mark names, "" without one; decoding with it drops the mark."""
    return next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "")
