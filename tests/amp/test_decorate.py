from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import amp, nn
from proa.nn import functional as F

BF16, FP16, FP32 = "bfloat16", "float16", "float32"


class Network(nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.batch = nn.BatchNorm1D(4)
        self.layer = nn.LayerNorm(4)
        self.head = nn.Sequential(nn.Linear(4, 2))

    def forward(self, x):
        return self.head(self.layer(self.batch(self.linear(x))))


def dtypes(network):
    parts = (network.linear, network.batch, network.layer, network.head[0])
    return tuple(part.weight.dtype.name for part in parts)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"level": "O1"}, (FP32, FP32, FP32, FP32)),
        ({"level": "O2", "dtype": BF16}, (BF16, FP32, BF16, BF16)),
        ({"level": "O2"}, (FP16, FP32, FP32, FP16)),
        ({"level": "O2", "excluded_layers": nn.Linear}, (FP32, FP32, FP32, FP32)),
        (
            {"level": "O2", "dtype": BF16, "excluded_layers": [nn.LayerNorm]},
            (BF16, FP32, FP32, BF16),
        ),
    ],
)
def test_which_layers_are_cast(settings, expected):
    network = Network()
    assert amp.decorate(network, **settings) is network
    assert dtypes(network) == expected
    assert network.batch._mean.dtype.name == FP32


def test_a_layer_is_excluded_with_its_parts():
    network = Network()
    amp.decorate(network, level="O2", dtype=BF16, excluded_layers=[network.head])
    assert dtypes(network) == (BF16, FP32, BF16, FP32)


def test_what_was_given_comes_back():
    network = Network()
    optimizer = proa.optimizer.Adam(parameters=network.parameters())
    assert amp.amp_decorate([network], level="O2") == [network]
    assert amp.decorate(network, optimizer) == (network, optimizer)
    assert amp.decorate([network], [optimizer], level="O2") == ([network], [optimizer])


def step(network, optimizer, x, y):
    with amp.auto_cast(level="O2", dtype=BF16):
        loss = F.cross_entropy(network(x).astype(FP32), y)
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    return loss.detach()


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("master_grad", [False, True])
def test_training_with_master_weights(compiled, master_grad):
    proa.seed(0)
    network = Network()
    optimizer = proa.optimizer.AdamW(0.01, parameters=network.parameters())
    amp.decorate(network, optimizer, level="O2", dtype=BF16, master_grad=master_grad)
    run = proa.jit.to_static(step, full_graph=True) if compiled else step
    x, y = proa.rand([16, 4]), proa.to_tensor([0, 1] * 8)
    losses = [float(run(network, optimizer, x, y)) for _ in range(10)]
    assert losses[-1] < losses[0]
    weight = network.linear.weight
    master = optimizer.state_dict()["master_weights"][weight.name]
    assert (weight.dtype.name, master.dtype.name) == (BF16, FP32)
    np.testing.assert_array_equal(
        master.astype(BF16).astype(FP32).numpy(), weight.astype(FP32).numpy()
    )
    assert network.batch.weight.name not in optimizer.state_dict()["master_weights"]


@pytest.mark.parametrize(("master_grad", "expected"), [(False, BF16), (True, FP32)])
def test_master_gradients_sum_up_in_float32(master_grad, expected):
    network = amp.decorate(nn.Linear(2, 2), level="O2", dtype=BF16, master_grad=master_grad)
    for _ in range(2):
        network(proa.ones([1, 2], dtype=BF16)).sum().backward()
    assert network.weight.grad.dtype.name == expected
    assert network.weight.grad.tolist() == [[2.0, 2.0], [2.0, 2.0]]


@pytest.mark.parametrize(("master_weight", "has"), [(None, True), (True, True), (False, False)])
def test_an_optimizer_that_has_stepped_gets_master_weights(master_weight, has):
    network = nn.Linear(2, 2)
    optimizer = proa.optimizer.Momentum(0.1, parameters=network.parameters())
    for dtype in (FP32, BF16):
        network(proa.ones([1, 2], dtype=dtype)).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
        amp.decorate(network, optimizer, level="O2", dtype=BF16, master_weight=master_weight)
    assert ("master_weights" in optimizer.state_dict()) is has


def test_weights_are_saved_in_another_dtype():
    network = amp.decorate(Network(), level="O2", dtype=BF16, save_dtype=FP32)
    state = network.state_dict()
    assert {value.dtype.name for value in state.values()} == {FP32}
    assert network.linear.weight.dtype.name == BF16
    network.set_state_dict({name: value * 0 + 1 for name, value in state.items()})
    assert network.linear.weight.astype(FP32).numpy().min() == 1.0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"level": "O3"}, ValueError, "`level` of decorate is 'O3'"),
        ({"dtype": "int8"}, ValueError, "`dtype` of auto_cast is 'int8'"),
        ({"save_dtype": "int8"}, ValueError, "`save_dtype` of decorate is 'int8'"),
        ({"models": 3}, TypeError, "`models` of decorate has a int"),
        ({"optimizers": [3]}, TypeError, "`optimizers` of decorate has a int"),
        (
            {"level": "O2", "excluded_layers": 3},
            TypeError,
            "`excluded_layers` of decorate has a int",
        ),
    ],
)
def test_wrong_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        amp.decorate(**{"models": nn.Linear(1, 1), **arguments})
