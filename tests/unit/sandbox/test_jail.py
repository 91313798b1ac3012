"""Landlock by itself, without the filter of system calls before it."""

import os

import pytest

from grader.sandbox.inside import jail


@pytest.mark.parametrize("path", ["/", "/dev/null", os.__file__])
def test_landlock_alone_refuses_every_file(path):
    """A process in Landlock alone gets EACCES for a folder, a device and Python's own library."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            jail.landlock()
            os.open(path, os.O_RDONLY)
        except PermissionError:
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_touching_libraries_reads_their_pages():
    """All segments of the loaded libraries can be read; nothing is raised."""
    jail.touch_libraries()
