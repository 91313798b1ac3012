"""Part 1: predict, follow the tables by hand, check yourself.

The picture in README.md shows a pool of 15 blocks with 8 slots each, one token in one slot. Block 0 has the
slots 0 to 7, block 1 the slots 8 to 15, and so on. Three sequences run: A, B and C. A and B begin with the
same 10 tokens.

Put your answers in place of None. A number must be a plain whole number, such as 42; an answer to a yes-or-no
question is True or False. You need no code here: paper and the picture are enough.
"""

# Predict before you look at the picture. Your three predictions are kept, never marked: guess freely.
# Two tokens follow each other in a sequence. Must their slots follow each other in the pool? (True or False)
PREDICT_NEIGHBOURS = None  # TODO 1

# No block of the pool is free. Can there be a sequence that can still take one more token? (True or False)
PREDICT_ROOM = None  # TODO 2

# A block stands in the tables of two sequences. Does it take up its slots of the pool twice? (True or False)
PREDICT_TWICE = None  # TODO 3

# Which slot of the pool holds the token at position 17 of A? Positions are counted from 0. (number of a slot)
SLOT = None  # TODO 4

# How many slots of the pool are handed out to A, B and C together? (slots)
HANDED_OUT = None  # TODO 5

# How many free blocks lie side by side in the largest hole of the pool? (blocks)
HOLE = None  # TODO 6

# Look at the picture and at your numbers, then answer the questions of TODO 1, 2 and 3 once more.
# Must the slots of two tokens that follow each other in a sequence follow each other in the pool?
NEIGHBOURS = None  # TODO 7

# Can there be a sequence that can still take one more token when no block of the pool is free?
ROOM = None  # TODO 8

# Does a block in the tables of two sequences take up its slots of the pool twice?
TWICE = None  # TODO 9
