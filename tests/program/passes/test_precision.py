from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from proa.core import InvalidArgumentError
from proa.program.passes import apply_passes, bind, precision
from tests.program.passes.programs import bound, normal, ops, record, run


class Net(proa.nn.Layer):
    def __init__(self):
        super().__init__()
        self.body, self.head = proa.nn.Linear(4, 8), proa.nn.Linear(8, 3)

    def forward(self, x):
        y = F.relu(self.body(x)) * 2.0
        return F.softmax(self.head(y))


def net_program():
    net = Net()
    program, arrays = record(net, ("batch", 4))
    names = {id(t): name for name, t in net.named_parameters()}
    order = (net.body.weight, net.body.bias, net.head.weight, net.head.bias)
    for value, t in zip(program.captures, order, strict=True):
        value.name = names[id(t)]
    return bind(program, arrays)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_products_and_what_follows_them_are_narrowed(dtype):
    before = net_program()
    passes = [("precision", {"dtype": dtype}), "constant_folding"]
    after, report = apply_passes(before, passes, samples=[[normal(5, 4)]])
    low = [c.op.name for c in after.calls if str(c.outputs[0].dtype) == dtype]
    assert low == ["cast", "linear", "relu", "multiply", "linear"]
    assert report.steps[0].notes == {f"calls in {dtype}": 4}
    # bfloat16 has 8 bits: about three digits.
    assert 0 < report.steps[0].difference < 0.02
    assert report.steps[1].after.weights < 0.6 * report.steps[0].before.weights
    assert [v.dtype for v in after.outputs] == [np.float32]
    assert precision(after, dtype=dtype) == (after, {})


@pytest.mark.parametrize(
    ("keep", "narrow"),
    [
        (["linear"], []),
        (["head"], ["linear", "relu", "multiply"]),
        (["h*", "relu"], ["linear"]),
        (["*"], []),
    ],
)
def test_a_list_of_what_is_kept(keep, narrow):
    after, _ = precision(net_program(), keep=keep)
    low = [c.op.name for c in after.calls if str(c.outputs[0].dtype) == "bfloat16"]
    assert [name for name in low if name != "cast"] == narrow


def test_integers_norms_and_losses_keep_their_precision():
    weight = proa.to_tensor(normal(6, 4))

    def fn(ids, x):
        rows = F.embedding(ids, weight)
        y = F.batch_norm(proa.matmul(rows, x), proa.zeros([4]), proa.ones([4]), training=False)
        return F.layer_norm(y, 4).sum(), proa.argmax(y, axis=-1)

    before = bound(fn, ((3,), "int64"), (4, 4))
    after, _ = apply_passes(before, ["precision", "dead_code"])
    low = [c.op.name for c in after.calls if str(c.outputs[0].dtype) == "bfloat16"]
    assert [name for name in low if name != "cast"] == ["matmul", "batch_norm_infer"]
    ids, x = np.array([1, 5, 0]), normal(4, 4)
    got, expected = run(after, ids, x), run(before, ids, x)
    np.testing.assert_allclose(got[0], expected[0], atol=0.1)
    assert got[1].dtype == expected[1].dtype


def test_programs_without_products_stay():
    before = bound(lambda x: proa.exp(x) + 1.0, (3,))
    assert precision(before) == (before, {})


def test_other_dtypes_are_refused():
    with pytest.raises(InvalidArgumentError, match="`dtype` of the pass precision is 'int8'"):
        apply_passes(net_program(), [("precision", {"dtype": "int8"})])
    assert "linear" in ops(net_program())
