"""Run one of nbgrader's commands as another Unix user: ``nbgrader_as.py USER COMMAND ARGUMENT...``.

Root imports everything first, because the other user may not be allowed to read where the packages are.
"""

import os
import pwd
import sys


def main() -> None:
    """Become the user for good, and run the command."""
    who = pwd.getpwnam(sys.argv[1])
    from nbgrader.apps.nbgraderapp import NbGraderApp  # noqa: PLC0415 - it takes seconds

    os.setgroups([])
    os.setresgid(who.pw_gid, who.pw_gid, who.pw_gid)
    os.setresuid(who.pw_uid, who.pw_uid, who.pw_uid)
    os.umask(0o022)
    NbGraderApp.launch_instance(sys.argv[2:])


if __name__ == "__main__":
    main()
