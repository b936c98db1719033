from __future__ import annotations

import numpy as np
import pytest

import proa
from tests.sparse.samples import close

S = proa.sparse
VALUES = [0.25, -0.5, 0.75]
REFERENCE = {
    **{n: getattr(np, n) for n in ("abs", "sin", "sinh", "tan", "tanh", "square", "expm1")},
    **{n: getattr(np, n) for n in ("log1p", "deg2rad", "rad2deg", "isnan")},
    **{n: getattr(np, f"arc{n[1:]}") for n in ("asin", "asinh", "atan", "atanh")},
    "neg": np.negative,
}


@pytest.mark.parametrize("form", ["coo", "csr"])
@pytest.mark.parametrize("name", list(REFERENCE))
def test_values(name, form):
    x = S.sparse_coo_tensor([[0, 1, 1], [1, 0, 2]], VALUES, [2, 3])
    made = getattr(S, name)(x if form == "coo" else x.to_sparse_csr())
    assert made._form == form
    close(made.values(), REFERENCE[name](np.array(VALUES)))


def test_powers_and_roots():
    x = S.sparse_coo_tensor([[0, 2]], [4.0, 9.0], [3])
    assert S.sqrt(x).values().tolist() == [2.0, 3.0]
    assert S.pow(x, 2).values().tolist() == [16.0, 81.0]


def test_gradients():
    x = S.sparse_coo_tensor([[0, 2]], [0.5, 1.0], [3], stop_gradient=False)
    S.sin(x).to_dense().sum().backward()
    close(x.grad.values(), np.cos([0.5, 1.0]))
