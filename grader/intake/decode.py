"""Turn the bytes of a source file into what Python reads, by these rules, with a note for the student.

- UTF-16 and UTF-32 with a byte order mark are decoded, and UTF-16 without one if every second byte is NUL.
- NULs and Ctrl-Z behind the text, which some editors leave there, are dropped.
- In a comment, bytes that are not UTF-8 become ``?`` unless a coding line names the encoding: some versions
  of Python ignore them and others refuse the file, and no score may depend on that.
- A file that still holds a NUL, a notebook, a web page, a document and a picture are not Python: that is a
  problem.

Everything else stays byte for byte, and Python itself says what is wrong with it.
"""

import re

from grader.base.text import marked_encoding
from grader.bundle.wording import nul_characters, unreadable

LEFT_BEHIND = "has NUL or Ctrl-Z characters behind its text; they were left out"
"""What is said of a file of which only the end was cut off."""

_LOOKED_AT = 512  # bytes in which UTF-16 without a mark is recognised
_CODING = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+")
_COMMENT = re.compile(
    rb"""^((?:[^'"#\r\n]|'(?:[^'\\\r\n]|\\.)*'|"(?:[^"\\\r\n]|\\.)*")*)(#[^\r\n]*)""", re.MULTILINE
)
_OTHER_KINDS = {
    b"%PDF-": "a PDF document",
    rb"{\rtf": "a rich text document (RTF)",
    b"\xd0\xcf\x11\xe0": "an Office document",
    b"bplist": "a web archive",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
}  # by their first bytes
_WEB_PAGE = re.compile(rb"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)


def python_bytes(data: bytes) -> tuple[bytes, str]:
    """Return the bytes for Python, and what was changed as a sentence's end, or an empty string."""
    encoding = marked_encoding(data)
    head = data[: min(_LOOKED_AT, len(data) // 2 * 2)]
    if not encoding and all(head[::2]) and not any(head[1::2]) and head:
        encoding = "utf-16-le"
    elif not encoding and all(head[1::2]) and not any(head[::2]) and head:
        encoding = "utf-16-be"
    if encoding and encoding != "utf-8-sig":
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            return data, ""
        why = f"was read as {encoding[:6].upper()}; please save it as UTF-8"
        return _without_end(text.encode("utf-8", "replace")), why
    shorter = _without_end(data)
    if shorter != data:
        return shorter, LEFT_BEHIND
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        if not any(_CODING.match(first) for first in data.split(b"\n", 2)[:2]):

            def readable(line: re.Match[bytes]) -> bytes:
                return line[1] + line[2].decode("utf-8", "replace").replace("\ufffd", "?").encode()

            plain = _COMMENT.sub(readable, data)
            changed = f"is not UTF-8 (line {line}); please save it as UTF-8"
            return plain, changed if plain != data else ""
    return data, ""


def _without_end(data: bytes) -> bytes:
    """Cut off the NULs and Ctrl-Zs behind the text."""
    end = len(data.rstrip(b"\0\x1a\r\n \t"))
    return data if not set(data[end:]) & set(b"\0\x1a") else data[:end] + b"\n"


def why_not_python(name: str, data: bytes) -> str:
    """Return why a file cannot be Python, or an empty string."""
    for begin, kind in _OTHER_KINDS.items():
        if data.startswith(begin):
            return unreadable(name, f"it is {kind}; save the code as plain text and hand that in")
    if (place := data.find(b"\0")) >= 0:
        return nul_characters(name, data.count(b"\n", 0, place) + 1)
    if data.lstrip().startswith(b"{") and re.search(rb'"nbformat"\s*:', data):
        return unreadable(name, "it is a notebook; give it the ending .ipynb, or save it as a .py file")
    if _WEB_PAGE.match(data):
        return unreadable(name, "it is a web page (HTML); download the file itself and hand that in")
    return ""
