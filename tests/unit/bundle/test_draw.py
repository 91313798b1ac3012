"""Slots in rows, drawn as text and as SVG; and the first lesson's map of a call."""

import re
import xml.etree.ElementTree as ET

import pytest
from helpers.exercise_suites import NAME, ROOT

from grader.bundle import draw

PICTURE = draw.load_slot_map(ROOT / "exercises" / NAME)
BLOCKS = ("Blocks of 4 slots", [("A: 5 tokens", [[("token", 4)], [("token", 1), ("slack", 3)]])])
SVG = "{http://www.w3.org/2000/svg}"


def rows_of(function, arguments, got, expected, **keywords):
    """The rows of the first lesson's picture of a call, as a dict from label to boxes."""
    return dict(draw.bounded(PICTURE(function, arguments, keywords, got, expected))[1])


def widths(svg, kind):
    """The widths of the rectangles of a kind, without the legend's."""
    found = [rect for rect in ET.fromstring(svg).iter(f"{SVG}rect") if rect.get("class") == kind]  # noqa: S314
    return [float(rect.get("width")) for rect in found][: -1 if draw._KINDS[kind][0] else None]


def test_text_shows_each_slot():
    """A column for each slot, boxes in brackets, and a legend; in Unicode or in ASCII."""
    assert draw.text(BLOCKS).splitlines() == [
        "Blocks of 4 slots",
        "A: 5 tokens",
        "  [████][█▒▒▒]",
        "█ holds a token, ▒ slack",
    ]
    assert draw.text(BLOCKS, unicode=False).splitlines()[2] == "  [####][#---]"


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("boxes", [1, 7, 39, 400])
def test_text_keeps_to_its_width(width, boxes):
    """No line is wider than asked, with a few boxes or with many; the last box is still seen."""
    picture = ("Many", [("A" * 90, [[("token", 16)]] * boxes + [[("slack", 1)]])])
    lines = draw.text(picture, width, unicode=False).splitlines()
    assert max(map(len, lines)) <= width
    assert any(line.startswith("  [") and "-" in line for line in lines)


def test_svg_is_to_scale():
    """The longest row is 244 wide and the others to the same scale; a legend has each kind once."""
    svg = draw.svg(("Two", [("A", [[("token", 20), ("idle", 80)]]), ("B", [[("token", 50)]])]))
    assert (widths(svg, "token"), widths(svg, "idle")) == ([48.8, 122], [195.2])


def test_svg_has_a_text_alternative_and_no_markup_of_its_own():
    """The picture's words are its label; texts are escaped."""
    svg = draw.svg(("<b>", [('"x" & y', [])]))
    root = ET.fromstring(svg)  # noqa: S314 - our own
    assert (root.get("role"), root.get("aria-label")) == ("img", '<b>. "x" & y.')


def test_pictures_are_bounded():
    """Of many rows the first and last are shown; more than 40 boxes are one; nothing empty is drawn."""
    title, rows = draw.bounded(("t", [(str(n), [[("token", 2), ("slack", 1)]] * 50) for n in range(100)]))
    assert (title, len(rows)) == ("t", draw.MOST_ROWS)
    assert [label for label, _ in rows][-4:] == ["... and 89 more rows ...", "97", "98", "99"]
    assert rows[0] == ("0", [[("token", 100), ("slack", 50)]])
    assert draw.bounded(("t", [("a", [[("token", 0)], [], [("idle", -3)]])])) == ("t", [("a", [])])


def test_reserved_slots_is_drawn_in_regions():
    """Each sequence has a region; the student's count stands against what there is."""
    rows = rows_of("reserved_slots", [3, 100], 103, 300)
    assert [*rows.values()] == [[[("reserved", 100)]]] * 3 + [[[("yours", 103)]], [[("right", 300)]]]


def test_used_slots_marks_what_is_too_long():
    """35 tokens stand outside their region; no number is right there."""
    rows = rows_of("used_slots", [[20, 135]], 155, "ValueError", max_len=100)
    assert rows["A: 20 tokens in a region of 100"] == [[("token", 20), ("idle", 80)]]
    assert rows["B: 135 tokens in a region of 100, 35 too many"] == [[("token", 100)], [("over", 35)]]
    assert rows["right is no number here: ValueError is to be raised"] == []


def test_waste_fraction_is_a_part_of_its_denominator():
    """Of 300 reserved slots 235 are idle; the student's 0.25 is 75 of them."""
    rows = rows_of("waste_fraction", [[20, 35, 10], 100], 0.25, 0.7833333333333333)
    assert [*rows.values()][-2:] == [[[("yours", 75), ("rest", 225)]], [[("right", 235), ("rest", 65)]]]
    assert "your share, 78.33, is not between 0 and 1" in rows_of(
        "waste_fraction", [[20, 35, 10], 100], 78.33, 0.78
    )


def test_extra_reservations_is_drawn_in_the_pool():
    """420 slots, three regions in use, 120 left; 1 is right, and the student's 4 has four regions."""
    rows = rows_of("extra_reservations", [420, 100, 3], 4, 1)
    assert rows["in the pool of 420 slots they leave 120"][-1] == [("free", 120)]
    assert len(rows["your function says: 4 more"]) == 4
    assert rows["right is: 1 more"] == [[("right", 100)]]


def test_a_call_is_drawn_without_any_right_answer():
    """Where a test only asks that nothing is raised, the regions are drawn and nothing is counted."""
    rows = rows_of("used_slots", [[60, 99], 100], None, None)
    assert [*rows.values()] == [[[("token", 60), ("idle", 40)]], [[("token", 99), ("idle", 1)]]]
    assert [*rows_of("waste_fraction", [[60], 100], None, None)] == ["A: 60 tokens in a region of 100"]


def test_paged_slots_is_drawn_in_blocks():
    """20, 35 and 10 tokens in blocks of 16: two, three and one, with 12, 13 and 6 slots of slack."""
    rows = rows_of("paged_slots", [[20, 35, 10], 16], 80, 96)
    drawn = [*rows.values()][:3]
    assert [len(boxes) for boxes in drawn] == [2, 3, 1]
    assert [boxes[-1][-1] for boxes in drawn] == [("slack", 12), ("slack", 13), ("slack", 6)]


@pytest.mark.parametrize("got", [None, True, "96", [1], 1e300, float("nan"), -4, 2.5, 10**30])
@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        ("reserved_slots", [3, 100], 300),
        ("used_slots", [[20, 35, 10]], 65),
        ("waste_fraction", [[50], 100], 0.5),
        ("extra_reservations", [400, 100, 3], 1),
        ("paged_slots", [[33], 16], 48),
    ],
)
def test_any_answer_can_be_drawn(function, arguments, expected, got):
    """An answer of any kind gives a picture; one that is no number has no bar."""
    picture = PICTURE(function, arguments, {}, got, expected)
    ET.fromstring(draw.svg(picture))  # noqa: S314 - our own
    counts = function not in ("waste_fraction", "extra_reservations")
    assert ("yours" in draw.svg(picture)) == (got == 2.5 and counts)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("paged_slots", [[5], 0]),
        ("paged_slots", [[10**9], 1]),
        ("used_slots", ["abc"]),
        ("used_slots", []),
        ("extra_reservations", [10, 10**6, 3]),
        ("waste_fraction", [[], 100]),
        ("other", []),
    ],
)
def test_what_cannot_be_drawn_has_no_picture(function, arguments):
    """Numbers that are too large, odd arguments and other functions draw nothing, and raise nothing."""
    assert PICTURE(function, arguments, {}, 1, 1) is None


def test_a_lesson_without_a_map_draws_nothing(tmp_path):
    """The file is optional."""
    assert draw.load_slot_map(tmp_path)("f", [], {}, 1, 2) is None
    assert re.search("A: 33", str(PICTURE("paged_slots", [[33], 16], {}, 1, 48)))
