"""How values print while `import paddle` means Proa: in Paddle's words, for scripts to compare."""

from __future__ import annotations

from proa.core import Generator, GradMode, Size, Tensor

_OWN_NAMES = {kind: (kind.__module__, kind.__qualname__) for kind in (Generator, GradMode, Tensor)}


def speak_paddle() -> None:
    """Lets shapes, generators and the class of tensors print as Paddle's."""
    Size.word = "paddle.Size"
    Generator.__module__ = "paddle.base.libpaddle"
    Tensor.__module__ = "paddle"
    GradMode.__module__, GradMode.__qualname__ = "paddle.base.dygraph.base", "set_grad_enabled"


def speak_proa() -> None:
    """Lets them print as Proa's again."""
    Size.word = ""
    for kind, (module, name) in _OWN_NAMES.items():
        kind.__module__, kind.__qualname__ = module, name
