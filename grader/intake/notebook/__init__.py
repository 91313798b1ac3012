"""Read a handed-in notebook as the exercise's files."""
