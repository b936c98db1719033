"""Batches: where they come from, and which parts of one are inputs and which labels."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from proa.core import InvalidArgumentError, InvalidTypeError, Tensor, to_tensor
from proa.io import DataLoader, Dataset, IterableDataset

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def make_loader(
    data: Any,
    argument: str,
    *,
    batch_size: int,
    shuffle: bool = False,
    drop_last: bool = False,
    num_workers: int = 0,
) -> Any:
    """Returns what gives the batches: a loader over a Dataset, or what was given.

    Raises:
        InvalidTypeError: neither a Dataset nor something that gives batches.
    """
    if isinstance(data, Dataset):
        is_stream = isinstance(data, IterableDataset)
        return DataLoader(
            data,
            batch_size=batch_size,
            shuffle=shuffle and not is_stream,
            drop_last=drop_last,
            num_workers=num_workers,
            persistent_workers=num_workers > 0,
        )
    if isinstance(data, Iterable) and not isinstance(data, Tensor | np.ndarray | str | dict):
        return data
    raise InvalidTypeError(
        f"`{argument}` is a {type(data).__name__}",
        expected="a proa.io.Dataset, a DataLoader, or another iterable over batches",
        fix="wrap arrays: proa.io.TensorDataset([x, y])",
    )


def num_batches(loader: Any) -> int | None:
    """Returns the number of batches of an epoch, `None` when it is not known."""
    try:
        return len(loader)
    except (TypeError, NotImplementedError):
        return None


def split_sizes(batch_size: Any) -> tuple[int, int]:
    """Returns the batch sizes of training and evaluation."""
    if isinstance(batch_size, list | tuple):
        if len(batch_size) != 2:
            raise InvalidArgumentError(
                f"`batch_size` is {batch_size!r}",
                expected="one number, or a list of two: for training and for evaluation",
                fix="pass for example batch_size=[64, 256]",
            )
        return batch_size[0], batch_size[1]
    return batch_size, batch_size


def flatten(value: Any) -> list[Any]:
    """Returns the parts of a batch in order, as Tensors where they are arrays."""
    if value is None:
        return []
    if isinstance(value, list | tuple):
        return [part for each in value for part in flatten(each)]
    if isinstance(value, dict):
        return [part for each in value.values() for part in flatten(each)]
    if isinstance(value, np.ndarray | np.generic | int | float):
        return [to_tensor(value)]
    return [value]


def num_samples(inputs: Sequence[Any]) -> int:
    """Returns the number of samples of a batch: the length of its first input."""
    for each in inputs:
        if isinstance(each, Tensor) and each.shape:
            return int(each.shape[0])
    return 1


class Splitter:
    """Knows how many parts of a batch a network takes; the others are labels.

    Args:
        forward: the network's `forward`.
        inputs: specs of the inputs, if the user gave them.
        labels: specs of the labels, if the user gave them.
    """

    def __init__(self, forward: Any, inputs: Any, labels: Any) -> None:
        self.num_inputs = len(inputs) if inputs else None
        self.num_labels = len(labels) if labels else None
        self.names, self.required, self.limit = _parameters(forward)
        self._seen: int | None = None

    def split(self, batch: Any, *, has_labels: bool) -> tuple[list[Any], list[Any]]:
        """Splits a batch into inputs and labels.

        Args:
            batch: a Tensor, a list of parts, or a dict. The entries of a dict whose names are
                parameters of `forward` are inputs.
            has_labels: whether labels are wanted; else the parts that are no inputs are left
                out.

        Raises:
            InvalidArgumentError: the batch has too few parts.
        """
        if isinstance(batch, dict) and set(batch) & set(self.names):
            inputs = [part for n in self.names if n in batch for part in flatten(batch[n])]
            labels = [flatten(v) for name, v in batch.items() if name not in self.names]
            return inputs, [part for parts in labels for part in parts] if has_labels else []
        parts = flatten(batch)
        count = self._count(len(parts), has_labels)
        if len(parts) < count:
            raise InvalidArgumentError(
                f"a batch has {len(parts)} part{'s' if len(parts) != 1 else ''}",
                expected=f"at least {count}: the network takes {', '.join(self.names[:count])}",
                fix="let the dataset return (input, ..., label), or pass inputs=[InputSpec(...)]"
                " to Model",
            )
        if has_labels:
            self._seen = count
        return parts[:count], parts[count:] if has_labels else []

    def _count(self, length: int, has_labels: bool) -> int:
        if self.num_inputs is not None:
            return self.num_inputs
        if self.num_labels is not None and has_labels:
            return max(length - self.num_labels, 1)
        if not has_labels and self._seen is not None:
            return self._seen
        most = length - 1 if has_labels else length
        if self.limit is not None:
            most = min(most, self.limit)
        return max(most, self.required)


def _parameters(forward: Any) -> tuple[list[str], int, int | None]:
    """Returns the names of the positional parameters, how many are required, and the limit."""
    try:
        parameters = list(inspect.signature(forward).parameters.values())
    except (TypeError, ValueError):
        return [], 1, None
    positional = [p for p in parameters if p.kind in _POSITIONAL]
    required = sum(p.default is inspect.Parameter.empty for p in positional)
    is_open = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters)
    return [p.name for p in positional], required, None if is_open else len(positional)
