"""Small things that static code uses beside Programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from typing import Any

from proa import metric, nn
from proa.core import CPUPlace, Tensor, run_eagerly
from proa.ops import full


class BuildStrategy:
    """Options of Paddle's graph builder; XLA decides these things by itself.

    Any attribute may be set; nothing depends on it.
    """

    class ReduceStrategy(IntEnum):
        """How Paddle brings gradients of several devices together."""

        AllReduce = 0
        Reduce = 1

    reduce_strategy = ReduceStrategy.AllReduce


@contextmanager
def name_scope(prefix: str | None = None) -> Iterator[None]:
    """Groups ops by a name in Paddle's drawings; ops keep their line in the source here.

    Args:
        prefix (str, optional): the name.
    """
    yield


@contextmanager
def device_guard(device: str | None = None) -> Iterator[None]:
    """Chooses a device in Paddle; here tensors and marks decide where ops run.

    Args:
        device (str, optional): `cpu`, `gpu:0`, ...
    """
    yield


def cpu_places(device_count: int | None = None) -> list[CPUPlace]:
    """Returns CPU places.

    Args:
        device_count (int, optional): how many; one by default.

    Examples:
        >>> import proa
        >>> len(proa.static.cpu_places(2))
        2
    """
    return [CPUPlace() for _ in range(device_count or 1)]


def create_parameter(
    shape: Sequence[int],
    dtype: Any,
    name: str | None = None,
    attr: Any = None,
    is_bias: bool = False,
    default_initializer: Any = None,
) -> Any:
    """Makes a trainable tensor for the Program.

    Args:
        shape (list | tuple): sizes.
        dtype (str | dtype): dtype.
        name (str, optional): its name.
        attr (ParamAttr, optional): how it is made.
        is_bias (bool): starts at zero.
        default_initializer (Initializer, optional): used when `attr` names none.
    """
    made = nn.Layer().create_parameter(shape, attr, dtype, is_bias, default_initializer)
    if name is not None:
        made.name = name
    return made


def create_global_var(
    shape: Sequence[int],
    value: float,
    dtype: Any,
    persistable: bool = False,
    force_cpu: bool = False,
    name: str | None = None,
) -> Tensor:
    """Makes a tensor that the Program may read and write, such as a counter.

    Args:
        shape (list | tuple): sizes.
        value (float): its first value.
        dtype (str | dtype): dtype.
        persistable (bool): whether it is saved with the Program.
        force_cpu (bool): kept for Paddle's signature.
        name (str, optional): its name.
    """
    with run_eagerly():
        made = full(list(shape), value, dtype)
    made.persistable = persistable
    if name is not None:
        made.name = name
    return made


def accuracy(
    input: Tensor, label: Tensor, k: int = 1, correct: Any = None, total: Any = None
) -> Tensor:
    """Returns the share of rows whose label is among the k largest predictions.

    Args:
        input (Tensor): predictions, [N, C].
        label (Tensor): integer labels, [N, 1].
        k (int): how many predictions count.
        correct (Tensor, optional): kept for Paddle's signature.
        total (Tensor, optional): kept for Paddle's signature.
    """
    return metric.accuracy(input, label, k)
