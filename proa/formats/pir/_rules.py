"""The table from Proa's ops to Paddle's, and the ops of one element at a time.

An entry is a function `rule(g, out, **arguments)`: arguments of a call by parameter name, values
as `Out`, attributes as they are; `out` is `(shape, dtype)` of the result, or a list of them. It
returns what it has made, or `None` where the call has no form of its own: then its primitives
are written.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from proa.core import as_dtype

from ._basic import (
    binary,
    broadcast_shape,
    cast,
    expand,
    finite,
    full,
    number,
    reshape,
    scaled,
    unary,
    with_number,
)
from ._graph import Graph, Out

Rule = Callable[..., Any]
RULES: dict[str, Rule] = {}

#: Ops of Proa that are one op of Paddle of the same shape, floating; integers are cast first.
_FLOATING = {
    **{name: name for name in (
        "exp expm1 log log2 log10 log1p sqrt rsqrt reciprocal sin cos tan asin acos atan sinh "
        "cosh tanh asinh acosh atanh sigmoid erf erfinv lgamma gammaln digamma i0 i0e i1 i1e "
        "relu6 silu swish softsign hardswish"
    ).split()},
    "tanhshrink": "tanh_shrink",
    "log_sigmoid": "logsigmoid",
}  # fmt: skip
_ALIKE = {name: name for name in "abs floor ceil sign relu conj".split()}
_ALIKE |= {"neg": "", "negative": "", "positive": "assign", "clone": "assign", "assign": "assign"}
_TESTS = ("isnan", "isinf", "isfinite")
_ARITHMETIC = {
    "add": "add", "subtract": "subtract", "multiply": "multiply", "divide": "divide",
    "floor_divide": "floor_divide", "remainder": "remainder", "pow": "elementwise_pow",
    "maximum": "maximum", "minimum": "minimum", "fmax": "fmax", "fmin": "fmin",
    "atan2": "atan2", "heaviside": "heaviside", "copysign": "copysign",
    "nextafter": "nextafter", "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or",
    "bitwise_xor": "bitwise_xor", "gammaincc": "gammaincc",
}  # fmt: skip
#: Those of them that Paddle does not broadcast.
_UNBROADCAST = ("atan2", "nextafter")
_COMPARING = ("equal", "not_equal", "less_than", "less_equal", "greater_than", "greater_equal")
_LOGICAL = ("logical_and", "logical_or", "logical_xor")
#: Activations whose attributes go under other names, or have fewer of them.
_ACTIVATIONS: dict[str, tuple[str, dict[str, str]]] = {
    "leaky_relu": ("leaky_relu", {"negative_slope": "negative_slope"}),
    "elu": ("elu", {"alpha": "alpha"}),
    "celu": ("celu", {"alpha": "alpha"}),
    "selu": ("selu", {"scale": "scale", "alpha": "alpha"}),
    "hardtanh": ("hardtanh", {"min": "t_min", "max": "t_max"}),
    "hardsigmoid": ("hardsigmoid", {"slope": "slope", "offset": "offset"}),
    "hardshrink": ("hardshrink", {"threshold": "threshold"}),
    "softshrink": ("softshrink", {"threshold": "threshold"}),
    "softplus": ("softplus", {"beta": "beta", "threshold": "threshold"}),
    "thresholded_relu": ("thresholded_relu", {"threshold": "threshold", "value": "value"}),
    "stanh": ("stanh", {"scale_a": "scale_a", "scale_b": "scale_b"}),
}


def writes(*names: str) -> Callable[[Rule], Rule]:
    """Enters a rule for ops; a second one for an op is refused."""

    def enter(fn: Rule) -> Rule:
        for name in names:
            if name in RULES:
                raise ValueError(f"two rules write {name!r}")
            RULES[name] = fn
        return fn

    return enter


def promoted(g: Graph, *values: Out) -> list[Out]:
    """Casts values to their common dtype."""
    dtype = jax.numpy.result_type(*[v.dtype for v in values])
    return [cast(g, v, dtype) for v in values]


def _floating(g: Graph, out: Any, *, paddle: str, **given: Any) -> Out:
    (x,) = given.values()
    return unary(g, paddle, cast(g, x, out[1]))


def _alike(g: Graph, out: Any, *, paddle: str, **given: Any) -> Any:
    (x,) = given.values()
    if not paddle:
        return scaled(g, x, -1.0)
    if paddle in ("floor", "ceil", "abs") and x.dtype.kind == "b":
        return None
    if paddle in ("floor", "ceil") and x.dtype.kind in "iu":
        return x
    return unary(g, paddle, x)


def _arithmetic(g: Graph, out: Any, *, paddle: str, x: Out, y: Out) -> Any:
    if out[1].kind == "b" and not paddle.startswith("bitwise"):
        return None
    x, y = cast(g, x, out[1]), cast(g, y, out[1])
    if paddle in _UNBROADCAST:
        x, y = expand(g, x, out[0]), expand(g, y, out[0])
    return binary(g, paddle, x, y)


def _comparing(g: Graph, out: Any, *, paddle: str, x: Out, y: Out) -> Out:
    return binary(g, paddle, *promoted(g, x, y), dtype=np.bool_)


def _logical(g: Graph, out: Any, *, paddle: str, x: Out, y: Out) -> Out:
    return binary(g, paddle, cast(g, x, np.bool_), cast(g, y, np.bool_))


def _activation(g: Graph, out: Any, *, paddle: str, names: Any, x: Out, **given: Any) -> Out:
    attributes = {paddle_name: given[ours] for ours, paddle_name in names.items()}
    return unary(g, paddle, cast(g, x, out[1]), **attributes)


def _test(g: Graph, out: Any, *, paddle: str, x: Out) -> Out:
    return unary(g, paddle, x, np.bool_)


def _triangle(g: Graph, out: Any, *, paddle: str, x: Out, diagonal: int) -> Out:
    return unary(g, paddle, x, diagonal=diagonal)


def _enter_tables() -> None:
    tables = ((_FLOATING, _floating), (_ALIKE, _alike), (_ARITHMETIC, _arithmetic))
    for table, fn in tables:
        for ours, paddle in table.items():
            RULES[ours] = functools.partial(fn, paddle=paddle)
    others = (
        (_COMPARING, _comparing),
        (_LOGICAL, _logical),
        (_TESTS, _test),
        (("tril", "triu"), _triangle),
    )
    for names, fn in others:
        RULES.update({name: functools.partial(fn, paddle=name) for name in names})
    for ours, (paddle, names) in _ACTIVATIONS.items():
        RULES[ours] = functools.partial(_activation, paddle=paddle, names=names)


_enter_tables()


@writes("logical_not")
def _logical_not(g: Graph, out: Any, x: Out) -> Out:
    return unary(g, "logical_not", cast(g, x, np.bool_))


@writes("bitwise_not")
def _bitwise_not(g: Graph, out: Any, x: Out) -> Out:
    return unary(g, "bitwise_not", x)


@writes("gelu")
def _gelu(g: Graph, out: Any, x: Out, approximate: Any) -> Out:
    return unary(g, "gelu", cast(g, x, out[1]), approximate=approximate in (True, "tanh"))


@writes("gammainc")
def _gammainc(g: Graph, out: Any, x: Out, y: Out) -> Out:
    x, y = (cast(g, v, out[1]) for v in (x, y))
    return scaled(g, binary(g, "gammaincc", x, y), -1.0, 1.0)


@writes("signbit")
def _signbit(g: Graph, out: Any, x: Out) -> Out:
    if x.dtype.kind != "f":
        return with_number(g, "less_than", x, 0, np.bool_)
    signs = binary(g, "copysign", full(g, x.shape, 1.0, x.dtype), x)
    return with_number(g, "less_than", signs, 0.0, np.bool_)


@writes("polygamma")
def _polygamma(g: Graph, out: Any, x: Out, n: int) -> Out:
    x = cast(g, x, out[1])
    return unary(g, "polygamma", x, n=n) if n else unary(g, "digamma", x)


@writes("mish")
def _mish(g: Graph, out: Any, x: Out) -> Out:
    return unary(g, "mish", x, lambda_=20.0)


@writes("trunc")
def _trunc(g: Graph, out: Any, input: Out) -> Out:
    return input if input.dtype.kind in "biu" else unary(g, "trunc", input)


@writes("round")
def _round(g: Graph, out: Any, x: Out, decimals: int) -> Any:
    if decimals or x.dtype.kind in "biu":
        return None
    return unary(g, "round", x, decimals=0)


@writes("prelu")
def _prelu(g: Graph, out: Any, x: Out, weight: Out, data_format: str) -> Any:
    is_last = data_format.endswith("C") and len(data_format) > 2
    if x.ndim < 2:
        return None
    mode = "all" if weight.shape == (1,) else "channel"
    form = "NHWC" if is_last else "NCHW"
    return g.call("prelu", x, weight, data_format=form, mode=mode, out=out)


@writes("cast")
def _cast(g: Graph, out: Any, x: Out, dtype: Any) -> Out:
    return cast(g, x, as_dtype(dtype).numpy)


@writes("complex")
def _complex(g: Graph, out: Any, real: Out, imag: Out) -> Out:
    return g.call("complex", *promoted(g, real, imag), out=out)


@writes("as_complex")
def _as_complex(g: Graph, out: Any, x: Out) -> Out:
    return g.call("as_complex", x, out=out)


@writes("as_real")
def _as_real(g: Graph, out: Any, x: Out) -> Out:
    return g.call("as_real", x, out=out)


def _part(g: Graph, out: Any, *, paddle: str, x: Out) -> Out:
    return x if x.dtype.kind != "c" else unary(g, paddle, x, out[1])


RULES["real"] = functools.partial(_part, paddle="real")


@writes("imag")
def _imag(g: Graph, out: Any, x: Out) -> Any:
    return unary(g, "imag", x, out[1]) if x.dtype.kind == "c" else None


@writes("scale")
def _scale(g: Graph, out: Any, x: Out, scale: Out, bias: Out, bias_after_scale: bool) -> Out:
    scale, bias = cast(g, scale, x.dtype), cast(g, bias, x.dtype)
    if bias_after_scale:
        return binary(g, "add", binary(g, "multiply", x, scale), bias)
    return binary(g, "multiply", binary(g, "add", x, bias), scale)


@writes("clip")
def _clip(g: Graph, out: Any, x: Out, min: Out | None, max: Out | None) -> Out:
    made = cast(g, x, out[1])
    for name, bound in (("maximum", min), ("minimum", max)):
        if bound is not None:
            made = binary(g, name, made, cast(g, bound, out[1]))
    return made


@writes("where")
def _where(g: Graph, out: Any, condition: Out, x: Out, y: Out) -> Out:
    condition = expand(g, cast(g, condition, np.bool_), out[0])
    x, y = (expand(g, cast(g, v, out[1]), out[0]) for v in (x, y))
    return g.call("where", condition, x, y, out=out)


@writes("masked_fill")
def _masked_fill(g: Graph, out: Any, x: Out, mask: Out, value: Out) -> Out:
    return _where(g, out, mask, value, x)


@writes("square")
def _square(g: Graph, out: Any, x: Out) -> Out:
    # The op `square` of Paddle 3.3.1's predictor (oneDNN) writes over its operand.
    return binary(g, "multiply", x, x)


@writes("pow_constant")
def _pow_constant(g: Graph, out: Any, x: Out, exponent: Any) -> Any:
    x = cast(g, x, out[1])
    if exponent in (0.5, -0.5):
        return unary(g, "sqrt" if exponent > 0 else "rsqrt", x)
    if exponent == 2:
        return binary(g, "multiply", x, x)
    return with_number(g, "elementwise_pow", x, exponent)


@writes("add_n")
def _add_n(g: Graph, out: Any, inputs: list[Out]) -> Out:
    return functools.reduce(lambda a, b: binary(g, "add", a, b), promoted(g, *inputs))


@writes("lerp")
def _lerp(g: Graph, out: Any, x: Out, y: Out, weight: Out) -> Out:
    x, y, weight = (cast(g, v, out[1]) for v in (x, y, weight))
    return binary(g, "add", x, binary(g, "multiply", weight, binary(g, "subtract", y, x)))


@writes("increment")
def _increment(g: Graph, out: Any, x: Out, value: Out) -> Out:
    return binary(g, "add", x, cast(g, value, x.dtype))


@writes("full")
def _full(g: Graph, out: Any, value: Out, shape: Any, dtype: Any) -> Out:
    value = cast(g, reshape(g, value, (1,) * len(shape)), out[1])
    return expand(g, value, out[0])


@writes("arange")
def _arange(g: Graph, out: Any, start: Any, end: Any, step: Any, dtype: Any) -> Any:
    if all(isinstance(e, int) for e in out[0]):
        return g.constant(np.asarray(jax.numpy.arange(start, end, step).astype(out[1])))
    numbers = [reshape(g, g.dimension(v), ()) for v in (start, end, step)]
    made = g.call("arange", *numbers, dtype=np.int64, out=(out[0], np.int64))
    return cast(g, made, out[1])


@writes("eye")
def _eye(g: Graph, out: Any, num_rows: Any, num_columns: Any, dtype: Any) -> Any:
    if not all(isinstance(e, int) for e in out[0]):
        return None
    return g.constant(np.eye(*out[0], dtype=out[1]))


@writes("shape")
def _shape(g: Graph, out: Any, input: Out) -> Out:
    return cast(g, g.call("shape64", input, out=((input.ndim,), np.int64)), out[1])


@writes("rank")
def _rank(g: Graph, out: Any, input: Out) -> Out:
    return number(g, input.ndim, out[1])


@writes("maxout")
def _maxout(g: Graph, out: Any, x: Out, groups: int, axis: int) -> Out:
    axis %= x.ndim
    shape = (*x.shape[:axis], x.shape[axis] // groups, groups, *x.shape[axis + 1 :])
    parts = reshape(g, x, shape)
    return g.call("max", parts, axis=[axis + 1], keepdim=False, out=out)


@writes("nan_to_num")
def _nan_to_num(g: Graph, out: Any, x: Out, nan: float, posinf: Any, neginf: Any) -> Any:
    if x.dtype.kind != "f":
        return x
    limit = float(np.finfo(x.dtype).max)
    high = limit if posinf is None else posinf
    low = -limit if neginf is None else neginf
    made = x
    wanted = ((np.inf, high, "greater_than"), (-np.inf, low, "less_than"))
    for end, value, name in wanted:
        beyond = binary(g, name, x, number(g, finite(end, x.dtype), x), np.bool_)
        made = _where(g, out, beyond, full(g, (1,) * x.ndim, value, x.dtype), made)
    is_nan = unary(g, "isnan", x, np.bool_)
    return _where(g, out, is_nan, full(g, (1,) * x.ndim, nan, x.dtype), made)


def broadcast(g: Graph, *values: Out) -> list[Out]:
    """Broadcasts values to their common shape."""
    shape = broadcast_shape(*[v.shape for v in values])
    return [expand(g, v, shape) for v in values]
