"""A failure in a few lines, as the terminal, an editor or a report file shows it."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest


class Screen:
    """The terminal, and for which criteria it has shown already what is the same for all their tests."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._explained: set[tuple[str, str]] = set()

    def terminal(self) -> Any:
        """What writes to the terminal, if anything does."""
        return self._config.pluginmanager.getplugin("terminalreporter")

    def style(self) -> str:
        """What ``--tb`` asks for."""
        return str(self._config.getoption("tbstyle", default="auto"))

    def shows(self, writer: Any) -> bool:
        """Whether this writer is the terminal's; others write for editors and reports."""
        return writer is getattr(self.terminal(), "_tw", None)

    def explains(self, key: tuple[str, str], writer: Any) -> bool:
        """Whether a failure of this criterion is to be explained, which the terminal does once."""
        if not self.shows(writer):
            return True
        again = key in self._explained
        self._explained.add(key)
        return not again


class Crash(NamedTuple):
    """What reports of one line show of a failure."""

    path: str
    lineno: int
    message: str

    def __str__(self) -> str:
        return self.message


@dataclass
class Story:
    """The sentence, and ``why`` (because, hint, where); ``usual`` is what pytest would show."""

    screen: Screen
    key: tuple[str, str]
    sentence: str
    why: list[str]
    usual: Any

    @property
    def reprcrash(self) -> Crash:
        """The failure in one line."""
        usual = getattr(self.usual, "reprcrash", None)
        return Crash(getattr(usual, "path", self.key[0]), getattr(usual, "lineno", 0), self.sentence)

    def __str__(self) -> str:
        return "\n".join([self.sentence, *(f"  {line}" for line in self.why)])

    def toterminal(self, writer: Any) -> None:
        """Write it, as pytest asks of whatever a report holds."""
        style = self.screen.style()
        if style == "line" and self.screen.shows(writer):
            return  # pytest writes `reprcrash`
        writer.line(self.sentence, bold=True)
        if self.screen.explains(self.key, writer):
            width = max(writer.fullwidth, 40)
            for line in self.why:
                writer.line(textwrap.fill(line, width, initial_indent="  ", subsequent_indent="    "))
        if style in ("long", "native") and hasattr(self.usual, "toterminal"):
            writer.line("")
            self.usual.toterminal(writer)
