"""The command line: help, its speed, and how errors are printed."""

import subprocess
import sys
import tempfile

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

import grader
from grader.cli import COMMANDS, cli, main

# What --help of a command must not wait for: each of them takes from a tenth of a second to several seconds.
HEAVY = ("pytest", "rich", "jinja2", "nbgrader", "nbformat", "sqlalchemy", "distributed", "dask", "httpx")
WATCH = f"""
import sys
from grader.cli import COMMANDS, cli
for call in ([], *([name] for name in COMMANDS)):
    try:
        cli([*call, "--help"], standalone_mode=False)
    except SystemExit:
        pass
    print("loaded:", *[name for name in {HEAVY!r} if name in sys.modules])
"""


def test_help_names_every_command():
    """``grader --help`` lists the commands in the order in which work flows, each with its line."""
    done = CliRunner().invoke(cli, ["--help"])
    assert done.exit_code == 0
    places = [done.output.index(f"  {name} ") for name in COMMANDS]
    assert places == sorted(places)
    for line in COMMANDS.values():
        assert line.split()[0] in done.output


def test_help_is_there_at_once():
    """``grader --help`` and the help of each command import no heavy package."""
    done = subprocess.run([sys.executable, "-c", WATCH], capture_output=True, text=True, check=True)
    loaded = [line for line in done.stdout.splitlines() if line.startswith("loaded:")]
    assert loaded == ["loaded:"] * (1 + len(COMMANDS))


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(command):
    """Each command's help has an example."""
    done = CliRunner().invoke(cli, [command, "--help"])
    assert done.exit_code == 0, done.output
    example = " ".join(done.output.split()).partition("Example")[2]
    assert f"grader {command}" in example
    assert "--help" in done.output


def test_shell_completion():
    """Shell completion lists the commands."""
    completion = ShellComplete(cli, {}, "grader", "_GRADER_COMPLETE")
    assert [item.value for item in completion.get_completions([], "gr")] == ["grade"]


def test_version():
    """``grader --version`` prints the version of the package."""
    done = CliRunner().invoke(cli, ["--version"])
    assert done.output == f"grader, version {grader.__version__}\n"


def test_unknown_command():
    """An unknown command has exit status 2."""
    done = CliRunner().invoke(cli, ["grde"])
    assert done.exit_code == 2
    assert "No such command 'grde'" in done.output


def test_mistake_is_one_line(monkeypatch, capsys, tmp_path):
    """A GraderError is one line on stderr with its exit status, without a traceback."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["grader", "grade", "class"])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("grader: There is no course.toml here or in any folder above; name one")
    assert err.count("\n") == 1


def failing(monkeypatch, tmp_path, error):
    """Run the command line with a command that raises something, and files for temporary use in a folder."""

    def fail():
        raise error

    monkeypatch.setattr(cli, "callback", fail)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["grader", "check"])
    with pytest.raises(SystemExit) as caught:
        main()
    return caught.value.code


def test_a_fault_of_the_grader_is_one_line_and_a_file(monkeypatch, capsys, tmp_path):
    """Any other error is one line that names a file with the traceback; only its owner can read the file."""
    assert failing(monkeypatch, tmp_path, ValueError("no\x1b[2J\nway")) == 1
    (log,) = tmp_path.iterdir()
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "\x1b" not in err
    assert str(log) in err
    assert log.stat().st_mode & 0o777 == 0o600
    text = log.read_text(encoding="utf-8")
    assert "Traceback (most recent call last)" in text
    assert "in fail" in text
    assert "ValueError: no" in text


def test_a_folder_of_somebody_else(monkeypatch, capsys, tmp_path):
    """A file that may not be read or written is named in one line, and is no fault of the grader."""
    error = PermissionError(13, "Permission denied", "graded/grader.json")
    assert failing(monkeypatch, tmp_path, error) == 1
    assert capsys.readouterr().err == "grader: graded/grader.json cannot be used: Permission denied.\n"
    assert not [*tmp_path.iterdir()]


def test_a_fault_without_room_for_its_traceback(monkeypatch, capsys, tmp_path):
    """If the file cannot be written, the line says so."""
    assert failing(monkeypatch, tmp_path / "absent", ZeroDivisionError()) == 1
    err = capsys.readouterr().err
    assert "ZeroDivisionError" in err
    assert "could not be written: No such file or directory." in err


def test_main_without_a_mistake(monkeypatch, capsys):
    """Without an error the exit status is 0."""
    monkeypatch.setattr(sys, "argv", ["grader", "--version"])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 0
    assert "version" in capsys.readouterr().out


def test_as_a_module():
    """``python -m grader`` is the same command."""
    done = subprocess.run(
        [sys.executable, "-m", "grader", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("grader, version ")
