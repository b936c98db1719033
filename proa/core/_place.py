"""Places: where tensors lie, under Paddle's names, over JAX's devices."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from ._errors import InvalidArgumentError, InvalidTypeError, UnknownNameError

try:
    from jaxlib import _jax  # type: ignore[attr-defined]
except ImportError:
    _jax = None

# Paddle says gpu for what JAX calls cuda or rocm.
_PLATFORMS = {"cpu": "cpu", "gpu": "gpu", "cuda": "gpu", "tpu": "tpu", "rocm": "rocm"}


class Place:
    """A device, by kind and number: prints as `Place(cpu)`, `Place(gpu:0)`."""

    __slots__ = ("index", "kind")

    def __init__(self, kind: str = "cpu", index: int = 0) -> None:
        self.kind, self.index = kind, index

    def __repr__(self) -> str:
        return f"Place({self.kind})" if self.kind == "cpu" else f"Place({self.kind}:{self.index})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and (self.kind, self.index) == (other.kind, other.index)

    def __hash__(self) -> int:
        return hash((self.kind, self.index))

    def is_cpu_place(self) -> bool:
        """Whether this is a CPU."""
        return self.kind == "cpu"

    def is_gpu_place(self) -> bool:
        """Whether this is a GPU."""
        return self.kind == "gpu"

    def get_device_id(self) -> int:
        """Returns the device's number among those of its kind."""
        return self.index

    @property
    def device(self) -> Any:
        """The JAX device.

        Raises:
            UnknownNameError: this machine has no such device.
        """
        try:
            found = jax.devices(_PLATFORMS.get(self.kind, self.kind))
        except RuntimeError as error:
            raise UnknownNameError(
                f"device {str(self)!r} was asked for",
                expected="one of " + ", ".join(available_devices()),
                fix="use set_device('cpu'), or install the JAX plug-in for the device",
            ) from error
        if self.index >= len(found):
            raise UnknownNameError(
                f"device number {self.index} of kind {self.kind!r} was asked for",
                expected=f"a number below {len(found)}",
                fix="choose one of " + ", ".join(available_devices()),
            )
        return found[self.index]


class CPUPlace(Place):
    """The host."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("cpu", 0)


class CUDAPlace(Place):
    """A GPU by number."""

    __slots__ = ()

    def __init__(self, index: int = 0) -> None:
        super().__init__("gpu", index)


class CUDAPinnedPlace(Place):
    """Host memory that a GPU can reach; on JAX it is the host."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("cpu", 0)


def available_devices() -> list[str]:
    """Returns the names that `set_device` takes on this machine."""
    names = ["cpu"]
    for device in jax.devices():
        if device.platform != "cpu":
            names.append(f"{device.platform}:{device.id}")
    return names


def as_place(value: Any) -> Place:
    """Reads a place from a Place, a name (`"gpu:1"`) or `None` (the current device).

    Raises:
        InvalidArgumentError: not a place.
    """
    if value is None:
        return _current[0]
    if isinstance(value, Place):
        return value
    if isinstance(value, str):
        kind, _, number = value.lower().partition(":")
        if kind in _PLATFORMS and (number == "" or number.isdigit()):
            return Place("gpu" if kind == "cuda" else kind, int(number or 0))
    raise InvalidArgumentError(
        f"{value!r} is not a place",
        expected="'cpu', 'gpu', 'gpu:<number>', or a Place",
        fix="see proa.device.get_available_device()",
    )


_current = [Place("cpu", 0)]


def set_device(device: Any) -> Place:
    """Makes a device the one where new tensors are made.

    Args:
        device: a name (`"cpu"`, `"gpu:0"`) or a Place.

    Returns:
        The place.

    Raises:
        UnknownNameError: this machine has no such device; the current one stays.
    """
    place = as_place(device)
    jax.config.update("jax_default_device", place.device)
    _current[0] = place
    return place


def get_device(input: Any = None) -> str | int:
    """Returns the name of the current device, or the number of the one that a tensor lies on.

    Args:
        input: a Tensor; `None` asks for the current device.

    Returns:
        A name such as `"cpu"` or `"gpu:0"`; for a tensor its number, -1 on the CPU.

    Raises:
        InvalidTypeError: no Tensor.
    """
    if input is not None:
        if not hasattr(input, "_data"):
            raise InvalidTypeError(
                f"`input` of `get_device` is {input!r}"[:200],
                expected="a Tensor, or None for the current device",
                fix="leave it out to ask for the current device",
            )
        place = place_of(input._data)
        return -1 if place.kind == "cpu" else place.index
    place = _current[0]
    return place.kind if place.kind == "cpu" else f"{place.kind}:{place.index}"


def put(array: Any, place: Any = None) -> Any:
    """Moves a host or device array to a place (uncommitted when it is the current one)."""
    if place is None:
        return _put_here(array)
    wanted = as_place(place)
    if wanted == _current[0]:
        return jax.device_put(array)
    return jax.device_put(array, wanted.device)


def _put_here(array: Any) -> Any:
    """`jax.device_put` of plain NumPy arrays in a tenth of its 28 us, most of which is Python.

    It calls what `device_put` ends in. Where a jaxlib has no such function, or another one, that
    says so at the first array, `device_put` itself is called.
    """
    if array.__class__ is not np.ndarray or _quick_put[0] is None:
        return jax.device_put(array)
    dtype = array.dtype
    if dtype.kind not in "biufc" or not dtype.isnative or not array.flags.c_contiguous:
        return jax.device_put(array)
    default = jax.config.jax_default_device  # type: ignore[attr-defined]
    key = (array.shape, dtype, default)
    target = _targets.get(key)
    if target is None:
        if len(_targets) >= _MAX_TARGETS:
            _targets.clear()
        made = jax.device_put(array)
        # While JAX traces, what is put is a tracer.
        if not isinstance(made, Tracer) and made.dtype == dtype and len(made.devices()) == 1:
            _targets[key] = (made.aval, made.sharding, list(made.devices()))
        return made
    aval, sharding, devices = target
    try:
        return _quick_put[0](aval, sharding, [array], devices, False)
    except (TypeError, AttributeError):
        _quick_put[0] = None
        return jax.device_put(array)


#: The function of jaxlib that puts host arrays on devices; `None` where there is none.
_quick_put: list[Any] = [getattr(_jax, "batched_device_put", None)]
#: Per shape, dtype and default device: what that function is told.
_targets: dict[Any, Any] = {}
_MAX_TARGETS = 1024


def put_like(array: Any, like: Any) -> Any:
    """Moves an array to where another one lies, split over devices in the same way.

    It is uncommitted if the other one is: jitted functions are compiled anew for arrays that
    differ in that alone.
    """
    return jax.device_put(array, like.sharding if like.committed else None)


def place_of(array: Any) -> Place:
    """Returns the place of an array; for a sharded one, of its first shard."""
    if not isinstance(array, jax.Array):
        return _current[0]
    device = next(iter(array.devices()))
    kind = device.platform
    return Place(kind, 0 if kind == "cpu" else device.id)
