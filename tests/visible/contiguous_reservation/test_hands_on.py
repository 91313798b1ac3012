"""The visible tests of Part 1. Your answers are compared by a fingerprint, so they do not stand here."""

import hashlib

import hands_on


def fingerprint(name, answer):
    text = f"contiguous reservation, part 1:{name}:{answer!r}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def started(name, todo, answer):
    if answer is None:
        raise NotImplementedError(f"TODO {todo}: {name} in hands_on.py is still None")


def known_mistake(name, answer, sentences):
    return sentences.get(fingerprint(name, answer), f"{name} is not right yet; count again")


class TestReservedCount:
    def test_answer(self):
        answer = hands_on.RESERVED
        started("RESERVED", 2, answer)
        assert type(answer) is int, "RESERVED must be a plain whole number, without quotes or a decimal point"
        assert fingerprint("RESERVED", answer) == "2bfc499b6379b482", known_mistake(
            "RESERVED",
            answer,
            {
                "1120877f421bd070": "those are the slots that hold a token; "
                "a region is reserved whole, however little it holds",
                "ed58020c35f3fcb1": "that is the whole pool; count only what the three sequences reserve",
                "2409ebf545c1cff3": "that is one region; each of the three sequences has its own",
                "abb3e73e400ed745": "that adds a number of sequences to a number of slots; "
                "each sequence brings a whole region",
            },
        )


class TestIdleCount:
    def test_answer(self):
        answer = hands_on.IDLE
        started("IDLE", 3, answer)
        assert type(answer) is int, "IDLE must be a plain whole number, without quotes or a decimal point"
        assert fingerprint("IDLE", answer) == "a23171656368d4e8", known_mistake(
            "IDLE",
            answer,
            {
                "24e48095da5b343e": "those slots do hold a token; count the reserved ones that do not",
                "4361c5ac071d6d61": "that counts every slot of the pool without a token; "
                "a slot that nobody reserved is free, not idle",
                "45c720078b5bfc24": "that is the part of the pool that nobody reserved; "
                "look inside the three regions",
                "b78823d3ef5ccf3f": "that takes the tokens of all sequences out of one region; each of the "
                "three sequences has its own",
            },
        )


class TestMoreCount:
    def test_answer(self):
        answer = hands_on.MORE
        started("MORE", 4, answer)
        assert type(answer) is int, "MORE must be a plain whole number, without quotes or a decimal point"
        assert fingerprint("MORE", answer) == "6d8da74755f7b941", known_mistake(
            "MORE",
            answer,
            {
                "c7c134535063812d": "so many fit into an empty pool; three sequences already run",
                "62bb885589dad317": "that would lend out idle slots of the three regions, "
                "but those stay with their sequences",
                "3192caab21e68513": "those are free slots; say how many regions they are enough for",
                "b0a461311679ec04": "the pool is larger than what the three sequences reserve",
            },
        )


class TestClosingCheck:
    def test_answer(self):
        answer = hands_on.UNUSED_IS_SHARED
        started("UNUSED_IS_SHARED", 5, answer)
        assert type(answer) is bool, "UNUSED_IS_SHARED is True or False, without quotes"
        assert fingerprint("UNUSED_IS_SHARED", answer) == "d830ec9b1e988bc2", (
            "think of your answers to TODO 3 and TODO 4: idle slots belong to the sequence "
            "that reserved them, even while another one waits for memory"
        )


def load_tests(*_):
    """Say how to run the tests to whoever runs them with unittest, or this file as a program."""
    raise SystemExit("Run the tests in this folder with: python3 kit (on Windows: py kit)")


if __name__ == "__main__":
    load_tests()
