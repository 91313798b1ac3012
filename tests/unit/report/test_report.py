"""The report on a class, from OUT to its page and its table."""

import csv
import io
import re

import html5lib
import pytest
from click.testing import CliRunner
from helpers import small_class

from grader.cli import cli
from grader.report import plots
from grader.report.figures import Move, work_out
from grader.report.page import report_csv, report_html

pytestmark = pytest.mark.slow


@pytest.fixture
def term(tmp_path):
    """A course with the usual class graded, and times."""
    small_class.course_at(tmp_path, "", small_class.DUE)
    small_class.write_class(tmp_path / "graded")
    (tmp_path / "graded/timing.csv").write_text(
        "student,cpu_seconds,peak_mib\n00017,0.5,31.5\n00018,0.125,40.0\n"
    )
    return tmp_path


def report(term, *arguments):
    """Run the command."""
    options = ["--course", str(term / "course.toml"), "--out", str(term / "graded")]
    done = CliRunner().invoke(cli, ["report", *arguments, *options])
    assert done.exit_code == 0, (done.output, done.exception)
    return (term / "graded/class.html").read_text(encoding="utf-8")


def parsed(page):
    """The page, which must be valid HTML."""
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)


def test_one_page_and_one_table(term):
    """The page holds everything and loads nothing; both are for their owner only; the same again."""
    page = report(term)
    tree = parsed(page)
    assert tree.findtext("head/title") == "Class report: Lab 1"
    outside = r"""(?:href|src)=["'](?!#)|url\((?!#)|@import"""
    assert not re.search(outside, page)
    assert "default-src 'none'" in page
    assert small_class.is_private(term / "graded/class.html")
    assert small_class.is_private(term / "graded/class.csv")
    table = (term / "graded/class.csv").read_bytes()
    assert report(term) == page
    assert (term / "graded/class.csv").read_bytes() == table


def test_rows_of_the_table(term):
    """Points after lateness, the tests' own, states, time; a formula in an id is text."""
    report(term)
    with (term / "graded/class.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert (rows["00017"]["points"], rows["00017"]["cpu_seconds"]) == ("20", "0.5")
    assert rows["00018"]["peak_mib"] == "40.0"
    assert rows["00017"]["add-two"] == "passed"
    assert not [cell for row in rows.values() for cell in row.values() if cell.startswith(("=", "+", "@"))]
    assert "name" not in rows["00017"]


def test_ids_only_unless_names_are_asked_for(term):
    """A name stands in the report with --names, and not without."""
    assert "Lovelace" not in report(term)
    assert "Lovelace" in report(term, "--names")
    assert "Lovelace" in (term / "graded/class.csv").read_text(encoding="utf-8")


def test_plots_have_words_and_no_colour_of_their_own_for_text(term):
    """Each plot has a text alternative; its ink is the page's text colour."""
    tree = parsed(report(term))
    drawn = [svg for svg in tree.iter("{http://www.w3.org/2000/svg}svg") if svg.get("class") == "plot"]
    assert [svg.get("aria-label").split()[0] for svg in drawn] == ["Points", "The"]
    assert "currentColor" in report(term)
    assert "#010203" not in report(term)


def test_without_matplotlib(term, monkeypatch):
    """The report is there without plots, and says what they need."""
    monkeypatch.setattr(plots, "is_installed", lambda: False)
    page = report(term)
    assert 'class="plot"' not in page
    assert "exercise-grader-kit[report]" in page


def test_texts_of_students_are_text(tmp_path):
    """Markup in ids, files and diagnoses of results is shown, not run."""
    exercise = small_class.course_at(tmp_path).exercise(None)
    evil = "<script>alert(1)</script>"
    figures = work_out(
        exercise,
        [small_class.final(evil, diagnoses=[("add", evil, evil)], flags=(evil,))],
        copies=[[evil, evil]],
        moves=[Move(evil, 1, 2, (evil,))],
    )
    tree = parsed(report_html(exercise, figures, {evil: evil}).decode())
    assert len(list(tree.iter("script"))) == 1
    assert evil in next(csv.DictReader(io.StringIO(report_csv(exercise, figures).decode())))["student"]


def test_three_thousand_students(tmp_path):
    """The page of 3,000 students stays below 3 MB and is made in seconds."""
    exercise = small_class.course_at(tmp_path).exercise(None)
    results = [small_class.final(f"u{n:05}", small_class.ALL[: n % 5]) for n in range(3000)]
    page = report_html(exercise, work_out(exercise, results))
    assert page.count(b"<tr>") > 3000
    assert len(page) < 3_000_000
