"""Rows for products and `paddle.linalg`."""

from __future__ import annotations

from parity.table import (
    Array,
    Call,
    array,
    complexes,
    float64,
    integers,
    normal,
    positive,
)

# Well conditioned, symmetric and positive definite.
_SYMMETRIC = array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])
_TWO = array([[[2.0, 0.5], [0.5, 1.0]], [[3.0, -1.0], [-1.0, 2.0]]])
_LOWER = array([[2.0, 0.0, 0.0], [0.3, 1.5, 0.0], [-0.4, 0.2, 1.0]])
_UNREAD = "entries that are not read have no gradient"
_TRIANGLE = "the gradient is that of the triangle that is read; the real one spreads it over both"
_HERMITIAN = array([[2.0, 0.5j], [-0.5j, 1.0]])
_ORDERS = ("fro", "nuc", 1, -1, 2, -2, float("inf"), -float("inf"))
_VECTOR_ORDERS = (0, 1, 2, 3.5, float("inf"), -float("inf"))


def _products(name: str, *pairs: tuple[Array, Array]) -> list[Call]:
    return [Call(f"paddle.{name}", x, y) for x, y in pairs]


CALLS = (
    *_products(
        "matmul",
        (normal(2, 3), normal(3, 4)),
        (normal(3), normal(3)),
        (normal(3), normal(3, 2)),
        (normal(2, 3), normal(3)),
        (normal(2, 1, 2, 3), normal(1, 4, 3, 2)),
        (normal(2, 0), normal(0, 3)),
        (float64(2, 3), float64(3, 2)),
        (complexes(2, 3), complexes(3, 2)),
        (integers(2, 3), integers(3, 2)),
    ),
    Call("paddle.matmul", normal(3, 2), normal(3, 4), transpose_x=True),
    Call("paddle.matmul", normal(2, 3), normal(4, 3), transpose_y=True),
    Call("paddle.matmul", complexes(3, 2), complexes(4, 3), True, True),
    Call("paddle.matmul", normal(2, 3), normal(2, 3), error=True),
    *_products("mm", (normal(2, 3), normal(3, 4)), (normal(5, 2, 3), normal(5, 3, 1))),
    *_products("bmm", (normal(2, 2, 3), normal(2, 3, 4))),
    *_products(
        "dot", (normal(3), normal(3)), (normal(2, 3), normal(2, 3)), (integers(3), integers(3))
    ),
    *_products("mv", (normal(2, 3), normal(3))),
    *_products(
        "inner", (normal(2, 3), normal(4, 3)), (normal(3), normal(3)), (normal(), normal(3))
    ),
    *_products("outer", (normal(2), normal(3)), (normal(2, 2), normal(3))),
    *_products("ger", (normal(2), normal(3))),
    *_products("kron", (normal(2, 2), normal(3)), (normal(2), normal(1, 3))),
    *_products("vecdot", (normal(2, 3), normal(2, 3)), (complexes(3), complexes(3))),
    Call("paddle.cross", normal(2, 3), normal(2, 3)),
    Call("paddle.cross", normal(3, 2), normal(3, 2), axis=0),
    Call("paddle.tensordot", normal(2, 3, 4), normal(3, 4, 5)),
    Call("paddle.tensordot", normal(2, 3), normal(3, 2), axes=[[0], [1]]),
    Call("paddle.tensordot", normal(2), normal(3), axes=0),
    *(
        Call("paddle.einsum", equation, *operands)
        for equation, operands in (
            ("ij,jk->ik", (normal(2, 3), normal(3, 4))),
            ("ij,jk", (normal(2, 3), normal(3, 4))),
            ("bij,bjk->bik", (normal(2, 2, 3), normal(2, 3, 4))),
            ("ii->i", (normal(3, 3),)),
            ("ii", (normal(3, 3),)),
            ("i,j->ij", (normal(2), normal(3))),
            ("...ij,...jk->...ik", (normal(2, 2, 3), normal(3, 4))),
            ("i,i->", (normal(3), normal(3))),
            ("ij->ji", (normal(2, 3),)),
            ("a,b,c->abc", (normal(2), normal(3), normal(2))),
        )
    ),
    Call("paddle.addmm", normal(2, 4), normal(2, 3), normal(3, 4), beta=0.5, alpha=2.0),
    Call("paddle.addmm", normal(4), normal(2, 3), normal(3, 4)),
    Call("paddle.baddbmm", normal(2, 2, 4), normal(2, 2, 3), normal(2, 3, 4), beta=0.5),
    Call("paddle.linalg.multi_dot", [normal(2, 3), normal(3, 4), normal(4, 2)]),
    Call("paddle.linalg.multi_dot", [normal(3), normal(3, 4)]),
    Call("paddle.linalg.matmul", normal(2, 3), normal(3, 2)),
    # norms
    Call("paddle.linalg.norm", normal(3, 4)),
    Call("paddle.linalg.norm", array([0.0, 0.0])),
    *(Call("paddle.linalg.norm", normal(3, 4), p, axis=[0, 1]) for p in _ORDERS[:1]),
    *(Call("paddle.linalg.norm", normal(3, 4), p, axis=1) for p in _VECTOR_ORDERS),
    Call("paddle.linalg.norm", normal(3, 4), 2, axis=0, keepdim=True),
    Call("paddle.linalg.norm", normal(2, 3, 4), p="fro", axis=[1, 2]),
    *(Call("paddle.linalg.vector_norm", normal(3, 4), p) for p in _VECTOR_ORDERS),
    Call("paddle.linalg.vector_norm", normal(2, 3, 4), 2, axis=[0, 2], keepdim=True),
    *(Call("paddle.linalg.matrix_norm", normal(2, 3, 4), p) for p in _ORDERS),
    Call("paddle.linalg.matrix_norm", normal(2, 3, 4), "fro", axis=[0, 1], keepdim=True),
    *(Call("paddle.linalg.cond", _TWO, p) for p in (None, *_ORDERS)),
    # factors
    Call("paddle.linalg.cholesky", _SYMMETRIC),
    Call("paddle.linalg.cholesky", _TWO, upper=True),
    Call("paddle.linalg.cholesky", array([[1.0, 2.0], [2.0, 1.0]]), error=True),
    Call("paddle.linalg.cholesky_solve", normal(3, 2), _LOWER, upper=False),
    Call("paddle.linalg.cholesky_inverse", _LOWER, differs=_UNREAD),
    Call("paddle.linalg.qr", normal(3, 3), mode="r", grad=False),
    Call("paddle.linalg.qr", array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])),
    Call("paddle.linalg.qr", normal(3, 2), mode="complete", grad=False),
    Call("paddle.linalg.lu", _SYMMETRIC),
    Call("paddle.linalg.lu", normal(3, 3), get_infos=True),
    Call("paddle.linalg.lu_unpack", _SYMMETRIC, array([2, 2, 3], "int32")),
    Call("paddle.linalg.lu_solve", normal(3, 1), _SYMMETRIC, array([2, 2, 3], "int32"), grad=False),
    Call("paddle.linalg.svdvals", normal(3, 4)),
    Call("paddle.linalg.svdvals", normal(2, 3, 3)),
    Call("paddle.linalg.eigvalsh", _SYMMETRIC, differs=_TRIANGLE),
    Call("paddle.linalg.eigvalsh", _TWO, UPLO="U", differs=_TRIANGLE),
    Call("paddle.linalg.eigvalsh", _HERMITIAN, grad=False),
    Call("paddle.linalg.eigvals", array([[2.0, 0.0], [0.0, 1.0]]), grad=False),
    # Signs and phases of vectors are arbitrary.
    Call("paddle.linalg.eigh", _SYMMETRIC, values=False, grad=False),
    Call("paddle.linalg.eigh", _TWO, UPLO="U", values=False, grad=False),
    Call("paddle.linalg.eig", normal(3, 3), values=False, grad=False),
    Call("paddle.linalg.svd", normal(3, 4), values=False, grad=False),
    Call("paddle.linalg.svd", normal(2, 4, 3), full_matrices=True, values=False, grad=False),
    Call("paddle.linalg.svd_lowrank", normal(4, 3), q=2, values=False, grad=False),
    Call("paddle.linalg.pca_lowrank", normal(4, 3), q=2, values=False, grad=False),
    Call("paddle.linalg.householder_product", normal(3, 2), positive(2), grad=False),
    # solutions
    Call("paddle.linalg.inv", _SYMMETRIC),
    Call("paddle.linalg.inv", _TWO),
    Call("paddle.linalg.inv", _HERMITIAN),
    Call("paddle.linalg.inv", array([[1.0, 2.0], [2.0, 4.0]]), error=True),
    Call("paddle.linalg.inv", normal(2, 3), error=True),
    Call("paddle.linalg.det", _SYMMETRIC),
    Call("paddle.linalg.det", normal(2, 3, 3)),
    Call("paddle.linalg.slogdet", _SYMMETRIC),
    Call("paddle.linalg.slogdet", normal(2, 3, 3)),
    Call("paddle.linalg.solve", _SYMMETRIC, normal(3, 2)),
    Call("paddle.linalg.solve", _SYMMETRIC, normal(3)),
    Call("paddle.linalg.solve", _TWO, normal(2, 2, 3)),
    Call("paddle.linalg.solve", _SYMMETRIC, normal(3, 2), left=False, error=True),
    Call("paddle.linalg.triangular_solve", _LOWER, normal(3, 2), upper=False),
    Call("paddle.linalg.triangular_solve", _LOWER, normal(3, 2), upper=False, transpose=True),
    Call(
        "paddle.linalg.triangular_solve", _LOWER, normal(3, 2), False, False, True, differs=_UNREAD
    ),
    Call("paddle.linalg.lstsq", normal(4, 2), normal(4, 1), grad=False),
    Call("paddle.linalg.pinv", normal(3, 2)),
    Call("paddle.linalg.pinv", _SYMMETRIC, hermitian=True),
    Call("paddle.linalg.matrix_rank", normal(3, 4)),
    Call("paddle.linalg.matrix_rank", array([[1.0, 2.0], [2.0, 4.0]])),
    Call("paddle.linalg.matrix_rank", _SYMMETRIC, hermitian=True, tol=2.5),
    *(Call("paddle.linalg.matrix_power", _SYMMETRIC, n) for n in (0, 1, 3, -2)),
    Call("paddle.linalg.matrix_exp", array([[0.1, 0.3], [-0.2, 0.4]])),
    Call("paddle.linalg.cov", normal(3, 5)),
    Call("paddle.linalg.cov", normal(5, 3), rowvar=False, ddof=False),
    Call("paddle.linalg.cov", normal(3, 4), fweights=array([1, 2, 1, 3])),
    Call("paddle.linalg.cov", normal(3, 4), aweights=positive(4, fixed=True)),
    Call("paddle.linalg.corrcoef", normal(3, 5)),
    Call("paddle.linalg.corrcoef", normal(5, 3), rowvar=False),
    Call("paddle.linalg.diagonal", normal(3, 4)),
    Call("paddle.linalg.cross", normal(2, 3), normal(2, 3)),
    Call("paddle.linalg.vecdot", normal(2, 3), normal(2, 3), axis=0),
    Call("paddle.linalg.matrix_transpose", normal(2, 3)),
    Call("paddle.linalg.lu", normal(2, 3, 3)),
    Call("paddle.linalg.inv", positive(0, 0)),
)
