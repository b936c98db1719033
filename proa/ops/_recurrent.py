"""Recurrent cells and their loop over time, one op per layer and direction.

Axes in names: T time, B batch, I input, H state, G gates (one, three or four times H).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jax import lax, nn

from proa.core import InvalidArgumentError, describe_array, op

if TYPE_CHECKING:
    from proa.core._types import Array, Index

State = tuple[Any, ...]
#: Gates of each kind of cell.
NUM_GATES = {"tanh": 1, "relu": 1, "LSTM": 4, "GRU": 3}


def input_product(x: Array, weight: Array) -> Array:
    """`x @ weight^T`; low precisions are summed, and handed on, in float32."""
    dtype = jnp.result_type(x, weight)
    wide = jnp.float32 if dtype in (jnp.float16, jnp.bfloat16) else dtype
    # Not x @ weight.T: for one sequence XLA:CPU would transpose the weight again in each step of
    # the loop (32 steps, 1024x256: 4.8 ms, so 0.7 ms).
    axes = (((x.ndim - 1,), (1,)), ((), ()))
    return lax.dot_general(x.astype(dtype), weight.astype(dtype), axes, preferred_element_type=wide)


def _plus(x: Array, bias: Array | None) -> Array:
    return x if bias is None else x + bias.astype(x.dtype)


def _next_plain(
    given: Array, states: State, w_hh: Array, b_hh: Any, w_ho: Any, relu: bool
) -> State:
    total = given + _plus(input_product(states[0], w_hh), b_hh)
    return (nn.relu(total) if relu else jnp.tanh(total),)


def _next_tanh(given: Array, states: State, w_hh: Array, b_hh: Any, w_ho: Any) -> State:
    return _next_plain(given, states, w_hh, b_hh, w_ho, relu=False)


def _next_relu(given: Array, states: State, w_hh: Array, b_hh: Any, w_ho: Any) -> State:
    return _next_plain(given, states, w_hh, b_hh, w_ho, relu=True)


def next_lstm(given: Array, states: State, w_hh: Array, b_hh: Any, w_ho: Any) -> State:
    gates = given + _plus(input_product(states[0], w_hh), b_hh)
    i, f, g, o = jnp.split(gates, 4, axis=-1)
    c = nn.sigmoid(f) * states[1] + nn.sigmoid(i) * jnp.tanh(g)
    h = nn.sigmoid(o) * jnp.tanh(c)
    return (h if w_ho is None else input_product(h, w_ho.T), c)


def _next_gru(given: Array, states: State, w_hh: Array, b_hh: Any, w_ho: Any) -> State:
    x_r, x_z, x_c = jnp.split(given, 3, axis=-1)
    h_r, h_z, h_c = jnp.split(_plus(input_product(states[0], w_hh), b_hh), 3, axis=-1)
    z = nn.sigmoid(x_z + h_z)
    candidate = jnp.tanh(x_c + nn.sigmoid(x_r + h_r) * h_c)
    return (z * states[0] + (1 - z) * candidate,)


_NEXT: dict[str, Callable[..., State]] = {
    "tanh": _next_tanh,
    "relu": _next_relu,
    "LSTM": next_lstm,
    "GRU": _next_gru,
}


def _check(x: Array, states: State, w_ih: Array, w_hh: Array, rank: int) -> None:
    fits = x.ndim == rank and x.shape[-1] == w_ih.shape[1]
    if not fits:
        wanted = "[batch, {}]" if rank == 2 else "[batch, time, {}] (or time first, if time_major)"
        raise InvalidArgumentError(
            f"the input of a recurrent layer is {describe_array(x)}",
            expected=f"{rank} axes: {wanted.format(w_ih.shape[1])}",
            fix="give the input the layer's input_size as last axis",
        )
    width = w_hh.shape[1]
    if any(s.ndim != 2 for s in states) or states[0].shape[1] != width:
        shown = " and ".join(describe_array(s) for s in states)
        raise InvalidArgumentError(
            f"the initial state of a recurrent layer is {shown}",
            expected=f"[batch, {width}]",
            fix="leave the initial states out for zeros, or give them the layer's size",
        )


def _result_dtype(x: Array, w_ih: Array, states: State) -> Any:
    return jnp.result_type(x, w_ih, *states)


@op(method=None, public=False)
def recurrent_step(
    x: Array,
    h: Array,
    c: Array | None,
    w_ih: Array,
    w_hh: Array,
    b_ih: Array | None,
    b_hh: Array | None,
    w_ho: Array | None,
    mode: str,
) -> tuple[Array, ...]:
    """One step of a cell: the next hidden state, and for an LSTM the next cell state.

    Args:
        x: [B, I].
        h: [B, H]; for an LSTM with projection [B, P].
        c: [B, H], for an LSTM.
        w_ih: [G, I].
        w_hh: [G, H] or [G, P].
        b_ih: [G].
        b_hh: [G].
        w_ho: [H, P], the projection.
        mode: `tanh`, `relu`, `LSTM` or `GRU`.
    """
    states = (h,) if c is None else (h, c)
    _check(x, states, w_ih, w_hh, 2)
    dtype = _result_dtype(x, w_ih, states)
    found = _NEXT[mode](_plus(input_product(x, w_ih), b_ih), states, w_hh, b_hh, w_ho)
    return tuple(s.astype(dtype) for s in found)


@op(method=None, public=False)
def recurrent(
    x: Array,
    h: Array,
    c: Array | None,
    w_ih: Array,
    w_hh: Array,
    b_ih: Array | None,
    b_hh: Array | None,
    w_ho: Array | None,
    sequence_length: Index | None,
    mode: str,
    reverse: bool,
    time_major: bool,
    zero_after_end: bool,
) -> tuple[Array, ...]:
    """Runs a cell over time: all outputs, the last hidden state, for an LSTM its cell state.

    The input is mapped for all steps at once; the loop holds the recurrent product only. After
    its end a sequence keeps its state.

    Args:
        x: [B, T, I], or [T, B, I] with `time_major`.
        h: [B, H]; for an LSTM with projection [B, P].
        c: [B, H], for an LSTM.
        w_ih: [G, I].
        w_hh: [G, H] or [G, P].
        b_ih: [G].
        b_hh: [G].
        w_ho: [H, P], the projection.
        sequence_length: valid steps of each sequence, [B].
        mode: `tanh`, `relu`, `LSTM` or `GRU`.
        reverse: from the last step to the first; outputs stay in the order of the input.
        time_major: time is the first axis of input and output.
        zero_after_end: outputs after the end of a sequence are 0.
    """
    states = (h,) if c is None else (h, c)
    _check(x, states, w_ih, w_hh, 3)
    dtype = _result_dtype(x, w_ih, states)
    x_TBI = x if time_major else jnp.swapaxes(x, 0, 1)
    given_TBG = _plus(input_product(x_TBI, w_ih), b_ih)
    # The hidden state goes through a product, so low precision is enough; the cell state is a sum.
    kept = (dtype, given_TBG.dtype)
    start = tuple(s.astype(d) for s, d in zip(states, kept, strict=False))

    def step(before: State, inputs: tuple[Array, Array]) -> tuple[State, Array]:
        given_BG, time = inputs
        found = _NEXT[mode](given_BG, before, w_hh, b_hh, w_ho)
        found = tuple(s.astype(b.dtype) for s, b in zip(found, before, strict=True))
        if sequence_length is None:
            return found, found[0]
        goes_on = (time < sequence_length.reshape(-1))[:, None]
        output = jnp.where(goes_on, found[0], 0) if zero_after_end else found[0]
        return tuple(jnp.where(goes_on, s, b) for s, b in zip(found, before, strict=True)), output

    times = jnp.arange(x_TBI.shape[0])
    last, out_TBH = lax.scan(step, start, (given_TBG, times), reverse=reverse)
    outputs = out_TBH if time_major else jnp.swapaxes(out_TBH, 0, 1)
    return outputs, *[s.astype(dtype) for s in last]
