"""Kinds of mistakes that bug reports of other frameworks show, tried on all functions of a kind.

The reported cases themselves are tested with their functions.
"""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import proa
import proa.linalg
import proa.nn.functional as F
from proa.core import Op, OutOfRangeError, ProaError, Tensor

NAN = float("nan")
FAR = proa.to_tensor([7])
X = proa.arange(6, dtype="float32").reshape([2, 3])
ROW = proa.ones([1, 3])

# JAX PR#7595, JAX PR#2895: clamped, dropped or filled with NaN elsewhere; P PR#79560 (#79510):
# foreign memory is read.
BEYOND = {
    "getitem": lambda: X[7],
    "getitem tensor": lambda: X[FAR],
    "getitem pair": lambda: X[FAR, FAR],
    "getitem negative": lambda: X[-3],
    "setitem": lambda: X.clone().__setitem__(FAR, 0.0),
    "gather": lambda: proa.gather(X, FAR),
    "gather axis": lambda: proa.gather(X, FAR, axis=1),
    "gather_nd": lambda: proa.gather_nd(X, proa.to_tensor([[1, 7]])),
    "index_select": lambda: proa.index_select(X, FAR),
    "index_sample": lambda: proa.index_sample(X, proa.to_tensor([[0], [7]])),
    "take": lambda: proa.take(X, FAR),
    "take_along_axis": lambda: proa.take_along_axis(X, proa.to_tensor([[7]]), 0),
    "put_along_axis": lambda: proa.put_along_axis(X, proa.to_tensor([[7]]), 0.0, 0),
    "scatter": lambda: proa.scatter(X, FAR, ROW),
    "scatter_nd": lambda: proa.scatter_nd(proa.to_tensor([[7]]), proa.ones([1]), [3]),
    "scatter_nd_add": lambda: proa.scatter_nd_add(X, proa.to_tensor([[7]]), ROW),
    "index_add": lambda: proa.index_add(X, FAR, 0, ROW),
    "index_fill": lambda: proa.index_fill(X, FAR, 0, 0.0),
    "index_put": lambda: proa.index_put(X, (FAR,), ROW),
    "multiplex": lambda: proa.multiplex([X, X], proa.to_tensor([[0], [7]])),
    "embedding": lambda: F.embedding(FAR, X),
    "embedding negative": lambda: F.embedding(proa.to_tensor([-1]), X, padding_idx=0),
    "one_hot": lambda: F.one_hot(FAR, 3),
    "bincount": lambda: proa.bincount(proa.to_tensor([-1, 0])),
    "cross_entropy": lambda: F.cross_entropy(X, proa.to_tensor([0, 7])),
    "nll_loss": lambda: F.nll_loss(X, proa.to_tensor([0, 7])),
    "multi_margin_loss": lambda: F.multi_margin_loss(X, proa.to_tensor([0, 7])),
    "multi_label_margin_loss": lambda: F.multi_label_margin_loss(
        X, proa.to_tensor([[0, 7, -1], [0, -1, -1]])
    ),
    "gather_tree": lambda: F.gather_tree(*[FAR.reshape([1, 1, 1])] * 2),
    "max_unpool1d": lambda: F.max_unpool1d(X.unsqueeze(0), proa.full([1, 2, 3], 99, "int32"), 2),
}


@pytest.mark.parametrize("name", list(BEYOND))
def test_places_and_labels_out_of_range_raise(name):
    with pytest.raises(OutOfRangeError) as caught:
        BEYOND[name]()
    assert caught.value.expected
    assert caught.value.fix


def public_ops() -> dict[str, Op]:
    found = {}
    for room in (proa, F, proa.linalg):
        for name, value in vars(room).items():
            record = getattr(value, "op", None)
            if isinstance(record, Op) and not name.startswith("_"):
                found[record.name] = record
    return found


def test_every_op_with_an_index_checks_it_or_says_why_not():
    unchecked = {
        "dice_loss": "any class number, as its one-hot form is compared",
        "shard_index": "numbers of other shards are replaced",
    }
    lacking = {name for name, op in public_ops().items() if op.indices and op.check is None}
    assert lacking <= set(unchecked)


# PT#1810, P#60573, PT#16762: NaN counts as the largest, wins in extrema, and is never lost.
V = proa.to_tensor([1.0, NAN, 3.0, -1.0, NAN, 2.0])
ORDERED = [
    (lambda: proa.sort(V), [-1, 1, 2, 3, NAN, NAN]),
    (lambda: proa.sort(V, descending=True), [NAN, NAN, 3, 2, 1, -1]),
    (lambda: proa.argsort(V), [3, 0, 5, 2, 1, 4]),
    (lambda: proa.argsort(V, descending=True), [1, 4, 2, 5, 0, 3]),
    (lambda: proa.msort(V), [-1, 1, 2, 3, NAN, NAN]),
    (lambda: proa.topk(V, 3)[1], [1, 4, 2]),
    (lambda: proa.topk(V, 3, largest=False)[0], [-1, 1, 2]),
    (lambda: proa.kthvalue(V, 5)[0], NAN),
    (lambda: proa.max(V), NAN),
    (lambda: proa.min(V), NAN),
    (lambda: proa.amax(V), NAN),
    (lambda: proa.argmax(V), 1),
    (lambda: proa.argmin(V), 1),
    (lambda: proa.median(V), NAN),
    (lambda: proa.quantile(V, 0.5), NAN),
    (lambda: proa.cummax(V)[0], [1, NAN, NAN, NAN, NAN, NAN]),
    (lambda: proa.cummin(V)[0], [1, NAN, NAN, NAN, NAN, NAN]),
    (lambda: proa.maximum(V, proa.zeros([6])), [1, NAN, 3, 0, NAN, 2]),
    (lambda: proa.fmax(V, proa.zeros([6])), [1, 0, 3, 0, 0, 2]),
    (lambda: proa.clip(V, 0.0, 1.0), [1, NAN, 1, 0, NAN, 1]),
    (lambda: F.max_pool1d(V.reshape([1, 1, 6]), 2).reshape([3]), [NAN, 3, NAN]),
    (lambda: proa.unique(V), [-1, 1, 2, 3, NAN, NAN]),
    (lambda: proa.nanmedian(V), 1.5),
    (lambda: proa.nanquantile(V, 0.5), 1.5),
    (lambda: proa.nanmean(V), 1.25),
]


@pytest.mark.parametrize(("call", "expected"), ORDERED)
def test_nan_in_what_orders(call, expected):
    np.testing.assert_array_equal(call().numpy(), expected)


# Where NaN goes in and rightly does not come out.
WITHOUT_NAN = {
    *("empty_like", "imag", "ones_like", "rand_like", "randn_like", "zeros_like"),
    *("nanmean", "nanmedian", "nansum", "nan_to_num", "fmax", "fmin", "mode"),
    *("eigh", "eigvalsh", "cholesky_inverse", "diag", "diagonal", "trace", "tril"),  # parts only
    *(
        "dropout",
        "dropout1d",
        "alpha_dropout",
        "triu",
        "triangular_solve",
        "feature_alpha_dropout",
        "qr",
        "nextafter",
    ),
}


def unary() -> dict[str, Op]:
    """Ops of one tensor, or of two of one shape."""
    found = {}
    for name, op in public_ops().items():
        required = [p for p in op.parameters if p.required]
        if 1 <= len(required) <= 2 and all(p.annotation == "Array" for p in required):
            found[name] = op
    return found


def call_op(name: str, x: Tensor) -> list[Tensor]:
    """The floating results, or none where the op does not take this input."""
    function = next(f for f in map(_named(name), (proa, F, proa.linalg)) if f is not None)
    needed = [p for p in unary()[name].parameters if p.required]
    try:
        result = function(x, proa.full_like(x, 0.5)) if len(needed) == 2 else function(x)
    except ProaError:
        return []
    results = result if isinstance(result, list | tuple) else [result]
    return [t for t in results if isinstance(t, Tensor) and t.dtype.is_floating]


def _named(name):
    def find(room):
        for value in vars(room).values():
            if getattr(getattr(value, "op", None), "name", None) == name:
                return value if not inspect.isclass(value) else None
        return None

    return find


@pytest.mark.parametrize("name", sorted(set(unary()) - WITHOUT_NAN))
def test_nan_is_not_lost(name):
    """Guards of gradients (`where(x > 0, ...)`) easily turn NaN into 0."""
    for x in ([[1.0, 0.1], [NAN, -0.25]], [1.0, NAN, 0.5, -0.25]):
        found = call_op(name, proa.to_tensor(x))
        if found:
            assert any(np.isnan(t.numpy()).any() for t in found)
            return


# Two equal eigenvalues, and the edge of the domain: there is no gradient.
NO_GRADIENT = {"eigh", "eig", "gammaincc"}


@pytest.mark.parametrize("name", sorted(set(unary()) - NO_GRADIENT))
def test_gradients_are_numbers_where_values_are(name):
    """JAX#3058, JAX#21723, JAX#4177: NaN gradients of norms at 0, and the like."""
    for value in (0.0, 1.0, -1.0):
        x = proa.full([2, 2], value)
        x.stop_gradient = False
        found = [t for t in call_op(name, x) if not t.stop_gradient]
        if not found or not all(np.isfinite(t.numpy()).all() for t in found):
            continue
        (gradient,) = proa.grad([t.sum() for t in found], x, allow_unused=True)
        assert gradient is None or not np.isnan(gradient.numpy()).any()


@pytest.mark.parametrize("name", sorted(unary()))
def test_empty_tensors_have_results_and_gradients(name):
    """P#72693, P#71826, P#71164: signals and endless waits."""
    x = proa.zeros([2, 0, 4])
    x.stop_gradient = False
    found = [t for t in call_op(name, x) if not t.stop_gradient]
    if found:
        (gradient,) = proa.grad([t.sum() for t in found], x, allow_unused=True)
        assert gradient is None or gradient.shape == [2, 0, 4]


def test_half_precision_division_rounds_once():
    """ORT#18576, ORT PR#32452: quantisation divides, then rounds; it never cuts off."""
    x = proa.to_tensor([0.0500183, -0.0500183], dtype="float16")
    scale = proa.to_tensor(0.0999756, dtype="float16")
    assert proa.round(x / scale).tolist() == [1.0, -1.0]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_division_by_one_number_is_no_product_with_its_reciprocal(dtype):
    """XLA's rewrite gives 41 / 41 = 0.99999994, and 0 for its floor."""
    numbers = np.arange(1, 200).astype(dtype)
    x = proa.to_tensor(numbers)
    by = proa.jit.to_static(lambda v, w: v / w, full_graph=True)
    for divisor in (41.0, 49.0, 83.0, 107.0):
        expected = numbers / numbers.dtype.type(divisor)
        divided = [x / divisor, x / proa.to_tensor(divisor, dtype), by(x, divisor)]
        for found in divided:
            np.testing.assert_array_equal(found.numpy(), expected)
        np.testing.assert_array_equal((x // divisor).numpy(), np.floor(expected))
    counts = [41, 49, 83]
    assert [proa.ones([n], dtype).mean().item() for n in counts] == [1.0] * 3
