from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from tests.ops.harness import Case, case_ids, check_case, positive, randn, same


def standard(x, axes, epsilon=1e-5):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def channel(value, ndim, axis=1):
    return value.reshape([-1 if i == axis else 1 for i in range(ndim)])


def batch(x, weight, bias, axis=1):
    axes = tuple(i for i in range(x.ndim) if i != axis)
    return standard(x, axes) * channel(weight, x.ndim, axis) + channel(bias, x.ndim, axis)


def group(x, groups, weight, bias):
    parts = x.reshape(x.shape[0], groups, -1)
    y = standard(parts, -1).reshape(x.shape)
    return y * channel(weight, x.ndim) + channel(bias, x.ndim)


def response(x, size):
    y = np.zeros_like(x)
    for c in range(x.shape[1]):
        low, high = max(c - size // 2, 0), c + (size - 1) // 2 + 1
        y[:, c] = (x[:, low:high] ** 2).sum(1) / size
    return x / (1 + 0.5 * y) ** 0.75


def train(x, weight, bias, data_format="NCHW"):
    size = weight.shape[0]
    mean, variance = proa.zeros([size], x.dtype), proa.ones([size], x.dtype)
    return F.batch_norm(x, mean, variance, weight, bias, True, data_format=data_format)


STABLE = {
    "tolerance": {"float32": (1e-5, 3e-6), "compiled": (1e-5, 3e-6), "sharded": (1e-5, 3e-6)},
    "reason": "a difference to the mean, divided by a small deviation",
}
CASES = [
    Case(train, (randn(4, 3, 3, 2), randn(3), randn(3)), ref=batch, id="batch_norm", **STABLE),
    Case(
        lambda x, w, b: train(x, w, b, "NHWC"),
        (randn(4, 3, 2, 3), randn(3), randn(3)),
        ref=lambda x, w, b: batch(x, w, b, 3),
        id="batch_norm_nhwc",
        **STABLE,
    ),
    Case(
        F.batch_norm,
        (randn(4, 3, 2), randn(3), positive(3), randn(3), randn(3)),
        {"data_format": "NCL"},
        ref=lambda x, m, v, w, b: (
            (x - channel(m, 3)) / np.sqrt(channel(v, 3) + 1e-5) * channel(w, 3) + channel(b, 3)
        ),
        id="batch_norm_infer",
    ),
    Case(
        lambda x, w, b: F.layer_norm(x, [3, 5], w, b),
        (randn(4, 3, 5), randn(3, 5), randn(3, 5)),
        ref=lambda x, w, b: standard(x, (1, 2)) * w + b,
        id="layer_norm",
        **STABLE,
    ),
    Case(
        lambda x, w: F.rms_norm(x, 5, w),
        (randn(4, 5), randn(5)),
        ref=lambda x, w: x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * w,
        id="rms_norm",
    ),
    Case(
        lambda x, w, b: F.instance_norm(x, weight=w, bias=b),
        (randn(4, 3, 3, 2), randn(3), randn(3)),
        ref=lambda x, w, b: standard(x, (2, 3)) * channel(w, 4) + channel(b, 4),
        id="instance_norm",
        **STABLE,
    ),
    Case(
        lambda x, w, b: F.group_norm(x, 2, weight=w, bias=b),
        (randn(4, 6, 3), randn(6), randn(6)),
        ref=lambda x, w, b: group(x, 2, w, b),
        id="group_norm",
        **STABLE,
    ),
    Case(F.local_response_norm, (randn(4, 6, 2), 3, 0.5), ref=lambda x, s, a: response(x, s)),
    Case(F.local_response_norm, (randn(4, 6, 2), 4, 0.5), ref=lambda x, s, a: response(x, s)),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


def test_running_statistics_move_in_place_and_are_biased():
    # P PR#68159, PT#19902: Paddle stores the biased variance and keeps `momentum` of the old.
    mean, variance = proa.zeros([1]), proa.ones([1])
    x = proa.arange(12, dtype="float32").reshape([2, 1, 2, 3])
    F.batch_norm(x, mean, variance, training=True, momentum=0.9)
    same(mean, [0.55])
    same(variance, [0.9 + 0.1 * np.arange(12).var()])
    assert mean.stop_gradient


def test_global_statistics_stay():
    mean, variance = proa.zeros([2]), proa.ones([2])
    y = F.batch_norm(proa.ones([3, 2]), mean, variance, training=True, use_global_stats=True)
    same(y, np.full((3, 2), 1 / np.sqrt(1 + 1e-5)))
    same(mean, [0, 0])


def test_half_precision_statistics_do_not_overflow():
    x = proa.to_tensor(np.full((64, 1, 32), 300.0), dtype="float16")
    y = F.batch_norm(x, proa.zeros([1]), proa.ones([1]), training=True, data_format="NCL")
    assert y.dtype.name == "float16"
    same(y, np.zeros((64, 1, 32)))
    same(F.rms_norm(x, [32]), np.ones((64, 1, 32)))


X, TWO = proa.zeros([2, 3, 4]), proa.zeros([2])
ERRORS = [
    (lambda: F.batch_norm(X, TWO, TWO, training=True), "`running_mean` of `batch_norm`"),
    (lambda: F.batch_norm(X, TWO, TWO, data_format="CN"), "`data_format` of `batch_norm`"),
    (lambda: F.batch_norm(proa.zeros([2]), TWO, TWO), "at least two axes"),
    (lambda: F.layer_norm(X, [3]), "the last extents of x"),
    (lambda: F.layer_norm(X, [4], TWO), "`weight` of `layer_norm`"),
    (lambda: F.group_norm(X, 2), "num_groups=2 for 3 channels"),
    (lambda: F.instance_norm(proa.zeros([2, 3])), "at least one spatial axis"),
    (lambda: F.instance_norm(X, use_input_stats=False), "running_mean and running_var"),
    (lambda: F.local_response_norm(proa.zeros([2, 3]), 3), "batch, channel and spatial"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.InvalidArgumentError, match=match):
        call()
