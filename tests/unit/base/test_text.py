"""Cleaning text, short names, and byte-order marks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.base.text import LINE_LIMIT, clean, markdown_inline, marked_encoding, one_line, short_names


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, with tab\tand\nnewline", "plain, with tab\tand\nnewline"),
        ("one\r\ntwo", "one\ntwo"),
        ("FAILED\rPASSED", r"FAILED\rPASSED"),
        ("\x1b[2Jgone", r"\x1b[2Jgone"),
        ("a\x00b\x07c\x08d\x7fe\x85f", r"a\x00b\x07c\x08d\x7fe\x85f"),
        ("\u202eabc\u2066d\u200e\u200f\u061c", r"\u202eabc\u2066d\u200e\u200f\u061c"),
        ("z\u200bero\ufeff\xad\u2060", r"z\u200bero\ufeff\xad\u2060"),
        ("\ud83d lone", r"\ud83d lone"),
        ("\u2028\u2029", r"\u2028\u2029"),
        ("\U000e0041 \ufdd0 \uffff \U0010fffe", r"\U000e0041 \ufdd0 \uffff \U0010fffe"),
        ("Grüße, 日本, 🙂 <b>&amp;`", "Grüße, 日本, 🙂 <b>&amp;`"),
    ],
)
def test_what_acts_unseen_is_shown_as_an_escape(text, shown):
    """Control, direction, invisible and surrogate characters become escapes; other characters stay."""
    assert clean(text, 1000) == shown


def test_the_whole_is_cut_in_its_middle_with_a_count():
    """Of 26 letters at a limit of ten, five stay at each end, and the note counts the other 16."""
    assert clean("abcdefghijklmnopqrstuvwxyz", 10) == "abcde ... 16 characters left out ... vwxyz"


def test_a_text_of_just_the_limit_is_not_cut():
    """The limit itself still fits; one more does not."""
    assert clean("x" * 10, 10) == "x" * 10
    assert clean("x" * 11, 10) == "xxxxx ... 1 character left out ... xxxxx"


def test_a_long_line_is_cut_by_itself():
    """A line of 6,012 characters keeps 500 at each end, and its neighbours stay whole."""
    shown = clean("first\n" + "y" * 6012 + "\nlast", 10_000)
    assert shown == "first\n" + "y" * 500 + " ... 5,012 characters left out ... " + "y" * 500 + "\nlast"


def test_escapes_count_towards_the_limit():
    """Four NULs, each shown as four characters, don't fit into ten: one stays at each end."""
    assert clean("\x00" * 4, 10) == r"\x00 ... 2 characters left out ... \x00"


def test_five_megabytes_cost_little():
    """A line of five megabytes ends as a thousand characters and a note."""
    assert len(clean("é" * 5_000_000, 4000)) < LINE_LIMIT + 60


@given(st.text(alphabet=st.characters()), st.integers(min_value=0, max_value=60))
def test_any_string_becomes_bounded_harmless_text(text, limit):
    """Whatever comes in, what goes out encodes as UTF-8, is bounded, and holds no control character."""
    shown = clean(text, limit)
    assert len(shown.encode()) <= 4 * (limit + 60)
    assert not any(ord(letter) < 32 and letter not in "\n\t" for letter in shown)
    assert not set(shown) & set("\u202e\u2066\u200b\ufeff\x7f\x9b")


def test_one_line_holds_no_break():
    """Line breaks and runs of blanks become one blank, and the ends are trimmed."""
    assert one_line("  a\n\tb\r\nc  d ", 50) == "a b c d"


def test_one_line_is_bounded_before_anything_else_looks_at_it():
    """A text of a million letters is cut."""
    assert one_line("n" * 1_000_000, 10) == "nnnnn ... 999,990 characters left out ... nnnnn"


def test_short_names_are_unique_prefixes_of_whole_words():
    """A long name is cut after its first word, unless another name begins in the same way."""
    assert short_names(["hands_on", "reserved_slots", "used_slots"]) == ["hands_on", "reserved", "used"]
    assert short_names(["paged_slots", "paged_waste"]) == ["paged_slots", "paged_waste"]
    assert short_names(["free_list_head", "free_list_tail", "free_all_blocks"]) == [
        "free_list_head",
        "free_list_tail",
        "free_all",
    ]
    assert short_names(["reserved", "reserved_slots"]) == ["reserved", "reserved_slots"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_names_the_encoding(encoding):
    """Decoding with the encoding that is named drops the mark."""
    assert marked_encoding("é".encode(encoding)) == encoding
    assert "é".encode(encoding).decode(marked_encoding("é".encode(encoding))) == "é"


def test_no_mark():
    """Without a mark no encoding is named, and two bytes of one are none."""
    assert [marked_encoding(data) for data in (b"", b"text", b"\xef\xbb", b"\xff")] == [""] * 4


@pytest.mark.parametrize("name", ["1. Ada", "1.", "2024. a", "# Ada", "- Ada", "> Ada", "12) Ada"])
def test_a_name_is_no_markup_at_the_start_of_a_line(name):
    """A number with a dot would begin a list, a hash a heading; as code they are what they are."""
    assert markdown_inline(name) == f"`{name}`"
    assert markdown_inline("Ada 1. B.") == "Ada 1. B."
