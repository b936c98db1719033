"""Lists of places, and devices that JAX does not have."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from proa.core import (
    CPUPlace,
    CUDAPlace,
    InvalidArgumentError,
    UnsupportedError,
    available_devices,
)


def cpu_places(device_count: int | None = None) -> list[CPUPlace]:
    """Returns CPU places.

    Args:
        device_count (int, optional): how many; what the environment variable CPU_NUM says, or
            one, by default.

    Raises:
        InvalidArgumentError: CPU_NUM is no number.

    Examples:
        >>> import proa
        >>> len(proa.static.cpu_places(2))
        2
    """
    if device_count is None:
        told = os.environ.get("CPU_NUM") or "1"
        if not told.isdigit():
            raise InvalidArgumentError(
                f"the environment variable CPU_NUM is {told!r}",
                expected="a number of devices",
                fix="unset it, or pass device_count",
            )
        device_count = int(told)
    return [CPUPlace() for _ in range(device_count)]


def cuda_places(device_ids: Sequence[int] | int | None = None) -> list[CUDAPlace]:
    """Returns GPU places.

    Args:
        device_ids (list | tuple | int, optional): numbers of GPUs; all of them by default.

    Raises:
        UnsupportedError: there is no GPU.
    """
    gpus = [i for i, name in enumerate(n for n in available_devices() if n.startswith("gpu"))]
    if not gpus:
        raise _no_device("cuda_places", "GPU")
    if device_ids is None:
        device_ids = gpus
    return [CUDAPlace(i) for i in ([device_ids] if isinstance(device_ids, int) else device_ids)]


def xpu_places(device_ids: Any = None) -> NoReturn:
    """Refuses: JAX has no plug-in for XPUs.

    Args:
        device_ids (list, optional): numbers of XPUs.

    Raises:
        UnsupportedError: always.
    """
    raise _no_device("xpu_places", "XPU")


class IpuStrategy:
    """Refuses: JAX has no plug-in for IPUs.

    Raises:
        UnsupportedError: always.
    """

    def __init__(self) -> None:
        raise _no_device("IpuStrategy", "IPU")


class IpuCompiledProgram:
    """Refuses: JAX has no plug-in for IPUs.

    Args:
        program (Program, optional): a Program.
        scope (Scope, optional): a scope.
        ipu_strategy (IpuStrategy, optional): a strategy.

    Raises:
        UnsupportedError: always.
    """

    def __init__(self, program: Any = None, scope: Any = None, ipu_strategy: Any = None) -> None:
        raise _no_device("IpuCompiledProgram", "IPU")


def ipu_shard_guard(index: int = -1, stage: int = -1) -> NoReturn:
    """Refuses: JAX has no plug-in for IPUs.

    Args:
        index (int): number of an IPU.
        stage (int): stage of a pipeline.

    Raises:
        UnsupportedError: always.
    """
    raise _no_device("ipu_shard_guard", "IPU")


def set_ipu_shard(call_func: Callable[..., Any], index: int = -1, stage: int = -1) -> NoReturn:
    """Refuses: JAX has no plug-in for IPUs.

    Args:
        call_func (Layer | Callable): what is to run on an IPU.
        index (int): number of an IPU.
        stage (int): stage of a pipeline.

    Raises:
        UnsupportedError: always.
    """
    raise _no_device("set_ipu_shard", "IPU")


def _no_device(what: str, kind: str) -> UnsupportedError:
    return UnsupportedError(
        f"`{what}`: this machine has no {kind} that JAX knows",
        expected="a device of this machine: " + ", ".join(available_devices()),
        fix="use cpu_places(); for several devices, proa.distributed shards tensors over a mesh",
    )
