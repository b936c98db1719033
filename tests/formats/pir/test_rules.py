"""Proa's ops in Paddle's files: written, read again by Proa, equal results.

That the real Paddle gives the same is proved by `make parity`, for many more calls.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from proa import nn
from proa.core import UnsupportedError
from proa.formats.pir._graph import Graph, Unwritable
from proa.formats.pir._rules import RULES, writes
from tests.formats.pir.round_trip import check_round_trip

RANDOM = np.random.RandomState(0)
X = RANDOM.normal(size=(2, 6)).astype("float32")
Y = RANDOM.normal(size=(2, 6)).astype("float32")
IMAGE = RANDOM.normal(size=(2, 4, 6, 8)).astype("float32")
INDEX = np.array([1, 0, 1])


def _elementwise(x: Any, y: Any) -> list[Any]:
    return [
        *[op(x) for op in (proa.exp, proa.tanh, proa.abs, proa.sign, proa.floor, proa.square)],
        *[op(x, y) for op in (proa.add, proa.multiply, proa.maximum, proa.atan2)],
        x / (y.abs() + 1), x.abs() ** 1.5, -x, 2 - x, x > y, (x > 0) & (y > 0), ~(x > 0),
        proa.clip(x, -0.5, 0.5), proa.where(x > y, x, y), proa.isnan(x), x.astype("int32"),
        proa.lerp(x, y, 0.3), proa.nan_to_num(x / (y * 0)), proa.scale(x, 2.0, 1.0, False),
    ]  # fmt: skip


def _activations(x: Any, y: Any) -> list[Any]:
    names = (
        "relu gelu silu mish swish elu celu selu hardtanh hardsigmoid hardswish hardshrink "
        "softshrink softplus softsign tanhshrink thresholded_relu log_sigmoid relu6 leaky_relu"
    )
    parametric = F.prelu(x, proa.to_tensor([0.3])), F.maxout(x, 2, 1), F.gelu(x, approximate=True)
    return [*[getattr(F, name)(x) for name in names.split()], *parametric, F.softmax(x, 0)]


def _numbers(x: Any, y: Any) -> list[Any]:
    return [
        x.sum(), x.mean(1), x.max(0), x.min(1, keepdim=True), x.prod(1), (x > 0).all(),
        (x > 0).any(1), proa.logsumexp(x, 1), x.argmax(1), x.argmin(), x.var(1), x.cumsum(1),
        x.cumprod(1), *proa.topk(x, 2), proa.sort(x, 1, descending=True), proa.argsort(x, 0),
        *proa.cummax(x, 1), proa.matmul(x, y, transpose_y=True), proa.outer(x[0], y[1]),
        proa.dot(x[0], y[0]), proa.addmm(x[:, :2], x, y.t()[:, :2], 0.5, 2.0),
        proa.einsum("ij,kj->ik", x, y), *proa.kthvalue(x, 2, 1),
    ]  # fmt: skip


def _shapes(x: Any, y: Any) -> list[Any]:
    index = proa.to_tensor(INDEX)
    return [
        x.reshape([3, 4]), x.t(), x.unsqueeze(0), x.flatten(), proa.concat([x, y], 1),
        proa.stack([x, y], 1), *proa.split(x, [2, 4], 1), *proa.unbind(x, 0), proa.tile(x, [2, 1]),
        proa.flip(x, 1), proa.roll(x, 1, 1), proa.roll(x, 2), x.expand([3, 2, 6]),
        x[:, 1:5:2], x[1], x[..., -1], x[:, None, 2:], x[index], x[:, index], x[index, index],
        proa.gather(x, index, 1), proa.index_select(x, index, 0), proa.gather_nd(x, index[:2]),
        proa.take_along_axis(x, x.argsort(1), 1), F.one_hot(index, 3), proa.tril(x),
        proa.diagonal(x), F.pad(x, [1, 2], value=1.5), proa.repeat_interleave(x, 2, 1),
        proa.scatter(x, index[:2], y), proa.put_along_axis(x, x.argsort(1), y, 1),
        proa.masked_fill(x, x > 0, 9.0), x.shape[0] * x, proa.numel(x),
        proa.full([2, 2], 3.5), proa.eye(3), proa.arange(4),
    ]  # fmt: skip


def _written(x: Any, y: Any) -> list[Any]:
    x, y = x.clone(), y.clone()
    x[:, 1:3] = 7.0
    x[0] = y[1]
    y[proa.to_tensor(INDEX[:2])] = x
    return [x, y]


@pytest.mark.parametrize("fn", [_elementwise, _activations, _numbers, _shapes, _written])
def test_functions(fn: Any, tmp_path: Path) -> None:
    check_round_trip(fn, tmp_path, [X, Y])


def _windows(x: Any) -> list[Any]:
    weight = proa.to_tensor(np.linspace(-1, 1, 4 * 2 * 9).reshape(4, 2, 3, 3).astype("float32"))
    depth = proa.to_tensor(np.linspace(-1, 1, 4 * 9).reshape(4, 1, 3, 3).astype("float32"))
    places = F.max_pool2d(x, 2, return_mask=True)
    return [
        F.conv2d(x, weight, stride=2, padding=1, groups=2),
        F.conv2d(x, depth, padding="SAME", groups=4),
        F.conv1d(x[:, :, 0], weight[:, :, 0], padding=[1, 2], groups=2),
        F.conv2d_transpose(x, weight, stride=2, padding=1, output_padding=1),
        F.max_pool2d(x, 3, 2, 1, ceil_mode=True), F.avg_pool2d(x, 2, 2, 1),
        F.avg_pool2d(x, 3, 2, exclusive=False), F.avg_pool1d(x[:, 0], 2), *places,
        F.adaptive_avg_pool2d(x, [3, 5]), F.adaptive_max_pool2d(x, 2),
        F.interpolate(x, scale_factor=2), F.interpolate(x, [9, 5], mode="bilinear"),
        F.interpolate(x, [3, 3], mode="bicubic", align_corners=True),
        F.interpolate(x, [4, 4], mode="area"), F.pixel_shuffle(x, 2),
        F.local_response_norm(x, 3), F.unfold(x, 2), F.max_pool2d(x, 5, 7, ceil_mode=True),
        F.grid_sample(x, proa.zeros([2, 3, 3, 2])),
    ]  # fmt: skip


def test_convolutions_pools_and_resizing(tmp_path: Path) -> None:
    check_round_trip(_windows, tmp_path, [IMAGE])


class _Norms(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.batch, self.group, self.each = nn.BatchNorm2D(4), nn.GroupNorm(2, 4), nn.LayerNorm(8)
        self.instance, self.drop = nn.InstanceNorm2D(4), nn.Dropout(0.5)

    def forward(self, x: Any) -> list[Any]:
        norms = [layer(x) for layer in (self.batch, self.group, self.each, self.instance)]
        return [*norms, F.rms_norm(x, [8]), self.drop(x)]


def test_norms_in_evaluation(tmp_path: Path) -> None:
    layer = _Norms()
    layer.eval()
    layer.batch._mean.set_value(np.array([0.1, 0.2, 0.3, 0.4], "float32"))
    artifact = check_round_trip(layer, tmp_path, [IMAGE])
    assert {"batch._mean", "each.weight"} <= set(artifact.weights)


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "SimpleRNN"])
def test_recurrent_layers_with_any_batch_and_length(kind: str, tmp_path: Path) -> None:
    given = {"direction": "bidirect"} if kind == "LSTM" else {}
    layer = getattr(nn, kind)(3, 4, **given)
    layer.eval()
    fn = lambda x: layer(x)[0]  # noqa: E731
    array = RANDOM.normal(size=(2, 5, 3)).astype("float32")
    check_round_trip(fn, tmp_path, [array], [(None, None, 3)])


def test_attention_with_masks_gives_zeros_where_nothing_is_allowed(tmp_path: Path) -> None:
    q = RANDOM.normal(size=(2, 3, 2, 4)).astype("float32")
    mask = np.array([[True, False, True], [False, False, False], [True, True, True]])
    attend = F.scaled_dot_product_attention

    def fn(q: Any, mask: Any) -> list[Any]:
        added = proa.where(mask, proa.zeros([3, 3]), proa.full([3, 3], -np.inf))
        return [attend(q, q, q), attend(q, q, q, mask), attend(q, q, q, added, is_causal=True)]

    check_round_trip(fn, tmp_path, [q, mask])


def test_a_second_rule_for_an_op_is_refused() -> None:
    with pytest.raises(ValueError, match="two rules write 'softmax'"):
        writes("softmax")(RULES["softmax"])


def test_what_paddle_cannot_do_says_why(tmp_path: Path) -> None:
    lstm = nn.LSTM(3, 4, proj_size=2)
    spec = [proa.static.InputSpec([2, 5, 3], "float32")]
    with pytest.raises(UnsupportedError, match="recurrent at .*an LSTM with a projection"):
        proa.jit.save(lambda x: lstm(x)[0], tmp_path / "net", spec, format="paddle")


def test_a_backward_slice_of_an_unknown_size_is_refused() -> None:
    g = Graph()
    size = proa.program.make_dimension("rows")
    x = g.input("x", (size,), np.float32)
    with pytest.raises(Unwritable, match="a backward slice"):
        RULES["getitem"](g, ((size,), np.float32), x=x, starts=None, spec=((None, None, -1),))
