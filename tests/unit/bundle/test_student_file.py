"""A student's file cannot end, block or confuse the run of its tests."""

import builtins
import signal
import sys
import threading
import time

import pytest

from grader.bundle import timeout, wording
from grader.bundle.student_file import EndTest, StudentFile, Watch, place, text_of


@pytest.fixture
def watch(tmp_path):
    """A watch as while a test runs, with a short time limit."""
    made = Watch(tmp_path, {})
    made.begin()
    made.seconds = 0.2
    return made


@pytest.fixture
def student(tmp_path, watch):
    """Make a student's file with this text and the tasks ``f`` and ``g``."""

    def make(text):
        data = text if isinstance(text, bytes) else text.encode()
        (tmp_path / "work.py").write_bytes(data)
        return StudentFile(tmp_path / "work.py", ["f", "g"], watch)

    return make


def told(use):
    """The state and the sentence with which a use of the student's file ends."""
    with pytest.raises(EndTest) as caught:
        use()
    return caught.value.state, caught.value.sentence


def test_call_is_recorded_with_its_answer(student, watch):
    """The call as typed, made before it runs, and what came back."""
    work = student("def f(a, b=1):\n    a.append(9)\n    return b\n")
    assert work.f([1, 2], b=3) == 3
    assert [(call.text, call.got) for call in watch.calls] == [("f([1, 2], b=3)", 3)]
    assert watch.calls[0].changed == [([1, 2], [1, 2, 9])]


def test_constant_is_recorded_when_it_is_read(student, watch):
    """A constant has no call, so reading it counts as one."""
    assert student("ANSWER = 7\n").ANSWER == 7
    assert [(call.text, call.verb, call.got) for call in watch.calls] == [("ANSWER", "is", 7)]


def test_error_of_the_student_reaches_the_test(student, watch):
    """``pytest.raises`` can catch it, and the watch keeps it."""
    work = student("def f():\n    raise KeyError('k')\n")
    with pytest.raises(KeyError) as caught:
        work.f()
    assert watch.raised is caught.value
    assert watch.at == "f()"
    assert watch.calls == []


def test_file_is_imported_when_it_is_first_needed(student, tmp_path):
    """Its text at that moment counts, and it is imported once."""
    work = student("raise RuntimeError\n")
    (tmp_path / "work.py").write_text("import random\nLOADED = random.random()\n", encoding="utf-8")
    first = work.LOADED
    (tmp_path / "work.py").unlink()
    assert first == work.LOADED


def test_doctests_and_editors_find_what_is_there(student):
    """``dir`` imports the file and lists its names; of a broken file it lists none of them."""
    work = student('"""About."""\n\ndef f():\n    return 1\n')
    assert "f" in dir(work)
    assert work.__doc__ == "About."
    assert vars(work)["f"]() == 1
    assert "f" not in dir(student("def f(:\n"))


def test_missing_name_is_explained_only_in_tests(student, watch):
    """While no test runs, a name that is not there is an AttributeError, as for any module."""
    work = student("def F():\n    return 1\n")
    assert told(lambda: work.f) == ("not-run", "work.py has no f. It has F: give it the name f.")
    watch.begin(running=False)
    with pytest.raises(AttributeError):
        _ = work.f


def test_number_in_place_of_a_function(student):
    """``f = 3`` cannot be called."""
    work = student("f = 3\n")
    assert told(lambda: work.f(1)) == (
        "not-run",
        "f in work.py is not a function: define it with def.",
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x = 1\ndef f(:\n", wording.not_python("work.py", 2, "invalid syntax", "def f(:")),
        ("import sys\nsys.exit()\n", wording.ended_import("work.py", line=2)),
        ("n = input('? ')\n", wording.asks_for_input("work.py", 1)),
        ("x = “a”\n", wording.not_python("work.py", 1, "invalid character '“' (U+201C)", "x = “a”", 5)),
        ("from . import other\n", wording.import_failed("work.py", "", "attempted relative import", 1)),
        ("\n\n{}['k']\n", wording.import_failed("work.py", "KeyError", "'k'", 3)),
        ("raise BaseException\n", wording.import_failed("work.py", "BaseException", "", 1)),
        ("while True:\n    pass\n", wording.slow_import("work.py", 0.2)),
        (b"x = 1\x00\n", wording.unreadable("work.py", "it holds NUL characters; save it as UTF-8")),
        (b"x = '\xe9'\n", wording.unreadable("work.py", "it is not UTF-8 text; save it as UTF-8")),
    ],
)
def test_failed_import_is_one_sentence(student, text, sentence):
    """The sentence has the reason and the line, and is the same for each test that needs the file."""
    work = student(text)
    assert told(lambda: work.f) == ("not-run", sentence)
    assert told(lambda: work.g) == ("not-run", sentence)


@pytest.mark.parametrize(
    "bottom",
    ["import work\nassert work.f() == 1\n", "import pickle\npickle.dumps(f)\n", "from work import f\n"],
)
def test_file_may_import_itself(student, monkeypatch, bottom):
    """During its import its name leads to the unfinished module; afterwards to the stand-in again."""
    work = student(f"count = []\ndef f():\n    count.append(1)\n    return len(count)\n{bottom}")
    monkeypatch.setitem(sys.modules, "work", work)
    first = work.f()
    assert work.f() == first + 1
    assert sys.modules["work"] is work


@pytest.fixture
def pair(tmp_path, watch, monkeypatch):
    """Make two student's files, ``one`` and ``two``, that can import each other."""

    def make(one, two):
        made = []
        for name, text in (("one", one), ("two", two)):
            (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
            made.append(StudentFile(tmp_path / f"{name}.py", ["f"], watch))
            monkeypatch.setitem(sys.modules, name, made[-1])
        return made

    return make


def test_two_files_that_import_each_other(pair):
    """The sentence is the grader's own, with nothing around it; each file is tried by itself."""
    one, two = pair(
        "import two\nA = two.f()\n",
        "def f():\n    return 1\nimport one\nprint(one.A)\n",
    )
    sentence = (
        "two.py line 4 needs something of one.py, which in turn waits for two.py: the two import each other. "
        "Move what both need into one of them."
    )
    for _ in range(2):
        assert told(lambda: one.A) == ("not-run", sentence)
    assert two.f() == 1
    assert told(lambda: one.A) == ("not-run", sentence)


def test_file_that_imports_a_broken_one_has_its_sentence(pair):
    """The sentence names the file with the mistake."""
    one, two = pair("import two\nA = two.f()\n", "def f(:\n")
    sentence = wording.not_python("two.py", 1, "invalid syntax", "def f(:")
    assert told(lambda: one.A) == ("not-run", sentence)
    assert told(lambda: two.f) == ("not-run", sentence)


def test_missing_or_unreadable_file_is_one_sentence(student, tmp_path, watch):
    """There is no file, one with a similar name, or a folder with its name."""
    work = student("")
    (tmp_path / "work.py").unlink()
    assert told(lambda: work.f) == ("not-run", "work.py is not in this folder: put it back under this name.")
    (tmp_path / "my_work.py").write_text("")
    said = "work.py is not in this folder, but my_work.py is: give it the name work.py."
    assert told(lambda: StudentFile(tmp_path / "work.py", [], watch).f) == ("not-run", said)
    (tmp_path / "work.py").mkdir()
    again = StudentFile(tmp_path / "work.py", [], watch)
    assert told(lambda: again.f) == ("not-run", "work.py could not be read: Is a directory.")


def test_ctrl_c_ends_an_import(student):
    """A KeyboardInterrupt that the time limit did not send is raised again."""
    work = student("raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        _ = work.f


@pytest.mark.parametrize(
    ("body", "state", "sentence"),
    [
        ("sys.exit()", "needs-work", wording.ended_program("f()", where="work.py line 3")),
        ("sys.exit(2)", "needs-work", wording.ended_program("f()", where="work.py line 3")),
        ("quit()", "needs-work", wording.ended_program("f()", where="work.py line 3")),
        ("raise MemoryError", "stopped", wording.too_much_memory("f()")),
        ("while True: pass", "stopped", wording.too_slow("f()", 0.2)),
    ],
)
def test_call_that_does_not_return_has_its_sentence(student, body, state, sentence):
    """The call ended the program, or was stopped."""
    assert told(student(f"import sys\ndef f():\n    {body}\n").f) == (state, sentence)


def test_function_that_took_too_long_is_not_called_again(student):
    """The next call of the same function does not begin; other functions still run."""
    work = student("def f():\n    while True: pass\n\ndef g():\n    return 5\n")
    told(work.f)
    assert told(work.f) == ("stopped", "f() was not run, since f took too long before.")
    assert work.g() == 5


def test_loop_with_a_bare_except_is_interrupted_again(student):
    """The first interrupt is swallowed by a bare except; a second comes a second later."""
    source = "def f():\n    try:\n        while True: pass\n    except:\n        while True: pass\n"
    assert told(student(source).f)[0] == "stopped"


@pytest.mark.slow
@pytest.mark.parametrize("inner", ["pass", "while True: pass", "g()"])
def test_loop_that_swallows_every_interrupt_is_stopped(student, inner):
    """A bare except inside the loop catches each interrupt; a trace of lines gets out of it."""
    source = "def g():\n    while True: pass\n\ndef f():\n    while True:\n"
    source += f"        try:\n            {inner}\n        except:\n            x = 1\n            y = 2\n"
    usual = sys.gettrace()
    assert told(student(source).f)[0] == "stopped"
    assert sys.gettrace() is usual


def test_interrupts_of_one_long_step_stop_only_the_student(student, monkeypatch):
    """Two interrupts came during a step that none can stop: what catches the first one gets no second one."""
    usual = sys.gettrace()

    def wait(self, _seconds):
        if not self._over.wait(0.2):  # the import before the call ends its own one
            self.times = 2
            timeout._thread.interrupt_main()

    monkeypatch.setattr(timeout.Interrupter, "_wait", wait)
    assert told(student("def f():\n    while True: pass\n").f)[0] == "stopped"
    assert sys.gettrace() is usual


def test_input_raises_during_a_call_only(student):
    """During a call ``input()`` raises; afterwards it is Python's own again."""
    usual = builtins.input
    work = student("def f():\n    try: return input()\n    except Exception as e: return type(e).__name__\n")
    assert work.f() == "AskedForInput"
    assert builtins.input is usual


def test_ctrl_c_before_the_limit_is_raised_again():
    """Before the time limit a KeyboardInterrupt comes from the person at the keyboard."""
    with pytest.raises(KeyboardInterrupt), timeout.time_limit(5):
        signal.raise_signal(signal.SIGINT)


def test_late_interrupt_does_not_reach_later_code():
    """An interrupt that is on its way when the call ends is absorbed."""
    with timeout.time_limit(0.1):
        try:
            while True:
                time.sleep(0.01)
        except KeyboardInterrupt:
            pass
    time.sleep(0.1)


def test_interrupt_of_our_own_code_is_ignored():
    """The limit may strike when the student has just ended; a person is heard even then."""
    space = {}
    exec(compile("import sys\nframe = sys._getframe()", timeout.__file__, "exec"), space)  # noqa: S102 - our own text
    interrupter = timeout.Interrupter(60)
    with pytest.raises(KeyboardInterrupt):
        interrupter.strike(signal.SIGINT, space["frame"])
    interrupter.times = 1
    interrupter.strike(signal.SIGINT, space["frame"])
    with pytest.raises(KeyboardInterrupt):
        interrupter.strike(signal.SIGINT, sys._getframe())
    interrupter.end()


def test_ctrl_c_during_the_end_is_raised_again():
    """The interrupter never fired, so the interrupt is the person's."""

    class Interrupted:
        def __enter__(self):
            raise KeyboardInterrupt

        def __exit__(self, *_):
            pass

    interrupter = timeout.Interrupter(60)
    interrupter._lock = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        interrupter.end()
    interrupter._over.set()


def test_no_limit_in_a_debugger_a_browser_or_another_thread(monkeypatch):
    """While someone steps through the code, and where no thread starts or no interrupt arrives."""
    finished = []

    def work():
        with timeout.time_limit(0.01):
            time.sleep(0.05)
            finished.append(1)

    monkeypatch.setitem(sys.modules, "pydevd", object())
    work()
    monkeypatch.delitem(sys.modules, "pydevd")
    with monkeypatch.context() as browser:
        browser.setattr(sys, "platform", "emscripten")
        work()
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert finished == [1, 1, 1]


def test_place_of_an_error_is_a_line_of_the_student(student, tmp_path):
    """It is the innermost line in the student's folder; empty when there is none."""
    (tmp_path / "helper.py").write_text("def fail():\n    return {}['x']\n", encoding="utf-8")
    work = student(
        "import importlib.util\n"
        f"spec = importlib.util.spec_from_file_location('helper', {str(tmp_path / 'helper.py')!r})\n"
        "helper = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(helper)\n"
        "def f():\n    return helper.fail()\n"
    )
    with pytest.raises(KeyError) as caught:
        work.f()
    assert place(caught.value, tmp_path / "work.py") == "helper.py line 2"
    assert place(ValueError(), tmp_path / "work.py") == ""


def test_error_whose_text_cannot_be_read_has_none():
    """A student's own ``__str__`` may raise."""

    class Odd(Exception):  # noqa: N818 - its name does not matter
        def __str__(self):
            raise RuntimeError

    assert text_of(Odd()) == ""
    assert text_of(ValueError("why")) == "why"


@pytest.mark.parametrize("what", ["call", "import"])
def test_nothing_is_slow_where_no_limit_of_the_grader_is_known(tmp_path, monkeypatch, what):
    """However long a call or an import computed, it ends without an error of ours."""
    watch = Watch(tmp_path, {})
    clock = iter([0.0, 99.0])
    monkeypatch.setattr(time, "process_time", lambda: next(clock))
    with watch.run("work.py", what):
        pass
    monkeypatch.undo()
    assert watch.slow == {}
