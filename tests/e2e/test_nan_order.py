"""NaN in every op that orders or selects: it is the largest, it wins extrema, it is never lost.

Kinds of P#60573, PT#16762, torch-xpu-ops#4839, PT#1810; `np` is the reference where it agrees.
"""

from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from proa.core import all_ops
from tests.ops.harness import same

NAN, INF = float("nan"), float("inf")
X = np.array([2.0, NAN, -1.0, NAN, 5.0])
SPACED = np.array([2.0, NAN, -1.0, 4.0, 5.0, 3.0])


def pooled(pool, shape, **options):
    x = proa.to_tensor(SPACED.reshape(shape), dtype="float32")
    return pool(x, 2, **options).reshape([-1])


# Op -> (call of the values as a tensor, results).
ORDER = {
    "sort": (lambda x: [proa.sort(x), proa.sort(x, descending=True)],
             [[-1, 2, 5, NAN, NAN], [NAN, NAN, 5, 2, -1]]),
    "argsort": (lambda x: [proa.argsort(x), proa.argsort(x, descending=True, stable=True)],
                [[2, 0, 4, 1, 3], [1, 3, 4, 0, 2]]),
    "topk": (lambda x: [*proa.topk(x, 3), *proa.topk(x, 3, largest=False)],
             [[NAN, NAN, 5], [1, 3, 4], [-1, 2, 5], [2, 0, 4]]),
    "kthvalue": (lambda x: [*proa.kthvalue(x, 1), *proa.kthvalue(x, 3), proa.kthvalue(x, 4)[0]],
                 [-1, 2, 5, 4, NAN]),
    "mode": (lambda x: proa.mode(proa.concat([x, proa.to_tensor([5.0])])), [5, 5]),
    "searchsorted": (lambda x: [
        proa.searchsorted(proa.sort(x), proa.to_tensor([3.0, NAN])),
        proa.searchsorted(proa.sort(x), proa.to_tensor([3.0, NAN]), right=True),
        proa.bucketize(proa.to_tensor([NAN, -5.0]), proa.to_tensor([1.0, 2.0])),
    ], [[2, 5], [2, 5], [2, 0]]),
    "max": (lambda x: proa.max(x), NAN),
    "min": (lambda x: proa.min(x), NAN),
    "amax": (lambda x: proa.amax(x), NAN),
    "amin": (lambda x: proa.amin(x), NAN),
    "argmax": (lambda x: proa.argmax(x), 1),
    "argmin": (lambda x: proa.argmin(x), 1),
    "cummax": (lambda x: proa.cummax(x)[0], [2, NAN, NAN, NAN, NAN]),
    "cummin": (lambda x: proa.cummin(x)[0], [2, NAN, NAN, NAN, NAN]),
    "maximum": (lambda x: proa.maximum(x, proa.zeros_like(x)), [2, NAN, 0, NAN, 5]),
    "minimum": (lambda x: proa.minimum(proa.zeros_like(x), x), [0, NAN, -1, NAN, 0]),
    "fmax": (lambda x: proa.fmax(x, proa.zeros_like(x)), [2, 0, 0, 0, 5]),
    "fmin": (lambda x: proa.fmin(proa.zeros_like(x), x), [0, 0, -1, 0, 0]),
    "clip": (lambda x: proa.clip(x, 0.0, 3.0), [2, NAN, 0, NAN, 3]),
    "median_value": (lambda x: [proa.median(x), proa.nanmedian(x)], [NAN, 2]),
    "median_with_index": (lambda x: proa.median(x, axis=0, mode="min")[0], NAN),
    "quantile": (lambda x: [proa.quantile(x, 0.5), proa.nanquantile(x, 0.5)], [NAN, 2]),
    "unique": (lambda x: proa.unique(x), [-1, 2, 5, NAN, NAN]),
    "unique_consecutive": (lambda x: proa.unique_consecutive(proa.sort(x)), [-1, 2, 5, NAN, NAN]),
    "isin": (lambda x: proa.isin(x, x), [True, False, True, False, True]),
    "max_pool1d": (lambda x: pooled(F.max_pool1d, [1, 1, 6]), [NAN, 4, 5]),
    "max_pool2d": (lambda x: pooled(F.max_pool2d, [1, 1, 2, 3]), [NAN]),
    "max_pool3d": (lambda x: pooled(F.max_pool3d, [1, 3, 1, 2, 1], padding=1), None),
    "adaptive_max_pool1d": (lambda x: F.adaptive_max_pool1d(
        proa.to_tensor(SPACED).reshape([1, 1, 6]), 3).reshape([-1]), [NAN, 4, 5]),
    "adaptive_max_pool2d": (lambda x: F.adaptive_max_pool2d(
        proa.to_tensor(SPACED).reshape([1, 1, 2, 3]), 1).reshape([-1]), [NAN]),
    "adaptive_max_pool3d": (lambda x: F.adaptive_max_pool3d(
        proa.to_tensor(SPACED).reshape([1, 1, 1, 2, 3]), 1).reshape([-1]), [NAN]),
    "sum": (lambda x: [proa.sum(x), proa.sum(x > 0)], [NAN, 2]),
    "nansum": (lambda x: proa.nansum(x), 6),
    "mean": (lambda x: proa.mean(x), NAN),
    "nanmean": (lambda x: proa.nanmean(x), 2),
    "prod": (lambda x: proa.prod(x), NAN),
    "all": (lambda x: proa.all(x), True),
    "any": (lambda x: proa.any(x[1:2]), True),
    "count_nonzero": (lambda x: proa.count_nonzero(x), 5),
    "logsumexp": (lambda x: proa.logsumexp(x), NAN),
    "reduce_as": (lambda x: proa.reduce_as(x, proa.zeros([1], "float64")), [NAN]),
    "cumsum": (lambda x: proa.cumsum(x), [2, NAN, NAN, NAN, NAN]),
    "cumprod": (lambda x: proa.cumprod(x, 0), [2, NAN, NAN, NAN, NAN]),
    "logcumsumexp": (lambda x: proa.logcumsumexp(x), [2, NAN, NAN, NAN, NAN]),
    "var": (lambda x: [proa.var(x), proa.std(x)], [NAN, NAN]),
}  # fmt: skip
#: Of the same modules: no value is compared, or the answer does not depend on values.
OTHERS = {"numel", "is_empty", "sqrt_or_zero", "bincount", "histogram", "histogram_bin_edges"}
MODULES = ("_index_sort", "_index_unique", "_reduce", "_scan", "_statistics")


def test_every_op_that_orders_is_here():
    rooms = [f"proa.ops.{m}" for m in MODULES]
    named = {n for n, op in all_ops().items() if op.fn.__module__ in rooms}
    assert named - set(ORDER) - OTHERS == set()
    assert set(ORDER) - set(all_ops()) == set()


@pytest.mark.parametrize("name", ORDER)
def test_nan_in_ops_that_order(name):
    call, want = ORDER[name]
    got = call(proa.to_tensor(X))
    if want is None:
        assert np.isnan(got.numpy()).any()
    elif isinstance(got, list | tuple):
        for g, w in zip(got, want, strict=True):
            same(g, w)
    else:
        same(got, want)


@pytest.mark.parametrize("fn", [proa.cummax, proa.cummin])
def test_places_of_running_extrema_point_at_their_values(fn):
    values, places = fn(proa.to_tensor(X))
    np.testing.assert_array_equal(X[places.numpy()], values.numpy())


#: Functions whose result is no number of the same kind.
NO_NUMBERS = {"signbit", "nan_to_num", "frexp", "conj", "real", "imag", "angle", "positive"}
ELEMENTWISE = sorted(
    name
    for name, op in all_ops().items()
    if op.fn.__module__ in ("proa.ops._activation", "proa.ops._elementwise")
    and name not in NO_NUMBERS
)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_nan_stays_nan_in_functions_of_elements(name):
    fn = getattr(F, name, None) or getattr(proa, name)
    assert np.isnan(fn(proa.to_tensor([NAN, 1.0])).numpy()).tolist() == [True, False]
