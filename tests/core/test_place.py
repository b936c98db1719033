from __future__ import annotations

import pytest

import proa
from proa import core
from proa.core import InvalidArgumentError, UnknownNameError


@pytest.mark.parametrize(
    ("value", "text"),
    [("cpu", "Place(cpu)"), ("gpu:1", "Place(gpu:1)"), (core.CUDAPlace(2), "Place(gpu:2)")],
)
def test_places_are_read_from_names(value, text):
    assert repr(core.as_place(value)) == text


@pytest.mark.parametrize("bad", ["gpu:x", "abacus", 3])
def test_what_is_no_place_is_refused(bad):
    with pytest.raises(InvalidArgumentError, match="is not a place"):
        core.as_place(bad)


def test_an_absent_device_is_refused_and_the_current_one_stays():
    if any(name.startswith("gpu") for name in core.available_devices()):
        pytest.skip("this machine has a GPU")
    with pytest.raises(UnknownNameError, match=r"device 'Place\(gpu:0\)' was asked for"):
        core.set_device("gpu:0")
    assert core.get_device() == "cpu"
    assert core.set_device("cpu") == core.CPUPlace()


def test_a_tensor_knows_its_place():
    assert core.place_of(core.to_tensor([1.0])._data) == core.CPUPlace()


def test_the_device_of_a_tensor_is_a_number():
    assert proa.get_device(proa.ones([1])) == -1
    assert proa.device.get_device(proa.ones([1])) == -1


def test_the_device_of_what_is_no_tensor():
    with pytest.raises(TypeError, match="`input` of `get_device` is 'x'"):
        proa.get_device("x")
