"""How values print while `import paddle` means Proa: in Paddle's words, for scripts to compare."""

from __future__ import annotations

from proa.core import (
    DenseTensor,
    Generator,
    GeneratorState,
    GradMode,
    HookHandle,
    Size,
    Tensor,
    bfloat16,
)
from proa.core._printing import describe_recorded, recorded_words

_PADDLE_NAMES = {
    DenseTensor: ("paddle.base.libpaddle", "DenseTensor"),
    Generator: ("paddle.base.libpaddle", "Generator"),
    GeneratorState: ("paddle.base.libpaddle", "GeneratorState"),
    GradMode: ("paddle.base.dygraph.base", "set_grad_enabled"),
    HookHandle: ("paddle.base.dygraph.tensor_patch_methods", "TensorHookRemoveHelper"),
    Tensor: ("paddle", "Tensor"),
}
_OWN_NAMES = {kind: (kind.__module__, kind.__qualname__) for kind in _PADDLE_NAMES}


#: Ops that Paddle builds of several: the last of them defines the value.
_LAST_OPS = {"linear": "add"}


def _describe_value(t: Tensor) -> str:
    value = t._data
    definition, index = "data", 0
    # The newest call is nearest, and the one that is printed is mostly among the last.
    for call in reversed(getattr(value.owner, "calls", ())):
        if value in call.outputs:
            definition = _LAST_OPS.get(call.op.name, call.op.name)
            index = call.outputs.index(value)
            break
    kind, bits = value.dtype.kind, 8 * value.dtype.itemsize
    prefix = "bf" if value.dtype == bfloat16.numpy else kind
    dtype = "b" if kind == "b" else f"{prefix}{bits}"
    sizes = "".join(f"{e if isinstance(e, int) else -1}x" for e in value.shape)
    return (
        f"Value(define_op_name=pd_op.{definition}, index={index}, dtype=tensor<{sizes}{dtype}>, "
        f"stop_gradient={t.stop_gradient})"
    )


def _call(names: dict[type, tuple[str, str]]) -> None:
    for kind, (module, name) in names.items():
        kind.__module__, kind.__qualname__ = module, name


def speak_paddle() -> None:
    """Lets shapes, generators, handles, values of Programs and classes print as Paddle's."""
    Size.word, recorded_words[0] = "paddle.Size", _describe_value
    _call(_PADDLE_NAMES)


def speak_proa() -> None:
    """Lets them print as Proa's again."""
    Size.word, recorded_words[0] = "", describe_recorded
    _call(_OWN_NAMES)
