"""The position of a loader in its data: what is saved, and the check of what is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from proa.core import InvalidArgumentError, InvalidTypeError

_VERSION = 1
_COUNTS = ("version", "epoch", "batches", "seed")
_SIZES = {
    "dataset_length": "samples in the dataset",
    "epoch_batches": "batches in an epoch",
}


@dataclass(frozen=True)
class Position:
    """Where a loader stands.

    Attributes:
        epoch: number of the epoch, from 0.
        batches: batches of the epoch that were handed out.
        seed: the run's seed.
        dataset_length: number of samples, `None` for a stream.
        epoch_batches: number of batches of an epoch, `None` when not known.
    """

    epoch: int
    batches: int
    seed: int
    dataset_length: int | None
    epoch_batches: int | None

    def as_state(self) -> dict[str, Any]:
        """Returns the position as a dict that JSON can hold."""
        return {"version": _VERSION, **asdict(self)}


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def read_position(state: Any, current: Position) -> Position:
    """Checks a saved position against a loader.

    Args:
        state: what `DataLoader.state_dict` returned.
        current: the position of the loader that loads it.

    Raises:
        InvalidTypeError: not a dict.
        InvalidArgumentError: fields that are missing, unknown, out of range or of another
            version, or a dataset or batch size that differs.
    """
    fix = "pass what state_dict() of the same loader returned"
    if not isinstance(state, Mapping):
        raise InvalidTypeError(
            f"the state of a DataLoader is a {type(state).__name__}", expected="a dict", fix=fix
        )
    wanted = [*_COUNTS, *_SIZES]
    if set(state) != set(wanted):
        missing = [name for name in wanted if name not in state]
        unknown = [str(name) for name in state if name not in wanted]
        raise InvalidArgumentError(
            f"the state of a DataLoader lacks {missing} and has the unknown fields {unknown}",
            expected="the fields " + ", ".join(wanted),
            fix=fix,
        )
    for name in wanted:
        optional = name in _SIZES and state[name] is None
        if not optional and not _is_count(state[name]):
            raise InvalidArgumentError(
                f"`{name}` of the state of a DataLoader is {state[name]!r}",
                expected="an integer >= 0",
                fix=fix,
            )
    if state["version"] != _VERSION:
        raise InvalidArgumentError(
            f"the state of a DataLoader has version {state['version']}",
            expected=f"version {_VERSION}",
            fix="load it with the release of Proa that saved it, or start the epoch anew",
        )
    position = Position(**{name: state[name] for name in wanted if name != "version"})
    _check_sizes(position, current)
    return position


def _check_sizes(saved: Position, current: Position) -> None:
    for name, text in _SIZES.items():
        before, now = getattr(saved, name), getattr(current, name)
        if before != now:
            raise InvalidArgumentError(
                f"the state was saved with {before} {text}, and this loader has {now}",
                expected="the same dataset, batch size and drop_last: else the position means "
                "other samples",
                fix="build the loader as in the saved run, or start the next epoch with "
                f"set_epoch({saved.epoch + 1})",
            )
    if saved.epoch_batches is not None and saved.batches > saved.epoch_batches:
        raise InvalidArgumentError(
            f"`batches` of the state is {saved.batches} in an epoch of {saved.epoch_batches}",
            expected="at most the number of batches of an epoch",
            fix="pass what state_dict() of the same loader returned",
        )
