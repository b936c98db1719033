"""The default device, under the names of `paddle.device.default_backend`."""

from proa.device._devices import get_device_properties as get_device_properties
