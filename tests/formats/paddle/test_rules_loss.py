from __future__ import annotations

import numpy as np
import pytest

from tests.formats.paddle.models import call

P = np.array([[0.25, 0.75], [0.5, 0.5]], np.float32)
L = np.array([[0.0, 1.0], [1.0, 0.0]], np.float32)
Z = np.array([[0.5, -1.0], [2.0, 0.0]], np.float32)
CE = np.maximum(Z, 0) - Z * L + np.log1p(np.exp(-abs(Z)))

# op, inputs, attributes, output slot, expected
ROWS = [
    ("bce_loss", {"X": P, "Label": L}, {}, "Out", -np.log([[0.75, 0.75], [0.5, 0.5]])),
    ("sigmoid_cross_entropy_with_logits", {"X": Z, "Label": L}, {}, "Out", CE),
    (
        "sigmoid_cross_entropy_with_logits",
        {"X": Z, "Label": L},
        {"normalize": True, "ignore_index": 1},
        "Out",
        np.where(L == 1, 0, CE) / 2,
    ),
    (
        "sigmoid_cross_entropy_with_logits",
        {"X": Z, "Label": L, "pos_weight": L + 1},
        {},
        "Out",
        (1 - L) * Z + (L + 1) * np.log1p(np.exp(-Z)),
    ),
    ("huber_loss", {"X": Z, "Y": Z + [[0.5, 3]]}, {"delta": 1.0}, "Out", [[0.125, 2.5]] * 2),
    ("kldiv_loss", {"X": Z, "Target": P}, {"reduction": "none"}, "Loss", P * (np.log(P) - Z)),
    (
        "log_loss",
        {"Predicted": P, "Labels": L},
        {"epsilon": 0.0},
        "Loss",
        -np.log([[0.75, 0.75], [0.5, 0.5]]),
    ),
    ("swiglu", {"x": Z, "y": P}, {}, "out", Z / (1 + np.exp(-Z)) * P),
    ("swiglu", {"x": Z}, {}, "out", Z[:, :1] / (1 + np.exp(-Z[:, :1])) * Z[:, 1:]),
]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]}-{i}" for i, row in enumerate(ROWS)])
def test_ops_of_program_desc(row):
    name, inputs, attributes, slot, expected = row
    given = {slot: np.asarray(value, np.float32) for slot, value in inputs.items()}
    ((found,),) = call(name, given, attributes, (slot,))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_a_weighted_loss_gives_its_weight_too():
    inputs = {"X": np.log(P), "Label": np.array([0, 1]), "Weight": np.float32([1, 3])}
    loss, weight = call("nll_loss", inputs, {}, ("Out", "Total_weight"))
    np.testing.assert_allclose(loss[0], (np.log(4) + 3 * np.log(2)) / 4, rtol=1e-5)
    assert weight[0] == 4
