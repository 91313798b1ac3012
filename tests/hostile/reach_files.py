# Writes where it can: the loot, the course, the home, Python's library, a start-up file, a cache.
import os
import pathlib
import shutil


def everywhere(text):
    for place in (
        "@LOOT@/file",
        "@COURSE@/course.toml",
        os.path.expanduser("~/.bashrc"),
        os.__file__,
        os.path.dirname(os.__file__) + "/sitecustomize.py",
        "/etc/cron.d/x",
        "__pycache__/reservation.pyc",
        "usercustomize.py",
    ):
        try:
            with open(place, "a") as file:
                file.write(text if "file" in place else "")
        except OSError:
            pass
    for change in (os.unlink, os.rmdir, shutil.rmtree, lambda path: os.symlink("/etc/passwd", path + "-link")):
        try:
            change("@LOOT@/file")
        except OSError:
            pass
    try:
        pathlib.Path("@LOOT@/folder").mkdir()
    except OSError:
        pass


everywhere("import os")


def attack(*args):
    everywhere(repr(args))
    return -1


reserved_slots = used_slots = waste_fraction = paged_slots = attack


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
