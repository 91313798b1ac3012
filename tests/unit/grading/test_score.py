"""Scoring a run: only tests that are reported as passed, of our own list, earn points."""

from datetime import datetime, timedelta, timezone
from decimal import Decimal

import pytest
from helpers import sums_course

from grader.bundle import wording
from grader.grading import messages
from grader.grading.score import GRADER_FAULT, Received, points_number, points_text, score, unscored
from grader.sources.submission import Cell, Submission
from grader.suite.process import group_tests
from grader.suite.run import Exchange, Run

FILES = {"facts.py": b"HALF = 3\n", "lab.py": b"def add(a, b): ...\n"}


@pytest.fixture
def exercise(tmp_path):
    """The exercise of sums: facts-half 1, add-two 2, add-any 3 (hidden), mean-list 4."""
    return sums_course.course_at(tmp_path).exercise("sums")


def entry(test, outcome="passed", **failure):
    """A test's entry in a report."""
    stages = {"setup": {"outcome": "passed"}, "call": {"outcome": outcome}, "teardown": {"outcome": "passed"}}
    stages["call"]["crash"] = {"lineno": 7}
    return {"nodeid": test, "outcome": outcome, **stages, "metadata": {"failure": failure}}


def asked(test, verdict, aside=None, module="lab", name="add"):
    """An exchange: a call and its verdict."""
    request = {"verb": "call", "module": module, "name": name, "arguments": [2, 3], "keywords": []}
    return Exchange(test, request, verdict, aside or {})


def loaded(module, verdict=None, aside=None):
    """The exchange of an import."""
    return Exchange("", {"verb": "load", "module": module}, verdict or {"kind": "loaded"}, aside or {})


def result(exercise, entries=None, exchanges=(), *, submission=None, **run):
    """The Result of a report with these entries in place of passed ones."""
    given = {one["nodeid"]: one for one in entries or ()}
    tests = [given.get(test, entry(test)) for test in sums_course.TESTS]
    imports = [loaded("facts"), loaded("lab")]
    run = Run({"tests": tests}, (*imports, *exchanges), **run)
    sources = {"visible/sums/test_lab.py": sums_course.VISIBLE}
    submission = submission or Submission("ada", FILES)
    return score(exercise, submission, run, group_tests(exercise, sums_course.TESTS), sources)


def points(result):
    """Points by criterion."""
    return {criterion.id: criterion.points for criterion in result.criteria}


def only(result, criterion_id):
    """The result of one criterion."""
    return next(criterion for criterion in result.criteria if criterion.id == criterion_id)


ALL = {"facts-half": 1, "add-two": 2, "add-any": 3, "mean-list": 4}
SMALL, KIND = sums_course.TESTS[1:3]
ANY = sums_course.TESTS[6]


def test_everything_passed(exercise):
    """All points, no messages; nothing is taken off, nothing diagnosed."""
    got = result(exercise, flags=("tried-network",))
    assert (got.status, got.score, got.max_score, got.late_penalty, points(got)) == ("graded", 10, 10, 0, ALL)
    assert {criterion.message for criterion in got.criteria} == {""}
    assert {criterion.status for criterion in got.criteria} == {"passed"}
    assert (got.flags, got.diagnoses, got.notes) == (("tried-network",), (), ())


def test_one_test_of_a_class(exercise):
    """Its points are not earned, the others are; the sentence names the call."""
    failure = {"error": "AssertionError", "verdict": "value", "what": "value", "expected": "5", "message": ""}
    answers = [asked(SMALL, {"kind": "value", "value": 6})]
    got = result(exercise, [entry(SMALL, "failed", **failure)], answers)
    assert points(got) == {**ALL, "add-two": 0}
    line = only(got, "add-two")
    assert (line.status, line.message) == ("needs-work", "add(2, 3) returned 6; expected 5.")


@pytest.mark.parametrize(
    "outcome",
    ["failed", "skipped", "xfailed", "xpassed", "error", "subtests passed", "", None, "PASSED", True],
)
def test_only_passed_is_passed(exercise, outcome):
    """Any other outcome earns nothing."""
    got = result(exercise, [entry(ANY, outcome, error="X")])
    assert points(got) == {**ALL, "add-any": 0}


@pytest.mark.parametrize("stage", ["setup", "call", "teardown"])
@pytest.mark.parametrize("how", ["absent", "failed", "skipped", "empty"])
def test_every_stage_has_to_pass(exercise, stage, how):
    """An entry that is marked passed, but has a stage that is missing or did not pass, earns nothing."""
    one = entry(ANY)
    if how == "absent":
        del one[stage]
    else:
        one[stage] = {} if how == "empty" else {"outcome": how}
    assert points(result(exercise, [one])) == {**ALL, "add-any": 0}


@pytest.mark.parametrize("test", sums_course.TESTS)
def test_a_report_that_lacks_a_test(exercise, test):
    """It is the grader's fault: no score at all, instead of a lower one."""
    tests = [entry(other) for other in sums_course.TESTS if other != test]
    run = Run({"tests": tests}, (loaded("facts"), loaded("lab")))
    got = score(exercise, Submission("ada", FILES), run, group_tests(exercise, sums_course.TESTS), {})
    assert (got.status, got.score) == ("grader-error", None)
    assert {criterion.message for criterion in got.criteria} == {GRADER_FAULT}


def test_an_empty_report_and_a_fault(exercise):
    """Without a report, or after a fault in the run, there is no score."""
    groups = group_tests(exercise, sums_course.TESTS)
    assert score(exercise, Submission("ada", FILES), Run(), groups, {}).status == "grader-error"
    assert result(exercise, fault="SandboxError: x").status == "grader-error"


def test_tests_that_are_not_ours_earn_nothing(exercise):
    """A report with more tests than ours earns no more."""
    more = [entry(test) for test in (*sums_course.TESTS, "visible/sums/test_lab.py::TestFree::test_points")]
    run = Run({"tests": more}, (loaded("facts"), loaded("lab")))
    assert (
        score(exercise, Submission("ada", FILES), run, group_tests(exercise, sums_course.TESTS), {}).score
        == 10
    )


@pytest.mark.parametrize(
    ("facts", "state"),
    [
        ([{"error": "NotImplementedError"}, {"error": "NotImplementedError"}], "not-started"),
        ([{"error": "NotImplementedError"}, {"error": "AssertionError"}], "needs-work"),
        ([{"error": "Failed", "verdict": "missing"}, {"error": "AssertionError"}], "not-run"),
        ([{"error": "Failed", "verdict": "uncallable"}] * 2, "not-run"),
        ([{"error": "Failed", "verdict": "not-loaded"}] * 2, "not-run"),
        ([{"error": "AssertionError"}, {"error": "Failed", "verdict": "stopped"}], "stopped"),
        ([{"error": "Failed", "verdict": "missing"}, {"error": "Failed", "verdict": "stopped"}], "stopped"),
        ([{}, {}], "needs-work"),
    ],
)
def test_states_of_a_hidden_criterion(exercise, facts, state):
    """The worst state of its failed tests; the message stays empty."""
    entries = [entry(test, "failed", **fact) for test, fact in zip(sums_course.TESTS[6:], facts, strict=True)]
    line = only(result(exercise, entries), "add-any")
    assert (line.status, line.points, line.message) == (state, 0, "")


def test_no_more_than_three_sentences(exercise):
    """The first three different sentences are shown, each once."""
    course = exercise
    tests = sums_course.TESTS[3:6]
    answers = [asked(test, {"kind": "value", "value": n}, name="mean") for n, test in enumerate(tests)]
    failure = {"error": "AssertionError", "verdict": "value", "what": "value", "expected": "5", "message": ""}
    entries = [entry(test, "failed", **failure) for test in tests]
    message = only(result(course, entries, answers), "mean-list").message
    assert message.splitlines() == [f"mean(2, 3) returned {n}; expected 5." for n in range(3)]


@pytest.mark.parametrize(
    ("most", "last"), [(2, "1 more call is not right yet."), (1, "2 more calls are not right yet.")]
)
def test_more_sentences_are_counted(exercise, monkeypatch, most, last):
    """Of three different sentences, two or one are shown, then how many more there are."""
    monkeypatch.setattr(messages, "MOST_SENTENCES", most)
    tests = sums_course.TESTS[3:6]
    answers = [asked(test, {"kind": "value", "value": n}, name="mean") for n, test in enumerate(tests)]
    failure = {"error": "AssertionError", "verdict": "value", "what": "value", "expected": "5", "message": ""}
    message = only(
        result(exercise, [entry(t, "failed", **failure) for t in tests], answers), "mean-list"
    ).message
    assert len(message.splitlines()) == most + 1
    assert message.splitlines()[-1] == last


def test_a_stopped_test_gives_the_message(exercise):
    """The tests of the class that were not run afterwards add no sentence."""
    stop = {"kind": "stopped", "reason": "time"}
    answers = [asked(SMALL, stop), asked(KIND, stop)]
    entries = [entry(test, "failed", error="Failed", verdict="stopped") for test in (SMALL, KIND)]
    line = only(result(exercise, entries, answers), "add-two")
    assert line.status == "stopped"
    assert line.message == (
        "add(2, 3) took too long and was stopped after 1 second: does every loop in it come to an end?"
    )


def test_what_the_failed_call_printed(exercise):
    """The output of the first failed call is shown, cleaned and cut; blank output is not."""
    failure = {"error": "AssertionError", "verdict": "value", "what": "value", "expected": "5", "message": ""}
    entries = [entry(SMALL, "failed", **failure)]
    for printed, last in (
        ("a =\t2\n\x1b[2J", "It printed: a = 2 \\x1b[2J"),
        (" \n", "add(2, 3) returned 6; expected 5."),
    ):
        answers = [asked(SMALL, {"kind": "value", "value": 6}, {"printed": printed})]
        assert only(result(exercise, entries, answers), "add-two").message.splitlines()[-1] == last


def test_the_line_that_failed_says_what_is_expected(exercise):
    """An exception's sentence has the expected value from the test's own line."""
    answers = [asked(SMALL, {"kind": "raised", "classes": ["KeyError"]}, {"type": "KeyError"})]
    got = result(exercise, [entry(SMALL, "failed", error="KeyError", verdict="raised")], answers)
    assert only(got, "add-two").message == "add(2, 3) raised KeyError; expected 5."


def test_a_test_that_called_nothing(exercise):
    """A test that failed before its first call has a sentence of its own."""
    got = result(exercise, [entry(SMALL, "failed", error="NameError")])
    assert only(got, "add-two").message == "A test failed before it called anything."


def test_a_message_that_fails_costs_no_points(exercise, monkeypatch):
    """If a sentence cannot be made, a general one replaces it; a hidden criterion gets none."""

    def fail(*_):
        raise KeyError("value")

    monkeypatch.setattr(messages, "failed_test", fail)
    monkeypatch.setattr(messages, "failed_import", fail)
    answers = [asked(SMALL, {"kind": "value", "value": 6})]
    got = result(exercise, [entry(SMALL, "failed", error="AssertionError")], answers)
    assert (got.status, got.score) == ("graded", 8)
    assert only(got, "add-two").message == "Not all of its calls gave what was expected."
    broken = (loaded("lab", {"kind": "raised", "classes": []}),)
    got = result(exercise, [entry(ANY, "failed", error="X")], broken)
    assert only(got, "add-any").message == ""


def test_files_that_cannot_be_run(exercise):
    """Each criterion of the file says why: a problem, a missing file, an empty file, a failed import."""
    failed = [entry(test, "failed", error="Failed", verdict="not-loaded") for test in sums_course.TESTS[1:]]
    cases = [
        (
            Submission("ada", {"facts.py": b""}, problems={"lab.py": "lab.py is a folder."}),
            (),
            "lab.py is a folder.",
        ),
        (
            Submission("ada", {"facts.py": b""}),
            (),
            "lab.py is missing: hand in all files together, each under its own name.",
        ),
        (Submission("ada", {"lab.py": b" \n"}), (), wording.empty_file("lab.py")),
        (
            Submission("ada", FILES),
            (loaded("lab", {"kind": "raised", "classes": []}, {"type": "NameError", "text": "no"}),),
            "lab.py could not be imported: NameError: no.",
        ),
    ]
    for submission, imports, message in cases:
        got = result(exercise, failed, imports, submission=submission)
        lines = [criterion for criterion in got.criteria if criterion.task != "facts"]
        assert {criterion.message for criterion in lines} == {message}
        assert {(criterion.status, criterion.points) for criterion in lines} == {("not-run", 0)}


def test_a_hidden_criterion_says_nothing_of_cells(exercise):
    """A submission can remove its function during a hidden test alone, so a message would tell a bit more."""
    broken = {"verb": "cell", "file": "0.cell", "name": "code cell 1"}
    aside = {"type": "SyntaxError", "text": "invalid syntax", "syntax": ["code cell 1", 1, 5, "def add(:"]}
    submission = Submission("ada", {}, cells=(Cell("code cell 1", b"def add(:"),))
    gone = {"error": "Failed", "verdict": "missing"}
    cell = Exchange("", broken, {"kind": "raised", "classes": ["SyntaxError"]}, aside)
    got = result(
        exercise,
        [entry(SMALL, "failed", **gone), entry(ANY, "failed", **gone)],
        [cell],
        submission=submission,
    )
    assert "code cell 1 line 1 is not valid Python" in only(got, "add-two").message
    assert (only(got, "add-any").points, only(got, "add-any").message) == (0, "")


def test_flags_and_notes(exercise):
    """Flags of intake and run are sorted, each once; notes keep their order."""
    submission = Submission(
        "ada", FILES, flags=("renamed-file", "tried-files"), notes=("lab (1).py was taken.",)
    )
    got = result(exercise, submission=submission, flags=("tried-files", "ended-process"))
    assert got.flags == ("ended-process", "renamed-file", "tried-files")
    assert got.notes == ("lab (1).py was taken.",)


def test_what_was_received(exercise):
    """Digest, time in UTC, and the names of all files that were graded."""
    when = datetime(2027, 3, 1, 12, 30, 5, tzinfo=timezone(timedelta(hours=2)))
    submission = Submission("ada", FILES, helpers={"helper.py": b""}, submitted_at=when)
    files = ("facts.py", "helper.py", "lab.py")
    assert result(exercise, submission=submission).submission == Received(
        submission.digest, "2027-03-01T10:30:05Z", files
    )


@pytest.mark.parametrize(
    ("status", "has_bytes"), [("missing", False), ("unreadable", True), ("grader-error", True)]
)
def test_submissions_without_a_score(exercise, status, has_bytes):
    """No number at all, every criterion not run, and one sentence for each."""
    got = unscored(exercise, Submission("ada", FILES, flags=("b", "a")), status, "Because.")
    assert (got.status, got.score, got.late_penalty, got.max_score) == (status, None, None, 10)
    assert {(c.status, c.points, c.message) for c in got.criteria} == {("not-run", 0, "Because.")}
    assert [c.max_points for c in got.criteria] == [1, 2, 3, 4]
    assert (got.submission is not None) is has_bytes
    assert got.flags == ("a", "b")


def test_invisible_characters_are_escaped(exercise):
    """A lone surrogate, an escape sequence and a direction mark become escapes; texts are cut."""
    evil = "\ud800\x1b[2J\u202e" + "x" * 9000
    submission = Submission("ada", {}, notes=(evil,))
    found = unscored(exercise, submission, "unreadable", evil)
    for text in (found.criteria[0].message, found.notes[0]):
        assert text.startswith(r"\ud800\x1b[2J\u202exxx")
        assert len(text) < 4100


def test_a_time_outside_the_calendar_is_left_out(exercise):
    """The first hour of the year 1, east of Greenwich, has no time in UTC: the field stays empty."""
    time = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))
    submission = Submission("ada", FILES, submitted_at=time)
    assert unscored(exercise, submission, "unreadable", "x").submission.submitted_at == ""


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("18.50", "18.5"),
        ("20", "20"),
        ("20.00", "20"),
        ("0", "0"),
        ("1E+2", "100"),
        ("0.07", "0.07"),
        ("1E-2", "0.01"),
    ],
)
def test_points_as_text(number, text):
    """Points are written without an exponent, trailing zeros or a comma."""
    assert points_text(Decimal(number)) == text


@pytest.mark.parametrize(("points", "number"), [("20.0", 20), ("18.5", 18.5), ("0", 0), ("1E+2", 100)])
def test_points_for_json(points, number):
    """A whole number of points is an int in JSON, any other a float."""
    found = points_number(Decimal(points))
    assert (found, type(found)) == (number, type(number))
