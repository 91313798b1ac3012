"""Part 1: predict, follow the tables by hand, check yourself.

The picture in README.md shows a pool of 15 blocks with 8 slots each, one token in one slot. Block 0 has the
slots 0 to 7, block 1 the slots 8 to 15, and so on. Three sequences run: A, B and C. A and B begin with the
same 10 tokens.

Put your answers in place of None. A number must be a plain whole number, such as 42; an answer to a yes-or-no
question is True or False. You need no code here: paper and the picture are enough.
"""

# Predict before you look at the picture. Your three predictions are kept, never marked: guess freely.
# Two tokens follow each other in a sequence. Must their slots follow each other in the pool? (True or False)
### BEGIN SOLUTION
PREDICT_NEIGHBOURS = False  # TODO 1
### END SOLUTION

# No block of the pool is free. Can there be a sequence that can still take one more token? (True or False)
### BEGIN SOLUTION
PREDICT_ROOM = True  # TODO 2
### END SOLUTION

# A block stands in the tables of two sequences. Does it take up its slots of the pool twice? (True or False)
### BEGIN SOLUTION
PREDICT_TWICE = False  # TODO 3
### END SOLUTION

# Which slot of the pool holds the token at position 17 of A? Positions are counted from 0. (number of a slot)
### BEGIN SOLUTION
SLOT = 33  # TODO 4
### END SOLUTION

# How many slots of the pool are handed out to A, B and C together? (slots)
### BEGIN SOLUTION
HANDED_OUT = 48  # TODO 5
### END SOLUTION

# How many free blocks lie side by side in the largest hole of the pool? (blocks)
### BEGIN SOLUTION
HOLE = 3  # TODO 6
### END SOLUTION

# Look at the picture and at your numbers, then answer the questions of TODO 1, 2 and 3 once more.
# Must the slots of two tokens that follow each other in a sequence follow each other in the pool?
### BEGIN SOLUTION
NEIGHBOURS = False  # TODO 7
### END SOLUTION

# Can there be a sequence that can still take one more token when no block of the pool is free?
### BEGIN SOLUTION
ROOM = True  # TODO 8
### END SOLUTION

# Does a block in the tables of two sequences take up its slots of the pool twice?
### BEGIN SOLUTION
TWICE = False  # TODO 9
### END SOLUTION
