from __future__ import annotations

import pytest

from proa import static
from proa.core import InvalidArgumentError


def test_helpers():
    with static.name_scope("block"), static.device_guard("gpu:0"), static.device_guard():
        made = static.create_global_var([2], 3.0, "float32", persistable=True, name="helper")
    assert (made.tolist(), made.name, made.persistable) == ([3.0, 3.0], "helper", True)
    assert not static.create_global_var([2], 3, "int64").persistable
    made = static.create_parameter([2], "float32", name="made", is_bias=True)
    assert (made.tolist(), made.name) == ([0.0, 0.0], "made")


@pytest.mark.parametrize("device", ["tpu", "cpu:1", "gpu:first"])
def test_devices_that_paddle_does_not_know(device):
    with (
        pytest.raises(InvalidArgumentError, match=f"device_guard\\('{device}'\\)"),
        static.device_guard(device),
    ):
        pass
