"""Part 2: count slots, reserved in one piece or handed out in blocks.

One slot holds one token. ``lengths`` is always a list with the number of tokens of each sequence, such as
``[20, 35, 10]``; it may be empty, and a sequence may hold 0 tokens. All inputs are whole numbers, never
negative, and ``max_len`` and ``block`` are at least 1 unless a function says otherwise. Every answer depends
on the arguments alone, and lists are left as they were.

The answers that are counts are ints (``48``, not ``48.0``). Numbers can be large, such as a pool of a hundred
thousand slots: a function that calls itself once for each region or block reaches Python's limit.
"""


def reserved_slots(n_seq: int, max_len: int) -> int:
    """Slots reserved when each of ``n_seq`` sequences gets a contiguous region of ``max_len`` slots.

    With no sequence running (``n_seq`` is 0), nothing is reserved. About one line.

    Args:
        n_seq: how many sequences run.
        max_len: the size of one region, in slots.

    Returns:
        The number of slots, an int.

    >>> reserved_slots(4, 32)
    128
    """
    # TODO 6: every sequence gets a region of its own
    ### BEGIN SOLUTION
    return n_seq * max_len
    ### END SOLUTION


def used_slots(lengths: list[int], max_len: int | None = None) -> int:
    """Slots that hold a token, over all sequences together.

    Without ``max_len`` there is no limit. When it is given, 0 included, no sequence may be longer than
    ``max_len``; one of exactly that length is allowed. An empty list gives 0. About three lines.

    Args:
        lengths: the tokens of each sequence.
        max_len: the size of the region that each sequence has, in slots, or None.

    Returns:
        The number of slots, an int.

    Raises:
        ValueError: ``max_len`` is given and a sequence is longer than that.

    >>> used_slots([7, 0, 5])
    12
    """
    # TODO 7: look at every length, then add them up
    ### BEGIN SOLUTION
    if max_len is not None and any(length > max_len for length in lengths):
        raise ValueError("a sequence is longer than its region")
    return sum(lengths)
    ### END SOLUTION


def waste_fraction(lengths: list[int], max_len: int) -> float:
    """The share of the *reserved* slots that hold no token, from 0.0 to 1.0.

    Each sequence has a region of ``max_len`` slots. The denominator is what these regions reserve together:
    not the pool, and not the used slots. A sequence of 0 tokens keeps its whole region. With no sequences
    nothing is reserved and nothing is wasted: the share is 0.0. About four lines.

    Args:
        lengths: the tokens of each sequence.
        max_len: the size of one region, in slots.

    Returns:
        The share, a float, not in percent and not rounded.

    Raises:
        ValueError: a sequence is longer than ``max_len`` (exactly ``max_len`` is allowed).

    >>> waste_fraction([50, 100], 100)
    0.25
    """
    # TODO 8: divide the idle slots by the reserved slots
    ### BEGIN SOLUTION
    idle = reserved_slots(len(lengths), max_len) - used_slots(lengths, max_len)
    if not lengths:
        return 0.0
    return idle / reserved_slots(len(lengths), max_len)
    ### END SOLUTION


def extra_reservations(pool: int, max_len: int, n_running: int) -> int:
    """How many more full regions can be reserved while ``n_running`` sequences keep theirs.

    The pool has ``pool`` slots, and each running sequence holds a region of ``max_len`` of them, whatever
    it has stored there. Only whole regions count. If the running sequences already fill the pool, or need
    more than it has, the answer is 0, never a negative number. About two lines.

    Args:
        pool: the size of the whole pool, in slots; it may be 0.
        max_len: the size of one region, in slots.
        n_running: how many sequences run; it may be 0.

    Returns:
        The number of additional reservations, an int.

    >>> extra_reservations(50, 16, 1)
    2
    """
    # TODO 9: what the running sequences hold is not free
    ### BEGIN SOLUTION
    return max(0, pool // max_len - n_running)
    ### END SOLUTION


def paged_slots(lengths: list[int], block: int) -> int:
    """Slots that a paged allocator hands out for the same sequences, in blocks of ``block`` slots.

    Each sequence gets just enough whole blocks for its own tokens; no two sequences share a block. A
    sequence of 0 tokens gets no block, and no sequences get 0 slots. ``block`` is any size from 1 up, not
    only a power of two. About one line, or a short loop.

    Args:
        lengths: the tokens of each sequence.
        block: the size of one block, in slots.

    Returns:
        The number of slots in all those blocks, an int.

    >>> paged_slots([33], 16)
    48
    """
    # TODO 10: round every sequence up to whole blocks
    ### BEGIN SOLUTION
    return sum(-(-length // block) * block for length in lengths)
    ### END SOLUTION
