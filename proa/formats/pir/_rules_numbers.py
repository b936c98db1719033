"""Rules of the Paddle writer: reductions, order, products and linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np

from proa.core import as_dtype, is_dimension

from ._basic import (
    binary,
    cast,
    matmul,
    number,
    product,
    reduced_shape,
    reshape,
    unary,
)
from ._graph import Graph, Out
from ._rules import promoted, writes


def _axes(axis: Any, ndim: int) -> list[int]:
    if axis is None or axis == ():
        return list(range(ndim))
    given = axis if isinstance(axis, tuple) else (axis,)
    return sorted({a % ndim for a in given})


def _reduced(g: Graph, out: Any, name: str, x: Out, axis: Any, keepdim: bool, **given: Any) -> Out:
    if not x.ndim:
        return x
    axes = _axes(axis, x.ndim)
    shape = reduced_shape(x.shape, axes, keepdim)
    return g.call(name, x, axis=axes, keepdim=keepdim, out=(shape, out[1]), **given)


@writes("sum")
def _sum(g: Graph, out: Any, x: Out, axis: Any, dtype: Any, keepdim: bool) -> Out:
    return _reduced(g, out, "sum", cast(g, x, out[1]), axis, keepdim, dtype=out[1])


@writes("mean")
def _mean(g: Graph, out: Any, x: Out, axis: Any, keepdim: bool) -> Out:
    return _reduced(g, out, "mean", cast(g, x, out[1]), axis, keepdim)


@writes("prod")
def _prod(g: Graph, out: Any, x: Out, axis: Any, keepdim: bool, dtype: Any) -> Out:
    x = cast(g, x, out[1])
    return _reduced(g, out, "prod", x, axis, keepdim, reduce_all=len(_axes(axis, x.ndim)) == x.ndim)


@writes("max", "amax")
def _max(g: Graph, out: Any, x: Out, axis: Any, keepdim: bool) -> Any:
    return None if x.dtype.kind == "b" else _reduced(g, out, "max", x, axis, keepdim)


@writes("min", "amin")
def _min(g: Graph, out: Any, x: Out, axis: Any, keepdim: bool) -> Any:
    return None if x.dtype.kind == "b" else _reduced(g, out, "min", x, axis, keepdim)


@writes("all")
def _all(g: Graph, out: Any, x: Out, axis: Any, keepdim: bool) -> Out:
    return _reduced(g, out, "all", cast(g, x, np.bool_), axis, keepdim)


@writes("any")
def _any(g: Graph, out: Any, x: Out, axis: Any, keepdim: bool) -> Out:
    return _reduced(g, out, "any", cast(g, x, np.bool_), axis, keepdim)


@writes("logsumexp")
def _logsumexp(g: Graph, out: Any, x: Out, axis: Any, keepdim: bool) -> Any:
    if not x.ndim:
        return x
    whole = len(_axes(axis, x.ndim)) == x.ndim
    return _reduced(g, out, "logsumexp", cast(g, x, out[1]), axis, keepdim, reduce_all=whole)


def _extreme(name: str) -> Any:
    def rule(g: Graph, out: Any, x: Out, axis: Any, keepdim: bool, dtype: Any) -> Any:
        if not x.ndim:
            return None
        if x.dtype.kind == "b":
            x = cast(g, x, np.int32)
        flat = axis is None
        made = g.call(
            name, x, axis=0 if flat else axis % x.ndim, keepdims=keepdim, flatten=flat,
            dtype=as_dtype(dtype).numpy, out=out,
        )  # fmt: skip
        return made

    return writes(name)(rule)


for _name in ("argmax", "argmin"):
    _extreme(_name)


@writes("cumsum")
def _cumsum(g: Graph, out: Any, x: Out, axis: Any, dtype: Any) -> Out:
    x = cast(g, x, out[1])
    if axis is None or not x.ndim:
        x, axis = reshape(g, x, (product(x.shape),)), 0
    made = unary(g, "cumsum", x, axis=axis % x.ndim)
    return reshape(g, made, out[0])


@writes("cumprod")
def _cumprod(g: Graph, out: Any, x: Out, dim: Any, dtype: Any) -> Any:
    if dim is None or not x.ndim:
        return None
    return unary(g, "cumprod", cast(g, x, out[1]), dim=dim % x.ndim)


def _running(name: str) -> Any:
    def rule(g: Graph, out: Any, x: Out, axis: Any, dtype: Any) -> Any:
        if axis is None:
            x, axis = reshape(g, x, (product(x.shape),)), 0
        return g.call(name, x, axis=axis % x.ndim, dtype=as_dtype(dtype).numpy, out=list(out))

    return writes(name)(rule)


for _name in ("cummax", "cummin"):
    _running(_name)


@writes("topk")
def _topk(g: Graph, out: Any, x: Out, k: int, axis: Any, largest: bool, sorted: bool) -> Any:
    if not x.ndim:
        return None
    place = -1 if axis is None else axis
    return g.call("topk", x, k=k, axis=place % x.ndim, largest=largest, sorted=True, out=list(out))


def _sorted(g: Graph, x: Out, axis: int, descending: bool) -> list[Out]:
    return g.call(
        "argsort", x, axis=axis % x.ndim, descending=descending, stable=True,
        out=[(x.shape, x.dtype), (x.shape, np.int64)],
    )  # fmt: skip


@writes("sort")
def _sort(g: Graph, out: Any, x: Out, axis: int, descending: bool, stable: bool) -> Any:
    return _sorted(g, x, axis, descending)[0] if x.ndim else x


@writes("argsort")
def _argsort(g: Graph, out: Any, x: Out, axis: int, descending: bool, stable: bool) -> Any:
    return _sorted(g, x, axis, descending)[1] if x.ndim else number(g, 0, np.int64)


@writes("kthvalue")
def _kthvalue(g: Graph, out: Any, x: Out, k: int, axis: Any, keepdim: bool) -> Any:
    if not x.ndim:
        return None
    place = -1 if axis is None else axis
    return g.call("kthvalue", x, k=k, axis=place % x.ndim, keepdim=keepdim, out=list(out))


@writes("mode")
def _mode(g: Graph, out: Any, x: Out, axis: int, keepdim: bool) -> Any:
    if not x.ndim:
        return None
    return g.call("mode", x, axis=axis % x.ndim, keepdim=keepdim, out=list(out))


@writes("searchsorted")
def _searchsorted(
    g: Graph, out: Any, ordered: Out, values: Out, sorter: Any, right: bool, narrow: bool
) -> Any:
    if sorter is not None:
        return None
    ordered, values = promoted(g, ordered, values)
    return g.call("searchsorted", ordered, values, out_int32=narrow, right=right, out=out)


@writes("matmul")
def _matmul(g: Graph, out: Any, x: Out, y: Out, transpose_x: bool, transpose_y: bool) -> Out:
    x, y = promoted(g, x, y)
    if min(x.ndim, y.ndim) > 1:
        return cast(g, matmul(g, x, y, transpose_x, transpose_y), out[1])
    return g.call("matmul", x, y, transpose_x=False, transpose_y=transpose_y, out=out)


@writes("mm", "bmm", "mv")
def _product(g: Graph, out: Any, **given: Any) -> Out:
    return _matmul(g, out, *given.values(), False, False)


@writes("dot")
def _dot(g: Graph, out: Any, x: Out, y: Out) -> Out:
    return g.call("dot", *promoted(g, x, y), out=out)


@writes("outer")
def _outer(g: Graph, out: Any, x: Out, y: Out) -> Out:
    x, y = promoted(g, x, y)
    rows, columns = reshape(g, x, (out[0][0], 1)), reshape(g, y, (1, out[0][1]))
    return binary(g, "multiply", rows, columns)


@writes("addmm", "baddbmm")
def _addmm(g: Graph, out: Any, input: Out, x: Out, y: Out, beta: float, alpha: float) -> Out:
    x, y = promoted(g, x, y)
    made = matmul(g, x, y)
    scale = [unary(g, "scale", v, scale=f) for v, f in ((made, alpha), (input, beta))]
    return binary(g, "add", *scale)


@writes("trace")
def _trace(g: Graph, out: Any, x: Out, offset: int, axis1: int, axis2: int) -> Out:
    return g.call("trace", x, offset=offset, axis1=axis1, axis2=axis2, out=out)


@writes("numel")
def _numel(g: Graph, out: Any, x: Out) -> Out:
    return cast(g, g.call("numel", x, out=((), np.int64)), out[1])


def _of_matrix(name: str) -> Any:
    return writes(name)(lambda g, out, x: g.call(name, x, out=out))


for _name in ("inverse", "det"):
    _of_matrix(_name)


@writes("cholesky")
def _cholesky(g: Graph, out: Any, x: Out, upper: bool) -> Out:
    return g.call("cholesky", x, upper=upper, out=out)


@writes("triangular_solve")
def _triangular_solve(
    g: Graph, out: Any, x: Out, y: Out, upper: bool, transpose: bool, unitriangular: bool
) -> Out:
    return g.call(
        "triangular_solve", x, y, upper=upper, transpose=transpose,
        unitriangular=unitriangular, out=out,
    )  # fmt: skip


@writes("solve")
def _solve(g: Graph, out: Any, x: Out, y: Out, left: bool) -> Any:
    return g.call("solve", *promoted(g, x, y), out=out) if left else None


@writes("cholesky_solve")
def _cholesky_solve(g: Graph, out: Any, x: Out, y: Out, upper: bool) -> Out:
    return g.call("cholesky_solve", *promoted(g, x, y), upper=upper, out=out)


@writes("svd")
def _svd(g: Graph, out: Any, x: Out, full_matrices: bool) -> list[Out]:
    return g.call("svd", x, full_matrices=full_matrices, out=list(out))


@writes("slogdet")
def _slogdet(g: Graph, out: Any, x: Out) -> Any:
    return None if isinstance(out, list) else g.call("slogdet", x, out=out)


@writes("eigh")
def _eigh(g: Graph, out: Any, x: Out, UPLO: str) -> list[Out]:
    return g.call("eigh", x, UPLO=UPLO, out=list(out))


@writes("qr")
def _qr(g: Graph, out: Any, x: Out, mode: str) -> Any:
    return g.call("qr", x, mode=mode, out=list(out)) if isinstance(out, list) else None


@writes("var")
def _var(g: Graph, out: Any, x: Out, axis: Any, correction: Any, keepdim: bool) -> Any:
    axes = _axes(axis, x.ndim)
    count = product([x.shape[a] for a in axes])
    if not x.ndim or is_dimension(count):
        return None
    shape = reduced_shape(x.shape, axes, True)
    mean = g.call("mean", x, axis=axes, keepdim=True, out=(shape, x.dtype))
    away = binary(g, "subtract", x, mean)
    squares = binary(g, "multiply", away, away)
    total = _reduced(g, out, "sum", squares, axis, keepdim, dtype=x.dtype)
    return unary(g, "scale", total, scale=1.0 / (count - correction))
