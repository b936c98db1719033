"""Recurrent cells: one step in time.

Axes in names: B batch, I input, H state.
"""

from __future__ import annotations

import math
from typing import Any

from proa.core import InvalidArgumentError
from proa.ops import full
from proa.ops._recurrent import NUM_GATES, recurrent_step

from ._layer import Layer
from .initializer import Constant, Uniform


def _is_shape(value: Any) -> bool:
    return all(isinstance(v, int) for v in value)


def _map_shapes(make: Any, shapes: Any, *others: Any) -> Any:
    """Calls `make` on each shape of a nest; what is no nest in `others` serves all shapes."""
    if _is_shape(shapes):
        return make(shapes, *others)
    spread = [o if isinstance(o, tuple | list) else [o] * len(shapes) for o in others]
    return tuple(_map_shapes(make, *given) for given in zip(shapes, *spread, strict=True))


class RNNCellBase(Layer):
    """Base of recurrent cells: a layer called as `cell(inputs, states) -> (outputs, states)`.

    A cell of your own says in `state_shape` what its states look like, without the batch, and
    works with `RNN` then.

    Args:
        name_scope: what its unique name begins with.
        dtype: dtype the layer reports.

    Examples:
        >>> import proa
        >>> class Sum(proa.nn.RNNCellBase):
        ...     state_shape = (3,)
        ...
        ...     def forward(self, inputs, states):
        ...         total = states + inputs
        ...         return total, total
        >>> proa.nn.RNN(Sum())(proa.ones([1, 4, 3]))[1].tolist()
        [[4.0, 4.0, 4.0]]
    """

    def get_initial_states(
        self,
        batch_ref: Any,
        shape: Any = None,
        dtype: Any = None,
        init_value: float = 0.0,
        batch_dim_idx: int = 0,
    ) -> Any:
        """Makes states to start from.

        Args:
            batch_ref: tensor, or a nest of them, that has the batch axis.
            shape: shape of a state without the batch, or a nest of shapes; `state_shape` when it
                is `None`.
            dtype: dtype, or one per state; that of `batch_ref` when it is `None`.
            init_value: value of all elements.
            batch_dim_idx: which axis of `batch_ref` is the batch.

        Returns:
            A tensor `[B, *shape]` for each shape.
        """
        while isinstance(batch_ref, tuple | list):
            batch_ref = batch_ref[0]
        batch = batch_ref.shape[batch_dim_idx]
        shapes = self.state_shape if shape is None else shape
        dtypes = batch_ref.dtype if dtype is None else dtype

        def make(sizes: Any, dtype: Any) -> Any:
            return full([batch, *[s for s in sizes if s != -1]], init_value, dtype)

        return _map_shapes(make, shapes, dtypes)

    @property
    def state_shape(self) -> Any:
        """Shape of the state without the batch, or a nest of shapes.

        Raises:
            InvalidArgumentError: the cell names none.
        """
        raise InvalidArgumentError(
            f"{type(self).__name__} has no `state_shape`",
            expected="a cell that says what its states look like",
            fix=f"define state_shape in {type(self).__name__}, or pass initial states",
        )

    @property
    def state_dtype(self) -> Any:
        """Dtype of the states, or a nest of them.

        Raises:
            InvalidArgumentError: the cell names none.
        """
        raise InvalidArgumentError(
            f"{type(self).__name__} has no `state_dtype`",
            expected="a cell that names the dtype of its states",
            fix=f"define state_dtype in {type(self).__name__}",
        )


class _KnownCell(RNNCellBase):
    """A cell whose step is an op, so that its loop over time is one op too."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        mode: str,
        attrs: tuple[Any, Any, Any, Any],
        proj_size: int = 0,
    ) -> None:
        super().__init__()
        kind = type(self).__name__
        if hidden_size <= 0:
            raise InvalidArgumentError(
                f"{kind}: `hidden_size` is {hidden_size}",
                expected="a positive integer",
                fix="give the number of elements of the state",
            )
        self.input_size, self.hidden_size = input_size, hidden_size
        self._mode = mode
        gates = NUM_GATES[mode] * hidden_size
        bound = 1.0 / math.sqrt(hidden_size)
        sizes = ([gates, input_size], [gates, proj_size or hidden_size], [gates], [gates])
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        self.switched_off = [n for n, a in zip(names, attrs, strict=True) if a is False]
        for name, shape, attr in zip(names, sizes, attrs, strict=True):
            self._add(name, shape, attr, bound)
        if proj_size > 0:
            self._add("weight_ho", [hidden_size, proj_size], attrs[1], bound)

    def _add(self, name: str, shape: list[int], attr: Any, bound: float) -> None:
        """Makes a parameter; one that is switched off stays, fixed, at 0 (weights: at 1)."""
        is_bias = name.startswith("bias")
        start: Any = Uniform(-bound, bound)
        if attr is False:
            start = Constant(0.0 if is_bias else 1.0)
        made = self.create_parameter(
            shape, None if attr is False else attr, is_bias=is_bias, default_initializer=start
        )
        if attr is False:
            made.stop_gradient = True
        setattr(self, name, made)

    @property
    def weights(self) -> tuple[Any, ...]:
        """The tensors that the ops of this cell take, in their order; `None` for no projection."""
        projection = self._parameters.get("weight_ho")
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh, projection

    def forward(self, inputs: Any, states: Any = None) -> Any:
        """Makes one step.

        Args:
            inputs: `[B, input_size]`.
            states: as `state_shape` says, each with the batch in front; zeros by default.

        Returns:
            The output `[B, H]` and the new states.
        """
        if states is None:
            states = self.get_initial_states(inputs)
        is_pair = isinstance(states, tuple | list)
        h, c = states if is_pair else (states, None)
        found = recurrent_step(inputs, h, c, *self.weights, self._mode)
        return found[0], found if is_pair else found[0]

    def extra_repr(self) -> str:
        """Returns the sizes."""
        return f"{self.input_size}, {self.hidden_size}"


class SimpleRNNCell(_KnownCell):
    """The plain recurrent cell.

    `h' = act(weight_ih x + bias_ih + weight_hh h + bias_hh)`.

    Args:
        input_size: size of the input's last axis.
        hidden_size: size of the state and the output, H.
        activation: `tanh` or `relu`.
        weight_ih_attr: settings of `weight_ih` `[H, input_size]`, see ParamAttr; by default
            uniform draws in +- 1 / sqrt(H), as for the others.
        weight_hh_attr: settings of `weight_hh` `[H, H]`.
        bias_ih_attr: settings of `bias_ih` `[H]`; `False` fixes it at 0.
        bias_hh_attr: settings of `bias_hh` `[H]`; `False` fixes it at 0.
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `hidden_size` is not positive, the activation is another, or (at
            the call) a shape does not fit.

    Examples:
        >>> import proa
        >>> output, state = proa.nn.SimpleRNNCell(3, 4)(proa.ones([2, 3]))
        >>> output.shape
        [2, 4]
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        activation: str = "tanh",
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:
        if activation not in ("tanh", "relu"):
            raise InvalidArgumentError(
                f"{type(self).__name__}: `activation` is {activation!r}",
                expected="'tanh' or 'relu'",
                fix="use one of them, or write a cell of your own on RNNCellBase",
            )
        attrs = (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        super().__init__(input_size, hidden_size, activation, attrs)
        self.activation = activation

    @property
    def state_shape(self) -> tuple[int, ...]:
        """`(hidden_size,)`."""
        return (self.hidden_size,)

    def extra_repr(self) -> str:
        """Returns the sizes, and the activation if it is not tanh."""
        shown = super().extra_repr()
        return shown if self.activation == "tanh" else f"{shown}, activation={self.activation}"


class LSTMCell(_KnownCell):
    """Long short-term memory.

    With `i, f, g, o` the four parts of `weight_ih x + bias_ih + weight_hh h + bias_hh`:
    `c' = sigmoid(f) c + sigmoid(i) tanh(g)`, `h' = sigmoid(o) tanh(c')`, with a projection
    `h' = (sigmoid(o) tanh(c')) weight_ho`.

    Args:
        input_size: size of the input's last axis.
        hidden_size: size of the cell state and, without projection, of the output, H.
        weight_ih_attr: settings of `weight_ih` `[4 H, input_size]`, see ParamAttr; by default
            uniform draws in +- 1 / sqrt(H), as for the others.
        weight_hh_attr: settings of `weight_hh` `[4 H, H]` and of the projection.
        bias_ih_attr: settings of `bias_ih` `[4 H]`; `False` fixes it at 0.
        bias_hh_attr: settings of `bias_hh` `[4 H]`; `False` fixes it at 0.
        proj_size: size P < H that the output is mapped to by `weight_ho` `[H, P]`; 0 for no map.
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: a size does not fit.

    References:
        Hochreiter and Schmidhuber, "Long short-term memory", 1997; Sak et al., "Long short-term
        memory based recurrent neural network architectures", 2014 (projection).

    Differs: without initial states a cell with projection starts from zeros of the right size
    (Paddle 3.3.1 fails).

    Examples:
        >>> import proa
        >>> output, (h, c) = proa.nn.LSTMCell(3, 4)(proa.ones([2, 3]))
        >>> output.shape, c.shape
        ([2, 4], [2, 4])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        proj_size: int = 0,
        name: str | None = None,
    ) -> None:
        if proj_size < 0 or (proj_size and proj_size >= hidden_size):
            raise InvalidArgumentError(
                f"LSTMCell: `proj_size` is {proj_size}, `hidden_size` {hidden_size}",
                expected="0, or a positive size below hidden_size",
                fix="make proj_size smaller, or leave it out",
            )
        attrs = (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        super().__init__(input_size, hidden_size, "LSTM", attrs, proj_size)
        self.proj_size = proj_size

    @property
    def state_shape(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """`((size of h,), (size of c,))`."""
        return ((self.proj_size or self.hidden_size,), (self.hidden_size,))


class GRUCell(_KnownCell):
    """Gated recurrent unit.

    With `r, z, c` the three parts: `r = sigmoid(x_r + h_r)`, `z = sigmoid(x_z + h_z)`,
    `h' = z h + (1 - z) tanh(x_c + r h_c)`, where `x` stands for `weight_ih x + bias_ih` and `h`
    for `weight_hh h + bias_hh`.

    Args:
        input_size: size of the input's last axis.
        hidden_size: size of the state and the output, H.
        weight_ih_attr: settings of `weight_ih` `[3 H, input_size]`, see ParamAttr; by default
            uniform draws in +- 1 / sqrt(H), as for the others.
        weight_hh_attr: settings of `weight_hh` `[3 H, H]`.
        bias_ih_attr: settings of `bias_ih` `[3 H]`; `False` fixes it at 0.
        bias_hh_attr: settings of `bias_hh` `[3 H]`; `False` fixes it at 0.
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `hidden_size` is not positive, or (at the call) a shape does not
            fit.

    References:
        Cho et al., "Learning phrase representations using RNN encoder-decoder", 2014.

    Examples:
        >>> import proa
        >>> output, state = proa.nn.GRUCell(3, 4)(proa.ones([2, 3]))
        >>> state.shape
        [2, 4]
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:
        attrs = (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        super().__init__(input_size, hidden_size, "GRU", attrs)

    @property
    def state_shape(self) -> tuple[int, ...]:
        """`(hidden_size,)`."""
        return (self.hidden_size,)


def is_known(cell: Any) -> bool:
    """Whether running a cell's `forward` over time is what the op `recurrent` computes."""
    return (
        isinstance(cell, _KnownCell)
        and type(cell).forward is _KnownCell.forward
        and not cell._forward_pre_hooks
        and not cell._forward_post_hooks
    )
