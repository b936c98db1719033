"""Models in Paddle's files: which files a path means, and their content as an artifact.

Three forms are read: a Program in `.pdmodel` (ProgramDesc) or `.json` (since Paddle 3.0) with its
weights in `.pdiparams`, and folders of old models with `__model__` and one file per weight or
all in one. Nothing in them is executed: they hold calls of ops, numbers and text.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from proa.core import InvalidTypeError, NotFoundError, as_dtype

from .._artifact import Artifact
from . import _rules_detection as _rules_detection
from . import _rules_linalg as _rules_linalg
from . import _rules_loss as _rules_loss
from . import _rules_math as _rules_math
from . import _rules_nn as _rules_nn
from . import _rules_sequence as _rules_sequence
from . import _rules_shape as _rules_shape
from ._desc import read_program_desc
from ._graph import Graph, Variable, refuse
from ._import import graph_to_artifact
from ._pir import read_pir
from ._rules import DESC_RULES, PIR_RULES
from ._tensors import read_tensor, read_tensors

#: Endings of Programs, in the order in which they are looked for.
PROGRAM_ENDINGS = (".json", ".pdmodel")
_WEIGHTS_ENDING = ".pdiparams"
#: What a combined file of weights is called beside a `__model__`.
_OLD_WEIGHTS = ("__params__", "params", "__weights__")


def paddle_ops() -> list[str]:
    """Returns the names of Paddle's ops that can be read, in both forms of Programs."""
    return sorted({*DESC_RULES, *PIR_RULES})


def read_paddle(path: Any, params: Any = None) -> Artifact:
    """Reads a model that Paddle has saved for inference.

    Args:
        path: a Program (`.json`, `.pdmodel`, `__model__`), its path without the ending, or the
            folder that it is in.
        params: the file of the weights, or the folder with a file for each; by default what
            stands beside the Program.

    Returns:
        The model as an artifact: a Program of Proa's ops, with unknown sizes of the inputs as
        symbolic dimensions, and the weights by Paddle's names.

    Raises:
        NotFoundError: no such files.
        ArtifactError: a file is truncated, or not of this kind.
        UnsupportedError: ops that are not known here, all of them named.
        ProgramError: a call that needs what is known only when the model runs.
    """
    program = find_program(path)
    try:
        content = program.read_bytes()
        is_json = content.lstrip()[:1] == b"{"
        graph = read_pir(content) if is_json else read_program_desc(content)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise refuse(program, f"cannot be read: {type(error).__name__}: {error}"[:500]) from error
    weights = _read_weights(program, params, graph)
    lineage = {"format": "paddle", "form": graph.form, "program": program.name}
    return graph_to_artifact(graph, weights, lineage)


def as_path(path: Any, what: str = "path") -> Path:
    """Returns a path given by a user.

    Raises:
        InvalidTypeError: it is none.
    """
    if not isinstance(path, str | os.PathLike):
        raise InvalidTypeError(
            f"`{what}` is {path!r} ({type(path).__name__})"[:200],
            expected="a file path",
            fix="write 'models/inference'",
        )
    return Path(path)


def find_program(path: Any) -> Path:
    """Returns the Program file that a path means.

    Raises:
        NotFoundError: there is none.
    """
    given = as_path(path)
    found = program_candidates(given)
    if not found:
        raise NotFoundError(
            f"no model of Paddle at {str(given)!r}",
            expected="a .json or .pdmodel file, its path without the ending, or a folder with one "
            "such file or a file `__model__`",
            fix="check the path",
        )
    return found[0]


def program_candidates(path: Path) -> list[Path]:
    """Returns the Program files that a path may mean, the likeliest first."""
    if path.is_file():
        return [path]
    if path.is_dir():
        names = ["__model__", *[f"inference{e}" for e in PROGRAM_ENDINGS]]
        named = [path / name for name in names if (path / name).is_file()]
        others = [sorted(path.glob(f"*{ending}")) for ending in PROGRAM_ENDINGS]
        alone = [each for found in others for each in found if len(found) == 1]
        return [*named, *[each for each in alone if each.with_suffix(_WEIGHTS_ENDING).is_file()]]
    return [found for e in PROGRAM_ENDINGS if (found := Path(f"{path}{e}")).is_file()]


def _read_weights(program: Path, params: Any, graph: Graph) -> dict[str, np.ndarray]:
    if not graph.weights:
        return {}
    source = _weights_source(program, params)
    try:
        if source.is_dir():
            found = {v.name: _read_one(source, v.name) for v in graph.weights}
        else:
            found = read_tensors(source.read_bytes(), [v.name for v in graph.weights])
        _check(graph.weights, found)
    except ValueError as error:
        raise refuse(source, f"cannot be read: {error}") from error
    return found


def _weights_source(program: Path, params: Any) -> Path:
    if params is not None:
        found = as_path(params, "params")
        candidates = [found] if found.is_absolute() or found.exists() else [program.parent / found]
    elif program.suffix in PROGRAM_ENDINGS:
        candidates = [program.with_suffix(_WEIGHTS_ENDING)]
    else:
        candidates = [program.parent / name for name in _OLD_WEIGHTS] + [program.parent]
    for each in candidates:
        if each.exists():
            return each
    raise NotFoundError(
        f"the weights of {str(program)!r} are not at {str(candidates[0])!r}",
        expected="the file of weights that was saved with the Program",
        fix="put it beside the Program, or pass its path as `params`",
    )


def _read_one(folder: Path, name: str) -> np.ndarray:
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"weight {name!r} would be a file outside of the folder")
    if not path.is_file():
        raise NotFoundError(
            f"weight {name!r} has no file in {str(folder)!r}",
            expected="one file per weight, or one file with all of them",
            fix="copy the whole folder again, or pass the combined file as `params`",
        )
    content = path.read_bytes()
    array, end = read_tensor(content)
    if end != len(content):
        raise ValueError(f"{len(content) - end} bytes follow the tensor in {name!r}")
    return array


def _check(wanted: Sequence[Variable], found: dict[str, np.ndarray]) -> None:
    for each in wanted:
        array = found[each.name]
        same = len(array.shape) == len(each.shape) and all(
            size in (-1, extent) for size, extent in zip(each.shape, array.shape, strict=True)
        )
        if not same or array.dtype != as_dtype(each.dtype).numpy:
            raise ValueError(
                f"weight {each.name!r} is {array.dtype.name}{list(array.shape)}, "
                f"the Program has {each.dtype}{list(each.shape)}"
            )
