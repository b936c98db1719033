from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from proa.program import verify
from proa.program.passes import apply_passes, bind
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
