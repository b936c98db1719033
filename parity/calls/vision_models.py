"""Rows for `paddle.vision.models`: one of each family, its parameters filled with fixed numbers."""

from __future__ import annotations

from typing import Any

from parity.table import Call, normal

# What the last convolution of each family leaves at this size is at least one place.
_FAMILIES: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("vgg11", 32, {"batch_norm": True, "num_classes": 0, "with_pool": False}),
    ("resnet18", 32, {"num_classes": 5}),
    ("resnet50", 32, {"num_classes": 5}),
    ("resnext50_32x4d", 32, {"num_classes": 5}),
    ("squeezenet1_1", 64, {"num_classes": 5}),
    ("densenet121", 32, {"num_classes": 5}),
    ("inception_v3", 96, {"num_classes": 5}),
    ("mobilenet_v1", 32, {"scale": 0.25, "num_classes": 5}),
    ("mobilenet_v2", 32, {"scale": 0.25, "num_classes": 5}),
    ("mobilenet_v3_small", 32, {"num_classes": 5}),
    ("mobilenet_v3_large", 32, {"num_classes": 5}),
    ("shufflenet_v2_x0_25", 32, {"num_classes": 5}),
    ("shufflenet_v2_swish", 32, {"num_classes": 5}),
)

CALLS = (
    Call("paddle.vision.models.LeNet", forward=(normal(2, 1, 28, 28),)),
    *(
        Call(
            f"paddle.vision.models.{name}",
            forward=(normal(1, 3, size, size, fixed=True),),
            evaluation=True,
            grad=False,
            **options,
        )
        for name, size, options in _FAMILIES
    ),
)
