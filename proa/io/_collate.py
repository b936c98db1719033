"""Putting samples together to a batch. All in NumPy: worker processes do it as well."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    Tensor,
    aligned_empty,
    host_values,
    to_tensor,
)

#: Returns an array of a shape and a dtype for a field of the batch.
Allocate = Callable[[tuple[int, ...], np.dtype], np.ndarray]

_NUMBERS = (bool, int, float, complex, np.number, np.bool_)


def default_collate_fn(batch: Sequence[Any]) -> Any:
    """Puts samples together to a batch, field by field.

    Arrays and Tensors of one field are stacked along a new first axis, numbers become a 1-d
    array (int64, float64, bool, complex128 for Python's; NumPy's keep their dtype), strings and
    bytes a list. Mappings and sequences are followed: the batch of tuples is a list of fields.

    Args:
        batch: the samples; not empty.

    Returns:
        The same structure as one sample with arrays of shape `[len(batch), ...]` as leaves.
        NumPy arrays for arrays and numbers, a Tensor where the samples held Tensors.

    Raises:
        InvalidArgumentError: an empty batch, or samples whose shapes, keys or numbers of fields
            differ.
        InvalidTypeError: a leaf that is neither array, number nor string.

    Examples:
        >>> import numpy
        >>> import proa.io
        >>> batch = proa.io.default_collate_fn([(numpy.zeros(2), 1), (numpy.ones(2), 5)])
        >>> batch[0].shape, batch[1].tolist()
        ((2, 2), [1, 5])
    """
    samples = list(batch)
    if not samples:
        raise InvalidArgumentError(
            "`batch` is empty", expected="at least one sample", fix="check the batch sampler"
        )
    return _with_tensors(collate(samples, list(range(len(samples)))), samples[0])


def _with_tensors(batch: Any, sample: Any) -> Any:
    if isinstance(sample, Tensor):
        return to_tensor(batch)
    if isinstance(batch, dict):
        return {key: _with_tensors(value, sample[key]) for key, value in batch.items()}
    if isinstance(batch, list) and not isinstance(sample, str | bytes):
        return [_with_tensors(value, part) for value, part in zip(batch, sample, strict=True)]
    return batch


def collate(
    samples: list[Any], keys: Sequence[Any], path: str = "", allocate: Allocate = aligned_empty
) -> Any:
    """Does the work of `default_collate_fn`.

    Args:
        samples: the samples.
        keys: what they are called in messages.
        path: the field of the sample that they are.
        allocate: makes the arrays into which samples are stacked.
    """
    first = samples[0]
    if isinstance(first, Tensor | np.ndarray) or (
        hasattr(first, "__array__") and not isinstance(first, _NUMBERS)
    ):
        return _stack(samples, keys, path, allocate)
    if isinstance(first, _NUMBERS):
        return _numbers(samples, keys, path)
    if isinstance(first, str | bytes):
        _check_alike(samples, keys, path, (str, bytes))
        return samples
    if isinstance(first, Mapping):
        _check_alike(samples, keys, path, Mapping)
        _check_fields([list(sample) for sample in samples], keys, path, as_set=True)
        return {
            name: collate([sample[name] for sample in samples], keys, f"{path}[{name!r}]", allocate)
            for name in first
        }
    if isinstance(first, Sequence):
        _check_alike(samples, keys, path, Sequence)
        _check_fields([list(range(len(sample))) for sample in samples], keys, path, as_set=False)
        columns = zip(*samples, strict=True)
        return [collate(list(c), keys, f"{path}[{at}]", allocate) for at, c in enumerate(columns)]
    raise InvalidTypeError(
        f"{_field(path)} of sample {keys[0]!r} is a {type(first).__name__}",
        expected="an array, a Tensor, a number, a string, or a dict, list or tuple of them",
        fix="convert it in __getitem__ (images: numpy.asarray(image)), or pass a collate_fn",
    )


def _field(path: str) -> str:
    return f"field {path}" if path else "the sample itself"


def _stack(samples: list[Any], keys: Sequence[Any], path: str, allocate: Allocate) -> np.ndarray:
    arrays = [host_values(s) if isinstance(s, Tensor) else np.asarray(s) for s in samples]
    shape = arrays[0].shape
    for key, array in zip(keys, arrays, strict=True):
        if array.shape != shape:
            raise InvalidArgumentError(
                f"{_field(path)} has shape {list(shape)} in sample {keys[0]!r} and shape "
                f"{list(array.shape)} in sample {key!r}",
                expected="the same shape in all samples of a batch",
                fix="pad, crop or resize in __getitem__, or pass a collate_fn that pads",
            )
    dtype = np.result_type(*dict.fromkeys(array.dtype for array in arrays))
    if dtype.hasobject or dtype.kind in "USV":
        return np.stack(arrays)
    return np.stack(arrays, out=allocate((len(arrays), *shape), dtype))


def _numbers(samples: list[Any], keys: Sequence[Any], path: str) -> np.ndarray:
    _check_alike(samples, keys, path, _NUMBERS)
    array = np.array(samples)
    if array.dtype.kind == "O":
        raise InvalidArgumentError(
            f"{_field(path)} holds an integer beyond 64 bits: {max(samples, key=abs)}",
            expected="integers that fit int64",
            fix="return it as a string, or as two numbers",
        )
    return array


def _check_alike(samples: list[Any], keys: Sequence[Any], path: str, kinds: Any) -> None:
    for key, sample in zip(keys, samples, strict=True):
        if not isinstance(sample, kinds):
            raise InvalidTypeError(
                f"{_field(path)} is a {type(samples[0]).__name__} in sample {keys[0]!r} and a "
                f"{type(sample).__name__} in sample {key!r}",
                expected="the same kind in all samples of a batch",
                fix="return the same structure from each call of __getitem__",
            )


def _check_fields(fields: list[list[Any]], keys: Sequence[Any], path: str, *, as_set: bool) -> None:
    wanted = set(fields[0]) if as_set else len(fields[0])
    for key, found in zip(keys, fields, strict=True):
        if (set(found) if as_set else len(found)) != wanted:
            described = [
                f"keys {f!r}" if as_set else f"{len(f)} fields" for f in (fields[0], found)
            ]
            raise InvalidArgumentError(
                f"{_field(path)} has {described[0]} in sample {keys[0]!r} and {described[1]} in "
                f"sample {key!r}",
                expected="the same fields in all samples of a batch",
                fix="return the same structure from each call of __getitem__",
            )


def default_convert_fn(batch: Any) -> Any:
    """Gives a single sample the form of a batch without an axis for it (`batch_size=None`).

    Args:
        batch: one sample.

    Returns:
        The sample, with dicts for mappings and lists for sequences; leaves are unchanged.

    Examples:
        >>> import proa.io
        >>> proa.io.default_convert_fn((1, {"a": "b"}))
        [1, {'a': 'b'}]
    """
    if isinstance(batch, str | bytes):
        return batch
    if isinstance(batch, Mapping):
        return {key: default_convert_fn(value) for key, value in batch.items()}
    if isinstance(batch, Sequence):
        return [default_convert_fn(value) for value in batch]
    return batch
