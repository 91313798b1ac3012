"""Pages in a real browser with axe-core, the checks of accessibility that browsers' own tools use."""

import html
import json
import re
from dataclasses import replace

import pytest
from helpers.browser import SCHEMES, run
from helpers.paths import ROOT
from helpers.web_page import installed

from grader.course.load import load_course
from grader.feedback.closing import load_closing
from grader.feedback.pages import feedback_pages
from grader.grading.score import Change, CriterionResult, Diagnosis, FinalResult, Received, TaskPicture
from grader.report.figures import Move, work_out
from grader.report.page import report_html
from grader.results.final import final_result

pytestmark = pytest.mark.slow

# Runs axe, then looks which controls the keyboard reaches, and what sorting does; the answer is the title.
LOOK = """
onload = async () => {
  const found = await axe.run(document, {resultTypes: ["violations"]});
  const controls = [...document.querySelectorAll("button, summary, a, [tabindex]")];
  const lost = controls.filter(one => { one.focus(); return document.activeElement !== one; });
  const first = document.querySelector(".students button"), order = [];
  if (first) for (let n = 0; n < 2; n++) {
    first.focus(); first.click();
    order.push(document.querySelector(".students tbody tr").cells[0].textContent);
  }
  document.title = JSON.stringify({
    violations: found.violations.map(v => [v.id, v.nodes.map(n => n.html.slice(0, 120))]),
    passes: found.passes.length, controls: controls.length, lost: lost.length, order,
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  });
};
"""


@pytest.fixture(scope="session")
def axe():
    """The text of axe-core; without npm a skip."""
    return (installed() / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pages():
    """Pages by name: a student with every state and a picture, full marks, nothing graded, a class."""
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise("contiguous_reservation")
    states = ["needs-work", "passed", "stopped", "not-started", "not-run"]
    criteria = tuple(
        CriterionResult(
            c.id, c.task, c.visibility, 0, c.points, states[n % 5], "" if n % 5 == 1 else f"f({n}) returned 1"
        )
        for n, c in enumerate(exercise.criteria)
    )
    picture = ("Blocks of 16 slots", [("A: 33", [[("token", 16)], [("token", 1), ("slack", 15)]])])
    varied = FinalResult(
        student="u1",
        exercise=exercise.name,
        status="graded",
        score=3,
        max_score=20,
        late_penalty=1,
        criteria=criteria,
        diagnoses=(Diagnosis("used_slots", "m", "You compare the total."),),
        flags=(),
        submission=Received("ab" * 32, "2027-03-01T10:00:00Z", ("hands_on.py", "reservation.py")),
        notes=("a.py was left out.",),
        pictures=(TaskPicture("used_slots", picture), TaskPicture("paged_slots", picture)),
    )
    by_hand = final_result(
        replace(varied), [Change(criteria[0].id, 1, "adjust", by="Ada", because="Why not.")]
    )
    full = replace(varied, score=20, criteria=tuple(replace(c, status="passed") for c in criteria))
    missing = replace(varied, status="missing", score=None, late_penalty=None, submission=None)
    closing = load_closing(course, exercise)
    made = {"varied": varied, "by-hand": by_hand, "full": full, "missing": missing}
    found = {name: feedback_pages(one, exercise, "Ada Example", closing)[0] for name, one in made.items()}
    some = [
        replace(varied, student=f"u{n:02}", criteria=full.criteria if n % 2 else criteria) for n in range(40)
    ]
    figures = work_out(
        exercise,
        some,
        copies=[["u00", "u01"]],
        moves=[Move("u01", 1, 2, ("used-sum",))],
        seconds={"u01": 0.5},
    )
    found["class"] = report_html(exercise, figures, {"u01": "Ada Example"})
    return {name: page.decode() for name, page in found.items()}


@pytest.mark.parametrize("name", ["varied", "by-hand", "full", "missing", "class"])
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("width", "zoom"), [(320, 1), (1000, 2)])
def test_axe_finds_nothing(chromium, axe, pages, name, scheme, width, zoom, tmp_path):  # noqa: PLR0917
    """No violation, light and dark, at 320 pixels and at 200 %; the keyboard reaches every control."""
    page = re.sub(r"<meta http-equiv[^>]*>", "", pages[name])  # the page's own policy would refuse axe
    page = page.replace("<html", f'<html style="zoom: {zoom}"', 1)
    page = page.replace("</body>", f"<script>{axe}</script><script>{LOOK}</script></body>")
    path = tmp_path / "page.html"
    path.write_text(page, encoding="utf-8")
    options = (f"--window-size={width},900", "--virtual-time-budget=60000", "--dump-dom", f"file://{path}")
    dom = run(chromium, tmp_path, scheme, *options)
    seen = json.loads(html.unescape(re.search(r"<title>(.*?)</title>", dom, re.DOTALL)[1]))
    assert seen["violations"] == []
    assert seen["passes"] > 10
    assert (seen["lost"], seen["wide"]) == (0, 0)
    assert seen["order"] == (["u00", "u39"] if name == "class" else [])
    assert len(pages[name]) < 100_000 or name == "class"
