"""Kunlun chips, under the names of `paddle.device.xpu`: JAX has no plug-in, so there are none."""

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

from ._chips import device_count as device_count
from ._chips import memory_total as memory_total
from ._chips import memory_used as memory_used
from ._chips import set_debug_level as set_debug_level
