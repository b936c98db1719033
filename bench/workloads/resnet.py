"""ResNet-18 and ResNet-50 (He et al., 2016), 224², batch 8, SGD with momentum."""

from __future__ import annotations

from functools import partial
from typing import Any

from bench._workload import Workload, images, training


def normed(w: Any, source: int, target: int, kernel: int, stride: int = 1) -> list[Any]:
    """A convolution and its batch norm."""
    return [w.conv(source, target, kernel, stride), w.batch_norm(target)]


def block(w: Any, source: int, width: int, stride: int, deep: bool) -> Any:
    """Two 3x3 convolutions, or 1x1, 3x3 (with the stride), 1x1."""
    target = 4 * width if deep else width
    if deep:
        body = [*normed(w, source, width, 1), w.relu(), *normed(w, width, width, 3, stride)]
        body += [w.relu(), *normed(w, width, target, 1)]
    else:
        body = [*normed(w, source, width, 3, stride), w.relu(), *normed(w, width, width, 3)]
    same = source == target and stride == 1
    skip = None if same else w.seq(*normed(w, source, target, 1, stride))
    return w.seq(w.residual(w.seq(*body), skip), w.relu())


def build(w: Any, counts: tuple[int, ...], deep: bool) -> Any:
    """The network in the words `w` of a peer."""
    parts = [*normed(w, 3, 64, 7, 2), w.relu(), w.max_pool(3, 2, 1)]
    source = 64
    for width, count in zip((64, 128, 256, 512), counts, strict=True):
        for number in range(count):
            stride = 2 if number == 0 and width > 64 else 1
            parts.append(block(w, source, width, stride, deep))
            source = 4 * width if deep else width
    return w.seq(*parts, w.mean(), w.flatten(), w.linear(source, 1000))


WORKLOADS = [
    Workload(
        name=name,
        about="224², batch 8, SGD with momentum",
        build=partial(build, counts=counts, deep=deep),
        batch=partial(images, 8, 3, 224, 1000),
        targets=training(1.0, 1.0),
    )
    for name, counts, deep in (
        ("ResNet-18", (2, 2, 2, 2), False),
        ("ResNet-50", (3, 4, 6, 3), True),
    )
]
