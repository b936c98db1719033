"""Layers that only keep the settings of one function of `nn.functional`.

A class of this kind names its function and declares its settings as fields, in the order of its
constructor: everything else follows, so that a family of such layers is a list of declarations.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, ClassVar, dataclass_transform

from ._layer import Layer


@dataclass_transform(eq_default=False)
class FunctionLayer(Layer):
    """Base of the layers that call one function with stored settings.

    Class arguments of a subclass:
        function: the function, of `nn.functional`.
        shown: fields that are printed; all but `name` by default.
        trains: whether the function is told if the layer is in training mode.
    """

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
        if function is None:
            return
        cls._function = staticmethod(function)
        dataclasses.dataclass(eq=False, repr=False)(cls)
        fields = [f.name for f in dataclasses.fields(cls)]  # type: ignore[arg-type]
        cls._options = tuple(name for name in fields if name != "name")
        cls._shown = cls._options if shown is None else shown
        cls._trains = trains
        cls.__init__ = _with_base(cls.__init__)
        for name in fields:
            # A default left on the class would hide a tensor of the same name in an instance.
            if name in cls.__dict__:
                delattr(cls, name)

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


def _with_base(generated: Any) -> Any:
    @functools.wraps(generated)
    def __init__(self: FunctionLayer, *args: Any, **kwargs: Any) -> None:
        Layer.__init__(self)
        generated(self, *args, **kwargs)

    return __init__
