"""Running a network without computing anything, to see which layer does what."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    ProgramError,
    Tensor,
    as_dtype,
    default_dtype,
    no_grad,
    to_tensor,
)
from proa.program import InputSpec, recording


def _label(layer: Any) -> str:
    # As in Paddle: the number in `linear_2.w_0`, plus 1.
    number = layer.full_name().rpartition("_")[2]
    return f"{type(layer).__name__}-{int(number) + 1 if number.isdecimal() else 1}"


@dataclass
class Row:
    """One layer of a network, as it was called first.

    Attributes:
        layer: the layer.
        label: its class, and its number among the layers that have that name, from 1.
        inputs: shapes of its inputs.
        outputs: shapes of its outputs, in the structure of its result.
        calls: op calls that it makes itself, those of layers below left out.
    """

    layer: Any
    label: str
    inputs: list[Any] = field(default_factory=list)
    outputs: Any = None
    calls: list[Any] = field(default_factory=list)

    @property
    def parameters(self) -> list[Tensor]:
        """The layer's own parameters."""
        return self.layer.parameters(include_sublayers=False)

    @property
    def num_params(self) -> int:
        """Number of elements of the layer's own parameters."""
        return sum(t.size for t in self.parameters)


@dataclass
class Example:
    """Inputs of a network: shapes and dtypes, or tensors."""

    specs: list[tuple[tuple[int, ...], Any]]
    tensors: list[Any] | None = None
    keywords: dict[str, Any] | None = None

    def element_bytes(self) -> int:
        """Returns the memory of the inputs, in bytes."""
        return sum(int(np.prod(shape)) * dtype.numpy.itemsize for shape, dtype in self.specs)


def read_example(input_size: Any, dtypes: Any, given: Any) -> Example:
    """Reads what a user gives as the inputs of a network.

    Args:
        input_size: an int, a shape, an InputSpec, or a list of shapes or InputSpecs. Sizes of
            `None` or -1 become 1.
        dtypes: a dtype, or one per input.
        given: tensors in place of sizes: one, a list, or a dict by name.

    Raises:
        InvalidArgumentError: neither is given, or a size is wrong.
        InvalidTypeError: the sizes are of another type.
    """
    if given is not None:
        return _from_tensors(given)
    if input_size is None:
        raise InvalidArgumentError(
            "`input_size` and `input` are both None",
            expected="the shapes of the inputs, or example inputs",
            fix="pass input_size=(1, 3, 224, 224), or input=x",
        )
    sizes = input_size if _is_list_of_shapes(input_size) else [input_size]
    names = list(dtypes) if isinstance(dtypes, list | tuple) else [dtypes] * len(sizes)
    if len(names) != len(sizes):
        raise InvalidArgumentError(
            f"`dtypes` has {len(names)} entries for {len(sizes)} inputs",
            expected="one dtype for all inputs, or one per input",
            fix="pass as many dtypes as shapes",
        )
    return Example([_spec(size, name) for size, name in zip(sizes, names, strict=True)])


def _from_tensors(given: Any) -> Example:
    keywords = dict(given) if isinstance(given, Mapping) else None
    values = list((keywords or {}).values()) if keywords is not None else given
    tensors = list(values) if isinstance(values, list | tuple) else [values]
    tensors = [t if isinstance(t, Tensor) else to_tensor(t) for t in tensors]
    if keywords is not None:
        keywords = dict(zip(keywords, tensors, strict=True))
    return Example([(tuple(t.shape), t.dtype) for t in tensors], tensors, keywords)


def _is_list_of_shapes(size: Any) -> bool:
    return (
        isinstance(size, list | tuple)
        and bool(size)
        and all(isinstance(each, list | tuple | InputSpec) for each in size)
    )


def _spec(size: Any, dtype: Any) -> tuple[tuple[int, ...], Any]:
    if isinstance(size, InputSpec):
        dtype = size.dtype if dtype is None else dtype
        size = size.shape
    extents = [size] if isinstance(size, int | np.integer) else size
    if not isinstance(extents, list | tuple):
        raise InvalidTypeError(
            f"`input_size` has {size!r}",
            expected="a shape such as (1, 3, 224, 224), or a list of shapes",
            fix="pass a tuple of integers",
        )
    shape = []
    for extent in extents:
        if extent is None or extent == -1:
            shape.append(1)
        elif isinstance(extent, bool) or not isinstance(extent, int | np.integer) or extent < 1:
            raise InvalidArgumentError(
                f"`input_size` has the size {extent!r}",
                expected="integers >= 1, or None or -1 for any size",
                fix="correct the shape",
            )
        else:
            shape.append(int(extent))
    return tuple(shape), default_dtype() if dtype is None else as_dtype(dtype)


class _Watcher:
    """Notes the calls of the layers of a network, by hooks."""

    def __init__(self, recorder: Any) -> None:
        self.recorder = recorder
        self.rows: dict[int, Row] = {}
        self._open: list[tuple[int, list[Any]]] = []

    def before(self, layer: Any, inputs: Any, kwargs: Any) -> None:
        """Notes that a layer begins."""
        self._open.append((self._now(), []))

    def after(self, layer: Any, inputs: Any, kwargs: Any, output: Any) -> None:
        """Notes what a layer was given and has done."""
        start, below = self._open.pop()
        end = self._now()
        if self._open:
            self._open[-1][1].append((start, end))
        row = self.rows.get(id(layer))
        if row is None:
            leaves = jax.tree_util.tree_leaves((inputs, kwargs))
            shapes = [_shape(leaf) for leaf in leaves if isinstance(leaf, Tensor)]
            row = self.rows[id(layer)] = Row(layer, _label(layer), shapes, _shapes(output))
        if self.recorder is not None:
            hidden = {i for first, last in below for i in range(first, last)}
            own = [i for i in range(start, end) if i not in hidden]
            row.calls += [self.recorder.calls[i] for i in own]

    def _now(self) -> int:
        return 0 if self.recorder is None else len(self.recorder.calls)


def _shape(t: Tensor) -> list[int]:
    return [int(extent) for extent in t.shape]


def _shapes(value: Any) -> Any:
    if isinstance(value, Tensor):
        return _shape(value)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        found = [_shapes(each) for each in value]
        return [each for each in found if each is not None]
    return None


def trace(network: Any, example: Example) -> list[Row]:
    """Runs a network in evaluation mode and returns its layers, in the order of their ends.

    The network is recorded, so nothing is computed. One that cannot be recorded runs on zeros
    instead, after a warning; its rows then have no op calls.

    Raises:
        ProaError: the network cannot take these inputs.
    """
    with _evaluating(network), no_grad():
        try:
            with recording() as recorder:
                watcher = _Watcher(recorder)
                try:
                    with _watched(network, watcher):
                        _call(network, example, recorder)
                finally:
                    recorder.restore()
        except ProgramError as error:
            warnings.warn(f"the network runs on zeros: {error.got}", stacklevel=4)
            watcher = _Watcher(None)
            with _watched(network, watcher):
                _call(network, example, None)
    return list(watcher.rows.values())


def _positional_names(network: Any) -> list[str]:
    """Names of what `forward` takes by position; none where it takes any number."""
    parameters = inspect.signature(network.forward).parameters.values()
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters):
        return []
    return [p.name for p in parameters if p.kind in kinds]


def _call(network: Any, example: Example, recorder: Any) -> None:
    names = _positional_names(network)
    if example.keywords is not None:
        # A network of one input that has no such name takes the dict itself, or the list.
        whole = len(names) == 1 and names[0] not in example.keywords
        network(example.keywords) if whole else network(**example.keywords)
    elif example.tensors is not None:
        whole = len(names) == 1 and len(example.tensors) > 1
        network(list(example.tensors)) if whole else network(*example.tensors)
    elif recorder is not None:
        inputs = [
            recorder.add_input(shape, dtype.numpy, f"x{i}")
            for i, (shape, dtype) in enumerate(example.specs)
        ]
        network(*inputs)
    else:
        network(*[to_tensor(np.zeros(shape, dtype.numpy)) for shape, dtype in example.specs])


@contextmanager
def _watched(network: Any, watcher: _Watcher) -> Iterator[None]:
    handles = []
    for layer in network.sublayers(include_self=True):
        handles.append(layer.register_forward_pre_hook(watcher.before, with_kwargs=True))
        handles.append(layer.register_forward_post_hook(watcher.after, with_kwargs=True))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


@contextmanager
def _evaluating(network: Any) -> Iterator[None]:
    layers: Sequence[Any] = network.sublayers(include_self=True)
    modes = [layer.training for layer in layers]
    network.eval()
    try:
        yield
    finally:
        for layer, mode in zip(layers, modes, strict=True):
            layer.training = mode
