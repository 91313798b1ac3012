"""When two names can be one person's, however a platform writes them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import permutations

from grader.sources.names import split_words

_APOSTROPHES = re.compile("['\u2019\u02bc`\u00b4\u2018]")  # platforms drop them, or write another one
_MOST_WORDS = 5


def same_name(one: str, other: str) -> bool:
    """Whether two names have the same words, in any order or (as in Canvas's files) run together."""
    words, others = _words(one), _words(other)
    if not words or not others:
        return False
    if sorted(words) == sorted(others):
        return True
    if len(words) > 1 or len(others) > _MOST_WORDS or sorted(words[0]) != sorted("".join(others)):
        return False
    return any("".join(order) == words[0] for order in permutations(others))


def unlike(one: str, other: str) -> bool:
    """Whether two names have nothing in common: no word, and none at an end of the other run together.

    A name that is not known, or is a mere number, is like any other.
    """
    words, others = _words(one), _words(other)
    if any("".join(name).isdigit() or not name for name in (words, others)) or set(words) & set(others):
        return False
    return not (_is_at_an_end(words, others) or _is_at_an_end(others, words))


def _is_at_an_end(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether one of the words begins or ends the others run together; a single Latin letter says nothing."""
    whole = "".join(others)
    return any(whole.startswith(w) or whole.endswith(w) for w in words if len(w) > 1 or not w.isascii())


def _words(name: str) -> tuple[str, ...]:
    return split_words(_APOSTROPHES.sub("", name))
