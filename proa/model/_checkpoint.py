"""Checkpoint files: the arrays and the plain state of a run in one checked file.

A checkpoint is a safetensors file whose text part holds the plain state as JSON, and SHA-256
digests of it and of every array, so that a truncated or altered file is refused by name.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
import numpy as np

from proa.core import ArtifactError, InvalidTypeError, NotFoundError
from proa.framework import read_arrays, write_arrays
from proa.version import full_version

FORMAT = 1
_NAME = re.compile(r"step-(\d+)\.safetensors")


@dataclass
class Checkpoint:
    """What a checkpoint holds.

    Attributes:
        arrays: weights, optimizer state and keys by name.
        state: everything else, as values that JSON can hold.
    """

    arrays: dict[str, np.ndarray]
    state: dict[str, Any] = field(default_factory=dict)


def _digest(array: np.ndarray) -> str:
    head = f"{array.dtype.name} {list(array.shape)} ".encode()
    return hashlib.sha256(head + np.asarray(array, order="C").tobytes()).hexdigest()


def write_checkpoint(checkpoint: Checkpoint, path: Any) -> Path:
    """Writes a checkpoint, whole or not at all: a crash leaves the previous file.

    Args:
        checkpoint: what to write.
        path: the file; its folder is made when it is missing.

    Returns:
        The path.
    """
    target = Path(path)
    text = json.dumps(
        {
            "format": FORMAT,
            "versions": {
                "proa": full_version,
                "jax": jax.__version__,
                "python": sys.version.split()[0],
            },
            "digests": {name: _digest(array) for name, array in checkpoint.arrays.items()},
            "state": checkpoint.state,
        }
    )
    digest = hashlib.sha256(text.encode()).hexdigest()
    write_arrays(target, checkpoint.arrays, {"proa": text, "sha256": digest})
    return target


def read_checkpoint(path: Any) -> Checkpoint:
    """Reads a checkpoint and checks all of it.

    Args:
        path: the file.

    Raises:
        NotFoundError: no such file.
        ArtifactError: truncated, altered, or of another kind or format.
    """
    source = checked_path(path)
    if not source.is_file():
        raise NotFoundError(
            f"no checkpoint at {str(source)!r}",
            expected="a file that Model.fit wrote into <save_dir>/checkpoints",
            fix="check the path, or pass resume='auto' with the run's save_dir",
        )
    arrays, texts = read_arrays(source, "checkpoint")
    if "proa" not in texts:
        raise _refuse(source, "is no checkpoint of a run")
    text = texts["proa"]
    if hashlib.sha256(text.encode()).hexdigest() != texts.get("sha256"):
        raise _refuse(source, "was altered: the SHA-256 of its state does not match")
    content = json.loads(text)
    if content.get("format") != FORMAT:
        raise ArtifactError(
            f"checkpoint {str(source)!r} has format {content.get('format')!r}",
            expected=f"format {FORMAT}",
            fix="go on with the Proa version that wrote it, or a newer one",
        )
    digests: Mapping[str, str] = content["digests"]
    for name in sorted({*digests, *arrays}):
        if name not in arrays or digests.get(name) != _digest(arrays[name]):
            raise _refuse(source, f"was altered: the SHA-256 of {name!r} does not match")
    return Checkpoint(arrays, content["state"])


def _refuse(source: Path, what: str) -> ArtifactError:
    return ArtifactError(
        f"checkpoint {str(source)!r} {what}",
        expected="the file exactly as Model.fit wrote it",
        fix="copy it again, or go on from an earlier one",
    )


def checked_path(path: Any) -> Path:
    """Returns a user's path.

    Raises:
        InvalidTypeError: neither a string nor a path.
    """
    if not isinstance(path, str) and not hasattr(path, "__fspath__"):
        raise InvalidTypeError(
            f"`resume` is a {type(path).__name__}",
            expected="the path of a checkpoint or of a folder with checkpoints, or 'auto'",
            fix="pass a string",
        )
    return Path(path)


def checkpoint_path(folder: Any, num_steps: int) -> Path:
    """Returns where the checkpoint after a number of steps lies in a folder."""
    return Path(folder) / f"step-{num_steps:08d}.safetensors"


def list_checkpoints(folder: Any) -> list[Path]:
    """Returns the checkpoints in a folder, the newest first, without looking into them."""
    found = []
    if Path(folder).is_dir():
        for path in Path(folder).iterdir():
            match = _NAME.fullmatch(path.name)
            if match is not None:
                found.append((int(match.group(1)), path))
    return [path for _, path in sorted(found, reverse=True)]


def read_newest(folder: Any) -> tuple[Path, Checkpoint] | None:
    """Reads the newest checkpoint in a folder that is complete; warns of those that are not.

    Args:
        folder: the folder, or one that has a folder `checkpoints` in it.

    Returns:
        Path and checkpoint, or `None` when there is none.
    """
    for place in (Path(folder), Path(folder) / "checkpoints"):
        for path in list_checkpoints(place):
            try:
                return path, read_checkpoint(path)
            except ArtifactError as error:
                warnings.warn(f"passed over: {error.got}", stacklevel=3)
    return None


def keep_newest(folder: Any, count: int) -> None:
    """Deletes all checkpoints of a folder but the newest ones."""
    for path in list_checkpoints(folder)[count:]:
        path.unlink(missing_ok=True)
