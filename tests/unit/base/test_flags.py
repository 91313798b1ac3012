"""Flags: every word that code gives is in the one table, and docs/flags.md is made from it."""

import ast

import pytest
from helpers.paths import ROOT

from grader.base import flags
from grader.base.flags import FLAGS, flags_page, shows_attempt

WORDS = {flag.word for flag in FLAGS}
# What runs in the jail can import nothing of the grader; it says three of the words again.
REPEATED = {"inside/syscalls.py": {"tried-network", "tried-processes", "tried-files"}}


def test_every_word_is_in_the_table_once():
    """Each constant of the module is the word of one row, and every row has a constant."""
    constants = [value for name, value in vars(flags).items() if name.isupper() and isinstance(value, str)]
    assert sorted(constants) == sorted(flag.word for flag in FLAGS)
    assert len(WORDS) == len(FLAGS)


def test_the_page_is_current():
    """docs/flags.md is what the table makes; python -m grader.base.flags > docs/flags.md writes it."""
    assert (ROOT / "docs/flags.md").read_text(encoding="utf-8") == flags_page()


def test_every_flag_is_on_the_page():
    """Each word has a row under its topic."""
    assert all(f"\n| `{word}` | " in flags_page() for word in WORDS)


def given(tree):
    """The expressions that a module adds to something called ``flags``."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("add", "append")
            and ast.unparse(node.func.value).rpartition(".")[2] == "flags"
        ):
            yield from node.args
        if isinstance(node, ast.keyword) and node.arg == "flags":
            yield from ast.walk(node.value)


def test_code_takes_flags_from_the_table():
    """No module but the table writes out a flag of several words, or gives a text of its own as a flag."""
    for path in sorted((ROOT / "grader").rglob("*.py")):
        if path.name == "flags.py":
            continue
        tree = ast.parse(path.read_bytes())
        said = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        repeated = next((words for name, words in REPEATED.items() if path.as_posix().endswith(name)), set())
        assert said & {word for word in WORDS if "-" in word} == repeated, path
        assert [ast.unparse(one) for one in given(tree) if isinstance(one, ast.Constant) and one.value] == []


@pytest.mark.parametrize(
    ("words", "shows"),
    [
        (("late", "tried-files"), True),
        (("returned-impostor",), True),
        (("tampered-channel",), True),
        (("ended-process", "manual"), False),
        ((), False),
    ],
)
def test_attempts_are_told_from_slips(words, shows):
    """sys.exit() at the end of a file is a slip; a socket or a closed channel is not."""
    assert shows_attempt(words) is shows
