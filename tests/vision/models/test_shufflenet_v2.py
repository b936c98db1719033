"""ShuffleNetV2 has the state and the outputs of Paddle."""

from __future__ import annotations

import pytest

from proa.core import InvalidArgumentError
from tests.vision.models.record import build, check_forward, check_state


@pytest.mark.parametrize(
    "name",
    [
        "shufflenet_v2_swish",
        "shufflenet_v2_x0_25",
        "shufflenet_v2_x0_33",
        "shufflenet_v2_x0_5",
        "shufflenet_v2_x1_0",
        "shufflenet_v2_x1_5",
        "shufflenet_v2_x2_0",
    ],
)
def test_state(name: str) -> None:
    check_state(name)


def test_bad_arguments() -> None:
    with pytest.raises(InvalidArgumentError, match="`scale` is 3\n  Expected: one of 0.25, 0.33"):
        build("ShuffleNetV2", scale=3)
    with pytest.raises(InvalidArgumentError, match="`act` is 'gelu'\n  Expected: one of 'relu'"):
        build("ShuffleNetV2", act="gelu")


def test_forward() -> None:
    check_forward("shufflenet_v2_x0_25", (1, 3, 32, 32), num_classes=4)
