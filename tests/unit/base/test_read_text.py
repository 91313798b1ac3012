"""grader.base.files.read_text: a course's text, or one sentence that names the file."""

import pytest

from grader.base.errors import CourseError
from grader.base.files import read_text


def test_text_is_read(tmp_path):
    """A file in UTF-8 comes back as text."""
    (tmp_path / "a.md").write_bytes("ö\n".encode())
    assert read_text(tmp_path / "a.md", "a.md") == "ö\n"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (None, "a.md cannot be read: No such file or directory."),
        (b"\xf6\n", "a.md cannot be read: it is not in UTF-8; save it in that encoding."),
    ],
)
def test_unreadable_file_is_named(tmp_path, data, sentence):
    """A missing file, or one in another encoding, is a mistake in the course."""
    if data is not None:
        (tmp_path / "a.md").write_bytes(data)
    with pytest.raises(CourseError) as refused:
        read_text(tmp_path / "a.md", "a.md")
    assert str(refused.value) == sentence
