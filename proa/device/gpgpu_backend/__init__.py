"""GPUs and the like, under the names of `paddle.device.gpgpu_backend`."""

from proa.device._devices import get_device_properties as get_device_properties
