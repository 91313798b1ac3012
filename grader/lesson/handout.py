"""The handout of a lesson, and its page in HTML."""

import base64
import html
import re
from collections.abc import Mapping
from pathlib import Path

HANDOUT = "README.md"
PICTURES = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}
"""The pictures that a handout may show, by the ending of their names, with their media types."""

_IMAGE = re.compile(r'<img src="(?P<name>[\w.-]+)"(?P<rest>[^>]*)>')
_STYLE = """\
:root { color-scheme: light dark; }
body { margin: 0 auto; max-width: 44rem; padding: 1rem; font: 1rem/1.55 system-ui, sans-serif;
  color: #1f2328; background: #ffffff; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.25; }
a { color: #0b57a4; }
code, pre { font-family: ui-monospace, Consolas, monospace; font-size: 0.92em; }
pre { padding: 0.75rem; background: #f3f5f7; white-space: pre-wrap; }
img { max-width: 100%; height: auto; }
table { border-collapse: collapse; }
th, td { padding: 0.25rem 0.6rem; border: 1px solid #8b949e; text-align: left; overflow-wrap: break-word; }
@media (prefers-color-scheme: dark) {
  body { color: #e6edf3; background: #0d1117; }
  pre { background: #161b22; }
  a { color: #79b8ff; }
}
"""


def is_picture(name: str) -> bool:
    """True if the file name ends like a picture's."""
    return Path(name).suffix.lower() in PICTURES


def picture_address(name: str, data: bytes) -> str:
    """A picture as a ``data:`` address, so that a page or a notebook holds it."""
    return f"data:{PICTURES[Path(name).suffix.lower()]};base64,{base64.b64encode(data).decode('ascii')}"


def handout_body(markdown: str, files: Mapping[str, bytes]) -> str:
    """Make HTML of a part of the handout; pictures that ``files`` holds are inside it.

    Where there is ``pool-narrow.svg`` beside ``pool.svg``, a narrow screen shows that.
    """
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only release needs it

    def embedded(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in files or not is_picture(name):
            return match[0]
        shown = f'<img src="{picture_address(name, files[name])}"{match["rest"]}>'
        stem, dot, ending = name.rpartition(".")
        narrow = f"{stem}-narrow{dot}{ending}"
        if narrow not in files:
            return shown
        source = f'<source media="(max-width: 40rem)" srcset="{picture_address(narrow, files[narrow])}">'
        return f"<picture>{source}{shown}</picture>"

    body: str = MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown)
    # On a narrow screen a call in a table is broken between its words.
    body = re.sub(r"(?<=<td><code>)[^<]+", lambda code: re.sub(r"([_(,])", r"\1<wbr>", code[0]), body)
    return _IMAGE.sub(embedded, body)


def handout_html(markdown: str, title: str, files: Mapping[str, bytes]) -> bytes:
    """Make one HTML page of the handout, with its pictures inside."""
    body = handout_body(markdown, files)
    page = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )
    return page.encode()
