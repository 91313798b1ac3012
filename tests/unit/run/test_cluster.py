"""Grading on a real Dask cluster on loopback."""

import hashlib

import pytest
from helpers.paths import ROOT

from grader.base.errors import UsageError
from grader.course.load import load_course
from grader.grading.workers import Grader
from grader.run import cluster
from grader.run.cluster import connected, grade_chunk, grade_on_cluster, order_for
from grader.sandbox.host import choose_tier
from grader.sources.submission import Submission

distributed = pytest.importorskip("distributed", reason="Dask is the extra [cluster]")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture(scope="module")
def scheduler():
    """A scheduler with two worker processes."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as local:
        yield local.scheduler_address


def hand_in(student: str, folder: str, comment: str = "") -> Submission:
    """A hand-in of the two files of one of the repository's folders."""
    place = ROOT / folder / "contiguous_reservation"
    names = ("hands_on.py", "reservation.py")
    return Submission(student, {n: (place / n).read_bytes() + comment.encode() for n in names})


def test_a_cluster_gives_what_one_machine_gives(scheduler):
    """Thirty hand-ins, in two chunks, get the results that a Grader here gives them."""
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise(None)
    right = [hand_in(f"right{n}", "solutions", f"# {n}\n") for n in range(28)]
    class_ = [*right, hand_in("stub", "exercises"), Submission("empty", {}, problems={"x": "It is empty."})]
    order = order_for(course, exercise, sandbox="auto", unsafe=False)
    found = {
        g.submission.student: g.result
        for g in grade_on_cluster(exercise, order, class_, connected(scheduler))
    }
    assert len(found) == 30
    assert {found[one.student].score for one in right} == {20}
    assert found["stub"].score == 0
    assert found["empty"].status == "unreadable"
    grader = Grader(course, exercise, choose_tier("auto", exercise.limits, unsafe=False))
    try:
        assert grader.grade(class_[-2]).result == found["stub"]
    finally:
        grader.close()


def test_a_chunk_that_fails_for_good_is_the_graders_fault(scheduler, monkeypatch):
    """When a chunk cannot be graded anywhere, its students get no score and the others keep theirs."""
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise(None)
    order = order_for(course, exercise, sandbox="auto", unsafe=False)
    good = [hand_in(f"good{n}", "solutions") for n in range(25)]
    bad = Submission("bad", {"reservation.py": "not bytes"})  # type: ignore[dict-item]
    monkeypatch.setattr(
        Submission, "digest", property(lambda self: hashlib.sha256(self.student.encode()).hexdigest())
    )
    found = {
        g.submission.student: g.result
        for g in grade_on_cluster(exercise, order, [*good, bad], connected(scheduler))
    }
    assert found["bad"].status == "grader-error"
    assert found["bad"].score is None
    assert found["good0"].score == 20


def test_a_chunk_that_is_lost(scheduler, monkeypatch):
    """A chunk that fails as a whole is said of each of its students, and of no others."""
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise(None)
    order = order_for(course, exercise, sandbox="auto", unsafe=False)

    def fragile(order, submissions):
        if submissions[0].student == "bad":
            raise RuntimeError("the machine is gone")
        return grade_chunk(order, submissions)

    monkeypatch.setattr(cluster, "grade_chunk", fragile)
    class_ = [*(hand_in(f"good{n}", "solutions") for n in range(25)), hand_in("bad", "solutions")]
    found = {g.submission.student: g for g in grade_on_cluster(exercise, order, class_, connected(scheduler))}
    assert found["bad"].result.status == "grader-error"
    assert found["bad"].fault == "the cluster lost it: the machine is gone"
    assert {(found[f"good{n}"].result.score, found[f"good{n}"].fault) for n in range(25)} == {(20, "")}


def test_settings_of_any_course_file(tmp_path):
    """A worker grades by the settings that were read, wherever their file lies and whatever its name."""
    text = (ROOT / "course.toml").read_text(encoding="utf-8")
    text = text.replace("[course]\n", f'[course]\nfolder = "{ROOT}"\n', 1)
    text = text.replace("points = 20\n", "points = 21\n", 1).replace("points = 1\n", "points = 2\n", 1)
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    course = load_course(path)
    order = order_for(course, course.exercise(None), sandbox="auto", unsafe=False)
    (graded,) = grade_chunk(order, [hand_in("ada", "solutions")])
    assert (graded.result.score, graded.result.criteria[0].points) == (21, 2)


def test_a_wrong_sandbox_is_said_once(scheduler):
    """What the workers cannot do is a plain sentence, not a score."""
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise(None)
    order = order_for(course, exercise, sandbox="none", unsafe=False)
    with pytest.raises(UsageError, match="--unsafe"):
        list(grade_on_cluster(exercise, order, [hand_in("ada", "solutions")], connected(scheduler)))


def test_nobody_answers():
    """An address without a scheduler is named."""
    with pytest.raises(UsageError, match=r"No Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        connected("tcp://127.0.0.1:9")


def test_a_warm_worker_changes_courses():
    """A worker process that gets another course's order starts anew with it."""
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise(None)
    first = order_for(course, exercise, sandbox="auto", unsafe=False)
    second = order_for(course, exercise, sandbox="landlock", unsafe=False)
    for order in (first, first, second):
        (graded,) = grade_chunk(order, [hand_in("ada", "solutions")])
        assert graded.result.score == 20
