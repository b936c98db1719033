"""PyTorch's arguments and results; values by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import proa
from proa import compat
from proa.core import InvalidArgumentError, InvalidTypeError, OutOfRangeError

rows = np.array([[3.0, 1.0, 2.0, 1.0], [5.0, 5.0, 0.0, 7.0]], np.float32)
# Call, values, indices.
PAIRS = [
    (lambda x: compat.max(x, 1), [3, 7], [0, 3]),
    (lambda x: compat.max(x, dim=-1, keepdim=True), [[3], [7]], [[0], [3]]),
    (lambda x: compat.min(x, 0), [3, 1, 0, 1], [0, 0, 1, 0]),
    (lambda x: compat.min(x, 1, True), [[1], [0]], [[1], [2]]),
    (lambda x: compat.max(x[0, 0], 0), 3, 0),
    (lambda x: compat.median(x[:, 1:], 1), [1, 5], [2, 0]),
    (lambda x: compat.nanmedian(x[:, :3], dim=1, keepdim=True), [[2], [5]], [[2], [0]]),
    (lambda x: compat.sort(x, 1), [[1, 1, 2, 3], [0, 5, 5, 7]], [[1, 3, 2, 0], [2, 0, 1, 3]]),
    (lambda x: compat.sort(x[0], descending=True), [3, 2, 1, 1], [0, 2, 1, 3]),
    (lambda x: compat.sort(x[0, 0]), 3, 0),
]


@pytest.mark.parametrize(("call", "values", "indices"), PAIRS)
def test_values_come_with_indices(call, values, indices):
    found = call(proa.to_tensor(rows))
    assert found.values.tolist() == values
    if "median" not in type(found).__name__.lower():
        assert found.indices.tolist() == indices
    assert found.indices.dtype == "int64"


def test_indices_of_medians_lead_to_them():
    x = proa.to_tensor(rows)
    found = compat.median(x, 1, keepdim=True)
    assert proa.take_along_axis(x, found.indices, 1).tolist() == found.values.tolist() == [[1], [5]]


def test_gradients_go_to_the_one_that_was_found():
    x = proa.to_tensor([[2.0, 2.0, 1.0]], stop_gradient=False)
    compat.max(x, 1).values.sum().backward()
    assert x.grad.tolist() == [[1.0, 0.0, 0.0]]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda x: compat.max(x), 7),
        (lambda x: compat.min(x), 0),
        (lambda x: compat.max(x, 8 - x), [[5, 7, 6, 7], [5, 5, 8, 7]]),
        (lambda x: compat.min(x, other=8 - x), [[3, 1, 2, 1], [3, 3, 0, 1]]),
        (lambda x: compat.median(x), 2),
        (lambda x: compat.nanmedian(x), 2),
        (lambda x: compat.unique(x), [0, 1, 2, 3, 5, 7]),
        (lambda x: compat.unique(x[0], return_counts=True)[1], [2, 1, 1]),
        (lambda x: compat.unique(x[0], return_inverse=True)[1], [2, 0, 1, 0]),
        (lambda x: compat.unique(x[:, :2], dim=1), [[1, 3], [5, 5]]),
    ],
)
def test_single_results(call, expected):
    assert call(proa.to_tensor(rows)).tolist() == expected


def test_results_go_into_given_tensors():
    x, values, indices = proa.to_tensor(rows), proa.zeros([2]), proa.zeros([2], "int64")
    assert compat.max(x, 1, out=(values, indices)).values is values
    assert values.tolist() == [3, 7]
    assert indices.tolist() == [0, 3]
    one = proa.zeros([])
    assert compat.min(x, out=one) is one
    assert one.item() == 0


@pytest.mark.parametrize(
    ("sizes", "dim", "shapes"),
    [
        (3, 1, [[2, 3], [2, 1]]),
        (4, -1, [[2, 4]]),
        ([1, 0, 3], 1, [[2, 1], [2, 0], [2, 3]]),
        (1, 0, [[1, 4], [1, 4]]),
    ],
)
def test_split_takes_sizes(sizes, dim, shapes):
    parts = compat.split(proa.to_tensor(rows), sizes, dim)
    assert isinstance(parts, tuple)
    assert [part.shape for part in parts] == shapes
    assert proa.concat(list(parts), dim).tolist() == rows.tolist()


def test_split_of_nothing_is_one_part():
    assert [part.shape for part in compat.split(proa.zeros([0, 2]), 3)] == [[0, 2]]


def test_equal_is_one_answer():
    x = proa.to_tensor(rows)
    assert compat.equal(x, x + 0) is True
    assert compat.equal(x, x + 1) is False
    assert compat.equal(x, x[:1]) is False


def test_seed_returns_what_it_starts_at():
    number = compat.seed()
    drawn = proa.rand([3]).tolist()
    assert compat.seed() != number
    proa.seed(number)
    assert proa.rand([3]).tolist() == drawn


def test_slogdet_names_its_parts():
    found = compat.slogdet(proa.to_tensor([[[-2.0, 0.0], [0.0, 3.0]]]))
    assert found.sign.tolist() == [-1.0]
    assert math.isclose(found.logabsdet.item(), math.log(6.0), rel_tol=1e-6)


REFUSED = [
    (lambda x: compat.max(x, (0, 1)), InvalidTypeError, r"`compat\.max` is given dim=\(0, 1\)"),
    (lambda x: compat.min(x, keepdim=True), InvalidTypeError, "is given keepdim=True"),
    (lambda x: compat.max(x, axis=1), InvalidTypeError, "is given axis=1"),
    (lambda x: compat.max(x, 1, out=x), InvalidTypeError, "a tuple of 2 tensors"),
    (lambda x: compat.split(x, 0), InvalidArgumentError, "a size above 0"),
    (lambda x: compat.split(x, [1, 2], 1), InvalidArgumentError, "for an extent of 4"),
    (lambda x: compat.split(x, 1, 2), OutOfRangeError, r"`dim` of `compat\.split` is 2"),
]


@pytest.mark.parametrize(("call", "kind", "message"), REFUSED, ids=[m for *_, m in REFUSED])
def test_other_arguments_are_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call(proa.to_tensor(rows))
