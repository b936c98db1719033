"""Models and parameters of static Programs, in folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from proa import static

_MODEL = "model"


def save_inference_model(
    dirname: str,
    feeded_var_names: Sequence[str],
    target_vars: Sequence[Any],
    executor: Any,
    main_program: Any = None,
    model_filename: str | None = None,
    params_filename: str | None = None,
    export_for_deployment: bool = True,
    program_only: bool = False,
) -> list[str]:
    """Saves the part of a Program between inputs and outputs; today's takes tensors and a path.

    Args:
        dirname: the folder.
        feeded_var_names: names of the inputs.
        target_vars: the outputs.
        executor: not used.
        main_program: the Program; the default main one when it is `None`.
        model_filename: name of the file in the folder.
        params_filename: not used: parameters are in the same file.
        export_for_deployment: not used.
        program_only: not used.

    Returns:
        Names of the outputs.
    """
    program = main_program or static.default_main_program()
    feeds = [program.var(name) for name in feeded_var_names]
    path = str(Path(dirname) / (model_filename or _MODEL))
    static.save_inference_model(path, feeds, list(target_vars), executor, program=program)
    return [t.name for t in target_vars]


def load_inference_model(
    dirname: str,
    executor: Any,
    model_filename: str | None = None,
    params_filename: str | None = None,
    pserver_endpoints: Any = None,
) -> list[Any]:
    """Loads what `save_inference_model` wrote: the Program, names of inputs, and outputs.

    Args:
        dirname: the folder.
        executor: not used.
        model_filename: name of the file in the folder.
        params_filename: not used.
        pserver_endpoints: not used.
    """
    return static.load_inference_model(str(Path(dirname) / (model_filename or _MODEL)), executor)


def save_persistables(
    executor: Any, dirname: str, main_program: Any = None, filename: str | None = None
) -> None:
    """Saves all tensors of a Program that outlive its runs; today's is `paddle.static.save`.

    Args:
        executor: not used.
        dirname: the folder.
        main_program: the Program; the default main one when it is `None`.
        filename: name of the file in the folder.
    """
    program = main_program or static.default_main_program()
    static.save(program, str(Path(dirname) / (filename or "persistables")))


def load_persistables(
    executor: Any, dirname: str, main_program: Any = None, filename: str | None = None
) -> None:
    """Loads what `save_persistables` wrote.

    Args:
        executor: not used.
        dirname: the folder.
        main_program: the Program; the default main one when it is `None`.
        filename: name of the file in the folder.
    """
    program = main_program or static.default_main_program()
    static.load(program, str(Path(dirname) / (filename or "persistables")), executor)
