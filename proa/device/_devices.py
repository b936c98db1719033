"""Which devices there are, and what they can do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax

from proa.core import (
    Place,
    Tensor,
    UnsupportedError,
    as_place,
    available_devices,
    place_of,
)
from proa.core import get_device as current_device


def devices_of(kind: str) -> list[Any]:
    """The JAX devices of a kind (`gpu`, `tpu`, `cpu`); none where there is no such backend."""
    try:
        return jax.devices(kind)
    except RuntimeError:
        return []


def accelerator(device: Any, what: str) -> Any:
    """The JAX device behind a name, number or Place; the current accelerator by default.

    Args:
        device: `None`, a number, a name such as `"gpu:1"`, or a Place.
        what: who asks, for the message.

    Raises:
        UnsupportedError: it is the host, which has none of this.
        UnknownNameError: there is no such device.
    """
    if isinstance(device, int) and not isinstance(device, bool):
        device = f"gpu:{device}"
    place = as_place(device)
    if device is None and place.is_cpu_place():
        others = [found for found in jax.devices() if found.platform != "cpu"]
        if others:
            return others[0]
    if place.is_cpu_place():
        raise UnsupportedError(
            f"`{what}` of the host",
            expected="an accelerator",
            fix="check device_count() first; this machine has " + ", ".join(available_devices()),
        )
    return place.device


def get_device(input: Tensor | None = None) -> Any:
    """Returns the current device's name; for a tensor its GPU's number, -1 on the host.

    Args:
        input: a tensor, or `None`.

    Examples:
        >>> import proa
        >>> proa.device.get_device()
        'cpu'
    """
    if input is None:
        return current_device()
    place = place_of(input._data)
    return -1 if place.is_cpu_place() else place.index


def get_available_device() -> list[str]:
    """Returns the names of the accelerators of this machine; the host is no part of it.

    Examples:
        >>> import proa
        >>> "cpu" in proa.device.get_available_device()
        False
    """
    return [name for name in available_devices() if name.partition(":")[0] != "cpu"]


def get_all_device_type() -> list[str]:
    """Returns the kinds of accelerators of this machine; the host is no part of it."""
    return list(dict.fromkeys(name.partition(":")[0] for name in get_available_device()))


def _custom_devices() -> list[str]:
    known = ("cpu", "gpu")
    return [name for name in available_devices() if name.partition(":")[0] not in known]


def get_available_custom_device() -> list[str]:
    """Returns the names of devices that are neither CPUs nor GPUs, such as `tpu:0`."""
    return _custom_devices()


def get_all_custom_device_type() -> list[str]:
    """Returns the kinds of devices that are neither CPUs nor GPUs."""
    return list(dict.fromkeys(name.partition(":")[0] for name in _custom_devices()))


def device_count() -> int:
    """Returns the number of accelerators; 0 on a machine without."""
    return sum(device.platform != "cpu" for device in jax.devices())


def is_available() -> bool:
    """Whether there is an accelerator."""
    return device_count() > 0


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether bfloat16 works: XLA has it everywhere.

    Args:
        including_emulation: `False` asks for a device that computes in it natively.
    """
    return including_emulation or is_available()


@dataclass(frozen=True)
class DeviceProperties:
    """What is known about an accelerator.

    Args:
        name: its name.
        major: first part of its compute capability; 0 where it has none.
        minor: second part.
        total_memory: bytes of its memory that programs may use; 0 where unknown.
        multi_processor_count: number of cores; 0 where unknown.
    """

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int


def get_device_properties(device: Any = None) -> DeviceProperties:
    """Returns what is known about an accelerator.

    Args:
        device: a number, a name such as `"gpu:1"`, a Place; the current one by default.

    Raises:
        UnsupportedError: the host.
    """
    found = accelerator(device, "get_device_properties")
    major, _, minor = str(getattr(found, "compute_capability", "0.0")).partition(".")
    stats = found.memory_stats() or {}
    return DeviceProperties(
        name=found.device_kind,
        major=int(major or 0),
        minor=int(minor or 0),
        total_memory=int(stats.get("bytes_limit", 0)),
        multi_processor_count=int(getattr(found, "core_count", None) or 0),
    )


def get_device_name(device: Any = None) -> str:
    """Returns an accelerator's name; see `get_device_properties`."""
    return get_device_properties(device).name


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """Returns an accelerator's compute capability; see `get_device_properties`."""
    found = get_device_properties(device)
    return found.major, found.minor


def get_cudnn_version() -> int | None:
    """Returns `None`: the libraries behind XLA are listed by `proa check`."""
    return None


def is_compiled_with_cuda() -> bool:
    """Whether there is a GPU that JAX can use."""
    return bool(devices_of("gpu"))


def is_compiled_with_rocm() -> bool:
    """Whether the GPUs are AMD's."""
    return any("rocm" in str(device.client.platform_version) for device in devices_of("gpu"))


def is_compiled_with_xpu() -> bool:
    """Whether there is a Kunlun chip: JAX has no plug-in for them."""
    return False


def is_compiled_with_ipu() -> bool:
    """Whether there is a Graphcore chip: JAX has no plug-in for them."""
    return False


def is_compiled_with_cinn() -> bool:
    """Whether Paddle's compiler is used: XLA is."""
    return False


def is_compiled_with_distribute() -> bool:
    """Whether several processes can work together: always."""
    return True


def is_compiled_with_custom_device(device_type: str) -> bool:
    """Whether there is a device of this kind.

    Args:
        device_type: a kind such as `"tpu"`.
    """
    return device_type in get_all_custom_device_type()


def place_name(place: Place) -> str:
    """The name that `set_device` takes for a place."""
    return place.kind if place.is_cpu_place() else f"{place.kind}:{place.index}"
