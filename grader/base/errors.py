"""Errors that a person reads: one plain sentence each."""


class GraderError(Exception):
    """The root of every error that the grader raises on purpose. Its text is one sentence for the reader.

    ``exit_status`` is that of the command that it ends. Whatever reads or writes OUT raises it for a damaged
    file and for one that could not be written; a docstring names what is raised beyond that.
    """

    exit_status = 1


class UsageError(GraderError):
    """A mistake in the call: a wrong option, a path that does not exist."""

    exit_status = 2


class CourseError(UsageError):
    """A mistake in the course, such as a wrong key in course.toml.

    Whatever reads files of the course raises it for one that is missing or wrong.
    """
