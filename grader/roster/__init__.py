"""Read who takes the course, from our own file or a platform's list."""
