"""Low-rank approximations, and products with what Householder reflections make."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from proa.core import InvalidArgumentError, InvalidTypeError, Tensor, attach_method, composite, op

from ._cast import cast
from ._elementwise import conj
from ._linalg import matmul
from ._linalg_solve import need_matrix
from ._linalg_spectral import qr, reflect, svd
from ._manipulate import matrix_transpose
from ._promote import precise
from ._random import randn
from ._reduce import mean

if TYPE_CHECKING:
    from proa.core._types import Array, DType

Product = Callable[[Tensor], Tensor]
_DEFAULT_RANK = 6


def _adjoint(x: Tensor) -> Tensor:
    turned = matrix_transpose(x)
    return conj(turned) if turned.dtype.is_complex else turned


def check_low_rank(name: str, shape: Any, q: Any, niter: Any) -> int:
    """Returns the rank; refuses what is out of range."""
    most = min(shape[-2:])
    rank = min(_DEFAULT_RANK, most) if q is None else q
    if not isinstance(rank, int) or not 0 <= rank <= most:
        raise InvalidArgumentError(
            f"`q` of `{name}` is {q!r} for a tensor of shape {list(shape)}",
            expected=f"an integer from 0 to {most}",
            fix="choose a smaller rank, or leave it out",
        )
    if not isinstance(niter, int) or niter < 0:
        raise InvalidArgumentError(
            f"`niter` of `{name}` is {niter!r}",
            expected="a number of iterations, at least 0",
            fix="leave it out for 2",
        )
    return rank


def low_rank_factors(
    product: Product, adjoint: Product, shape: Any, dtype: Any, rank: int, niter: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Approximate singular value decomposition of what is known by its products alone.

    Args:
        product: what it maps a matrix to, `a @ r`.
        adjoint: what its conjugate transpose maps a matrix to.
        shape: its rows and columns.
        dtype: its dtype.
        rank: number of singular values.
        niter: number of iterations that bring out the large ones.

    Returns:
        `u`, `s`, `v` with `u @ diag(s) @ v^H` close to it.

    References:
        Halko, Martinsson, Tropp, "Finding structure with randomness", 2011, algorithms 4.4, 5.1.
    """
    columns = max(rank, 1)
    if shape[0] < shape[1] or shape[1] > rank:
        basis = _basis(adjoint, product, [shape[0], columns], dtype, niter)
        u, s, vh = svd(product(basis))
        made = (u, s, matmul(basis, _adjoint(vh)))
    else:
        basis = _basis(product, adjoint, [shape[1], columns], dtype, niter)
        u, s, vh = svd(_adjoint(adjoint(basis)))
        made = (matmul(basis, u), s, _adjoint(vh))
    return made if rank else tuple(t[..., :0] for t in made)  # type: ignore[index]


def _basis(product: Product, adjoint: Product, shape: Any, dtype: Any, niter: int) -> Tensor:
    """Orthonormal columns that span most of what a matrix maps to."""
    basis, _ = qr(product(cast(randn(shape, _real(dtype)), dtype)))
    for _ in range(niter):
        basis, _ = qr(adjoint(basis))
        basis, _ = qr(product(basis))
    return basis


def _real(dtype: Any) -> str:
    return "float64" if dtype.name in ("float64", "complex128") else "float32"


def _need_float(x: Tensor, name: str) -> None:
    need_matrix(x, name)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise InvalidTypeError(
            f"`{name}` of a {x.dtype.name} tensor",
            expected="a floating or complex tensor",
            fix="cast it to float32",
        )


@composite
def svd_lowrank(
    x: Tensor,
    q: int | None = None,
    niter: int = 2,
    M: Tensor | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """The largest singular values and their vectors, approximately, by random projections.

    Args:
        x: tensor of shape [..., m, n].
        q: how many; `min(6, m, n)` by default.
        niter: iterations that make the approximation better.
        M: tensor that is subtracted before.
        name: not used.

    Returns:
        `u` of shape [..., m, q], `s` in descending order, `v` of shape [..., n, q].

    Raises:
        InvalidArgumentError: `q` or `niter` is out of range.
        InvalidTypeError: integers.

    Examples:
        >>> import proa
        >>> x = proa.to_tensor([[3.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
        >>> u, s, v = proa.linalg.svd_lowrank(x)
        >>> s.round(4).tolist()
        [3.0, 2.0]

    References:
        Halko, Martinsson, Tropp, "Finding structure with randomness", 2011.
    """
    _need_float(x, "svd_lowrank")
    rank = check_low_rank("svd_lowrank", x.shape, q, niter)
    given: Any = x if M is None else x - M  # type: ignore[operator]
    turned = _adjoint(given)
    return low_rank_factors(
        lambda r: matmul(given, r),
        lambda r: matmul(turned, r),
        given.shape[-2:],
        given.dtype,
        rank,
        niter,
    )


@composite
def pca_lowrank(
    x: Tensor, q: int | None = None, center: bool = True, niter: int = 2, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Principal components, approximately, by random projections.

    Args:
        x: tensor of shape [..., samples, features].
        q: how many; `min(6, samples, features)` by default.
        center: subtract the mean of each feature first.
        niter: iterations that make the approximation better.
        name: not used.

    Returns:
        `u`, `s`, `v` as `svd_lowrank` gives them for the (centred) tensor; the columns of `v`
        are the directions, `s ** 2 / (samples - 1)` their variances.

    Raises:
        InvalidArgumentError: `q` or `niter` is out of range.
        InvalidTypeError: integers.
    """
    _need_float(x, "pca_lowrank")
    rank = check_low_rank("pca_lowrank", x.shape, q, niter)
    shift = mean(x, axis=-2, keepdim=True) if center else None
    return svd_lowrank(x, rank, niter, shift)


@op(name="ormqr", public=False)
def _ormqr(x: Array, tau: Array, y: Array, left: bool, transpose: bool):
    for value in (x, y):
        need_matrix(value, "ormqr")
    rows, columns = x.shape[-2:]
    extent = y.shape[-2] if left else y.shape[-1]
    if tau.shape != (*x.shape[:-2], tau.shape[-1] if tau.ndim else 0) or tau.shape[-1] > columns:
        raise InvalidArgumentError(
            f"`tau` of `ormqr` has shape {list(tau.shape)}, `x` {list(x.shape)}",
            expected="a factor for each column of `x`, or fewer",
            fix="pass both as geqrf gives them",
        )
    if left == transpose:
        allowed: tuple[Any, ...] = (rows,)
    else:
        allowed = (columns, rows)
    if extent not in allowed:
        raise InvalidArgumentError(
            f"`y` of `ormqr` has shape {list(y.shape)}, `x` {list(x.shape)}",
            expected=f"{' or '.join(map(str, allowed))} {'rows' if left else 'columns'} of `y`",
            fix="check `left` and `transpose`",
        )
    x, y = precise(x), precise(y)
    if not left:
        # y q = (q^T y^T)^T
        y = jnp.swapaxes(y, -1, -2)
    made = reflect(x, precise(tau), y, left == transpose)
    return made if left else jnp.swapaxes(made, -1, -2)


@composite
def ormqr(
    x: Tensor,
    tau: Tensor,
    y: Tensor,
    left: bool = True,
    transpose: bool = False,
    name: str | None = None,
) -> Tensor:
    """Product of a matrix with the one that `householder_product` makes of reflections.

    `q @ y`, `q^T @ y`, `y @ q` or `y @ q^T`.

    Args:
        x: vectors below the diagonal, as LAPACK's `geqrf` gives them; shape [..., m, n].
        tau: factors, shape [..., k].
        y: the other matrix.
        left: whether `q` stands on the left.
        transpose: whether `q` is transposed.
        name: not used.

    Returns:
        The product. Where the extent of `y` is `m` and `q` has fewer columns than that, `q @ y`
        and `y @ q^T` are taken with all `m` columns (Paddle 3.3.1 raises there).

    Raises:
        InvalidArgumentError: shapes that do not fit.

    Examples:
        >>> import proa
        >>> x, tau = proa.to_tensor([[1.0], [1.0]]), proa.to_tensor([1.0])
        >>> proa.linalg.ormqr(x, tau, proa.eye(2)).tolist()
        [[0.0, -1.0], [-1.0, 0.0]]
    """
    return _ormqr(x, tau, y, left, transpose)


_ACTIVATIONS: dict[str, Callable[..., Any]] = {
    "identity": lambda x: x,
    "relu": jax.nn.relu,
    "gelu": lambda x: jax.nn.gelu(x, approximate=False),
}


@op(name="fp8_fp8_half_gemm_fused", method=None, public=False)
def _fp8_matmul(
    x: Array,
    y: Array,
    bias: Array | None,
    transpose_x: bool,
    transpose_y: bool,
    scale: float,
    output_dtype: DType,
    act: str,
):
    x = jnp.swapaxes(x, -1, -2) if transpose_x else x
    y = jnp.swapaxes(y, -1, -2) if transpose_y else y
    # Products of eight-bit floats are exact in float32, and their sums as good as on a GPU.
    made = jnp.matmul(x.astype(jnp.float32), y.astype(jnp.float32)) * jnp.float32(scale)
    if bias is not None:
        made = made + bias.astype(jnp.float32)
    return _ACTIVATIONS[act](made).astype(output_dtype.name)


@composite
def fp8_fp8_half_gemm_fused(
    x: Tensor,
    y: Tensor,
    transpose_x: bool = False,
    transpose_y: bool = False,
    bias: Tensor | None = None,
    scale: float = 1.0,
    output_dtype: str = "float16",
    act: str = "identity",
    name: str | None = None,
) -> Tensor:
    """Matrix product of eight-bit floats with a half-precision result.

    `act(scale * x @ y + bias)`, summed up in float32. (Paddle has it for some GPUs only.)

    Args:
        x: tensor of shape [..., m, k], usually float8_e4m3fn.
        y: tensor of shape [..., k, n].
        transpose_x: `x` is given as [..., k, m].
        transpose_y: `y` is given as [..., n, k].
        bias: vector of length n, or `None`.
        scale: factor of the product.
        output_dtype: `"float16"` or `"bfloat16"`.
        act: `"identity"`, `"relu"` or `"gelu"`.
        name: not used.

    Raises:
        InvalidArgumentError: another dtype or activation.

    Examples:
        >>> import proa
        >>> x = proa.ones([2, 4]).cast("float8_e4m3fn")
        >>> proa.linalg.fp8_fp8_half_gemm_fused(x, x, transpose_y=True, scale=0.5).tolist()
        [[2.0, 2.0], [2.0, 2.0]]
    """
    if output_dtype not in ("float16", "bfloat16") or act not in _ACTIVATIONS:
        raise InvalidArgumentError(
            f"fp8_fp8_half_gemm_fused with `output_dtype` {output_dtype!r} and `act` {act!r}",
            expected=f"'float16' or 'bfloat16', and one of {', '.join(_ACTIVATIONS)}",
            fix="choose one of each",
        )
    return _fp8_matmul(x, y, bias, transpose_x, transpose_y, scale, output_dtype, act)


for _method in (svd_lowrank, pca_lowrank, ormqr):
    attach_method(_method.__name__, _method)
