"""The visible tests of Part 1. Your answers are compared by a fingerprint, so they do not stand here."""

import hashlib

import by_hand


def fingerprint(name, answer):
    text = f"block tables, part 1:{name}:{answer!r}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def started(name, todo, answer):
    if answer is None:
        raise NotImplementedError(f"TODO {todo}: {name} in by_hand.py is still None")


def known_mistake(name, answer, sentences):
    return sentences.get(fingerprint(name, answer), f"{name} is not right yet; follow the tables again")


class TestSlotOfToken:
    def test_answer(self):
        answer = by_hand.SLOT
        started("SLOT", 4, answer)
        assert type(answer) is int, "SLOT must be a plain whole number, without quotes or a decimal point"
        assert fingerprint("SLOT", answer) == "08dbf213c8cdd55b", known_mistake(
            "SLOT",
            answer,
            {
                "359bf522924878aa": "that is the position in the sequence; find out in which block "
                "that position lies, and where that block lies in the pool",
                "30d41607f4dd0165": "that goes on from A's first block; A's blocks do not lie side "
                "by side in the pool",
                "a88ba35f38e5cb69": "that is the right place in A's first block; which entry of the table "
                "stands for position 17?",
                "2548f8b6949dc7c4": "that takes A's blocks by size; the table has them in logical order",
                "976ef051f7b4e282": "that is the first slot of the right block; position 17 is further in",
                "d2ddf7df0cbbff98": "that is the number of the block; say which of its slots it is, "
                "counted over the whole pool",
                "45be3884deae1b5f": "that is the place inside the block; the blocks before it in the "
                "pool have slots too",
                "23a80a2428cae338": "that adds a slot to a number of blocks; each block before it in "
                "the pool has 8 slots",
                "f946c3bc67cfa74f": "that is one slot too far; positions are counted from 0",
            },
        )


class TestHandedOut:
    def test_answer(self):
        answer = by_hand.HANDED_OUT
        started("HANDED_OUT", 5, answer)
        assert type(answer) is int, (
            "HANDED_OUT must be a plain whole number, without quotes or a decimal point"
        )
        assert fingerprint("HANDED_OUT", answer) == "fe993dc81fc1d5c9", known_mistake(
            "HANDED_OUT",
            answer,
            {
                "c258f4893bd4dc02": "that counts the shared block twice; it stands in two tables and "
                "lies in the pool once",
                "7de80ffc0d48a031": "those are blocks; say how many slots they have",
                "7acba25ac5406da0": "those are the entries of the tables; a shared block is one "
                "block, and the question is how many slots",
                "bb565d8baeaea976": "those are the tokens of all sequences; the slots of a block are "
                "handed out together, and some tokens are stored once for two",
                "cfcc326883a6b5cf": "those are the slots that hold a token; the empty slots of a "
                "last block are handed out with it",
                "c384db169604e972": "that is the whole pool; some of its blocks are free",
                "539d48e771dbfab0": "those slots are free; count the ones that are handed out",
            },
        )


class TestLargestHole:
    def test_answer(self):
        answer = by_hand.HOLE
        started("HOLE", 6, answer)
        assert type(answer) is int, "HOLE must be a plain whole number, without quotes or a decimal point"
        assert fingerprint("HOLE", answer) == "bb7468dc274a4633", known_mistake(
            "HOLE",
            answer,
            {
                "7d9a3c8738c4d92c": "that is every free block; count those that lie side by side",
                "e024bc6166cf124e": "those are slots; say how many blocks lie side by side",
                "36e51117d96f7c4c": "that counts steps from block to block, or it is another hole; "
                "count the blocks of the largest one",
                "6894f490c02637b8": "that is how many holes there are; say how many blocks the "
                "largest one has",
                "73533b61a05dfcb5": "that is a hole of one block; there is a larger one",
            },
        )


class TestClosingCheck:
    def test_neighbours(self):
        answer = by_hand.NEIGHBOURS
        started("NEIGHBOURS", 7, answer)
        assert type(answer) is bool, "NEIGHBOURS is True or False, without quotes"
        assert fingerprint("NEIGHBOURS", answer) == "226bc18c79541880", (
            "follow A through the picture: its blocks lie where its table says, in any order"
        )

    def test_room(self):
        answer = by_hand.ROOM
        started("ROOM", 8, answer)
        assert type(answer) is bool, "ROOM is True or False, without quotes"
        assert fingerprint("ROOM", answer) == "5fcffbec9c009fb6", (
            "look at the last blocks of A and B: do they need a free block for their next token?"
        )

    def test_twice(self):
        answer = by_hand.TWICE
        started("TWICE", 9, answer)
        assert type(answer) is bool, "TWICE is True or False, without quotes"
        assert fingerprint("TWICE", answer) == "6c142e669a662e8e", (
            "think of your answer to TODO 5: how many slots would it be if every entry of a table took "
            "slots of its own?"
        )


if __name__ == "__main__":
    raise SystemExit("Run the tests with pytest: python3 -m pytest (Windows: py -m pytest) in this folder.")
