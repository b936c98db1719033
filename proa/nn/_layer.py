"""Layer: the base of everything a model is built of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from proa.core import InvalidTypeError, UnsupportedError, context

from ._layer_convert import Convert
from ._layer_hooks import Hooks
from ._layer_state import StateDict
from ._layer_unsupported import Unsupported

L = TypeVar("L", bound="Layer")


class Layer(Hooks, StateDict, Convert, Unsupported):
    """Base of all layers and models: a callable with parameters, buffers and sub-layers.

    A subclass makes its parameters and sub-layers in `__init__`, as attributes, and says in
    `forward` how the output is computed.

    Args:
        name_scope: what its unique name begins with; made from the class name by default.
        dtype: dtype the layer reports; parameters take the default dtype unless told another.

    Examples:
        >>> import proa
        >>> class Scale(proa.nn.Layer):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.factor = self.create_parameter([1])
        ...
        ...     def forward(self, x):
        ...         return x * self.factor
        >>> [name for name, _ in Scale().named_parameters()]
        ['factor']
    """

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Computes the output; each layer defines it.

        Raises:
            UnsupportedError: the layer defines none.
        """
        raise UnsupportedError(
            f"{type(self).__name__} has no forward()",
            expected="a layer that says how its output is computed",
            fix=f"define forward(self, ...) in {type(self).__name__}, or call its sub-layers",
        )

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        """Runs the hooks and `forward`."""
        recorder = context.recorder
        if recorder is not None:
            recorder.note_layer(self)
        if self._forward_pre_hooks or self._forward_post_hooks:
            return self._call_with_hooks(inputs, kwargs)
        if recorder is not None and recorder.adapt is not None:
            return recorder.adapt(self.forward)(*inputs, **kwargs)
        return self.forward(*inputs, **kwargs)

    def train(self: L, mode: bool = True) -> L:
        """Puts the layer and all layers below into training mode; returns the layer.

        Args:
            mode: `False` for evaluation mode.
        """
        for layer in self.sublayers(include_self=True):
            layer.training = bool(mode)
        return self

    def eval(self: L) -> L:
        """Puts the layer and all layers below into evaluation mode; returns the layer."""
        return self.train(False)

    def apply(self: L, fn: Callable[[Any], Any]) -> L:
        """Calls a function on all layers below and then on this layer; returns the layer.

        Args:
            fn: gets a layer; for example, it sets its initial values.

        Raises:
            InvalidTypeError: `fn` cannot be called.
        """
        if not callable(fn):
            raise InvalidTypeError(
                f"`fn` is a {type(fn).__name__}",
                expected="something that can be called with a layer",
                fix="pass a function",
            )
        for layer in self.children():
            layer.apply(fn)
        fn(self)
        return self

    def clear_gradients(self, set_to_zero: bool = True) -> None:
        """Sets the gradients of all parameters to zero.

        Args:
            set_to_zero: `False` drops them instead.
        """
        for parameter in self.parameters():
            if not parameter.stop_gradient:
                parameter.clear_gradient(set_to_zero)  # type: ignore[attr-defined]

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drops the gradients of all parameters, or sets them to zero.

        Args:
            set_to_none: drops them.
        """
        self.clear_gradients(set_to_zero=not set_to_none)

    def requires_grad_(self: L, requires_grad: bool = True) -> L:
        """Says whether gradients of the parameters are wanted; returns the layer."""
        for parameter in self.parameters():
            parameter.stop_gradient = not requires_grad
        return self

    def add_module(self, name: str, module: Any) -> None:
        """The same as `add_sublayer`, without a result."""
        self.add_sublayer(name, module)

    register_module = add_module

    def register_parameter(self, name: str, param: Any) -> None:
        """The same as `add_parameter`, without a result."""
        self.add_parameter(name, param)

    def extra_repr(self) -> str:
        """Returns what is printed between the parentheses after the layer's name."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr().split("\n") if self.extra_repr() else []
        below = []
        for name, layer in self._sub_layers.items():
            first, *others = repr(layer).split("\n")
            below += [f"({name}): {first}", *others]
        text = f"{self._get_name()}("
        if len(extra) == 1:
            text += extra[0]
        elif extra:
            text += "\n  " + "\n  ".join(extra) + "\n"
        if below:
            text += "\n  " + "\n  ".join(below) + "\n"
        return text + ")"

    def _get_name(self) -> str:
        return type(self).__name__


Module = Layer
