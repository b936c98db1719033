"""The values of a tensor as an object of their own, as scopes and `Tensor.get_tensor` give them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._context import run_eagerly
from ._errors import PreconditionError
from ._place import place_of
from ._tensor import Tensor, concrete, tensor_method
from ._views import set_value

#: More elements than this are not all printed.
_PRINTED = 1000


class DenseTensor:
    """The values of a tensor, to be read and overwritten; an empty one takes any values.

    Args:
        tensor: whose values they are; `None` for values that are still to be set.

    Examples:
        >>> import numpy, proa
        >>> weight = proa.to_tensor([1.0, 2.0])
        >>> weight.get_tensor().set(numpy.array([3.0, 4.0]), proa.CPUPlace())
        >>> weight.tolist()
        [3.0, 4.0]
    """

    def __init__(self, tensor: Tensor | None = None) -> None:
        self._tensor = tensor
        self._is_own = tensor is None

    @property
    def tensor(self) -> Tensor:
        """The tensor whose values they are.

        Raises:
            PreconditionError: there are no values yet.
        """
        if self._tensor is None:
            raise PreconditionError(
                "a variable without values was read",
                expected="a variable that was set, or that a Program has made",
                fix="call get_tensor().set(array, place) first",
            )
        return self._tensor

    def set(self, value: Any, place: Any = None) -> None:
        """Overwrites the values.

        Args:
            value (ndarray): the new ones; of the tensor's shape where a tensor has them.
            place (Place, optional): makes no difference: values stay where they are.

        Raises:
            InvalidArgumentError: another shape than the tensor's.
        """
        with run_eagerly():
            if self._is_own:
                self._tensor = Tensor(np.asarray(value))
            else:
                set_value(self.tensor, value)

    def shape(self) -> list[int]:
        """Returns the sizes."""
        with run_eagerly():
            return list(self.tensor._data.shape)

    def lod(self) -> list[Any]:
        """Returns the levels of nested sequences: none, since values are a plain array."""
        return []

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        # A copy in any case: an array of the device's memory would be read-only.
        with run_eagerly():
            return np.array(concrete(self.tensor, "reading its values"), dtype)

    def __repr__(self) -> str:
        if self._tensor is None:
            return "DenseTensor without values"
        with run_eagerly():
            data = concrete(self._tensor, "reading its values")
        lines = (
            f"shape: {self.shape()}",
            "layout: NCHW",
            f"place: {place_of(data)}",
            f"dtype: {data.dtype}",
            f"data: [{_joined(np.asarray(data).reshape(-1))}]",
        )
        return "\n".join(f"  - {line}" for line in lines)


def _joined(values: np.ndarray) -> str:
    if values.size <= _PRINTED:
        return " ".join(map(_element, values.tolist()))
    ends = values[: _PRINTED // 2], values[-_PRINTED // 2 :]
    return " ... ".join(map(_joined, ends))


def _element(value: Any) -> str:
    if isinstance(value, complex):
        return f"{value.real:g}{value.imag:+g}j"
    return f"{value:g}" if isinstance(value, float) else str(int(value))


@tensor_method
def get_tensor(self: Tensor) -> DenseTensor:
    """Returns the tensor's values as an object that can overwrite them."""
    return DenseTensor(self)
