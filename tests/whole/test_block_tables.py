"""The lesson block_tables as a student meets it: picture, handout, drawn calls, and pytest in the folder."""

import re
import xml.etree.ElementTree as ET

import pytest
from helpers.bundle import run, solve, unpack, write
from helpers.contrast import colours_of, contrast
from helpers.exercise_suites import ROOT, load_module

from grader.bundle import draw
from grader.course.load import load_course
from grader.feedback.closing import load_closing
from grader.lesson.generate import stale_files
from grader.lesson.own_code import closing_bytes, closing_path, drawn_files

NAME = "block_tables"
FOLDER = ROOT / "exercises" / NAME
HANDOUT = (FOLDER / "README.md").read_text(encoding="utf-8")
COURSE = load_course(ROOT / "course.toml")
EXERCISE = COURSE.exercise(NAME)
SOLUTION = load_module(ROOT / "solutions" / NAME / "tables.py", "tables")
SLOT_MAP = draw.load_slot_map(FOLDER)
SVG = "{http://www.w3.org/2000/svg}"


# --- the picture ---


@pytest.fixture(params=["tables.svg", "tables-narrow.svg"])
def picture(request):
    """A committed picture."""
    return ET.fromstring((FOLDER / request.param).read_text(encoding="utf-8"))  # noqa: S314 - our own file


def words(root):
    """All texts of the picture, in their order."""
    return [text.text for text in root.iter(f"{SVG}text")]


@pytest.mark.slow
def test_committed_files_are_current():
    """What lies in exercises/ is what the solution gives today, and drawing twice gives the same bytes."""
    assert list(stale_files(COURSE, EXERCISE)) == []
    assert drawn_files(COURSE, EXERCISE) == drawn_files(COURSE, EXERCISE)


def test_the_picture_shows_every_block(picture):
    """Six blocks in use hold 42 tokens and 6 slots of slack, nine are free, one is in two tables."""
    counts = dict.fromkeys(("token", "free", "shared", "dots"), 0)
    for part in picture.iter(f"{SVG}rect"):
        kind = "dots" if part.get("fill") == "url(#dots)" else part.get("class")
        counts[kind] = counts.get(kind, 0) + 1
    # The legend has one of each, and two of tokens; the shared block also stands in two tables.
    assert counts["token"] - 2 == 42
    assert counts["dots"] - 1 == 6
    assert counts["free"] - 1 == 9
    assert counts["shared"] - 1 == 3
    assert len([*picture.iter(f"{SVG}circle")]) - 1 - 1 == 8 + 2 + 2  # the pattern has one, the legend too


def test_blocks_are_named_by_their_owners(picture):
    """Each block has its number, and the sequences with it in their tables."""
    expected = ["0: B", "2: C", "4: A", "5: A and B", "9: A", "12: C"]
    expected += [f"{block}: free" for block in (1, 3, 6, 7, 8, 10, 11, 13, 14)]
    assert set(expected) <= set(words(picture))


def test_the_picture_speaks_to_those_who_do_not_see_it(picture):
    """It has a title and a description, and is announced as one image."""
    assert (picture.get("role"), picture.get("aria-labelledby")) == ("img", "title desc")
    description = picture.find(f"{SVG}desc").text
    assert "A has 21 tokens, and its table names the blocks 5, 9, 4" in description
    assert "Block 5 is marked" in description


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_picture_is_readable_in_both_schemes(picture, scheme):
    """Text has 4.5 to 1 on the page; lines, rings and dots have 3 to 1 on what they lie on."""
    colours = colours_of(picture.find(f"{SVG}style").text, scheme)
    assert contrast(colours["text"], colours["page"]) >= 4.5
    pairs = [("free", "page"), ("edge", "page"), ("shared", "page"), ("token", "page")]
    for line, ground in (*pairs, ("grid", "token"), ("ring", "token"), ("dot", "slack")):
        assert contrast(colours[line], colours[ground]) >= 3


def test_the_picture_does_not_answer_part_1(picture):
    """The slot, the slots handed out and the largest hole stand nowhere in it."""
    text = " ".join([*words(picture), picture.find(f"{SVG}desc").text])
    assert not {"33", "48", "56", "42"} & set(re.findall(r"\d+", text))


# --- the handout ---


def test_the_handout_s_picture_is_part_1():
    """What Part 1 asks for, counted by the solution from the picture's tables."""
    drawing = load_module(ROOT / "solutions" / NAME / "picture.py", "picture")
    right = load_module(ROOT / "solutions" / NAME / "by_hand.py", "by_hand")
    taken = {block for table in drawing.TABLES.values() for block in table}
    free = [block for block in range(drawing.BLOCKS) if block not in taken]
    lengths = drawing.LENGTHS
    handed_out = SOLUTION.pool_slots([lengths["A"], lengths["B"]], drawing.PREFIX, drawing.BLOCK)
    handed_out += SOLUTION.pool_slots([lengths["C"]], 0, drawing.BLOCK)
    assert right.SLOT == SOLUTION.physical_slot(drawing.TABLES["A"], 17, drawing.BLOCK) == 33
    assert right.HANDED_OUT == handed_out == 48
    assert right.HOLE == SOLUTION.largest_hole(free) == 3
    assert len(free) == 9
    for name, table in drawing.TABLES.items():
        assert f"{name}: {', '.join(map(str, table))}." in HANDOUT


def test_worked_example_of_the_handout():
    """Position 35, the one after it, the last of the block before, and the trap of [7, 1]."""
    table = [3, 18, 12]
    assert [SOLUTION.physical_slot(table, position, 16) for position in (35, 36, 31)] == [195, 196, 303]
    assert SOLUTION.physical_slot([7, 1], 20, 16) == 20
    for text in ("192 + 3 = **195**", "lies in slot 196", "18 × 16 + 15 = 303", "1 × 16 + 4 = 20"):
        assert text in HANDOUT
    assert SOLUTION.slack_share([33], 16) == 0.3125
    assert "31.25 % of the slots handed out, 45.5 % of the tokens, 93.75 % of the last block" in HANDOUT


def test_lessons_lead_to_each_other():
    """The first lesson's handout and closing name this one, and this one what comes after."""
    first = (ROOT / "exercises/contiguous_reservation/README.md").read_text(encoding="utf-8")
    assert "*Block tables*" in first.partition("## What comes next")[2]
    after = load_closing(COURSE, COURSE.exercise("contiguous_reservation"))[-1]
    assert any("Block tables" in text for text in after.text)
    assert "copy on write" in HANDOUT.partition("## What comes next")[2]
    assert "copy on write" in load_closing(COURSE, EXERCISE)[-1].text[0]


def test_the_closing_is_counted_by_the_solution():
    """Four users with 100 common tokens: 560 slots in tables, 272 in the pool, 96 tokens shared."""
    assert closing_path(COURSE, EXERCISE).read_bytes() == closing_bytes(COURSE, EXERCISE)
    shared, sizes, _ = load_closing(COURSE, EXERCISE)
    # 140, 107, 165 and 122 tokens are 9, 7, 11 and 8 blocks; six are common, so 3 * 6 fewer.
    assert shared.title == f"{35 * 16} slots in tables, {17 * 16} in the pool"
    assert "96 of the 100 tokens are shared" in shared.text[0]
    labels = [label for label, _ in sizes.pictures[0][1]]
    assert "blocks of 128: 768 slots, 0 of 100 tokens shared" in labels


# --- a call drawn ---


def rows_of(function, arguments, got, expected):
    """The rows of a call's picture by label."""
    return dict(SLOT_MAP(function, arguments, {}, got, expected)[1])


def test_physical_slot_is_drawn_in_the_table_and_in_the_pool():
    """Position 20 is the fifth slot of the second block; the student's slot stands against the right one."""
    rows = rows_of("physical_slot", [[1, 7], 20, 16], 20, 116)
    assert rows["the table [1, 7]: 32 slots in logical order"] == [
        [("token", 16)],
        [("token", 4), ("right", 1), ("token", 11)],
    ]
    assert rows["your function says slot 20 of the pool"] == [[("rest", 20), ("yours", 1)]]
    assert rows["right is slot 116 of the pool"] == [[("rest", 116), ("right", 1)]]
    past = rows_of("physical_slot", [[7, 1], 32, 16], 48, "IndexError")
    assert past["right is no slot here: IndexError is to be raised"] == []


def test_can_append_is_drawn_with_what_is_free():
    """Three blocks with 15 slots of slack, two free ones, and both answers."""
    rows = rows_of("can_append", [33, 16, 2], got=False, expected=True)
    assert rows["the sequence: 33 tokens in 3 blocks of 16"][-1] == [("token", 1), ("slack", 15)]
    assert rows["2 free blocks in the pool"] == [[("free", 16)], [("free", 16)]]
    assert {"your function says False", "right is True"} <= rows.keys()


def test_slack_share_is_a_part_of_what_is_handed_out():
    """33 and 10 tokens in 64 slots, 21 of them slack; the student's half is 32."""
    rows = rows_of("slack_share", [[33, 10], 16], 0.5, 21 / 64)
    assert [*rows.values()][-2:] == [[[("yours", 32), ("rest", 32)]], [[("right", 21), ("rest", 43)]]]
    percent = rows_of("slack_share", [[33, 10], 16], 32.81, 0.33)
    assert "your share, 32.81, is not between 0 and 1" in percent


def test_largest_hole_is_drawn_as_the_pool_lies():
    """Free runs of 2, 3 and 1 with taken blocks between them."""
    rows = rows_of("largest_hole", [[11, 3, 2, 7, 5, 6]], 6, 3)
    assert rows["in the pool, a column a block"] == [
        [(kind, count)] for kind, count in zip(("free", "taken") * 3, (2, 1, 3, 3, 1), strict=False)
    ]
    assert rows["there are 3"] == [[("right", 3)]]


def test_pool_slots_is_drawn_with_the_shared_blocks_once():
    """One common block, and two and three of their own."""
    rows = rows_of("pool_slots", [[40, 50], 20, 16], 112, 96)
    assert [len(boxes) for boxes in rows.values()] == [1, 2, 3, 1, 1]


@pytest.mark.parametrize("got", [None, True, "96", [1], 1e300, float("nan"), -4, 2.5, 10**30])
@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        ("physical_slot", [[7, 1], 5, 16], 117),
        ("can_append", [32, 16, 0], False),
        ("slack_share", [[33], 16], 0.3125),
        ("largest_hole", [[2, 3, 9]], 2),
        ("pool_slots", [[40, 50], 20, 16], 96),
    ],
)
def test_any_answer_can_be_drawn(function, arguments, expected, got):
    """An answer of any kind gives a picture that is well formed."""
    ET.fromstring(draw.svg(SLOT_MAP(function, arguments, {}, got, expected)))  # noqa: S314 - our own


# --- the folder ---


@pytest.fixture
def bundle(tmp_path):
    """The unzipped bundle with all TODOs answered right but the predictions."""
    unpack(tmp_path / NAME, NAME)
    solve(tmp_path / NAME, "by_hand.py", *range(4, 10))
    solve(tmp_path / NAME, "tables.py", *range(10, 15))
    return tmp_path / NAME


@pytest.mark.slow
def test_solved_folder_draws_a_call_of_every_function_and_closes_the_lesson(bundle):
    """All visible points, five pictures in 80 columns, and the predictions against what came out."""
    write(bundle, "by_hand.py", 1, "PREDICT_NEIGHBOURS = True  # TODO 1")
    solve(bundle, "by_hand.py", 2, 3)
    status, lines = run(bundle, "-q", "--map", environment={"COLUMNS": "80"})
    assert status == 0
    for title in ("Position 20 in blocks of 16 slots", "Room for one token more?", "Blocks of the pool"):
        assert title in lines
    assert lines.count("Blocks of 16 slots") == 2
    said = " ".join(lines)
    assert "56 slots in the tables, 48 in the pool because A and B share a block" in said
    assert said.count("You predicted") == 1
    assert "You predicted PREDICT_NEIGHBOURS = True and now say False" in said


@pytest.mark.slow
def test_a_slot_past_the_table_is_drawn_with_the_error_that_is_right(bundle):
    """The missing error is called by its name at home, in the sentence and in the picture."""
    path = bundle / "tables.py"
    text = path.read_text(encoding="utf-8")
    wrong = "\n\ndef physical_slot(table, position, block):\n"
    wrong += "    return table[position // block % max(1, len(table))] * block + position % block\n"
    path.write_text(text + wrong, encoding="utf-8")
    status, lines = run(bundle, "-q")
    shown = [line.strip() for line in lines]
    assert status == 1
    assert "right is no slot here: IndexError is to be raised" in shown
    assert any("physical_slot([7, 1], 32, 16) returned 112" in line for line in shown)


@pytest.mark.slow
def test_an_answer_that_must_be_another_is_drawn_without_a_right_one(bundle):
    """A function that always says True is told the call that is wrong, and True is not drawn as right."""
    path = bundle / "tables.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(f"{text}\n\ndef can_append(length, block, free):\n    return True\n", encoding="utf-8")
    _, lines = run(bundle, "-q", "-k", "another_case")
    shown = [line.strip() for line in lines]
    assert "can_append(48, 16, 0) returned True; expected anything but True." in shown
    assert "right is True" not in shown
