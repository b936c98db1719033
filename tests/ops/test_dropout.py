from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from tests.ops.harness import same


def test_share_scale_and_gradient():
    x = proa.ones([200, 100])
    x.stop_gradient = False
    y = F.dropout(x, 0.3)
    values = y.numpy()
    assert abs((values == 0).mean() - 0.3) < 0.01
    np.testing.assert_allclose(values[values != 0], 1 / 0.7, rtol=1e-6)
    y.sum().backward()
    same(x.grad, values)


def test_draws_differ_and_repeat_with_the_seed():
    x = proa.ones([64])
    proa.seed(1)
    first, second = F.dropout(x).numpy(), F.dropout(x).numpy()
    proa.seed(1)
    assert (F.dropout(x).numpy() == first).all()
    assert (first != second).any()


def test_modes():
    x = proa.ones([1000])
    same(F.dropout(x, 0.25, training=False), np.ones(1000))
    same(F.dropout(x, 0.25, training=False, mode="downscale_in_infer"), np.full(1000, 0.75))
    kept = F.dropout(x, 0.25, mode="downscale_in_infer").numpy()
    assert set(kept) == {0.0, 1.0}


@pytest.mark.parametrize("p", [0, 1, 1.0])
def test_all_or_nothing(p):
    x = proa.ones([5])
    x.stop_gradient = False
    y = F.dropout(x, p)
    same(y, np.full(5, 1.0 - p))
    y.sum().backward()
    same(x.grad, np.full(5, 1.0 - p))
    same(F.alpha_dropout(x, p), np.full(5, 1.0 - p))


def test_axis_shares_draws():
    y = F.dropout(proa.ones([8, 50]), 0.5, axis=1).numpy()
    assert (y == y[0]).all()
    assert len(set(y[0])) == 2


WHOLE = [
    (lambda x: F.dropout1d(x), [16, 32, 5], (0, 1)),
    (lambda x: F.dropout1d(x), [64, 5], (0,)),
    (lambda x: F.dropout2d(x), [16, 32, 3, 2], (0, 1)),
    (lambda x: F.dropout2d(x, data_format="NHWC"), [16, 3, 2, 32], (0, 3)),
    (lambda x: F.dropout3d(x), [16, 32, 2, 3, 2], (0, 1)),
    (lambda x: F.dropout3d(x, data_format="NDHWC"), [16, 2, 3, 2, 32], (0, 4)),
]


@pytest.mark.parametrize(("function", "shape", "kept"), WHOLE)
def test_whole_channels(function, shape, kept):
    y = function(proa.ones(shape)).numpy()
    rest = tuple(i for i in range(len(shape)) if i not in kept)
    assert (y.min(rest) == y.max(rest)).all()
    assert set(np.unique(y)) == {0.0, 2.0}


@pytest.mark.parametrize("function", [F.alpha_dropout, F.feature_alpha_dropout])
def test_alpha_dropout_keeps_the_moments(function):
    x = proa.to_tensor(np.random.default_rng(0).standard_normal((200, 300)))
    y = function(x, 0.4).numpy()
    assert abs(y.mean()) < 0.02
    assert abs(y.std() - 1) < 0.02
    same(function(x, 0.4, training=False), x.numpy())


X = proa.ones([2, 3])
ERRORS = [
    (lambda: F.dropout(X, 1.5), "`p` of `dropout` is 1.5"),
    (lambda: F.dropout(X, mode="upscale"), "`mode` of `dropout`"),
    (lambda: F.dropout(X, axis=2), "`axis` of `dropout` is 2"),
    (lambda: F.dropout2d(X), "4 axes"),
    (lambda: F.dropout3d(proa.ones([1] * 5), data_format="NCHW"), "'NCDHW' or 'NDHWC'"),
    (lambda: F.alpha_dropout(X, -0.1), "`p` of `alpha_dropout`"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.InvalidArgumentError, match=match):
        call()
