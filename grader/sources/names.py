"""Compare names: a file's with the expected one, and one person's as two platforms write it.

A file's name stands for the expected one when it differs from it

- in case, width, separators or spaces: ``Reservation.PY``, ``hands-on.py``;
- by a copy's number: ``reservation (1).py``, ``reservation-1.py``, ``reservation2.py``;
- by a doubled or hidden ending: ``reservation.py.txt``, ``reservation.py.py``;
- by words before or after it that name no other file: a version (``v2``), "final", "copy of" and their like,
  or the student's own name or id.

Words such as "test" or "helper" make it another file, and so does any word that is not known here.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Collection, Sequence
from itertools import permutations

_EMPTY_WORDS = {
    "copy", "of", "the", "my", "kopie", "von", "copia", "copie", "de", "kopia",
    "final", "finished", "done", "new", "newest", "latest", "old", "backup", "draft", "version",
    "updated", "fixed", "corrected", "correction", "submission", "submit", "submitted", "solution",
    "answer", "answers", "abgabe", "lab", "homework", "hw", "assignment", "exercise", "part",
}  # fmt: skip
_OTHER_FILES = {"test", "tests", "conftest", "helper", "helpers", "util", "utils"}
_LONGEST = 150  # letters; a longer name is no slip
_MOST_LETTERS = 255  # looked at; no file system holds a longer name
_HAS_ENDING = re.compile(r"\.(?:py|ipynb)", re.IGNORECASE)
_ENDINGS = ("py", "ipynb", "txt", "json")
_COPY = re.compile(rf"(\.(?:{'|'.join(_ENDINGS)})) ?\(\d+\)")
_APOSTROPHES = re.compile("['\u2019\u02bc`\u00b4\u2018]")  # platforms drop them, or write another one
_MOST_NAME_WORDS = 5


def is_close(name: str, expected: str, owner: Collection[str] = ()) -> bool:
    """Whether ``name`` is a close miss of ``expected``; ``owner`` are words of the student's own names."""
    if len(name) > _LONGEST or (name.isascii() and not _HAS_ENDING.search(name)):
        return False  # most files of a hand-in that is a whole project, told apart at once
    stem, ending = split_ending(name)
    wanted, _, wanted_ending = expected.rpartition(".")
    if ending != wanted_ending:
        return False
    words, need = split_words(stem), split_words(wanted)
    if "".join(words) == "".join(need):
        return True
    if not wanted[-1].isdigit() and re.fullmatch(rf"{''.join(need)}\d{{1,2}}", "".join(words)):
        return True
    spare = next(
        (
            words[:at] + words[at + len(need) :]
            for at in range(len(words))
            if words[at : at + len(need)] == need
        ),
        None,
    )
    return spare is not None and all(_says_nothing(word, owner) for word in spare)


def owner_words(*names: str) -> frozenset[str]:
    """The words of a student's names and ids, which may stand in the names of the student's files."""
    return frozenset(word for name in names for word in split_words(name))


def split_words(text: str) -> tuple[str, ...]:
    """The words of a name, in lower case; of a name that is too long for a file its beginning."""
    return _words(text[:_MOST_LETTERS])


@functools.lru_cache(maxsize=1 << 14)
def _words(text: str) -> tuple[str, ...]:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return tuple(word for word in re.split(r"[\W_]+", plain) if word)


def _says_nothing(word: str, owner: Collection[str]) -> bool:
    if word in _OTHER_FILES:
        return False
    return bool(re.fullmatch(r"v?\d+", word)) or word in _EMPTY_WORDS or word in owner


@functools.lru_cache(maxsize=1 << 14)
def split_ending(name: str) -> tuple[str, str]:
    """Stem and ending (``py``, ``ipynb`` or nothing) in lower case.

    Of several endings the last one that means a source file counts. A name is looked at from its end, and
    no more of it than any file system could hold.
    """
    text = unicodedata.normalize("NFKC", name[-_MOST_LETTERS:]).casefold().strip(" .")
    text = _COPY.sub(r"\1", text)
    parts = text.split(".")
    ending = ""
    while len(parts) > 1 and parts[-1] in _ENDINGS:
        last = parts.pop()
        ending = ending or (last if last in ("py", "ipynb") else "")
    return (".".join(parts), ending) if ending else (text, "")


def same_name(one: str, other: str) -> bool:
    """Whether two names have the same words, in any order or (as in Canvas's files) run together."""
    words, others = _name_words(one), _name_words(other)
    if not words or not others:
        return False
    if sorted(words) == sorted(others):
        return True
    if len(words) > 1 or len(others) > _MOST_NAME_WORDS or sorted(words[0]) != sorted("".join(others)):
        return False
    return any("".join(order) == words[0] for order in permutations(others))


def unlike(one: str, other: str) -> bool:
    """Whether two names have nothing in common: no word, and none at an end of the other run together.

    A name that is not known, or is a mere number, is like any other.
    """
    words, others = _name_words(one), _name_words(other)
    if any("".join(name).isdigit() or not name for name in (words, others)) or set(words) & set(others):
        return False
    return not (_is_at_an_end(words, others) or _is_at_an_end(others, words))


def _is_at_an_end(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether one of the words begins or ends the others run together; a single Latin letter says nothing."""
    whole = "".join(others)
    return any(whole.startswith(w) or whole.endswith(w) for w in words if len(w) > 1 or not w.isascii())


def _name_words(name: str) -> tuple[str, ...]:
    return split_words(_APOSTROPHES.sub("", name))
