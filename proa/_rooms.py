"""Rooms that are loaded when they are first used: `import proa` itself loads core and ops.

That keeps the import near that of JAX; a script that trains a model pays for the rooms it uses.
"""

from __future__ import annotations

import difflib
import sys
from importlib import import_module
from typing import Any

from proa.core import MissingAttributeError

ROOMS = (
    "amp",
    "audio",
    "autograd",
    "base",
    "callbacks",
    "compat",
    "cost_model",
    "cuda",
    "device",
    "distributed",
    "distribution",
    "fft",
    "fluid",
    "functional",
    "geometric",
    "hub",
    "incubate",
    "inference",
    "io",
    "jit",
    "linalg",
    "metric",
    "nn",
    "onnx",
    "optimizer",
    "random",
    "regularizer",
    "signal",
    "sparse",
    "special",
    "static",
    "sysconfig",
    "text",
    "utils",
    "version",
    "vision",
)
#: Names of the top package that live in such a room.
NAMES = {
    "DataParallel": "distributed",
    "LazyGuard": "nn.initializer.lazy_init",
    "Model": "model",
    "ParamAttr": "nn",
    "autocast": "amp",
    "batch": "io",
    "create_parameter": "nn",
    "disable_compat": "compat",
    "disable_signal_handler": "utils",
    "disable_static": "static",
    "enable_compat": "compat",
    "enable_static": "static",
    "flops": "model",
    "XPUPinnedPlace": "device",
    "get_autocast_cpu_dtype": "amp",
    "get_autocast_dtype": "amp",
    "get_autocast_gpu_dtype": "amp",
    "get_cuda_rng_state": "device",
    "get_cudnn_version": "device",
    "is_autocast_enabled": "amp",
    "is_compiled_with_cinn": "device",
    "is_compiled_with_cuda": "device",
    "is_compiled_with_custom_device": "device",
    "is_compiled_with_distribute": "device",
    "is_compiled_with_ipu": "device",
    "is_compiled_with_rocm": "device",
    "is_compiled_with_xpu": "device",
    "load": "framework",
    "save": "framework",
    "set_cuda_rng_state": "device",
    "summary": "model",
}


def __getattr__(name: str) -> Any:
    """Loads the room that is asked for, or the room of the name that is asked for.

    Raises:
        MissingAttributeError: Proa has no such name.
    """
    package = sys.modules["proa"]
    if name in ROOMS:
        return import_module(f"proa.{name}")
    if name in NAMES:
        value = getattr(import_module(f"proa.{NAMES[name]}"), name)
        setattr(package, name, value)
        return value
    near = difflib.get_close_matches(name, __dir__(), n=3)
    raise MissingAttributeError(
        f"proa has no {name!r}",
        expected="a name of Proa" + (f", such as {', '.join(near)}" if near else ""),
        fix="check the spelling; dir(proa) lists all names",
    )


def __dir__() -> list[str]:
    """All names of the top package, loaded or not."""
    loaded = (name for name in vars(sys.modules["proa"]) if not name.startswith("_"))
    return sorted({*loaded, *ROOMS, *NAMES})
