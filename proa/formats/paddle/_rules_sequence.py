"""Rules for Paddle's recurrent layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from proa import ops
from proa.ops._recurrent import recurrent

from ._rules import Unfit, rule

if TYPE_CHECKING:
    from ._rules import Data, Tensors

_MODES = {"LSTM": "LSTM", "GRU": "GRU", "RNN_TANH": "tanh", "RNN_RELU": "relu"}


@rule("rnn", outputs="Out DropoutState State", Input="x")
def _rnn(
    x: Data,
    pre_state: Tensors,
    weight_list: Tensors,
    sequence_length: Data = None,
    dropout_state_in: Any = None,
    *,
    is_bidirec: bool = False,
    num_layers: int = 1,
    mode: str,
) -> Any:
    """A stack of layers, time first: weights of all layers come before biases of all layers."""
    if mode not in _MODES:
        raise Unfit(f"a recurrent layer of mode {mode!r}")
    directions = 2 if is_bidirec else 1
    runs = num_layers * directions
    weights, biases = weight_list[: 2 * runs], weight_list[2 * runs :]
    states = [ops.unbind(state, 0) for state in pre_state]
    ends: list[list[Any]] = [[] for _ in states]
    for layer in range(num_layers):
        outputs = []
        for direction in range(directions):
            number = layer * directions + direction
            w_ih, w_hh = weights[2 * number : 2 * number + 2]
            b_ih, b_hh = biases[2 * number : 2 * number + 2] or (None, None)
            start = [state[number] for state in states]
            c = start[1] if len(start) > 1 else None
            out, *last = recurrent(
                *(x, start[0], c, w_ih, w_hh, b_ih, b_hh, None, sequence_length, _MODES[mode]),
                *(direction == 1, True, True),
            )
            outputs.append(out)
            for end, state in zip(ends, last, strict=True):
                end.append(state)
        x = ops.concat(outputs, -1) if directions == 2 else outputs[0]
    return x, None, [ops.stack(end, 0) for end in ends]
