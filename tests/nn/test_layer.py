"""Calling layers, modes, printing, copying."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import InvalidTypeError, UnsupportedError, context, mode_epoch
from proa.utils import unique_name

pytestmark = pytest.mark.smoke


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 3)
        self.second = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
        self.shared = self.first

    def forward(self, x):
        return self.second(self.first(x))


def test_a_layer_without_forward_says_so():
    with pytest.raises(UnsupportedError, match=r"Layer has no forward\(\)"):
        nn.Layer()(1)


def test_keywords_and_positions_reach_forward():
    class Twice(nn.Layer):
        def forward(self, x, *, factor=2):
            return x * factor

    assert Twice()(3) == 6
    assert Twice()(x=3, factor=3) == 9


def test_training_and_evaluation_mode_reach_all_layers():
    net = Net()
    assert all(layer.training for layer in net.sublayers(include_self=True))
    assert net.eval() is net
    assert not any(layer.training for layer in net.sublayers(include_self=True))
    assert net.train() is net
    assert net.train(False).training is False


def test_changes_of_mode_and_members_are_announced():
    net = Net()

    def announced(change):
        before = mode_epoch[0]
        change()
        return mode_epoch[0] > before

    assert announced(net.eval)
    assert not announced(net.eval)
    assert announced(lambda: setattr(net, "first", nn.Linear(2, 3)))
    assert announced(lambda: setattr(net.first, "bias", None))
    assert announced(lambda: net.register_buffer("b", proa.ones([1])))
    assert announced(lambda: delattr(net, "b"))
    assert not announced(lambda: setattr(net, "note", "text"))


def test_the_guard_follows_mode_members_and_hooks():
    layer = nn.Linear(2, 3)
    guards = [layer.guard()]
    assert guards[0].holds(layer)
    layer.eval()
    guards.append(layer.guard())
    layer.bias = None
    guards.append(layer.guard())
    layer.register_forward_post_hook(lambda layer, inputs, output: None)
    assert not any(guard.holds(layer) for guard in guards)
    assert layer.guard().holds(layer)


def test_plain_tensors_count_for_the_guard_only_where_they_were_read():
    layer = nn.Layer()
    layer.read, layer.written = proa.ones([1]), proa.ones([1])
    guard = layer.guard().keep(layer, frozenset([id(layer.read)]))
    layer.written = proa.zeros([1])
    assert guard.holds(layer)
    layer.read = proa.zeros([1])
    assert not guard.holds(layer)


def test_numbers_that_forward_reads_count_for_the_guard_unless_it_counts_them_itself():
    class Scaled(nn.Layer):
        def __init__(self):
            super().__init__()
            self.factor, self.calls, self.note = 2.0, 0, "unread"

        def forward(self, x):
            self.calls = self.calls + 1
            return x * self.factor

    layer = Scaled()
    guard = layer.guard()
    layer(proa.ones([1]))
    guard = guard.keep(layer, frozenset())
    layer.calls, layer.note = 7, "other"
    assert guard.holds(layer)
    epoch = mode_epoch[0]
    layer.factor = 3.0
    assert mode_epoch[0] > epoch
    assert guard.why_not(layer) == "factor: 2.0 -> 3.0"


def test_a_recorder_is_told_of_each_layer_that_runs(monkeypatch):
    class Recorder:
        adapt, noted = None, []

        def note_layer(self, layer):
            self.noted.append(layer)

    class Plain(nn.Layer):
        def forward(self, x):
            return x

    inner, outer = Plain(), nn.Sequential(Plain())
    outer.append(inner)
    monkeypatch.setattr(context, "recorder", Recorder())
    outer(1)
    assert Recorder.noted[0] is outer
    assert Recorder.noted[2] is inner


def test_apply_visits_children_first():
    seen = []
    net = Net()
    assert net.apply(lambda layer: seen.append(type(layer).__name__)) is net
    assert seen == ["Linear", "Linear", "Dropout", "Sequential", "Net"]
    with pytest.raises(InvalidTypeError, match=r"`fn` is a int"):
        net.apply(3)


def test_gradients_are_cleared_or_dropped():
    net = Net().eval()

    def grads():
        net(proa.ones([1, 2])).sum().backward()
        return net.first.weight.grad.numpy()

    grads()
    net.clear_gradients()
    assert (net.first.weight.grad.numpy() == 0).all()
    grads()
    net.clear_gradients(set_to_zero=False)
    assert net.first.weight.grad is None
    grads()
    net.zero_grad()
    assert net.first.weight.grad is None


def test_gradients_can_be_switched_off_for_all_parameters():
    net = Net()
    assert net.requires_grad_(False) is net
    assert all(p.stop_gradient for p in net.parameters())
    assert not any(p.trainable for p in net.parameters())


@pytest.mark.parametrize(
    ("extra", "printed"),
    [
        ("", "Block(\n  (fc): ReLU()\n)"),
        ("a=1", "Block(a=1\n  (fc): ReLU()\n)"),
        ("a=1\nb=2", "Block(\n  a=1\n  b=2\n\n  (fc): ReLU()\n)"),
    ],
)
def test_printing_as_paddle_does(extra, printed):
    class Block(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.ReLU()

        def extra_repr(self):
            return extra

    lines = [line.rstrip() for line in repr(Block()).split("\n")]
    assert "\n".join(lines) == printed


def test_a_deep_copy_has_parameters_and_names_of_its_own():
    with unique_name.guard():
        net = Net()
        twin = copy.deepcopy(net)
    # Names as recorded from paddle 3.3.1, but for the start of the counter.
    assert twin.first.weight.name == "linear_0.w_0_deepcopy_0"
    assert twin.shared is twin.first
    assert twin.first.full_name() == "linear_0"
    twin.first.weight.set_value(np.zeros([2, 3]))
    assert (net.first.weight.numpy() != 0).any()
    twin.first.weight.optimize_attr["learning_rate"] = 0.5
    assert net.first.weight.optimize_attr["learning_rate"] == 1.0


def test_a_pickled_layer_comes_back():
    net = Net().eval()
    net.first.weight.need_clip = False
    net.first.bias.trainable = False
    back = pickle.loads(pickle.dumps(net))
    assert back.shared is back.first
    assert not back.training
    assert back.first.weight.name == net.first.weight.name
    assert back.first.weight.need_clip is False
    assert not back.first.bias.trainable
    x = proa.ones([2, 2])
    np.testing.assert_array_equal(back(x).numpy(), net(x).numpy())


def test_results_in_attributes_are_copied_without_their_history():
    class Keeps(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(2, 2)

        def forward(self, x):
            self.last = self.fc(x)
            return self.last

    layer = Keeps()
    layer(proa.ones([1, 2]))
    twin = copy.deepcopy(layer)
    np.testing.assert_array_equal(twin.last.numpy(), layer.last.numpy())
    assert twin.last.stop_gradient
    assert not layer.last.stop_gradient
    proa.jit.to_static(lambda x: layer(x))(proa.ones([1, 2]))
    twin = copy.deepcopy(layer)
    np.testing.assert_allclose(twin.last.numpy(), layer.last.numpy(), rtol=1e-6)


def test_other_names_of_methods_and_classes():
    assert nn.Module is nn.Layer
    layer = nn.Layer()
    layer.add_module("a", nn.ReLU())
    layer.register_module("b", nn.ReLU())
    layer.register_parameter("w", layer.create_parameter([1]))
    assert list(layer._sub_layers) == ["a", "b"]
    assert list(layer.state_dict()) == ["w"]
