"""Part 2: find tokens through block tables, and count what a pool of blocks hands out.

One slot holds one token. A block has ``block`` slots, and block number ``b`` of the pool has the slots from
``b * block`` to ``b * block + block - 1``. A block table is the list of a sequence's block numbers in logical
order, such as ``[7, 1]``. ``lengths`` is a list with the number of tokens of each sequence, such as
``[20, 35, 10]``; it may be empty, and a sequence may hold 0 tokens unless a function says otherwise.

All inputs are whole numbers, never negative, and ``block`` is at least 1, not only a power of two. Every
answer depends on the arguments alone, and lists are left as they were. The answers that are counts are ints
(``48``, not ``48.0``).
"""


def physical_slot(table: list[int], position: int, block: int) -> int:
    """The slot of the pool that holds the token at ``position`` of a sequence.

    Positions are counted from 0: the first token is at position 0. The token's block is found through the
    sequence's block table. Its blocks may lie anywhere in the pool and in any order, and number 0 is a block
    like all others. About one line, or three with the check.

    Args:
        table: the sequence's block numbers, in logical order; it may be empty.
        position: the token's position in the sequence.
        block: the size of one block, in slots.

    Returns:
        The number of the slot in the pool, an int.

    Raises:
        IndexError: ``position`` lies behind the last slot of the table's blocks.

    >>> physical_slot([5, 2], 9, 8)
    17
    """
    raise NotImplementedError("TODO 10: find the block in the table, then the slot in the block")


def can_append(length: int, block: int, free: int) -> bool:
    """Whether a sequence of ``length`` tokens can take one token more.

    The sequence has just enough blocks for its tokens. While its last block has a free slot, the new token
    goes there and no other block is needed. When all its blocks are full, or it has none yet, one of the
    pool's ``free`` blocks is needed, and one is enough. About one line.

    Args:
        length: the tokens that the sequence holds already, without the new one; it may be 0.
        block: the size of one block, in slots.
        free: how many blocks of the pool are free; it may be 0.

    Returns:
        True or False, a bool.

    >>> can_append(10, 8, 0)
    True
    """
    raise NotImplementedError("TODO 11: look into the last block first, then at the pool")


def slack_share(lengths: list[int], block: int) -> float:
    """The share of the *handed out* slots that hold no token, from 0.0 to 1.0.

    Each sequence has just enough whole blocks for its own tokens and shares none, so a sequence of 0 tokens
    has no block. The denominator is what all these blocks have together, in slots: not the pool, and not
    the tokens. When no block is handed out, the share is 0.0. About four lines.

    Args:
        lengths: the tokens of each sequence.
        block: the size of one block, in slots.

    Returns:
        The share, a float, not in percent and not rounded.

    >>> slack_share([10, 6], 8)
    0.3333333333333333
    """
    raise NotImplementedError("TODO 12: divide the slack by the slots that are handed out")


def largest_hole(free: list[int]) -> int:
    """The largest number of free blocks that lie side by side in the pool.

    Two blocks lie side by side when their numbers differ by one. The list has the number of every free block
    once, in any order; block 0 is a block like all others. One block by itself is a hole of 1, and without
    free blocks the answer is 0. About eight lines.

    Args:
        free: the numbers of the free blocks.

    Returns:
        The number of blocks, an int.

    >>> largest_hole([4, 9, 3, 8, 5])
    3
    """
    raise NotImplementedError("TODO 13: go through the numbers in order, and count how far each run goes")


def pool_slots(lengths: list[int], prefix: int, block: int) -> int:
    """Slots of the pool that are handed out to sequences which begin with the same tokens.

    All sequences begin with the same ``prefix`` tokens. A length counts all tokens of its sequence, these
    included, so no length is smaller than ``prefix``. The blocks that the prefix fills to the last slot are
    handed out once and stand in every table. All other blocks belong to one sequence alone, also the one in
    which the prefix ends. Each sequence has just enough blocks for its tokens. Without sequences no block is
    handed out: 0. About three lines.

    Args:
        lengths: the tokens of each sequence, the prefix included.
        prefix: how many tokens all sequences have in common at their beginning; it may be 0.
        block: the size of one block, in slots.

    Returns:
        The number of slots, an int.

    >>> pool_slots([12, 20], 10, 8)
    32
    """
    raise NotImplementedError("TODO 14: count the shared blocks once, and the others for every sequence")
