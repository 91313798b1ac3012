"""A plain table for any other platform, with the columns, delimiter and decimal mark that are asked for.

People open it in a spreadsheet, so a text that would run as a formula there gets an apostrophe in front. Ids
and addresses stay as they are, since another program finds people by them; the caller is warned instead.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction

from grader.base.errors import UsageError
from grader.base.files import csv_bytes, escape_formula, is_formula
from grader.course.model import Exercise
from grader.grading.score import points_text
from grader.lms.comment import short_comment
from grader.lms.formats.sheet import ExportOrder, ScoreFile, lines_of, rows_by
from grader.lms.payload import ANY_ID, Payload, PersonKey, Scale, Withheld
from grader.roster.roster import PLATFORM_IDS

DEFAULT = "id,name,email,score,max_score"
DELIMITERS = {",": ",", ";": ";", "tab": "\t", "\\t": "\t", "\t": "\t", "|": "|"}

_NUMBERS: Mapping[str, Callable[[Payload], str]] = {
    "score": lambda one: points_text(one.result.points),
    "max_score": lambda one: str(one.result.max_score),
    "raw_score": lambda one: str(one.result.score),
    "late_penalty": lambda one: points_text(one.result.taken_off),
}
_TEXTS: Mapping[str, Callable[[Payload, Exercise], str]] = {
    "name": lambda one, _: one.person.name,
    "comment": lambda one, exercise: short_comment(one.result, exercise).replace("\n", " "),
    "flags": lambda one, _: " ".join(one.result.flags),
    "submitted_at": lambda one, _: one.result.submission.submitted_at if one.result.submission else "",
}
_KEYS = ("id", "email", *PLATFORM_IDS)


def make(order: ExportOrder) -> ScoreFile:
    """Make the table, with one row for each student who has a score.

    Only those are in it for whom the worksheet, which has the same headings, has no score that stays.
    """
    delimiter = DELIMITERS.get(order.delimiter, "")
    if not delimiter or order.decimal not in (".", ",") or order.decimal == delimiter == ",":
        raise UsageError(
            f"--delimiter {order.delimiter!r} with --decimal {order.decimal!r}: a delimiter is , ; tab or |, "
            "a decimal mark . or , and they must differ."
        )
    columns, sent = _columns(order), order.sent
    withheld: list[Withheld] = []
    if order.worksheet:
        heads = {source: heading for heading, source in reversed(columns)}
        known = next((source for _, source in columns if source in _KEYS), "")
        if not known or "score" not in heads:
            raise UsageError(
                "--worksheet: a comparison needs an id or address and the score among --columns."
            )
        key = PersonKey(known, lambda person: str(getattr(person, known)), ANY_ID)
        scale = Scale(order.exercise.points, Fraction(order.exercise.points))
        lines, withheld = lines_of(order, key, scale, rows_by(order.worksheet, heads[known]), heads["score"])
        written = {line.one.person.id for line in lines}
        sent = tuple(one for one in sent if one.person.id in written)
    rows = [[_cell(source, one, order) for _, source in columns] for one in sent]
    ids = [source for _, source in columns if source in _KEYS]
    risky = sorted(o.person.id for o in sent if any(is_formula(_cell(one, o, order)) for one in ids))
    formulas = f"would run as a formula in a spreadsheet, left as it is: {', '.join(risky)}"
    warnings = (formulas,) if risky else ()
    points = {one.person.id: one.result.points for one in sent}
    headings = [escape_formula(heading) for heading, _ in columns]
    return ScoreFile(csv_bytes(headings, rows, delimiter=delimiter), points, tuple(withheld), warnings)


def _columns(order: ExportOrder) -> list[tuple[str, str]]:
    """Parse ``Matrikelnummer=id,Punkte=score`` into pairs of heading and source."""
    extra = {name for one in order.sent for name in one.person.extra}
    known = [*_KEYS, *_NUMBERS, *_TEXTS]
    columns = []
    for part in (order.columns or DEFAULT).split(","):
        heading, equals, source = (text.strip() for text in part.rpartition("="))
        if source not in known and source not in extra:
            raise UsageError(
                f"--columns: there is no {source!r}; write HEADING=WHAT, where WHAT is one of "
                f"{', '.join([*known, *sorted(extra)])}."
            )
        columns.append((heading if equals else source, source))
    return columns


def _cell(source: str, one: Payload, order: ExportOrder) -> str:
    if source in _KEYS:
        return str(getattr(one.person, source))
    if source in _NUMBERS:
        return _NUMBERS[source](one).replace(".", order.decimal)
    if source in _TEXTS:
        return escape_formula(_TEXTS[source](one, order.exercise))
    return escape_formula(one.person.extra.get(source, ""))
