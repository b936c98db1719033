"""Small things that static code uses beside Programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from proa import nn
from proa.core import InvalidArgumentError, Tensor, run_eagerly
from proa.ops import full


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
        device (str, optional): `cpu`, `gpu`, `gpu:0`, `npu`, `xpu`, `all` or `None`; it is
            checked, and changes nothing.

    Raises:
        InvalidArgumentError: no such device.
    """
    kind, _, index = (device or "").partition(":")
    is_known = kind in ("", "cpu", "gpu", "npu", "xpu", "all") and (not index or index.isdigit())
    if not is_known or (index and kind in ("", "cpu", "all")):
        raise InvalidArgumentError(
            f"device_guard({device!r})",
            expected="'cpu', 'gpu' or 'gpu:0'",
            fix="correct the name, or leave the guard out: tensors decide where ops run",
        )
    yield


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

    A clone for test writes to it as well.

    Args:
        shape (list | tuple): sizes.
        value (float): its first value.
        dtype (str | dtype): dtype.
        persistable (bool): whether it is saved with the Program.
        force_cpu (bool): kept for Paddle's signature.
        name (str, optional): its name.
    """
    made = new_state(shape, value, dtype, name)
    made.persistable = persistable
    made._is_global = True  # type: ignore[attr-defined]
    return made


def new_state(shape: Sequence[int], value: float, dtype: Any, name: str | None) -> Tensor:
    """Makes a persistable tensor of one number.

    Args:
        shape: sizes.
        value: the number.
        dtype: dtype.
        name: its name.
    """
    with run_eagerly():
        made = full(list(shape), value, dtype)
    made.persistable = True
    if name is not None:
        made.name = name
    return made
