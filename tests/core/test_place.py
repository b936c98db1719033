from __future__ import annotations

import jax
import numpy as np
import pytest

import proa
from proa import core
from proa.core import InvalidArgumentError, UnknownNameError, _place
from proa.core._place import put


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


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=np.float32).reshape(2, 3),
        np.array(7, dtype=np.int64),
        np.zeros((0, 3), dtype=np.bool_),
        np.ones((2, 3), dtype=np.complex64).T,
    ],
)
def test_a_host_array_lies_as_device_put_would_lay_it(array):
    wanted = jax.device_put(array)
    for _ in range(2):
        made = put(array)
        assert (made.dtype, made.weak_type) == (wanted.dtype, wanted.weak_type)
        assert (made.sharding, made.committed) == (wanted.sharding, wanted.committed)
        np.testing.assert_array_equal(made, wanted)


def _other(*arguments):
    raise TypeError("another signature")


@pytest.mark.parametrize("function", [None, _other])
def test_another_jaxlib_is_served_by_device_put(monkeypatch, function):
    monkeypatch.setattr(_place, "_quick_put", [function])
    for _ in range(2):
        np.testing.assert_array_equal(put(np.ones([2, 5], np.float32)), np.ones([2, 5]))
    assert _place._quick_put[0] is None


def test_a_host_array_is_put_while_jax_traces():
    array = np.arange(11, dtype=np.float32)

    def twice(x):
        return x + put(array) + put(array)

    for _ in range(2):
        np.testing.assert_array_equal(jax.jit(twice)(array), 3 * array)
        put(array)
