from __future__ import annotations

import pytest

import proa
from proa.amp import debugging
from proa.core import interceptors


def test_calls_are_counted_by_dtype(capsys):
    x = proa.ones([2, 2])
    with debugging.collect_operator_stats() as counts:
        with proa.amp.auto_cast(dtype="bfloat16"):
            y = proa.exp(x @ x)
        y.astype("float16") + 1
        proa.to_tensor([1]) + 1
    assert counts["matmul"] == [0, 1, 0, 0]
    assert counts["exp"] == [0, 0, 1, 0]
    assert counts["add"] == [1, 0, 0, 1]
    assert counts["cast"] == [0, 1, 3, 0]
    printed = capsys.readouterr().out
    assert "op count: 4" in printed
    assert "| BF16 Calls" in printed.replace("-", "").replace("|  ", "| ")
    assert not interceptors


def test_gradients_count():
    x = proa.ones([2])
    x.stop_gradient = False
    with debugging.collect_operator_stats() as counts:
        proa.exp(x).sum().backward()
    assert counts["exp_grad"] == [0, 0, 1, 0]


def test_one_collection_at_a_time():
    debugging.enable_operator_stats_collection()
    with pytest.raises(RuntimeError, match="while calls are counted"):
        debugging.enable_operator_stats_collection()
    debugging.disable_operator_stats_collection()
    debugging.disable_operator_stats_collection()
    assert not interceptors
