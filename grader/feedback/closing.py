"""What a student reads after full marks: ``solutions/NAME/closing.json``, which ``grader build`` writes."""

from dataclasses import dataclass

import msgspec

from grader.base.errors import CourseError
from grader.bundle.draw import Picture
from grader.course.model import Course, Exercise

CLOSING = "closing.json"


@dataclass(frozen=True)
class Section:
    """A title, paragraphs of plain text, and pictures of slots."""

    title: str
    text: tuple[str, ...]
    pictures: tuple[Picture, ...] = ()


def load_closing(course: Course, exercise: Exercise) -> tuple[Section, ...]:
    """Load what a student reads after full marks; nothing where the lesson has no such file."""
    path = course.root / "solutions" / exercise.name / CLOSING
    try:
        return msgspec.json.decode(path.read_bytes(), type=tuple[Section, ...])
    except FileNotFoundError:
        return ()
    except (OSError, ValueError):
        name = path.relative_to(course.root).as_posix()
        raise CourseError(f"{name} is damaged; make it again with: grader build.") from None
