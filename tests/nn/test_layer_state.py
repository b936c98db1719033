"""Reading and writing the state of a model."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError, InvalidTypeError

pytestmark = pytest.mark.smoke


def make():
    return nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1D(3))


def values(layer):
    return {name: tensor.numpy() for name, tensor in layer.state_dict().items()}


def test_the_state_has_parameters_and_saved_buffers_in_order():
    layer = make()
    layer.register_buffer("steps", proa.zeros([1]))
    layer.register_buffer("scratch", proa.zeros([1]), persistable=False)
    below = ["0.weight", "0.bias", "1.weight", "1.bias", "1._mean", "1._variance"]
    assert list(layer.state_dict()) == ["steps", *below]
    assert list(layer.state_dict(include_sublayers=False)) == ["steps"]
    assert list(layer.state_dict(structured_name_prefix="q."))[0] == "q.steps"
    assert list(layer.to_static_state_dict()) == ["steps", "scratch", *below]
    into = {"x": 1}
    assert layer.state_dict(into) is into
    assert layer.state_dict()["0.weight"] is layer[0].weight
    detached = layer.state_dict(keep_vars=False)["0.weight"]
    assert detached is not layer[0].weight
    assert detached.stop_gradient


def test_a_tied_parameter_is_listed_at_each_place():
    layer = nn.Layer()
    layer.a = nn.Linear(1, 1)
    layer.b = layer.a
    assert list(layer.state_dict()) == ["a.weight", "a.bias", "b.weight", "b.bias"]


@pytest.mark.parametrize("method", ["set_state_dict", "load_dict", "set_dict", "load_state_dict"])
@pytest.mark.parametrize("kind", ["tensors", "arrays"])
def test_values_are_written_in_place(method, kind):
    source, target = make(), make()
    handles = dict(target.state_dict())
    state = source.state_dict() if kind == "tensors" else values(source)
    assert [list(names) for names in getattr(target, method)(state)] == [[], []]
    for name, tensor in target.state_dict().items():
        assert tensor is handles[name]
        np.testing.assert_array_equal(tensor.numpy(), values(source)[name])
    source[0].weight.set_value(np.zeros([2, 3]))
    assert (target[0].weight.numpy() != 0).any()


def test_values_by_the_tensors_own_names():
    layer = nn.Linear(2, 3)
    state = {layer.weight.name: np.full([2, 3], 5.0), layer.bias.name: [1.0, 2.0, 3.0]}
    assert layer.set_state_dict(state, use_structured_name=False) == ([], [])
    assert layer.weight.numpy()[0, 0] == 5.0
    assert layer.bias.tolist() == [1.0, 2.0, 3.0]


def test_a_value_is_cast_to_the_dtype_of_its_tensor():
    layer = nn.Linear(2, 3).bfloat16()
    layer.set_state_dict({"weight": np.full([2, 3], 0.5, np.float64), "bias": np.zeros(3)})
    assert layer.weight.dtype == "bfloat16"
    assert layer.weight.numpy()[0, 0] == 0.5


def test_names_that_do_not_match_are_returned_with_one_warning():
    layer = make()
    with pytest.warns(UserWarning, match=r"5 missing: .*1\._mean.* \| 1 unexpected: x") as caught:
        missing, unexpected = layer.set_state_dict({"0.bias": np.ones(3), "x": np.ones(1)})
    assert len(caught) == 1
    assert unexpected == ["x"]
    assert len(missing) == 5
    assert layer[0].bias.tolist() == [1.0, 1.0, 1.0]


def test_the_name_table_of_paddles_files_is_passed_over():
    layer = make()
    state = {**values(layer), "StructuredToParameterName@@": {"0.bias": "linear_0.b_0"}}
    assert layer.set_state_dict(state) == ([], [])


# P331 only returns the names [TRAPS 39, PT#165873, PT#8282].
@pytest.mark.parametrize("load", ["set_state_dict", "load_state_dict"])
def test_one_error_lists_all_wrong_shapes_and_nothing_is_written(load):
    layer = make()
    before = values(layer)
    state = {**values(make()), "0.weight": np.ones([1, 3]), "1.bias": np.ones([])}
    message = (
        r"2 of another shape: 0\.weight is float32\[2, 3\], given float64\[1, 3\]; "
        r"1\.bias is float32\[3\], given float64\[\](.|\n)*Expected: (.|\n)*Fix: "
    )
    with pytest.raises(InvalidArgumentError, match=message):
        getattr(layer, load)(state)
    for name, value in values(layer).items():
        np.testing.assert_array_equal(value, before[name])


def test_a_scalar_parameter_does_not_take_the_first_of_several_values():
    layer = nn.Layer()
    layer.p = layer.create_parameter([])
    with pytest.raises(InvalidArgumentError, match=r"p is float32\[\], given .*\[3\]"):
        layer.set_state_dict({"p": np.array([1.0, 2.0, 3.0])})


# NLP#1182, P#55172: a wrong file loaded nothing and only warned.
def test_a_state_of_another_model_is_refused():
    with pytest.raises(InvalidArgumentError, match=r"6 missing: .*\| 1 unexpected: encoder\.w"):
        make().set_state_dict({"encoder.w": np.ones(3)})


def test_strict_loading_refuses_names_too_few_or_too_many():
    layer = make()
    state = {**values(layer), "extra": np.ones(1)}
    del state["0.bias"]
    with pytest.raises(InvalidArgumentError, match=r"1 missing: 0\.bias \| 1 unexpected: extra"):
        layer.load_state_dict(state)
    found = layer.load_state_dict(state, strict=False)
    assert found.missing_keys == ["0.bias"]
    assert found.unexpected_keys == ["extra"]


def test_what_is_no_state_is_refused():
    with pytest.raises(InvalidTypeError, match=r"`state_dict` is a int"):
        make().set_state_dict(3)
    with pytest.raises(InvalidTypeError, match=r"saved value '0\.bias' is a"):
        make().set_state_dict({"0.bias": object()})


def test_a_long_list_of_names_is_cut():
    state = {f"x{i}": np.ones(1) for i in range(15)}
    with pytest.raises(InvalidArgumentError, match=r"15 unexpected: x0, .*x9, \.\.\. \(5 more\)"):
        make().load_state_dict(state)


def test_hooks_may_change_the_state():
    layer = nn.Linear(1, 1)
    handle = layer.register_state_dict_hook(
        lambda state: {name: t for name, t in state.items() if name != "bias"}
    )
    assert list(layer.state_dict()) == ["weight"]
    assert list(layer.state_dict(use_hook=False)) == ["weight", "bias"]
    handle.remove()
    assert list(layer.state_dict()) == ["weight", "bias"]
