"""The library of kernels in this process: loaded when a compilation first asks for it."""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path
from typing import Any

import jax

from proa.core import define_flag, get_flags

from ._build import BuildError, build

#: Handlers of the library; XLA knows them by the same names.
TARGETS = (
    "proa_convolution",
    "proa_convolution_input_gradient",
    "proa_convolution_weight_gradient",
    "proa_depthwise",
    "proa_depthwise_input_gradient",
    "proa_depthwise_weight_gradient",
    "proa_fused_convolution",
    "proa_lstm",
)
define_flag("FLAGS_native_kernels", True)


def _folder() -> Path:
    """Beside the compile cache; in the default place where that is switched off."""
    held = get_flags("FLAGS_compile_cache_dir")["FLAGS_compile_cache_dir"]
    return Path(held or "~/.cache/proa/xla").expanduser().parent / "native"


@functools.cache
def _load() -> tuple[bool, str]:
    """Whether the kernels are there, and where they are or why they are not."""
    try:
        path = build(_folder())
        library: Any = ctypes.CDLL(str(path))
        for name in TARGETS:
            handler = jax.ffi.pycapsule(getattr(library, name))
            jax.ffi.register_ffi_target(name, handler, platform="cpu")
    except (BuildError, OSError, AttributeError) as error:
        return False, str(error)
    return True, str(path)


def has_kernels() -> bool:
    """Whether compiled code may call the kernels; builds and loads them at the first question."""
    return bool(get_flags("FLAGS_native_kernels")["FLAGS_native_kernels"]) and _load()[0]


def describe_kernels() -> str:
    """Says where the kernels are, or why XLA's own code is used instead."""
    if not get_flags("FLAGS_native_kernels")["FLAGS_native_kernels"]:
        return "switched off (FLAGS_native_kernels)"
    there, text = _load()
    return text if there else f"XLA's own code instead: {text}"
