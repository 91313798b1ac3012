"""The handout, Markdown -> one HTML page that any browser opens, its pictures inside it."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Mapping
from pathlib import Path

_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}
_PICTURE = re.compile(r'(?<=<img src=")(?P<name>[\w.-]+)(?=")')
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
td code { overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) {
  body { color: #e6edf3; background: #0d1117; }
  pre { background: #161b22; }
  a { color: #79b8ff; }
}
"""


def handout_html(markdown: str, title: str, files: Mapping[str, bytes]) -> bytes:
    """The page; a picture that ``files`` holds becomes part of it."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only release needs it

    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown)
    body = _PICTURE.sub(lambda match: _embedded(match["name"], files), body)
    page = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
    return page.encode()


def _embedded(name: str, files: Mapping[str, bytes]) -> str:
    kind = _TYPES.get(Path(name).suffix)
    if kind is None or name not in files:
        return name
    return f"data:{kind};base64,{base64.b64encode(files[name]).decode()}"
