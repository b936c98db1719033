"""AlexNet has the state and the outputs of Paddle."""

from __future__ import annotations

import pytest

import proa
from tests.vision.models.record import build, check_forward, check_state


@pytest.mark.parametrize("name", ["alexnet"])
def test_state(name: str) -> None:
    check_state(name)


def test_scores() -> None:
    assert build("alexnet", num_classes=3)(proa.zeros([1, 3, 224, 224])).tolist() == [[0, 0, 0]]


def test_forward() -> None:
    check_forward("alexnet", (1, 3, 67, 67), num_classes=0)
