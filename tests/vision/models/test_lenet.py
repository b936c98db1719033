"""LeNet has the state and the outputs of Paddle."""

from __future__ import annotations

import pytest

import proa
from tests.vision.models.record import build, check_forward, check_state


@pytest.mark.parametrize("name", ["LeNet"])
def test_state(name: str) -> None:
    check_state(name)


def test_without_the_last_layers() -> None:
    assert build("LeNet", num_classes=0)(proa.ones([1, 1, 28, 28])).shape == [1, 16, 5, 5]


def test_forward() -> None:
    check_forward("LeNet", (1, 1, 28, 28))
