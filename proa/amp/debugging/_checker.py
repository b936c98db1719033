"""The tensor checker: an interceptor that looks at what each op gives."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from proa.amp._lists import expand_names, read_names
from proa.core import InvalidArgumentError, InvalidTypeError, default_seed, interceptors
from proa.core import seed as set_seed

from ._numerics import DebugMode, device_of, is_checkable, read_mode, report
from ._statistics import measure


class TensorCheckerConfig:
    """What the tensor checker looks at, and what it does about it.

    Args:
        enable (bool): whether it looks at all. If so, the streams of `proa`, `random` and
            `numpy.random` start again from the seed of `proa.seed`, which is printed, so that
            the run can be repeated.
        debug_mode (DebugMode): what it does.
        output_dir (str, optional): folder for the report `worker_<device>`; printed by default.
        checked_op_list (list[str], optional): only these ops, by Proa's names or Paddle's.
        skipped_op_list (list[str], optional): all ops but these.
        debug_step (list[int], optional): `[start, end)`: counts calls of
            `enable_tensor_checker`, of which there is one per step.
        stack_height_limit (int): kept for Paddle's signature; errors name the user's line.

    Raises:
        InvalidTypeError: the mode or a list is none.
        InvalidArgumentError: `debug_step` is no pair of a start and a later end.

    Examples:
        >>> import proa
        >>> from proa.amp import debugging
        >>> config = debugging.TensorCheckerConfig(True, debugging.DebugMode.CHECK_ALL)
        AMP Debugging TensorCheckerConfig: seed ...
        >>> debugging.enable_tensor_checker(config)
        >>> _ = proa.ones([2]) + 1
        [PRECISION] in [device=cpu, op=add, ...], numel=2, ... mean=2.000000e+00
        >>> debugging.disable_tensor_checker()
    """

    def __init__(
        self,
        enable: bool,
        debug_mode: Any = DebugMode.CHECK_NAN_INF_AND_ABORT,
        output_dir: str | None = None,
        checked_op_list: Any = None,
        skipped_op_list: Any = None,
        debug_step: Any = None,
        stack_height_limit: int = 1,
    ) -> None:
        self.enable, self.debug_mode = bool(enable), read_mode(debug_mode)
        self.output_dir, self.stack_height_limit = output_dir, stack_height_limit
        self.checked_op_list = read_names("checked_op_list", checked_op_list)
        self.skipped_op_list = read_names("skipped_op_list", skipped_op_list)
        self._checked = expand_names(self.checked_op_list)
        self._skipped = expand_names(self.skipped_op_list)
        self.debug_step = _read_steps(debug_step)
        self.current_step_id = 0
        self.seed = self.initial_seed = default_seed()
        if self.enable:
            self._restart_streams()

    def _restart_streams(self) -> None:
        """Makes the run that is looked at repeatable, and says from which seed."""
        set_seed(self.seed)
        random.seed(self.seed)
        np.random.seed(self.seed & 0xFFFFFFFF)
        print("AMP Debugging TensorCheckerConfig: seed ", self.seed)

    def update_and_check_step_id(self) -> bool:
        """Counts a step; returns whether it is one to look at."""
        step, self.current_step_id = self.current_step_id, self.current_step_id + 1
        if not self.enable:
            return False
        return self.debug_step is None or self.debug_step[0] <= step < self.debug_step[1]

    def wants(self, op: str) -> bool:
        """Whether an op is looked at; its gradient goes with it."""
        name = op.removesuffix("_grad")
        if self.checked_op_list and name not in self._checked:
            return False
        return name not in self._skipped

    def write(self, line: str, device: str) -> None:
        """Prints a line, or adds it to the report."""
        if self.output_dir is None:
            print(line)
            return
        folder = Path(self.output_dir)
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"worker_{device}").open("a", encoding="utf-8") as report_file:
            report_file.write(f"{line}\n")


def _read_steps(given: Any) -> tuple[int, int] | None:
    if given is None:
        return None
    is_pair = isinstance(given, list | tuple) and len(given) == 2
    if not is_pair or not 0 <= given[0] < given[1]:
        raise InvalidArgumentError(
            f"`debug_step` is {given!r}", expected="[start, end] with start < end", fix="change it"
        )
    return given[0], given[1]


_active: list[TensorCheckerConfig] = []


def _check(op: Any, tensors: tuple[Any, ...], key: Any, proceed: Any) -> Any:
    out = proceed(op, tensors, key)
    if not _active or not _active[0].wants(op.name):
        return out
    config = _active[0]
    for t in out if isinstance(out, tuple) else (out,):
        if is_checkable(t):
            device = device_of(t)
            found = measure(t._data, op.name, t._name or "", device)
            report(found, config.debug_mode, partial(config.write, device=device))
    return out


def enable_tensor_checker(checker_config: Any) -> None:
    """Looks at what each op gives, from now on; call it at the start of each step.

    Ops inside of compiled functions are not seen: run those uncompiled, or set
    `FLAGS_check_nan_inf`, which takes compiled functions apart.

    Args:
        checker_config (TensorCheckerConfig): what to look at.

    Raises:
        InvalidTypeError: it is no TensorCheckerConfig.
    """
    if not isinstance(checker_config, TensorCheckerConfig):
        raise InvalidTypeError(
            f"enable_tensor_checker was given a {type(checker_config).__name__}",
            expected="a TensorCheckerConfig",
            fix="pass proa.amp.debugging.TensorCheckerConfig(enable=True)",
        )
    disable_tensor_checker()
    if checker_config.update_and_check_step_id():
        _active.append(checker_config)
        interceptors.append(_check)


def disable_tensor_checker() -> None:
    """Ends what `enable_tensor_checker` began."""
    if _active:
        _active.clear()
        interceptors.remove(_check)
