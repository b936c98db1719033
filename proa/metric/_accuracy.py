"""How often the right class is among the first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from proa.core._declare import op
from proa.core._errors import InvalidArgumentError
from proa.core._tensor import Tensor

from ._metric import Metric, host_array

if TYPE_CHECKING:
    from proa.core._types import Array


def _refuse(pred: Any, label: Any, expected: str, fix: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"accuracy of predictions of shape {list(pred.shape)} with labels of shape "
        f"{list(label.shape)}",
        expected=expected,
        fix=fix,
    )


@op(method=None, public=False, differentiable=False)
def top_class_matches(pred: Array, label: Array, num_top: int):
    """Marks which of the `num_top` best classes is the label's.

    Args:
        pred: [..., classes] scores.
        label: [..., 1] or [...] class numbers, or [..., classes] one-hot or soft labels.
        num_top: number of best classes; at most all classes count.

    Returns:
        [..., num_top] float32, 1 where the class at that place is the label.
    """
    if pred.ndim == 0 or pred.shape[-1] < 2:
        fix = "for one score per sample use Precision, Recall or Auc"
        raise _refuse(pred, label, "scores of at least two classes, on the last axis", fix)
    if label.ndim == pred.ndim:
        if label.shape[-1] == pred.shape[-1]:
            label = jnp.argmax(label, axis=-1, keepdims=True)
    else:
        label = label[..., None]
    if label.shape != (*pred.shape[:-1], 1):
        expected = "labels of the predictions' shape without the last axis"
        raise _refuse(pred, label, expected, "reshape the labels")
    _, best = jax.lax.top_k(pred, min(num_top, pred.shape[-1]))
    return (best == label).astype(jnp.float32)


@op(method=None, public=False, differentiable=False)
def count_correct(matches: Array):
    """Returns how many samples match, and how many there are.

    Args:
        matches: [..., num_top], what `top_class_matches` gives.

    Returns:
        The share (0-d float32), the number of matches and that of samples (0-d int32).
    """
    correct = (matches.max(axis=-1) > 0).sum()
    total = jnp.asarray(matches.size // matches.shape[-1])
    share = correct.astype(jnp.float32) / jnp.maximum(total, 1).astype(jnp.float32)
    return share, correct.astype(jnp.int32), total.astype(jnp.int32)


def accuracy(
    input: Tensor,
    label: Tensor,
    k: int = 1,
    correct: Tensor | None = None,
    total: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Share of samples whose label is among the `k` best classes.

    Args:
        input (Tensor): [batch, classes] floating-point scores.
        label (Tensor): [batch, 1] or [batch] integer class numbers.
        k (int): number of best classes that count.
        correct (Tensor, optional): takes the number of right samples.
        total (Tensor, optional): takes the number of samples.
        name (str, optional): kept for Paddle's signature.

    Returns:
        Tensor: the share, 0-d float32; 0 for an empty batch.

    Raises:
        InvalidArgumentError: shapes do not fit, or `k` is not between 1 and the number
            of classes.

    Examples:
        >>> import proa
        >>> scores = proa.to_tensor([[0.1, 0.9], [0.8, 0.2]])
        >>> float(proa.metric.accuracy(scores, proa.to_tensor([[1], [1]])))
        0.5
    """
    if not 1 <= k <= input.shape[-1]:
        raise InvalidArgumentError(
            f"accuracy: `k` is {k} with {input.shape[-1]} classes",
            expected="between 1 and the number of classes",
            fix="lower `k`",
        )
    share, right, count = count_correct(top_class_matches(input, label, k))
    for target, value in ((correct, right), (total, count)):
        if target is not None:
            target.set_value(value.reshape(target.shape))  # type: ignore[attr-defined]
    return share


class Accuracy(Metric):
    """Share of samples whose label is among the best classes.

    Args:
        topk (tuple[int]): how many of the best classes count; one result each.
        name (str, optional): name, `"acc"` by default; with several results `_top1`, ...
            is appended.
        *args: kept for Paddle's signature.
        **kwargs: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `topk` is empty or holds a number below 1.

    Examples:
        >>> import proa
        >>> metric = proa.metric.Accuracy()
        >>> scores = proa.to_tensor([[0.1, 0.9], [0.8, 0.2]])
        >>> matches = metric.compute(scores, proa.to_tensor([[1], [1]]))
        >>> metric.update(matches)
        0.5
        >>> metric.accumulate()
        0.5
    """

    def __init__(
        self, topk: Sequence[int] = (1,), name: str | None = None, *args: Any, **kwargs: Any
    ) -> None:
        self.topk = (topk,) if isinstance(topk, int) else tuple(topk)
        if not self.topk or min(self.topk) < 1:
            raise InvalidArgumentError(
                f"Accuracy: `topk` is {topk!r}",
                expected="one or several numbers above 0",
                fix="for example `topk=(1, 5)`",
            )
        self.maxk = max(self.topk)
        base = name or "acc"
        is_single = len(self.topk) == 1
        self._names = [base] if is_single else [f"{base}_top{count}" for count in self.topk]
        self.reset()

    def compute(self, pred: Tensor, label: Tensor, *args: Any) -> Tensor:
        """Marks which of the best classes is the label's.

        Args:
            pred (Tensor): [..., classes] scores.
            label (Tensor): [..., 1] or [...] class numbers, or [..., classes] one-hot or
                soft labels.
            *args: not used.

        Returns:
            Tensor: [..., max(topk)] float32, 1 where the class at that place is the label.

        Raises:
            InvalidArgumentError: shapes do not fit, or there is one class only.
        """
        return top_class_matches(pred, label, self.maxk)

    def update(self, correct: Any, *args: Any) -> Any:
        """Takes in one batch.

        Args:
            correct (Tensor | numpy.ndarray): what `compute` returned.
            *args: not used.

        Returns:
            float | list[float]: the accuracy of this batch, one per entry of `topk`.
        """
        matches = host_array("Accuracy.update", "correct", correct)
        samples = int(np.prod(matches.shape[:-1]))
        shares = []
        for i, count in enumerate(self.topk):
            right = float(matches[..., :count].sum())
            self.total[i] += right
            self.count[i] += samples
            shares.append(right / samples if samples else 0.0)
        return shares[0] if len(shares) == 1 else shares

    def reset(self) -> None:
        """Starts anew."""
        self.total = [0.0] * len(self.topk)
        self.count = [0] * len(self.topk)

    def accumulate(self) -> Any:
        """Returns the accuracy since the start, one per entry of `topk`; 0 without samples.

        Returns:
            float | list[float]: a list if `topk` has several entries.
        """
        pairs = zip(self.total, self.count, strict=True)
        shares = [right / count if count else 0.0 for right, count in pairs]
        return shares[0] if len(shares) == 1 else shares

    def name(self) -> list[str]:
        """Returns the names, one per entry of `topk`."""
        return self._names
