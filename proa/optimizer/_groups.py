"""Reading what a user gives as `parameters`: a list of tensors, or of groups with options."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from proa.core._errors import InvalidArgumentError, InvalidTypeError
from proa.core._tensor import Tensor
from proa.nn._clip import ClipGradBase
from proa.regularizer._decay import L2Decay, WeightDecayRegularizer

#: Entries that every group may have.
COMMON_OPTIONS = frozenset({"params", "learning_rate", "weight_decay", "grad_clip"})


def read_groups(owner: str, parameters: Any, known: Iterable[str]) -> list[dict[str, Any]]:
    """Returns the parameter groups; a plain list is one group without options.

    Args:
        owner: name of the optimizer's class, for messages.
        parameters: what the user gave.
        known: names of the options that the optimizer's groups may have.

    Raises:
        InvalidTypeError: not a list of tensors or of groups.
        InvalidArgumentError: an unknown option, or a parameter in two groups.
    """
    if parameters is None:
        raise InvalidArgumentError(
            f"{owner}: `parameters` is None",
            expected="the tensors to update",
            fix="pass `parameters=model.parameters()`",
        )
    if isinstance(parameters, Tensor | Mapping | str) or not isinstance(parameters, Iterable):
        raise InvalidTypeError(
            f"{owner}: `parameters` is a {type(parameters).__name__}",
            expected="a list of tensors, or a list of groups (dicts)",
            fix="put it into a list",
        )
    given = list(parameters)
    if not any(isinstance(each, Mapping) for each in given):
        return [{"params": read_tensors(owner, given)}]
    groups = []
    for number, group in enumerate(given):
        groups.append(read_group(owner, number, group, known))
    seen: set[int] = set()
    for number, group in enumerate(groups):
        for param in group["params"]:
            if id(param) in seen:
                raise InvalidArgumentError(
                    f"{owner}: parameter {param.name!r} of group {number} is in an earlier "
                    "group as well",
                    expected="each parameter in one group",
                    fix="take it out of one of the two",
                )
            seen.add(id(param))
    return groups


def read_group(owner: str, number: int, group: Any, known: Iterable[str]) -> dict[str, Any]:
    """Returns a group with its tensors as a list.

    Raises:
        InvalidTypeError: not a dict.
        InvalidArgumentError: no `params`, or an unknown option.
    """
    if not isinstance(group, Mapping):
        raise InvalidTypeError(
            f"{owner}: entry {number} of `parameters` is a {type(group).__name__}",
            expected="groups (dicts) only, or tensors only",
            fix="put the tensor into a group: {'params': [tensor]}",
        )
    allowed = COMMON_OPTIONS.union(known)
    unknown = sorted(set(group) - allowed)
    if "params" not in group or unknown:
        names = ", ".join(map(repr, unknown)) if unknown else "no 'params'"
        raise InvalidArgumentError(
            f"{owner}: group {number} has {names}",
            expected=f"'params' and options out of {', '.join(sorted(allowed - {'params'}))}",
            fix="correct the group's keys",
        )
    params = group["params"]
    params = [params] if isinstance(params, Tensor) else params
    return {**group, "params": read_tensors(owner, params)}


def read_tensors(owner: str, given: Iterable[Any]) -> list[Tensor]:
    """Returns the tensors, each once.

    Raises:
        InvalidTypeError: something else than a tensor.
        InvalidArgumentError: a tensor that was computed, so that no step can change it.
    """
    tensors: dict[int, Tensor] = {}
    repeated = 0
    for number, each in enumerate(given):
        if not isinstance(each, Tensor):
            raise InvalidTypeError(
                f"{owner}: parameter {number} is a {type(each).__name__}",
                expected="a Tensor",
                fix="pass `parameters=model.parameters()`",
            )
        if not each.is_leaf:
            raise InvalidArgumentError(
                f"{owner}: parameter {number}, shape {each.shape}, is the result of an operation",
                expected="tensors that were made directly, as the parameters of a Layer are",
                fix="optimize the tensor that it was computed from, or its `detach()`",
            )
        repeated += id(each) in tensors
        tensors[id(each)] = each
    if repeated:
        warnings.warn(
            f"{owner}: {repeated} parameters are given more than once; each is updated once a step",
            stacklevel=5,
        )
    return list(tensors.values())


def read_clip(owner: str, clip: Any) -> ClipGradBase | None:
    """Returns the clip.

    Raises:
        InvalidTypeError: not a clip.
    """
    if clip is None or isinstance(clip, ClipGradBase):
        return clip
    raise InvalidTypeError(
        f"{owner}: `grad_clip` is a {type(clip).__name__}, {clip!r}",
        expected="a ClipGradByValue, ClipGradByNorm or ClipGradByGlobalNorm",
        fix="for example `grad_clip=proa.nn.ClipGradByGlobalNorm(1.0)`",
    )


def read_weight_decay(owner: str, decay: Any) -> Any:
    """Returns the regularizer that a `weight_decay` stands for, or `None`.

    Raises:
        InvalidTypeError: neither a number nor a regularizer.
    """
    if decay is None or isinstance(decay, WeightDecayRegularizer):
        return decay
    if isinstance(decay, int | float | Tensor) and not isinstance(decay, bool):
        return L2Decay(float(decay))
    raise InvalidTypeError(
        f"{owner}: `weight_decay` is a {type(decay).__name__}, {decay!r}",
        expected="a number (L2), or L1Decay or L2Decay of proa.regularizer",
        fix="give the strength as a float, for example 1e-4",
    )


def read_decay_rate(owner: str, name: str, decay: Any) -> float:
    """Returns a decoupled weight decay, which is a number and nothing else.

    Raises:
        InvalidTypeError: not a number.
    """
    if isinstance(decay, int | float | Tensor) and not isinstance(decay, bool):
        return float(decay)
    raise InvalidTypeError(
        f"{owner}: `{name}` is a {type(decay).__name__}, {decay!r}",
        expected="a number: the decay per step, relative to the learning rate",
        fix=f"give `{name}` as a float, for example 0.01 (0.0 for none)",
    )


def read_number(owner: str, name: str, value: Any, low: float, below: float | None = None) -> float:
    """Returns a hyperparameter as a float.

    Args:
        owner: name of the optimizer's class.
        name: name of the hyperparameter.
        value: a number or a Tensor with one element.
        low: smallest allowed value.
        below: what it must be smaller than, if anything.

    Raises:
        InvalidTypeError: not a number.
        InvalidArgumentError: out of range.
    """
    if not isinstance(value, int | float | Tensor) or isinstance(value, bool):
        raise InvalidTypeError(
            f"{owner}: `{name}` is a {type(value).__name__}, {value!r}",
            expected="a number",
            fix=f"give `{name}` as a float",
        )
    number = float(value)
    if number >= low and (below is None or number < below):
        return number
    span = f"a number from {low}" + ("" if below is None else f" to below {below}")
    raise InvalidArgumentError(
        f"{owner}: `{name}` is {number}", expected=span, fix=f"change `{name}`"
    )
