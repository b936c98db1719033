from __future__ import annotations

import numpy as np

import proa
from proa.ops._beam import NEVER, beam_step


def test_finished_sequences_go_on_at_no_cost():
    logits = np.log([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    scores, ids, parents, finished, lengths, rows = beam_step(
        proa.to_tensor(np.tile(logits, (2, 1))),
        proa.to_tensor([[-0.1, -0.2], [0.0, NEVER]], dtype="float64"),
        proa.to_tensor([[True, False], [False, False]]),
        proa.to_tensor([[3, 3], [0, 0]]),
        1,
    )
    np.testing.assert_allclose(
        scores, [[-0.1, -0.2 + np.log(0.8)], [np.log(0.5), np.log(0.3)]], rtol=1e-6
    )
    assert ids.tolist() == [[1, 2], [0, 1]]
    assert parents.tolist() == [[0, 1], [0, 0]]
    assert finished.tolist() == [[True, False], [False, True]]
    assert lengths.tolist() == [[3, 4], [1, 1]]
    assert rows.tolist() == [0, 1, 2, 2]
