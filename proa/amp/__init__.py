"""Mixed precision: ops in bfloat16 or float16 where that is fast and safe."""

from . import debugging as debugging
from ._auto_cast import amp_guard as amp_guard
from ._auto_cast import auto_cast as auto_cast
from ._auto_cast import autocast as autocast
from ._auto_cast import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from ._auto_cast import get_autocast_dtype as get_autocast_dtype
from ._auto_cast import get_autocast_gpu_dtype as get_autocast_gpu_dtype
from ._auto_cast import is_autocast_enabled as is_autocast_enabled
from ._decorate import amp_decorate as amp_decorate
from ._decorate import decorate as decorate
from ._grad_scaler import GradScaler as GradScaler
from ._lists import black_list as black_list
from ._lists import white_list as white_list
from ._support import is_bfloat16_supported as is_bfloat16_supported
from ._support import is_float16_supported as is_float16_supported
