"""Pruned models: masks that are applied once, and after each step of an optimizer."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from proa.core import InvalidArgumentError, InvalidTypeError, Tensor, no_grad, to_tensor
from proa.nn import Layer
from proa.optimizer import Optimizer

from ._masks import MaskAlgo, check_pattern, create_mask

PruningFunction = Callable[[np.ndarray, int, int, MaskAlgo, str], tuple[np.ndarray, np.ndarray]]
_ALGORITHMS = {
    "mask_1d": MaskAlgo.MASK_1D,
    "mask_2d_greedy": MaskAlgo.MASK_2D_GREEDY,
    "mask_2d_best": MaskAlgo.MASK_2D_BEST,
}
#: Kinds of layers whose weights are pruned, by name; `None` for the usual way.
_SUPPORTED: dict[str, PruningFunction | None] = {"linear": None, "conv2d": None, "fc": None}
_EXCLUDED: set[str] = set()
#: By id, with the parameter weakly: tensors compare element by element, so they are no keys.
_MASKS: dict[int, tuple[weakref.ref[Tensor], Tensor]] = {}


def _kind(layer: Layer) -> str:
    return type(layer).__name__.lower()


def add_supported_layer(layer: Any, pruning_func: PruningFunction | None = None) -> None:
    """Has the weights of one more kind of layers pruned.

    Args:
        layer: a class of layers, a layer, or the name of a class.
        pruning_func: function of (weight, m, n, algorithm, parameter's name), weight as a NumPy
            array, that returns the pruned weight and its mask; the usual way by default.

    Raises:
        InvalidTypeError: no kind of layers.
    """
    if isinstance(layer, str):
        name = layer.lower()
    elif isinstance(layer, Layer):
        name = _kind(layer)
    elif isinstance(layer, type) and issubclass(layer, Layer):
        name = layer.__name__.lower()
    else:
        raise InvalidTypeError(
            f"`layer` of `add_supported_layer` is a {type(layer).__name__}",
            expected="a class of layers, a layer, or the name of a class",
            fix="for example add_supported_layer(proa.nn.Conv1D)",
        )
    _SUPPORTED[name] = pruning_func


def set_excluded_layers(param_names: Sequence[str], main_program: Any = None) -> None:
    """Has `prune_model` leave parameters or layers as they are.

    Args:
        param_names: names of parameters, or full names of layers.
        main_program: not used.
    """
    _EXCLUDED.update(param_names)


def reset_excluded_layers(main_program: Any = None) -> None:
    """Forgets what `set_excluded_layers` was told.

    Args:
        main_program: not used.
    """
    _EXCLUDED.clear()


def _is_excluded(layer: Layer, param: Tensor) -> bool:
    names = {layer.full_name(), param.name, param.name.partition(".")[0]}
    return bool(names & _EXCLUDED)


def _usual(
    weight: np.ndarray, m: int, n: int, algorithm: MaskAlgo, name: str
) -> tuple[np.ndarray, np.ndarray] | None:
    """Prunes along the input channels; `None` where there are fewer than `m`."""
    inputs = weight.shape[0] if weight.ndim == 2 else weight.shape[1]
    if inputs < m:
        return None
    mask = create_mask(weight.T, algorithm, n, m).T
    return weight * mask, mask


def prune_model(
    model: Layer, n: int = 2, m: int = 4, mask_algo: str = "mask_1d", with_mask: bool = True
) -> dict[str, Tensor]:
    """Prunes the weights of linear layers and convolutions to n:m sparsity.

    Of `m` neighbours along the input channels the `n` smallest become zero.

    Args:
        model: the layer; its sub-layers are looked through.
        n: number of zeros.
        m: number of neighbours.
        mask_algo: `"mask_1d"`; with `"mask_2d_greedy"` and `"mask_2d_best"` the transposed
            weights are sparse too.
        with_mask: keep the masks, for optimizers that went through `decorate`.

    Returns:
        Masks by the parameters' names. Weights with fewer than `m` input channels are left out.

    Raises:
        InvalidTypeError: `model` is no Layer.
        InvalidArgumentError: no pattern, or an unknown algorithm.

    Examples:
        >>> import proa
        >>> layer = proa.nn.Linear(8, 4)
        >>> masks = proa.incubate.asp.prune_model(layer)
        >>> proa.incubate.asp.calculate_density(layer.weight)
        0.5

    References:
        Mishra et al., "Accelerating sparse deep neural networks", 2021.
    """
    if not isinstance(model, Layer):
        raise InvalidTypeError(
            f"`model` of `prune_model` is a {type(model).__name__}",
            expected="a Layer",
            fix="pass the layer whose weights are to be pruned",
        )
    check_pattern(n, m)
    algorithm = _ALGORITHMS.get(mask_algo)
    if algorithm is None:
        raise InvalidArgumentError(
            f"`mask_algo` is {mask_algo!r}",
            expected="one of " + ", ".join(_ALGORITHMS),
            fix="choose one",
        )
    masks: dict[str, Tensor] = {}
    for _, layer in model.named_sublayers(include_self=True):
        if _kind(layer) not in _SUPPORTED:
            continue
        prune = _SUPPORTED[_kind(layer)] or _usual
        for param in layer.parameters(include_sublayers=False):
            if param.ndim < 2 or _is_excluded(layer, param):
                continue
            made = prune(param.numpy(), m, n, algorithm, param.name)
            if made is None:
                continue
            pruned, mask = made
            param.set_value(pruned)  # type: ignore[attr-defined]
            masks[param.name] = to_tensor(mask.astype(param.numpy().dtype))
            if with_mask:
                _remember(param, masks[param.name])
    return masks


def _remember(param: Tensor, mask: Tensor) -> None:
    key = id(param)
    _MASKS[key] = (weakref.ref(param, lambda _: _MASKS.pop(key, None)), mask)


class _Masked:
    """Mixed into an optimizer's class: after an update, pruned parameters are sparse again."""

    def _update(self, active: list[Any], grads: list[Any]) -> None:
        super()._update(active, grads)  # type: ignore[misc]
        with no_grad():
            for entry in active:
                found = _MASKS.get(id(entry.param))
                if found is not None and found[0]() is entry.param:
                    entry.param.multiply_(found[1])


def decorate(optimizer: Any) -> Any:
    """Has an optimizer keep to the masks of `prune_model`.

    Args:
        optimizer: any optimizer.

    Returns:
        The same optimizer.

    Raises:
        InvalidTypeError: no optimizer.

    Examples:
        >>> import proa
        >>> layer = proa.nn.Linear(8, 4)
        >>> sgd = proa.optimizer.SGD(0.1, parameters=layer.parameters())
        >>> optimizer = proa.incubate.asp.decorate(sgd)
        >>> masks = proa.incubate.asp.prune_model(layer)
        >>> layer(proa.ones([2, 8])).sum().backward()
        >>> optimizer.step()
        >>> proa.incubate.asp.check_sparsity(layer.weight.numpy().T)
        True
    """
    if not isinstance(optimizer, Optimizer):
        raise InvalidTypeError(
            f"`optimizer` of `asp.decorate` is a {type(optimizer).__name__}",
            expected="an optimizer of proa.optimizer",
            fix="decorate the optimizer before anything else wraps it",
        )
    if not isinstance(optimizer, _Masked):
        kind = type(optimizer)
        optimizer.__class__ = type(kind.__name__, (_Masked, kind), {})
    return optimizer
