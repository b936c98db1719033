"""Tokens drawn from the likeliest part of a distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from proa.core import InvalidArgumentError, Tensor, attach_method, composite, op

from ._index_sort import topk

if TYPE_CHECKING:
    from proa.core._types import Array, Index, Key

_MODES = ("truncated", "non-truncated")


@op(name="top_p_sampling", public=False, differentiable=False)
def _top_p(
    key: Key,
    x: Array,
    ps: Array,
    threshold: Array | None,
    seeds: Index | None,
    seed: int,
    truncates: bool,
):
    rows, wide = x.shape[0], jnp.promote_types(x.dtype, jnp.float32)
    order = jnp.argsort(x, axis=-1, descending=True, stable=True)
    sorted_x = jnp.take_along_axis(x, order, axis=-1).astype(wide)
    before = jnp.cumsum(sorted_x, axis=-1) - sorted_x
    keeps = jnp.ones_like(sorted_x, bool)
    if truncates:
        keeps = before < ps.reshape(-1, 1).astype(wide)
    if threshold is not None:
        keeps &= sorted_x >= threshold.reshape(-1, 1).astype(wide)
    # The likeliest token is always left.
    keeps = keeps.at[:, 0].set(True)
    chances = jnp.cumsum(jnp.where(keeps, sorted_x, 0), axis=-1)
    if seeds is not None:
        keys = jax.vmap(jax.random.key)(seeds.reshape(-1).astype(jnp.uint32))
        draws = jax.vmap(lambda k: jax.random.uniform(k, (), wide))(keys)
    else:
        draws = jax.random.uniform(key if seed < 0 else jax.random.key(seed), (rows,), wide)
    target = draws[:, None] * chances[:, -1:]
    place = jnp.sum(chances <= target, axis=-1, keepdims=True)
    # Rounding must not lead behind the last token that is kept.
    place = jnp.minimum(place, jnp.sum(keeps, axis=-1, keepdims=True) - 1)
    token = jnp.take_along_axis(order, place, axis=-1)
    return jnp.take_along_axis(x, token, axis=-1), token.astype(jnp.int64)


@composite
def top_p_sampling(
    x: Tensor,
    ps: Tensor,
    threshold: Tensor | None = None,
    topp_seed: Tensor | None = None,
    seed: int = -1,
    k: int = 0,
    mode: str = "truncated",
    return_top: bool = False,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Draws a token per row from the likeliest ones whose probabilities add up to `ps`.

    The token that reaches `ps` belongs to them. (Paddle has it on GPUs only.)

    Args:
        x: probabilities of shape [rows, tokens].
        ps: sum per row, of shape [rows] or [rows, 1].
        threshold: per row the least probability of a token; the likeliest is always left.
        topp_seed: integers, a seed per row.
        seed: seed of all rows; -1 for the generator's next numbers.
        k: how many of the likeliest tokens are given with `return_top`; 1 if it is 0.
        mode: `"truncated"`, or `"non-truncated"` to draw from all tokens.
        return_top: give the likeliest tokens too.
        name: not used.

    Returns:
        Probability and number (int64) of the drawn token, both of shape [rows, 1]; with
        `return_top` probabilities and numbers of the likeliest, of shape [rows, k], after them.

    Raises:
        InvalidArgumentError: shapes that do not fit, or another mode.

    Examples:
        >>> import proa
        >>> x = proa.to_tensor([[0.1, 0.2, 0.7]])
        >>> value, token = x.top_p_sampling(proa.to_tensor([0.5]))
        >>> token.tolist()
        [[2]]

    References:
        Holtzman et al., "The curious case of neural text degeneration", 2020.
    """
    if mode not in _MODES:
        raise InvalidArgumentError(
            f"`mode` of `top_p_sampling` is {mode!r}",
            expected=f"one of {', '.join(_MODES)}",
            fix="choose one",
        )
    sizes: dict[str, Any] = {"ps": ps, "threshold": threshold, "topp_seed": topp_seed}
    for label, value in sizes.items():
        if x.ndim != 2 or (value is not None and value.size != x.shape[0]):
            given = None if value is None else value.shape
            raise InvalidArgumentError(
                f"`x` of `top_p_sampling` has shape {x.shape}, `{label}` {given}",
                expected="[rows, tokens], and one number per row",
                fix="reshape them",
            )
    drawn = _top_p(x, ps, threshold, topp_seed, seed, mode == "truncated")
    return (*drawn, *topk(x, max(k, 1))) if return_top else tuple(drawn)


attach_method("top_p_sampling", top_p_sampling)
