"""The state an optimizer keeps for a parameter: making, naming, saving and loading it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from proa.core._context import run_eagerly
from proa.core._errors import ArtifactError
from proa.core._place import put_like
from proa.core._tensor import Tensor, new_tensor

from ._rules import Slot
from ._update import compute_dtype

_MASTER = re.compile(r"_fp32_master_\d+(?=_)")
_MAX_NAMED = 5


class Entry:
    """One parameter in an optimizer, with the state of its rule.

    Attributes:
        param: the parameter.
        options: options of its group.
        group: number of its group.
        slots: the rule's state arrays, as declared.
        state: their Tensors, or `None` before the first step.
        master: float32 copy of a half-precision parameter, if one is kept.
    """

    __slots__ = ("attr", "group", "master", "options", "param", "slots", "state")

    def __init__(self, param: Tensor, options: dict[str, Any], group: int) -> None:
        self.param = param
        self.options = options
        self.group = group
        self.attr: dict[str, Any] = getattr(param, "optimize_attr", None) or {}
        self.slots: tuple[Slot, ...] = ()
        self.state: list[Tensor] | None = None
        self.master: Tensor | None = None

    def is_half(self) -> bool:
        """Whether the parameter is narrower than the arithmetic of its update."""
        dtype = self.param._data.dtype
        return compute_dtype(dtype) != dtype

    def start(self, slots: tuple[Slot, ...], *, keep_master: bool, narrow: bool) -> None:
        """Makes the state as it is before the first step.

        Args:
            slots: the rule's state arrays.
            keep_master: whether to keep a float32 copy of a half-precision parameter.
            narrow: whether the state has the parameter's dtype, however narrow.
        """
        data = self.param._data
        self.slots = slots
        wide = compute_dtype(data.dtype)
        self.state = []
        for slot in slots:
            dtype = data.dtype if narrow and slot.extent is None else wide
            dtype = jnp.int64 if slot.is_counter else dtype
            made = self._fill(slot.shape_for(tuple(data.shape)), slot.fill, dtype)
            made.name = self.key(slot)
            self.state.append(made)
        if keep_master and self.is_half():
            self.add_master()

    def add_master(self) -> None:
        """Keeps a float32 copy of the parameter from now on."""
        # Zeros: the first step sees that the parameter differs and takes it over.
        self.master = self._fill(tuple(self.param._data.shape), 0.0, jnp.float32)
        self.master.name = f"{self.param.name}_fp32_master_0"

    def _fill(self, shape: tuple[int, ...], value: float, dtype: Any) -> Tensor:
        data = self.param._data
        # State lies where its parameter lies, split over the devices in the same way.
        # A committed array beside an uncommitted one would have the first step compiled twice.
        is_placed = shape == tuple(data.shape) and getattr(data, "committed", False)
        with run_eagerly():
            made = new_tensor(
                jnp.full(shape, value, dtype, device=data.sharding if is_placed else None)
            )
        made.persistable = True
        return made

    def key(self, slot: Slot) -> str:
        """Returns the state dict's key of a state array."""
        return f"{self.param.name}_{slot.name}_0"

    def targets(self) -> list[Tensor]:
        """Returns what a step writes, in the order in which the update gives it."""
        masters = [] if self.master is None else [self.master]
        return [self.param, *masters, *(self.state or ())]


def save_state(entries: Sequence[Entry]) -> dict[str, Any]:
    """Returns the state of all parameters that have been updated, by Paddle's keys."""
    saved: dict[str, Any] = {}
    masters: dict[str, Tensor] = {}
    for entry in entries:
        for slot, tensor in zip(entry.slots, entry.state or (), strict=False):
            saved[entry.key(slot)] = tensor
        if entry.master is not None:
            masters[entry.param.name] = entry.master
    if masters:
        saved["master_weights"] = masters
    return saved


class Loader:
    """Checks a saved state against the parameters, then writes all of it or nothing."""

    def __init__(self, given: Mapping[str, Any], masters: Mapping[str, Any]) -> None:
        # Paddle names the state of a master weight after the master weight.
        self.given = {_MASTER.sub("", key): value for key, value in given.items()}
        self.masters = dict(masters)
        self.missing: list[str] = []
        self.mismatched: list[str] = []
        self.writes: list[tuple[Tensor, Any]] = []

    def has_any(self, entry: Entry, slots: Sequence[Slot]) -> bool:
        """Whether the saved state knows the parameter."""
        keys = [entry.key(slot) for slot in slots]
        return entry.param.name in self.masters or any(key in self.given for key in keys)

    def take(self, entry: Entry) -> None:
        """Matches the entries of one parameter, whose state exists."""
        for slot, tensor in zip(entry.slots, entry.state or (), strict=True):
            self._match(entry.key(slot), self.given, tensor)
        if entry.master is not None:
            self._match(entry.param.name, self.masters, entry.master)
        else:
            self.masters.pop(entry.param.name, None)

    def _match(self, key: str, source: dict[str, Any], tensor: Tensor) -> None:
        if key not in source:
            self.missing.append(key)
            return
        value = source.pop(key)
        array = value._data if isinstance(value, Tensor) else np.asarray(value)
        if tuple(array.shape) != tuple(tensor._data.shape):
            self.mismatched.append(f"{key} {list(array.shape)} for {tensor.shape}")
        self.writes.append((tensor, array))

    def finish(self, owner: str) -> None:
        """Writes the state.

        Raises:
            ArtifactError: entries are missing, unexpected or of another shape; nothing has
                been written then.
        """
        unexpected = [*self.given, *(f"master_weights[{name!r}]" for name in self.masters)]
        problems = [
            f"{len(found)} {what}: {', '.join(found[:_MAX_NAMED])}"
            + (", ..." if len(found) > _MAX_NAMED else "")
            for what, found in (
                ("missing", self.missing),
                ("unexpected", unexpected),
                ("of another shape", self.mismatched),
            )
            if found
        ]
        if problems:
            raise ArtifactError(
                f"the state does not fit this {owner}: {'; '.join(problems)}",
                expected="the state of the same optimizer for parameters of the same names",
                fix="build model and optimizer as when the state was saved; a name that "
                "counts up, as linear_0, depends on the layers made before",
            )
        with run_eagerly():
            for tensor, array in self.writes:
                # A buffer of its own: compiled steps give the old one back to the allocator.
                copied = jnp.array(array, tensor._data.dtype, copy=True)
                tensor._data = put_like(copied, tensor._data)
