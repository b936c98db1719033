"""Saving and loading a model's weights and optimizer state in Paddle's files."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proa.core import InvalidArgumentError, NotFoundError
from proa.framework import NAME_TABLE, load, save

_ENDINGS = (".pdparams", ".pdopt")


def save_weights(path: Any, network: Any, optimizer: Any) -> None:
    """Writes `<path>.pdparams`, and `<path>.pdopt` if there is an optimizer."""
    prefix = _prefix(path)
    save(network.state_dict(), f"{prefix}.pdparams")
    if optimizer is not None:
        save(optimizer.state_dict(), f"{prefix}.pdopt")


def load_weights(
    path: Any, network: Any, optimizer: Any, *, skip_mismatch: bool, reset_optimizer: bool
) -> None:
    """Reads what `save_weights` wrote."""
    prefix = _prefix(path)
    found = {ending: f"{prefix}{ending}" for ending in _ENDINGS}
    if not os.path.isfile(found[".pdparams"]):
        raise NotFoundError(
            f"no weights at {found['.pdparams']!r}",
            expected="a file that Model.save wrote",
            fix=_near(Path(prefix)),
        )
    state = load(found[".pdparams"], keep_name_table=True)
    names = state.pop(NAME_TABLE, {})
    own = network.state_dict()
    if skip_mismatch:
        state = _matching(state, own)
    network.load_state_dict(state, strict=not skip_mismatch)
    if optimizer is None or reset_optimizer:
        return
    if not os.path.isfile(found[".pdopt"]):
        warnings.warn(f"there is no {found['.pdopt']!r}: the optimizer starts anew", stacklevel=3)
        return
    optimizer.set_state_dict(_renamed(load(found[".pdopt"]), names, own))


def _prefix(path: Any) -> str:
    text = os.fspath(path)
    for ending in _ENDINGS:
        text = text.removesuffix(ending)
    if not text or text.endswith(("/", os.sep)):
        raise InvalidArgumentError(
            f"`path` is {os.fspath(path)!r}, which names no file",
            expected="folder/name; '.pdparams' and '.pdopt' are added",
            fix="write 'out/model'",
        )
    return text


def _near(prefix: Path) -> str:
    if not prefix.parent.is_dir():
        return f"check the path: there is no folder {str(prefix.parent)!r}"
    others = sorted(p.stem for p in prefix.parent.glob("*.pdparams"))
    return f"there are {', '.join(others[:5])}" if others else "check the path"


def _matching(state: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    kept, skipped = {}, []
    for name, value in state.items():
        target = own.get(name)
        if target is not None and list(target.shape) != list(value.shape):
            skipped.append(f"{name} {list(value.shape)} for {list(target.shape)}")
        elif target is not None:
            kept[name] = value
    if skipped:
        warnings.warn(f"left out, since the shapes differ: {', '.join(skipped)}", stacklevel=4)
    return kept


def _renamed(
    state: Mapping[str, Any], names: Mapping[str, str], own: Mapping[str, Any]
) -> dict[str, Any]:
    """Gives optimizer state the names that this process gave to the parameters.

    A parameter's name counts the layers made before, so it may be another one here.
    """
    new_names = {old: own[key].name for key, old in names.items() if key in own}
    renamed: dict[str, Any] = {}
    for key, value in state.items():
        if key == "master_weights":
            renamed[key] = {new_names.get(name, name): t for name, t in value.items()}
            continue
        end = len(key)
        while end > 0 and key[:end] not in new_names:
            end = key.rfind("_", 0, end)
        renamed[new_names[key[:end]] + key[end:] if end > 0 else key] = value
    return renamed
