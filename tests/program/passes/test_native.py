from __future__ import annotations

import pytest

import proa
import proa.nn.functional as F
from proa.core import get_flags, set_flags
from proa.native import has_kernels
from proa.program.passes import apply_passes
from tests.program.passes.programs import bound, normal, ops, same

WEIGHT = proa.to_tensor(normal(6, 4, 3, 3, seed=1))
SQUARE = proa.to_tensor(normal(4, 4, 1, 1, seed=2))
DEPTHWISE = proa.to_tensor(normal(4, 1, 3, 3, seed=3))
BIAS = proa.to_tensor(normal(6, seed=4))


def residual(x):
    return F.relu(F.conv2d(x, SQUARE) + x)


def two_branches(x):
    return F.conv2d(x, SQUARE) + F.conv2d(x, DEPTHWISE, padding=1, groups=4)


def read_twice(x):
    y = F.conv2d(x, SQUARE)
    return F.relu(y) + y


#: What is computed, and the calls that are left.
CASES = {
    "bias, activation": (
        lambda x: F.hardswish(F.conv2d(x, WEIGHT, BIAS, stride=2, padding="SAME")),
        ["conv2d_fused"],
    ),
    "depthwise": (
        lambda x: F.relu6(F.conv2d(x, DEPTHWISE, padding=1, groups=4)),
        ["conv2d_fused"],
    ),
    "residual": (residual, ["conv2d_fused"]),
    "two branches": (two_branches, ["conv2d_fused", "conv2d_fused"]),
    "read twice": (read_twice, ["conv2d_fused", "relu", "add"]),
    "another activation": (lambda x: F.gelu(F.conv2d(x, SQUARE)), ["conv2d_fused", "gelu"]),
    "broadcast": (
        lambda x: F.conv2d(x, SQUARE) + x.mean([2, 3], keepdim=True),
        ["mean", "conv2d_fused", "add"],
    ),
    "channels last": (
        lambda x: F.conv2d(x, proa.ones([5, 7, 1, 1]), data_format="NHWC"),
        ["conv2d"],
    ),
    "groups": (lambda x: F.conv2d(x, proa.ones([4, 2, 1, 1]), groups=2), ["conv2d"]),
}


@pytest.mark.skipif(not has_kernels(), reason="no kernels on this machine")
@pytest.mark.parametrize("case", CASES)
def test_convolutions_take_what_follows_them(case):
    fn, left = CASES[case]
    before, _ = apply_passes(bound(fn, ("batch", 4, 6, 7)), "clean")
    after, report = apply_passes(before, "native_convolutions")
    assert sorted(ops(after)) == sorted(left)
    assert sum(report.steps[0].notes.values()) == left.count("conv2d_fused")
    x = normal(2, 4, 6, 7)
    same(before, after, x)


@pytest.mark.skipif(not has_kernels(), reason="no kernels on this machine")
def test_without_kernels_and_without_known_weights_nothing_changes():
    program = bound(residual, (1, 4, 6, 7))
    held = get_flags("FLAGS_native_kernels")
    set_flags({"FLAGS_native_kernels": False})
    try:
        assert apply_passes(program, "native_convolutions")[0] is program
    finally:
        set_flags(held)
    unknown = bound(lambda x: F.conv2d(x, x[:, :, :1, :1]), (4, 4, 6, 7))
    assert "conv2d" in ops(apply_passes(unknown, "native_convolutions")[0])
    square = proa.cast(SQUARE, "float64")
    wide = bound(lambda x: F.conv2d(x, square), ((1, 4, 6, 7), "float64"))
    assert "conv2d" in ops(apply_passes(wide, "native_convolutions")[0])


@pytest.mark.skipif(not has_kernels(), reason="no kernels on this machine")
def test_lstms_become_calls_of_the_kernel_unless_lengths_differ():
    layer = proa.nn.LSTM(3, 5, num_layers=2, direction="bidirect")
    layer.eval()
    before = bound(lambda x: layer(x)[0], ("batch", 6, 3))
    after, report = apply_passes(before, "native_lstm")
    assert report.steps[0].notes == {"LSTMs": 4}
    assert ops(after).count("lstm_fused") == 4
    for batch in (1, 7):
        same(before, after, normal(batch, 6, 3))
    lengths = proa.to_tensor([2, 6])
    uneven = bound(lambda x: layer(x, sequence_length=lengths)[0], (2, 6, 3))
    assert apply_passes(uneven, "native_lstm")[0] is uneven
    projected = proa.nn.LSTM(3, 5, proj_size=2)
    assert "recurrent" in ops(
        apply_passes(bound(lambda x: projected(x)[0], (1, 6, 3)), "native_lstm")[0]
    )
