from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, InvalidTypeError, OutOfRangeError, grad
from proa.ops._index import take_arrays
from proa.ops._index_basic import basic_assign, basic_index
from tests.ops.harness import same

ALL = slice(None)
A = np.arange(2 * 3 * 4 * 5, dtype="float32").reshape(2, 3, 4, 5)
MASK = np.array([True, False, True])

# Indices for which NumPy and Paddle agree.
INDICES = [
    0,
    -1,
    (0, 1),
    (ALL, 1),
    (ALL, 0, -2, 3),
    slice(1, 3),
    (ALL, slice(-2, None)),
    (..., 0),
    (..., slice(None, -1)),
    (0, ..., slice(1, 3)),
    None,
    (None, 0, None, slice(None, None, 2)),
    slice(None, None, -1),
    (ALL, slice(2, 0, -1)),
    (ALL, ALL, slice(3, None, -2)),
    (ALL, ALL, slice(-1, -9, -3)),
    slice(5, 9),
    (ALL, slice(2, 1)),
    np.int64(1),
    np.array(1),
    [0, 1],
    [-1, 0, 0],
    [[0, 1], [1, 0]],
    range(2),
    [],
    ([0, 1], ALL, [1, 2]),
    (ALL, [0, 1], [1, 2]),
    (ALL, 0, [1, 2]),
    (..., [0, 2]),
    (ALL, slice(1, 2), [3, 1]),
    (ALL, ALL, [[0], [1]], [0, 2]),
    (None, [1, 0]),
    [True, False],
    (ALL, MASK),
    A[:, :, 0, 0] > 10,
    A > 50,
    A < 0,
    (np.array([True, True]), ALL, [0, 1]),
    True,
    False,
    (True, 0),
]


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_reading_and_writing_agree_with_numpy(index):
    x = proa.to_tensor(A)
    same(x[index], A[index], "float32")
    for value in (7.0, A[index] * 2 + 1):
        want = A.copy()
        want[index] = value
        y = proa.to_tensor(A)
        y[index] = value
        same(y, want, "float32")


def test_integers_apply_before_arrays_as_in_paddle():
    x = proa.to_tensor(A)
    # NumPy would put the arrays' axis first: the shape would be [2, 3, 5].
    same(x[0, :, [1, 2]], A[0][:, [1, 2]], "float32")
    same(x[:, 0, :, [1, 2]], A[:, 0][:, :, [1, 2]], "float32")


def test_tensors_as_indices():
    x = proa.to_tensor(A)
    same(x[proa.to_tensor(1)], A[1], "float32")
    same(x[proa.to_tensor([1])], A[[1]], "float32")
    same(x[:, proa.to_tensor(MASK)], A[:, MASK], "float32")
    same(x[proa.to_tensor(0) : proa.to_tensor(1)], A[0:1], "float32")
    same(x[[proa.to_tensor(1), 0]], A[[1, 0]], "float32")
    x[proa.to_tensor([1])] = proa.zeros([5])
    assert x[1].sum().item() == 0.0


BAD = [
    (5, OutOfRangeError, "index 5 of axis 0 of extent 2"),
    (-3, OutOfRangeError, "index -3 of axis 0 of extent 2"),
    ((0, 3), OutOfRangeError, "index 3 of axis 1 of extent 3"),
    ((0,) * 5, OutOfRangeError, "an index for 5 axes of a tensor with 4"),
    ([5], OutOfRangeError, "`index` holds 5 for an axis of extent 2"),
    ([0, -3], OutOfRangeError, "`index` holds -3"),
    ((ALL, proa.to_tensor([3])), OutOfRangeError, "`index` holds 3 for an axis of extent 3"),
    ([True] * 3, OutOfRangeError, r"a mask of shape \[3\] for axes of shape \[2\]"),
    (0.5, InvalidTypeError, "an index of type"),
    ("a", InvalidTypeError, "an index of type"),
    ([0.5], InvalidTypeError, "an index of type"),
    ([[0], [1, 2]], InvalidTypeError, "an index of type list"),
    (slice(0.5), InvalidTypeError, "an index of type float"),
    ((..., ...), InvalidArgumentError, "an index with 2 ellipses"),
    (slice(None, None, 0), InvalidArgumentError, "a slice with step 0"),
]


@pytest.mark.parametrize(("index", "error", "message"), BAD, ids=[b[2] for b in BAD])
def test_bad_indices_are_named(index, error, message):
    x = proa.to_tensor(A)
    with pytest.raises(error, match=message):
        x[index]
    with pytest.raises(error, match=message):
        x[index] = 0.0


def test_a_value_that_does_not_fit_is_named():
    x = proa.ones([2, 3])
    for index in (0, [0], slice(0, 1)):
        with pytest.raises(InvalidArgumentError, match=r"a value of shape \[2\] is assigned"):
            x[index] = proa.ones([2])
    x[0] = proa.full([1, 1, 3], 5.0)
    same(x, [[5.0] * 3, [1.0] * 3], "float32")


def test_a_value_takes_the_dtype_of_the_tensor():
    x = proa.ones([2], "int64")
    x[0] = 2.7
    x[1:] = proa.to_tensor([3.9])
    same(x, [2, 3], "int64")


def test_values_under_a_mask():
    x = proa.ones([2, 2])
    x[x > 0] = proa.to_tensor([1.0, 2.0, 3.0, 4.0])
    same(x, [[1.0, 2.0], [3.0, 4.0]], "float32")
    x[proa.to_tensor([True, False])] = proa.to_tensor([7.0, 8.0])
    same(x, [[7.0, 8.0], [3.0, 4.0]], "float32")


def test_basic_parts_are_views_and_arrays_make_copies():
    x = proa.to_tensor(A)
    rows, every_second, picked = x[1], x[:, ::-2], x[[0, 1]]
    rows[0, 0] = -1.0
    assert x[1, 0, 0].tolist() == [-1.0] * 5
    every_second[...] = -2.0
    assert x[0, 2].sum().item() == -40.0
    assert rows[0, 0, 0].item() == -2.0
    assert picked.numpy().min() == 0.0


def gradient(index, value=None):
    x = proa.to_tensor(A, stop_gradient=False)
    y = x * 1.0
    if value is None:
        part = y[index]
        (found,) = grad([(part * part).sum()], [x])
        want = np.zeros_like(A)
        np.add.at(want, index, 2 * A[index])
        return found, want
    y[index] = value
    (found,) = grad([(y * y).sum()], [x])
    want = 2 * A
    want[index] = 0.0
    return found, want


@pytest.mark.parametrize(
    "index", [INDICES[i] for i in (0, 8, 11, 13, 14, 16, 21, 25, 33, 35)], ids=repr
)
def test_gradients_of_parts(index):
    same(*gradient(index), "float32")
    same(*gradient(index, 3.0), "float32")


def test_gradient_reaches_an_assigned_value():
    x, value = proa.ones([2, 3]), proa.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
    x[1] = value * 2
    assert not x.stop_gradient
    (x * x).sum().backward()
    same(value.grad, [8.0, 16.0, 24.0], "float32")


def test_loops_over_places_compile_once():
    x = proa.to_tensor(np.arange(64.0, dtype="float32").reshape(16, 4))
    before = {op: len(op.kernels) for op in (basic_index.op, basic_assign.op)}
    for i in range(0, 12, 3):
        same(x[i], np.arange(4.0) + 4 * i, "float32")
        assert x[i : i + 3].shape == [3, 4]
        assert x[i, 3 - i // 3].item() == 4 * i + 3 - i // 3
        x[i] = float(i)
    assert len(basic_index.op.kernels) - before[basic_index.op] <= 3
    assert len(basic_assign.op.kernels) - before[basic_assign.op] <= 1
    for op in (basic_index.op, basic_assign.op):
        recent = list(op.kernels.values())[before[op] :]
        assert all(kernel._cache_size() == 1 for kernel in recent)


def test_iteration_gives_views():
    x = proa.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    for row in x:
        row[...] = row * 2
    same(x, [[2.0, 4.0], [6.0, 8.0]], "float32")
    with pytest.raises(TypeError, match="len\\(\\) of a 0-d tensor"):
        list(proa.to_tensor(1.0))


def test_unbind_gives_views():
    x = proa.zeros([2, 3])
    parts = proa.unbind(x, 1)
    parts[1][...] = 2.0
    same(x, [[0.0, 2.0, 0.0]] * 2, "float32")
    x[0] = 5.0
    same(parts[2], [5.0, 0.0], "float32")
    with pytest.raises(OutOfRangeError, match="`axis` is 2"):
        proa.unbind(x, 2)


def test_recorded_functions_index_axes_of_unknown_extent():
    @proa.jit.to_static(input_spec=[proa.static.InputSpec([None, 4], "float32")])
    def parts(x):
        return x[:, 0], x[..., :-1], x[1:], x[0], x[:, ::2], x[:, None]

    for rows in (2, 3):
        a = np.arange(4.0 * rows, dtype="float32").reshape(rows, 4)
        wanted = (a[:, 0], a[..., :-1], a[1:], a[0], a[:, ::2], a[:, None])
        for got, want in zip(parts(proa.to_tensor(a)), wanted, strict=True):
            same(got, want, "float32")


def test_recorded_functions_write_parts():
    @proa.jit.to_static
    def written(x):
        y = x * 1
        y[0] = 5.0
        y[:, 1] = y[:, 0]
        y[y > 4] = -1.0
        y[[1]] = 7.0
        return y

    same(written(proa.ones([2, 2])), [[-1.0, -1.0], [7.0, 7.0]], "float32")


def test_an_index_beyond_the_axis_is_clamped_in_compiled_code():
    clamp = take_arrays.op.array_fn(((True, 1), ((0,),)))
    assert np.asarray(clamp(jnp.arange(3.0), np.array([5, -1]))).tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    "index", [2, -3, (0, 3), (-1, -1, -1, -1), (0, 0, 0, 5), (0,) * 5, True, ()]
)
def test_plain_integers_are_read_as_any_index_is(index):
    x = proa.to_tensor(A)
    try:
        wanted = A[index]
    except IndexError:
        with pytest.raises(OutOfRangeError):
            x[index]
        return
    same(x[index], wanted, "float32")


def test_a_part_at_integers_is_a_view():
    x = proa.zeros([2, 3])
    part = x[1]
    part[2] = 5.0
    x[0, 1].fill_(7.0)
    same(x, [[0.0, 7.0, 0.0], [0.0, 0.0, 5.0]], "float32")
