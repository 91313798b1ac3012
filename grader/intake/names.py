"""When a file's name is close enough to an expected one: the rules, in one place.

A name that differs in case, in separators, by a copy's number, by a doubled or hidden ending, by a word such
as "final" or by the student's own name stands for the expected one: ``Reservation.PY``,
``reservation (1).py``, ``reservation-1.py``, ``reservation.py.txt``, ``Copy of reservation.py``,
``hands-on.py``, ``reservation_final.py``, ``lovelace_reservation.py``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

_WORDS_OF_COPIES = frozenset(
    "copy of kopie von copia de final finished new newest latest old backup version updated fixed corrected "
    "corrections submission submit done solution abgabe my the".split()
)


def is_close(name: str, expected: str, owner: Collection[str] = ()) -> bool:
    """Whether ``name`` is a close miss of ``expected``; ``owner`` are words of the student's own names."""
    stem, ending = _split(name)
    wanted = expected.rpartition(".")[0]
    if ending != expected.rpartition(".")[2]:
        return False
    if _squash(stem) == _squash(wanted):
        return True
    spare = _words(stem)
    need = _words(wanted)
    for start in range(len(spare) - len(need) + 1):
        if spare[start : start + len(need)] == need:
            rest = spare[:start] + spare[start + len(need) :]
            return all(_says_nothing(word, owner) for word in rest)
    return (
        bool(re.fullmatch(re.escape(_squash(wanted)) + r"\d{1,2}", _squash(stem)))
        and not wanted[-1].isdigit()
    )


def owner_words(*names: str) -> frozenset[str]:
    """The words of a student's names and ids, as file names are split."""
    return frozenset(word for name in names for word in _words(name))


def _says_nothing(word: str, owner: Collection[str]) -> bool:
    return bool(re.fullmatch(r"v?\d+", word)) or word in _WORDS_OF_COPIES or word in owner


def _split(name: str) -> tuple[str, str]:
    """Stem and ending in lower case, without an ending that a browser or an editor added."""
    text = unicodedata.normalize("NFKC", name).casefold().strip(" .")
    text = re.sub(r"\.(py|ipynb)(?:\s*\(\d+\))?(?:\.(?:txt|py|ipynb|json))+$", r".\1", text)
    text = re.sub(r"\.(py|ipynb)\s*\(\d+\)$", r".\1", text)
    stem, _, ending = text.rpartition(".")
    return stem, ending


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[\W_]+", unicodedata.normalize("NFKC", text).casefold()) if word]


def _squash(text: str) -> str:
    return "".join(_words(text))
