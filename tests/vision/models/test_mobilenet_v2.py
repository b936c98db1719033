"""MobileNetV2 has the state and the outputs of Paddle."""

from __future__ import annotations

import pytest

from tests.vision.models.record import check_forward, check_state


@pytest.mark.parametrize("name", ["mobilenet_v2"])
def test_state(name: str) -> None:
    check_state(name)


def test_forward() -> None:
    check_forward("mobilenet_v2", (1, 3, 32, 32), scale=0.25, num_classes=4)
