"""Run the tests of the exercise: ``python3 kit`` (``py kit`` on Windows); what follows goes to pytest.

``python3 -m pytest`` puts the exercise's folder before Python's own modules, so that a file random.py there
ends in an error of pytest's; this does not.
"""

import os
import sys

_HELP = """\
{0} kit               run the tests, and see the points and the next step
{0} kit --map         draw the slots of your own answers, too
{0} kit --hint        one more hint on the TODO that the last run named
{0} kit --hint 8      one more hint on TODO 8
{0} kit -k NAME       run only the tests with NAME in their names
{0} kit -x            stop at the first test that fails
{0} kit --tb=short    show every failure, not only the first
{0} kit --pdb         stop where a test fails, and look around (q ends that)

Anything else goes to pytest: {0} -m pytest --help lists all it knows.
"""


def main() -> "int | str":
    """Say in one sentence why pytest cannot run, or run it."""
    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib could be the student's
    folder = os.path.dirname(here)  # noqa: PTH120 - the same
    sys.path[:] = [path for path in sys.path if path not in (here, folder, "")]
    if sys.version_info < (3, 10):  # noqa: UP036 - a student's Python may be older than the grader's
        return "This exercise needs Python 3.10 or newer; this is Python {}.{}.".format(*sys.version_info)
    launcher = "py" if os.name == "nt" else "python3"
    if {"-h", "--help"}.intersection(sys.argv[1:]):
        sys.stdout.write(_HELP.format(launcher))
        return 0
    try:
        import pytest  # noqa: PLC0415 - only now it can be found
    except ImportError:
        return f"pytest is missing: run {launcher} -m pip install pytest, then run this again."
    os.chdir(folder)
    if not os.path.isfile("conftest.py"):  # noqa: PTH113 - the same
        return (
            f"conftest.py is missing in {folder}: unzip the exercise once more into another folder, and copy "
            "conftest.py to here. Your own files stay as they are."
        )
    status = int(pytest.main(sys.argv[1:]))
    if sys.argv[1:] and status in (4, 5):  # pytest refuses a word, or no test fits
        sys.stderr.write(f"No test was run. {launcher} kit runs all tests; {launcher} kit --help has more.\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
