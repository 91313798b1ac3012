"""What is taken of one hand-in: one file for each name, or a sentence; helpers as data."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.intake_class import ONE, OTHER, TWO, exercise, member, tarred, zipped

import grader
from grader.intake.choose import choose
from grader.intake.handin import HandIn
from grader.sources.tree import Member

BOTH = {"hands_on.py": ONE, "reservation.py": TWO}
AGAIN = b"def reserved_slots(limit):\n    return 2 * limit\n"


def chosen(files, owner=(), *, named=False, released=None):
    """What is taken of these files; ``named`` for the student; ``released`` are the stubs."""
    return choose_of(
        [member(name, data) for name, data in files.items()], owner, named=named, released=released
    )


def choose_of(members, owner=(), *, named=False, released=None):
    """What is taken of these members."""
    hand_in = HandIn((), tuple(members), "x", named_for_student=named, owner_words=frozenset(owner))
    return choose(hand_in, replace(exercise(), released=released or {}))


def notebook(*sources):
    """A notebook with these code cells, and one of text."""
    cells = [{"cell_type": "code", "source": source.splitlines(keepends=True)} for source in sources]
    return json.dumps({"cells": [{"cell_type": "markdown", "source": ["Hello"]}, *cells]}).encode()


STUB_ONE = b"ANSWER = None  # TODO 1\n"
STUB_TWO = b'def reserved_slots(limit):\n    raise NotImplementedError("TODO 2")\n'
STUBS = {
    "hands_on.py": STUB_ONE,
    "reservation.py": STUB_TWO,
    "reservation.ipynb": notebook(STUB_ONE.decode(), STUB_TWO.decode()),
}
TOUCHED = {
    "with a comment": b"# Ada\n" + STUB_TWO,
    "with an import": b"from math import *\n" + STUB_TWO,
    "with dots": STUB_TWO.replace(b"    raise", b"    ...\n    raise"),
    "with other line ends": b"\xef\xbb\xbf" + STUB_TWO.replace(b"\n", b"\r\n\r\n"),
    "as it was": STUB_TWO,
}


@pytest.mark.parametrize("stub", TOUCHED.values(), ids=TOUCHED)
@pytest.mark.parametrize(
    "name", ["reservation (1).py", "reservation_final.py", "solution.py", "mine/reservation.py"]
)
def test_an_untouched_stub_never_wins_over_a_copy(name, stub):
    """The finished copy is graded, whatever its name; the note says so."""
    taken = chosen({"hands_on.py": ONE, "reservation.py": stub, name: TWO}, released=STUBS)
    assert taken.files == BOTH
    assert not taken.helpers
    assert "several-files" not in taken.flags
    if "/" not in name:
        assert taken.flags == ("renamed-file",)
        assert name in taken.notes[0]
        assert "reservation.py holds no answer" in taken.notes[0]


def test_an_untouched_stub_alone_is_taken():
    """Nothing else was answered: the student did not start."""
    taken = chosen({"hands_on.py": ONE, "reservation.py": STUB_TWO}, released=STUBS)
    assert (taken.files, taken.flags, taken.notes) == ({**BOTH, "reservation.py": STUB_TWO}, (), ())
    taken = chosen(
        {"hands_on.py": STUB_ONE, "reservation.py": STUB_TWO, "b/reservation.py": STUB_TWO}, released=STUBS
    )
    assert taken.files == {"hands_on.py": STUB_ONE, "reservation.py": STUB_TWO}
    assert not taken.flags


@pytest.mark.parametrize(
    ("one", "two", "kept"),
    [
        (STUB_ONE, STUB_TWO, {}),
        (ONE, STUB_TWO, {"hands_on.py": ONE}),
        (STUB_ONE, TWO, {"reservation.py": TWO}),
    ],
)
def test_a_finished_notebook_answers_what_the_files_do_not(one, two, kept):
    """Each file that is as it was released comes from the notebook, and a note says so."""
    finished = notebook("ANSWER = 400", TWO.decode())
    files = {"hands_on.py": one, "reservation.py": two, "reservation.ipynb": finished}
    taken = chosen(files, released=STUBS)
    assert (taken.files, taken.notebook) == (kept, finished)
    untouched = [name for name in ("hands_on.py", "reservation.py") if name not in kept]
    said = "{} holds no answer; reservation.ipynb was read instead."
    assert [note for note in taken.notes if "no answer" in note] == [said.format(name) for name in untouched]


@pytest.mark.parametrize(("one", "two"), [(ONE, TWO), (STUB_ONE, STUB_TWO)])
def test_an_untouched_notebook_gets_no_flag(one, two):
    """Whoever works in the files hands in the released notebook beside them, run once or not."""
    outputs = json.loads(STUBS["reservation.ipynb"])
    outputs["cells"][1]["outputs"] = [{"output_type": "stream", "text": "x" * 1000}]
    for data in (STUBS["reservation.ipynb"], json.dumps(outputs).encode()):
        files = {"hands_on.py": one, "reservation.py": two, "reservation.ipynb": data}
        taken = chosen(files, released=STUBS)
        assert (taken.files, taken.notebook) == ({"hands_on.py": one, "reservation.py": two}, None)
        assert (taken.flags, taken.notes) == ((), ())


def test_of_two_notebooks_the_untouched_one_is_no_answer():
    """The finished copy is read, though the released one has the right name."""
    finished = notebook("ANSWER = 400", TWO.decode())
    taken = chosen(
        {"reservation.ipynb": STUBS["reservation.ipynb"], "reservation (1).ipynb": finished}, released=STUBS
    )
    assert taken.notebook == finished
    broken = chosen({"reservation.ipynb": b'{"cells": 3}'}, released=STUBS)
    assert broken.notebook == b'{"cells": 3}'


def test_a_script_made_of_a_notebook_never_comes_before_it():
    """An export beside a finished notebook is left out; beside an untouched one it is the answer."""
    script = b"# In[1]:\n\nANSWER = 399\n\n# In[2]:\n\n" + TWO
    finished = notebook("ANSWER = 400", TWO.decode())
    for files, kept in (
        ({"reservation.py": script}, {}),
        ({"reservation.py": script, "hands_on.py": ONE}, {"hands_on.py": ONE}),
        ({"reservation.py": script, "hands_on.py": script}, {}),
    ):
        taken = chosen({**files, "reservation.ipynb": finished}, released=STUBS)
        assert (taken.files, taken.notebook) == (kept, finished)
        assert "ignored-files" in taken.flags
        taken = chosen({**files, "reservation.ipynb": STUBS["reservation.ipynb"]}, released=STUBS)
        assert (taken.files, taken.notebook) == (files, None)


def test_the_expected_files_are_taken_byte_for_byte():
    """A complete hand-in gets no flag and no note."""
    data = {"hands_on.py": b"\xef\xbb\xbfx = 1\r\n\x1a", "reservation.py": "x = 'é'".encode("utf-16")}
    taken = chosen({**data, "README.md": b"hello"})
    assert taken.files == data
    assert (taken.helpers, taken.problems, taken.notebook, taken.flags, taken.notes) == (
        {},
        {},
        None,
        (),
        (),
    )


def test_an_expected_file_may_lie_in_any_folder():
    """Any number of folders may wrap it."""
    taken = chosen({"My Homework/final/reservation.py": TWO, "hands_on.py": ONE})
    assert taken.files == BOTH


def test_a_file_that_was_not_handed_in_is_missing():
    """The file that is there is graded; the other one gets a flag and no problem."""
    taken = chosen({"reservation.py": TWO})
    assert (taken.files, taken.problems, taken.flags) == ({"reservation.py": TWO}, {}, ("missing-file",))


def test_an_empty_hand_in_is_missing_without_a_problem():
    """Students who hand in nothing made no mistake in a name."""
    taken = chosen({})
    assert (taken.files, taken.problems, taken.flags) == ({}, {}, ("missing-file",))


def test_a_close_miss_is_taken_with_a_flag_and_a_note():
    """The note asks for the expected name."""
    taken = chosen({"reservation (1).py": TWO, "hands_on.py": ONE})
    assert taken.files == BOTH
    assert taken.flags == ("renamed-file",)
    assert taken.notes == (
        "reservation (1).py was taken for reservation.py; please keep the name reservation.py.",
    )


def test_the_exact_name_goes_before_a_close_miss():
    """The older version that was left in is named."""
    taken = chosen({**BOTH, "reservation_old.py": AGAIN, "RESERVATION.py": AGAIN})
    assert taken.files == BOTH
    assert taken.notes == ("reservation.py was taken; RESERVATION.py, reservation_old.py was left out.",)
    assert taken.helpers == {}


@pytest.mark.parametrize(
    "names", [("a/reservation.py", "b/reservation.py"), ("reservation (1).py", "reservation-2.py")]
)
def test_of_two_different_candidates_none_is_taken(names):
    """Both are listed, in either order; the other file is graded."""
    for first, second in (names, names[::-1]):
        taken = chosen({first: TWO, "hands_on.py": ONE, second: AGAIN})
        assert taken.files == {"hands_on.py": ONE}
        assert taken.problems == {
            "reservation.py": f"More than one file could be reservation.py: {names[0]}, {names[1]}; "
            "hand in only the one that is meant."
        }
        assert taken.flags == ("several-files",)


class Compared(Member):
    """A member that counts how often it is compared with another one."""

    times = 0

    def __eq__(self, other):
        Compared.times += 1
        return super().__eq__(other)

    __hash__ = Member.__hash__


def test_ten_thousand_candidates_are_looked_through_once():
    """Members are found in a set, not compared with every other member."""
    members = [Compared((f"{n}", "reservation.py"), 1, lambda _, n=n: b"%d" % n) for n in range(4_000)]
    members += [Compared((f"{n}", "tools.py"), 0, lambda _: b"") for n in range(900)]
    taken = choose_of(members)
    assert "and 3995 more" in taken.problems["reservation.py"]
    assert Compared.times < 20_000


@pytest.mark.slow
def test_a_crowd_of_files_costs_the_answer_nothing():
    """Sixty thousand others are looked through in a part of the seconds that a hand-in has."""
    crowd = [member(f"lib/{n}.{'py' if n % 2 else 'png'}") for n in range(60_000)]
    started = time.process_time()
    taken = choose_of([*crowd, member("my/lab/hands_on.py", ONE), member("RESERVATION.py", TWO)])
    assert taken.files == BOTH
    assert time.process_time() - started < 5


def test_two_equal_candidates_are_one():
    """Two files with the same bytes are one candidate."""
    taken = chosen({"a/reservation.py": TWO, "b/reservation.py": TWO, "hands_on.py": ONE})
    assert (taken.files, taken.flags) == (BOTH, ())


def test_no_candidate_is_read_behind_a_difference():
    """Of a thousand files of the expected name the second one tells enough; equal ones are one."""
    read = []

    def content(number):
        return lambda _: read.append(number) or b"%d" % number

    members = [Member((f"{n:04}", "reservation.py"), 1, content(n)) for n in range(1000)]
    taken = choose_of(members)
    assert taken.problems["reservation.py"].startswith("More than one file could be reservation.py: 0000/res")
    assert "and 995 more" in taken.problems["reservation.py"]
    assert read == [0, 1]
    assert chosen({f"{n}/reservation.py": TWO for n in range(1000)}).files == {"reservation.py": TWO}


def test_a_file_of_another_name_is_known_by_its_functions():
    """A search of the text is enough; the first line of the file does not matter."""
    taken = chosen(
        {"lab five.py": b"# coding: latin-1\n\nasync def used_slots (x):\n    pass\n", "hands_on.py": ONE}
    )
    assert list(taken.files) == ["hands_on.py", "reservation.py"]
    assert taken.flags == ("renamed-file",)


@pytest.mark.parametrize(
    "text", [b"used_slots(3)\n", b"class X:\n    def used_slots(self): ...\n", b"# def used_slots(x):\n"]
)
def test_a_file_that_only_mentions_a_function_is_not_taken(text):
    """A sentence names it, so that nobody gets 0 points without an explanation."""
    taken = chosen({"lab.py": text})
    assert taken.files == {}
    assert taken.problems["reservation.py"] == "reservation.py was not found; there is lab.py."
    assert taken.problems["hands_on.py"] == "hands_on.py was not found; there is lab.py."
    assert taken.flags == ("missing-file",)


def test_of_two_files_with_the_same_function_none_is_taken():
    """Nothing tells which one is meant."""
    taken = chosen({"one.py": TWO, "two.py": AGAIN + OTHER})
    assert taken.problems["reservation.py"].startswith(
        "More than one file could be reservation.py: one.py, two.py;"
    )


@pytest.mark.parametrize("name", ["report.pdf", "reservation.docx", "reservation.txt", "lab.py.lnk"])
def test_files_that_are_no_code_are_told(name):
    """The student reads which endings are graded; beside a source file nothing is added."""
    problem = chosen({name: TWO}).problems["reservation.py"]
    assert problem == (
        f"reservation.py was not found; there is {name}. Only files that end in .py or .ipynb can be graded."
    )
    assert "Only" not in chosen({name: TWO, "lab.py": b""}).problems["reservation.py"]


def test_a_link_that_was_handed_in_is_told():
    """Canvas downloads it as a page."""
    problem = chosen({"link.html": b"<a>"}).problems["reservation.py"]
    assert problem.endswith("; what came is a link: hand in the file itself.")


@pytest.mark.parametrize("name", ["onlinetext.html", "text.html"])
def test_code_that_was_pasted_into_the_page(name):
    """Text handed in online instead of files is told as such."""
    problem = chosen({name: b"<p>def used_slots(x): ...</p>"}).problems["reservation.py"]
    assert problem.endswith("; what came is text that was pasted into the page: hand in the file itself.")


def test_a_project_of_many_files_is_not_searched():
    """Fifty files of unrelated names are searched, and no more."""
    files = {f"m{n}.py": b"" for n in range(49)} | {"lab.py": TWO}
    assert "reservation.py" in chosen(files).files
    assert chosen(files | {"more.py": b""}).files == {}


def test_a_test_file_is_never_taken_for_an_answer():
    """Even if it defines the function."""
    taken = chosen({"test_reservation.py": TWO, "conftest.py": TWO})
    assert taken.files == {}


def test_a_file_named_for_its_student_gets_no_flag():
    """It is the file whose function it defines, or else the last expected file."""
    assert chosen({"ada.py": TWO}, named=True).files == {"reservation.py": TWO}
    broken = chosen({"ada.py": b"def used_slots(:"}, named=True)
    assert (broken.files, broken.flags) == ({"reservation.py": b"def used_slots(:"}, ("missing-file",))
    assert chosen({"ada.py": b"hello"}, named=True).files == {"reservation.py": b"hello"}
    assert chosen({"ada.py.txt": b"hello"}, named=True).files == {"reservation.py": b"hello"}
    assert chosen({"ada.py": TWO, "ada.ipynb": b"{}"}, named=True).notebook == b"{}"
    assert chosen({"ada.ipynb": b"{}"}, named=True).notebook == b"{}"


def test_an_empty_file_is_flagged():
    """It is not missing; a mark or a line end in it changes nothing."""
    for data in (b"", b"\xef\xbb\xbf", b" \r\n\n"):
        taken = chosen({"reservation.py": data, "hands_on.py": ONE})
        assert taken.files["reservation.py"] == data
        assert taken.flags == ("empty-file",)


def test_a_file_at_the_limit_is_taken_and_one_over_it_is_named():
    """The limit is course.toml's file_kib."""
    limit = exercise().limits.file_kib * 1024
    assert chosen({"reservation.py": b"#" * limit, "hands_on.py": ONE}).problems == {}
    assert chosen({"reservation.py": b"#" * (limit + 1), "hands_on.py": ONE}).problems == {
        "reservation.py": "reservation.py is larger than the limit of 256 KiB."
    }


def test_a_link_under_the_expected_name_is_named():
    """The student is told, the instructor sees a flag."""
    taken = choose_of([member("reservation.py", problem="is a symbolic link"), member("hands_on.py", ONE)])
    assert taken.problems == {"reservation.py": "reservation.py is a symbolic link."}
    assert (taken.flags, taken.notes) == (("refused-files",), ())


def test_a_link_under_another_name_may_have_been_the_answer():
    """The sentence names it as the reason; it is not followed."""
    taken = choose_of([member("lab.py", problem="is a symbolic link")])
    assert taken.problems["reservation.py"] == (
        "reservation.py was not found; there is lab.py. lab.py is a symbolic link."
    )


def test_a_folder_that_cannot_be_read_is_the_reason():
    """The missing file may be in it."""
    why = "cannot be read: Permission denied"
    taken = choose_of([member("", problem=why)])
    assert taken.problems["reservation.py"] == f"reservation.py was not found. The folder {why}."
    taken = choose_of([member("lab/", problem=why), member("x.txt")])
    assert taken.problems["reservation.py"] == f"reservation.py was not found; there is x.txt. lab/ {why}."
    assert taken.flags == ("missing-file", "refused-files")


def test_links_elsewhere_are_noted():
    """They are flagged although nothing depends on them."""
    members = [
        member("reservation.py", TWO),
        member("hands_on.py", ONE),
        member("out", problem="is a symbolic link"),
    ]
    taken = choose_of(members)
    assert (taken.files, taken.flags, taken.notes) == (BOTH, ("refused-files",), ("out is a symbolic link.",))


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (zipped({"reservation.py": TWO}), "is a zip archive"),
        (tarred({"reservation.py": TWO}), "is a tar archive"),
        (b"Rar!\x1a\x07\x00", "is a RAR archive"),
    ],
)
def test_an_archive_named_like_a_source_file_is_named(data, what):
    """The sentence asks for the file itself."""
    assert chosen({"reservation.py": data, "hands_on.py": ONE}).problems == {
        "reservation.py": f"reservation.py {what} under another name; hand in the file itself."
    }


@pytest.mark.parametrize(("name", "pack"), [("work.zip", zipped), ("work.tar.gz", tarred)])
def test_an_archive_in_a_hand_in_is_looked_into(name, pack):
    """Many students zip the folder to hand in two files at once."""
    assert chosen({name: pack({"lab/hands_on.py": ONE, "lab/reservation.py": TWO})}).files == BOTH


def test_a_folder_that_is_too_deep_costs_nothing_else():
    """The file is taken, and a note names the folder."""
    taken = chosen({"work.zip": zipped({**BOTH, "/".join("d" * 40) + "/x.py": b""})})
    assert taken.files == BOTH
    assert [note.rpartition("/")[2] for note in taken.notes] == [" lies more than 32 folders deep."]


def test_an_archive_within_an_archive_is_not_opened():
    """Only one level is looked into."""
    inner = zipped({"hands_on.py": ONE, "reservation.py": TWO})
    taken = chosen({"work.zip": zipped({"inner.zip": inner})})
    why = "there is work.zip/inner.zip. An archive inside an archive is not opened."
    assert taken.problems["reservation.py"] == f"reservation.py was not found; {why}"


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("w.zip", b"", "w.zip is empty."),
        (
            "w.zip",
            zipped({"../x.py": b""}),
            "w.zip is refused: '../x.py' in it has a name that leads out of its folder.",
        ),
        ("w.rar", b"Rar!\x1a", "w.rar is a RAR archive, which is not readable here;"),
        ("w.zip", zipped({"x.py": b"1"})[:40], "w.zip is a damaged zip; download or pack it again."),
    ],
)
def test_an_archive_that_cannot_be_read_is_the_reason(name, data, why):
    """The sentence names the archive, what is wrong with it, and what was expected in it."""
    taken = chosen({name: data})
    assert taken.problems["reservation.py"].startswith(
        f"reservation.py was not found; there is {name}. {why}"
    )
    assert taken.flags == ("missing-file", "refused-files")
    assert taken.notes == ()


def test_an_unreadable_archive_beside_one_file_is_the_reason_for_the_other():
    """The missing file may be in it."""
    taken = chosen({"hands_on.py": ONE, "rest.7z": b"7z\xbc\xaf"})
    assert taken.files == {"hands_on.py": ONE}
    assert list(taken.problems) == ["reservation.py"]


def test_every_archive_is_looked_into():
    """Some hand in one for each file; the process that reads them has limits."""
    files = {f"{n}.zip": zipped({f"{n}.txt": b""}) for n in range(9)}
    assert "reservation.py" in chosen({**files, "9.zip": zipped({"reservation.py": TWO})}).files


def test_a_notebook_is_kept_while_a_file_is_missing():
    """Its name may be a close miss like any other."""
    taken = chosen({"Reservation (2).ipynb": b"{}"})
    assert (taken.notebook, taken.files, taken.problems) == (b"{}", {}, {})
    assert taken.flags == ("renamed-file",)
    assert chosen({"reservation.ipynb": b"{}"}).flags == ()
    assert chosen({"lab5.ipynb": b"{}"}).notebook == b"{}"


def test_source_files_go_before_a_notebook():
    """With both files there the notebook is left out; with one file it serves for the other."""
    taken = chosen({**BOTH, "reservation.ipynb": b"{}"})
    assert (taken.notebook, taken.flags) == (None, ("ignored-files",))
    assert taken.notes == ("The .py files were graded; reservation.ipynb was left out.",)
    taken = chosen({"hands_on.py": ONE, "reservation.ipynb": b"{}"})
    assert (taken.notebook, taken.files, taken.flags) == (b"{}", {"hands_on.py": ONE}, ("ignored-files",))
    assert taken.notes == ("hands_on.py was graded; the same tasks in reservation.ipynb were ignored.",)


def test_of_two_notebooks_none_is_taken():
    """The problem is listed under the notebook's name."""
    taken = chosen({"one.ipynb": b"{}", "two.ipynb": b"[]"})
    assert taken.problems["reservation.ipynb"].startswith("More than one file could be reservation.ipynb:")
    assert taken.notebook is None


def test_helpers_are_taken_from_the_same_folder():
    """Under names that can be imported, without a platform's number of the copy."""
    taken = chosen(
        {
            "p/hands_on.py": ONE,
            "p/reservation.py": TWO,
            "p/tools.py": b"1",
            "p/extra-1.py": b"2",
            "q/far.py": b"3",
        }
    )
    assert taken.helpers == {"tools.py": b"1", "extra.py": b"2"}
    assert taken.flags == ()


@pytest.mark.parametrize(
    "name",
    [
        "conftest.py",
        "test_mine.py",
        "mine_test.py",
        "sitecustomize.py",
        "pytest.py",
        "2-hw.py",
        "class.py",
        "a b.py",
    ],
)
def test_what_runs_by_itself_or_cannot_be_imported_is_left_out(name):
    """With a flag and a note."""
    taken = chosen({**BOTH, name: b"1"})
    assert (taken.helpers, taken.flags, taken.notes) == ({}, ("ignored-files",), (f"Left out: {name}.",))


def test_the_visible_tests_get_no_note():
    """Students may hand in the whole folder; files other than sources never are helpers."""
    taken = chosen({**BOTH, "test_hands_on.py": b"1", "test_reservation.py": b"2", "data.csv": b"3"})
    assert (taken.helpers, taken.flags, taken.notes) == ({}, (), ())


def test_the_bundles_conftest_gets_no_note():
    """With any line ends; a changed conftest.py gets a note."""
    own = (Path(grader.__file__).parent / "bundle" / "conftest.py").read_bytes()
    for data in (own, own.replace(b"\n", b"\r\n")):
        assert chosen({**BOTH, "conftest.py": data}).notes == ()
    changed = chosen({**BOTH, "conftest.py": own + b"\nimport forge\n"})
    assert changed.notes == ("Left out: conftest.py.",)


def test_helpers_are_bounded_in_number_and_size():
    """Twenty helpers, and together four times the limit of a file."""
    taken = chosen({**BOTH, **{f"m{n:02}.py": b"1" for n in range(21)}})
    assert (len(taken.helpers), taken.notes) == (20, ("Left out: m20.py.",))
    big = {f"m{n}.py": b"#" * (256 << 10) for n in range(5)}
    taken = chosen({**BOTH, **big})
    assert (list(taken.helpers), taken.notes) == (["m0.py", "m1.py", "m2.py", "m3.py"], ("Left out: m4.py.",))
    assert chosen({**BOTH, "m.py": b"#" * ((256 << 10) + 1)}).helpers == {}


def test_of_two_helpers_of_one_name_only_one_is_read():
    """Of nine files of one name, eight are not unpacked."""
    members = [member(f"{n}/reservation.py", TWO + OTHER) for n in range(9)] + [member("0/hands_on.py", ONE)]
    read = []
    members += [Member((f"{n}", "t.py"), 1, lambda _: read.append(1) or b"1") for n in range(9)]
    assert choose_of(members).helpers == {"t.py": b"1"}
    assert read == [1]


def test_a_helpers_own_name_goes_before_a_copys():
    """``tools.py`` comes before ``tools-1.py``."""
    taken = chosen({**BOTH, "tools-1.py": b"2", "tools.py": b"1"})
    assert (taken.helpers, taken.flags) == ({"tools.py": b"1"}, ("ignored-files",))


UNDONE = b"def used_slots(lengths):\n    raise NotImplementedError\n"
JOINED = ("joined-files",)


def cells_of(taken):
    """The names and the code of the cells, without empty lines."""
    return [(cell.name, cell.source.decode().replace("pass\n", "").strip()) for cell in taken.cells]


@pytest.mark.parametrize("name", ["reservation (1).py", "solution.py", "b/reservation.py"])
def test_files_that_each_answer_a_part_are_joined(name):
    """Each function is taken from where it was answered, and the note says so; nothing is missing."""
    taken = chosen(
        {"hands_on.py": ONE, "reservation.py": TWO + UNDONE, name: OTHER + STUB_TWO}, released=STUBS
    )
    assert taken.files == {"hands_on.py": ONE}
    assert (taken.problems, taken.helpers) == ({}, {})
    assert taken.flags == JOINED
    assert taken.notes == (
        f"Of reservation.py, used_slots was taken from {name}, the rest from reservation.py.",
    )
    assert [one for one, _ in cells_of(taken)] == ["reservation.py", name]


def test_of_two_answers_the_first_sources_counts():
    """The second file's own copy of the function is left out; its lines keep their numbers."""
    other = b"@cache\ndef reserved_slots(limit):\n    return 0\n" + OTHER
    taken = chosen({**BOTH, "reservation (1).py": other}, released=STUBS)
    assert cells_of(taken) == [
        ("reservation.py", TWO.decode().strip()),
        ("reservation (1).py", OTHER.decode().strip()),
    ]
    assert taken.cells[1].source.decode().split("\n")[3:5] == OTHER.decode().strip().split("\n")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (b"HALF = 2\n" + TWO.replace(b"limit\n", b"limit * HALF\n"), b"HALF = 3\n" + OTHER),
        (b"from best import *\n" + TWO, OTHER),
        (TWO + b"x = (\n", OTHER),
        (TWO, OTHER + b"x = (\n"),
        (
            b"from math import ceil\n" + TWO.replace(b"limit\n", b"ceil(limit)\n"),
            b"def ceil(a, b):\n    return -(-a // b)\n" + OTHER,
        ),
        (
            b"if 1:\n    def up(a):\n        return a\n" + TWO.replace(b"limit\n", b"up(limit)\n"),
            b"def up(a):\n    return 0\n" + OTHER,
        ),
        (b"from math import *\n" + TWO, b"def ceil(a):\n    return 0\n" + OTHER),
        (TWO, b"if True:\n" + OTHER.replace(b"def", b"    def").replace(b"return", b"    return")),
    ],
    ids=[
        "a name means two things",
        "names of another module",
        "not Python",
        "the other is not Python",
        "an import means something else",
        "a helper below an if",
        "all names of Python's module",
        "defined below an if",
    ],
)
def test_files_are_not_joined_where_it_would_be_a_guess(first, second):
    """Then the file with the exact name counts alone, as without the other."""
    taken = chosen(
        {"hands_on.py": ONE, "reservation.py": first, "reservation (1).py": second}, released=STUBS
    )
    assert taken.files["reservation.py"] == first
    assert taken.notes == ("reservation.py was taken; reservation (1).py was left out.",)


def test_three_files_with_one_answer_twice_are_not_joined():
    """Nothing tells which of the two copies of the function counts."""
    taken = chosen(
        {**BOTH, "reservation (1).py": OTHER, "reservation (2).py": OTHER + b"x = 1\n"}, released=STUBS
    )
    assert taken.files == BOTH


@pytest.mark.parametrize("functions", [TWO.decode() + "\n" + OTHER.decode(), OTHER.decode()])
def test_a_notebook_answers_what_a_file_leaves_open(functions):
    """The file's own answers go first, and the tasks of the other file stay with that file."""
    finished = notebook("ANSWER = 400", functions)
    files = {"hands_on.py": ONE, "reservation.py": TWO + UNDONE, "reservation.ipynb": finished}
    taken = chosen(files, released=STUBS)
    assert (taken.files, taken.notebook) == ({"hands_on.py": ONE}, finished)
    assert [name for name, _ in cells_of(taken)] == ["reservation.py"]
    assert taken.notes[0] == (
        "Of reservation.py, used_slots was taken from reservation.ipynb, the rest from reservation.py."
    )
    assert "joined-files" in taken.flags


@pytest.mark.parametrize("between", [b";", b"\n"])
def test_a_file_of_sixty_thousand_statements_is_not_looked_into(between):
    """Parsing it again and again takes seconds; it may hold an answer, and the exact name counts."""
    long = OTHER + between.join([b"x=1"] * 60_000) + b"\n"
    started = time.process_time()
    taken = chosen({**BOTH, "reservation (1).py": long}, released=STUBS)
    assert taken.files == BOTH
    assert taken.notes == ("reservation.py was taken; reservation (1).py was left out.",)
    alone = chosen({**BOTH, "reservation.py": long, "reservation.ipynb": notebook(TWO.decode())})
    assert (alone.files["reservation.py"], alone.notebook) == (long, None)
    cells = notebook(*[OTHER.decode() + ";".join(["x=1"] * 3_000)] * 20)
    assert chosen({**BOTH, "reservation.ipynb": cells}, released=STUBS).files == BOTH
    assert time.process_time() - started < 0.5


def test_what_runs_only_as_a_program_is_left_out_of_a_part():
    """In a cell ``__name__`` is ``__main__``, where that code would run."""
    program = b"if __name__ == '__main__':\n    print(input())\n"
    program += b"if '__main__' == __name__:\n    print(input())\n"
    taken = chosen({**BOTH, "reservation (1).py": OTHER + program}, released=STUBS)
    assert "input" not in taken.cells[1].source.decode()
    assert taken.flags == JOINED


@pytest.mark.parametrize(
    "data", [OTHER.decode().encode("utf-16"), b"# \xe9\n" + OTHER], ids=["UTF-16", "Latin-1"]
)
def test_a_part_in_another_encoding_gets_a_note(data):
    """As a file does that is taken whole."""
    taken = chosen({**BOTH, "reservation (1).py": data}, released=STUBS)
    assert taken.flags == ("joined-files", "not-utf-8")
    assert taken.notes[1].startswith("reservation (1).py ")
    assert "please save it as UTF-8" in taken.notes[1]


def test_a_stub_beside_a_part_is_left_out():
    """Also where it stands in a line with other statements, of which none can be blanked alone."""
    other = b"x = 1; reserved_slots = None\n" + OTHER
    taken = chosen({**BOTH, "reservation (1).py": other}, released=STUBS)
    assert taken.cells[1].source.startswith(b"x = 1; pass\n")


def test_equal_imports_in_both_parts_are_joined():
    """Whatever else is imported beside."""
    first = b"from math import ceil\n" + TWO.replace(b"limit\n", b"ceil(limit)\n")
    second = b"from math import ceil, floor\n" + OTHER.replace(b"sum(lengths)", b"ceil(sum(lengths))")
    taken = chosen({**BOTH, "reservation.py": first, "reservation (1).py": second}, released=STUBS)
    assert taken.flags == JOINED


@pytest.mark.parametrize("start", ["if True:", "try:", "for _ in [1]:"])
def test_a_file_with_functions_below_a_statement_is_not_replaced(start):
    """It may hold every answer, so the notebook does not stand for it."""
    end = b"finally:\n    pass\n" if start == "try:" else b""
    body = b"    " + TWO.replace(b"\n    ", b"\n        ")
    data = start.encode() + b"\n" + body + end
    files = {"hands_on.py": ONE, "reservation.py": data, "reservation.ipynb": notebook(TWO.decode())}
    taken = chosen(files, released=STUBS)
    assert (taken.files["reservation.py"], taken.notebook) == (data, None)


def test_a_constant_that_is_only_declared_is_no_answer():
    """The other file holds its number."""
    taken = chosen(
        {"hands_on.py": b"ANSWER: int\n", "hands_on (1).py": ONE, "reservation.py": TWO}, released=STUBS
    )
    assert taken.files["hands_on.py"] == ONE


def test_a_second_notebook_is_left_out_with_a_note():
    """The one with the exact name counts."""
    files = {"reservation.ipynb": notebook(TWO.decode()), "reservation (1).ipynb": notebook(OTHER.decode())}
    taken = chosen(files, released=STUBS)
    assert taken.notebook == files["reservation.ipynb"]
    assert taken.notes == ("reservation.ipynb was taken; reservation (1).ipynb was left out.",)


def test_a_file_that_cannot_be_read_may_hold_an_answer():
    """The notebook does not stand for it without a word."""
    members = [member("hands_on.py", ONE), member("reservation.py", problem="is a symbolic link")]
    taken = choose_of([*members, member("reservation.ipynb", notebook(TWO.decode()))], released=STUBS)
    assert taken.problems == {"reservation.py": "reservation.py is a symbolic link."}


def test_reading_the_answers_warns_of_nothing(recwarn):
    """What Python thinks of a student's strings is not for the instructor's terminal."""
    odd = b"PATTERN = '\\d'\nif 1 is 1:\n    pass\n"
    chosen({**BOTH, "reservation (1).py": odd + OTHER}, released=STUBS)
    assert not recwarn.list
