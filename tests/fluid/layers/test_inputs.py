from __future__ import annotations

from proa import static
from proa.fluid import layers


def test_the_batch_stands_before_the_shape():
    with static.program_guard(static.Program()):
        found = [
            layers.data("a", [2, 3]),
            layers.data("b", [-1, 3], dtype="int64"),
            layers.data("c", [2], append_batch_size=False, stop_gradient=False),
            layers.data("d", [1], lod_level=1),
        ]
    assert [len(t.shape) for t in found] == [3, 2, 1, 2]
    assert [str(t.shape[0]) for t in found] == ["batch", "batch", "2", "sequence_rows"]
    assert [t.stop_gradient for t in found] == [True, True, False, True]
