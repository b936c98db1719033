from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from tests.formats.onnx.rows import Row, check, floats

x23, y23, image = floats(2, 3), floats(2, 3), floats(2, 4, 6, 5)
wide, both = floats(2, 3, 4), {0: (0, 1)}


def _assign(x: Any, y: Any) -> Any:
    made = x * 1
    made[0, 1] = 7.0
    made[:, :, 1:3] = proa.unsqueeze(y, -1)
    made[-1] = y.t()[:, :1]
    return made


_ROWS = [
    Row("sizes as a tensor", lambda x: proa.ops.sizes_tensor([x.shape[1], 2]), (wide,), both),
    Row("reshape", lambda x: (x.reshape([0, -1]), x.reshape([6, 4]), x.flatten()), (wide,)),
    Row(
        "reshape of open sizes",
        lambda x: (
            x.reshape([x.shape[0] * x.shape[1], 4]),
            x.reshape([0, 0, 2, 2]),
            x.reshape([x.shape[1], x.shape[0], 4]),
            x.flatten(1),
        ),
        (wide,),
        both,
    ),
    Row("transpose", lambda x: (x.transpose([2, 0, 1]), x.unsqueeze([0, 2]).squeeze(0)), (wide,)),
    Row(
        "expand",
        lambda x: (proa.expand(x, [4, -1, 3]), proa.broadcast_to(x, [2, 2, 3])),
        (floats(2, 3)[:, None][:1].reshape(1, 1, 3),),
    ),
    Row(
        "expand to an open size",
        lambda x, y: proa.expand(x, [y.shape[0], 3]),
        (floats(1, 3), wide),
        {1: (0,)},
    ),
    Row("tile", lambda x: (proa.tile(x, [2, 1, 2]), proa.tile(x, [2])), (x23,)),
    Row(
        "repeat_interleave",
        lambda x: (proa.repeat_interleave(x, 2, 0), proa.repeat_interleave(x, 3)),
        (x23,),
    ),
    Row(
        "flip roll", lambda x: (proa.flip(x, [0, 1]), proa.roll(x, 1), proa.roll(x, -1, 1)), (x23,)
    ),
    Row("tril triu", lambda x: (proa.tril(x), proa.triu(x, 1)), (floats(3, 3),)),
    Row(
        "concat",
        lambda x, y: (proa.concat([x, y], -1), proa.concat([x, y.astype("int32")])),
        (x23, y23),
    ),
    Row("stack", lambda x, y: (proa.stack([x, y], 1), *proa.unstack(x, 1)), (x23, y23)),
    Row(
        "split",
        lambda x: (*proa.split(x, 2, 0), *proa.split(x, [1, -1], 1), *proa.tensor_split(x, 2, 2)),
        (wide,),
    ),
    Row("chunk of an open size", lambda x: tuple(proa.chunk(x, 2, 0)), (floats(4, 3),), {0: (0,)}),
    Row("slices", lambda x: (x[0], x[:, -1], x[1:, ::2, None], x[..., ::-1], x[:, 1:-1]), (wide,)),
    Row("slices of open sizes", lambda x: (x[-1], x[:, 1:], x[: x.shape[1] - 1]), (wide,), both),
    Row("slice at an operand", lambda x, i: x[i], (wide, np.array(1))),
    Row("assignment", _assign, (wide.copy(), x23)),
    Row(
        "pad",
        lambda x: (
            F.pad(x, [1, 2, 0, 1], value=3.0),
            F.pad(x, [1, 1, 1, 1], "reflect"),
            F.pad(x, [1, 1, 2, 0], "replicate"),
            F.pad(x, [-1, 0, 0, 1]),
        ),
        (image,),
    ),
    Row("pad, circular", lambda x: F.pad(x, [1, 1, 2, 0], "circular"), (image,)),
    Row(
        "made of sizes",
        lambda x: (
            proa.arange(x.shape[0]),
            proa.zeros([x.shape[1], 2]),
            proa.full_like(x, 2),
            proa.shape(x),
            proa.eye(2),
        ),
        (wide,),
        both,
    ),
    Row("meshgrid", lambda x, y: tuple(proa.meshgrid(x, y)), (x23[0], y23[0][:2].copy())),
    Row("diagonal", lambda x: (proa.diagonal(x, 1), proa.diagonal(x, -1, 0, 2)), (wide,)),
    Row("pixels", lambda x: (F.pixel_shuffle(x, 2), F.channel_shuffle(x, 2)), (image,)),
    Row("pixel_unshuffle", lambda x: F.pixel_unshuffle(x, 2), (floats(1, 2, 4, 6),)),
    Row(
        "matmul",
        lambda x, y: (
            proa.matmul(x, y, transpose_y=True),
            proa.mm(x, y.t()),
            proa.addmm(proa.ones([2, 2]), x, y.t(), 0.5, 2.0),
        ),
        (x23, y23),
    ),
    Row(
        "bmm", lambda x, y: (proa.bmm(x, y), proa.matmul(y, x, True, True)), (wide, floats(2, 4, 3))
    ),
    Row("einsum", lambda x, y: proa.einsum("bij,bkj->bik", x, y), (wide, floats(2, 5, 4))),
    Row("diff", lambda x: proa.diff(x, 1, 1), (x23,)),
]


@pytest.mark.parametrize("row", _ROWS, ids=[row.name for row in _ROWS])
def test_a_model_in_onnx_gives_what_the_ops_give(row: Row) -> None:
    check(row)
