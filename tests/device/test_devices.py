from __future__ import annotations

import pytest

import proa
from proa import device
from proa.core import UnknownNameError, UnsupportedError


def test_the_host_alone():
    assert device.get_available_device() == device.get_all_device_type() == []
    assert device.get_available_custom_device() == device.get_all_custom_device_type() == []
    assert (device.device_count(), device.is_available()) == (0, False)
    assert device.get_cudnn_version() is None
    assert (device.get_device(), device.get_device(proa.ones([1]))) == ("cpu", -1)
    assert device.is_bf16_supported()
    assert not device.is_bf16_supported(including_emulation=False)


@pytest.mark.parametrize(
    ("name", "answer"),
    [("cuda", False), ("rocm", False), ("xpu", False), ("ipu", False), ("cinn", False)],
)
def test_what_it_is_compiled_with(name, answer):
    assert getattr(device, f"is_compiled_with_{name}")() is answer
    assert getattr(proa, f"is_compiled_with_{name}")() is answer


def test_distribution_is_always_there_and_custom_devices_are_not():
    assert device.is_compiled_with_distribute()
    assert not device.is_compiled_with_custom_device("npu")


def test_with_gpus(gpus):
    assert device.get_available_device() == ["gpu:0", "gpu:1"]
    assert device.get_all_device_type() == ["gpu"]
    assert (device.device_count(), device.is_compiled_with_cuda()) == (2, True)
    assert not device.is_compiled_with_rocm()
    properties = device.get_device_properties("gpu:1")
    assert (properties.name, properties.major, properties.minor) == ("Imaginary", 9, 0)
    assert (properties.total_memory, properties.multi_processor_count) == (5000, 132)
    assert device.get_device_name() == "Imaginary"
    assert device.get_device_capability(1) == (9, 0)


def test_other_kinds_are_custom_devices(gpus):
    for found in gpus:
        found.platform = "tpu"
    assert device.get_available_custom_device() == ["tpu:0", "tpu:1"]
    assert device.is_compiled_with_custom_device("tpu")


def test_the_host_has_no_properties():
    with pytest.raises(UnsupportedError, match="`get_device_properties` of the host"):
        device.get_device_properties()


def test_a_device_that_is_not_there(gpus):
    with pytest.raises(UnknownNameError, match="device number 7"):
        device.get_device_name("gpu:7")
