"""Functions and layers that are compiled for inference where they stand."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from proa.core import UnsupportedError, no_grad
from proa.jit import to_static
from proa.nn import Layer


def inference(
    function: Any = None,
    cache_static_model: bool = False,
    save_model_dir: str | None = None,
    memory_pool_init_size_mb: int = 1000,
    precision_mode: str = "float32",
    switch_ir_optim: bool = True,
    switch_ir_debug: bool = False,
    enable_cinn: bool = False,
    with_trt: bool = False,
    trt_precision_mode: str = "float32",
    trt_use_static: bool = False,
    collect_shape: bool = False,
    enable_new_ir: bool = False,
    exp_enable_use_cutlass: bool = False,
    delete_pass_lists: list[str] | None = None,
    skip_prune_program: bool = False,
) -> Any:
    """Compiles a layer or a function whole, without gradients; also a decorator.

    XLA compiles, so the settings of Paddle's other compilers have nothing to set here.

    Args:
        function: a Layer, whose `forward` is replaced, or a function of Tensors.
        cache_static_model: not used; compiled programs are kept by signature.
        save_model_dir: not used; see `proa.jit.save` to write an artifact.
        memory_pool_init_size_mb: not used.
        precision_mode: not used; parameters and inputs decide, see `proa.amp`.
        switch_ir_optim: not used.
        switch_ir_debug: not used.
        enable_cinn: not used.
        with_trt: refused: there is no TensorRT here.
        trt_precision_mode: not used.
        trt_use_static: not used.
        collect_shape: not used.
        enable_new_ir: not used.
        exp_enable_use_cutlass: not used.
        delete_pass_lists: not used.
        skip_prune_program: not used.

    Returns:
        The layer, or the compiled function; a decorator when `function` is `None`.

    Raises:
        UnsupportedError: `with_trt` is true.

    Examples:
        >>> import proa
        >>> double = proa.incubate.inference(lambda x: x * 2)
        >>> double(proa.to_tensor([1.0], stop_gradient=False)).tolist()
        [2.0]
    """
    if with_trt:
        raise UnsupportedError(
            "incubate.inference with TensorRT",
            expected="XLA as the compiler",
            fix="leave `with_trt` out",
        )
    if function is None:
        return inference
    if isinstance(function, Layer):
        function.forward = _compiled(function.forward)  # type: ignore[method-assign]
        return function
    return _compiled(function)


def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    static = to_static(function)

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        with no_grad():
            return static(*args, **kwargs)

    return run
