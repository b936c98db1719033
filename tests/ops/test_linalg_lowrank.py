from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg

import proa
from proa.core import InvalidArgumentError, InvalidTypeError
from tests.ops.harness import Case, case_ids, check_case, randn

L = proa.linalg
random = np.random.default_rng(11)


def of_rank(*shape, rank):
    left, right = (
        random.standard_normal((*shape[:-1], rank)),
        random.standard_normal((rank, shape[-1])),
    )
    return left @ right


@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (5, 5), (2, 6, 4)])
@pytest.mark.parametrize("imaginary", [0, 1j])
def test_a_matrix_of_low_rank_is_met(shape, imaginary):
    x = of_rank(*shape, rank=2) * (1 + imaginary)
    u, s, v = (t.numpy() for t in L.svd_lowrank(proa.to_tensor(x), q=2))
    np.testing.assert_allclose(u * s[..., None, :] @ v.conj().swapaxes(-1, -2), x, 1e-9, 1e-9)
    np.testing.assert_allclose(s, np.linalg.svd(x)[1][..., :2], 1e-9)
    np.testing.assert_allclose(
        u.conj().swapaxes(-1, -2) @ u, np.eye(2) + 0 * u[..., :2, :], atol=1e-9
    )


def test_principal_components():
    x = random.standard_normal((7, 3))
    u, s, v = (t.numpy() for t in L.pca_lowrank(proa.to_tensor(x), q=3))
    centred = x - x.mean(0)
    np.testing.assert_allclose(s, np.linalg.svd(centred)[1], 1e-9)
    np.testing.assert_allclose(u * s @ v.T, centred, 1e-9, 1e-9)
    whole = L.pca_lowrank(proa.to_tensor(x), center=False)[1].numpy()
    np.testing.assert_allclose(whole, np.linalg.svd(x)[1], 1e-9)


def test_a_matrix_can_be_subtracted():
    x = random.standard_normal((4, 3))
    s = L.svd_lowrank(proa.to_tensor(x), M=proa.to_tensor(x + 2.0))[1].numpy()
    np.testing.assert_allclose(s, [2 * 12**0.5, 0, 0], atol=1e-9)


def test_ranks():
    x = proa.to_tensor(random.standard_normal((9, 8)).astype("float32"))
    assert [t.shape for t in x.svd_lowrank()] == [[9, 6], [6], [8, 6]]
    assert [t.shape for t in x.svd_lowrank(q=0)] == [[9, 0], [0], [8, 0]]
    assert x.pca_lowrank(2)[0].dtype == proa.float32
    for q in (9, -1, 1.5):
        with pytest.raises(InvalidArgumentError, match="`q` of `svd_lowrank` is"):
            L.svd_lowrank(x, q)
    with pytest.raises(InvalidArgumentError, match="`niter` of `pca_lowrank` is -1"):
        L.pca_lowrank(x, niter=-1)
    with pytest.raises(InvalidTypeError, match="of a int64 tensor"):
        L.svd_lowrank(proa.ones([2, 2], "int64"))


def test_paddles_numbers_for_a_seed():
    # Of Paddle 3.3.1.
    proa.set_flags({"FLAGS_paddle_random": True})
    try:
        proa.seed(3)
        x = proa.randn([4, 3], dtype="float64")
        proa.seed(5)
        s = L.svd_lowrank(x, q=2)[1]
        proa.seed(5)
        other = L.svd_lowrank(x.T, q=2)[1]
    finally:
        proa.set_flags({"FLAGS_paddle_random": False})
    assert s.tolist() == pytest.approx([3.448422120875072, 1.680384462817833])
    assert other.tolist() == pytest.approx([3.413168829509646, 1.753374523046613])


def reflections(rows, columns):
    (packed, tau), _ = linalg.qr(random.standard_normal((rows, columns)), mode="raw")
    whole = linalg.lapack.dorgqr(np.pad(packed, ((0, 0), (0, rows - columns))), tau)[0]
    return packed, tau, whole


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("transpose", [True, False])
@pytest.mark.parametrize("thin", [True, False])
def test_products_with_reflections(left, transpose, thin):
    packed, tau, whole = reflections(4, 2)
    # The transposed product (from the left) takes all rows in any case.
    takes_rows = left == transpose
    q = whole[:, :2] if thin or takes_rows else whole
    extent = 4 if takes_rows or not thin else 2
    y = random.standard_normal((extent, 3) if left else (3, extent))
    side = q.T if transpose else q
    expected = side @ y if left else y @ side
    made = L.ormqr(*(proa.to_tensor(a) for a in (packed, tau, y)), left, transpose)
    np.testing.assert_allclose(made.numpy(), expected, 1e-9, 1e-9)


def product(x, tau, y):
    """Reflections one by one, in NumPy."""
    whole = np.eye(len(x))
    for i, factor in enumerate(tau):
        v = np.where(np.arange(len(x)) > i, x[:, i], np.arange(len(x)) == i)
        whole = whole @ (np.eye(len(x)) - factor * np.outer(v, v))
    return whole @ y


# Half precision is not decomposed.
CASES = [
    Case(L.ormqr, (randn(4, 2), randn(2), randn(4, 3)), ref=product, low=()),
    Case(
        L.householder_product,
        (randn(4, 2), randn(2)),
        ref=lambda x, tau: product(x, tau, np.eye(4, 2)),
        low=(),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_products_have_derivatives(case):
    check_case(case)


def test_complex_reflections():
    # As in Paddle 3.3.1, transposed means transposed, not conjugated.
    x, tau, y = (
        proa.to_tensor(random.standard_normal(shape) + 1j * random.standard_normal(shape))
        for shape in ((2, 3, 3), (2, 3), (2, 3, 2))
    )
    whole = L.householder_product(x, tau).numpy()
    np.testing.assert_allclose(L.ormqr(x, tau, y).numpy(), whole @ y.numpy(), 1e-9)
    turned = whole.swapaxes(-1, -2) @ y.numpy()
    np.testing.assert_allclose(L.ormqr(x, tau, y, transpose=True).numpy(), turned, 1e-9)


def test_ormqr_refuses():
    x, tau = proa.ones([4, 2]), proa.ones([2])
    with pytest.raises(InvalidArgumentError, match="`y` of `ormqr` has shape"):
        x.ormqr(tau, proa.ones([3, 3]))
    with pytest.raises(InvalidArgumentError, match="`tau` of `ormqr` has shape"):
        x.ormqr(proa.ones([3]), proa.ones([2, 3]))
    with pytest.raises(InvalidArgumentError, match="reflections of shape"):
        x.t().ormqr(tau, proa.ones([4, 3]))


def test_eight_bit_products():
    x = proa.to_tensor([[1.0, 2.0], [0.5, -3.0]]).cast("float8_e4m3fn")
    bias = proa.to_tensor([1.0, 0.0]).cast("float16")
    product = L.fp8_fp8_half_gemm_fused
    assert product(x, x, scale=2.0, bias=bias).tolist() == [[5.0, -8.0], [-1.0, 20.0]]
    made = product(x, x, True, True, output_dtype="bfloat16", act="relu")
    assert made.dtype == proa.bfloat16
    assert made.tolist() == [[2.0, 0.0], [0.0, 10.0]]
    gelu = product(x, x, act="gelu").numpy().astype("float64")
    np.testing.assert_allclose(gelu[1, 1], 10.0, 1e-3)
    for settings in ({"output_dtype": "float32"}, {"act": "tanh"}):
        with pytest.raises(InvalidArgumentError, match="fp8_fp8_half_gemm_fused with"):
            product(x, x, **settings)
