"""``grader package``: an archive for a platform that runs tests itself."""

from pathlib import Path

import click

from grader.base.files import write_whole
from grader.commands.context import FILE, Call, shared_options, to_option


@click.command()
@click.argument("platform_name", metavar="PLATFORM", type=click.Choice(["gradescope", "github"]))
@to_option(FILE, "Where to write it; without it autograder.zip or github.zip.")
@shared_options("private")
def command(call: Call, platform_name: str, to: Path | None) -> None:
    """Build an archive for gradescope or github.

    For Gradescope it is an autograder: the kit and one exercise's tests, without solutions, other exercises
    and settings of platforms. Hidden criteria are shown when grades are published.

    For GitHub it is the template of the students' repositories: the released bundle, and a workflow that runs
    its visible tests on each push and shows points and sentences in the job's summary. No hidden test is in
    it.

    Of several exercises it takes the one that FILE is named after, such as NAME.zip.

    Example: grader package gradescope --to autograder.zip
    """
    from grader.lms.package import autograder_zip, template_zip  # noqa: PLC0415 - they need much of the kit

    call = call.about(to, platform_name)
    if platform_name == "gradescope":
        target = to or Path("autograder.zip")
        data = autograder_zip(call.course_path, call.course, call.exercise)
        what = f"set the assignment to {call.exercise.points} points in Gradescope."
    else:
        target, data = to or Path("github.zip"), template_zip(call.course, call.exercise)
        what = "unpack it into the repository that is GitHub Classroom's template."
    write_whole(target, data)
    call.say(f"{target}: {what}")
