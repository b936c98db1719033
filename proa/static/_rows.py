"""Rows of variable-length sequences: values with offsets, and where a Program keeps those."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from proa.core import (
    DenseTensor,
    InvalidArgumentError,
    Tensor,
    context,
    to_tensor,
)
from proa.program import Value


def create_lod_tensor(data: Any, recursive_seq_lens: Any, place: Any = None) -> DenseTensor:
    """Returns rows that are divided into sequences, to be fed to a Program.

    Args:
        data (ndarray | list | DenseTensor): the rows, [rows, ...]; or a list of a list of
            integers for each sequence, which become rows of one integer.
        recursive_seq_lens (list[list[int]]): lengths of the sequences; with several levels
            those before the last count sequences of the next one.
        place (Place, optional): kept for Paddle's signature.

    Raises:
        InvalidArgumentError: the lengths do not divide the rows.

    Examples:
        >>> from proa.static import create_lod_tensor
        >>> rows = create_lod_tensor([[1, 2], [3, 4, 5]], [[2, 3]])
        >>> rows.lod()
        [[0, 2, 5]]
    """
    if isinstance(data, list):
        if [len(each) for each in data] != list(recursive_seq_lens[-1]):
            raise _not_divided(recursive_seq_lens, f"sequences of {[len(each) for each in data]}")
        data = np.array([number for each in data for number in each], "int64")[:, None]
    made = DenseTensor()
    made.set(np.array(data))
    made.set_recursive_sequence_lengths(recursive_seq_lens)
    if not made.has_valid_recursive_sequence_lengths():
        raise _not_divided(recursive_seq_lens, f"{made.shape()[0]} rows")
    return made


def _not_divided(lengths: Any, what: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"lengths {lengths} for {what}",
        expected="lengths that sum up to the rows, and on other levels to the next one's count",
        fix="pass [[length of each sequence]]",
    )


def create_random_int_lodtensor(
    recursive_seq_lens: Any, base_shape: Sequence[int], place: Any, low: int, high: int
) -> DenseTensor:
    """Returns random integers from `low` to `high` as rows that are divided into sequences.

    Args:
        recursive_seq_lens (list[list[int]]): lengths of the sequences.
        base_shape (list): shape of one row.
        place (Place): kept for Paddle's signature.
        low (int): the least integer.
        high (int): the largest one.
    """
    rows = sum(recursive_seq_lens[-1])
    drawn = np.random.randint(low, high + 1, [rows, *base_shape]).astype("int64")
    return create_lod_tensor(drawn, recursive_seq_lens, place)


def offsets_name(name: str, level: Any) -> str:
    """Returns the name of the input that holds the offsets of a level.

    Args:
        name: name of the input with the rows.
        level: number of the level.
    """
    return f"{name}@LOD{level}"


def with_offsets(feed: Mapping[str, Any], inputs: Collection[str]) -> dict[str, Any]:
    """Returns a feed in which the offsets of rows stand beside them.

    Args:
        feed: values by name.
        inputs: names of the Program's inputs. Offsets of an input without any are left out.

    Raises:
        InvalidArgumentError: rows with another number of levels than their input has.
    """
    made = dict(feed)
    for name, value in feed.items():
        levels = value.lod() if isinstance(value, DenseTensor) else []
        if levels and not value.has_valid_recursive_sequence_lengths():
            raise _not_divided(value.recursive_sequence_lengths(), f"{value.shape()} of {name!r}")
        declared = sum(each.startswith(offsets_name(name, "")) for each in inputs)
        if levels and declared and len(levels) != declared:
            raise InvalidArgumentError(
                f"`feed` of {name!r} has {len(levels)} levels of sequences",
                expected=f"{declared}, the input's lod_level",
                fix=f"build the Program with static.data({name!r}, ..., lod_level={len(levels)})",
            )
        for level, offsets in enumerate(levels if declared else ()):
            made[offsets_name(name, level)] = np.asarray(offsets, "int64")
    return made


def read_rows(x: Any, owner: str) -> tuple[Tensor, list[Tensor]]:
    """Returns rows as a Tensor, and the offsets of their levels.

    A tensor of a Program has the offsets of what it was computed from, row by row.

    Args:
        x: a Tensor of a Program, or a DenseTensor with offsets.
        owner: the function that asks.

    Raises:
        InvalidArgumentError: there are no offsets.
    """
    if isinstance(x, DenseTensor):
        if x.lod():
            return x.tensor, [to_tensor(np.asarray(level, "int64")) for level in x.lod()]
    elif getattr(x, "_rows", None):
        return x, x._rows
    elif context.recorder is not None and isinstance(x._data, Value):
        found = _find(context.recorder, x._data)
        if found:
            return x, found
    raise InvalidArgumentError(
        f"{owner}: the rows are not divided into sequences",
        expected="static.data(..., lod_level=1) and what is computed from it row by row, or the "
        "result of create_lod_tensor",
        fix="give the input a lod_level, and feed create_lod_tensor(rows, [lengths])",
    )


def _find(recorder: Any, value: Value) -> list[Tensor] | None:
    makers = {v: call for call in recorder.calls for v in call.outputs}
    waiting, seen = [value], {value}
    while waiting:
        now = waiting.pop(0)
        if now in recorder.rows:
            return recorder.rows[now]
        call = makers.get(now)
        for given in () if call is None else call.inputs:
            # What has as many rows is divided as they are.
            if given not in seen and given.shape[:1] == value.shape[:1]:
                seen.add(given)
                waiting.append(given)
    return None


def keep_rows(t: Tensor, offsets: list[Tensor]) -> Tensor:
    """Notes how the rows of a new tensor are divided; returns it.

    Args:
        t: the tensor.
        offsets: the offsets of its levels.
    """
    rows = getattr(context.recorder, "rows", None)
    if rows is not None and offsets and isinstance(t._data, Value):
        rows[t._data] = offsets
    elif offsets:
        t._rows = offsets  # type: ignore[attr-defined]
    return t
