"""Weights of ready models, from local files."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from proa import nn
from proa.core import NotFoundError
from proa.framework import load
from proa.utils.download import weight_folders

_Model = TypeVar("_Model", bound=nn.Layer)
_SUFFIXES = (".pdparams", ".safetensors")


def with_weights(model: _Model, name: str, pretrained: bool | str | Path) -> _Model:
    """Loads the weights of a ready model where they are asked for.

    Args:
        model: the model, freshly built.
        name: name of the model; the file is `<name>.pdparams` or `<name>.safetensors`.
        pretrained: False to leave the model as it is, True to look in `weight_folders()`, or the
            path of a file.

    Returns:
        `model`.

    Raises:
        NotFoundError: there is no such file; nothing is fetched from a network.
    """
    if pretrained is False or pretrained is None:
        return model
    if pretrained is True:
        paths = [folder / f"{name}{suffix}" for folder in weight_folders() for suffix in _SUFFIXES]
    else:
        paths = [Path(pretrained)]
    path = next((path for path in paths if path.is_file()), None)
    if path is None:
        raise NotFoundError(
            f"the weights of {name!r} are not on this machine",
            expected="one of the files " + ", ".join(str(path) for path in paths),
            fix="put the file of weights there, or pass its path as pretrained=...; nothing is "
            "downloaded",
        )
    model.set_state_dict(load(str(path)))
    return model
