"""NaN/Inf checking: an interceptor that names the op, switched by FLAGS_check_nan_inf."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from ._context import interceptors, user_location
from ._dispatch import describe_array, is_inexact
from ._errors import NonFiniteError
from ._flags import define_flag


def _check(op: Any, tensors: tuple[Any, ...], key: Any, proceed: Any) -> Any:
    out = proceed(op, tensors, key)
    for position, t in enumerate(out if isinstance(out, tuple) else (out,)):
        if isinstance(t._data, jax.Array) and is_inexact(t._data.dtype):
            _check_one(op, tensors, position, t)
    return out


def _check_one(op: Any, tensors: tuple[Any, ...], position: int, t: Any) -> None:
    if bool(jax.numpy.isfinite(t._data).all()):
        return
    array = np.asarray(t._data)
    nans, infinities = int(np.isnan(array).sum()), int(np.isinf(array).sum())
    inputs = ", ".join(
        f"{op.describe(i)}: {describe_array(x._data)}" for i, x in enumerate(tensors)
    )
    raise NonFiniteError(
        f"op `{op.name}` gave {nans} NaN and {infinities} Inf in output {position} "
        f"{describe_array(array)} at {user_location()} (inputs: {inputs})",
        expected="finite values while FLAGS_check_nan_inf is on",
        fix="look at the op's inputs; guard log, sqrt and division, or lower the learning rate",
    )


def checks_numbers() -> bool:
    """Whether `FLAGS_check_nan_inf` is on: compiled functions then run op by op."""
    return bool(interceptors) and _check in interceptors


def _switch(on: bool) -> None:
    if on and _check not in interceptors:
        interceptors.append(_check)
    elif not on and _check in interceptors:
        interceptors.remove(_check)


define_flag("FLAGS_check_nan_inf", False, watch=_switch)
