"""Numbers marked "Paddle" were printed by Paddle 3.3.1 on a CPU, seed 2023."""

from __future__ import annotations

import numpy as np
import pytest

from proa.core import Mersenne


def test_the_ten_thousandth_word_is_the_one_the_cpp_standard_names():
    # C++ [rand.predef]: of a default-constructed mt19937_64, whose seed is 5489.
    assert int(Mersenne(5489, spread=False).words(10_000)[-1]) == 9981545732273789042


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        (lambda m: m.unit((3,)), [0.86583614, 0.52014720, 0.25960937]),
        (lambda m: m.unit((2,), np.float64), [0.8658361476971708, 0.5201472082270565]),
        (lambda m: m.normal((4,)), [0.06132207, 1.11349595, 0.41906244, -0.24858207]),
        (lambda m: m.normal((2,), np.float64), [0.06132208266916202, 1.1134959364904142]),
        (lambda m: m.integers(0, 10, (9,)), [8, 5, 2, 9, 4, 4, 9, 7, 5]),
        (lambda m: m.integers(-5, 2**30, (2,)), [929684483, 558503809]),
        (lambda m: m.integers(0, 2**40, (1,)), [int(0.8658361476971708 * 2**40)]),
        (lambda m: m.permutation(20)[:8], [0, 5, 15, 8, 10, 11, 6, 3]),
    ],
)
def test_draws_are_paddles(drawn, expected):
    np.testing.assert_allclose(drawn(Mersenne(2023)), expected, rtol=1e-6)


def test_an_odd_count_of_normal_numbers_uses_up_its_last_pair():
    stream = Mersenne(2023)
    stream.normal((7,))
    np.testing.assert_allclose(stream.normal((2,)), [1.66359663, -0.55764782], rtol=1e-6)


def test_a_shuffle_draws_once_for_two_swaps():
    stream = Mersenne(2023)
    stream.permutation(20)
    assert stream.unit((1,))[0] == pytest.approx(0.97786582, rel=1e-6)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 50])
def test_permutations_hold_each_number_once(count):
    assert sorted(Mersenne(1).permutation(count).tolist()) == list(range(count))


def test_many_words_at_once_are_the_same_as_few_at_a_time():
    whole, parts = Mersenne(3), Mersenne(3)
    at_once = whole.words(330_000)
    in_parts = np.concatenate([parts.words(30_000) for _ in range(11)])
    np.testing.assert_array_equal(at_once, in_parts)
    np.testing.assert_array_equal(whole.words(5), parts.words(5))


@pytest.mark.parametrize("used", [0, 1, 311, 312, 700])
def test_a_position_can_be_returned_to(used):
    stream = Mersenne(9)
    stream.words(used)
    state, following = stream.get_state(), stream.words(400)
    other = Mersenne(0)
    other.set_state(state)
    np.testing.assert_array_equal(other.words(400), following)


def test_small_bounds_are_drawn_evenly():
    counts = np.bincount([Mersenne(seed).below(3) for seed in range(300)], minlength=3)
    assert counts.min() > 70
