"""Checks of single tensors and of what goes into a layer and comes out of it."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from proa.core import InvalidTypeError, NonFiniteError, Tensor, is_inexact, user_location

from ._statistics import Statistics, measure

FLOAT16_LIMIT = 65504.0


class DebugMode(enum.Enum):
    """What a check does.

    `CHECK_NAN_INF_AND_ABORT` raises at the first NaN or Inf, `CHECK_NAN_INF` prints and goes
    on, `CHECK_ALL_FOR_OVERFLOW` prints what float16 could not hold, `CHECK_ALL` prints all.
    """

    CHECK_NAN_INF_AND_ABORT = 0
    CHECK_NAN_INF = 1
    CHECK_ALL_FOR_OVERFLOW = 2
    CHECK_ALL = 3


def read_mode(mode: Any) -> DebugMode:
    """Returns a mode.

    Raises:
        InvalidTypeError: it is none.
    """
    if not isinstance(mode, DebugMode):
        raise InvalidTypeError(
            f"`debug_mode` is {mode!r}",
            expected="a member of proa.amp.debugging.DebugMode",
            fix="write DebugMode.CHECK_NAN_INF",
        )
    return mode


def report(found: Statistics, mode: DebugMode, write: Callable[[str], None]) -> None:
    """Writes the line of a tensor where the mode asks for it.

    Raises:
        NonFiniteError: it is not finite, and the mode says to abort.
    """
    overflows = max(abs(found.max), abs(found.min)) > FLOAT16_LIMIT
    is_wanted = {
        DebugMode.CHECK_ALL: True,
        DebugMode.CHECK_ALL_FOR_OVERFLOW: overflows or not found.is_finite,
    }.get(mode, not found.is_finite)
    if is_wanted:
        write(found.line())
    if mode is DebugMode.CHECK_NAN_INF_AND_ABORT and not found.is_finite:
        raise NonFiniteError(
            f"op `{found.op}` gave {found.num_nan} NaN and {found.num_inf} Inf in tensor "
            f"{found.tensor!r} ({found.dtype}, {found.numel} elements) at {user_location()}",
            expected="finite values while they are checked",
            fix="look at the op's inputs, or check with DebugMode.CHECK_NAN_INF to go on",
        )


def check_numerics(
    tensor: Tensor,
    op_type: str,
    var_name: str,
    debug_mode: Any = DebugMode.CHECK_NAN_INF_AND_ABORT,
) -> tuple[Tensor, Tensor]:
    """Looks for NaN and Inf in a tensor, and says what else is in it.

    Args:
        tensor (Tensor): floating tensor.
        op_type (str): name of the op for the report.
        var_name (str): name of the tensor for the report.
        debug_mode (DebugMode): what to do.

    Returns:
        tuple[Tensor, Tensor]: int64 [3] with the numbers of NaN, Inf and zeros, and float32
        [3] with maximum, minimum and mean.

    Raises:
        NonFiniteError: it is not finite, and the mode says to abort.
        InvalidTypeError: it is no floating Tensor, or the mode is none.

    Examples:
        >>> import proa
        >>> from proa.amp.debugging import DebugMode, check_numerics
        >>> counts, values = check_numerics(
        ...     proa.to_tensor([0.0, 1.0, 2.0]), "mine", "x", DebugMode.CHECK_NAN_INF
        ... )
        >>> counts.tolist(), values.tolist()
        ([0, 0, 1], [2.0, 0.0, 1.0])
    """
    mode = read_mode(debug_mode)
    if not isinstance(tensor, Tensor) or not tensor.dtype.is_inexact:
        raise InvalidTypeError(
            f"check_numerics of {tensor!r}"[:200],
            expected="a floating Tensor",
            fix="check floating tensors only: others have no NaN",
        )
    found = measure(tensor._data, op_type, var_name, device_of(tensor))
    report(found, mode, print)
    counts = np.asarray([found.num_nan, found.num_inf, found.num_zero], np.int64)
    values = np.asarray([found.max, found.min, found.mean], np.float32)
    return Tensor(counts), Tensor(values)


def device_of(tensor: Tensor) -> str:
    """Returns `cpu`, `gpu` or another platform's name."""
    devices = getattr(tensor._data, "devices", None)
    return next(iter(devices())).platform if devices else "cpu"


def is_checkable(value: Any) -> bool:
    """Whether a value is a floating tensor with numbers at hand (it is not being recorded)."""
    if not isinstance(value, Tensor) or isinstance(value._data, Tracer):
        return False
    return isinstance(value._data, jax.Array) and is_inexact(value._data.dtype)


def check_layer_numerics(func: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a layer's `forward`: tensors that go in and come out must be finite.

    Args:
        func (callable): the method.

    Returns:
        callable: the method, which raises NonFiniteError and names the layer and the tensor.

    Examples:
        >>> import proa
        >>> class Double(proa.nn.Layer):
        ...     @proa.amp.debugging.check_layer_numerics
        ...     def forward(self, x):
        ...         return x * 2
        >>> Double()(proa.ones([1])).tolist()
        [2.0]
    """

    @functools.wraps(func)
    def wrapped(self: Any, *arguments: Any, **keywords: Any) -> Any:
        _check_all(self, "input", (arguments, keywords))
        result = func(self, *arguments, **keywords)
        _check_all(self, "output", result)
        return result

    return wrapped


def _check_all(layer: Any, what: str, tree: Any) -> None:
    name = type(layer).__name__
    for position, value in enumerate(jax.tree_util.tree_leaves(tree)):
        if is_checkable(value):
            found = measure(value._data, name, f"{what}_{position}", device_of(value))
            report(found, DebugMode.CHECK_NAN_INF_AND_ABORT, print)
