"""Programs and parameters as bytes."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from proa.core import (
    ArtifactError,
    InvalidArgumentError,
    InvalidTypeError,
    NotFoundError,
    run_eagerly,
)
from proa.formats import read_artifact
from proa.jit import load as load_artifact

from ._files import LoadedProgram, save_inference_model


def _artifact(feed_vars: Any, fetch_vars: Any, kwargs: Any, folder: str) -> Path:
    path = str(Path(folder) / "program")
    save_inference_model(path, feed_vars, fetch_vars, None, **kwargs)
    return Path(path + ".proa")


def serialize_program(feed_vars: Any, fetch_vars: Any, **kwargs: Any) -> bytes:
    """Returns the part of a Program between inputs and outputs as the bytes of an artifact.

    The bytes are those of the file that `save_inference_model` writes, so they hold the
    present values of parameters, too.

    Args:
        feed_vars (Tensor | list): inputs made by `static.data`.
        fetch_vars (Tensor | list): outputs.
        kwargs: `program`, the Program; by default the default main one.

    Raises:
        InvalidArgumentError: the outputs need an input that `feed_vars` does not have.

    Examples:
        >>> import proa
        >>> main = proa.static.Program()
        >>> with proa.static.program_guard(main):
        ...     x = proa.static.data("x", [None, 2])
        ...     y = x * 2
        >>> data = proa.static.serialize_program([x], [y], program=main)
        >>> again = proa.static.deserialize_program(data)
        >>> executor = proa.static.Executor()
        >>> executor.run(again, {"x": [[1.0, 2.0]]}, again.fetch_targets)[0].tolist()
        [[2.0, 4.0]]
    """
    with tempfile.TemporaryDirectory() as folder:
        return _artifact(feed_vars, fetch_vars, kwargs, folder).read_bytes()


def serialize_persistables(
    feed_vars: Any, fetch_vars: Any, executor: Any, **kwargs: Any
) -> bytes | None:
    """Returns the parameters between inputs and outputs, in the format of safetensors.

    Args:
        feed_vars (Tensor | list): inputs made by `static.data`.
        fetch_vars (Tensor | list): outputs.
        executor (Executor): kept for Paddle's signature.
        kwargs: `program`, the Program; by default the default main one.

    Returns:
        bytes: the parameters by name; `None` where there are none.

    Raises:
        InvalidArgumentError: the outputs need an input that `feed_vars` does not have.
    """
    from safetensors.numpy import save

    with tempfile.TemporaryDirectory() as folder:
        weights = read_artifact(_artifact(feed_vars, fetch_vars, kwargs, folder)).weights
    named = {name.removeprefix("captured/"): array for name, array in weights.items()}
    return save(named) if named else None


def deserialize_program(data: bytes) -> LoadedProgram:
    """Returns the Program that `serialize_program` made bytes of, for `Executor.run`.

    Args:
        data (bytes): the bytes.

    Raises:
        InvalidTypeError: no bytes.
        ArtifactError: truncated or altered bytes.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.proa"
        file.write_bytes(_require_bytes("deserialize_program", data))
        with run_eagerly():
            return LoadedProgram(load_artifact(file))


def deserialize_persistables(program: Any, data: bytes | None, executor: Any) -> Any:
    """Gives a Program the parameters that `serialize_persistables` made bytes of.

    Args:
        program (Program): what `deserialize_program` gave, or a Program.
        data (bytes): the bytes; `None` for a Program without parameters.
        executor (Executor): kept for Paddle's signature.

    Returns:
        The Program.

    Raises:
        InvalidTypeError: no bytes.
        ArtifactError: bytes of something else.
        InvalidArgumentError: the Program's parameters have other names or shapes.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load

    if data is None:
        return program
    try:
        weights = load(_require_bytes("deserialize_persistables", data))
    except SafetensorError as error:
        raise ArtifactError(
            f"the bytes are no parameters: {error}",
            expected="what serialize_persistables returned",
            fix="make the bytes again",
        ) from error
    held = program.state_dict()
    wrong = [n for n in weights if n not in held or list(held[n].shape) != list(weights[n].shape)]
    if wrong:
        raise InvalidArgumentError(
            f"parameters that do not fit the Program: {', '.join(wrong[:8])}",
            expected=", ".join(f"{n} {t.shape}" for n, t in list(held.items())[:8]) or "none",
            fix="give it the bytes of its own parameters",
        )
    with run_eagerly():
        for name, value in weights.items():
            held[name].set_value(value)
    return program


def save_to_file(path: str, content: bytes) -> None:
    """Writes bytes to a file.

    Args:
        path (str): the file.
        content (bytes): the bytes.

    Raises:
        InvalidTypeError: no bytes.
    """
    Path(path).write_bytes(_require_bytes("save_to_file", content))


def load_from_file(path: str) -> bytes:
    """Returns the bytes of a file.

    Args:
        path (str): the file.

    Raises:
        NotFoundError: there is no such file.
    """
    if not Path(path).is_file():
        raise NotFoundError(
            f"there is no {path!r}", expected="a file that save_to_file wrote", fix="check the path"
        )
    return Path(path).read_bytes()


def _require_bytes(what: str, data: Any) -> bytes:
    if not isinstance(data, bytes):
        raise InvalidTypeError(
            f"{what} got a {type(data).__name__}", expected="bytes", fix="open files with 'rb'"
        )
    return data
