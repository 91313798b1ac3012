"""Readers that behave like the platforms' own; they share nothing with the code that writes."""

import re

CANVAS_TOTALS = (
    "Current Score",
    "Current Points",
    "Current Grade",
    "Final Score",
    "Final Points",
    "Final Grade",
    "Override Score",
    "Override Grade",
    "Override Status",
)


def php_rows(text: str) -> list[list[str]]:
    r"""Rows as PHP's fgetcsv reads them: within quotes ``\`` keeps the next quote from ending the cell."""
    rows, row, cell, quoted, at = [], [], "", False, 0
    while at < len(text):
        char = text[at]
        if quoted:
            if char == "\\" and text[at + 1 : at + 2] == '"':
                cell += '\\"'
                at += 1
            elif char == '"' and text[at + 1 : at + 2] == '"':
                cell += '"'
                at += 1
            elif char == '"':
                quoted = False
            else:
                cell += char
        elif char == '"' and not cell:
            quoted = True
        elif char == ",":
            row.append(cell)
            cell = ""
        elif char == "\n":
            rows.append([*row, cell])
            row, cell = [], ""
        else:
            cell += char
        at += 1
    if row or cell:
        rows.append([*row, cell])
    return rows


def moodle_import(data: bytes, known: dict[str, str], maximum: float = 20) -> dict[str, tuple[float, str]]:
    """What Moodle stores from a worksheet: grade and comment by participant.

    ``known`` has the ``Last modified (grade)`` that Moodle holds for each identifier; any other row is
    skipped in silence, as Moodle does.
    """
    rows = php_rows(data.decode("utf-8-sig"))
    header = rows[0]
    stored = {}
    for row in rows[1:]:
        assert len(row) == len(header), f"Moodle finds {len(row)} cells instead of {len(header)}: {row}"
        cells = dict(zip(header, row, strict=True))
        if known.get(cells["Identifier"]) != cells["Last modified (grade)"]:
            continue
        number = re.match(r"-?\d+(\.\d+)?", cells["Grade"])
        grade = float(number[0]) if number else 0.0
        if 0 <= grade <= maximum:
            stored[cells["Identifier"]] = (grade, cells.get("Feedback comments", ""))
    return stored


def ruby_fields(line: str, separator: str) -> int:
    """How many cells Ruby's CSV finds in one physical line; 0 when the line's quotes do not add up."""
    cell = rf'(?:"(?:[^"]|"")*"|[^"{re.escape(separator)}]*)'
    if not re.fullmatch(f"{cell}(?:{re.escape(separator)}{cell})*", line):
        return 0
    return len(re.findall(rf'{re.escape(separator)}(?=(?:[^"]|"[^"]*")*$)', line)) + 1


def canvas_separator(text: str) -> str:
    """The separator that Canvas takes from the first three lines."""
    lines = text.split("\n")[:3]
    if lines[-1] == "":
        lines.pop()
    counts = {}
    for mark in ";,":
        fields = {ruby_fields(line, mark) for line in lines}
        counts[mark] = fields.pop() if len(fields) == 1 else 0
    return ";" if counts[";"] > counts[","] else ","


def canvas_import(data: bytes, students: dict[int, str], assignments: dict[int, str]):
    """What Canvas would store: (scores by user id, titles of new assignments, unknown students' names).

    ``students`` are names by user id, ``assignments`` titles by id. People are found by id, else by the
    first equal name; assignments by the number in the heading, else by the very title.
    """
    text = data.decode()
    assert "\r" not in text
    separator = canvas_separator(text)
    rows = [
        [cell[1:-1].replace('""', '"') if cell.startswith('"') else cell for cell in row]
        for row in (_split(line, separator) for line in text.splitlines())
    ]
    header = rows[0]
    assert len(header) > 3
    assert "Student" in header[0]
    assert "ID" in header[1]
    fixed = 5 if "SIS User ID" in header[2] else 3
    assert "Section" in header[fixed - 1]
    columns = {}
    new = []
    for place, title in enumerate(header[fixed:], start=fixed):
        if any(total in title for total in CANVAS_TOTALS):
            continue
        numbered = re.fullmatch(r"(.*)\s\((\d+)\)", title)
        if numbered and int(numbered[2]) in assignments:
            columns[place] = int(numbered[2])
        elif title in assignments.values():
            columns[place] = next(number for number, name in assignments.items() if name == title)
        else:
            new.append(title)
    scores, unknown = {}, []
    for row in rows[1:]:
        assert "Points Possible" not in row[0], "this row would change the assignment's points"
        number = int(re.match(r"\d*", row[1])[0] or 0)
        if number not in students:
            number = next((n for n, name in students.items() if name == row[0]), None)
        if number is None:
            unknown.append(row[0])
            continue
        for place, assignment in columns.items():
            scores[number, assignment] = row[place]
    return scores, new, unknown


def _split(line: str, separator: str) -> list[str]:
    cells, cell, quoted = [], "", False
    for char in line:
        if char == '"':
            quoted = not quoted
        if char == separator and not quoted:
            cells.append(cell)
            cell = ""
        else:
            cell += char
    return [*cells, cell]


def brightspace_import(data: bytes) -> tuple[str, dict[str, str]]:
    """The grade item's name and the points by OrgDefinedId."""
    rows = [line.split(",") for line in data.decode().splitlines()]
    header = rows[0]
    assert header[0] == "OrgDefinedId"
    assert header[-1] == "End-of-Line Indicator"
    place = next(i for i, title in enumerate(header) if title.endswith(" Points Grade"))
    for row in rows[1:]:
        assert row[0].startswith("#")
        assert row[-1] == "#"
    return header[place].removesuffix(" Points Grade"), {row[0][1:]: row[place] for row in rows[1:]}


def blackboard_import(data: bytes) -> tuple[int, dict[str, str]]:
    """The column's number and the points by user name, from a fully quoted file."""
    rows = []
    for line in data.decode().splitlines():
        assert re.fullmatch(r'"[^"]*"(?:,"[^"]*")*', line), f"not fully quoted: {line}"
        rows.append(re.findall(r'"([^"]*)"', line))
    assert rows[0][0] == "Username"
    number = re.search(r"\|(\d+)$", rows[0][1])
    return int(number[1]), {row[0]: row[1] for row in rows[1:]}
