"""The visible tests of Part 2: run them as often as you like."""

import pytest
import reservation


class TestReserved:
    def test_lesson(self):
        assert reservation.reserved_slots(3, 100) == 300

    def test_other_numbers(self):
        assert reservation.reserved_slots(5, 64) == 320

    def test_one_sequence(self):
        assert reservation.reserved_slots(1, 100) == 100

    def test_two_sizes(self):
        assert reservation.reserved_slots(4, 100) == 400
        assert reservation.reserved_slots(4, 32) == 128

    def test_more_than_the_pool(self):
        assert reservation.reserved_slots(5, 100) == 500

    def test_is_an_int(self):
        answer = reservation.reserved_slots(2, 100)
        assert type(answer) is int, "a count is an int, such as 200"
        answer = reservation.reserved_slots(3, 100)
        assert type(answer) is int, "a count is an int, such as 300"


class TestUsedSum:
    def test_lesson(self):
        assert reservation.used_slots([20, 35, 10]) == 65

    def test_lesson_with_limit(self):
        assert reservation.used_slots([20, 35, 10], 100) == 65

    def test_one_sequence(self):
        assert reservation.used_slots([7]) == 7

    def test_equal_lengths(self):
        assert reservation.used_slots([40, 40, 5]) == 85

    def test_four_sequences(self):
        assert reservation.used_slots([8, 1, 40, 6]) == 55

    def test_twelve_sequences(self):
        assert reservation.used_slots([5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 6]) == 61

    def test_no_sequence(self):
        assert reservation.used_slots([]) == 0

    def test_is_an_int(self):
        answer = reservation.used_slots([20, 35, 10])
        assert type(answer) is int, "a count is an int, such as 65"
        answer = reservation.used_slots([20, 35, 10], 100)
        assert type(answer) is int, "a count is an int, such as 65"
        answer = reservation.used_slots([])
        assert type(answer) is int, "a count is an int, such as 0"


class TestUsedLimit:
    # Where all fit, the call need only not raise: what it returns is another criterion's question.
    def test_all_fit(self):
        reservation.used_slots([60, 70, 99], 100)

    def test_one_too_long(self):
        with pytest.raises(ValueError):
            reservation.used_slots([101], 100)

    def test_first_too_long(self):
        with pytest.raises(ValueError):
            reservation.used_slots([120, 35, 10], 100)

    def test_middle_too_long(self):
        with pytest.raises(ValueError):
            reservation.used_slots([20, 135, 10], 100)

    def test_last_too_long(self):
        with pytest.raises(ValueError):
            reservation.used_slots([20, 35, 110], 100)

    def test_fifth_too_long(self):
        with pytest.raises(ValueError):
            reservation.used_slots([20, 35, 10, 40, 115, 5], 100)

    def test_two_too_long(self):
        with pytest.raises(ValueError):
            reservation.used_slots([130, 130], 100)

    def test_far_too_long(self):
        with pytest.raises(ValueError):
            reservation.used_slots([20, 250], 100)

    def test_one_token_too_many(self):
        with pytest.raises(ValueError):
            reservation.used_slots([5, 2049, 7], 2048)

    def test_two_limits(self):
        reservation.used_slots([70, 20], 100)
        with pytest.raises(ValueError):
            reservation.used_slots([70, 20], 60)


class TestWasteShare:
    def test_half_empty(self):
        assert reservation.waste_fraction([50], 100) == pytest.approx(0.5, abs=1e-9, rel=0)

    def test_quarter_empty(self):
        assert reservation.waste_fraction([70, 80], 100) == pytest.approx(0.25, abs=1e-9, rel=0)

    def test_lesson(self):
        assert reservation.waste_fraction([20, 35, 10], 100) == pytest.approx(
            0.7833333333333333, abs=1e-9, rel=0
        )

    def test_equal_lengths(self):
        assert reservation.waste_fraction([8, 8], 20) == pytest.approx(0.6, abs=1e-9, rel=0)

    def test_four_sequences(self):
        assert reservation.waste_fraction([10, 20, 30, 60], 100) == pytest.approx(0.7, abs=1e-9, rel=0)

    def test_one_is_empty(self):
        assert reservation.waste_fraction([32, 0], 64) == pytest.approx(0.75, abs=1e-9, rel=0)

    def test_nearly_full(self):
        assert reservation.waste_fraction([999, 998], 1000) == pytest.approx(0.0015, abs=1e-9, rel=0)

    def test_two_sizes(self):
        assert reservation.waste_fraction([8, 12], 32) == pytest.approx(0.6875, abs=1e-9, rel=0)
        assert reservation.waste_fraction([8, 12], 16) == pytest.approx(0.375, abs=1e-9, rel=0)


class TestWasteLimit:
    # Where all fit, the call need only not raise: what it returns is another criterion's question.
    def test_all_fit(self):
        reservation.waste_fraction([90, 10, 80], 100)

    def test_one_too_long(self):
        with pytest.raises(ValueError):
            reservation.waste_fraction([101], 100)

    def test_first_too_long(self):
        with pytest.raises(ValueError):
            reservation.waste_fraction([120, 35, 10], 100)

    def test_middle_too_long(self):
        with pytest.raises(ValueError):
            reservation.waste_fraction([20, 135, 10], 100)

    def test_last_too_long(self):
        with pytest.raises(ValueError):
            reservation.waste_fraction([20, 35, 110], 100)

    def test_fifth_too_long(self):
        with pytest.raises(ValueError):
            reservation.waste_fraction([20, 35, 10, 40, 115, 5], 100)

    def test_two_too_long(self):
        with pytest.raises(ValueError):
            reservation.waste_fraction([130, 130], 100)

    def test_other_regions(self):
        with pytest.raises(ValueError):
            reservation.waste_fraction([64, 65, 3], 64)
        with pytest.raises(ValueError):
            reservation.waste_fraction([1000, 1001, 3], 1000)

    def test_far_too_long(self):
        with pytest.raises(ValueError):
            reservation.waste_fraction([20, 250], 100)

    def test_one_token_too_many(self):
        with pytest.raises(ValueError):
            reservation.waste_fraction([5, 2049, 7], 2048)

    def test_two_regions(self):
        reservation.waste_fraction([70, 20], 100)
        with pytest.raises(ValueError):
            reservation.waste_fraction([70, 20], 60)


class TestExtraWhole:
    def test_lesson(self):
        assert reservation.extra_reservations(400, 100, 3) == 1

    def test_several_fit(self):
        assert reservation.extra_reservations(700, 100, 3) == 4

    def test_left_over_slots(self):
        assert reservation.extra_reservations(420, 100, 3) == 1

    def test_one_running(self):
        assert reservation.extra_reservations(500, 64, 1) == 6

    def test_almost_two(self):
        assert reservation.extra_reservations(496, 100, 3) == 1

    def test_almost_four(self):
        assert reservation.extra_reservations(10239, 2048, 1) == 3

    def test_two_sizes(self):
        assert reservation.extra_reservations(600, 100, 2) == 4
        assert reservation.extra_reservations(600, 50, 2) == 10

    def test_many_fit(self):
        assert reservation.extra_reservations(5010, 1, 10) == 5000

    def test_is_an_int(self):
        answer = reservation.extra_reservations(400, 100, 3)
        assert type(answer) is int, "a count is an int, such as 1"
        answer = reservation.extra_reservations(420, 100, 3)
        assert type(answer) is int, "a count is an int, such as 1"


class TestPagedUp:
    def test_lesson(self):
        assert reservation.paged_slots([33], 16) == 48

    def test_one_token(self):
        assert reservation.paged_slots([1], 16) == 16

    def test_one_slot_left(self):
        assert reservation.paged_slots([31], 16) == 32

    def test_half_a_block(self):
        assert reservation.paged_slots([8], 16) == 16

    def test_other_block_size(self):
        assert reservation.paged_slots([33], 8) == 40

    def test_not_a_power_of_two(self):
        assert reservation.paged_slots([10], 12) == 12

    def test_large_blocks(self):
        assert reservation.paged_slots([1], 256) == 256
        assert reservation.paged_slots([1], 65536) == 65536

    def test_one_more_than_a_block(self):
        assert reservation.paged_slots([2049], 2048) == 4096

    def test_many_blocks(self):
        assert reservation.paged_slots([50001], 16) == 50016

    def test_is_an_int(self):
        answer = reservation.paged_slots([33], 16)
        assert type(answer) is int, "a count is an int, such as 48"
        answer = reservation.paged_slots([64], 16)
        assert type(answer) is int, "a count is an int, such as 64"


class TestPagedEach:
    def test_three_sequences(self):
        assert reservation.paged_slots([20, 35, 10], 16) == 96

    def test_equal_lengths(self):
        assert reservation.paged_slots([33, 33], 16) == 96

    def test_short_sequences(self):
        assert reservation.paged_slots([1, 1, 1, 1], 16) == 64

    def test_twelve_sequences(self):
        assert reservation.paged_slots([5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 20], 16) == 208

    def test_list_is_left_alone(self):
        lengths = [35, 20, 10]
        assert reservation.paged_slots(lengths, 16) == 96
        assert lengths == [35, 20, 10]

    def test_zeros_stay(self):
        lengths = [0, 33, 0]
        reservation.paged_slots(lengths, 16)
        assert lengths == [0, 33, 0]

    def test_empty_list_stays(self):
        lengths = []
        try:
            reservation.paged_slots(lengths, 16)
        except NotImplementedError:
            raise
        except Exception:  # noqa: BLE001, S110 - what it does without sequences is another criterion's question
            pass
        assert lengths == []


def load_tests(*_):
    """Say how to run the tests to whoever runs them with unittest, or this file as a program."""
    raise SystemExit("Run the tests in this folder with: python3 kit (on Windows: py kit)")


if __name__ == "__main__":
    load_tests()
