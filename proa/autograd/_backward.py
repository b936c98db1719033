"""`backward` of several tensors at once."""

from __future__ import annotations

from typing import Any

from proa.core import Tensor, run_backward


def backward(tensors: Any, grad_tensors: Any = None, retain_graph: bool = False) -> None:
    """Sums up gradients of tensors in the `.grad` of all leaves they depend on.

    Args:
        tensors: a Tensor or several.
        grad_tensors: gradients of these tensors; `None` stands for ones.
        retain_graph: keep the tape for another walk.

    Raises:
        InvalidArgumentError: lists of different lengths, or a gradient of another shape.
        PreconditionError: nothing to differentiate, or the graph was freed.

    Examples:
        >>> import proa
        >>> x = proa.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> proa.autograd.backward([x * 2, x * 3])
        >>> x.grad.tolist()
        [5.0, 5.0]
    """
    listed = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    run_backward(listed, grad_tensors, retain_graph)
