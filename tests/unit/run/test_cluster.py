"""Grading on a real Dask cluster on loopback: scheduler and workers are processes of their own."""

import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib.util import find_spec

import pytest
from helpers.paths import ROOT, unmeasured

from grader.base.errors import CourseError, GraderError, UsageError
from grader.course.load import load_course
from grader.grading.workers import Grader
from grader.run import cluster, member
from grader.run.cluster import cluster_at, order_for
from grader.sandbox.host import choose_tier
from grader.sources.submission import Submission

pytestmark = [
    pytest.mark.skipif(find_spec("distributed") is None, reason="Dask is the extra [cluster]"),
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

HOST = socket.gethostname()
COURSE = load_course(ROOT / "course.toml")
EXERCISE = COURSE.exercise("contiguous_reservation")


def until(true, seconds=20):
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


def answers(port):
    """True if something listens there."""
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


class Processes:
    """A scheduler with workers, all of them processes that can be killed one by one."""

    def __init__(self, folder, *options, scheme="tcp"):
        self.folder, self.options, self.started = folder, options, []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        self.address = f"{scheme}://127.0.0.1:{port}"
        self.scheduler = self._start("scheduler", "--host", self.address.rpartition(":")[0], "--port", port)
        until(lambda: answers(int(port)), 60)

    def worker(self, *options, path="", place="scratch"):
        """Start a worker with one thread; ``path`` is what Python looks through before the installed kit."""
        scratch = ("--local-directory", str(self.folder / place))
        more = ("--nthreads", "1", "--no-nanny", "--death-timeout", "60", *options)
        return self._start("worker", self.address, *scratch, *more, PYTHONPATH=str(path))

    def _start(self, kind, *arguments, **environment):
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *arguments, *self.options]
        command += ["--no-dashboard"]
        log = (self.folder / "log").open("ab")
        with log:
            variables = unmeasured() | environment  # what is killed would write no figures
            one = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, env=variables)
        self.started.append(one)
        return one

    def wait_for(self, count):
        """Wait until this many workers are there."""
        import distributed  # noqa: PLC0415 - takes a second

        with distributed.Client(self.address, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=60)

    def end(self):
        """End all processes."""
        for one in reversed(self.started):
            one.kill()
            one.wait()


@pytest.fixture
def processes(tmp_path):
    """A scheduler alone."""
    some = Processes(tmp_path)
    yield some
    some.end()


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """A scheduler with three workers that nothing happens to."""
    some = Processes(tmp_path_factory.mktemp("three"))
    for _ in range(3):
        some.worker()
    some.wait_for(3)
    yield some
    some.end()


@contextmanager
def joined(processes, **more):
    """The cluster, with the repository's own course."""
    options = {"sandbox": "auto", "unsafe": False} | more
    with cluster_at(processes.address, order_for(COURSE, EXERCISE, **options)) as one:
        yield one


def hand_in(student, folder="solutions", comment=""):
    """A hand-in of the two files of one of the repository's folders."""
    place = ROOT / folder / "contiguous_reservation"
    names = ("hands_on.py", "reservation.py")
    return Submission(student, {n: (place / n).read_bytes() + comment.encode() for n in names})


def course_files(folder):
    """The tests that lie somewhere below a folder."""
    return [path for path in folder.rglob("*") if path.name.startswith("test_")]


def killed_at_the_first(process, results):
    """All results; a process is killed as soon as there is one."""
    found = [next(results)]
    process.kill()
    process.wait()
    return [*found, *results]


def test_a_cluster_gives_what_one_machine_gives(three):
    """Thirty hand-ins get from three workers the results that a Grader here gives them; nothing stays."""
    class_ = [hand_in(f"right{n}", comment=f"# {n}\n") for n in range(28)]
    class_ += [hand_in("stub", "exercises"), Submission("empty", {}, problems={"x": "It is empty."})]
    with joined(three) as one:
        tier = choose_tier("auto", EXERCISE.limits, unsafe=False)
        assert one.title.endswith(f"3 on {HOST} ({tier.title.partition(':')[0]})")
        assert course_files(three.folder)
        found = {graded.submission.student: graded.result for graded in one.grade(EXERCISE, class_)}
    assert not course_files(three.folder)
    assert one.trouble == []
    assert len(found) == 30
    assert {found[f"right{n}"].score for n in range(28)} == {20}
    assert found["empty"].status == "unreadable"
    grader = Grader(COURSE, EXERCISE, tier)
    try:
        assert grader.grade(class_[-2]).result == found["stub"]
    finally:
        grader.close()


def test_attempts_of_a_student_share_their_seconds(three):
    """All attempts of a student are in one chunk, however small the chunks are."""
    class_ = [hand_in(student, comment=f"# {n}") for student in "abc" for n in range(4)]
    with joined(three) as one:
        assert [len(chunk.submissions) for chunk in one._chunks(class_)] == [4, 4, 4]


def test_a_worker_that_is_killed(processes):
    """What a killed worker had is graded by the others, once; the course leaves its disk all the same."""
    killed = processes.worker(place="killed")
    processes.worker()
    processes.worker()
    processes.wait_for(3)
    class_ = [hand_in(f"s{n:02}", comment=f"# {n}\n") for n in range(60)]
    with joined(processes) as one:
        assert course_files(processes.folder / "killed")
        found = killed_at_the_first(killed, one.grade(EXERCISE, class_))
        until(lambda: not course_files(processes.folder / "killed"))
    assert sorted(graded.submission.student for graded in found) == [f"s{n:02}" for n in range(60)]
    assert {(graded.result.score, graded.fault) for graded in found} == {(20, "")}
    (sentence,) = one.trouble
    assert sentence.startswith(f"{HOST} (tcp://127.0.0.1:")
    assert sentence.endswith("was lost; others grade what it had.")


def test_all_workers_are_terminated(processes, monkeypatch):
    """SIGTERM, with which a worker is ended as a rule, removes the course; the run says it."""
    monkeypatch.setattr(cluster, "_LOST_SECONDS", 5.0)
    worker = processes.worker()
    processes.wait_for(1)
    with joined(processes) as one:
        assert course_files(processes.folder)
        worker.terminate()
        worker.wait()
        until(lambda: not course_files(processes.folder))
        with pytest.raises(GraderError, match=f"All workers of {processes.address} were lost; who is graded"):
            list(one.grade(EXERCISE, [hand_in("ada")]))


def test_workers_with_another_grader(processes, tmp_path):
    """A worker whose grader differs in a byte, or that has none, is named and gets nothing to grade."""
    shutil.copytree(ROOT / "grader", tmp_path / "other/grader")
    with (tmp_path / "other/grader/cli.py").open("a", encoding="utf-8") as file:
        file.write("# another line\n")
    (tmp_path / "none/grader").mkdir(parents=True)
    (tmp_path / "none/grader/__init__.py").touch()
    processes.worker(path=tmp_path / "other")
    processes.worker(path=tmp_path / "none")
    processes.wait_for(2)
    with pytest.raises(UsageError, match=r"No worker of tcp://.* can grade: ") as error, joined(processes):
        pass
    assert f"{HOST} (tcp://127.0.0.1:" in str(error.value)
    assert f", and not {member.kit()}; install the same there." in str(error.value)
    assert (
        "has no grader like ours (ModuleNotFoundError(\"No module named 'grader.run'\")); install it there."
        in str(error.value)
    )
    processes.worker()
    processes.wait_for(3)
    with joined(processes) as one:
        assert f"that of each worker of {processes.address}: 1 on {HOST} (tier" in one.title
        assert len(one.trouble) == 2
        assert all(sentence in one.title + "." for sentence in one.trouble)
        assert [graded.result.score for graded in one.grade(EXERCISE, [hand_in("ada")])] == [20]


def test_tls(tmp_path, monkeypatch):
    """With certificates on all sides a class is graded; without ours, a sentence says what is missing."""
    import dask  # noqa: PLC0415 - takes a second
    import distributed  # noqa: PLC0415 - the same

    monkeypatch.setattr(cluster, "_CONNECT_SECONDS", 60)
    security = distributed.Security.temporary()
    for name in ("tls_ca_file", "tls_scheduler_cert", "tls_scheduler_key"):
        (tmp_path / name).write_text(getattr(security, name), encoding="utf-8")
    paths = [tmp_path / name for name in ("tls_ca_file", "tls_scheduler_cert", "tls_scheduler_key")]
    options = dict(zip(("--tls-ca-file", "--tls-cert", "--tls-key"), map(str, paths), strict=True))
    some = Processes(tmp_path, *(word for pair in options.items() for word in pair), scheme="tls")
    try:
        some.worker()
        with pytest.raises(UsageError, match="needs certificates; name them"), joined(some):
            pass
        names = ("ca-file", "client.cert", "client.key")
        tls = {f"distributed.comm.tls.{name}": str(path) for name, path in zip(names, paths, strict=True)}
        with dask.config.set(tls), joined(some) as one:
            assert [graded.result.score for graded in one.grade(EXERCISE, [hand_in("ada")])] == [20]
    finally:
        some.end()


def test_the_kit_is_every_file_and_what_runs_it():
    """The name of what grades changes with Python and pytest, too."""
    assert f", Python 3.{sys.version_info.minor}, pytest {pytest.__version__}" in member.kit()


def test_a_worker_that_does_not_answer(processes, monkeypatch):
    """The run begins without a silent worker after a while, and it joins when it answers."""
    monkeypatch.setattr(cluster, "_JOIN_SECONDS", 4.0)
    silent = processes.worker()
    processes.wait_for(1)
    silent.send_signal(signal.SIGSTOP)
    with (
        pytest.raises(UsageError, match="did not answer in 4 s; look at its log") as error,
        joined(processes),
    ):
        pass
    assert "can grade: tcp://127.0.0.1:" in str(error.value)
    processes.worker()
    processes.wait_for(2)
    with joined(processes) as one:
        assert "1 on" in one.title
        silent.send_signal(signal.SIGCONT)
        until(lambda: one.gather() or "2 on" in one.title)


def test_no_worker(processes, monkeypatch):
    """A scheduler without workers is told as such."""
    monkeypatch.setattr(cluster, "_CONNECT_SECONDS", 2)
    wanted = f"The Dask scheduler at {processes.address} has no workers; start some with: dask worker"
    with pytest.raises(UsageError, match=wanted), joined(processes):
        pass


def test_the_scheduler_is_lost(processes):
    """When the scheduler is killed, the run ends with a sentence; the workers remove the course."""
    processes.worker("--death-timeout", "1")
    processes.wait_for(1)
    class_ = [hand_in(f"s{n}", comment=f"# {n}\n") for n in range(60)]
    wanted = f"The Dask scheduler at {processes.address} was lost; who is graded is kept"
    with joined(processes) as one, pytest.raises(GraderError, match=wanted):
        killed_at_the_first(processes.scheduler, one.grade(EXERCISE, class_))
    until(lambda: not course_files(processes.folder), 60)


def test_a_chunk_that_fails_everywhere(three, monkeypatch):
    """A chunk that fails on every worker is said of each of its students, and of no others."""

    def fragile(run, submissions):
        if submissions[0].student == "bad":
            raise RuntimeError("the machine is gone")
        return member.grade_chunk(run, submissions)

    monkeypatch.setattr(cluster, "grade_chunk", fragile)
    monkeypatch.setattr(cluster, "_CHUNK", 1)
    class_ = [hand_in("bad"), *(hand_in(f"good{n}") for n in range(5))]
    with joined(three) as one:
        found = {graded.submission.student: graded for graded in one.grade(EXERCISE, class_)}
    assert found["bad"].result.status == "grader-error"
    assert found["bad"].fault.count(f"{HOST}: RuntimeError: the machine is gone") == 3
    assert {(found[f"good{n}"].result.score, found[f"good{n}"].fault) for n in range(5)} == {(20, "")}


def test_settings_of_any_course_file(three, tmp_path):
    """A worker grades by the settings that were read, wherever their file lies and whatever its name."""
    text = (ROOT / "course.toml").read_text(encoding="utf-8")
    text = text.replace("[course]\n", f'[course]\nfolder = "{ROOT}"\n', 1)
    text = text.replace("points = 20\n", "points = 21\n", 1).replace("points = 1\n", "points = 2\n", 1)
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    course = load_course(path)
    exercise = course.exercise("contiguous_reservation")
    with cluster_at(three.address, order_for(course, exercise, sandbox="auto", unsafe=False)) as one:
        (graded,) = one.grade(exercise, [hand_in("ada")])
    assert (graded.result.score, graded.result.criteria[0].points) == (21, 2)


def test_tests_with_a_mistake(three, tmp_path):
    """A mistake in the course ends the run with the sentence that one machine says, too."""
    for name in ("exercises", "solutions", "tests/visible", "tests/hidden"):
        shutil.copytree(ROOT / name, tmp_path / "course" / name)
    shutil.copyfile(ROOT / "course.toml", tmp_path / "course/course.toml")
    hidden = tmp_path / "course/tests/hidden/contiguous_reservation"
    next(hidden.glob("test_*.py")).write_text("x = = 1\n", encoding="utf-8")
    course = load_course(tmp_path / "course/course.toml")
    exercise = course.exercise("contiguous_reservation")
    order = order_for(course, exercise, sandbox="auto", unsafe=False)
    wanted = "The tests could not be collected: hidden/"
    with cluster_at(three.address, order) as one, pytest.raises(CourseError, match=wanted):
        list(one.grade(exercise, [hand_in("ada")]))


def test_a_wrong_sandbox_is_said(three):
    """What the workers cannot do is a plain sentence with their names, not a score."""
    with (
        pytest.raises(UsageError, match=rf"{HOST} \(tcp://.*\) cannot grade safely: .*--unsafe"),
        joined(three, sandbox="none"),
    ):
        pass


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("tcp://127.0.0.1:9", r"No Dask scheduler answers at tcp://127\.0\.0\.1:9 \(.*\); give"),
        ("nonsense", r"No Dask scheduler answers at nonsense \(missing port number in address 'nonsense'\)"),
        ("tls://127.0.0.1:9", r"tls://127\.0\.0\.1:9 needs certificates; name them .* docs/cluster\.md"),
    ],
)
def test_no_scheduler(address, sentence, monkeypatch):
    """An address without a scheduler is named, and what TLS lacks."""
    monkeypatch.setattr(cluster, "_CONNECT_SECONDS", 2)
    order = order_for(COURSE, EXERCISE, sandbox="auto", unsafe=False)
    with pytest.raises(UsageError, match=sentence), cluster_at(address, order):
        pass
