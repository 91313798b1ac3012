"""The hostile class: written as hand-ins among honest ones, with the points that each earns."""

import importlib.util
import py_compile
import shutil
from pathlib import Path

from helpers.paths import ROOT, TESTS

SOURCES = TESTS / "hostile"
SOLUTION = ROOT / "solutions/contiguous_reservation/reservation.py"
STUB = ROOT / "exercises/contiguous_reservation/reservation.py"
FILE = "reservation.py"

# Sorted as students are: the first, one in the middle, and the last are honest.
HONEST = {"a-right": 16, "e-stub": 0, "j-wrong": 12, "z-right": 16}
EXTRA = 3
"""Points of an honest ``extra_reservations``, which most hostile submissions hold."""

_NOTHING = [
    "channel_answer_itself",
    "channel_costly_frames",
    "channel_deep_frame",
    "channel_dense_frames",
    "channel_drip",
    "channel_exceptions",
    "channel_forged_changes",
    "channel_forged_kinds",
    "channel_forged_notes",
    "channel_giant_frame",
    "channel_odd_tags",
    "channel_write_ahead",
    "channel_wrong_number",
    "end_at_import",
    "exhaust_parser",
    "exhaust_parser_by_length",
    "exhaust_time_at_import",
    "exhaust_time_everywhere",
    "files_by_cache",
    "patch_pytest",
    "patch_report",
    "patch_server",
    "patch_tracing",
]
EARNED: dict[str, int | None] = {
    **dict.fromkeys(_NOTHING, 0),
    "files_by_link": None,  # a link is not taken, and there is nothing else
    "state_count_calls": EXTRA + 1,  # the visible tests of reserved_slots never ask the same twice
    "state_visible_table": EXTRA + 2,  # the two visible criteria that it knows by heart
}
"""Points of the hostile submissions that do not earn :data:`EXTRA`."""

FLAGS: dict[str, list[str]] = {
    "returned-impostor": [
        "value_always_equal",
        "value_lying_int",
        "value_lying_float",
        "value_mock",
        "value_reduce",
        "value_borrowed_class",
        "value_slow_methods",
    ],
    "tried-files": [
        "carry_a_send",
        "carry_b_receive",
        "look_at_frames",
        "look_at_heap",
        "look_at_kit",
        "look_at_other_submissions",
        "look_for_solution",
        "look_for_tests",
        "look_into_parent",
        "reach_files",
        "exhaust_files",
    ],
    "tried-network": [
        "reach_network",
        "exhaust_refusals",
    ],
    "tried-processes": [
        "reach_processes",
        "reach_kernel",
        "exhaust_processes",
        "end_in_call",
        "carry_a_send",
    ],
    "ended-process": [
        "end_at_import",
        "end_in_call",
        "end_with_evil_text",
    ],
    "tampered-channel": [
        "channel_answer_twice",
        "channel_closed",
        "channel_costly_frames",
        "channel_deep_frame",
        "channel_dense_frames",
        "channel_forged_changes",
        "channel_forged_kinds",
        "channel_giant_frame",
        "channel_odd_tags",
        "channel_spray",
        "channel_write_ahead",
        "channel_wrong_number",
    ],
}
"""For each flag, the submissions that must have it."""


def hostile_names() -> list[str]:
    """Return the names of the hostile submissions in order."""
    return sorted(["files_by_cache", "files_by_link", *(path.stem for path in SOURCES.iterdir())])


def lay_out(folder: Path, words: dict[str, str], *, hostile: bool) -> None:
    """Write the class into ``folder``, a folder a student.

    ``words`` are put in for ``@WORD@`` in the hostile ones: they know where there is something to take.
    """
    solution = SOLUTION.read_text(encoding="utf-8")
    wrong = solution.replace("return n_seq * max_len", "return n_seq + max_len")
    honest = {
        "a-right": solution,
        "e-stub": STUB.read_text(encoding="utf-8"),
        "j-wrong": wrong,
        "z-right": solution,
    }
    for student, text in honest.items():
        write(folder / student / FILE, text)
    if not hostile:
        return
    words = {**words, "MINUS": "-" * 60_000, "CHAIN": " + 1" * 40_000}
    for source in SOURCES.iterdir():
        student = folder / f"h-{source.stem}"
        files = source.rglob("*") if source.is_dir() else [source]
        for path in files:
            if path.is_file() and path.suffix != ".pyc":
                text = path.read_text(encoding="utf-8")
                for word, value in words.items():
                    text = text.replace(f"@{word}@", value)
                write(student / (path.relative_to(source) if source.is_dir() else FILE), text)
    _with_cache(folder / "h-files_by_cache")
    (folder / "h-files_by_link").mkdir()
    (folder / "h-files_by_link" / FILE).symlink_to(
        f"{words['COURSE']}/solutions/contiguous_reservation/{FILE}"
    )


def write(path: Path, text: str) -> None:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _with_cache(folder: Path) -> None:
    """Write a wrong file and the right one compiled, which Python would use unchecked."""
    write(folder / FILE, "def paged_slots(lengths, block):\n    return 0\n")
    compiled = importlib.util.cache_from_source(str(folder / FILE))
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(SOLUTION), compiled, invalidation_mode=unchecked)
    shutil.copyfile(compiled, folder / "reservation.pyc")
