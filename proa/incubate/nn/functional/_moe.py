"""Mixture of experts: choosing experts by gates, and moving tokens to their buffers and back.

Axes in names: N tokens, K choices per token, E experts, C capacity of an expert, D width.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from proa.core import InvalidArgumentError, Tensor, as_dtype, composite, op, to_tensor
from proa.ops import cast, reshape, transpose
from proa.ops._host_checks import check_range
from proa.ops._routing import gather_rows, ranks_within

from ._float8 import quantize_blocks

if TYPE_CHECKING:
    from proa.core._types import Array, Index


@op(method=None, public=False)
def choose_experts(logits: Array, correction: Array | None, k: int) -> tuple[Array, Array]:
    """The `k` best experts of each token by softmax plus correction, and their softmax.

    Returns:
        float32 weights [N, K], and int32 experts [N, K].
    """
    probabilities = jax.nn.softmax(logits.astype(jnp.float32), axis=-1)
    score = probabilities if correction is None else probabilities + correction.reshape(1, -1)
    _, chosen = jax.lax.top_k(jax.lax.stop_gradient(score), k)
    return jnp.take_along_axis(probabilities, chosen, axis=1), chosen.astype(jnp.int32)


@op(method=None, public=False)
def place_tokens(
    weights: Array,
    experts: Index,
    num_experts: int,
    capacity: int,
    use_pad: bool,
    first: int,
    last: int,
    drop_first: bool,
) -> tuple[Array, Array, Array, Array, Array]:
    """Gives tokens rows in the buffers of the experts `first` to before `last`.

    A token that finds its expert's buffer full is dropped there: weight 0, row 0.

    Returns:
        Weights [N, K]; rows int32 [K, N]; cumulative counts int64 [E]; the token of each row,
        int32, -1 for none; and counts int64 [E].
    """
    num_tokens, num_choices = experts.shape
    flat = experts.reshape(-1)
    local = jnp.where((flat >= first) & (flat < last), flat - first, -1)
    rank, counts = ranks_within(local, last - first)
    if drop_first:
        rank = counts[local] - 1 - rank
    kept = (local >= 0) & (rank < capacity)
    sizes = jnp.minimum(counts, capacity)
    if drop_first:
        rank = sizes[local] - 1 - rank
    starts = jnp.arange(last - first) * capacity if use_pad else jnp.cumsum(sizes) - sizes
    row = (starts[local] + rank).astype(jnp.int32)
    total = (last - first) * capacity if use_pad else num_tokens * num_choices
    token = jnp.repeat(jnp.arange(num_tokens, dtype=jnp.int32), num_choices)
    source = (
        jnp.full((total,), -1, jnp.int32).at[jnp.where(kept, row, total)].set(token, mode="drop")
    )
    weights = jnp.where(kept.reshape(experts.shape), weights, 0)
    rows = jnp.where(kept, row, 0).reshape(experts.shape).T
    counts = counts.astype(jnp.int64)
    return weights, rows, jnp.cumsum(counts), source, counts


def _sized(k: int, num_experts: Any, capacity: int, name: str) -> None:
    if not 1 <= k <= num_experts or capacity < 1:
        raise InvalidArgumentError(
            f"`{name}` got k = {k} and capacity = {capacity} for {num_experts} experts",
            expected=f"k from 1 to {num_experts}, a capacity of at least 1",
            fix="choose fewer experts per token, or room for more tokens",
        )


def _dispatched(
    x: Any, gate_logits: Any, corr_bias: Any, k: int, capacity: int, use_pad: bool, name: str
) -> Any:
    logits = reshape(gate_logits, [-1, gate_logits.shape[-1]])
    num_experts = logits.shape[-1]
    _sized(k, num_experts, capacity, name)
    weights, experts = choose_experts(logits, corr_bias, k)
    weights, rows, offsets, source, _ = place_tokens(
        weights, experts, num_experts, capacity, use_pad, 0, num_experts, False
    )
    tokens = gather_rows(reshape(x, [-1, x.shape[-1]]), source)
    return tokens, weights, rows, offsets, experts


@composite
def moe_gate_dispatch(
    x: Tensor,
    gate_logits: Tensor,
    corr_bias: Tensor | None,
    k: int,
    capacity: int,
    use_pad: bool,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Chooses experts by the softmax of gates, and copies the tokens to their buffers.

    Args:
        x: tokens [N, D].
        gate_logits: [N, E].
        corr_bias: added to the softmax where the choice is made, [E].
        k: experts per token.
        capacity: tokens per expert; later ones are dropped.
        use_pad: every buffer has `capacity` rows; else they lie one after the other.
        name: not used.

    Returns:
        Tokens [E * capacity, D] (or [N * k, D]), their weights [N, k] (0 where dropped), their
        rows int32 [k, N], cumulative counts of the experts int64 [E], and the experts chosen,
        int32 [N, k].

    Raises:
        InvalidArgumentError: `k` or `capacity` cannot be.

    Examples:
        >>> import proa
        >>> from proa.incubate.nn.functional import moe_combine, moe_gate_dispatch
        >>> x = proa.to_tensor([[1.0], [2.0]])
        >>> gates = proa.to_tensor([[0.0, 9.0], [9.0, 0.0]])
        >>> rows, weights, index, _, _ = moe_gate_dispatch(x, gates, None, 1, 1, True)
        >>> rows.flatten().tolist()
        [2.0, 1.0]
        >>> moe_combine(rows, weights, index).round(2).flatten().tolist()
        [1.0, 2.0]
    """
    return _dispatched(x, gate_logits, corr_bias, k, capacity, use_pad, "moe_gate_dispatch")


@composite
def moe_gate_dispatch_and_quant(
    x: Tensor,
    gate_logits: Tensor,
    corr_bias: Tensor | None,
    k: int,
    capacity: int,
    use_pad: bool,
    use_pow2_scale: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """`moe_gate_dispatch` whose tokens are made float8 by blocks of 1 x 128.

    Args:
        x: tokens [N, D].
        gate_logits: [N, E].
        corr_bias: see `moe_gate_dispatch`.
        k: experts per token.
        capacity: tokens per expert.
        use_pad: see `moe_gate_dispatch`.
        use_pow2_scale: round the blocks' factors up to powers of two.

    Returns:
        float8 tokens and their factors, then what `moe_gate_dispatch` returns after the tokens.

    Raises:
        InvalidArgumentError: `k` or `capacity` cannot be.
    """
    tokens, *rest = _dispatched(
        x, gate_logits, corr_bias, k, capacity, use_pad, "moe_gate_dispatch_and_quant"
    )
    return (*quantize_blocks(tokens, 1, 0.0, use_pow2_scale), *rest)


@composite
def moe_gate_dispatch_permute(
    x: Tensor,
    gate_logits: Tensor,
    corr_bias: Tensor | None,
    k: int,
    capacity: int,
    world_size: int,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """`moe_gate_dispatch` with the buffers ordered by the experts' number on their process.

    Args:
        x: tokens [N, D].
        gate_logits: [N, E].
        corr_bias: see `moe_gate_dispatch`.
        k: experts per token.
        capacity: tokens per expert.
        world_size: number of processes W, which have E / W experts each.
        name: not used.

    Returns:
        Tokens [E / W, W, capacity, D], and what `moe_gate_dispatch` returns besides; rows count
        through the first three axes.

    Raises:
        InvalidArgumentError: `world_size` does not divide the number of experts.
    """
    tokens, weights, rows, offsets, experts = _dispatched(
        x, gate_logits, corr_bias, k, capacity, True, "moe_gate_dispatch_permute"
    )
    num_experts = gate_logits.shape[-1]
    if world_size < 1 or num_experts % world_size:
        raise InvalidArgumentError(
            f"`world_size` is {world_size}, there are {num_experts} experts",
            expected="a divisor of the number of experts",
            fix="give every process as many experts",
        )
    local = num_experts // world_size
    grouped = reshape(tokens, [world_size, local, capacity, tokens.shape[-1]])
    expert, place = rows // capacity, rows % capacity
    moved = ((expert % local) * world_size + expert // local) * capacity + place
    turned = transpose(grouped, [1, 0, 2, 3])
    return turned, weights, cast(moved, "int32"), offsets, experts


@composite
def moe_gate_dispatch_partial_nosoftmaxtopk(
    x: Tensor,
    combine_weights: Tensor,
    expert_id: Tensor,
    k: int,
    capacity: int,
    num_experts: int,
    use_pad: bool,
    expert_start_index: int,
    expert_end_index: int,
    reverse_token_drop: bool,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Copies tokens to the buffers of some of the experts, which are chosen already.

    Args:
        x: tokens [N, D].
        combine_weights: weights [N, k].
        expert_id: int32, experts [N, k].
        k: experts per token.
        capacity: tokens per expert.
        num_experts: number of all experts.
        use_pad: see `moe_gate_dispatch`.
        expert_start_index: the first expert that takes part.
        expert_end_index: the one after the last that does.
        reverse_token_drop: a full buffer keeps its last tokens instead of the first.
        name: not used.

    Returns:
        Tokens, their weights [N, k] (0 where dropped), their rows int32 [k, N], cumulative
        counts of these experts, and their counts.

    Raises:
        InvalidArgumentError: `k`, `capacity` or the range of experts cannot be.
    """
    _sized(k, num_experts, capacity, "moe_gate_dispatch_partial_nosoftmaxtopk")
    if not 0 <= expert_start_index < expert_end_index <= num_experts:
        raise InvalidArgumentError(
            f"experts {expert_start_index} to {expert_end_index} of {num_experts}",
            expected="0 <= expert_start_index < expert_end_index <= num_experts",
            fix="correct the range",
        )
    limits = (expert_start_index, expert_end_index, reverse_token_drop)
    weights, rows, offsets, source, counts = place_tokens(
        combine_weights, expert_id, num_experts, capacity, use_pad, *limits
    )
    return gather_rows(x, source), weights, rows, offsets, counts


def _check_rows(x: Any, scatter_index: Any, **rest: Any) -> None:
    rows = x.size // max(x.shape[-1], 1)
    check_range(scatter_index, rows, "scatter_index", "moe_combine", "a row of the buffers")


@op(method=None, check=_check_rows)
def moe_combine(x: Array, combine_weights: Array, scatter_index: Index) -> Array:
    """Weighted sum of each token's rows in the experts' buffers.

    Args:
        x: rows of the buffers [R, D].
        combine_weights: weights [N, K].
        scatter_index: integers [K, N], the rows of each token.

    Returns:
        Tensor [N, D].
    """
    rows_NKD = x.reshape(-1, x.shape[-1])[scatter_index.T]
    weights = combine_weights[..., None].astype(jnp.float32)
    return jnp.sum(rows_NKD.astype(jnp.float32) * weights, axis=1).astype(x.dtype)


def _check_range(x: Any, low: int, high: int, dtype: Any) -> None:
    values = np.asarray(x)
    if high <= low or (values.size and (values.min() < low or values.max() >= high)):
        raise InvalidArgumentError(
            f"`int_bincount` counts from {low} to {high}, "
            f"`x` has {values.min() if values.size else None} to "
            f"{values.max() if values.size else None}",
            expected="low < high, and values in [low, high)",
            fix="widen the range",
        )


@op(method=None, differentiable=False, check=_check_range)
def int_bincount(x: Index, low: int, high: int, dtype: Any = None) -> Array:
    """How often each integer of a range occurs.

    Args:
        x: integers.
        low: the first integer of the range.
        high: the one after the last.
        dtype: dtype of the counts; that of `x` by default.

    Returns:
        Tensor [high - low].

    Raises:
        InvalidArgumentError: a value outside the range (on concrete values).

    Examples:
        >>> import proa
        >>> from proa.incubate.nn.functional import int_bincount
        >>> int_bincount(proa.to_tensor([1, 2, 2]), 0, 4).tolist()
        [0, 1, 2, 0]
    """
    kind = x.dtype if dtype is None else as_dtype(dtype).numpy
    counts = jnp.zeros((high - low,), jnp.int64)
    return counts.at[x.reshape(-1) - low].add(1, mode="drop").astype(kind)


@composite
def build_src_rank_and_local_expert_id(
    expert_num_global_tensor: Tensor,
    expert_num_global: Any,
    num_local_experts: int,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The process, and the expert's number there, of each token in order of the experts.

    Args:
        expert_num_global_tensor: accepted; `expert_num_global` says the same.
        expert_num_global: how many tokens each expert of all processes has.
        num_local_experts: experts per process.
        name: not used.

    Returns:
        Two int32 tensors, with an entry per token.
    """
    counts = np.asarray([int(count) for count in expert_num_global])
    experts = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    return to_tensor(experts // num_local_experts), to_tensor(experts % num_local_experts)


@op(method=None, differentiable=False)
def expand_modality_expert_id(
    expert_id: Index,
    num_expert_per_modality: int,
    group_size: int,
    modality_offset: int,
    is_group_expert: bool,
) -> Array:
    """Numbers of experts among those of two modalities, which alternate process by process.

    With `e` the expert and `n` the experts per modality: `2 * n * (e // n) + e % n +
    modality_offset * n`; before, with `is_group_expert`, choice `i` adds `i * group_size`.

    Args:
        expert_id: integers [N, K].
        num_expert_per_modality: experts per modality and process; 0 or less leaves numbers alone.
        group_size: experts of a group.
        modality_offset: number of the modality.
        is_group_expert: whether numbers count within the group of their choice.
    """
    found = expert_id
    if is_group_expert:
        found = found + jnp.arange(expert_id.shape[-1], dtype=expert_id.dtype) * group_size
    if num_expert_per_modality <= 0:
        return found
    process, local = found // num_expert_per_modality, found % num_expert_per_modality
    return (2 * process + modality_offset) * num_expert_per_modality + local


@op(method=None)
def cal_aux_loss(
    gate_prob: Array,
    dispatch_mask: Array,
    tokens_mask: Array | None,
    dispatch_tokens_mask: Array | None,
    num_experts: int,
    use_group: bool,
    moe_k: int,
    clip_min: float,
) -> tuple[Array, Array, Array]:
    """Loss that spreads tokens over experts: `E * sum(mean probability * share of tokens)`.

    Args:
        gate_prob: probabilities [N, E].
        dispatch_mask: tokens that each expert got, [E].
        tokens_mask: which tokens count, [N]; all by default.
        dispatch_tokens_mask: which tokens were dispatched, if others than those.
        num_experts: number of experts E.
        use_group: divide the loss by `moe_k`.
        moe_k: experts per token.
        clip_min: least number of tokens to divide by.

    Returns:
        The loss, the number of tokens, and the share of tokens of each expert.
    """
    prob = gate_prob.astype(jnp.float32)
    if tokens_mask is None:
        count = jnp.asarray(gate_prob.shape[0], jnp.float32)
    else:
        count = jnp.sum(tokens_mask.astype(jnp.float32))
        prob = prob * tokens_mask.reshape(-1, 1)
    count = jnp.maximum(count, clip_min)
    sent = count
    if dispatch_tokens_mask is not None:
        sent = jnp.maximum(jnp.sum(dispatch_tokens_mask.astype(jnp.float32)), clip_min)
    share = dispatch_mask.astype(jnp.float32) / sent
    loss = jnp.sum(jnp.sum(prob, axis=0) / count * share) * num_experts
    return (loss / moe_k if use_group else loss).astype(gate_prob.dtype), count, share
