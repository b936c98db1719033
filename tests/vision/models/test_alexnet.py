"""AlexNet has the state and the outputs of Paddle."""

from __future__ import annotations

import pytest

import proa
from tests.vision.models.record import build, check_forward, check_state, fill


@pytest.mark.parametrize("name", ["alexnet"])
def test_state(name: str) -> None:
    check_state(name)


def test_scores() -> None:
    model = build("alexnet", num_classes=3)
    # Its layers start evenly on bounds of their own, the last one's bias on ±1/96.
    for layer, bound in ((model._conv2._conv, 1 / 40), (model._fc8, 1 / 96)):
        for parameter in (layer.weight, layer.bias):
            assert 0 < float(parameter.abs().max()) <= bound
    fill(model)
    assert model(proa.zeros([1, 3, 224, 224])).shape == [1, 3]


def test_forward() -> None:
    check_forward("alexnet", (1, 3, 67, 67), num_classes=0)
