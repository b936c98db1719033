"""Classification over many classes by a few drawn ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from proa import nn, ops
from proa.core import InvalidArgumentError, Tensor, to_tensor

_DEFAULT_SAMPLES = 10


def nce(
    input: Any,
    label: Any,
    num_total_classes: int,
    sample_weight: Tensor | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    num_neg_samples: int | None = None,
    name: str | None = None,
    sampler: str = "uniform",
    custom_dist: Any = None,
    seed: int = 0,
    is_sparse: bool = False,
) -> Tensor:
    """Noise contrastive estimation: tells true classes from drawn ones, with weights of its own.

    With `p = sigmoid(x W[c] + b[c])` and `q = num_neg_samples * P(c)` the loss of a row is
    `(sum over true c of -log(p / (p + q)) + sum over drawn c of -log(q / (p + q)))
    / (num_neg_samples + 1)`.

    Args:
        input (Tensor): features, floating, [N, D].
        label (Tensor): true classes, integers, [N, number of true classes].
        num_total_classes (int): number of classes.
        sample_weight (Tensor, optional): a weight per row, [N, 1].
        param_attr (ParamAttr, optional): how W is made, [classes, D].
        bias_attr (ParamAttr | bool, optional): how b is made, [classes, 1]; `False` for none.
        num_neg_samples (int, optional): classes drawn per row; 10 by default.
        name (str, optional): kept for Paddle's signature.
        sampler (str): what P is: `uniform`; `log_uniform`, P(c) = log((c + 2) / (c + 1)) /
            log(classes), for classes in the order of their frequency; `custom_dist`.
        custom_dist (list, optional): P, with `sampler="custom_dist"`.
        seed (int): kept for Paddle's signature: draws come from the one generator.
        is_sparse (bool): kept for Paddle's signature.

    Returns:
        Tensor: the loss per row, [N, 1].

    Raises:
        InvalidArgumentError: an unknown sampler, or a distribution of another length.

    Examples:
        >>> import proa
        >>> with proa.static.program_guard(proa.static.Program()):
        ...     x = proa.static.data("x", [None, 8])
        ...     word = proa.static.data("word", [None, 1], "int64")
        ...     proa.static.nn.nce(x, word, 1000, num_neg_samples=5).ndim
        2

    References:
        Gutmann, Hyvarinen: Noise-contrastive estimation, AISTATS 2010.
    """
    drawn_per_row = _DEFAULT_SAMPLES if num_neg_samples is None else num_neg_samples
    holder = nn.Layer("nce")
    width = input.shape[1]
    weight: Any = holder.create_parameter([num_total_classes, width], param_attr, input.dtype)
    bias: Any = None
    if bias_attr is not False:
        bias = holder.create_parameter([num_total_classes, 1], bias_attr, input.dtype, True)
    draws: Any = ops.uniform([input.shape[0], drawn_per_row], "float32", 0.0, 1.0)
    noise = _noise(sampler, num_total_classes, custom_dist)
    drawn: Any = noise.classes(draws)
    drawn.stop_gradient = True

    def scores(classes: Any) -> tuple[Any, Any]:
        rows: Any = nn.functional.embedding(classes, weight)
        score = (rows * input.unsqueeze(1)).sum(-1)
        if bias is not None:
            offset: Any = nn.functional.embedding(classes, bias)
            score = score + offset.squeeze(-1)
        return score, ops.log(noise.chances(classes) * drawn_per_row)

    score, log_q = scores(label)
    # -log(p / (p + q)) = log(1 + q + q exp(-score)), without overflow.
    cost = ops.logaddexp(ops.log1p(ops.exp(log_q)), log_q - score).sum(1, keepdim=True)
    score, log_q = scores(drawn)
    below = ops.log1p(ops.exp(nn.functional.log_sigmoid(score) - log_q))
    cost = (cost + below.sum(1, keepdim=True)) / (drawn_per_row + 1.0)
    return cost if sample_weight is None else cost * sample_weight


class _Uniform:
    """All classes alike."""

    def __init__(self, count: int) -> None:
        self.count = count

    def classes(self, draws: Any) -> Any:
        """Returns classes for draws in [0, 1)."""
        return ops.floor(draws * self.count).astype("int64")

    def chances(self, classes: Any) -> Any:
        """Returns how likely each class is drawn."""
        return ops.full_like(classes, 1.0 / self.count, dtype="float32")


class _LogUniform(_Uniform):
    """Zipf's law; like Paddle's, it never draws the last class."""

    def classes(self, draws: Any) -> Any:
        """Returns classes for draws in [0, 1)."""
        found = ops.floor(ops.exp(draws * math.log(self.count)) - 1.0).astype("int64")
        return ops.clip(found, 0, max(self.count - 2, 0))

    def chances(self, classes: Any) -> Any:
        """Returns how likely each class is drawn."""
        place = classes.astype("float32")
        return ops.log((place + 2.0) / (place + 1.0)) / math.log(max(self.count, 2))


class _Custom(_Uniform):
    """Chances as given."""

    def __init__(self, count: int, chances: Any) -> None:
        super().__init__(count)
        given = np.asarray(chances, "float32").reshape(-1)
        if given.size != count:
            raise InvalidArgumentError(
                f"nce: `custom_dist` has {given.size} entries",
                expected=f"{count}, one per class",
                fix="give one probability per class",
            )
        self.table, self.sums = to_tensor(given[:, None]), to_tensor(np.cumsum(given)[:-1])

    def classes(self, draws: Any) -> Any:
        """Returns classes for draws in [0, 1)."""
        return ops.searchsorted(self.sums, draws, right=True)

    def chances(self, classes: Any) -> Any:
        """Returns how likely each class is drawn."""
        found: Any = nn.functional.embedding(classes, self.table)
        return found.squeeze(-1)


def _noise(sampler: str, count: int, custom_dist: Any) -> _Uniform:
    if sampler == "uniform":
        return _Uniform(count)
    if sampler == "log_uniform":
        return _LogUniform(count)
    if sampler == "custom_dist" and custom_dist is not None:
        return _Custom(count, custom_dist)
    raise InvalidArgumentError(
        f"nce: `sampler` is {sampler!r}"
        + (" without `custom_dist`" if sampler == "custom_dist" else ""),
        expected="uniform, log_uniform, or custom_dist with its probabilities",
        fix="use sampler='uniform'",
    )
