"""A Result -> the pages a student reads: HTML and Markdown.

Both are a function of the Result and the Exercise alone, so they can be written anew from result.json at any
time, and the same Result gives the same bytes.
"""

from __future__ import annotations

from grader.feedback.pages import feedback_html, feedback_markdown

__all__ = ["feedback_html", "feedback_markdown"]
