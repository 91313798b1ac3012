"""The hidden tests of Part 2; they test nothing that the docstrings do not promise.

A criterion judges its own idea. Where the value is another criterion's question, replies are compared with
replies: a list with itself before the call, an answer with the answer to the same call. So that a constant
earns nothing there, at least two answers must be different numbers.
"""

from fractions import Fraction

import pytest
import reservation


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


class TestReservedAny:
    def test_no_sequence(self):
        assert reservation.reserved_slots(0, 100) == 0

    def test_small(self):
        assert reservation.reserved_slots(7, 13) == 91

    def test_one_slot_regions(self):
        assert reservation.reserved_slots(6, 1) == 6

    def test_large(self):
        assert reservation.reserved_slots(250, 2048) == 512000

    def test_same_again(self):
        assert reservation.reserved_slots(4, 30) == 120
        assert reservation.reserved_slots(4, 30) == 120

    def test_kind_of_zero(self):
        assert type(reservation.reserved_slots(0, 64)) in (int, type(reservation.reserved_slots(5, 64)))


class TestUsedGiven:
    def test_exactly_full(self):
        reservation.used_slots([100], 100)
        reservation.used_slots([64], 64)
        reservation.used_slots([1], 1)

    def test_no_limit(self):
        reservation.used_slots([150])
        reservation.used_slots([150, 3], None)

    def test_no_limit_long(self):
        reservation.used_slots([5000, 1, 3000])
        reservation.used_slots([7, 2000001])

    def test_limit_zero(self):
        assert self.refused([1]) or self.refused([300, 200])

    @staticmethod
    def refused(lengths):
        """Return True for any error, and for any other sign that takes the place of the tokens."""
        got = outcome(reservation.used_slots, list(lengths), 0)
        if isinstance(got, type):
            return True
        # Where all fit, the limit must make no difference: else this one tells nothing.
        fitting = outcome(reservation.used_slots, [3], 7) == outcome(reservation.used_slots, [3])
        return fitting and got != outcome(reservation.used_slots, list(lengths))

    def test_zero_is_a_limit(self):
        got = outcome(reservation.used_slots, [0], 0)
        assert not isinstance(got, type) or issubclass(got, ValueError)

    def test_no_sequence(self):
        without = outcome(reservation.used_slots, [])
        assert outcome(reservation.used_slots, [], 100) == without
        assert outcome(reservation.used_slots, [], 0) == without


class TestUsedReads:
    def test_list_is_left_alone(self):
        lengths = [35, 20, 10, 55]
        outcome(reservation.used_slots, lengths)
        assert lengths == [35, 20, 10, 55]

    def test_with_limit(self):
        lengths = [35, 20, 10, 56]
        outcome(reservation.used_slots, lengths, 64)
        assert lengths == [35, 20, 10, 56]

    def test_zeros_stay(self):
        lengths = [0, 12, 0, 7]
        outcome(reservation.used_slots, lengths, 64)
        assert lengths == [0, 12, 0, 7]

    def test_empty_list_stays(self):
        lengths = []
        outcome(reservation.used_slots, lengths)
        outcome(reservation.used_slots, lengths, 64)
        assert lengths == []

    def test_too_long_stays(self):
        lengths = [20, 70, 10]
        outcome(reservation.used_slots, lengths, 64)
        assert lengths == [20, 70, 10]

    def test_same_list_again(self):
        lengths = [8, 24]
        first = outcome(reservation.used_slots, lengths, 30)
        assert outcome(reservation.used_slots, lengths, 30) == first

    def test_same_again(self):
        first = outcome(reservation.used_slots, [12, 0, 5])
        assert outcome(reservation.used_slots, [12, 0, 5]) == first

    def test_numbers(self):
        answers = [outcome(reservation.used_slots, lengths) for lengths in ([6, 11, 9], [2])]
        answers += [outcome(reservation.used_slots, lengths, 64) for lengths in ([6, 11, 9], [2])]
        assert different_numbers(answers) > 1


class TestWasteEnds:
    def test_no_sequence(self):
        assert reservation.waste_fraction([], 100) == pytest.approx(0.0, abs=1e-9, rel=0)

    def test_all_full(self):
        assert reservation.waste_fraction([100, 100], 100) == pytest.approx(0.0, abs=1e-9, rel=0)

    def test_one_slot_full(self):
        assert reservation.waste_fraction([1, 1], 1) == pytest.approx(0.0, abs=1e-9, rel=0)

    def test_all_empty(self):
        # The whole, also where it is said in percent: that is another criterion's question.
        whole = reservation.waste_fraction([0], 1)
        assert whole > 0
        assert reservation.waste_fraction([0, 0, 0], 100) == pytest.approx(whole, abs=1e-9, rel=0)


class TestWasteReads:
    def test_list_is_left_alone(self):
        lengths = [30, 10, 20, 40]
        outcome(reservation.waste_fraction, lengths, 64)
        assert lengths == [30, 10, 20, 40]

    def test_zeros_stay(self):
        lengths = [0, 12, 0, 4]
        outcome(reservation.waste_fraction, lengths, 16)
        assert lengths == [0, 12, 0, 4]

    def test_empty_list_stays(self):
        lengths = []
        outcome(reservation.waste_fraction, lengths, 64)
        assert lengths == []

    def test_too_long_stays(self):
        lengths = [20, 70, 10]
        outcome(reservation.waste_fraction, lengths, 64)
        assert lengths == [20, 70, 10]

    def test_same_list_again(self):
        lengths = [3, 5, 7]
        first = outcome(reservation.waste_fraction, lengths, 16)
        assert outcome(reservation.waste_fraction, lengths, 16) == first

    def test_same_again(self):
        first = outcome(reservation.waste_fraction, [1, 4], 20)
        assert outcome(reservation.waste_fraction, [1, 4], 20) == first

    def test_numbers(self):
        answers = [outcome(reservation.waste_fraction, lengths, 12) for lengths in ([3, 9], [0], [3])]
        assert different_numbers(answers) > 1


class TestExtraIdle:
    def test_nothing_running(self):
        assert reservation.extra_reservations(400, 100, 0) == 4

    def test_less_than_a_region(self):
        # As many as with one running in a pool that is one region larger.
        assert reservation.extra_reservations(50, 100, 0) == reservation.extra_reservations(150, 100, 1)

    def test_one_region(self):
        assert reservation.extra_reservations(64, 64, 0) == 1

    def test_one_slot_regions(self):
        assert reservation.extra_reservations(9, 1, 4) == 5

    def test_some_running(self):
        assert reservation.extra_reservations(1024, 128, 2) == 6
        assert reservation.extra_reservations(100000, 100, 250) == 750

    def test_one_changes(self):
        assert reservation.extra_reservations(700, 100, 2) == 5
        assert reservation.extra_reservations(900, 100, 2) == 7
        assert reservation.extra_reservations(700, 100, 5) == 2

    def test_same_again(self):
        assert reservation.extra_reservations(90, 15, 0) == 6
        assert reservation.extra_reservations(90, 15, 0) == 6


class TestExtraFull:
    def test_exactly_full(self):
        assert reservation.extra_reservations(300, 100, 3) == 0

    def test_one_slot_missing(self):
        assert reservation.extra_reservations(23, 8, 3) == 0

    def test_one_slot_pool(self):
        assert reservation.extra_reservations(1, 1, 8) == 0

    def test_too_small(self):
        assert reservation.extra_reservations(200, 100, 3) == 0

    def test_far_too_small(self):
        assert reservation.extra_reservations(50, 100, 7) == 0

    def test_empty_pool(self):
        assert reservation.extra_reservations(0, 100, 0) == 0

    def test_kind_of_zero(self):
        full = reservation.extra_reservations(128, 64, 2)
        assert type(full) in (int, type(reservation.extra_reservations(640, 64, 2)))

    def test_one_left(self):
        assert reservation.extra_reservations(960, 64, 14) > 0


class TestPagedNone:
    def test_exactly_full(self):
        assert reservation.paged_slots([32], 16) == 32

    def test_no_token(self):
        assert reservation.paged_slots([0], 16) == 0

    def test_no_sequence(self):
        assert reservation.paged_slots([], 16) == 0

    def test_kind_of_zero(self):
        assert type(reservation.paged_slots([], 16)) in (int, type(reservation.paged_slots([33], 16)))

    def test_some_without_tokens(self):
        assert reservation.paged_slots([48, 0], 16) == 48

    def test_one_slot_blocks(self):
        assert reservation.paged_slots([3], 1) == 3

    def test_large_blocks(self):
        assert reservation.paged_slots([256], 256) == 256

    def test_same_again(self):
        assert reservation.paged_slots([80], 16) == 80
        assert reservation.paged_slots([80], 16) == 80
