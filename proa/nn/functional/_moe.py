"""Moving tokens to the buffers of their experts, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proa.core import InvalidArgumentError, Tensor, composite, describe_array, to_tensor
from proa.ops import cast, full_like, greater_equal, reshape, take_along_axis, unsqueeze, where
from proa.ops import clip as clamp
from proa.ops import sum as total
from proa.ops._routing import expert_rows, gather_rows


@composite
def moe_permute(
    hidden_states: Tensor,
    scale: Tensor | None,
    expert_routemap_topk: Tensor,
    expert_prob_topk: Tensor,
    num_experts: int,
    tokens_per_expert: Sequence[int],
    padding_alignment: int,
    do_gather: bool = True,
    using_ue8m0_scale: bool = False,
    return_expert_indices: bool = False,
    override_buffer_size: int = -1,
    name: str | None = None,
) -> tuple[Any, ...]:
    """Copies each token to a row of the buffer of each expert that it chose.

    Args:
        hidden_states: tokens [N, D].
        scale: factors that go with float8 tokens, [N, blocks], or `None`.
        expert_routemap_topk: int32 [N, K], the experts chosen; -1 for none.
        expert_prob_topk: float32 [N, K], with which weight.
        num_experts: number of experts E.
        tokens_per_expert: how many tokens chose each of them.
        padding_alignment: each buffer is padded with zeros to a multiple of it.
        do_gather: without it the tokens are not copied (an empty tensor is returned).
        using_ue8m0_scale: whether `scale` holds four exponents an int32; it is copied as it is.
        return_expert_indices: return the expert of each row, -1 for padding.
        override_buffer_size: number of rows R instead of the padded counts' sum.
        name: not used.

    Returns:
        Tokens by expert [R, D], row of each token per expert (-1 for none) [N, E], weight of
        each row [R], factors of each row (empty without `scale`), and, when asked for, the
        expert of each row [R].

    Raises:
        OutOfRangeError: an expert outside [-1, num_experts).
        InvalidArgumentError: counts below what the routes name.

    Examples:
        >>> import proa
        >>> import proa.nn.functional as F
        >>> x = proa.to_tensor([[1.0], [2.0], [3.0]])
        >>> routes = proa.to_tensor([[1, -1], [0, 1], [1, -1]], dtype="int32")
        >>> weights = proa.to_tensor([[1.0, 0.0], [0.5, 0.5], [1.0, 0.0]])
        >>> found = F.moe_permute(x, None, routes, weights, 2, [1, 3], 2)
        >>> found[0].flatten().tolist()
        [2.0, 0.0, 1.0, 2.0, 3.0, 0.0]
        >>> found[1].tolist()
        [[-1, 2], [0, 3], [-1, 4]]
    """
    counts = [int(count) for count in tokens_per_expert]
    if padding_alignment < 1 or hidden_states.ndim != 2:
        raise InvalidArgumentError(
            f"`hidden_states` is {describe_array(hidden_states._data)}, `padding_alignment` "
            f"{padding_alignment}",
            expected="tokens [N, D], and an alignment of 1 or more",
            fix="reshape the tokens to two axes",
        )
    num_rows = sum(-(-count // padding_alignment) * padding_alignment for count in counts)
    if override_buffer_size >= 0:
        num_rows = override_buffer_size
    routes, of_expert = expert_routemap_topk, to_tensor(counts, dtype="int32")
    rows, token, choice, expert = expert_rows(
        routes, of_expert, num_experts, padding_alignment, num_rows
    )
    place = where(token >= 0, token * routes.shape[1] + choice, token)
    weights = gather_rows(reshape(expert_prob_topk, [-1]), place)
    tokens = gather_rows(hidden_states, token if do_gather else token[:0])
    factors = to_tensor([], dtype="float32") if scale is None else gather_rows(scale, token)
    found = (tokens, rows, weights, factors)
    return (*found, expert) if return_expert_indices else found


@composite
def moe_unpermute(
    hidden_states_unzipped: Tensor,
    zipped_expertwise_rowmap: Tensor,
    expert_routemap_topk: Tensor,
    token_prob_unzipped: Tensor,
    total_zipped_tokens: int,
    num_experts: int,
    using_mix_precision: bool = True,
    using_weighted_combine: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Adds up, for each token, its rows in the buffers of its experts.

    Args:
        hidden_states_unzipped: rows by expert [R, D].
        zipped_expertwise_rowmap: int32 [N, E], row of each token per expert; -1 for none.
        expert_routemap_topk: int32 [N, K], the experts chosen; -1 for none.
        token_prob_unzipped: float32 [R] or [R, 1], weight of each row.
        total_zipped_tokens: number of tokens N.
        num_experts: number of experts E.
        using_mix_precision: add in float32.
        using_weighted_combine: multiply each row by its weight first.
        name: not used.

    Returns:
        Tokens [N, D], and the weights [N, K].

    Raises:
        InvalidArgumentError: the map is not [total_zipped_tokens, num_experts].
    """
    rows = zipped_expertwise_rowmap
    if rows.shape != [total_zipped_tokens, num_experts]:
        raise InvalidArgumentError(
            f"`zipped_expertwise_rowmap` is {describe_array(rows._data)}",
            expected=f"[{total_zipped_tokens}, {num_experts}]",
            fix="pass the second result of `moe_permute`, and the counts it was made with",
        )
    weights = reshape(token_prob_unzipped, [-1])
    parts = gather_rows(hidden_states_unzipped, rows)
    if using_mix_precision or using_weighted_combine:
        parts = cast(parts, "float32")
    if using_weighted_combine:
        parts = parts * unsqueeze(gather_rows(weights, rows), -1)
    chosen = clamp(expert_routemap_topk, 0, num_experts - 1)
    of_choice = take_along_axis(rows, chosen, 1)
    of_choice = where(greater_equal(expert_routemap_topk, 0), of_choice, full_like(of_choice, -1))
    tokens = cast(total(parts, axis=1), hidden_states_unzipped.dtype)
    return tokens, gather_rows(weights, of_choice)
