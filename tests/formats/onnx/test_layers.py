from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from tests.formats.onnx.rows import Row, check, floats

x234, image = floats(2, 3, 4), floats(2, 4, 6, 5)
query, key, value = floats(2, 3, 4, 8), floats(2, 5, 4, 8), floats(2, 5, 4, 8)
both = {0: (0, 1)}
# The second query may see nothing.
mask = np.array([[1, 0, 1, 1, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]], bool)


def _attend(q: Any, k: Any, v: Any, m: Any = None, **settings: Any) -> Any:
    return F.scaled_dot_product_attention(q, k, v, m, **settings)


def _added(q: Any, k: Any, v: Any) -> Any:
    return _attend(q, k, v, proa.to_tensor(np.where(mask, 0.5, -np.inf).astype(np.float32)))


def _normed(x: Any) -> Any:
    scale, shift = proa.arange(1, 5).astype("float32"), proa.ones([4])
    return (
        F.layer_norm(x, [4], scale, shift),
        F.layer_norm(x, [3, 4]),
        F.rms_norm(x, [4], scale) if hasattr(F, "rms_norm") else x,
        F.normalize(x, axis=1),
    )


def _image_norms(x: Any) -> Any:
    scale, shift = proa.arange(1, 5).astype("float32"), proa.ones([4])
    mean, variance = proa.full([4], 0.3), proa.full([4], 2.0)
    last = x.transpose([0, 2, 3, 1])
    return (
        F.batch_norm(x, mean, variance, scale, shift),
        F.batch_norm(x, mean, variance),
        F.batch_norm(last, mean, variance, scale, shift, data_format="NHWC"),
        F.group_norm(x, 2, weight=scale, bias=shift),
        F.instance_norm(x, weight=scale, bias=shift),
        F.local_response_norm(x, 3),
    )


def _layer(make: Any, *states: Any, **call: Any) -> Any:
    layer = make()
    layer.eval()

    def run(x: Any, *rest: Any) -> Any:
        made = layer(x, *[s() for s in states], *rest, **call)
        flat, stack = [], list(made) if isinstance(made, tuple) else [made]
        while stack:
            item = stack.pop(0)
            stack[:0] = list(item) if isinstance(item, tuple | list) else []
            flat += [] if isinstance(item, tuple | list) else [item]
        return tuple(flat)

    return run


def _with_lengths(kind: Any) -> Any:
    layer = kind(4, 5, direction="bidirect")
    lengths = proa.to_tensor([3, 1])
    return lambda x: layer(x, sequence_length=lengths)[0]


nn = proa.nn
_ROWS = [
    Row("linear", _layer(lambda: nn.Linear(4, 5)), (x234,), both),
    Row("products", lambda x, y: (proa.matmul(x, y), proa.matmul(x, y[:, 0]), proa.mv(x, y[:, 1])),
        (floats(3, 4), floats(4, 2))),
    Row("norms", _normed, (x234,)),
    Row("image norms", _image_norms, (image,), {0: (0,)}),
    Row("attention", _attend, (query, key, value)),
    Row("attention to what was before", lambda q: _attend(q, q, q, is_causal=True), (query,), both),
    Row("attention, allowed places", _attend, (query, key, value, mask)),
    Row("attention, added values", _added, (query, key, value)),
    Row("attention, few key heads", lambda q, k, v: _attend(q, k, v, enable_gqa=True),
        (query, key[:, :, :2].copy(), value[:, :, :2].copy()), {0: (0,), 1: (0,), 2: (0,)}),
    Row("encoder", _layer(lambda: nn.TransformerEncoderLayer(4, 2, 8, activation="gelu")),
        (x234,), both),
    Row("LSTM", _layer(lambda: nn.LSTM(4, 5, 2, direction="bidirect")), (x234,), both),
    Row("GRU", _layer(lambda: nn.GRU(4, 5, time_major=True)), (x234,), both),
    Row("RNN", _layer(lambda: nn.SimpleRNN(4, 5, activation="relu")), (x234,)),
    Row("lengths", _with_lengths(nn.LSTM), (x234,)),
    Row("one step", _layer(lambda: nn.LSTMCell(4, 5)), (floats(2, 4),), {0: (0,)}),
    Row("length mask", lambda x: F.sequence_mask(x, 5), (np.array([0, 2, 5]),)),
    Row("cosine", lambda x, y: F.cosine_similarity(x, y), (floats(2, 3), floats(2, 3))),
]  # fmt: skip


@pytest.mark.parametrize("row", _ROWS, ids=[row.name for row in _ROWS])
def test_a_model_in_onnx_gives_what_the_layers_give(row: Row) -> None:
    check(row)
