"""From a Program that trains to one that only computes its outputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proa.core import get_op, new_tensor
from proa.program import Call, Value

from ._recorder import OpenRecorder


def for_evaluation(recorder: OpenRecorder) -> None:
    """Replaces in a recording what training alone does, and forgets what it writes.

    What it writes to global variables (counters, sums of metrics) stays.

    Dropout keeps everything (scaled, where it does not scale in training), and
    normalisation takes its running statistics.
    """
    renamed: dict[Value, Value] = {}
    calls, recorder.calls = recorder.calls, []
    for call in calls:
        inputs = tuple([renamed.get(v, v) for v in call.inputs])
        replace = _REPLACED.get(call.op.name)
        if replace is None:
            recorder.calls.append(_with_inputs(call, inputs))
        else:
            replace(recorder, _with_inputs(call, inputs), renamed)
    recorder._layers.clear()
    for key, write in list(recorder._writes.items()):
        if not getattr(write.tensor, "_is_global", False):
            del recorder._writes[key]
            recorder._inside.pop(key, None)
    recorder.renamed.update(renamed)


def _with_inputs(call: Call, inputs: tuple[Value, ...]) -> Call:
    return Call(call.op, inputs, call.key, call.outputs, call.is_tuple, call.where, call.flows)


def _keep_all(recorder: OpenRecorder, call: Call, renamed: dict[Value, Value]) -> None:
    """`drop(key, x, p)`: gives x, times 1 - p where training does not scale."""
    _, x, p = call.inputs
    _, upscale = call.key[1]
    if upscale:
        renamed[call.outputs[0]] = x
        return
    with recorder.entered():
        kept = _tensor(x) * (1.0 - _tensor(p).astype(x.dtype))
    renamed[call.outputs[0]] = kept._data


def _tensor(value: Value) -> Any:
    return new_tensor(value)


def _use_running(recorder: OpenRecorder, call: Call, renamed: dict[Value, Value]) -> None:
    """`batch_norm_train`: becomes `batch_norm_infer` on the same tensors."""
    layout, (_, epsilon, data_format) = call.key
    op = get_op("batch_norm_infer")
    key = (layout, (epsilon, data_format))
    recorder.calls.append(Call(op, call.inputs, key, call.outputs[:1], False, call.where))
    for output, running in zip(call.outputs[1:], call.inputs[1:3], strict=True):
        renamed[output] = running


_REPLACED: dict[str, Callable[[OpenRecorder, Call, dict[Value, Value]], None]] = {
    "drop": _keep_all,
    "batch_norm_train": _use_running,
}
