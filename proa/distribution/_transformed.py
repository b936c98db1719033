"""Distributions made of other distributions."""

from __future__ import annotations

from typing import Any

from proa.core import InvalidArgumentError, InvalidTypeError, UnsupportedError

from ._distribution import Distribution, sum_rightmost
from ._kl_registry import kl_divergence, register_kl
from ._parameters import as_sample_shape
from ._transform import Transform, apply_transform, log_volume, require_transforms
from ._transform_combined import ChainTransform


def _require_distribution(owner: str, base: Any) -> None:
    if not isinstance(base, Distribution):
        raise InvalidTypeError(
            f"`base` of `{owner}` is {base!r} ({type(base).__name__})"[:200],
            expected="a Distribution",
            fix="pass an object such as Normal(0.0, 1.0)",
        )


class Independent(Distribution):
    """Counts axes of the batch as part of the event.

    `log_prob` and `entropy` are summed over them.

    Args:
        base: a distribution.
        reinterpreted_batch_rank: how many of the last axes of its batch, >= 1.

    Raises:
        InvalidTypeError: `base` is no distribution.
        InvalidArgumentError: more axes than the batch has, or none.

    Examples:
        >>> import proa
        >>> from proa.distribution import Independent, Normal
        >>> x = Independent(Normal(proa.zeros([4, 3]), proa.ones([4, 3])), 1)
        >>> x.batch_shape, x.event_shape, x.log_prob(proa.zeros([4, 3])).shape
        ((4,), (3,), [4])

    Differs: `rsample` and the divergence of two such distributions are there too.
    """

    def __init__(self, base: Any, reinterpreted_batch_rank: int) -> None:
        _require_distribution("Independent", base)
        count = reinterpreted_batch_rank
        if not isinstance(count, int) or not 0 < count <= len(base.batch_shape):
            raise InvalidArgumentError(
                f"`reinterpreted_batch_rank` of `Independent` is {count!r}, "
                f"the batch shape {list(base.batch_shape)}",
                expected="an integer from 1 to the number of axes of the batch",
                fix="lower it, or give the base a larger batch",
            )
        self._base, self._reinterpreted_batch_rank = base, count
        self.dtype = base.dtype
        shape = (*base.batch_shape, *base.event_shape)
        size = len(base.batch_shape) - count
        super().__init__(shape[:size], shape[size:])

    def _mean(self) -> Any:
        return self._base.mean

    def _variance(self) -> Any:
        return self._base.variance

    def sample(self, shape: Any = ()) -> Any:
        """Draws as the base does.

        Args:
            shape: how many draws, as a shape.
        """
        return self._base.sample(shape)

    def _rsample(self, shape: tuple[Any, ...]) -> Any:
        return self._base.rsample(shape)

    def log_prob(self, value: Any) -> Any:
        """Logarithm of the probability (density) of whole events.

        Args:
            value: where; it broadcasts with batch + event.
        """
        return sum_rightmost(self._base.log_prob(value), self._reinterpreted_batch_rank)

    def _entropy(self) -> Any:
        return sum_rightmost(self._base.entropy(), self._reinterpreted_batch_rank)


class TransformedDistribution(Distribution):
    """Distribution of what transforms make of the draws of another distribution.

    `log p(y) = log p_base(x) - log |det dy/dx|` with `y = transforms(x)`

    Args:
        base: a distribution.
        transforms: a list or tuple of transforms, the first applied first.

    Raises:
        InvalidTypeError: `base` is no distribution, `transforms` no list of transforms.
        InvalidArgumentError: the draws have fewer axes than the transforms need.
        UnsupportedError: a density is asked for and a transform is not injective.

    Examples:
        >>> import proa
        >>> from proa.distribution import ExpTransform, Normal, TransformedDistribution
        >>> x = TransformedDistribution(Normal(0.0, 1.0), [ExpTransform()])
        >>> round(x.log_prob(proa.to_tensor(1.0)).item(), 4)
        -0.9189

    Differs: `sample` passes gradients on where the base's does, as in Paddle.
    """

    def __init__(self, base: Any, transforms: Any) -> None:
        _require_distribution("TransformedDistribution", base)
        self._transforms = require_transforms("TransformedDistribution", transforms)
        chain = ChainTransform(self._transforms)
        shape = (*base.batch_shape, *base.event_shape)
        needed = chain._domain.event_rank
        if len(shape) < needed:
            raise InvalidArgumentError(
                f"`TransformedDistribution` of a base with shape {list(shape)}",
                expected=f"at least {needed} axes, the event of the transforms",
                fix="give the base a batch: Normal(proa.zeros([3]), 1.0)",
            )
        extra = needed - len(base.event_shape)
        self._base = Independent(base, extra) if extra > 0 else base
        self.dtype = base.dtype
        made = chain.forward_shape(shape)
        rank = chain._codomain.event_rank + max(-extra, 0)
        super().__init__(made[: len(made) - rank], made[len(made) - rank :])

    def sample(self, shape: Any = ()) -> Any:
        """Draws from the base, transformed.

        Args:
            shape: how many draws, as a shape.
        """
        drawn = self._base.sample(as_sample_shape(type(self).__name__, shape))
        return self._forward(drawn)

    def _rsample(self, shape: tuple[Any, ...]) -> Any:
        return self._forward(self._base.rsample(shape))

    def _forward(self, x: Any) -> Any:
        for t in self._transforms:
            x = t.forward(x)
        return x

    def _log_prob(self, value: Any) -> Any:
        rank, total = len(self._event_shape), 0.0
        for t in reversed(self._transforms):
            if not t._is_injective():
                raise UnsupportedError(
                    f"`log_prob` of a distribution transformed by `{type(t).__name__}`",
                    expected="injective transforms",
                    fix="estimate it from samples, or take another transform",
                )
            rank += t._domain.event_rank - t._codomain.event_rank
            x = t.inverse(value)
            total = total - log_volume(t, x, rank)
            value = x
        return total + sum_rightmost(self._base.log_prob(value), rank - len(self._base.event_shape))


@apply_transform.register
def _transformed(x: Distribution, transform: Transform) -> TransformedDistribution:
    return TransformedDistribution(x, [transform])


@register_kl(Independent, Independent)
def _kl_independent(p: Independent, q: Independent) -> Any:
    count = p._reinterpreted_batch_rank
    if count != q._reinterpreted_batch_rank:
        raise InvalidArgumentError(
            f"`kl_divergence` of two Independent with {count} and "
            f"{q._reinterpreted_batch_rank} reinterpreted axes",
            expected="equal numbers of axes",
            fix="build both with the same `reinterpreted_batch_rank`",
        )
    return sum_rightmost(kl_divergence(p._base, q._base), count)
