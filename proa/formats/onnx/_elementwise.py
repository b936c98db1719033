"""ONNX nodes of ops that work element by element: arithmetic, comparisons, logic, functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._graph import CannotWrite, Graph, Ref
from ._rules import floating, need, promoted, widened, writes

_ARITHMETIC = {
    "add": "Add",
    "subtract": "Sub",
    "multiply": "Mul",
    "maximum": "Max",
    "minimum": "Min",
}
# What arithmetic on booleans is.
_BOOLEAN = {"add": "Or", "multiply": "And", "maximum": "Or", "minimum": "And"}


@writes(*_ARITHMETIC)
def _arithmetic(g: Graph, x: Ref, y: Ref) -> Ref:
    name = g.call.op.name
    kind = _BOOLEAN[name] if g.dtype == np.bool_ else _ARITHMETIC[name]
    return g.node(kind, *promoted(g, x, y))


@writes("divide")
def _divide(g: Graph, x: Ref, y: Ref) -> Ref:
    return g.node("Div", *[floating(g, a) for a in promoted(g, x, y)])


def _modulo(g: Graph, x: Ref, y: Ref) -> Ref:
    """The remainder with the sign of the divisor."""
    if x.is_integral:
        return g.node("Mod", x, y)
    # ONNX has that of C for floats: with the sign of the dividend.
    rest = g.node("Mod", x, y, fmod=1)
    zero = g.number(0, x)
    differs = g.node("Xor", g.node("Less", rest, zero, dtype=bool),
                     g.node("Less", y, zero, dtype=bool))  # fmt: skip
    is_zero = g.node("Equal", rest, zero, dtype=bool)
    moved = g.node("And", differs, g.node("Not", is_zero))
    return g.node("Where", moved, g.node("Add", rest, y), rest, dtype=x.dtype)


@writes("remainder")
def _remainder(g: Graph, x: Ref, y: Ref) -> Ref:
    return _modulo(g, *promoted(g, x, y))


@writes("floor_divide")
def _floor_divide(g: Graph, x: Ref, y: Ref) -> Ref:
    x, y = promoted(g, x, y)
    exact = g.node("Div", g.node("Sub", x, _modulo(g, x, y)), y)
    if x.is_integral:
        return exact
    by_zero = g.node("Equal", y, g.number(0, y), dtype=bool)
    return g.node("Where", by_zero, g.node("Div", x, y), g.node("Round", exact), dtype=x.dtype)


@writes("trunc_divide")
def _trunc_divide(g: Graph, x: Ref, y: Ref) -> Ref:
    x, y = promoted(g, x, y)
    quotient = g.node("Div", x, y)
    return quotient if x.is_integral else _towards_zero(g, quotient)


def _towards_zero(g: Graph, x: Ref) -> Ref:
    is_negative = g.node("Less", x, g.number(0, x), dtype=bool)
    return g.node("Where", is_negative, g.node("Ceil", x), g.node("Floor", x), dtype=x.dtype)


@writes("pow")
def _pow(g: Graph, x: Ref, y: Ref) -> Ref:
    return g.node("Pow", *promoted(g, x, y))


@writes("pow_constant")
def _pow_constant(g: Graph, x: Ref, exponent: Any) -> Ref:
    if not isinstance(exponent, int):
        root = g.node("Sqrt", floating(g, x))
        return root if exponent == 0.5 else g.node("Reciprocal", root)
    if exponent == 2:
        return g.node("Mul", x, x)
    return g.node("Pow", x, g.number(exponent, x))


@writes("square")
def _square(g: Graph, x: Ref) -> Ref:
    return g.node("And" if x.dtype == np.bool_ else "Mul", x, x)


@writes("add_n")
def _add_n(g: Graph, inputs: list[Ref]) -> Ref:
    parts = [widened(g, a) for a in promoted(g, *inputs)]
    total = parts[0]
    for part in parts[1:]:
        total = g.node("Add", total, part)
    return total


@writes("lerp")
def _lerp(g: Graph, x: Ref, y: Ref, weight: Ref) -> Ref:
    x, y, weight = promoted(g, x, y, weight)
    return g.node("Add", x, g.node("Mul", weight, g.node("Sub", y, x)))


@writes("increment")
def _increment(g: Graph, x: Ref, value: Ref) -> Ref:
    return g.node("Add", x, g.cast(value, x.dtype))


_COMPARISONS = {
    "equal": "Equal",
    "less_than": "Less",
    "less_equal": "LessOrEqual",
    "greater_than": "Greater",
    "greater_equal": "GreaterOrEqual",
}


@writes(*_COMPARISONS)
def _compare(g: Graph, x: Ref, y: Ref) -> Ref:
    return compare(g, _COMPARISONS[g.call.op.name], x, y)


def compare(g: Graph, kind: str, x: Ref, y: Ref) -> Ref:
    """Compares two values; booleans, which have no order in ONNX, as integers."""
    pair = promoted(g, x, y)
    if pair[0].dtype == np.bool_ and kind != "Equal":
        pair = [g.cast(a, np.int32) for a in pair]
    return g.node(kind, *pair, dtype=bool)


@writes("not_equal")
def _not_equal(g: Graph, x: Ref, y: Ref) -> Ref:
    return g.node("Not", compare(g, "Equal", x, y))


@writes("isclose")
def _isclose(g: Graph, x: Ref, y: Ref, rtol: float, atol: float, equal_nan: bool) -> Ref:
    x, y = [g.cast(a, np.float64) if a.is_integral else a for a in promoted(g, x, y)]
    room = g.node("Add", g.number(atol, y), g.node("Mul", g.number(rtol, y), g.node("Abs", y)))
    distance = g.node("Abs", g.node("Sub", x, y))
    # An infinite room would hold everything.
    is_finite = g.node("Not", g.node("IsInf", y, dtype=bool))
    near = g.node("And", g.node("LessOrEqual", distance, room, dtype=bool), is_finite)
    found = g.node("Or", near, g.node("Equal", x, y, dtype=bool))
    if not equal_nan:
        return found
    both = g.node("And", g.node("IsNaN", x, dtype=bool), g.node("IsNaN", y, dtype=bool))
    return g.node("Or", found, both)


@writes("allclose")
def _allclose(g: Graph, **arguments: Any) -> Ref:
    return _all(g, _isclose(g, **arguments))


@writes("equal_all")
def _equal_all(g: Graph, x: Ref, y: Ref) -> Ref:
    if [str(d) for d in x.extents] != [str(d) for d in y.extents]:
        return g.constant(False)
    return _all(g, compare(g, "Equal", x, y))


def _all(g: Graph, x: Ref) -> Ref:
    least = g.node("ReduceMin", g.cast(x, np.int32), keepdims=0)
    return g.cast(least, np.bool_)


@writes("isnan", "isinf", "isfinite", "isposinf", "isneginf")
def _kinds_of_numbers(g: Graph, x: Ref) -> Ref:
    name = g.call.op.name
    if x.is_integral:
        same = g.node("Equal", x, x, dtype=bool)
        return same if name == "isfinite" else g.node("Not", same)
    x = widened(g, x)
    if name == "isnan":
        return g.node("IsNaN", x, dtype=bool)
    if name == "isfinite":
        either = (g.node("IsNaN", x, dtype=bool), g.node("IsInf", x, dtype=bool))
        return g.node("Not", g.node("Or", *either))
    sides = {"isposinf": (1, 0), "isneginf": (0, 1), "isinf": (1, 1)}[name]
    return g.node("IsInf", x, dtype=bool, detect_positive=sides[0], detect_negative=sides[1])


_LOGIC = {"logical_and": "And", "logical_or": "Or", "logical_xor": "Xor"}


@writes(*_LOGIC)
def _logic(g: Graph, x: Ref, y: Ref) -> Ref:
    pair = [g.cast(a, np.bool_) for a in (x, y)]
    return g.node(_LOGIC[g.call.op.name], *pair)


@writes("logical_not")
def _logical_not(g: Graph, x: Ref) -> Ref:
    return g.node("Not", g.cast(x, np.bool_))


_BITS = {"bitwise_and": "And", "bitwise_or": "Or", "bitwise_xor": "Xor"}


@writes(*_BITS)
def _bits(g: Graph, x: Ref, y: Ref) -> Ref:
    pair = promoted(g, x, y)
    kind = _BITS[g.call.op.name]
    return g.node(kind if pair[0].dtype == np.bool_ else f"Bitwise{kind}", *pair)


@writes("bitwise_not")
def _bitwise_not(g: Graph, x: Ref) -> Ref:
    return g.node("Not" if x.dtype == np.bool_ else "BitwiseNot", x)


_FUNCTIONS = {
    "exp": "Exp",
    "log": "Log",
    "sqrt": "Sqrt",
    "reciprocal": "Reciprocal",
    "sin": "Sin",
    "cos": "Cos",
    "tan": "Tan",
    "asin": "Asin",
    "acos": "Acos",
    "atan": "Atan",
    "sinh": "Sinh",
    "cosh": "Cosh",
    "tanh": "Tanh",
    "asinh": "Asinh",
    "acosh": "Acosh",
    "atanh": "Atanh",
    "sigmoid": "Sigmoid",
    "softsign": "Softsign",
    "erf": "Erf",
}


@writes(*_FUNCTIONS)
def _function(g: Graph, x: Ref) -> Ref:
    return g.node(_FUNCTIONS[g.call.op.name], floating(g, x))


@writes("rsqrt")
def _rsqrt(g: Graph, x: Ref) -> Ref:
    return g.node("Reciprocal", g.node("Sqrt", floating(g, x)))


_LOGARITHMS = {"log2": math.log(2), "log10": math.log(10)}


@writes(*_LOGARITHMS)
def _logarithm(g: Graph, x: Ref) -> Ref:
    x = floating(g, x)
    return g.node("Div", g.node("Log", x), g.number(_LOGARITHMS[g.call.op.name], x))


@writes("expm1")
def _expm1(g: Graph, x: Ref) -> Ref:
    # exp(x) - 1 = 2 t / (1 - t), t = tanh(x / 2): near 0 the difference would lose its digits.
    x = widened(g, floating(g, x))
    t = g.node("Tanh", g.node("Mul", x, g.number(0.5, x)))
    near = g.node("Div", g.node("Add", t, t), g.node("Sub", g.number(1, x), t))
    far = g.node("Sub", g.node("Exp", x), g.number(1, x))
    is_near = g.node("Less", g.node("Abs", x), g.number(0.5, x), dtype=bool)
    return g.node("Where", is_near, near, far, dtype=x.dtype)


@writes("log1p")
def _log1p(g: Graph, x: Ref) -> Ref:
    return log1p(g, widened(g, floating(g, x)))


def log1p(g: Graph, x: Ref) -> Ref:
    """Adds log(1 + x), exact near 0: log(u) x / (u - 1) with u = 1 + x as it is rounded."""
    one = g.number(1, x)
    u = g.node("Add", one, x)
    rest = g.node("Sub", u, one)
    is_zero = g.node("Equal", rest, g.number(0, x), dtype=bool)
    # Where 1 + x is 1 the answer is x itself; an infinite x is its own logarithm.
    safe = g.node("Where", is_zero, one, rest, dtype=x.dtype)
    found = g.node("Mul", g.node("Log", u), g.node("Div", x, safe))
    plain = g.node("Or", is_zero, g.node("IsInf", x, dtype=bool, detect_negative=0))
    return g.node("Where", plain, x, found, dtype=x.dtype)


@writes("abs")
def _abs(g: Graph, x: Ref) -> Ref:
    return x if x.dtype == np.bool_ else g.node("Abs", x)


@writes("neg", "negative")
def _neg(g: Graph, x: Ref) -> Ref:
    return g.node("Not" if x.dtype == np.bool_ else "Neg", x)


@writes("positive", "clone", "assign", "conj", "with_sharding", "real")
def _same(g: Graph, x: Ref, **_: Any) -> Ref:
    need(x.dtype.kind != "c", "complex numbers")
    return x


@writes("floor", "ceil")
def _floor(g: Graph, x: Ref) -> Ref:
    return x if x.is_integral else g.node(g.call.op.name.capitalize(), x)


@writes("trunc")
def _trunc(g: Graph, input: Ref) -> Ref:
    return input if input.is_integral else _towards_zero(g, input)


@writes("frac")
def _frac(g: Graph, x: Ref) -> Ref:
    return g.node("Sub", x, x if x.is_integral else _towards_zero(g, x))


@writes("round")
def _round(g: Graph, x: Ref, decimals: int) -> Ref:
    if x.is_integral and decimals >= 0:
        return x
    need(not x.is_integral, "rounding of integers to tens")
    if not decimals:
        return g.node("Round", x)
    factor = g.number(10.0**decimals, x)
    return g.node("Div", g.node("Round", g.node("Mul", x, factor)), factor)


@writes("sign", "sgn")
def _sign(g: Graph, x: Ref) -> Ref:
    return x if x.dtype == np.bool_ else g.node("Sign", x)


@writes("stanh")
def _stanh(g: Graph, x: Ref, scale_a: float, scale_b: float) -> Ref:
    x = floating(g, x)
    return g.node(
        "Mul", g.number(scale_b, x), g.node("Tanh", g.node("Mul", g.number(scale_a, x), x))
    )


_ANGLES = {"deg2rad": math.pi / 180, "rad2deg": 180 / math.pi}


@writes(*_ANGLES)
def _angle(g: Graph, x: Ref) -> Ref:
    x = floating(g, x)
    return g.node("Mul", x, g.number(_ANGLES[g.call.op.name], x))


@writes("nan_to_num")
def _nan_to_num(g: Graph, x: Ref, nan: float, posinf: float | None, neginf: float | None) -> Ref:
    if x.is_integral:
        return x
    limit = float(np.finfo(x.dtype).max) if x.dtype.kind == "f" else 3.3895313892515355e38
    values = (
        (g.node("IsNaN", x, dtype=bool), nan),
        (g.node("IsInf", x, dtype=bool, detect_negative=0), limit if posinf is None else posinf),
        (g.node("IsInf", x, dtype=bool, detect_positive=0), -limit if neginf is None else neginf),
    )
    for mask, value in values:
        x = g.node("Where", mask, g.number(value, x), x, dtype=x.dtype)
    return x


@writes("cast")
def _cast(g: Graph, x: Ref, dtype: Any) -> Ref:
    wanted = dtype.numpy
    need("c" not in (x.dtype.kind, wanted.kind), "complex numbers")
    narrow = wanted.kind == "u" or wanted in (np.int8, np.int16)
    if narrow and not x.is_integral:
        # As Proa does it: what does not fit wraps.
        return g.cast(g.cast(x, np.int64), wanted)
    return g.cast(x, wanted)


@writes("where")
def _where(g: Graph, condition: Ref, x: Ref, y: Ref) -> Ref:
    x, y = promoted(g, x, y)
    return g.node("Where", g.cast(condition, np.bool_), x, y, dtype=x.dtype)


@writes("masked_fill")
def _masked_fill(g: Graph, x: Ref, mask: Ref, value: Ref) -> Ref:
    return g.node("Where", g.cast(mask, np.bool_), g.cast(value, x.dtype), x, dtype=x.dtype)


@writes("clip")
def _clip(g: Graph, x: Ref, min: Ref | None, max: Ref | None) -> Ref:
    bounds = [b for b in (min, max) if b is not None]
    x, *bounds = promoted(g, x, *bounds)
    low = bounds.pop(0) if min is not None else None
    high = bounds.pop(0) if max is not None else None
    if all(b is None or b.shape == () for b in (low, high)):
        return g.node("Clip", x, low, high)
    x = x if low is None else g.node("Max", x, low)
    return x if high is None else g.node("Min", x, high)


@writes("scale")
def _scale(g: Graph, x: Ref, scale: Ref, bias: Ref, bias_after_scale: bool) -> Ref:
    scale, bias = g.cast(scale, x.dtype), g.cast(bias, x.dtype)
    if bias_after_scale:
        made = x if _is_all(scale, 1) else g.node("Mul", x, scale)
        return made if _is_all(bias, 0) else g.node("Add", made, bias)
    made = x if _is_all(bias, 0) else g.node("Add", x, bias)
    return made if _is_all(scale, 1) else g.node("Mul", made, scale)


def _is_all(x: Ref, number: float) -> bool:
    return x.array is not None and x.array.shape == () and x.array == number


@writes("scale_activation")
def _scale_activation(g: Graph, x: Ref, act: str) -> Ref:
    kinds = {"exp": "Exp", "relu": "Relu", "sigmoid": "Sigmoid", "softplus": "Softplus",
             "softsign": "Softsign", "tanh": "Tanh"}  # fmt: skip
    return g.node(kinds[act], x)


@writes("fmax", "fmin")
def _ignoring_nan(g: Graph, x: Ref, y: Ref) -> Ref:
    x, y = promoted(g, x, y)
    kind = "Max" if g.call.op.name == "fmax" else "Min"
    if x.is_integral:
        return g.node(kind, x, y)
    no_x, no_y = (g.node("IsNaN", a, dtype=bool) for a in (x, y))
    first = g.node("Where", no_x, y, x, dtype=x.dtype)
    second = g.node("Where", no_y, x, y, dtype=x.dtype)
    return g.node(kind, first, second)


@writes("complex", "polar", "as_complex", "as_real", "imag", "angle")
def _complex(g: Graph, **_: Any) -> Ref:
    raise CannotWrite("ONNX has no operators on complex numbers")
