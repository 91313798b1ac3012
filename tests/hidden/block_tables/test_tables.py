"""The hidden tests of Part 2; they test nothing that the docstrings do not promise.

A criterion judges its own idea. Where the value is another criterion's question, replies are compared with
replies: a list with itself before the call, an answer with the answer to a call that must give the same. So
that a constant earns nothing there, some answers must differ.
"""

from fractions import Fraction

import pytest
import tables


def outcome(function, *arguments):
    """Return the answer of a call, or the class of the error that it raises."""
    try:
        return function(*arguments)
    except NotImplementedError:
        raise
    except Exception as error:  # noqa: BLE001 - which error it is, is another criterion's question
        return type(error)


def different_numbers(answers):
    """Return how many different numbers there are among the answers."""
    return len({answer for answer in answers if type(answer) in (int, float, Fraction)})


class TestEdges:
    def test_last_slot_of_a_block(self):
        assert tables.physical_slot([6, 13, 2], 9, 5) == 69

    def test_first_slot_of_a_block(self):
        assert tables.physical_slot([6, 13, 4], 10, 5) == 20

    def test_first_token(self):
        assert tables.physical_slot([21, 3], 0, 32) == 672

    def test_block_zero(self):
        assert tables.physical_slot([8, 0], 18, 12) == 6

    def test_block_zero_first(self):
        assert tables.physical_slot([0, 8], 3, 12) == 3

    def test_one_slot_blocks(self):
        assert tables.physical_slot([14, 3, 9, 5], 2, 1) == 9

    def test_large(self):
        assert tables.physical_slot([400, 1200, 77], 300, 256) == 307244


class TestTableReads:
    def test_list_is_left_alone(self):
        table = [9, 4, 7, 2]
        outcome(tables.physical_slot, table, 21, 8)
        assert table == [9, 4, 7, 2]

    def test_empty_list_stays(self):
        table = []
        outcome(tables.physical_slot, table, 3, 8)
        assert table == []

    def test_past_the_table(self):
        table = [9, 4]
        outcome(tables.physical_slot, table, 40, 8)
        assert table == [9, 4]

    def test_same_list_again(self):
        table = [11, 6, 3]
        first = outcome(tables.physical_slot, table, 19, 8)
        assert outcome(tables.physical_slot, table, 19, 8) == first

    def test_same_again(self):
        first = outcome(tables.physical_slot, [3, 10], 7, 4)
        assert outcome(tables.physical_slot, [3, 10], 7, 4) == first

    def test_numbers(self):
        answers = [outcome(tables.physical_slot, [9, 4, 7], position, 6) for position in (2, 8, 15)]
        assert different_numbers(answers) > 1


class TestFirst:
    def test_no_token_and_no_block_free(self):
        assert tables.can_append(0, 24, 0) == False

    def test_no_token_and_free_blocks(self):
        assert tables.can_append(0, 4, 9) == True

    def test_one_slot_blocks(self):
        assert tables.can_append(7, 1, 0) == False
        assert tables.can_append(7, 1, 2) == True

    def test_large(self):
        assert tables.can_append(4800, 24, 0) == False

    def test_same_again(self):
        assert tables.can_append(20, 5, 0) == False
        assert tables.can_append(20, 5, 0) == False


class TestSlackEnds:
    def test_no_sequence(self):
        assert tables.slack_share([], 16) == pytest.approx(0.0, abs=1e-9, rel=0)

    def test_no_token(self):
        assert tables.slack_share([0, 0], 16) == pytest.approx(0.0, abs=1e-9, rel=0)

    def test_all_full(self):
        assert tables.slack_share([24, 48], 24) == pytest.approx(0.0, abs=1e-9, rel=0)

    def test_one_slot_blocks(self):
        assert tables.slack_share([3, 7], 1) == pytest.approx(0.0, abs=1e-9, rel=0)

    def test_some_without_tokens(self):
        # Without tokens there is no block, so it makes no difference to the others.
        others = tables.slack_share([18], 24)
        assert tables.slack_share([18, 0, 0], 24) == pytest.approx(others, abs=1e-9, rel=0)

    def test_same_again(self):
        first = tables.slack_share([5, 9], 6)
        assert first > 0
        assert tables.slack_share([5, 9], 6) == pytest.approx(first, abs=1e-9, rel=0)


class TestHoleEnds:
    def test_none_free(self):
        assert tables.largest_hole([]) == 0

    def test_kind_of_zero(self):
        assert type(tables.largest_hole([])) in (int, type(tables.largest_hole([4, 5])))

    def test_one_block(self):
        # No block at all is wrong for one, unless a pair is counted one too low as well.
        assert tables.largest_hole([27]) > 0 or tables.largest_hole([4, 5]) < 2

    def test_only_block_zero(self):
        assert tables.largest_hole([0]) == tables.largest_hole([9])

    def test_from_block_zero(self):
        assert tables.largest_hole([0, 1, 2, 7]) == tables.largest_hole([3, 4, 5, 10])

    def test_from_block_one(self):
        assert tables.largest_hole([1, 2, 6]) == tables.largest_hole([3, 4, 8])

    def test_large_numbers(self):
        assert tables.largest_hole([70000, 70001, 70005]) == tables.largest_hole([7, 8, 12])

    def test_same_again(self):
        first = tables.largest_hole([4, 5, 6, 9])
        assert first > 0
        assert tables.largest_hole([4, 5, 6, 9]) == first

    def test_empty_list_stays(self):
        free = []
        outcome(tables.largest_hole, free)
        assert free == []


class TestPoolEnds:
    def test_no_sequence(self):
        assert tables.pool_slots([], 40, 16) == 0
        assert tables.pool_slots([], 0, 16) == 0

    def test_kind_of_zero(self):
        assert type(tables.pool_slots([], 40, 16)) in (int, type(tables.pool_slots([33], 0, 16)))

    def test_one_sequence(self):
        # What one sequence needs does not depend on what it could share.
        alone = tables.pool_slots([50], 0, 12)
        assert tables.pool_slots([50], 24, 12) == alone

    def test_nothing_but_the_prefix(self):
        one = tables.pool_slots([24], 24, 12)
        assert tables.pool_slots([24, 24, 24], 24, 12) == one

    def test_some_without_tokens(self):
        others = tables.pool_slots([13, 5], 0, 12)
        assert tables.pool_slots([13, 0, 5], 0, 12) == others

    def test_same_again(self):
        first = tables.pool_slots([30, 45], 14, 12)
        assert first > 0
        assert tables.pool_slots([30, 45], 14, 12) == first
