"""Syntax and names that the grader's Python does not have."""

import sys
import time

import pytest

from grader.bundle.newer import name_needs, nested_quotes, newer_parts

SAME_QUOTES = [
    'x = f"{", ".join(a)}"',
    "x = f\"{'\\n'.join(a)}\"",
    'x = f"{\na}"',
    'x = f"{d["k"]}"',
    'x = f"{a:{"x"}}"',
    'x = f"{a if b else "c"}"',
    'x = f"""{a # why\n}"""',
]
OLD = [
    "x = f\"{', '.join(a)}\"",
    "x = f'{a!r:>{w}}'",
    'x = f"""{"a"}"""',
    'x = f"{chr(10)}\\n"',
    'x = f"{{not}} {a}"',
    '# f"{"\nx = 1',
    'x = "f{"\ny = 2',
    "f'{d[\"k\"]}'",
    'x = rf"\\d{a}"',
    '"""doc f"{" """\nf"{x}"',
    "f'{x:%H:%M}'",
    'f"{x:#x}"',
    'print(f"{a}" + "b")',
    "rb'{'",
    "x = 'no end",
]


@pytest.mark.parametrize("source", SAME_QUOTES)
def test_nested_quotes_are_found(source):
    """Each is right in Python 3.12 and a syntax error in 3.11."""
    assert nested_quotes(f"a = 1\n{source}\n") >= 2
    if sys.version_info < (3, 12):
        with pytest.raises(SyntaxError):
            compile(source, "x", "exec")
    else:
        assert [needs for _, needs in newer_parts(source, (3, 11))] == ["3.12"]


@pytest.mark.parametrize("source", OLD)
def test_older_strings_are_left_alone(source):
    """Each is read alike by Python 3.11 and 3.12."""
    assert nested_quotes(source) == 0


def test_a_long_text_without_an_end_of_its_strings_is_searched_once():
    """The largest file that is taken has 256 KiB; searched anew at each quote it took minutes."""
    begun = time.process_time()
    assert nested_quotes("\\'''\n" * 52_000 + "\\") == 0
    assert time.process_time() - begun < 2


def test_new_names_of_the_library_are_found():
    """Imported, or asked of the module; each with its line."""
    source = (
        "import itertools\nfrom math import sumprod\nx = itertools.batched('ab', 1)\nfrom math import pi\n"
    )
    assert newer_parts(source, (3, 11)) == [(2, "3.12"), (3, "3.12")]
    assert newer_parts(source, (3, 12)) == []
    assert name_needs("copy.replace", (3, 12)) == "3.13"


def test_new_syntax_is_found_by_the_parser():
    """``match`` came with 3.10."""
    source = "match 1:\n    case 1:\n        pass\n"
    assert newer_parts(source, (3, 9)) == [(1, "3.10")]
    assert newer_parts(source, (3, 10)) == []
