"""Eager mode, which Paddle 1 had to be asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from proa.core import Parameter, Tensor, context, run_eagerly, to_tensor
from proa.device import device_guard
from proa.framework import load, save
from proa.jit import to_static
from proa.ops import in_dynamic_mode


@contextmanager
def guard(place: Any = None) -> Iterator[None]:
    """A block in eager mode, where a static Program is being built, too.

    Args:
        place: a Place or the name of a device, the current one inside; `None` changes nothing.
    """
    recorder = context.recorder
    # A function that is being compiled goes on being recorded: it is called eagerly already.
    is_static = recorder is not None and recorder.is_explicit
    with device_guard(place), run_eagerly() if is_static else nullcontext():
        yield


def to_variable(
    value: Any, name: str | None = None, zero_copy: bool | None = None, dtype: Any = None
) -> Tensor:
    """Makes a tensor of an array; a Tensor comes back as it is.

    Args:
        value: the values.
        name: name of the tensor.
        zero_copy: makes no difference.
        dtype: dtype; `None` follows the array.
    """
    made = value if isinstance(value, Tensor) and dtype is None else to_tensor(value, dtype=dtype)
    if name is not None:
        made.name = name
    return made


def enabled() -> bool:
    """Whether eager mode is on."""
    return in_dynamic_mode()


def save_dygraph(state_dict: Any, model_path: str) -> None:
    """Writes a state to `<model_path>.pdparams`, or `.pdopt` if there is no parameter in it.

    Args:
        state_dict: the state.
        model_path: path without suffix.
    """
    of_optimizer = not any(isinstance(value, Parameter) for value in state_dict.values())
    save(state_dict, f"{model_path}.{'pdopt' if of_optimizer else 'pdparams'}")


def load_dygraph(model_path: str, **configs: Any) -> tuple[Any, Any]:
    """Reads (`<model_path>.pdparams`, `.pdopt`); `None` for a file that is not there.

    Args:
        model_path: path without suffix, or with one of the two.
        configs: settings of `load`.
    """
    stem = model_path.removesuffix(".pdparams").removesuffix(".pdopt")
    found = []
    for suffix in ("pdparams", "pdopt"):
        try:
            found.append(load(f"{stem}.{suffix}", **configs))
        except FileNotFoundError:
            found.append(None)
    if found[0] is None and found[1] is None:
        return load(f"{stem}.pdparams", **configs), None
    return found[0], found[1]


#: Paddle 1's name for the decorator that compiles a function.
declarative = to_static
