"""What every other package uses: errors, flags, files, text, and what this machine offers."""

DISTRIBUTION = "exercise-grader-kit"  # the name under which pip knows the grader; pyproject.toml has it too
