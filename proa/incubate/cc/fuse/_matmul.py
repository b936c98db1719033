"""A product and what follows it; compiled, XLA fuses the two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proa import ops
from proa.core import Tensor, UnsupportedError


def matmul(x: Tensor, w: Tensor, epilogue: Callable[[Tensor], Any], **kwargs: Any) -> Any:
    """Returns `epilogue(x @ w)`.

    Args:
        x: tensor of shape [..., m, k].
        w: tensor of shape [..., k, n].
        epilogue: function of the product.
        kwargs: settings of Paddle's compiler; XLA has no use for them.

    Examples:
        >>> import proa
        >>> relu = proa.nn.functional.relu
        >>> proa.incubate.cc.fuse.matmul(proa.ones([1, 2]), -proa.ones([2, 1]), relu).tolist()
        [[0.0]]
    """
    return epilogue(ops.matmul(x, w))


def by_register() -> Any:
    """Refuses: where values are kept between fused steps is XLA's choice.

    Raises:
        UnsupportedError: always.
    """
    raise UnsupportedError(
        "`by_register`",
        expected="a compiler that is told what to keep in registers; XLA decides itself",
        fix="compile the function: proa.jit.to_static(function)",
    )
