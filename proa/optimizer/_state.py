"""The state an optimizer keeps for a parameter: making, naming, saving and loading it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np

from proa.core._context import context, run_eagerly
from proa.core._errors import ArtifactError
from proa.core._place import put_like
from proa.core._tape import GradMode
from proa.core._tensor import Tensor, new_tensor
from proa.ops import expand, reshape

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

    def start(
        self,
        slots: tuple[Slot, ...],
        common: dict[Any, Tensor],
        *,
        keep_master: bool,
        narrow: bool,
    ) -> None:
        """Makes the state as it is before the first step.

        Args:
            slots: the rule's state arrays.
            common: shared state of parameters with the same rule that start now as well.
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
            made = common.get((slot, dtype))
            if made is None:
                made = self._fill(slot.shape_for(tuple(data.shape)), slot.fill, dtype)
                made.name = self.key(slot)
            if slot.is_shared:
                common[slot, dtype] = made
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

    def shared(self) -> list[Tensor]:
        """Returns the state arrays that other parameters may have as well."""
        pairs = zip(self.slots, self.state or (), strict=False)
        return [tensor for slot, tensor in pairs if slot.is_shared]

    def targets(self) -> list[Tensor]:
        """Returns what a step writes for this parameter alone, in the update's order."""
        masters = [] if self.master is None else [self.master]
        pairs = zip(self.slots, self.state or (), strict=False)
        return [self.param, *masters, *(tensor for slot, tensor in pairs if not slot.is_shared)]

    def replace(self, fresh: Mapping[int, Tensor]) -> None:
        """Takes other tensors in place of shared ones, by their ids."""
        self.state = [fresh.get(id(tensor), tensor) for tensor in self.state or ()]


@dataclass(frozen=True, slots=True)
class StateGuard:
    """Which state arrays parameters shared when a step was recorded."""

    version: int

    def keep(self, optimizer: Any, *_: Any) -> StateGuard:
        """Returns the guard itself: a recording depends on how it found the optimizer."""
        return self

    def holds(self, optimizer: Any) -> bool:
        """Whether parameters share what they shared."""
        return optimizer.guard() == self

    def why_not(self, optimizer: Any) -> str | None:
        """Says what has changed; `None` when nothing has."""
        return None if self.holds(optimizer) else "parameters were stepped or loaded apart"


def separate(entries: Sequence[Entry], active: Sequence[Entry]) -> bool:
    """Gives parameters that are to step without others the shared state anew, as a copy.

    Args:
        entries: all parameters.
        active: those that step.

    Returns:
        Whether that was needed.
    """
    chosen = {id(entry) for entry in active}
    outside = {id(t) for entry in entries if id(entry) not in chosen for t in entry.shared()}
    found = {id(t): t for entry in active for t in entry.shared() if id(t) in outside}
    fresh = {key: _copy(tensor) for key, tensor in found.items()}
    if fresh:
        for entry in active:
            entry.replace(fresh)
    return bool(fresh)


def _copy(tensor: Tensor) -> Tensor:
    """Returns a tensor with the same value, also in the middle of a recording."""
    recorder, data = context.recorder, tensor._data
    before = data if recorder is None else recorder.value_before(tensor)
    with run_eagerly():
        made = new_tensor(jnp.array(before, copy=True))
    made.name, made.persistable = tensor.name, True
    if recorder is not None and before is not data:
        recorder.note_write(made)
        made._data = data
    return made


def save_state(entries: Sequence[Entry]) -> dict[str, Any]:
    """Returns the state of all parameters that have been updated, by Paddle's keys."""
    saved: dict[str, Any] = {}
    masters: dict[str, Tensor] = {}
    for entry in entries:
        for slot, tensor in zip(entry.slots, entry.state or (), strict=False):
            saved[entry.key(slot)] = _spread(tensor, entry) if slot.is_spread else tensor
        if entry.master is not None:
            masters[entry.param.name] = entry.master
    if masters:
        saved["master_weights"] = masters
    return saved


def _spread(tensor: Tensor, entry: Entry) -> Tensor:
    """Returns a number of the rule in the parameter's shape."""
    with GradMode(False):
        made = expand(reshape(tensor, []), list(entry.param._data.shape))
    made.name, made.persistable = tensor.name, True
    return made


class Loader:
    """Checks a saved state against the parameters, then writes all of it or nothing."""

    def __init__(self, given: Mapping[str, Any], masters: Mapping[str, Any]) -> None:
        # Paddle names the state of a master weight after the master weight.
        self.given = {_MASTER.sub("", key): value for key, value in given.items()}
        self.masters = dict(masters)
        self.missing: list[str] = []
        self.mismatched: list[str] = []
        self.writes: list[tuple[Tensor, Any]] = []
        #: Per shared tensor, the parameters that have it, by the value they were given.
        self.shared: dict[int, dict[bytes, list[tuple[Entry, Tensor, Any]]]] = {}

    def has_any(self, entry: Entry, slots: Sequence[Slot]) -> bool:
        """Whether the saved state knows the parameter."""
        keys = [entry.key(slot) for slot in slots]
        return entry.param.name in self.masters or any(key in self.given for key in keys)

    def take(self, entry: Entry) -> None:
        """Matches the entries of one parameter, whose state exists."""
        for slot, tensor in zip(entry.slots, entry.state or (), strict=True):
            if slot.is_spread:
                self._gather(entry, slot)
            array = self._match(entry.key(slot), self.given, tensor)
            if array is not None and slot.is_shared:
                values = self.shared.setdefault(id(tensor), {})
                told = np.asarray(array, tensor._data.dtype).tobytes()
                values.setdefault(told, []).append((entry, tensor, array))
            elif array is not None:
                self.writes.append((tensor, array))
        if entry.master is not None:
            array = self._match(entry.param.name, self.masters, entry.master)
            self.writes.append((entry.master, array))
        else:
            self.masters.pop(entry.param.name, None)

    def _gather(self, entry: Entry, slot: Slot) -> None:
        """Makes a number again of a value that was written in the parameter's shape."""
        key, shape = entry.key(slot), tuple(entry.param._data.shape)
        value = self.given.get(key)
        if value is not None and tuple(value.shape) == shape and value.size:
            array = value._data if isinstance(value, Tensor) else np.asarray(value)
            self.given[key] = array.reshape(-1)[:1]

    def _match(self, key: str, source: dict[str, Any], tensor: Tensor) -> Any:
        if key not in source:
            self.missing.append(key)
            return None
        value = source.pop(key)
        array = value._data if isinstance(value, Tensor) else np.asarray(value)
        if tuple(array.shape) != tuple(tensor._data.shape):
            self.mismatched.append(f"{key} {list(array.shape)} for {tensor.shape}")
        return array

    def finish(self, owner: str) -> bool:
        """Writes the state.

        Returns:
            Whether parameters that shared state no longer do, since it differs.

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
        has_parted = self._part()
        with run_eagerly():
            for tensor, array in self.writes:
                # A buffer of its own: compiled steps give the old one back to the allocator.
                copied = jnp.array(array, tensor._data.dtype, copy=True)
                tensor._data = put_like(copied, tensor._data)
        return has_parted

    def _part(self) -> bool:
        """Gives parameters with other values than those they share state with their own."""
        has_parted = False
        for values in self.shared.values():
            for number, sharers in enumerate(values.values()):
                _, tensor, array = sharers[0]
                if number:
                    has_parted = True
                    fresh = {id(tensor): _copy(tensor)}
                    for entry, *_ in sharers:
                        entry.replace(fresh)
                    tensor = fresh[id(tensor)]
                self.writes.append((tensor, array))
        return has_parted
