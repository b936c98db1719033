"""Functions of the stored values that leave a zero a zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proa import ops
from proa.core import Tensor

from ._tensor import SparseTensor, need_sparse, with_values


def _on_values(name: str, formula: str) -> Callable[..., SparseTensor]:
    dense = getattr(ops, name)

    def function(x: Tensor, name: str | None = None) -> SparseTensor:
        given = need_sparse(x, "x", function.__name__)
        return with_values(given, dense(given.values()))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{formula} of each stored value of a sparse tensor.

    Args:
        x: sparse tensor, COO or CSR. Values at one place are not summed up first.
        name: not used.

    Returns:
        Sparse tensor with the same places.

    Raises:
        InvalidTypeError: `x` is dense.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_coo_tensor([[0, 2]], [0.5, -0.25], [3])
        >>> proa.sparse.{name}(proa.sparse.abs(x)).values().shape
        [2]
    """
    return function


abs = _on_values("abs", "Magnitude")
asin = _on_values("asin", "Inverse sine")
asinh = _on_values("asinh", "Inverse hyperbolic sine")
atan = _on_values("atan", "Inverse tangent")
atanh = _on_values("atanh", "Inverse hyperbolic tangent")
deg2rad = _on_values("deg2rad", "Radians of the degrees")
expm1 = _on_values("expm1", "`exp(x) - 1`")
isnan = _on_values("isnan", "Whether NaN,")
log1p = _on_values("log1p", "`log(1 + x)`")
neg = _on_values("neg", "Negative")
rad2deg = _on_values("rad2deg", "Degrees of the radians")
sin = _on_values("sin", "Sine")
sinh = _on_values("sinh", "Hyperbolic sine")
sqrt = _on_values("sqrt", "Square root")
square = _on_values("square", "Square")
tan = _on_values("tan", "Tangent")
tanh = _on_values("tanh", "Hyperbolic tangent")


def pow(x: Tensor, factor: Any, name: str | None = None) -> SparseTensor:
    """Each stored value to the power `factor`.

    Args:
        x: sparse tensor, COO or CSR.
        factor: the exponent, a number.
        name: not used.

    Returns:
        Sparse tensor with the same places.

    Raises:
        InvalidTypeError: `x` is dense.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_coo_tensor([[0, 2]], [2.0, 3.0], [3])
        >>> proa.sparse.pow(x, 2).values().tolist()
        [4.0, 9.0]
    """
    given = need_sparse(x, "x", "pow")
    return with_values(given, ops.pow(given.values(), factor))
