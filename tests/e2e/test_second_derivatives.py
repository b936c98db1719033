"""Second derivatives of ops that stand in no table: random ones, and factors up to a convention.

Random numbers are the same in each call (`derivatives.quickly` sees to it), so a function of them
is a function of its inputs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from tests.ops.derivatives import Derivatives
from tests.ops.harness import complexes, positive, randn

linalg = proa.linalg


def rebuilt_exponential(x: Any) -> Any:
    """Eigenvectors have any length and phase, which this does not depend on."""
    values, vectors = linalg.eig(x)
    return (vectors * proa.exp(values).unsqueeze(-2)) @ linalg.inv(vectors)


def parts_of_lu(packed: Any) -> Any:
    pivots = proa.to_tensor([2, 2, 3], dtype="int32")
    return linalg.lu_unpack(packed, pivots)[1:]


def attention(q: Any, k: Any, v: Any) -> Any:
    return F.scaled_dot_product_attention(q, k, v, dropout_p=0.5, training=True)


ROWS = {
    "lu": (lambda x: linalg.lu(x)[0], (randn(3, 3) + np.eye(3)[[1, 0, 2]] * 4,)),
    "lu_unpack": (lambda x: [part * part for part in parts_of_lu(x)], (randn(3, 3),)),
    "householder_product": (linalg.householder_product, (randn(4, 2), randn(2))),
    "eig": (rebuilt_exponential, (randn(3, 3),)),
    "eig of complex": (rebuilt_exponential, (complexes(2, 2),)),
    "gumbel_softmax": (F.gumbel_softmax, (randn(2, 4),)),
    "drop": (lambda x: F.dropout(x * x, 0.5), (randn(4, 3),)),
    "alpha_drop": (lambda x: F.alpha_dropout(x * x, 0.5), (randn(4, 3),)),
    "attention_dropout": (attention, tuple(randn(1, 3, 2, 4) for _ in range(3))),
    "fill_diagonal": (lambda x: (x * x).fill_diagonal_(2.0), (randn(3, 3),)),
    "uniform": (lambda x: proa.rand([3]) ** x, (positive(3),)),
    "gaussian": (lambda x: proa.exp(proa.randn([3]) * x), (randn(3),)),
}


@pytest.mark.parametrize("name", ROWS)
def test_second_derivative(name):
    fn, inputs = ROWS[name]

    def call(*tensors: Any) -> list[Any]:
        made = fn(*tensors)
        return list(made) if isinstance(made, list | tuple) else [made]

    found = Derivatives(call, list(inputs), 2, True)
    for order, rtol in ((1, 2e-6), (2, 1e-5)):
        parts = [float(p) for p in found.here.parts[order - 1]]
        assert any(parts), f"nothing of order {order}"
        np.testing.assert_allclose(parts, found.differences(order), rtol=rtol, atol=1e-7)
