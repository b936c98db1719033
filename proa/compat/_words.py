"""How values print while `import paddle` means Proa: in Paddle's words, for scripts to compare."""

from __future__ import annotations

from proa.core import Generator, Size

_OWN_MODULE = Generator.__module__


def speak_paddle() -> None:
    """Lets shapes and generators print as Paddle's."""
    Size.word = "paddle.Size"
    Generator.__module__ = "paddle.base.libpaddle"


def speak_proa() -> None:
    """Lets them print as Proa's again."""
    Size.word = ""
    Generator.__module__ = _OWN_MODULE
