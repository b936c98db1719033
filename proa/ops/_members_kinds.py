"""Members that Paddle's class has for other kinds of tensors, and for static programs.

All of Paddle's kinds share one class; a dense tensor answers for those that it is not.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from proa.core import (
    Tensor,
    UnsupportedError,
    as_dtype,
    attach_method,
    composite,
    new_tensor,
    put,
    replace_data,
    tensor_method,
    to_tensor,
)

from ._signal import istft, stft

attach_method("stft", stft)
attach_method("istft", istft)


def _refuse(name: str, kind: str) -> NoReturn:
    raise UnsupportedError(
        f"`Tensor.{name}`",
        expected=f"a tensor that is {kind}; Proa has dense and sparse ones",
        fix="keep such data in Python's own lists and dictionaries, numbers in tensors",
    )


@tensor_method
def rows(self: Tensor) -> list[int]:
    """Refuses: Paddle's tensors of selected rows are not there; gradients are dense.

    Raises:
        UnsupportedError: always.
    """
    _refuse("rows", "made of selected rows")


@tensor_method
def get_selected_rows(self: Tensor) -> None:
    """Returns `None`: the tensor is not made of selected rows."""


@tensor_method
def get_map_tensor(self: Tensor) -> Any:
    """Refuses: there are no vocabularies among tensors.

    Raises:
        UnsupportedError: always.
    """
    _refuse("get_map_tensor", "a vocabulary")


@tensor_method
def set_vocab(self: Tensor, value: Any) -> None:
    """Refuses: there are no vocabularies among tensors.

    Args:
        value: a dictionary.

    Raises:
        UnsupportedError: always.
    """
    _refuse("set_vocab", "a vocabulary")


@tensor_method
def set_string_list(self: Tensor, value: Any) -> None:
    """Refuses: there are no strings among tensors.

    Args:
        value: a list of strings.

    Raises:
        UnsupportedError: always.
    """
    _refuse("set_string_list", "a list of strings")


@tensor_method
def set_tensor(self: Tensor, value: Any) -> None:
    """Takes over another tensor's array, shape and dtype.

    Args:
        value: a tensor or array.
    """
    replace_data(self, to_tensor(value)._data)


@tensor_method
@composite
def reconstruct_from_(self: Tensor, other: Tensor) -> None:
    """Becomes a copy of another tensor, with its shape and dtype.

    Args:
        other: the other one.

    Examples:
        >>> import proa
        >>> x = proa.ones([2])
        >>> x.reconstruct_from_(proa.to_tensor([[5]]))
        >>> x.tolist()
        [[5]]
    """
    set_tensor(self, other)
    self.stop_gradient = other.stop_gradient


def create_tensor(dtype: Any, name: str | None = None, persistable: bool = False) -> Tensor:
    """Makes a tensor without elements, to be given some later.

    Args:
        dtype: its dtype.
        name: its name.
        persistable: marks it as part of a model's state.
    """
    made = new_tensor(put(np.zeros([0], as_dtype(dtype).numpy)))
    if name is not None:
        made.name = name
    made.persistable = persistable
    return made


def _num_shard(self: Tensor) -> int | None:
    placements = self.placements  # type: ignore[attr-defined]
    if placements is None:
        return None
    sizes = zip(self.process_mesh.shape, placements, strict=False)  # type: ignore[attr-defined]
    return int(np.prod([size for size, each in sizes if each.is_shard()], dtype=np.int64))


def _get_gradient(self: Tensor) -> Tensor | None:
    return self.grad  # type: ignore[attr-defined]


def _set_gradient(self: Tensor, value: Tensor | None) -> None:
    self.grad = value  # type: ignore[attr-defined]


#: Values of members that are no methods; `proa.distributed` gives laid out tensors theirs.
MEMBERS: dict[str, Any] = {
    "block": None,
    "create_tensor": staticmethod(create_tensor),
    "grad_": property(_get_gradient, _set_gradient, doc="Paddle's other name for `grad`."),
    "num_shard": property(_num_shard, doc="Number of different parts it lies in; `None` if whole."),
    "placements": None,
    "process_mesh": None,
}
for _name, _member in MEMBERS.items():
    attach_method(_name, _member)
