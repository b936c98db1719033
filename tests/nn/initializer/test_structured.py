"""Initialisers that make a known map."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError
from proa.nn.initializer import Bilinear, Dirac, Orthogonal


def made(initializer, *shape):
    return proa.create_parameter(list(shape), "float32", attr=initializer).numpy()


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (6, 3, 2), (7, 3, 2)])
def test_orthogonal_rows_or_columns(shape):
    matrix = made(Orthogonal(2.0), *shape).reshape(shape[0], -1)
    matrix = matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T
    np.testing.assert_allclose(matrix @ matrix.T, 4 * np.eye(len(matrix)), atol=1e-5)


# As recorded from paddle 3.3.1.
def test_dirac_hands_channels_on():
    plain = made(Dirac(), 4, 3, 3)
    assert [list(map(int, position)) for position in zip(*np.nonzero(plain), strict=True)] == [
        [0, 0, 1],
        [1, 1, 1],
        [2, 2, 1],
    ]
    grouped = made(Dirac(groups=2), 4, 2, 3)
    assert grouped[:, :, 1].tolist() == [[1, 0], [0, 1], [1, 0], [0, 1]]
    x = proa.rand([1, 3, 5, 5])
    layer = nn.Conv2D(3, 3, 3, padding=1, weight_attr=Dirac())
    np.testing.assert_allclose(layer(x).numpy(), x.numpy(), atol=1e-6)


def test_bilinear_interpolates():
    line = np.array([0.25, 0.75, 0.75, 0.25])
    kernel = made(Bilinear(), 1, 2, 4, 4)
    np.testing.assert_allclose(kernel, np.broadcast_to(np.outer(line, line), (1, 2, 4, 4)))
    odd = np.array([1, 2, 3, 2, 1]) / 3
    np.testing.assert_allclose(made(Bilinear(), 1, 1, 5, 5)[0, 0], np.outer(odd, odd), rtol=1e-6)


@pytest.mark.parametrize(
    ("initializer", "shape", "message"),
    [
        (Orthogonal(), [3], r"Orthogonal: the parameter has shape \[3\]"),
        (Dirac(), [3, 3], r"Dirac: the parameter has shape \[3, 3\]"),
        (Dirac(2), [3, 3, 3], "`groups` is 2"),
        (Bilinear(), [1, 1, 2, 3], r"Bilinear: the parameter has shape \[1, 1, 2, 3\]"),
    ],
)
def test_parameters_that_do_not_fit(initializer, shape, message):
    with pytest.raises(InvalidArgumentError, match=message):
        made(initializer, *shape)


def test_bad_arguments():
    with pytest.raises(InvalidArgumentError, match="Dirac: `groups` is 0"):
        Dirac(0)
