"""Weights that are computed from other parameters before each call."""

from __future__ import annotations

from typing import Any

from proa.core import (
    GradMode,
    InvalidArgumentError,
    Parameter,
    PreconditionError,
    UnknownNameError,
    new_tensor,
)
from proa.nn._common import Linear
from proa.nn._conv import _TransposedConv
from proa.nn._layer import Layer
from proa.nn.initializer import Normal
from proa.nn.initializer._base import draw
from proa.ops import matmul, moveaxis, multiply, reshape, sqrt, sum


class _Computed:
    """A forward pre-hook that computes an attribute of a layer."""

    def __init__(self, name: str) -> None:
        self.name = name

    def compute(self, layer: Layer) -> Any:
        """Returns the weight from what the layer holds."""
        raise NotImplementedError

    def __call__(self, layer: Layer, inputs: Any) -> None:
        # Not a member: a result of each call, which no compiled function depends on.
        layer.__dict__[self.name] = self.compute(layer)


def _take_out(layer: Layer, name: str) -> Parameter:
    weight = layer._parameters.get(name)
    if weight is None:
        raise UnknownNameError(
            f"{layer.full_name()} has no parameter {name!r}",
            expected="one of: " + ", ".join(layer._parameters),
            fix="pass the name of the weight",
        )
    return weight


def _find(layer: Layer, name: str, kind: type) -> Any:
    for key, hook in layer._forward_pre_hooks.items():
        if isinstance(hook.function, kind) and hook.function.name == name:
            return key, hook.function
    return None


def _refuse_second(layer: Layer, name: str, kind: type, what: str) -> None:
    if _find(layer, name, kind) is not None:
        raise PreconditionError(
            f"{what} is already applied to {name!r} of {layer.full_name()}",
            expected="one application per weight",
            fix="leave the second call out",
        )


def _norm_except(v: Any, dim: int | None) -> Any:
    """Length of `v` for each place on axis `dim` (of all of it for `None`)."""
    square = multiply(v, v)
    if dim is None:
        return sqrt(sum(square))
    axes = [axis for axis in range(v.ndim) if axis != dim]
    return sqrt(sum(square, axis=axes)) if axes else sqrt(square)


class WeightNorm(_Computed):
    """`g * v / |v|` with one `g` for each place on axis `dim`."""

    def __init__(self, name: str, dim: int | None) -> None:
        super().__init__(name)
        self.dim = dim

    def compute(self, layer: Layer) -> Any:
        """Returns the weight from its length and direction."""
        g, v = getattr(layer, f"{self.name}_g"), getattr(layer, f"{self.name}_v")
        ratio = g / _norm_except(v, self.dim)
        if self.dim is not None:
            ratio = reshape(ratio, [-1 if axis == self.dim else 1 for axis in range(v.ndim)])
        return v * ratio


def weight_norm(layer: Layer, name: str = "weight", dim: int | None = 0) -> Layer:
    """Learns length and direction of a weight apart: `w = g * v / |v|`.

    Args:
        layer: the layer; its parameter `name` gives way to `name_v` and `name_g`.
        name: name of the weight.
        dim: axis for each place of which there is one length; `None` or -1 for a single one.

    Returns:
        The layer.

    Raises:
        UnknownNameError: the layer has no such parameter.
        PreconditionError: it is applied already.
        InvalidArgumentError: the weight has no such axis.

    References:
        Salimans and Kingma, "Weight normalization", 2016.

    Examples:
        >>> import proa
        >>> layer = proa.nn.utils.weight_norm(proa.nn.Linear(2, 3))
        >>> sorted(layer.state_dict())
        ['bias', 'weight_g', 'weight_v']
    """
    _refuse_second(layer, name, WeightNorm, "weight_norm")
    weight = _take_out(layer, name)
    if dim is not None and not -weight.ndim <= dim < weight.ndim:
        raise InvalidArgumentError(
            f"`dim` of `weight_norm` is {dim} for a weight of shape {weight.shape}",
            expected=f"an axis in [{-weight.ndim}, {weight.ndim}), or None",
            fix="name the axis of the outputs",
        )
    axis = None if dim is None or dim == -1 else dim % weight.ndim
    with GradMode(False):
        lengths = _norm_except(weight, axis)
        v = layer.create_parameter(weight.shape, dtype=weight.dtype)
        v.set_value(weight)
        g = layer.create_parameter(lengths.shape, dtype=weight.dtype)
        g.set_value(lengths)
    delattr(layer, name)
    layer.add_parameter(f"{name}_v", v)
    layer.add_parameter(f"{name}_g", g)
    hook = WeightNorm(name, axis)
    hook(layer, None)
    layer.register_forward_pre_hook(hook)
    return layer


def remove_weight_norm(layer: Layer, name: str = "weight") -> Layer:
    """Puts a plain parameter back where `weight_norm` was applied.

    Args:
        layer: the layer.
        name: name of the weight.

    Returns:
        The layer.

    Raises:
        PreconditionError: `weight_norm` is not applied to it.
    """
    found = _find(layer, name, WeightNorm)
    if found is None:
        raise PreconditionError(
            f"weight_norm is not applied to {name!r} of {layer.full_name()}",
            expected="a weight that weight_norm was called on",
            fix="leave the call out",
        )
    key, hook = found
    with GradMode(False):
        value = hook.compute(layer)
    del layer._forward_pre_hooks[key]
    for part in (f"{name}_v", f"{name}_g", name):
        delattr(layer, part)
    weight = layer.create_parameter(value.shape, dtype=value.dtype)
    weight.set_value(value)
    layer.add_parameter(name, weight)
    return layer


class SpectralNormHook(_Computed):
    """Divides the weight by its largest singular value, estimated by power iteration."""

    def __init__(self, name: str, steps: int, eps: float, dim: int) -> None:
        super().__init__(name)
        self.steps, self.eps, self.dim = steps, eps, dim

    def _unit(self, vector: Any) -> Any:
        return vector / (sqrt(sum(vector * vector)) + self.eps)

    def compute(self, layer: Layer) -> Any:
        """Returns the divided weight; the estimate goes on from call to call in training."""
        weight = getattr(layer, f"{self.name}_orig")
        u_kept, v_kept = getattr(layer, f"{self.name}_u"), getattr(layer, f"{self.name}_v")
        matrix = reshape(moveaxis(weight, self.dim, 0), [weight.shape[self.dim], -1])
        u, v = new_tensor(u_kept._data), new_tensor(v_kept._data)
        if layer.training:
            with GradMode(False):
                u, v = u_kept, v_kept
                for _ in range(self.steps):
                    v = self._unit(matmul(matrix, u, transpose_x=True))
                    u = self._unit(matmul(matrix, v))
                u_kept.set_value(u)
                v_kept.set_value(v)
        return weight / sum(u * matmul(matrix, v))


def spectral_norm(
    layer: Layer,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Layer:
    """Divides a weight by its largest singular value before each call.

    Args:
        layer: the layer; its parameter `name` is kept as `name_orig`.
        name: name of the weight.
        n_power_iterations: steps of the estimate at each call in training mode.
        eps: added to lengths, against division by zero.
        dim: axis of the outputs; 1 for Linear and transposed convolutions, else 0.

    Returns:
        The layer.

    Raises:
        InvalidArgumentError: `n_power_iterations` is not positive.
        UnknownNameError: the layer has no such parameter.
        PreconditionError: it is applied already.

    References:
        Miyato et al., "Spectral normalization for generative adversarial networks", 2018.

    Examples:
        >>> import proa
        >>> layer = proa.nn.utils.spectral_norm(proa.nn.Linear(2, 3))
        >>> list(layer.state_dict())
        ['bias', 'weight_orig', 'weight_u', 'weight_v']
    """
    if n_power_iterations < 1:
        raise InvalidArgumentError(
            f"`n_power_iterations` of `spectral_norm` is {n_power_iterations}",
            expected="a positive integer",
            fix="use 1",
        )
    _refuse_second(layer, name, SpectralNormHook, "spectral_norm")
    weight = _take_out(layer, name)
    if dim is None:
        dim = 1 if isinstance(layer, Linear | _TransposedConv) else 0
    hook = SpectralNormHook(name, n_power_iterations, eps, dim)
    rows = weight.shape[dim]
    with GradMode(False):
        u, v = (
            hook._unit(draw(Normal(), [size], weight.dtype)) for size in (rows, weight.size // rows)
        )
    delattr(layer, name)
    layer.add_parameter(f"{name}_orig", weight)
    layer.register_buffer(f"{name}_u", u)
    layer.register_buffer(f"{name}_v", v)
    # A computed tensor, as the hook leaves one before each call.
    layer.__dict__[name] = weight * 1.0  # type: ignore[operator]
    layer.register_forward_pre_hook(hook)
    return layer
