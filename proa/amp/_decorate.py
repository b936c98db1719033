"""decorate: a network in low precision, with master weights in its optimizer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proa import nn
from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    Tensor,
    as_dtype,
    outside_program,
    replace_data,
)

from ._auto_cast import dtype_name
from ._lists import LEVELS

_BATCH_NORMS = (nn.BatchNorm, nn.BatchNorm1D, nn.BatchNorm2D, nn.BatchNorm3D, nn.SyncBatchNorm)
# Their sums of squares overflow float16, not bfloat16.
_FLOAT16_NORMS = (
    *(nn.LayerNorm, nn.RMSNorm, nn.InstanceNorm1D, nn.InstanceNorm2D, nn.InstanceNorm3D),
)
_SAVED = ("float16", "bfloat16", "float32", "float64")


def decorate(
    models: Any,
    optimizers: Any = None,
    level: str = "O1",
    dtype: Any = "float16",
    master_weight: bool | None = None,
    save_dtype: str | None = None,
    master_grad: bool = False,
    excluded_layers: Any = None,
) -> Any:
    """Casts networks to low precision, in place, and has optimizers keep float32 weights.

    At `"O2"` float32 parameters and buffers take the low dtype; batch normalisation stays in
    float32, and at float16 layer, RMS and instance normalisation too. At any other level
    nothing changes.

    Args:
        models (Layer | list[Layer]): the networks.
        optimizers (Optimizer | list[Optimizer], optional): their optimizers.
        level (str): `"O1"` or `"O2"`.
        dtype (str): `"float16"` or `"bfloat16"`.
        master_weight (bool, optional): whether optimizers keep float32 copies of
            low-precision parameters; they do by default.
        save_dtype (str, optional): what floating tensors are cast to in `state_dict()`.
        master_grad (bool): whether gradients of low-precision parameters are float32.
        excluded_layers (Layer | type | list, optional): layers, or their classes, that keep
            their dtype.

    Returns:
        What was given: the networks, or a pair of networks and optimizers.

    Raises:
        InvalidArgumentError: `level`, `dtype` or `save_dtype` is unknown.
        InvalidTypeError: a network, optimizer or excluded layer is none.

    Examples:
        >>> import proa
        >>> network = proa.nn.Sequential(proa.nn.Linear(4, 4), proa.nn.BatchNorm1D(4))
        >>> optimizer = proa.optimizer.Adam(parameters=network.parameters())
        >>> network, optimizer = proa.amp.decorate(
        ...     network, optimizer, level="O2", dtype="bfloat16"
        ... )
        >>> network[0].weight.dtype, network[1].weight.dtype
        (paddle.bfloat16, paddle.float32)
    """
    if level not in LEVELS:
        raise InvalidArgumentError(
            f"`level` of decorate is {level!r}", expected="'O1' or 'O2'", fix="change `level`"
        )
    name = dtype_name(dtype)
    if save_dtype is not None and save_dtype not in _SAVED:
        raise InvalidArgumentError(
            f"`save_dtype` of decorate is {save_dtype!r}",
            expected="one of " + ", ".join(map(repr, _SAVED)),
            fix="change `save_dtype`",
        )
    networks = _listed("models", models, nn.Layer, "layers of proa.nn")
    chosen = [] if optimizers is None else _optimizers(optimizers)
    if level == "O2":
        excluded = _excluded(excluded_layers)
        for network in networks:
            with outside_program():
                _cast_network(network, name, excluded, master_grad)
        for optimizer in chosen:
            _keep_masters(optimizer, master_weight is not False)
    if save_dtype is not None:
        for network in networks:
            network.register_state_dict_hook(_Saver(save_dtype))
    return models if optimizers is None else (models, optimizers)


def amp_decorate(
    models: Any,
    optimizers: Any = None,
    level: str = "O1",
    dtype: Any = "float16",
    master_weight: bool | None = None,
    save_dtype: str | None = None,
    master_grad: bool = False,
    excluded_layers: Any = None,
) -> Any:
    """Does what `decorate` does, under an older name."""
    return decorate(
        models,
        optimizers,
        level,
        dtype,
        master_weight,
        save_dtype,
        master_grad,
        excluded_layers,
    )


def _listed(name: str, given: Any, kind: Any, expected: str) -> list[Any]:
    found = list(given) if isinstance(given, list | tuple) else [given]
    for each in found:
        if not isinstance(each, kind):
            raise InvalidTypeError(
                f"`{name}` of decorate has a {type(each).__name__}",
                expected=expected,
                fix=f"pass objects, alone or in a list, as `{name}`",
            )
    return found


def _optimizers(given: Any) -> list[Any]:
    found = list(given) if isinstance(given, list | tuple) else [given]
    for each in found:
        if not hasattr(each, "_parameter_list"):
            _listed("optimizers", each, (), "optimizers of proa.optimizer")
    return found


def _excluded(given: Any) -> tuple[set[int], tuple[Any, ...]]:
    """Returns the ids of the layers, and the classes, that keep their dtype."""
    if given is None:
        return set(), ()
    entries = given if isinstance(given, Sequence) and not isinstance(given, nn.Layer) else [given]
    classes = tuple(each for each in entries if isinstance(each, type))
    layers = [each for each in entries if not isinstance(each, type)]
    _listed("excluded_layers", layers, nn.Layer, "layers, or classes of layers")
    return {id(part) for each in layers for part in each.sublayers(include_self=True)}, classes


def _cast_network(
    network: Any, dtype: str, excluded: tuple[set[int], tuple[Any, ...]], master_grad: bool
) -> None:
    norms = (*_BATCH_NORMS, *(_FLOAT16_NORMS if dtype == "float16" else ()))
    layers, classes = excluded
    for layer in network.sublayers(include_self=True):
        is_kept = id(layer) in layers or isinstance(layer, (*norms, *classes))
        if is_kept or not getattr(layer, "_cast_to_low_precision", True):
            continue
        for tensor in (*layer._parameters.values(), *layer._buffers.values()):
            if tensor is not None and tensor.dtype.name == "float32":
                _cast(tensor, dtype, master_grad)
        layer._dtype = dtype


def _cast(tensor: Tensor, dtype: str, master_grad: bool) -> None:
    low = as_dtype(dtype).numpy
    replace_data(tensor, tensor._data.astype(low))
    if master_grad:
        tensor._grad_dtype = as_dtype("float32")
    elif isinstance(tensor._grad, Tensor):
        replace_data(tensor._grad, tensor._grad._data.astype(low))


def _keep_masters(optimizer: Any, keep: bool) -> None:
    optimizer._multi_precision = keep
    for entry in getattr(optimizer, "_entries", ()):
        if keep and entry.state is not None and entry.master is None and entry.is_half():
            entry.add_master()
    getattr(optimizer, "_calls", {}).clear()


class _Saver:
    """Casts what `state_dict` returns."""

    def __init__(self, dtype: str) -> None:
        self.dtype = as_dtype(dtype)

    def __call__(self, state: Any) -> Any:
        for name, value in state.items():
            if (
                isinstance(value, Tensor)
                and value.dtype.is_inexact
                and value.dtype is not self.dtype
            ):
                state[name] = Tensor(value, dtype=self.dtype)
        return state
