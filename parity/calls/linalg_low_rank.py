"""Rows for low-rank factors and reflections. The random directions are those of one seed."""

from __future__ import annotations

from parity.table import Call, complexes, float64, normal

_L = "paddle.linalg"

# The gradient of a factorisation crashes the real one.
CALLS = (
    *(
        Call(f"{_L}.{name}", float64(*shape), q, niter=niter, grad=False)
        for name in ("svd_lowrank", "pca_lowrank")
        for shape, q, niter in (((5, 4), 2, 2), ((4, 5), 3, 1), ((4, 4), None, 2), ((6, 3), 3, 0))
    ),
    Call(f"{_L}.svd_lowrank", float64(2, 5, 4), 2, grad=False),
    Call(f"{_L}.svd_lowrank", float64(5, 4), 2, M=float64(5, 4), grad=False),
    Call(f"{_L}.pca_lowrank", float64(5, 4), 2, center=False, grad=False),
    Call("paddle.Tensor.svd_lowrank", float64(5, 4), 2, grad=False),
    Call("paddle.Tensor.pca_lowrank", float64(5, 4), 2, grad=False),
    *(
        Call(f"{_L}.{name}", normal(4, 3), *args, error=True)
        for name in ("svd_lowrank", "pca_lowrank")
        for args in ((5,), (-1,))
    ),
    # The real one cannot differentiate reflections.
    *(
        Call(f"{_L}.ormqr", float64(3, 3), float64(3), float64(3, 3), left, transpose, grad=False)
        for left in (True, False)
        for transpose in (True, False)
    ),
    Call(f"{_L}.ormqr", float64(4, 2), float64(2), float64(2, 3), grad=False),
    Call(f"{_L}.ormqr", float64(4, 2), float64(2), float64(4, 3), transpose=True, grad=False),
    Call(f"{_L}.ormqr", float64(2, 3, 3), float64(2, 3), float64(2, 3, 2), grad=False),
    Call(f"{_L}.ormqr", complexes(3, 3), complexes(3), complexes(3, 2), transpose=True, grad=False),
    Call("paddle.Tensor.ormqr", normal(3, 3), normal(3), normal(3, 3), grad=False),
    Call(f"{_L}.ormqr", normal(3, 3), normal(4), normal(3, 3), error=True),
    Call(f"{_L}.householder_product", float64(4, 2), float64(2), grad=False),
    Call(f"{_L}.householder_product", normal(2, 3, 3), normal(2, 3), grad=False),
    Call(f"{_L}.householder_product", normal(2, 3), normal(2), error=True),
)
