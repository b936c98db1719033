"""Rows for recurrent cells and layers."""

from __future__ import annotations

from parity.table import Array, Call, array, float64, normal

_N = "paddle.nn."
_KINDS = ("SimpleRNN", "LSTM", "GRU")
_X = normal(2, 5, 4)
_LENGTHS = array([5, 3])


def _states(kind: str, *shape: int) -> object:
    """What a layer or cell of a kind starts from."""
    return (normal(*shape), normal(*shape)) if kind.startswith("LSTM") else normal(*shape)


def _layers(*sizes: object, x: Array = _X, **options: object) -> list[Call]:
    return [Call(f"{_N}{kind}", *sizes, forward=(x,), **options) for kind in _KINDS]  # type: ignore[arg-type]


CALLS = (
    *(
        row
        for kind in _KINDS
        for row in (
            Call(f"{_N}{kind}Cell", 4, 3, forward=(normal(2, 4),)),
            Call(f"{_N}{kind}Cell", 4, 3, forward=(normal(2, 4), _states(kind, 2, 3))),
            Call(f"{_N}{kind}Cell", 4, 3, bias_ih_attr=False, forward=(normal(2, 4),)),
            Call(f"{_N}{kind}Cell", 4, 3, forward=(normal(2, 5),), error=True),
        )
    ),
    Call(f"{_N}SimpleRNNCell", 4, 3, "relu", forward=(normal(2, 4),)),
    Call(f"{_N}SimpleRNNCell", 4, 3, "sine", error=True),
    Call(f"{_N}LSTMCell", 4, 0, error=True),
    *_layers(4, 3),
    *_layers(4, 3, x=normal(1, 1, 4)),
    *_layers(4, 3, 2),
    *_layers(4, 3, direction="bidirect"),
    # The real ones have no gradients in evaluation mode.
    *_layers(4, 3, 2, "bidirectional", evaluation=True, grad=False),
    *_layers(4, 3, time_major=True),
    *_layers(4, 3, 2, dropout=0.5, evaluation=True, grad=False),
    *_layers(4, 3, direction="sideways", error=True),
    *(
        row
        for kind in _KINDS
        for row in (
            Call(f"{_N}{kind}", 4, 3, 2, forward=(_X, _states(kind, 2, 2, 3))),
            Call(f"{_N}{kind}", 4, 3, forward=(_X, _states(kind, 1, 2, 3), _LENGTHS)),
            Call(f"{_N}{kind}", 4, 3, 1, "bidirect", forward=(_X, None, _LENGTHS), grad=False),
        )
    ),
    Call(f"{_N}SimpleRNN", 4, 3, activation="relu", forward=(_X,)),
    *(
        row
        for kind in _KINDS
        for row in (
            Call(f"{_N}RNN", Call(f"{_N}{kind}Cell", 4, 3), forward=(_X,)),
            Call(f"{_N}RNN", Call(f"{_N}{kind}Cell", 4, 3), True, forward=(_X,)),
            Call(f"{_N}RNN", Call(f"{_N}{kind}Cell", 4, 3), False, True, forward=(_X,)),
            Call(
                f"{_N}BiRNN",
                *(Call(f"{_N}{kind}Cell", 4, 3), Call(f"{_N}{kind}Cell", 4, 3)),
                forward=(_X,),
            ),
        )
    ),
    Call(f"{_N}RNN", Call(f"{_N}GRUCell", 4, 3), forward=(_X, normal(2, 3))),
    Call(f"{_N}GRUCell", 4, 3, methods=(("get_initial_states", normal(2, 4)),), grad=False),
    Call(
        f"{_N}LSTMCell",
        *(4, 3),
        methods=(("get_initial_states", float64(5, 4)),),
        grad=False,
        differs="states of the dtype of the batch, not of the default one",
    ),
    Call(
        f"{_N}GRUCell",
        *(4, 3),
        methods=(("get_initial_states", normal(6, 2), [3, 1], "float64", 0.5, 1),),
        grad=False,
    ),
)
