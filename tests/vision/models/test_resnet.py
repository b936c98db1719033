"""ResNet, ResNeXt and wide ResNet have the state and the outputs of Paddle."""

from __future__ import annotations

import pytest

import proa
from proa.core import InvalidArgumentError
from proa.vision.models.resnet import BasicBlock, ResNet
from tests.vision.models.record import build, check_forward, check_state


@pytest.mark.parametrize(
    "name",
    [
        "resnet101",
        "resnet152",
        "resnet18",
        "resnet34",
        "resnet50",
        "resnext101_32x4d",
        "resnext101_64x4d",
        "resnext152_32x4d",
        "resnext152_64x4d",
        "resnext50_32x4d",
        "resnext50_64x4d",
        "wide_resnet101_2",
        "wide_resnet50_2",
    ],
)
def test_state(name: str) -> None:
    check_state(name)


def test_bad_arguments() -> None:
    with pytest.raises(
        InvalidArgumentError, match="ResNet: `depth` is 20\n  Expected: one of .18,"
    ):
        ResNet(BasicBlock, 20)
    with pytest.raises(InvalidArgumentError, match="BasicBlock: groups 2, base_width 64"):
        ResNet(BasicBlock, 18, groups=2)


def test_without_pool_and_classes() -> None:
    model = build("resnet18", num_classes=0, with_pool=False)
    assert model(proa.ones([1, 3, 32, 32])).shape == [1, 512, 1, 1]


def test_forward() -> None:
    check_forward("resnet18", (1, 3, 32, 32), num_classes=4)
    check_forward("resnext50_32x4d", (1, 3, 32, 32), num_classes=4)
