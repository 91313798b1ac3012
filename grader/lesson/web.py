"""Make the page for doing exercises in a browser, a folder of static files.

``web/`` holds what is the same for every exercise; ``make web`` builds it into ``web/dist``. Added here are
``NAME.json`` of each exercise (the bundle's files and the handout), pytest from the grader's own environment,
and the list of all files, which lets the page work without a network.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from grader.base.errors import CourseError
from grader.base.files import archive_bytes
from grader.course.model import Course, Exercise
from grader.course.platforms import Canvas, Moodle
from grader.lesson.handout import HANDOUT, handout_body
from grader.lesson.leaks import leaks
from grader.lesson.notebook import NOT_HERE
from grader.lesson.points import POINTS
from grader.lesson.release import EXPLORE, bundle_files, files_in, plugin_files, write_for_all
from grader.lesson.tables import without_marks

BUILT = Path(__file__).parents[2] / "web" / "dist"  # what ``make web`` builds with npm

_SLOTS = Path(__file__).parents[1] / "feedback" / "templates" / "slots.css"
_LESSONS = "lessons.json"
_TESTERS = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")
_LEFT_OUT = re.compile(r"pygments/(?:lexers|styles)/(?!__init__|_mapping|python|diff|default)")
"""Files of Pygments that pytest does not need here: most languages and styles."""
_DOWNLOAD = re.compile(r"pyodide/|pytest\.zip")


def page_files(course: Course, exercises: Sequence[Exercise]) -> Mapping[str, bytes]:
    """Make the page's files, by their paths in its folder; the same course gives the same bytes.

    Raises CourseError if ``make web`` was not run, an exercise lacks a file, or the page would leak
    something.
    """
    if not (BUILT / "index.html").is_file():
        raise CourseError(f"{BUILT} holds no page; run make web, which needs Node 20 and npm.")
    paths = sorted(path for path in BUILT.rglob("*") if path.is_file())
    files = {path.relative_to(BUILT).as_posix(): path.read_bytes() for path in paths}
    files |= {"pytest.zip": _pytest(), "slots.css": _SLOTS.read_bytes()}
    plugin = plugin_files()
    shared = _digest(*files.values())
    download = {name: len(data) for name, data in files.items() if _DOWNLOAD.match(name)}
    listed = [{"name": exercise.name, "title": exercise.title} for exercise in exercises]
    files[_LESSONS] = json.dumps(listed, ensure_ascii=False).encode()
    for exercise in exercises:
        name, bundle = f"{exercise.name}.json", bundle_files(course, exercise)
        lesson = _lesson(course, exercise, bundle)
        own = {path: text for path, text in lesson["kit"].items() if path not in plugin}
        searched = {**bundle, name: json.dumps({**lesson, "kit": own}).encode()}
        if found := leaks(course, exercise, searched, plugin):
            raise CourseError(f"No page was written, because {found[0]}.")
        lesson["release"] = _digest(shared.encode(), json.dumps(lesson).encode())
        files[name] = json.dumps({**lesson, "download": download}, ensure_ascii=False).encode()
    known = json.dumps(["./", *(name for name in files if name != "sw.js")])
    start = f'const RELEASE = "{_digest(*files.values())}", FILES = {known};\n'
    files["sw.js"] = start.encode() + files["sw.js"]
    return files


def release_page(course: Course, exercises: Sequence[Exercise], folder: Path) -> None:
    """Write the page into a folder, in place of an earlier one.

    Raises CourseError as :func:`page_files` does, or if the folder holds something else; nothing is written.
    """
    files = page_files(course, exercises)
    there = files_in(folder)
    if there and _LESSONS not in there:
        raise CourseError(f"{folder} holds something else; remove it or choose another --to.")
    for name in there - set(files):
        (folder / name).unlink()
    write_for_all(folder, files)


def _digest(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(parts)).hexdigest()[:16]


def _pytest() -> bytes:
    """Pack pytest and what it imports, as they are installed here."""
    found = {}
    for name in _TESTERS:
        for path in distribution(name).files or ():
            kept = path.suffix == ".py" or path.name == "METADATA" or "licenses" in path.parts
            if kept and ".." not in path.parts and not _LEFT_OUT.match(path.as_posix()):
                found[path.as_posix()] = Path(str(path.locate())).read_bytes()
    return archive_bytes(dict(sorted(found.items())))


def _lesson(course: Course, exercise: Exercise, bundle: Mapping[str, bytes]) -> dict[str, Any]:
    """Everything of the page that the lesson decides; ``web/src/lesson.ts`` says what the parts are."""
    texts = {
        name: data.decode()
        for name, data in bundle.items()
        if name.endswith((".py", ".json", ".ini", ".txt", ".md"))
        and not name.startswith(".")
        and name != EXPLORE
    }
    points = json.loads(texts[POINTS])
    handout = (course.root / "exercises" / exercise.name / HANDOUT).read_text("utf-8")
    parts = [without_marks(part) for part in re.split(r"\n(?=## )", handout) if NOT_HERE not in part]
    opening = next((place for place, part in enumerate(parts, 1) if re.search(r"\bTODO 1\b", part)), 1)
    titled = [part.partition("\n")[::2] for part in parts]
    return {
        "name": exercise.name,
        "title": exercise.title,
        "files": {name: texts[name] for name in exercise.files},
        "kit": {name: text for name, text in texts.items() if name not in exercise.files},
        "handout": [
            {"title": title.lstrip("#").replace("`", "").strip(), "html": handout_body(text, bundle)}
            for title, text in titled
        ],
        "predictions": _predictions(course, exercise, points["todos"], texts),
        "opening": opening,
        "address": _address(exercise),
        "limits": points["limits"],
        "todos": [{key: todo[key] for key in ("number", "name", "file")} for todo in points["todos"]],
    }


def _predictions(
    course: Course, exercise: Exercise, todos: Any, texts: Mapping[str, str]
) -> list[dict[str, Any]]:
    """The first TODOs, as long as each is a constant that no test reads, to be answered True or False."""
    tests = [path.read_text("utf-8") for path in course.root.glob(f"tests/*/{exercise.name}/test_*.py")]
    found = []
    for todo in todos:
        name, file = todo["name"], todo["file"]
        above = re.search(rf"((?:^#.*\n)*)^{name}\b", texts[file], re.MULTILINE)
        question = [line.lstrip("# ") for line in above[1].splitlines()] if above else []
        is_read = any(re.search(rf"\b{name}\b", text) for text in tests)
        if not todo["constant"] or is_read or not re.search(r"\bTrue\b", " ".join(question)):
            break
        found.append({"file": file, "name": name, "question": question})
    return found


def _address(exercise: Exercise) -> str:
    """The address of the assignment, if course.toml tells it; otherwise empty."""
    for platform in exercise.platform.values():
        if isinstance(platform, Canvas) and platform.url and platform.course_id and platform.assignment_id:
            return f"{platform.url}/courses/{platform.course_id}/assignments/{platform.assignment_id}"
        if isinstance(platform, Moodle) and platform.url and platform.assignment_id:
            return f"{platform.url}/mod/assign/view.php?id={platform.assignment_id}"
    return ""
