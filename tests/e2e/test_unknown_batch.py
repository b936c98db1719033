"""Shape and index ops in recorded functions whose first extent is unknown."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.static import InputSpec

ZERO = proa.to_tensor([0])


def written(x):
    y = x * 1
    y[:, 0] = 0.0
    y[y > 1] = -1.0
    return y


FUNCTIONS = {
    "reshape with -1": lambda x: x.reshape([-1, 2, 4]),
    "reshape with 0": lambda x: x.reshape([0, 2, 4]),
    "reshape by a product of extents": lambda x: x.reshape([x.shape[0] * 2, 4]),
    "flatten": lambda x: x.unsqueeze(1).flatten(),
    "unflatten": lambda x: x.unflatten(1, [2, -1]),
    "squeeze": lambda x: x.unsqueeze(0).squeeze(),
    "transpose": lambda x: x.transpose([1, 0]),
    "concat": lambda x: proa.concat([x, x], 0),
    "stack": lambda x: proa.stack([x, x], 1),
    "split": lambda x: x.split([3, -1], 1)[1],
    "unbind": lambda x: x.unbind(1)[0],
    "expand": lambda x: x.unsqueeze(1).expand([-1, 3, -1]),
    "expand to a shape": lambda x: proa.ones([1, 8]).expand([x.shape[0], 8]),
    "tile": lambda x: x.tile([2, 1]),
    "repeat_interleave": lambda x: x.repeat_interleave(2, 0),
    "flip": lambda x: x.flip([0, 1]),
    "roll": lambda x: x.roll(1, 0),
    "pad": lambda x: proa.nn.functional.pad(x, [0, 0, 1, 1]),
    "slice": lambda x: proa.slice(x, [0, 1], [0, 1], [1, 3]),
    "crop": lambda x: proa.crop(x, [-1, 2], [0, 1]),
    "diag_embed": lambda x: proa.diag_embed(x),
    "x[:, 0]": lambda x: x[:, 0],
    "x[..., :-1]": lambda x: x[..., :-1],
    "x[-1]": lambda x: x[-1],
    "x[1:-1]": lambda x: x[1:-1],
    "x[::-1]": lambda x: x[::-1],
    "x[:, [0, 2]]": lambda x: x[:, [0, 2]],
    "x[: batch // 2]": lambda x: x[: x.shape[0] // 2],
    "writes": written,
    "gather": lambda x: proa.gather(x, ZERO),
    "take_along_axis": lambda x: proa.take_along_axis(x, x[:, :1].astype("int64"), 1),
    "scatter": lambda x: proa.scatter(x, ZERO, proa.zeros([1, 8])),
    "where": lambda x: proa.where(x > 0, x, 0.0),
    "topk": lambda x: proa.topk(x, 2)[0],
    "argsort": lambda x: proa.argsort(x, 0, True),
    "mode": lambda x: proa.mode(x)[0],
    "matmul": lambda x: proa.matmul(x, x, transpose_y=True),
    "einsum": lambda x: proa.einsum("bi,bj->bij", x, x),
    "norm": lambda x: proa.linalg.norm(x, axis=1),
    "cdist": lambda x: proa.cdist(x, proa.ones([3, 8])),
    "cov": lambda x: proa.linalg.cov(x, rowvar=False),
    "det": lambda x: proa.linalg.det(x[:, :4].unflatten(1, [2, 2])),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_recorded_and_eager_agree(name):
    fn = FUNCTIONS[name]
    spec = [InputSpec([None, 8], "float32")]
    recorded = proa.jit.to_static(fn, input_spec=spec, full_graph=True)
    x = proa.to_tensor(np.sin(np.arange(24.0, dtype="float32")).reshape(3, 8) * 0.9)
    want = fn(x)
    np.testing.assert_allclose(recorded(x).numpy(), want.numpy(), rtol=1e-4, atol=1e-5)
