"""VGG has the state and the outputs of Paddle."""

from __future__ import annotations

import pytest

from tests.vision.models.record import build, check_forward, check_state


@pytest.mark.parametrize("name", ["vgg11", "vgg13", "vgg16", "vgg19"])
def test_state(name: str) -> None:
    check_state(name)


def test_state_with_batch_norm() -> None:
    check_state("vgg11_bn", build("vgg11", batch_norm=True))


def test_forward() -> None:
    check_forward("vgg11", (1, 3, 32, 32), num_classes=0, with_pool=False)
