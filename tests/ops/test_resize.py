from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from proa.ops import _resize as resize
from tests.ops.harness import Case, case_ids, check_case, randn, same


def kernel(d, mode):
    d = np.abs(d)
    if mode != "bicubic":
        return np.maximum(1 - d, 0)
    a = -0.75
    near, far = ((a + 2) * d - (a + 3)) * d * d + 1, ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


def along(x, axis, target, mode, corners=False, offset=0.5):
    size = x.shape[axis]
    matrix = np.zeros((target, size))
    for i in range(target):
        source = (i + offset) * size / target - offset
        source = i * (size - 1) / max(target - 1, 1) if corners else source
        if mode != "bicubic":
            source = np.clip(source, 0, size - 1)
        for j in range(int(np.floor(source)) - 1, int(np.floor(source)) + 3):
            matrix[i, np.clip(j, 0, size - 1)] += kernel(source - j, mode)
    return np.moveaxis(np.tensordot(x, matrix, (axis, 1)), -1, axis)


def resized(x, sizes, mode, corners=False, offset=0.5):
    for i, target in enumerate(sizes):
        x = along(x, 2 + i, target, mode, corners, offset)
    return x


def nearest(x, sizes):
    for i, target in enumerate(sizes):
        index = np.floor(np.arange(target) * x.shape[2 + i] / target).astype(int)
        x = np.take(x, index, 2 + i)
    return x


def case(shape, sizes, mode, **options):
    return Case(
        lambda x: F.interpolate(x, sizes, mode=mode, **options),
        (randn(*shape),),
        ref=lambda x: resized(
            x,
            sizes,
            mode,
            options.get("align_corners", False),
            0 if options.get("align_mode") else 0.5,
        ),
        id=mode,
        tolerance={"float32": (1e-5, 3e-6), "compiled": (1e-5, 3e-6), "sharded": (1e-5, 3e-6)},
        reason="weighted sums near zero",
    )


CASES = [
    case((4, 2, 5), [7], "linear"),
    case((4, 2, 3, 4), [5, 3], "bilinear"),
    case((4, 2, 3, 4), [5, 3], "bilinear", align_corners=True),
    case((4, 2, 3, 4), [5, 3], "bilinear", align_mode=1),
    case((4, 2, 3, 4), [5, 3], "bicubic"),
    case((4, 1, 2, 3, 2), [3, 2, 3], "trilinear"),
    Case(
        lambda x: F.interpolate(x, [5, 3]),
        (randn(4, 2, 3, 4),),
        ref=lambda x: nearest(x, [5, 3]),
        id="nearest",
    ),
    Case(
        lambda x: F.upsample(x, scale_factor=[2, 3]),
        (randn(4, 2, 3, 4),),
        ref=lambda x: nearest(x, [6, 12]),
        id="nearest_whole",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


def test_bilinear_to_one_element_takes_the_centre():
    # PT#183523, PT#79361.
    x = proa.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    same(F.interpolate(x, [1, 1], mode="bilinear"), [[[[7.5]]]])
    same(F.interpolate(x, [1, 1], mode="bilinear", align_corners=True), [[[[0.0]]]])


def test_nearest_is_the_floor_not_the_half_pixel():
    # NVIDIA/TensorRT#273 explains the modes.
    x = proa.to_tensor([[[0.0, 1.0, 2.0, 3.0]]])
    same(F.interpolate(x, [6]), [[[0, 0, 1, 2, 2, 3]]])


def test_scale_factor_that_is_not_whole():
    # Values of Paddle 3.3.1: the factor itself is used, or the rounded sizes' ratio.
    x = proa.arange(4, dtype="float32").reshape([1, 1, 1, 4])
    direct = F.interpolate(x, scale_factor=[1, 1.3], mode="bilinear")
    same(direct.flatten(), [0, 0.6538461446762085, 1.4230769872665405, 2.19230771, 2.96153855])
    again = F.interpolate(x, scale_factor=[1, 1.3], mode="bilinear", recompute_scale_factor=True)
    same(again.flatten(), [0, 0.7, 1.5, 2.3, 3])


def test_antialias_and_area():
    # Values of Paddle 3.3.1.
    x = proa.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    smooth = F.interpolate(x, [2, 2], mode="bilinear", antialias=True)
    same(smooth[0, 0], [[3.5714286, 5.1428572], [9.8571432, 11.4285715]])
    cubic = F.interpolate(x, [2, 2], mode="bicubic", antialias=True)
    same(cubic[0, 0], [[2.9338839, 4.7603309], [10.239669, 12.0661164]])
    same(F.interpolate(x, [3, 2], mode="area")[0, 0], [[2.5, 4.5], [6.5, 8.5], [10.5, 12.5]])


def test_channels_last_and_half_precision():
    x = randn(1, 2, 3, 4)
    last = proa.to_tensor(np.moveaxis(x, 1, -1))
    got = F.interpolate(last, [5, 3], mode="bilinear", data_format="NHWC").numpy()
    same(np.moveaxis(got, -1, 1), resized(x, [5, 3], "bilinear"))


def test_long_axes_gather(monkeypatch):
    x = randn(1, 2, 5, 4)
    wanted = resized(x, [7, 3], "bicubic")
    monkeypatch.setattr(resize, "_MATRIX_EXTENT", 1)
    options = ([7, 3], [5 / 7, 4 / 3], "bicubic", False, 0, "NCHW", False)
    same(np.asarray(resize.resize.op.fn(x, *options)), wanted)


X = proa.zeros([1, 1, 4, 4])
ERRORS = [
    (lambda: F.interpolate(X), "exactly one of the two"),
    (lambda: F.interpolate(X, [2, 2], 2), "exactly one of the two"),
    (lambda: F.interpolate(X, [2, 2], mode="linear"), "for 4 axes one of: 'nearest', 'bilinear'"),
    (lambda: F.interpolate(X, [2, 2], align_corners=True), "a linear or cubic mode"),
    (lambda: F.interpolate(X, [2, 2], mode="bilinear", align_mode=2), "`align_mode`"),
    (lambda: F.interpolate(X, [2, 2], antialias=True), "antialias=True and mode='nearest'"),
    (lambda: F.interpolate(X, [2, 2, 2]), "`size` of `interpolate`"),
    (lambda: F.interpolate(X, scale_factor=-1), "`scale_factor` of `interpolate`"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.InvalidArgumentError, match=match):
        call()


@pytest.mark.parametrize(
    ("options", "shape"),
    [
        ({"size": [6, 8], "mode": "bilinear"}, ["6", "8"]),
        ({"scale_factor": 0.5, "mode": "bilinear"}, ["floordiv(h, 2)", "floordiv(w, 2)"]),
        ({"scale_factor": 1.5}, ["floordiv(3*h, 2)", "floordiv(3*w, 2)"]),
        ({"size": "beside", "mode": "bicubic", "align_corners": True}, ["2*h", "w + 1"]),
        ({"size": "beside"}, ["2*h", "w + 1"]),
    ],
)
def test_unknown_sizes_are_resized_when_they_are_known(options, shape):
    h, w = (proa.program.make_dimension(name) for name in "hw")

    def given(height, width):
        beside = options.get("size") == "beside"
        return {**options, "size": [2 * height, width + 1]} if beside else options

    with proa.program.recording() as recorder:
        x = recorder.add_input((1, 1, h, w), np.float32, "x")
        y = F.interpolate(x, **given(h, w))
        assert [str(e) for e in y.shape[2:]] == shape
        program, _ = recorder.finish([y])
    image = np.arange(20, dtype=np.float32).reshape(1, 1, 4, 5)
    expected = F.interpolate(proa.to_tensor(image), **given(4, 5))
    np.testing.assert_allclose(program.function()(image)[0], expected.numpy(), rtol=1e-5)


def test_a_factor_that_is_no_fraction_needs_a_known_size():
    with proa.program.recording() as recorder:
        x = recorder.add_input((1, 1, proa.program.make_dimension("h"), 4), np.float32, "x")
        with pytest.raises(proa.core.UnsupportedError, match="not known while recording"):
            F.interpolate(x, scale_factor=0.3)
