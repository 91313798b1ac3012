"""The hidden tests of Part 2; they test nothing that the docstrings do not promise."""

import pytest
import reservation


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

    def test_zero_is_an_int(self):
        assert type(reservation.reserved_slots(0, 64)) is int


class TestUsedGiven:
    def test_exactly_full(self):
        assert reservation.used_slots([100], 100) == 100

    def test_some_exactly_full(self):
        assert reservation.used_slots([64, 3, 64], 64) == 131

    def test_no_limit(self):
        assert reservation.used_slots([150]) == 150
        assert reservation.used_slots([150, 3], None) == 153

    def test_no_limit_long(self):
        assert reservation.used_slots([5000, 1, 3000]) == 8001
        assert reservation.used_slots([7, 1000000001]) == 1000000008

    def test_limit_zero(self):
        with pytest.raises(ValueError):
            reservation.used_slots([0, 1], 0)

    def test_limit_zero_empty(self):
        assert reservation.used_slots([0, 0], 0) == 0

    def test_limit_zero_nobody(self):
        assert reservation.used_slots([], 0) == 0

    def test_one_over_limit(self):
        with pytest.raises(ValueError):
            reservation.used_slots([64, 65, 2], 64)

    def test_no_sequence(self):
        assert reservation.used_slots([], 100) == 0


class TestUsedReads:
    def test_list_is_left_alone(self):
        lengths = [35, 20, 10, 55]
        assert reservation.used_slots(lengths) == 120
        assert lengths == [35, 20, 10, 55]

    def test_with_limit(self):
        lengths = [35, 20, 10, 56]
        assert reservation.used_slots(lengths, 64) == 121
        assert lengths == [35, 20, 10, 56]

    def test_zeros_stay(self):
        lengths = [0, 12, 0, 7]
        assert reservation.used_slots(lengths, 64) == 19
        assert lengths == [0, 12, 0, 7]
        lengths = []
        assert reservation.used_slots(lengths) == 0
        assert reservation.used_slots(lengths, 64) == 0
        assert lengths == []

    def test_too_long_stays(self):
        lengths = [20, 70, 10]
        try:
            reservation.used_slots(lengths, 64)
        except NotImplementedError:
            raise
        except Exception:  # noqa: BLE001, S110 - which error it is, is another criterion's question
            pass
        assert lengths == [20, 70, 10]

    def test_same_list_again(self):
        lengths = [8, 24]
        assert reservation.used_slots(lengths, 30) == 32
        assert reservation.used_slots(lengths, 30) == 32

    def test_same_again(self):
        assert reservation.used_slots([12, 0, 5]) == 17
        assert reservation.used_slots([12, 0, 5]) == 17


class TestWasteEnds:
    def test_no_sequence(self):
        assert reservation.waste_fraction([], 100) == pytest.approx(0.0, abs=1e-9, rel=0)

    def test_all_full(self):
        assert reservation.waste_fraction([100, 100], 100) == pytest.approx(0.0, abs=1e-9, rel=0)

    def test_all_empty(self):
        assert reservation.waste_fraction([0, 0, 0], 100) == pytest.approx(1.0, abs=1e-9, rel=0)

    def test_one_slot(self):
        assert reservation.waste_fraction([0], 1) == pytest.approx(1.0, abs=1e-9, rel=0)
        assert reservation.waste_fraction([1, 0, 1, 1], 1) == pytest.approx(0.25, abs=1e-9, rel=0)

    def test_one_full_one_empty(self):
        assert reservation.waste_fraction([64, 0], 64) == pytest.approx(0.5, abs=1e-9, rel=0)

    def test_nearly_full(self):
        assert reservation.waste_fraction([1000, 999, 1000, 1000], 1000) == pytest.approx(
            0.00025, abs=1e-9, rel=0
        )


class TestWasteReads:
    def test_list_is_left_alone(self):
        lengths = [30, 10, 20, 40]
        assert reservation.waste_fraction(lengths, 64) == pytest.approx(0.609375, abs=1e-9, rel=0)
        assert lengths == [30, 10, 20, 40]

    def test_zeros_stay(self):
        lengths = [0, 12, 0, 4]
        assert reservation.waste_fraction(lengths, 16) == pytest.approx(0.75, abs=1e-9, rel=0)
        assert lengths == [0, 12, 0, 4]
        lengths = []
        assert reservation.waste_fraction(lengths, 64) == pytest.approx(0.0, abs=1e-9, rel=0)
        assert lengths == []

    def test_too_long_stays(self):
        lengths = [20, 70, 10]
        try:
            reservation.waste_fraction(lengths, 64)
        except NotImplementedError:
            raise
        except Exception:  # noqa: BLE001, S110 - which error it is, is another criterion's question
            pass
        assert lengths == [20, 70, 10]

    def test_same_list_again(self):
        lengths = [3, 5, 7]
        assert reservation.waste_fraction(lengths, 16) == pytest.approx(0.6875, abs=1e-9, rel=0)
        assert reservation.waste_fraction(lengths, 16) == pytest.approx(0.6875, abs=1e-9, rel=0)

    def test_same_again(self):
        assert reservation.waste_fraction([1, 4], 20) == pytest.approx(0.875, abs=1e-9, rel=0)
        assert reservation.waste_fraction([1, 4], 20) == pytest.approx(0.875, abs=1e-9, rel=0)
        assert reservation.waste_fraction([1, 4], 10) == pytest.approx(0.75, abs=1e-9, rel=0)


class TestExtraIdle:
    def test_nothing_running(self):
        assert reservation.extra_reservations(400, 100, 0) == 4

    def test_left_over_slots(self):
        assert reservation.extra_reservations(999, 100, 0) == 9

    def test_one_region(self):
        assert reservation.extra_reservations(64, 64, 0) == 1

    def test_one_slot_regions(self):
        assert reservation.extra_reservations(9, 1, 4) == 5

    def test_some_running(self):
        assert reservation.extra_reservations(1000, 128, 2) == 5
        assert reservation.extra_reservations(100000, 100, 250) == 750

    def test_one_changes(self):
        assert reservation.extra_reservations(600, 100, 2) == 4
        assert reservation.extra_reservations(900, 100, 2) == 7
        assert reservation.extra_reservations(600, 50, 2) == 10
        assert reservation.extra_reservations(600, 100, 5) == 1

    def test_same_again(self):
        assert reservation.extra_reservations(90, 15, 0) == 6
        assert reservation.extra_reservations(90, 15, 0) == 6


class TestExtraFull:
    def test_exactly_full(self):
        assert reservation.extra_reservations(300, 100, 3) == 0

    def test_one_slot_short(self):
        assert reservation.extra_reservations(399, 100, 3) == 0

    def test_one_slot_missing(self):
        assert reservation.extra_reservations(23, 8, 3) == 0

    def test_one_slot_pool(self):
        assert reservation.extra_reservations(1, 1, 8) == 0

    def test_too_small(self):
        assert reservation.extra_reservations(200, 100, 3) == 0
        assert reservation.extra_reservations(50, 100, 0) == 0

    def test_far_too_small(self):
        assert reservation.extra_reservations(50, 100, 7) == 0

    def test_empty_pool(self):
        assert reservation.extra_reservations(0, 100, 0) == 0

    def test_one_left(self):
        assert reservation.extra_reservations(960, 64, 14) == 1

    def test_zero_is_an_int(self):
        assert type(reservation.extra_reservations(250, 100, 3)) is int


class TestPagedNone:
    def test_exactly_full(self):
        assert reservation.paged_slots([32], 16) == 32

    def test_all_exactly_full(self):
        assert reservation.paged_slots([24, 36], 12) == 60

    def test_no_token(self):
        assert reservation.paged_slots([0], 16) == 0

    def test_no_sequence(self):
        assert reservation.paged_slots([], 16) == 0

    def test_zero_is_an_int(self):
        assert type(reservation.paged_slots([], 16)) is int
        assert type(reservation.paged_slots([0], 16)) is int

    def test_mixed(self):
        assert reservation.paged_slots([0, 33, 48, 0], 16) == 96

    def test_one_slot_blocks(self):
        assert reservation.paged_slots([3, 0, 4], 1) == 7

    def test_large_blocks(self):
        assert reservation.paged_slots([5, 100, 256], 256) == 768

    def test_same_again(self):
        assert reservation.paged_slots([20, 5], 5) == 25
        assert reservation.paged_slots([20, 5], 5) == 25
