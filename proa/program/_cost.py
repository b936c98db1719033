"""What a Program costs: operations on numbers, and bytes read and written.

One rule per family of ops. A product with its sum counts two FLOPs, any other elementwise
function one; what only moves or selects elements counts none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from proa.core import InvalidArgumentError, Op, Vjp

from ._control_flow import CondOp, SubProgram, WhileOp
from ._dims import dimension_names, evaluate_dimension
from ._program import Call, Program, Value
from ._region import FUSED, REGION

#: Sizes that unknown dimensions are taken to have: the first axis, and the others.
_FIRST, _OTHER = 1, 64


@dataclass(frozen=True)
class Cost:
    """What one run of a Program costs.

    Attributes:
        ops: number of calls, those inside branches and loops included; a fused region is one.
        flops: operations on numbers; of a branch the dearer side, of a loop one turn.
        bytes: what calls read and write; a fused region reads and writes its edges only.
        weights: bytes of constants and captures.
    """

    ops: int
    flops: int
    bytes: int
    weights: int


def default_sizes(program: Program) -> dict[str, int]:
    """Returns sizes for the unknown dimensions of a Program: 1 first of all, 64 elsewhere."""
    sizes: dict[str, int] = {}
    for value in program.inputs:
        for axis, extent in enumerate(value.shape):
            for name in sorted(dimension_names((extent,))):
                sizes.setdefault(name, _OTHER if axis else _FIRST)
    return sizes


class _Sizer:
    """Shapes of Values for given sizes of the unknown dimensions."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self.sizes = sizes

    def shape(self, value: Value) -> tuple[int, ...]:
        """Extents; one that would be negative counts as 0."""
        return tuple([max(int(evaluate_dimension(e, self.sizes)), 0) for e in value.shape])

    def count(self, value: Value) -> int:
        """Number of elements."""
        return math.prod(self.shape(value))

    def bytes(self, value: Value) -> int:
        """Size in memory."""
        return self.count(value) * value.dtype.itemsize


Rule = Callable[[Call, dict[str, Any], _Sizer], int]


def _outputs(call: Call, given: dict[str, Any], size: _Sizer) -> int:
    return sum(size.count(v) for v in call.outputs)


def _inputs(call: Call, given: dict[str, Any], size: _Sizer) -> int:
    return sum(size.count(v) for v in call.inputs)


def _times(factor: int) -> Rule:
    return lambda call, given, size: factor * _outputs(call, given, size)


def _conv(call: Call, given: dict[str, Any], size: _Sizer) -> int:
    weight = size.shape(given["weight"])
    has_bias = given.get("bias") is not None
    return size.count(call.outputs[0]) * (2 * math.prod(weight[1:]) + has_bias)


def _conv_fused(call: Call, given: dict[str, Any], size: _Sizer) -> int:
    each = 2 * math.prod(given["kernel"][1:]) + 2 + (given.get("added") is not None)
    return size.count(call.outputs[0]) * each


def _conv_transpose(call: Call, given: dict[str, Any], size: _Sizer) -> int:
    weight = size.shape(given["weight"])
    bias = size.count(call.outputs[0]) if given.get("bias") is not None else 0
    return 2 * size.count(given["x"]) * math.prod(weight[1:]) + bias


def _linear(call: Call, given: dict[str, Any], size: _Sizer) -> int:
    has_bias = given.get("bias") is not None
    return size.count(call.outputs[0]) * (2 * size.shape(given["weight"])[0] + has_bias)


def _matmul(call: Call, given: dict[str, Any], size: _Sizer) -> int:
    shape = size.shape(call.inputs[0])
    axis = -2 if given.get("transpose_x") and len(shape) > 1 else -1
    return 2 * size.count(call.outputs[0]) * (shape[axis] if shape else 1)


def _addmm(call: Call, given: dict[str, Any], size: _Sizer) -> int:
    return size.count(call.outputs[0]) * (2 * size.shape(given["x"])[-1] + 2)


def _einsum(call: Call, given: dict[str, Any], size: _Sizer) -> int:
    left = given["equation"].replace(" ", "").split("->")[0]
    extents: dict[str, int] = {}
    for term, value in zip(left.split(","), given["operands"], strict=True):
        shape = size.shape(value)
        if "..." in term:
            head, tail = term.split("...")
            middle = "".join(chr(0x2460 + i) for i in range(len(shape) - len(head) - len(tail)))
            term = head + middle + tail
        extents.update(zip(term, shape, strict=True))
    return 2 * math.prod(extents.values())


def _attention(call: Call, given: dict[str, Any], size: _Sizer) -> int:
    batch, queries, heads, width = size.shape(given["query"])
    keys, value_width = size.shape(given["value"])[1::2]
    # Scores, softmax over the keys, and the sum of values.
    return batch * heads * queries * keys * (2 * width + 5 + 2 * value_width)


def _recurrent(call: Call, given: dict[str, Any], size: _Sizer) -> int:
    steps = math.prod(size.shape(given["x"])[:-1])
    products = sum(size.count(given[n]) for n in ("w_ih", "w_hh", "w_ho") if given.get(n))
    # Gates: a bias, a function and a product each, for every row of the weights.
    return steps * (2 * products + 3 * size.shape(given["w_ih"])[0])


def _pool(call: Call, given: dict[str, Any], size: _Sizer) -> int:
    kernel = given["kernel_size"]
    rank = len(call.inputs[0].shape) - 2
    window = math.prod(kernel) if isinstance(kernel, tuple) else kernel**rank
    return size.count(call.outputs[0]) * int(window)


def _sort(call: Call, given: dict[str, Any], size: _Sizer) -> int:
    total = size.count(call.inputs[0])
    return int(total * math.log2(max(total, 2)))


def _fft(call: Call, given: dict[str, Any], size: _Sizer) -> int:
    return 5 * _sort(call, given, size)


def _nothing(call: Call, given: dict[str, Any], size: _Sizer) -> int:
    return 0


#: Ops that give their input another shape and move nothing.
VIEWS = frozenset({"reshape", "flatten", "squeeze", "unsqueeze", "unflatten", "assign", "clone"})
_MOVES = frozenset(
    {
        *("transpose", "concat", "stack", "unstack", "split", "tensor_split", "cast", "full"),
        *("getitem", "getitem_arrays", "setitem", "setitem_arrays", "gather", "gather_nd"),
        *("gather_rows", "embedding_lookup", "index_select", "index_sample", "take", "tile"),
        *("take_along_axis", "expand", "expand_as", "broadcast_to", "broadcast_tensors", "pad"),
        *("flip", "roll", "rot90", "arange", "eye", "shape", "numel", "rank", "view_dtype"),
        *("as_strided", "im2col", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle"),
        *("diagonal", "tril", "triu", "scatter", "meshgrid", "repeat_interleave", "one_hot"),
        *("overwrite", "with_sharding", "as_complex", "as_real", "real", "imag", "where"),
    }
)
_REDUCTIONS = (
    *("sum", "mean", "max", "min", "amax", "amin", "prod", "all", "any", "argmax", "argmin"),
    *("logsumexp", "nansum", "nanmean", "count_nonzero", "vector_norm", "cumsum", "cumprod"),
)
_RULES: dict[str, Rule] = {
    **dict.fromkeys(VIEWS | _MOVES, _nothing),
    **{f"conv{n}d": _conv for n in (1, 2, 3)},
    "conv2d_fused": _conv_fused,
    **{f"conv{n}d_transpose": _conv_transpose for n in (1, 2, 3)},
    **{f"{kind}_pool{n}d": _pool for kind in ("max", "avg", "lp") for n in (1, 2, 3)},
    **{f"adaptive_{kind}_pool{n}d": _inputs for kind in ("max", "avg") for n in (1, 2, 3)},
    **dict.fromkeys(("matmul", "mm", "bmm", "mv", "dot", "inner"), _matmul),
    **dict.fromkeys(("addmm", "baddbmm"), _addmm),
    **dict.fromkeys(("attention", "attention_dropout"), _attention),
    **dict.fromkeys(("recurrent", "recurrent_step"), _recurrent),
    **dict.fromkeys(_REDUCTIONS, _inputs),
    **dict.fromkeys(("sort", "argsort", "topk", "unique", "kthvalue"), _sort),
    **dict.fromkeys(("fft", "ifft", "rfft", "irfft", "fft2", "fftn", "ifftn", "rfftn"), _fft),
    **dict.fromkeys(("softmax", "log_softmax"), _times(5)),
    **dict.fromkeys(("layer_norm", "group_norm", "instance_norm_batch"), _times(8)),
    "batch_norm_train": _times(8),
    **dict.fromkeys(("rms_norm", "cross_entropy"), _times(5)),
    **dict.fromkeys(("batch_norm_infer", "lerp", "scale", "var"), _times(2)),
    "linear": _linear,
    "einsum": _einsum,
    "resize": _times(7),
}


def call_flops(call: Call, sizes: Mapping[str, int]) -> int:
    """Returns the FLOPs of a call, for given sizes of unknown dimensions.

    A gradient costs its function once per input that it is taken for.
    """
    size = _Sizer(sizes)
    if call.op.has_programs:
        return _inner(call, sizes).flops
    op: Any = call.op
    if isinstance(op, Vjp):
        _, count, positions, _ = call.key
        return len(positions) * _forward_flops(op.primal, call, count, size)
    if not isinstance(op, Op):
        return 0
    return _RULES.get(op.name, _outputs)(call, call.arguments(), size)


def _forward_flops(primal: Any, call: Call, count: int, size: _Sizer) -> int:
    """FLOPs of the function whose gradient a call is; its output has the cotangent's shape."""
    inputs, cotangents = call.inputs[:count], call.inputs[count:]
    if isinstance(primal, Op) and cotangents:
        forward = Call(primal, inputs, call.key[0], cotangents, False)
        return _RULES.get(primal.name, _outputs)(forward, forward.arguments(), size)
    return sum(size.count(v) for v in call.outputs)


def _inner(call: Call, sizes: Mapping[str, int]) -> Cost:
    costs = [cost(each.program, sizes) for each in call.key if isinstance(each, SubProgram)]
    ops = sum(c.ops for c in costs)
    if isinstance(call.op, CondOp):
        dearer = max(costs, key=lambda c: (c.flops, c.bytes))
        return Cost(ops, dearer.flops, dearer.bytes, 0)
    return Cost(ops, sum(c.flops for c in costs), sum(c.bytes for c in costs), 0)


def call_cost(call: Call, sizes: Mapping[str, int]) -> Cost:
    """Returns what a call costs, for given sizes of unknown dimensions."""
    size = _Sizer(sizes)
    edges = sum(size.bytes(v) for v in (*dict.fromkeys(call.inputs), *call.outputs))
    if isinstance(call.op, CondOp | WhileOp):
        inner = _inner(call, sizes)
        return Cost(1 + inner.ops, inner.flops, inner.bytes, 0)
    if call.op.has_programs:
        inner = _inner(call, sizes)
        # What is fused is one op; what is only computed again is as many as before.
        is_fused = call.op is REGION and call.key[1] == FUSED
        return Cost(1 if is_fused else 1 + inner.ops, inner.flops, edges, 0)
    moved = 0 if call.op.name in VIEWS else edges
    return Cost(1, call_flops(call, sizes), moved, 0)


def cost(program: Program, sizes: Mapping[str, int] | None = None) -> Cost:
    """Returns what one run of a Program costs.

    Args:
        program: the Program.
        sizes: of unknown dimensions by name; by default 1 for the first axis of an input
            and 64 for the others.

    Raises:
        InvalidArgumentError: a size is no positive integer.

    Examples:
        >>> import numpy as np
        >>> import proa
        >>> from proa.program import cost, recording
        >>> with recording() as recorder:
        ...     x = recorder.add_input([8, 4], np.float32, "x")
        ...     w = recorder.add_input([4, 2], np.float32, "w")
        ...     program, _ = recorder.finish([proa.matmul(x, w)])
        >>> cost(program)
        Cost(ops=1, flops=128, bytes=224, weights=0)
    """
    for name, given in (sizes or {}).items():
        if not isinstance(given, int) or given < 1:
            raise InvalidArgumentError(
                f"the size of dimension {name!r} is {given!r}",
                expected="a positive integer",
                fix="write sizes={'batch': 8}",
            )
    held = {**default_sizes(program), **(sizes or {})}
    size = _Sizer(held)
    costs = [call_cost(call, held) for call in program.calls]
    weights = sum(size.bytes(v) for v in (*program.captures, *program.constants))
    return Cost(
        sum(c.ops for c in costs),
        sum(c.flops for c in costs),
        sum(c.bytes for c in costs),
        weights,
    )
