"""SqueezeNet has the state and the outputs of Paddle."""

from __future__ import annotations

import pytest

from proa.core import InvalidArgumentError
from tests.vision.models.record import build, check_forward, check_state


@pytest.mark.parametrize("name", ["squeezenet1_0", "squeezenet1_1"])
def test_state(name: str) -> None:
    check_state(name)


def test_a_wrong_version() -> None:
    with pytest.raises(InvalidArgumentError, match="`version` is 1.1\n  Expected: '1.0' or '1.1'"):
        build("SqueezeNet", 1.1)


def test_forward() -> None:
    check_forward("squeezenet1_1", (1, 3, 32, 32), num_classes=4)
