"""Gather what OUT holds about a class, and write ``class.html`` and ``class.csv`` there."""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from grader.base.files import write_whole
from grader.course.model import Exercise
from grader.grading.score import Result
from grader.report.copies import copies
from grader.report.figures import ClassFigures, work_out
from grader.report.page import report_csv, report_html
from grader.results.history import Move, earlier_results, move_between
from grader.results.out import Out
from grader.results.student import student_folder

PAGE, TABLE = "class.html", "class.csv"


def write_report(out: Out, *, names: bool = False) -> ClassFigures:
    """Write the report on the class in OUT; ``names`` shows the roster's names beside the ids."""
    figures = gather(out)
    known = {person.id: person.name for person in out.roster.people} if out.roster else {}
    shown = known if names else None
    write_whole(out.folder / PAGE, report_html(out.exercise, figures, shown))
    write_whole(out.folder / TABLE, report_csv(out.exercise, figures, shown))
    return figures


def is_current(out: Out) -> bool:
    """Return True if the report was written after the table of scores, and so has the same points."""
    report, scores = out.folder / TABLE, out.folder / "scores.csv"
    return report.is_file() and report.stat().st_mtime_ns >= scores.stat().st_mtime_ns


def gather(out: Out) -> ClassFigures:
    """Work out the figures of the class in OUT."""
    results = out.finals()
    files = [name for name, functions in out.exercise.functions.items() if functions]
    handed_in = {}
    for result in results:
        folder = student_folder(out.folder, result.student) / "submission"
        sources = [_source(folder, out.exercise, name) for name in files]
        if all(sources):
            handed_in[result.student] = sources
    lesson = out.course.root / "exercises" / out.exercise.name
    stub = [(lesson / name).read_bytes() if (lesson / name).is_file() else b"" for name in files]
    return work_out(
        out.exercise,
        results,
        copies=copies(handed_in, stub),
        moves=[*_moves(out.folder, out.results())],
        seconds=_timing(out.folder / "timing.csv", "cpu_seconds"),
        memory=_timing(out.folder / "timing.csv", "peak_mib"),
    )


def _source(folder: Path, exercise: Exercise, file: str) -> bytes:
    """Return a file that was graded, or its functions' cells in the notebook that was; empty if neither."""
    notebook = folder / exercise.notebook
    if (folder / file).is_file() or not notebook.is_file():
        return (folder / file).read_bytes() if (folder / file).is_file() else b""
    cells = json.loads(notebook.read_bytes())["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["id"] in exercise.functions[file]]
    return "\n\n\n".join(sources).encode()


def _moves(folder: Path, results: Iterable[Result]) -> Iterator[Move]:
    """The students whose points changed when the same hand-in was graded again."""
    for result in results:
        for earlier in earlier_results(student_folder(folder, result.student))[-1:]:
            if move := move_between(earlier, result):
                yield move


def _timing(path: Path, column: str) -> dict[str, float]:
    """A column of the last run's table, by student; nothing where the table is missing or is not ours."""
    try:
        rows = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8")))
        return {row["student"]: float(row[column]) for row in rows}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
