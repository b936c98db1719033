"""An LSTM over time for inference, whose loop is one native kernel.

A pass makes such calls (`native_lstm`); the kernel is `native/_lstm.cc`.

Axes in names: T time, B batch, I input, H state, K the state before, U blocks of eight units.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from proa.core import op
from proa.native import forward_primitive, kernel_call

from ._recurrent import input_product, next_lstm

if TYPE_CHECKING:
    from proa.core._types import Array

#: Units of a block of packed weights.
_UNITS = 8
#: Largest batch that the kernel takes: it reads the weights once per sequence.
_MOST = 4


def pack_gates(w_hh: np.ndarray) -> np.ndarray:
    """Lays the recurrent weight [4 * H, H] of an LSTM out as [U, K, 4, 8].

    Args:
        w_hh: float32 array, gates one after the other.

    Returns:
        The gates of eight units side by side, zeros where there are none.
    """
    hidden = w_hh.shape[1]
    blocks = -(-hidden // _UNITS)
    filled = np.zeros((4, blocks * _UNITS, hidden), w_hh.dtype)
    filled[:, :hidden] = w_hh.reshape(4, hidden, hidden)
    parts = filled.reshape(4, blocks, _UNITS, hidden)
    return np.ascontiguousarray(parts.transpose(1, 3, 0, 2))


def _form(given_TBG: Array, packed: Array, h: Array, c: Array, *, reverse: bool) -> Array:
    """What the kernel computes, in XLA's operations."""
    hidden = h.shape[1]
    w_hh = jnp.moveaxis(packed, (2, 0, 3), (0, 1, 2)).reshape(4, -1, hidden)[:, :hidden]
    w_hh = w_hh.reshape(4 * hidden, hidden)

    def step(before: Any, given_BG: Array) -> Any:
        found = next_lstm(given_BG, before, w_hh, None, None)
        return found, found[0]

    last, out_TBH = lax.scan(step, (h, c), given_TBG, reverse=reverse)
    return jnp.concatenate([out_TBH, last[1][None]])


def _shape(given_TBG: Array, packed: Array, h: Array, c: Array, **how: Any) -> tuple[Any, ...]:
    return (given_TBG.shape[0] + 1, *h.shape)


def _kernel(given_TBG: Array, packed: Array, h: Array, c: Array, *, reverse: bool) -> Array:
    if h.shape[0] > _MOST:
        return _form(given_TBG, packed, h, c, reverse=reverse)
    call = kernel_call("proa_lstm", _shape(given_TBG, packed, h, c))
    return call(given_TBG, packed, h, c, reverse=reverse)


_lstm = forward_primitive("proa_lstm", _shape, _form, _kernel)


@op(method=None, public=False, differentiable=False)
def lstm_fused(
    x: Array,
    h: Array,
    c: Array,
    w_ih: Array,
    packed: Array,
    bias: Array,
    reverse: bool,
    time_major: bool,
) -> tuple[Array, ...]:
    """Runs an LSTM over time: all outputs, the last hidden state and the last cell state.

    Args:
        x: [B, T, I], or [T, B, I] with `time_major`.
        h: [B, H].
        c: [B, H].
        w_ih: [4 * H, I].
        packed: the recurrent weight as `pack_gates` gives it.
        bias: [4 * H], of input and state together.
        reverse: from the last step to the first; outputs stay in the order of the input.
        time_major: time is the first axis of input and output.
    """
    x_TBI = x if time_major else jnp.swapaxes(x, 0, 1)
    given_TBG = input_product(x_TBI, w_ih) + bias
    made = _lstm.bind(given_TBG, packed, h, c, reverse=reverse)
    steps = given_TBG.shape[0]
    out_TBH = made[:steps]
    last = h if steps == 0 else made[0 if reverse else steps - 1]
    return out_TBH if time_major else jnp.swapaxes(out_TBH, 0, 1), last, made[steps]
