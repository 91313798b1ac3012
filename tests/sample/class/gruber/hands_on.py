"""Part 1: predict, count by hand, check yourself.

A server keeps the tokens of every running sequence in memory, one token in one slot. Before a sequence
starts, the server reserves one contiguous region of 100 slots for it, however long it turns out to be.
Right now three sequences run. They hold 20, 35 and 10 tokens.

Put your answers in place of None. A number is a plain whole number, such as 42; an answer to a yes-or-no
question is True or False. You need no code here: paper and the picture in README.md are enough.
"""

# Predict before you count. Some reserved slots hold no token. Can another sequence use those slots?
# True means yes, False means no. Your prediction is kept, never marked: guess freely.
PREDICTION = True  # TODO 1

# How many slots do the three sequences reserve together? (slots)
RESERVED = 300  # TODO 2

# How many of those reserved slots hold no token? (slots)
IDLE = 235  # TODO 3

# The pool has 400 slots in all. The three sequences go on running.
# How many more regions of 100 slots can be reserved in it? (reservations)
MORE = 1  # TODO 4

# Look at your numbers, then answer the question of TODO 1 once more: does reserved capacity that is not
# used become usable by another sequence of its own accord? (True or False)
UNUSED_IS_SHARED = False  # TODO 5
