"""Rules for Paddle's losses: what a saved training graph ends in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from proa import ops
from proa.nn import functional as F

from ._rules import Unfit, rule

if TYPE_CHECKING:
    from ._rules import Data


@rule("bce_loss", X="input")
def _bce(input: Data, label: Data) -> Any:
    return F.binary_cross_entropy(input, label, reduction="none")


@rule("sigmoid_cross_entropy_with_logits")
def _bce_with_logits(
    x: Data,
    label: Data,
    pos_weight: Data = None,
    *,
    normalize: bool = False,
    ignore_index: int = -100,
) -> Any:
    loss: Any = F.binary_cross_entropy_with_logits(x, label, reduction="none")
    if pos_weight is not None:
        # What the op is given is the weight of each element's logarithm.
        loss = (1.0 - label) * x + pos_weight * F.softplus(-x)
    counts = ops.not_equal(label, ops.full_like(label, float(ignore_index)))
    loss = ops.where(counts, loss, ops.zeros_like(loss))
    return loss / ops.maximum(ops.sum(ops.cast(counts, x.dtype)), 1e-5) if normalize else loss


@rule("huber_loss", X="input", Y="label")
def _huber(input: Data, label: Data, *, delta: float) -> Any:
    return F.smooth_l1_loss(input, label, "none", delta)


@rule("kldiv_loss", outputs="Loss", Target="label")
def _kl_div(x: Data, label: Data, *, reduction: str = "mean", log_target: bool = False) -> Any:
    return F.kl_div(x, label, reduction, log_target)


@rule("log_loss", outputs="Loss", Predicted="input", Labels="label")
def _log_loss(input: Data, label: Data, *, epsilon: float) -> Any:
    return F.log_loss(input, label, epsilon)


@rule("nll_loss", outputs="Out Total_weight", X="input")
def _nll(
    input: Data,
    label: Data,
    weight: Data = None,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Any:
    classes = input.shape[1]
    counts = ops.not_equal(label, ops.full_like(label, ignore_index))
    total: Any = ops.cast(counts, input.dtype)
    if weight is not None:
        kept = ops.where(counts, label, ops.zeros_like(label))
        taken = ops.gather(weight, ops.reshape(kept, [-1]))
        total = total * ops.reshape(taken, label.shape)
    if not isinstance(classes, int):
        raise Unfit("a loss over an unknown number of classes")
    return F.nll_loss(input, label, weight, ignore_index, reduction), ops.sum(total)


@rule("swiglu", outputs="out")
def _swiglu(x: Data, y: Data = None) -> Any:
    gate, up = ops.chunk(x, 2, -1) if y is None else (x, y)
    return ops.multiply(F.silu(gate), up)


@rule("bilinear", desc="bilinear_tensor_product")
def _bilinear(x: Data, y: Data, weight: Data, bias: Data = None) -> Any:
    return F.bilinear(x, y, weight, bias)
