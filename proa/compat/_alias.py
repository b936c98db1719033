"""The import name `paddle`, made to mean Proa: the same module objects under a second name."""

from __future__ import annotations

import difflib
import importlib
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import proa
from proa._rooms import ROOMS
from proa.core import MissingAttributeError, MissingModuleError, PreconditionError, set_flags

from ._inner_modules import inner_module, name_from_above, remove_inner_modules
from ._words import speak_paddle, speak_proa

ALIAS = "paddle"
_CALLED = "tensor"
_RANDOM_FLAG = "FLAGS_paddle_random"
_OWN = proa.__name__


def _suggest(name: str, module: ModuleType) -> str:
    public = [each for each in dir(module) if not each.startswith("_")]
    found = difflib.get_close_matches(name, public, n=3, cutoff=0.7)
    # A wrong capital is the most usual slip, and far away for a measure of edits.
    found += [each for each in public if each.lower() == name.lower() and each not in found]
    return " or ".join(repr(each) for each in found)


def _fix(name: str, module: ModuleType) -> str:
    nearest = _suggest(name, module)
    if nearest:
        return f"did you mean {nearest}?"
    return "use another way, or ask for it: see docs/compat.md"


def _alias_name(module: ModuleType) -> str:
    return ALIAS + module.__name__.removeprefix(_OWN)


def _unknown_module(fullname: str, parent: ModuleType) -> MissingModuleError:
    name = fullname.rpartition(".")[2]
    error = MissingModuleError(
        f"no module or name {fullname!r}: {_OWN} has no {name!r} in {parent.__name__!r}",
        expected=f"a name that {_OWN} has",
        fix=_fix(name, parent),
    )
    error.name = fullname
    return error


class _Aliased(ModuleType):
    """A module of Proa while it is aliased: says which name is missing, in Paddle's words."""

    def __getattr__(self, name: str) -> Any:
        # Reached only when the module has no such name. The machinery of imports and copies
        # asks for many dunder names, to which a suggestion is no answer.
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if inner_module(f"{_alias_name(self)}.{name}") is not None:
            return import_module(f"{_alias_name(self)}.{name}")
        above = name_from_above(self.__name__, name)
        if above is not None:
            return above
        raise MissingAttributeError(
            f"{_alias_name(self)}.{name}: {_OWN} has no {name!r} in {self.__name__!r}",
            expected=f"a name that {_OWN} has",
            fix=_fix(name, self),
        )


class _AliasLoader(Loader):
    """Gives a module that exists already."""

    def __init__(self, module: ModuleType) -> None:
        self.module, self.spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Returns the module of Proa."""
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        """Undoes the one thing that importing did to the module: it has its own spec again."""
        module.__spec__ = self.spec


class _AliasFinder(MetaPathFinder):
    """Finds `paddle.x.y` as `proa.x.y`, which it imports only then."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Returns the spec of an aliased module, `None` for all other names."""
        if not fullname.startswith(f"{ALIAS}."):
            return None
        own = _OWN + fullname.removeprefix(ALIAS)
        try:
            module = importlib.import_module(own)
        except ModuleNotFoundError as error:
            inner = inner_module(fullname)
            if inner is not None:
                return ModuleSpec(fullname, _AliasLoader(inner), is_package=True)
            if error.name not in (own, fullname):
                raise
            raise _unknown_module(fullname, sys.modules[own.rpartition(".")[0]]) from None
        _mark(module)
        return ModuleSpec(fullname, _AliasLoader(module), is_package=hasattr(module, "__path__"))


class _MissingFinder(MetaPathFinder):
    """Asked last: says of `from paddle.x import y` what is missing, and what is near."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Raises for a module of Proa that nothing else found."""
        parent = sys.modules.get(fullname.rpartition(".")[0])
        if not isinstance(parent, _Aliased):
            return None
        # The alias in `error.name` tells `from paddle.x import y` that this is no failure to
        # be passed over.
        raise _unknown_module(ALIAS + fullname.removeprefix(_OWN), parent)


def _mark(module: ModuleType) -> None:
    if type(module) is ModuleType:
        module.__class__ = _Aliased


_FIRST, _LAST = _AliasFinder(), _MissingFinder()


def install() -> None:
    """Makes `import paddle`, `import paddle.nn as nn`, ... mean Proa from now on.

    The modules are Proa's own, not copies, so objects are the same under both names. An
    installed Paddle is not looked at while the alias stands.

    Raises:
        PreconditionError: the real Paddle has been imported already.

    Examples:
        >>> import proa, proa.compat
        >>> proa.compat.install()
        >>> import paddle
        >>> paddle is proa
        True
        >>> proa.compat.uninstall()
    """
    present = sys.modules.get(ALIAS)
    if present is not None and present is not proa:
        version = getattr(present, "__version__", "of an unknown version")
        place = getattr(present, "__file__", None) or "an unknown place"
        raise PreconditionError(
            f"paddle {version} from {place} is imported already",
            expected="a process that has not imported Paddle",
            fix="call proa.compat.install() before the first `import paddle`, or run the script "
            "with `python -m proa.compat script.py`",
        )
    if present is proa:
        return
    sys.meta_path.insert(0, _FIRST)
    sys.meta_path.append(_LAST)
    # Rooms that load on first use load now: a missing name is told in each of them.
    for room in ROOMS:
        import_module(f"{_OWN}.{room}")
    for name, module in list(sys.modules.items()):
        if name == _OWN or name.startswith(f"{_OWN}."):
            _mark(module)
    sys.modules[ALIAS] = proa
    # Paddle's `tensor` is called as a function and read as a module.
    setattr(proa, _CALLED, import_module(f"{ALIAS}.{_CALLED}"))
    # A seed gives the numbers that it gave there, unless the environment says otherwise.
    if _RANDOM_FLAG not in os.environ:
        set_flags({_RANDOM_FLAG: True})
    speak_paddle()


def uninstall() -> None:
    """Gives the name `paddle` back: the next `import paddle` finds the real one, or none."""
    if not is_installed():
        return
    speak_proa()
    if _RANDOM_FLAG not in os.environ:
        set_flags({_RANDOM_FLAG: False})
    setattr(proa, _CALLED, getattr(proa, _CALLED).function)
    sys.meta_path.remove(_FIRST)
    sys.meta_path.remove(_LAST)
    for name, module in list(sys.modules.items()):
        if name == ALIAS or name.startswith(f"{ALIAS}."):
            del sys.modules[name]
        elif isinstance(module, _Aliased):
            remove_inner_modules(module)
            object.__setattr__(module, "__class__", ModuleType)


def is_installed() -> bool:
    """Whether the name `paddle` means Proa now.

    Examples:
        >>> import proa.compat
        >>> proa.compat.is_installed()
        False
    """
    return _FIRST in sys.meta_path
