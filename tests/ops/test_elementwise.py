from __future__ import annotations

import numpy as np
import pytest

import proa
from tests.ops.harness import (
    Case,
    bools,
    case_ids,
    check_case,
    complexes,
    ints,
    positive,
    randn,
    same,
    uniform,
)

NAN, INF = float("nan"), float("inf")


def frexp_ref(x):
    mantissa, exponent = np.frexp(x)
    return mantissa, exponent.astype(float)


def logit_ref(x, eps=0.0):
    x = np.clip(x, eps, 1 - eps) if eps else x
    return np.log(x / (1 - x))


CASES = [
    Case(proa.abs, (randn(4, 3),), ref=np.abs),
    Case(proa.neg, (randn(4, 3),), ref=np.negative),
    Case(proa.negative, (randn(4),), ref=np.negative),
    Case(proa.positive, (randn(4),), ref=np.positive),
    Case(proa.exp, (randn(4, 3),), ref=np.exp),
    Case(proa.expm1, (randn(4, 3),), ref=np.expm1),
    Case(proa.log, (positive(4, 3),), ref=np.log),
    Case(proa.log2, (positive(4),), ref=np.log2),
    Case(proa.log10, (positive(4),), ref=np.log10),
    Case(proa.log1p, (positive(4),), ref=np.log1p),
    Case(proa.sqrt, (positive(4, 3),), ref=np.sqrt),
    Case(proa.rsqrt, (positive(4),), ref=lambda x: 1 / np.sqrt(x)),
    Case(proa.square, (randn(4),), ref=np.square),
    Case(proa.reciprocal, (positive(4),), ref=np.reciprocal),
    Case(proa.sin, (randn(4, 3),), ref=np.sin),
    Case(proa.cos, (randn(4, 3),), ref=np.cos),
    Case(proa.tan, (uniform(-1, 1, 4),), ref=np.tan),
    Case(proa.asin, (uniform(-0.9, 0.9, 4),), ref=np.arcsin),
    Case(proa.acos, (uniform(-0.9, 0.9, 4),), ref=np.arccos),
    Case(proa.atan, (randn(4),), ref=np.arctan),
    Case(proa.sinh, (randn(4),), ref=np.sinh),
    Case(proa.cosh, (randn(4),), ref=np.cosh),
    Case(proa.tanh, (randn(4, 3),), ref=np.tanh),
    Case(proa.asinh, (randn(4),), ref=np.arcsinh),
    Case(proa.acosh, (uniform(1.2, 3, 4),), ref=np.arccosh),
    Case(proa.atanh, (uniform(-0.8, 0.8, 4),), ref=np.arctanh),
    Case(proa.stanh, (randn(4),), ref=lambda x: 1.7159 * np.tanh(0.67 * x)),
    Case(proa.stanh, (randn(4), 0.5, 2.0), ref=lambda x, a, b: b * np.tanh(a * x)),
    Case(proa.sinc, (randn(4),), ref=np.sinc),
    Case(proa.deg2rad, (randn(4),), ref=np.deg2rad),
    Case(proa.rad2deg, (randn(4),), ref=np.rad2deg),
    Case(proa.ops.sigmoid, (randn(4, 3),), ref=lambda x: 1 / (1 + np.exp(-x)), id="sigmoid"),
    Case(proa.logit, (uniform(0.1, 0.9, 4),), ref=logit_ref),
    Case(proa.logit, (uniform(0.1, 0.9, 4), 0.2), ref=logit_ref),
    Case(proa.floor, (randn(4, 3) * 3,), ref=np.floor),
    Case(proa.ceil, (randn(4, 3) * 3,), ref=np.ceil),
    Case(proa.trunc, (randn(4) * 3,), ref=np.trunc),
    Case(proa.frac, (randn(4),), ref=lambda x: x - np.trunc(x)),
    Case(proa.round, (randn(4) * 3,), ref=np.round),
    Case(
        proa.round,
        (randn(4) * 30, 1),
        ref=np.round,
        low=(),
        grad=False,
        id="round to a decimal",
    ),
    Case(proa.sign, (randn(4),), ref=np.sign),
    Case(proa.sgn, (randn(4),), ref=np.sign),
    Case(proa.signbit, (randn(4),), ref=np.signbit),
    Case(proa.nan_to_num, (randn(4),), ref=np.nan_to_num),
    Case(proa.conj, (complexes(4),), ref=np.conj),
    Case(proa.real, (complexes(4),), ref=np.real),
    Case(proa.imag, (complexes(4),), ref=np.imag),
    Case(proa.angle, (complexes(4),), ref=np.angle),
    Case(proa.angle, (randn(4),), ref=np.angle, id="angle of real numbers"),
    Case(proa.abs, (complexes(4),), ref=np.abs, id="abs of complex numbers"),
    Case(proa.exp, (complexes(4),), ref=np.exp, id="exp of complex numbers"),
    Case(proa.sin, (complexes(4),), ref=np.sin, id="sin of complex numbers"),
    Case(proa.frexp, (randn(4) * 9,), ref=frexp_ref),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_elementwise(case):
    check_case(case)


INTEGER_TO_FLOAT = [
    "acos asin atan cos cosh deg2rad exp expm1 log log10 log1p log2 rad2deg reciprocal rsqrt",
    "sigmoid sin sinc sinh sqrt stanh tan tanh asinh acosh atanh angle logit",
]


@pytest.mark.parametrize("name", " ".join(INTEGER_TO_FLOAT).split())
def test_integers_give_float32_and_never_float64(name):
    for dtype in ("int64", "int32", "uint8"):
        assert getattr(proa.ops, name)(proa.ones([2], dtype)).dtype == "float32"


@pytest.mark.parametrize("name", ["floor", "ceil", "trunc", "round", "abs", "sign", "square"])
def test_integers_stay_integers(name):
    x = ints(-5, 5, 4, dtype="int32")
    out = getattr(proa, name)(proa.to_tensor(x))
    assert out.dtype == "int32"
    want = {"abs": np.abs, "sign": np.sign, "square": np.square}.get(name, lambda v: v)(x)
    assert out.tolist() == want.tolist()


EDGES = [
    ("halves round to even", proa.round, [0.5, 1.5, 2.5, -0.5], [0.0, 2.0, 2.0, -0.0]),
    ("log at and below 0", proa.log, [0.0, -1.0], [-INF, NAN]),
    ("sqrt below 0", proa.sqrt, [-1.0, 0.0], [NAN, 0.0]),
    ("sign of NaN", proa.sign, [NAN, 0.0, -0.0, -2.0], [NAN, 0.0, 0.0, -1.0]),
    ("signbit of -0", proa.signbit, [-0.0, 0.0], [True, False]),
    ("sinc at 0", proa.sinc, [0.0], [1.0]),
    ("logit outside", proa.logit, [-1.0, 0.0, 0.5, 1.0], [NAN, -INF, 0.0, INF]),
    ("angle", proa.angle, [-1.0, 2.0, NAN, 0.0], [np.pi, 0.0, NAN, 0.0]),
    ("frac keeps the sign", proa.frac, [-1.5, 1.5], [-0.5, 0.5]),
]


@pytest.mark.parametrize(("fn", "given", "want"), [e[1:] for e in EDGES], ids=[e[0] for e in EDGES])
def test_edges(fn, given, want):
    same(fn(proa.to_tensor(given)), want)


def test_nan_to_num_fills_in_the_limits_of_the_dtype():
    x = proa.to_tensor([NAN, INF, -INF])
    limit = float(np.finfo(np.float32).max)
    same(proa.nan_to_num(x), [0.0, limit, -limit])
    same(proa.nan_to_num(x, 1.0, 2.0, 3.0), [1.0, 2.0, 3.0])


def test_logit_eps_clips():
    limit = float(np.log(0.99 / 0.01))
    same(proa.logit(proa.to_tensor([-1.0, 0.0, 1.0]), 0.01), [-limit, -limit, limit])


@pytest.mark.parametrize("shape", [[], [0], [2, 0, 3]])
def test_any_shape(shape):
    assert proa.exp(proa.zeros(shape)).shape == shape


def test_gradient_of_abs_at_zero_is_zero():
    x = proa.to_tensor([0.0, -1.0], stop_gradient=False)
    proa.abs(x).sum().backward()
    same(x.grad, [0.0, -1.0])


INPLACE = [
    "abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor frac log log10 log1p log2",
    "logit nan_to_num neg reciprocal round rsqrt sigmoid sin sinc sinh sqrt square tan tanh trunc",
]


@pytest.mark.parametrize("name", " ".join(INPLACE).split())
def test_in_place_forms_overwrite_and_return_the_tensor(name):
    x = proa.to_tensor([0.25, 0.75])
    want = getattr(proa.ops, name)(x).numpy()
    alias = x
    assert getattr(x, f"{name}_")() is x
    same(alias, want)
    same(getattr(proa.ops, f"{name}_")(proa.to_tensor([0.25, 0.75])), want)


def test_out_takes_the_result():
    out = proa.zeros([2])
    assert proa.exp(proa.to_tensor([0.0, 0.0]), out=out) is out
    same(out, [1.0, 1.0])


@pytest.mark.parametrize("name", ["floor", "ceil", "trunc", "frac", "signbit"])
def test_complex_numbers_are_refused_where_there_is_no_order(name):
    with pytest.raises(TypeError, match=f"`{name}` of a complex64 tensor"):
        getattr(proa, name)(proa.to_tensor([1j]))


@pytest.mark.parametrize("name", ["negative", "positive"])
def test_booleans_have_no_sign(name):
    with pytest.raises(TypeError, match="of a bool tensor"):
        getattr(proa, name)(proa.to_tensor(bools(2)))
