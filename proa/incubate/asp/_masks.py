"""Masks of n:m sparsity: of `m` neighbours `n` are zero, the smallest ones."""

from __future__ import annotations

import itertools
from enum import Enum
from functools import cache
from typing import Any

import numpy as np

from proa.core import InvalidArgumentError, Tensor, composite

#: The best masks are found among all patterns; of a larger block there are too many.
_LARGEST_BLOCK = 4


class MaskAlgo(Enum):
    """How a mask is found."""

    MASK_1D = "get_mask_1d"
    MASK_2D_GREEDY = "get_mask_2d_greedy"
    MASK_2D_BEST = "get_mask_2d_best"


class CheckMethod(Enum):
    """What is checked: rows, or rows and columns."""

    CHECK_1D = "check_mask_1d"
    CHECK_2D = "check_mask_2d"

    @staticmethod
    def get_checking_method(mask_algo: MaskAlgo) -> CheckMethod:
        """Returns the check that masks of an algorithm pass.

        Args:
            mask_algo: the algorithm.
        """
        return CheckMethod.CHECK_1D if mask_algo is MaskAlgo.MASK_1D else CheckMethod.CHECK_2D


@composite
def calculate_density(x: Any) -> float:
    """Part of the elements that are not zero; 0 if there are none.

    Args:
        x: array or Tensor.

    Examples:
        >>> import proa
        >>> proa.incubate.asp.calculate_density(proa.to_tensor([[0, 1, 3, 0], [1, 1, 0, 1]]))
        0.625
    """
    array = _array(x)
    return float(np.count_nonzero(array)) / max(array.size, 1)


def _array(x: Any) -> np.ndarray:
    return x.numpy() if isinstance(x, Tensor) else np.asarray(x)


def check_pattern(n: int, m: int) -> None:
    """Refuses what is no pattern.

    Raises:
        InvalidArgumentError: `n` is not in [0, m].
    """
    if not 0 <= n <= m or m < 1:
        raise InvalidArgumentError(
            f"a pattern of {n}:{m} sparsity",
            expected="n zeros of m neighbours, n from 0 to m",
            fix="the usual one is 2:4",
        )


def _blocks(matrix: np.ndarray, rows: int, m: int) -> np.ndarray:
    """Cuts a matrix, filled up with zeros, into blocks: [row blocks, column blocks, rows, m]."""
    height, width = matrix.shape
    filled = np.pad(matrix, ((0, -height % rows), (0, -width % m)))
    cut = filled.reshape(filled.shape[0] // rows, rows, filled.shape[1] // m, m)
    return cut.swapaxes(1, 2)


def _joined(blocks: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    tall, wide, rows, m = blocks.shape
    return blocks.swapaxes(1, 2).reshape(tall * rows, wide * m)[: shape[0], : shape[1]]


@composite
def get_mask_1d(mat: np.ndarray, n: int, m: int) -> np.ndarray:
    """A mask that is zero at the `n` smallest of each `m` neighbours in a row.

    Args:
        mat: matrix.
        n: number of zeros.
        m: number of neighbours.
    """
    mat = np.asarray(mat)
    blocks = _blocks(np.abs(mat), 1, m)
    smallest = np.argsort(blocks, axis=-1, kind="stable")[..., :n]
    mask = np.ones_like(blocks, dtype=mat.dtype)
    np.put_along_axis(mask, smallest, 0, axis=-1)
    return _joined(mask, mat.shape)


@composite
def get_mask_2d_greedy(mat: np.ndarray, n: int, m: int) -> np.ndarray:
    """A mask with `n` zeros in each row and column of each block, or more.

    The largest elements are taken first, while their row and column have room.

    Args:
        mat: matrix.
        n: number of zeros.
        m: extent of the blocks.
    """
    mat = np.asarray(mat)
    blocks = _blocks(np.abs(mat), m, m)
    mask = np.zeros_like(blocks, dtype=mat.dtype)
    for at in np.ndindex(*blocks.shape[:2]):
        rows, columns = np.full(m, m - n), np.full(m, m - n)
        for place in np.argsort(-blocks[at].reshape(-1), kind="stable").tolist():
            row, column = divmod(place, m)
            if rows[row] and columns[column]:
                mask[at][row, column] = 1
                rows[row] -= 1
                columns[column] -= 1
    return _joined(mask, mat.shape)


@cache
def _patterns(n: int, m: int) -> np.ndarray:
    """All square masks with `n` zeros in each row and column."""
    rows = [
        tuple(int(i in kept) for i in range(m)) for kept in itertools.combinations(range(m), m - n)
    ]
    found = [
        chosen
        for chosen in itertools.product(rows, repeat=m)
        if all(sum(column) == m - n for column in zip(*chosen, strict=True))
    ]
    return np.array(found)


@composite
def get_mask_2d_best(mat: np.ndarray, n: int, m: int) -> np.ndarray:
    """A mask with `n` zeros in each row and column of each block that keeps the largest sum.

    Args:
        mat: matrix.
        n: number of zeros.
        m: extent of the blocks, at most 4.

    Raises:
        InvalidArgumentError: larger blocks.
    """
    mat = np.asarray(mat)
    if m > _LARGEST_BLOCK:
        raise InvalidArgumentError(
            f"the best mask of blocks of {m} x {m}",
            expected=f"blocks of at most {_LARGEST_BLOCK} x {_LARGEST_BLOCK}",
            fix="use mask_2d_greedy",
        )
    blocks = _blocks(np.abs(mat), m, m)
    patterns = _patterns(n, m)
    kept = np.einsum("abij,kij->abk", blocks.astype(np.float64), patterns)
    return _joined(patterns[kept.argmax(-1)].astype(mat.dtype), mat.shape)


@composite
def check_mask_1d(mat: np.ndarray, n: int, m: int) -> bool:
    """Whether each `m` neighbours in a row have at least `n` zeros.

    Args:
        mat: matrix.
        n: number of zeros.
        m: number of neighbours.
    """
    return bool((np.count_nonzero(_blocks(np.asarray(mat), 1, m), axis=-1) <= m - n).all())


@composite
def check_mask_2d(mat: np.ndarray, n: int, m: int) -> bool:
    """Whether each row and each column of each block has at least `n` zeros.

    Args:
        mat: matrix.
        n: number of zeros.
        m: extent of the blocks.
    """
    blocks = _blocks(np.asarray(mat), m, m)
    counts = (np.count_nonzero(blocks, axis=axis) for axis in (-1, -2))
    return all(bool((count <= m - n).all()) for count in counts)


_FUNCTIONS = {
    MaskAlgo.MASK_1D: get_mask_1d,
    MaskAlgo.MASK_2D_GREEDY: get_mask_2d_greedy,
    MaskAlgo.MASK_2D_BEST: get_mask_2d_best,
}


def _as_matrix(tensor: np.ndarray) -> tuple[np.ndarray, Any]:
    """The matrix whose rows hold the neighbours, and the way back.

    Of four axes the neighbours are along the third: that is where the input channels of a
    transposed convolution weight are.
    """
    if tensor.ndim == 4:
        turned = tensor.transpose(0, 1, 3, 2)
        return turned.reshape(-1, tensor.shape[2]), lambda mask: mask.reshape(
            turned.shape
        ).transpose(0, 1, 3, 2)
    if not 1 <= tensor.ndim <= 4:
        raise InvalidArgumentError(
            f"a mask for an array of shape {list(tensor.shape)}",
            expected="one to four axes",
            fix="reshape it",
        )
    return tensor.reshape(-1, tensor.shape[-1]), lambda mask: mask.reshape(tensor.shape)


@composite
def create_mask(
    tensor: Any, func_name: MaskAlgo = MaskAlgo.MASK_1D, n: int = 2, m: int = 4
) -> np.ndarray:
    """A mask of n:m sparsity for an array.

    Args:
        tensor: array of one to four axes; neighbours are along the last axis, of four axes along
            the third.
        func_name: how to find it.
        n: number of zeros.
        m: number of neighbours.

    Returns:
        Zeros and ones in the shape and dtype of the array.

    Raises:
        InvalidArgumentError: no pattern, or another number of axes.

    Examples:
        >>> import numpy, proa
        >>> proa.incubate.asp.create_mask(numpy.array([1.0, -4.0, 2.0, 3.0])).tolist()
        [0.0, 1.0, 0.0, 1.0]
    """
    check_pattern(n, m)
    matrix, back = _as_matrix(_array(tensor))
    return back(_FUNCTIONS[func_name](matrix, n, m))


@composite
def check_sparsity(
    tensor: Any, func_name: CheckMethod = CheckMethod.CHECK_1D, n: int = 2, m: int = 4
) -> bool:
    """Whether an array has n:m sparsity.

    Args:
        tensor: array as for `create_mask`.
        func_name: what to check.
        n: number of zeros.
        m: number of neighbours.
    """
    check_pattern(n, m)
    matrix, _ = _as_matrix(_array(tensor))
    check = check_mask_1d if func_name is CheckMethod.CHECK_1D else check_mask_2d
    return check(matrix, n, m)
