"""The folders that a native extension is built against: XLA's, which comes with jaxlib."""

from __future__ import annotations

from pathlib import Path

import jax
import jaxlib


def get_include() -> str:
    """Returns the folder of XLA's C headers (`xla/ffi/api/ffi.h`), for custom calls.

    Examples:
        >>> import proa, os
        >>> os.path.isdir(os.path.join(proa.sysconfig.get_include(), "xla", "ffi", "api"))
        True
    """
    return jax.ffi.include_dir()


def get_lib() -> str:
    """Returns the folder of the shared libraries that XLA comes in.

    Examples:
        >>> import proa, os
        >>> any(".so" in name or ".dll" in name for name in os.listdir(proa.sysconfig.get_lib()))
        True
    """
    return str(Path(str(jaxlib.__file__)).parent)
