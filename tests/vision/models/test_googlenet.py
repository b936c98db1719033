"""GoogLeNet has the state and the outputs of Paddle."""

from __future__ import annotations

import pytest

from tests.vision.models.record import check_forward, check_state


@pytest.mark.parametrize("name", ["googlenet"])
def test_state(name: str) -> None:
    check_state(name)


def test_forward() -> None:
    check_forward("googlenet", (1, 3, 64, 64), num_classes=0, with_pool=False)
