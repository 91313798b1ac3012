"""The bytes of our own CSV files."""

from grader.base.files import csv_bytes, harmless, unharmed


def test_rows_below_their_header():
    """UTF-8, one kind of line ending, quotes only where a cell needs them; ids keep their zeros."""
    data = csv_bytes(("id", "name"), [("007", "Lovelace, Ada"), ("8", 'say "hi"'), (9, "李\n小明")])
    assert data == 'id,name\n007,"Lovelace, Ada"\n8,"say ""hi"""\n9,"李\n小明"\n'.encode()


def test_no_rows():
    """The header stands alone."""
    assert csv_bytes(("a", "b"), ()) == b"a,b\n"


def test_no_text_is_a_formula():
    """It has an apostrophe before it, which comes off again; other texts stay."""
    for text in ("=1+1", "+x", "-x", "@x", "\tx", "\rx", " =1", "\uff1d1", "'=1", "''+"):
        assert harmless(text) == f"'{text}"
        assert unharmed(f"'{text}") == text
    assert [harmless(text) for text in ("a=b", "'t was", "")] == ["a=b", "'t was", ""]
    assert unharmed("'t was") == "'t was"
