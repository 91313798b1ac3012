"""The command ``grader``: a thin table of commands, each imported only when it is called."""

import atexit
import gc
import importlib
import os
import sys
import tempfile
import traceback

import click

from grader import __version__
from grader.base.errors import GraderError
from grader.base.text import clean, one_line

COMMANDS = {
    "new": "Write the skeleton of a new lesson.",
    "check": "Say what is wrong in the course.",
    "build": "Regenerate exercises/ from solutions/.",
    "preview": "Write the pages that students of a lesson see.",
    "release": "Write what students get: a folder and a zip.",
    "fetch": "Bring what a class handed in from a learning platform.",
    "grade": "Grade what a class handed in.",
    "report": "Write the report on a class.",
    "explain": "Explain one student's result in full.",
    "adjust": "Change a student's points by hand.",
    "export": "Write a score file for a learning platform.",
    "upload": "Show, and with --send write, scores on a learning platform.",
    "nbgrader": "Lay out a native nbgrader course.",
    "package": "Build an autograder archive for a platform.",
    "purge": "Remove a term's personal data.",
}


class LazyGroup(click.Group):
    """A group whose commands live in ``grader.commands.NAME`` and are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order in which work flows."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"grader.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table, so that help imports none of them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="grader")
def cli() -> None:
    """Grade exercises: check and release a course, grade a class, send scores to a learning platform."""


def main() -> None:
    """Run the command line. An error becomes one line on stderr and an exit status, never a traceback."""
    # Most objects of a call live until its end: looking for garbage among them takes a tenth of the time.
    gc.set_threshold(20_000)
    atexit.register(gc.freeze)
    try:
        cli()
    except GraderError as error:
        click.echo(f"grader: {clean(str(error), 4000)}", err=True)
        sys.exit(error.exit_status)
    except PermissionError as error:
        what = clean(str(error.filename or error), 4000)
        click.echo(f"grader: {what} cannot be used: Permission denied.", err=True)
        sys.exit(1)
    except Exception as error:  # noqa: BLE001 - the last handler: nobody foresaw this one
        what = one_line(f"{type(error).__name__}: {error}", 200)
        click.echo(f"grader: This is a fault of the grader ({what}). {_keep_traceback(error)}", err=True)
        sys.exit(1)


def _keep_traceback(error: Exception) -> str:
    """Write the traceback into a new file that only its owner can read, and say in a sentence where."""
    text = "".join(traceback.format_exception(error))
    lines = [f"grader {__version__}, Python {sys.version}, {sys.platform}", text]
    try:
        handle, name = tempfile.mkstemp(prefix="grader-fault-", suffix=".log")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write("\n".join(lines))
    except OSError as why:
        return f"Its traceback could not be written: {why.strerror}."
    return f"Please send the maintainers {name}, which says where it happened."
