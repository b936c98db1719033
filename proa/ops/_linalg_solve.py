"""Inverses, determinants and linear systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from proa.core import InvalidArgumentError, Tensor, UnsupportedError, attach_method, composite, op

from ._host_checks import host_values
from ._linalg import mismatch
from ._promote import precise, promote

if TYPE_CHECKING:
    from proa.core._types import Array, Index


def need_matrix(x: Any, name: str, *, square: bool = False) -> None:
    """Refuses tensors that hold no (square) matrices.

    Raises:
        InvalidArgumentError: too few axes, or not square.
    """
    if x.ndim < 2 or (square and x.shape[-1] != x.shape[-2]):
        kind = "square matrices" if square else "matrices"
        raise InvalidArgumentError(
            f"`{name}` of a tensor of shape {list(x.shape)}",
            expected=f"{kind}: shape [..., n, {'n' if square else 'm'}]",
            fix="reshape the tensor",
        )


def _refuse_broken(result: Tensor, name: str, expected: str) -> Tensor:
    """Raises where a decomposition gave no finite numbers and values are at hand."""
    values = host_values(result._data)
    if values is not None and not np.isfinite(values).all():
        raise InvalidArgumentError(
            f"`{name}` has no finite result",
            expected=expected,
            fix="check the matrix (its rank, NaN and Inf in it), or use pinv or lstsq",
        )
    return result


@op(name="inverse", public=False)
def _inverse(x: Array):
    need_matrix(x, "inverse", square=True)
    return jnp.linalg.inv(precise(x))


@composite
def inverse(x: Tensor, name: str | None = None) -> Tensor:
    """Inverse of square matrices.

    Args:
        x: tensor of shape [..., n, n].

    Raises:
        InvalidArgumentError: a matrix is not square, or singular (compiled code gives Inf).

    Examples:
        >>> import proa
        >>> proa.inverse(proa.to_tensor([[2.0, 0.0], [0.0, 4.0]])).tolist()
        [[0.5, 0.0], [0.0, 0.25]]
    """
    return _refuse_broken(_inverse(x), "inverse", "matrices that are not singular")


@composite
def inv(x: Tensor, name: str | None = None) -> Tensor:
    """Inverse of square matrices (`inverse`).

    Args:
        x: tensor of shape [..., n, n].
    """
    return inverse(x)


@op(method=None)
def det(x: Array):
    """Determinant of square matrices.

    Args:
        x: tensor of shape [..., n, n].
    """
    need_matrix(x, "det", square=True)
    return jnp.linalg.det(precise(x))


@op
def slogdet(x: Array):
    """Sign, and logarithm of the absolute value, of the determinant.

    Args:
        x: tensor of shape [..., n, n].

    Returns:
        A tensor of shape [2, ...]: signs, then logarithms.
    """
    need_matrix(x, "slogdet", square=True)
    sign, logarithm = jnp.linalg.slogdet(precise(x))
    return jnp.stack([sign, logarithm.astype(sign.dtype)])


@op(name="cholesky", public=False)
def _cholesky(x: Array, upper: bool):
    need_matrix(x, "cholesky", square=True)
    return jnp.linalg.cholesky(precise(x), upper=upper)


@composite
def cholesky(x: Tensor, upper: bool = False, name: str | None = None) -> Tensor:
    """The triangular matrix whose product with its transpose is a positive definite matrix.

    Args:
        x: symmetric positive definite matrices, shape [..., n, n].
        upper: give the upper triangle `u` with `u.T @ u = x` instead of `l @ l.T = x`.

    Raises:
        InvalidArgumentError: a matrix is not positive definite (compiled code gives NaN).
    """
    return _refuse_broken(_cholesky(x, upper), "cholesky", "positive definite matrices")


def _stacked(x: Any, y: Any) -> tuple[Any, Any]:
    """Broadcasts the batch axes of two tensors of matrices."""
    batch = jnp.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    wide_x = jnp.broadcast_to(x, (*batch, *x.shape[-2:]))
    return wide_x, jnp.broadcast_to(y, (*batch, *y.shape[-2:]))


def _triangular(a: Any, b: Any, *, lower: bool, transpose: bool, unit: bool = False) -> Any:
    a, b = _stacked(a, b)
    return jax.lax.linalg.triangular_solve(
        a, b, left_side=True, lower=lower, transpose_a=transpose, unit_diagonal=unit
    )


@op
def cholesky_solve(x: Array, y: Array, upper: bool = False):
    """Solves `a @ z = x` for a matrix `a` whose Cholesky factor is known.

    Args:
        x: right side, shape [..., n, k].
        y: Cholesky factor of `a`, shape [..., n, n].
        upper: whether `y` is the upper factor.
    """
    need_matrix(y, "cholesky_solve", square=True)
    x, y = promote(precise(x), precise(y))
    if x.ndim < 2 or x.shape[-2] != y.shape[-1]:
        raise mismatch("cholesky_solve", x, y, "a right side with as many rows as the factor")
    first = _triangular(y, x, lower=not upper, transpose=upper)
    return _triangular(y, first, lower=not upper, transpose=not upper)


@op
def cholesky_inverse(x: Array, upper: bool = False):
    """Inverse of a matrix whose Cholesky factor is known.

    Args:
        x: Cholesky factor, shape [n, n].
        upper: whether it is the upper one.
    """
    need_matrix(x, "cholesky_inverse", square=True)
    x = precise(x)
    root = _triangular(x, jnp.eye(x.shape[-1], dtype=x.dtype), lower=not upper, transpose=False)
    other = jnp.swapaxes(root, -1, -2)
    return root @ other if upper else other @ root


@op(name="solve", public=False)
def _solve(x: Array, y: Array, left: bool):
    need_matrix(x, "solve", square=True)
    x, y = promote(precise(x), precise(y))
    is_vector = y.ndim == 1 or (y.ndim == x.ndim - 1 and y.shape == x.shape[:-1])
    if is_vector:
        y = y[..., :, None] if left else y[..., None, :]
    if y.shape[-2 if left else -1] != x.shape[-1]:
        raise mismatch("solve", x, y, "a right side that fits the matrix")
    if not left:
        x, y = jnp.swapaxes(x, -1, -2), jnp.swapaxes(y, -1, -2)
    found = jnp.linalg.solve(*_stacked(x, y))
    if not left:
        found = jnp.swapaxes(found, -1, -2)
    return found.squeeze(-1 if left else -2) if is_vector else found


@composite
def solve(
    x: Tensor, y: Tensor, left: bool = True, name: str | None = None, *, out: Any = None
) -> Tensor:
    """Solves `x @ z = y` for `z`.

    Args:
        x: square matrices, shape [..., n, n].
        y: right side, shape [..., n, k] or [..., n].
        left: `False` solves `z @ x = y`.
        out: a tensor to write the result to.

    Raises:
        InvalidArgumentError: shapes that do not fit, or a singular matrix (compiled code
            gives Inf or NaN).

    Examples:
        >>> import proa
        >>> proa.linalg.solve(proa.to_tensor([[2.0, 0.0], [0.0, 4.0]]), proa.ones([2])).tolist()
        [0.5, 0.25]
    """
    found = _refuse_broken(_solve(x, y, left), "solve", "matrices that are not singular")
    return found if out is None else out.copy_(found)


@op(method=None)
def triangular_solve(
    x: Array, y: Array, upper: bool = True, transpose: bool = False, unitriangular: bool = False
):
    """Solves `x @ z = y` for a triangular matrix.

    Args:
        x: triangular matrices, shape [..., n, n]; the other triangle is not read.
        y: right side, shape [..., n, k].
        upper: whether `x` is upper triangular.
        transpose: solve with the transpose of `x`.
        unitriangular: take the diagonal as ones.
    """
    need_matrix(x, "triangular_solve", square=True)
    x, y = promote(precise(x), precise(y))
    if y.ndim < 2 or y.shape[-2] != x.shape[-1]:
        raise mismatch("triangular_solve", x, y, "a right side with as many rows as the matrix")
    return _triangular(x, y, lower=not upper, transpose=transpose, unit=unitriangular)


def _cut_off(x: Any, s: Any, rcond: float | None) -> Any:
    """Which singular values count; below the rest is rounding."""
    relative = max(x.shape[-2:]) * float(jnp.finfo(x.dtype).eps) if rcond is None else rcond
    return s > relative * s[..., :1]


@op(name="lstsq", public=False)
def _lstsq(x: Array, y: Array, rcond: float | None):
    need_matrix(x, "lstsq")
    x, y = promote(precise(x), precise(y))
    if y.ndim < 2 or y.shape[-2] != x.shape[-2]:
        raise mismatch("lstsq", x, y, "a right side with as many rows as the matrix")
    u, s, vh = jnp.linalg.svd(x, full_matrices=False)
    kept = _cut_off(x, s, rcond)
    inverted = jnp.where(kept, 1 / jnp.where(kept, s, 1), 0)
    found = jnp.swapaxes(vh, -1, -2).conj() @ (
        inverted[..., None] * (jnp.swapaxes(u, -1, -2).conj() @ y)
    )
    residuals = jnp.sum(jnp.abs(x @ found - y) ** 2, axis=-2)
    return found, residuals, jnp.sum(kept, axis=-1, dtype=jnp.int32), s


_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


@composite
def lstsq(
    x: Tensor,
    y: Tensor,
    rcond: float | None = None,
    driver: str | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The least-squares solution of `x @ z = y`, by singular values.

    Args:
        x: matrices, shape [..., m, n].
        y: right sides, shape [..., m, k].
        rcond: singular values below this part of the largest count as 0; by default
            `max(m, n)` times the machine epsilon.
        driver: LAPACK's name of a method (`gels`, `gelsy`, `gelsd`, `gelss`): decides which
            of the results are given, the method is the same.

    Returns:
        Solution; sums of squared residuals (empty for `gelsy` or `m <= n`); rank; singular
        values (empty for `gels` and `gelsy`).

    Raises:
        InvalidArgumentError: shapes that do not fit, or an unknown driver.
    """
    method = driver or "gelsy"
    if method not in _DRIVERS:
        raise InvalidArgumentError(
            f"`driver` is {driver!r}",
            expected="one of " + ", ".join(_DRIVERS),
            fix="leave it out for the default",
        )
    found, residuals, rank, values = _lstsq(x, y, rcond)
    nothing = Tensor(np.zeros((0,), values.dtype.numpy))
    wide = x.shape[-2] <= x.shape[-1]
    return (
        found,
        nothing if method == "gelsy" or wide else residuals,
        rank,
        values if method in ("gelsd", "gelss") else nothing,
    )


@op
def pinv(x: Array, rcond: float = 1e-15, hermitian: bool = False):
    """Pseudo-inverse of matrices, by singular values.

    Args:
        x: tensor of shape [..., m, n].
        rcond: singular values below this part of the largest count as 0.
        hermitian: whether the matrices equal their conjugate transpose.
    """
    need_matrix(x, "pinv", square=hermitian)
    return jnp.linalg.pinv(precise(x), rtol=rcond, hermitian=hermitian)


@op(name="lu", public=False)
def _lu(x: Array):
    need_matrix(x, "lu")
    packed, pivots, _ = jax.lax.linalg.lu(precise(x))
    # LAPACK, and so Paddle, counts rows from 1.
    return packed, pivots + 1, jnp.zeros(x.shape[:-2], jnp.int32)


@composite
def lu(x: Tensor, pivot: bool = True, get_infos: bool = False, name: str | None = None) -> Any:
    """LU decomposition with row exchanges.

    Args:
        x: tensor of shape [..., m, n].
        pivot: must be `True`.
        get_infos: also give LAPACK's error codes (zeros).

    Returns:
        Both triangles in one tensor (the ones on the lower diagonal left out), and int32
        pivots: row i was exchanged with row `pivots[i]`, counted from 1.

    Raises:
        UnsupportedError: `pivot=False`.
    """
    if not pivot:
        raise UnsupportedError(
            "lu with pivot=False", expected="pivot=True", fix="use row exchanges; lu_unpack undoes"
        )
    packed, pivots, codes = _lu(x)
    return (packed, pivots, codes) if get_infos else (packed, pivots)


@op(name="lu_unpack", public=False)
def _lu_unpack(x: Array, y: Index):
    rows, columns = x.shape[-2:]
    least = min(rows, columns)
    lower = jnp.tril(x[..., :, :least], -1) + jnp.eye(rows, least, dtype=x.dtype)
    upper = jnp.triu(x[..., :least, :])
    order = jax.lax.linalg.lu_pivots_to_permutation((y - 1).astype(jnp.int32), rows)
    exchange = (jnp.arange(rows)[:, None] == order[..., None, :]).astype(x.dtype)
    return exchange, lower, upper


@composite
def lu_unpack(
    x: Tensor,
    y: Tensor,
    unpack_ludata: bool = True,
    unpack_pivots: bool = True,
    name: str | None = None,
) -> tuple[Any, Any, Any]:
    """Takes the result of `lu` apart: `p @ l @ u` is the decomposed matrix.

    Args:
        x: packed triangles.
        y: pivots.
        unpack_ludata: give `l` and `u`; otherwise `None`.
        unpack_pivots: give `p`; otherwise `None`.

    Returns:
        Permutation matrix, lower triangle, upper triangle.
    """
    exchange, lower, upper = _lu_unpack(x, y)
    return (
        exchange if unpack_pivots else None,
        lower if unpack_ludata else None,
        upper if unpack_ludata else None,
    )


@op(name="lu_solve", public=False)
def _lu_solve(b: Array, lu: Array, pivots: Array, trans: str):
    need_matrix(lu, "lu_solve", square=True)
    if b.ndim < 2 or b.shape[-2] != lu.shape[-1]:
        raise mismatch("lu_solve", b, lu, "a right side with as many rows as the matrix")
    order = jax.lax.linalg.lu_pivots_to_permutation((pivots - 1).astype(jnp.int32), lu.shape[-1])
    b, lu = promote(precise(b), precise(lu))
    lu = lu.conj() if trans == "C" else lu
    if trans == "N":
        rows = jnp.take_along_axis(b, order[..., None], -2)
        first = _triangular(lu, rows, lower=True, transpose=False, unit=True)
        return _triangular(lu, first, lower=False, transpose=False)
    first = _triangular(lu, b, lower=False, transpose=True)
    rows = _triangular(lu, first, lower=True, transpose=True, unit=True)
    return jnp.take_along_axis(rows, jnp.argsort(order, -1)[..., None], -2)


@composite
def lu_solve(
    b: Tensor, lu: Tensor, pivots: Tensor, trans: str = "N", name: str | None = None
) -> Tensor:
    """Solves `a @ z = b` for a matrix `a` whose LU decomposition is known.

    Args:
        b: right side, shape [..., n, k].
        lu: packed triangles, as `lu` gives them.
        pivots: its pivots.
        trans: `"N"`, `"T"` to solve with the transpose, `"C"` with the conjugate transpose.

    Raises:
        InvalidArgumentError: shapes that do not fit, or another `trans`.
    """
    if trans not in ("N", "T", "C"):
        raise InvalidArgumentError(
            f"`trans` is {trans!r}", expected="'N', 'T' or 'C'", fix="choose one of these"
        )
    return _lu_solve(b, lu, pivots, trans)


for _method in (inverse, cholesky, solve, lstsq, lu, lu_unpack):
    attach_method(_method.__name__, _method)
