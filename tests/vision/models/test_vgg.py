"""VGG has the state and the outputs of Paddle."""

from __future__ import annotations

import pytest

from proa.vision.models.vgg import VGG, make_layers
from tests.vision.models.record import build, check_forward, check_state


@pytest.mark.parametrize("name", ["vgg11", "vgg13", "vgg16", "vgg19"])
def test_state(name: str) -> None:
    check_state(name)


def test_state_with_batch_norm() -> None:
    check_state("vgg11_bn", build("vgg11", batch_norm=True))


def test_forward() -> None:
    check_forward("vgg11", (1, 3, 32, 32), num_classes=0, with_pool=False)


def test_layers_of_ones_own() -> None:
    model = VGG(make_layers([8, "M", 512], batch_norm=True), num_classes=0, with_pool=False)
    shapes = {name: value.shape for name, value in model.state_dict().items()}
    assert shapes["features.0.weight"] == [8, 3, 3, 3]
    assert shapes["features.1._mean"] == [8]
    assert shapes["features.4.weight"] == [512, 8, 3, 3]
    assert [type(layer).__name__ for layer in model.features][3] == "MaxPool2D"
