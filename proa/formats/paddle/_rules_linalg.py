"""Rules for Paddle's decompositions, complex numbers and less usual functions of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from proa import ops

from ._rules import Unfit, ints, rule, scalar

if TYPE_CHECKING:
    from ._rules import Data, Tensors

_OF_ONE = {"as_complex": "", "as_real": "", "is_empty": "", "det": "determinant"}
_OF_ONE |= {"slogdet": "slogdeterminant", "svdvals": "", "gammaln": ""}
_OF_TWO = {"copysign": "out", "nextafter": "out", "gammaincc": "out", "gammainc": "out"}
_OF_TWO |= {"equal_all": "Out", "solve": "Out"}


def _of_one(function: Callable[..., Any]) -> Callable[..., Any]:
    def translate(x: Data) -> Any:
        return function(x)

    return translate


for _name, _desc in _OF_ONE.items():
    _slot = {"svdvals": "s", "gammaln": "out"}.get(_name, "Out")
    rule(_name, desc=_desc, outputs=_slot, Input="x")(_of_one(getattr(ops, _name)))


def _of_two(function: Callable[..., Any]) -> Callable[..., Any]:
    def translate(x: Data, y: Data) -> Any:
        return function(x, y)

    return translate


for _name, _slot in _OF_TWO.items():
    rule(_name, outputs=_slot)(_of_two(getattr(ops, _name)))


@rule("bitwise_left_shift", outputs="out")
def _left_shift(x: Data, y: Data, *, is_arithmetic: bool = True) -> Any:
    return ops.bitwise_left_shift(x, y, is_arithmetic)


@rule("bitwise_right_shift", outputs="out")
def _right_shift(x: Data, y: Data, *, is_arithmetic: bool = True) -> Any:
    return ops.bitwise_right_shift(x, y, is_arithmetic)


@rule("allclose", Input="x", Other="y", Rtol="rtol", Atol="atol")
def _allclose(
    x: Data, y: Data, rtol: Any = 1e-5, atol: Any = 1e-8, *, equal_nan: bool = False
) -> Any:
    return ops.allclose(x, y, float(scalar(rtol)), float(scalar(atol)), equal_nan)


@rule("complex", X="real", Y="imag")
def _complex(real: Data, imag: Data) -> Any:
    return ops.complex(real, imag)


@rule("baddbmm", Beta="beta", Alpha="alpha")
def _baddbmm(input: Data, x: Data, y: Data, *, beta: float = 1.0, alpha: float = 1.0) -> Any:
    return ops.baddbmm(input, x, y, beta, alpha)


@rule("broadcast_tensors", X="input")
def _broadcast_tensors(input: Tensors) -> Any:
    return list(ops.broadcast_tensors(input))


@rule("cholesky")
def _cholesky(x: Data, *, upper: bool = False) -> Any:
    return ops.cholesky(x, upper)


@rule("cholesky_solve")
def _cholesky_solve(x: Data, y: Data, *, upper: bool = False) -> Any:
    return ops.cholesky_solve(x, y, upper)


@rule("triangular_solve")
def _triangular_solve(
    x: Data,
    y: Data,
    *,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> Any:
    return ops.triangular_solve(x, y, upper, transpose, unitriangular)


@rule("cross", dim="axis")
def _cross(x: Data, y: Data, *, axis: int = 9) -> Any:
    return ops.cross(x, y, axis)


@rule("dist")
def _dist(x: Data, y: Data, *, p: float = 2.0) -> Any:
    return ops.dist(x, y, p)


def _running(function: Callable[..., Any]) -> Callable[..., Any]:
    def translate(x: Data, *, axis: int = -1, dtype: Any = "int64") -> Any:
        return function(x, axis, dtype)

    return translate


rule("cummax", outputs="out indices")(_running(ops.cummax))
rule("cummin", outputs="out indices")(_running(ops.cummin))


@rule("logcumsumexp")
def _logcumsumexp(
    x: Data,
    *,
    axis: int = -1,
    flatten: bool = False,
    exclusive: bool = False,
    reverse: bool = False,
) -> Any:
    if exclusive or reverse:
        raise Unfit("an exclusive or reversed cumulative sum of exponentials")
    return ops.logcumsumexp(x, None if flatten else axis)


@rule("diag_embed", Input="input")
def _diag_embed(input: Data, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    return ops.diag_embed(input, offset, dim1, dim2)


@rule("fill_diagonal_tensor")
def _fill_diagonal(x: Data, y: Data, *, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    shape = ops.diagonal(x, offset, dim1, dim2).shape
    return ops.diagonal_scatter(x, ops.reshape(y, shape), offset, dim1, dim2)


@rule("trace", Input="x")
def _trace(x: Data, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return ops.trace(x, offset, axis1, axis2)


@rule("eigh", outputs="Eigenvalues Eigenvectors")
def _eigh(x: Data, *, UPLO: str = "L") -> Any:
    return ops.eigh(x, UPLO)


@rule("eigvalsh", outputs="Eigenvalues", UPLO="uplo")
def _eigvalsh(x: Data, *, uplo: str = "L") -> Any:
    return ops.eigvalsh(x, uplo)


@rule("svd", outputs="U S VH")
def _svd(x: Data, *, full_matrices: bool = False) -> Any:
    return ops.svd(x, full_matrices)


@rule("qr", outputs="Q R")
def _qr(x: Data, *, mode: str = "reduced") -> Any:
    made = ops.qr(x, mode)
    return (None, made) if mode == "r" else made


@rule("matrix_power")
def _matrix_power(x: Data, *, n: int) -> Any:
    return ops.matrix_power(x, n)


@rule("multi_dot")
def _multi_dot(x: Tensors) -> Any:
    return ops.multi_dot(x)


@rule("multiplex", X="inputs", Ids="index")
def _multiplex(inputs: Tensors, index: Data) -> Any:
    return ops.multiplex(inputs, index)


@rule("histogram", X="input")
def _histogram(
    input: Data,
    weight: Data = None,
    *,
    bins: int = 100,
    min: float = 0.0,
    max: float = 0.0,
    density: bool = False,
) -> Any:
    return ops.histogram(input, bins, min, max, weight, density)


@rule("index_add")
def _index_add(x: Data, index: Data, add_value: Data, *, axis: int = 0) -> Any:
    return ops.index_add(x, index, axis, add_value)


@rule("masked_fill", outputs="out")
def _masked_fill(x: Data, mask: Data, value: Data) -> Any:
    return ops.masked_fill(x, mask, value)


@rule("mode", outputs="Out Indices")
def _mode(x: Data, *, axis: int = -1, keepdim: bool = False) -> Any:
    return ops.mode(x, axis, keepdim)


def _middle(function: Callable[..., Any]) -> Callable[..., Any]:
    def translate(x: Data, axis: Any = (), *, keepdim: bool = True, mode: str = "avg") -> Any:
        axes: Any = ints(axis) or None
        if mode == "min":
            # One axis, and the place of the median beside it.
            return function(x, axes[0] if axes and len(axes) == 1 else axes, keepdim, mode)
        return function(x, axes if axes is None or len(axes) > 1 else axes[0], keepdim, mode)

    return translate


rule("nanmedian", outputs="Out MedianIndex")(_middle(ops.nanmedian))
rule("median", outputs="out medians")(_middle(ops.median))


@rule("logit")
def _logit(x: Data, *, eps: float = 1e-6) -> Any:
    return ops.logit(x, eps or None)


@rule("polygamma", outputs="out")
def _polygamma(x: Data, *, n: int) -> Any:
    return ops.polygamma(x, n)


@rule("reduce_as", outputs="out")
def _reduce_as(x: Data, target: Data) -> Any:
    return ops.reduce_as(x, target)


@rule("renorm")
def _renorm(x: Data, *, p: float, axis: int, max_norm: float) -> Any:
    return ops.renorm(x, p, axis, max_norm)


@rule("searchsorted")
def _searchsorted(
    sorted_sequence: Data, values: Data, *, out_int32: bool = False, right: bool = False
) -> Any:
    return ops.searchsorted(sorted_sequence, values, out_int32, right)


@rule("shard_index", X="input")
def _shard_index(
    input: Data, *, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1
) -> Any:
    return ops.shard_index(input, index_num, nshards, shard_id, ignore_value)


@rule("trunc_divide", outputs="out")
def _trunc_divide(x: Data, y: Data) -> Any:
    return ops.cast(ops.trunc(ops.divide(x, y)), x.dtype)


@rule("eigvals")
def _eigvals(x: Data) -> Any:
    return ops.eigvals(x)


@rule("lu", outputs="Out Pivots Infos", pivots="pivot")
def _lu(x: Data, *, pivot: bool = True) -> Any:
    return tuple(ops.lu(x, pivot, get_infos=True))


@rule("lu_unpack", outputs="Pmat L U", Pivots="y")
def _lu_unpack(x: Data, y: Data, *, unpack_ludata: bool = True, unpack_pivots: bool = True) -> Any:
    return tuple(ops.lu_unpack(x, y, unpack_ludata, unpack_pivots))


@rule("lu_solve", outputs="Out", Lu="lu")
def _lu_solve(b: Data, lu: Data, pivots: Data, *, trans: str = "N") -> Any:
    return ops.lu_solve(b, lu, pivots, trans)


@rule("lstsq", outputs="Solution Residuals Rank SingularValues")
def _lstsq(x: Data, y: Data, rcond: Any = 0.0, *, driver: str = "gels") -> Any:
    return tuple(ops.lstsq(x, y, float(scalar(rcond)), driver))


@rule("matrix_rank")
def _matrix_rank(
    x: Data,
    tol_tensor: Any = None,
    *,
    tol: float = 0.0,
    use_default_tol: bool = True,
    hermitian: bool = False,
) -> Any:
    if tol_tensor is not None:
        return ops.matrix_rank(x, tol_tensor, hermitian)
    return ops.matrix_rank(x, None if use_default_tol else float(tol), hermitian)
