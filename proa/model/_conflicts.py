"""What must be as it was when a run goes on, and what differs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from proa.core import InvalidArgumentError, PreconditionError, Tensor
from proa.optimizer.lr import LRScheduler

#: What a user may let differ: the new setting then takes the saved one's place.
ACCEPTABLE = ("batch_size", "data", "learning_rate", "loss", "optimizer", "accumulate")


def describe_run(
    model: Any, tensors: Mapping[str, Tensor], loader: Any, accumulate: int
) -> dict[str, Any]:
    """Returns the settings of a run that its course depends on, as values that JSON can hold."""
    optimizer = model._optimizer
    return {
        "parameters": {
            name: [t.dtype.name, [int(extent) for extent in t.shape]] for name, t in tensors.items()
        },
        "optimizer": {"class": type(optimizer).__name__, **_plain_options(optimizer)},
        "learning_rate": _describe_rate(optimizer),
        "loss": _class_name(model._loss),
        "batch_size": _batch_size(loader),
        "data": _describe_data(loader),
        "accumulate": accumulate,
    }


def _plain_options(optimizer: Any) -> dict[str, Any]:
    options = getattr(optimizer, "_default_dict", {})
    return {k: v for k, v in sorted(options.items()) if isinstance(v, bool | int | float | str)}


def _describe_rate(optimizer: Any) -> Any:
    source = getattr(optimizer, "_learning_rate", None)
    if not isinstance(source, LRScheduler):
        return source
    moving = {*source.state_dict(), "keys", "verbose"}
    fixed = {
        name: value
        for name, value in sorted(vars(source).items())
        if name not in moving
        and not name.startswith("_")
        and isinstance(value, bool | int | float | str | list)
    }
    return {"class": type(source).__name__, **fixed}


def _class_name(value: Any) -> str | None:
    if value is None or isinstance(value, type):
        return None if value is None else value.__name__
    # A function by its name, an object by its class.
    return getattr(value, "__name__", type(value).__name__)


def _batch_size(loader: Any) -> int | None:
    sampler = getattr(loader, "batch_sampler", None)
    return getattr(sampler, "batch_size", getattr(loader, "batch_size", None))


def _describe_data(loader: Any) -> dict[str, Any]:
    dataset = getattr(loader, "dataset", None)
    try:
        length = None if dataset is None else len(dataset)
    except (TypeError, NotImplementedError):
        length = None
    sampler = getattr(loader, "batch_sampler", None)
    return {
        "class": _class_name(type(dataset)) if dataset is not None else None,
        "length": length,
        "drop_last": getattr(sampler, "drop_last", None),
        "shuffle": getattr(sampler, "shuffle", None),
    }


def _show(value: Any) -> str:
    if isinstance(value, dict) and "class" in value:
        rest = ", ".join(f"{k}={v}" for k, v in value.items() if k != "class" and v is not None)
        return f"{value['class']}({rest})"
    return repr(value)


def _parameter_lines(saved: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    lines = []
    for what, names in (
        ("missing here", [n for n in saved if n not in now]),
        ("not in the checkpoint", [n for n in now if n not in saved]),
    ):
        if names:
            shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
            lines.append(f"parameters: {len(names)} {what}: {shown}")
    for name in saved:
        if name in now and list(saved[name]) != list(now[name]):
            before, after = (f"{d}{s}" for d, s in (saved[name], now[name]))
            lines.append(f"parameters: {name} is {before} in the checkpoint, {after} now")
    if lines:
        lines[0] += f" ({len(saved)} in the checkpoint, {len(now)} now)"
    return lines


def check_conflicts(
    saved: Mapping[str, Any], now: Mapping[str, Any], accepted: Iterable[str]
) -> list[str]:
    """Compares the settings of a checkpoint with those of the run that is to go on from it.

    Args:
        saved: what `describe_run` gave for the checkpoint.
        now: what it gives now.
        accepted: names of the settings that may differ.

    Returns:
        The names of the accepted settings that do differ.

    Raises:
        InvalidArgumentError: a name in `accepted` is unknown.
        PreconditionError: others differ; the message lists all of them.
    """
    unknown = sorted(set(accepted) - set(ACCEPTABLE))
    if unknown:
        raise InvalidArgumentError(
            f"`accept_changes` has {', '.join(map(repr, unknown))}",
            expected=f"names out of {', '.join(ACCEPTABLE)}",
            fix="correct the name; parameters cannot differ",
        )
    lines = _parameter_lines(saved["parameters"], now["parameters"])
    is_fatal = bool(lines)
    differing, refused = [], []
    for name in ACCEPTABLE:
        if saved[name] == now[name]:
            continue
        differing.append(name)
        if name not in accepted:
            refused.append(name)
            lines.append(f"{name}: {_show(saved[name])} in the checkpoint, {_show(now[name])} now")
    if lines:
        how = "build the same network" if is_fatal else "set them as they were"
        accept = f", or pass accept_changes={refused} to go on with the new settings"
        raise PreconditionError(
            "the run differs from its checkpoint:\n    " + "\n    ".join(lines),
            expected="the settings of the run that wrote the checkpoint",
            fix=how + (accept if refused else ""),
        )
    return differing
