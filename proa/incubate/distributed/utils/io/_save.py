"""Saving of models that are spread over devices."""

from __future__ import annotations

from typing import Any

from proa.core import InvalidArgumentError
from proa.framework import save as save_file
from proa.incubate.distributed._refuse import refuse

_KINDS = (None, "params", "opt")


def save(state_dict: Any, path: Any, **configs: Any) -> None:
    """Saves a state dict whose tensors may be sharded; they are gathered.

    Args:
        state_dict: the state of a model or of an optimizer.
        path: the file.
        configs: `state_type` (`"params"` or `"opt"`) and `gather_to`, which process gets what:
            here one process has all of it.

    Raises:
        InvalidArgumentError: another `state_type`.
    """
    kind = configs.pop("state_type", None)
    configs.pop("gather_to", None)
    if kind not in _KINDS:
        raise InvalidArgumentError(
            f"`state_type` is {kind!r}", expected="'params' or 'opt'", fix="choose one"
        )
    save_file(state_dict, path, **configs)


def save_for_auto_inference(path_prefix: str, dist_model: Any, cvt2cpu: bool = False) -> None:
    """Refuses: it writes the parts of a model as Paddle's own automatic parallelism reads them.

    Args:
        path_prefix: beginning of the files' names.
        dist_model: the model.
        cvt2cpu: whether tensors are moved to the host.

    Raises:
        UnsupportedError: always.
    """
    refuse("save_for_auto_inference(...)", "write one artifact with proa.jit.save")
