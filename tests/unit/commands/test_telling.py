"""Lines that several commands say."""

from grader.commands.telling import say, say_recharged
from grader.results.late import Recharge


def test_one_line_on_stderr(capsys):
    """Text that would move the cursor or go on in the next line stays one visible line."""
    say("ada\x1b[2J\nbob")
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "\x1b" not in said.err


def test_quiet(capsys):
    """Who asked for quiet hears nothing."""
    say("ada", quiet=True)
    say_recharged([Recharge("ada", 0, 2)], quiet=True)
    assert capsys.readouterr().err == ""


def test_recharged(capsys):
    """What lateness costs now, and what it did, as short as the numbers are."""
    say_recharged([Recharge("ada", 0, 2), Recharge("bob", 1.5, 0)], quiet=False)
    assert capsys.readouterr().err.splitlines() == [
        "ada: lateness costs 2 points now, not 0",
        "bob: lateness costs 0 points now, not 1.5",
    ]
