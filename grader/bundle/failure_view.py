"""Show a failed test in a few lines: in the terminal, in an editor, and in a report file."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

from . import draw, wording


class TerminalView:
    """pytest's terminal, and the criteria that were already explained on it.

    ``causes`` has the likely cause by task, ``more`` what to say below the first failure.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._explained: set[tuple[str, str]] = set()
        self.causes: dict[str, str] = {}
        self.more = ""
        self.unicode = can_show_symbols()

    def terminal(self) -> Any:
        """Pytest's terminal reporter, or None."""
        return self._config.pluginmanager.getplugin("terminalreporter")

    def style(self) -> str:
        """The value of pytest's option ``--tb``."""
        return str(self._config.getoption("tbstyle", default="auto"))

    def owns(self, writer: Any) -> bool:
        """True if the writer is the terminal's own; other writers belong to editors and reports."""
        return writer is getattr(self.terminal(), "_tw", None)

    def explains(self, key: tuple[str, str], writer: Any) -> bool:
        """True if a failure of this criterion needs its hint: on the terminal, only the first time."""
        if not self.owns(writer):
            return True
        again = key in self._explained
        self._explained.add(key)
        return not again


class Crash(NamedTuple):
    """A failure for reports with one line a failure."""

    path: str
    lineno: int
    message: str

    def __str__(self) -> str:
        return self.message


@dataclass
class FailureView:
    """A failure as pytest's reports hold it.

    ``task`` is the function. ``why`` has the lines below the sentence: because, hint and where. ``usual`` is
    pytest's own view, ``picture`` draws the call.
    """

    view: TerminalView
    key: tuple[str, str]
    task: str
    sentence: str
    why: Mapping[str, str]
    usual: Any
    picture: Any = None

    @property
    def reprcrash(self) -> Crash:
        """The failure in one line."""
        usual = getattr(self.usual, "reprcrash", None)
        return Crash(getattr(usual, "path", self.key[0]), getattr(usual, "lineno", 0), self.sentence)

    def __str__(self) -> str:
        return "\n".join([self.sentence, *(f"  {name}: {text}" for name, text in self.why.items())])

    def toterminal(self, writer: Any) -> None:
        """Write the failure; pytest calls this for each report."""
        style = self.view.style()
        if style == "line" and self.view.owns(writer):
            return  # pytest writes `reprcrash`
        width = max(writer.fullwidth, 40)
        for line in textwrap.wrap(self.sentence, width, break_on_hyphens=False):
            writer.line(line, bold=True)
        if self.view.explains(self.key, writer):
            for name, text in self.why.items():
                if name == "Hint" and (cause := self.view.causes.get(self.task)):
                    _write(writer, f"Likely cause: {cause}", width)
                _write(writer, f"{name}: {text}", width)
        if self.picture and self.view.style() == "auto" and self.view.owns(writer):
            writer.line("")
            for line in draw.text(self.picture, min(width, 80), unicode=self.view.unicode).splitlines():
                writer.line(line)
        if self.view.more and self.view.owns(writer):
            writer.line("")
            writer.line(textwrap.fill(self.view.more, width))
        if style in ("long", "native") and hasattr(self.usual, "toterminal"):
            writer.line("")
            self.usual.toterminal(writer)


def _write(writer: Any, text: str, width: int) -> None:
    writer.line(
        textwrap.fill(text, width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
    )


def can_show_symbols() -> bool:
    """True if the terminal's encoding has the symbols of the states."""
    encoding = getattr(sys.__stdout__, "encoding", None) or "ascii"
    try:
        "".join(symbol for _, symbol, _ in wording.STATES.values()).encode(encoding)
    except (LookupError, UnicodeEncodeError):
        return False
    return True
