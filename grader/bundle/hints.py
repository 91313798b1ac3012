"""Why a test failed and what to try, by what happened: a wrong value, an error, too slow, wrong arguments."""

from __future__ import annotations

_HINTS = {
    "slow": "Look at each loop: what ends it, and does that change in every turn? Try it with small numbers.",
    "memory": "Look at each list and text: what ends its growth? Try it with small numbers.",
    "ended": "Delete the call that ends the program; a function ends with return and its answer.",
    "arguments": "Compare the first line of your function with the stub's: the same names in the same order.",
    "left-over": "Delete the line that begins with raise NotImplementedError; your own code stays.",
    "error": "Go to the line that is named and print the values there: which one is not what you think?",
    "NameError": "Nothing has this name there. Is it misspelt, or does only another function know it?",
    "UnboundLocalError": "On some way to that line nothing gives this name a value. Set it before the loop.",
    "ZeroDivisionError": "Something is divided by 0. For which input is that, and what is promised then?",
    "IndexError": "The list has no such place. Is it empty, or is the last place its length minus one?",
    "TypeError": "Two values do not fit together. Print the type of each: is one a list, None or a text?",
    "ValueError": "If this is your own check, it refuses what is allowed: compare it with the docstring.",
    "RecursionError": "The function calls itself without end. Which call should answer by itself?",
}


def kind_of(error: str) -> str:
    """The kind of an error: its name where there is a hint on it, otherwise ``error``."""
    return error if error[:1].isupper() and error in _HINTS else "error"


def because(name: str, file: str, sentence: str, kind: str = "") -> str:
    """Why a test failed: the idea of its criterion, or what ``kind`` says.

    ``sentence`` completes "your function ..."; ``kind`` is one of ``judge.Verdict``.
    """
    name = "answer" if file == f"{name}.py" else name
    if kind in ("error", "ended") or kind[:1].isupper():
        what = "the end of the program" if kind == "ended" else "an error"
        return f"{what} ends {name} before it can answer; a right one {sentence}."
    if kind in ("slow", "memory"):
        return f"a right {name} answers at once, and {sentence}."
    if kind == "arguments":
        return f"{name} is called as its first line in the stub says."
    if kind == "left-over":
        return f"raise ends {name} before it can answer."
    return f"a right {name} {sentence}."


def hint(own: str, kind: str) -> str:
    """The hint that fits what happened: the criterion's own for a wrong value, or the one on this kind."""
    return _HINTS.get(kind, own)
