"""How values print while `import paddle` means Proa: in Paddle's words, for scripts to compare."""

from __future__ import annotations

from proa.core import Generator, Size, Tensor

_OWN_MODULES = {kind: kind.__module__ for kind in (Generator, Tensor)}


def speak_paddle() -> None:
    """Lets shapes, generators and the class of tensors print as Paddle's."""
    Size.word = "paddle.Size"
    Generator.__module__ = "paddle.base.libpaddle"
    Tensor.__module__ = "paddle"


def speak_proa() -> None:
    """Lets them print as Proa's again."""
    Size.word = ""
    for kind, module in _OWN_MODULES.items():
        kind.__module__ = module
