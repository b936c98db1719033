"""GPUs, under the names of `paddle.device.cuda`."""

from proa.device._devices import get_device_capability as get_device_capability
from proa.device._devices import get_device_name as get_device_name
from proa.device._devices import get_device_properties as get_device_properties
from proa.device._memory import empty_cache as empty_cache
from proa.device._memory import max_memory_allocated as max_memory_allocated
from proa.device._memory import max_memory_reserved as max_memory_reserved
from proa.device._memory import memory_allocated as memory_allocated
from proa.device._memory import memory_reserved as memory_reserved
from proa.device._memory import memory_summary as memory_summary
from proa.device._memory import reset_max_memory_allocated as reset_max_memory_allocated
from proa.device._memory import reset_max_memory_reserved as reset_max_memory_reserved
from proa.device._memory import synchronize as synchronize
from proa.device._memory import vmm_compact as vmm_compact
from proa.device._random import get_rng_state as get_rng_state
from proa.device._random import manual_seed as manual_seed
from proa.device._random import set_rng_state as set_rng_state
from proa.device._stream import Event as Event
from proa.device._stream import Stream as Stream
from proa.device._stream import current_stream as current_stream
from proa.device._stream import stream_guard as stream_guard

from ._count import device_count as device_count
