from __future__ import annotations

import numpy as np
import pytest
from scipy.special import erf, expit

import proa
import proa.nn.functional as F
from proa.core import InvalidArgumentError, PreconditionError
from tests.ops.harness import Case, case_ids, check_case, randn, same


def x():
    return randn(4, 3) * 2


def piecewise(condition, yes, no):
    return lambda v: np.where(condition(v), yes(v), no(v))


def tanh_gelu(v, _):
    return 0.5 * v * (1 + np.tanh(np.sqrt(2 / np.pi) * (v + 0.044715 * v**3)))


SLOPE = 0.1666667
CASES = [
    Case(F.relu, (x(),), ref=lambda v: np.maximum(v, 0)),
    Case(F.relu6, (x() * 3,), ref=lambda v: np.clip(v, 0, 6)),
    Case(F.gelu, (x(),), ref=lambda v: v * 0.5 * (1 + erf(v / np.sqrt(2)))),
    Case(F.gelu, (x(), True), ref=tanh_gelu),
    Case(F.silu, (x(),), ref=lambda v: v * expit(v)),
    Case(F.swish, (x(),), ref=lambda v: v * expit(v)),
    Case(F.mish, (x(),), ref=lambda v: v * np.tanh(np.log1p(np.exp(v)))),
    Case(F.leaky_relu, (x(), 0.2), ref=lambda v, s: np.where(v > 0, v, s * v)),
    Case(F.elu, (x(), 0.7), ref=lambda v, a: np.where(v > 0, v, a * np.expm1(v))),
    Case(F.celu, (x(), 0.7), ref=lambda v, a: np.where(v > 0, v, a * np.expm1(v / a))),
    Case(F.selu, (x(), 1.5, 2.0), ref=lambda v, s, a: s * np.where(v > 0, v, a * np.expm1(v))),
    Case(F.hardtanh, (x(), -0.7, 0.6), ref=np.clip),
    Case(F.hardsigmoid, (x() * 3,), ref=lambda v: np.clip(SLOPE * v + 0.5, 0, 1)),
    Case(F.hardswish, (x() * 2,), ref=lambda v: v * np.clip(v + 3, 0, 6) / 6),
    Case(F.hardshrink, (x(), 0.6), ref=lambda v, t: np.where(np.abs(v) > t, v, 0)),
    Case(F.softshrink, (x(), 0.6), ref=lambda v, t: np.sign(v) * np.maximum(np.abs(v) - t, 0)),
    Case(
        F.tanhshrink,
        (x(),),
        ref=lambda v: v - np.tanh(v),
        tolerance={"bfloat16": (3e-2, 3e-2), "float16": (4e-3, 4e-3)},
        reason="a difference of nearly equal numbers",
    ),
    Case(
        F.softplus,
        (x(), 2.0, 1.5),
        ref=lambda v, b, t: np.where(v * b > t, v, np.log1p(np.exp(b * v)) / b),
    ),
    Case(F.softsign, (x(),), ref=lambda v: v / (1 + np.abs(v))),
    Case(F.thresholded_relu, (x(), 0.5, 0.1), ref=lambda v, t, u: np.where(v > t, v, u)),
    Case(F.log_sigmoid, (x(),), ref=lambda v: np.log(expit(v))),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


# Gradients at the kinks, as Paddle 3.3.1 gives them.
KINKS = [
    (F.relu, 0.0, 0.0),
    (F.relu6, 6.0, 0.0),
    (F.leaky_relu, 0.0, 1.0),
    (F.elu, 0.0, 1.0),
    (F.selu, 0.0, 1.0507009873554805 * 1.6732632423543772),
    (F.hardtanh, 1.0, 0.0),
    (F.hardtanh, -1.0, 0.0),
    (F.hardswish, -3.0, 0.0),
    (F.hardswish, 3.0, 1.0),
    (F.softshrink, 0.5, 0.0),
    (F.thresholded_relu, 1.0, 0.0),
]


@pytest.mark.parametrize(("function", "place", "slope"), KINKS)
def test_gradient_at_kinks(function, place, slope):
    v = proa.to_tensor([place], stop_gradient=False)
    function(v).sum().backward()
    same(v.grad, [slope])


@pytest.mark.parametrize("function", [F.elu, F.celu, F.selu, F.softplus, F.mish, F.log_sigmoid])
def test_gradient_stays_finite_far_out(function):
    v = proa.to_tensor([-1000.0, 1000.0], stop_gradient=False)
    function(v).sum().backward()
    assert np.isfinite(v.grad.numpy()).all()


@pytest.mark.parametrize("function", [F.relu, F.relu6, F.hardtanh, F.hardswish, F.gelu])
def test_nan_passes(function):
    assert np.isnan(function(proa.to_tensor([np.nan])).item())


def test_integers():
    same(F.relu(proa.to_tensor([-2, 3])), [0, 3], "int64")
    same(F.silu(proa.to_tensor([0])), [0.0], "float32")


@pytest.mark.parametrize("name", ["relu_", "leaky_relu_", "elu_", "hardtanh_", "thresholded_relu_"])
def test_in_place(name):
    v = proa.to_tensor([-2.0, 0.5, 3.0])
    wanted = getattr(F, name.removesuffix("_"))(v).numpy()
    assert getattr(F, name)(v) is v
    same(v, wanted)


def test_silu_writes_to_its_input_where_it_is_told():
    x = proa.to_tensor([0.0, 1.0])
    made = F.silu(x, inplace=True)
    assert made is x
    same(x, [0.0, 0.7310586], "float32")
    leaf = proa.to_tensor([1.0], stop_gradient=False)
    with pytest.raises(PreconditionError, match="in-place write to leaf"):
        F.silu(leaf, True)


def test_gelu_takes_words():
    x = proa.to_tensor([-1.0, 0.5])
    assert F.gelu(x, approximate="tanh").tolist() == F.gelu(x, True).tolist()
    assert F.gelu(x, approximate="none").tolist() == F.gelu(x).tolist()
    with pytest.raises(InvalidArgumentError, match="`approximate` of `gelu` is 'erf'"):
        F.gelu(x, approximate="erf")
