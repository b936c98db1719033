"""Walks over the tree of layers, with names as recorded from paddle 3.3.1."""

from __future__ import annotations

import pytest

import proa
from proa import nn
from proa.core import MissingAttributeError


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
        self.b = self.a
        self.c = nn.Sequential(("x", nn.ReLU()), ("y", nn.Linear(2, 2)))
        self.d = nn.LayerList([nn.Linear(1, 1), nn.ReLU()])
        self.p = self.create_parameter([2, 2])
        self.pb = self.create_parameter([2], is_bias=True)
        self.register_buffer("buf", proa.ones([2]))
        self.none = None


def names(pairs):
    return [name for name, _ in pairs]


def test_parameters_by_name():
    net = Net()
    expected = ["p", "pb", "a.weight", "a.bias", "c.y.weight", "c.y.bias", "d.0.weight", "d.0.bias"]
    assert names(net.named_parameters()) == expected
    assert names(net.named_parameters(prefix="q")) == [f"q.{name}" for name in expected]
    assert names(net.named_parameters(include_sublayers=False)) == ["p", "pb"]
    assert len(names(net.named_parameters(remove_duplicate=False))) == 10
    assert len(net.parameters()) == 8
    assert len(net.parameters(include_sublayers=False)) == 2


def test_buffers_by_name():
    net = Net()
    net.c.t = proa.ones([1])
    assert names(net.named_buffers()) == ["buf", "c.t"]
    assert len(net.buffers()) == 2
    assert len(net.buffers(include_sublayers=False)) == 1


def test_layers_by_name():
    net = Net()
    below = ["a", "c", "c.x", "c.y", "d", "d.0", "d.1"]
    assert names(net.named_sublayers()) == below
    assert names(net.named_sublayers(include_self=True)) == ["", *below]
    assert names(net.named_sublayers(prefix="q", include_self=True))[:2] == ["q", "q.a"]
    assert names(net.named_sublayers(remove_duplicate=False))[1] == "b"
    assert names(net.named_children()) == ["a", "c", "d"]
    assert [type(layer).__name__ for layer in net.children()] == [
        "Linear",
        "Sequential",
        "LayerList",
    ]
    assert len(net.sublayers()) == 7
    assert len(net.sublayers(include_self=True)) == len(list(net.modules())) == 8
    assert names(net.named_modules()) == ["", *below]


def test_members_at_a_dotted_name():
    net = Net()
    assert net.get_sublayer("c.y") is net.c.y
    assert net.get_submodule("") is net
    assert net.get_parameter("c.y.weight") is net.c.y.weight
    assert net.get_parameter("b.weight") is net.a.weight
    assert net.get_buffer("buf") is net.buf


@pytest.mark.parametrize(
    ("look", "name"),
    [("get_sublayer", "c.z"), ("get_parameter", "c.y"), ("get_buffer", "p")],
)
def test_what_is_not_there(look, name):
    with pytest.raises(MissingAttributeError, match=rf"there is no .* '{name}'(.|\n)*one of: "):
        getattr(Net(), look)(name)


def test_a_layer_is_put_at_a_dotted_name():
    net, new = Net(), nn.Tanh()
    net.set_sublayer("c.x", new)
    assert net.c.x is new
    net.set_submodule("c.z", new)
    assert net.c.z is new
    with pytest.raises(MissingAttributeError, match=r"'c\.w'"):
        net.set_sublayer("c.w", new, strict=True)
    with pytest.raises(MissingAttributeError, match="'e'"):
        net.set_sublayer("e.w", new)
