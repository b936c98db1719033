"""Recurrent layers: cells run over time, and stacks of them.

Axes in names: T time, B batch, H state.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from proa.core import InvalidArgumentError, context, is_dimension
from proa.ops import concat, stack, unbind, where
from proa.ops._recurrent import recurrent

from . import functional as F
from ._containers import LayerList
from ._layer import Layer
from ._nest import first_leaf, map_nest
from ._recurrent_cells import GRUCell, LSTMCell, SimpleRNNCell, is_known


def _steps(inputs: Any, axis: int) -> int:
    """Number of time steps that a cell of the user's own runs over."""
    count = first_leaf(inputs).shape[axis]
    if is_dimension(count) or count < 1:
        raise InvalidArgumentError(
            f"the time axis of an RNN's input has extent {count}",
            expected="a known extent of at least 1, for a cell of one's own",
            fix="give the time axis a size in the InputSpec, or use SimpleRNN, LSTM or GRU",
        )
    return int(count)


class _Steps:
    """A list of tensors that `_map` takes for one leaf."""

    def __init__(self, tensors: Any) -> None:
        self.tensors = tensors

    def __getitem__(self, time: int) -> Any:
        return self.tensors[time]


def _loop(
    cell: Any, inputs: Any, states: Any, lengths: Any, is_reverse: bool, axis: int, options: Any
) -> Any:
    """Runs any cell step by step."""
    count = _steps(inputs, axis)
    parts = map_nest(lambda tensor: _Steps(unbind(tensor, axis)), inputs)
    outputs: list[Any] = [None] * count
    for time in reversed(range(count)) if is_reverse else range(count):
        now = map_nest(lambda step, time=time: step[time], parts)
        outputs[time], following = cell(now, states, **options)
        if lengths is not None and states is not None:
            goes_on = (lengths > time).reshape([-1])

            def keep(new: Any, old: Any, goes_on: Any = goes_on) -> Any:
                return where(goes_on.reshape([-1] + [1] * (len(new.shape) - 1)), new, old)

            following = map_nest(keep, following, states)
        states = following
    return map_nest(lambda *steps: stack(steps, axis), *outputs), states


def run_over_time(
    cell: Any,
    inputs: Any,
    states: Any,
    sequence_length: Any,
    is_reverse: bool,
    time_major: bool,
    zero_after_end: bool = False,
    options: Any = None,
) -> Any:
    """Runs a cell over the time axis: as one op where the cell's step is one.

    Args:
        cell: the cell.
        inputs: `[B, T, ...]`, or `[T, B, ...]` with `time_major`.
        states: initial states; zeros when it is `None`.
        sequence_length: valid steps, `[B]`; all when it is `None`.
        is_reverse: runs from the last step to the first.
        time_major: time is the first axis.
        zero_after_end: outputs after the end of a sequence are 0.
        options: keyword arguments for a cell of the user's own.

    Returns:
        The outputs and the last states.
    """
    if states is None:
        states = cell.get_initial_states(inputs, batch_dim_idx=int(time_major))
    if not is_known(cell) or options:
        axis = 0 if time_major else 1
        return _loop(cell, inputs, states, sequence_length, is_reverse, axis, options or {})
    _note(cell)
    is_pair = isinstance(states, tuple | list)
    h, c = states if is_pair else (states, None)
    outputs, *last = recurrent(
        *(inputs, h, c, *cell.weights, sequence_length, cell._mode),
        *(bool(is_reverse), bool(time_major), zero_after_end),
    )
    return outputs, tuple(last) if is_pair else last[0]


def _note(cell: Layer) -> None:
    """Tells a recording that the cell took part, which its call would have done."""
    if context.recorder is not None:
        context.recorder.note_layer(cell)


class RNN(Layer):
    """Runs a cell over time.

    Args:
        cell: a cell of Proa or of your own, called as `cell(inputs, states, **kwargs)`.
        is_reverse: runs from the last step to the first; outputs keep the order of the input.
        time_major: inputs and outputs have time first and the batch second.

    Examples:
        >>> import proa
        >>> rnn = proa.nn.RNN(proa.nn.GRUCell(3, 4))
        >>> outputs, state = rnn(proa.ones([2, 5, 3]))
        >>> outputs.shape, state.shape
        ([2, 5, 4], [2, 4])
    """

    def __init__(self, cell: Any, is_reverse: bool = False, time_major: bool = False) -> None:
        super().__init__()
        self.cell = cell
        self.is_reverse = is_reverse
        self.time_major = time_major

    def forward(
        self,
        inputs: Any,
        initial_states: Any = None,
        sequence_length: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Runs the cell.

        Args:
            inputs: `[B, T, ...]`, or `[T, B, ...]` with `time_major`.
            initial_states: states to start from; zeros by default.
            sequence_length: valid steps of each sequence, integers `[B]`. After its end a
                sequence keeps its state; the outputs there have no meaning.
            kwargs: handed to the cell.

        Returns:
            The outputs of all steps and the last states.
        """
        direction = (self.is_reverse, self.time_major, False, kwargs)
        return run_over_time(self.cell, inputs, initial_states, sequence_length, *direction)


class BiRNN(Layer):
    """Runs one cell forwards and one backwards over time, and joins their outputs.

    Args:
        cell_fw: the cell that runs forwards.
        cell_bw: the cell that runs backwards.
        time_major: inputs and outputs have time first and the batch second.

    Raises:
        InvalidArgumentError: the cells have different input sizes.

    Examples:
        >>> import proa
        >>> cells = proa.nn.GRUCell(3, 4), proa.nn.GRUCell(3, 4)
        >>> outputs, (forwards, backwards) = proa.nn.BiRNN(*cells)(proa.ones([2, 5, 3]))
        >>> outputs.shape
        [2, 5, 8]
    """

    def __init__(self, cell_fw: Any, cell_bw: Any, time_major: bool = False) -> None:
        super().__init__()
        sizes = [getattr(cell, "input_size", None) for cell in (cell_fw, cell_bw)]
        if sizes[0] != sizes[1]:
            raise InvalidArgumentError(
                f"BiRNN: the cells have input sizes {sizes[0]} and {sizes[1]}",
                expected="cells that take the same input",
                fix="give both the same input_size",
            )
        self.cell_fw = cell_fw
        self.cell_bw = cell_bw
        self.time_major = time_major

    def forward(
        self,
        inputs: Any,
        initial_states: Any = None,
        sequence_length: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Runs both cells.

        Args:
            inputs: `[B, T, ...]`, or `[T, B, ...]` with `time_major`.
            initial_states: a pair: states of the forward and of the backward cell; zeros by
                default.
            sequence_length: valid steps of each sequence, integers `[B]`.
            kwargs: handed to the cells.

        Returns:
            The outputs, joined along the last axis, and the pair of last states.
        """
        states = (None, None) if initial_states is None else initial_states
        return _run_both(self, inputs, states, sequence_length, False, kwargs)


def _run_both(
    layer: BiRNN, inputs: Any, states: Any, lengths: Any, zero_after_end: bool, options: Any = None
) -> Any:
    found = [
        run_over_time(cell, inputs, start, lengths, back, layer.time_major, zero_after_end, options)
        for cell, start, back in zip(
            (layer.cell_fw, layer.cell_bw), states, (False, True), strict=True
        )
    ]
    outputs = map_nest(lambda *both: concat(both, -1), found[0][0], found[1][0])
    return outputs, (found[0][1], found[1][1])


class _Stack(LayerList):
    """Layers of one kind of cell on top of each other; subclasses say which."""

    def __init__(
        self,
        cells: Iterator[Any],
        num_layers: int,
        direction: str,
        time_major: bool,
        dropout: float,
    ) -> None:
        super().__init__()
        if direction not in ("forward", "bidirect", "bidirectional"):
            raise InvalidArgumentError(
                f"{type(self).__name__}: `direction` is {direction!r}",
                expected="'forward', 'bidirect' or 'bidirectional'",
                fix="for backwards only use RNN(cell, is_reverse=True)",
            )
        self.num_directions = 1 if direction == "forward" else 2
        self.time_major, self.num_layers, self.dropout = time_major, num_layers, dropout
        for _ in range(num_layers):
            if self.num_directions == 2:
                self.append(BiRNN(next(cells), next(cells), time_major))
            else:
                self.append(RNN(next(cells), False, time_major))
        first = next(iter(self[0].sublayers()))
        self.input_size, self.hidden_size = first.input_size, first.hidden_size
        self.proj_size = getattr(first, "proj_size", 0)
        self.state_components = 2 if isinstance(first, LSTMCell) else 1
        self._name_parameters()

    def _name_parameters(self) -> None:
        """Gives each parameter a second name, `weight_ih_l0`, `bias_hh_l1_reverse`, ...

        The names leave out biases that are switched off, and count no projection, while the
        parameters are all there: from the first such place on, the names stand further along.
        Files have it so.
        """
        cells = [cell for layer in self for cell in layer.sublayers()]
        kinds = [
            name
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            if name.startswith("weight") or name not in cells[0].switched_off
        ]
        endings = ("", "_reverse")[: self.num_directions]
        names = [
            f"{kind}_l{layer}{ending}"
            for layer in range(self.num_layers)
            for ending in endings
            for kind in kinds
        ]
        held = [parameter for cell in cells for parameter in cell._parameters.values()]
        for name, parameter in zip(names, held, strict=False):
            setattr(self, name, parameter)

    def _initial(self, initial_states: Any) -> list[Any]:
        """Splits given states `[layers * directions, B, H]` into one per cell."""
        count = self.num_layers * self.num_directions
        if initial_states is None:
            return [None] * count
        given = initial_states if isinstance(initial_states, tuple | list) else [initial_states]
        if len(given) != self.state_components or any(s.shape[0] != count for s in given):
            raise InvalidArgumentError(
                f"{type(self).__name__}: `initial_states` has shapes {[s.shape for s in given]}",
                expected=f"{self.state_components} of [{count}, batch, size]: layers * directions",
                fix="leave initial_states out for zeros, or stack one state per cell",
            )
        split = [unbind(tensor, 0) for tensor in given]
        return list(split[0]) if len(split) == 1 else list(zip(*split, strict=True))

    def forward(self, inputs: Any, initial_states: Any = None, sequence_length: Any = None) -> Any:
        """Runs all layers over time.

        Args:
            inputs: `[B, T, input_size]`, or `[T, B, input_size]` with `time_major`.
            initial_states: `[layers * directions, B, H]`, for an LSTM a pair of them; zeros by
                default.
            sequence_length: valid steps of each sequence, integers `[B]`; outputs after the end
                are 0 and the last states are those at the end.

        Returns:
            The outputs of the last layer (both directions joined along the last axis), and the
            last states of all layers, shaped as `initial_states`.

        Raises:
            InvalidArgumentError: a shape does not fit.
        """
        starts, lasts, out = self._initial(initial_states), [], inputs
        for number, layer in enumerate(self):
            _note(layer)
            if number and self.dropout:
                out = F.dropout(out, self.dropout, training=self.training)
            first = number * self.num_directions
            if isinstance(layer, BiRNN):
                pair = starts[first : first + 2]
                out, states = _run_both(layer, out, pair, sequence_length, True)
                lasts.extend(states)
            else:
                direction = (False, self.time_major, True)
                out, state = run_over_time(
                    layer.cell, out, starts[first], sequence_length, *direction
                )
                lasts.append(state)
        if self.state_components == 1:
            return out, stack(lasts, 0)
        return out, tuple(stack(part, 0) for part in zip(*lasts, strict=True))

    def extra_repr(self) -> str:
        """Returns the sizes and what differs from the defaults."""
        shown = f"{self.input_size}, {self.hidden_size}"
        if self.num_layers != 1:
            shown += f", num_layers={self.num_layers}"
        if self.time_major:
            shown += f", time_major={self.time_major}"
        return shown + (f", dropout={self.dropout}" if self.dropout else "")


def _cells(
    kind: Any, sizes: tuple[int, int, int], num_layers: int, direction: str, **settings: Any
) -> Iterator[Any]:
    """Makes the cells of a stack, from the bottom up; `sizes`: input, state, output of a cell."""
    directions = 1 if direction == "forward" else 2
    width, hidden, output = sizes
    for _ in range(num_layers):
        for _ in range(directions):
            yield kind(width, hidden, **settings)
        width = output * directions


class SimpleRNN(_Stack):
    """Layers of plain recurrent cells.

    Each layer runs SimpleRNNCell over time as one op, forwards, or forwards and backwards.

    Args:
        input_size: size of the input's last axis.
        hidden_size: size of a state, H.
        num_layers: how many layers stand on each other.
        direction: `forward`, or `bidirect` (also `bidirectional`) for both directions.
        time_major: inputs and outputs have time first and the batch second.
        dropout: probability of dropping an element between two layers, in training mode.
        activation: `tanh` or `relu`.
        weight_ih_attr: settings of the input weights, see ParamAttr; by default uniform draws in
            +- 1 / sqrt(H), as for the others.
        weight_hh_attr: settings of the recurrent weights.
        bias_ih_attr: settings of the input biases; `False` fixes them at 0.
        bias_hh_attr: settings of the recurrent biases; `False` fixes them at 0.
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: a size, the direction or (at the call) a shape does not fit.

    Examples:
        >>> import proa
        >>> layer = proa.nn.SimpleRNN(3, 4, num_layers=2)
        >>> outputs, states = layer(proa.ones([2, 5, 3]))
        >>> outputs.shape, states.shape
        ([2, 5, 4], [2, 2, 4])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        activation: str = "tanh",
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:
        settings = {
            "weight_ih_attr": weight_ih_attr,
            "weight_hh_attr": weight_hh_attr,
            "bias_ih_attr": bias_ih_attr,
            "bias_hh_attr": bias_hh_attr,
            "activation": activation,
        }
        sizes = (input_size, hidden_size, hidden_size)
        cells = _cells(SimpleRNNCell, sizes, num_layers, direction, **settings)
        super().__init__(cells, num_layers, direction, time_major, dropout)


class LSTM(_Stack):
    """Layers of long short-term memory.

    Each layer runs LSTMCell over time as one op, forwards, or forwards and backwards.

    Args:
        input_size: size of the input's last axis.
        hidden_size: size of a state, H.
        num_layers: how many layers stand on each other.
        direction: `forward`, or `bidirect` (also `bidirectional`) for both directions.
        time_major: inputs and outputs have time first and the batch second.
        dropout: probability of dropping an element between two layers, in training mode.
        weight_ih_attr: settings of the input weights, see ParamAttr; by default uniform draws in
            +- 1 / sqrt(H), as for the others.
        weight_hh_attr: settings of the recurrent weights.
        bias_ih_attr: settings of the input biases; `False` fixes them at 0.
        bias_hh_attr: settings of the recurrent biases; `False` fixes them at 0.
        proj_size: size that the outputs of a cell are mapped to; 0 for no map.
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: a size, the direction or (at the call) a shape does not fit.

    Examples:
        >>> import proa
        >>> layer = proa.nn.LSTM(3, 4, num_layers=2)
        >>> outputs, (h, c) = layer(proa.ones([2, 5, 3]))
        >>> outputs.shape, c.shape
        ([2, 5, 4], [2, 2, 4])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        proj_size: int = 0,
        name: str | None = None,
    ) -> None:
        settings = {
            "weight_ih_attr": weight_ih_attr,
            "weight_hh_attr": weight_hh_attr,
            "bias_ih_attr": bias_ih_attr,
            "bias_hh_attr": bias_hh_attr,
            "proj_size": proj_size,
        }
        sizes = (input_size, hidden_size, proj_size or hidden_size)
        cells = _cells(LSTMCell, sizes, num_layers, direction, **settings)
        super().__init__(cells, num_layers, direction, time_major, dropout)


class GRU(_Stack):
    """Layers of gated recurrent units.

    Each layer runs GRUCell over time as one op, forwards, or forwards and backwards.

    Args:
        input_size: size of the input's last axis.
        hidden_size: size of a state, H.
        num_layers: how many layers stand on each other.
        direction: `forward`, or `bidirect` (also `bidirectional`) for both directions.
        time_major: inputs and outputs have time first and the batch second.
        dropout: probability of dropping an element between two layers, in training mode.
        weight_ih_attr: settings of the input weights, see ParamAttr; by default uniform draws in
            +- 1 / sqrt(H), as for the others.
        weight_hh_attr: settings of the recurrent weights.
        bias_ih_attr: settings of the input biases; `False` fixes them at 0.
        bias_hh_attr: settings of the recurrent biases; `False` fixes them at 0.
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: a size, the direction or (at the call) a shape does not fit.

    Examples:
        >>> import proa
        >>> layer = proa.nn.GRU(3, 4, num_layers=2)
        >>> outputs, states = layer(proa.ones([2, 5, 3]))
        >>> outputs.shape, states.shape
        ([2, 5, 4], [2, 2, 4])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:
        settings = {
            "weight_ih_attr": weight_ih_attr,
            "weight_hh_attr": weight_hh_attr,
            "bias_ih_attr": bias_ih_attr,
            "bias_hh_attr": bias_hh_attr,
        }
        sizes = (input_size, hidden_size, hidden_size)
        cells = _cells(GRUCell, sizes, num_layers, direction, **settings)
        super().__init__(cells, num_layers, direction, time_major, dropout)
