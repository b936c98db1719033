"""compile: a function made one program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proa.jit import to_static


def compile(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Compiles a function with XLA: the same as `proa.jit.to_static`.

    Args:
        func: function of tensors; its annotations are not needed.
        args: kept for Paddle's signature.
        kwargs: settings of Paddle's compiler; XLA has no use for them.

    Examples:
        >>> import proa
        >>> twice = proa.incubate.cc.compile(lambda x: x + x)
        >>> twice(proa.ones([2])).tolist()
        [2.0, 2.0]
    """
    return to_static(func)
