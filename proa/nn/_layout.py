"""Layers whose default layout of the axes depends on the class."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar

from proa.core import InvalidArgumentError

from ._layer import Layer


class WithLayout(Layer):
    """Base of the layers with a `data_format`, of which a subclass lists the allowed ones.

    The first one is the default. The constructor is shared, with `data_format=None`; the
    signature that users see has the class's own default.
    """

    _layouts: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "_layouts" in cls.__dict__:
            _, *parameters = inspect.signature(cls.__init__).parameters.values()
            shown = [
                p.replace(default=cls._layouts[0]) if p.name == "data_format" else p
                for p in parameters
            ]
            cls.__signature__ = inspect.Signature(shown)

    def _layout(self, data_format: str | None) -> str:
        """Returns the layout, the default one for `None`."""
        if data_format is None:
            return self._layouts[0]
        if data_format not in self._layouts:
            raise InvalidArgumentError(
                f"{type(self).__name__}: `data_format` is {data_format!r}",
                expected="one of " + ", ".join(self._layouts),
                fix="name the axes of the input in their order",
            )
        return data_format
