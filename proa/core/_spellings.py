"""Second spellings of parameters: `input` for `x`, `dim` for `axis`, and so on.

One table says which names a parameter also answers to. Functions made by `@op` have the second
spellings as hidden parameters, those under `@composite` or `@respelled` look here once a call has
failed: a call in the first spelling pays nothing. Source: what Paddle 3.3.1 accepts, found by
calling each of its functions with each candidate.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

from ._errors import InvalidArgumentError, InvalidTypeError

F = TypeVar("F", bound=Callable[..., Any])


class _Absent:
    """The value of a parameter that was not given."""

    def __repr__(self) -> str:
        return "<absent>"


ABSENT: Final = _Absent()

#: Parameter -> its second spellings, in every function that has it.
GENERAL: dict[str, tuple[str, ...]] = {
    "axes": ("dim",),
    "axis": ("dim",),
    "epsilon": ("eps",),
    "return_mask": ("return_indices",),
    "shape": ("size",),
    "start_axis": ("start_dim",),
    "stop_axis": ("end_dim",),
    "x": ("input",),
    "y": ("other",),
}
_JOINING = {"x": ("tensors",)}
_OUTER = {"y": ("vec2",)}
_SHRINKING = {"threshold": ("lambd",)}
_SPLITTING = {"num_or_indices": ("indices_or_sections", "indices", "sections")}
_SUBLAYERS = {"sublayers": ("modules",)}
_UNFOLDING = {
    "dilations": ("dilation",),
    "kernel_sizes": ("kernel_size",),
    "output_sizes": ("output_size",),
    "paddings": ("padding",),
    "strides": ("stride",),
}
_ADDING = {"value": ("source",)}

#: Function or class -> the same, for what it alone takes.
SPECIAL: dict[str, dict[str, tuple[str, ...]]] = {
    "Fold": _UNFOLDING,
    "Hardshrink": _SHRINKING,
    "LayerDict": _SUBLAYERS,
    "LayerList": _SUBLAYERS,
    "Softshrink": _SHRINKING,
    "bmm": {"y": ("mat2",)},
    "bucketize": {"sorted_sequence": ("boundaries",)},
    "cat": _JOINING,
    "concat": _JOINING,
    "concatenate": _JOINING,
    "cross_entropy": {"label": ("target",)},
    "diagonal": {"axis1": ("dim1",), "axis2": ("dim2",)},
    "dot": {"y": ("tensor",)},
    "exponential_": {"lam": ("lambd",)},
    "eye": {"num_columns": ("m",), "num_rows": ("n",)},
    "finfo": {"dtype": ("type",)},
    "fold": _UNFOLDING,
    "ger": _OUTER,
    "hardshrink": _SHRINKING,
    "index_add": _ADDING,
    "index_add_": _ADDING,
    "is_tensor": {"x": ("obj",)},
    "isin": {"test_x": ("test_elements",), "x": ("elements",)},
    "linspace": {"num": ("steps",), "stop": ("end",)},
    "norm": {"p": ("ord",), "x": ("A",)},
    "outer": _OUTER,
    "pairwise_distance": {"x": ("x1",), "y": ("x2",)},
    "pow": {"y": ("exponent",)},
    "roll": {"axis": ("dims",)},
    "searchsorted": {"values": ("input",)},
    "softshrink": _SHRINKING,
    "solve": {"x": ("A",), "y": ("B",)},
    "stack": _JOINING,
    "swapaxes": {"axis0": ("dim0",), "axis1": ("dim1",)},
    "take_along_axis": {"arr": ("input",)},
    "take_along_dim": {"arr": ("input",)},
    "tensor_split": _SPLITTING,
    "tile": {"repeat_times": ("dims",)},
    # `transpose(x, i, j)` exchanges two axes; the second one stands where `name` does.
    "transpose": {"name": ("dim1", "axis1"), "perm": ("dim0", "axis0")},
    "uniform_": {"max": ("to",)},
    "vector_norm": {"p": ("ord",)},
    "view": {"shape_or_dtype": ("size", "dtype")},
}

_EXTREME = ("dim", "input", "other")
_WINDOW = ("dilation", "kernel_size", "padding", "stride")

#: Function or class -> PyTorch's keywords of it. They mean another result (values with indices,
#: sizes of parts instead of their number), which the room `compat` has; here they are refused.
ELSEWHERE: dict[str, tuple[str, ...]] = {
    "Linear": ("bias", "device", "dtype"),
    "Unfold": _WINDOW,
    "max": _EXTREME,
    "min": _EXTREME,
    "sort": ("dim", "input"),
    "split": ("dim", "split_size", "split_size_or_sections", "tensor"),
    "unfold": _WINDOW,
}
#: Keywords that losses have given up: they said in two parts what `reduction` says.
RETIRED = ("size_average", "reduce")
#: Function -> what a call in second spellings has for defaults of its own.
DEFAULTS: dict[str, dict[str, Any]] = {"median": {"mode": "min"}, "nanmedian": {"mode": "min"}}


def spellings(function: str, parameters: Iterable[str]) -> dict[str, str]:
    """Returns second spelling -> parameter, for a function with these parameters.

    A name that is a parameter itself is no second spelling of another one; one that `ELSEWHERE`
    lists leads to no parameter, but to the room `compat`.

    Args:
        function: name of the function or class.
        parameters: names of its parameters.
    """
    own, special = list(parameters), SPECIAL.get(function, {})
    found = {
        other: name
        for name in own
        for other in (*GENERAL.get(name, ()), *special.get(name, ()))
        if other not in own
    }
    return found | dict.fromkeys(ELSEWHERE.get(function, ()), "")


def _called(function: Callable[..., Any]) -> str:
    """The name that a user calls: of a class, where the function is its `__init__`."""
    is_constructor = function.__name__ == "__init__"
    return function.__qualname__.rpartition(".")[0] if is_constructor else function.__name__


def respell(function: str, others: dict[str, str], given: dict[str, Any]) -> dict[str, Any]:
    """Returns keyword arguments under the first spellings.

    Args:
        function: name of the function, for the message.
        others: second spelling -> parameter.
        given: keyword arguments.

    Raises:
        InvalidArgumentError: an argument is there under both names.
        InvalidTypeError: one that only the function of `compat` takes.
    """
    found: dict[str, Any] = {}
    for spelling, value in given.items():
        name = others.get(spelling, spelling)
        if not name:
            raise InvalidTypeError(
                f"`{function}` is given `{spelling}`, a keyword of PyTorch's `{function}`",
                expected="Paddle's keywords; the results differ, too",
                fix=f"see `proa.compat` for a `{function}` with PyTorch's arguments and results",
            )
        if name in found or (name != spelling and name in given):
            taken = " and ".join(f"`{each}`" for each in given if others.get(each, each) == name)
            raise InvalidArgumentError(
                f"`{function}` is given {taken}, which are one argument",
                expected=f"one of them; `{name}` is its first name",
                fix=f"leave the others out: {function}({name}=...)",
            )
        found[name] = value
    if others.keys() & given.keys():
        for name, value in DEFAULTS.get(function, {}).items():
            found.setdefault(name, value)
    return found


def given_arguments(
    function: Callable[..., Any],
    signature: inspect.Signature,
    others: dict[str, str],
    arguments: dict[str, Any],
) -> dict[str, Any]:
    """Returns what a call was given, in the first spelling.

    Args:
        function: what was called.
        signature: the visible one.
        others: second spelling -> parameter.
        arguments: all arguments; what was not given is `ABSENT` or has its default.

    Raises:
        InvalidArgumentError: an argument is there under both names.
    """
    defaults = signature.parameters
    given = {
        name: value
        for name, value in arguments.items()
        if value is not ABSENT and (name not in defaults or value is not defaults[name].default)
    }
    return respell(_called(function), others, given)


def bind(
    signature: inspect.Signature, called: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> inspect.BoundArguments:
    """Sorts arguments by the parameters of a function.

    Args:
        signature: the function's.
        called: its name.
        args: positional arguments.
        kwargs: keyword arguments.

    Raises:
        TypeError: one is unknown, missing or too many, in Python's own words, which are the
            best there are; like Python's call, and unlike `inspect`, it tells unknown ones first.
    """
    parameters = signature.parameters
    if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        for unknown in kwargs.keys() - parameters.keys():
            raise TypeError(f"{called}() got an unexpected keyword argument {unknown!r}")
    try:
        return signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{called}(): {error}") from None


def call_respelled(
    function: Callable[..., Any],
    strict: Callable[..., Any],
    others: dict[str, str],
    arguments: dict[str, Any],
) -> Any:
    """Calls a function once more, in the first spelling.

    Args:
        function: what was called.
        strict: a function with the visible signature, which tells what is missing.
        others: second spelling -> parameter.
        arguments: all arguments.

    Raises:
        TypeError: an argument is missing.
        InvalidArgumentError: an argument is there under both names.
    """
    signature = inspect.signature(strict)
    found = given_arguments(function, signature, others, arguments)
    bind(signature, _called(function), (), found)
    return function(**found)


def call_in_other_order(
    function: Callable[..., Any],
    strict: Callable[..., Any],
    others: dict[str, str],
    arguments: dict[str, Any],
) -> Any:
    """Calls what the op's record names for the second order of its arguments."""
    given = given_arguments(function, inspect.signature(strict), others, arguments)
    return function.op.facts.other_order.call(**given)  # type: ignore[attr-defined]


def respelled_keywords(
    signature: inspect.Signature, called: str, kwargs: dict[str, Any]
) -> dict[str, Any] | None:
    """Returns the keyword arguments in the first spelling; `None` where they are in it already.

    Args:
        signature: of the function they are for.
        called: its name.
        kwargs: keyword arguments of a call that failed.

    Raises:
        InvalidArgumentError: an argument is there under both names, or was given up.
    """
    parameters = signature.parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return None
    _refuse_retired(called, parameters, kwargs)
    others = spellings(called, parameters)
    return respell(called, others, kwargs) if others.keys() & kwargs.keys() else None


def _refuse_retired(called: str, parameters: Iterable[str], kwargs: dict[str, Any]) -> None:
    given = [name for name in RETIRED if name in kwargs and name not in parameters]
    if not given or "reduction" not in parameters:
        return
    total = "sum" if kwargs.get("size_average") is False else "mean"
    wanted = "none" if kwargs.get("reduce") is False else total
    raise InvalidArgumentError(
        f"`{called}` is given " + ", ".join(f"{name}={kwargs[name]!r}" for name in given),
        expected="`reduction`, which took their place",
        fix=f"write {called}(reduction={wanted!r})",
    )


def dividing_line(required: Iterable[str], others: Iterable[str]) -> str:
    """The condition, as source, under which a call is made again in the first spelling.

    One comparison for each parameter costs a few nanoseconds, `**kwargs` ten times that.

    Args:
        required: parameters without a default; they stand at `_absent` until given.
        others: second spellings.
    """
    tests = [f"{name} is _absent" for name in required]
    tests += [f"{spelling} is not _absent" for spelling in others]
    again = "_call_respelled(_function, _strict, _others, locals())"
    return f"    if {' or '.join(tests)}:\n        return {again}\n"


def respelled(function: F) -> F:
    """Lets a plain function, or the constructor of a class, take second spellings.

    For an `__init__`, the table is asked for the name of the class.
    """
    parameters = inspect.signature(function).parameters
    others = spellings(_called(function), parameters)
    head: dict[bool, list[str]] = {False: [], True: []}
    passed, namespace = [], {}
    for key, p in parameters.items():
        is_keyword = p.kind is p.KEYWORD_ONLY
        namespace[f"_default_{key}"] = ABSENT if p.default is p.empty else p.default
        head[is_keyword].append(f"{key}=_default_{key}")
        passed.append(f"{key}={key}" if is_keyword else key)
    head[False] += [f"{spelling}=_absent" for spelling in others]
    line = ", ".join(head[False] + ["*", *head[True]] * bool(head[True]))
    required = [key for key, p in parameters.items() if p.default is p.empty]
    source = f"def call({line}):\n{dividing_line(required, others)}"
    namespace.update(_absent=ABSENT, _call=function, _call_respelled=call_respelled)
    exec(f"{source}    return _call({', '.join(passed)})", namespace)
    made = functools.update_wrapper(namespace["call"], function)
    namespace.update(_function=made, _others=others, _strict=function)
    return made  # type: ignore[return-value]
