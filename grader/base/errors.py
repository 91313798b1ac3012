"""The errors that a person is meant to read: one plain sentence each."""

from __future__ import annotations


class GraderError(Exception):
    """The root of every error that the kit raises on purpose; its text is one sentence for the reader."""

    exit_status = 1


class UsageError(GraderError):
    """A mistake in the call: a wrong option, a path that does not exist."""

    exit_status = 2


class CourseError(UsageError):
    """A mistake in the course: a bad key in course.toml, a test class without points."""
