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
)

_PADDLE_NAMES = {
    DenseTensor: ("paddle.base.libpaddle", "DenseTensor"),
    Generator: ("paddle.base.libpaddle", "Generator"),
    GeneratorState: ("paddle.base.libpaddle", "GeneratorState"),
    GradMode: ("paddle.base.dygraph.base", "set_grad_enabled"),
    HookHandle: ("paddle.base.dygraph.tensor_patch_methods", "TensorHookRemoveHelper"),
    Tensor: ("paddle", "Tensor"),
}
_OWN_NAMES = {kind: (kind.__module__, kind.__qualname__) for kind in _PADDLE_NAMES}


def _call(names: dict[type, tuple[str, str]]) -> None:
    for kind, (module, name) in names.items():
        kind.__module__, kind.__qualname__ = module, name


def speak_paddle() -> None:
    """Lets shapes, generators, handles and the class of tensors print as Paddle's."""
    Size.word = "paddle.Size"
    _call(_PADDLE_NAMES)


def speak_proa() -> None:
    """Lets them print as Proa's again."""
    Size.word = ""
    _call(_OWN_NAMES)
