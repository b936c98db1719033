"""Attention under the names of the flash attention kernels; XLA makes the kernel."""

from __future__ import annotations

from typing import Any

from proa.core import InvalidArgumentError, Tensor, composite, describe_array
from proa.ops import cast, reshape, split
from proa.ops._attention import attend


def dropout_settings(dropout: float, training: bool, fixed_seed_offset: Any) -> dict[str, Any]:
    """Arguments of `attend` for dropout, drawn from a given seed and offset if there are any."""
    if not training or not dropout:
        return {"dropout": 0.0}
    bits = None
    if fixed_seed_offset is not None:
        bits = reshape(cast(fixed_seed_offset, "uint32"), [2])
    return {"dropout": dropout, "random_bits": bits}


def unpack(qkv: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Takes queries, keys and values apart: [..., G + 2, K, D] holds G * K query heads.

    Raises:
        InvalidArgumentError: fewer axes, or no query head.
    """
    if qkv.ndim < 4 or qkv.shape[-3] < 3:
        raise InvalidArgumentError(
            f"`qkv` is {describe_array(qkv._data)}",
            expected="[..., query heads / key heads + 2, key heads, width]",
            fix="join query, key and value along the third axis from the end",
        )
    groups, key_heads, width = qkv.shape[-3:]
    query, key, value = split(qkv, [groups - 2, 1, 1], axis=-3)
    outer = qkv.shape[:-3]
    return (
        reshape(query, [*outer, (groups - 2) * key_heads, width]),
        reshape(key, [*outer, key_heads, width]),
        reshape(value, [*outer, key_heads, width]),
    )


@composite
def flash_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    dropout: float = 0.0,
    causal: bool = False,
    return_softmax: bool = False,
    *,
    fixed_seed_offset: Tensor | None = None,
    rng_name: str = "",
    training: bool = True,
    name: str | None = None,
    softmax_scale: float | None = None,
) -> tuple[Tensor, Tensor | None]:
    """Attention: softmax(query @ key^T * scale) @ value, per head.

    Args:
        query: floating tensor [B, T, H, D].
        key: [B, S, K, D], K dividing H.
        value: [B, S, K, D].
        dropout: probability of dropping a weight in training.
        causal: query i sees the keys 0 to i only.
        return_softmax: return the weights as well.
        fixed_seed_offset: two integers that fix what is dropped.
        rng_name: accepted for Paddle's signature; there is one generator.
        training: whether `dropout` applies.
        name: not used.
        softmax_scale: factor of the scores, 1 / sqrt(D) by default.

    Returns:
        Output [B, T, H, D], and the weights [B, H, T, S] after dropout or `None`.

    Raises:
        InvalidArgumentError: shapes or `dropout` do not fit.

    Examples:
        >>> import proa
        >>> from proa.nn.functional.flash_attention import flash_attention
        >>> q = proa.ones([1, 2, 1, 4])
        >>> out, weights = flash_attention(q, q, q, causal=True, return_softmax=True)
        >>> weights.tolist()
        [[[[1.0, 0.0], [0.5, 0.5]]]]
    """
    result = attend(
        query,
        key,
        value,
        causal=causal,
        scale=softmax_scale,
        also="weights" if return_softmax else "",
        **dropout_settings(dropout, training, fixed_seed_offset),
    )
    return result if return_softmax else (result, None)


@composite
def flash_attn_qkvpacked(
    qkv: Tensor,
    dropout: float = 0.0,
    causal: bool = False,
    return_softmax: bool = False,
    *,
    fixed_seed_offset: Tensor | None = None,
    rng_name: str = "",
    training: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor | None]:
    """`flash_attention` of queries, keys and values that are one tensor.

    Args:
        qkv: [B, T, G + 2, K, D]: G * K query heads, K key heads, K value heads.
        dropout: see `flash_attention`.
        causal: see `flash_attention`.
        return_softmax: see `flash_attention`.
        fixed_seed_offset: see `flash_attention`.
        rng_name: see `flash_attention`.
        training: see `flash_attention`.
        name: not used.

    Returns:
        Output [B, T, G * K, D], and the weights or `None`.

    Raises:
        InvalidArgumentError: shapes or `dropout` do not fit.
    """
    return flash_attention(
        *unpack(qkv),
        dropout,
        causal,
        return_softmax,
        fixed_seed_offset=fixed_seed_offset,
        training=training,
    )
