"""The precision that a model's steps run in: what `amp_configs` asks for."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

import jax.numpy as jnp
import numpy as np

from proa.amp import GradScaler, auto_cast, decorate
from proa.core import InvalidArgumentError, InvalidTypeError, Tensor

_LEVELS = ("O0", "O1", "O2", "OD")
_CAST_KEYS = ("custom_white_list", "custom_black_list", "use_promote")
_SCALER_KEYS = (
    "init_loss_scaling",
    "incr_ratio",
    "decr_ratio",
    "incr_every_n_steps",
    "decr_every_n_nan_or_inf",
    "use_dynamic_loss_scaling",
)
_KEYS = ("level", "dtype", *_CAST_KEYS, *_SCALER_KEYS)
_COUNTS, _SCALE = "scaler/counts", "scaler/scale"


class Precision:
    """How the steps of a model choose dtypes, and how its loss is scaled.

    Args:
        level: the level of `auto_cast`; `"O0"` for full precision.
        dtype: the low-precision dtype.
        casts: further arguments of `auto_cast`.
        scaler: scales the loss, or `None`.
    """

    def __init__(
        self,
        level: str = "O0",
        dtype: str = "bfloat16",
        casts: Mapping[str, Any] | None = None,
        scaler: GradScaler | None = None,
    ) -> None:
        self.level, self.dtype, self.scaler = level, dtype, scaler
        self._casts = dict(casts or {})
        self._seen_skipped = 0
        self.region()

    @property
    def is_mixed(self) -> bool:
        """Whether anything is cast."""
        return self.level != "O0"

    def region(self) -> AbstractContextManager[None]:
        """Returns the region that a step's forward pass runs in."""
        return auto_cast(self.is_mixed, level=self.level, dtype=self.dtype, **self._casts)

    def cast_network(self, network: Any, optimizer: Any) -> None:
        """Casts network and optimizer, where the level asks for it."""
        if self.level != "O2":
            return
        if optimizer is None:
            decorate(network, level="O2", dtype=self.dtype)
        else:
            decorate(network, optimizer, level="O2", dtype=self.dtype)

    def backward(self, loss: Tensor) -> None:
        """Runs the backward pass of a loss."""
        scaled: Any = loss if self.scaler is None else self.scaler.scale(loss)
        scaled.backward()

    def step(self, optimizer: Any) -> None:
        """Updates the parameters."""
        if self.scaler is None:
            optimizer.step()
        else:
            self.scaler.step(optimizer)
            self.scaler.update()

    def has_skipped(self) -> bool:
        """Whether a step was skipped since the last call; waits for the steps so far.

        Raises:
            NonFiniteError: no step was applied for long.
        """
        if self.scaler is None:
            return False
        before, self._seen_skipped = self._seen_skipped, self.scaler.skipped_steps
        self.scaler.raise_if_stuck()
        return self._seen_skipped > before

    def gather(self) -> dict[str, np.ndarray]:
        """Returns what a checkpoint keeps."""
        if self.scaler is None:
            return {}
        return {_SCALE: self.scaler._scale.numpy(), _COUNTS: self.scaler._counts.numpy()}

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Puts back what `gather` returned, if the checkpoint has it."""
        if self.scaler is None or _SCALE not in arrays:
            return
        self.scaler._scale._data = jnp.array(arrays[_SCALE], copy=True)
        self.scaler._counts._data = jnp.array(arrays[_COUNTS], copy=True)
        self._seen_skipped = self.scaler.skipped_steps


def read_precision(configs: Any) -> Precision:
    """Reads `amp_configs`.

    Args:
        configs: `None`, a level, or a dict of settings.

    Raises:
        InvalidTypeError: it is something else.
        InvalidArgumentError: a setting is unknown or out of range.
    """
    if configs is None:
        return Precision()
    given: Any = {"level": configs} if isinstance(configs, str) else configs
    if not isinstance(given, Mapping):
        raise InvalidTypeError(
            f"`amp_configs` is a {type(configs).__name__}",
            expected="a level such as 'O1', or a dict of settings",
            fix='write amp_configs={"level": "O1", "dtype": "bfloat16"}',
        )
    unknown = sorted(set(given) - set(_KEYS), key=str)
    if unknown:
        raise InvalidArgumentError(
            f"`amp_configs` has {', '.join(map(repr, unknown))}",
            expected="settings among " + ", ".join(_KEYS),
            fix="take the others out",
        )
    level, dtype = given.get("level", "O1"), given.get("dtype", "bfloat16")
    if level not in _LEVELS:
        raise InvalidArgumentError(
            f"`amp_configs` has the level {level!r}",
            expected="one of " + ", ".join(map(repr, _LEVELS)),
            fix="change `level`",
        )
    scaling = {key: given[key] for key in _SCALER_KEYS if key in given}
    casts = {key: given[key] for key in _CAST_KEYS if key in given}
    is_scaled = level != "O0" and (scaling or dtype == "float16")
    return Precision(level, dtype, casts, GradScaler(**scaling) if is_scaled else None)


def widened(tensors: list[Any]) -> list[Any]:
    """Returns outputs with those in half precision cast to float32, for NumPy and users."""
    half = ("bfloat16", "float16")
    return [t.astype("float32") if t.dtype.name in half else t for t in tensors]
