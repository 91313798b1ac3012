"""Run a handed-in notebook's cells in a jail and call what they define, as the tests of a class would."""

from grader.course.model import Exercise, Limits, class_id
from grader.grading.messages import code_notes
from grader.intake.notebook.cells import read_cells
from grader.intake.notebook.read import read_document
from grader.sandbox.child import Request
from grader.sandbox.host import Zygote
from grader.suite.notebook import as_it_ends, as_jupyter_runs_it
from grader.suite.run import Run
from grader.suite.session import Session

LIMITS = Limits(memory_mib=256, import_cpu_seconds=0.5, call_wall_seconds=3.0, submission_wall_seconds=60.0)


class NotebookRun:
    """One reading of a notebook; ``source`` holds its cells, notes and flags of intake."""

    def __init__(self, zygote: Zygote, data: bytes, exercise: Exercise, *, at_end: bool = False) -> None:
        self.exercise = exercise
        self.source = read_cells(read_document(data, exercise), exercise)
        notebook = as_jupyter_runs_it(self.source.cells, exercise)
        self.session = Session(
            zygote, LIMITS, {}, exercise.files, as_it_ends(notebook) if at_end else notebook
        )
        self.session.load()

    def ask(self, name: str, *arguments, verb: str = "call", hidden: bool = False) -> dict:
        """Return the verdict on a call of a task's function, or on a constant of the first task."""
        task = next((one for one in self.exercise.tasks if one.name == name), self.exercise.tasks[0])
        criterion = self.exercise.criteria_of(task.name)[0]
        fields = {"verb": verb, "module": task.file.removesuffix(".py"), "name": name}
        request = Request({**fields, "arguments": [*arguments], "keywords": []})
        test = f"{class_id(self.exercise, criterion)}::test"
        return self.session.answer(test, request, hidden=hidden).verdict

    def value(self, name: str, *arguments, hidden: bool = False):
        """Return what a call returns; None if it does not return."""
        return self.ask(name, *arguments, hidden=hidden).get("value")

    def constant(self, name: str):
        """Return a constant; None if there is none."""
        return self.ask(name, verb="constant").get("value")

    def notes(self) -> list[str]:
        """Return what the student is told about the cells that were run."""
        return code_notes(self.exercise, Run(exchanges=tuple(self.session.exchanges)))
