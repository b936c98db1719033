"""Static Programs in files: artifacts for inference, and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    NotFoundError,
    Parameter,
    Tensor,
    new_tensor,
    run_eagerly,
)
from proa.framework import load as load_object
from proa.framework import save as save_object
from proa.jit import load as load_artifact
from proa.jit import save as save_artifact
from proa.program import InputSpec, run_stepwise

from ._executor import Runnable, _fed
from ._program import Program, default_main_program


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def normalize_program(program: Program, feed_vars: Any, fetch_vars: Any, **kwargs: Any) -> Program:
    """Returns the Program as it is saved: without what training alone does.

    Args:
        program (Program): the Program.
        feed_vars (Tensor | list): its inputs.
        fetch_vars (Tensor | list): its outputs.
        kwargs: kept for Paddle's signature.

    Raises:
        InvalidTypeError: no Program, or no tensors.
    """
    if not isinstance(program, Program):
        raise InvalidTypeError(
            f"normalize_program of a {type(program).__name__}",
            expected="a static Program",
            fix="pass the Program that was built under program_guard",
        )
    for name, given in (("feed_vars", feed_vars), ("fetch_vars", fetch_vars)):
        for each in _as_list(given):
            if not isinstance(each, Tensor):
                raise InvalidTypeError(
                    f"normalize_program: `{name}` holds a {type(each).__name__}",
                    expected="tensors of the Program",
                    fix="pass what static.data and the layers returned",
                )
    return program.clone(for_test=True)


def save_inference_model(
    path_prefix: str, feed_vars: Any, fetch_vars: Any, executor: Any, **kwargs: Any
) -> None:
    """Saves the part of a Program between inputs and outputs as one artifact.

    Args:
        path_prefix (str): file path; `.proa` is added.
        feed_vars (Tensor | list): inputs made by `static.data`.
        fetch_vars (Tensor | list): outputs.
        executor (Executor): kept for Paddle's signature.
        kwargs: `program`, the Program; by default the default main one. `format="paddle"`
            writes `.json` and `.pdiparams`, which Paddle 3 loads.

    Raises:
        InvalidArgumentError: the outputs need an input that `feed_vars` does not have.
        UnsupportedError: with `format="paddle"`: ops that Paddle cannot express, all of them.

    Examples:
        >>> import proa, tempfile
        >>> main = proa.static.Program()
        >>> with proa.static.program_guard(main):
        ...     x = proa.static.data("x", [None, 2])
        ...     y = proa.nn.functional.softmax(x)
        >>> folder, executor = tempfile.mkdtemp(), proa.static.Executor()
        >>> proa.static.save_inference_model(folder + "/net", [x], [y], executor, program=main)
        >>> again, feeds, fetches = proa.static.load_inference_model(folder + "/net", executor)
        >>> executor.run(again, feed={feeds[0]: [[0.0, 0.0]]}, fetch_list=fetches)[0].tolist()
        [[0.5, 0.5]]
    """
    program = kwargs.get("program") or default_main_program()
    clone = program if program._is_test else program.clone(for_test=True)
    feeds = [each for t in _as_list(feed_vars) for each in (t, *clone._recorder.offsets_of(t))]
    with run_eagerly():
        found, state = clone._recorder.snapshot(_as_list(fetch_vars), with_writes=False)
        given = {id(t._data): i for i, t in enumerate(feeds)}
        missing = [repr(v) for v in found.inputs if id(v) not in given]
        if missing:
            raise InvalidArgumentError(
                f"the outputs need {', '.join(missing)}",
                expected=f"inputs among feed_vars: {', '.join(t.name for t in feeds)}",
                fix="add them to feed_vars, or fetch tensors that do not depend on them",
            )
        positions = [given[id(v)] for v in found.inputs]

        def function(*inputs: Tensor) -> list[Tensor]:
            chosen = [inputs[i] for i in positions]
            return run_stepwise(found, [*chosen, *state.captures])

        form = kwargs.get("format", "proa")
        save_artifact(function, path_prefix, [_spec_of(t) for t in feeds], format=form)


def _spec_of(t: Tensor) -> InputSpec:
    # Names of unknown sizes say which are equal.
    shape = [e if isinstance(e, int) else str(e) for e in t._data.shape]
    return InputSpec(shape, t._data.dtype, t.name)


class LoadedProgram(Runnable):
    """A Program from an artifact, for an Executor to run."""

    def __init__(self, layer: Any) -> None:
        self.layer = layer
        inputs = layer.program("main").inputs
        self.feed_names = [v.name for v in inputs]
        self._named = dict(zip(self.feed_names, inputs, strict=True))
        self.fetch_targets = [
            _Fetch(i, v.name or f"out{i}") for i, v in enumerate(layer.program("main").outputs)
        ]

    def run(self, feed: Mapping[str, Any], fetch_list: Sequence[Any]) -> list[Tensor]:
        """Returns the fetched outputs."""
        tensors = [_fed(value, feed) for value in self._named.values()]
        found = _as_list(self.layer(*tensors))
        return [new_tensor(found[fetch.index]._data) for fetch in fetch_list]

    def state_dict(self, mode: str = "all", scope: Any = None) -> dict[str, Tensor]:
        """Returns the weights by name.

        Args:
            mode: `param`: the trainable ones; `opt`: the others; `all`.
            scope: kept for Paddle's signature.
        """
        return {
            name.removeprefix("captured/"): t
            for name, t in self.layer._weights.items()
            if mode == "all" or isinstance(t, Parameter) == (mode == "param")
        }

    def all_parameters(self) -> list[Tensor]:
        """Returns the weights that can be trained."""
        return list(self.state_dict("param").values())

    def global_block(self) -> LoadedProgram:
        """Returns the Program itself."""
        return self

    def __str__(self) -> str:
        return str(self.layer.program("main"))


class _Fetch:
    """One output of a loaded Program."""

    def __init__(self, index: int, name: str) -> None:
        self.index, self.name = index, name


def load_inference_model(path_prefix: str, executor: Any, **kwargs: Any) -> list[Any]:
    """Loads what `save_inference_model`, or `jit.save`, has written here or in Paddle.

    Args:
        path_prefix (str): the file, with or without its ending; the folder of an old model.
        executor (Executor): kept for Paddle's signature.
        kwargs: `model_filename` and `params_filename`, names of the files in a folder.

    Returns:
        list: the Program for `Executor.run`, the names of its inputs, and what to fetch.

    Raises:
        NotFoundError: no such file.
        ArtifactError: the file is truncated or altered.
    """
    program = LoadedProgram(load_artifact(path_prefix, **kwargs))
    return [program, program.feed_names, program.fetch_targets]


def save(program: Program, model_path: str, protocol: int = 4, **configs: Any) -> None:
    """Saves the persistable tensors of a Program: `.pdparams`, and `.pdopt` for the others.

    Args:
        program (Program): the Program.
        model_path (str): file path without an ending.
        protocol (int): pickle protocol.
        configs: kept for Paddle's signature.
    """
    with run_eagerly():
        parts = (("pdparams", "param"), ("pdopt", "opt"))
        for ending, mode in parts:
            save_object(program.state_dict(mode), f"{model_path}.{ending}", protocol=protocol)


def load_program_state(model_path: str, var_list: Any = None) -> dict[str, Any]:
    """Reads what `static.save` has written, as arrays by name.

    Args:
        model_path (str): file path without an ending.
        var_list (list, optional): only these tensors.

    Raises:
        NotFoundError: there is no such file.
    """
    found: dict[str, Any] = {}
    files = [Path(f"{model_path}.{ending}") for ending in ("pdparams", "pdopt")]
    if not files[0].exists():
        raise NotFoundError(
            f"there is no {str(files[0])!r}",
            expected="files written by static.save",
            fix="check the path; it has no ending",
        )
    for file in files:
        if file.exists():
            found.update(load_object(str(file), return_numpy=True))
    if var_list is None:
        return found
    names = {t.name for t in var_list}
    return {name: value for name, value in found.items() if name in names}


def set_program_state(program: Program, state_dict: Mapping[str, Any]) -> None:
    """Gives the persistable tensors of a Program values by name.

    Args:
        program (Program): the Program.
        state_dict (dict): arrays by name.
    """
    program.set_state_dict(state_dict)


def load(program: Program, model_path: str, executor: Any = None, var_list: Any = None) -> None:
    """Reads what `static.save` has written into the tensors of a Program.

    Args:
        program (Program): the Program.
        model_path (str): file path without an ending.
        executor (Executor, optional): kept for Paddle's signature.
        var_list (list, optional): only these tensors.

    Raises:
        NotFoundError: there is no such file.
    """
    set_program_state(program, load_program_state(model_path, var_list))
