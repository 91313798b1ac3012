"""Every document tells the truth: links lead somewhere, files and tests exist, commands take the options."""

import hashlib
import itertools
import json
import re
import shlex
import tomllib

import click
import pytest
from helpers import hostile_class
from helpers.paths import ROOT, TESTS
from markdown_it import MarkdownIt

from grader.cli import cli

GLOBS = ("*.md", "docs/*.md", "benchmarks/*.md", "exercises/[!.]*/README.md")
DOCUMENTS = sorted(path.relative_to(ROOT).as_posix() for pattern in GLOBS for path in ROOT.glob(pattern))
FOLDERS = ("grader", "docs", "exercises", "solutions", "tests", "benchmarks", ".ci", ".github")
LOCAL_ONLY = {"docs/lesson.md"}
"""Documents with paths of an invented lesson, which test_lesson_page.py builds."""


def tokens(document):
    """All tokens of a document, those inside of paragraphs too."""
    for token in (
        MarkdownIt("commonmark").enable("table").parse((ROOT / document).read_text(encoding="utf-8"))
    ):
        yield token
        yield from token.children or ()


def codes(document):
    """The code spans of a document, and the lines of its code blocks."""
    for token in tokens(document):
        if token.type == "code_inline":
            yield token.content
        elif token.type in ("fence", "code_block"):
            yield from token.content.splitlines()


def anchors(document):
    """The anchors of a document's headings, as GitHub makes them."""
    found = list(tokens(document))
    titles = [after.content for token, after in itertools.pairwise(found) if token.type == "heading_open"]
    return {re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document):
    """Each link and picture within the repository names a file that exists, and a heading that it has."""
    for token in tokens(document):
        target = token.attrGet("href") or token.attrGet("src")
        if target is None or re.match(r"[a-z]+:", str(target)):
            continue
        name, _, anchor = str(target).partition("#")
        path = ((ROOT / document).parent / name).resolve() if name else ROOT / document
        assert path.exists(), target
        if anchor:
            assert anchor in anchors(path.relative_to(ROOT).as_posix()), target


@pytest.mark.parametrize("document", sorted(set(DOCUMENTS) - LOCAL_ONLY))
def test_paths_exist(document):
    """Each path in code that begins with a folder of the repository exists; NAME stands for any name."""
    for code in codes(document):
        for path in re.findall(rf"(?<![\w./-])(?:{'|'.join(map(re.escape, FOLDERS))})/[\w./*-]*", code):
            pattern = re.sub(r"\bNAME\b|\bPACKAGE\b|\bMODULE\b", "*", path.rstrip("./"))
            assert list(ROOT.glob(pattern)), path


@pytest.mark.parametrize("document", sorted(set(DOCUMENTS) - LOCAL_ONLY))
def test_named_tests_exist(document):
    """Each test file (named below tests/) exists; each ``::test_x`` is in the file that was named last."""
    file = ""
    for code in codes(document):
        match = re.fullmatch(r"(?:tests/)?((?:[a-z]\w*/)*test_[\w*]+\.py)?(?:::(test_\w+))?", code)
        if not match or not match[0].removeprefix("tests/"):
            continue
        file = match[1] or file
        assert file, code
        found = sorted(TESTS.glob(file))
        assert found, code
        if match[2]:
            assert f"def {match[2]}(" in found[0].read_text(encoding="utf-8"), code


COMMANDS = {name: cli.get_command(click.Context(cli), name) for name in cli.list_commands(click.Context(cli))}


def options_of(command):
    """Every option of a command, in all its spellings."""
    return {name for parameter in command.params for name in parameter.opts} | {"--help"}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_exist(document):
    """Each ``grader COMMAND --option`` is a command with that option; so is each option named alone."""
    every = {name for command in COMMANDS.values() for name in options_of(command)} | {"--version"}
    for code in codes(document):
        if re.match(r"--\w", code):
            assert code.split()[0].partition("=")[0] in every, code
        for call in re.findall(r"(?:^|[ /])grader ([a-z]+\b[^&|;#]*)", code):
            name, *words = shlex.split(call, posix=False)
            assert name in COMMANDS, code
            options = {word.partition("=")[0] for word in words if word.startswith("--") and len(word) > 2}
            assert options <= options_of(COMMANDS[name]), code


@pytest.mark.parametrize("document", DOCUMENTS)
def test_export_and_upload_know_what_is_named(document):
    """Each platform in ``grader export NAME``, ``upload NAME`` and ``package NAME`` is one that it takes."""
    for code in codes(document):
        for name, platform in re.findall(r"(?:^|[ /])grader (export|upload|package) ([a-z]+)", code):
            (argument,) = [p for p in COMMANDS[name].params if isinstance(p, click.Argument)]
            assert platform in argument.type.choices, code


@pytest.mark.parametrize("document", DOCUMENTS)
def test_make_targets_exist(document):
    """Each ``make TARGET`` is a target of the Makefile."""
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for code in codes(document):
        if match := re.match(r"make ([a-z]+)\b", code):
            assert match[1] in targets, code


def test_dependencies_are_those_of_the_project():
    """README's table gives a reason for each dependency of pyproject.toml and web/package.json."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lists = [project["build-system"]["requires"], project["project"]["dependencies"]]
    lists += project["project"]["optional-dependencies"].values()
    declared = {re.match(r"[\w-]+", entry)[0].lower() for entries in lists for entry in entries}
    declared |= json.loads((ROOT / "web/package.json").read_text(encoding="utf-8"))["devDependencies"].keys()
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("| dependency | why |")[2]
    rows = re.findall(r"^\| (?!---)(?:`(?:\[\w+\]|web/)`: )?([\w, @/-]+) \|", table, re.MULTILINE)
    assert {name for row in rows for name in row.split(", ")} == declared


def test_layers_are_those_of_the_contract():
    """The architecture's table has the layers that import-linter checks, in their order."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    table = (ROOT / "docs/architecture.md").read_text(encoding="utf-8").partition("## Layers")[2]
    rows = re.findall(r"^\| `(\w+)` \|", table.partition("\n## ")[0], re.MULTILINE)
    assert rows == [layer for layer in reversed(layers) if layer not in ("cli", "__main__")]


def test_security_names_hostile_submissions_that_exist():
    """SECURITY.md lists some after test_hostile.py."""
    page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    listed = re.search(r"`whole/test_hostile\.py` \(([^)]*)\)", page)
    assert set(re.findall(r"`(\w+)`", listed[1])) <= set(hostile_class.hostile_names())


def test_security_names_tests_that_exist():
    """Each file of tests that SECURITY.md names is there, and has the function named behind it."""
    page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    file, named = "", []
    for path, function in re.findall(r"`((?:unit|whole)/[\w/*]+\.py)?(?:::(\w+))?`", page):
        file = path or file
        if path or function:
            named.append((file, function))
    assert len(named) > 40
    for path, function in named:
        files = [*(ROOT / "tests").glob(path)]
        assert files, path
        assert not function or f"\ndef {function}(" in files[0].read_text(encoding="utf-8"), (path, function)


def test_picture_of_growth_is_current():
    """The benchmark's picture says which figures it shows, and they are those that lie beside it."""
    digest = hashlib.sha256((ROOT / "benchmarks/growth.csv").read_bytes()).hexdigest()
    assert f"SHA-256 {digest}" in (ROOT / "benchmarks/growth.svg").read_text(encoding="utf-8")
