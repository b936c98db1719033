"""Decompositions by orthogonal matrices, singular values and eigenvalues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from proa.core import InvalidArgumentError, Tensor, attach_method, composite, op

from ._linalg_solve import need_matrix
from ._promote import precise

if TYPE_CHECKING:
    from proa.core._types import Array


@op(name="qr", public=False)
def _qr(x: Array, mode: str):
    need_matrix(x, "qr")
    made = jnp.linalg.qr(precise(x), mode=mode)
    return made if mode == "r" else tuple(made)


@composite
def qr(x: Tensor, mode: str = "reduced", name: str | None = None) -> Any:
    """QR decomposition: `q @ r = x` with orthonormal columns of `q`.

    Args:
        x: tensor of shape [..., m, n].
        mode: `"reduced"` (k = min(m, n) columns), `"complete"` (m columns), or `"r"`.

    Returns:
        `q` and `r`, or `r` alone.

    Raises:
        InvalidArgumentError: another mode.
    """
    if mode not in ("reduced", "complete", "r"):
        raise InvalidArgumentError(
            f"`mode` is {mode!r}", expected="'reduced', 'complete' or 'r'", fix="choose one"
        )
    return _qr(x, mode)


@op(name="svd", public=False)
def _svd(x: Array, full_matrices: bool):
    need_matrix(x, "svd")
    return tuple(jnp.linalg.svd(precise(x), full_matrices=full_matrices))


@composite
def svd(
    x: Tensor, full_matrices: bool = False, name: str | None = None, *, out: Any = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Singular value decomposition: `u @ diag(s) @ vh = x`.

    Args:
        x: tensor of shape [..., m, n].
        full_matrices: give square `u` and `vh`; otherwise k = min(m, n) columns and rows.
        out: three tensors to write the results to.

    Returns:
        `u`, `s` (descending), `vh`. Signs of singular vectors are arbitrary.

    Examples:
        >>> import proa
        >>> u, s, vh = proa.linalg.svd(proa.to_tensor([[3.0, 0.0], [0.0, 4.0]]))
        >>> s.tolist()
        [4.0, 3.0]
    """
    made = _svd(x, full_matrices)
    if out is None:
        return made
    return tuple(o.copy_(m) for o, m in zip(out, made, strict=True))  # type: ignore[return-value]


@op(method=None)
def svdvals(x: Array):
    """Singular values of matrices, in descending order.

    Args:
        x: tensor of shape [..., m, n].
    """
    need_matrix(x, "svdvals")
    return jnp.linalg.svd(precise(x), compute_uv=False)


def _triangle(x: Any, name: str, part: str) -> Any:
    """The Hermitian matrix whose lower or upper triangle is that of `x`."""
    need_matrix(x, name, square=True)
    if part not in ("L", "U"):
        raise InvalidArgumentError(
            f"`UPLO` is {part!r}", expected="'L' or 'U'", fix="name the triangle that is read"
        )
    x = precise(x)
    half = jnp.tril(x, -1) if part == "L" else jnp.triu(x, 1)
    diagonal = jnp.real(jnp.diagonal(x, axis1=-2, axis2=-1)).astype(x.dtype)
    main = diagonal[..., None] * jnp.eye(x.shape[-1], dtype=x.dtype)
    return half + jnp.swapaxes(half, -1, -2).conj() + main


@op(method=None)
def eigh(x: Array, UPLO: str = "L"):
    """Eigenvalues (ascending) and eigenvectors of Hermitian matrices.

    Args:
        x: tensor of shape [..., n, n].
        UPLO: the triangle that is read, `"L"` or `"U"`.

    Returns:
        Eigenvalues, and eigenvectors as columns. Signs of eigenvectors are arbitrary.
    """
    values, vectors = jnp.linalg.eigh(_triangle(x, "eigh", UPLO), symmetrize_input=False)
    return values, vectors


@op
def eigvalsh(x: Array, UPLO: str = "L"):
    """Eigenvalues of Hermitian matrices, in ascending order.

    Args:
        x: tensor of shape [..., n, n].
        UPLO: the triangle that is read, `"L"` or `"U"`.
    """
    return jnp.linalg.eigvalsh(_triangle(x, "eigvalsh", UPLO), symmetrize_input=False)


@op
def eig(x: Array):
    """Eigenvalues and eigenvectors of square matrices (on CPU).

    Gradients of eigenvectors hold where eigenvalues differ, and for what does not depend on the
    phase of a vector: no rule fixes it.

    Args:
        x: tensor of shape [..., n, n].

    Returns:
        Complex eigenvalues, and eigenvectors of length 1 as columns.
    """
    need_matrix(x, "eig", square=True)
    values, vectors = jax.lax.linalg.eig(
        precise(x), compute_left_eigenvectors=False, enable_eigvec_derivs=True
    )
    # They have that length already. Only the derivative, which does not know, needs the quotient.
    length = jnp.sqrt((vectors * vectors.conj()).real.sum(-2, keepdims=True))
    return values, vectors / length


@op
def eigvals(x: Array):
    """Eigenvalues of square matrices (on CPU).

    Args:
        x: tensor of shape [..., n, n].

    Returns:
        Complex eigenvalues.
    """
    need_matrix(x, "eigvals", square=True)
    # Second derivatives of eigenvalues go through eigenvectors, whose own are asked for here.
    return jax.lax.linalg.eig(
        precise(x),
        compute_left_eigenvectors=False,
        compute_right_eigenvectors=False,
        enable_eigvec_derivs=True,
    )[0]


@op(name="matrix_rank", differentiable=False, public=False)
def _matrix_rank(
    x: Array, tol: Array | None, atol: Array | None, rtol: Array | None, hermitian: bool
):
    need_matrix(x, "matrix_rank", square=hermitian)
    x = precise(x)
    if hermitian:
        sizes = jnp.abs(jnp.linalg.eigvalsh(x))
    else:
        sizes = jnp.linalg.svd(x, compute_uv=False)
    most = sizes.max(axis=-1)
    epsilon = max(x.shape[-2:]) * float(jnp.finfo(x.dtype).eps)
    if tol is not None:
        limit = tol.astype(sizes.dtype)
    elif atol is None and rtol is None:
        limit = most * epsilon
    else:
        absolute = jnp.zeros((), sizes.dtype) if atol is None else atol.astype(sizes.dtype)
        default = 0.0 if atol is not None else epsilon
        relative = jnp.asarray(default, sizes.dtype) if rtol is None else rtol.astype(sizes.dtype)
        limit = jnp.maximum(absolute, relative * most)
    return jnp.sum(sizes > limit[..., None], axis=-1, dtype=jnp.int64)


@composite
def matrix_rank(
    x: Tensor,
    tol: Any = None,
    hermitian: bool = False,
    atol: Any = None,
    rtol: Any = None,
    name: str | None = None,
) -> Tensor:
    """Rank of matrices: how many singular values exceed a tolerance.

    Args:
        x: tensor of shape [..., m, n].
        tol: the tolerance; by default `max(m, n)` times the machine epsilon times the
            largest singular value.
        hermitian: whether the matrices equal their conjugate transpose.
        atol: absolute tolerance.
        rtol: tolerance as part of the largest singular value; the larger of both holds.

    Returns:
        An int64 tensor of shape [...].

    Raises:
        InvalidArgumentError: `tol` together with `atol` or `rtol`.
    """
    if tol is not None and (atol is not None or rtol is not None):
        raise InvalidArgumentError(
            "matrix_rank got `tol` and one of `atol`, `rtol`",
            expected="one of the two ways",
            fix="drop `tol`",
        )
    return _matrix_rank(x, tol, atol, rtol, hermitian)


@jax.custom_vjp
def _expm(x: Array) -> Array:
    return jax.scipy.linalg.expm(x)


def _expm_forward(x: Array) -> tuple[Array, Array]:
    return _expm(x), x


def _expm_backward(x: Array, g: Array) -> tuple[Array]:
    # exp([[A, E], [0, A]]) holds the derivative of exp at A along E: Van Loan, "Computing
    # integrals involving the matrix exponential", 1978. It is an exponential again, so that all
    # orders compile as fast as the first; JAX would differentiate each branch of its approximant.
    # The derivative is linear in E, and the block is no larger than A for it.
    size = jnp.abs(g).max((-2, -1), keepdims=True, initial=0)
    size = jax.lax.stop_gradient(jnp.where(size > 0, size, 1))
    turned, n = jnp.swapaxes(x, -2, -1), x.shape[-1]
    block = jnp.block([[turned, g / size], [jnp.zeros_like(x), turned]])
    return (_expm(block)[..., :n, n:] * size,)


_expm.defvjp(_expm_forward, _expm_backward)


@op(method=None)
def matrix_exp(x: Array):
    """Exponential of square matrices: `sum(x^k / k!)`.

    Args:
        x: tensor of shape [..., n, n].
    """
    need_matrix(x, "matrix_exp", square=True)
    return _expm(precise(x))


def reflect(x: Array, tau: Array, y: Array, transposed: bool) -> Array:
    """Applies reflections `1 - tau v v^H` to the columns of `y`, one after the other.

    That needs no product of reflections, and has derivatives.
    """
    rows, columns = x.shape[-2:]
    if columns > rows or tau.shape[-1] > columns:
        raise InvalidArgumentError(
            f"reflections of shape {list(x.shape)} with {tau.shape[-1]} factors",
            expected="at least as many rows as columns, and at most a factor per column",
            fix="pass both as geqrf gives them",
        )
    missing = rows - y.shape[-2]
    if missing:
        y = jnp.pad(y, [*[(0, 0)] * (y.ndim - 2), (0, missing), (0, 0)])
    vectors = jnp.tril(x, -1) + jnp.eye(rows, columns, dtype=x.dtype)
    vectors = jnp.moveaxis(vectors[..., : tau.shape[-1]], -1, 0)
    factors = jnp.moveaxis(tau, -1, 0)

    def step(y: Any, each: Any) -> tuple[Any, None]:
        v, factor = each
        first, second = (v.conj(), v) if transposed else (v, v.conj())
        shares = factor[..., None] * jnp.einsum("...m,...mn->...n", second, y)
        return y - first[..., :, None] * shares[..., None, :], None

    made, _ = jax.lax.scan(step, y, (vectors, factors), reverse=not transposed)
    return made[..., :columns, :] if transposed else made


@op
def householder_product(x: Array, tau: Array):
    """The first columns of the product of Householder reflections `1 - tau v v^H`.

    Args:
        x: vectors below the diagonal, as LAPACK's `geqrf` gives them; shape [..., m, n].
        tau: factors, shape [..., k].
    """
    need_matrix(x, "householder_product")
    x = precise(x)
    start = jnp.broadcast_to(jnp.eye(*x.shape[-2:], dtype=x.dtype), x.shape)
    return reflect(x, precise(tau), start, False)


for _method in (qr, matrix_rank):
    attach_method(_method.__name__, _method)
