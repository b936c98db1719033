"""Precision: computing in bfloat16 or float16 where it is safe."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from proa.core import InvalidArgumentError, Op, as_dtype

from .._printing import layer_of
from .._program import Call, Program, Value, prune
from .._recorder import infer
from ._pass import register_pass
from ._rewrite import Builder, Graph, Notes, count
from ._twins import Twins

_WIDE = np.dtype(np.float32)
#: Ops that compute in float32 inside: only their first input is narrowed.
_WIDE_INSIDE = frozenset({"batch_norm_infer", "instance_norm_batch"})


@register_pass("precision")
def precision(
    program: Program, dtype: str = "bfloat16", keep: Sequence[str] = ()
) -> tuple[Program, Notes]:
    """Computes in bfloat16 or float16 where it is safe; inputs and outputs keep their dtypes.

    Convolutions, products and attention are narrowed, and elementwise ops on what these give;
    sums, softmax, norms and losses stay float32, as in automatic mixed precision.

    Args:
        program: the Program.
        dtype: `bfloat16` or `float16` (which overflows at 65504).
        keep: what stays float32: names of ops, or patterns of layers such as `head.*`.

    Raises:
        InvalidArgumentError: another dtype.
    """
    if dtype not in ("bfloat16", "float16"):
        raise InvalidArgumentError(
            f"`dtype` of the pass precision is {dtype!r}",
            expected="'bfloat16' or 'float16'",
            fix="use 'bfloat16', which has the range of float32",
        )
    narrowing, notes = _Narrowing(program, dtype, keep), {}
    for call in program.calls:
        done = narrowing.narrowed(call)
        count(notes, f"calls in {dtype}", int(done))
        if not done:
            narrowing.twins.keep(call)
    made = narrowing.twins.finish()
    return (program if made is program else prune(made)), notes


class _Narrowing:
    """The rewriting of one Program."""

    def __init__(self, program: Program, dtype: str, keep: Sequence[str]) -> None:
        self.narrow = as_dtype(dtype).numpy
        self.keep = keep
        self.graph = Graph.of(program)
        self.given = {*program.captures, *program.constants}

        def there(builder: Builder, value: Value) -> Value:
            name = f"{value.name}.{dtype}" if value.name and value in self.given else ""
            return builder.call("cast", value, name=name, dtype=as_dtype(dtype))

        def back(builder: Builder, value: Value, twin: Value) -> Value:
            return builder.call("cast", twin, name=value.name, dtype=as_dtype(value.dtype))

        self.twins = Twins(program, there, back)

    def narrowed(self, call: Call) -> bool:
        """Takes a call over in low precision, if it may."""
        wide = [v for v in call.inputs if v.dtype == _WIDE]
        if not wide or not self._may(call, wide):
            return False
        if call.op.name in _WIDE_INSIDE:
            wide = list(call.inputs[:1])
        chosen = {*wide}
        twins = self.twins
        inputs = tuple([twins.twin(v) if v in chosen else twins.plain(v) for v in call.inputs])
        shapes, is_tuple = infer(call.op, call.key, inputs)
        pairs = list(zip(shapes, call.outputs, strict=True))
        if not all(self._fits(shape, dtype, old) for (shape, dtype), old in pairs):
            # Casts that were added for it are pruned.
            return False
        outputs = tuple([Value(shape, dtype) for shape, dtype in shapes])
        twins.builder.calls.append(
            Call(call.op, inputs, call.key, outputs, is_tuple, call.where, call.flows)
        )
        for old, new in zip(call.outputs, outputs, strict=True):
            if new.dtype == old.dtype:
                twins.replace(old, new)
            else:
                twins.set(old, new)
        return True

    def _fits(self, shape: Any, dtype: Any, old: Value) -> bool:
        allowed = (old.dtype, self.narrow) if old.dtype == _WIDE else (old.dtype,)
        return shape == old.shape and dtype in allowed

    def _may(self, call: Call, wide: Sequence[Value]) -> bool:
        op: Any = call.op
        if not isinstance(op, Op) or op.is_random or op.has_effect or op.amp == "black":
            return False
        if not any(v.dtype == _WIDE for v in call.outputs) or self._is_kept(call):
            return False
        if any(p.annotation.startswith("DType") for p in op.attributes):
            return False
        computed = [v for v in wide if not self.graph.is_weight(v)]
        if op.amp == "white":
            return bool(computed)
        return bool(computed) and all(self.twins.has(v) for v in computed)

    def _is_kept(self, call: Call) -> bool:
        layer = layer_of(call, self.given)
        names = (call.op.name, layer) if layer else (call.op.name,)
        return any(fnmatchcase(name, pattern) for name in names for pattern in self.keep)
