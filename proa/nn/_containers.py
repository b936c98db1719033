"""Layers that hold other layers or parameters."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    OutOfRangeError,
    UnknownNameError,
    respelled,
)

from ._layer import Layer

T = TypeVar("T", bound="_Indexed")


class _Indexed(Layer):
    """A container whose members stand in an order and have names."""

    _kind = "_sub_layers"

    def _names(self) -> list[str]:
        return list(self.__dict__[self._kind])

    def _position(self, index: Any, extra: int = 0) -> int:
        """Returns a position in [0, len + extra) for an integer that may be negative."""
        size = len(self) + extra
        if isinstance(index, bool) or not hasattr(index, "__index__"):
            raise InvalidTypeError(
                f"{type(self).__name__} is indexed with {index!r}",
                expected="an integer or a slice",
                fix="use the position of the member",
            )
        position = index.__index__()
        if not -size <= position < size:
            raise OutOfRangeError(
                f"index {position} into {type(self).__name__} of length {len(self)}",
                expected=f"an integer in [{-size}, {size})",
                fix="check how many members it holds: len(container)",
            )
        return position + size if position < 0 else position

    def __len__(self) -> int:
        return len(self.__dict__[self._kind])

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self.__dict__[self._kind].values()))

    def _members(self) -> list[Any]:
        return list(self.__dict__[self._kind].values())

    def _rebuild(self, members: Iterable[tuple[str, Any]]) -> None:
        """Puts members under new names, in a new order."""
        registry = self.__dict__[self._kind]
        kept = list(members)
        registry.clear()
        for name, member in kept:
            self._put(registry, name, member)


def _require_layer(owner: Any, value: Any) -> None:
    if not isinstance(value, Layer):
        raise InvalidTypeError(
            f"{type(owner).__name__} is given a {type(value).__name__}",
            expected="a layer",
            fix="pass layer instances, for example proa.nn.ReLU()",
        )


def _require_iterable(owner: Any, value: Any) -> None:
    if not isinstance(value, Iterable):
        raise InvalidTypeError(
            f"{type(owner).__name__} is given a {type(value).__name__}",
            expected="several layers: a list, a tuple or another iterable",
            fix="put the layer into a list",
        )


def _is_pair(entry: Any) -> bool:
    return isinstance(entry, tuple | list) and len(entry) == 2 and isinstance(entry[0], str)


class Sequential(_Indexed):
    """Runs layers one after the other.

    Args:
        layers: layers, or `(name, layer)` pairs, or one ordered dictionary of them.

    Raises:
        InvalidTypeError: an argument is none of these.

    Examples:
        >>> import proa
        >>> model = proa.nn.Sequential(proa.nn.Linear(2, 3), proa.nn.ReLU())
        >>> list(model.state_dict())
        ['0.weight', '0.bias']
    """

    def __init__(self, *layers: Any) -> None:
        super().__init__()
        if len(layers) == 1 and isinstance(layers[0], Mapping):
            layers = tuple(layers[0].items())
        elif len(layers) == 1 and isinstance(layers[0], list) and not _is_pair(layers[0]):
            layers = tuple(layers[0])
        for position, entry in enumerate(layers):
            name, layer = entry if _is_pair(entry) else (str(position), entry)
            if layer is not None:
                _require_layer(self, layer)
            self.add_sublayer(name, layer)

    def forward(self, input: Any) -> Any:
        """Returns the last layer's output."""
        for layer in self._sub_layers.values():
            input = layer(input)
        return input

    def __getitem__(self, name: Any) -> Any:
        if isinstance(name, slice):
            part = type(self)()
            part._rebuild(list(self._sub_layers.items())[name])
            return part
        return self._sub_layers[self._name_at(name)]

    def __setitem__(self, name: Any, layer: Any) -> None:
        _require_layer(self, layer)
        known = isinstance(name, str) and name not in self._sub_layers
        setattr(self, name if known else self._name_at(name), layer)

    def __delitem__(self, name: Any) -> None:
        names = self._names()[name] if isinstance(name, slice) else [self._name_at(name)]
        for found in names:
            delattr(self, found)

    def _name_at(self, name: Any) -> str:
        if not isinstance(name, str):
            return self._names()[self._position(name)]
        if name not in self._sub_layers:
            raise UnknownNameError(
                f"Sequential holds no layer called {name!r}",
                expected="one of: " + ", ".join(self._names()),
                fix="index it by position or by one of these names",
            )
        return name

    def append(self, module: Layer) -> Sequential:
        """Adds a layer at the end; returns the container.

        Raises:
            InvalidTypeError: `module` is no layer.
        """
        return self.insert(len(self), module)

    def insert(self, index: int, module: Layer) -> Sequential:
        """Puts a layer before position `index`; later layers get the names of their positions.

        Raises:
            InvalidTypeError: `module` is no layer.
            OutOfRangeError: `index` is outside [-len, len].
        """
        _require_layer(self, module)
        position = self._position(index, 1) if index >= 0 else self._position(index)
        members = list(self._sub_layers.items())
        members.insert(position, (str(position), module))
        moved = [(str(i) if n.isdigit() else n, m) for i, (n, m) in enumerate(members)]
        self._rebuild(moved)
        return self

    def extend(self, sequential: Iterable[Layer]) -> Sequential:
        """Adds several layers at the end; returns the container.

        Raises:
            InvalidTypeError: not several layers.
        """
        _require_iterable(self, sequential)
        for module in list(sequential):
            self.append(module)
        return self


class LayerList(_Indexed):
    """A list of layers; it has no `forward` of its own.

    Args:
        sublayers: layers to start with.

    Raises:
        InvalidTypeError: an entry is no layer.

    Examples:
        >>> import proa
        >>> blocks = proa.nn.LayerList([proa.nn.Linear(2, 2) for _ in range(3)])
        >>> len(blocks[1:])
        2
    """

    @respelled
    def __init__(self, sublayers: Iterable[Layer] | None = None) -> None:
        super().__init__()
        if sublayers is not None:
            self.extend(sublayers)

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)(self._members()[idx])
        return self._members()[self._position(idx)]

    def __setitem__(self, idx: int, sublayer: Layer) -> None:
        _require_layer(self, sublayer)
        self._put(self._sub_layers, str(self._position(idx)), sublayer)

    def __delitem__(self, idx: Any) -> None:
        members = self._members()
        del members[idx if isinstance(idx, slice) else self._position(idx)]
        self._renumber(members)

    def _renumber(self, members: list[Any]) -> None:
        self._rebuild((str(i), member) for i, member in enumerate(members))

    def __iadd__(self, modules: Iterable[Layer]) -> LayerList:
        return self.extend(modules)

    def __add__(self, other: Iterable[Layer]) -> LayerList:
        _require_iterable(self, other)
        return type(self)([*self, *other])

    def append(self, sublayer: Layer) -> LayerList:
        """Adds a layer at the end; returns the list.

        Raises:
            InvalidTypeError: `sublayer` is no layer.
        """
        _require_layer(self, sublayer)
        self._put(self._sub_layers, str(len(self)), sublayer)
        return self

    def insert(self, index: int, sublayer: Layer) -> None:
        """Puts a layer before position `index`.

        Raises:
            InvalidTypeError: `sublayer` is no layer.
            OutOfRangeError: `index` is outside [-len, len].
        """
        _require_layer(self, sublayer)
        position = self._position(index, 1) if index >= 0 else self._position(index)
        members = self._members()
        members.insert(position, sublayer)
        self._renumber(members)

    def extend(self, sublayers: Iterable[Layer]) -> LayerList:
        """Adds several layers at the end; returns the list.

        Raises:
            InvalidTypeError: not several layers.
        """
        _require_iterable(self, sublayers)
        for sublayer in list(sublayers):
            self.append(sublayer)
        return self

    def pop(self, key: Any = -1) -> Any:
        """Takes out the layer(s) at a position or slice and returns them.

        Raises:
            OutOfRangeError: there is no such position.
        """
        taken = self[key]
        del self[key]
        return taken


class LayerDict(_Indexed):
    """A dictionary of layers; it has no `forward` of its own.

    Args:
        sublayers: a mapping, or `(name, layer)` pairs, to start with.

    Raises:
        InvalidTypeError: not a mapping or pairs, or an entry is no layer.

    Examples:
        >>> import proa
        >>> heads = proa.nn.LayerDict({"small": proa.nn.Linear(2, 2)})
        >>> list(heads.keys())
        ['small']
    """

    @respelled
    def __init__(self, sublayers: Any = None) -> None:
        super().__init__()
        if sublayers is not None:
            self.update(sublayers)

    def __getitem__(self, key: str) -> Any:
        if key not in self._sub_layers:
            raise UnknownNameError(
                f"LayerDict has no key {key!r}",
                expected="one of: " + ", ".join(self._names()),
                fix="check the spelling of the key",
            )
        return self._sub_layers[key]

    def __setitem__(self, key: str, sublayer: Layer) -> None:
        _require_layer(self, sublayer)
        self.add_sublayer(key, sublayer)

    def __delitem__(self, key: str) -> None:
        self[key]
        delattr(self, key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __contains__(self, key: object) -> bool:
        return key in self._sub_layers

    def clear(self) -> None:
        """Takes out all layers."""
        self._rebuild([])

    def pop(self, key: str) -> Any:
        """Takes out a layer and returns it.

        Raises:
            UnknownNameError: there is no such key.
        """
        taken = self[key]
        del self[key]
        return taken

    def keys(self) -> Iterable[str]:
        """Returns the keys."""
        return self._sub_layers.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Returns `(key, layer)` pairs."""
        return self._sub_layers.items()

    def values(self) -> Iterable[Any]:
        """Returns the layers."""
        return self._sub_layers.values()

    def update(self, sublayers: Any) -> None:
        """Adds layers, or replaces those with the same keys.

        Raises:
            InvalidTypeError: not a mapping or pairs, or an entry is no layer.
        """
        for key, sublayer in _pairs(self, sublayers):
            self[key] = sublayer


def _pairs(owner: Any, given: Any) -> list[tuple[str, Any]]:
    if isinstance(given, Mapping | LayerDict | ParameterDict):
        return list(given.items())
    _require_iterable(owner, given)
    entries = list(given)
    for entry in entries:
        if not isinstance(entry, tuple | list) or len(entry) != 2:
            raise InvalidArgumentError(
                f"{type(owner).__name__} is given the entry {entry!r}"[:200],
                expected="a (name, member) pair",
                fix="pass a dictionary or a list of pairs",
            )
    return entries


class ParameterList(_Indexed):
    """A list of parameters.

    Args:
        parameters: parameters to start with.

    Raises:
        InvalidTypeError: an entry is no Parameter.

    Examples:
        >>> import proa
        >>> weights = [proa.create_parameter([2, 2], "float32") for _ in range(2)]
        >>> list(proa.nn.ParameterList(weights).state_dict())
        ['0', '1']
    """

    _kind = "_parameters"

    def __init__(self, parameters: Iterable[Any] | None = None) -> None:
        super().__init__()
        if parameters is not None:
            _require_iterable(self, parameters)
            for parameter in parameters:
                self.append(parameter)

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)(self._members()[idx])
        return self._members()[self._position(idx)]

    def __setitem__(self, idx: int, param: Any) -> None:
        self.add_parameter(str(self._position(idx)), param)

    def append(self, parameter: Any) -> ParameterList:
        """Adds a parameter at the end; returns the list.

        Raises:
            InvalidTypeError: not a Parameter.
        """
        self.add_parameter(str(len(self)), parameter)
        return self


class ParameterDict(_Indexed):
    """A dictionary of parameters.

    Args:
        parameters: a mapping, or `(name, parameter)` pairs, to start with.

    Raises:
        InvalidTypeError: an entry is no Parameter.

    Examples:
        >>> import proa
        >>> scale = proa.create_parameter([2], "float32")
        >>> list(proa.nn.ParameterDict({"scale": scale}))
        ['scale']
    """

    _kind = "_parameters"

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        if key not in self._parameters:
            raise UnknownNameError(
                f"ParameterDict has no key {key!r}",
                expected="one of: " + ", ".join(self._names()),
                fix="check the spelling of the key",
            )
        return self._parameters[key]

    def __setitem__(self, key: str, param: Any) -> None:
        self.add_parameter(key, param)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __contains__(self, key: object) -> bool:
        return key in self._parameters

    def keys(self) -> Iterable[str]:
        """Returns the keys."""
        return self._parameters.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Returns `(key, parameter)` pairs."""
        return OrderedDict(self._parameters).items()

    def values(self) -> Iterable[Any]:
        """Returns the parameters."""
        return self._parameters.values()

    def update(self, parameters: Any) -> None:
        """Adds parameters, or replaces those with the same keys.

        Raises:
            InvalidTypeError: not a mapping or pairs, or an entry is no Parameter.
        """
        for key, parameter in _pairs(self, parameters):
            self[key] = parameter


ModuleList, ModuleDict = LayerList, LayerDict
