"""The plugin behind a student's ``pytest``: release copies these files unchanged into each bundle.

They use the standard library and pytest 7 or newer, run on Python 3.10, and import nothing of the grader.
The grader imports them, so that a student reads the same sentences in the terminal and in the feedback.
"""
