"""Export of a Layer as an ONNX file."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

from proa.core import InvalidArgumentError, InvalidTypeError, UnsupportedError
from proa.formats import OPSETS, artifact_to_onnx, import_onnx
from proa.framework import replace_file
from proa.jit import record_artifact

#: Paddle's default, which says nothing about what the user wants.
_UNSET = 9
_PROTOBUF_LIMIT = 2**31 - 1


def export(
    layer: Any, path: Any, input_spec: Any = None, opset_version: int = 9, **configs: Any
) -> Path:
    """Writes a Layer or function, in evaluation mode, as the file `<path>.onnx`.

    Sizes that the spec leaves open have names in the file.

    Args:
        layer: a Layer, a function or a compiled function.
        path: file path; `.onnx` is added when missing.
        input_spec: InputSpecs or example inputs; by default those of the last call of a
            compiled `layer`.
        opset_version: version of ONNX' operators, 18 to 23. Paddle's default of 9 stands for
            20 here; another older one is written as 18, with a warning.
        configs: `enable_onnx_checker` (true by default) has the file checked by the package
            `onnx`.

    Returns:
        The path of the file.

    Raises:
        InvalidArgumentError: no spec is known, a newer version, or an unknown option.
        UnsupportedError: calls that ONNX cannot express, all of them with their place; the
            option `output_spec`; or a model of more than 2 GB.
        MissingModuleError: the package `onnx` is not installed.
    """
    checks = _read_configs(configs)
    opset = _opset(opset_version)
    target = _onnx_path(path)
    onnx = import_onnx()
    model = artifact_to_onnx(record_artifact(layer, input_spec), opset=opset)
    if model.ByteSize() > _PROTOBUF_LIMIT:
        raise UnsupportedError(
            f"an ONNX model of {model.ByteSize() / 2**30:.1f} GB",
            expected="at most 2 GB, the limit of the file format",
            fix="export parts of the model, or use proa.jit.save",
        )
    if checks:
        onnx.checker.check_model(model, full_check=True)
    with replace_file(target) as temporary:
        temporary.write_bytes(model.SerializeToString())
    return target


def _read_configs(configs: dict[str, Any]) -> bool:
    """Returns whether the file is to be checked."""
    if configs.get("output_spec") is not None:
        raise UnsupportedError(
            "`output_spec` chooses among the outputs of an export",
            expected="a layer that returns the outputs that are wanted",
            fix="export a function: proa.onnx.export(lambda x: layer(x)[0], path, input_spec)",
        )
    unknown = sorted(set(configs) - {"output_spec", "enable_onnx_checker"})
    if unknown:
        raise InvalidArgumentError(
            f"`export` got the options {unknown}",
            expected="enable_onnx_checker",
            fix="leave the others out; they have no meaning here",
        )
    return bool(configs.get("enable_onnx_checker", True))


def _opset(version: Any) -> int:
    if not isinstance(version, int) or version > OPSETS[-1]:
        raise InvalidArgumentError(
            f"`opset_version` is {version!r}",
            expected=f"{OPSETS[0]} to {OPSETS[-1]}",
            fix="leave it out for 20",
        )
    if version == _UNSET:
        return 20
    if version < OPSETS[0]:
        warnings.warn(
            f"opset_version={version} is written as {OPSETS[0]}, the oldest that Proa writes",
            stacklevel=3,
        )
    return max(version, OPSETS[0])


def _onnx_path(path: Any) -> Path:
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise InvalidTypeError(
            f"`path` is {path!r}"[:200], expected="a file path", fix="write 'out/model.onnx'"
        )
    text = os.fspath(path)
    return Path(text if text.endswith(".onnx") else text + ".onnx")
