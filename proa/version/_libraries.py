"""What Proa's numbers run on: versions of the libraries that Paddle tells of."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import jax


def _gpus() -> list[Any]:
    try:
        return jax.devices("gpu")
    except RuntimeError:
        return []


def cuda() -> str:
    """Returns the version of CUDA that JAX runs on, such as `"12.9"`; `"False"` without a GPU.

    Examples:
        >>> import proa
        >>> proa.version.cuda() == "False" or proa.version.cuda_archs() != []
        True
    """
    for gpu in _gpus():
        # XLA writes 12.9.0 as 12090.
        found = re.search(r"cuda (\d+)", gpu.client.platform_version)
        if found:
            number = int(found[1])
            return f"{number // 1000}.{number % 1000 // 10}"
    return "False"


def cuda_archs() -> list[int]:
    """Returns the compute capabilities of the GPUs, 90 for 9.0; an empty list without any."""
    found = {str(getattr(gpu, "compute_capability", "")).replace(".", "") for gpu in _gpus()}
    return sorted(int(each) for each in found if each.isdigit())


def _absent(name: str, answer: str, reason: str) -> Callable[[], str]:
    def tell() -> str:
        return answer

    tell.__name__ = tell.__qualname__ = name
    tell.__doc__ = f'Returns `"{answer}"`: {reason}.'
    return tell


_NO_XPU = "JAX has no plug-in for Kunlun chips"
cudnn = _absent("cudnn", "False", "the libraries behind XLA are listed by `proa check`")
nccl = _absent("nccl", "0", "the libraries behind XLA are listed by `proa check`")
tensorrt = _absent("tensorrt", "None", "XLA is the compiler")
xpu, xpu_xccl, xpu_xhpc, xpu_xre = (
    _absent(name, "False", _NO_XPU) for name in ("xpu", "xpu_xccl", "xpu_xhpc", "xpu_xre")
)
