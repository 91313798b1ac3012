"""course.toml + environment -> the platform to upload to, with everything that it needs."""

from __future__ import annotations

import os
from collections.abc import Mapping

from grader.base.errors import CourseError, UsageError
from grader.course.model import Exercise
from grader.course.platforms import Canvas, Lti, Moodle
from grader.lms.payload import settings_of
from grader.lms.upload.http import Patience
from grader.lms.upload.plan import Platform

KINDS: Mapping[str, type[Canvas | Moodle | Lti]] = {"canvas": Canvas, "moodle": Moodle, "lti": Lti}
"""What can be uploaded to, and the settings of each."""

_NEEDED = {
    "canvas": ("url", "course_id", "assignment_id"),
    "moodle": ("url", "course_id", "assignment_id"),
    "lti": ("token_url", "line_item", "client_id"),
}


def connect(name: str, exercise: Exercise, patience: Patience) -> Platform:
    """The platform of that name; nothing is asked of it yet.

    Raises:
        CourseError: course.toml does not say where it is.
        UsageError: The token is not in the environment, or an extra is not installed.
    """
    settings = settings_of(exercise, KINDS[name])
    for key in _NEEDED[name]:
        if not getattr(settings, key):
            raise CourseError(
                f"course.toml: exercise.{exercise.name}.platform.{name}.{key}: is missing; uploads need it."
            )
    try:
        return _connect(settings, exercise, patience)
    except ImportError as error:
        raise UsageError(
            f"Uploads need {error.name}; install it: pip install 'contiguous-reservation-kit[upload]'."
        ) from None


def _connect(settings: Canvas | Moodle | Lti, exercise: Exercise, patience: Patience) -> Platform:
    if isinstance(settings, Canvas):
        from grader.lms.upload.canvas import CanvasPlatform  # noqa: PLC0415 - an extra

        return CanvasPlatform(settings, _secret(settings.token_env), patience)
    if isinstance(settings, Moodle):
        from grader.lms.upload.moodle import MoodlePlatform  # noqa: PLC0415 - an extra

        return MoodlePlatform(settings, _secret(settings.token_env), patience)
    from grader.lms.upload.lti import LtiPlatform  # noqa: PLC0415 - an extra

    return LtiPlatform(settings, _secret(settings.key_env), exercise.points, patience)


def _secret(variable: str) -> str:
    value = os.environ.get(variable, "").strip()
    if not value or not value.isascii():
        wrong = "is not set" if not value else "holds characters that no token has"
        raise UsageError(
            f"The environment variable {variable} {wrong}; put the token there, never into a file."
        )
    return value
