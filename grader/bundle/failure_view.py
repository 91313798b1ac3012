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
        self.explained: set[tuple[str, str]] = set()
        self.causes: dict[str, str] = {}
        self.more = ""
        self.unicode = can_show_symbols()

    def terminal(self) -> Any:
        """Pytest's terminal reporter, or None."""
        return self._config.pluginmanager.getplugin("terminalreporter")

    def style(self) -> str:
        """The value of pytest's option ``--tb``."""
        return str(self._config.getoption("tbstyle", default="auto"))


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

    def _reasons(self) -> list[str]:
        """The lines below the sentence, with the likely cause after the first."""
        lines, cause = [f"{name}: {text}" for name, text in self.why.items()], self.view.causes.get(self.task)
        return [*lines[:1], f"Likely cause: {cause}", *lines[1:]] if lines and cause else lines

    def __str__(self) -> str:
        return "\n".join([self.sentence, *(f"  {name}: {text}" for name, text in self.why.items())])

    def toterminal(self, writer: Any) -> None:
        """Write the failure; pytest calls this for the terminal, for editors and for report files."""
        view, style = self.view, self.view.style()
        on_screen = writer is getattr(view.terminal(), "_tw", None)
        if style == "line" and on_screen:
            return  # pytest writes `reprcrash`
        width = max(writer.fullwidth, 40)
        for line in textwrap.wrap(self.sentence, width, break_on_hyphens=False):
            writer.line(line, bold=True)
        for text in () if on_screen and self.key in view.explained else self._reasons():
            lines = textwrap.wrap(text, width - 2, subsequent_indent="  ", break_on_hyphens=False)
            writer.line(textwrap.indent("\n".join(lines), "  "))
        below = []
        if on_screen:
            view.explained.add(self.key)
            if self.picture and style == "auto":
                below.append(draw.text(self.picture, min(width, 80), unicode=view.unicode))
            if view.more:
                below.append(textwrap.fill(view.more, width))
        for line in (line for text in below for line in ["", *text.splitlines()]):
            writer.line(line)
        if style in ("long", "native") and hasattr(self.usual, "toterminal"):
            writer.line("")
            self.usual.toterminal(writer)


def can_show_symbols() -> bool:
    """True if the terminal's encoding has the symbols of the states."""
    encoding = getattr(sys.__stdout__, "encoding", None) or "ascii"
    try:
        "".join(symbol for _, symbol, _ in wording.STATES.values()).encode(encoding)
    except (LookupError, UnicodeEncodeError):
        return False
    return True
