from __future__ import annotations

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import proa
import proa.nn.functional as F
from proa.program import record_cond, verify
from proa.program.passes import PIPELINES, apply_passes, bind
from tests.program.passes.programs import normal, ops, record, same


class Encoder(proa.nn.Layer):
    """Attention and norms written out, as in files of others."""

    def __init__(self):
        super().__init__()
        self.project = proa.nn.LayerList([proa.nn.Linear(8, 8) for _ in range(4)])
        self.gamma, self.beta = self.create_parameter([8]), self.create_parameter([8])

    def heads(self, x, i):
        return self.project[i](x).reshape([0, 0, 2, 4]).transpose([0, 2, 1, 3])

    def forward(self, x):
        q, k, v = (self.heads(x, i) for i in range(3))
        weights = F.softmax(proa.matmul(q, k, transpose_y=True) / 2.0)
        y = (
            proa.matmul(F.dropout(weights, 0.1, training=self.training), v)
            .transpose([0, 2, 1, 3])
            .reshape([0, 0, 8])
        )
        y = x + self.project[3](y)
        y = y - y.mean(-1, keepdim=True)
        return y * proa.rsqrt((y**2).mean(-1, keepdim=True) + 1e-5) * self.gamma + self.beta


def resnet():
    return proa.vision.models.resnet18(num_classes=4), ("batch", 3, 32, 32)


def mobilenet():
    return proa.vision.models.mobilenet_v3_small(scale=0.35, num_classes=4), ("batch", 3, 32, 32)


def encoder():
    return Encoder(), ("batch", "length", 8)


def lstm():
    net = proa.nn.LSTM(8, 8, num_layers=2)
    return _Outputs(net), ("batch", "length", 8)


class _Outputs(proa.nn.Layer):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net(x)[0]


@pytest.mark.parametrize(
    ("make", "gone"),
    [
        (resnet, {"batch_norm_infer"}),
        (mobilenet, {"batch_norm_infer"}),
        (encoder, {"softmax", "matmul", "rsqrt", "mean"}),
        (lstm, set()),
    ],
)
def test_nets_compute_the_same_after_the_passes_of_inference(make, gone):
    net, spec = make()
    net.eval()
    for name, t in net.named_buffers():
        if name.endswith(("_mean", "_variance")):
            t.set_value(np.abs(normal(*t.shape)) * 0.2 + 0.4)
    program, arrays = record(net, spec)
    before = bind(program, arrays)
    after, _ = apply_passes(before, "inference")
    assert gone <= {*ops(before)}
    assert not gone & {*ops(after)}
    assert len(after.calls) < len(before.calls) or make is lstm
    sizes = {"batch": 2, "length": 3}
    same(before, after, normal(*[sizes.get(str(e), e) for e in spec]), rtol=1e-4, atol=1e-5)
    if "length" in spec:
        same(before, after, normal(1, 5, 8), rtol=1e-4, atol=1e-5)
    # What they leave behind is what they would leave alone.
    again, report = apply_passes(verify(after), "inference")
    assert all(step.notes == {} for step in report.steps)
    assert again.calls == after.calls


def test_gradients_are_the_same_after_fusing():
    net = Encoder()
    net.eval()
    program, arrays = record(net, ("batch", "length", 8))
    before = bind(program, arrays)
    after, _ = apply_passes(before, "inference")
    x = normal(2, 3, 8)
    expected, got = (
        jax.jit(jax.grad(lambda a, p=p: (p.function()(a)[0] ** 2).sum()))(x)
        for p in (before, after)
    )
    assert "attention" in ops(after)
    np.testing.assert_allclose(got, expected, rtol=1e-3, atol=1e-4)


STEPS = {
    "neutral": lambda x, y: x * 1.0 - 0.0,
    "scale": lambda x, y: x * 0.5 + 0.25,
    "sum": lambda x, y: x + y,
    "product": lambda x, y: proa.tanh(x) * F.sigmoid(y),
    "turn": lambda x, y: x.transpose([0, 1, 3, 2]),
    "shape": lambda x, y: x.reshape([0, 16, 1]).reshape([0, 4, 2, 2]),
    "cast": lambda x, y: x.astype("float64").astype("float32"),
    "drop": lambda x, y: F.dropout(x, 0.0),
    "constant": lambda x, y: x + proa.full([4, 1, 1], 2.0) * 3.0,
    "convolution": lambda x, y: F.conv2d(x, proa.to_tensor(normal(4, 4, 1, 1) * 0.3)),
    "norm": lambda x, y: F.batch_norm(x, proa.zeros([4]), proa.ones([4]) * 2.0, training=False),
    "centre": lambda x, y: x - x.mean(-1, keepdim=True),
    "attend": lambda x, y: proa.matmul(F.softmax(proa.matmul(x, y, transpose_y=True)), y),
    "branch": lambda x, y: record_cond(
        proa.ones([]) > 0, lambda: [F.relu(x)], lambda: [proa.exp(y)]
    )[0],
}
EVERYTHING = (
    *("inference", "layout_nhwc", "constant_folding", "identity_and_dropout_removal"),
    *("fuse_bias_activation", "recompute", "dead_code"),
)


@settings(max_examples=12, deadline=None, derandomize=True, database=None)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 9), st.integers(0, 9)),
        min_size=1,
        max_size=9,
    ),
    extra=st.integers(0, 9),
)
def test_any_program_computes_the_same_after_all_passes(steps, extra):
    def fn(x):
        values = [x]
        for name, i, j in steps:
            values.append(STEPS[name](values[i % len(values)], values[j % len(values)]))
        return values[-1], values[extra % len(values)]

    program, arrays = record(fn, ("batch", 4, 2, 2))
    before = bind(program, arrays)
    names = [n for entry in EVERYTHING for n in PIPELINES.get(entry, [entry])]
    after, _ = apply_passes(before, names)
    again, report = apply_passes(after, names)
    assert [(step.name, step.notes) for step in report.steps if step.notes] == []
    assert again.calls == after.calls
    x = normal(3, 4, 2, 2)
    with jax.disable_jit():
        expected, got = ([np.asarray(o) for o in p.function()(x)] for p in (before, after))
    for a, b in zip(expected, got, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-4, atol=1e-4)
