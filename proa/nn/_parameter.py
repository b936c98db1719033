"""The making of parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from proa.core import (
    InvalidArgumentError,
    Parameter,
    Tensor,
    as_dtype,
    attach_method,
    default_dtype,
    put,
)
from proa.utils import unique_name

from ._param_attr import ParamAttr, as_param_attr
from .initializer import Constant, Initializer, XavierUniform
from .initializer._base import draw
from .initializer._global import global_initializer
from .initializer.lazy_init import is_lazy


def create_parameter(
    shape: Sequence[int],
    dtype: Any = None,
    name: str | None = None,
    attr: Any = None,
    is_bias: bool = False,
    default_initializer: Initializer | None = None,
) -> Parameter | None:
    """Makes a parameter that belongs to no layer yet.

    Args:
        shape: sizes, integers >= 0.
        dtype: dtype; the default dtype when it is `None`.
        name: name, unless `attr` has one; one is made up when both are `None`.
        attr: a ParamAttr, or what stands for one; `False` makes no parameter.
        is_bias: starts at zero instead of Xavier's uniform draws.
        default_initializer: used when neither `attr` nor `set_global_initializer` names one.

    Returns:
        The parameter, or `None` when `attr` is `False`.

    Raises:
        InvalidArgumentError: a size is negative or no integer.
        InvalidTypeError: `attr` or `dtype` cannot be read.

    Examples:
        >>> import proa
        >>> proa.create_parameter([2], "float32", is_bias=True).tolist()
        [0.0, 0.0]
    """
    settings = as_param_attr(attr)
    if settings is None:
        return None
    owner = (
        "create_parameter" if name or settings.name else unique_name.generate("create_parameter")
    )
    made = make_parameter(shape, dtype, settings, is_bias, default_initializer, owner)
    if settings.name is None and name is not None:
        made.name = name
    return made


def make_parameter(
    shape: Sequence[int],
    dtype: Any,
    attr: ParamAttr,
    is_bias: bool,
    default_initializer: Initializer | None,
    owner: str,
    device: Any = None,
) -> Parameter:
    """Makes a parameter named after its owner: `<owner>.w_0` or `<owner>.b_0`."""
    sizes = _sizes(shape, owner)
    wanted = default_dtype() if dtype is None else as_dtype(dtype)
    initializer = attr.initializer or global_initializer(is_bias) or default_initializer
    if initializer is None:
        initializer = Constant(0.0) if is_bias else XavierUniform()
    made = Parameter()
    made._name = attr.name or unique_name.generate(f"{owner}.{'b' if is_bias else 'w'}")
    if is_lazy():
        made._data = put(np.zeros(sizes, wanted.numpy))
        made._initializer = initializer  # type: ignore[attr-defined]
    elif type(initializer).forward is Initializer.forward:
        made._data = draw(initializer, sizes, wanted)._data
    else:
        made._data = put(np.zeros(sizes, wanted.numpy))
        initializer(made)
    if device is not None:
        made._data = put(made._data, device)
    made.optimize_attr = {"learning_rate": attr.learning_rate}
    made.regularizer = attr.regularizer
    made.need_clip = attr.need_clip
    made.do_model_average = attr.do_model_average
    if not attr.trainable:
        made._stop = True
    return made


def _sizes(shape: Any, owner: str) -> tuple[int, ...]:
    if isinstance(shape, Tensor | np.ndarray):
        shape = shape.tolist()
    entries = list(shape) if isinstance(shape, Sequence) else [shape]
    fine = all(hasattr(size, "__index__") and size.__index__() >= 0 for size in entries)
    if not fine:
        raise InvalidArgumentError(
            f"a parameter of {owner} is to have the shape {shape!r}",
            expected="sizes that are integers >= 0",
            fix="check the numbers of features, channels and the like given to the layer",
        )
    return tuple(size.__index__() for size in entries)


def _deepcopy(self: Parameter, memo: dict[int, Any]) -> Parameter:
    # A name of its own: optimisers keep their state by the parameters' names.
    twin: Any = Tensor.__deepcopy__(self, memo)
    twin._name = self.name + unique_name.generate("_deepcopy")
    twin.optimize_attr = dict(self.optimize_attr)
    return twin


attach_method("create_parameter", staticmethod(create_parameter))
attach_method("__deepcopy__", _deepcopy, owner=Parameter)
