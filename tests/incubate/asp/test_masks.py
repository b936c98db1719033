from __future__ import annotations

import itertools

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from proa.incubate import asp
from proa.incubate.asp import CheckMethod, MaskAlgo

random = np.random.default_rng(3)


def test_density():
    assert asp.calculate_density(np.array([[0, 1, 3, 0], [1, 1, 0, 1]])) == 0.625
    assert asp.calculate_density(proa.zeros([2])) == asp.calculate_density([]) == 0.0


# Masks of Paddle 3.3.1.
@pytest.mark.parametrize(
    ("n", "m", "mask"),
    [
        (1, 4, [0, 1, 1, 1, 0, 1, 1, 1]),
        (2, 4, [0, 0, 1, 1, 0, 0, 1, 1]),
        (3, 4, [0, 0, 0, 1, 0, 0, 0, 1]),
        (1, 2, [0, 1, 0, 1, 0, 1, 0, 1]),
        (0, 4, [1] * 8),
    ],
)
def test_the_smallest_become_zero(n, m, mask):
    row = np.arange(1.0, 9.0)
    assert asp.create_mask(row, n=n, m=m).tolist() == mask
    assert asp.create_mask(-row[None], n=n, m=m).tolist() == [mask]


def test_blocks():
    block = np.arange(16.0).reshape(4, 4)
    rows = [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]
    assert asp.get_mask_2d_greedy(block, 2, 4).tolist() == rows
    values = random.standard_normal((4, 4))
    found = asp.get_mask_2d_best(values, 2, 4)
    kept = (np.abs(values) * found).sum()
    for columns in itertools.product(itertools.combinations(range(4), 2), repeat=4):
        other = np.zeros((4, 4))
        for row, chosen in enumerate(columns):
            other[row, list(chosen)] = 1
        if (other.sum(0) == 2).all():
            assert (np.abs(values) * other).sum() <= kept + 1e-12


@pytest.mark.parametrize("algorithm", list(MaskAlgo))
@pytest.mark.parametrize("shape", [(8,), (8, 8), (3, 4, 8), (4, 2, 8, 2), (6, 6)])
def test_masks_pass_their_check(algorithm, shape):
    values = random.standard_normal(shape).astype("float32")
    mask = asp.create_mask(values, algorithm)
    assert mask.shape == shape
    assert mask.dtype == np.float32
    assert set(np.unique(mask)) <= {0.0, 1.0}
    assert asp.check_sparsity(mask * values, CheckMethod.get_checking_method(algorithm))
    assert not asp.check_sparsity(np.ones(shape))
    assert asp.calculate_density(mask) < 0.7


def test_columns_are_checked_too():
    rows = np.array([[1, 1, 0, 0]] * 4)
    assert asp.check_mask_1d(rows, 2, 4)
    assert not asp.check_mask_2d(rows, 2, 4)


def test_bad_arguments():
    with pytest.raises(InvalidArgumentError, match="a pattern of 5:4 sparsity"):
        asp.create_mask(np.ones(4), n=5)
    with pytest.raises(InvalidArgumentError, match="the best mask of blocks of 8 x 8"):
        asp.create_mask(np.ones((8, 8)), MaskAlgo.MASK_2D_BEST, 4, 8)
    with pytest.raises(InvalidArgumentError, match="a mask for an array of shape"):
        asp.create_mask(np.ones((1, 1, 1, 1, 4)))
