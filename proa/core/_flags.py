"""Run-time flags: read from the environment at import, changed by `set_flags`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ._errors import InvalidTypeError, UnknownNameError

_FLAGS: dict[str, Any] = {}
_WATCHERS: dict[str, list[Callable[[Any], None]]] = {}
#: Flags of Paddle 3.3.1 that scripts set and that have no subject here (its allocators, cuDNN,
#: oneDNN, executors), with its defaults. They are stored and returned; nothing looks at them.
_WITHOUT_SUBJECT: dict[str, Any] = {
    "FLAGS_allocator_strategy": "auto_growth",
    "FLAGS_benchmark": False,
    "FLAGS_call_stack_level": 1,
    "FLAGS_check_nan_inf_level": 0,
    "FLAGS_conv_workspace_size_limit": 512,
    "FLAGS_cudnn_batchnorm_spatial_persistent": False,
    "FLAGS_cudnn_deterministic": False,
    "FLAGS_cudnn_exhaustive_search": False,
    "FLAGS_eager_delete_tensor_gb": 0.0,
    "FLAGS_embedding_deterministic": 0,
    "FLAGS_enable_cublas_tensor_op_math": False,
    "FLAGS_enable_pir_api": True,
    "FLAGS_enable_pir_in_executor": True,
    "FLAGS_fast_eager_deletion_mode": True,
    "FLAGS_fraction_of_cpu_memory_to_use": 1.0,
    "FLAGS_fraction_of_gpu_memory_to_use": 0.92,
    "FLAGS_fuse_parameter_groups_size": 1,
    "FLAGS_fuse_parameter_memory_size": -1.0,
    "FLAGS_gpu_memory_limit_mb": 0,
    "FLAGS_init_allocated_mem": False,
    "FLAGS_initial_cpu_memory_in_mb": 500,
    "FLAGS_initial_gpu_memory_in_mb": 0,
    "FLAGS_inner_op_parallelism": 0,
    "FLAGS_low_precision_op_list": 0,
    "FLAGS_max_inplace_grad_add": 0,
    "FLAGS_memory_fraction_of_eager_deletion": 1.0,
    "FLAGS_new_executor_serial_run": False,
    "FLAGS_paddle_num_threads": 1,
    "FLAGS_reallocate_gpu_memory_in_mb": 0,
    "FLAGS_set_to_1d": False,
    "FLAGS_sort_sum_gradient": False,
    "FLAGS_sync_nccl_allreduce": True,
    "FLAGS_use_autotune": False,
    "FLAGS_use_cinn": False,
    "FLAGS_use_mkldnn": False,
    "FLAGS_use_pinned_memory": True,
    "FLAGS_use_shm_cache": False,
    "FLAGS_use_stride_compute_kernel": True,
    "FLAGS_use_stride_kernel": True,
    "FLAGS_use_system_allocator": False,
    "FLAGS_use_virtual_memory_auto_growth": False,
}


def _parse(name: str, value: Any, kind: type) -> Any:
    try:
        if kind is bool and isinstance(value, str):
            lowered = value.strip().lower()
            if lowered not in ("0", "1", "true", "false", "on", "off"):
                raise ValueError(value)
            return lowered in ("1", "true", "on")
        return kind(value)
    except (TypeError, ValueError) as error:
        raise InvalidTypeError(
            f"flag {name!r} was given {value!r}",
            expected=f"a value that reads as {kind.__name__}",
            fix=f"pass a {kind.__name__}, for example {_FLAGS.get(name, kind())!r}",
        ) from error


def define_flag(name: str, default: Any, *, watch: Callable[[Any], None] | None = None) -> None:
    """Declares a flag; `FLAGS_<name>` in the environment overrides its default.

    Args:
        name: the full name, starting with `FLAGS_`.
        default: the default; its type is the flag's type.
        watch: called with the value now and after each change.
    """
    value = os.environ.get(name)
    _FLAGS[name] = default
    if value is not None:
        _FLAGS[name] = _parse(name, value, type(default))
    if watch is not None:
        _WATCHERS.setdefault(name, []).append(watch)
        watch(_FLAGS[name])


def _lookup(name: str) -> str:
    if not isinstance(name, str):
        raise InvalidTypeError(
            f"the name of a flag is {name!r} ({type(name).__name__})"[:200],
            expected="a string",
            fix="write get_flags(['FLAGS_check_nan_inf'])",
        )
    full = name if name.startswith("FLAGS_") else f"FLAGS_{name}"
    if full not in _FLAGS and full not in _WITHOUT_SUBJECT:
        raise UnknownNameError(
            f"there is no flag {name!r}",
            expected="one of " + ", ".join(sorted(_FLAGS)),
            fix="check the spelling with proa.get_flags()",
        )
    return full


def _table(full: str) -> dict[str, Any]:
    return _FLAGS if full in _FLAGS else _WITHOUT_SUBJECT


def set_flags(flags: Mapping[str, Any]) -> None:
    """Sets run-time flags.

    Args:
        flags: full flag names (`FLAGS_check_nan_inf`) and their new values. Flags of Paddle
            that have no subject here (`FLAGS_cudnn_deterministic`) are stored, no more.

    Raises:
        UnknownNameError: a name is not a flag; nothing is changed then.
        InvalidTypeError: a value does not read as the flag's type.
    """
    if not isinstance(flags, Mapping):
        raise InvalidTypeError(
            f"`flags` is a {type(flags).__name__}",
            expected="a dict from flag name to value",
            fix="write set_flags({'FLAGS_check_nan_inf': True})",
        )
    parsed = {}
    for name, value in flags.items():
        full = _lookup(name)
        parsed[full] = _parse(full, value, type(_table(full)[full]))
    for name, value in parsed.items():
        _table(name)[name] = value
        for watch in _WATCHERS.get(name, ()):
            watch(value)


def get_flags(flags: str | Iterable[str] | None = None) -> dict[str, Any]:
    """Returns flags and their values.

    Args:
        flags: one name or several; `None` gives all that have an effect.

    Raises:
        UnknownNameError: a name is not a flag.
    """
    if flags is None:
        return dict(_FLAGS)
    names: list[Any] = list(flags) if isinstance(flags, list | tuple | set) else [flags]
    return {name: _table(_lookup(name))[_lookup(name)] for name in names}
