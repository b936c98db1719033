"""LazyGuard: layers are built at once, their parameters filled when they are asked to."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from proa.core import Parameter, PreconditionError, attach_method

_depth = 0


class LazyGuard:
    """Layers that are built inside a `with` block do not draw their initial values.

    Their parameters have shapes and dtypes, and hold zeros until `initialize()` is called or a
    file of weights is loaded.

    Examples:
        >>> import proa
        >>> with proa.LazyGuard():
        ...     layer = proa.nn.Linear(2, 3)
        >>> layer.weight.any().item()
        False
        >>> for parameter in layer.parameters():
        ...     parameter.initialize()
        >>> layer.weight.any().item()
        True
    """

    def __enter__(self) -> None:
        global _depth
        _depth += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        global _depth
        _depth -= 1


def is_lazy() -> bool:
    """Whether a `LazyGuard` is open."""
    return _depth > 0


def _initialize(self: Parameter) -> None:
    """Fills a parameter that was made inside a `LazyGuard` with its initial values.

    Raises:
        PreconditionError: it was not made there, or is filled already.
    """
    initializer: Any = vars(self).pop("_initializer", None)
    if initializer is None:
        raise PreconditionError(
            f"initialize() of the parameter {self.name!r}, which has its values",
            expected="a parameter made inside `with LazyGuard():`",
            fix="call an initializer of proa.nn.initializer with the parameter to fill it anew",
        )
    initializer(self)


attach_method("initialize", _initialize, owner=Parameter)
