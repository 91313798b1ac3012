"""Bombs in hand-ins: their students are named, and everyone beside them is read to the byte."""

import pytest
from helpers import bombs
from helpers.intake_class import ONE, TWO, exercise, lay_out, tarred, zipped

from grader.base.errors import UsageError
from grader.intake.collect import collect
from grader.roster.roster import load_roster

pytestmark = pytest.mark.slow

HONEST = {f"{student}/{name}": data for student in ("ada", "zoe") for name, data in
          (("hands_on.py", ONE), ("reservation.py", TWO))}  # fmt: skip


@pytest.fixture(autouse=True)
def _less_time(monkeypatch):
    """So that what has no end ends sooner."""
    monkeypatch.setattr("grader.intake.prepare.STUDENT_SECONDS", 3.0)
    monkeypatch.setattr("grader.intake.collect._PATH_SECONDS", 2.0)


def named(intake) -> set[str]:
    """Everyone who has a submission, with or without files, or is listed with a reason."""
    found = {one.student for one in intake.submissions}
    found |= {one.received_as.partition(".")[0] for one in intake.unmatched}
    return found | {one.name.rpartition(": ")[2].strip("/") for one in intake.refused}


def read_beside(folder, hand_ins):
    """Read hand-ins among two honest ones; check that these are whole and that everyone is named."""
    lay_out(folder, {**HONEST, **hand_ins})
    intake = collect([folder], exercise())
    got = {one.student: dict(one.files) for one in intake.submissions}
    assert got["ada"] == got["zoe"] == {"hands_on.py": ONE, "reservation.py": TWO}
    assert {name.partition("/")[0].partition(".")[0] for name in hand_ins} <= named(intake)
    return {one.student: one for one in intake.submissions}


def test_code_in_files(tmp_path):
    """Each of the bombs as a student's file: nothing parses it here, so it stays byte for byte."""
    sources = {f"b{n}": text.encode("utf-8", "surrogatepass") for n, text in enumerate(bombs.code().values())}
    got = read_beside(tmp_path, {f"{student}/reservation.py": data for student, data in sources.items()})
    same = [student for student, data in sources.items() if got[student].files.get("reservation.py") == data]
    assert len(same) >= len(sources) - 2  # one holds NULs, one is not UTF-8: both have a sentence or a note
    for student in set(sources) - set(same):
        assert got[student].problems or got[student].notes


@pytest.mark.parametrize("part", range(4))
def test_notebooks(tmp_path, part):
    """Deep or endless JSON, and each of the bombs in a cell: files or a sentence for each."""
    chosen = list(bombs.notebooks().values())[part::4]
    got = read_beside(tmp_path, {f"b{n}/reservation.ipynb": data for n, data in enumerate(chosen)})
    for number in range(len(chosen)):
        one = got[f"b{number}"]
        assert one.files or one.problems or one.notebook


def test_archives(tmp_path):
    """As a student's archive, alone and beside files: a sentence for each, or what is in it."""
    hand_ins = {}
    for number, (name, make) in enumerate(bombs.ARCHIVES.items()):
        hand_ins[f"b{number}/{name}"] = make()
    got = read_beside(tmp_path, hand_ins)
    for number in range(len(bombs.ARCHIVES)):
        one = got[f"b{number}"]
        assert one.files or one.problems or "ignored-files" in one.flags or "missing-file" in one.flags


@pytest.mark.parametrize("name", bombs.ARCHIVES)
def test_an_archive_as_a_path(tmp_path, name):
    """It is read or refused, and the other PATH is read."""
    (tmp_path / name).write_bytes(bombs.ARCHIVES[name]())
    lay_out(tmp_path / "class", HONEST)
    intake = collect([tmp_path / name, tmp_path / "class"], exercise())
    got = {one.student: dict(one.files) for one in intake.submissions}
    assert got["ada"] == got["zoe"] == {"hands_on.py": ONE, "reservation.py": TWO}
    assert len(got) > 2 or intake.refused or intake.unmatched


@pytest.mark.parametrize(
    "metadata",
    [
        lambda: b"[" * 1_000_000,
        lambda: b"{a: " * 300_000,
        lambda: (
            b"a: &a ["
            + b"x," * 9
            + b"]\n"
            + b"".join(b"%c: &%c [%b]\n" % (n + 1, n + 1, b"*%c," % n * 9) for n in range(97, 121))
        ),
        lambda: b"- " * 500_000,
        lambda: b'"' + b"\\x41" * 3_000_000,
        lambda: b"!!python/object/apply:os.system [exit]",
    ],
    ids=["lists", "maps", "anchors", "dashes", "escapes", "objects"],
)
def test_what_a_platform_wrote_about_a_class(tmp_path, metadata):
    """YAML of Gradescope's kind is read or refused; the other PATH is read."""
    pytest.importorskip("yaml")
    files = {"submission_1/reservation.py": TWO, "submission_metadata.yml": metadata()}
    lay_out(tmp_path / "g", files)
    lay_out(tmp_path / "class", HONEST)
    intake = collect([tmp_path / "g", tmp_path / "class"], exercise())
    assert {"ada", "zoe"} <= {one.student for one in intake.submissions}
    assert intake.refused or "submission_1" in {one.student for one in intake.submissions}


@pytest.mark.parametrize(
    "text",
    [
        lambda: "id,e" + "\u0323\u0301" * 2_000_000 + "\n1,2\n",
        lambda: "id," + "," * 300_000 + "\n1\n",
        lambda: 'id,name\n1,"' + '""' * 900_000,
        lambda: "id,name\n" + "1\n" * 20_000,
        lambda: "\n" * 900_000,
    ],
    ids=["letters to combine", "columns", "quotes", "rows", "empty lines"],
)
def test_tables(tmp_path, monkeypatch, text):
    """A roster or a worksheet is read or refused in a sentence."""
    monkeypatch.setattr("grader.sources.table._SECONDS", 3.0)
    path = tmp_path / "roster.csv"
    path.write_text(text(), encoding="utf-8")
    try:
        assert load_roster([path]).people
    except UsageError as error:
        assert str(error).startswith("roster.csv")  # noqa: PT017 - either is right


def test_names_that_take_a_pattern_long(tmp_path):
    """Names in a class's download, of each platform's kind, as long as an archive allows."""
    names = ["_" * 900, "_1" * 450, "a_LATE_" * 120, "a_attempt_" * 90, " - " * 300, "e\u0323\u0301" * 300,
             "_assignsubmission_file" * 40, "1_2_" * 200, "(1)" * 300, ".py" * 300, "-" * 900]  # fmt: skip
    files = {
        f"{name[:240]}{end}": TWO for name in names for end in ("/reservation.py", ".py", "_reservation.py")
    }
    for pack in (zipped, tarred):
        (tmp_path / "class.zip").write_bytes(pack({**HONEST, **files}))
        intake = collect([tmp_path / "class.zip"], exercise())
        assert not intake.refused
        assert {"ada", "zoe"} <= named(intake)
