"""What the layers of this room have in common."""

from __future__ import annotations

from typing import Any

from proa import nn
from proa.core import InvalidArgumentError, Tensor, run_eagerly

from .._weight_norm import WeightNormParamAttr

_NORMS = (
    *(nn.BatchNorm, nn.GroupNorm, nn.LayerNorm),
    *(nn.InstanceNorm1D, nn.InstanceNorm2D, nn.InstanceNorm3D),
)


def activated(x: Tensor, activation: Any) -> Tensor:
    """Applies the function of `nn.functional` that a name means.

    Args:
        x: the tensor.
        activation: the name, or `None`.

    Raises:
        InvalidArgumentError: there is no such function.
    """
    if activation is None:
        return x
    function = getattr(nn.functional, str(activation), None)
    if function is None:
        raise InvalidArgumentError(
            f"`activation` is {activation!r}",
            expected="the name of a function of nn.functional",
            fix="write 'relu', 'tanh' or 'softmax'",
        )
    return function(x)


def plain(attr: Any) -> Any:
    """Returns settings that a layer takes: those without the normalisation."""
    return attr.plain() if isinstance(attr, WeightNormParamAttr) else attr


def fitted(layer: Any, x: Tensor) -> Any:
    """Gives a layer's parameters the dtype of its input, as Paddle does.

    Normalisation of half precision keeps float32.

    Args:
        layer: the layer.
        x: its input.
    """
    dtype = x.dtype
    keeps = isinstance(layer, _NORMS) and dtype.itemsize < 4
    if dtype.is_floating and not keeps and any(p.dtype != dtype for p in layer.parameters()):
        layer.to(dtype=dtype)
    return layer


def with_norm(layer: Any, attr: Any) -> Any:
    """Makes a layer's weight length times direction, where its settings ask for that."""
    if isinstance(attr, WeightNormParamAttr):
        # First lengths and directions follow from the weight; that is no part of the Program.
        with run_eagerly():
            nn.utils.weight_norm(layer, "weight", attr.dim)
        for part in ("g", "v"):
            parameter = getattr(layer, f"weight_{part}")
            parameter.trainable, parameter.need_clip = attr.trainable, attr.need_clip
            parameter.regularizer = attr.regularizer
            parameter.optimize_attr = {"learning_rate": attr.learning_rate}
            if attr.name is not None:
                parameter.name = f"{attr.name}_{part}"
    return layer
