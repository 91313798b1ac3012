"""A Result -> the pages a student reads: HTML and Markdown."""
