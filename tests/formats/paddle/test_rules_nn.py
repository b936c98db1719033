from __future__ import annotations

import numpy as np
import pytest

import proa.nn.functional as F
from proa import to_tensor
from proa.core import ProgramError
from tests.formats.paddle.models import call

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(1, 2, 4, 4)).astype(np.float32)
W = RANDOM.normal(size=(2, 2, 3, 3)).astype(np.float32)
V = np.array([0.5, 2.0], np.float32)
T = to_tensor(X)

_CONV = {"strides": [1, 1], "paddings": [1, 1], "dilations": [1, 1], "groups": 1}
_POOL = {"ksize": [2, 2], "strides": [2, 2], "paddings": [0, 0], "pooling_type": "avg"}
_NORM = {"X": X, "Scale": V, "Bias": V}


# op, inputs, attributes, output slot, expected
ROWS = [
    ("relu", {"X": X}, {}, "Out", lambda: F.relu(T)),
    ("swish", {"X": X}, {"beta": 2.0}, "Out", lambda: T * F.sigmoid(2.0 * T)),
    ("hard_swish", {"X": X}, {"threshold": 6.0, "scale": 6.0}, "Out", lambda: F.hardswish(T)),
    ("hard_swish", {"X": X}, {"scale": 3.0}, "Out", lambda: F.hardswish(T) * 2.0),
    ("hard_sigmoid", {"X": X}, {"slope": 0.1}, "Out", lambda: F.hardsigmoid(T, 0.1)),
    ("leaky_relu", {"X": X}, {"alpha": 0.2}, "Out", lambda: F.leaky_relu(T, 0.2)),
    ("prelu", {"X": X, "Alpha": V}, {}, "Out", lambda: F.prelu(T, to_tensor(V))),
    ("softshrink", {"X": X}, {"lambda": 0.3}, "Out", lambda: F.softshrink(T, 0.3)),
    ("brelu", {"X": X}, {"t_min": 0.0, "t_max": 1.0}, "Out", lambda: F.hardtanh(T, 0.0, 1.0)),
    ("softmax", {"X": X}, {"axis": 1}, "Out", lambda: F.softmax(T, 1)),
    ("dropout", {"X": X}, {"dropout_prob": 0.25}, "Out", lambda: T * 0.75),
    ("dropout", {"X": X}, {"dropout_implementation": "upscale_in_train"}, "Out", lambda: T),
    (
        "conv2d",
        {"Input": X, "Filter": W},
        _CONV,
        "Output",
        lambda: F.conv2d(T, to_tensor(W), padding=1),
    ),
    (
        "conv2d",
        {"Input": X, "Filter": W},
        {**_CONV, "padding_algorithm": "SAME", "strides": [2, 2]},
        "Output",
        lambda: F.conv2d(T, to_tensor(W), stride=2, padding="SAME"),
    ),
    (
        "conv2d_transpose",
        {"Input": X, "Filter": W},
        {**_CONV, "output_size": [8, 8], "strides": [2, 2]},
        "Output",
        lambda: F.conv2d_transpose(T, to_tensor(W), None, 2, 1, output_size=[8, 8]),
    ),
    ("pool2d", {"X": X}, _POOL, "Out", lambda: F.avg_pool2d(T, 2, 2)),
    ("pool2d", {"X": X}, {**_POOL, "pooling_type": "max"}, "Out", lambda: F.max_pool2d(T, 2, 2)),
    ("pool2d", {"X": X}, {**_POOL, "global_pooling": True}, "Out", lambda: T.mean([2, 3], True)),
    (
        "pool2d",
        {"X": X},
        {**_POOL, "ksize": [2, 3], "adaptive": True},
        "Out",
        lambda: F.adaptive_avg_pool2d(T, [2, 3]),
    ),
    ("group_norm", _NORM, {"groups": 1}, "Y", lambda: F.group_norm(T, 1, 1e-5, *_v())),
    ("instance_norm", _NORM, {}, "Y", lambda: F.instance_norm(T, weight=_v()[0], bias=_v()[1])),
    (
        "affine_channel",
        _NORM,
        {},
        "Out",
        lambda: T * _v()[0].reshape([2, 1, 1]) + _v()[0].reshape([2, 1, 1]),
    ),
    (
        "nearest_interp_v2",
        {"X": X},
        {"interp_method": "nearest", "align_corners": False, "scale": [2.0, 2.0], "out_h": -1},
        "Out",
        lambda: F.interpolate(T, scale_factor=2),
    ),
    (
        "bilinear_interp_v2",
        {"X": X, "SizeTensor": [np.int32([3]), np.int32([5])]},
        {"interp_method": "bilinear", "align_corners": True, "scale": [2.0]},
        "Out",
        lambda: F.interpolate(T, [3, 5], mode="bilinear", align_corners=True),
    ),
    (
        "pad3d",
        {"X": X[:, :, None]},
        {"paddings": [1, 0, 0, 0, 0, 0], "value": 2.0},
        "Out",
        lambda: F.pad(T.unsqueeze(2), [1, 0, 0, 0, 0, 0], value=2.0, data_format="NCDHW"),
    ),
    (
        "lookup_table_v2",
        {"Ids": np.array([1, 0]), "W": V.reshape(2, 1)},
        {"padding_idx": 0},
        "Out",
        lambda: to_tensor(np.float32([[2.0], [0.0]])),
    ),
    (
        "pixel_shuffle",
        {"X": np.ones((1, 4, 1, 1), np.float32)},
        {"upscale_factor": 2},
        "Out",
        lambda: to_tensor(np.ones((1, 1, 2, 2), np.float32)),
    ),
]


def _v():
    return to_tensor(V), to_tensor(V)


@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]}-{i}" for i, row in enumerate(ROWS)])
def test_ops_of_program_desc(row):
    name, inputs, attributes, slot, expected = row
    ((found,),) = call(name, inputs, attributes, (slot,))
    np.testing.assert_allclose(found, expected().numpy(), rtol=1e-5, atol=1e-5)


def test_batch_norm_in_evaluation_and_as_saved_in_training():
    inputs = {"X": X, "Scale": V, "Bias": V, "Mean": V, "Variance": V}
    scale = V.reshape(2, 1, 1)
    ((kept,),) = call("batch_norm", inputs, {"is_test": True, "epsilon": 0.1}, ("Y",))
    expected = (X - scale) / np.sqrt(scale + 0.1) * scale + scale
    np.testing.assert_allclose(kept, expected, rtol=1e-5, atol=1e-5)
    ((own,),) = call("batch_norm", inputs, {"is_test": False, "epsilon": 0.1}, ("Y",))
    mean, var = X.mean((0, 2, 3), keepdims=True), X.var((0, 2, 3), keepdims=True)
    np.testing.assert_allclose(own, (X - mean) / np.sqrt(var + 0.1) * scale + scale, atol=1e-5)


def test_layer_norm_takes_the_axes_from_its_own():
    weight = np.arange(16, dtype=np.float32)
    inputs = {"X": X, "Scale": weight, "Bias": weight}
    ((found,),) = call("layer_norm", inputs, {"begin_norm_axis": 2}, ("Y",))
    mean, var = X.mean((2, 3), keepdims=True), X.var((2, 3), keepdims=True)
    square = weight.reshape(4, 4)
    expected = (X - mean) / np.sqrt(var + 1e-5) * square + square
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_cross_entropy_gives_probabilities_first():
    logits = np.float32([[0, 0], [0, np.log(3)]])
    inputs = {"Logits": logits, "Label": np.array([[0], [1]])}
    softmax, loss = call("softmax_with_cross_entropy", inputs, {}, ("Softmax", "Loss"))
    np.testing.assert_allclose(softmax[0], [[0.5, 0.5], [0.25, 0.75]], rtol=1e-6)
    np.testing.assert_allclose(loss[0], [[np.log(2)], [-np.log(0.75)]], rtol=1e-5)


def test_what_is_not_covered_says_so():
    nearest = {"interp_method": "nearest", "align_corners": True}
    with pytest.raises(ProgramError, match="nearest interpolation with aligned corners"):
        call("nearest_interp_v2", {"X": X}, nearest)
    bilinear = {"interp_method": "bilinear", "align_corners": True}
    with pytest.raises(ProgramError, match="the output size is computed from the elements"):
        call("bilinear_interp_v2", {"X": X}, bilinear)
    last = {**_POOL, "adaptive": True, "pooling_type": "max", "data_format": "NHWC"}
    with pytest.raises(ProgramError, match="adaptive max pooling with channels last"):
        call("pool2d", {"X": X}, last)
