"""Principal components of a sparse matrix, which stays sparse."""

from __future__ import annotations

from typing import Any

from proa import ops
from proa.core import InvalidArgumentError, Tensor, composite
from proa.ops._linalg_lowrank import check_low_rank, low_rank_factors

from ._matmul import matmul
from ._shape import transpose
from ._tensor import need_sparse


@composite
def pca_lowrank(
    x: Tensor, q: int | None = None, center: bool = True, niter: int = 2, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Principal components, approximately, by random projections.

    Centring would fill the matrix: the means are subtracted from its products instead.

    Args:
        x: sparse matrix of shape [samples, features], COO or CSR.
        q: how many components; `min(6, samples, features)` by default.
        center: subtract the mean of each feature first.
        niter: iterations that make the approximation better.
        name: not used.

    Returns:
        Dense `u`, `s` and `v`, as `linalg.pca_lowrank` gives them.

    Raises:
        InvalidTypeError: `x` is dense.
        InvalidArgumentError: no matrix, or `q` or `niter` out of range.

    Examples:
        >>> import proa
        >>> x = proa.to_tensor([[3.0, 0.0], [0.0, 2.0], [0.0, 0.0]]).to_sparse_coo(2)
        >>> u, s, v = proa.sparse.pca_lowrank(x, center=False)
        >>> s.round(4).tolist()
        [3.0, 2.0]
    """
    given = need_sparse(x, "x", "pca_lowrank")
    if given.ndim != 2 or given.dense_dim():
        raise InvalidArgumentError(
            f"`x` of `sparse.pca_lowrank` has shape {given.shape} with {given.dense_dim()} "
            "dense axes",
            expected="a matrix without dense axes",
            fix="reshape it, or make it with to_sparse_coo(2)",
        )
    rank = check_low_rank("sparse.pca_lowrank", given.shape, q, niter)
    turned = transpose(given, [1, 0])
    rows = given.shape[0]
    # [features, 1]; zeros without centring, which costs two small products.
    ones = ops.full([rows, 1], 1.0 / rows if center else 0.0, given.dtype)
    shift: Any = matmul(turned, ones)

    def product(r: Tensor) -> Any:
        return matmul(given, r) - ops.matmul(shift, r, transpose_x=True)  # type: ignore[operator]

    def adjoint(r: Tensor) -> Any:
        total = ops.sum(r, axis=0, keepdim=True)
        return matmul(turned, r) - ops.matmul(shift, total)  # type: ignore[operator]

    return low_rank_factors(product, adjoint, given.shape, given.dtype, rank, niter)
