from __future__ import annotations

import proa
from proa import static


def test_helpers():
    strategy = static.BuildStrategy()
    strategy.anything = True
    strategy.reduce_strategy = static.BuildStrategy.ReduceStrategy.Reduce
    assert static.create_parameter([2], "float32").is_parameter
    with static.name_scope("block"), static.device_guard("cpu"):
        assert static.cpu_places(2) == [proa.CPUPlace(), proa.CPUPlace()]
    made = static.create_global_var([2], 3.0, "float32", persistable=True, name="helper")
    assert (made.tolist(), made.name, made.persistable) == ([3.0, 3.0], "helper", True)
    scores, labels = proa.to_tensor([[0.1, 0.9], [0.8, 0.2]]), proa.to_tensor([[1], [1]])
    assert static.accuracy(scores, labels).item() == 0.5
