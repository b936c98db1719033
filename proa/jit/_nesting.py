"""What goes into a saved function and comes out of it, where that is more than flat tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from proa.core import InvalidArgumentError, Tensor, context
from proa.program import InputSpec

from ._dataclasses import _Opened, flatten_tree, open_dataclasses
from ._static_function import StaticFunction

#: Before the name of a method among the roles of an artifact's Programs.
METHOD = "method:"


def open_specs(input_spec: Any) -> tuple[list[InputSpec], Callable[[Sequence[Any]], Any]]:
    """Opens lists, tuples and dicts of specs, with constants among them.

    Args:
        input_spec: per argument an InputSpec, an example, a tree of such, or a constant.

    Returns:
        The specs, named by their place where they have no name, and a function that makes the
        arguments of a call from as many tensors.

    Raises:
        InvalidArgumentError: an entry is no spec, or two have one name.
    """
    arguments = list(input_spec) if isinstance(input_spec, list | tuple) else [input_spec]
    paths, structure = jax.tree_util.tree_flatten_with_path(open_dataclasses(arguments))
    leaves = [leaf for _, leaf in paths]
    positions = [i for i, leaf in enumerate(leaves) if _is_spec(leaf)]
    for i, leaf in enumerate(leaves):
        is_constant = isinstance(leaf, bool | int | float | str) and bool(positions)
        if i not in positions and not is_constant:
            raise InvalidArgumentError(
                f"entry {i} of `input_spec` is {leaf!r}"[:200],
                expected="an InputSpec, a Tensor or a NumPy array",
                fix="write InputSpec([None, 784], 'float32', name='image')",
            )
    specs = [
        _named(leaves[i], paths[i][0], number, is_flat=len(paths[i][0]) == 1)
        for number, i in enumerate(positions)
    ]
    names = [spec.name for spec in specs if spec.name]
    if len(set(names)) < len(names):
        raise InvalidArgumentError(
            f"`input_spec` names its inputs {names}",
            expected="a name of its own for each input",
            fix="rename one of them; a predictor is given inputs by name",
        )

    def arguments_of(tensors: Sequence[Any]) -> Any:
        filled = list(leaves)
        for i, t in zip(positions, tensors, strict=True):
            filled[i] = t
        return jax.tree_util.tree_unflatten(structure, filled)

    return specs, arguments_of


def as_recorded(function: Any) -> Any:
    """Returns the function in the form that the open recording, if any, wants."""
    adapt = getattr(context.recorder, "adapt", None)
    return function if adapt is None else adapt(function)


def _is_spec(leaf: Any) -> bool:
    return isinstance(leaf, InputSpec | Tensor | np.ndarray)


def _named(leaf: Any, path: Any, number: int, is_flat: bool) -> InputSpec:
    if not isinstance(leaf, InputSpec):
        shape = [None, *leaf.shape[1:]] if len(leaf.shape) else []
        leaf = InputSpec(shape, leaf.dtype, f"x{number}" if is_flat else None)
    if leaf.name or is_flat:
        return leaf
    keys = [str(getattr(key, "key", getattr(key, "idx", number))) for key in path[1:]]
    name = "_".join(keys) if any(not key.isdigit() for key in keys) else f"x{number}"
    return InputSpec(leaf.shape, leaf.dtype, name)


def example_of(input_spec: Any) -> list[Any] | None:
    """Returns the tensors of a spec that consists of examples, else `None`."""
    leaves = flatten_tree(input_spec)[0] if input_spec is not None else []
    specs = [leaf for leaf in leaves if _is_spec(leaf)]
    if not specs or any(isinstance(leaf, InputSpec) for leaf in specs):
        return None
    return specs


def describe_result(structure: Any) -> Any:
    """Returns the structure of a result as plain data, with numbers for its tensors.

    A dataclass and a dict are alike in it, and so are a named tuple and a tuple.
    """
    return _describe(jax.tree_util.tree_unflatten(structure, range(structure.num_leaves)))


def _describe(node: Any) -> Any:
    node = _Opened(node) if hasattr(type(node), "__dataclass_fields__") else node
    if isinstance(node, _Opened):
        pairs = zip(node.names, node.values, strict=True)
        return {"dict": [[name, _describe(value)] for name, value in pairs]}
    if isinstance(node, dict):
        return {"dict": [[str(key), _describe(value)] for key, value in node.items()]}
    if isinstance(node, list):
        return {"list": [_describe(each) for each in node]}
    if isinstance(node, tuple):
        return {"tuple": [_describe(each) for each in node]}
    return node


def build_result(description: Any, tensors: Sequence[Any]) -> Any:
    """Puts tensors into the structure that `describe_result` has described."""
    if isinstance(description, int):
        return tensors[description]
    if not isinstance(description, dict):
        return None
    ((kind, items),) = description.items()
    if kind == "dict":
        return {key: build_result(value, tensors) for key, value in items}
    made = [build_result(each, tensors) for each in items]
    return made if kind == "list" else tuple(made)


def methods_of(layer: Any) -> dict[str, StaticFunction]:
    """Returns the compiled methods of a layer besides `forward`, bound to it."""
    found: dict[str, StaticFunction] = {}
    for cls in reversed(type(layer).__mro__):
        for name, value in vars(cls).items():
            if isinstance(value, StaticFunction) and name != "forward":
                found[name] = getattr(layer, name)
    return found


#: Options of Paddle's `jit.save` that change nothing here: one file holds everything, hooks run
#: as part of the layer, and what no output needs is never written.
_IDLE = frozenset(
    {
        "with_hook",
        "combine_params",
        "clip_extra",
        "skip_forward",
        "skip_prune_program",
        "separate_parameters",
    }
)


def check_options(configs: dict[str, Any]) -> list[int] | None:
    """Checks the further options of `jit.save`.

    Returns:
        Positions of the outputs to keep; `None` for all.

    Raises:
        InvalidArgumentError: an option that is not known, or outputs not given by position.
    """
    unknown = sorted({*configs} - _IDLE - {"output_spec"})
    if unknown:
        raise InvalidArgumentError(
            f"jit.save has no option {', '.join(map(repr, unknown))}",
            expected="output_spec, " + ", ".join(sorted(_IDLE)),
            fix="leave it out",
        )
    chosen = configs.get("output_spec")
    if chosen is None:
        return None
    if not isinstance(chosen, list | tuple) or not all(isinstance(i, int) for i in chosen):
        raise InvalidArgumentError(
            f"`output_spec` is {chosen!r}"[:200],
            expected="positions of outputs, such as [0, 2]",
            fix="give numbers: a tensor of an earlier call is no output of the saved function",
        )
    return list(chosen)


def keep_outputs(function: Callable[..., Any], chosen: list[int] | None) -> Callable[..., Any]:
    """Returns the function with the chosen ones of its outputs."""
    if chosen is None:
        return function

    def selected(*args: Any) -> list[Any]:
        outputs = flatten_tree(as_recorded(function)(*args))[0]
        if not all(-len(outputs) <= i < len(outputs) for i in chosen):
            raise InvalidArgumentError(
                f"`output_spec` is {chosen} of {len(outputs)} outputs",
                expected=f"positions from 0 to {len(outputs) - 1}",
                fix="count the tensors that forward returns",
            )
        return [outputs[i] for i in chosen]

    return selected
