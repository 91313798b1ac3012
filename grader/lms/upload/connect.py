"""Connect to the platform that course.toml names, with the token from the environment."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from grader.base import DISTRIBUTION
from grader.base.errors import CourseError, UsageError
from grader.course.model import Exercise
from grader.course.platforms import Canvas, Lti, Moodle
from grader.lms.payload import settings_of
from grader.lms.upload.target import Target

if TYPE_CHECKING:
    from grader.lms.fetch.inbox import HandInSource

KINDS: Mapping[str, type[Canvas | Moodle | Lti]] = {"canvas": Canvas, "moodle": Moodle, "lti": Lti}
"""The platforms that scores can be uploaded to, and the settings of each."""


def connect(name: str, exercise: Exercise) -> Target:
    """Prepare the connection to a platform that course.toml names; no request is sent yet."""
    settings, secret = _settings(name, exercise)
    from grader.lms.upload import canvas, http, lti, moodle  # noqa: PLC0415 - an extra

    if isinstance(settings, Lti):
        return lti.LtiTarget(settings, secret, exercise.points, http.PATIENCE)
    if isinstance(settings, Canvas):
        return canvas.CanvasTarget(settings, secret, http.PATIENCE)
    return moodle.MoodleTarget(settings, secret, http.PATIENCE)


def connect_source(name: str, exercise: Exercise) -> HandInSource:
    """Prepare the connection from which hand-ins are fetched, canvas or moodle; errors as :func:`connect`."""
    settings, secret = _settings(name, exercise)
    from grader.lms.fetch import canvas, moodle  # noqa: PLC0415 - an extra
    from grader.lms.upload.http import PATIENCE  # noqa: PLC0415 - an extra

    if isinstance(settings, Canvas):
        return canvas.CanvasSource(settings, secret, PATIENCE)
    if isinstance(settings, Moodle):
        return moodle.MoodleSource(settings, secret, PATIENCE)
    raise UsageError(f"Nothing can be fetched from {name}.")


def _settings(name: str, exercise: Exercise) -> tuple[Canvas | Moodle | Lti, str]:
    """Return a platform's settings, in which nothing is missing, and the token or key."""
    settings = settings_of(exercise, KINDS[name])
    lti = ("token_url", "line_item", "client_id")
    for key in lti if isinstance(settings, Lti) else ("url", "course_id", "assignment_id"):
        if not getattr(settings, key):
            raise CourseError(
                f"course.toml: exercise.{exercise.name}.platform.{name}.{key}: is missing; write it there or "
                "in term.toml for fetch and upload."
            )
    variable = settings.key_env if isinstance(settings, Lti) else settings.token_env
    secret = os.environ.get(variable, "").strip()
    if not secret or not secret.isascii():
        wrong = "holds characters that no token has" if secret else "is not set"
        raise UsageError(
            f"The environment variable {variable} {wrong}; put the token there, never into a file."
        )
    for module in ("httpx", "jwt"):
        if importlib.util.find_spec(module) is None:
            raise UsageError(
                f"Fetch and upload need {module}: run python -m pip install '{DISTRIBUTION}[upload]' in this "
                "terminal."
            )
    return settings, secret
