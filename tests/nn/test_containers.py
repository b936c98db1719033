"""Layers that hold layers or parameters."""

from __future__ import annotations

from collections import OrderedDict

import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError, InvalidTypeError, OutOfRangeError, UnknownNameError


def kinds(container):
    return [(name, type(layer).__name__) for name, layer in container._sub_layers.items()]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ((nn.ReLU(), nn.Tanh()), ["0", "1"]),
        (([nn.ReLU(), nn.Tanh()],), ["0", "1"]),
        ((("a", nn.ReLU()), ("b", nn.Tanh())), ["a", "b"]),
        ((["a", nn.ReLU()], ["b", nn.Tanh()]), ["a", "b"]),
        ((OrderedDict(a=nn.ReLU(), b=nn.Tanh()),), ["a", "b"]),
        ((["a", nn.ReLU()],), ["a"]),
        ((), []),
    ],
)
def test_sequential_takes_layers_pairs_or_a_dictionary(arguments, names):
    assert [name for name, _ in kinds(nn.Sequential(*arguments))] == names


def test_sequential_runs_its_layers_in_order():
    class Plus(nn.Layer):
        def __init__(self, value):
            super().__init__()
            self.value = value

        def forward(self, x):
            return [*x, self.value]

    assert nn.Sequential(Plus(1), Plus(2))([]) == [1, 2]
    assert nn.Sequential()(5) == 5


def test_sequential_as_a_sequence():
    model = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.GELU())
    assert len(model) == 3
    assert model[-1] is list(model)[2] is model["2"]
    assert kinds(model[1:]) == [("1", "Tanh"), ("2", "GELU")]
    model[0] = nn.Sigmoid()
    model["1"] = nn.ELU()
    model["tail"] = nn.Mish()
    assert [kind for _, kind in kinds(model)] == ["Sigmoid", "ELU", "GELU", "Mish"]
    del model[0], model["tail"]
    assert kinds(model) == [("1", "ELU"), ("2", "GELU")]


def test_sequential_grows():
    model = nn.Sequential(nn.ReLU())
    assert model.append(nn.Tanh()) is model
    assert model.insert(0, nn.GELU()) is model
    assert model.extend([nn.Mish(), nn.ELU()]) is model
    assert kinds(model) == [
        ("0", "GELU"),
        ("1", "ReLU"),
        ("2", "Tanh"),
        ("3", "Mish"),
        ("4", "ELU"),
    ]
    model.insert(-1, nn.Sigmoid())
    assert kinds(model)[-2:] == [("4", "Sigmoid"), ("5", "ELU")]
    named = nn.Sequential(("a", nn.ReLU()))
    assert kinds(named.append(nn.Tanh())) == [("a", "ReLU"), ("1", "Tanh")]


def test_layer_list_as_a_list():
    layers = nn.LayerList([nn.ReLU(), nn.Tanh(), nn.GELU(), nn.ELU()])
    assert layers[-1] is layers[3]
    assert kinds(layers[1:3]) == [("0", "Tanh"), ("1", "GELU")]
    layers.insert(1, nn.Mish())
    del layers[0]
    assert kinds(layers) == [("0", "Mish"), ("1", "Tanh"), ("2", "GELU"), ("3", "ELU")]
    del layers[0:2]
    assert kinds(layers) == [("0", "GELU"), ("1", "ELU")]
    assert type(layers.pop(0)).__name__ == "GELU"
    layers[0] = nn.Sigmoid()
    layers += [nn.ReLU()]
    assert kinds(layers + [nn.Tanh()]) == [("0", "Sigmoid"), ("1", "ReLU"), ("2", "Tanh")]
    assert len(layers) == 2
    assert len(nn.LayerList(layers)) == 2
    assert len(nn.ModuleList()) == 0


def test_layer_dict_as_a_dictionary():
    layers = nn.LayerDict({"a": nn.ReLU(), "b": nn.Tanh()})
    layers.update([("c", nn.GELU()), ("a", nn.ELU())])
    assert list(layers) == list(layers.keys()) == ["a", "b", "c"]
    assert [type(layer).__name__ for layer in layers.values()] == ["ELU", "Tanh", "GELU"]
    assert "b" in layers
    assert type(layers.pop("b")).__name__ == "Tanh"
    del layers["a"]
    assert [name for name, _ in layers.items()] == ["c"]
    copied = nn.LayerDict(layers)
    assert copied["c"] is layers["c"]
    layers.clear()
    assert len(layers) == 0
    assert len(nn.ModuleDict()) == 0


def test_lists_and_dictionaries_of_parameters():
    first, second, third = (proa.create_parameter([i], "float32") for i in (1, 2, 3))
    parameters = nn.ParameterList([first, second])
    assert list(parameters.state_dict()) == ["0", "1"]
    assert parameters[-1] is second
    assert list(parameters.append(third)) == [first, second, third]
    parameters[0] = third
    assert parameters[0] is third
    assert len(parameters[:2]) == 2
    table = nn.ParameterDict({"a": first})
    table.update([("b", second)])
    table["a"] = third
    assert list(table) == list(table.keys()) == ["a", "b"]
    assert table["a"] is third
    assert list(table.values()) == [third, second]
    assert "a" in table
    assert dict(nn.ParameterDict(table).items()) == {"a": third, "b": second}


@pytest.mark.parametrize(
    ("misuse", "error", "message"),
    [
        (lambda: nn.Sequential(3), InvalidTypeError, "Sequential is given a int"),
        (lambda: nn.Sequential(nn.ReLU())[1], OutOfRangeError, "index 1 into Sequential"),
        (lambda: nn.Sequential(nn.ReLU())["x"], UnknownNameError, "no layer called 'x'"),
        (lambda: nn.Sequential().append(3), InvalidTypeError, "Sequential is given a int"),
        (lambda: nn.Sequential().extend(3), InvalidTypeError, "several layers"),
        (lambda: nn.LayerList([3]), InvalidTypeError, "LayerList is given a int"),
        (lambda: nn.LayerList(nn.ReLU()), InvalidTypeError, "LayerList is given a ReLU"),
        (lambda: nn.LayerList([])[0], OutOfRangeError, "length 0"),
        (lambda: nn.LayerList([])["a"], InvalidTypeError, "indexed with 'a'"),
        (lambda: nn.LayerList([]).insert(2, nn.ReLU()), OutOfRangeError, "index 2 into"),
        (lambda: nn.LayerDict({"a": 3}), InvalidTypeError, "LayerDict is given a int"),
        (lambda: nn.LayerDict(3), InvalidTypeError, "LayerDict is given a int"),
        (lambda: nn.LayerDict(["ab", 3]), InvalidArgumentError, "given the entry 'ab'"),
        (lambda: nn.LayerDict({})["a"], UnknownNameError, "LayerDict has no key 'a'"),
        (lambda: nn.ParameterList([3]), InvalidTypeError, "'0' is a Parameter"),
        (lambda: nn.ParameterList(3), InvalidTypeError, "ParameterList is given a int"),
        (lambda: nn.ParameterDict({})["a"], UnknownNameError, "ParameterDict has no key 'a'"),
    ],
)
def test_misuse(misuse, error, message):
    with pytest.raises(error, match=message):
        misuse()
