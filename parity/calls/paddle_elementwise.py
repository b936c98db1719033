"""Rows for what `paddle` computes element by element."""

from __future__ import annotations

from parity.table import (
    Array,
    Call,
    array,
    bfloat16,
    booleans,
    complexes,
    float64,
    integers,
    normal,
    positive,
    uniform,
)

# Defined everywhere.
_SMOOTH = """abs ceil cos cosh deg2rad digamma erf exp expm1 floor frac gammaln i0 i0e i1 i1e lgamma
    neg negative positive rad2deg round sgn sigmoid sign signbit sin sinc sinh square stanh tan tanh
    trunc nan_to_num isfinite isinf isnan isneginf isposinf isreal logical_not angle conj
    asinh atan""".split()
# Defined above zero; between -1 and 1; above 1.
_ABOVE_ZERO = "log log10 log1p log2 reciprocal rsqrt sqrt".split()
_WITHIN_ONE = "acos asin atanh erfinv".split()
_COMPLEX = """abs acos asin asinh atan acosh atanh angle conj cos cosh exp expm1 imag log log10
    log1p log2 neg real reciprocal sgn sin sinh sqrt square tan tanh isfinite isinf isnan isreal
    logical_not sigmoid""".split()
_INTEGERS = """abs ceil floor round sign square neg exp sin cos sqrt log log2 log10 log1p tanh
    reciprocal rsqrt expm1 sinh atan deg2rad rad2deg isfinite isinf isnan logical_not bitwise_not
    bitwise_invert signbit""".split()
# No function of `paddle` itself.
_ELSEWHERE = {"sigmoid": "paddle.nn.functional.sigmoid"}
_SPECIAL = array([0.0, -0.0, float("nan"), float("inf"), float("-inf"), 1.0], fixed=True)


def _unary(names: list[str], *arrays: Array) -> list[Call]:
    return [Call(_ELSEWHERE.get(name, f"paddle.{name}"), x) for name in names for x in arrays]


_BINARY = """add subtract multiply divide maximum minimum fmax fmin atan2 copysign hypot logaddexp
    heaviside floor_divide mod remainder floor_mod equal not_equal greater_than greater_equal
    less_than less_equal nextafter mul div sub""".split()
_COMPARISONS = "equal not_equal greater_than greater_equal less_than less_equal".split()
_OF_INTEGERS = """add subtract multiply divide maximum minimum floor_divide mod pow gcd lcm
    bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift equal less_than
    logical_and logical_or logical_xor""".split()
_OF_BOOLEANS = """logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor equal
    not_equal""".split()
_PAIRS = (
    (normal(3, 4), normal(3, 4)),
    (normal(3, 4), normal(4)),
    (normal(3, 1), normal(1, 4)),
    (normal(), normal(2)),
    (normal(0, 4), normal(4)),
    (float64(2, 3), float64(3)),
)

CALLS = (
    *_unary(_SMOOTH, normal(3, 4), normal(), normal(0, 3)),
    *_unary([name for name in _SMOOTH if name != "stanh"], float64(2, 3)),
    # The real one keeps the two factors in float32.
    Call("paddle.stanh", float64(2, 3), rtol=1e-6),
    *_unary(_ABOVE_ZERO, positive(3, 4), positive(), positive(2, 3, dtype="float64")),
    *_unary(_WITHIN_ONE, uniform(3, 4, low=-0.9, high=0.9), uniform(0, 2)),
    *_unary(["acosh"], uniform(3, low=1.1, high=3.0)),
    *_unary(_COMPLEX, complexes(3, 2)),
    *_unary(_INTEGERS, integers(3, 4, low=1), integers(2, low=1, dtype="int32")),
    *_unary([name for name in [*_SMOOTH, *_ABOVE_ZERO] if name != "sinc"], _SPECIAL),
    Call("paddle.sinc", _SPECIAL, differs="a NaN and infinity give NaN; the real one gives 1"),
    *_unary("floor neg ceil".split(), bfloat16(3, 4)),
    *_unary(["logical_not", "bitwise_not"], booleans(3)),
    *(Call(f"paddle.{name}", x, y) for name in _BINARY for x, y in _PAIRS),
    *(Call(f"paddle.{name}", integers(3, 4, low=1), integers(4, low=1)) for name in _OF_INTEGERS),
    *(
        Call(f"paddle.{name}", integers(3, low=1, dtype="int32"), integers(low=1, dtype="int32"))
        for name in _OF_INTEGERS
    ),
    *(Call(f"paddle.{name}", booleans(3, 4), booleans(4)) for name in _OF_BOOLEANS),
    *(
        Call(f"paddle.{name}", complexes(3), complexes(2, 3))
        for name in "add subtract multiply divide equal not_equal".split()
    ),
    *(
        Call(f"paddle.{name}", bfloat16(3, 4), bfloat16(4))
        for name in "subtract multiply maximum minimum".split()
    ),
    *(
        Call(f"paddle.{name}", array([1.0, 2.0, float("nan")]), array([1.0, 3.0, 1.0]))
        for name in [*_COMPARISONS, "maximum", "minimum", "fmax", "fmin"]
    ),
    Call("paddle.add", normal(3), bfloat16(3)),
    Call("paddle.add", normal(3), float64(3)),
    Call("paddle.add", normal(3), normal(3), alpha=2),
    Call("paddle.subtract", normal(3), normal(3), alpha=0.5),
    Call("paddle.add", normal(3, 2), normal(4), error=True),
    Call("paddle.divide", normal(3), positive(3), rounding_mode="floor"),
    Call("paddle.divide", normal(3), positive(3), rounding_mode="trunc"),
    Call("paddle.floor_divide", array([7, -7, 7, -7]), array([2, 2, -2, -2])),
    Call("paddle.remainder", array([7, -7, 7, -7]), array([3, 3, -3, -3])),
    Call("paddle.remainder", array([7.5, -7.5, 7.5, -7.5]), array([2.0, 2.0, -2.0, -2.0])),
    Call("paddle.floor_divide", array([1]), array([0]), error=True),
    Call("paddle.pow", positive(3, 4), normal(4)),
    Call("paddle.pow", positive(3), 2),
    Call("paddle.pow", positive(3), 0.5),
    Call("paddle.pow", normal(3), 3.0),
    Call("paddle.pow", integers(3), 2),
    Call("paddle.pow", complexes(3), 2),
    Call("paddle.pow", array([0.0, -2.0]), array([0.0, 3.0])),
    Call("paddle.bitwise_left_shift", integers(3), integers(3, high=4)),
    Call("paddle.bitwise_right_shift", array([-8, 8]), array([1, 1])),
    Call("paddle.bitwise_right_shift", array([-8, 8]), array([1, 1]), is_arithmetic=False),
    Call("paddle.ldexp", normal(3), integers(3)),
    Call("paddle.ldexp", integers(3), integers(3)),
    Call("paddle.frexp", normal(3), grad=False),
    Call("paddle.frexp", array([0.0, 1.0, -6.0], dtype="float64"), grad=False),
    Call("paddle.lerp", normal(3, 4), normal(3, 4), 0.3),
    Call("paddle.lerp", normal(3, 4), normal(4), uniform(3, 4, fixed=True)),
    Call("paddle.clip", normal(3, 4), min=-0.5, max=0.5),
    Call("paddle.clip", normal(3, 4), max=0.5),
    Call("paddle.clip", integers(5), min=2, max=5),
    Call("paddle.clamp", normal(3), -0.1, 0.1),
    Call("paddle.clip", normal(3)),
    Call("paddle.scale", normal(3), 2.0, 1.0),
    Call("paddle.scale", normal(3), 2.0, 1.0, bias_after_scale=False),
    Call("paddle.scale", integers(3), 2, 1),
    Call("paddle.scale", normal(3), 2.0, act="tanh"),
    Call("paddle.stanh", normal(3), 0.5, 2.0),
    Call("paddle.round", uniform(6, low=-9, high=9), decimals=1),
    Call("paddle.round", array([0.5, 1.5, 2.5, -0.5, -1.5])),
    Call("paddle.logit", uniform(4, low=0.1, high=0.9)),
    Call("paddle.logit", uniform(4, low=-0.5, high=1.5), eps=0.2),
    Call("paddle.nan_to_num", array([float("nan"), float("inf"), -float("inf"), 2.0])),
    Call("paddle.nan_to_num", array([float("nan"), float("inf"), 2.0]), nan=1.0, posinf=5.0),
    Call("paddle.polygamma", positive(3), 0),
    Call("paddle.polygamma", positive(3), 2),
    Call("paddle.multigammaln", uniform(3, low=2.0, high=4.0), 3),
    Call("paddle.gammainc", positive(3), positive(3, fixed=True), grad=False),
    Call("paddle.gammaincc", positive(3, fixed=True), positive(3)),
    Call("paddle.gammainc", positive(3, fixed=True), positive(3)),
    Call("paddle.increment", normal(1), 2.0, grad=False),
    Call("paddle.isclose", normal(3), normal(3)),
    Call("paddle.isclose", array([1.0, float("nan")]), array([1.0, float("nan")]), equal_nan=True),
    Call("paddle.isclose", array([1.0, 2.0]), array([1.1, 2.5]), rtol=0.05, atol=0.1),
    Call("paddle.allclose", normal(3), normal(3)),
    Call("paddle.allclose", array([1.0, 2.0]), array([1.0, 2.0])),
    Call("paddle.equal_all", integers(3), integers(3)),
    Call("paddle.equal_all", integers(3), integers(2)),
    Call("paddle.complex", normal(3), normal(2, 3)),
    Call("paddle.complex", float64(3), float64(3)),
    Call("paddle.polar", positive(3), normal(3)),
    Call("paddle.as_complex", normal(3, 2)),
    Call("paddle.as_real", complexes(3)),
    Call("paddle.imag", complexes(3)),
    Call("paddle.add_n", [normal(3), normal(3), normal(3)]),
    Call("paddle.add_n", normal(3)),
    Call("paddle.multiplex", [normal(4, 2), normal(4, 2)], integers(4, 1, high=2, dtype="int32")),
    Call("paddle.cast", normal(5), "int32"),
    Call("paddle.cast", normal(5), "bfloat16"),
    Call("paddle.cast", integers(5), "bool"),
    Call("paddle.cast", booleans(5), "float32"),
    Call("paddle.cast", complexes(3), "float32"),
    Call("paddle.cast", float64(3), "complex64"),
    Call("paddle.where", booleans(3, 4), normal(3, 4), normal(4)),
    Call("paddle.where", booleans(3, 4), normal(3, 4), 1.0),
    Call("paddle.where", booleans(4), 0.5, normal(4)),
    Call("paddle.where", booleans(3, 4)),
    Call("paddle.where", booleans(4), integers(4), integers(4)),
    Call("paddle.trapezoid", normal(3, 4)),
    Call("paddle.trapezoid", normal(3, 4), dx=0.5, axis=0),
    Call("paddle.trapezoid", normal(3, 4), normal(4)),
    Call("paddle.cumulative_trapezoid", normal(3, 4)),
    Call("paddle.cumulative_trapezoid", normal(3, 4), normal(4), axis=-1),
    Call("paddle.softmax", normal(3, 4), dim=-1),
    Call("paddle.is_complex", complexes(2)),
    Call("paddle.is_floating_point", normal(2)),
    Call("paddle.is_integer", integers(2)),
    Call("paddle.is_empty", normal(0)),
    Call("paddle.is_tensor", normal(2)),
    Call("paddle.rank", normal(2, 3)),
    Call("paddle.numel", normal(2, 3)),
    Call("paddle.shape", normal(2, 3)),
)
