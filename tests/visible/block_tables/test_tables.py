"""The visible tests of Part 2: run them as often as you like.

Where the value is another idea's question, an answer is compared with the answer to a call that must give the
same.
"""

import pytest
import tables


class TestFollowsTable:
    def test_second_block(self):
        assert tables.physical_slot([1, 7], 20, 16) == 116

    def test_first_block(self):
        assert tables.physical_slot([7, 1], 5, 16) == 117

    def test_third_block(self):
        assert tables.physical_slot([3, 18, 12], 35, 16) == 195

    def test_other_block_size(self):
        assert tables.physical_slot([9, 4], 10, 8) == 34

    def test_not_a_power_of_two(self):
        assert tables.physical_slot([5, 2, 8, 3], 26, 10) == 86

    def test_many_blocks(self):
        assert tables.physical_slot([30, 11, 4, 25, 17, 2, 19, 8], 55, 8) == 159

    def test_two_tables(self):
        assert tables.physical_slot([6, 2], 9, 8) == 17
        assert tables.physical_slot([6, 3], 9, 8) == 25

    def test_is_an_int(self):
        answer = tables.physical_slot([1, 7], 20, 16)
        assert type(answer) is int, "a number of a slot is an int, such as 116"


class TestPastTable:
    # Inside the table, the call need only not raise: what it returns is another criterion's question.
    def test_last_slot(self):
        tables.physical_slot([7, 1], 31, 16)
        tables.physical_slot([40], 7, 8)

    def test_one_past_the_last_slot(self):
        with pytest.raises(IndexError):
            tables.physical_slot([7, 1], 32, 16)

    def test_one_past_a_single_block(self):
        with pytest.raises(IndexError):
            tables.physical_slot([40], 8, 8)

    def test_other_block_size(self):
        tables.physical_slot([4, 6, 2], 14, 5)
        with pytest.raises(IndexError):
            tables.physical_slot([4, 6, 2], 15, 5)

    def test_far_past(self):
        with pytest.raises(IndexError):
            tables.physical_slot([3, 18, 12], 500, 16)

    def test_empty_table(self):
        with pytest.raises(IndexError):
            tables.physical_slot([], 0, 12)

    def test_two_tables(self):
        tables.physical_slot([5, 9], 12, 8)
        with pytest.raises(IndexError):
            tables.physical_slot([5], 12, 8)


class TestInLast:
    def test_one_token_in_the_last_block(self):
        assert tables.can_append(33, 16, 0) == True

    def test_one_slot_left(self):
        assert tables.can_append(31, 16, 0) == True

    def test_first_block(self):
        assert tables.can_append(5, 8, 0) == True

    def test_half_a_block(self):
        assert tables.can_append(72, 16, 0) == True

    def test_not_a_power_of_two(self):
        assert tables.can_append(30, 12, 0) == True

    def test_free_blocks_too(self):
        assert tables.can_append(33, 16, 2) == True

    def test_full_is_another_case(self):
        partly_filled = tables.can_append(40, 16, 0)
        try:
            full = tables.can_append(48, 16, 0)
        except NotImplementedError:
            raise
        except Exception:  # noqa: BLE001 - what it does without room is another criterion's question
            full = None
        assert full != partly_filled


class TestNewBlock:
    def test_full_and_none_free(self):
        assert tables.can_append(32, 16, 0) == False

    def test_full_and_one_free(self):
        assert tables.can_append(32, 16, 1) == True

    def test_full_and_several_free(self):
        assert tables.can_append(48, 16, 5) == True

    def test_one_full_block(self):
        assert tables.can_append(8, 8, 0) == False
        assert tables.can_append(8, 8, 1) == True

    def test_not_a_power_of_two(self):
        assert tables.can_append(36, 12, 0) == False
        assert tables.can_append(36, 12, 1) == True

    def test_is_a_bool(self):
        answer = tables.can_append(32, 16, 1)
        assert type(answer) is bool, "the answer is True or False"
        answer = tables.can_append(32, 16, 0)
        assert type(answer) is bool, "the answer is True or False"
        answer = tables.can_append(33, 16, 2)
        assert type(answer) is bool, "the answer is True or False"


class TestSlackShare:
    def test_lesson(self):
        assert tables.slack_share([33], 16) == pytest.approx(0.3125, abs=1e-9, rel=0)

    def test_not_a_power_of_two(self):
        assert tables.slack_share([10], 12) == pytest.approx(0.16666666666666666, abs=1e-9, rel=0)

    def test_two_sequences(self):
        assert tables.slack_share([21, 13], 8) == pytest.approx(0.15, abs=1e-9, rel=0)

    def test_three_sequences(self):
        assert tables.slack_share([45, 30, 10], 16) == pytest.approx(0.11458333333333333, abs=1e-9, rel=0)

    def test_one_token(self):
        assert tables.slack_share([1], 256) == pytest.approx(0.99609375, abs=1e-9, rel=0)

    def test_nearly_full(self):
        assert tables.slack_share([4999, 4998], 10) == pytest.approx(0.0003, abs=1e-9, rel=0)


class TestSlackEach:
    def test_short_sequences(self):
        # Four times the same is no other share than once.
        once = tables.slack_share([1], 10)
        assert tables.slack_share([1, 1, 1, 1], 10) == pytest.approx(once, abs=1e-9, rel=0)

    def test_short_and_long(self):
        # 160 tokens in 176 slots, in eleven blocks or in one.
        one = tables.slack_share([160], 176)
        assert tables.slack_share([1, 159], 16) == pytest.approx(one, abs=1e-9, rel=0)

    def test_many_sequences(self):
        # 94 tokens in 120 slots, in twelve blocks or in one.
        one = tables.slack_share([94], 120)
        lengths = [1, 19, 12, 8, 18, 18, 18]
        assert tables.slack_share(lengths, 10) == pytest.approx(one, abs=1e-9, rel=0)

    def test_other_lengths(self):
        more = tables.slack_share([3, 5], 8)
        assert tables.slack_share([7, 5], 8) != more

    def test_list_is_left_alone(self):
        lengths = [35, 20, 10]
        tables.slack_share(lengths, 16)
        assert lengths == [35, 20, 10]

    def test_zeros_stay(self):
        lengths = [0, 33, 0]
        tables.slack_share(lengths, 16)
        assert lengths == [0, 33, 0]


class TestSideBySide:
    def test_last_run(self):
        assert tables.largest_hole([1, 4, 5, 20, 21, 22, 23]) == 4

    def test_middle_run(self):
        assert tables.largest_hole([2, 3, 5, 6, 7, 11]) == 3

    def test_first_run(self):
        assert tables.largest_hole([3, 4, 5, 8, 9, 12]) == 3

    def test_no_neighbours(self):
        assert tables.largest_hole([1, 3, 5, 7, 9]) == 1

    def test_one_run(self):
        assert tables.largest_hole([6, 7, 8, 9, 10]) == 5

    def test_two_equal_runs(self):
        assert tables.largest_hole([14, 15, 40, 41]) == 2

    def test_is_an_int(self):
        answer = tables.largest_hole([2, 3, 5, 6, 7, 11])
        assert type(answer) is int, "a count is an int, such as 3"


class TestAnyOrder:
    # The order of the list must make no difference, whatever the answer is.
    def test_mixed(self):
        in_order = tables.largest_hole([3, 4, 5, 10, 11, 12, 13])
        assert tables.largest_hole([12, 5, 11, 3, 10, 4, 13]) == in_order

    def test_backwards(self):
        in_order = tables.largest_hole([5, 6, 7, 8])
        assert tables.largest_hole([8, 7, 6, 5]) == in_order

    def test_neighbours_far_apart(self):
        in_order = tables.largest_hole([1, 2, 30, 31, 32])
        assert tables.largest_hole([30, 1, 32, 2, 31]) == in_order

    def test_other_blocks(self):
        apart = tables.largest_hole([12, 3])
        assert tables.largest_hole([9, 8, 7]) != apart

    def test_list_is_left_alone(self):
        free = [12, 5, 11, 3]
        tables.largest_hole(free)
        assert free == [12, 5, 11, 3]


class TestOnce:
    def test_two_sequences(self):
        assert tables.pool_slots([40, 50], 20, 16) == 96

    def test_two_shared_blocks(self):
        assert tables.pool_slots([40, 50], 32, 16) == 80

    def test_four_sequences(self):
        assert tables.pool_slots([30, 30, 30, 30], 24, 8) == 56

    def test_three_lengths(self):
        assert tables.pool_slots([26, 55, 31], 21, 10) == 90

    def test_one_slot_blocks(self):
        assert tables.pool_slots([9, 6], 5, 1) == 10

    def test_nothing_in_common(self):
        assert tables.pool_slots([13, 5], 0, 12) == 36

    def test_is_an_int(self):
        answer = tables.pool_slots([40, 50], 20, 16)
        assert type(answer) is int, "a count is an int, such as 96"


class TestPartial:
    # A prefix shares as many blocks as it fills: what lies beyond its last full block makes no difference.
    def test_less_than_a_block(self):
        none = tables.pool_slots([14, 15, 12], 0, 16)
        assert tables.pool_slots([14, 15, 12], 10, 16) == none

    def test_more_than_a_block(self):
        full = tables.pool_slots([40, 50], 16, 16)
        assert tables.pool_slots([40, 50], 20, 16) == full

    def test_one_token_missing(self):
        full = tables.pool_slots([30, 30, 30], 16, 8)
        assert tables.pool_slots([30, 30, 30], 23, 8) == full

    def test_whole_sequences(self):
        none = tables.pool_slots([6, 6, 6], 0, 8)
        assert tables.pool_slots([6, 6, 6], 6, 8) == none

    def test_other_lengths(self):
        short = tables.pool_slots([14, 15], 10, 16)
        assert tables.pool_slots([40, 50], 10, 16) != short

    def test_list_is_left_alone(self):
        lengths = [35, 20, 12]
        tables.pool_slots(lengths, 10, 16)
        assert lengths == [35, 20, 12]
        tables.pool_slots(lengths, 10, 4)
        assert lengths == [35, 20, 12]


if __name__ == "__main__":
    raise SystemExit("Run the tests with pytest: python3 -m pytest (Windows: py -m pytest) in this folder.")
