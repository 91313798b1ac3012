"""Encoding, decoding and frames: any bytes become plain data or a WireError, within bounds."""

import contextlib
import json
import math
import time
from fractions import Fraction
from types import GeneratorType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.sandbox.inside import wire

PLAIN = (type(None), bool, int, float, str, bytes, list, tuple, dict, set, range, Fraction, wire.Opaque)

keys = st.one_of(st.text(max_size=8), st.integers(-(2**60) + 1, 2**60 - 1))
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**200), 2**200),
    st.floats(allow_nan=False),
    st.text(max_size=20),
    st.binary(max_size=20),
    st.fractions(),
    st.builds(range, st.integers(-9, 9), st.integers(-9, 9), st.integers(1, 9)),
    st.sets(keys, max_size=5),
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.lists(inner, max_size=5).map(tuple),
        st.dictionaries(keys, inner, max_size=5),
    ),
    max_leaves=20,
)
# Trees that look like what a child might send, tags and all, right and wrong.
trees = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.dictionaries(st.sampled_from([*"tdsbfqrgox", "py/object", ""]), inner, max_size=2),
    ),
    max_leaves=30,
)


class LyingInt(int):
    """An int that is equal to everything."""

    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


def there_and_back(value):
    """Encode a value as a frame and decode it."""
    frame = wire.dumps({"v": wire.encode(value)})
    return wire.decode(wire.loads(frame[4:])["v"])


def same(one, other):
    """Return True if two values and their parts have equal types and values; -0.0 is not 0.0."""
    if type(one) is not type(other):
        return False
    if type(one) in (list, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if type(one) is dict:
        return [*one] == [*other] and all(map(same, one.values(), other.values()))
    if type(one) is float:
        return one == other and math.copysign(1, one) == math.copysign(1, other)
    return one == other


def is_plain(value):
    """Return True if a value and its parts are of exact built-in types."""
    if type(value) in (list, tuple, set):
        return all(map(is_plain, value))
    if type(value) is dict:
        return all(type(key) in (str, int) and is_plain(item) for key, item in value.items())
    return type(value) in PLAIN


@given(values)
def test_plain_values_arrive_as_they_were(value):
    """Ints, floats, texts, bytes, fractions, ranges, and lists, tuples, dicts and sets of them."""
    assert same(there_and_back(value), value)


def test_encoded_bytes():
    """Bytes worked out by hand: four of length, then JSON with tags."""
    assert wire.dumps({"v": wire.encode((1, "é", None))}) == b'\x00\x00\x00\x1d{"v":{"t":[1,"\\u00e9",null]}}'
    assert wire.encode({"a": {2, 1}}) == {"d": [["a", {"s": [1, 2]}]]}
    assert wire.encode(b"\x00\xff") == {"b": "00ff"}
    assert wire.encode(range(1, 9, 2)) == {"r": [1, 9, 2]}
    assert wire.encode(Fraction(1, 3)) == {"q": [1, 3]}
    assert wire.encode(frozenset({"x"})) == {"s": ["x"]}


def test_infinities_and_nan_arrive():
    """Infinities and nan arrive as they were."""
    assert there_and_back(math.inf) == math.inf
    assert there_and_back(-math.inf) == -math.inf
    assert math.isnan(there_and_back(math.nan))


def test_the_largest_whole_number():
    """Ints of 12,000 bits arrive, of either sign; of 12,001 bits they are opaque."""
    assert there_and_back(2**12_000 - 1) == 2**12_000 - 1
    assert there_and_back(1 - 2**12_000) == 1 - 2**12_000
    assert type(there_and_back(2**12_000)) is wire.Opaque
    assert type(there_and_back(Fraction(1, 2**12_000))) is wire.Opaque


@pytest.mark.parametrize(
    "value",
    [
        LyingInt(5),
        object(),
        int,
        len,
        1j,
        {1.5: 1},
        {2**60: 1},
        {(1,): 1},
        {None},
        {True: 1},
        bytearray(b"x"),
        {n: n for n in range(257)},
        set(range(257)),
        range(10**9),
        range(0, -(10**4000), -1),
        [range(3_000), range(3_000)],
    ],
)
def test_anything_else_is_opaque(value):
    """Subclasses, objects and unusual keys arrive as a value that equals nothing."""
    got = there_and_back(value)
    assert type(got) is wire.Opaque
    assert not got == got  # noqa: SIM201, PLR0124 - both operators are what is tested
    assert got != got  # noqa: PLR0124 - the same
    assert not got == value  # noqa: SIM201 - the same


def test_an_opaque_value_has_no_truth_and_no_hash():
    """``bool`` and ``hash`` raise; ``repr`` does not show the type's name."""
    with pytest.raises(TypeError):
        bool(wire.Opaque("x"))
    with pytest.raises(TypeError):
        hash(wire.Opaque("x"))
    assert repr(wire.Opaque("a class's name")) == "<not plain data>"


def test_opaque_values_inside():
    """In a list, one opaque item leaves the others as they are; it keeps the name of its type."""
    got = there_and_back([1, LyingInt(2)])
    assert got[0] == 1
    assert type(got[1]) is wire.Opaque
    assert got[1].kind == "LyingInt"


def test_a_class_cannot_choose_how_it_is_named():
    """A metaclass's own ``__name__`` is not used; names are cut at 80 characters."""

    class Nameless(type):
        @property
        def __name__(cls):
            return 5

    assert wire.encode(Nameless("Real", (), {})()) == {"o": "Real"}
    assert wire.encode(type("x" * 100, (), {})()) == {"o": "x" * 80}


def test_deep_lists_end_in_an_opaque_value():
    """24 nested lists arrive; of 25 the innermost is opaque."""
    value: list = []
    for _ in range(23):
        value = [value]
    assert same(there_and_back(value), value)
    got = there_and_back([value])
    for _ in range(24):
        got = got[0]
    assert type(got) is wire.Opaque


def test_a_list_that_holds_itself():
    """It is cut at the largest depth; a list that holds itself ten times is opaque as a whole."""
    value: list = []
    value.append(value)
    got = there_and_back(value)
    for _ in range(24):
        got = got[0]
    assert type(got) is wire.Opaque
    value.extend([value] * 9)
    assert wire.encode(value) == {"o": "list"}


def test_more_than_the_bounds_allow_is_opaque():
    """A list of 4,999 items arrives; one of 5,000 is opaque, as is one of 10 million within 0.1 s."""
    assert wire.encode([0] * 4_999) == [0] * 4_999
    assert wire.encode([0] * 5_000) == {"o": "list"}
    assert wire.encode(tuple([{"a": 1}] * 4_000)) == {"o": "tuple"}
    with pytest.raises(wire.WireError):
        wire.decode([0] * 5_000)
    long = [0] * 10**7
    begun = time.process_time()
    assert wire.encode(long) == {"o": "list"}
    assert time.process_time() - begun < 0.1


def test_generators_are_for_requests_alone():
    """An argument may be a generator, not inside another value; a reply may not hold one."""
    got = wire.decode_argument({"g": [1, {"t": [2]}]})
    assert type(got) is GeneratorType
    assert [*got] == [1, (2,)]
    assert wire.decode_argument({"t": [1]}) == (1,)
    with pytest.raises(wire.WireError):
        wire.decode({"g": [1]})
    with pytest.raises(wire.WireError):
        wire.decode_argument([{"g": [1]}])


@given(trees)
def test_any_tree_is_plain_data_or_an_error(tree):
    """Any tree decodes to exact built-in types or raises WireError."""
    try:
        got = wire.decode(tree)
    except wire.WireError:
        return
    assert is_plain(got)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_message_or_an_error(body):
    """Any body is a dict or raises WireError."""
    try:
        assert type(wire.loads(body)) is dict
    except wire.WireError:
        return


@given(st.binary(max_size=64))
def test_any_stream_is_a_message_or_an_error(stream):
    """Any stream gives a dict, a WireError or the reader's own EOFError."""

    def end():
        raise EOFError

    try:
        assert type(wire.loads(wire.next_body(bytearray(stream), end))) is dict
    except (wire.WireError, EOFError):
        return


@pytest.mark.parametrize(
    "tree",
    [
        {"t": 1},
        {"t": [1], "x": 2},
        {},
        {"x": []},
        {"o": 5},
        {"f": "1.5"},
        {"f": ["nan"]},
        {"b": "0"},
        {"b": "zz"},
        {"b": 5},
        {"d": [1]},
        {"d": [["a"]]},
        {"d": [["a", 1, 2]]},
        {"d": [[1.5, 1]]},
        {"d": [[True, 1]]},
        {"d": [[{"t": []}, 1]]},
        {"s": [1.5]},
        {"s": [[1]]},
        {"s": [2**60]},
        {"q": [1]},
        {"q": [1, 0]},
        {"q": [1, -3]},
        {"q": [1.5, 2]},
        {"q": [True, 2]},
        {"r": [0, 5]},
        {"r": [0, 5, 0]},
        {"r": [0, 5, None]},
        {"r": [0, 5, 2**12_000]},
        2**12_000,
        math.inf,
        math.nan,
        {"py/object": "os.system"},
        (1,),
        b"x",
    ],
)
def test_malformed_trees_are_refused(tree):
    """Unknown tags, tags with the wrong content, numbers out of bounds."""
    with pytest.raises(wire.WireError):
        wire.decode(tree)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"1",
        b"null",
        b"{",
        b"{} {}",
        b"\xff{}",
        '{"a":"é"}'.encode(),
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"a":' + b"9" * 5_000 + b"}",
        b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"a":' * 50_000,
    ],
)
def test_malformed_bodies_are_refused(body):
    """No object, no ASCII, no JSON, NaN, a number that is too long, too deep nesting."""
    with pytest.raises(wire.WireError):
        wire.loads(body)


def test_a_frame_that_is_too_long():
    """A length of 256 KiB and a byte is refused before the body is read; 256 KiB are read."""
    longest = 1 << 18

    def end():
        raise EOFError

    with pytest.raises(wire.WireError):
        wire.next_body(bytearray((longest + 1).to_bytes(4, "big")), end)
    received = bytearray(longest.to_bytes(4, "big"))
    with pytest.raises(EOFError):
        wire.next_body(received, end)
    body = b"{" + b" " * (longest - 2) + b"}"
    assert wire.next_body(received, lambda: received.extend(body + b"more")) == body
    assert received == b"more"


def test_a_message_too_large_to_send():
    """The sender refuses a body of more than 256 KiB."""
    fits = "x" * ((1 << 18) - len('{"v":""}'))
    assert len(wire.dumps({"v": fits})) == (1 << 18) + 4
    with pytest.raises(wire.WireError):
        wire.dumps({"v": fits + "x"})


@pytest.mark.parametrize(
    "tree",
    [
        [{"d": [[n * 2**40 + k, 0] for n in range(32)]} for k in range(50)],
        {"s": [n << 40 for n in range(256)]},
        [{"q": [2**11_999 - n, 2**11_998 - 1]} for n in range(1, 35)],
        [[[]] * 70] * 70,
        ["x" * 3_000] * 80,
        {"b": "ab" * 130_000},
    ],
)
def test_costliest_valid_replies_take_under_a_second(tree):
    """The costliest frames within the bounds, such as colliding keys, decode within a CPU second."""
    body = json.dumps({"v": tree}).encode()
    assert len(body) <= wire.MAX_FRAME
    begun = time.process_time()
    with contextlib.suppress(wire.WireError):
        wire.decode(wire.loads(body)["v"])
    assert time.process_time() - begun < 1
