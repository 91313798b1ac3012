"""Draw the blocks of the lesson's three sequences below the points, by the student's own function."""


def lesson_summary(answers):
    """Yield one line for each sequence."""
    for name, length in (("A", 20), ("B", 35), ("C", 10)):
        try:
            drawn = "#" * length + "-" * (answers.paged_slots([length], 16) - length)
        except Exception:
            drawn = "#" * length
        yield f"  {name}: {drawn}   (# a token, - slack in blocks of 16, by your paged_slots)"
