"""The handout's picture shows what the solution counts, to everyone, on light and on dark pages."""

import math
import re
import xml.etree.ElementTree as ET

import pytest
from helpers.contrast import colours_of, contrast
from helpers.exercise_suites import NAME, ROOT, load_module

from grader.course.load import load_course
from grader.lesson.generate import stale_files
from grader.lesson.own_code import drawn_files

SVG = "{http://www.w3.org/2000/svg}"
FOLDER = ROOT / "exercises" / NAME
PICTURE = load_module(ROOT / "solutions" / NAME / "picture.py", "picture")


@pytest.fixture(scope="module")
def root():
    """The committed picture."""
    return ET.fromstring((FOLDER / "pool.svg").read_text(encoding="utf-8"))  # noqa: S314 - our own file


def rectangles(root, state):
    """Sizes (width, height) of what is drawn of one state outside the legend."""
    fill = PICTURE.FILLS.get(state, 'class="free"')
    key, value = re.fullmatch(r'(\w+)="(.*)"', fill).groups()
    legend = min(float(text.get("y")) for text in root.iter(f"{SVG}text") if text.text == "a token")
    found = [r for r in root.iter(f"{SVG}rect") if r.get(key) == value and r.get("x")]
    return [(float(r.get("width")), float(r.get("height"))) for r in found if float(r.get("y")) < legend - 30]


def words(root):
    """All texts of the picture, in their order."""
    return [text.text for text in root.iter(f"{SVG}text")]


@pytest.mark.slow
def test_committed_files_are_current():
    """What lies in exercises/ is what the solution gives today."""
    course = load_course(ROOT / "course.toml")
    assert list(stale_files(course, course.exercise(NAME))) == []


def test_picture_is_the_same_every_time():
    """Drawing twice gives the same bytes."""
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise(NAME)
    assert drawn_files(course, exercise) == drawn_files(course, exercise)
    assert list(drawn_files(course, exercise)) == ["pool.svg", "pool-narrow.svg", "compare.svg"]


def test_regions_show_every_slot(root):
    """Three regions of 100 slots hold 20, 35 and 10 tokens, the rest of each is idle, and one is free."""
    assert [w / 4 for w, h in rectangles(root, "token") if h == 32] == [20, 35, 10]
    assert [w / 4 for w, _h in rectangles(root, "idle")] == [80, 65, 90]
    assert [w / 4 for w, h in rectangles(root, "free") if h == 32] == [100]


def test_blocks_show_every_slot(root):
    """25 blocks: six in use with 65 tokens and 31 slots of slack, nineteen free."""
    assert len([1 for _w, h in rectangles(root, "token") if h == 18]) == 65
    assert len(rectangles(root, "slack")) == 31
    assert len([1 for _w, h in rectangles(root, "free") if h == 36]) == 19


def test_blocks_lie_out_of_order(root):
    """Physical numbers stand under their logical order, and the two differ."""
    assert "400 slots; in order A: 7 → 1; B: 3 → 18 → 12; C: 9" in words(root)
    for label in ("7: A, 1st", "1: A, 2nd", "3: B, 1st", "18: B, 2nd", "12: B, 3rd", "9: C, 1st"):
        assert label in words(root)


def test_states_differ_by_more_than_colour(root):
    """Each state has a legend in words; two have patterns of their own, one a dashed outline."""
    for legend in (
        "a token",
        "idle but reserved: kept for its sequence",
        "slack inside a block: kept for its sequence",
        "free: for any sequence",
    ):
        assert legend in words(root)
    patterns = {p.get("id"): [child.tag.removeprefix(SVG) for child in p] for p in root.iter(f"{SVG}pattern")}
    assert patterns == {"stripes": ["rect", "line"], "dots": ["rect", "circle"]}
    assert ".free { fill: none; stroke: #57606a; stroke-dasharray: 4 3; }" in root.find(f"{SVG}style").text


def test_picture_speaks_to_those_who_do_not_see_it(root):
    """It has a title and a description, and is announced as one image."""
    assert (root.get("role"), root.get("aria-labelledby")) == ("img", "title desc")
    assert root.find(f"{SVG}title").text == "One pool of 400 slots, shared out in two ways"
    description = root.find(f"{SVG}desc").text
    assert "region B starts with 35 tokens" in description
    assert "B has blocks 3, 18, 12, the last of them with 3 tokens" in description


def test_picture_does_not_answer_part_1(root):
    """The sums that Part 1 asks for stand nowhere in the picture."""
    text = " ".join([*words(root), *(root.find(f"{SVG}{tag}").text for tag in ("title", "desc"))])
    assert not {"300", "235", "80", "65", "90"} & set(re.findall(r"\d+", text))


def test_contrast_is_measured_rightly():
    """Black on white is 21 to 1, and a colour on itself 1 to 1."""
    assert math.isclose(contrast("#000000", "#ffffff"), 21.0)
    assert contrast("#0b5cad", "#0b5cad") == 1.0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_picture_is_readable_in_both_schemes(root, scheme):
    """Text has 4.5 to 1 on the page; lines and patterns have 3 to 1 on what they lie on."""
    colours = colours_of(root.find(f"{SVG}style").text, scheme)
    assert contrast(colours["text"], colours["page"]) >= 4.5
    for line, ground in (
        ("free", "page"),
        ("edge", "page"),
        ("token", "page"),
        ("grid", "token"),
        ("stripe", "idle"),
        ("dot", "slack"),
    ):
        assert contrast(colours[line], colours[ground]) >= 3


def test_handout_shows_the_picture_as_it_is():
    """The handout embeds it with words in place of it, and names the blocks that are drawn."""
    handout = (FOLDER / "README.md").read_text(encoding="utf-8")
    (alternative,) = re.findall(r"!\[([^\]]+)\]\(pool\.svg\)", handout)
    assert "20, 35 and 10 tokens" in alternative
    assert "the first block of A is number 7 and the second is number 1" in handout


def test_worked_example_of_the_handout():
    """33 tokens in blocks of 16, counted by the solution: 48 slots, 15 of them slack, and each percentage."""
    solution = load_module(ROOT / "solutions" / NAME / "reservation.py", "solution")
    handout = (FOLDER / "README.md").read_text(encoding="utf-8")
    slots = solution.paged_slots([33], 16)
    assert f"3 blocks \u00d7 16 slots = {slots} slots" in handout
    assert f"15 / {slots} = 31.25 %" in handout
    assert (15 / 48, round(15 / 33, 3), 15 / 16) == (0.3125, 0.455, 0.9375)
    assert solution.extra_reservations(17328, 5120, 0) == 3
    assert solution.extra_reservations(17328, 5120, 2) == 1
