from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import ProgramError
from tests.formats.paddle.models import call


@pytest.mark.parametrize(
    ("mode", "layer"),
    [("LSTM", proa.nn.LSTM), ("GRU", proa.nn.GRU), ("RNN_TANH", proa.nn.SimpleRNN)],
)
def test_a_stack_of_two_directions_is_the_layer(mode, layer):
    proa.seed(1)
    net = layer(3, 2, num_layers=2, direction="bidirect")
    parameters = dict(net.named_parameters())
    names = [
        f"{side}_l{i}{way}" for i in range(2) for way in ("", "_reverse") for side in ("ih", "hh")
    ]
    weights = [parameters[f"weight_{n}"].numpy() for n in names]
    biases = [parameters[f"bias_{n}"].numpy() for n in names]
    x = np.random.default_rng(0).normal(size=(2, 4, 3)).astype(np.float32)
    states = [np.full((4, 2, 2), v, np.float32) for v in (0.1, 0.2)[: 2 if mode == "LSTM" else 1]]
    inputs = {"Input": x.swapaxes(0, 1), "PreState": states, "WeightList": [*weights, *biases]}
    attributes = {"is_bidirec": True, "num_layers": 2, "mode": mode, "is_test": True}
    out, state = call("rnn", inputs, attributes, ("Out", "State"))
    given = [proa.to_tensor(s) for s in states]
    expected, ends = net(proa.to_tensor(x), tuple(given) if mode == "LSTM" else given[0])
    np.testing.assert_allclose(out[0].swapaxes(0, 1), expected.numpy(), rtol=1e-5, atol=1e-6)
    for got, end in zip(state, ends if mode == "LSTM" else [ends], strict=True):
        np.testing.assert_allclose(got, end.numpy(), rtol=1e-5, atol=1e-6)


def test_another_mode_is_refused():
    inputs = {"Input": np.ones((1, 1, 1), np.float32), "PreState": [], "WeightList": []}
    with pytest.raises(ProgramError, match="it has no pre_state, weight_list"):
        call("rnn", inputs, {"mode": "LSTM"})
