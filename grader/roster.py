"""Who takes the course: everyone's id, name and address, and the ids by which platforms know them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

PLATFORM_IDS = (
    "canvas_id",
    "moodle_id",
    "brightspace_id",
    "blackboard_id",
    "gradescope_id",
    "github_id",
    "lti_id",
)


@dataclass(frozen=True)
class Person:
    """One person of the course; every id is text, leading zeros included.

    ``canvas_id`` is Canvas's user id, ``moodle_id`` the N of the worksheet's "Participant N",
    ``brightspace_id`` the OrgDefinedId, ``blackboard_id`` the user name, ``gradescope_id`` the SID,
    ``github_id`` the login. ``extension`` is a later due date as it was written. ``extra`` holds the columns
    that the kit has no use for, under their headings.
    """

    id: str
    name: str = ""
    email: str = ""
    canvas_id: str = ""
    moodle_id: str = ""
    brightspace_id: str = ""
    blackboard_id: str = ""
    gradescope_id: str = ""
    github_id: str = ""
    lti_id: str = ""
    extension: str = ""
    extra: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Roster:
    """Everyone on the course, sorted by id."""

    people: tuple[Person, ...]

    def person(self, student: str) -> Person | None:
        """The person of that id, if there is one."""
        return next((person for person in self.people if person.id == student), None)

    def find(self, column: str, value: str) -> tuple[Person, ...]:
        """Everyone whose ``column`` (a field of Person) is ``value``."""
        return tuple(person for person in self.people if value and getattr(person, column) == value)
