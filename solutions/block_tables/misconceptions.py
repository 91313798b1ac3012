"""Wrong versions of the five functions, each with the sentence that helps a student who wrote it.

A right function is built from parts: where a token lies, what happens past the table, how the last block is
looked at, what nobody needs. A misconception replaces one part, so that it is wrong in one way only and two
of them never answer alike. The wrong version shows that the tests notice the mistake; the sentence is said to
a student whose function answers the same way, so it holds no value of any test.
Some versions keep or change things on purpose: whoever runs them loads this file anew.

A first try often has two or three mistakes: a wrong count, and no case for an empty list.
``compositions`` puts these together from the same parts.
"""

# ruff: noqa: ANN001, ANN002, ANN003, ANN201, ANN202 - the functions are bare as students write them
# ruff: noqa: ARG001, ARG005, B006 - to ignore an argument or to keep state is the mistake shown

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

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


def slot(table, position, block):
    """The slot of a position inside the table."""
    return table[position // block] * block + position % block


def is_past(table, position, block):
    """True if the position lies behind the table's last slot."""
    return position >= len(table) * block


def refuse(*_):
    """What a position past the table leads to."""
    raise IndexError("past the table")


def go_on(find, table, position, block):
    """Find a slot for a position past the table all the same; the right way goes on behind the last block."""
    if find is not slot:
        return find(table, position, block)
    return table[-1] * block + position - (len(table) - 1) * block


def has_room(length, block):
    """True if the last block has a free slot."""
    return length % block != 0


def has_block(length, block, free):
    """True if the pool has a free block."""
    return free > 0


def blocks_of(length, block):
    """The blocks that hold one sequence."""
    return -(-length // block)


def handed_out(lengths, block):
    """The slots of the blocks that hold all sequences."""
    return sum(blocks_of(length, block) for length in lengths) * block


def share(lengths, block):
    """The share of the handed out slots without a token, of one slot or more."""
    return 1 - sum(lengths) / handed_out(lengths, block)


def empty_of_all(handed, tokens, _):
    """The slots without a token, as a share of those handed out."""
    return (handed - tokens) / handed


def runs(numbers):
    """The numbers in groups of neighbours, as they follow each other."""
    groups = []
    for number in numbers:
        if groups and number == groups[-1][-1] + 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    return groups


def longest(groups):
    """The length of the longest group."""
    return max(map(len, groups))


def full_blocks(prefix, block):
    """The blocks that the common prefix fills."""
    return prefix // block


def once(lengths, shared, block):
    """The blocks of all sequences, the shared ones once."""
    return shared + sum(blocks_of(length, block) - shared for length in lengths)


# --- a misconception: one part replaced ---


def in_order(count, *, empty=None, before=unchanged, after=unchanged, answer=unchanged):
    """Put a function of a list and a size together from its parts, in the order in which they act."""

    def function(numbers, *sizes):
        before(numbers)
        found = answer((empty if empty and not numbers else count)(numbers, *sizes))
        after(numbers)
        return found

    return function


def build_slot(find=slot, *, past=is_past, refuse=refuse, **parts):
    """Build a version of ``physical_slot``; ``refuse`` gets ``find`` and then the arguments."""
    return in_order(lambda *given: refuse(find, *given) if past(*given) else find(*given), **parts)


def build_append(room=has_room, *, new=has_block, join=None, answer=unchanged):
    """Build a version of ``can_append``."""

    def function(length, block, free):
        if join:
            return answer(join(length, block, free))
        return answer(room(length, block) or new(length, block, free))

    return function


def build_slack(count=None, *, slots=handed_out, divide=empty_of_all, nothing=None, **parts):
    """Build a version of ``slack_share``; ``nothing`` is its answer when no block is handed out.

    ``slots`` counts what is handed out and ``divide`` makes the share; ``count`` takes the place of both.
    """

    def known(lengths, block):
        handed = slots(lengths, block)
        if not handed or (count and not any(lengths)):
            return nothing(lengths, block) if nothing else 0.0
        return count(lengths, block) if count else divide(handed, sum(lengths), block)

    return in_order(known, **parts)


def build_hole(measure=longest, *, order=sorted, empty=None, **parts):
    """Build a version of ``largest_hole``."""
    return in_order(lambda free: measure(runs(order(free))), empty=empty or (lambda _: 0), **parts)


def build_pool(count=once, *, shared=full_blocks, unit=None, empty=None, **parts):
    """Build a version of ``pool_slots``; ``unit`` is how many slots a block counts as."""

    def known(lengths, prefix, block):
        return count(lengths, shared(prefix, block), block) * (unit or block)

    return in_order(known, empty=empty or (lambda *_: 0), **parts)


BUILD: dict[str, Callable[..., Function]] = {
    "physical_slot": build_slot,
    "can_append": build_append,
    "slack_share": build_slack,
    "largest_hole": build_hole,
    "pool_slots": build_pool,
}
SLOT, APPEND, SLACK, HOLE, POOL = BUILD
PAIRED = {APPEND: [("room", "new")], SLACK: [("divide", "slots")]}
"""Parts that students get wrong independently of each other."""
PREFIX = dict(zip(BUILD, ("slot", "append", "slack", "hole", "pool"), strict=True))


def wrong(tasks, name, explanation, *, true_of="", left_out=False, whole=None, **parts):
    """Register a wrong version of each task (several are separated by blanks) that has these parts.

    ``whole`` is a function that has no parts.
    """
    for task in tasks.split():
        function = whole or BUILD[task](**parts)
        ALL.append(
            WrongVersion(
                f"{PREFIX[task]}-{name}",
                task,
                explanation,
                function,
                parts=parts,
                true_of=true_of,
                left_out=left_out,
            )
        )


def by_hand(name, explanation, **constants):
    """Register a wrong answer of Part 1."""
    ALL.append(WrongVersion(f"by-hand-{name}", "by_hand", explanation, constants=constants))


def compositions(task):
    """Put mistakes of a task together; yield their ids, what matters most first, and the function."""
    own = [one for one in ALL if one.task == task]
    lacking = [(), *((one,) for one in own if one.left_out)]
    pairs = [
        (one, other, *some)
        for first, second in PAIRED.get(task, ())
        for one in own
        for other in own
        for some in lacking
        if one.parts.keys() == {first} and other.parts.keys() == {second}
    ]
    yield from together([*first_tries(own), *pairs], BUILD[task])


EVERY = f"{SLOT} {APPEND} {SLACK} {HOLE} {POOL}"
COUNTS = f"{SLOT} {HOLE} {POOL}"
OF_LISTS = f"{SLACK} {HOLE} {POOL}"

# --- the answer's kind, and what is kept from call to call ---

wrong(
    EVERY,
    "prints",
    "Your function returns None. To print an answer, or to give it a name, does not hand it to the caller: "
    "end with return and the answer.",
    answer=print,
    true_of="kind",
)
wrong(
    EVERY,
    "text",
    "Your function returns text. Return the answer by itself, so that others can calculate with it.",
    answer=str,
    true_of="kind",
)
wrong(
    EVERY,
    "tuple",
    "Your function returns a tuple. A comma behind a value makes one: return the answer by itself.",
    answer=lambda answer: (answer,),
    true_of="kind",
)
wrong(
    EVERY,
    "in-list",
    "Your function returns a list. The question has one answer: return it by itself.",
    answer=lambda answer: [answer],
    true_of="kind",
)
wrong(
    EVERY,
    "no-number",
    "Your function returns neither a number nor True or False, but perhaps a generator, which a yield "
    "makes, or a Decimal. Return a plain value.",
    whole=lambda *_: (answer for answer in ()),
)
wrong(
    EVERY,
    "type-error",
    "Every call ends in a TypeError. Perhaps the parameters are others than in the stub, or stand in another "
    "order, or what is no list is used like one. Keep the first line as it was, and read the error's text.",
    whole=lambda *_: fail(TypeError()),
)
wrong(
    COUNTS,
    "float",
    "Your number has a decimal point. Slots and blocks are counted with ints: divide with // where you "
    "divide.",
    answer=float,
    true_of="kind",
)
wrong(
    f"{HOLE} {POOL}",
    "keeps-total",
    "Your function answers the same call differently when it comes again, as if it remembered earlier calls. "
    "Start anew in every call.",
    answer=Total().add,
    true_of="memory",
)
wrong(
    f"{HOLE} {POOL}",
    "false-for-nothing",
    "When there is nothing to count your function returns False. A count is an int: 0.",
    answer=lambda count: count or False,
)

# --- an empty list, and the caller's list ---

wrong(
    OF_LISTS,
    "none-for-nobody",
    "For an empty list your function returns None. That is an ordinary case, and the answer is 0.",
    empty=lambda *_: None,
)
wrong(
    OF_LISTS,
    "error-for-nobody",
    "For an empty list your function raises a ValueError: its own, or that of max() or min(). That is an "
    "ordinary case: the answer is 0.",
    empty=lambda *_: fail(ValueError("nobody")),
)
wrong(
    OF_LISTS,
    "index-for-nobody",
    "For an empty list your function raises an IndexError, because it asks for an entry that is not there. "
    "An "
    "empty list is an ordinary case: the answer is 0.",
    empty=lambda *_: fail(IndexError("nobody")),
)
wrong(
    f"{HOLE} {POOL}",
    "float-for-nobody",
    "For an empty list your answer has a decimal point. A count is an int: 0, not 0.0.",
    empty=lambda *_: 0.0,
)
wrong(
    OF_LISTS,
    "empties-list",
    "You empty the list that the caller gave you. Go through it without taking anything out.",
    after=list.clear,
)
wrong(
    f"{SLOT} {OF_LISTS}",
    "sorts-list",
    "You sort the list that the caller gave you. Its order is the caller's; sorted() makes a new list.",
    before=list.sort,
)


def remove_zeros(lengths):
    """Take the sequences without tokens out of the list."""
    while 0 in lengths:
        lengths.remove(0)


wrong(
    SLACK,
    "removes-zeros",
    "You take the empty sequences out of the caller's list. Leave them in; a 0 has no block and adds "
    "nothing.",
    before=remove_zeros,
)

# --- physical_slot ---


def pops_to_block(table, position, block):
    """Take the blocks before the position's out of the table."""
    for _ in range(position // block):
        table.pop(0)
    return table[0] * block + position % block


def known_by_position(table, position, block, known={}):
    """Look each position up once only, also when another table has no such position."""
    if position not in known:
        known[position] = slot(table, position, block)
    return known[position]


def at(number):
    """Make a version that takes another entry of the table."""
    return lambda table, position, block: table[number(table, position, block)] * block + position % block


wrong(
    SLOT,
    "position-itself",
    "You return the position. It counts inside the sequence; the table says where in the pool its blocks "
    "lie.",
    find=lambda _, position, __: position,
)
wrong(
    SLOT,
    "from-first-block",
    "You go on from the first block as if all blocks lay side by side. Ask the table for the block of each "
    "position.",
    find=lambda table, position, block: table[0] * block + position,
)
wrong(
    SLOT,
    "by-size",
    "You take the blocks by the size of their numbers. The table has them in logical order, which is "
    "another.",
    find=lambda table, *rest: slot(sorted(table), *rest),
)
wrong(
    SLOT,
    "backwards",
    "You read the table from its end. The first entry is the block of the first tokens.",
    find=lambda table, *rest: slot(table[::-1], *rest),
)
wrong(
    SLOT,
    "looks-up-backwards",
    "You search the table for a logical block with index(). The place in the table is the logical block; "
    "what "
    "stands there is the physical one.",
    find=lambda table, position, block: table.index(position // block) * block + position % block,
)
wrong(
    SLOT,
    "start-of-block",
    "You return the first slot of the block. Add the token's place inside it, the remainder.",
    find=lambda table, position, block: table[position // block] * block,
)
wrong(
    SLOT,
    "block-number",
    "You return the number of the block. The question is which slot of the pool it is.",
    find=lambda table, position, block: table[position // block],
)
wrong(
    SLOT,
    "inside-block",
    "You return the place inside the block. The slots of the pool before that block count, too.",
    find=lambda _, position, block: position % block,
)
wrong(
    SLOT,
    "adds-number",
    "You add the number of the block and the place inside it. Each block before it has block slots: "
    "multiply.",
    find=lambda table, position, block: table[position // block] + position % block,
)
wrong(
    SLOT,
    "adds-position",
    "You add the whole position to the start of its block. Only the place inside the block is left to add.",
    find=lambda table, position, block: table[position // block] * block + position,
)
wrong(
    SLOT,
    "counts-from-one",
    "You count positions from 1. The first token is at position 0, the first of the first block.",
    find=lambda table, position, block: slot(table, position - 1, block),
)
wrong(
    SLOT,
    "one-too-far",
    "Your slot is one too far. Positions and slots are counted from 0, so nothing is added for that.",
    find=lambda *given: slot(*given) + 1,
)
wrong(
    SLOT,
    "rounds-up",
    "You round the number of the entry up. A position belongs to the block that has begun: divide with //.",
    find=at(lambda _, position, block: blocks_of(position, block)),
)
wrong(
    SLOT,
    "entry-from-one",
    "You take the entry before the right one. Entries of a list are counted from 0, as positions are.",
    find=at(lambda _, position, block: position // block - 1),
)
wrong(
    SLOT,
    "next-entry",
    "You take the entry after the right one. Entries of a list are counted from 0, as positions are.",
    find=at(lambda _, position, block: position // block + 1),
)
wrong(
    SLOT,
    "swapped-parts",
    "You swap quotient and remainder. The quotient says which entry of the table, the remainder which slot "
    "of "
    "that block.",
    find=lambda table, position, block: table[position % block] * block + position // block,
)
wrong(
    SLOT,
    "deals-out",
    "You deal the tokens to the blocks in turn. A block is filled before the next one begins.",
    find=lambda table, position, block: table[position % len(table)] * block + position // len(table),
)
wrong(
    SLOT,
    "last-block",
    "You always take the last block. Earlier tokens lie in the blocks before it: ask for the position's "
    "entry.",
    find=at(lambda *_: -1),
)
wrong(
    SLOT,
    "first-block",
    "You always take the first block. Later tokens lie in the blocks after it: ask for the position's entry.",
    find=at(lambda *_: 0),
)
wrong(
    SLOT,
    "nearest-entry",
    "You round the number of the entry to the nearest one. A position belongs to the block that has begun: "
    "divide with //.",
    find=at(lambda _, position, block: round(position / block)),
)
wrong(
    SLOT,
    "entry-before-at-start",
    "At the first slot of a block you take the entry before the right one. A position belongs to the block "
    "that has begun: divide with //.",
    find=at(lambda _, position, block: blocks_of(position, block) - 1),
    past=lambda table, position, block: blocks_of(position, block) - 1 >= len(table) or not table,
)
for name, shift in (("blocks-from-one", -1), ("blocks-after-number", 1)):
    wrong(
        SLOT,
        name,
        "You take the start of a neighbour block. The pool's blocks are counted from 0, and so are its "
        "slots: count the slots that lie before the block.",
        find=lambda table, position, block, shift=shift: slot(table, position, block) + shift * block,
    )
wrong(
    SLOT,
    "entry-alone",
    "You use the position as the number of an entry, and return that entry. An entry stands for a whole "
    "block of positions, and holds the number of a block.",
    find=lambda table, position, _: table[position],
    past=lambda table, position, _: position >= len(table),
)
wrong(
    SLOT,
    "entry-of-position",
    "You use the position as the number of an entry. An entry stands for a whole block of positions.",
    find=at(lambda _, position, __: position),
)
wrong(
    SLOT,
    "sixteen",
    "Your function always uses blocks of 16. The size of a block comes in as block.",
    find=lambda table, position, _: slot(table, position, 16),
    past=lambda table, position, _: is_past(table, position, 16),
)
wrong(
    SLOT,
    "bit-mask",
    "Your bit operations work only when the block size is a power of two. Any size is allowed: divide.",
    find=lambda table, position, block: table[position // block] * block + (position & (block - 1)),
)
wrong(
    SLOT,
    "true-division",
    "You divide with / and keep the part behind the point. Which entry it is, is a whole number: divide "
    "with //.",
    find=lambda table, position, block: (table[position // block] + position / block) * block,
)
wrong(
    SLOT,
    "block-zero-is-none",
    "You treat block number 0 as if it were no block. It is the first block of the pool and as good as the "
    "others.",
    find=lambda table, position, block: (
        slot(table, position, block) if table[position // block] else fail(IndexError("no block"))
    ),
)
wrong(
    SLOT,
    "none-for-block-zero",
    "For block number 0 your function returns None. It is the first block of the pool and as good as the "
    "others.",
    find=lambda table, position, block: slot(table, position, block) if table[position // block] else None,
)
wrong(
    SLOT,
    "pops",
    "You take entries out of the caller's table. Read the right entry with its number, and leave the table.",
    find=pops_to_block,
)
wrong(
    SLOT,
    "known-by-position",
    "Your function remembers its answer for a position. Another table needs another answer: start anew in "
    "every call.",
    find=lambda table, position, block, known={}: known.setdefault(position, slot(table, position, block)),
)
wrong(
    SLOT,
    "known-by-position-alone",
    "Your function remembers its answer for a position. Another table needs another answer, or the error: "
    "start anew in every call.",
    whole=known_by_position,
)
wrong(
    SLOT,
    "known-by-block",
    "Your function remembers earlier calls, and answers later ones by them. Start anew in every call.",
    find=lambda table, position, block, seen=[0]: (
        slot(table, position, block) + len(seen) - 1 + bool(seen.append(0))
    ),
    true_of="memory",
)

# --- past the table ---

wrong(
    SLOT,
    "goes-on",
    "For a position past the table no IndexError reaches the caller. No block of the sequence has a slot "
    "for it, so the answer may be another's slot: raise IndexError.",
    refuse=go_on,
    true_of="kind",
    left_out=True,
)
wrong(
    SLOT,
    "wraps-round",
    "Past the table you begin again with its first block. The tokens there would be overwritten: raise "
    "IndexError.",
    refuse=lambda find, table, position, block: slot(table, position % (len(table) * block or 1), block),
)
wrong(
    SLOT,
    "minus-one",
    "You return a negative number for a position past the table. A caller could go on with it; raise "
    "IndexError.",
    refuse=lambda *_: -1,
)
wrong(
    SLOT,
    "zero-past",
    "You return 0 for a position past the table. Slot 0 is a real slot; raise IndexError.",
    refuse=lambda *_: 0,
)
wrong(
    SLOT,
    "none-past",
    "For a position past the table your function returns None, which does not stop the caller; nor does a "
    "printed warning. Raise IndexError.",
    refuse=lambda *_: None,
)
wrong(
    SLOT,
    "returns-error",
    "You return the error like an answer. An error must stop the caller: raise it instead.",
    refuse=lambda *_: IndexError("past the table"),
)
wrong(
    SLOT,
    "returns-text",
    "For a position past the table your function returns a text. A text does not stop the caller: raise "
    "IndexError.",
    refuse=lambda *_: "IndexError",
    true_of="kind",
)
wrong(
    SLOT,
    "raises-other",
    "For a position past the table an error reaches the caller that is no kind of IndexError, so that a "
    "caller "
    "who expects one does not catch it. Raise IndexError.",
    refuse=lambda *_: fail(ValueError("past the table")),
    true_of="kind",
)
wrong(
    SLOT,
    "other-error-for-empty",
    "For an empty table an error reaches the caller that is no kind of IndexError. It is a table without "
    "slots, so every position lies past it: raise IndexError there, too.",
    refuse=lambda find, table, *_: fail(IndexError() if table else ValueError()),
)
wrong(
    SLOT,
    "asserts",
    "For a position past the table an AssertionError reaches the caller, perhaps from an assert, which can "
    "be "
    "switched off. Raise IndexError.",
    refuse=lambda *_: fail(AssertionError()),
)
wrong(
    SLOT,
    "refuses-the-last",
    "You refuse the last slot of the table. It belongs to the sequence; the first position past it is an "
    "error.",
    past=lambda table, position, block: position >= len(table) * block - 1,
)
wrong(
    SLOT,
    "compares-with-blocks",
    "You compare the position with the number of blocks. Each block holds several positions: multiply.",
    past=lambda table, position, _: position >= len(table),
)
wrong(
    SLOT,
    "one-past-allowed",
    "You allow one position past the table. Its slots have the positions from 0 to one less than their "
    "number.",
    past=lambda table, position, block: position > len(table) * block,
    find=lambda table, position, block: go_on(slot, table, position, block),
)

# --- can_append ---

wrong(
    APPEND,
    "always",
    "Your function always says True. When the last block is full and no block is free, there is no room.",
    join=lambda *_: True,
)
wrong(
    APPEND,
    "never",
    "Your function always says False. A free slot in the last block, or a free block in the pool, is room.",
    join=lambda *_: False,
)
wrong(
    APPEND,
    "only-if-free",
    "You find room in the pool alone. A token that fits into the sequence's last block needs no free block. "
    "When does your function look there, and what does it find?",
    room=lambda *_: False,
)
wrong(
    APPEND,
    "only-in-last",
    "You look at the last block alone. When it is full, or there is none, a free block of the pool is room.",
    new=lambda *_: False,
)
wrong(
    APPEND,
    "needs-both",
    "You ask for room in the last block and for a free block. One of the two is enough: join them with or.",
    join=lambda length, block, free: has_room(length, block) and free > 0,
)
wrong(
    APPEND,
    "only-with-new-block",
    "You say True only when a new block is needed and one is free. A token that fits into the last block "
    "needs none: that is another case.",
    join=lambda length, block, free: not has_room(length, block) and free > 0,
)
wrong(
    APPEND,
    "bit-mask",
    "Your bit operations work only when the block size is a power of two. Any size is allowed: use the "
    "remainder.",
    room=lambda length, block: length & (block - 1) != 0,
)
wrong(
    APPEND,
    "either-not-both",
    "You say False when the last block has room and the pool has a free block, too. One of the two is "
    "enough, and both do no harm.",
    join=lambda length, block, free: has_room(length, block) != (free > 0),
)
wrong(
    APPEND,
    "tokens-against-blocks",
    "You compare tokens with blocks. The sequence keeps the blocks that it has; one free block is enough "
    "for one token.",
    new=lambda length, block, free: free > length,
)
wrong(
    APPEND,
    "one-late",
    "You ask for a block one token too late, as if length counted the new token. It counts those that are "
    "there.",
    room=lambda length, block: length % block != 1,
)
wrong(
    APPEND,
    "one-early",
    "You ask for a block one token too early. A block with one free slot has room for one token more.",
    room=lambda length, block: (length + 1) % block != 0,
)
wrong(
    APPEND,
    "negated",
    "You answer the opposite. True means that the token can be taken.",
    answer=lambda answer: not answer,
)
wrong(
    APPEND,
    "remainder-upside-down",
    "You take a remainder of 0 for room. It says that the tokens just fill their blocks.",
    room=lambda length, block: length % block == 0,
)
wrong(
    APPEND,
    "first-is-free",
    "You let the first token in without a block. A sequence without tokens has no block yet and needs one.",
    room=lambda length, block: length == 0 or has_room(length, block),
)
wrong(
    APPEND,
    "nothing-without-tokens",
    "You refuse every sequence without tokens. It can begin when a block is free.",
    join=lambda length, block, free: length > 0 and (has_room(length, block) or free > 0),
)
wrong(
    APPEND,
    "block-of-blocks",
    "You ask for as many free blocks as a block has slots. One free block is enough for one token.",
    new=lambda length, block, free: free >= block,
)
wrong(
    APPEND,
    "keeps-one-back",
    "You keep one free block back. The last free block may be handed out as well.",
    new=lambda length, block, free: free > 1,
)
wrong(
    APPEND,
    "free-or-none",
    "You take 0 free blocks for enough. At least one is needed when the last block is full.",
    new=lambda length, block, free: free >= 0 and length > 0,
)
wrong(
    APPEND,
    "only-first-block",
    "You see room in the first block only. Later blocks can be partly filled, too: look at the remainder.",
    room=lambda length, block: length < block,
)
wrong(
    APPEND,
    "pool-for-all",
    "You compare all tokens of the sequence with the free blocks. It keeps the blocks that it has; one token "
    "is new.",
    join=lambda length, block, free: blocks_of(length + 1, block) <= free,
)
wrong(
    APPEND,
    "all-or-last",
    "When the last block is full, you ask for free blocks for all tokens. It keeps the blocks that it has.",
    new=lambda length, block, free: blocks_of(length + 1, block) <= free,
)
wrong(
    APPEND,
    "sixteen",
    "Your function always uses blocks of 16. The size of a block comes in as block.",
    room=lambda length, _: length % 16 != 0,
)
wrong(
    APPEND,
    "whole-division",
    "You look at how many blocks are full. Whether the last one has room is told by the remainder: use %.",
    room=lambda length, block: length // block != 0,
)
wrong(
    APPEND,
    "swapped-remainder",
    "You divide the block by the length. How many tokens lie in the last block is the remainder of the "
    "length.",
    room=lambda length, block: length != 0 and block % length != 0,
)
wrong(
    APPEND,
    "number",
    "Your answers are numbers in place of True and False. A comparison, such as free > 0, gives a bool.",
    answer=int,
    true_of="kind",
    left_out=True,
)
wrong(
    APPEND,
    "number-of-blocks",
    "When the last block is full you return the number of free blocks. Compare it, so that the answer is a "
    "bool.",
    new=lambda length, block, free: free,
)
wrong(
    APPEND,
    "number-of-tokens",
    "You return the tokens of the last block where there is room. Compare them, so that the answer is a "
    "bool.",
    room=lambda length, block: length % block,
)
wrong(
    APPEND,
    "none-for-no",
    "When there is no room your function returns None. Return False: every way through it needs a return.",
    answer=lambda answer: answer or None,
)
wrong(
    APPEND,
    "error-for-no",
    "When there is no room your function raises an error. That is an ordinary case: return False.",
    answer=lambda answer: answer or fail(ValueError("no room")),
)
wrong(
    APPEND,
    "yes-and-no",
    "Your answers are texts, and every text counts as true in an if. Return True and False, without quotes.",
    answer=lambda answer: "yes" if answer else "no",
)
wrong(
    APPEND,
    "takes-a-block",
    "Your function answers the same call differently when it comes again, as if the block were taken now. It "
    "only asks: start anew in every call.",
    new=lambda length, block, free, taken=[]: free > 0 and (taken.append(0) or len(taken) % 2 == 1),
    true_of="memory",
)

# --- slack_share ---


def slack(lengths, block):
    """The slots of the blocks without a token."""
    return handed_out(lengths, block) - sum(lengths)


def last_blocks(lengths, block):
    """The slots of the last blocks."""
    return sum(block for length in lengths if length)


def overwrites_with_slots(lengths, block):
    """Write the slots of each sequence into the caller's list."""
    right = share(lengths, block)
    lengths[:] = [blocks_of(length, block) * block for length in lengths]
    return right


wrong(
    SLACK,
    "overwrites-list",
    "You write into the list that the caller gave you. Keep the rounded lengths in a list of your own.",
    count=overwrites_with_slots,
)
wrong(
    SLACK,
    "none-when-nothing",
    "When no block is handed out your function returns None. Every way through it needs a return, here of "
    "0.0.",
    nothing=lambda *_: None,
)
wrong(
    SLACK,
    "nan-when-nothing",
    "When no block is handed out your function returns nan, which is no share. Nothing of it is slack then: "
    "0.0.",
    nothing=lambda *_: math.nan,
)
wrong(
    SLACK,
    "of-tokens",
    "You divide by the tokens. The question is which share of the slots handed out is empty.",
    divide=lambda handed, tokens, _: (handed - tokens) / tokens,
)
wrong(
    SLACK,
    "of-last-blocks",
    "You divide by the slots of the last blocks. All slots of all blocks are handed out.",
    count=lambda lengths, block: slack(lengths, block) / last_blocks(lengths, block),
)
wrong(
    SLACK,
    "of-a-block-each",
    "You divide by one block for each sequence. All slots of all blocks are handed out.",
    count=lambda lengths, block: slack(lengths, block) / (len(lengths) * block),
)
wrong(
    SLACK,
    "of-example-pool",
    "You divide by the example's pool. Free blocks are not handed out: the whole is what the sequences have.",
    divide=lambda handed, tokens, _: (handed - tokens) / 120,
)
wrong(
    SLACK,
    "one-block-each",
    "You count one block for each sequence, as if it were a region. A sequence has as many blocks as its "
    "tokens need, one, several or none.",
    slots=lambda lengths, block: len(lengths) * block,
)
wrong(
    SLACK,
    "largest-share",
    "You return the largest share of a single sequence. Add up slots and slack over all sequences, then "
    "divide once.",
    count=lambda lengths, block: max(share([length], block) for length in lengths if length),
)
wrong(
    SLACK,
    "of-one-block",
    "You divide by the slots of one block. All slots of all blocks are handed out.",
    divide=lambda handed, tokens, block: (handed - tokens) / block,
)
wrong(
    SLACK,
    "per-block",
    "You divide by the number of blocks. A share has slots above and slots below the line.",
    divide=lambda handed, tokens, block: (handed - tokens) / (handed / block),
)
wrong(
    SLACK,
    "used-share",
    "You return the share with tokens in it. The question is the share without.",
    divide=lambda handed, tokens, _: tokens / handed,
)
wrong(
    SLACK,
    "upside-down",
    "You divide the wrong way round. The slack is above the line, the slots handed out are below it.",
    divide=lambda handed, tokens, _: handed / (handed - tokens) if handed > tokens else 0.0,
)
wrong(
    SLACK,
    "count",
    "You return the number of empty slots. The question is their share: divide by the slots handed out.",
    divide=lambda handed, tokens, _: handed - tokens,
)
wrong(
    SLACK,
    "percent",
    "You return percent. The share goes from 0.0 to 1.0: leave out the factor of a hundred.",
    divide=lambda *given: 100 * empty_of_all(*given),
)
wrong(
    SLACK,
    "percent-text",
    "You return a text with percent. Return the share as a number from 0.0 to 1.0.",
    count=lambda *given: f"{100 * share(*given):.1f}%",
)
wrong(
    SLACK,
    "hundredths",
    "You round the share. Return it as it is, with all its places.",
    divide=lambda *given: round(empty_of_all(*given), 2),
)
for name, digits in (
    ("tenths", 1),
    ("thousandths", 3),
    ("four-places", 4),
    ("five-places", 5),
    ("six-places", 6),
):
    wrong(
        SLACK,
        name,
        "You round the share. Return it as it is, with all its places.",
        count=lambda *given, digits=digits: round(slack(*given) / handed_out(*given), digits),
    )
for name, digits in (("nearest-percent", None), ("percent-in-tenths", 1), ("percent-in-hundredths", 2)):
    wrong(
        SLACK,
        name,
        "You return percent, rounded. The share goes from 0.0 to 1.0: leave out the factor of a hundred and "
        "round().",
        count=lambda *given, digits=digits: round(100 * slack(*given) / handed_out(*given), digits),
    )
wrong(
    SLACK,
    "whole-division",
    "You divide with //, which cuts the share down to 0. Divide with /.",
    divide=lambda handed, tokens, _: (handed - tokens) // handed,
)
wrong(
    SLACK,
    "missing-brackets",
    "Your division comes before your subtraction. Put brackets round the slots handed out minus the tokens.",
    divide=lambda handed, tokens, _: handed - tokens / handed,
)
wrong(
    SLACK,
    "rounds-total",
    "You round up the total. Each sequence can have a partly filled block of its own: round each length.",
    slots=lambda lengths, block: handed_out([sum(lengths)], block),
)
wrong(
    SLACK,
    "mean-of-shares",
    "You take the mean of the sequences' shares. Long sequences have more slots: add up first, then divide "
    "once.",
    count=lambda lengths, block: (
        sum(share([length], block) for length in lengths if length) / sum(length > 0 for length in lengths)
    ),
)
wrong(
    SLACK,
    "mean-with-empty",
    "You take the mean of the sequences' shares. Long sequences have more slots: add up first, then divide "
    "once.",
    count=lambda lengths, block: sum(share([length], block) for length in lengths if length) / len(lengths),
)
wrong(
    SLACK,
    "mean-without-zeros",
    "You take the mean of the sequences' shares, and one without tokens has no share: you divide by 0. Long "
    "sequences have more slots: add up first, then divide once.",
    count=lambda lengths, block: sum(share([length], block) for length in lengths) / len(lengths),
    nothing=lambda lengths, _: fail(ZeroDivisionError()) if lengths else 0.0,
)
wrong(
    SLACK,
    "adds-shares",
    "You add up the sequences' shares, so that the sum can be above 1. Add up slots first, then divide once.",
    count=lambda lengths, block: sum(share([length], block) for length in lengths if length),
)
wrong(
    SLACK,
    "one-block-more",
    "You give every sequence one block more than it fills. One that just fills its blocks needs no more.",
    slots=lambda lengths, block: sum((length // block + 1) * block for length in lengths),
)
wrong(
    SLACK,
    "one-more-if-any",
    "You give every sequence with tokens one block more than it fills. One that just fills its blocks "
    "needs no "
    "more.",
    slots=lambda lengths, block: sum((length // block + 1) * block for length in lengths if length),
)
wrong(
    SLACK,
    "full-counts-as-empty",
    "You count a whole block as slack where tokens just fill their blocks. There the slack is 0.",
    count=lambda lengths, block: (
        sum(block - length % block for length in lengths if length) / handed_out(lengths, block)
    ),
)
wrong(
    SLACK,
    "full-and-zero-as-empty",
    "You count a whole block as slack where tokens just fill their blocks, and where there are none. There "
    "the slack is 0.",
    count=lambda lengths, block: (
        sum(block - length % block for length in lengths) / handed_out(lengths, block)
    ),
)
wrong(
    SLACK,
    "block-for-nothing",
    "You give a block to a sequence without tokens. It gets its first block with its first token.",
    slots=lambda lengths, block: handed_out([max(1, length) for length in lengths], block),
)
wrong(
    SLACK,
    "remainders",
    "You count the tokens in the last blocks. The slack is what these blocks have beyond them.",
    count=lambda lengths, block: sum(length % block for length in lengths) / handed_out(lengths, block),
)
wrong(
    SLACK,
    "rounds-down",
    "You round down, so the last tokens have no slot. A partly filled block is handed out whole.",
    slots=lambda lengths, block: sum(length // block * block for length in lengths),
)
wrong(
    SLACK,
    "padded",
    "You give every sequence as many blocks as the longest. Each one gets only what it needs.",
    slots=lambda lengths, block: handed_out([max(lengths, default=0)] * len(lengths), block),
)
wrong(
    SLACK,
    "last-only",
    "You count the last sequence only. In the loop, add to the totals instead of replacing them.",
    count=lambda lengths, block: share(lengths[-1:], block) if lengths[-1] else 0.0,
)
wrong(
    SLACK,
    "returns-in-loop",
    "You leave the loop in its first round. Move the return behind the loop, so that all sequences count.",
    count=lambda lengths, block: share(lengths[:1], block) if lengths[0] else 0.0,
)
wrong(
    SLACK,
    "distinct",
    "You count equal lengths once. Equal lengths are not equal tokens, and these sequences share no block.",
    count=lambda lengths, block: share(set(lengths), block),
)
wrong(
    SLACK,
    "sixteen",
    "Your function always uses blocks of 16. The size of a block comes in as block.",
    slots=lambda lengths, _: handed_out(lengths, 16),
)
wrong(
    SLACK,
    "bit-mask",
    "Your bit mask works only when the block size is a power of two. Any size is allowed: divide.",
    slots=lambda lengths, block: sum((length + block - 1) & ~(block - 1) for length in lengths),
)
wrong(
    SLACK,
    "divides-by-zero",
    "When no block is handed out you divide by 0. Look at that case first: the share is 0.0.",
    nothing=lambda *_: fail(ZeroDivisionError()),
    left_out=True,
)
wrong(
    SLACK,
    "zeros-divide-by-zero",
    "When all sequences are without tokens you divide by 0. They have no blocks, as if there were no "
    "sequence: "
    "the share is 0.0.",
    nothing=lambda lengths, _: fail(ZeroDivisionError()) if lengths else 0.0,
    left_out=True,
)
wrong(
    SLACK,
    "all-for-nobody",
    "When no block is handed out you answer 1. Nothing is handed out, so nothing of it is slack: 0.0.",
    nothing=lambda *_: 1.0,
)
wrong(
    SLACK,
    "remembers",
    "Your function answers the same call differently when it comes again, as if it remembered earlier calls. "
    "Start anew in every call.",
    count=lambda lengths, block, seen=[]: share(seen.append(lengths[0]) or [*seen, *lengths[1:]], block),
    true_of="memory",
)

# --- largest_hole ---


def steps_and_gaps(longest_step):
    """Make a version that lets the numbers of a run differ by more than one."""

    def measure(groups):
        best = run = 1
        for group, following in itertools.pairwise([*groups, [10**9]]):
            run += len(group) - 1
            best = max(best, run)
            run = run + 1 if following[0] - group[-1] <= longest_step else 1
        return best

    return measure


def both_ways(free):
    """Count neighbours in the order of the list, whichever is the larger one."""
    best = run = min(1, len(free))
    for number, following in itertools.pairwise(free):
        run = run + 1 if abs(following - number) == 1 else 1
        best = max(best, run)
    return best


wrong(
    HOLE,
    "all-free",
    "You count all free blocks. Only blocks that lie side by side make one hole.",
    measure=lambda groups: sum(map(len, groups)),
)
wrong(
    HOLE,
    "list-order",
    "You compare the numbers in the order of the list. Neighbours can stand anywhere in it: sort a copy "
    "first.",
    order=unchanged,
    left_out=True,
)
wrong(
    HOLE,
    "list-order-both-ways",
    "You compare the numbers in the order of the list, upwards or downwards. Neighbours can stand anywhere "
    "in it: sort a copy first.",
    whole=both_ways,
)
wrong(
    HOLE,
    "sorts-down",
    "You sort the numbers downwards and look for one that is larger by one. Sort upwards, or look downwards.",
    order=lambda free: sorted(free, reverse=True),
)
wrong(
    HOLE,
    "counts-steps",
    "You count the steps from block to block. A hole has one block more than it has steps.",
    measure=lambda groups: longest(groups) - 1,
)
wrong(
    HOLE,
    "one-too-many",
    "You count one block too many. A hole has the blocks from its first to its last, and no other.",
    measure=lambda groups: longest(groups) + 1,
)
wrong(
    HOLE,
    "forgets-last-run",
    "You forget the run with which the list ends. Compare once more after the loop.",
    measure=lambda groups: max(map(len, groups[:-1]), default=0),
)
wrong(
    HOLE,
    "forgets-last-run-or-one",
    "You forget the run with which the list ends. Compare once more after the loop.",
    measure=lambda groups: max(map(len, groups[:-1]), default=1),
)
wrong(
    HOLE,
    "first-run",
    "You stop at the end of the first run. A larger one can come later.",
    measure=lambda groups: len(groups[0]),
)
wrong(
    HOLE,
    "first-run-short",
    "You begin to count the first run at 0. Its first block counts as well: begin at 1.",
    measure=lambda groups: max(len(groups[0]) - 1, *map(len, groups[1:]), 0),
)
wrong(
    HOLE,
    "single-block-is-none",
    "You find no hole where only one block is free. One block by itself is a hole of 1.",
    measure=lambda groups: longest(groups) if sum(map(len, groups)) > 1 else 0,
)
LAST_HAS_NO_NEXT = (
    "Your calls end in an IndexError: the last number of the list has no next one. End the loop before it, "
    "or compare each number with the one before."
)
wrong(HOLE, "asks-past-the-last", LAST_HAS_NO_NEXT, measure=lambda _: fail(IndexError()))
wrong(
    HOLE,
    "asks-past-the-last-or-one",
    LAST_HAS_NO_NEXT,
    measure=lambda _: fail(IndexError()),
    empty=lambda _: 1,
)
wrong(
    HOLE,
    "last-run",
    "You return the last run. Keep the longest one so far while you go on.",
    measure=lambda groups: len(groups[-1]),
)
wrong(
    HOLE,
    "shortest-run",
    "You return the shortest run. The question is the longest.",
    measure=lambda groups: min(map(len, groups)),
)
wrong(
    HOLE,
    "later-runs-short",
    "After a gap you begin to count at 0. The block after the gap is the first of the new run: begin at 1.",
    measure=lambda groups: max(len(groups[0]), *(len(group) - 1 for group in groups[1:]), 1),
)
wrong(
    HOLE,
    "never-starts-anew",
    "You never begin a new run after a gap. A run ends where a number is missing.",
    measure=lambda groups: sum(len(group) - 1 for group in groups) + 1,
)
wrong(
    HOLE,
    "counts-runs",
    "You count the holes. The question is how many blocks the largest of them has.",
    measure=len,
)
wrong(
    HOLE,
    "sums-real-holes",
    "You add up all runs. Only the longest one counts.",
    measure=lambda groups: sum(len(group) for group in groups if len(group) > 1) or 1,
)
wrong(
    HOLE,
    "span",
    "You count from the first to the last free block. The blocks between them that are not free are in no "
    "hole.",
    measure=lambda groups: groups[-1][-1] - groups[0][0] + 1,
)
wrong(
    HOLE,
    "gap",
    "You return the largest distance of two free blocks. That is where blocks are taken; a hole is free.",
    measure=lambda groups: max((b[0] - a[-1] for a, b in itertools.pairwise(groups)), default=1),
)
wrong(
    HOLE,
    "taken-run",
    "You return the largest run of blocks that are taken. The list has the free ones, and the question is "
    "theirs.",
    measure=lambda groups: max((b[0] - a[-1] - 1 for a, b in itertools.pairwise(groups)), default=0),
)
wrong(
    HOLE,
    "two-at-most",
    "You only see two neighbours. A run can be longer: go on counting while the next number is larger by "
    "one.",
    measure=lambda groups: min(2, longest(groups)),
)
wrong(
    HOLE,
    "gap-of-one-allowed",
    "You let one block be missing in a run. Side by side are only blocks whose numbers differ by one.",
    measure=steps_and_gaps(2),
)
wrong(
    HOLE,
    "gives-blocks",
    "Your function returns the blocks of the hole. The question is how many they are.",
    measure=lambda groups: max(groups, key=len),
)
wrong(
    HOLE,
    "first-block",
    "You return the number of a block. The question is how many blocks the largest hole has.",
    measure=lambda groups: max(groups, key=len)[0],
)
wrong(
    HOLE,
    "last-block",
    "You return the number of the last free block. The question is how many blocks lie side by side.",
    measure=lambda groups: groups[-1][-1],
)
wrong(
    HOLE,
    "slots",
    "You return slots. The question is how many blocks, and how large a block is does not come in.",
    measure=lambda groups: 16 * longest(groups),
)
wrong(
    HOLE,
    "slots-of-example",
    "You return slots. The question is how many blocks, and how large a block is does not come in.",
    measure=lambda groups: 8 * longest(groups),
)
wrong(
    HOLE,
    "pairs",
    "You count all pairs of neighbours. Begin to count anew where a number is missing.",
    measure=lambda groups: sum(len(group) - 1 for group in groups),
)
wrong(
    HOLE,
    "one-for-nobody",
    "Without free blocks you answer 1. There is no hole then: 0.",
    empty=lambda _: 1,
    left_out=True,
)
wrong(
    HOLE,
    "minus-one-for-nobody",
    "Without free blocks your answer is a negative number. There is no hole then: 0.",
    empty=lambda _: -1,
)
wrong(
    HOLE,
    "block-zero-is-none",
    "You leave block number 0 out. It is the first block of the pool and as good as the others.",
    order=lambda free: sorted(number for number in free if number),
    measure=lambda groups: longest(groups) if groups else 0,
)
wrong(
    HOLE,
    "zero-before-first",
    "You begin as if block 0 were always free. Begin with the first number of the list.",
    measure=lambda groups: longest([[0, *groups[0]], *groups[1:]] if groups[0][0] == 1 else groups),
)
wrong(
    HOLE,
    "one-more-from-zero",
    "You count one block more when block 0 is free. Nothing lies before block 0: begin a run of 1 with it.",
    measure=lambda groups: max(len(group) + (group[0] == 0) for group in groups),
)
wrong(
    HOLE,
    "zero-ends-run",
    "Behind block 0 you begin a new run. 0 counts as false in an if: ask whether there is a number before, "
    "not whether that number is true.",
    measure=lambda groups: longest([groups[0][1:] or [0], *groups[1:]] if groups[0][0] == 0 else groups),
)
wrong(
    HOLE,
    "leaves-out-largest",
    "You leave out the block with the largest number. range() ends before its second argument.",
    order=lambda free: sorted(free)[:-1],
    measure=lambda groups: longest(groups) if groups else 0,
)
wrong(
    HOLE,
    "pool-of-example",
    "You look at the example's blocks only. A pool can have any number of blocks: go through the list.",
    order=lambda free: sorted(number for number in free if number < 15),
    measure=lambda groups: longest(groups) if groups else 0,
)
wrong(
    HOLE,
    "looks-up-to-a-limit",
    "You look at block numbers up to a fixed limit. A pool can have any number of blocks: go through the "
    "list.",
    order=lambda free: sorted(number for number in free if number < 1000),
    measure=lambda groups: longest(groups) if groups else 0,
)
wrong(
    HOLE,
    "fills-empty-list",
    "You put something into the caller's list when it is empty. Decide that case without changing the list.",
    empty=lambda free: free.append(0) or 0,
)

# --- pool_slots ---


def tables_of(lengths, block):
    """The entries of all tables together."""
    return sum(blocks_of(length, block) for length in lengths)


def takes_prefix_off(lengths, prefix, block):
    """Take the shared slots off the lengths in the caller's list."""
    full = prefix // block * block
    lengths[:] = [length - full for length in lengths]
    return (full + tables_of(lengths, block) * block) if lengths else 0


wrong(
    POOL,
    "overwrites-list",
    "You subtract from the lengths in the caller's list. Keep what is left in a list or a variable of your "
    "own.",
    whole=takes_prefix_off,
)
wrong(
    POOL,
    "takes-first-out",
    "You take the first sequence out of the caller's list. Read it with its position, and leave the list.",
    after=lambda lengths: lengths and lengths.pop(0),
)
wrong(
    POOL,
    "last-only",
    "You count the last sequence only. In the loop, add to the total instead of replacing it.",
    count=lambda lengths, _, block: blocks_of(lengths[-1], block),
)
wrong(
    POOL,
    "nearest-block",
    "You round the prefix to the nearest number of blocks. Only the blocks that it fills to the last slot "
    "are shared.",
    shared=lambda prefix, block: round(prefix / block),
)
wrong(
    POOL,
    "rounds-stored-tokens",
    "You count the tokens of the prefix once and round up the total. Each sequence has a last block of its "
    "own: round each length.",
    whole=lambda lengths, prefix, block: (
        blocks_of(sum(lengths) - prefix * (len(lengths) - 1), block) * block if lengths else 0
    ),
)
wrong(
    POOL,
    "sums-tables",
    "You add up the entries of all tables. A shared block stands in each of them and lies in the pool once.",
    count=lambda lengths, _, block: tables_of(lengths, block),
)
wrong(
    POOL,
    "shares-partial",
    "You share the block in which the prefix ends. Each sequence writes its own next token there, so it "
    "has its own.",
    shared=blocks_of,
)
wrong(
    POOL,
    "shares-tokens",
    "You take the tokens of the prefix off, one by one. Blocks are handed out whole: take off whole blocks.",
    whole=lambda lengths, prefix, block: (
        tables_of(lengths, block) * block - prefix * (len(lengths) - 1) if lengths else 0
    ),
)
wrong(
    POOL,
    "rounds-the-rest",
    "You round up what comes after the prefix. The block in which the prefix ends is each sequence's own, "
    "too.",
    count=lambda lengths, prefix, block: prefix / block + sum(blocks_of(n - prefix, block) for n in lengths),
    shared=lambda prefix, block: prefix,
    answer=int,
)
wrong(
    POOL,
    "prefix-and-rest",
    "You round the prefix up and what comes after it, too. The prefix does not end with a block: only its "
    "full "
    "blocks are shared.",
    count=lambda lengths, prefix, block: (
        blocks_of(prefix, block) + sum(blocks_of(length - prefix, block) for length in lengths)
    ),
    shared=lambda prefix, block: prefix,
)
wrong(
    POOL,
    "full-and-rest",
    "You lose the tokens of the prefix that fill no block. They are in a block that each sequence has of "
    "its own.",
    count=lambda lengths, prefix, block: (
        prefix // block + sum(blocks_of(length - prefix, block) for length in lengths)
    ),
    shared=lambda prefix, block: prefix,
)
wrong(
    POOL,
    "forgets-shared",
    "You leave the shared blocks out. They lie in the pool once, and take up their slots there.",
    count=lambda lengths, shared, block: once(lengths, shared, block) - shared,
)
wrong(
    POOL,
    "shared-alone",
    "You count the shared blocks alone. Each sequence has more blocks, for its own tokens.",
    count=lambda lengths, shared, block: shared,
)
wrong(
    POOL,
    "prefix-on-top",
    "You add the shared blocks to the tables, which have them already. Take them off first.",
    count=lambda lengths, shared, block: tables_of(lengths, block) + shared,
)
wrong(
    POOL,
    "saves-once",
    "You take the shared blocks off one table. Take them off for all sequences but one.",
    count=lambda lengths, shared, block: tables_of(lengths, block) - (shared if len(lengths) > 1 else 0),
)
wrong(
    POOL,
    "saves-once-always",
    "You take the shared blocks off one table, also when there is only one. Take them off for all "
    "sequences but one.",
    count=lambda lengths, shared, block: tables_of(lengths, block) - shared,
)
wrong(
    POOL,
    "saves-once-below-zero",
    "You take the shared blocks off one table, even when there is none. Take them off for all sequences but "
    "one.",
    count=lambda lengths, shared, block: tables_of(lengths, block) - shared,
    empty=lambda _, prefix, block: -(prefix // block * block),
)
wrong(
    POOL,
    "saves-every-pair",
    "You take the shared blocks off for every pair of sequences. With three of them that is once too often.",
    count=lambda lengths, shared, block: (
        tables_of(lengths, block) - shared * (len(lengths) * (len(lengths) - 1) // 2)
    ),
)
wrong(
    POOL,
    "tokens",
    "You count the tokens. The empty slots of a last block are handed out with it.",
    whole=lambda lengths, prefix, block: sum(lengths) - prefix * (len(lengths) - 1) if lengths else 0,
)
wrong(
    POOL,
    "all-tokens",
    "You add up the lengths. Blocks are handed out whole, and full blocks of the prefix once.",
    whole=lambda lengths, *_: sum(lengths),
)
wrong(
    POOL,
    "blocks",
    "You return blocks. The question is how many slots those blocks have.",
    unit=1,
)
wrong(
    POOL,
    "entries",
    "You return the entries of the tables. The question is slots, and a shared block has its slots once.",
    count=lambda lengths, _, block: tables_of(lengths, block),
    unit=1,
)
wrong(
    POOL,
    "prefix-for-nobody",
    "Without sequences you still hand out the blocks of the prefix. Nobody holds them: 0 slots.",
    empty=lambda prefix_of, prefix, block: prefix // block * block,
    left_out=True,
)
wrong(
    POOL,
    "own-block-at-least",
    "You give every sequence a block of its own. One that holds nothing but full blocks of the prefix "
    "needs none.",
    count=lambda lengths, shared, block: (
        shared + sum(max(1, blocks_of(length, block) - shared) for length in lengths)
    ),
)
wrong(
    POOL,
    "last-token-own",
    "You do not share the block with the prefix's last token. Some servers do so, to compute it anew; here "
    "a full "
    "block of the prefix is always shared.",
    shared=lambda prefix, block: max(0, prefix - 1) // block,
)
wrong(
    POOL,
    "rounds-total",
    "You round up the total. Each sequence has a last block of its own: round each length.",
    count=lambda lengths, shared, block: blocks_of(sum(lengths), block) - shared * (len(lengths) - 1),
)
wrong(
    POOL,
    "rounds-down",
    "You round down, so the last tokens have no slot. A partly filled block is handed out whole.",
    count=lambda lengths, shared, block: shared + sum(length // block - shared for length in lengths),
)
wrong(
    POOL,
    "one-block-more",
    "You give every sequence one block more than it fills. One that just fills its blocks needs no more.",
    count=lambda lengths, shared, block: shared + sum(length // block + 1 - shared for length in lengths),
)
wrong(
    POOL,
    "longest-only",
    "You count the longest sequence only. The others share the prefix with it, and no more.",
    count=lambda lengths, _, block: blocks_of(max(lengths), block),
)
wrong(
    POOL,
    "first-only",
    "You leave the loop in its first round. Move the return behind the loop, so that all sequences count.",
    count=lambda lengths, _, block: blocks_of(lengths[0], block),
)
wrong(
    POOL,
    "skips-last",
    "You leave out the last sequence. Loop over the lengths themselves instead of counting positions.",
    count=lambda lengths, shared, block: once(lengths[:-1], shared, block),
)
wrong(
    POOL,
    "distinct",
    "You count equal lengths once. Equal lengths are not equal tokens: only the prefix is the same.",
    count=lambda lengths, shared, block: once(set(lengths), shared, block),
)
wrong(
    POOL,
    "prefix-in-blocks",
    "You take prefix for a number of blocks. It counts tokens: find out how many blocks these fill.",
    shared=lambda prefix, block: prefix,
)
wrong(
    POOL,
    "sixteen",
    "Your function always uses blocks of 16. The size of a block comes in as block.",
    whole=lambda lengths, prefix, _: once(lengths, prefix // 16, 16) * 16 if lengths else 0,
)
wrong(
    POOL,
    "block-for-nothing",
    "You give a block to a sequence without tokens. It gets its first block with its first token.",
    count=lambda lengths, shared, block: once([max(1, length) for length in lengths], shared, block),
)
wrong(
    POOL,
    "true-division",
    "You divide with / and round nothing. Blocks are whole: // for the full blocks of the prefix, and up "
    "for a "
    "sequence.",
    shared=lambda prefix, block: prefix / block,
)
wrong(
    POOL,
    "true-division-then-int",
    "You divide with / and cut at the end. Blocks are whole: // for the full blocks of the prefix, and up "
    "for a sequence.",
    shared=lambda prefix, block: prefix / block,
    answer=int,
)

# --- Part 1 ---

by_hand(
    "position",
    "You gave the position. It counts inside the sequence; a slot's number counts in the whole pool.",
    SLOT=17,
)
by_hand(
    "goes-on",
    "You went on from A's first block. A's blocks do not lie side by side: follow its table.",
    SLOT=57,
)
by_hand("by-size", "You took A's blocks by size. The table has them in logical order.", SLOT=73)
by_hand(
    "first-block",
    "You took A's first block. Which entry of the table stands for the position?",
    SLOT=41,
)
by_hand("start-of-block", "You gave the first slot of the right block. The position is further in.", SLOT=32)
by_hand(
    "block-number", "You gave the number of the block. Which of its slots is it, in the whole pool?", SLOT=4
)
by_hand("inside-block", "You gave the place inside the block. The blocks before it have slots, too.", SLOT=1)
by_hand(
    "adds-number",
    "You added a place to a number of blocks. Each block before it in the pool has 8 slots.",
    SLOT=5,
)
by_hand("one-too-far", "You counted one too far. Positions begin at 0.", SLOT=34)
by_hand(
    "twice",
    "You counted the shared block twice. It stands in two tables and lies in the pool once.",
    HANDED_OUT=56,
)
by_hand("blocks", "You counted blocks. How many slots do they have?", HANDED_OUT=6)
by_hand("entries", "You counted the entries of the tables. A shared block is one block.", HANDED_OUT=7)
by_hand("tokens", "You counted tokens. The slots of a block are handed out together.", HANDED_OUT=50)
by_hand(
    "stored-tokens",
    "You counted the slots with a token. The empty slots of a last block are handed out with it.",
    HANDED_OUT=42,
)
by_hand("pool", "You counted the whole pool. Some of its blocks are free.", HANDED_OUT=120)
by_hand("free-slots", "You counted the free slots. The others are handed out.", HANDED_OUT=72)
by_hand("all-free", "You counted all free blocks. A hole has only those side by side.", HOLE=9)
by_hand("hole-in-slots", "You counted slots. The question is how many blocks.", HOLE=24)
by_hand("steps", "You counted steps, or took another hole. Count the blocks of the largest one.", HOLE=2)
by_hand("number-of-holes", "You counted the holes. How many blocks has the largest one?", HOLE=5)
by_hand("small-hole", "You took a hole of one block. There is a larger one.", HOLE=1)
by_hand(
    "in-line",
    "You say that tokens that follow each other must have slots that follow each other. Follow A from its "
    "first block to its second.",
    NEIGHBOURS=True,
)
by_hand(
    "no-room",
    "You say that nothing can grow when no block is free. A partly filled last block still has room.",
    ROOM=False,
)
by_hand(
    "counted-twice",
    "You say that a block in two tables takes its slots twice. A table holds numbers, not tokens: two can "
    "name "
    "one block.",
    TWICE=True,
)

# --- the predictions, which are never marked, against the closing answers: the first that fits is said ---

QUESTIONS = {
    "NEIGHBOURS": (
        False,
        "tokens that follow each other must have slots that follow each other",
        "Follow A from its first block to its second.",
        "a table may name blocks in any order",
    ),
    "ROOM": (
        True,
        "no sequence can grow when no block is free",
        "Draw one more token into A.",
        "a partly filled last block has room",
    ),
    "TWICE": (
        False,
        "a block in two tables takes its slots twice",
        "Compare the entries of all tables with your answer to TODO 5.",
        "two tables can name one block of the pool",
    ),
}
RIGHT = {name: right for name, (right, *_) in QUESTIONS.items()}

REFLECTIONS: list[tuple[str, str, dict[str, Any]]] = []
for asked, (true, belief, look, why) in QUESTIONS.items():
    predicted = f"PREDICT_{asked}"
    kept = f"You predicted that {belief}, and say so still. {look}"
    left = (
        f"One prediction was nearer to it than your answer at the end. {look} What made you change your mind?"
    )
    changed = f"You predicted that {belief}. The picture changed your mind: {why}. Predictions are for that."
    missing = "You answered the questions at the end, but did not predict all answers. Guess first next time."
    REFLECTIONS += [
        (f"prediction-kept-{asked.lower()}", kept, {predicted: not true, asked: not true}),
        (f"prediction-left-{asked.lower()}", left, {predicted: true, asked: not true}),
        (f"prediction-changed-{asked.lower()}", changed, {predicted: not true, **RIGHT}),
        (f"prediction-missing-{asked.lower()}", missing, {predicted: None, **RIGHT}),
    ]
REFLECTIONS.append(
    (
        "predictions-held",
        "All three predictions were right, and your own numbers bear them out.",
        {**{f"PREDICT_{name}": right for name, right in RIGHT.items()}, **RIGHT},
    )
)
