"""Labels and lengths made into what losses and layers need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    Tensor,
    composite,
    describe_array,
    is_dimension,
    op,
)

if TYPE_CHECKING:
    from proa.core._types import Array, DType, Index


@op(method=None)
def label_smooth(label: Array, prior_dist: Array | None = None, epsilon: float = 0.1) -> Array:
    """Moves a share of each label to a prior: (1 - epsilon) * label + epsilon * prior.

    Args:
        label: probabilities [..., C].
        prior_dist: prior [1, C]; uniform, 1 / C, by default.
        epsilon: the share, in [0, 1].

    Raises:
        InvalidArgumentError: `epsilon` lies outside.
    """
    if not 0 <= epsilon <= 1:
        raise InvalidArgumentError(
            f"`epsilon` of `label_smooth` is {epsilon}",
            expected="a number in [0, 1]",
            fix="use 0.1",
        )
    prior = 1 / label.shape[-1] if prior_dist is None else prior_dist
    return (1 - epsilon) * label + epsilon * prior


@op(method=None, differentiable=False, public=False)
def length_mask(x: Index, maxlen: int, dtype: DType) -> Array:
    """Ones up to each length; see `sequence_mask`."""
    return (jnp.arange(maxlen) < x[..., None]).astype(dtype.numpy)


@composite
def sequence_mask(
    x: Tensor, maxlen: Any = None, dtype: Any = "int64", name: str | None = None
) -> Tensor:
    """Ones in the first `x` places of a new last axis, zeros behind.

    Args:
        x: lengths, integer tensor of any shape.
        maxlen: extent of the new axis; the largest length by default (reads values).
        dtype: dtype of the mask.

    Returns:
        Tensor [*x.shape, maxlen].

    Raises:
        InvalidArgumentError: `maxlen` is negative.
        InvalidTypeError: lengths that are no integers.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> F.sequence_mask(proa.to_tensor([1, 3])).tolist()
        [[1, 0, 0], [1, 1, 1]]
    """
    if maxlen is None:
        if not x.dtype.is_integer:
            raise InvalidTypeError(
                f"`x` of `sequence_mask` is a {x.dtype.name} tensor",
                expected="integer lengths",
                fix="cast it: x.astype('int64')",
            )
        values = x.numpy()
        maxlen = int(values.max()) if values.size else 0
    if not is_dimension(maxlen) and int(maxlen) < 0:
        raise InvalidArgumentError(
            f"`maxlen` of `sequence_mask` is {maxlen}", expected="at least 0", fix="leave it None"
        )
    return length_mask(x, maxlen, dtype)


@op(method=None)
def temporal_shift(
    x: Array, seg_num: int, shift_ratio: float = 0.25, *, data_format: str = "NCHW"
) -> Array:
    """Moves a share of the channels one time step back, another one forward.

    Args:
        x: floating tensor [N * T, C, H, W] (or [N * T, H, W, C]).
        seg_num: number of time steps T.
        shift_ratio: share of the channels that moves each way; below 0.5.
        data_format: `'NCHW'` or `'NHWC'`.

    Raises:
        InvalidArgumentError: the first extent is no multiple of `seg_num`, or the ratio is wrong.
    """
    if x.ndim != 4 or x.shape[0] % seg_num or not 0 <= shift_ratio <= 0.5:
        raise InvalidArgumentError(
            f"`temporal_shift` got x {describe_array(x)}, seg_num={seg_num} and "
            f"shift_ratio={shift_ratio}",
            expected="four axes, the first a multiple of seg_num, a ratio in [0, 0.5]",
            fix="check the number of time steps",
        )
    last = data_format == "NHWC"
    axis = 4 if last else 2
    parts = x.reshape(-1, seg_num, *x.shape[1:])
    channels = x.shape[3 if last else 1]
    first, second = int(channels * shift_ratio), int(channels * 2 * shift_ratio)
    from_before, from_after, kept = jnp.split(parts, [first, second], axis=axis)
    rest = ((0, 0),) * 3
    from_before = jnp.pad(from_before, ((0, 0), (1, 0), *rest))[:, :-1]
    from_after = jnp.pad(from_after, ((0, 0), (0, 1), *rest))[:, 1:]
    return jnp.concatenate([from_before, from_after, kept], axis=axis).reshape(x.shape)
