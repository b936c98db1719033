"""GradScaler: scales a loss so that float16 gradients do not vanish, and skips bad steps."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

from proa.core import (
    ZERO_GRAD,
    GradMode,
    InvalidArgumentError,
    InvalidTypeError,
    NonFiniteError,
    PreconditionError,
    Tensor,
    context,
    new_tensor,
)

from ._loss_scale import (
    BAD,
    GOOD,
    NUM_COUNTS,
    SKIPPED,
    STUCK,
    loss_scale,
    loss_scale_update,
    loss_unscale,
)

_MAX_STUCK = 10
_UPDATES_PER_LOOK = 8
_STATE_KEYS = (
    "scale",
    "incr_ratio",
    "decr_ratio",
    "incr_every_n_steps",
    "decr_every_n_nan_or_inf",
    "incr_count",
    "decr_count",
    "use_dynamic_loss_scaling",
)


class StepResult:
    """What a step of `GradScaler` did; asking it waits for the step, holding it does not.

    Args:
        found_inf: bool Tensor [1], whether a gradient was not finite; `None` without scaling.
    """

    __slots__ = ("found_inf",)

    def __init__(self, found_inf: Tensor | None) -> None:
        self.found_inf = found_inf

    @property
    def skipped(self) -> bool:
        """Whether the step left everything as it was."""
        return self.found_inf is not None and bool(self.found_inf.numpy().any())

    @property
    def applied(self) -> bool:
        """Whether the parameters were updated."""
        return not self.skipped

    def __bool__(self) -> bool:
        return self.applied

    def __repr__(self) -> str:
        return "<step: applied or skipped, ask it>"


class _Record:
    """What a scaler knows about one optimizer between two updates.

    Attributes:
        found: whether a gradient was not finite.
        is_unscaled: whether the gradients were divided by the scale.
        flags: per gradient, whether it was not finite.
        names: names of the parameters of `flags`.
        stage: what was called, and in which recording.
    """

    def __init__(self) -> None:
        self.found, self.is_unscaled = _state(np.zeros(1, bool)), _state(np.zeros(1, bool))
        self.flags = _state(np.zeros(0, bool))
        self.names: list[str] = []
        self.stage: tuple[str, Any] = ("", None)

    def is_at(self, *stages: str) -> bool:
        """Whether a stage was reached; calls in another recording do not count."""
        name, where = self.stage
        return name in stages and where == _recording()

    def reach(self, stage: str) -> None:
        """Notes that something was called."""
        self.stage = (stage, _recording())


def _recording() -> Any:
    return None if context.recorder is None else id(context.recorder)


def _state(array: np.ndarray) -> Tensor:
    made = new_tensor(jax.device_put(array))
    made.persistable = True
    return made


def _put(handle: Tensor, value: Tensor) -> None:
    """Writes state, at once or at the end of each run of the function that is recorded."""
    if context.recorder is not None:
        context.recorder.note_write(handle)
    handle._data = value._data


class GradScaler:
    """Scales losses, so that small gradients survive float16, and skips steps that overflow.

    A step whose gradients have an Inf or a NaN leaves parameters and optimizer state as they
    are, and shrinks the scale; enough good steps in a row let it grow. All of that happens on
    the device, also inside of a compiled step: nothing waits until somebody asks. bfloat16
    has the range of float32 and needs no scaling.

    Args:
        enable (bool): `False` turns all methods into the plain ones of the optimizer.
        init_loss_scaling (float): the first scale, positive.
        incr_ratio (float): factor of growth, >= 1.
        decr_ratio (float): factor of shrinkage, in (0, 1]. The scale never gets below 1, or
            below `init_loss_scaling` where that is smaller.
        incr_every_n_steps (int): good steps in a row before growth.
        decr_every_n_nan_or_inf (int): bad steps in a row before shrinkage.
        use_dynamic_loss_scaling (bool): whether the scale moves at all.

    Raises:
        InvalidArgumentError: a setting is out of range.

    Examples:
        >>> import proa
        >>> w = proa.to_tensor([1.0], stop_gradient=False)
        >>> optimizer = proa.optimizer.SGD(0.5, parameters=[w])
        >>> scaler = proa.amp.GradScaler(init_loss_scaling=1024.0)
        >>> scaler.scale((w * w).sum()).backward()
        >>> result = scaler.step(optimizer)
        >>> scaler.update()
        >>> result.applied, w.tolist()
        (True, [0.0])
        >>> (w * float("inf")).sum().backward()
        >>> bool(scaler.step(optimizer))
        False
        >>> scaler.update()
        >>> scaler.skipped_steps, scaler.get_loss_scaling(), w.tolist()
        (1, 512.0, [0.0])

    Differs: half-precision gradients are unscaled to float32; Paddle 3.3.1 turns itself off on
    a CPU, and does not say whether a step was skipped.
    """

    def __init__(
        self,
        enable: bool = True,
        init_loss_scaling: float = 65536.0,
        incr_ratio: float = 2.0,
        decr_ratio: float = 0.5,
        incr_every_n_steps: int = 2000,
        decr_every_n_nan_or_inf: int = 1,
        use_dynamic_loss_scaling: bool = True,
    ) -> None:
        self._enable, self._dynamic = bool(enable), bool(use_dynamic_loss_scaling)
        self._records: weakref.WeakKeyDictionary[Any, _Record] = weakref.WeakKeyDictionary()
        self._updates = 0
        self._settings: dict[str, float] = {}
        self._check("init_loss_scaling", init_loss_scaling)
        self._settings["init_loss_scaling"] = float(init_loss_scaling)
        self._scale = _state(np.asarray([init_loss_scaling], np.float32))
        self._counts = _state(np.zeros(NUM_COUNTS, np.int32))
        self._ratios, self._periods = _state(np.ones(3, np.float32)), _state(np.ones(2, np.int32))
        given = (incr_ratio, decr_ratio, incr_every_n_steps, decr_every_n_nan_or_inf)
        for name, value in zip(_STATE_KEYS[1:5], given, strict=True):
            self._set(name, value)

    # The steps of training

    def scale(self, var: Tensor) -> Tensor:
        """Multiplies a loss by the scale.

        Args:
            var (Tensor): floating tensor; call `backward()` on the result.

        Returns:
            Tensor: the scaled loss, in float32 at least; `var` itself without scaling.

        Raises:
            InvalidTypeError: `var` is no floating Tensor.
        """
        if not isinstance(var, Tensor) or not var.dtype.is_inexact:
            what = var.dtype.name + " Tensor" if isinstance(var, Tensor) else type(var).__name__
            raise InvalidTypeError(
                f"GradScaler.scale of a {what}",
                expected="a floating Tensor",
                fix="pass the loss, before `.item()` or `.numpy()`",
            )
        return loss_scale(var, self._scale) if self._enable else var

    def unscale_(self, optimizer: Any) -> None:
        """Divides the gradients of an optimizer's parameters by the scale.

        `step` does so by itself; call this before it to clip or look at gradients.

        Args:
            optimizer (Optimizer): the optimizer.

        Raises:
            InvalidTypeError: it is no optimizer.
            PreconditionError: it was called before, since the last `update`.
        """
        if not self._enable:
            return
        record = self._record(optimizer)
        if record.is_at("unscaled", "stepped"):
            raise PreconditionError(
                "unscale_ for gradients that were unscaled since the last update()",
                expected="one call per step and optimizer",
                fix="call scaler.update() after scaler.step(optimizer)",
            )
        self._unscale(optimizer, record)

    def _unscale(self, optimizer: Any, record: _Record) -> None:
        params = _params_with_gradients(optimizer)
        record.reach("unscaled")
        if not params:
            return
        with GradMode(False):
            grads = [param._grad for param in params]
            found, done, flags, *wide = loss_unscale(
                self._scale, record.is_unscaled, record.found, grads
            )
        for param, grad in zip(params, wide, strict=True):
            grad._claims_gradient = True
            param._grad = grad
        record.names = [param.name for param in params]
        for handle, value in (
            (record.found, found),
            (record.flags, flags),
            (record.is_unscaled, done),
        ):
            _put(handle, value)

    def step(self, optimizer: Any) -> StepResult:
        """Unscales the gradients and updates the parameters, unless one is not finite.

        Args:
            optimizer (Optimizer): the optimizer.

        Returns:
            StepResult: `applied` and `skipped` say what happened, and wait for it; so does
            its truth value, true for a step that was applied.

        Raises:
            InvalidTypeError: it is no optimizer.
            PreconditionError: it was called before, since the last `update`.
        """
        if not self._enable:
            optimizer.step()
            return StepResult(None)
        record = self._start_step(optimizer)
        self._with_veto(optimizer, record, optimizer.step)
        return StepResult(new_tensor(record.found._data))

    def minimize(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Does `optimizer.minimize(...)` on unscaled finite gradients, and updates the scale.

        Args:
            optimizer (Optimizer): the optimizer.
            args: for `optimizer.minimize`: the scaled loss comes first.
            kwargs: for `optimizer.minimize`.

        Returns:
            What `optimizer.minimize` returns.
        """
        if not self._enable:
            return optimizer.minimize(*args, **kwargs)
        record = self._start_step(optimizer)
        result = self._with_veto(optimizer, record, lambda: optimizer.minimize(*args, **kwargs))
        self.update()
        return result

    def _start_step(self, optimizer: Any) -> _Record:
        record = self._record(optimizer)
        if record.is_at("stepped"):
            raise PreconditionError(
                "a second step() since the last update()",
                expected="scaler.step(optimizer), then scaler.update()",
                fix="call scaler.update() once per step",
            )
        if not record.is_at("unscaled"):
            self._unscale(optimizer, record)
        return record

    def _with_veto(self, optimizer: Any, record: _Record, call: Any) -> Any:
        optimizer._set_auxiliary_var("found_inf", record.found)
        try:
            result = call()
        finally:
            optimizer._set_auxiliary_var("found_inf", None)
        record.reach("stepped")
        return result

    def update(self) -> None:
        """Moves the scale, once all optimizers have stepped.

        Raises:
            NonFiniteError: many steps in a row had gradients that are not finite, although
                the scale is at its smallest.
        """
        if not self._enable:
            return
        self._updates += 1
        if context.recorder is None and self._updates % _UPDATES_PER_LOOK == 0:
            if self._counts._data.is_ready():
                self.raise_if_stuck()
        records = list(self._records.values())
        with GradMode(False):
            scale, counts, no = loss_scale_update(
                self._scale,
                self._counts,
                [record.found for record in records],
                self._ratios,
                self._periods,
                self._dynamic,
            )
        _put(self._scale, scale)
        _put(self._counts, counts)
        for record in records:
            record.stage = ("", None)
            _put(record.found, no)
            _put(record.is_unscaled, no)

    def _record(self, optimizer: Any) -> _Record:
        if not hasattr(optimizer, "_set_auxiliary_var"):
            raise InvalidTypeError(
                f"GradScaler was given a {type(optimizer).__name__}",
                expected="an optimizer of proa.optimizer",
                fix="pass the optimizer that holds the parameters",
            )
        return self._records.setdefault(optimizer, _Record())

    # What happened

    @property
    def skipped_steps(self) -> int:
        """How many steps were skipped; reading it waits for the steps so far."""
        return int(self._counts.numpy()[SKIPPED])

    def nonfinite_gradients(self, optimizer: Any) -> list[str]:
        """Returns the names of the parameters whose gradients were not finite last time.

        Args:
            optimizer (Optimizer): an optimizer that has stepped.
        """
        record = self._record(optimizer)
        flags = record.flags.numpy()
        return [name for name, bad in zip(record.names, flags, strict=False) if bad]

    def raise_if_stuck(self) -> None:
        """Raises when the last steps were all skipped although the scale is at its smallest.

        `update` looks from time to time; a compiled step cannot, so call this beside it.

        Raises:
            NonFiniteError: 10 or more steps in a row were skipped.
        """
        number = int(self._counts.numpy()[STUCK])
        if number < _MAX_STUCK:
            return
        names = [n for known in list(self._records) for n in self.nonfinite_gradients(known)]
        first = f", the first in {names[0]!r}" if names else ""
        raise NonFiniteError(
            f"{number} steps in a row had gradients that are not finite{first}, "
            f"although the loss scale is down to {self.get_loss_scaling():g}",
            expected="finite gradients at the smallest scale",
            fix="set FLAGS_check_nan_inf to find the op; use bfloat16, a lower learning rate, or "
            "gradient clipping; clear the gradients after each step",
        )

    # Settings

    def is_enable(self) -> bool:
        """Whether losses are scaled."""
        return self._enable

    def is_use_dynamic_loss_scaling(self) -> bool:
        """Whether the scale moves."""
        return self._enable and self._dynamic

    def get_loss_scaling(self) -> float:
        """Returns the scale; waits for the steps so far."""
        return float(self._scale.numpy()[0])

    def get_init_loss_scaling(self) -> float:
        """Returns the first scale; 1 where losses are not scaled."""
        return self._settings["init_loss_scaling"] if self._enable else 1.0

    def set_init_loss_scaling(self, new_init_loss_scaling: float) -> None:
        """Sets the first scale, and the scale.

        Args:
            new_init_loss_scaling (float): positive.
        """
        self._check("init_loss_scaling", new_init_loss_scaling)
        self._settings["init_loss_scaling"] = float(new_init_loss_scaling)
        self._scale._data = jax.device_put(np.asarray([new_init_loss_scaling], np.float32))
        self._write_settings()

    def get_incr_ratio(self) -> float:
        """Returns the factor of growth."""
        return self._settings["incr_ratio"]

    def set_incr_ratio(self, new_incr_ratio: float) -> None:
        """Sets the factor of growth, >= 1."""
        self._set("incr_ratio", new_incr_ratio)

    def get_decr_ratio(self) -> float:
        """Returns the factor of shrinkage."""
        return self._settings["decr_ratio"]

    def set_decr_ratio(self, new_decr_ratio: float) -> None:
        """Sets the factor of shrinkage, in (0, 1]."""
        self._set("decr_ratio", new_decr_ratio)

    def get_incr_every_n_steps(self) -> int:
        """Returns how many good steps in a row let the scale grow."""
        return int(self._settings["incr_every_n_steps"])

    def set_incr_every_n_steps(self, new_incr_every_n_steps: int) -> None:
        """Sets how many good steps in a row let the scale grow, >= 1."""
        self._set("incr_every_n_steps", new_incr_every_n_steps)

    def get_decr_every_n_nan_or_inf(self) -> int:
        """Returns how many bad steps in a row let the scale shrink."""
        return int(self._settings["decr_every_n_nan_or_inf"])

    def set_decr_every_n_nan_or_inf(self, new_decr_every_n_nan_or_inf: int) -> None:
        """Sets how many bad steps in a row let the scale shrink, >= 1."""
        self._set("decr_every_n_nan_or_inf", new_decr_every_n_nan_or_inf)

    def _set(self, name: str, value: float) -> None:
        self._check(name, value)
        self._settings[name] = value
        self._write_settings()

    def _write_settings(self) -> None:
        # On the device, so that a compiled step takes up a new setting as it is.
        known = self._settings
        floor = min(1.0, known["init_loss_scaling"])
        ratios = [known.get("incr_ratio", 1), known.get("decr_ratio", 1), floor]
        periods = [known.get(name, 1) for name in _STATE_KEYS[3:5]]
        self._ratios._data = jax.device_put(np.asarray(ratios, np.float32))
        self._periods._data = jax.device_put(np.asarray(periods, np.int32))

    @staticmethod
    def _check(name: str, value: Any) -> None:
        is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        expected, holds = {
            "init_loss_scaling": ("a finite number > 0", lambda v: 0 < v < float("inf")),
            "incr_ratio": ("a number >= 1", lambda v: 1 <= v < float("inf")),
            "decr_ratio": ("a number in (0, 1]", lambda v: 0 < v <= 1),
        }.get(name, ("an integer >= 1", lambda v: v >= 1 and int(v) == v))
        if not is_number or not holds(value):
            raise InvalidArgumentError(
                f"`{name}` of GradScaler is {value!r}", expected=expected, fix=f"change `{name}`"
            )

    # Saving and loading

    def state_dict(self) -> dict[str, Any]:
        """Returns scale, settings and counts; nothing when scaling is off."""
        if not self._enable:
            return {}
        counts = self._counts.numpy()
        values = [self._scale.numpy(), *(self._settings[name] for name in _STATE_KEYS[1:5])]
        values += [int(counts[GOOD]), int(counts[BAD]), self._dynamic]
        return dict(zip(_STATE_KEYS, values, strict=True))

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes up what `state_dict` returned.

        Args:
            state_dict (dict): the state.

        Raises:
            InvalidArgumentError: entries are missing, or out of range; nothing changes then.
        """
        if not self._enable:
            return
        missing = [key for key in _STATE_KEYS if key not in state_dict]
        if missing:
            raise InvalidArgumentError(
                f"the state of a GradScaler has no {', '.join(missing)}",
                expected="what state_dict() of a scaler that is enabled returned",
                fix="save the scaler with enable=True, or skip loading it",
            )
        for name in _STATE_KEYS[1:5]:
            self._check(name, state_dict[name])
        scale = np.asarray(state_dict["scale"], np.float32).reshape(1)
        self._check("init_loss_scaling", scale[0])
        self._settings.update({name: state_dict[name] for name in _STATE_KEYS[1:5]})
        self._dynamic = bool(state_dict["use_dynamic_loss_scaling"])
        counts = [state_dict["incr_count"], state_dict["decr_count"], 0, 0]
        self._scale._data = jax.device_put(scale)
        self._counts._data = jax.device_put(np.asarray(counts, np.int32))
        self._write_settings()


def _params_with_gradients(optimizer: Any) -> list[Any]:
    found = []
    for param in optimizer._parameter_list:
        if context.recorder is not None:
            context.recorder.note_grad(param)
        if param._grad is not None and param._grad is not ZERO_GRAD and not param._stop:
            found.append(param)
    return found
