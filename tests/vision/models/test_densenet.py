"""DenseNet has the state and the outputs of Paddle."""

from __future__ import annotations

import pytest

from proa.core import InvalidArgumentError
from tests.vision.models.record import build, check_forward, check_state


@pytest.mark.parametrize(
    "name", ["densenet121", "densenet161", "densenet169", "densenet201", "densenet264"]
)
def test_state(name: str) -> None:
    check_state(name)


def test_a_wrong_depth() -> None:
    with pytest.raises(InvalidArgumentError, match="`layers` is 100\n  Expected: one of .121,"):
        build("DenseNet", 100)


def test_forward() -> None:
    check_forward("densenet121", (1, 3, 32, 32), num_classes=4)
