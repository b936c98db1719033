"""Distributions over outcomes that have no order: one draw, and counts of several."""

from __future__ import annotations

import math
from typing import Any

from proa.core import InvalidArgumentError, InvalidTypeError, Tensor, to_tensor
from proa.ops import all as all_
from proa.ops import (
    arange,
    cast,
    exp,
    expand,
    full_like,
    gather,
    lgamma,
    log,
    log_softmax,
    softmax,
    take_along_axis,
    where,
)
from proa.ops import sum as sum_

from ._bernoulli import times_log
from ._distribution import Distribution
from ._draw import draw_categorical, draw_counts
from ._kl_registry import register_kl
from ._parameters import as_parameters, require, shape_of


def _refuse_number(owner: str, name: str, x: Any) -> None:
    if not shape_of(x):
        raise InvalidArgumentError(
            f"`{name}` of `{owner}` is a single number",
            expected="at least one axis, the last for the outcomes",
            fix="pass a list with one entry per outcome",
        )


class Categorical(Distribution):
    """Categorical distribution, of one of several outcomes.

    As in Paddle 3.3.1 `logits` are read in two ways: `sample`, `entropy` and `kl_divergence`
    take the probabilities `softmax(logits)`, while `probs` and `log_prob` take
    `logits / sum(logits)`. Both agree only for special values.

    Args:
        logits: a list, array or Tensor, outcomes along the last axis; not negative where `probs`
            or `log_prob` are asked for.
        name: not used.

    Raises:
        InvalidArgumentError: a single number, or negative logits where weights are needed.

    Examples:
        >>> import proa
        >>> x = proa.distribution.Categorical([1.0, 1.0, 2.0])
        >>> x.probs(proa.to_tensor([0, 2])).tolist()
        [0.25, 0.5]
        >>> x.sample([5]).dtype
        paddle.int64
    """

    def __init__(self, logits: Any, name: str | None = None) -> None:
        self.name = name or "Categorical"
        (self.logits,) = as_parameters("Categorical", logits=logits)
        _refuse_number("Categorical", "logits", self.logits)
        self.dtype = self.logits.dtype
        super().__init__(self.logits.shape[:-1])

    def _sample(self, shape: tuple[Any, ...]) -> Any:
        return draw_categorical(self.logits, self._extend_shape(shape))

    def _value(self, value: Any) -> Any:
        made = value if isinstance(value, Tensor) else to_tensor(value)
        if not (made.dtype.is_floating or made.dtype.is_complex or made.dtype.name == "bool"):
            return made
        if made.dtype.is_floating:
            return cast(made, "int64")
        raise InvalidTypeError(
            f"`value` of `Categorical` has dtype {made.dtype.name}",
            expected="integers, positions of outcomes",
            fix="cast it to int64",
        )

    def _weights(self) -> Any:
        fix = "pass probabilities, such as softmax(logits); see help(Categorical)"
        require("Categorical", "logits", self.logits, lambda v: v < 0, "weights >= 0", fix)
        return self.logits / sum_(self.logits, -1, keepdim=True)

    def prob(self, value: Any) -> Any:
        """Probabilities of outcomes, `logits / sum(logits)` at `value`.

        Args:
            value: positions. One axis serves every member of the batch; with as many axes as
                `logits`, the last axis belongs to the member.
        """
        positions, weights = self._value(value), self._weights()
        shape, batch = shape_of(positions), shape_of(weights)[:-1]
        if not batch:
            return gather(weights, positions.reshape([-1])).reshape(shape)
        if len(shape) <= 1:
            count = shape[0] if shape else 1
            return take_along_axis(weights, expand(positions, (*batch, count)), -1)
        if len(shape) != len(batch) + 1:
            raise InvalidArgumentError(
                f"`value` of `Categorical` with shape {list(shape)}, batch {list(batch)}",
                expected="one axis, or the axes of the batch and one more",
                fix="add an axis at the end: value.unsqueeze(-1)",
            )
        return take_along_axis(weights, positions, -1)

    def log_prob(self, value: Any) -> Any:
        """Logarithms of the probabilities that `prob` gives.

        Args:
            value: positions; see `prob`.
        """
        return log(self.prob(value))

    def _entropy(self) -> Any:
        logs = log_softmax(self.logits, -1)
        return -sum_(times_log(exp(logs), exp(logs)), -1)


class Multinomial(Distribution):
    """Multinomial distribution, of how often each outcome occurs in several draws.

    `p(x) = total_count! prod_i probs_i^x_i / x_i!` where the `x_i` sum to `total_count`

    Args:
        total_count: number of draws, an integer >= 1.
        probs: weights >= 0 of the outcomes along the last axis, a list, array or Tensor; they
            are divided by their sum.

    Raises:
        InvalidArgumentError: no draw, negative weights, or a single number.

    Examples:
        >>> import proa
        >>> x = proa.distribution.Multinomial(4, [1.0, 1.0, 2.0])
        >>> x.mean.tolist()
        [1.0, 1.0, 2.0]
        >>> x.sample().sum().item()
        4.0

    Differs: counts that do not sum to `total_count` have probability 0.
    """

    probs: Any

    def __init__(self, total_count: int, probs: Any) -> None:
        if not isinstance(total_count, int) or total_count < 1:
            raise InvalidArgumentError(
                f"`total_count` of `Multinomial` is {total_count!r}"[:200],
                expected="an integer >= 1",
                fix="use one Multinomial for each number of draws",
            )
        (weights,) = as_parameters("Multinomial", probs=probs)
        _refuse_number("Multinomial", "probs", weights)
        fix = "apply softmax to logits first"
        require("Multinomial", "probs", weights, lambda v: v < 0, "weights >= 0", fix)
        self.total_count = total_count
        self.probs = weights / sum_(weights, -1, keepdim=True)
        self.dtype = self.probs.dtype
        super().__init__(self.probs.shape[:-1], self.probs.shape[-1:])

    def _mean(self) -> Any:
        return self.total_count * self.probs

    def _variance(self) -> Any:
        return self.total_count * self.probs * (1.0 - self.probs)

    def _sample(self, shape: tuple[Any, ...]) -> Any:
        extents = self._extend_shape(shape)
        return draw_counts(self.total_count, self.probs, extents[:-1], self.dtype)

    def _log_prob(self, value: Any) -> Any:
        ways = lgamma(sum_(value, -1) + 1.0) - sum_(lgamma(value + 1.0), -1)
        density = ways + sum_(times_log(value, self.probs + 0.0 * value), -1)
        is_possible = sum_(value, -1) == self.total_count
        is_possible = is_possible & all_(value >= 0, -1)
        return where(is_possible, density, full_like(density, -math.inf))

    def _entropy(self) -> Any:
        n = self.total_count
        counts: Any = arange(n + 1, dtype=self.dtype)
        counts = counts.reshape([n + 1] + [1] * len(shape_of(self.probs)))
        factorials = lgamma(counts + 1.0)
        ways = math.lgamma(n + 1) - factorials - lgamma(n - counts + 1.0)
        chances = self.probs + 0.0 * counts
        spread = 0.0 * self.probs
        masses = exp(
            ways + times_log(counts + spread, chances) + times_log(n - counts + spread, 1 - chances)
        )
        shared = sum_(masses * factorials, 0)
        return sum_(shared - n * times_log(self.probs, self.probs), -1) - math.lgamma(n + 1)


@register_kl(Categorical, Categorical)
def _kl_categorical(p: Categorical, q: Categorical) -> Any:
    # The axis of the outcomes stays, as in Paddle.
    gap = log_softmax(p.logits, -1) - log_softmax(q.logits, -1)
    return sum_(softmax(p.logits, -1) * gap, -1, keepdim=True)
