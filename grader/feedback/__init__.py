"""Make the pages that a student reads, HTML and Markdown, from a Result and its Exercise.

They can be made again from result.json at any time; the same Result gives the same bytes.
"""

from grader.feedback.pages import feedback_html, feedback_markdown, feedback_pages

__all__ = ["feedback_html", "feedback_markdown", "feedback_pages"]
