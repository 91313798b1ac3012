"""Stand-in modules: requests are sent as plain data, verdicts become values, exceptions or failed tests."""

import builtins
import sys
from fractions import Fraction

import pytest
from _pytest.outcomes import Failed

from grader.sandbox.inside import wire
from grader.suite.standin import StandIn, SubmissionProxy


@pytest.fixture
def proxy():
    """A proxy that keeps every request and answers with the next of ``answers``."""
    proxy = SubmissionProxy()
    proxy.asked = []
    proxy.answers = []

    def ask(request):
        proxy.asked.append(request)
        return proxy.answers.pop(0)

    proxy.ask = ask
    return proxy


@pytest.fixture
def lab(proxy):
    """A module of one function, ``add``."""
    return StandIn("lab", ("add",), proxy)


def value(content, **more):
    """Make a verdict with a value."""
    return {"kind": "value", "value": content, **more}


def raised(*classes):
    """Make a verdict with an exception."""
    return {"kind": "raised", "classes": [*classes]}


def test_a_call(lab, proxy):
    """Arguments are sent as plain data, by position and by name; the value is returned."""
    proxy.answers = [value({"t": [1, 2]})]
    assert lab.add(1, [2.5, None], b=(True,)) == (1, 2)
    assert proxy.asked == [
        {
            "verb": "call",
            "module": "lab",
            "name": "add",
            "arguments": [1, [2.5, None]],
            "keywords": [["b", {"t": [True]}]],
        }
    ]
    assert repr(lab.add) == "lab.add"


def test_a_constant(lab, proxy):
    """Any other name is requested each time it is read."""
    proxy.answers = [value(3), value(4)]
    assert (lab.HALF, lab.HALF) == (3, 4)
    assert [(request["verb"], request["name"]) for request in proxy.asked] == [("constant", "HALF")] * 2


def test_names_with_an_underscore(lab, proxy):
    """They raise AttributeError, so that Python's own lookups send no requests."""
    for name in ("_private", "__path__", "__wrapped__", "_mock_name"):
        assert not hasattr(lab, name)
    assert proxy.asked == []
    assert lab.__name__ == "lab"


def test_reading_while_tests_are_collected(lab, proxy):
    """During collection, reading a name is an error that says how to write the test."""
    proxy.ask = None
    for name in ("add", "HALF"):
        with pytest.raises(RuntimeError, match=rf"lab\.{name} was read while tests were collected"):
            getattr(lab, name)


def test_exceptions(lab, proxy):
    """The most specific built-in class is raised, without text, and caught as its base class."""
    proxy.answers = [raised("ZeroDivisionError", "ArithmeticError", "Exception", "BaseException")]
    with pytest.raises(ArithmeticError) as caught:
        lab.add()
    assert (type(caught.value), str(caught.value)) == (ZeroDivisionError, "")


def test_exceptions_that_need_arguments(lab, proxy):
    """A class that cannot be made without arguments is replaced by its nearest base class that can."""
    proxy.answers = [raised("UnicodeDecodeError", "UnicodeError", "ValueError"), raised("UnicodeDecodeError")]
    with pytest.raises(UnicodeError) as caught:
        lab.add()
    assert type(caught.value) is UnicodeError
    with pytest.raises(Exception, match=r"^$") as caught:
        lab.add()
    assert type(caught.value) is Exception


def test_exceptions_of_several_kinds(lab, proxy):
    """An error of two classes is caught as either; if Python cannot derive from both, as the first."""
    both = raised("ArithmeticError", "ValueError", "Exception", "BaseException")
    apart = raised("OSError", "SyntaxError", "Exception", "BaseException")
    proxy.answers = [both, both, apart]
    for kind in (ArithmeticError, ValueError):
        with pytest.raises(kind) as caught:
            lab.add()
        assert (type(caught.value).__name__, str(caught.value)) == ("ArithmeticError", "")
    with pytest.raises(OSError, match=r"^$") as caught:
        lab.add()
    assert type(caught.value) is OSError


def test_system_exit_with_another_class(lab, proxy):
    """SystemExit fails the test, even if it is a ValueError, too."""
    proxy.answers = [raised("SystemExit", "ValueError", "Exception", "BaseException")]
    with pytest.raises(Failed, match="raised SystemExit"), pytest.raises(ValueError, match="anything"):
        lab.add()


def test_an_exception_of_no_known_class(lab, proxy):
    """Without a known class an Exception is raised."""
    proxy.answers = [raised()]
    with pytest.raises(Exception, match=r"^$") as caught:
        lab.add()
    assert type(caught.value) is Exception


def test_every_built_in_exception(lab, proxy):
    """Each gives an Exception or a failed test, never an interrupt, exit or skip."""
    classes = [
        name
        for name, kind in vars(builtins).items()
        if isinstance(kind, type) and issubclass(kind, BaseException)
    ]
    assert len(classes) > 60
    for name in classes:
        proxy.answers = [raised(name)]
        with pytest.raises((Exception, Failed)):
            lab.add()


@pytest.mark.parametrize("name", ["KeyboardInterrupt", "SystemExit", "GeneratorExit", "BaseException"])
def test_exceptions_that_end_programs_fail_the_test(lab, proxy, name):
    """They fail the test, even where it expects any exception."""
    proxy.answers = [raised(name)]
    with pytest.raises(Failed, match=f"raised {name}"), pytest.raises(Exception, match="anything"):
        lab.add()


@pytest.mark.parametrize(
    "verdict",
    [
        {"kind": "stopped", "reason": "time"},
        {"kind": "missing"},
        {"kind": "uncallable"},
        {"kind": "not-loaded", "reason": "absent"},
        {"kind": "loaded"},
    ],
)
def test_other_verdicts_fail_the_test(lab, proxy, verdict):
    """A stop or a missing function is not caught as an expected exception."""
    proxy.answers = [verdict]
    with (
        pytest.raises(Failed, match=rf"lab\.add: {verdict['kind']}"),
        pytest.raises(Exception, match="anything"),
    ):
        lab.add()


def test_arguments_that_changed(lab, proxy):
    """Changes of lists and dicts appear in the test's own, also when the function raises."""
    values, table = [1, 2], {"a": 1}
    proxy.answers = [
        value(0, changed=[[1, [9, {"t": []}]], [2, {"d": [["b", 2]]}]]),
        {**raised("ValueError"), "changed": [[0, []]]},
    ]
    assert lab.add(5, values, table) == 0
    assert (values, table) == ([9, ()], {"b": 2})
    with pytest.raises(ValueError, match=r"^$"):
        lab.add(values)
    assert values == []


def test_arguments_that_changed_beyond_plain_data(lab, proxy):
    """A list or dict that became opaque is no longer equal to what it was."""
    values, table = [], {}
    proxy.answers = [value(0, changed=[[0, {"o": ""}], [1, {"o": ""}]])]
    lab.add(values, table)
    assert values != []
    assert table != {}


def test_generators_are_sent_as_their_items(lab, proxy):
    """A generator is sent as a tagged list of items."""
    proxy.answers = [value(6)]
    assert lab.add(n for n in (1, 2, 3)) == 6
    assert proxy.asked[0]["arguments"] == [{"g": [1, 2, 3]}]


@pytest.mark.parametrize("argument", [object(), [object()], {"a": {1: (len,)}}, 2**12_000, [0] * 5_000])
def test_tests_send_plain_data(lab, proxy, argument):
    """Other arguments raise TypeError and send nothing."""
    with pytest.raises(TypeError, match="plain data only"):
        lab.add(argument)
    assert proxy.asked == []


def test_opaque_values_are_unequal(lab, proxy):
    """An opaque value fails every comparison, from both sides."""
    proxy.answers = [value({"o": ""})]
    got = lab.add()
    assert type(got) is wire.Opaque
    assert [got == 5, 5 == got, got == got, got != 5] == [False] * 3 + [True]  # noqa: PLR0124, SIM300
    assert got != pytest.approx(5)


def test_latest_request_is_kept(lab, proxy):
    """The proxy keeps the arguments, value and verdict of the latest request."""
    values = [1]
    proxy.answers = [value({"q": [1, 2]}), {"kind": "missing"}]
    got = lab.add(values)
    assert got == Fraction(1, 2)
    assert proxy.value is got
    assert proxy.arguments[0] is values
    with pytest.raises(Failed):
        lab.add()
    assert (proxy.arguments, proxy.value, proxy.verdict) == ((), None, {"kind": "missing"})


def test_it_is_a_module(lab, monkeypatch):
    """An import statement returns it."""
    monkeypatch.setitem(sys.modules, "lab", lab)
    import lab as imported  # noqa: PLC0415 - the import is what is tested

    assert imported is lab
