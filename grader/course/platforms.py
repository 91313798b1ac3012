"""The keys of ``[exercise.NAME.platform.PLATFORM]`` in course.toml, one class a platform; never a token."""

import re
from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Number = Annotated[int, Meta(ge=1)]
Points = Annotated[float, Meta(gt=0, le=1_000_000)]
Variable = Annotated[str, Meta(pattern=r"^[A-Z][A-Z0-9_]*$")]
Line = Annotated[str, Meta(max_length=200)]

WorksheetColumn = Literal[
    "Identifier",
    "Full name",
    "Email address",
    "Grade",
    "Maximum Grade",
    "Grade can be changed",
    "Last modified (grade)",
    "Feedback comments",
]
"""The columns of Moodle's grading worksheet that the kit reads, as an English Moodle names them."""

_ADDRESSES = ("url", "token_url", "line_item")
_SAFE_URL = re.compile(
    r"https://[^\s/?#@]+[^\s@]*|http://(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?:/\S*)?"
)


class Platform(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The keys of every platform."""

    maximum: Points | None = None  # the exercise's maximum there, if the platform's own files do not tell it
    scale: bool = False  # convert points where the maximum differs from ours, which is refused otherwise

    def __post_init__(self) -> None:
        """Refuse texts that a platform would read differently, and addresses that would give a token away."""
        for key in self.__struct_fields__:
            value = getattr(self, key)
            if isinstance(value, str) and value != value.strip():
                raise ValueError(f"{key} begins or ends with a blank; a platform takes it for another one")
            if isinstance(value, str) and not value.isprintable():
                raise ValueError(f"{key} holds a line break or another invisible character")
            if key in _ADDRESSES and value and not _SAFE_URL.fullmatch(value):
                raise ValueError(f"{key} must begin with https:// and hold no user name or password")


class Canvas(Platform, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Canvas: ``assignment_id`` and ``course_id`` are the numbers in the assignment's address."""

    url: str = ""
    course_id: Number | None = None
    assignment_id: Number | None = None
    title: Line = ""
    token_env: Variable = "CANVAS_TOKEN"  # noqa: S105 - the name of a variable, not a token
    comment: bool = True
    attachment: bool = True  # attach the feedback page to the comment


class Moodle(Platform, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Moodle: ``assignment_id`` is the number behind ``id=`` in the assignment's address."""

    url: str = ""
    course_id: Number | None = None
    assignment_id: Number | None = None
    token_env: Variable = "MOODLE_TOKEN"  # noqa: S105 - the name of a variable, not a token
    comment: bool = True
    attachment: bool = True  # send the feedback page as a feedback file, if the assignment has these
    columns: Mapping[WorksheetColumn, str] = {}  # of a worksheet in another language, by the English names


class Brightspace(Platform, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Brightspace: ``title`` is the grade item's name."""

    title: Line = ""


class Blackboard(Platform, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Blackboard: ``column`` is the heading in its own download, ``Lab 1 [Total Pts: 20 Score] |664617``."""

    column: Line = ""


class Edx(Platform, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Open edX: ``block_id`` is the usage key of the staff-graded block."""

    block_id: Line = ""


class Lti(Platform, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """LTI 1.3 Assignment and Grade Services: the tool's registration and the line item's address.

    The private key, as PEM text, comes from the environment variable ``key_env``.
    """

    token_url: str = ""
    line_item: str = ""
    client_id: str = ""
    key_id: str = ""
    key_env: Variable = "LTI_PRIVATE_KEY"
    comment: bool = True


PLATFORMS: Mapping[str, type[Platform]] = {
    "canvas": Canvas,
    "moodle": Moodle,
    "brightspace": Brightspace,
    "blackboard": Blackboard,
    "gradescope": Platform,
    "edx": Edx,
    "coursera": Platform,  # whose scores are fractions of the maximum
    "lti": Lti,
}
"""The tables that course.toml may have, by name."""
