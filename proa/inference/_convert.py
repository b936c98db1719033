"""Models written anew in another precision."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

from proa.core import InvalidArgumentError, UnsupportedError, as_place
from proa.formats import write_artifact, write_paddle

from ._optimise import optimise
from ._source import as_source
from ._types import PlaceType, precision_name


def convert_to_mixed_precision(
    model_file: Any,
    params_file: Any,
    mixed_model_file: Any,
    mixed_params_file: Any,
    mixed_precision: Any,
    backend: Any,
    keep_io_types: bool = True,
    black_list: Collection[str] = set(),
    **kwargs: Any,
) -> None:
    """Writes a model anew that computes in float16 or bfloat16 what it computed in float32.

    Args:
        model_file: a `.proa` artifact or a Paddle program.
        params_file: the parameters of a Paddle model; `None` or empty for an artifact.
        mixed_model_file: what to write: `<name>.proa`, or a Paddle program.
        mixed_params_file: the parameters' file of a Paddle model, beside its program under the
            same name; `None` or empty for an artifact.
        mixed_precision: PrecisionType.Half or .Bfloat16.
        backend: where it will run; PlaceType.XPU is refused.
        keep_io_types: must be `True`: inputs and outputs keep their dtypes.
        black_list: ops that stay in float32.
        kwargs: `white_list`, which must be empty: everything else is converted.

    Raises:
        UnsupportedError: a device that Proa does not have, an option that cannot be honoured.
        InvalidArgumentError: float32, or files whose names do not belong together.
    """
    precision = precision_name(mixed_precision)
    if precision == "float32":
        raise InvalidArgumentError(
            f"`mixed_precision` is {mixed_precision!r}",
            expected="PrecisionType.Half or PrecisionType.Bfloat16",
            fix="copy the files: float32 is what they hold",
        )
    if backend == PlaceType.GPU:
        _ = as_place("gpu:0").device
    white_list = kwargs.pop("white_list", ())
    for refused, what in (
        (kwargs, f"options {sorted(kwargs)}"),
        (backend == PlaceType.XPU, "PlaceType.XPU"),
        (not keep_io_types, "keep_io_types=False"),
        (white_list, f"white_list={sorted(white_list)}"),
    ):
        if refused:
            raise UnsupportedError(
                f"convert_to_mixed_precision with {what}",
                expected="inputs and outputs that keep their dtypes, on a CPU or GPU",
                fix="leave it out; black_list names what stays in float32",
            )
    artifact = as_source(model_file, params_file or None).read()
    narrow = ("precision", {"dtype": precision, "keep": tuple(black_list)})
    # Folding stores the weights narrow too.
    made, _ = optimise(artifact, [narrow, "constant_folding"])
    # Golden samples were computed in float32, which rougher numbers do not reproduce.
    made.golden.clear()
    target = Path(os.fspath(mixed_model_file))
    if target.suffix == ".proa":
        write_artifact(made, target)
        return
    prefix = target.with_suffix("")
    wanted = prefix.with_name(prefix.name + ".pdiparams")
    if mixed_params_file and Path(os.fspath(mixed_params_file)) != wanted:
        raise InvalidArgumentError(
            f"`mixed_params_file` is {str(mixed_params_file)!r} beside {str(target)!r}",
            expected=f"{str(wanted)!r}",
            fix="give program and parameters the same name",
        )
    write_paddle(made, prefix)
