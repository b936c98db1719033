"""Rules for Paddle's arithmetic, comparisons, reductions, sorting and linear algebra."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from proa import ops

from ._rules import Unfit, ints, number, rule, scalar

if TYPE_CHECKING:
    from ._rules import Data, Tensors

_UNARY = """abs acos acosh angle asin asinh atan atanh bitwise_not ceil conj cos cosh digamma erf
erfinv exp expm1 floor i0 i0e i1 i1e imag isfinite isinf isnan lgamma log log10 log1p log2 real
reciprocal rsqrt sign sin sinh sqrt square tan trunc logical_not inverse"""
_UNARY_DESC = {"isfinite": "isfinite_v2", "isinf": "isinf_v2", "isnan": "isnan_v2"}
_UNARY_OUT = {"inverse": "Output"}
_BINARY = {
    "add": "elementwise_add grad_add",
    "subtract": "elementwise_sub",
    "multiply": "elementwise_mul",
    "floor_divide": "elementwise_floordiv",
    "remainder": "elementwise_mod",
    "maximum": "elementwise_max",
    "minimum": "elementwise_min",
    "fmax": "elementwise_fmax",
    "fmin": "elementwise_fmin",
    "heaviside": "elementwise_heaviside",
    **dict.fromkeys(
        "atan2 bmm kron bitwise_and bitwise_or bitwise_xor equal not_equal less_than less_equal "
        "greater_than greater_equal logical_and logical_or logical_xor".split(),
        "",
    ),
}
_REDUCTIONS = {"mean": "reduce_mean", "max": "reduce_max", "min": "reduce_min"}
_REDUCTIONS |= {"amax": "reduce_amax", "amin": "reduce_amin", "prod": "reduce_prod"}
_REDUCTIONS |= {"all": "reduce_all", "any": "reduce_any", "logsumexp": "logsumexp"}


def _unary(function: Callable[..., Any]) -> Callable[..., Any]:
    def translate(x: Data) -> Any:
        return function(x)

    return translate


def _aligned(x: Any, y: Any, axis: int) -> Any:
    """The second operand with axes of 1 at its end: axes of old Programs align at `axis`."""
    if axis < 0 or y.ndim >= x.ndim:
        return y
    return ops.reshape(y, [*y.shape, *[1] * (x.ndim - axis - y.ndim)])


def _binary(function: Callable[..., Any]) -> Callable[..., Any]:
    def translate(x: Data, y: Data, *, axis: int = -1) -> Any:
        return function(x, _aligned(x, y, axis))

    return translate


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    def translate(
        x: Data, axis: Any = (), *, keepdim: bool = False, reduce_all: bool = False
    ) -> Any:
        axes = ints(axis, "the axes of a reduction")
        return function(x, None if reduce_all or not axes else axes, keepdim=keepdim)

    return translate


for _name in _UNARY.split():
    rule(
        _name, desc=_UNARY_DESC.get(_name, _name), Input="x", outputs=_UNARY_OUT.get(_name, "Out")
    )(_unary(getattr(ops, _name)))
for _name, _desc in _BINARY.items():
    rule(_name, desc=_desc, X1="x", X2="y")(_binary(getattr(ops, _name)))
for _name, _desc in _REDUCTIONS.items():
    rule(_name, desc=_desc, dim="axis", keep_dim="keepdim", AxisTensor="axis")(
        _reduction(getattr(ops, _name))
    )


@rule("divide", desc="elementwise_div")
def _divide(x: Data, y: Data, *, axis: int = -1) -> Any:
    made = ops.divide(x, _aligned(x, y, axis))
    return ops.cast(made, x.dtype) if x.dtype.is_integer else made


@rule("elementwise_pow")
def _elementwise_pow(x: Data, y: Data, *, axis: int = -1) -> Any:
    return ops.pow(x, _aligned(x, y, axis))


@rule("pow", factor="y", FactorTensor="y")
def _pow(x: Data, y: Any = 1.0) -> Any:
    return ops.cast(ops.pow(x, scalar(y)), x.dtype)


@rule("scale", ScaleTensor="scale", BiasTensor="bias")
def _scale(x: Data, scale: Any = 1.0, bias: Any = 0.0, *, bias_after_scale: bool = True) -> Any:
    return ops.scale(x, scalar(scale), scalar(bias), bias_after_scale)


@rule("clip", Min="min", Max="max")
def _clip(x: Data, min: Any, max: Any) -> Any:
    made = ops.clip(x, scalar(min), scalar(max))
    return made if made.dtype == x.dtype else ops.cast(made, x.dtype)


@rule("cast", out_dtype="dtype")
def _cast(x: Data, *, dtype: Any) -> Any:
    return ops.cast(x, dtype)


@rule("add_n", desc="sum", X="inputs")
def _add_n(inputs: Tensors) -> Any:
    return ops.add_n(inputs)


@rule("sum", desc="reduce_sum", dim="axis", keep_dim="keepdim", out_dtype="dtype")
def _sum(
    x: Data,
    axis: Any = (),
    *,
    dtype: Any = None,
    keepdim: bool = False,
    reduce_all: bool = False,
) -> Any:
    axes = ints(axis, "the axes of a reduction")
    wanted = dtype if isinstance(dtype, str) else None
    return ops.sum(x, None if reduce_all or not axes else axes, dtype=wanted, keepdim=keepdim)


@rule("mean_all", desc="mean")
def _mean_all(x: Data) -> Any:
    return ops.mean(x)


@rule("frobenius_norm", dim="axis")
def _frobenius(x: Data, axis: Any = (), *, keep_dim: bool = False, reduce_all: bool = False) -> Any:
    axes = ints(axis)
    return ops.sqrt(
        ops.sum(ops.square(x), None if reduce_all or not axes else axes, None, keep_dim)
    )


@rule("p_norm")
def _p_norm(
    x: Data,
    *,
    porder: float = 2.0,
    axis: int = -1,
    epsilon: float = 1e-12,
    keepdim: bool = False,
    asvector: bool = False,
) -> Any:
    if asvector:
        x, axis = ops.flatten(x), 0
    return ops.norm(x, porder, axis, keepdim)


@rule("squared_l2_norm")
def _squared_l2_norm(x: Data) -> Any:
    return ops.reshape(ops.sum(ops.square(x)), [1])


@rule("norm", outputs="Out Norm")
def _norm(x: Data, *, axis: int, epsilon: float, is_test: bool = True) -> Any:
    length = ops.sqrt(ops.sum(ops.square(x), axis, None, True) + epsilon)
    return x / length, length


def _arg(function: Callable[..., Any]) -> Callable[..., Any]:
    def translate(
        x: Data,
        axis: Any = -1,
        *,
        keepdims: bool = False,
        flatten: bool = False,
        dtype: Any = "int64",
    ) -> Any:
        wanted = dtype if isinstance(dtype, str) else "int64"
        return function(x, None if flatten else number(axis), keepdim=keepdims, dtype=wanted)

    return translate


rule("argmax", desc="arg_max")(_arg(ops.argmax))
rule("argmin", desc="arg_min")(_arg(ops.argmin))


@rule("argsort", outputs="Out Indices")
def _argsort(x: Data, *, axis: int = -1, descending: bool = False, stable: bool = False) -> Any:
    return ops.sort(x, axis, descending), ops.argsort(x, axis, descending)


@rule("topk", desc="top_k_v2", outputs="Out Indices", K="k")
def _topk(x: Data, k: Any = 1, *, axis: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    return ops.topk(x, number(k, "k of topk"), axis, largest, sorted)


@rule(desc="top_k", outputs="Out Indices", K="k")
def _top_k(x: Data, k: Any = 1) -> Any:
    return ops.topk(x, number(k, "k of topk"), -1)


@rule("kthvalue", outputs="Out Indices")
def _kthvalue(x: Data, *, k: int = 1, axis: int = -1, keepdim: bool = False) -> Any:
    return ops.kthvalue(x, k, axis, keepdim)


@rule("cumsum")
def _cumsum(
    x: Data,
    axis: Any = -1,
    *,
    flatten: bool = False,
    exclusive: bool = False,
    reverse: bool = False,
) -> Any:
    where = 0 if flatten else number(axis)
    made = ops.flatten(x) if flatten else x
    made = ops.flip(made, [where]) if reverse else made
    summed = ops.cumsum(made, where)
    summed = ops.subtract(summed, made) if exclusive else summed
    return ops.flip(summed, [where]) if reverse else summed


@rule("cumprod")
def _cumprod(x: Data, *, dim: int, exclusive: bool = False, reverse: bool = False) -> Any:
    if exclusive or reverse:
        raise Unfit("an exclusive or reversed cumulative product")
    return ops.cumprod(x, dim)


@rule("matmul", desc="matmul_v2", trans_x="transpose_x", trans_y="transpose_y")
def _matmul(x: Data, y: Data, *, transpose_x: bool = False, transpose_y: bool = False) -> Any:
    return ops.matmul(x, y, transpose_x, transpose_y)


@rule(desc="matmul", transpose_X="transpose_x", transpose_Y="transpose_y")
def _matmul_v1(
    x: Data, y: Data, *, transpose_x: bool = False, transpose_y: bool = False, alpha: float = 1.0
) -> Any:
    made = ops.matmul(x, y, transpose_x, transpose_y)
    return made if alpha == 1.0 else made * alpha


def _as_matrix(x: Any, num_rows: int) -> Any:
    """The first axes as rows, the others as columns."""
    rows = 1
    for extent in x.shape[:num_rows]:
        rows = rows * extent
    return ops.reshape(x, [rows, -1])


@rule("matmul_with_flatten", desc="mul")
def _mul(x: Data, y: Data, *, x_num_col_dims: int = 1, y_num_col_dims: int = 1) -> Any:
    product = ops.matmul(_as_matrix(x, x_num_col_dims), _as_matrix(y, y_num_col_dims))
    return ops.reshape(product, [*x.shape[:x_num_col_dims], *y.shape[y_num_col_dims:]])


@rule("fc", W="w")
def _fc(
    input: Data,
    w: Data,
    bias: Data = None,
    *,
    in_num_col_dims: int = 1,
    activation_type: str = "",
) -> Any:
    made = ops.matmul(_as_matrix(input, in_num_col_dims), w)
    made = made if bias is None else made + ops.reshape(bias, [-1])
    made = ops.relu(made) if activation_type == "relu" else made
    return ops.reshape(made, [*input.shape[:in_num_col_dims], w.shape[1]])


@rule("addmm", Beta="beta", Alpha="alpha")
def _addmm(input: Data, x: Data, y: Data, *, beta: float = 1.0, alpha: float = 1.0) -> Any:
    return ops.addmm(input, x, y, beta, alpha)


@rule("dot")
def _dot(x: Data, y: Data) -> Any:
    return ops.dot(x, y)


@rule("mv", Vec="vec")
def _mv(x: Data, vec: Data) -> Any:
    return ops.mv(x, vec)


@rule("einsum", Operands="x")
def _einsum(x: Tensors, *, equation: str) -> Any:
    return ops.einsum(equation, *x)


@rule("lerp", Weight="weight")
def _lerp(x: Data, y: Data, weight: Data) -> Any:
    return ops.lerp(x, y, weight)


@rule("round")
def _round(x: Data, *, decimals: int = 0) -> Any:
    return ops.round(x, decimals)


@rule("increment", step="value")
def _increment(x: Data, *, value: float = 1.0) -> Any:
    return ops.cast(ops.scale(x, 1.0, value), x.dtype)


@rule("isclose", Rtol="rtol", Atol="atol", Input="x", Other="y")
def _isclose(
    x: Data, y: Data, rtol: Any = 1e-5, atol: Any = 1e-8, *, equal_nan: bool = False
) -> Any:
    return ops.isclose(x, y, float(scalar(rtol)), float(scalar(atol)), equal_nan)


@rule("where", Condition="condition")
def _where(condition: Data, x: Data, y: Data) -> Any:
    return ops.where(condition, x, y)


@rule("bincount")
def _bincount(x: Data, weights: Data = None, minlength: Any = 0) -> Any:
    raise Unfit("how long its result is depends on the elements of its input")
