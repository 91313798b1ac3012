"""Lines for Jupyter alone are left out of a cell, and nothing else; Python is asked a few times at most."""

import ast
import contextlib
import time

import pytest

from grader.sandbox.inside.notebook import MAX_PARSES, is_other_language, parse_cell


@pytest.mark.parametrize(
    ("source", "becomes"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("!echo it's (\nx = 1\n%cd {a", "pass\nx = 1\npass"),
        ("files = !ls\nt.a =%timeit -o f()", "files = None\nt.a =None"),
        ("%time x = f()\nif a:\n  %time y = 1", "x = f()\nif a:\n  y = 1"),
        ("mean?\n?mean\nframe['a'].sum??  \nmean(", None),
        ("mean?\n?mean\nframe['a'].sum??  ", "pass\npass\npass"),
        ("if a:\n    !ls\n    %cd /", "if a:\n    pass\n    pass"),
        ("%a\nx = '''\n% b\n!c\nd?\n'''", "pass\nx = '''\n% b\n!c\nd?\n'''"),
        ('%a\nx = r"""\\"\n% c\n"""\n% b', 'pass\nx = r"""\\"\n% c\n"""\npass'),
        ('%a\nx = "\\"" # it\'s "\n% b', 'pass\nx = "\\"" # it\'s "\npass'),
        ("%a\nx = (5\n% 3\n)\n%b", "pass\nx = (5\n% 3\n)\npass"),
        ("%a\nx = 5 \\\n% 3\n%b", "pass\nx = 5 \\\n% 3\npass"),
        ("%a\nx = 1  # why?\ny = 'why?'\n# what?", "pass\nx = 1  # why?\ny = 'why?'\n# what?"),
        ("x = 1\n# why?\n", "x = 1\n# why?\n"),
        ("what's this?\nx = 1", "pass\nx = 1"),
        ("%a\nx = = 1", None),
        ("x = = 1\n%a", None),
        ('%a\nx = """', None),
    ],
)
def test_what_is_blanked(source, becomes):
    """A line for Jupyter is blanked where a statement can start; None: the cell is not Python."""
    if becomes is None:
        with pytest.raises(SyntaxError):
            parse_cell(source, "cell")
        return
    lines, tree = parse_cell(source, "cell")
    assert "\n".join(lines) == becomes
    assert ast.dump(tree) == ast.dump(ast.parse(becomes))


@pytest.mark.parametrize(
    ("source", "other"),
    [("%%bash\nls", True), ("\n %%html", True), ("%%time\nx = 1", False), ("%time x", False), ("x", False)],
)
def test_whole_cells(source, other):
    """A cell with a magic for another language is not Python."""
    assert is_other_language(source) == other


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "parses"),
    [
        ("x = 1", 1),
        ("%a\n" * 49 + "x = 1", 2),
        ("a;" * 32_000 + "\n%a" * 49, 2),
        ("frame['a']?\n" * 1_000, 2),
        ("it's?\n" * 1_000, MAX_PARSES),
        ("%a\n" * 1_000 + "x = = 1", 2),
    ],
)
def test_python_is_asked_a_few_times(monkeypatch, source, parses):
    """However many lines are for Jupyter, a cell is parsed twice; at most four times if they hide."""
    asked = []
    parse = ast.parse
    monkeypatch.setattr(ast, "parse", lambda *words: asked.append(words) or parse(*words))
    with contextlib.suppress(SyntaxError):
        parse_cell(source, "cell")
    assert len(asked) == parses


@pytest.mark.parametrize(
    "text",
    [
        '"""' + '\\"""' * 15_000 + "\\",
        "'\n" * 30_000,
        "''" * 30_000,
        "\\\n" * 30_000,
        "#?" * 30_000,
        " " * 60_000 + "(",
        "a." * 30_000 + "(",
        "? " * 30_000 + "(",
        "([{" * 20_000,
    ],
)
def test_the_search_for_jupyter_lines_is_quick(text):
    """No text makes the search start over: any cell takes much less than a second."""
    start = time.process_time()
    with pytest.raises((SyntaxError, MemoryError)):
        parse_cell("%a\n" + text + "\n= 1", "cell")
    assert time.process_time() - start < 2
