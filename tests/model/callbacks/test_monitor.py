from __future__ import annotations

import math
from typing import Any

import pytest

from proa.core import InvalidArgumentError
from proa.model.callbacks._monitor import Monitor


@pytest.mark.parametrize(
    ("monitor", "mode", "expected"),
    [("loss", "auto", "min"), ("val_acc", "auto", "max"), ("acc", "min", "min")],
)
def test_the_mode_follows_the_name(monitor: str, mode: str, expected: str) -> None:
    assert Monitor(monitor, mode, 0).mode == expected


@pytest.mark.parametrize(
    ("mode", "delta", "value", "expected"),
    [
        ("min", 0, 0.9, True),
        ("min", 0, 1.0, False),
        ("min", 0.2, 0.9, False),
        ("max", 0.05, 1.1, True),
        ("max", -0.2, 1.1, False),  # its sign does not matter
        ("min", 0, math.nan, False),
    ],
)
def test_better_is_by_more_than_the_delta(
    mode: str, delta: float, value: float, expected: bool
) -> None:
    monitor = Monitor("loss", mode, delta)
    assert monitor.is_better(value, 1.0) is expected
    assert monitor.is_better(1.0, monitor.worst())


def test_a_missing_value_is_named() -> None:
    with pytest.warns(UserWarning, match=r"Monitor watches 'f1'.*; it gives loss, acc"):
        assert Monitor("f1", "auto", 0).read({"loss": [1.0], "acc": 0.5, "step": 3}) is None


@pytest.mark.parametrize("mode", ["best", None])
def test_an_unknown_mode_is_refused(mode: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="Monitor: `mode` is"):
        Monitor("loss", mode, 0)
