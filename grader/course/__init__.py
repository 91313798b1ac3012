"""course.toml, read and checked: exercises, tasks, criteria and platforms' settings."""
