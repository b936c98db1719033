from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, OutOfRangeError
from tests.ops.harness import Case, case_ids, check_case, complexes, randn, same

INF = float("inf")
linalg = proa.linalg
LOW = {"low": ("float16",)}


def distances(order):
    def reference(x, y, *_):
        return np.linalg.norm(x[:, None] - y[None], order, -1)

    return reference


def renormed(x, *_):
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1.0)


def vectors(order, **options):
    case = (randn(4, 3), order, 1)
    return Case(linalg.vector_norm, case, ref=np.linalg.norm, id=f"vector {order}", **options)


def matrices(order, **options):
    case = (randn(4, 3, 2), order, (0, 2), True)
    options = {"low": (), **options}
    return Case(linalg.matrix_norm, case, ref=np.linalg.norm, id=f"matrix {order}", **options)


CASES = [
    vectors(2),
    vectors(1, **LOW),
    vectors(3, **LOW),
    vectors(0.5, low=()),
    vectors(INF, **LOW),
    vectors(-INF, low=()),
    vectors(-1, low=()),
    vectors(0, grad=False, low=()),
    Case(linalg.vector_norm, (complexes(4),), ref=np.linalg.norm, id="vector complex"),
    *[matrices(order) for order in ("fro", 1, -1, INF, -INF)],
    # The second derivative of singular values in NumPy's float64 agrees to fewer digits.
    *[matrices(order) for order in ("nuc", 2, -2)],
    Case(linalg.norm, (randn(4, 3),), ref=np.linalg.norm, **LOW),
    Case(
        proa.dist,
        (randn(4, 3), randn(3), 3),
        ref=lambda x, y, p: (abs(x - y) ** 3).sum() ** (1 / 3),
    ),
    Case(proa.cdist, (randn(4, 3), randn(2, 3)), ref=distances(2), **LOW),
    Case(proa.cdist, (randn(4, 3), randn(2, 3), 1.0), ref=distances(1), **LOW),
    Case(
        proa.cdist,
        (randn(4, 3), randn(2, 3), 2.0, "use_mm_for_euclid_dist"),
        ref=distances(2),
        low=(),
    ),
    Case(linalg.cond, (randn(4, 4),), ref=np.linalg.cond, low=(), grad=False),
    Case(linalg.cond, (randn(3, 3), 1), ref=np.linalg.cond, low=(), orders=4),
    Case(linalg.cond, (randn(3, 3), -2), ref=np.linalg.cond, low=(), grad=False),
]

CASES += [
    Case(
        proa.pdist, (randn(4, 3),), ref=lambda x: distances(2)(x, x)[np.triu_indices(4, 1)], low=()
    ),
    Case(proa.renorm, (randn(4, 3), 2.0, 0, 1.0), ref=renormed, **LOW),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_norm(case):
    check_case(case)


X = np.array([[3.0, -4.0], [0.0, 12.0]], "float32")
WAYS = [
    ({}, 13.0),
    ({"p": "fro"}, 13.0),
    ({"p": 1}, 19.0),
    ({"p": "fro", "axis": [0, 1]}, 13.0),
    ({"p": 1, "axis": [0, 1]}, 16.0),
    ({"p": 1, "axis": 0}, [3.0, 16.0]),
    ({"axis": [1]}, [5.0, 12.0]),
    ({"axis": -1, "keepdim": True}, [[5.0], [12.0]]),
    ({"p": "nuc"}, np.linalg.norm(X, "nuc")),
    ({"dtype": "float64"}, 13.0),
]


@pytest.mark.parametrize(("options", "want"), WAYS, ids=repr)
def test_ways_to_ask_for_a_norm(options, want):
    same(linalg.norm(proa.to_tensor(X), **options), want, options.get("dtype", "float32"))


def test_norms_write_into_out():
    out = proa.to_tensor(0.0)
    assert linalg.norm(proa.to_tensor(X), out=out) is out
    assert out.item() == 13.0


def test_integers_and_half_precision():
    assert linalg.norm(proa.to_tensor([3, 4])).dtype == "float32"
    large = proa.full([4], 300.0, "float16")
    assert linalg.norm(large).item() == 600.0


@pytest.mark.parametrize("p", [2, 1, 3, 0.5, INF])
def test_gradient_of_a_zero_norm_is_zero(p):
    """JAX#3058, JAX#21723, JAX#4177: not NaN."""
    x = proa.zeros([2])
    x.stop_gradient = False
    linalg.norm(x, p).backward()
    same(x.grad, [0.0, 0.0], "float32")


def test_gradient_of_a_zero_distance_is_zero():
    """JAX#4177."""
    x = proa.ones([2, 3])
    x.stop_gradient = False
    for mode in ("use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"):
        x.clear_grad()
        proa.cdist(x, proa.ones([2, 3]), compute_mode=mode).sum().backward()
        same(x.grad, np.zeros((2, 3)), "float32")


def test_renorm_leaves_short_slices_alone():
    x = proa.to_tensor([[3.0, 4.0], [0.0, 0.0], [0.1, 0.0]])
    assert x.renorm_(2.0, 0, 1.0) is x
    same(x, [[0.6, 0.8], [0.0, 0.0], [0.1, 0.0]], "float32")


ERRORS = [
    (lambda x: proa.pdist(x[0]), InvalidArgumentError, "`pdist` of a tensor"),
    (lambda x: linalg.norm(x, "nuc", 0), InvalidArgumentError, "norm p='nuc' of a tensor"),
    (lambda x: linalg.norm(x, 3, [0, 1]), InvalidArgumentError, "matrix norm p=3"),
    (lambda x: linalg.norm(x, 2, 5), OutOfRangeError, "`axis` is 5"),
    (lambda x: linalg.matrix_norm(x, axis=(0,)), InvalidArgumentError, "`axis` of a matrix norm"),
    (lambda x: proa.cdist(x, x[:, :2]), InvalidArgumentError, "equal last extents"),
    (lambda x: proa.cdist(x, x, compute_mode="fast"), InvalidArgumentError, "`compute_mode`"),
    (lambda x: linalg.cond(x, 1), InvalidArgumentError, r"cond of a tensor of shape \[2, 3\]"),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS, ids=[e[2] for e in ERRORS])
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call(proa.ones([2, 3]))
