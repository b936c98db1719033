"""Recurrent layers; values are in test_layer_catalogue.py."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError
from proa.static import InputSpec

X = np.sin(np.arange(24)).reshape(2, 4, 3).astype(np.float32)
LENGTHS = np.array([2, 4])


class Wrapped(nn.GRUCell):
    """Runs step by step, since its `forward` is its own."""

    def forward(self, inputs, states=None):
        return super().forward(inputs, states)


@pytest.mark.parametrize("is_reverse", [False, True])
@pytest.mark.parametrize("time_major", [False, True])
def test_a_cell_of_ones_own_runs_as_the_op_does(is_reverse, time_major):
    cell, own = nn.GRUCell(3, 2), Wrapped(3, 2)
    own.set_state_dict(cell.state_dict())
    x = proa.to_tensor(X.swapaxes(0, 1).copy() if time_major else X)
    lengths = proa.to_tensor(LENGTHS)
    found = [nn.RNN(c, is_reverse, time_major)(x, None, lengths) for c in (cell, own)]
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-6)


def test_a_hook_on_the_cell_is_called_each_step():
    cell, seen = nn.SimpleRNNCell(3, 2), []
    cell.register_forward_post_hook(lambda layer, inputs, outputs: seen.append(1))
    nn.RNN(cell)(proa.to_tensor(X))
    assert len(seen) == 4


def test_a_cell_may_take_nests_and_arguments():
    class Pair(nn.RNNCellBase):
        state_shape = (3,)

        def forward(self, inputs, states, factor=1.0):
            total = states + (inputs["a"] + inputs["b"][0]) * factor
            return {"sum": total}, total

    x = proa.ones([2, 4, 3])
    outputs, last = nn.RNN(Pair())({"a": x, "b": (x,)}, proa.zeros([2, 3]), factor=0.5)
    assert outputs["sum"].shape == [2, 4, 3]
    np.testing.assert_allclose(last.numpy(), np.full([2, 3], 4.0))


def test_a_sequence_gives_what_it_gives_alone():
    layer = nn.LSTM(3, 2, 2, "bidirect")
    x = proa.to_tensor(X)
    outputs, (h, c) = layer(x, None, proa.to_tensor(LENGTHS))
    alone, (h_alone, c_alone) = layer(x[:1, :2])
    np.testing.assert_allclose(outputs.numpy()[:1, :2], alone.numpy(), rtol=1e-5, atol=1e-6)
    assert not outputs.numpy()[0, 2:].any()
    for whole, part in ((h, h_alone), (c, c_alone)):
        np.testing.assert_allclose(whole.numpy()[:, :1], part.numpy(), rtol=1e-5, atol=1e-6)


def test_the_last_state_continues_the_run():
    layer = nn.LSTM(3, 2, 2)
    x = proa.to_tensor(X)
    whole, _ = layer(x)
    first, state = layer(x[:, :2])
    second, _ = layer(x[:, 2:], state)
    found = np.concatenate([first.numpy(), second.numpy()], 1)
    np.testing.assert_allclose(found, whole.numpy(), rtol=1e-5, atol=1e-6)


def test_dropout_lies_between_the_layers_in_training_only():
    proa.seed(0)
    layer, x = nn.GRU(3, 8, 2, dropout=0.5), proa.to_tensor(X)
    assert not np.allclose(layer(x)[0].numpy(), layer(x)[0].numpy())
    layer.eval()
    np.testing.assert_array_equal(layer(x)[0].numpy(), layer(x)[0].numpy())
    single = nn.GRU(3, 8, 1, dropout=0.5)
    np.testing.assert_array_equal(single(x)[0].numpy(), single(x)[0].numpy())


def test_both_names_hold_one_parameter():
    layer = nn.LSTM(3, 2, 2, "bidirect")
    assert layer.weight_ih_l1_reverse is layer[1].cell_bw.weight_ih
    assert len(layer.parameters()) == 16
    assert len(layer.state_dict()) == 32
    other = nn.LSTM(3, 2, 2, "bidirect")
    other.set_state_dict(layer.state_dict())
    x = proa.to_tensor(X)
    np.testing.assert_array_equal(layer(x)[0].numpy(), other(x)[0].numpy())


def test_one_program_for_any_batch():
    layer = nn.LSTM(3, 2, 2, "bidirect")
    static = proa.jit.to_static(layer.forward, input_spec=[InputSpec([None, 4, 3], "float32")])
    for batch in (1, 2):
        x = proa.to_tensor(X[:batch])
        outputs, (h, _) = static(x)
        wanted, (h_wanted, _) = layer(x)
        np.testing.assert_allclose(outputs.numpy(), wanted.numpy(), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(h.numpy(), h_wanted.numpy(), rtol=1e-5, atol=1e-6)


def test_a_saved_layer_takes_any_batch(tmp_path):
    layer = nn.GRU(3, 2)
    layer.eval()
    path = str(tmp_path / "gru")
    proa.jit.save(layer, path, input_spec=[InputSpec([None, 4, 3], "float32")])
    found = proa.jit.load(path)(proa.to_tensor(X))
    np.testing.assert_allclose(found[0].numpy(), layer(proa.to_tensor(X))[0].numpy(), 1e-5, 1e-6)


def test_a_compiled_step_trains():
    proa.seed(0)
    layer, head = nn.GRU(3, 8), nn.Linear(8, 1)
    learner = proa.optimizer.Adam(0.05, parameters=[*layer.parameters(), *head.parameters()])
    x, y = proa.to_tensor(X), proa.to_tensor([[1.0], [-1.0]])

    @proa.jit.to_static
    def step(x, y):
        loss = ((head(layer(x)[1][-1]) - y) ** 2).mean()
        loss.backward()
        learner.step()
        learner.clear_grad()
        return loss

    losses = [float(step(x, y)) for _ in range(40)]
    assert losses[-1] < 0.05 * losses[0]


ERRORS = [
    (lambda: nn.LSTM(3, 4, direction="backward"), "LSTM: `direction` is 'backward'"),
    (lambda: nn.SimpleRNN(3, 4, activation="gelu"), "`activation` is 'gelu'"),
    (lambda: nn.BiRNN(nn.GRUCell(3, 4), nn.GRUCell(2, 4)), "input sizes 3 and 2"),
    (lambda: nn.GRU(3, 4)(proa.ones([2, 5, 3]), proa.zeros([2, 2, 4])), "`initial_states`"),
    (lambda: nn.LSTM(3, 4)(proa.ones([2, 5, 3]), proa.zeros([1, 2, 4])), "2 of \\[1, batch"),
    (lambda: nn.GRU(3, 4)(proa.ones([2, 3])), "3 axes"),
    (lambda: nn.RNN(Wrapped(3, 2))(proa.ones([2, 0, 3])), "time axis .* extent 0"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(InvalidArgumentError, match=match):
        call()
