"""Wrong versions of the five functions, each with the sentence that helps a student who wrote it.

A right function is built from parts: which sequences are too long, what happens then, what an empty list
gives, how the slots are counted. A misconception replaces one part, so that it is wrong in one way only and
two of them never answer alike. The wrong version shows that the tests notice the mistake;
the sentence is said to a student whose function answers the same way, so it holds no value of any test.
Some versions keep or change things on purpose: whoever runs them loads this file anew.

A first try often has two or three mistakes: a wrong count, and no check, no clamp or no case for an empty
list. ``compositions`` puts these together from the same parts.
"""

# ruff: noqa: ANN001, ANN003, ANN201, ANN202 - the functions are bare as students write them
# ruff: noqa: ARG001, B006 - to ignore an argument or to keep state is the mistake shown

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

from grader.lesson.wrong_versions import (
    Function,
    Total,
    WrongVersion,
    fail,
    first_tries,
    together,
    unchanged,
)

ALL: list[WrongVersion] = []


# --- the right functions, in parts ---


def any_too_long(lengths, max_len):
    """True if a sequence is longer than the limit; without a limit none is."""
    return max_len is not None and any(length > max_len for length in lengths)


def refuse(lengths, max_len):
    """What a too long sequence leads to."""
    raise ValueError("too long")


def tokens(lengths, max_len):
    """The slots that hold a token."""
    return sum(lengths)


def idle_share(lengths, max_len):
    """The share of the reserved slots that hold no token, of one sequence or more."""
    return 1 - sum(lengths) / (len(lengths) * max_len)


def in_blocks(length, block):
    """The slots of the blocks that hold one sequence."""
    return -(-length // block) * block


def all_in_blocks(lengths, block):
    """The slots of the blocks that hold all sequences."""
    return sum(in_blocks(length, block) for length in lengths)


def product(n_seq, max_len):
    """The slots of all regions."""
    return n_seq * max_len


def regions_left(pool, max_len, n_running):
    """The regions that still fit; negative when the pool is too small for what runs."""
    return pool // max_len - n_running


def at_least_0(regions):
    """0 where the pool is too small."""
    return max(0, regions)


# --- a misconception: one part replaced ---


def register(task, name, explanation, *, true_of="", left_out=False, added=False, **parts):
    """Register a wrong version of ``task`` that has these parts in place of the right ones."""
    prefix = task.partition("_")[0]
    marks = {"true_of": true_of, "left_out": left_out, "added": added}
    function = BUILD[task](**parts)
    ALL.append(WrongVersion(f"{prefix}-{name}", task, explanation, function, parts=parts, **marks))


def build_reserved(count=product, answer=unchanged):
    """Build a version of ``reserved_slots``."""

    def function(n_seq, max_len):
        return answer(count(n_seq, max_len))

    return function


def in_order(
    count,
    *,
    too_long=any_too_long,
    refuse=refuse,
    empty=None,
    before=unchanged,
    after=unchanged,
    answer=unchanged,
):
    """Put a function of lengths and a size together from its parts, in the order in which they act."""

    def function(lengths, size):
        before(lengths)
        if too_long(lengths, size):
            return refuse(lengths, size)
        found = answer((empty if empty and not lengths else count)(lengths, size))
        after(lengths)
        return found

    return function


def build_used(count=tokens, *, default=None, whole=None, **parts):
    """Build a version of ``used_slots``; ``whole`` is one that has no parts."""
    inner = in_order(count, **parts)

    def function(lengths, max_len=default):
        return inner(lengths, max_len)

    return whole or function


def build_waste(count=idle_share, *, whole=None, **parts):
    """Build a version of ``waste_fraction``."""
    inner = in_order(count, **{"empty": lambda *_: 0.0, **parts})

    def function(lengths, max_len):
        return inner(lengths, max_len)

    return whole or function


def build_extra(count=regions_left, *, clamp=at_least_0, answer=unchanged):
    """Build a version of ``extra_reservations``."""

    def function(pool, max_len, n_running):
        return answer(clamp(count(pool, max_len, n_running)))

    return function


def build_paged(each=in_blocks, *, taken=unchanged, count=None, whole=None, **parts):
    """Build a version of ``paged_slots``; ``taken`` are the lengths that count, ``each`` is what one gets."""

    def add_up(lengths, block):
        return sum(each(length, block) for length in taken(lengths))

    inner = in_order(count or add_up, **{"too_long": lambda *_: False, **parts})

    def function(lengths, block):
        return inner(lengths, block)

    return whole or function


BUILD: dict[str, Callable[..., Function]] = {
    "reserved_slots": build_reserved,
    "used_slots": build_used,
    "waste_fraction": build_waste,
    "extra_reservations": build_extra,
    "paged_slots": build_paged,
}


def reserved(name, explanation, count=product, **parts):
    """Register a wrong version of ``reserved_slots``."""
    register("reserved_slots", name, explanation, **with_count(count, product), **parts)


def used(name, explanation, count=tokens, **parts):
    """Register a wrong version of ``used_slots``."""
    register("used_slots", name, explanation, **with_count(count, tokens), **parts)


def waste(name, explanation, count=idle_share, **parts):
    """Register a wrong version of ``waste_fraction``."""
    register("waste_fraction", name, explanation, **with_count(count, idle_share), **parts)


def extra(name, explanation, count=regions_left, **parts):
    """Register a wrong version of ``extra_reservations``."""
    register("extra_reservations", name, explanation, **with_count(count, regions_left), **parts)


def paged(name, explanation, each=in_blocks, **parts):
    """Register a wrong version of ``paged_slots``."""
    parts |= {"each": each} if each is not in_blocks else {}
    register("paged_slots", name, explanation, **parts)


def with_count(count, right):
    """Return the part ``count`` if it is not the right one."""
    return {} if count is right else {"count": count}


def each_of(tasks, name, explanation, **parts):
    """Register the same mistake for several functions."""
    for task in tasks:
        task(name, explanation, **parts)


def hands_on(name, explanation, **constants):
    """Register a wrong answer of Part 1."""
    ALL.append(WrongVersion(f"hands-on-{name}", "hands_on", explanation, constants=constants))


def compositions(task):
    """Put mistakes of a task together; yield their ids, what matters most first, and the function."""
    own = [one for one in ALL if one.task == task and one.parts and "whole" not in one.parts]
    left_out = tuple(one for one in own if one.left_out)
    counts = [one for one in own if not one.left_out and one.parts.keys() <= {"count", "each", "empty"}]
    lacking = [(), left_out] if left_out else [()]
    added = [(one, more, *some) for more in own if more.added for one in counts for some in lacking]
    yield from together([*first_tries(own), *added], BUILD[task])


def remove_zeros(lengths):
    """Take the sequences without tokens out of the list."""
    while 0 in lengths:
        lengths.remove(0)


# --- the answer's kind, and what is kept from call to call ---

each_of(
    (reserved, used, waste, extra, paged),
    "prints",
    "Your function returns None. To print a number, or to give it a name, does not hand it to the caller: "
    "end with return and the number.",
    answer=print,
    true_of="kind",
)
each_of(
    (reserved, used, waste, extra, paged),
    "text",
    "Your function returns text. Return the number by itself, so that others can calculate with it.",
    answer=str,
    true_of="kind",
)
each_of(
    (reserved, used, waste, extra, paged),
    "tuple",
    "Your function returns a tuple. A comma behind a value makes one: return the number by itself.",
    answer=lambda number: (number,),
    true_of="kind",
)
each_of(
    (reserved, used, extra, paged),
    "float",
    "Your number has a decimal point. A count is an int: leave out what makes it a float.",
    answer=float,
    true_of="kind",
)
each_of(
    (used, extra, paged),
    "false-for-nothing",
    "When there is nothing to count your function returns False. A count is an int: return 0.",
    answer=lambda count: count or False,
)
for each in (reserved, used, paged):
    each(
        "keeps-total",
        "Your function answers the same call differently when it comes again, as if it remembered earlier "
        "calls. Start anew in every call.",
        answer=Total().add,
        true_of="memory",
    )

# --- an empty list ---

each_of(
    (used, waste, paged),
    "none-for-nobody",
    "Without sequences your function returns None. There is nothing to count then: the answer is 0.",
    empty=lambda *_: None,
)
each_of(
    (used, waste, paged),
    "error-for-nobody",
    "Without sequences your function raises a ValueError: its own, or that of max() or min() of an empty "
    "list. No sequence is an ordinary case: the answer is 0.",
    empty=lambda *_: fail(ValueError("no sequence")),
)
each_of(
    (used, paged),
    "float-for-nobody",
    "Without sequences your answer has a decimal point. A count is an int: 0, not 0.0.",
    empty=lambda *_: 0.0,
)
each_of(
    (used, paged),
    "fills-empty-list",
    "You put something into the caller's list when it is empty. Decide that case without changing the list.",
    empty=lambda lengths, _: lengths.append(0) or 0,
)
waste(
    "fills-empty-list",
    "You put something into the caller's list when it is empty. Decide that case without changing the list.",
    empty=lambda lengths, max_len: lengths.append(max_len) or 0.0,
)

# --- the caller's list ---

each_of(
    (used, waste, paged),
    "empties-list",
    "You empty the list that the caller gave you. Go through it without taking anything out.",
    after=list.clear,
)
each_of(
    (used, waste, paged),
    "sorts-list",
    "You sort the list that the caller gave you. Its order is the caller's; sorted() makes a new list.",
    before=list.sort,
)
each_of(
    (used, waste),
    "sorts-list-at-the-end",
    "You sort the list that the caller gave you. Its order is the caller's; sorted() makes a new list.",
    after=list.sort,
)
each_of(
    (used, waste, paged),
    "sorts-list-down",
    "You sort the list that the caller gave you. Its order is the caller's; sorted() makes a new list.",
    before=lambda lengths: lengths.sort(reverse=True),
)
each_of(
    (used, paged),
    "removes-zeros",
    "You take the empty sequences out of the caller's list. Leave them in; a 0 adds nothing.",
    before=remove_zeros,
)
each_of(
    (used, waste),
    "removes-too-long",
    "You change the caller's list before you raise the error. Leave it as it was in that case too.",
    refuse=lambda lengths, max_len: (
        lengths.remove(next(length for length in lengths if length > max_len)) or refuse(lengths, max_len)
    ),
)

# --- sequences that are too long ---

each_of(
    (used, waste),
    "refuses-exactly-full",
    "You refuse a sequence that exactly fills its region. It fits; only a longer one is an error. Look at "
    "the comparison once more.",
    too_long=lambda lengths, max_len: max_len is not None and any(length >= max_len for length in lengths),
)
each_of(
    (used, waste),
    "returns-error",
    "You return the error like an answer. An error must stop the caller: raise it instead.",
    refuse=lambda *_: ValueError("too long"),
)
each_of(
    (used, waste),
    "returns-text",
    "For a too long sequence your function returns a text. A text does not stop the caller: raise "
    "ValueError.",
    refuse=lambda *_: "ValueError",
    true_of="kind",
)
each_of(
    (used, waste),
    "minus-one",
    "You return a negative number for a too long sequence. A caller could go on with it; raise ValueError.",
    refuse=lambda *_: -1,
)
each_of(
    (used, waste),
    "none-for-error",
    "For a too long sequence your function returns None, which does not stop the caller; nor does a printed "
    "warning. Raise ValueError, so that it reaches the caller.",
    refuse=lambda *_: None,
)
each_of(
    (used, waste),
    "raises-exception",
    "For a too long sequence an error reaches the caller that is no kind of ValueError, so that a caller who "
    "expects one does not catch it. Raise ValueError, or a class of your own that derives from it.",
    refuse=lambda *_: fail(Exception("too long")),
    true_of="kind",
)
each_of(
    (used, waste),
    "asserts",
    "For a too long sequence an AssertionError reaches the caller, perhaps from an assert, which can be "
    "switched off. Raise ValueError yourself.",
    refuse=lambda *_: fail(AssertionError()),
)
each_of(
    (used, waste),
    "checks-first",
    "You check the first sequence only. A too long one can stand anywhere in the list.",
    too_long=lambda lengths, max_len: any_too_long(lengths[:1], max_len),
)
each_of(
    (used, waste),
    "checks-first-of-list",
    "You check the first sequence only, and without sequences there is none. A too long one can stand "
    "anywhere.",
    too_long=lambda lengths, max_len: max_len is not None and lengths[0] > max_len,
)
each_of(
    (used, waste),
    "checks-last",
    "You check the last sequence only. A too long one can stand anywhere in the list.",
    too_long=lambda lengths, max_len: any_too_long(lengths[-1:], max_len),
)
each_of(
    (used, waste),
    "checks-first-three",
    "You check the first few sequences only. A too long one can stand anywhere in the list.",
    too_long=lambda lengths, max_len: any_too_long(lengths[:3], max_len),
)
each_of(
    (used, waste),
    "checks-exactly-one",
    "You raise the error only when a single sequence is too long. Raise it when there are several, too.",
    too_long=lambda lengths, max_len: (
        max_len is not None and sum(length > max_len for length in lengths) == 1
    ),
)

# --- reserved_slots ---

reserved(
    "adds",
    "You add a number of sequences to a number of slots. Every sequence brings a whole region with it, so "
    "each further one costs the size of a region.",
    lambda n_seq, max_len: n_seq + max_len,
)
reserved(
    "example-answer",
    "The answer is always that of the lesson's example. Work it out from the two arguments instead.",
    lambda *_: 300,
)
reserved(
    "last-position",
    "You count a region one slot too small. Its last position has the number max_len - 1, because counting "
    "starts at 0; the region still has max_len slots.",
    lambda n_seq, max_len: n_seq * (max_len - 1),
)
reserved(
    "end-token",
    "You give every region one slot too many. An end token needs no extra room: max_len is the full size.",
    lambda n_seq, max_len: n_seq * (max_len + 1),
)
reserved(
    "three-sequences",
    "Your function always uses the three sequences of the example. How many there are comes in as n_seq.",
    lambda _, max_len: 3 * max_len,
)
reserved(
    "hundred-slots",
    "Your function always uses the region size of the example. The size comes in as max_len.",
    lambda n_seq, _: n_seq * 100,
)
reserved(
    "never-nothing",
    "You reserve a region even when no sequence runs. Without sequences nothing is reserved: 0 slots.",
    lambda n_seq, max_len: max(1, n_seq) * max_len,
)
reserved(
    "in-blocks",
    "You round regions up to blocks. Blocks come with paging; a region has exactly max_len slots.",
    lambda n_seq, max_len: n_seq * in_blocks(max_len, 16),
)
reserved(
    "power-of-two",
    "You round regions up to a power of two. Some servers do, but here a region has exactly max_len slots.",
    lambda n_seq, max_len: n_seq * 2 ** (max_len - 1).bit_length(),
)
reserved(
    "one-region",
    "You count one region for all sequences together. Each sequence has a region to itself.",
    lambda _, max_len: max_len,
)
reserved(
    "counts-sequences",
    "You count sequences, not slots. Every sequence stands for a whole region of slots.",
    lambda n_seq, _: n_seq,
)
reserved(
    "raises-to-power",
    "You raise one number to the power of the other. Regions lie side by side, so their sizes add up.",
    lambda n_seq, max_len: max_len**n_seq,
)
reserved(
    "raises-to-other-power",
    "You raise one number to the power of the other. Regions lie side by side, so their sizes add up.",
    lambda n_seq, max_len: n_seq**max_len,
)
reserved(
    "one-sequence-less",
    "You leave one sequence out. n_seq is how many there are, not the number of the last one.",
    lambda n_seq, max_len: (n_seq - 1) * max_len,
)
reserved(
    "one-sequence-more",
    "You reserve for one sequence that does not run. Only running sequences have a region.",
    lambda n_seq, max_len: (n_seq + 1) * max_len,
)
reserved(
    "list",
    "Your function returns a list with the size of each region. Return one number: all of them together.",
    lambda n_seq, max_len: [max_len] * n_seq,
)
reserved(
    "example-tokens",
    "The answer is always the number of tokens in the example. A region is reserved whole, even if empty.",
    lambda *_: 65,
)
reserved(
    "example-pool",
    "The answer is always the example's pool. Only the regions of running sequences are reserved.",
    lambda *_: 400,
)
reserved(
    "none-for-nobody",
    "With no sequence your function returns no number. No sequence running means 0 slots.",
    lambda n_seq, max_len: n_seq * max_len if n_seq else None,
)
reserved(
    "error-for-nobody",
    "You treat an empty server as an error. No sequence is an ordinary case: it reserves 0 slots.",
    lambda n_seq, max_len: n_seq * max_len if n_seq else fail(ValueError("no sequence")),
)
reserved(
    "cached-by-number",
    "Your function remembers its answer for each number of sequences. Another region size needs another "
    "answer, so work it out in every call.",
    lambda n_seq, max_len, known={}: known.setdefault(n_seq, n_seq * max_len),
)
reserved(
    "float-for-odd",
    "For an odd number of sequences your answer has a decimal point. Slots are counted, so the answer is an "
    "int; leave out what makes it a float.",
    lambda n_seq, max_len: n_seq / 2 * 2 * max_len if n_seq % 2 else n_seq * max_len,
)

reserved(
    "skips-one-sequence",
    "You leave one sequence out, perhaps because a range begins at 1. Each of the n_seq has a region.",
    lambda n_seq, max_len: max(0, n_seq - 1) * max_len,
)
reserved(
    "returns-in-loop",
    "You leave the loop in its first round. Move the return behind the loop, so that all sequences count.",
    lambda n_seq, max_len: max_len if n_seq else 0,
)
reserved(
    "capped-at-pool",
    "You stop at the size of the example's pool. The question is what the sequences need, however much "
    "that is.",
    lambda n_seq, max_len: min(400, n_seq * max_len),
)
reserved(
    "minus-tokens",
    "You take the example's tokens off. A reserved slot counts whether it holds a token or not.",
    lambda n_seq, max_len: n_seq * max_len - 65,
)
reserved(
    "adds-counter",
    "You multiply each region by the counter of the loop. Every region has the same size, so each round adds "
    "the same.",
    lambda n_seq, max_len: sum(number * max_len for number in range(n_seq)),
)
reserved(
    "one-slot-less",
    "You take one slot off all regions together. The last slot's number is one less than the number of "
    "slots, because counting starts at 0; count the slots.",
    lambda n_seq, max_len: n_seq * max_len - 1,
)
reserved(
    "one-slot-more",
    "You add one slot to all regions together. Regions lie side by side and need nothing between or behind "
    "them.",
    lambda n_seq, max_len: n_seq * max_len + 1,
)
reserved(
    "negative-for-nobody",
    "With no sequence your function returns a negative number. No sequence is an ordinary case: it reserves "
    "0 slots.",
    lambda n_seq, max_len: n_seq * max_len if n_seq else -1,
)

# --- parameters in another order, and answers that are no numbers ---

each_of(
    (used, waste, paged),
    "type-error",
    "Every call ends in a TypeError. Perhaps the parameters are others than in the stub, or stand in another "
    "order, or what is no list is used like one. Keep the first line as it was, and read the error's text.",
    whole=lambda *_: fail(TypeError()),
)
each_of(
    (reserved, extra),
    "type-error",
    "Every call ends in a TypeError. Perhaps the parameters are others than in the stub, or a number is used "
    "like a list. Keep the first line as it was, and read the error's text.",
    answer=lambda _: fail(TypeError()),
)
PAST_THE_LAST = (
    "Your calls end in an IndexError. Positions in a list are counted from 0, so the last one is one less "
    "than its length: loop over the lengths themselves."
)
each_of((used, waste, paged), "index-error", PAST_THE_LAST, whole=lambda *_: fail(IndexError()))
each_of(
    (used, waste, paged),
    "index-error-if-any",
    PAST_THE_LAST,
    whole=lambda lengths, *_: fail(IndexError()) if lengths else 0,
)
each_of(
    (used, waste),
    "index-error-after-check",
    PAST_THE_LAST,
    count=lambda lengths, _: fail(IndexError()) if lengths else 0,
    too_long=lambda lengths, max_len: any_too_long(lengths[1:], max_len),
)
NO_NUMBER = (
    "Your function returns neither an int nor a float, but perhaps a generator, which a yield makes, or a "
    "Decimal. Return a plain number."
)
each_of((used, waste, paged), "no-number", NO_NUMBER, whole=lambda *_: (number for number in ()))
each_of((used, waste), "no-number-where-all-fit", NO_NUMBER, answer=lambda number: (number for _ in "1"))
each_of(
    (reserved, extra),
    "in-list",
    "Your function returns a list. The question has one number for an answer: return it by itself.",
    answer=lambda number: [number],
    true_of="kind",
)
each_of(
    (reserved, extra),
    "no-number",
    "Your function returns neither an int nor a float, but perhaps a generator, which a yield makes, or a "
    "Decimal. Return a plain int.",
    answer=lambda number: (number for _ in "1"),
)


# --- used_slots ---


def pops_while_checking(lengths, max_len=None):
    """Take the lengths out of the list one by one, until one is too long."""
    total = 0
    while lengths:
        length = lengths.pop()
        if max_len is not None and length > max_len:
            raise ValueError("too long")
        total += length
    return total


def running_totals(lengths, max_len):
    """Turn the caller's list into running totals, and return the last one."""
    lengths[:] = itertools.accumulate(lengths)
    return lengths[-1] if lengths else 0


def limit_required(lengths, max_len):
    """Count with a limit that has no default."""
    return refuse(lengths, max_len) if any_too_long(lengths, max_len) else sum(lengths)


def cached_by_lengths(lengths, max_len=None, known={}):
    """Check and count each list once only."""
    if tuple(lengths) not in known:
        known[tuple(lengths)] = limit_required(lengths, max_len)
    return known[tuple(lengths)]


def one_parameter(lengths, max_len=...):
    """Count without a parameter for the limit, so that a call with one is an error."""
    return sum(lengths) if max_len is ... else fail(TypeError())


def pops_from_front(lengths, max_len=None):
    """Take the lengths out of the list one by one, from its beginning, until one is too long."""
    total = 0
    while lengths:
        length = lengths.pop(0)
        if any_too_long([length], max_len):
            raise ValueError("too long")
        total += length
    return total


used(
    "last-only",
    "You return the last sequence only. In the loop, add each length to the total instead of replacing it.",
    lambda lengths, _: lengths[-1] if lengths else 0,
)
used(
    "longest",
    "You return the longest sequence only. The tokens of the others take up slots too.",
    lambda lengths, _: max(lengths, default=0),
)
used(
    "shortest",
    "You return the shortest sequence only. The tokens of the others take up slots too.",
    lambda lengths, _: min(lengths, default=0),
)
used(
    "counts-sequences",
    "You count the sequences, not their tokens. len() tells how many lengths there are.",
    lambda lengths, _: len(lengths),
)
used(
    "allows-one-more",
    "You let a sequence be one token longer than its region. Nothing beyond max_len fits.",
    too_long=lambda lengths, max_len: max_len is not None and any_too_long(lengths, max_len + 1),
)
used(
    "zero-for-error",
    "You answer 0 for a too long sequence. That looks like an empty server; raise ValueError.",
    refuse=lambda *_: 0,
)
used(
    "raises-type-error",
    "For a too long sequence a TypeError reaches the caller, raised by you or because what stands behind "
    "raise is no exception, such as a text. Raise ValueError.",
    refuse=lambda *_: fail(TypeError("too long")),
)
used(
    "skips-too-long",
    "You leave too long sequences out of the count. They must not vanish silently; raise ValueError.",
    refuse=lambda lengths, max_len: sum(length for length in lengths if length <= max_len),
)
used(
    "cuts-too-long",
    "You cut a too long sequence down to its region. That hides tokens that have no slot; raise ValueError.",
    refuse=lambda lengths, max_len: sum(min(length, max_len) for length in lengths),
)
used(
    "never-checks",
    "No ValueError reaches the caller when a sequence is longer than max_len. Compare each length with it "
    "and raise the error there; to print it, or to make it without raise, does not stop the caller.",
    too_long=lambda *_: False,
    true_of="kind",
    left_out=True,
)
used(
    "checks-count",
    "You compare the number of sequences with max_len. The limit holds for the length of each one.",
    too_long=lambda lengths, max_len: any_too_long([len(lengths)], max_len),
)
used(
    "checks-total",
    "You compare the total with max_len. Every sequence has a region to itself, so compare each length.",
    too_long=lambda lengths, max_len: any_too_long([sum(lengths)], max_len),
)
used(
    "checks-average",
    "You compare the average length with max_len. A short sequence does not make room for a long one.",
    too_long=lambda lengths, max_len: max_len is not None and sum(lengths) > max_len * len(lengths),
)
used(
    "checks-all",
    "You raise the error only when every sequence is too long. One of them is enough: any, not all.",
    too_long=lambda lengths, max_len: bool(lengths) and any_too_long([min(lengths)], max_len),
)
used(
    "refuses-short",
    "You refuse short sequences and accept long ones. Turn the comparison round.",
    too_long=lambda lengths, max_len: max_len is not None and any(length < max_len for length in lengths),
)
used(
    "limit-of-example",
    "You apply the example's limit when none is given. Without max_len there is no limit.",
    default=100,
)
used(
    "limit-default-zero",
    "Without max_len you check against 0, so every token is too many. Keep None as the sign for no limit.",
    default=0,
)
used(
    "compares-with-none",
    "Without max_len your function compares lengths with None, which is an error. Ask first whether it is "
    "None.",
    too_long=lambda lengths, max_len: any(length > max_len for length in lengths),
)
used(
    "none-without-limit",
    "Without max_len your function returns None. Every way through it needs a return: count there, too.",
    lambda lengths, max_len: None if max_len is None else sum(lengths),
)
used(
    "limit-required",
    "A call without max_len ends in an error. Give the argument the default None, and ask for None before "
    "you use it.",
    whole=limit_required,
)
used(
    "max-of-nothing",
    "With a limit and no sequences your function raises a ValueError, though none is too long. max() of an "
    "empty list raises one, and all() of an empty list is True. An empty list uses 0 slots.",
    too_long=lambda lengths, max_len: max_len is not None and max(lengths) > max_len,
)
used(
    "zero-is-no-limit",
    "You take a limit of 0 for no limit. 0 counts as false in an if: ask whether max_len is None.",
    too_long=lambda lengths, max_len: any_too_long(lengths, max_len or None),
)
used(
    "skips-last",
    "You leave out the last sequence. Loop over the lengths themselves instead of counting positions.",
    lambda lengths, _: sum(lengths[:-1]),
)
used(
    "skips-first",
    "You leave out the first sequence. Positions in a list begin at 0: loop over the lengths themselves.",
    lambda lengths, _: sum(lengths[1:]),
)
used(
    "returns-in-loop",
    "You leave the loop in its first round. Move the return behind the loop, so that all sequences count.",
    lambda lengths, _: sum(lengths[:1]),
)
RETURNS_AT_ONCE = (
    "You leave the loop in its first round, so that only the first sequence is checked and counted. Move the "
    "return behind the loop."
)
used(
    "returns-at-once",
    RETURNS_AT_ONCE,
    lambda lengths, _: sum(lengths[:1]),
    too_long=lambda lengths, max_len: any_too_long(lengths[:1], max_len),
)
used(
    "returns-at-once-or-none",
    RETURNS_AT_ONCE,
    lambda lengths, _: sum(lengths[:1]),
    too_long=lambda lengths, max_len: any_too_long(lengths[:1], max_len),
    empty=lambda *_: None,
)
used(
    "checks-first-or-none",
    "You check the first sequence only, and without sequences your function can return None. A too long one "
    "can stand anywhere; no sequence uses 0 slots.",
    too_long=lambda lengths, max_len: any_too_long(lengths[:1], max_len),
    empty=lambda _, max_len: 0 if max_len is None else None,
)
used(
    "leaves-out-last",
    "You neither check nor count the last sequence. Loop over the lengths themselves instead of counting "
    "positions.",
    lambda lengths, _: sum(lengths[:-1]),
    too_long=lambda lengths, max_len: any_too_long(lengths[:-1], max_len),
)
used(
    "leaves-out-first",
    "You neither check nor count the first sequence. Positions in a list begin at 0: loop over the lengths "
    "themselves.",
    lambda lengths, _: sum(lengths[1:]),
    too_long=lambda lengths, max_len: any_too_long(lengths[1:], max_len),
)
used(
    "adds-positions",
    "You add up the positions in the list, or the counter of the loop. Add the lengths themselves.",
    lambda lengths, _: sum(range(len(lengths))),
)
used(
    "refuses-full-but-not-zero",
    "You refuse a sequence that exactly fills its region. It fits; only a longer one is an error. Look at "
    "the comparison once more, and at what happens when max_len is 0.",
    too_long=lambda lengths, max_len: bool(max_len) and any(length >= max_len for length in lengths),
)
used(
    "one-parameter",
    "Every call with max_len ends in a TypeError. The function needs this parameter too: keep the first line "
    "of the stub.",
    whole=one_parameter,
)
used(
    "list-against-limit",
    "Every call with a limit ends in a TypeError. Python compares no list with a number: compare each length "
    "by itself.",
    too_long=lambda lengths, max_len: max_len is not None and lengths > max_len,
)
used(
    "pops-from-front",
    "You take lengths out of the caller's list while you check them. Go through it without taking anything "
    "out.",
    whole=pops_from_front,
)
used(
    "totals-in-list",
    "You turn the caller's list into running totals. Keep the total in a variable of your own.",
    running_totals,
)
used(
    "pops-while-checking",
    "You take lengths out of the caller's list while you check them. Go through it without taking anything "
    "out.",
    whole=pops_while_checking,
)
used(
    "reserved",
    "With a limit you return the reserved slots. A slot is used only when it holds a token.",
    lambda lengths, max_len: sum(lengths) if max_len is None else len(lengths) * max_len,
)
used(
    "idle",
    "With a limit you return the idle slots. The used ones are those that hold a token.",
    lambda lengths, max_len: sum(lengths if max_len is None else (max_len - n for n in lengths)),
)
used(
    "distinct",
    "You count equal lengths once. A set keeps one of each; two sequences of one length are still two.",
    lambda lengths, _: sum(set(lengths)),
)
used(
    "example-answer",
    "The answer is always that of the lesson's example. Work it out from the lengths instead.",
    lambda *_: 65,
)
used(
    "average",
    "You return the average length. Count all tokens together.",
    lambda lengths, _: sum(lengths) // len(lengths) if lengths else 0,
)
used(
    "average-with-fraction",
    "You return the average length. Count all tokens together.",
    lambda lengths, _: sum(lengths) / len(lengths),
)
used(
    "in-blocks",
    "You round the lengths up to blocks. Here a slot counts only when it holds a token.",
    lambda lengths, _: all_in_blocks(lengths, 16),
)
used(
    "end-token",
    "You add one slot to every sequence. An end token, where there is one, is already part of its length.",
    lambda lengths, _: sum(length + 1 for length in lengths),
)
used(
    "product",
    "You multiply the lengths. Tokens of different sequences lie side by side, so their numbers add up.",
    lambda lengths, _: math.prod(lengths) if lengths else 0,
)
used(
    "float-with-limit",
    "With a limit your answer has a decimal point. A count is an int: begin the total with 0, not with 0.0.",
    lambda lengths, max_len: sum(lengths) if max_len is None else sum(lengths, 0.0),
)
used(
    "limit-default-million",
    "Without max_len you check against a large number. However large it is, something longer can come: None "
    "is the sign for no limit.",
    too_long=lambda lengths, max_len: any_too_long(lengths, 1_000_000 if max_len is None else max_len),
)
used(
    "refuses-none",
    "Your function cannot take None for max_len. None means no limit: ask for it before you compare.",
    too_long=lambda lengths, max_len: any(length > max_len for length in lengths),
    default=math.inf,
)
used(
    "checks-neighbours",
    "You look only at neighbours that differ, so a sequence alone or beside an equal one is never checked. "
    "Compare every length with max_len.",
    too_long=lambda lengths, max_len: any(
        any_too_long(pair, max_len) for pair in itertools.pairwise(lengths) if pair[0] != pair[1]
    ),
)
used(
    "first-three",
    "You add up the first few lengths only. The list can hold any number of sequences.",
    lambda lengths, _: sum(lengths[:3]),
)
used(
    "cached-by-lengths",
    "Your function remembers its answer for each list. With another max_len the same list can be an error, "
    "so check it in every call.",
    whole=cached_by_lengths,
)

# --- waste_fraction ---


def overwrite_with_idle(lengths, max_len):
    """Write the idle slots into the caller's list."""
    lengths[:] = [max_len - length for length in lengths]
    return sum(lengths) / (len(lengths) * max_len)


def without_zeros(lengths, max_len):
    """Take the sequences without tokens out of the caller's list, but count their regions."""
    count = len(lengths)
    remove_zeros(lengths)
    return 1 - sum(lengths) / (count * max_len)


def of_all_calls(lengths, max_len, seen=[]):
    """The share over the sequences of all calls so far."""
    seen.extend(lengths)
    return idle_share(seen, max_len) if seen else 0.0


def share_of_some(lengths, max_len):
    """The idle share of a part of the sequences, which may be none."""
    return idle_share(lengths, max_len) if lengths else 0.0


waste(
    "last-only",
    "You count the last sequence only. In the loop, add each length to the total instead of replacing it.",
    lambda lengths, max_len: 1 - lengths[-1] / (len(lengths) * max_len),
)
waste(
    "of-one-region",
    "You compare all tokens with a single region, and return what is used. Every sequence has a region.",
    lambda lengths, max_len: sum(lengths) / max_len,
)
waste(
    "whole-percent",
    "You return whole percent. The share of everything is 1.0, not 100, and is not rounded.",
    answer=lambda share: int(100 * share),
)
waste(
    "rounded-percent",
    "You return percent, rounded. The share of everything is 1.0, not 100, and is not rounded.",
    answer=lambda share: round(100 * share, 2),
)
waste(
    "percent-in-tenths",
    "You return percent, rounded. The share of everything is 1.0, not 100, and is not rounded.",
    answer=lambda share: round(100 * share, 1),
)
waste(
    "nearest-percent",
    "You return whole percent. The share of everything is 1.0, not 100, and is not rounded.",
    answer=lambda share: round(100 * share),
)
waste(
    "used-share",
    "You return the share that is in use. Wasted is the rest: reserved, but without a token.",
    lambda lengths, max_len: sum(lengths) / (len(lengths) * max_len),
)
waste(
    "count",
    "You return a number of slots. The question is how large a part of the whole that is, from 0.0 to 1.0.",
    lambda lengths, max_len: len(lengths) * max_len - sum(lengths),
    empty=lambda *_: 0,
)
waste(
    "percent",
    "You return percent. The share of everything is 1.0, not 100: leave the factor out.",
    answer=lambda share: 100 * share,
    added=True,
)
waste(
    "over-pool",
    "You divide by the example's pool. A slot that is not reserved is free, not wasted.",
    lambda lengths, max_len: (len(lengths) * max_len - sum(lengths)) / 400,
)
waste(
    "over-used",
    "You divide by the used slots. The question is which part of the reserved slots is idle.",
    lambda lengths, max_len: (len(lengths) * max_len - sum(lengths)) / sum(lengths),
)
waste(
    "upside-down",
    "You divide the wrong way round. A share is the part divided by the whole, and never more than 1.",
    lambda lengths, max_len: (
        1 / idle_share(lengths, max_len) if sum(lengths) < len(lengths) * max_len else 0.0
    ),
)
waste(
    "whole-division",
    "You lose the fraction to a whole-number division. // rounds down; / keeps what comes after the point.",
    lambda lengths, max_len: (len(lengths) * max_len - sum(lengths)) // (len(lengths) * max_len),
)
waste(
    "hundredths",
    "Your share is rounded to hundredths. Return all of it, and round only when you show it to someone.",
    answer=lambda share: round(share, 2),
    added=True,
)
waste(
    "rounds",
    "Your share is rounded. A few more digits do not help; return all of it without round().",
    answer=lambda share: round(share, 4),
)
for digits in (1, 3, 5, 6):
    waste(
        f"rounds-to-{('', 'tenths', '', 'thousandths', '', 'five', 'six')[digits]}",
        "Your share is rounded. More digits do not help; return all of it without round().",
        answer=lambda share, digits=digits: round(share, digits),
    )
waste(
    "three-sequences",
    "Your function always uses the example's three regions. There are as many as there are lengths.",
    lambda lengths, max_len: 1 - sum(lengths) / (3 * max_len),
)
waste(
    "hundred-slots",
    "Your function always uses the example's region size. The size comes in as max_len.",
    lambda lengths, _: idle_share(lengths, 100),
)
waste(
    "one-region",
    "You compare all tokens with a single region. Every sequence has a region to itself.",
    lambda lengths, max_len: (max_len - sum(lengths)) / max_len,
)
waste(
    "average-cut",
    "You cut the average length to a whole number on the way. Divide once, at the end, with /.",
    lambda lengths, max_len: 1 - (sum(lengths) // len(lengths)) / max_len,
)
waste(
    "distinct",
    "You count equal lengths once. A set keeps one of each; two sequences of one length are still two.",
    lambda lengths, max_len: 1 - sum(set(lengths)) / (len(lengths) * max_len),
)
waste(
    "none-when-full",
    "When nothing is idle your function returns None. Every way through it needs a return.",
    answer=lambda share: share or None,
)
waste(
    "empty-regions",
    "You count regions that are wholly empty. A region with some tokens has idle slots too: count slots.",
    lambda lengths, _: lengths.count(0) / len(lengths),
)
waste(
    "overwrites-list",
    "You put the idle slots into the caller's list. Build a list of your own, or just a total.",
    overwrite_with_idle,
)
waste(
    "divides-by-zero",
    "Without sequences you divide by zero. Decide that case first: nothing reserved, nothing wasted.",
    empty=None,
    true_of="kind",
    left_out=True,
)
waste(
    "all-for-nobody",
    "Without sequences your share is 1. Nothing is reserved then, so nothing can be wasted: 0.0.",
    empty=lambda *_: 1.0,
)
waste(
    "never-checks",
    "No ValueError reaches the caller when a sequence does not fit into its region. Raise one, or let that "
    "of used_slots pass; one that is printed, made without raise, or caught here does not reach the caller.",
    too_long=lambda *_: False,
    true_of="kind",
    left_out=True,
)
waste(
    "cuts-too-long",
    "You cut a too long sequence down to its region. That hides tokens that have no slot; raise ValueError.",
    refuse=lambda lengths, max_len: idle_share([min(length, max_len) for length in lengths], max_len),
)
waste(
    "skips-too-long",
    "You leave too long sequences out, with their regions. They must not vanish silently; raise ValueError.",
    refuse=lambda lengths, max_len: share_of_some([n for n in lengths if n <= max_len], max_len),
)
waste(
    "checks-total",
    "You raise the error only when all regions together are too small. Check each sequence against its own.",
    too_long=lambda lengths, max_len: sum(lengths) > len(lengths) * max_len,
)
waste(
    "checks-sum",
    "You compare the total with one region. Every sequence has a region to itself, so compare each length.",
    too_long=lambda lengths, max_len: sum(lengths) > max_len,
)
waste(
    "zero-for-error",
    "You answer 0.0 for a too long sequence. That looks like no waste at all; raise ValueError.",
    refuse=lambda *_: 0.0,
)
waste(
    "example-answer",
    "The answer is always that of the lesson's example. Work it out from the lengths and max_len instead.",
    lambda *_: 235 / 300,
    empty=lambda *_: 235 / 300,
)
waste(
    "skips-empty",
    "You leave out the regions of sequences without tokens. They are reserved all the same, and all idle.",
    lambda lengths, max_len: share_of_some([length for length in lengths if length], max_len),
)
waste(
    "longest-only",
    "You look at one region only, that of the longest sequence. The idle slots of all regions count.",
    lambda lengths, max_len: 1 - max(lengths) / max_len,
)
waste(
    "first-only",
    "You look at the first sequence only. Perhaps a return stands inside the loop: move it behind the loop.",
    lambda lengths, max_len: 1 - lengths[0] / max_len,
)
waste(
    "adds-shares",
    "You divide by the size of one region, or add up the shares of the regions, which comes to the same. The "
    "whole is what all regions reserve together.",
    lambda lengths, max_len: sum(1 - length / max_len for length in lengths),
    empty=lambda *_: 0,
)
waste(
    "negative",
    "Your share has the wrong sign. Look at what you subtract from what.",
    lambda lengths, max_len: sum(lengths) / (len(lengths) * max_len) - 1,
)
waste(
    "missing-brackets",
    "Division comes before subtraction. Put the difference into brackets, or give it a name first.",
    lambda lengths, max_len: len(lengths) * max_len - sum(lengths) / (len(lengths) * max_len),
)
MULTIPLIES = (
    "You divide by one number and multiply the result by the next: a / b * c is the same as (a / b) * c. Put "
    "brackets round the whole that you divide by, or give it a name first."
)
waste(
    "divides-then-multiplies",
    MULTIPLIES,
    lambda lengths, max_len: (len(lengths) * max_len - sum(lengths)) / len(lengths) * max_len,
)
waste(
    "one-less-divided-then-multiplied",
    MULTIPLIES,
    lambda lengths, max_len: 1 - sum(lengths) / len(lengths) * max_len,
)
waste(
    "no-brackets-at-all",
    "Without brackets, / and * come before -, from left to right. Give the idle slots and the reserved slots "
    "names of their own, then divide.",
    lambda lengths, max_len: len(lengths) * max_len - sum(lengths) / len(lengths) * max_len,
)
waste(
    "per-sequence",
    "You divide slots by a number of sequences. That gives slots for each sequence; a share has slots above "
    "the line and below it.",
    lambda lengths, max_len: (len(lengths) * max_len - sum(lengths)) / len(lengths),
)
waste(
    "of-last-region",
    "You return the share of the last region. In the loop, add up instead of replacing.",
    lambda lengths, max_len: 1 - lengths[-1] / max_len,
)
waste(
    "largest-share",
    "You return the share of one region only, the emptiest. The idle slots of all regions count.",
    lambda lengths, max_len: 1 - min(lengths) / max_len,
)
waste(
    "nothing-without-tokens",
    "When no sequence holds a token you answer 0. Their regions are reserved all the same, and wholly idle: "
    "ask whether there are sequences, not whether there are tokens.",
    lambda lengths, max_len: idle_share(lengths, max_len) if any(lengths) else 0.0,
)
waste(
    "nan-for-nobody",
    "Without sequences your function returns nan, which is no share. Nothing is reserved then: 0.0.",
    empty=lambda *_: math.nan,
)
OF_LONGEST = (
    "You take every region to be as large as the longest sequence. A region has max_len slots, also where no "
    "sequence is that long."
)
waste(
    "as-long-as-longest",
    OF_LONGEST,
    lambda lengths, _: 1 - sum(lengths) / (len(lengths) * max(lengths)),
)
waste(
    "as-long-as-longest-if-any",
    OF_LONGEST,
    lambda lengths, _: 1 - sum(lengths) / (len(lengths) * max(lengths)) if any(lengths) else 0.0,
)
waste(
    "hundred-throughout",
    "Your function always uses the example's region size, for the share and for the check. The size comes in "
    "as max_len.",
    lambda lengths, _: idle_share(lengths, 100),
    too_long=lambda lengths, _: any_too_long(lengths, 100),
)
waste(
    "one-region-throughout",
    "You compare all tokens with a single region, for the share and for the check. Every sequence has a "
    "region to itself.",
    lambda lengths, max_len: (max_len - sum(lengths)) / max_len,
    too_long=lambda lengths, max_len: sum(lengths) > max_len,
)
waste(
    "returns-at-once",
    RETURNS_AT_ONCE,
    lambda lengths, max_len: 1 - lengths[0] / max_len,
    too_long=lambda lengths, max_len: any_too_long(lengths[:1], max_len),
)
waste(
    "leaves-out-last",
    "You neither check nor count the last sequence. Loop over the lengths themselves instead of counting "
    "positions.",
    lambda lengths, max_len: 1 - sum(lengths[:-1]) / (len(lengths) * max_len),
    too_long=lambda lengths, max_len: any_too_long(lengths[:-1], max_len),
)
waste(
    "leaves-out-first",
    "You neither check nor count the first sequence. Positions in a list begin at 0: loop over the lengths "
    "themselves.",
    lambda lengths, max_len: 1 - sum(lengths[1:]) / (len(lengths) * max_len),
    too_long=lambda lengths, max_len: any_too_long(lengths[1:], max_len),
)
waste(
    "list",
    "Your function returns a list with a share for each region. Return one number for all of them.",
    lambda lengths, max_len: [1 - length / max_len for length in lengths],
    empty=lambda *_: [],
)
waste(
    "keeps-total",
    "Your function answers the same call differently when it comes again, as if it remembered earlier calls. "
    "Start anew in every call.",
    of_all_calls,
    true_of="memory",
    empty=None,
)
waste(
    "of-blocks",
    "You measure the slack of paged blocks. Here each sequence has one region of max_len slots.",
    lambda lengths, _: 1 - sum(lengths) / all_in_blocks(lengths, 16) if any(lengths) else 0.0,
)
waste(
    "last-position",
    "You count a region one slot too small. Positions 0 to max_len - 1 are max_len slots.",
    lambda lengths, max_len: idle_share(lengths, max_len - 1),
)
waste(
    "checks-hundred",
    "You compare the lengths with the example's region size. The size comes in as max_len.",
    too_long=lambda lengths, _: any_too_long(lengths, 100),
)
waste(
    "checks-hundred-at-least",
    "You let a sequence be as long as the example's region. Compare the lengths with max_len alone.",
    too_long=lambda lengths, max_len: any_too_long(lengths, max(100, max_len)),
)
waste(
    "checks-rounded-share",
    "You compare rounded shares, in which a token too many can vanish. Compare each length with max_len.",
    too_long=lambda lengths, max_len: any(round(length / max_len, 2) > 1 for length in lengths),
)
waste(
    "first-three",
    "You add up the first few lengths only. The list can hold any number of sequences.",
    lambda lengths, max_len: 1 - sum(lengths[:3]) / (len(lengths) * max_len),
)
waste(
    "two-slots-at-least",
    "You take a region for at least two slots. A region of a single slot is allowed as well.",
    lambda lengths, max_len: idle_share(lengths, max(2, max_len)),
)
waste(
    "removes-zeros",
    "You take the empty sequences out of the caller's list. Leave them in; a 0 adds nothing.",
    without_zeros,
)
waste(
    "cached-by-lengths",
    "Your function remembers its answer for each list. Another max_len gives another share.",
    lambda lengths, max_len, known={}: known.setdefault(tuple(lengths), idle_share(lengths, max_len)),
)

# --- extra_reservations ---


def error_when_full(pool, max_len, n_running):
    """Refuse a pool that is too small for what runs."""
    if pool < n_running * max_len:
        raise ValueError("pool too small")
    return pool // max_len - n_running


def given_before(pool, max_len, n_running, given=[0]):
    """The regions left after those that earlier calls counted."""
    fit = max(0, pool // max_len - n_running - given[0])
    given[0] += fit
    return fit


def one_when_idle(pool, max_len, n_running):
    """Always find room for one when nothing runs."""
    return max(1, pool // max_len) if n_running == 0 and pool > 0 else pool // max_len - n_running


extra(
    "more-than-a-region",
    "You find no room where exactly one region is left. A region may use up the pool to its last slot.",
    lambda pool, max_len, n_running: (
        (pool - n_running * max_len) // max_len if pool - n_running * max_len > max_len else 0
    ),
)
extra(
    "remainder-of-pool",
    "You return what is left over when the pool is cut into regions. The question is how many regions fit.",
    lambda pool, max_len, _: pool % max_len,
)
extra(
    "turned-round",
    "You subtract the wrong way round: what fits into the pool, less what is running.",
    lambda pool, max_len, n_running: n_running - pool // max_len,
    clamp=unchanged,
)
extra(
    "ignores-running",
    "You return what an empty pool holds. The running sequences keep their regions; take those off.",
    lambda pool, max_len, _: pool // max_len,
)
extra(
    "fractions",
    "Your answer can have a fraction. Part of a region cannot be reserved, so only whole ones count.",
    lambda pool, max_len, n_running: (pool - n_running * max_len) / max_len,
)
extra(
    "fractions-or-zero",
    "Your answer can have a fraction. Part of a region cannot be reserved, so only whole ones count.",
    lambda pool, max_len, n_running: (pool - n_running * max_len) / max_len,
    clamp=lambda regions: regions if regions >= 0 else 0,  # noqa: FURB136 - max() would keep 0.0 out
)
extra(
    "rounds-up",
    "You round up. A region that fits only in part cannot be reserved.",
    lambda pool, max_len, n_running: -(-pool // max_len) - n_running,
)
extra(
    "rounds-nearest",
    "You round to the nearest whole number. A region that fits only in part cannot be reserved: round down.",
    lambda pool, max_len, n_running: math.floor(pool / max_len - n_running + 0.5),
)
extra(
    "rounds-half-even",
    "You round to the nearest whole number. A region that fits only in part cannot be reserved: round down.",
    lambda pool, max_len, n_running: round(pool / max_len - n_running),
)
extra(
    "swapped",
    "You take the pool for the region and the region for the pool. Keep the parameters in the stub's order.",
    lambda pool, max_len, n_running: max_len // pool - n_running,
)
extra(
    "stops-early",
    "Your loop stops after a fixed number of rounds. Count on, however many regions fit.",
    lambda pool, max_len, n_running: min(1000, pool // max_len - n_running),
)
extra(
    "example-answer",
    "The answer is always that of the lesson's example. Work it out from the three arguments instead.",
    lambda *_: 1,
)
extra(
    "at-most-one",
    "You stop at one. Count all the regions that still fit.",
    clamp=lambda regions: max(0, min(1, regions)),
)
extra(
    "at-least-one",
    "You always find room for one more. In a full pool there is none: 0.",
    clamp=lambda regions: max(1, regions),
)
extra(
    "yes-or-no",
    "You say whether another region fits. The question is how many: return the number.",
    clamp=lambda regions: regions > 0,
)
extra(
    "remainder",
    "You take the remainder of a division. What runs is reserved once: subtract it once.",
    lambda pool, max_len, n_running: pool % (n_running * max_len) // max_len,
)
extra(
    "slots",
    "You return the slots that are left. How many whole regions is that?",
    lambda pool, max_len, n_running: pool - n_running * max_len,
)
extra(
    "none-when-idle",
    "When nothing runs you answer 0. Then the whole pool is free, so the most regions fit.",
    lambda pool, max_len, n_running: regions_left(pool, max_len, n_running) if n_running else 0,
)
extra(
    "drops-sign",
    "You drop the sign of a negative number. More regions than the pool holds leave no room at all: 0.",
    clamp=abs,
)
extra(
    "negative",
    "Your answer can be negative. When the pool is too small for what runs, no more fit: 0.",
    clamp=unchanged,
    true_of="kind",
    left_out=True,
)
extra(
    "error-when-full",
    "You treat a pool that is too small as an error. It is an ordinary case: no more fit, 0.",
    error_when_full,
)
extra(
    "none-when-full",
    "When nothing more fits your function returns None. None is not a number: return 0.",
    answer=lambda regions: regions or None,
)
extra(
    "none-when-too-small",
    "When the pool is too small for what runs, your function returns None. None is not a number: return 0.",
    clamp=lambda regions: regions if regions >= 0 else None,
)
extra(
    "none-when-taken",
    "When what runs takes up the whole pool, or needs more, your function returns None. Every way through it "
    "needs a return, here of 0.",
    lambda pool, max_len, n_running: (
        regions_left(pool, max_len, n_running) if n_running * max_len < pool else None
    ),
    clamp=unchanged,
)
extra(
    "error-when-taken",
    "When what runs takes up the whole pool, or needs more, your function raises an error. That is an "
    "ordinary case: no more fit, 0.",
    lambda pool, max_len, n_running: (
        regions_left(pool, max_len, n_running) if n_running * max_len < pool else fail(ValueError("full"))
    ),
)
extra(
    "text-when-full",
    "When nothing more fits your function returns a text. Others go on calculating with the answer: return "
    "0.",
    answer=lambda regions: regions or "full",
    true_of="kind",
)
extra(
    "float-or-zero",
    "Your number has a decimal point. A count is an int: leave out what makes it a float.",
    clamp=lambda regions: max(0, float(regions)),
)
extra(
    "slots-minus-sequences",
    "You take a number of sequences off a number of slots. Say the unit of each number: what does one "
    "running sequence hold? Remember that / and * come before -, unless there are brackets.",
    lambda pool, _, n_running: pool - n_running,
)
extra(
    "swapped-last-two",
    "You take the number of sequences for the region's size, and the size for the number. Keep the "
    "parameters in the stub's order.",
    lambda pool, max_len, n_running: pool // n_running - max_len,
)
extra(
    "always-nothing",
    "Your function answers 0 to every call. Perhaps the parameters stand in another order than in the stub, "
    "or what you subtract is too large.",
    lambda *_: 0,
)
extra(
    "never-above-nothing",
    "Your answer is never more than 0. When regions fit, their number is the answer: compare min and max.",
    clamp=lambda regions: min(0, regions),
)
extra(
    "stops-at-hundred",
    "Your loop stops after a fixed number of rounds. Count on, however many regions fit.",
    lambda pool, max_len, n_running: min(100, pool // max_len - n_running),
)
extra(
    "three-running",
    "Your function always uses the example's three running sequences. They come in as n_running.",
    lambda pool, max_len, _: pool // max_len - 3,
)
extra(
    "hundred-slots",
    "Your function always uses the example's region size. The size comes in as max_len.",
    lambda pool, _, n_running: pool // 100 - n_running,
)
extra(
    "pool-of-example",
    "Your function always uses the example's pool. Its size comes in as pool.",
    lambda _, max_len, n_running: 400 // max_len - n_running,
)
extra(
    "idle-is-free",
    "You take only the example's tokens off the pool. The idle slots of a region are not free.",
    lambda pool, max_len, _: (pool - 65) // max_len,
)
extra(
    "one-slot-each",
    "You take one slot off the pool for each running sequence. Each of them holds a whole region.",
    lambda pool, max_len, n_running: (pool - n_running) // max_len,
)
extra(
    "one-region",
    "You take one region off the pool, however many sequences run. Each of them holds one.",
    lambda pool, max_len, _: (pool - max_len) // max_len,
)
extra(
    "shares-out",
    "You divide the pool among the running sequences. Each holds one region; the rest is for new ones.",
    lambda pool, max_len, n_running: pool // (max_len * n_running),
)
extra(
    "one-too-few",
    "You answer one too few. Nothing needs to be kept back: a region that just fits may be reserved.",
    lambda *given: regions_left(*given) - 1,
)
extra(
    "one-too-many",
    "You answer one too many. Count the regions that are left after those of the running sequences.",
    lambda *given: regions_left(*given) + 1,
)
extra(
    "keeps-a-slot",
    "You want a slot to be left over. A region may use up the pool to its last slot.",
    lambda pool, max_len, n_running: (pool - 1) // max_len - n_running,
)
extra(
    "keeps-count",
    "Your function answers the same call differently when it comes again, as if it remembered earlier calls. "
    "Start anew in every call.",
    given_before,
    true_of="memory",
)
extra(
    "float-with-rest",
    "When slots are left over your answer has a decimal point. A count is an int: divide with //.",
    lambda pool, max_len, n_running: pool // (float(max_len) if pool % max_len else max_len) - n_running,
)
extra(
    "at-most-ten",
    "You stop at ten. Count all the regions that still fit.",
    clamp=lambda regions: max(0, min(10, regions)),
)
extra(
    "one-when-idle",
    "When nothing runs you always find room for one. A pool that is smaller than a region has none: 0.",
    one_when_idle,
)
extra(
    "cached-without-size",
    "Your function remembers its answer for a pool and what runs in it. Another region size needs another "
    "answer, so work it out in every call.",
    lambda pool, max_len, n_running, known={}: known.setdefault(
        (pool, n_running), max(0, pool // max_len - n_running)
    ),
)

# --- paged_slots ---


def overwrite_with_slots(lengths, block):
    """Write the slots of each sequence into the caller's list."""
    lengths[:] = [in_blocks(length, block) for length in lengths]
    return sum(lengths)


def uses_up_list(lengths, block):
    """Take block after block off the lengths in the caller's list."""
    slots = 0
    for place in range(len(lengths)):
        while lengths[place] > 0:
            lengths[place] -= block
            slots += block
    return slots


paged(
    "rounds-down",
    "You round down, so the last tokens have no slot. A partly filled block is handed out whole.",
    lambda length, block: length // block * block,
)
paged(
    "always-one-more",
    "You always add a block, perhaps to have room for the next token. That token's block is handed out when "
    "it comes; now one more is needed only when tokens are left over after the full blocks.",
    lambda length, block: (length // block + 1) * block,
)
paged(
    "one-more-if-any",
    "You add a block to every sequence with tokens. A sequence that just fills its blocks needs no more.",
    lambda length, block: (length // block + 1) * block if length else 0,
)
paged(
    "rounds-nearest",
    "You round to the nearest number of blocks. That may go down, and tokens have no slot: round up.",
    lambda length, block: math.floor(length / block + 0.5) * block,
)
paged(
    "rounds-half-even",
    "You round to the nearest number of blocks. That may go down, and tokens have no slot: round up.",
    lambda length, block: round(length / block) * block,
)
paged(
    "last-only",
    "You count the last sequence only. In the loop, add to the total instead of replacing it.",
    taken=lambda lengths: lengths[-1:],
    added=True,
)
paged(
    "total-blocks",
    "You return the blocks of the total. Each sequence has blocks of its own, and the question is how many "
    "slots.",
    count=lambda lengths, block: -(-sum(lengths) // block),
)
paged(
    "times-sixteen",
    "You take the blocks for those of the example. The size of a block comes in as block.",
    lambda length, block: -(-length // block) * 16,
)
paged(
    "only-partly-filled",
    "You count a sequence only when its last block is partly filled. One that just fills its blocks needs "
    "them.",
    lambda length, block: in_blocks(length, block) if length % block else 0,
)
paged(
    "adds-remainder",
    "You add the tokens of the last block once more. What is missing is the rest of that block.",
    lambda length, block: length + length % block,
)
for name, part in (("roughly", 0.9), ("almost", 0.99), ("nearly", 0.999), ("practically", 0.9999)):
    paged(
        f"{name}-one-more",
        "You lose a little before you cut, by adding only almost one block or by rounding. In a large block "
        "a single token is as little.",
        lambda length, block, part=part: int(length / block + part) * block,
    )
paged(
    "stops-early",
    "Your loop stops after a fixed number of rounds. Hand out blocks until all tokens have a slot.",
    lambda length, block: min(1000 * block, in_blocks(length, block)),
)
paged(
    "one-block-if-any",
    "You give every sequence with tokens one block. A longer one needs several: count how many hold all.",
    lambda length, block: block if length else 0,
)
paged(
    "adds-if-any",
    "You add almost a block to each length and stop there. Cut the sum back to whole blocks.",
    lambda length, block: length + block - 1 if length else 0,
)
paged(
    "longest-only",
    "You count the longest sequence only. Every sequence needs blocks.",
    taken=lambda lengths: [max(lengths, default=0)],
    added=True,
)
paged(
    "padded",
    "You give every sequence as many blocks as the longest. With paging each one gets only what it needs.",
    count=lambda lengths, block: len(lengths) * in_blocks(max(lengths, default=0), block),
)
paged(
    "block-for-nothing",
    "You give a block to a sequence without tokens. It gets its first block with its first token.",
    lambda length, block: in_blocks(max(1, length), block),
)
paged(
    "block-for-nobody",
    "Without sequences you still hand out a block. No sequence needs one: 0 slots.",
    empty=lambda _, block: block,
)
paged(
    "sixteen",
    "Your function always uses the example's block size. The size comes in as block.",
    lambda length, _: in_blocks(length, 16),
)
paged(
    "bit-mask",
    "Your bit mask works only when the block size is a power of two. Any size is allowed: divide.",
    lambda length, block: (length + block - 1) & ~(block - 1),
)
paged(
    "returns-in-loop",
    "You leave the loop in its first round. Move the return behind the loop, so that all sequences count.",
    taken=lambda lengths: lengths[:1],
    added=True,
)
paged(
    "skips-last",
    "You leave out the last sequence. Loop over the lengths themselves instead of counting positions.",
    taken=lambda lengths: lengths[:-1],
    added=True,
)
paged(
    "distinct",
    "You count equal lengths once. Equal lengths are not equal tokens, and these sequences share no block.",
    taken=set,
    added=True,
)
paged(
    "one-block-each",
    "You give every sequence one block. A longer one needs several: count how many hold all its tokens.",
    lambda _, block: block,
)
paged(
    "rounds-total",
    "You round up the total, as if one sequence could go on in the last block of another. Each has blocks of "
    "its own: round each length.",
    taken=lambda lengths: [sum(lengths)],
    added=True,
)
paged(
    "total-one-more",
    "You add one block for all sequences together. Each can have a partly filled block of its own, or none.",
    count=lambda lengths, block: (sum(lengths) // block + 1) * block,
)
paged(
    "shares-last-blocks",
    "You let sequences share their partly filled blocks. Every block belongs to one sequence here.",
    count=lambda lengths, block: (sum(n // block for n in lengths) + any(n % block for n in lengths)) * block,
)
paged(
    "counts-blocks",
    "You return blocks. The question is how many slots those blocks have.",
    lambda length, block: -(-length // block),
)
paged(
    "counts-tokens",
    "You count the tokens only. The empty slots of a last block are handed out with it.",
    lambda length, _: length,
)
paged(
    "slack",
    "You return the slack, the slots without a token. All slots that are handed out count.",
    lambda length, block: -length % block,
)
paged(
    "remainders",
    "You return the tokens in the last blocks. All slots of all blocks count.",
    lambda length, block: length % block,
)
paged(
    "only-adds",
    "You add almost a block to each length and stop there. Cut the sum back to whole blocks.",
    lambda length, block: length + block - 1,
)
paged(
    "true-division",
    "You divide with / and multiply back, which changes nothing. Round to whole blocks in between.",
    lambda length, block: length / block * block,
)
paged(
    "block-per-token",
    "You multiply lengths and block size. Find out how many blocks hold the tokens; a token is not a block.",
    lambda length, block: length * block,
)
paged(
    "upside-down",
    "You divide the wrong way round. How often does a block go into the length?",
    lambda length, block: in_blocks(block, length) // length * block,
)
paged(
    "power-of-two",
    "You round lengths up to a power of two. Here they are rounded up to whole blocks.",
    lambda length, _: 2 ** (length - 1).bit_length() if length else 0,
)
paged(
    "one-token-less",
    "You take a token off before you round up, so that a block can be missing. All tokens need a slot.",
    lambda length, block: in_blocks(length - 1, block),
)
paged(
    "at-least-a-block",
    "You let a sequence have one block at least, but do not round up a longer one. Its last block is handed "
    "out whole, too.",
    max,
)
paged(
    "at-least-a-block-if-any",
    "You let a sequence with tokens have one block at least, but do not round up a longer one. Its last "
    "block is handed out whole, too.",
    lambda length, block: max(length, block) if length else 0,
)
paged(
    "full-blocks-or-one",
    "You count one block for a short sequence, and only the full blocks of a longer one. A partly filled "
    "last block is handed out whole there, too.",
    lambda length, block: block if length <= block else length // block * block,
)
paged(
    "divides-first",
    "Division and multiplication come before addition and subtraction. Put what you divide into brackets.",
    lambda length, block: length + block - 1 // block * block,
)
paged(
    "float-if-any",
    "Your number has a decimal point. A count is an int: leave out what makes it a float.",
    lambda length, block: float(in_blocks(length, block)),
)
paged(
    "uses-up-list",
    "You subtract blocks from the lengths in the caller's list. Subtract from a variable of your own.",
    count=uses_up_list,
)
paged(
    "overwrites-list",
    "You write the rounded lengths into the list that the caller gave you. Keep them in a list of your own.",
    count=overwrite_with_slots,
)
paged(
    "list",
    "Your function returns a list with the slots of each sequence. Return one number: all of them together.",
    count=lambda lengths, block: [in_blocks(length, block) for length in lengths],
)
paged(
    "example-answer",
    "The answer is always that of the lesson's example. Work it out from lengths and block instead.",
    count=lambda *_: 48,
)
paged(
    "reserves",
    "You reserve the example's region for every sequence. With paging only the needed blocks count.",
    lambda *_: 100,
)
paged(
    "float-when-full",
    "When tokens just fill their blocks your answer has a decimal point. Slots are counted, so the answer "
    "is an int: divide with // there too.",
    lambda length, block: in_blocks(length, block) if length % block else length / block * block,
)
paged(
    "at-most-hundred",
    "You stop at the size of the example's region. With paging a sequence can grow beyond it.",
    lambda length, block: in_blocks(min(length, 100), block),
)

# --- Part 1 ---

hands_on(
    "tokens",
    "You counted the slots that hold a token. A region is reserved whole, however little it holds.",
    RESERVED=65,
)
hands_on(
    "pool", "You counted the whole pool. Only the three sequences have reserved something.", RESERVED=400
)
hands_on("one-region", "You counted one region. Each of the three sequences has its own.", RESERVED=100)
hands_on(
    "adds",
    "You added a number of sequences to a number of slots. Each sequence brings a whole region.",
    RESERVED=103,
)
hands_on(
    "tokens-idle",
    "You counted the slots that do hold a token. Idle are the reserved ones that hold none.",
    IDLE=65,
)
hands_on(
    "free-idle",
    "You counted every slot without a token. One that nobody reserved is free, not idle.",
    IDLE=335,
)
hands_on(
    "outside-idle",
    "You counted the part of the pool that nobody reserved. Look inside the regions.",
    IDLE=100,
)
hands_on(
    "one-region-idle",
    "You took the tokens of all sequences out of one region. Each of the three sequences has its own.",
    IDLE=35,
)
hands_on("empty-pool", "You counted what fits into an empty pool. Three sequences are running.", MORE=4)
hands_on(
    "lends-idle",
    "You lent out idle slots of the three regions. They stay with their sequences.",
    MORE=3,
)
hands_on(
    "free-slots", "You counted free slots. The question is for how many regions they are enough.", MORE=100
)
hands_on("none-more", "You found no room. The pool is larger than what the three sequences reserve.", MORE=0)
hands_on(
    "shared",
    "You say that idle slots can be used by others. Compare your counts: a sequence keeps its idle slots to "
    "itself, even while another one waits for memory.",
    UNUSED_IS_SHARED=True,
)

# --- the prediction, which earns no points, against the closing answer ---

REFLECTIONS = [
    (
        "prediction-held",
        "Your prediction was right, and your own numbers bear it out: idle slots stay with their sequence.",
        {"PREDICTION": False, "UNUSED_IS_SHARED": False},
    ),
    (
        "prediction-changed",
        "You predicted that others can use idle slots. Counting changed your mind; predictions are for that.",
        {"PREDICTION": True, "UNUSED_IS_SHARED": False},
    ),
    (
        "prediction-missing",
        "You answered the question at the end, but made no prediction at the start. Guess first next time.",
        {"PREDICTION": None, "UNUSED_IS_SHARED": False},
    ),
    (
        "prediction-kept",
        "You predicted that others can use idle slots, and say so still. Compare TODO 3 and TODO 4.",
        {"PREDICTION": True, "UNUSED_IS_SHARED": True},
    ),
    (
        "prediction-left",
        "Your prediction was nearer to it than your answer at the end. What made you change your mind?",
        {"PREDICTION": False, "UNUSED_IS_SHARED": True},
    ),
    (
        "prediction-missing-too",
        "You made no prediction at the start. Compare TODO 3 and TODO 4 first.",
        {"PREDICTION": None, "UNUSED_IS_SHARED": True},
    ),
]
