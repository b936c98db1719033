"""JAX primitives with a kernel on the CPU and XLA's form elsewhere.

Both forms give the same numbers up to rounding. The kernel is chosen when a program is
lowered: for float32 on one CPU device; XLA would gather a sharded array for a custom call.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax import lax
from jax.core import ShapedArray
from jax.interpreters import ad, batching, mlir

from ._library import has_kernels

# jax.extend.core has it too, and imports Pallas, which takes 20 ms.
Primitive: Any = type(lax.add_p)


def kernel_call(target: str, shape: Any) -> Callable[..., Any]:
    """Returns the call of a handler that gives one float32 array."""
    return jax.ffi.ffi_call(target, jax.ShapeDtypeStruct(tuple(shape), np.float32))


def bilinear_primitive(
    name: str,
    shape: Callable[..., tuple[Any, ...]],
    form: Callable[..., Any],
    kernel: Callable[..., Any],
    by_first: Callable[..., Any],
    by_second: Callable[..., Any],
) -> Any:
    """Declares an operation that is linear in each of its two arrays.

    Args:
        name: of the primitive.
        shape: `shape(a, b, **parameters)`: shape of the result, whose dtype is that of `a`.
        form: `form(a, b, **parameters)` in XLA's operations: says what is computed.
        kernel: the same, by a kernel.
        by_first: `by_first(cotangent, a, b, **parameters)` gives the cotangent of `a`.
        by_second: the same for `b`.
    """
    primitive = _declare(name, shape, form, kernel)
    ad.defbilinear(primitive, by_first, by_second)
    return primitive


def forward_primitive(
    name: str, shape: Callable[..., Any], form: Callable[..., Any], kernel: Callable[..., Any]
) -> Any:
    """Declares an operation without derivatives; arguments as for `bilinear_primitive`."""
    return _declare(name, shape, form, kernel)


def _declare(
    name: str, shape: Callable[..., Any], form: Callable[..., Any], kernel: Callable[..., Any]
) -> Any:
    primitive = Primitive(name)
    primitive.def_abstract_eval(functools.partial(_abstract, shape))
    primitive.def_impl(functools.partial(_apply, primitive))
    mlir.register_lowering(primitive, mlir.lower_fun(form, multiple_results=False))
    mlir.register_lowering(primitive, functools.partial(_lower, form, kernel), platform="cpu")
    batching.primitive_batchers[primitive] = functools.partial(_batch, form)
    return primitive


def _abstract(shape: Any, /, *arrays: Any, **parameters: Any) -> Any:
    return ShapedArray(tuple(shape(*arrays, **parameters)), arrays[0].dtype)


def _apply(primitive: Any, /, *arrays: Any, **parameters: Any) -> Any:
    # Also where `jax.disable_jit` is on: a kernel runs as compiled code only.
    with jax.disable_jit(False):
        return jax.jit(functools.partial(primitive.bind, **parameters))(*arrays)


def _lower(form: Any, kernel: Any, context: Any, /, *given: Any, **parameters: Any) -> Any:
    inputs = context.avals_in
    devices = getattr(context.module_context.axis_context, "num_devices", 1) or 1
    fits = devices == 1 and all(v.dtype == np.float32 for v in inputs) and has_kernels()
    is_whole = all(isinstance(n, int) for v in inputs for n in v.shape)
    chosen = kernel if fits and is_whole else form
    return mlir.lower_fun(chosen, multiple_results=False)(context, *given, **parameters)


def _batch(form: Any, arrays: Any, axes: Any, **parameters: Any) -> Any:
    made = jax.vmap(functools.partial(form, **parameters), in_axes=axes)(*arrays)
    return made, 0
