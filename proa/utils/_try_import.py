"""Optional modules, with a message that says how to get them."""

from __future__ import annotations

import importlib
from types import ModuleType


def try_import(module_name: str, err_msg: str | None = None) -> ModuleType:
    """Imports an optional module.

    Args:
        module_name: dotted name.
        err_msg: the message to raise with instead of the usual one.

    Returns:
        The module.

    Raises:
        ImportError: it is not installed.

    Examples:
        >>> import proa
        >>> proa.utils.try_import("math").floor(1.5)
        1
    """
    try:
        return importlib.import_module(module_name)
    except ImportError as error:
        package = module_name.partition(".")[0]
        usual = (
            f"module {module_name!r} cannot be imported: {error}\n"
            "  Expected: an optional library that this function needs\n"
            f"  Fix: pip install {package}"
        )
        raise ImportError(err_msg or usual) from error
