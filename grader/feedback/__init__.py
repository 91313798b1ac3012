"""Make the pages that a student reads from a final result and its exercise."""
