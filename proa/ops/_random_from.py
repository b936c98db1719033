"""Random tensors whose distribution depends on a tensor; filling in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from proa.core import (
    Generator,
    InvalidArgumentError,
    Mersenne,
    OutOfRangeError,
    Tensor,
    attach_method,
    composite,
    default_generator,
    dispatch,
    draw_dtype,
    host_stream,
    is_drawn,
    op,
    to_tensor,
    unit_draws,
    unit_like,
    write_inplace,
)

from ._gamma_integral import drawn_with
from ._host_checks import host_values
from ._promote import floating, refuse_complex, widened
from ._random import draw_gaussian, draw_randint, draw_uniform
from ._random_host import binomial_noise, gamma_noise, poisson_noise

if TYPE_CHECKING:
    from proa.core._types import Array, Key


def _require(array: Any, is_good: Any, name: str, expected: str, fix: str) -> None:
    values = host_values(array)
    with np.errstate(invalid="ignore"):
        is_bad = values is not None and values.size and not is_good(values).all()
    if values is not None and is_bad:
        raise OutOfRangeError(
            f"`{name}` was given values from {np.min(values)} to {np.max(values)}",
            expected=expected,
            fix=fix,
        )


def _check_bernoulli(key: Any, x: Any) -> None:
    _require(
        x,
        lambda v: (v >= 0) & (v <= 1),
        "bernoulli",
        "probabilities in [0, 1]",
        "apply sigmoid to logits first",
    )


@op(
    name="bernoulli",
    method=None,
    public=False,
    differentiable=False,
    check=_check_bernoulli,
    noise=unit_like,
)
def _bernoulli(key: Key, x: Array):
    x = floating(x)
    chance = widened(x)
    return (unit_draws(key, x.shape, chance.dtype) < chance).astype(x.dtype)


@composite
def bernoulli(x: Tensor, p: float | None = None, name: str | None = None) -> Tensor:
    """1 with probability `x`, else 0, drawn for each element.

    Args:
        x: probabilities, floating.
        p: one probability instead of the values of `x`, which then gives only the shape.
        name: not used.

    Raises:
        OutOfRangeError: a probability outside [0, 1] (eager mode).

    Examples:
        >>> import proa
        >>> proa.bernoulli(proa.to_tensor([0.0, 1.0])).tolist()
        [0.0, 1.0]
    """
    if p is not None:
        return bernoulli_(x.clone().detach(), p)  # type: ignore[attr-defined]
    return _bernoulli(x)


def _check_rate(key: Any, x: Any) -> None:
    _require(x, lambda v: v >= 0, "poisson", "rates >= 0", "clip the rates")


@op(differentiable=False, method=None, check=_check_rate, noise=poisson_noise)
def poisson(key: Key, x: Array):
    """Counts drawn from Poisson distributions.

    Args:
        x: rates >= 0, floating; also the dtype of the result.
        name: not used.

    Raises:
        OutOfRangeError: a negative rate (eager mode).
    """
    refuse_complex("poisson", x)
    x = floating(x)
    drawn = key if is_drawn(key) else jax.random.poisson(key, widened(x))
    return drawn.astype(x.dtype)


def _check_binomial(key: Any, count: Any, prob: Any) -> None:
    _require(count, lambda v: v >= 0, "binomial", "counts >= 0", "clip the counts")
    _require(
        prob,
        lambda v: (v >= 0) & (v <= 1),
        "binomial",
        "probabilities in [0, 1]",
        "apply sigmoid to logits first",
    )


@op(differentiable=False, method=None, check=_check_binomial, noise=binomial_noise)
def binomial(key: Key, count: Array, prob: Array):
    """How many of `count` trials succeed, each with probability `prob`; int64.

    Args:
        count: numbers of trials, >= 0.
        prob: probabilities in [0, 1].
        name: not used.

    Raises:
        OutOfRangeError: a negative count or a bad probability (eager mode).
    """
    if is_drawn(key):
        return key.astype(jnp.int64)
    count, prob = jnp.broadcast_arrays(count, prob)
    # Not through float32: counts above 2**24 would not be whole numbers.
    drawn = jax.random.binomial(key, count.astype(jnp.float64), prob.astype(jnp.float64))
    return drawn.astype(jnp.int64)


@op(method=None, noise=gamma_noise)
def standard_gamma(key: Key, x: Array):
    """Numbers drawn from gamma distributions of scale 1; gradients pass to the shapes.

    Args:
        x: shape parameters > 0, floating.
        name: not used.
    """
    refuse_complex("standard_gamma", x)
    x = floating(x)
    wide = widened(x)
    drawn = key if is_drawn(key) else jax.lax.stop_gradient(jax.random.gamma(key, wide))
    return drawn_with(wide, drawn.astype(wide.dtype)).astype(x.dtype)


def _check_weights(key: Any, x: Any, num_samples: int, replacement: bool) -> None:
    values = host_values(x)
    if values is None:
        return
    refuse_complex("multinomial", x)
    values = values.astype(np.float64)
    if (values < 0).any() or not np.isfinite(values).all():
        raise InvalidArgumentError(
            "`multinomial` of weights that are negative or not finite",
            expected="finite weights >= 0",
            fix="pass softmax(logits), not logits",
        )
    fewest = int((values > 0).sum(-1).min()) if values.size else 0
    if fewest < (1 if replacement else num_samples):
        raise InvalidArgumentError(
            f"`multinomial` of {num_samples} samples from a row with {fewest} positive weights",
            expected="as many positive weights as samples when drawn without replacement",
            fix="draw fewer samples, or set replacement=True",
        )


def _position_noise(
    stream: Mersenne, x: Any, num_samples: int = 1, replacement: bool = False
) -> np.ndarray:
    """Positions by the inverse of the summed weights, one number of the stream each."""
    weights = np.asarray(to_tensor(x).numpy(), np.float64)
    rows = weights.reshape(-1, weights.shape[-1])
    found = np.empty((len(rows), num_samples), np.int64)
    for row, target in zip(rows, found, strict=True):
        draws = stream.unit((num_samples,), draw_dtype(x))
        if replacement:
            target[:] = np.searchsorted(np.cumsum(row / row.sum()), draws)
            continue
        left = row.copy()
        for i, draw in enumerate(draws):
            target[i] = np.searchsorted(np.cumsum(left / left.sum()), draw)
            left[target[i]] = 0
    return np.minimum(found, weights.shape[-1] - 1).reshape(*weights.shape[:-1], num_samples)


@op(differentiable=False, check=_check_weights, out=True, noise=_position_noise)
def multinomial(key: Key, x: Array, num_samples: int = 1, replacement: bool = False):
    """Positions drawn in proportion to weights, int64.

    Args:
        x: weights >= 0, a vector or one row per draw; they need not sum to 1.
        num_samples: positions per row.
        replacement: whether a position can be drawn twice.
        name: not used.
        out: tensor that takes the result.

    Raises:
        InvalidArgumentError: a negative weight, or fewer positive weights than samples.

    Examples:
        >>> import proa
        >>> proa.multinomial(proa.to_tensor([0.0, 0.0, 2.0])).tolist()
        [2]
    """
    if x.ndim not in (1, 2) or num_samples < 1:
        raise InvalidArgumentError(
            f"`multinomial` of {num_samples} samples from shape {list(x.shape)}",
            expected="a vector or a matrix, and at least one sample",
            fix="flatten the leading axes",
        )
    if is_drawn(key):
        return key
    logits = jnp.log(widened(floating(x)))
    if replacement:
        shape = (num_samples, *x.shape[:-1])
        return jnp.moveaxis(jax.random.categorical(key, logits, axis=-1, shape=shape), 0, -1)
    # The largest of logits plus Gumbel noise are a sample without replacement.
    noisy = logits + jax.random.gumbel(key, logits.shape, logits.dtype)
    return jax.lax.top_k(noisy, num_samples)[1].astype(jnp.int64)


# In place ---------------------------------------------------------------------------------------


def _shape_of(x: Tensor) -> tuple[Any, ...]:
    return tuple(x._data.shape)


@composite
def uniform_(
    x: Tensor, min: Any = 0, max: Any = 1.0, seed: int = 0, name: str | None = None
) -> Tensor:
    """Fills `x` with numbers drawn evenly from [min, max).

    Args:
        x: floating tensor, overwritten.
        min: lower end, included.
        max: upper end, not included.
        seed: kept for Paddle's signature; use `proa.seed`.
        name: not used.
    """
    return write_inplace(x, draw_uniform(min, max, _shape_of(x), x.dtype))


@composite
def normal_(x: Tensor, mean: Any = 0.0, std: Any = 1.0, name: str | None = None) -> Tensor:
    """Fills `x` with numbers drawn from a normal distribution.

    Args:
        x: floating tensor, overwritten.
        mean: mean.
        std: standard deviation.
        name: not used.
    """
    return write_inplace(x, draw_gaussian(mean, std, _shape_of(x), x.dtype))


@composite
def log_normal_(x: Tensor, mean: Any = 1.0, std: Any = 2.0, name: str | None = None) -> Tensor:
    """Fills `x` with exponentials of numbers drawn from a normal distribution.

    Args:
        x: floating tensor, overwritten.
        mean: mean of the logarithm.
        std: standard deviation of the logarithm.
        name: not used.
    """
    return write_inplace(x, draw_gaussian(mean, std, _shape_of(x), x.dtype).exp())


@op(name="bernoulli_like", method=None, public=False, differentiable=False, noise=unit_like)
def _bernoulli_like(key: Key, x: Array, p: Array):
    refuse_complex("bernoulli_", p)
    chance = p.astype(jnp.float32)
    return (unit_draws(key, x.shape, jnp.float32) < chance).astype(x.dtype)


@composite
def bernoulli_(x: Tensor, p: Any = 0.5, name: str | None = None) -> Tensor:
    """Fills `x` with ones, with probability `p`, and zeros.

    Args:
        x: tensor, overwritten.
        p: probability of 1, a number or a tensor.
        name: not used.

    Raises:
        OutOfRangeError: `p` outside [0, 1].
    """
    if isinstance(p, int | float) and not 0 <= p <= 1:
        raise OutOfRangeError(
            f"`p` of `bernoulli_` is {p}", expected="a probability in [0, 1]", fix="correct it"
        )
    return write_inplace(x, _bernoulli_like(x, p))


@op(name="exponential", method=None, public=False, differentiable=False, noise=unit_like)
def _exponential(key: Key, x: Array, lam: Array):
    refuse_complex("exponential_", x, lam)
    drawn = -jnp.log1p(-unit_draws(key, x.shape, widened(floating(x)).dtype))
    return (drawn / lam.astype(drawn.dtype)).astype(x.dtype)


@composite
def exponential_(x: Tensor, lam: float = 1.0, name: str | None = None) -> Tensor:
    """Fills `x` with numbers drawn from an exponential distribution.

    Args:
        x: floating tensor, overwritten.
        lam: rate > 0; the mean is `1 / lam`.
        name: not used.

    Raises:
        OutOfRangeError: a rate that is not positive.
    """
    if not lam > 0:
        raise OutOfRangeError(
            f"`lam` of `exponential_` is {lam}", expected="a rate > 0", fix="pass 1 / mean"
        )
    return write_inplace(x, _exponential(x, lam))


@op(name="cauchy", method=None, public=False, differentiable=False, noise=unit_like)
def _cauchy(key: Key, x: Array, loc: Array, scale: Array):
    refuse_complex("cauchy_", x, loc, scale)
    wide = widened(floating(x)).dtype
    drawn = jnp.tan(np.pi * (unit_draws(key, x.shape, wide) - 0.5))
    return (loc.astype(drawn.dtype) + scale.astype(drawn.dtype) * drawn).astype(x.dtype)


@composite
def cauchy_(x: Tensor, loc: Any = 0, scale: Any = 1, name: str | None = None) -> Tensor:
    """Fills `x` with numbers drawn from a Cauchy distribution.

    Args:
        x: floating tensor, overwritten.
        loc: median.
        scale: half width at half height.
        name: not used.
    """
    return write_inplace(x, _cauchy(x, loc, scale))


@op(name="geometric", method=None, public=False, differentiable=False, noise=unit_like)
def _geometric(key: Key, x: Array, probs: Array):
    refuse_complex("geometric_", x, probs)
    wide = widened(floating(x)).dtype
    tiny = jnp.finfo(wide).tiny
    drawn = jnp.maximum(unit_draws(key, x.shape, wide), tiny)
    return (jnp.log(drawn) / jnp.log1p(-probs.astype(wide))).astype(x.dtype)


@composite
def geometric_(x: Tensor, probs: Any, name: str | None = None) -> Tensor:
    """Fills `x` with the continuous form of a geometric distribution, `log(u) / log(1 - p)`.

    As in Paddle the numbers are not rounded; their `ceil` counts trials up to a success.

    Args:
        x: floating tensor, overwritten.
        probs: probability of success, in (0, 1].
        name: not used.
    """
    return write_inplace(x, _geometric(x, probs))


@composite
def random_(
    x: Tensor, from_: Any = 0, to: Any = None, *, generator: Generator | None = None
) -> Tensor:
    """Fills `x` with integers drawn evenly from [from_, to).

    Args:
        x: tensor, overwritten.
        from_: lower end, included; alone it is the upper end, and 0 the lower.
        to: upper end, not included; without any bound all integers that the dtype holds
            exactly and that are not negative.
        generator: the stream to draw from; the default one where `None`.

    Raises:
        InvalidArgumentError: an empty range.
    """
    if to is None:
        low, high = (0, from_) if from_ else (0, _largest(x))
    else:
        low, high = from_, to
    if not low < high:
        raise InvalidArgumentError(
            f"`random_` from {low} up to, not including, {high}",
            expected="from_ < to",
            fix="swap or widen the bounds",
        )
    shape = _shape_of(x)
    stream = host_stream(generator)
    if stream is None:
        chance = (generator or default_generator()).next_key()
    else:
        # Not as `randint`: this one takes remainders, of half a word where that is enough.
        words, span = stream.words(x.size), high - low
        words = words if span >= 2**32 else words & np.uint64(2**32 - 1)
        chance = to_tensor((words % np.uint64(span)).astype(np.int64).reshape(shape) + low)
    bounds = (chance, to_tensor(low, "int64"), to_tensor(high, "int64"))
    return write_inplace(x, dispatch(draw_randint.op, bounds, (None, (shape, x.dtype))))


def _largest(x: Tensor) -> int:
    if x.dtype.is_floating:
        return 2 ** (int(jnp.finfo(x.dtype.numpy).nmant) + 1)
    return 2 if x.dtype.name == "bool" else int(np.iinfo(x.dtype.numpy).max)


_IN_PLACE = (bernoulli_, cauchy_, exponential_, geometric_)
for _function in (*_IN_PLACE, log_normal_, normal_, random_, uniform_):
    attach_method(_function.__name__, _function)
