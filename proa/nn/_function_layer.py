"""Layers that only keep the settings of one function of `nn.functional`.

A class of this kind names its function and declares its settings as fields, in the order of its
constructor: everything else follows, so that a family of such layers is a list of declarations.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, ClassVar, dataclass_transform

from proa.core import bind, respelled_keywords

from ._layer import Layer


@dataclass_transform(eq_default=False)
class FunctionLayer(Layer):
    """Base of the layers that call one function with stored settings.

    Class arguments of a subclass:
        function: the function, of `nn.functional`.
        shown: fields that are printed; all but `name` by default.
        trains: whether the function is told if the layer is in training mode.
    """

    # Dataclasses would serve, but they generate source code for each of a hundred layers, which
    # is a tenth of the time that importing Proa takes.
    __signature__: ClassVar[Signature]
    _signature: ClassVar[Signature]
    _fields: ClassVar[dict[str, Any]] = {}
    _function: ClassVar[Any]
    _options: ClassVar[tuple[str, ...]] = ()
    _shown: ClassVar[tuple[str, ...]] = ()
    _trains: ClassVar[bool] = False

    def __init_subclass__(
        cls,
        function: Callable[..., Any] | None = None,
        shown: tuple[str, ...] | None = None,
        trains: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init_subclass__(**kwargs)
        if "__init__" in cls.__dict__:
            own = inspect.signature(cls.__init__)
            cls.__signature__ = own.replace(parameters=list(own.parameters.values())[1:])
        if function is None:
            return
        cls._function = staticmethod(function)
        cls._fields = {**cls._fields, **_own_fields(cls)}
        cls._signature = cls.__signature__ = Signature(
            [
                Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default)
                for name, default in cls._fields.items()
            ]
        )
        cls._options = tuple(name for name in cls._fields if name != "name")
        cls._shown = cls._options if shown is None else shown
        cls._trains = trains

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        name = type(self).__name__
        found = respelled_keywords(self._signature, name, kwargs) if kwargs else None
        bound = bind(self._signature, name, args, kwargs if found is None else found)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            setattr(self, name, value)
        self.__post_init__()

    def __post_init__(self) -> None:
        """Checks the settings; nothing by default."""

    def forward(self, *inputs: Any, **named: Any) -> Any:
        """Calls the function on the inputs with the layer's settings."""
        if self._options or self._trains:
            named.update(self._settings())
        return self._function(*inputs, **named)

    def _settings(self) -> dict[str, Any]:
        settings = {option: getattr(self, option) for option in self._options}
        if self._trains:
            settings["training"] = self.training
        return settings

    def extra_repr(self) -> str:
        """Returns the settings as `name=value`."""
        parts = [f"{name}={getattr(self, name)}" for name in self._shown]
        if getattr(self, "name", None):
            parts.append(f"name={self.name}")
        return ", ".join(parts)


def _own_fields(cls: type) -> dict[str, Any]:
    """Fields that a class declares itself, with their defaults, which are taken off the class.

    A default left on the class would hide a tensor of the same name in an instance.
    """
    found = {}
    for name, annotation in inspect.get_annotations(cls).items():
        if "ClassVar" not in str(annotation):
            found[name] = cls.__dict__.get(name, Parameter.empty)
            if name in cls.__dict__:
                delattr(cls, name)
    return found
