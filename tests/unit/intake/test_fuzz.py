"""Any bytes: an archive, a table or a name ends in a result or in one sentence, never in a crash."""

import unicodedata
from contextlib import ExitStack, suppress

import pytest
from helpers.intake_class import ONE, TWO, exercise, member, setting, tarred, tree, zipped
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.base.errors import UsageError
from grader.intake.choose import choose
from grader.intake.handin import HandIn
from grader.intake.recognise import SCHEMES, recognise
from grader.roster.roster import Person, Roster, load_roster, roster_bytes
from grader.sources.archives import open_nested
from grader.sources.tree import UnreadableError

pytestmark = pytest.mark.usefixtures("unforked")

ARCHIVES = (
    zipped({"ada/reservation.py": TWO, "bo/": b"", "c/x.zip": zipped({"hands_on.py": ONE})}),
    tarred({"ada/reservation.py": TWO, "x.py": b"1" * 2000}, "w"),
    tarred({"ada/reservation.py": TWO}, "w:gz"),
)
PIECES = st.sampled_from(
    [
        "_assignsubmission_file", "_LATE_", "_11_5002_", "reservation.py", " - Oct 10, 2025 1022 AM",
        "39786-6 - ", "_attempt_2025-10-10-10-22-33", ".zip", "anon_abcde_5_", "timestamp.txt",
        "contiguous_reservation", "/", "\\", "..", "\u202e", "e\u0301", "_", "-1", "(1)", ".ipynb", ".txt",
    ]
)  # fmt: skip
NAMES = st.lists(PIECES | st.text(max_size=3), min_size=1, max_size=8).map("".join)
QUICK = settings(max_examples=150, deadline=None, derandomize=True)


@QUICK
@given(st.sampled_from(ARCHIVES), st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 255)), max_size=6))
def test_a_damaged_archive_ends_in_a_sentence(data, changes):
    """With any bytes changed."""
    damaged = bytearray(data)
    for at, value in changes:
        damaged[at % len(damaged)] = value
    with ExitStack() as stack, suppress(UnreadableError):
        for one in open_nested(member("a.zip", bytes(damaged)), stack).members:
            with suppress(UnreadableError):
                one.read(10_000)


@QUICK
@given(st.binary(max_size=300))
def test_any_bytes_as_an_archive_end_in_a_sentence(data):
    """Under every archive's name."""
    for name, head in (("a.zip", b"PK\x03\x04"), ("a.tar.gz", b"\x1f\x8b"), ("a.tar", b"")):
        chosen = choose(HandIn((), (member(name, head + data),), name), exercise())
        assert chosen.files == {}
        assert set(chosen.problems) == {"hands_on.py", "reservation.py"}


@QUICK
@given(st.lists(NAMES, max_size=5))
def test_any_names_are_sorted_by_every_scheme(names):
    """With a roster that knows one student; choosing among the files never fails either."""
    files = {name.strip("/"): TWO for name in names if name.strip("/")}
    made, told = (
        tree(files),
        setting(Person("0012", "Ada", canvas_id="11", github_id="ada", blackboard_id="a_b")),
    )
    scheme, view = recognise(made, told)
    assert scheme in SCHEMES.values()
    for one in scheme.hand_ins(view, told).hand_ins:
        for reading in (one, *one.readings):
            choose(reading, exercise())


@QUICK
@given(st.lists(st.text(max_size=30), max_size=6), st.text(max_size=10))
def test_a_roster_is_read_back_as_it_was_written(tmp_path_factory, names, group):
    """Any text without NULs and hidden characters, apart from spaces around it and kinds of line ends."""
    path = tmp_path_factory.mktemp("roster") / "r.csv"

    def tidy(text: str) -> str:
        text = text.encode("utf-8", "ignore").decode().replace("\0", "")
        text = "".join(letter for letter in text if unicodedata.category(letter) != "Cf")
        return text.replace("\r\n", "\n").replace("\r", "\n").replace('="', "").strip()

    people = (Person("0", "first"),)
    people += tuple(
        Person(f"{n}", tidy(name), extra={"Group": tidy(group)}) for n, name in enumerate(names, 1)
    )
    people = tuple(Person(p.id, p.name, extra={"Group": p.group} if names else {}) for p in people)
    path.write_bytes(roster_bytes(Roster(people)))
    assert load_roster([path]) == Roster(people)


@QUICK
@given(st.binary(max_size=200))
def test_any_bytes_as_a_roster_are_people_or_a_sentence(tmp_path_factory, data):
    """For any file that is given by mistake."""
    path = tmp_path_factory.mktemp("roster") / "r.csv"
    path.write_bytes(b"id,name\n" + data)
    with suppress(UsageError):
        assert load_roster([path]).people
