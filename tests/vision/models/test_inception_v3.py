"""InceptionV3 has the state and the outputs of Paddle."""

from __future__ import annotations

import pytest

from tests.vision.models.record import check_forward, check_state


@pytest.mark.parametrize("name", ["inception_v3"])
def test_state(name: str) -> None:
    check_state(name)


def test_forward() -> None:
    check_forward("inception_v3", (1, 3, 75, 75), num_classes=4)
