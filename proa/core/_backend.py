"""The one place where JAX is configured, before any other module touches it."""

from __future__ import annotations

import os
import warnings

import jax

from ._compile_cache import default_folder, trim_at_exit, usable_folder, warn_of_failures_once
from ._flags import define_flag, get_flags

define_flag("FLAGS_compile_cache_dir", default_folder())
define_flag("FLAGS_compile_cache", True)
define_flag("FLAGS_compile_cache_max_mb", 2048)
define_flag("FLAGS_num_cpu_devices", 0)


def configure() -> None:
    """Sets 64-bit integers, the on-disk compile cache and the simulated devices."""
    flags = get_flags()
    # No op means to drop imaginary parts by the way: dispatch makes the error readable.
    warnings.filterwarnings("error", "Casting from complex to real", DeprecationWarning)
    # Paddle's default integers are 64-bit; without this JAX would cut ids and hashes to 32 bits.
    jax.config.update("jax_enable_x64", True)
    if flags["FLAGS_num_cpu_devices"] > 0:
        jax.config.update("jax_num_cpu_devices", flags["FLAGS_num_cpu_devices"])
    folder = flags["FLAGS_compile_cache_dir"]
    is_ours = flags["FLAGS_compile_cache"] and not os.environ.get("JAX_COMPILATION_CACHE_DIR")
    if is_ours and folder and usable_folder(folder):
        jax.config.update("jax_compilation_cache_dir", folder)
        # An eager op compiles in 25-60 ms and loads from disk in 6 ms, so everything is kept.
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
        warn_of_failures_once()
        trim_at_exit(folder, flags["FLAGS_compile_cache_max_mb"] * 2**20)


configure()
