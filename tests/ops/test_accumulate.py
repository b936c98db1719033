"""Sums of half precision accumulate in float32, in every op that sums, and in gradients.

A running sum of ones stops at 2048 in float16, at 256 in bfloat16. Kinds of PT#91597, PT#44350,
JAX PR#17792, P PR#78451.
"""

from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.linalg
import proa.nn.functional as F
from proa.core import all_ops

N = 4096
LINE, SQUARE = [N], [64, N // 64]


def ones(dtype, *shape):
    return proa.ones(list(shape) or LINE, dtype)


def zebra(dtype):
    """0, 2, 0, 2, ...: mean 1, variance 1."""
    return proa.to_tensor(np.arange(N) % 2 * 2.0, dtype=dtype)


def last(x):
    return x.reshape([-1])[-1]


def added(dtype, write):
    return last(write(proa.zeros([1], dtype), proa.zeros([N], "int64"), ones(dtype)))


SUMS = {
    "sum": (lambda d: proa.sum(ones(d)), N),
    "nansum": (lambda d: proa.nansum(ones(d)), N),
    "mean": (lambda d: proa.mean(ones(d) * 24), 24),
    "nanmean": (lambda d: proa.nanmean(ones(d) * 24), 24),
    "prod": (lambda d: proa.prod(proa.full([512], 1 + 2**-7, d)), (1 + 2**-7) ** 512),
    "logsumexp": (lambda d: proa.logsumexp(ones(d) - 1), np.log(N)),
    "reduce_as": (lambda d: proa.reduce_as(ones(d), ones(d, 1))[0], N),
    "cumsum": (lambda d: last(proa.cumsum(ones(d))), N),
    "cumprod": (
        lambda d: last(proa.cumprod(proa.full([512], 1 + 2**-7, d), 0)), (1 + 2**-7) ** 512),
    "logcumsumexp": (lambda d: last(proa.logcumsumexp(ones(d) - 1)), np.log(N)),
    "var": (lambda d: proa.var(zebra(d), unbiased=False), 1),
    "vector_norm": (lambda d: proa.linalg.norm(ones(d)), 64),
    "dist": (lambda d: proa.dist(ones(d), 0 * ones(d)), 64),
    "dot": (lambda d: proa.dot(ones(d), ones(d)), N),
    "inner": (lambda d: proa.inner(ones(d), ones(d)), N),
    "vecdot": (lambda d: proa.linalg.vecdot(ones(d), ones(d)), N),
    "matmul": (lambda d: last(proa.matmul(ones(d, 1, N), ones(d, N, 1))), N),
    "mm": (lambda d: last(proa.mm(ones(d, 1, N), ones(d, N, 1))), N),
    "bmm": (lambda d: last(proa.bmm(ones(d, 1, 1, N), ones(d, 1, N, 1))), N),
    "mv": (lambda d: last(proa.mv(ones(d, 1, N), ones(d))), N),
    "einsum": (lambda d: proa.einsum("i,i->", ones(d), ones(d)), N),
    "tensordot": (lambda d: proa.tensordot(ones(d), ones(d), 1), N),
    "linear": (lambda d: last(F.linear(ones(d, 1, N), ones(d, N, 1))), N),
    "trace": (lambda d: proa.trace(proa.eye(600, dtype=d)), 600),
    "trapezoid": (lambda d: proa.trapezoid(ones(d, N + 1)), N),
    "cumulative_trapezoid": (lambda d: last(proa.cumulative_trapezoid(ones(d, N + 1))), N),
    "layer_norm": (lambda d: last(F.layer_norm(zebra(d), [N])), 1),
    "rms_norm": (lambda d: last(F.rms_norm(ones(d, 1, N) * 3, [N], ones(d))), 1),
    "group_norm": (lambda d: last(F.group_norm(zebra(d).reshape([1, 1, N]), 1)), 1),
    "instance_norm_batch": (lambda d: last(F.instance_norm(zebra(d).reshape([1, 1, N]))), 1),
    "batch_norm_train": (
        lambda d: last(F.batch_norm(
            zebra(d).reshape([N, 1]), proa.zeros([1]), proa.ones([1]), training=True)), 1),
    "softmax": (lambda d: last(F.softmax(ones(d))), 1 / N),
    "log_softmax": (lambda d: last(F.log_softmax(ones(d))), -np.log(N)),
    "normalize": (lambda d: last(F.normalize(ones(d), axis=0)), 1 / 64),
    "cosine_similarity": (lambda d: F.cosine_similarity(ones(d), ones(d), axis=0), 1),
    "pairwise_distance": (lambda d: F.pairwise_distance(ones(d), 0 * ones(d), epsilon=0.0), 64),
    "avg_pool1d": (lambda d: last(F.avg_pool1d(ones(d, 1, 1, N) * 24, N)), 24),
    "avg_pool2d": (lambda d: last(F.avg_pool2d(ones(d, 1, 1, *SQUARE) * 24, 64)), 24),
    "avg_pool3d": (lambda d: last(F.avg_pool3d(ones(d, 1, 1, 1, *SQUARE) * 24, [1, 64, 64])), 24),
    "adaptive_avg_pool1d": (lambda d: last(F.adaptive_avg_pool1d(ones(d, 1, 1, N) * 24, 1)), 24),
    "adaptive_avg_pool2d": (lambda d: last(
        F.adaptive_avg_pool2d(ones(d, 1, 1, *SQUARE) * 24, 1)), 24),
    "adaptive_avg_pool3d": (lambda d: last(
        F.adaptive_avg_pool3d(ones(d, 1, 1, 1, *SQUARE) * 24, 1)), 24),
    "lp_pool1d": (lambda d: last(F.lp_pool1d(ones(d, 1, 1, N), 2.0, N)), 64),
    "lp_pool2d": (lambda d: last(F.lp_pool2d(ones(d, 1, 1, *SQUARE), 2.0, 64)), 64),
    "conv1d": (lambda d: last(F.conv1d(ones(d, 1, 1, N), ones(d, 1, 1, N))), N),
    "conv2d": (lambda d: last(F.conv2d(ones(d, 1, 64, 8, 8), ones(d, 1, 64, 8, 8))), N),
    "mse_loss": (lambda d: F.mse_loss(ones(d) * 5, 0 * ones(d)), 25),
    "l1_loss": (lambda d: F.l1_loss(ones(d) * 5, 0 * ones(d), "sum"), 5 * N),
    "cross_entropy": (lambda d: F.cross_entropy(
        ones(d, N, 2), proa.zeros([N], "int64"), reduction="sum"), N * np.log(2)),
    "nll_loss": (lambda d: F.nll_loss(
        -ones(d, N, 2), proa.zeros([N], "int64"), reduction="sum"), N),
    "index_add": (lambda d: added(d, lambda x, i, v: proa.index_add(x, i, 0, v)), N),
    "scatter_nd_add": (lambda d: added(
        d, lambda x, i, v: proa.scatter_nd_add(x, i.unsqueeze(1), v)), N),
    "scatter_nd": (lambda d: added(
        d, lambda x, i, v: proa.scatter_nd(i.unsqueeze(1), v, [1])), N),
    "scatter": (lambda d: added(d, lambda x, i, v: proa.scatter(x, i, v, overwrite=False)), N),
    "put_along_axis": (lambda d: added(
        d, lambda x, i, v: proa.put_along_axis(x, i, v, 0, "add", broadcast=False)), N),
    "geometric_segment": (lambda d: added(
        d, lambda x, i, v: proa.geometric.segment_sum(v, i)), N),
    "add_n": (lambda d: last(proa.add_n([ones(d, 1) * 2048, *[ones(d, 1)] * 64])), 2112),
    "gradient of expand": (lambda d: gradient(d, lambda x: proa.expand(x, LINE)), N),
    "gradient of broadcasting": (lambda d: gradient(d, lambda x: x + proa.zeros(LINE, d)), N),
    "gradient of gather": (
        lambda d: gradient(d, lambda x: proa.gather(x, proa.zeros(LINE, "int64"))), N),
    "gradient of embedding": (
        lambda d: gradient(d, lambda x: F.embedding(proa.zeros(LINE, "int64"), x.reshape([1, 1]))),
        N),
    "gradient of indexing": (lambda d: gradient(d, lambda x: x[proa.zeros(LINE, "int64")]), N),
    "gradient of tile": (lambda d: gradient(d, lambda x: proa.tile(x, LINE)), N),
    "gradient of linear": (
        lambda d: gradient(d, lambda x: F.linear(ones(d, N, 1), x.reshape([1, 1]))), N),
    "gradient of a bias": (
        lambda d: gradient(d, lambda x: F.linear(ones(d, N, 1), ones(d, 1, 1), x)), N),
    "gradient of conv": (
        lambda d: gradient(d, lambda x: F.conv1d(ones(d, 1, 1, N), x.reshape([1, 1, 1]))), N),
}  # fmt: skip
MODULES = ("_reduce", "_scan")
OTHERS = {
    *("max", "min", "amax", "amin", "argmax", "argmin", "all", "any", "count_nonzero", "numel"),
    *("is_empty", "cummax", "cummin"),
}


def gradient(dtype, fn):
    x = ones(dtype, 1)
    x.stop_gradient = False
    fn(x).sum().backward()
    return last(x.grad)


def test_every_sum_is_here():
    rooms = [f"proa.ops.{m}" for m in MODULES]
    named = {n for n, op in all_ops().items() if op.fn.__module__ in rooms}
    assert named - set(SUMS) - OTHERS == set()


@pytest.mark.parametrize("name", SUMS)
def test_halves_add_up_in_float32(name):
    call, want = SUMS[name]
    for dtype, tolerance in (("float16", 2e-3), ("bfloat16", 1.6e-2)):
        np.testing.assert_allclose(float(call(dtype)), want, rtol=tolerance)
