"""Layout: channels last inside, as XLA's CPU kernels compute, and first for the user.

Transposes stand where a Value is needed in the form that it does not have; between ops that know
of layouts, or do not care, there are none.
"""

from __future__ import annotations

from typing import Any

from proa.core import Op

from .._program import Call, Program, Value, prune
from ._pass import register_pass
from ._rewrite import Builder, Graph, Notes, attribute, count, with_attributes
from ._twins import Twins

_TO_LAST, _TO_FIRST = (0, 2, 3, 1), (0, 3, 1, 2)
#: Where an axis of NCHW stands in NHWC.
_MOVED = {0: 0, 1: 3, 2: 1, 3: 2}
#: Ops with a data format, whose first input is in it, and whose result.
_AWARE = frozenset(
    {
        *("conv2d", "conv2d_transpose", "batch_norm_infer", "max_pool2d", "avg_pool2d"),
        *("adaptive_avg_pool2d", "resize", "group_norm", "instance_norm_batch", "lp_pool2d"),
        *("local_response_norm", "prelu"),
    }
)
#: Ops that treat every element alike.
_UNARY = frozenset(
    {
        *("relu", "relu6", "gelu", "silu", "swish", "mish", "leaky_relu", "elu", "celu", "selu"),
        *("hardtanh", "hardsigmoid", "hardswish", "hardshrink", "softshrink", "tanhshrink"),
        *("softplus", "softsign", "thresholded_relu", "log_sigmoid", "abs", "neg", "negative"),
        *("exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "square", "reciprocal", "sin", "cos"),
        *("tanh", "sigmoid", "erf", "floor", "ceil", "round", "sign", "cast", "assign", "clone"),
        *("pow_constant", "stanh", "logical_not", "isnan", "isfinite", "scale_activation"),
    }
)
_BROADCAST = frozenset(
    {
        *("add", "subtract", "multiply", "divide", "maximum", "minimum", "pow", "clip", "scale"),
        *("fmax", "fmin", "remainder", "where", "lerp", "equal", "not_equal", "less_than"),
        *("less_equal", "greater_than", "greater_equal", "logical_and", "logical_or"),
    }
)
_BY_AXIS = frozenset({"concat", "split", "softmax", "log_softmax"})
_REDUCTIONS = frozenset({"mean", "sum", "max", "min", "amax", "amin"})


@register_pass("layout_nhwc")
def layout_nhwc(program: Program) -> tuple[Program, Notes]:
    """Keeps the channels of images last inside; inputs and outputs stay as they are.

    What does not know of layouts gets its images with the channels first.
    """
    turning = _Turning(program)
    for call in program.calls:
        done = turning.turned(call)
        if not done:
            turning.twins.keep(call)
    made = turning.twins.finish()
    return (program if made is program else prune(made)), turning.notes


class _Turning:
    """The rewriting of one Program."""

    def __init__(self, program: Program) -> None:
        self.graph = Graph.of(program)
        self.notes: Notes = {}

        def there(builder: Builder, value: Value) -> Value:
            rank = len(value.shape)
            if rank < 4:
                shape = (1,) * (4 - rank) + value.shape
                value = builder.call("reshape", value, shape=shape)
            name = f"{value.name}.nhwc" if value.name and self.graph.is_weight(value) else ""
            return builder.call("transpose", value, name=name, perm=_TO_LAST)

        def back(builder: Builder, value: Value, twin: Value) -> Value:
            return builder.call("transpose", twin, name=value.name, perm=_TO_FIRST)

        self.twins = Twins(program, there, back)

    def turned(self, call: Call) -> bool:
        """Takes a call over with the channels last, if it may."""
        if not isinstance(call.op, Op) or not call.inputs:
            return False
        name = call.op.name
        if name in _AWARE:
            return self._aware(call)
        if name in _UNARY:
            return self.twins.has(call.inputs[0]) and self._emit(call, [0], call.key)
        if name in _BROADCAST:
            return self._broadcast(call)
        if name in _BY_AXIS:
            return self._by_axis(call)
        if name in _REDUCTIONS:
            return self._reduction(call)
        if name == "flatten":
            return self._flattened(call)
        return False

    def _emit(self, call: Call, turned: list[int], key: Any, *, plain: bool = False) -> bool:
        """Adds a call on other forms of some inputs.

        Args:
            call: the call.
            turned: positions of the inputs that have their channels last.
            key: the key of the new call.
            plain: whether it gives what the old call gave.
        """
        twins = self.twins
        inputs = tuple(
            [twins.twin(v) if i in turned else twins.plain(v) for i, v in enumerate(call.inputs)]
        )
        old = call.outputs
        if plain:
            made = tuple([Value(v.shape, v.dtype, name=v.name) for v in old])
        else:
            made = tuple([Value([v.shape[i] for i in _TO_LAST], v.dtype) for v in old])
        twins.builder.calls.append(
            Call(call.op, inputs, key, made, call.is_tuple, call.where, call.flows)
        )
        for before, after in zip(old, made, strict=True):
            (twins.replace if plain else twins.set)(before, after)
        return True

    def _aware(self, call: Call) -> bool:
        x, layout = call.inputs[0], attribute(call, "data_format")
        single = len(call.outputs) == 1 and len(call.outputs[0].shape) == 4
        if layout != "NCHW" or len(x.shape) != 4 or not single:
            return False
        # Only what the time is spent in is worth a transpose; the others follow.
        heavy = call.op.name in ("conv2d", "conv2d_transpose")
        if not heavy and not self.twins.has(x):
            return False
        changed: dict[str, Any] = {"data_format": "NHWC"}
        padding = attribute(call, "padding")
        if isinstance(padding, tuple) and len(padding) == 4 and isinstance(padding[0], tuple):
            changed["padding"] = tuple([padding[i] for i in _TO_LAST])
        count(self.notes, "convolutions with the channels last", int(heavy))
        return self._emit(call, [0], with_attributes(call, **changed).key)

    def _broadcast(self, call: Call) -> bool:
        (output,) = call.outputs
        if len(output.shape) != 4 or not any(self.twins.has(v) for v in call.inputs):
            return False
        turned = []
        for i, value in enumerate(call.inputs):
            if all(type(e) is int and e == 1 for e in value.shape):
                continue
            if not self.twins.has(value) and not self._is_cheap(value, output):
                return False
            turned.append(i)
        return self._emit(call, turned, call.key)

    def _is_cheap(self, value: Value, output: Value) -> bool:
        """Whether another form of a Value costs little: a weight, or less than a whole image."""
        return self.graph.is_weight(value) or value.shape != output.shape

    def _by_axis(self, call: Call) -> bool:
        if not all(self.twins.has(v) for v in call.inputs):
            return False
        axis = attribute(call, "axis")
        moved = with_attributes(call, axis=_MOVED[axis % 4])
        return self._emit(call, list(range(len(call.inputs))), moved.key)

    def _reduction(self, call: Call) -> bool:
        axis, (x,) = attribute(call, "axis"), call.inputs
        if not self.twins.has(x) or axis is None:
            return False
        axes = sorted({a % 4 for a in (axis if isinstance(axis, tuple) else (axis,))})
        keeps = attribute(call, "keepdim")
        # What is left after other axes would stand in another order.
        if not keeps and axes != [2, 3]:
            return False
        moved = with_attributes(call, axis=tuple([_MOVED[a] for a in axes]))
        return self._emit(call, [0], moved.key, plain=not keeps)

    def _flattened(self, call: Call) -> bool:
        """With one element per channel, both forms flatten to the same."""
        (x,) = call.inputs
        ones = len(x.shape) == 4 and all(type(e) is int and e == 1 for e in x.shape[2:])
        whole = attribute(call, "start_axis") == 1 and attribute(call, "stop_axis") in (-1, 3)
        if not (ones and whole and self.twins.has(x)):
            return False
        return self._emit(call, [0], call.key, plain=True)
