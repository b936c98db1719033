"""One way in for all model files: what a path holds, as an artifact."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proa.core import InvalidArgumentError, NotFoundError, UnsupportedError

from ._artifact import Artifact, artifact_path, read_artifact
from .paddle import PROGRAM_ENDINGS, as_path, program_candidates, read_paddle


def read_model(path: Any, params: Any = None) -> Artifact:
    """Reads a model of any kind that is known.

    Args:
        path: a `.proa` artifact, or a model of Paddle (see `read_paddle`); the ending may be
            left out. Where both are there, the artifact is read.
        params: the weights, where the file that `path` names does not hold them.

    Raises:
        NotFoundError: no such files.
        ArtifactError: a file is truncated, altered, or not what its ending says.
        UnsupportedError: a kind of file, or ops of a Program, that cannot be read.

    Examples:
        >>> import proa, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> file = proa.jit.save(proa.nn.Linear(4, 2), folder + "/net", [proa.ones([1, 4])])
        >>> sorted(proa.formats.read_model(folder + "/net").weights)
        ['bias', 'weight']
    """
    given = as_path(path)
    if given.suffix == ".onnx":
        raise UnsupportedError(
            f"the model {str(given)!r}",
            expected="a .proa artifact or a model of Paddle",
            fix="ONNX models cannot be read yet; run it with ONNX Runtime, or export the model "
            "as a Paddle or Proa file",
        )
    if given.suffix == ".proa" or _is_artifact(given, params):
        if params is not None:
            raise InvalidArgumentError(
                f"`params` is {str(params)!r} for the artifact {str(given)!r}",
                expected="None: an artifact holds its weights",
                fix="leave `params` out",
            )
        return read_artifact(given)
    if not program_candidates(given):
        endings = ", ".join((".proa", *PROGRAM_ENDINGS))
        raise NotFoundError(
            f"no model at {str(given)!r}",
            expected=f"a file with one of the endings {endings}, its path without the ending, or "
            "a folder with a model of Paddle",
            fix="check the path; jit.save(layer, 'out/model') writes out/model.proa",
        )
    return read_paddle(given, params)


def _is_artifact(path: Path, params: Any) -> bool:
    """Whether the path without its ending is that of an artifact."""
    return params is None and not path.is_file() and artifact_path(path).is_file()
