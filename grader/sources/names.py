"""Compare names: a file's with the expected one, and one person's as two platforms write it.

A file's name stands for the expected one when it differs from it

- in case, width, separators or spaces: ``Reservation.PY``, ``hands-on.py``;
- by a copy's number: ``lab (1).py``, ``lab-1.py``, ``lab2.py``;
- by a doubled or hidden ending: ``lab.py.txt``, ``lab.py.py``;
- by words before or after it that do not name another file: a version (``v2``), "final", "copy of" and the
  like, or the student's own name or id.

Any other word, such as "test" or "helper", makes it another file.
"""

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
_LONGEST = 150  # letters; a longer name is not a slip
_MOST_LETTERS = 255  # the limit of file systems; more are not looked at
_POINTS = range(10, 36)  # the combining classes of Hebrew and Arabic vowel points
_HAS_ENDING = re.compile(r"\.(?:py|ipynb)", re.IGNORECASE)
_ENDINGS = ("py", "ipynb", "txt", "json")
_COPY = re.compile(rf"(\.(?:{'|'.join(_ENDINGS)}))(?: ?\(\d+\)|-\d+(?=\.))")
_APOSTROPHES = re.compile("['\u2019\u02bc`\u00b4\u2018]")  # platforms drop them, or write another one
_MOST_NAME_WORDS = 8  # that are looked for in a name that is run together


def is_close(name: str, expected: str, owner: Collection[str] = ()) -> bool:
    """Return whether ``name`` is a close miss of ``expected``; ``owner`` are words of the student's names."""
    if len(name) > _LONGEST or (name.isascii() and not _HAS_ENDING.search(name)):
        return False  # quick answer for most files of a large project
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
    fillers = _EMPTY_WORDS.union(owner) - _OTHER_FILES
    return spare is not None and all(word in fillers or re.fullmatch(r"v?\d+", word) for word in spare)


def owner_words(*names: str) -> frozenset[str]:
    """Return the words of a student's names and ids, which may be part of a file's name."""
    return frozenset(word for name in names for word in split_words(name))


def split_words(text: str) -> tuple[str, ...]:
    """Split the first 255 letters of a name into words in lower case."""
    return _words(text[:_MOST_LETTERS])


@functools.lru_cache(maxsize=1 << 14)
def _words(text: str) -> tuple[str, ...]:
    plain = unicodedata.normalize("NFKC", text).casefold()
    if plain.isascii():
        return tuple(re.findall(r"[a-z0-9]+", plain))
    # In many scripts vowels are marks behind a letter; only the points of Hebrew and Arabic may be left out.
    letters = (
        "" if unicodedata.category(c) == "Cf" or unicodedata.combining(c) in _POINTS
        else c if c.isalnum() or unicodedata.category(c)[0] == "M"
        else " "
        for c in plain
    )  # fmt: skip
    return tuple("".join(letters).split())


@functools.lru_cache(maxsize=1 << 14)
def split_ending(name: str) -> tuple[str, str]:
    """Split the last 255 letters of a file's name into stem and ending (py, ipynb or ""), in lower case.

    Of several endings the last one that means a source file counts.
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
    """Return whether two names of people have the same words, in any order or run together.

    Canvas runs names together, and some scripts have no spaces, so either name may be that one word.
    """
    words, others = sorted((_name_words(one), _name_words(other)), key=len)
    if not words or letters_of(one) != letters_of(other):
        return False
    if sorted(words) == sorted(others):
        return True
    is_run_together = len(words) == 1 and len(others) <= _MOST_NAME_WORDS
    return is_run_together and any("".join(order) == words[0] for order in permutations(others))


def letters_of(name: str) -> str:
    """Return the sorted letters of a name; those of two same names are equal."""
    return "".join(sorted("".join(_name_words(name))))


def nothing_in_common(one: str, other: str) -> bool:
    """Return whether two people's names share no word, and no word of one begins or ends the other.

    The other name counts run together, as Canvas writes it. An empty name, or a number instead of
    a name, may belong to anybody: False.
    """
    words, others = _name_words(one), _name_words(other)
    if any("".join(name).isdigit() or not name for name in (words, others)) or set(words) & set(others):
        return False
    return not (_is_at_an_end(words, others) or _is_at_an_end(others, words))


def _is_at_an_end(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether a word, other than a single Latin letter, begins or ends the others run together."""
    whole = "".join(others)
    return any(whole.startswith(w) or whole.endswith(w) for w in words if len(w) > 1 or not w.isascii())


def _name_words(name: str) -> tuple[str, ...]:
    return split_words(_APOSTROPHES.sub("", name))
