"""Losses as layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import functional as F
from ._function_layer import FunctionLayer


class CrossEntropyLoss(FunctionLayer, function=F.cross_entropy, shown=()):
    """Cross entropy of class scores (or probabilities) and labels.

    For scores `x` and label `c`: `-log(softmax(x)[c])`.

    Args:
        weight: factor for each class, `[C]`.
        ignore_index: label whose entries do not count.
        reduction: `"mean"` (over the entries that count, by weight), `"sum"` or `"none"`.
        soft_label: labels are distributions over the classes.
        axis: axis of the classes.
        use_softmax: `False` when the input is probabilities.
        label_smoothing: part of each label that is spread over all classes, in [0, 1].
        name: kept for Paddle's signature.

    Raises:
        OutOfRangeError: (at the call) a label is no class and not `ignore_index`.

    Examples:
        >>> import proa
        >>> loss = proa.nn.CrossEntropyLoss()
        >>> scores = proa.zeros([2, 4])
        >>> round(float(loss(scores, proa.to_tensor([0, 3]))), 4)
        1.3863
    """

    weight: Any = None
    ignore_index: int = -100
    reduction: str = "mean"
    soft_label: bool = False
    axis: int = -1
    use_softmax: bool = True
    label_smoothing: float = 0.0
    name: str | None = None


class MSELoss(FunctionLayer, function=F.mse_loss, shown=()):
    """Squared differences: `(input - label)^2`.

    Args:
        reduction: `"mean"`, `"sum"` or `"none"`.

    Examples:
        >>> import proa
        >>> float(proa.nn.MSELoss()(proa.to_tensor([1.0, 3.0]), proa.to_tensor([1.0, 1.0])))
        2.0
    """

    reduction: str = "mean"


class L1Loss(FunctionLayer, function=F.l1_loss, shown=()):
    """Absolute differences: `|input - label|`.

    Args:
        reduction: `"mean"`, `"sum"` or `"none"`.
        name: kept for Paddle's signature.
    """

    reduction: str = "mean"
    name: str | None = None


class NLLLoss(FunctionLayer, function=F.nll_loss, shown=()):
    """Negative log-likelihood: `-weight[c] * input[c]` for log-probabilities and label `c`.

    Args:
        weight: factor for each class, `[C]`.
        ignore_index: label whose entries do not count.
        reduction: `"mean"` (over the entries that count, by weight), `"sum"` or `"none"`.
        name: kept for Paddle's signature.
    """

    weight: Any = None
    ignore_index: int = -100
    reduction: str = "mean"
    name: str | None = None


class BCELoss(FunctionLayer, function=F.binary_cross_entropy, shown=()):
    """Cross entropy of probabilities and labels in [0, 1].

    `-weight * (label * log(input) + (1 - label) * log(1 - input))`.

    Args:
        weight: factor for each entry, broadcast.
        reduction: `"mean"`, `"sum"` or `"none"`.
        name: kept for Paddle's signature.
    """

    weight: Any = None
    reduction: str = "mean"
    name: str | None = None


class BCEWithLogitsLoss(FunctionLayer, function=F.binary_cross_entropy_with_logits, shown=()):
    """Cross entropy of `sigmoid(logit)` and labels in [0, 1], safe for large scores.

    Args:
        weight: factor for each entry, broadcast.
        reduction: `"mean"`, `"sum"` or `"none"`.
        pos_weight: factor for the positive part, broadcast.
        name: kept for Paddle's signature.
    """

    weight: Any = None
    reduction: str = "mean"
    pos_weight: Any = None
    name: str | None = None


class KLDivLoss(FunctionLayer, function=F.kl_div, shown=()):
    """Divergence of distributions: `label * (log(label) - input)` for log-probabilities.

    Args:
        reduction: `"mean"`, `"batchmean"`, `"sum"` or `"none"`.
        log_target: labels are log-probabilities too.
    """

    reduction: str = "mean"
    log_target: bool = False


class SmoothL1Loss(FunctionLayer, function=F.smooth_l1_loss, shown=()):
    """Squares for small differences, absolute values for large ones.

    With `d = |input - label|`: `d^2 / 2` where `d < delta`, else `delta * (d - delta / 2)`;
    all of it divided by `delta` when `is_huber` is `False`.

    Args:
        reduction: `"mean"`, `"sum"` or `"none"`.
        delta: where the two meet, positive.
        is_huber: which of the two scalings.
        name: kept for Paddle's signature.
    """

    reduction: str = "mean"
    delta: float = 1.0
    is_huber: bool = True
    name: str | None = None


class MarginRankingLoss(FunctionLayer, function=F.margin_ranking_loss, shown=()):
    """`max(0, -label * (input - other) + margin)` for labels 1 (input first) and -1.

    Args:
        margin: distance that the two should keep.
        reduction: `"mean"`, `"sum"` or `"none"`.
        name: kept for Paddle's signature.
    """

    margin: float = 0.0
    reduction: str = "mean"
    name: str | None = None


class CTCLoss(FunctionLayer, function=F.ctc_loss, shown=()):
    """Connectionist temporal classification: labels without alignment to the steps.

    Args:
        blank: class of the blank.
        reduction: `"mean"` (each divided by its label's length), `"sum"` or `"none"`.
        zero_infinity: samples without any alignment give 0 instead of infinity.

    References:
        Graves et al., "Connectionist temporal classification", 2006.
    """

    blank: int = 0
    reduction: str = "mean"
    zero_infinity: bool = False


class CosineEmbeddingLoss(FunctionLayer, function=F.cosine_embedding_loss, shown=()):
    """`1 - cos` for label 1, `max(0, cos - margin)` for label -1.

    Args:
        margin: cosine below which unlike pairs cost nothing, in [-1, 1].
        reduction: `"mean"`, `"sum"` or `"none"`.
        name: kept for Paddle's signature.
    """

    margin: float = 0
    reduction: str = "mean"
    name: str | None = None


class HingeEmbeddingLoss(FunctionLayer, function=F.hinge_embedding_loss, shown=()):
    """`input` for label 1, `max(0, margin - input)` for label -1.

    Args:
        margin: distance from which unlike pairs cost nothing.
        reduction: `"mean"`, `"sum"` or `"none"`.
        name: kept for Paddle's signature.
    """

    margin: float = 1.0
    reduction: str = "mean"
    name: str | None = None


class TripletMarginLoss(FunctionLayer, function=F.triplet_margin_loss, shown=()):
    """`max(0, |input - positive| - |input - negative| + margin)`.

    Args:
        margin: how much nearer the positive should be.
        p: p of the norm.
        epsilon: added to the differences.
        swap: takes the smaller of the distances from input and positive to the negative.
        reduction: `"mean"`, `"sum"` or `"none"`.
        name: kept for Paddle's signature.
    """

    margin: float = 1.0
    p: float = 2.0
    epsilon: float = 1e-6
    swap: bool = False
    reduction: str = "mean"
    name: str | None = None


class TripletMarginWithDistanceLoss(
    FunctionLayer, function=F.triplet_margin_with_distance_loss, shown=()
):
    """`max(0, d(input, positive) - d(input, negative) + margin)` for a distance of one's own.

    Args:
        distance_function: takes two tensors; the Euclidean distance when it is `None`.
        margin: how much nearer the positive should be.
        swap: takes the smaller of the distances from input and positive to the negative.
        reduction: `"mean"`, `"sum"` or `"none"`.
        name: kept for Paddle's signature.
    """

    distance_function: Callable[..., Any] | None = None
    margin: float = 1.0
    swap: bool = False
    reduction: str = "mean"
    name: str | None = None


class MultiLabelSoftMarginLoss(FunctionLayer, function=F.multi_label_soft_margin_loss, shown=()):
    """Mean over the classes of the binary cross entropies.

    Args:
        weight: factor for each class.
        reduction: `"mean"`, `"sum"` or `"none"`.
        name: kept for Paddle's signature.
    """

    weight: Any = None
    reduction: str = "mean"
    name: str | None = None


class MultiLabelMarginLoss(FunctionLayer, function=F.multi_label_margin_loss, shown=()):
    """Hinge loss between each label of a sample and each class that is none.

    Args:
        reduction: `"mean"`, `"sum"` or `"none"`.
        name: kept for Paddle's signature.
    """

    reduction: str = "mean"
    name: str | None = None


class SoftMarginLoss(FunctionLayer, function=F.soft_margin_loss, shown=()):
    """`log(1 + exp(-label * input))` for labels 1 and -1.

    Args:
        reduction: `"mean"`, `"sum"` or `"none"`.
        name: kept for Paddle's signature.
    """

    reduction: str = "mean"
    name: str | None = None


class MultiMarginLoss(FunctionLayer, function=F.multi_margin_loss, shown=()):
    """Mean over the classes of `max(0, margin - input[label] + input[i])^p`.

    Args:
        p: the exponent, 1 or 2.
        margin: how much higher the label's score should be.
        weight: factor for each class.
        reduction: `"mean"`, `"sum"` or `"none"`.
        name: kept for Paddle's signature.
    """

    p: int = 1
    margin: float = 1.0
    weight: Any = None
    reduction: str = "mean"
    name: str | None = None


class PoissonNLLLoss(FunctionLayer, function=F.poisson_nll_loss, shown=()):
    """Negative log-likelihood of counts: `exp(input) - label * input`.

    Args:
        log_input: `False` for `input - label * log(input + epsilon)`.
        full: adds Stirling's approximation of the constant term.
        epsilon: added before the logarithm.
        reduction: `"mean"`, `"sum"` or `"none"`.
        name: kept for Paddle's signature.
    """

    log_input: bool = True
    full: bool = False
    epsilon: float = 1e-8
    reduction: str = "mean"
    name: str | None = None


class GaussianNLLLoss(FunctionLayer, function=F.gaussian_nll_loss, shown=()):
    """Negative log-likelihood: `(log(v) + (input - label)^2 / v) / 2`, `v = max(variance, eps)`.

    Args:
        full: adds the constant term.
        epsilon: smallest variance.
        reduction: `"mean"`, `"sum"` or `"none"`.
        name: kept for Paddle's signature.
    """

    full: bool = False
    epsilon: float = 1e-6
    reduction: str = "mean"
    name: str | None = None
