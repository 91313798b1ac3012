"""``grader preview``: write what students of a lesson see, as pages in a folder."""

from pathlib import Path

import click

from grader.base.errors import CourseError
from grader.base.files import read_text, write_whole
from grader.check import static_findings
from grader.check.versions import Misconceptions, Version, solution
from grader.commands.context import FOLDER, Call, shared_options, to_option
from grader.feedback.closing import load_closing
from grader.feedback.pages import feedback_pages
from grader.grading.workers import Grader
from grader.lesson.handout import HANDOUT, handout_html, is_picture
from grader.lesson.tables import without_marks
from grader.results.final import final_result
from grader.sandbox.host import choose_tier
from grader.sources.submission import Submission


@click.command()
@to_option(FOLDER, "Where the pages go; without it preview/NAME/, which git ignores.")
@click.option("--open", "is_opened", is_flag=True, help="Open the pages in the browser.")
@shared_options("sandbox", "unsafe", "quiet")
def command(call: Call, *, to: Path | None, is_opened: bool) -> None:
    """Write the handout's page, the stubs, and pages of feedback: one on the first wrong version of each
    task, and one on full marks. All sentences on wrong versions are in sentences.txt.

    Run "grader build" first, so that the stubs and the handout's tables are those of the solution.

    Example: grader preview --exercise NAME --open
    """  # noqa: D205 - click shows the first paragraph as a whole
    call = call.about(to)
    course, exercise = call.course, call.exercise
    findings, files = static_findings(course, exercise)
    if files is None:
        raise CourseError(f"Nothing was written: {findings[0]}.")
    folder = to or Path("preview") / exercise.name
    lesson = course.root / "exercises" / exercise.name
    pictures = {path.name: path.read_bytes() for path in lesson.glob("*.*") if is_picture(path.name)}
    made = {name: exercise.released[name] for name in exercise.files if name in exercise.released}
    if (lesson / HANDOUT).is_file():
        text = without_marks(read_text(lesson / HANDOUT, f"exercises/{exercise.name}/{HANDOUT}"))
        made["handout.html"] = handout_html(text, exercise.title, pictures)
    else:
        call.say(f"exercises/{exercise.name}/{HANDOUT} is missing, so there is no handout.html", always=True)
    versions: dict[str, Version] = {"full-marks": solution(course, exercise)}
    registry = Misconceptions(course, exercise)
    made["sentences.txt"] = "".join(f"{where}: {text}\n" for where, text in registry.texts()).encode()
    for version in registry.versions():
        versions.setdefault(version.task, version)
    grader = Grader(course, exercise, choose_tier(call.sandbox, exercise.limits, unsafe=call.unsafe))
    closing = load_closing(course, exercise)
    try:
        for name, version in versions.items():
            found = grader.grade(Submission("sample", version.files)).result
            page, _ = feedback_pages(final_result(found), exercise, "Sample Student", closing)
            made[f"feedback-{name}.html"] = page
    finally:
        grader.close()
    # Pages of an earlier call; in a folder that was named, only the one that surely is ours.
    old = {folder / "handout.html", *(() if to else folder.glob("feedback-*.html"))}
    for path in old - {folder / name for name in made}:
        path.unlink(missing_ok=True)
    for name, data in made.items():
        write_whole(folder / name, data)
        call.say(f"{folder / name}: written")
        if is_opened and name.endswith(".html"):
            click.launch(str(folder / name))
