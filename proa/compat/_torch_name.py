"""The import name `torch`, made to mean Proa where a program asks for it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from proa.core import MissingAttributeError, PreconditionError, UnsupportedError

NAME = "torch"
_OWN = "proa"
#: Functions of `proa.compat`; what else stands there is no part of the interface it follows.
_FUNCTIONS = frozenset("equal max median min nanmedian seed slogdet sort split unique".split())


class _Renamed(ModuleType):
    """A module of Proa under another name, with PyTorch's arguments where they differ."""

    def __init__(self, name: str, own: ModuleType, first: ModuleType | None) -> None:
        super().__init__(name)
        self.__own, self.__first = own, first

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__version__":
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        is_first = self.__name__ != NAME or name in _FUNCTIONS
        sources = (self.__first, self.__own) if is_first and self.__first else (self.__own,)
        for source in sources:
            found = getattr(source, name, None)
            if isinstance(found, ModuleType):
                return import_module(f"{self.__name__}.{name}")
            if found is not None:
                return found
        raise MissingAttributeError(
            f"{self.__name__}.{name}: {_OWN} has no {name!r} in {self.__own.__name__!r}",
            expected=f"a name that {_OWN} has",
            fix=f"see docs/compat.md for {_OWN}'s names, or use PyTorch itself",
        )

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self.__own)})


class _Loader(Loader):
    """Gives a module that is made already."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Returns the module."""
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        """Has nothing to run."""


class _Finder(MetaPathFinder):
    """Finds `torch.x.y` as `proa.x.y`."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Returns the spec of a renamed module, `None` for all other names."""
        root, _, rest = fullname.partition(".")
        if root != NAME:
            return None
        own = _module(f"{_OWN}.{rest}" if rest else _OWN)
        if own is None:
            return None
        first = _module(f"{_OWN}.compat.{rest}" if rest else f"{_OWN}.compat")
        module = _Renamed(fullname, own, first)
        return ModuleSpec(fullname, _Loader(module), is_package=True)


def _module(name: str) -> ModuleType | None:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return None


_FINDER = _Finder()


def enable_compat(
    scope: str | Iterable[str] | None = None,
    blocked_modules: str | Iterable[str] | None = None,
    backend: str = "torch",
    silent: bool = False,
) -> None:
    """Makes `import torch` mean Proa from now on, until `disable_compat`.

    Names are Proa's; where `proa.compat` has a function or layer of that name, which takes
    PyTorch's arguments, it is that one. An installed PyTorch is not looked at meanwhile.

    Args:
        scope (str | Iterable[str], optional): must be `None`: the name changes everywhere.
        blocked_modules (str | Iterable[str], optional): must be `None`, too.
        backend (str): `torch`, the name that changes.
        silent (bool): kept for Paddle's signature; nothing is printed in any case.

    Raises:
        UnsupportedError: another `backend`, or a name that changes for some packages alone.
        PreconditionError: PyTorch has been imported already.

    Examples:
        >>> import proa
        >>> proa.enable_compat()
        >>> import torch
        >>> torch.max(torch.to_tensor([[1.0, 3.0]]), dim=1).indices.tolist()
        [1]
        >>> proa.disable_compat()
    """
    if backend != NAME or scope is not None or blocked_modules is not None:
        raise UnsupportedError(
            f"enable_compat(scope={scope!r}, blocked_modules={blocked_modules!r}, "
            f"backend={backend!r})",
            expected=f"the name {NAME!r}, for all packages of the process",
            fix="call proa.enable_compat() before the import, and proa.disable_compat() after it",
        )
    present = sys.modules.get(NAME)
    if present is not None and not isinstance(present, _Renamed):
        raise PreconditionError(
            f"{NAME} from {getattr(present, '__file__', None) or 'an unknown place'} is imported "
            "already",
            expected="a process that has not imported PyTorch",
            fix="call proa.enable_compat() before the first `import torch`",
        )
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)


def disable_compat() -> None:
    """Gives the name `torch` back: the next `import torch` finds PyTorch, or nothing."""
    if _FINDER in sys.meta_path:
        sys.meta_path.remove(_FINDER)
    for name, module in list(sys.modules.items()):
        if isinstance(module, _Renamed):
            del sys.modules[name]
