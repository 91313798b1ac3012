"""Wrong versions of the five functions, each with the sentence that helps a student who wrote it.

A misconception is written once. The function shows that the tests notice it; the sentence can be said to the
student whose function answers the same way, so it holds no value of any test and stands by itself. Each
version is wrong in one way only, so that two of them are told apart by what they answer. Some keep or change
things on purpose: whoever runs them loads this file afresh and hands over lists of their own.
"""

# ruff: noqa: ANN001, ANN201, D103 - the functions are bare as students write them; the sentence says it all
# ruff: noqa: ARG001, B006, S101, T201, TRY002 - to ignore an argument, keep state or print is the mistake shown

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

Function = Callable[..., Any]


class Misconception(NamedTuple):
    """A wrong version (``function``) of the function ``task``, and what to tell a student who believes it."""

    id: str
    task: str
    explanation: str
    function: Function


ALL: list[Misconception] = []


def misconception(task: str, explanation: str) -> Callable[[Function], Function]:
    """Register a function as a wrong version of ``task``; its name, with hyphens, is its id."""

    def register(function: Function) -> Function:
        ALL.append(Misconception(function.__name__.replace("_", "-"), task, explanation, function))
        return function

    return register


def _check(lengths: list[int], max_len: int | None) -> None:
    """The check that the right functions make; most wrong versions below get this part right."""
    if max_len is not None and any(length > max_len for length in lengths):
        raise ValueError("too long")


# --- reserved_slots ---


@misconception(
    "reserved_slots",
    "You add a number of sequences to a number of slots. Every sequence brings a whole region with it, so "
    "each further one costs the size of a region.",
)
def reserved_adds(n_seq, max_len):
    return n_seq + max_len


@misconception(
    "reserved_slots",
    "The answer is always that of the lesson's example. Work it out from the two arguments instead.",
)
def reserved_example_answer(n_seq, max_len):
    return 300


@misconception(
    "reserved_slots",
    "You count a region one slot too small. Its last position has the number max_len - 1, because counting "
    "starts at 0; the region still has max_len slots.",
)
def reserved_last_position(n_seq, max_len):
    return n_seq * (max_len - 1)


@misconception(
    "reserved_slots",
    "You give every region one slot more than it has. An end token needs no extra room: max_len is the full "
    "size.",
)
def reserved_end_token(n_seq, max_len):
    return n_seq * (max_len + 1)


@misconception(
    "reserved_slots",
    "Your function always reckons with the three sequences of the example. How many there are comes in as "
    "n_seq.",
)
def reserved_three_sequences(n_seq, max_len):
    return 3 * max_len


@misconception(
    "reserved_slots",
    "Your function always reckons with the region size of the example. The size comes in as max_len.",
)
def reserved_hundred_slots(n_seq, max_len):
    return n_seq * 100


@misconception(
    "reserved_slots",
    "You reserve a region even when no sequence runs. Without sequences there is nobody to reserve for: 0 "
    "slots.",
)
def reserved_never_nothing(n_seq, max_len):
    return max(1, n_seq) * max_len


@misconception(
    "reserved_slots",
    "You round regions up to blocks. Blocks come with paging; a contiguous region has exactly max_len slots.",
)
def reserved_in_blocks(n_seq, max_len):
    return n_seq * -(-max_len // 16) * 16


@misconception(
    "reserved_slots",
    "You round regions up to a power of two. Some servers do, but here a region has exactly max_len slots.",
)
def reserved_power_of_two(n_seq, max_len):
    return n_seq * 2 ** (max_len - 1).bit_length()


@misconception(
    "reserved_slots",
    "Your function gives back None. Printing shows the number to you but not to the caller: end with return.",
)
def reserved_prints(n_seq, max_len):
    print(n_seq * max_len)


@misconception(
    "reserved_slots",
    "Your number is right but has a decimal point. Slots are counted, so the answer is an int; leave out "
    "what makes it a float.",
)
def reserved_float(n_seq, max_len):
    return float(n_seq * max_len)


@misconception(
    "reserved_slots",
    "Your function gives back text. Return the number by itself, so that others can calculate with it.",
)
def reserved_text(n_seq, max_len):
    return str(n_seq * max_len)


@misconception(
    "reserved_slots",
    "You count one region for all sequences together. Each sequence has a region to itself.",
)
def reserved_one_region(n_seq, max_len):
    return max_len


@misconception(
    "reserved_slots",
    "You count sequences, not slots. Every sequence stands for a whole region of slots.",
)
def reserved_counts_sequences(n_seq, max_len):
    return n_seq


@misconception(
    "reserved_slots",
    "You raise one number to the power of the other. Regions lie side by side, so their sizes add up.",
)
def reserved_raises_to_power(n_seq, max_len):
    return max_len**n_seq


@misconception(
    "reserved_slots",
    "You leave one sequence out. n_seq is how many there are, not the number of the last one.",
)
def reserved_one_sequence_less(n_seq, max_len):
    return (n_seq - 1) * max_len


@misconception(
    "reserved_slots",
    "You reserve for one sequence that does not run. Only running sequences have a region.",
)
def reserved_one_sequence_more(n_seq, max_len):
    return (n_seq + 1) * max_len


@misconception(
    "reserved_slots",
    "Your function gives back a list with the size of each region. One number is asked: all of them "
    "together.",
)
def reserved_list(n_seq, max_len):
    return [max_len] * n_seq


@misconception(
    "reserved_slots",
    "The answer is always the number of tokens in the example. A region is reserved whole, however little "
    "it holds.",
)
def reserved_example_tokens(n_seq, max_len):
    return 65


@misconception(
    "reserved_slots",
    "The answer is always the size of the example's pool. Only the regions of running sequences are "
    "reserved.",
)
def reserved_example_pool(n_seq, max_len):
    return 400


@misconception(
    "reserved_slots",
    "Your function remembers what it counted in earlier calls. Start from nothing in every call.",
)
def reserved_keeps_total(n_seq, max_len, total=[0]):
    total[0] += n_seq * max_len
    return total[0]


@misconception(
    "reserved_slots",
    "With no sequence your function gives back no number. None running means 0 slots.",
)
def reserved_none_for_nobody(n_seq, max_len):
    return n_seq * max_len if n_seq else None


@misconception(
    "reserved_slots",
    "You treat an empty server as an error. No sequence is an ordinary case: it reserves 0 slots.",
)
def reserved_error_for_nobody(n_seq, max_len):
    if not n_seq:
        raise ValueError("no sequence")
    return n_seq * max_len


@misconception(
    "reserved_slots",
    "Your function remembers its answer for each number of sequences. Another region size needs another "
    "answer, so work it out in every call.",
)
def reserved_cached_by_number(n_seq, max_len, known={}):
    return known.setdefault(n_seq, n_seq * max_len)


@misconception(
    "reserved_slots",
    "For an odd number of sequences your answer has a decimal point. Slots are counted, so the answer is an "
    "int; leave out what makes it a float.",
)
def reserved_float_for_odd(n_seq, max_len):
    return n_seq / 2 * 2 * max_len if n_seq % 2 else n_seq * max_len


# --- used_slots ---


@misconception(
    "used_slots",
    "You give back the longest sequence only. The tokens of the others take up slots too.",
)
def used_longest(lengths, max_len=None):
    _check(lengths, max_len)
    return max(lengths, default=0)


@misconception(
    "used_slots",
    "You give back the shortest sequence only. The tokens of the others take up slots too.",
)
def used_shortest(lengths, max_len=None):
    _check(lengths, max_len)
    return min(lengths, default=0)


@misconception(
    "used_slots",
    "You count the sequences, not their tokens. len() tells how many lengths there are.",
)
def used_counts_sequences(lengths, max_len=None):
    _check(lengths, max_len)
    return len(lengths)


@misconception(
    "used_slots",
    "You refuse a sequence that exactly fills its region. It fits; only a longer one is an error. Look at "
    "the comparison once more.",
)
def used_refuses_exactly_full(lengths, max_len=None):
    if max_len is not None and any(length >= max_len for length in lengths):
        raise ValueError("too long")
    return sum(lengths)


@misconception(
    "used_slots",
    "You let a sequence be one token longer than its region. Nothing beyond max_len fits.",
)
def used_allows_one_more(lengths, max_len=None):
    if max_len is not None and any(length > max_len + 1 for length in lengths):
        raise ValueError("too long")
    return sum(lengths)


@misconception(
    "used_slots",
    "You hand the error back like an answer. An error must stop the caller: raise it instead of returning "
    "it.",
)
def used_returns_error(lengths, max_len=None):
    if max_len is not None and any(length > max_len for length in lengths):
        return ValueError("too long")
    return sum(lengths)


@misconception(
    "used_slots",
    "You signal a too long sequence by a negative number. A caller could add it up unnoticed; raise "
    "ValueError.",
)
def used_minus_one(lengths, max_len=None):
    if max_len is not None and any(length > max_len for length in lengths):
        return -1
    return sum(lengths)


@misconception(
    "used_slots",
    "You answer 0 for a too long sequence. That looks like an empty server; raise ValueError.",
)
def used_zero_for_error(lengths, max_len=None):
    if max_len is not None and any(length > max_len for length in lengths):
        return 0
    return sum(lengths)


@misconception(
    "used_slots",
    "For a too long sequence your function gives back None. Printing a warning does not stop the caller; "
    "raise ValueError, and do not catch it yourself.",
)
def used_none_for_error(lengths, max_len=None):
    if max_len is not None and any(length > max_len for length in lengths):
        return None
    return sum(lengths)


@misconception(
    "used_slots",
    "What you raise is no kind of ValueError, so a caller who expects one does not catch it. Raise "
    "ValueError, or derive your own class from it instead of from Exception.",
)
def used_raises_exception(lengths, max_len=None):
    if max_len is not None and any(length > max_len for length in lengths):
        raise Exception("too long")
    return sum(lengths)


@misconception(
    "used_slots",
    "For a too long sequence an AssertionError reaches the caller, perhaps from an assert, which can be "
    "switched off. Raise ValueError yourself.",
)
def used_asserts(lengths, max_len=None):
    assert max_len is None or all(length <= max_len for length in lengths)
    return sum(lengths)


@misconception(
    "used_slots",
    "For a too long sequence a TypeError reaches the caller, raised by you or because what stands behind "
    "raise is no exception, such as a text. Raise ValueError.",
)
def used_raises_type_error(lengths, max_len=None):
    if max_len is not None and any(length > max_len for length in lengths):
        raise TypeError("too long")
    return sum(lengths)


@misconception(
    "used_slots",
    "You leave too long sequences out of the count. They must not vanish silently; raise ValueError.",
)
def used_skips_too_long(lengths, max_len=None):
    return sum(length for length in lengths if max_len is None or length <= max_len)


@misconception(
    "used_slots",
    "You cut a too long sequence down to its region. That hides tokens that have no slot; raise ValueError.",
)
def used_cuts_too_long(lengths, max_len=None):
    return sum(length if max_len is None else min(length, max_len) for length in lengths)


@misconception(
    "used_slots",
    "No ValueError reaches the caller when a sequence is longer than max_len. Compare each length with it "
    "and raise the error there; to print it, or to make it without raise, does not stop the caller.",
)
def used_never_checks(lengths, max_len=None):
    return sum(lengths)


@misconception(
    "used_slots",
    "You compare the number of sequences with max_len. The limit holds for the length of each one.",
)
def used_checks_count(lengths, max_len=None):
    if max_len is not None and len(lengths) > max_len:
        raise ValueError("too long")
    return sum(lengths)


@misconception(
    "used_slots",
    "You compare the total with max_len. Every sequence has a region to itself, so compare each length.",
)
def used_checks_total(lengths, max_len=None):
    if max_len is not None and sum(lengths) > max_len:
        raise ValueError("too long")
    return sum(lengths)


@misconception(
    "used_slots",
    "You compare the average length with max_len. A short sequence does not make room for a long one.",
)
def used_checks_average(lengths, max_len=None):
    if max_len is not None and sum(lengths) > max_len * len(lengths):
        raise ValueError("too long")
    return sum(lengths)


@misconception(
    "used_slots",
    "You check the first sequence only. A too long one can stand anywhere in the list.",
)
def used_checks_first(lengths, max_len=None):
    _check(lengths[:1], max_len)
    return sum(lengths)


@misconception(
    "used_slots",
    "You check the last sequence only. A too long one can stand anywhere in the list.",
)
def used_checks_last(lengths, max_len=None):
    _check(lengths[-1:], max_len)
    return sum(lengths)


@misconception(
    "used_slots",
    "You raise the error only when every sequence is too long. One of them is enough: any, not all.",
)
def used_checks_all(lengths, max_len=None):
    if max_len is not None and lengths and all(length > max_len for length in lengths):
        raise ValueError("too long")
    return sum(lengths)


@misconception(
    "used_slots",
    "You refuse short sequences and accept long ones. Turn the comparison round.",
)
def used_refuses_short(lengths, max_len=None):
    if max_len is not None and any(length < max_len for length in lengths):
        raise ValueError("too short")
    return sum(lengths)


@misconception(
    "used_slots",
    "You apply the example's limit when none is given. Without max_len there is no limit; its default is "
    "None.",
)
def used_limit_of_example(lengths, max_len=100):
    _check(lengths, max_len)
    return sum(lengths)


@misconception(
    "used_slots",
    "Without max_len you check against 0, so that every token is too many. Keep None as the sign for no "
    "limit.",
)
def used_limit_default_zero(lengths, max_len=0):
    _check(lengths, max_len)
    return sum(lengths)


@misconception(
    "used_slots",
    "Your function cannot be called without max_len. Give the argument a default in the def line.",
)
def used_limit_required(lengths, max_len):
    _check(lengths, max_len)
    return sum(lengths)


@misconception(
    "used_slots",
    "With a limit and no sequences your function raises an error. It comes from max() of an empty list, not "
    "from a too long sequence; 0 slots are used.",
)
def used_max_of_nothing(lengths, max_len=None):
    if max_len is not None and max(lengths) > max_len:
        raise ValueError("too long")
    return sum(lengths)


@misconception(
    "used_slots",
    "You take a limit of 0 for no limit. 0 counts as false in an if: ask whether max_len is None.",
)
def used_zero_is_no_limit(lengths, max_len=None):
    if max_len and any(length > max_len for length in lengths):
        raise ValueError("too long")
    return sum(lengths)


@misconception(
    "used_slots",
    "You leave out the last sequence. Loop over the lengths themselves instead of counting positions.",
)
def used_skips_last(lengths, max_len=None):
    _check(lengths, max_len)
    return sum(lengths[:-1])


@misconception(
    "used_slots",
    "You leave out the first sequence. Positions in a list begin at 0; better loop over the lengths "
    "themselves.",
)
def used_skips_first(lengths, max_len=None):
    _check(lengths, max_len)
    return sum(lengths[1:])


@misconception(
    "used_slots",
    "You leave the loop in its first round. Move the return behind the loop, so that all sequences count.",
)
def used_returns_in_loop(lengths, max_len=None):
    _check(lengths, max_len)
    for length in lengths:
        return length
    return 0


@misconception(
    "used_slots",
    "You empty the list that the caller gave you. Go through it without taking anything out.",
)
def used_empties_list(lengths, max_len=None):
    _check(lengths, max_len)
    total = 0
    while lengths:
        total += lengths.pop()
    return total


@misconception(
    "used_slots",
    "You sort the list that the caller gave you. Its order is the caller's; sorted() makes a new list.",
)
def used_sorts_list(lengths, max_len=None):
    lengths.sort()
    _check(lengths, max_len)
    return sum(lengths)


@misconception(
    "used_slots",
    "You turn the list that the caller gave you into running totals. Keep the total in a variable of your "
    "own.",
)
def used_totals_in_list(lengths, max_len=None):
    _check(lengths, max_len)
    for i in range(1, len(lengths)):
        lengths[i] += lengths[i - 1]
    return lengths[-1] if lengths else 0


@misconception(
    "used_slots",
    "Your function remembers what it counted in earlier calls. Start at 0 in every call.",
)
def used_keeps_total(lengths, max_len=None, total=[0]):
    _check(lengths, max_len)
    total[0] += sum(lengths)
    return total[0]


@misconception(
    "used_slots",
    "With a limit you give back the reserved slots. A slot is used only when it holds a token.",
)
def used_reserved(lengths, max_len=None):
    _check(lengths, max_len)
    return sum(lengths) if max_len is None else len(lengths) * max_len


@misconception(
    "used_slots",
    "With a limit you give back the idle slots. The used ones are those that hold a token.",
)
def used_idle(lengths, max_len=None):
    _check(lengths, max_len)
    return sum(lengths) if max_len is None else len(lengths) * max_len - sum(lengths)


@misconception(
    "used_slots",
    "You count equal lengths once. A set keeps one of each; two sequences of one length are still two.",
)
def used_distinct(lengths, max_len=None):
    _check(lengths, max_len)
    return sum(set(lengths))


@misconception(
    "used_slots",
    "The answer is always that of the lesson's example. Work it out from the lengths instead.",
)
def used_example_answer(lengths, max_len=None):
    _check(lengths, max_len)
    return 65


@misconception(
    "used_slots",
    "Your function gives back None. Printing shows the number to you but not to the caller: end with return.",
)
def used_prints(lengths, max_len=None):
    _check(lengths, max_len)
    print(sum(lengths))


@misconception(
    "used_slots",
    "You give back the average length. All tokens together are asked.",
)
def used_average(lengths, max_len=None):
    _check(lengths, max_len)
    return sum(lengths) // len(lengths) if lengths else 0


@misconception(
    "used_slots",
    "Your number is right but has a decimal point. Tokens are counted, so the answer is an int.",
)
def used_float(lengths, max_len=None):
    _check(lengths, max_len)
    return float(sum(lengths))


@misconception(
    "used_slots",
    "Without sequences your function gives back None. Nothing is used then: 0.",
)
def used_none_for_nobody(lengths, max_len=None):
    _check(lengths, max_len)
    if lengths:
        return sum(lengths)
    return None


@misconception(
    "used_slots",
    "You treat an empty list as an error. No sequence is an ordinary case: 0 slots are used.",
)
def used_error_for_nobody(lengths, max_len=None):
    if not lengths:
        raise ValueError("no sequence")
    _check(lengths, max_len)
    return sum(lengths)


@misconception(
    "used_slots",
    "You round the lengths up to blocks. Here a slot counts only when it holds a token.",
)
def used_in_blocks(lengths, max_len=None):
    _check(lengths, max_len)
    return sum(-(-length // 16) * 16 for length in lengths)


@misconception(
    "used_slots",
    "You add one slot to every sequence. An end token, where there is one, is already part of its length.",
)
def used_end_token(lengths, max_len=None):
    _check(lengths, max_len)
    return sum(length + 1 for length in lengths)


@misconception(
    "used_slots",
    "You multiply the lengths. Tokens of different sequences lie side by side, so their numbers add up.",
)
def used_product(lengths, max_len=None):
    _check(lengths, max_len)
    return math.prod(lengths) if lengths else 0


@misconception(
    "used_slots",
    "Without sequences your answer has a decimal point. Tokens are counted, so the answer is an int: 0, not "
    "0.0.",
)
def used_float_for_nobody(lengths, max_len=None):
    _check(lengths, max_len)
    return sum(lengths) if lengths else 0.0


@misconception(
    "used_slots",
    "With a limit your answer has a decimal point. Tokens are counted, so begin the total with 0, not with "
    "0.0.",
)
def used_float_with_limit(lengths, max_len=None):
    _check(lengths, max_len)
    return sum(lengths) if max_len is None else sum(lengths, 0.0)


@misconception(
    "used_slots",
    "When there is nothing to count your function gives back False. A count is an int: return the sum, "
    "which is 0 then.",
)
def used_false_for_nothing(lengths, max_len=None):
    _check(lengths, max_len)
    return any(lengths) and sum(lengths)


@misconception(
    "used_slots",
    "Without max_len you check against a large number. However large it is, something longer can come: None "
    "is the sign for no limit.",
)
def used_limit_default_million(lengths, max_len=1_000_000):
    _check(lengths, 1_000_000 if max_len is None else max_len)
    return sum(lengths)


@misconception(
    "used_slots",
    "Your function cannot take None for max_len. None means no limit, also when it is given: ask for it "
    "before you compare.",
)
def used_refuses_none(lengths, max_len=math.inf):
    if any(length > max_len for length in lengths):
        raise ValueError("too long")
    return sum(lengths)


@misconception(
    "used_slots",
    "You put something into the caller's list when it is empty. Decide that case without changing the list.",
)
def used_fills_empty_list(lengths, max_len=None):
    if not lengths:
        lengths.append(0)
    _check(lengths, max_len)
    return sum(lengths)


@misconception(
    "used_slots",
    "You take the empty sequences out of the caller's list. Go through it without taking anything out; a 0 "
    "adds nothing.",
)
def used_removes_zeros(lengths, max_len=None):
    while 0 in lengths:
        lengths.remove(0)
    _check(lengths, max_len)
    return sum(lengths)


@misconception(
    "used_slots",
    "You change the caller's list before you raise the error. It stays as it was in that case too.",
)
def used_removes_too_long(lengths, max_len=None):
    for length in list(lengths):
        if max_len is not None and length > max_len:
            lengths.remove(length)
            raise ValueError("too long")
    return sum(lengths)


@misconception(
    "used_slots",
    "You check the first few sequences only. A too long one can stand anywhere in the list.",
)
def used_checks_first_three(lengths, max_len=None):
    _check(lengths[:3], max_len)
    return sum(lengths)


@misconception(
    "used_slots",
    "You raise the error only when a single sequence is too long. Several are no better: raise it as soon "
    "as there is one.",
)
def used_checks_exactly_one(lengths, max_len=None):
    if max_len is not None and sum(length > max_len for length in lengths) == 1:
        raise ValueError("too long")
    return sum(lengths)


@misconception(
    "used_slots",
    "You look only at neighbours that differ, so a sequence alone or beside an equal one is never checked. "
    "Compare every length with max_len.",
)
def used_checks_neighbours(lengths, max_len=None):
    for one, other in itertools.pairwise(lengths):
        if one != other:
            _check([one, other], max_len)
    return sum(lengths)


@misconception(
    "used_slots",
    "You add up the first few lengths only. The list can hold any number of sequences.",
)
def used_first_three(lengths, max_len=None):
    _check(lengths, max_len)
    return sum(lengths[:3])


@misconception(
    "used_slots",
    "Your function remembers its answer for each list. With another max_len the same list can be an error, "
    "so check it in every call.",
)
def used_cached_by_lengths(lengths, max_len=None, known={}):
    if tuple(lengths) not in known:
        _check(lengths, max_len)
        known[tuple(lengths)] = sum(lengths)
    return known[tuple(lengths)]


# --- waste_fraction ---


@misconception(
    "waste_fraction",
    "You give back the share that is in use. Wasted is the rest: reserved, but without a token.",
)
def waste_used_share(lengths, max_len):
    _check(lengths, max_len)
    return sum(lengths) / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "You give back a number of slots. A share is asked: divide the idle slots by the reserved ones.",
)
def waste_count(lengths, max_len):
    _check(lengths, max_len)
    return len(lengths) * max_len - sum(lengths)


@misconception(
    "waste_fraction",
    "You give back percent. The share of everything is 1.0, not 100: leave the factor out.",
)
def waste_percent(lengths, max_len):
    _check(lengths, max_len)
    return 100 * (1 - sum(lengths) / (len(lengths) * max_len)) if lengths else 0.0


@misconception(
    "waste_fraction",
    "You divide by the example's pool. A slot that nobody reserved is free, not wasted: divide by what is "
    "reserved.",
)
def waste_over_pool(lengths, max_len):
    _check(lengths, max_len)
    return (len(lengths) * max_len - sum(lengths)) / 400


@misconception(
    "waste_fraction",
    "You divide by the used slots. The question is which part of the reserved slots is idle.",
)
def waste_over_used(lengths, max_len):
    _check(lengths, max_len)
    return (len(lengths) * max_len - sum(lengths)) / sum(lengths) if lengths else 0.0


@misconception(
    "waste_fraction",
    "You divide the wrong way round. A share is the part divided by the whole, and never more than 1.",
)
def waste_upside_down(lengths, max_len):
    _check(lengths, max_len)
    idle = len(lengths) * max_len - sum(lengths)
    return len(lengths) * max_len / idle if idle else 0.0


@misconception(
    "waste_fraction",
    "You lose the fraction to a whole-number division. // rounds down; / keeps what comes after the point.",
)
def waste_whole_division(lengths, max_len):
    _check(lengths, max_len)
    reserved = len(lengths) * max_len
    return (reserved - sum(lengths)) // reserved if lengths else 0.0


@misconception(
    "waste_fraction",
    "Your share is rounded to hundredths. Give back all of it, and round only when you show it to someone.",
)
def waste_hundredths(lengths, max_len):
    _check(lengths, max_len)
    return round(1 - sum(lengths) / (len(lengths) * max_len), 2) if lengths else 0.0


@misconception(
    "waste_fraction",
    "Your share is rounded. A few more digits do not help; give back all of it without round().",
)
def waste_rounds(lengths, max_len):
    _check(lengths, max_len)
    return round(1 - sum(lengths) / (len(lengths) * max_len), 4) if lengths else 0.0


@misconception(
    "waste_fraction",
    "Your function always reckons with the example's three regions. There are as many as there are lengths.",
)
def waste_three_sequences(lengths, max_len):
    _check(lengths, max_len)
    return 1 - sum(lengths) / (3 * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "Your function always reckons with the example's region size. The size comes in as max_len.",
)
def waste_hundred_slots(lengths, max_len):
    _check(lengths, max_len)
    return 1 - sum(lengths) / (len(lengths) * 100) if lengths else 0.0


@misconception(
    "waste_fraction",
    "You set all tokens against a single region. Every sequence has a region to itself.",
)
def waste_one_region(lengths, max_len):
    _check(lengths, max_len)
    return (max_len - sum(lengths)) / max_len if lengths else 0.0


@misconception(
    "waste_fraction",
    "You cut the average length to a whole number on the way. Divide once, at the end, with /.",
)
def waste_average_cut(lengths, max_len):
    _check(lengths, max_len)
    return 1 - (sum(lengths) // len(lengths)) / max_len if lengths else 0.0


@misconception(
    "waste_fraction",
    "You count equal lengths once. A set keeps one of each; two sequences of one length are still two.",
)
def waste_distinct(lengths, max_len):
    _check(lengths, max_len)
    return 1 - sum(set(lengths)) / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "When nothing is idle your function gives back None. Every way through it needs a return; the share is "
    "0.0.",
)
def waste_none_when_full(lengths, max_len):
    _check(lengths, max_len)
    idle = len(lengths) * max_len - sum(lengths)
    return idle / (len(lengths) * max_len) if idle else None


@misconception(
    "waste_fraction",
    "You count regions that are empty altogether. A region with some tokens has idle slots too: count slots.",
)
def waste_empty_regions(lengths, max_len):
    _check(lengths, max_len)
    return sum(length == 0 for length in lengths) / len(lengths) if lengths else 0.0


@misconception(
    "waste_fraction",
    "You empty the list that the caller gave you. Go through it without taking anything out.",
)
def waste_empties_list(lengths, max_len):
    _check(lengths, max_len)
    reserved, idle = len(lengths) * max_len, len(lengths) * max_len
    while lengths:
        idle -= lengths.pop()
    return idle / reserved if reserved else 0.0


@misconception(
    "waste_fraction",
    "You sort the list that the caller gave you. Its order is the caller's; sorted() makes a new list.",
)
def waste_sorts_list(lengths, max_len):
    lengths.sort()
    _check(lengths, max_len)
    return 1 - sum(lengths) / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "You put the idle slots into the list that the caller gave you. Build a list of your own, or just a "
    "total.",
)
def waste_overwrites_list(lengths, max_len):
    _check(lengths, max_len)
    for i, length in enumerate(lengths):
        lengths[i] = max_len - length
    return sum(lengths) / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "Without sequences you divide by zero. Decide that case first: nothing reserved, nothing wasted.",
)
def waste_divides_by_zero(lengths, max_len):
    _check(lengths, max_len)
    return 1 - sum(lengths) / (len(lengths) * max_len)


@misconception(
    "waste_fraction",
    "Without sequences your share is 1. Nothing is reserved then, so nothing can be wasted: 0.0.",
)
def waste_all_for_nobody(lengths, max_len):
    _check(lengths, max_len)
    return 1 - sum(lengths) / (len(lengths) * max_len) if lengths else 1.0


@misconception(
    "waste_fraction",
    "Without sequences your function gives back None. Nothing is wasted then: 0.0.",
)
def waste_none_for_nobody(lengths, max_len):
    _check(lengths, max_len)
    return 1 - sum(lengths) / (len(lengths) * max_len) if lengths else None


@misconception(
    "waste_fraction",
    "You treat an empty list as an error. No sequence is an ordinary case: nothing is wasted, 0.0.",
)
def waste_error_for_nobody(lengths, max_len):
    if not lengths:
        raise ValueError("no sequence")
    _check(lengths, max_len)
    return 1 - sum(lengths) / (len(lengths) * max_len)


@misconception(
    "waste_fraction",
    "No ValueError reaches the caller when a sequence does not fit into its region. Raise one, or let that "
    "of used_slots pass; an error that is printed, made without raise, or caught here stops nobody.",
)
def waste_never_checks(lengths, max_len):
    return 1 - sum(lengths) / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "You cut a too long sequence down to its region. That hides tokens that have no slot; raise ValueError.",
)
def waste_cuts_too_long(lengths, max_len):
    used = sum(min(length, max_len) for length in lengths)
    return 1 - used / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "You leave too long sequences out, with their regions. They must not vanish silently; raise ValueError.",
)
def waste_skips_too_long(lengths, max_len):
    fitting = [length for length in lengths if length <= max_len]
    return 1 - sum(fitting) / (len(fitting) * max_len) if fitting else 0.0


@misconception(
    "waste_fraction",
    "You raise the error only when all regions together are too small. Check each sequence against its own.",
)
def waste_checks_total(lengths, max_len):
    if sum(lengths) > len(lengths) * max_len:
        raise ValueError("too long")
    return 1 - sum(lengths) / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "You compare the total with one region. Every sequence has a region to itself, so compare each length.",
)
def waste_checks_sum(lengths, max_len):
    if sum(lengths) > max_len:
        raise ValueError("too long")
    return 1 - sum(lengths) / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "You check the first sequence only. A too long one can stand anywhere in the list.",
)
def waste_checks_first(lengths, max_len):
    _check(lengths[:1], max_len)
    return 1 - sum(lengths) / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "You check the last sequence only. A too long one can stand anywhere in the list.",
)
def waste_checks_last(lengths, max_len):
    _check(lengths[-1:], max_len)
    return 1 - sum(lengths) / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "You refuse a sequence that exactly fills its region. It fits; only a longer one is an error.",
)
def waste_refuses_exactly_full(lengths, max_len):
    if any(length >= max_len for length in lengths):
        raise ValueError("too long")
    return 1 - sum(lengths) / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "You answer 0.0 for a too long sequence. That looks like no waste at all; raise ValueError.",
)
def waste_zero_for_error(lengths, max_len):
    if any(length > max_len for length in lengths):
        return 0.0
    return 1 - sum(lengths) / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "For a too long sequence your function gives back None. That does not stop the caller; raise ValueError, "
    "and do not catch it yourself.",
)
def waste_none_for_error(lengths, max_len):
    if any(length > max_len for length in lengths):
        return None
    return 1 - sum(lengths) / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "You hand the error back like an answer. An error must stop the caller: raise it instead of returning "
    "it.",
)
def waste_returns_error(lengths, max_len):
    if any(length > max_len for length in lengths):
        return ValueError("too long")
    return 1 - sum(lengths) / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "What you raise is no kind of ValueError, so a caller who expects one does not catch it. Raise "
    "ValueError, or derive your own class from it instead of from Exception.",
)
def waste_raises_exception(lengths, max_len):
    if any(length > max_len for length in lengths):
        raise Exception("too long")
    return 1 - sum(lengths) / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "For a too long sequence an AssertionError reaches the caller, perhaps from an assert, which can be "
    "switched off. Raise ValueError yourself.",
)
def waste_asserts(lengths, max_len):
    assert all(length <= max_len for length in lengths)
    return 1 - sum(lengths) / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "The answer is always that of the lesson's example. Work it out from the lengths and max_len instead.",
)
def waste_example_answer(lengths, max_len):
    _check(lengths, max_len)
    return 235 / 300


@misconception(
    "waste_fraction",
    "You leave out the regions of sequences without tokens. They are reserved all the same, and all idle.",
)
def waste_skips_empty(lengths, max_len):
    _check(lengths, max_len)
    filled = [length for length in lengths if length]
    return 1 - sum(filled) / (len(filled) * max_len) if filled else 0.0


@misconception(
    "waste_fraction",
    "You look at the longest sequence only. The idle slots of all regions count.",
)
def waste_longest_only(lengths, max_len):
    _check(lengths, max_len)
    return 1 - max(lengths) / max_len if lengths else 0.0


@misconception(
    "waste_fraction",
    "You look at the first sequence only. Perhaps a return stands inside the loop: move it behind the loop.",
)
def waste_first_only(lengths, max_len):
    _check(lengths, max_len)
    return 1 - lengths[0] / max_len if lengths else 0.0


@misconception(
    "waste_fraction",
    "You add up the shares of the regions. Each is a share of one region; the share of all is their average.",
)
def waste_adds_shares(lengths, max_len):
    _check(lengths, max_len)
    return sum(1 - length / max_len for length in lengths)


@misconception(
    "waste_fraction",
    "Your share has the wrong sign. Subtract the used slots from the reserved ones, not the other way round.",
)
def waste_negative(lengths, max_len):
    _check(lengths, max_len)
    return sum(lengths) / (len(lengths) * max_len) - 1 if lengths else 0.0


@misconception(
    "waste_fraction",
    "Division comes before subtraction. Put the difference into brackets, or give it a name first.",
)
def waste_missing_brackets(lengths, max_len):
    _check(lengths, max_len)
    reserved = len(lengths) * max_len
    return reserved - sum(lengths) / reserved if lengths else 0.0


@misconception(
    "waste_fraction",
    "Your function gives back text. Return the share as a number; how it is shown is the caller's choice.",
)
def waste_text(lengths, max_len):
    _check(lengths, max_len)
    return str(1 - sum(lengths) / (len(lengths) * max_len) if lengths else 0.0)


@misconception(
    "waste_fraction",
    "Your function gives back None. Printing shows the share to you but not to the caller: end with return.",
)
def waste_prints(lengths, max_len):
    _check(lengths, max_len)
    print(1 - sum(lengths) / (len(lengths) * max_len) if lengths else 0.0)


@misconception(
    "waste_fraction",
    "Your function gives back a list with a share for each region. One number is asked, for all of them "
    "together.",
)
def waste_list(lengths, max_len):
    _check(lengths, max_len)
    return [1 - length / max_len for length in lengths]


@misconception(
    "waste_fraction",
    "Your function remembers what it counted in earlier calls. Start from nothing in every call.",
)
def waste_keeps_total(lengths, max_len, seen=[]):
    _check(lengths, max_len)
    seen.extend(lengths)
    return 1 - sum(seen) / (len(seen) * max_len) if seen else 0.0


@misconception(
    "waste_fraction",
    "You measure the slack of paged blocks. Here each sequence has one region of max_len slots, without "
    "blocks.",
)
def waste_of_blocks(lengths, max_len):
    _check(lengths, max_len)
    slots = sum(-(-length // 16) * 16 for length in lengths)
    return 1 - sum(lengths) / slots if slots else 0.0


@misconception(
    "waste_fraction",
    "You count a region one slot too small. Positions run from 0 to max_len - 1, and that makes max_len "
    "slots.",
)
def waste_last_position(lengths, max_len):
    _check(lengths, max_len)
    return 1 - sum(lengths) / (len(lengths) * (max_len - 1)) if lengths else 0.0


@misconception(
    "waste_fraction",
    "You compare the lengths with the example's region size. The size comes in as max_len.",
)
def waste_checks_hundred(lengths, max_len):
    _check(lengths, 100)
    return 1 - sum(lengths) / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "You compare the lengths with the larger of max_len and the example's region size. Compare them with "
    "max_len alone.",
)
def waste_checks_hundred_at_least(lengths, max_len):
    _check(lengths, max(100, max_len))
    return 1 - sum(lengths) / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "You compare rounded shares. A token too many can vanish in the rounding: compare each length with "
    "max_len.",
)
def waste_checks_rounded_share(lengths, max_len):
    if any(round(length / max_len, 2) > 1 for length in lengths):
        raise ValueError("too long")
    return 1 - sum(lengths) / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "You check the first few sequences only. A too long one can stand anywhere in the list.",
)
def waste_checks_first_three(lengths, max_len):
    _check(lengths[:3], max_len)
    return 1 - sum(lengths) / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "You raise the error only when a single sequence is too long. Several are no better: raise it as soon "
    "as there is one.",
)
def waste_checks_exactly_one(lengths, max_len):
    if sum(length > max_len for length in lengths) == 1:
        raise ValueError("too long")
    return 1 - sum(lengths) / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "You add up the first few lengths only. The list can hold any number of sequences.",
)
def waste_first_three(lengths, max_len):
    _check(lengths, max_len)
    return 1 - sum(lengths[:3]) / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "You take a region for at least two slots. A region of a single slot is allowed as well.",
)
def waste_two_slots_at_least(lengths, max_len):
    _check(lengths, max_len)
    return 1 - sum(lengths) / (len(lengths) * max(2, max_len)) if lengths else 0.0


@misconception(
    "waste_fraction",
    "You put something into the caller's list when it is empty. Decide that case without changing the list.",
)
def waste_fills_empty_list(lengths, max_len):
    if not lengths:
        lengths.append(max_len)
    _check(lengths, max_len)
    return 1 - sum(lengths) / (len(lengths) * max_len)


@misconception(
    "waste_fraction",
    "You take the empty sequences out of the caller's list. Go through it without taking anything out; a 0 "
    "adds nothing.",
)
def waste_removes_zeros(lengths, max_len):
    count = len(lengths)
    while 0 in lengths:
        lengths.remove(0)
    _check(lengths, max_len)
    return 1 - sum(lengths) / (count * max_len) if count else 0.0


@misconception(
    "waste_fraction",
    "You change the caller's list before you raise the error. It stays as it was in that case too.",
)
def waste_removes_too_long(lengths, max_len):
    for length in list(lengths):
        if length > max_len:
            lengths.remove(length)
            raise ValueError("too long")
    return 1 - sum(lengths) / (len(lengths) * max_len) if lengths else 0.0


@misconception(
    "waste_fraction",
    "Your function remembers its answer for each list. Another max_len gives another share, so work it out "
    "in every call.",
)
def waste_cached_by_lengths(lengths, max_len, known={}):
    _check(lengths, max_len)
    share = 1 - sum(lengths) / (len(lengths) * max_len) if lengths else 0.0
    return known.setdefault(tuple(lengths), share)


# --- extra_reservations ---


@misconception(
    "extra_reservations",
    "You give back what an empty pool holds. The running sequences keep their regions; take those off.",
)
def extra_ignores_running(pool, max_len, n_running):
    return pool // max_len


@misconception(
    "extra_reservations",
    "Your answer can have a fraction. Part of a region cannot be reserved, so only whole ones count.",
)
def extra_fractions(pool, max_len, n_running):
    return max(0, (pool - n_running * max_len) / max_len)


@misconception(
    "extra_reservations",
    "Your number is right but has a decimal point. Reservations are counted, so the answer is an int.",
)
def extra_float(pool, max_len, n_running):
    return float(max(0, pool // max_len - n_running))


@misconception(
    "extra_reservations",
    "You round up. A region that fits only in part cannot be reserved.",
)
def extra_rounds_up(pool, max_len, n_running):
    return max(0, -(-pool // max_len) - n_running)


@misconception(
    "extra_reservations",
    "You round to the nearest whole number. A region that fits only in part cannot be reserved: round down.",
)
def extra_rounds_nearest(pool, max_len, n_running):
    return max(0, math.floor(pool / max_len - n_running + 0.5))


@misconception(
    "extra_reservations",
    "The answer is always that of the lesson's example. Work it out from the three arguments instead.",
)
def extra_example_answer(pool, max_len, n_running):
    return 1


@misconception(
    "extra_reservations",
    "You stop at one. Count all the regions that still fit.",
)
def extra_at_most_one(pool, max_len, n_running):
    return max(0, min(1, pool // max_len - n_running))


@misconception(
    "extra_reservations",
    "You always find room for one more. In a full pool there is none: 0.",
)
def extra_at_least_one(pool, max_len, n_running):
    return max(1, pool // max_len - n_running)


@misconception(
    "extra_reservations",
    "You say whether another region fits. The question is how many: give back the number.",
)
def extra_yes_or_no(pool, max_len, n_running):
    return pool - n_running * max_len >= max_len


@misconception(
    "extra_reservations",
    "You take the remainder of a division. What runs is reserved once, so it goes off the pool once: "
    "subtract.",
)
def extra_remainder(pool, max_len, n_running):
    return pool % (n_running * max_len) // max_len


@misconception(
    "extra_reservations",
    "You give back the slots that are left. How many whole regions is that?",
)
def extra_slots(pool, max_len, n_running):
    return max(0, pool - n_running * max_len)


@misconception(
    "extra_reservations",
    "When nothing runs you answer 0. Then the whole pool is free, so the most regions fit.",
)
def extra_none_when_idle(pool, max_len, n_running):
    return max(0, pool // max_len - n_running) if n_running else 0


@misconception(
    "extra_reservations",
    "You drop the sign of a negative number. More regions than the pool holds leave no room at all: 0.",
)
def extra_drops_sign(pool, max_len, n_running):
    return abs(pool // max_len - n_running)


@misconception(
    "extra_reservations",
    "Your answer can be negative. When the pool is too small for what runs, no more fit: 0.",
)
def extra_negative(pool, max_len, n_running):
    return pool // max_len - n_running


@misconception(
    "extra_reservations",
    "You treat a pool that is too small as an error. It is an ordinary case: no more fit, 0.",
)
def extra_error_when_full(pool, max_len, n_running):
    if pool < n_running * max_len:
        raise ValueError("pool too small")
    return pool // max_len - n_running


@misconception(
    "extra_reservations",
    "When nothing more fits your function gives back None. None is not a number: return 0.",
)
def extra_none_when_full(pool, max_len, n_running):
    return max(0, pool // max_len - n_running) or None


@misconception(
    "extra_reservations",
    "Your function always reckons with the example's three running sequences. They come in as n_running.",
)
def extra_three_running(pool, max_len, n_running):
    return max(0, pool // max_len - 3)


@misconception(
    "extra_reservations",
    "Your function always reckons with the example's region size. The size comes in as max_len.",
)
def extra_hundred_slots(pool, max_len, n_running):
    return max(0, pool // 100 - n_running)


@misconception(
    "extra_reservations",
    "Your function always reckons with the example's pool. Its size comes in as pool.",
)
def extra_pool_of_example(pool, max_len, n_running):
    return max(0, 400 // max_len - n_running)


@misconception(
    "extra_reservations",
    "You take only the example's tokens off the pool. The idle slots of a region are not free: they stay "
    "with its sequence.",
)
def extra_idle_is_free(pool, max_len, n_running):
    return max(0, (pool - 65) // max_len)


@misconception(
    "extra_reservations",
    "You take one slot off the pool for each running sequence. Each of them holds a whole region.",
)
def extra_one_slot_each(pool, max_len, n_running):
    return max(0, (pool - n_running) // max_len)


@misconception(
    "extra_reservations",
    "You take one region off the pool, however many sequences run. Each of them holds one.",
)
def extra_one_region(pool, max_len, n_running):
    return max(0, (pool - max_len) // max_len)


@misconception(
    "extra_reservations",
    "You share the pool out among the running sequences. They hold one region each; the rest is for "
    "newcomers.",
)
def extra_shares_out(pool, max_len, n_running):
    return pool // (max_len * n_running)


@misconception(
    "extra_reservations",
    "You answer one too few. Nothing needs to be kept back: a region that just fits may be reserved.",
)
def extra_one_too_few(pool, max_len, n_running):
    return max(0, pool // max_len - n_running - 1)


@misconception(
    "extra_reservations",
    "You answer one too many. Count the regions that are left after those of the running sequences.",
)
def extra_one_too_many(pool, max_len, n_running):
    return max(0, pool // max_len - n_running + 1)


@misconception(
    "extra_reservations",
    "You want a slot to be left over. A region may use up the pool to its last slot.",
)
def extra_keeps_a_slot(pool, max_len, n_running):
    return max(0, (pool - 1) // max_len - n_running)


@misconception(
    "extra_reservations",
    "Your function gives back None. Printing shows the number to you but not to the caller: end with return.",
)
def extra_prints(pool, max_len, n_running):
    print(max(0, pool // max_len - n_running))


@misconception(
    "extra_reservations",
    "Your function gives back text. Return the number by itself, so that others can calculate with it.",
)
def extra_text(pool, max_len, n_running):
    return str(max(0, pool // max_len - n_running))


@misconception(
    "extra_reservations",
    "Your function remembers earlier calls as if they had reserved something. Every call asks anew.",
)
def extra_keeps_count(pool, max_len, n_running, given=[0]):
    fit = max(0, pool // max_len - n_running - given[0])
    given[0] += fit
    return fit


@misconception(
    "extra_reservations",
    "When slots are left over your answer has a decimal point. Reservations are counted, so the answer is "
    "an int: divide with //.",
)
def extra_float_with_rest(pool, max_len, n_running):
    rest = pool % max_len
    return max(0, ((pool - rest) / max_len if rest else pool // max_len) - n_running)


@misconception(
    "extra_reservations",
    "You stop at ten. Count all the regions that still fit.",
)
def extra_at_most_ten(pool, max_len, n_running):
    return max(0, min(10, pool // max_len - n_running))


@misconception(
    "extra_reservations",
    "When nothing runs you always find room for one. A pool that is smaller than a region has none: 0.",
)
def extra_one_when_idle(pool, max_len, n_running):
    if n_running == 0 and pool > 0:
        return max(1, pool // max_len)
    return max(0, pool // max_len - n_running)


@misconception(
    "extra_reservations",
    "Your function remembers its answer for a pool and what runs in it. Another region size needs another "
    "answer, so work it out in every call.",
)
def extra_cached_without_size(pool, max_len, n_running, known={}):
    return known.setdefault((pool, n_running), max(0, pool // max_len - n_running))


# --- paged_slots ---


@misconception(
    "paged_slots",
    "You round down, so the last tokens have no slot. A block that is only partly filled is handed out "
    "whole.",
)
def paged_rounds_down(lengths, block):
    return sum(length // block * block for length in lengths)


@misconception(
    "paged_slots",
    "You always add a block, perhaps to have room for the next token. That token's block is handed out when "
    "it comes; now one more is needed only when tokens are left over after the full blocks.",
)
def paged_always_one_more(lengths, block):
    return sum((length // block + 1) * block for length in lengths)


@misconception(
    "paged_slots",
    "You always add a block, except for a sequence without tokens. A sequence that just fills its blocks "
    "needs none.",
)
def paged_one_more_if_any(lengths, block):
    return sum((length // block + 1) * block for length in lengths if length)


@misconception(
    "paged_slots",
    "You round to the nearest number of blocks. With little in the last block that goes down, and tokens "
    "have no slot: round up.",
)
def paged_rounds_nearest(lengths, block):
    return sum(math.floor(length / block + 0.5) * block for length in lengths)


@misconception(
    "paged_slots",
    "You count the longest sequence only. Every sequence needs blocks.",
)
def paged_longest_only(lengths, block):
    return -(-max(lengths, default=0) // block) * block


@misconception(
    "paged_slots",
    "You give every sequence as many blocks as the longest. With paging each one gets only what it needs.",
)
def paged_padded(lengths, block):
    return len(lengths) * (-(-max(lengths, default=0) // block) * block)


@misconception(
    "paged_slots",
    "You give a block to a sequence without tokens. It gets its first block with its first token.",
)
def paged_block_for_nothing(lengths, block):
    return sum(max(1, -(-length // block)) * block for length in lengths)


@misconception(
    "paged_slots",
    "Without sequences you still hand out a block. Nobody asks for one: 0 slots.",
)
def paged_block_for_nobody(lengths, block):
    return sum(-(-length // block) * block for length in lengths) if lengths else block


@misconception(
    "paged_slots",
    "Your function always reckons with the example's block size. The size comes in as block.",
)
def paged_sixteen(lengths, block):
    return sum(-(-length // 16) * 16 for length in lengths)


@misconception(
    "paged_slots",
    "Your bit mask works only when the block size is a power of two. Any size is allowed: divide.",
)
def paged_bit_mask(lengths, block):
    return sum((length + block - 1) & ~(block - 1) for length in lengths)


@misconception(
    "paged_slots",
    "You leave the loop in its first round. Move the return behind the loop, so that all sequences count.",
)
def paged_returns_in_loop(lengths, block):
    for length in lengths:
        return -(-length // block) * block
    return 0


@misconception(
    "paged_slots",
    "You leave out the last sequence. Loop over the lengths themselves instead of counting positions.",
)
def paged_skips_last(lengths, block):
    return sum(-(-length // block) * block for length in lengths[:-1])


@misconception(
    "paged_slots",
    "You count equal lengths once. Equal lengths are not equal tokens, and these sequences share no block.",
)
def paged_distinct(lengths, block):
    return sum(-(-length // block) * block for length in set(lengths))


@misconception(
    "paged_slots",
    "You give every sequence one block. A longer one needs several: count how many hold all its tokens.",
)
def paged_one_block_each(lengths, block):
    return len(lengths) * block


@misconception(
    "paged_slots",
    "You round up the total. Sequences share no block, so each can have a partly filled one: round each "
    "length.",
)
def paged_rounds_total(lengths, block):
    return -(-sum(lengths) // block) * block


@misconception(
    "paged_slots",
    "You add one block for all sequences together. Each can have a partly filled block of its own, or none.",
)
def paged_total_one_more(lengths, block):
    return (sum(lengths) // block + 1) * block


@misconception(
    "paged_slots",
    "You let sequences share their partly filled blocks. Every block belongs to one sequence here.",
)
def paged_shares_last_blocks(lengths, block):
    full = sum(length // block for length in lengths)
    return (full + any(length % block for length in lengths)) * block


@misconception(
    "paged_slots",
    "You give back blocks. The question is how many slots those blocks have.",
)
def paged_counts_blocks(lengths, block):
    return sum(-(-length // block) for length in lengths)


@misconception(
    "paged_slots",
    "You count the tokens only. The empty slots of a last block are handed out with it.",
)
def paged_counts_tokens(lengths, block):
    return sum(lengths)


@misconception(
    "paged_slots",
    "You give back the slack, the slots without a token. All slots that are handed out count.",
)
def paged_slack(lengths, block):
    return sum(-length % block for length in lengths)


@misconception(
    "paged_slots",
    "You give back the tokens in the last blocks. All slots of all blocks count.",
)
def paged_remainders(lengths, block):
    return sum(length % block for length in lengths)


@misconception(
    "paged_slots",
    "You add almost a block to each length and stop there. Cut the sum back to whole blocks.",
)
def paged_only_adds(lengths, block):
    return sum(length + block - 1 for length in lengths)


@misconception(
    "paged_slots",
    "You divide with / and multiply back, which leaves the tokens as they were. Round to whole blocks in "
    "between.",
)
def paged_true_division(lengths, block):
    return sum(length / block * block for length in lengths)


@misconception(
    "paged_slots",
    "You multiply lengths and block size. Find out how many blocks hold the tokens; a token is not a block.",
)
def paged_block_per_token(lengths, block):
    return sum(lengths) * block


@misconception(
    "paged_slots",
    "You divide the wrong way round. How often does a block go into the length?",
)
def paged_upside_down(lengths, block):
    return sum(-(-block // length) * block for length in lengths)


@misconception(
    "paged_slots",
    "You round lengths up to a power of two. Here they are rounded up to whole blocks.",
)
def paged_power_of_two(lengths, block):
    return sum(2 ** (length - 1).bit_length() for length in lengths if length)


@misconception(
    "paged_slots",
    "You empty the list that the caller gave you. Go through it without taking anything out.",
)
def paged_empties_list(lengths, block):
    total = 0
    while lengths:
        total += -(-lengths.pop() // block) * block
    return total


@misconception(
    "paged_slots",
    "You sort the list that the caller gave you. Its order is the caller's; sorted() makes a new list.",
)
def paged_sorts_list(lengths, block):
    lengths.sort()
    return sum(-(-length // block) * block for length in lengths)


@misconception(
    "paged_slots",
    "You write the rounded lengths into the list that the caller gave you. Keep them in a list of your own.",
)
def paged_overwrites_list(lengths, block):
    for i, length in enumerate(lengths):
        lengths[i] = -(-length // block) * block
    return sum(lengths)


@misconception(
    "paged_slots",
    "Your function remembers what it counted in earlier calls. Start at 0 in every call.",
)
def paged_keeps_total(lengths, block, total=[0]):
    total[0] += sum(-(-length // block) * block for length in lengths)
    return total[0]


@misconception(
    "paged_slots",
    "Your number is right but has a decimal point. Slots are counted, so the answer is an int.",
)
def paged_float(lengths, block):
    return float(sum(-(-length // block) * block for length in lengths))


@misconception(
    "paged_slots",
    "Your function gives back a list with the slots of each sequence. One number is asked: all of them "
    "together.",
)
def paged_list(lengths, block):
    return [-(-length // block) * block for length in lengths]


@misconception(
    "paged_slots",
    "The answer is always that of the lesson's example. Work it out from the lengths and the block size "
    "instead.",
)
def paged_example_answer(lengths, block):
    return 48


@misconception(
    "paged_slots",
    "Your function gives back None. Printing shows the number to you but not to the caller: end with return.",
)
def paged_prints(lengths, block):
    print(sum(-(-length // block) * block for length in lengths))


@misconception(
    "paged_slots",
    "Without sequences your function gives back None. No blocks are handed out then: 0.",
)
def paged_none_for_nobody(lengths, block):
    return sum(-(-length // block) * block for length in lengths) if lengths else None


@misconception(
    "paged_slots",
    "You treat an empty list as an error. No sequence is an ordinary case: 0 slots.",
)
def paged_error_for_nobody(lengths, block):
    if not lengths:
        raise ValueError("no sequence")
    return sum(-(-length // block) * block for length in lengths)


@misconception(
    "paged_slots",
    "You reserve the example's region for every sequence. A paged allocator hands out only the blocks "
    "needed.",
)
def paged_reserves(lengths, block):
    return len(lengths) * 100


@misconception(
    "paged_slots",
    "When tokens just fill their blocks your answer has a decimal point. Slots are counted, so the answer "
    "is an int: divide with // there too.",
)
def paged_float_when_full(lengths, block):
    blocks = [length / block if length % block == 0 else length // block + 1 for length in lengths]
    return sum(blocks) * block


@misconception(
    "paged_slots",
    "Without sequences your answer has a decimal point. Slots are counted, so the answer is an int: 0, not "
    "0.0.",
)
def paged_float_for_nobody(lengths, block):
    return sum(-(-length // block) * block for length in lengths) if lengths else 0.0


@misconception(
    "paged_slots",
    "When there is nothing to hand out your function gives back False. A count is an int: return the sum, "
    "which is 0 then.",
)
def paged_false_for_nothing(lengths, block):
    return any(lengths) and sum(-(-length // block) * block for length in lengths)


@misconception(
    "paged_slots",
    "You put something into the caller's list when it is empty. Decide that case without changing the list.",
)
def paged_fills_empty_list(lengths, block):
    if not lengths:
        lengths.append(0)
    return sum(-(-length // block) * block for length in lengths)


@misconception(
    "paged_slots",
    "You take the empty sequences out of the caller's list. Go through it without taking anything out; a 0 "
    "adds nothing.",
)
def paged_removes_zeros(lengths, block):
    while 0 in lengths:
        lengths.remove(0)
    return sum(-(-length // block) * block for length in lengths)


@misconception(
    "paged_slots",
    "You stop at the size of the example's region. With paging a sequence can go on growing, block by block.",
)
def paged_at_most_hundred(lengths, block):
    return sum(-(-min(length, 100) // block) * block for length in lengths)
