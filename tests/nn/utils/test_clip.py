"""clip_grad_norm_ and clip_grad_value_."""

from __future__ import annotations

import numpy as np
import pytest

from proa.core import InvalidArgumentError, NonFiniteError, Parameter, Tensor
from proa.nn.utils._clip import clip_grad_norm_, clip_grad_value_


def make_parameters(*grads):
    params = []
    for grad in grads:
        param = Parameter(np.zeros(len(grad), "float32"))
        param.grad = Tensor(np.asarray(grad, "float32"))
        params.append(param)
    return params


@pytest.mark.parametrize(
    ("norm_type", "norm", "expected"),
    [
        # Recorded with paddle 3.3.1, one parameter with gradient [3, -4], max_norm 1.
        (2.0, 5.0, [0.5999999, -0.7999998]),
        (float("inf"), 4.0, [0.74999982, -0.99999976]),
        (1, 7.0, [0.42857134, -0.57142848]),
        (0, 1.0, [2.99999714, -3.99999619]),
    ],
)
def test_norms_equal_the_recorded_ones(norm_type, norm, expected):
    (param,) = make_parameters([3.0, -4.0])
    held = param.grad
    found = clip_grad_norm_(param, 1.0, norm_type)
    assert (found.shape, float(found)) == ([], norm)
    assert held is param.grad
    assert held.tolist() == pytest.approx(expected, rel=1e-6)


def test_norm_is_common_to_all_gradients():
    params = [*make_parameters([3.0], [4.0]), Parameter([1.0])]
    assert float(clip_grad_norm_(iter(params), 2.5)) == 5.0
    assert [param.grad.tolist() for param in params[:2]] == [
        pytest.approx([1.5]),
        pytest.approx([2.0]),
    ]
    assert params[2].grad is None


def test_small_gradients_stay():
    (param,) = make_parameters([0.3, 0.4])
    clip_grad_norm_([param], 1.0)
    assert param.grad.numpy().tolist() == np.float32([0.3, 0.4]).tolist()


def test_without_gradients_the_norm_is_zero():
    assert float(clip_grad_norm_([Parameter([1.0])], 1.0)) == 0.0
    clip_grad_value_([Parameter([1.0])], 1.0)


def test_infinite_norm_raises_on_request_and_leaves_the_gradients():
    (param,) = make_parameters([np.inf, 1.0])
    with pytest.raises(NonFiniteError, match="the norm of 1 gradients is inf"):
        clip_grad_norm_([param], 1.0, error_if_nonfinite=True)
    assert param.grad.tolist() == [np.inf, 1.0]
    # Without the request: as paddle 3.3.1 and torch 2.13.
    clip_grad_norm_([param], 1.0)
    assert np.isnan(param.grad.numpy()).tolist() == [True, False]


def test_values_are_limited():
    params = make_parameters([3.0, -4.0], [9.0])
    assert clip_grad_value_(params, 3.5) is None
    assert [param.grad.tolist() for param in params] == [[3.0, -3.5], [3.5]]


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: clip_grad_norm_([], 1.0, 3.0), "`norm_type` is 3.0"),
        (lambda: clip_grad_norm_([], -1.0), "`max_norm` is -1.0"),
        (lambda: clip_grad_norm_([], float("nan")), "`max_norm` is nan"),
        (lambda: clip_grad_value_([], -1.0), "`clip_value` is -1.0"),
    ],
)
def test_wrong_arguments_are_named(act, message):
    with pytest.raises(InvalidArgumentError, match=message):
        act()
