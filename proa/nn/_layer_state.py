"""Reading and writing the values of all parameters and buffers at once."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from proa.core import InvalidArgumentError, InvalidTypeError, Tensor
from proa.core._dispatch import describe_array

from ._layer_hooks import HookRemoveHelper, _callable, _register
from ._layer_members import Members

# Paddle's files carry this entry: a table from structured names to parameter names.
_NAME_TABLE = "StructuredToParameterName@@"


class IncompatibleKeys(NamedTuple):
    """What `load_state_dict(strict=False)` did not match."""

    missing_keys: list[str]
    unexpected_keys: list[str]


class StateDict(Members):
    """The part of Layer that reads and writes its state."""

    def _collect(
        self, destination: Any, down: bool, prefix: str, all_buffers: bool, use_hook: bool
    ) -> Any:
        for name, parameter in self._parameters.items():
            if parameter is not None:
                destination[prefix + name] = parameter
        hidden = () if all_buffers else self._non_persistable_buffer_names_set
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in hidden:
                destination[prefix + name] = buffer
        if down:
            for name, layer in self._sub_layers.items():
                if layer is not None:
                    layer._collect(destination, True, f"{prefix}{name}.", all_buffers, use_hook)
        if use_hook:
            for hook in list(self._state_dict_hooks.values()):
                result = hook(destination)
                destination = destination if result is None else result
        return destination

    def state_dict(
        self,
        destination: Any = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
        use_hook: bool = True,
        keep_vars: bool = True,
    ) -> OrderedDict[str, Tensor]:
        """Returns the parameters and persistable buffers by their dotted names.

        Args:
            destination: a dictionary to add to; a new one when it is `None`.
            include_sublayers: goes down the tree.
            structured_name_prefix: put in front of the names.
            use_hook: runs the hooks of `register_state_dict_hook`.
            keep_vars: `False` gives detached tensors that share their values.

        Returns:
            The tensors themselves (no copies), in order of registration.
        """
        start = OrderedDict() if destination is None else destination
        found = self._collect(start, include_sublayers, structured_name_prefix, False, use_hook)
        if keep_vars:
            return found
        return OrderedDict((name, tensor.detach()) for name, tensor in found.items())

    def to_static_state_dict(
        self,
        destination: Any = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
        use_hook: bool = True,
        keep_vars: bool = True,
    ) -> OrderedDict[str, Tensor]:
        """Returns what `state_dict` does, and the buffers that are not persistable."""
        start = OrderedDict() if destination is None else destination
        return self._collect(start, include_sublayers, structured_name_prefix, True, use_hook)

    def register_state_dict_hook(self, hook: Any) -> HookRemoveHelper:
        """Registers `hook(state)`, which `state_dict` runs; it may change or replace the state.

        Returns:
            A handle; its `remove()` takes the hook away.

        Raises:
            InvalidTypeError: `hook` cannot be called.
        """
        return _register(self._state_dict_hooks, _callable(hook), False)

    def set_state_dict(
        self, state_dict: Mapping[str, Any], use_structured_name: bool = True
    ) -> tuple[list[str], list[str]]:
        """Overwrites parameters and persistable buffers with saved values, in place.

        Either all matching values are written, or none. A value is cast to the dtype of the
        tensor it is written to. What does not match is returned, and summed up in one warning.

        Args:
            state_dict: values (Tensors or arrays) by name.
            use_structured_name: the names are dotted ones as in `state_dict()`; `False` for
                the tensors' own names, such as `linear_0.w_0`.

        Returns:
            The names that lack a value, and the names that belong to nothing.

        Raises:
            InvalidTypeError: `state_dict` is no mapping.
            InvalidArgumentError: a value has another shape than its tensor, even if it could be
                broadcast; or no name matches at all.

        Differs: Paddle 3.3.1 skips values of another shape and takes over the value's dtype.
        """
        own, matched, missing, unexpected, wrong = self._match(state_dict, use_structured_name)
        if wrong:
            raise _mismatch(type(self).__name__, [], [], wrong)
        if own and unexpected and not matched:
            raise _mismatch(type(self).__name__, missing, unexpected, [])
        _write(matched)
        if missing or unexpected:
            summary = _summary(missing, unexpected, [])
            warnings.warn(f"set_state_dict on {type(self).__name__}: {summary}", stacklevel=2)
        return missing, unexpected

    set_dict = set_state_dict
    load_dict = set_state_dict

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Overwrites the state as `set_state_dict` does; by default all names must match.

        Args:
            state_dict: values (Tensors or arrays) by dotted name.
            strict: refuses a state that lacks names or has names too many.
            assign: kept for the signature; values are always written in place.

        Returns:
            The names that did not match.

        Raises:
            InvalidTypeError: `state_dict` is no mapping.
            InvalidArgumentError: shapes differ, or names do and `strict` is set.
        """
        _, matched, missing, unexpected, wrong = self._match(state_dict, True)
        if wrong or (strict and (missing or unexpected)):
            raise _mismatch(
                type(self).__name__, missing if strict else [], unexpected if strict else [], wrong
            )
        _write(matched)
        return IncompatibleKeys(missing, unexpected)

    def _match(self, state_dict: Any, structured: bool) -> tuple[Any, ...]:
        if not isinstance(state_dict, Mapping):
            raise InvalidTypeError(
                f"`state_dict` is a {type(state_dict).__name__}",
                expected="a dictionary from names to values",
                fix="pass what state_dict() or proa.load(path) returned",
            )
        given = {name: value for name, value in state_dict.items() if name != _NAME_TABLE}
        own = self.state_dict(use_hook=False)
        if not structured:
            own = {tensor.name: tensor for tensor in own.values()}
        matched, missing, wrong = [], [], []
        for name, tensor in own.items():
            if name not in given:
                missing.append(name)
                continue
            value = _as_value(name, given[name])
            if tuple(value.shape) != tuple(tensor._data.shape):
                wrong.append((name, describe_array(tensor._data), describe_array(value)))
            else:
                matched.append((tensor, given[name] if isinstance(value, np.ndarray) else value))
        unexpected = [name for name in given if name not in own]
        return own, matched, missing, unexpected, wrong


def _as_value(name: str, value: Any) -> Any:
    """Returns an array (device or host) for a saved value."""
    if isinstance(value, Tensor):
        return value._data
    if not hasattr(value, "shape") or not hasattr(value, "dtype"):
        try:
            value = np.asarray(value)
        except ValueError:
            value = np.asarray(None)
    if value.dtype == object:
        raise InvalidTypeError(
            f"the saved value {name!r} is a {type(value).__name__} that holds no numbers",
            expected="a Tensor or an array",
            fix="pass what state_dict() or proa.load(path) returned",
        )
    return value


def _write(matched: list[tuple[Any, Any]]) -> None:
    for tensor, value in matched:
        tensor.set_value(value if isinstance(value, Tensor) else np.asarray(value))


def _some(names: list[str]) -> str:
    return ", ".join(names[:10]) + (f", ... ({len(names) - 10} more)" if len(names) > 10 else "")


def _summary(missing: list[str], unexpected: list[str], wrong: list[tuple[str, ...]]) -> str:
    parts = []
    if missing:
        parts.append(f"{len(missing)} missing: {_some(missing)}")
    if unexpected:
        parts.append(f"{len(unexpected)} unexpected: {_some(unexpected)}")
    if wrong:
        listed = "; ".join(f"{name} is {own}, given {given}" for name, own, given in wrong)
        parts.append(f"{len(wrong)} of another shape: {listed}")
    return " | ".join(parts)


def _mismatch(
    owner: str, missing: list[str], unexpected: list[str], wrong: list[tuple[str, ...]]
) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"the state does not fit {owner}: {_summary(missing, unexpected, wrong)}",
        expected="a state of this architecture: the same names and shapes",
        fix="build the layer with the sizes it was saved with, or leave out what does not fit "
        "and use load_state_dict(..., strict=False)",
    )
