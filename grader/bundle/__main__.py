"""Run the tests of the exercise: ``python3 kit`` (``py kit`` on Windows); what follows goes to pytest.

``python3 -m pytest`` puts the exercise's folder before Python's own modules, so that a file random.py there
ends in an error of pytest's; this does not.
"""

import os
import sys


def main() -> "int | str":
    """Say in one sentence why pytest cannot run, or run it."""
    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib could be the student's
    folder = os.path.dirname(here)  # noqa: PTH120 - the same
    sys.path[:] = [path for path in sys.path if path not in (here, folder, "")]
    launcher = "py" if os.name == "nt" else "python3"
    try:
        import pytest  # noqa: PLC0415 - only now it can be found
    except ImportError:
        return f"pytest is missing: run {launcher} -m pip install pytest, then run this again."
    os.chdir(folder)
    return int(pytest.main(sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(main())
