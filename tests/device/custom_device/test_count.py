from __future__ import annotations

from proa.device import custom_device, default_backend, get_device_properties, gpgpu_backend


def test_counts_by_kind(monkeypatch):
    names = "proa.device.custom_device._count.get_available_custom_device"
    monkeypatch.setattr(names, lambda: ["tpu:0", "tpu:1", "npu:0"])
    assert custom_device.device_count() == 3
    assert custom_device.device_count("tpu") == 2
    assert custom_device.device_count("dcu") == 0


def test_backends_ask_the_same_function():
    assert default_backend.get_device_properties is get_device_properties
    assert gpgpu_backend.get_device_properties is get_device_properties
