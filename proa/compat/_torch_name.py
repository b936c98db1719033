"""The import name `torch`: Paddle 3.3 can make it mean Paddle; Proa does not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from proa.core import UnsupportedError


def enable_compat(
    scope: str | Iterable[str] | None = None,
    blocked_modules: str | Iterable[str] | None = None,
    backend: str = "torch",
    silent: bool = False,
) -> Any:
    """Refuses: `import torch` keeps its meaning.

    Args:
        scope: packages for which the name would change.
        blocked_modules: packages for which it would not.
        backend: the name.
        silent: whether nothing would be printed.

    Raises:
        UnsupportedError: always.
    """
    raise UnsupportedError(
        f"`import {backend}` made to mean Proa",
        expected="programs that import paddle or proa",
        fix="write `import proa`; proa.compat has functions with PyTorch's arguments and results",
    )


def disable_compat() -> None:
    """Does nothing, since `enable_compat` changes nothing."""
