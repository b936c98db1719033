from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError
from proa.sparse.nn.functional._windows import meet, read_input, read_window

F = proa.sparse.nn.functional


def line(*places, extent=4, channels=1):
    """A tensor of shape [1, 1, extent, channels] with ones at some places."""
    rows = [[0] * len(places), [0] * len(places), list(places)]
    return proa.sparse.sparse_coo_tensor(
        rows, np.ones((len(places), channels), "float32"), [1, 1, extent, channels]
    )


def test_a_table_names_elements_under_the_window():
    x = line(0, 3)
    met = meet(x, read_window(([1, 2], 1, [0, 1], 1), 2, "f"))
    assert met.dims == (1, 1, 5)
    assert met.places[2].tolist() == [0, 1, 3, 4]
    assert met.table.tolist() == [[2, 0, 2, 1], [0, 2, 1, 2]]


def test_kept_places_stay_in_their_order():
    met = meet(line(2, 0, 1), read_window(([1, 3], 1, 0, 1), 2, "f", keeps_places=True))
    assert met.places[2].tolist() == [2, 0, 1]
    assert met.table.tolist() == [[2, 3, 1], [0, 1, 2], [3, 2, 0]]


def test_tensors_at_the_same_places_share_their_tables():
    x = line(0, 1)
    weight = proa.ones([1, 3, 1, 1])
    y = proa.sparse.nn.functional.relu(F.subm_conv2d(x, weight))
    assert y._known is x._known
    before = len(x._known)
    F.subm_conv2d(y, weight)
    assert len(x._known) == before


def test_places_named_twice_are_summed():
    x = line(1, 1)
    assert F.subm_conv2d(x, proa.ones([1, 3, 1, 1])).values().tolist() == [[2.0]]


def test_nothing_stored():
    x = proa.sparse.sparse_coo_tensor(
        np.zeros((3, 0), "int64"), np.zeros((0, 1), "float32"), [1, 3, 3, 1]
    )
    y = F.conv2d(x, proa.ones([2, 2, 1, 3]))
    assert y.shape == [1, 2, 2, 3]
    assert y.nnz() == 0
    assert F.subm_conv2d(x, proa.ones([3, 3, 1, 3])).nnz() == 0


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: proa.ones([1, 1, 4, 1]), InvalidTypeError, "is a dense tensor"),
        (lambda: line(0, channels=1).coalesce().to_dense().to_sparse_coo(4), InvalidArgumentError,
         "0 dense axes"),
    ],
)  # fmt: skip
def test_bad_inputs(make, error, message):
    with pytest.raises(error, match=message):
        read_input(make(), 2, "conv2d", "NHWC")


def test_bad_settings():
    with pytest.raises(InvalidArgumentError, match="`data_format` of"):
        F.conv2d(line(0), proa.ones([1, 1, 1, 1]), data_format="NCHW")
    with pytest.raises(InvalidArgumentError, match=r"a window of extent \[1, 9\]"):
        F.conv2d(line(0), proa.ones([1, 9, 1, 1]))
    with pytest.raises(InvalidArgumentError, match="`stride` of `conv2d`"):
        F.conv2d(line(0), proa.ones([1, 1, 1, 1]), stride=0)
