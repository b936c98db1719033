"""The rewriting itself; its use is tested with `Program.clone`."""

from __future__ import annotations

import proa
from proa import static


def test_calls_that_only_train_are_replaced_and_writes_are_forgotten():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [4, 2])
        proa.nn.functional.dropout(proa.nn.BatchNorm1D(2)(x), 0.5) * 2
    names = [call.op.name for call in main.ops]
    assert "drop" in names
    assert "batch_norm_train" in names
    test = main.clone(for_test=True)
    kept = [call.op.name for call in test.ops]
    assert "drop" not in kept
    assert "batch_norm_infer" in kept
    assert not test._recorder._writes
