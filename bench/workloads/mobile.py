"""MobileNetV3 large (Howard et al., 2019, table 1) and PP-LCNet 1.0 (Cui et al., 2021, table 2).

224², batch 8, SGD with momentum, without dropout.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from bench._workload import Workload, images, training

#: kernel, expanded, out, squeeze and excite, hard swish, stride
_V3 = (
    (3, 16, 16, False, False, 1), (3, 64, 24, False, False, 2), (3, 72, 24, False, False, 1),
    (5, 72, 40, True, False, 2), (5, 120, 40, True, False, 1), (5, 120, 40, True, False, 1),
    (3, 240, 80, False, True, 2), (3, 200, 80, False, True, 1), (3, 184, 80, False, True, 1),
    (3, 184, 80, False, True, 1), (3, 480, 112, True, True, 1), (3, 672, 112, True, True, 1),
    (5, 672, 160, True, True, 2), (5, 960, 160, True, True, 1), (5, 960, 160, True, True, 1),
)  # fmt: skip
#: kernel, out, stride, squeeze and excite
_LCNET = (
    (3, 32, 1, False), (3, 64, 2, False), (3, 64, 1, False), (3, 128, 2, False),
    (3, 128, 1, False), (3, 256, 2, False), *((5, 256, 1, False),) * 5,
    (5, 512, 2, True), (5, 512, 1, True),
)  # fmt: skip


def squeeze(w: Any, width: int) -> Any:
    """Squeeze and excite with a quarter of the channels."""
    first, second = w.conv(width, width // 4, 1, bias=True), w.conv(width // 4, width, 1, bias=True)
    return w.gate(w.seq(w.mean(), first, w.relu(), second, w.hardsigmoid()))


def normed(w: Any, source: int, target: int, kernel: int, stride: int, groups: int) -> list[Any]:
    """A convolution and its batch norm."""
    return [w.conv(source, target, kernel, stride, groups), w.batch_norm(target)]


def mobilenet(w: Any) -> Any:
    """MobileNetV3 in the words `w` of a peer."""
    parts, source = [*normed(w, 3, 16, 3, 2, 1), w.hardswish()], 16
    for kernel, wide, target, excite, swish, stride in _V3:
        act = w.hardswish if swish else w.relu
        body = [*normed(w, source, wide, 1, 1, 1), act()] if wide != source else []
        body += [*normed(w, wide, wide, kernel, stride, wide)]
        body += [squeeze(w, wide)] if excite else []
        body += [act(), *normed(w, wide, target, 1, 1, 1)]
        block = w.seq(*body)
        parts.append(w.residual(block) if stride == 1 and source == target else block)
        source = target
    parts += [*normed(w, 160, 960, 1, 1, 1), w.hardswish(), w.mean(), w.flatten()]
    return w.seq(*parts, w.linear(960, 1280), w.hardswish(), w.linear(1280, 1000))


def lcnet(w: Any) -> Any:
    """PP-LCNet in the words `w` of a peer."""
    parts, source = [*normed(w, 3, 16, 3, 2, 1), w.hardswish()], 16
    for kernel, target, stride, excite in _LCNET:
        parts += [*normed(w, source, source, kernel, stride, source), w.hardswish()]
        parts += [squeeze(w, source)] if excite else []
        parts += [*normed(w, source, target, 1, 1, 1), w.hardswish()]
        source = target
    parts += [w.mean(), w.conv(512, 1280, 1), w.hardswish(), w.flatten()]
    return w.seq(*parts, w.linear(1280, 1000))


WORKLOADS = [
    Workload(
        name=name,
        about="224², batch 8, SGD with momentum",
        build=build,
        batch=partial(images, 8, 3, 224, 1000),
        targets=training(None, 1.0),
        # Keras runs the same XLA kernels as the JAX twin, and compiles for longer.
        left_out=("keras",),
        # Batch norm over 8 x 7² values in a deep net: rounding shows in the second step.
        tolerance=5e-3,
    )
    for name, build in (("MobileNetV3", mobilenet), ("PP-LCNet", lcnet))
]
