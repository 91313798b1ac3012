"""Tables as people and programs save them."""

import pytest

from grader.base.errors import UsageError
from grader.sources import table as table_module
from grader.sources.table import fold_heading, read_table


def table(tmp_path, data: bytes, name="t.csv"):
    """The table of a file with this content."""
    path = tmp_path / name
    path.write_bytes(data)
    return read_table(path)


def rows(tmp_path, data: bytes):
    """Its rows' numbers and cells."""
    return [(row.number, list(row.cells.values())) for row in table(tmp_path, data).rows]


@pytest.mark.parametrize(
    "data",
    [
        b"id,name\n0001,Ada\n",
        b"\xef\xbb\xbf ID ,Name\r\n0001,Ada\r\n",
        b"id;name\n0001;Ada\n",
        b"id\tname\r0001\tAda\r",
        "id\tname\n0001\tAda\n".encode("utf-16"),
        b"\xfe\xff" + "id,name\n0001,Ada".encode("utf-16-be"),
        b'"id","name"\n"0001","Ada"',
        b'id,name\n="0001",="Ada"\n',
        b"id,name,\n 0001 , Ada ,\n",
    ],
)
def test_separator_encoding_and_case_do_not_matter(tmp_path, data):
    """Comma, semicolon or tab, with a mark or without; ids keep their zeros."""
    made = table(tmp_path, data)
    assert [dict(row.cells) for row in made.rows] == [{"id": "0001", "name": "Ada"}]


def test_rows_are_counted_as_a_spreadsheet_counts(tmp_path):
    """Headings are row 1, empty rows count and are left out, a cell may hold a line break."""
    data = b'\nid,name\n\n1,"Line\nBreak"\n,,\n2\n'
    assert rows(tmp_path, data) == [(4, ["1", "Line\nBreak"]), (6, ["2", ""])]


def test_excels_hint_on_the_separator_is_taken(tmp_path):
    """It is not a row of the table."""
    assert rows(tmp_path, b"sep=;\r\nid;name, first\r\n1;a\r\n") == [(2, ["1", "a"])]


def test_headings_are_kept_as_they_are_written(tmp_path):
    """By their folded form."""
    assert table(tmp_path, b"SIS_User  ID,Full name\n1,x\n").headings == {
        "sis user id": "SIS_User  ID",
        "full name": "Full name",
    }
    assert fold_heading(" Ｉd_X ") == "id x"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "t.csv is empty; it needs a row of headings and a row for each person."),
        (b"\n , \n", "t.csv is empty; it needs a row of headings and a row for each person."),
        (b"score,id,ID\n5,1,2\n", "t.csv: the column 'ID' is there twice; remove one."),
        (
            b"id,name\n1,Lovelace, Ada\n",
            "t.csv: row 2 has 3 cells, and there are 2 columns; "  # noqa: ISC004  # one sentence
            "a cell that holds the separator needs quotes.",
        ),
        (b"id,name\n1,Jos\xe9\n", "t.csv: line 2 is not UTF-8; save it as 'CSV UTF-8'."),
        (b"\xff\xfei\x00d\x00\n", "t.csv: line 1 is not UTF-16; save it as 'CSV UTF-8'."),
        (b"i\x00d\x00\n\x00", "t.csv holds NUL characters; save it as 'CSV UTF-8'."),
        (b'id\n1\n"2\n3\n', "t.csv: row 3 begins a cell with a quote that never ends."),
        (b"\n<!DOCTYPE html>\n<p>", "t.csv is a web page, not a CSV; download the file again."),
        (b"PK\x03\x04...", "t.csv is a workbook, not a CSV; save it as 'CSV UTF-8'."),
    ],
)
def test_a_table_that_cannot_be_used_is_named_with_the_place(tmp_path, data, message):
    """One sentence says what would be right."""
    with pytest.raises(UsageError) as error:
        table(tmp_path, data)
    assert str(error.value) == message


def test_a_damaged_table_is_named_with_its_line(tmp_path):
    """A cell of 200 kB is a quote that was never closed."""
    with pytest.raises(UsageError, match=r"^t.csv: line 2 is damaged: field larger"):
        table(tmp_path, b'id,name\n1,"' + b"x" * 200_000)


def test_a_file_that_does_not_exist_is_a_usage_error(tmp_path):
    """And so is a folder."""
    with pytest.raises(UsageError, match=r"none.csv cannot be read: No such file or directory\."):
        read_table(tmp_path / "none.csv")
    with pytest.raises(UsageError, match=r"is a folder, not a file\."):
        read_table(tmp_path)


def test_a_mistake_names_file_column_and_rows(tmp_path):
    """At most five rows are listed."""
    made = table(tmp_path, b"The ID\n1\n")
    assert str(made.mistake("the id", [3], "it is wrong")) == "t.csv: column 'The ID', row 3: it is wrong."
    assert str(made.mistake("x", range(9, 2, -1), "no")) == "t.csv: column 'x', rows 3, 4, 5, 6, 7 ...: no."


def test_a_table_that_takes_too_long_is_refused(tmp_path, monkeypatch):
    """Its columns' headings may be anything."""

    def endless(_heading):
        while True:
            pass

    monkeypatch.setattr(table_module, "fold_heading", endless)
    monkeypatch.setattr(table_module, "_SECONDS", 0.1)
    (tmp_path / "t.csv").write_bytes(b"id,name\n1,Ada\n")
    with pytest.raises(UsageError, match=r"^t.csv takes too much time or memory to read; is it a table\?$"):
        read_table(tmp_path / "t.csv")
