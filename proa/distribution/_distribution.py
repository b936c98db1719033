"""The base of all distributions."""

from __future__ import annotations

from typing import Any, NoReturn

from proa.core import InvalidTypeError, UnsupportedError, enable_grad, grad, no_grad
from proa.ops import exp, sqrt
from proa.ops import sum as sum_

from ._kl_registry import kl_divergence
from ._parameters import as_sample_shape, as_value, shape_of


def sum_rightmost(x: Any, count: int) -> Any:
    """Sums over the last axes, `count` of them."""
    return sum_(x, list(range(-count, 0))) if count else x


def _as_shape(given: Any, name: str) -> tuple[Any, ...]:
    try:
        return tuple(given)
    except TypeError as error:
        raise InvalidTypeError(
            f"`{name}` is {given!r}", expected="a sequence of extents", fix="pass () for none"
        ) from error


class Distribution:
    """Base of probability distributions.

    A batch of distributions has a `batch_shape`; one draw from one of them has the
    `event_shape`. A subclass overrides the methods that it has formulas for; the others
    raise. Probabilities are densities where the distribution is continuous.

    Args:
        batch_shape: shape of the batch of distributions, integers.
        event_shape: shape of one draw, integers.

    Raises:
        UnsupportedError: a method is called that the distribution has no formula for.

    Examples:
        >>> import proa
        >>> x = proa.distribution.MultivariateNormal(proa.zeros([4, 2]), proa.eye(2))
        >>> x.batch_shape, x.event_shape, x.sample([3]).shape
        ((4,), (2,), [3, 4, 2])
    """

    #: Whether `sample` passes gradients on, as in Paddle for a few classes.
    _sample_has_gradient = False
    #: Dtype of the parameters; values are converted to it.
    dtype: Any = None

    def __init__(self, batch_shape: Any = (), event_shape: Any = ()) -> None:
        self._batch_shape = _as_shape(batch_shape, "batch_shape")
        self._event_shape = _as_shape(event_shape, "event_shape")

    @property
    def batch_shape(self) -> Any:
        """Shape of the batch of distributions, a tuple."""
        return self._batch_shape

    @property
    def event_shape(self) -> Any:
        """Shape of one draw, a tuple."""
        return self._event_shape

    @property
    def mean(self) -> Any:
        """Mean, of the shape batch + event."""
        return self._mean()

    @property
    def variance(self) -> Any:
        """Variance, of the shape batch + event."""
        return self._variance()

    @property
    def stddev(self) -> Any:
        """Standard deviation, the root of the variance."""
        return sqrt(self.variance)

    def sample(self, shape: Any = ()) -> Any:
        """Draws from the distribution; no gradient passes unless the class says otherwise.

        Args:
            shape: how many draws, as a shape; an integer is a shape of one axis.

        Returns:
            A Tensor of the shape `shape` + batch + event.
        """
        extents = as_sample_shape(type(self).__name__, shape)
        if self._sample_has_gradient:
            return self._rsample(extents)
        with no_grad():
            return self._sample(extents)

    def rsample(self, shape: Any = ()) -> Any:
        """Draws as a differentiable function of the parameters.

        Args:
            shape: how many draws, as a shape; an integer is a shape of one axis.

        Returns:
            A Tensor of the shape `shape` + batch + event.

        Raises:
            UnsupportedError: draws are no differentiable function of the parameters.
        """
        return self._rsample(as_sample_shape(type(self).__name__, shape))

    def log_prob(self, value: Any) -> Any:
        """Logarithm of the probability (density).

        Args:
            value: where; it broadcasts with batch + event.

        Returns:
            A Tensor with one number for each event.
        """
        return self._log_prob(self._value(value))

    def prob(self, value: Any) -> Any:
        """Probability (density), `exp(log_prob(value))`.

        Args:
            value: where; it broadcasts with batch + event.
        """
        return exp(self.log_prob(value))

    def probs(self, value: Any) -> Any:
        """Probability (density): the older name of `prob`.

        Args:
            value: where; it broadcasts with batch + event.
        """
        return self.prob(value)

    def cdf(self, value: Any) -> Any:
        """Probability that a draw is at most `value`.

        Args:
            value: where; it broadcasts with the batch.
        """
        return self._cdf(self._value(value))

    def icdf(self, value: Any) -> Any:
        """Quantile: where the cumulative probability reaches `value`.

        Args:
            value: probabilities in [0, 1].
        """
        return self._icdf(self._value(value))

    def entropy(self) -> Any:
        """Entropy, `-E[log p(x)]`, in nats, of the batch shape."""
        return self._entropy()

    def kl_divergence(self, other: Distribution) -> Any:
        """Kullback-Leibler divergence from this distribution to another, in nats.

        Args:
            other: the distribution compared with this one.
        """
        return kl_divergence(self, other)

    # What subclasses override -----------------------------------------------------------------

    def _missing(self, what: str) -> NoReturn:
        raise UnsupportedError(
            f"`{what}` of `{type(self).__name__}`",
            expected="a distribution that has a formula for it",
            fix=f"override `{what}` in a subclass, or estimate it from samples",
        )

    def _mean(self) -> Any:
        self._missing("mean")

    def _variance(self) -> Any:
        self._missing("variance")

    def _sample(self, shape: tuple[Any, ...]) -> Any:
        if type(self)._rsample is Distribution._rsample:
            self._missing("sample")
        return self._rsample(shape)

    def _rsample(self, shape: tuple[Any, ...]) -> Any:
        self._missing("rsample")

    def _log_prob(self, value: Any) -> Any:
        self._missing("log_prob")

    def _cdf(self, value: Any) -> Any:
        self._missing("cdf")

    def _icdf(self, value: Any) -> Any:
        self._missing("icdf")

    def _entropy(self) -> Any:
        self._missing("entropy")

    # What subclasses use ----------------------------------------------------------------------

    def _value(self, value: Any) -> Any:
        return as_value(type(self).__name__, value, self.dtype)

    def _extend_shape(self, sample_shape: Any) -> tuple[Any, ...]:
        """Shape of a sample: what was asked for, then batch, then event."""
        return (*sample_shape, *self._batch_shape, *self._event_shape)


class ExponentialFamily(Distribution):
    """Base of distributions `p(x) = h(x) exp(theta . t(x) - F(theta))`.

    A subclass gives `_natural_parameters` (a tuple of Tensors `theta`), `_log_normalizer(*theta)`
    (`F`) and `_mean_carrier_measure` (`E[log h(x)]`); entropy and the divergence between two
    members of the class follow from the gradient of `F`.

    Args:
        batch_shape: shape of the batch of distributions.
        event_shape: shape of one draw.

    Examples:
        >>> import proa
        >>> class Waiting(proa.distribution.ExponentialFamily):
        ...     def __init__(self, rate):
        ...         self.rate = rate
        ...         super().__init__(rate.shape)
        ...     @property
        ...     def _natural_parameters(self):
        ...         return (-self.rate,)
        ...     def _log_normalizer(self, x):
        ...         return -proa.log(-x)
        ...     @property
        ...     def _mean_carrier_measure(self):
        ...         return 0.0
        >>> [round(e, 4) for e in Waiting(proa.to_tensor([1.0, 2.0])).entropy().tolist()]
        [1.0, 0.3069]
    """

    @property
    def _natural_parameters(self) -> tuple[Any, ...]:
        self._missing("_natural_parameters")

    def _log_normalizer(self, *parameters: Any) -> Any:
        self._missing("_log_normalizer")

    @property
    def _mean_carrier_measure(self) -> Any:
        self._missing("_mean_carrier_measure")

    def _normalizer_and_slopes(self) -> tuple[tuple[Any, ...], Any, list[Any]]:
        """Natural parameters, log normaliser there, and its gradient."""
        with enable_grad():
            parameters = []
            for given in self._natural_parameters:
                if given.stop_gradient:
                    given = given.detach()
                    given.stop_gradient = False
                parameters.append(given)
            normalizer = self._log_normalizer(*parameters)
            slopes = grad(sum_(normalizer), parameters, create_graph=True)
        return tuple(parameters), normalizer, slopes

    def _entropy(self) -> Any:
        parameters, normalizer, slopes = self._normalizer_and_slopes()
        result = normalizer - self._mean_carrier_measure
        for parameter, slope in zip(parameters, slopes, strict=True):
            extra = len(shape_of(parameter)) - len(shape_of(normalizer))
            result = result - sum_rightmost(parameter * slope, extra)
        return result
