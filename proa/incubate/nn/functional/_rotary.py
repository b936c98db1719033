"""Rotary position embeddings: pairs of channels turn by an angle that grows with the position.

Axes in names: B batch, S positions, H heads, D width of a head.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from proa.core import InvalidArgumentError, Tensor, composite, describe_array, op
from proa.ops import transpose
from proa.ops._host_checks import check_range

if TYPE_CHECKING:
    from proa.core._types import Array, Index


def rotated(x: Array, cos: Array, sin: Array, adjacent: bool) -> Array:
    """Turns pairs of channels: neighbours, or those of the first half and the second."""
    if adjacent:
        pairs = x.reshape(*x.shape[:-1], -1, 2)
        turned = jnp.stack([-pairs[..., 1], pairs[..., 0]], axis=-1).reshape(x.shape)
    else:
        first, second = jnp.split(x, 2, axis=-1)
        turned = jnp.concatenate([-second, first], axis=-1)
    return x * cos + turned * sin


def turned_parts(x: Array, cos: Array, sin: Array, adjacent: bool, parts: int) -> Array:
    """`rotated` for each of several equal parts of the width, by its own part of the tables."""
    x_parts, cos_parts, sin_parts = (jnp.split(t, parts, axis=-1) for t in (x, cos, sin))
    done = [rotated(x_parts[i], cos_parts[i], sin_parts[i], adjacent) for i in range(parts)]
    return jnp.concatenate(done, axis=-1)


def angles(positions: Array, width: int, base: float) -> tuple[Array, Array]:
    """Cosines and sines [..., D]: channels 2i and 2i + 1 turn by `position * base^(-2i / D)`."""
    rates = base ** (-jnp.arange(0, width, 2, dtype=jnp.float32) / width)
    turns = positions.astype(jnp.float32)[..., None] * jnp.repeat(rates, 2)
    return jnp.cos(turns), jnp.sin(turns)


def _table(given: Array, positions: Index | None, width: int) -> Array:
    """[S, D] or [1, S, 1, D] to [1 or B, S, D]."""
    table_SD = given.reshape(-1, width)
    return table_SD[None] if positions is None else table_SD[positions]


def _check_positions(x: Any, sin: Any, positions: Any, **rest: Any) -> None:
    if sin is not None and positions is not None:
        name, rows = "fused_rotary_position_embedding", sin.size // max(x.shape[-1], 1)
        check_range(positions, rows, "position_ids", name, "a row of the tables")


@op(method=None, public=False, check=_check_positions)
def rotary(
    x: Array,
    sin: Array | None,
    cos: Array | None,
    positions: Index | None,
    adjacent: bool,
    base: float,
) -> Array:
    """Rotary embedding of one tensor [B, S, H, D]; see `fused_rotary_position_embedding`."""
    width = x.shape[-1]
    if x.ndim != 4 or width % 2:
        raise InvalidArgumentError(
            f"`fused_rotary_position_embedding` got {describe_array(x)}",
            expected="[batch, positions, heads, width], an even width",
            fix="reshape it",
        )
    if sin is None or cos is None:
        at = jnp.arange(x.shape[1])[None] if positions is None else positions
        tables = angles(at, width, base)
    else:
        tables = (_table(cos, positions, width), _table(sin, positions, width))
    wide = x.astype(jnp.float32) if x.dtype.itemsize < 4 else x
    cos, sin = (t[:, :, None].astype(wide.dtype) for t in tables)
    turned = rotated(wide, cos, sin, adjacent)
    return turned.astype(x.dtype)


@composite
def fused_rotary_position_embedding(
    q: Tensor,
    k: Tensor | None = None,
    v: Tensor | None = None,
    sin: Tensor | None = None,
    cos: Tensor | None = None,
    position_ids: Tensor | None = None,
    use_neox_rotary_style: bool = True,
    time_major: bool = False,
    rotary_emb_base: float = 10000.0,
) -> tuple[Any, Any, Any]:
    """Turns pairs of channels of queries, keys and values by their positions' angles.

    Args:
        q: floating tensor [B, S, H, D], D even.
        k: likewise, with heads of its own number.
        v: likewise.
        sin: [S, D] or [1, S, 1, D]; by default channels 2i and 2i + 1 turn by
            `position * rotary_emb_base^(-2i / D)`.
        cos: of that shape.
        position_ids: integers [B, S], rows of `sin` and `cos`.
        use_neox_rotary_style: pairs are neighbours; else channel i and channel i + D / 2.
        time_major: the tensors are [S, B, H, D].
        rotary_emb_base: base of the angles.

    Returns:
        The three results, `None` for what was not given.

    Raises:
        InvalidArgumentError: shapes that do not fit.

    References:
        Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021.

    Examples:
        >>> import proa
        >>> from proa.incubate.nn.functional import fused_rotary_position_embedding
        >>> q = proa.ones([1, 1, 1, 2])
        >>> fused_rotary_position_embedding(q)[0].tolist()
        [[[[1.0, 1.0]]]]
    """

    def turn(x: Any) -> Any:
        if x is None:
            return None
        swapped = [1, 0, 2, 3]
        x = transpose(x, swapped) if time_major else x
        out = rotary(x, sin, cos, position_ids, use_neox_rotary_style, rotary_emb_base)
        return transpose(out, swapped) if time_major else out

    return turn(q), turn(k), turn(v)
