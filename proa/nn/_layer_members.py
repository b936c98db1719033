"""The members of a layer: parameters, buffers and sub-layers behind plain attributes."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from proa.core import (
    InvalidTypeError,
    MissingAttributeError,
    Parameter,
    PreconditionError,
    Tensor,
    UnknownNameError,
    as_dtype,
    attributes_methods_read,
    bump_mode_epoch,
    default_dtype,
    is_plain,
    is_same,
    new_tensor,
    put,
)
from proa.utils import unique_name

from ._param_attr import as_param_attr
from ._parameter import make_parameter
from .initializer import Initializer

_WORD_STARTS = re.compile(r"(?<=.)(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])")
# Attributes of each layer's own bookkeeping; `training` has a place of its own in guards.
_OWN = frozenset({"training", "_full_name", "_dtype"})
_KINDS = {"_parameters": "Parameter", "_buffers": "Tensor", "_sub_layers": "Layer"}


@dataclass(frozen=True)
class LayerGuard:
    """The Python state of a layer at one time.

    Args:
        fixed: mode, hooks, parameters and sub-layers.
        saved: buffers of the state dict, by name.
        loose: tensors that were assigned to plain attributes. Many models leave results of
            `forward` there, so these count only where a recording has read them.
        plain: numbers, strings and flags in attributes that methods of the layer read.
    """

    fixed: tuple[Any, ...]
    saved: dict[str, int]
    loose: frozenset[int]
    plain: dict[str, Any]

    def keep(
        self,
        layer: Members,
        captured: frozenset[int],
        assigned: frozenset[str] = frozenset(),
    ) -> LayerGuard:
        """Returns the part of the guard that a recording depends on.

        Args:
            layer: the layer, at the end of the recording.
            captured: ids of the tensors the recording has read.
            assigned: attributes that the recording assigns; they are its own state.
        """
        saved = {name: held for name, held in self.saved.items() if name not in assigned}
        fields = layer.__dict__
        plain = {n: v for n, v in self.plain.items() if n in fields and is_same(fields[n], v)}
        return LayerGuard(self.fixed, saved, self.loose & captured, plain)

    def why_not(self, layer: Members) -> str | None:
        """Says what of the layer is not as it was; `None` when nothing is."""
        now = layer.guard()
        if now.fixed[0] != self.fixed[0]:
            return f"now in {'train' if layer.training else 'eval'} mode"
        if now.fixed != self.fixed or not self.loose <= now.loose:
            return "new members or hooks"
        if not self.saved.items() <= now.saved.items():
            return "new buffers"
        fields = layer.__dict__
        for name, value in self.plain.items():
            if name not in fields or not is_same(fields[name], value):
                return f"{name}: {value!r} -> {fields.get(name)!r}"
        return None

    def holds(self, layer: Members) -> bool:
        """Whether the layer is as it was."""
        return self.why_not(layer) is None


def snake_case(name: str) -> str:
    """Returns a class name as Paddle writes it in parameter names: `Conv2D` gives `conv2d`."""
    return _WORD_STARTS.sub("_", name).lower()


class Members:
    """Holds parameters, buffers and sub-layers; the part of Layer that attributes go through.

    A replaced member may be what a compiled function has captured, so each replacement is
    announced with `bump_mode_epoch`.
    """

    training: bool
    _parameters: OrderedDict[str, Parameter | None]
    _buffers: OrderedDict[str, Tensor | None]
    _sub_layers: OrderedDict[str, Any]
    _non_persistable_buffer_names_set: set[str]
    _forward_pre_hooks: OrderedDict[int, Any]
    _forward_post_hooks: OrderedDict[int, Any]
    _state_dict_hooks: OrderedDict[int, Any]

    def __init__(self, name_scope: str | None = None, dtype: Any = "float32") -> None:
        fields = self.__dict__
        fields["training"] = True
        fields["_full_name"] = unique_name.generate(name_scope or snake_case(type(self).__name__))
        # What Paddle does: the argument names the layer's dtype, parameters follow the default.
        fields["_dtype"] = as_dtype(dtype).name if dtype is not None else default_dtype().name
        fields["_parameters"] = OrderedDict()
        fields["_buffers"] = OrderedDict()
        fields["_sub_layers"] = OrderedDict()
        fields["_non_persistable_buffer_names_set"] = set()
        fields["_forward_pre_hooks"] = OrderedDict()
        fields["_forward_post_hooks"] = OrderedDict()
        fields["_state_dict_hooks"] = OrderedDict()

    def full_name(self) -> str:
        """Returns the layer's unique name, such as `linear_0`."""
        return self._full_name

    def guard(self) -> LayerGuard:
        """What a compiled function that ran this layer depends on, besides tensor values."""
        fields, hidden = self.__dict__, self._non_persistable_buffer_names_set
        saved = {name: id(b) for name, b in self._buffers.items() if name not in hidden}
        members = (*self._parameters.values(), *self._sub_layers.values())
        hooks = (*self._forward_pre_hooks, *self._forward_post_hooks)
        fixed = (self.training, hooks, *[id(member) for member in members])
        loose = frozenset(id(self._buffers[name]) for name in hidden)
        read = attributes_methods_read(type(self))
        plain = {n: v for n, v in fields.items() if n in read and n not in _OWN and is_plain(v)}
        return LayerGuard(fixed, saved, loose, plain)

    def tensor_members(self) -> OrderedDict[str, Tensor | None]:
        """Tensors in attributes: buffers, and results that `forward` left."""
        return self._buffers

    def put_tensor_member(self, name: str, tensor: Tensor | None, *, drop: bool = False) -> None:
        """Puts a tensor into an attribute as a compiled `forward` would; announces nothing."""
        if drop:
            self._buffers.pop(name, None)
            self._non_persistable_buffer_names_set.discard(name)
            return
        if name not in self._buffers:
            self._non_persistable_buffer_names_set.add(name)
        self._buffers[name] = tensor

    def create_parameter(
        self,
        shape: Sequence[int],
        attr: Any = None,
        dtype: Any = None,
        is_bias: bool = False,
        default_initializer: Initializer | None = None,
        device: Any = None,
    ) -> Any:
        """Makes a parameter named after this layer; assign it to an attribute to add it.

        Args:
            shape: sizes, integers >= 0.
            attr: a ParamAttr, or what stands for one; `False` makes no parameter.
            dtype: dtype; the default dtype when it is `None`.
            is_bias: starts at zero instead of Xavier's uniform draws.
            default_initializer: used when neither `attr` nor `set_global_initializer` names one.
            device: where the parameter lies; the current device when it is `None`.

        Returns:
            The parameter, or `None` when `attr` is `False`.

        Raises:
            InvalidArgumentError: a size is negative or no integer.
            InvalidTypeError: `attr` or `dtype` cannot be read.
        """
        settings = as_param_attr(attr)
        if settings is None:
            return None
        owner = self._full_name
        return make_parameter(shape, dtype, settings, is_bias, default_initializer, owner, device)

    def create_tensor(
        self, name: str | None = None, persistable: bool | None = None, dtype: Any = None
    ) -> Tensor:
        """Makes an empty tensor named after this layer.

        Args:
            name: the last part of its name.
            persistable: marks it as part of the model's state.
            dtype: dtype; the layer's when it is `None`.
        """
        made = new_tensor(put(np.zeros([], as_dtype(dtype or self._dtype).numpy)))
        last = name or unique_name.generate("_generated_var")
        made.name = f"{self._full_name}.{last}"
        made.persistable = bool(persistable)
        return made

    create_variable = create_tensor

    def add_parameter(self, name: str, parameter: Parameter | None) -> Parameter | None:
        """Adds a parameter as attribute `name`; returns it.

        Raises:
            InvalidTypeError: `name` is no string, or `parameter` no Parameter.
            UnknownNameError: `name` is empty, has a dot, or is taken.
        """
        self._check_name(name, "_parameters")
        _check_member(name, parameter, Parameter, "_parameters")
        self._put(self._parameters, name, parameter)
        return parameter

    def add_sublayer(self, name: str, sublayer: Any) -> Any:
        """Adds a sub-layer as attribute `name`; returns it.

        Raises:
            InvalidTypeError: `name` is no string, or `sublayer` no Layer.
            UnknownNameError: `name` is empty, has a dot, or is taken.
        """
        self._check_name(name, "_sub_layers")
        _check_member(name, sublayer, Members, "_sub_layers")
        self._put(self._sub_layers, name, sublayer)
        return sublayer

    def register_buffer(self, name: str, tensor: Tensor | None, persistable: bool = True) -> None:
        """Adds a tensor that belongs to the layer without being trained.

        Args:
            name: name of the attribute.
            tensor: the tensor.
            persistable: whether it is part of `state_dict()`.

        Raises:
            InvalidTypeError: `name` is no string, or `tensor` no Tensor.
            UnknownNameError: `name` is empty, has a dot, or is taken.
        """
        self._check_name(name, "_buffers")
        _check_member(name, tensor, Tensor, "_buffers")
        self._put(self._buffers, name, tensor)
        change = self._non_persistable_buffer_names_set
        (change.discard if persistable else change.add)(name)

    def _check_name(self, name: Any, kind: str) -> None:
        if kind not in self.__dict__:
            raise _not_initialised(self)
        if not isinstance(name, str):
            raise InvalidTypeError(
                f"the name of a {_KINDS[kind]} is {name!r} ({type(name).__name__})",
                expected="a string",
                fix="pass the attribute's name",
            )
        taken = hasattr(self, name) and name not in self.__dict__[kind]
        if not name or "." in name or taken:
            raise UnknownNameError(
                f"a {_KINDS[kind]} of {type(self).__name__} is to be called {name!r}",
                expected="a name without dots that no other attribute of the layer has",
                fix="choose another name",
            )

    def _put(self, registry: OrderedDict[str, Any], name: str, value: Any) -> None:
        registry[name] = value
        bump_mode_epoch()

    def _drop_other(self, name: str, kept: str) -> None:
        fields = self.__dict__
        fields.pop(name, None)
        for kind in _KINDS:
            if kind != kept:
                fields[kind].pop(name, None)
        if kept != "_buffers":
            fields["_non_persistable_buffer_names_set"].discard(name)

    def __setattr__(self, name: str, value: Any) -> None:
        fields = self.__dict__
        if name == "training":
            if fields.get(name) is not value:
                fields[name] = value
                bump_mode_epoch()
            return
        kind = _kind_of(value)
        if kind is not None and not isinstance(getattr(type(self), name, None), property):
            if kind not in fields:
                raise _not_initialised(self)
            self._set_member(kind, name, value)
            return
        for kind in _KINDS:
            registry = fields.get(kind)
            if registry and name in registry:
                _check_member(name, value, type(None), kind)
                self._put(registry, name, None)
                return
        if name in fields and name in attributes_methods_read(type(self)):
            before = fields[name]
            if before is not value and (is_plain(before) or is_plain(value)):
                bump_mode_epoch()
        object.__setattr__(self, name, value)

    def _set_member(self, kind: str, name: str, value: Any) -> None:
        fields = self.__dict__
        if kind == "_buffers":
            if name in fields["_parameters"] or name in fields["_sub_layers"]:
                held = "_parameters" if name in fields["_parameters"] else "_sub_layers"
                _check_member(name, value, type(None), held)
            if name not in fields[kind]:
                fields["_non_persistable_buffer_names_set"].add(name)
        elif kind == "_sub_layers" and fields["_parameters"].get(name) is not None:
            _check_member(name, value, Parameter, "_parameters")
        if fields[kind].get(name) is not value:
            self._drop_other(name, kind)
            self._put(fields[kind], name, value)

    def __getattr__(self, name: str) -> Any:
        # Only reached when the usual look-up finds nothing.
        fields = self.__dict__
        for kind in ("_parameters", "_sub_layers", "_buffers"):
            registry = fields.get(kind)
            if registry is not None and name in registry:
                return registry[name]
        raise MissingAttributeError(
            f"{type(self).__name__!r} object has no attribute {name!r}",
            expected="an attribute, parameter, buffer or sub-layer that was set before",
            fix="check the spelling; dir(layer) lists them",
        )

    def __delattr__(self, name: str) -> None:
        for kind in _KINDS:
            registry = self.__dict__.get(kind)
            if registry and name in registry:
                del registry[name]
                self._non_persistable_buffer_names_set.discard(name)
                bump_mode_epoch()
                return
        object.__delattr__(self, name)

    def __getstate__(self) -> dict[str, Any]:
        # Results that `forward` left in attributes are copied and pickled without their history.
        state = {name: _settled(value) for name, value in self.__dict__.items()}
        buffers = ((name, _settled(b)) for name, b in self._buffers.items())
        state["_buffers"] = OrderedDict(buffers)
        return state

    def __dir__(self) -> list[str]:
        found = set(object.__dir__(self))
        for kind in _KINDS:
            found.update(self.__dict__.get(kind, ()))
        return sorted(found)


def _settled(value: Any) -> Any:
    if not isinstance(value, Tensor):
        return value
    if not isinstance(value._data, jax.Array | np.ndarray | np.generic | None):
        return None  # a value of a Program: nothing is left of it after the recording
    return value if value.is_leaf else value.detach()  # type: ignore[attr-defined]


def _kind_of(value: Any) -> str | None:
    if isinstance(value, Tensor):
        return "_parameters" if isinstance(value, Parameter) else "_buffers"
    return "_sub_layers" if isinstance(value, Members) else None


def _check_member(name: str, value: Any, wanted: type, kind: str) -> None:
    if value is None or isinstance(value, wanted):
        return
    article = _KINDS[kind]
    raise InvalidTypeError(
        f"{name!r} is a {article} of the layer and was given a {type(value).__name__}",
        expected=f"a {article} or None",
        fix=f"write values with layer.{name}.set_value(...), or delete the attribute first"
        if kind != "_sub_layers"
        else "pass a layer, or delete the attribute first",
    )


def _not_initialised(layer: Any) -> PreconditionError:
    return PreconditionError(
        f"{type(layer).__name__} is given a member before Layer.__init__ has run",
        expected="super().__init__() first in the layer's own __init__",
        fix="call super().__init__() before setting parameters, buffers or sub-layers",
    )
