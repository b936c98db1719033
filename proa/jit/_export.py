"""Export: a Layer or function becomes Programs, weights and golden samples in one file."""

from __future__ import annotations

import dataclasses
import inspect
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import jax
import numpy as np

from proa.core import (
    ArtifactError,
    InvalidArgumentError,
    Parameter,
    ProaError,
    ProgramError,
    Tensor,
    as_dtype,
    enable_grad,
    no_grad,
    to_tensor,
    user_location,
)
from proa.formats import (
    ROLES,
    Artifact,
    check_format,
    make_manifest,
    write_artifact,
    write_paddle,
)
from proa.program import (
    InputSpec,
    NeedsConversion,
    Program,
    TensorList,
    recording,
    verify,
    without_effects,
)

from ._convert import adapt, explain_unconverted
from ._dataclasses import flatten_tree
from ._nesting import (
    METHOD,
    as_recorded,
    check_options,
    describe_result,
    example_of,
    keep_outputs,
    methods_of,
    open_specs,
)
from ._pipeline import Pipeline, largest_difference
from ._static_function import StaticFunction


def record(fn: Callable[..., Any], specs: Sequence[Any]) -> tuple[Program, list[Tensor], Any]:
    """Records a function once for given shapes.

    Args:
        fn: function of tensors.
        specs: `(shape, dtype, name)` per input.

    Returns:
        The Program, the tensors it captures, and the structure of the result.

    Raises:
        ProgramError: the function writes tensors that outlive it.
    """
    try:
        return _record(fn, specs, None)
    except NeedsConversion:
        pass
    try:
        return _record(fn, specs, adapt)
    except NeedsConversion as error:
        raise explain_unconverted(fn, error) from None


def _record(fn: Any, specs: Any, convert: Any) -> tuple[Program, list[Tensor], Any]:
    # Taped, so that the file knows where gradients end (`detach`, `no_grad`).
    with enable_grad(), recording(as_taped=True) as recorder:
        recorder.adapt = convert
        inputs = [recorder.add_input(shape, as_dtype(d).numpy, name) for shape, d, name in specs]
        for t in inputs:
            t.stop_gradient = not t.dtype.is_inexact
        function = fn if convert is None else convert(fn)
        result = jax.tree_util.tree_map(
            lambda v: v.whole("saving the list") if isinstance(v, TensorList) else v,
            function(*inputs),
            is_leaf=lambda v: isinstance(v, TensorList),
        )
        leaves, structure = flatten_tree(result)
        if not all(isinstance(leaf, Tensor) for leaf in leaves):
            raise ProgramError(
                f"the function returned {[type(leaf).__name__ for leaf in leaves]}",
                expected="tensors only, in lists, tuples or dicts",
                fix="return tensors; keep other values out of the exported function",
            )
        program, state = recorder.finish(leaves)
    if state.writes:
        raise ProgramError(
            "the function writes tensors: " + ", ".join(t.name for t in state.writes),
            expected="a function that only computes its outputs",
            fix="call layer.eval() first; sampling and running statistics cannot be exported",
        )
    # A file holds nothing that is done beside computing, such as printing.
    program = verify(without_effects(program))
    # Where it was saved from is no place in the model: equal models are equal files.
    here = user_location()
    program.calls = [
        dataclasses.replace(call, where="") if call.where == here else call
        for call in program.calls
    ]
    return program, state.captures, structure


def _specs_to_try(layer: Any, input_spec: Any) -> list[Any]:
    """The specs, or those of the last call: with any batch, or else with that call's."""
    forward = getattr(layer, "forward", layer)
    if input_spec is None and isinstance(forward, StaticFunction):
        input_spec = forward._input_spec
        called = forward.last_specs if input_spec is None else None
        if called:
            free = [
                InputSpec([None, *s.shape[1:]][: len(s.shape)], s.dtype, s.name) for s in called
            ]
            return [forward.last_arguments(free), forward.last_arguments(called)]
    if input_spec is None:
        raise InvalidArgumentError(
            f"`input_spec` of {type(layer).__name__} is not known",
            expected="one InputSpec (or example tensor) per input",
            fix=f"pass input_spec=[{_to_paste(forward)}], or an example input: input_spec=[x]",
        )
    return [input_spec]


def _to_paste(forward: Any) -> str:
    """Specs for the parameters of a function, to be filled in."""
    try:
        parameters = inspect.signature(forward).parameters.values()
    except (TypeError, ValueError):
        parameters = ()
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [p.name for p in parameters if p.kind in kinds and p.default is p.empty] or ["x"]
    return ", ".join(f"InputSpec([None, <size>, ...], 'float32', name={n!r})" for n in names)


@contextmanager
def _eval_mode(layer: Any) -> Iterator[None]:
    layers = layer.sublayers(include_self=True) if hasattr(layer, "sublayers") else []
    modes = [each.training for each in layers]
    for each in layers:
        each.training = False
    try:
        yield
    finally:
        for each, mode in zip(layers, modes, strict=True):
            each.training = mode


def _names(layer: Any) -> dict[int, str]:
    if not hasattr(layer, "state_dict"):
        return {}
    return {id(t): name for name, t in layer.state_dict().items()}


def _distinct(name: str, taken: Collection[str]) -> str:
    if name not in taken:
        return name
    return next(n for n in (f"{name}_{i}" for i in count(1)) if n not in taken)


class _Exporter:
    """Collects the Programs of one export; equal tensors share one weight."""

    def __init__(self, layer: Any) -> None:
        self.names = _names(layer)
        self.weights: dict[str, np.ndarray] = {}
        self.programs: dict[str, Program] = {}
        self.captures: dict[str, list[str]] = {}
        self.trainable: set[str] = set()
        #: The structure of what the last stage gives.
        self.result: Any = None

    def add(self, role: str, fn: Callable[..., Any], specs: Sequence[Any]) -> list[Any]:
        """Records one stage and returns the specs of its outputs."""
        program, captured, structure = record(fn, specs)
        self.result = describe_result(structure)
        self.programs[role] = program
        self.captures[role] = [self._name(t) for t in captured]
        # The names of the process (`linear_3.w_0`) would make equal models unequal files.
        for value, name in zip(program.captures, self.captures[role], strict=True):
            value.name = name
        names: list[str] = []
        for i, value in enumerate(program.outputs):
            names.append(_distinct(value.name or f"out{i}", names))
        return [(v.shape, v.dtype, n) for v, n in zip(program.outputs, names, strict=True)]

    def _name(self, t: Tensor) -> str:
        known = self.names.get(id(t))
        if known is None:
            taken = {*self.weights, *self.names.values()}
            known = self.names[id(t)] = _distinct(f"captured/{t.name}", taken)
        self.weights[known] = t.numpy()
        if isinstance(t, Parameter) and not t.stop_gradient:
            self.trainable.add(known)
        return known


def save(
    layer: Any,
    path: Any,
    input_spec: Any = None,
    *,
    preprocess: Callable[..., Any] | None = None,
    postprocess: Callable[..., Any] | None = None,
    samples: Sequence[Any] | None = None,
    lineage: dict[str, Any] | None = None,
    format: str = "proa",
    **configs: Any,
) -> Path:
    """Saves a Layer or function as one artifact, `<path>.proa`, in evaluation mode.

    Args:
        layer: a Layer, a function or a compiled function.
        path: file path; `.proa` is added when missing.
        input_spec: InputSpecs or example inputs, one per argument, in lists and dicts where
            the arguments are such; those of `preprocess` when there is one; by default those
            of the last call of a compiled `layer`.
        preprocess: function of tensors that prepares raw inputs; stored as a Program.
        postprocess: function of the outputs; stored as a Program.
        samples: sample inputs: each a tensor, or one per input as a list or tuple. Their
            outputs are stored, compared with the uncompiled ones now, and checked again
            whenever the artifact is loaded. Without them the examples in `input_spec`, if it
            has such, are compared only. The largest difference stands in the manifest.
        lineage: where the model comes from (run, data hash, metrics), as plain data.
        format: `"proa"`, or `"paddle"` for the two files `<path>.json` and `<path>.pdiparams`
            that Paddle 3 loads; these hold neither samples nor lineage.
        configs: options of Paddle: `output_spec`, positions of the outputs to keep;
            `clip_extra`, `skip_forward`, `combine_params`, `separate_parameters`,
            `skip_prune_program` and `with_hook` change nothing; others are refused.

    Returns:
        The path of the file (of the program, when there are two).

    Raises:
        InvalidArgumentError: no spec is known (the message has one to paste), or a sample
            does not fit.
        ProgramError: the function cannot be recorded, or writes state.
        ArtifactError: the compiled outputs differ from the uncompiled ones.
        UnsupportedError: with `"paddle"`: calls that Paddle's ops cannot express, all of them.

    Examples:
        >>> import proa, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> net = proa.nn.Linear(4, 2)
        >>> file = proa.jit.save(net, folder + "/net", [proa.static.InputSpec([None, 4])])
        >>> proa.jit.load(file)(proa.ones([3, 4])).shape
        [3, 2]
    """
    write = {"proa": write_artifact, "paddle": write_paddle}[check_format(format)]
    artifact = record_artifact(
        layer,
        input_spec,
        preprocess=preprocess,
        postprocess=postprocess,
        samples=samples,
        lineage=lineage,
        output_spec=check_options(configs),
    )
    return write(artifact, path)


def record_artifact(
    layer: Any,
    input_spec: Any = None,
    *,
    preprocess: Callable[..., Any] | None = None,
    postprocess: Callable[..., Any] | None = None,
    samples: Sequence[Any] | None = None,
    lineage: dict[str, Any] | None = None,
    output_spec: list[int] | None = None,
) -> Artifact:
    """Makes what `save` writes: see there for arguments and errors.

    Returns:
        The artifact, whose Programs still know the places in the user's code.
    """
    attempts = _specs_to_try(layer, input_spec)
    stages = [(role, fn) for role, fn in zip(ROLES, (preprocess, layer, postprocess), strict=True)]
    stages = [(role, fn) for role, fn in stages if fn is not None]
    stages[-1] = (stages[-1][0], keep_outputs(stages[-1][1], output_spec))
    with _eval_mode(layer):
        for specs in attempts:
            try:
                artifact = _record_stages(layer, stages, specs, lineage)
                break
            except ProaError:
                if specs is attempts[-1]:
                    raise
        example = example_of(input_spec)
        functions = [_on_flat(specs, stages[0][1])[1], *[fn for _, fn in stages[1:]]]
        if samples is not None:
            _add_golden(artifact, functions, samples)
        elif example is not None:
            _add_golden(artifact, functions, [example], is_kept=False)
    return artifact


def _on_flat(input_spec: Any, function: Any) -> tuple[list[InputSpec], Any]:
    """The specs one by one, and the function of as many tensors."""
    specs, arguments_of = open_specs(input_spec)
    return specs, lambda *tensors: as_recorded(function)(*arguments_of(tensors))


def _record_stages(
    layer: Any, stages: Sequence[tuple[str, Any]], input_spec: Any, lineage: Any
) -> Artifact:
    """Records all stages, each on the outputs of the one before; then methods."""
    specs, first = _on_flat(input_spec, stages[0][1])
    entry = [(s.dimensions(i), s.dtype.numpy, s.name or f"x{i}") for i, s in enumerate(specs)]
    exporter, stage = _Exporter(layer), entry
    for number, (role, fn) in enumerate(stages):
        stage = exporter.add(role, fn if number else first, stage)
    result = exporter.result
    methods = _record_methods(exporter, layer)
    manifest = make_manifest(entry, stage, exporter.captures, lineage)
    manifest["trainable"] = sorted(exporter.trainable)
    manifest["result"] = result
    if methods:
        manifest["methods"] = methods
    return Artifact(exporter.programs, exporter.weights, {}, manifest)


def _record_methods(exporter: _Exporter, layer: Any) -> dict[str, Any]:
    """Records the compiled methods of a layer besides `forward`."""
    described = {}
    for name, method in methods_of(layer).items():
        given = method._input_spec or method.last_specs
        if given is None:
            warnings.warn(
                f"method `{name}` of {type(layer).__name__} is not saved: nobody knows its "
                "inputs. Give it an input_spec, or call it once.",
                stacklevel=4,
            )
            continue
        specs, function = _on_flat(given, method)
        entry = [(s.dimensions(i), s.dtype.numpy, s.name or f"x{i}") for i, s in enumerate(specs)]
        outputs = exporter.add(METHOD + name, function, entry)
        made = make_manifest(entry, outputs, {})
        described[name] = {
            "inputs": made["inputs"],
            "outputs": made["outputs"],
            "result": exporter.result,
        }
    return described


def _run_stages(stages: Sequence[Any], inputs: Sequence[Tensor]) -> list[np.ndarray]:
    current: Any = list(inputs)
    with no_grad():
        for stage in stages:
            current = flatten_tree(stage(*current))[0]
    return [t.numpy() for t in current]


def _add_golden(
    artifact: Artifact, stages: Sequence[Any], samples: Sequence[Any], is_kept: bool = True
) -> None:
    pipeline = Pipeline(artifact)
    worst = absolute = 0.0
    for number, sample in enumerate(samples):
        given = flatten_tree(sample)[0]
        tensors = [t if isinstance(t, Tensor) else to_tensor(t) for t in given]
        pipeline.check_inputs([t._data for t in tensors])
        expected = _run_stages(stages, tensors)
        outputs = [np.asarray(o) for o in pipeline.run([t._data for t in tensors])]
        difference = largest_difference(outputs, expected)
        if difference > 1.0:
            raise ArtifactError(
                f"sample {number}: compiled and uncompiled outputs differ by {difference:.3g} "
                "times the tolerance",
                expected="equal results of both",
                fix="this is a defect of an op or of the recording: report it",
            )
        worst = max(worst, difference)
        absolute = max(absolute, _absolute_difference(outputs, expected))
        if not is_kept:
            continue
        for i, t in enumerate(tensors):
            artifact.golden[f"{number}/input/{i}"] = t.numpy()
        for i, array in enumerate(outputs):
            artifact.golden[f"{number}/output/{i}"] = array
    artifact.manifest["eager_difference"] = worst
    artifact.manifest["eager_difference_absolute"] = absolute


def _absolute_difference(got: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> float:
    found = 0.0
    for a, b in zip(got, expected, strict=True):
        if a.size and jax.numpy.issubdtype(a.dtype, np.inexact):
            wide = np.complex128 if np.iscomplexobj(a) else np.float64
            found = max(found, float(np.nan_to_num(np.abs(a.astype(wide) - b.astype(wide))).max()))
    return found
