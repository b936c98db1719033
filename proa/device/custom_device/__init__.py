"""Devices that are neither CPUs nor GPUs, under the names of `paddle.device.custom_device`."""

from proa.device._devices import get_device_properties as get_device_properties
from proa.device._memory import empty_cache as empty_cache
from proa.device._memory import max_memory_allocated as max_memory_allocated
from proa.device._memory import max_memory_reserved as max_memory_reserved
from proa.device._memory import memory_allocated as memory_allocated
from proa.device._memory import memory_reserved as memory_reserved
from proa.device._memory import reset_max_memory_allocated as reset_max_memory_allocated
from proa.device._memory import reset_max_memory_reserved as reset_max_memory_reserved
from proa.device._memory import synchronize as synchronize
from proa.device._stream import Event as Event
from proa.device._stream import Stream as Stream
from proa.device._stream import current_stream as current_stream

from ._count import device_count as device_count
