"""course.toml of the smallest course: one exercise, one task, one visible criterion."""

COURSE = """\
[course]
title = "Sums"
[exercise.sums]
title = "Adding"
points = 1
[exercise.sums.task.add]
file = "sums.py"
title = "Adding (TODO 1)"
[exercise.sums.criterion.add]
task = "add"
visibility = "visible"
tests = "TestAdd"
points = 1
sentence = "adds"
hint = "Use both."
"""
