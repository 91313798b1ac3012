"""Flags: the words in scores.csv by which the grader draws an instructor's attention to a submission.

Each word is defined here only; ``python -m grader.base.flags > docs/flags.md`` writes the table for people.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

RENAMED_FILE = "renamed-file"
SEVERAL_FILES = "several-files"
MISSING_FILE = "missing-file"
EMPTY_FILE = "empty-file"
NOT_UTF8 = "not-utf-8"
IGNORED_FILES = "ignored-files"
JOINED_FILES = "joined-files"
REFUSED_FILES = "refused-files"
SEVERAL_HAND_INS = "several-hand-ins"
TEST_STUDENT = "test-student"
ANONYMOUS = "anonymous"
GROUP_WORK = "group-work"
READ_TWO_WAYS = "read-two-ways"
EDITED_TESTS = "edited-tests"
MISSING_TESTS = "missing-tests"
CELL_NOT_PYTHON = "cell-not-python"
NEEDS_NEWER_PYTHON = "needs-newer-python"
THIRD_PARTY_IMPORT = "third-party-import"
LATE = "late"
NO_TIME = "no-time"
UNREADABLE_TIME = "unreadable-time"
CANVAS_LATE = "canvas-late"
EARLY_EXTENSION = "extension-before-due"
MANUAL = "manual"
TRIED_NETWORK = "tried-network"
TRIED_PROCESSES = "tried-processes"
TRIED_FILES = "tried-files"
RETURNED_IMPOSTOR = "returned-impostor"
ENDED_PROCESS = "ended-process"
TAMPERED_CHANNEL = "tampered-channel"

Topic = Literal["hand-in", "notebook", "time", "points", "sandbox"]
_TITLES: dict[Topic, str] = {
    "hand-in": "What was handed in",
    "notebook": "Notebooks",
    "time": "Times and lateness",
    "points": "Points",
    "sandbox": "What the code did in the sandbox",
}


@dataclass(frozen=True)
class Flag:
    """A flag's word, when it is given, and what the instructor can do."""

    word: str
    topic: Topic
    when: str
    do: str = "Nothing."
    attempt: bool = False  # what honest work never does; such submissions are listed apart


FLAGS = (
    Flag(RENAMED_FILE, "hand-in", "A file was graded although its name is not the expected one."),
    Flag(
        SEVERAL_FILES,
        "hand-in",
        "Several files could be the expected one, or the platform kept an older copy of it.",
        "If the student's page says that none was graded, ask which one counts.",
    ),
    Flag(MISSING_FILE, "hand-in", "An expected file is missing.", "Ask for it if that looks like a slip."),
    Flag(EMPTY_FILE, "hand-in", "An expected file is empty.", "Ask for it if that looks like a slip."),
    Flag(
        NOT_UTF8, "hand-in", "A file was saved in another encoding than UTF-8; it was converted for grading."
    ),
    Flag(IGNORED_FILES, "hand-in", "Source files or a notebook were left out.", "See the student's page."),
    Flag(
        JOINED_FILES,
        "hand-in",
        "Several files, or a file and the notebook, each answered a part; all parts counted.",
        "See the student's page.",
    ),
    Flag(
        REFUSED_FILES,
        "hand-in",
        "A link, a duplicate, a damaged or a locked file was not read.",
        "See the student's page, and ask for the file if it is needed.",
    ),
    Flag(
        NEEDS_NEWER_PYTHON,
        "hand-in",
        "A file uses syntax or names of a newer Python than the grader's.",
        "Grade with a newer Python, or ask for another version of the file.",
    ),
    Flag(
        THIRD_PARTY_IMPORT,
        "hand-in",
        "A file imports a module that is neither Python's own nor handed in.",
        "See the student's page.",
    ),
    Flag(SEVERAL_HAND_INS, "hand-in", "The student's work came by more than one PATH of this call."),
    Flag(TEST_STUDENT, "hand-in", "This is the platform's test student; no score leaves for a platform."),
    Flag(
        ANONYMOUS,
        "hand-in",
        "The platform hides the names.",
        "Turn anonymous marking off before you download again, or match by hand with --match.",
    ),
    Flag(GROUP_WORK, "hand-in", "A group handed this in; each member gets the result."),
    Flag(
        READ_TWO_WAYS,
        "notebook",
        "A task earned more as it stands at the end of the notebook than at its tests; that counted.",
    ),
    Flag(EDITED_TESTS, "notebook", "A cell of tests was changed; the course's own tests counted."),
    Flag(MISSING_TESTS, "notebook", "A cell of tests was removed; the course's own tests were run."),
    Flag(CELL_NOT_PYTHON, "notebook", "A code cell is not valid Python.", "See the student's page."),
    Flag(LATE, "time", "It came after the due time, or after the student's extension."),
    Flag(
        NO_TIME,
        "time",
        "The time of the hand-in is not known, so lateness costs nothing.",
        "Look it up on the platform.",
    ),
    Flag(
        UNREADABLE_TIME,
        "time",
        "The platform's time could not be read with certainty.",
        "Look it up on the platform.",
    ),
    Flag(CANVAS_LATE, "time", "Canvas marked the file LATE.", "Compare with the due date in course.toml."),
    Flag(
        EARLY_EXTENSION,
        "time",
        "The student's extension lies before the due date and was not used.",
        "Correct the roster.",
    ),
    Flag(MANUAL, "points", "A person gave points by hand; they replace the grader's."),
    Flag(TRIED_NETWORK, "sandbox", "The code asked for a socket.", "Read the code.", attempt=True),
    Flag(
        TRIED_PROCESSES,
        "sandbox",
        "The code tried to signal or trace another process, or to start more than 100 processes or programs.",
        "Read the code.",
        attempt=True,
    ),
    Flag(
        TRIED_FILES,
        "sandbox",
        "The code gave an explicit path outside its own folder, such as /etc/passwd, to open or list it.",
        "Read the code.",
        attempt=True,
    ),
    Flag(
        RETURNED_IMPOSTOR,
        "sandbox",
        "The class of a returned object poses as a number or a text, or decides itself what it is equal to.",
        "Read the code.",
        attempt=True,
    ),
    Flag(
        ENDED_PROCESS,
        "sandbox",
        "The code ended its own process, for example by sys.exit().",
        "Read the code if it happened in a function.",
    ),
    Flag(
        TAMPERED_CHANNEL,
        "sandbox",
        "The channel to the grader was closed, or carried something that is no proper answer.",
        "Read the code.",
        attempt=True,
    ),
)

MEANINGS = {flag.word: flag.when for flag in FLAGS}  # when each flag is given, by its word


def shows_attempt(flags: Iterable[str]) -> bool:
    """True if one of the flags stands for something that honest work never does."""
    attempts = {flag.word for flag in FLAGS if flag.attempt}
    return not attempts.isdisjoint(flags)


def flags_page() -> str:
    """The table of all flags in Markdown: the content of ``docs/flags.md``."""
    lines = [
        "# Flags",
        "",
        "A flag is a word in the column `flags` of `scores.csv` that draws your attention to a submission.",
        "It never changes a score, and students do not see it.",
    ]
    for topic, title in _TITLES.items():
        lines += ["", f"## {title}", "", "| Flag | When | What to do |", "|---|---|---|"]
        lines += [f"| `{flag.word}` | {flag.when} | {flag.do} |" for flag in FLAGS if flag.topic == topic]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(flags_page())
