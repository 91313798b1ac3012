"""Run the visible tests in students' own repositories on GitHub."""
