"""Moving and casting all parameters and buffers of a layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from proa.core import (
    GradMode,
    InvalidArgumentError,
    Tensor,
    as_dtype,
    as_place,
    outside_program,
    put,
    replace_data,
)

from ._layer_tree import Tree

L = TypeVar("L", bound="Convert")


class Convert(Tree):
    """The part of Layer that changes the dtype and the place of its tensors."""

    def to(
        self: L,
        device: Any = None,
        dtype: Any = None,
        blocking: bool | None = None,
        non_blocking: bool | None = None,
    ) -> L:
        """Moves and casts the layer's tensors in place; integer tensors keep their dtype.

        Args:
            device: where to (`"cpu"`, `"gpu:0"`, a Place); `None` leaves them where they are.
            dtype: floating dtype to cast to; `None` leaves it as it is.
            blocking: kept for Paddle's signature; the data is ready when it is used.
            non_blocking: kept for Paddle's signature.

        Returns:
            The layer.

        Raises:
            InvalidArgumentError: `device` is no place, or `dtype` is not floating.
            InvalidTypeError: `dtype` is no dtype.

        Differs: Paddle 3.3.1 casts integer buffers too.
        """
        return self._convert(device, dtype, ())

    def astype(self: L, dtype: Any = None) -> L:
        """Casts floating parameters and buffers; the same as `to(dtype=dtype)`."""
        return self._convert(None, dtype, ())

    def type(self: L, dst_type: Any) -> L:
        """Casts floating parameters and buffers, as `astype` does."""
        return self._convert(None, dst_type, ())

    def float(self: L, excluded_layers: Any = None) -> L:
        """Casts to float32, but for the layers of the classes in `excluded_layers`."""
        return self._convert(None, "float32", _classes(excluded_layers))

    def float16(self: L, excluded_layers: Any = None) -> L:
        """Casts to float16, but for the layers of the classes in `excluded_layers`."""
        return self._convert(None, "float16", _classes(excluded_layers))

    def bfloat16(self: L, excluded_layers: Any = None) -> L:
        """Casts to bfloat16, but for the layers of the classes in `excluded_layers`."""
        return self._convert(None, "bfloat16", _classes(excluded_layers))

    def half(self: L) -> L:
        """Casts to float16."""
        return self._convert(None, "float16", ())

    def double(self: L) -> L:
        """Casts to float64."""
        return self._convert(None, "float64", ())

    def cpu(self: L) -> L:
        """Moves to the host."""
        return self._convert("cpu", None, ())

    def cuda(self: L, device: Any = None) -> L:
        """Moves to a GPU, by number or place; the first one when it is `None`."""
        place = f"gpu:{device or 0}" if isinstance(device, int | None) else device
        return self._convert(place, None, ())

    def _convert(self: L, device: Any, dtype: Any, excluded: tuple[Any, ...]) -> L:
        place = None if device is None else as_place(device)
        wanted = None if dtype is None else as_dtype(dtype)
        if wanted is not None and not wanted.is_inexact:
            raise InvalidArgumentError(
                f"`dtype` is {wanted.name}",
                expected="a floating dtype: parameters are trained",
                fix="cast single buffers with astype, or quantise the model with proa.slim",
            )
        for layer in self.sublayers(include_self=True):
            if excluded and isinstance(layer, excluded):
                continue
            for tensor in (*layer._parameters.values(), *layer._buffers.values()):
                if tensor is not None:
                    with outside_program():
                        _convert_tensor(tensor, place, wanted)
            if wanted is not None:
                layer._dtype = wanted.name
        return self


def _classes(excluded_layers: Any) -> tuple[Any, ...]:
    if excluded_layers is None:
        return ()
    given = excluded_layers if isinstance(excluded_layers, Sequence) else (excluded_layers,)
    if not all(isinstance(entry, type) for entry in given):
        raise InvalidArgumentError(
            f"`excluded_layers` is {excluded_layers!r}",
            expected="classes of layers",
            fix="pass classes, for example [proa.nn.BatchNorm2D]",
        )
    return tuple(given)


def _convert_tensor(tensor: Tensor, place: Any, dtype: Any) -> None:
    holders = [tensor, tensor._grad] if isinstance(tensor._grad, Tensor) else [tensor]
    for holder in holders:
        data = holder._data
        if dtype is not None and holder.dtype.is_inexact and holder.dtype is not dtype:
            data = data.astype(dtype.numpy)
        if place is not None:
            data = put(data, place)
        if data is not holder._data:
            with GradMode(False):
                replace_data(holder, data)
