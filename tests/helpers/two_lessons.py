"""A course with two tiny lessons, ``sums`` and ``products``, both with a file ``warm_up.py`` of constants."""

from pathlib import Path

from grader.course.load import load_course
from grader.lesson.generate import build
from helpers import small_lesson

_WORDS = (
    ("sums", "products"),
    ("Sums", "Products"),
    ("double", "triple"),
    ("Double", "Triple"),
    ("Doubling", "Tripling"),
    ("total", "product"),
    ("Total", "Product"),
    ("number + number", "3 * number"),
    ("return sum(numbers)", "return math.prod(numbers)"),
    ("triple(3) == 6", "triple(3) == 9"),
    ("(5, 10), (7, 14)", "(5, 15), (7, 21)"),
    ("product([1, 2, 4]) == 7", "product([1, 2, 4]) == 8"),
    ("product([5, 3]) == 8", "product([5, 3]) == 15"),
    ("product([]) == 0", "product([]) == 1"),
    ("numbers else 0", "numbers else 1"),
    ('"""Products of whole numbers."""\n', '"""Products of whole numbers."""\n\nimport math\n'),
    ("import operator\n", "import math\nimport operator\n"),
)
SECOND = small_lesson.COURSE[small_lesson.COURSE.index("[exercise.sums]") :]
RIGHT = {
    "sums": {
        "warm_up.py": "ANSWER = 42\n",
        "sums.py": "def double(number):\n    return 2 * number\n\n\n"
        "def total(numbers):\n    return sum(numbers)\n",
    },
    "products": {
        "warm_up.py": "ANSWER = 42\n",
        "products.py": "import math\n\n\ndef triple(number):\n    return 3 * number\n\n\n"
        "def product(numbers):\n    return math.prod(numbers)\n",
    },
}
"""Right answers by lesson and file."""


def _second(text: str) -> str:
    for old, new in _WORDS:
        text = text.replace(old, new)
    return text


def course(more: str = "") -> str:
    """The course.toml of both lessons; ``more`` are keys of the second one's section."""
    second = _second(SECOND).replace("points = 5", f"points = 5\n{more}", 1)
    return f"{small_lesson.COURSE}\n{second}"


def write(root: Path) -> None:
    """Write the course below ``root``, with all that is generated but the tables of diagnoses."""
    files = {**small_lesson.FILES, **{_second(k): _second(v) for k, v in small_lesson.FILES.items()}}
    for path, text in {**files, "course.toml": course()}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    made = load_course(root / "course.toml")
    for exercise in made.exercises.values():
        build(made, exercise)
