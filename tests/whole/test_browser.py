"""The feedback page in a real browser: at phone and desktop width, light and dark."""

import html
import json
import re
import struct
import zlib

import pytest
from helpers.browser import SCHEMES, run

from grader.course.model import Criterion, Exercise, Limits, Task
from grader.feedback.pages import feedback_pages
from grader.grading.score import CriterionResult, Diagnosis, FinalResult, Received

pytestmark = pytest.mark.slow

WIDTHS = (320, 1280)
# Writes the width and colours of each frame's content as the page's title.
MEASURE = """
onload = () => {
  document.title = JSON.stringify([...document.querySelectorAll("iframe")].map(frame => {
    const page = frame.contentDocument, style = getComputedStyle(page.body);
    const right = Math.max(...[...page.querySelectorAll("body *")].map(e => e.getBoundingClientRect().right));
    return {
      width: frame.clientWidth, content: page.documentElement.scrollWidth, right,
      text: style.color, page: style.backgroundColor,
    };
  }));
};
"""


@pytest.fixture(scope="module")
def page():
    """A page with everything that may be too wide: long words, lines and titles, many points."""
    word = "x" * 3000
    task = Task(file="hands_on.py", title=f"A task named {'y' * 80} (TODO 1 to 3)", name="hands_on")
    names = {"a": "visible", "b": "visible", "c": "visible", "d": "hidden"}
    criteria = tuple(
        Criterion(
            "hands_on", visibility, f"Test{name}", 1000, f"says {'z' * 200}", f"hint {word[:200]}", name
        )
        for name, visibility in names.items()
    )
    states = dict(zip(names, ("needs-work", "not-started", "stopped", "needs-work"), strict=True))
    result = FinalResult(
        student="i" * 200,
        exercise="lesson",
        status="graded",
        score=0,
        max_score=4000,
        late_penalty=0,
        criteria=tuple(
            CriterionResult(
                c.id, c.task, c.visibility, 0, c.points, states[c.id], f"f({word})\n  a  b\n{word}"
            )
            for c in criteria
        ),
        diagnoses=(Diagnosis("hands_on", "m", f"You seem to {word[:300]}"),),
        flags=(),
        submission=Received("ab" * 32, "2027-03-01T10:00:00Z", ("hands_on.py", f"{'h' * 200}.py")),
        notes=("n" * 250,),
    )
    exercise = Exercise(
        name="lesson",
        title=f"An exercise named {'t' * 60}",
        points=4000,
        due=None,
        late=None,
        limits=Limits(),
        tasks=(task,),
        criteria=criteria,
        platform={},
    )
    return feedback_pages(result, exercise, "N" * 200)[0].decode()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_nothing_scrolls_sideways(chromium, page, scheme, tmp_path):
    """At 320 and 1280 pixels no content is wider than its frame; the colours are those of the scheme."""
    # The script that measures would be refused by the page's own policy.
    open_page = re.sub(r"<meta http-equiv[^>]*>", "", page)
    frames = "".join(
        f'<iframe style="width:{width}px;height:600px;border:0" srcdoc="{html.escape(open_page)}"></iframe>'
        for width in WIDTHS
    )
    document = f"<!DOCTYPE html><meta charset=utf-8><script>{MEASURE}</script>{frames}"
    (tmp_path / "measure.html").write_text(document, encoding="utf-8")
    dom = run(chromium, tmp_path, scheme, "--dump-dom", f"file://{tmp_path / 'measure.html'}")
    measured = json.loads(html.unescape(re.search(r"<title>(.*?)</title>", dom)[1]))
    assert [frame["width"] for frame in measured] == [320, 1280]
    for frame in measured:
        assert frame["content"] <= frame["width"]
        assert frame["right"] <= frame["width"]
        assert frame["page"] == {"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"}[scheme]
        assert frame["text"] == {"light": "rgb(31, 35, 40)", "dark": "rgb(230, 237, 243)"}[scheme]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_page_is_not_blank(chromium, page, scheme, width, tmp_path):
    """A screenshot has the requested size and is not blank."""
    (tmp_path / "feedback.html").write_text(page, encoding="utf-8")
    picture = tmp_path / "picture.png"
    options = [
        f"--window-size={width},700",
        f"--screenshot={picture}",
        f"file://{tmp_path / 'feedback.html'}",
    ]
    run(chromium, tmp_path, scheme, *options)
    assert struct.unpack(">II", picture.read_bytes()[16:24]) == (width, 700)
    pixels = _image_data(picture.read_bytes())
    assert len(set(pixels)) > 100


def _image_data(png):
    """Inflate the pixels of a PNG."""
    data, place = b"", 8
    while place < len(png):
        (length,), kind = struct.unpack(">I", png[place : place + 4]), png[place + 4 : place + 8]
        if kind == b"IDAT":
            data += png[place + 8 : place + 8 + length]
        place += 12 + length
    return zlib.decompress(data)
