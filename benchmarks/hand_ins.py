"""Make a class of hand-ins as a course gets them: most functions right, many with a usual mistake.

Each student draws for each task the right function, one of the usual mistakes, or all stubs untouched; one in
a hundred has a loop that never ends. The same seed gives the same bytes.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

RIGHT = 0.62
"""The share of the answers that are right."""
ENDLESS = 0.01
"""The share of the students who wrote a loop that never ends."""

_CONSTANTS: dict[str, tuple[object, Sequence[object]]] = {
    "PREDICTION": (False, (True, None)),
    "RESERVED": (300, (65, 400, 200, None)),
    "IDLE": (235, (65, 335, 240, None)),
    "MORE": (1, (4, 3, 0, None)),
    "UNUSED_IS_SHARED": (False, (True, None)),
}
_CHECK = "if max_len is not None and any(n > max_len for n in lengths):\n        "
_CHECK_WASTE = "if any(n > max_len for n in lengths):\n        raise ValueError('too long')\n    "
_NOBODY = "if not lengths:\n        return 0.0\n    "
_RAISE = "raise ValueError('too long')\n    "
_FUNCTIONS: dict[str, tuple[str, Sequence[str]]] = {
    "reserved_slots(n_seq, max_len)": (
        "return n_seq * max_len",
        (
            "return n_seq + max_len",
            "print(n_seq * max_len)",
            "return str(n_seq * max_len)",
            "return float(n_seq * max_len)",
            "return (n_seq - 1) * max_len",
            "return max_len",
        ),
    ),
    "used_slots(lengths, max_len=None)": (
        f"{_CHECK}{_RAISE}return sum(lengths)",
        (
            "return sum(lengths)",
            "return len(lengths)",
            "if max_len and max(lengths) > max_len:\n        raise ValueError\n    return sum(lengths)",
            f"{_CHECK.replace('>', '>=')}{_RAISE}return sum(lengths)",
            f"{_CHECK}return 'too long'\n    return sum(lengths)",
            "return sum(n if max_len is None else min(n, max_len) for n in lengths)",
            f"lengths.sort()\n    {_CHECK}{_RAISE}return sum(lengths)",
            "print(sum(lengths))",
        ),
    ),
    "waste_fraction(lengths, max_len)": (
        f"{_CHECK_WASTE}{_NOBODY}return 1 - sum(lengths) / (len(lengths) * max_len)",
        (
            "return 1 - sum(lengths) / (len(lengths) * max_len)",
            f"{_NOBODY}return 1 - sum(lengths) / (len(lengths) * max_len)",
            f"{_NOBODY}return sum(lengths) / (len(lengths) * max_len)",
            f"{_CHECK_WASTE}{_NOBODY}return 100 * (1 - sum(lengths) / (len(lengths) * max_len))",
            f"{_CHECK_WASTE}{_NOBODY}return round(1 - sum(lengths) / (len(lengths) * max_len), 2)",
            "if not lengths:\n        return 1.0\n    return 1 - sum(lengths) / max_len",
        ),
    ),
    "extra_reservations(pool, max_len, n_running)": (
        "return max(0, pool // max_len - n_running)",
        (
            "return pool // max_len - n_running",
            "return max(0, pool // max_len)",
            "return max(0, (pool - n_running) // max_len)",
            "return max(0, pool / max_len - n_running)",
            "return max(0, round(pool / max_len) - n_running)",
        ),
    ),
    "paged_slots(lengths, block)": (
        "return sum(-(-n // block) * block for n in lengths)",
        (
            "return sum(lengths)",
            "return -(-sum(lengths) // block) * block",
            "return sum((n // block + 1) * block for n in lengths)",
            "return sum(n // block * block for n in lengths)",
            "return sum(-(-n // block) for n in lengths)",
            "return len(lengths) * block",
            "return sum(round(n / block) * block for n in lengths)",
        ),
    ),
}
_ENDLESS = "total = 0\n    while total >= 0:\n        total += 1\n    return total"
_UNTOUCHED = "raise NotImplementedError('TODO')"


def write_class(folder: Path, count: int, *, seed: int = 1) -> list[Path]:
    """Write a folder with both files for each of ``count`` students; no two hand-ins have the same bytes."""
    places = []
    for number in range(count):
        place = folder / f"student{number:05d}"
        place.mkdir(parents=True)
        for name, text in hand_in(number, seed=seed).items():
            (place / name).write_text(text, encoding="utf-8")
        places.append(place)
    return places


def is_endless(place: Path) -> bool:
    """Return True if this hand-in has a loop that never ends."""
    return _ENDLESS in (place / "reservation.py").read_text(encoding="utf-8")


def hand_in(number: int, *, seed: int = 1) -> dict[str, str]:
    """Return the files of one student, by name."""
    draw = random.Random(f"{seed} {number}")  # noqa: S311 - the same class each time
    skill = draw.choice((0.3, RIGHT, 0.94))
    answers = [
        f"{name} = {right if draw.random() < skill else draw.choice(wrong)!r}"
        for name, (right, wrong) in _CONSTANTS.items()
    ]
    untouched = draw.random() < 0.04
    endless = draw.randrange(len(_FUNCTIONS)) if draw.random() < ENDLESS else -1
    functions = []
    for place, (head, (right, wrong)) in enumerate(_FUNCTIONS.items()):
        body = right if draw.random() < skill else draw.choice(wrong)
        body = _UNTOUCHED if untouched else _ENDLESS if place == endless else body
        functions.append(f"def {head}:\n    {body}\n")
    mark = f"# hand-in {number}\n"
    return {"hands_on.py": mark + "\n".join(answers) + "\n", "reservation.py": mark + "\n\n".join(functions)}
