"""Layers over sequences of variable length, whose rows lie one after the other."""

from __future__ import annotations

from typing import Any

from proa import nn, ops
from proa.core import DenseTensor, InvalidArgumentError, Tensor, UnsupportedError, to_tensor

from .._rows import keep_rows, read_rows
from ._parts import activated
from ._sequence_ops import (
    POOLS,
    sequence_rows_pool,
    sequence_rows_repeat,
    sequence_rows_softmax,
    sequence_rows_window,
)


def sequence_pool(
    input: Any, pool_type: str, is_test: bool = False, pad_value: float = 0.0
) -> Tensor:
    """Returns one row for each sequence of rows.

    Args:
        input (Tensor | DenseTensor): rows in sequences, [rows, ...]; of several levels the last.
        pool_type (str): `sum`; `average`; `sqrt`: the sum by the root of the length; `max`;
            `first`; `last`.
        is_test (bool): kept for Paddle's signature.
        pad_value (float): fills the rows of empty sequences.

    Returns:
        Tensor: [sequences, ...]; it keeps the levels before the last.

    Raises:
        InvalidArgumentError: another type, or rows that are not divided.

    Examples:
        >>> import numpy, proa
        >>> main = proa.static.Program()
        >>> with proa.static.program_guard(main):
        ...     x = proa.static.data("x", [None, 1], lod_level=1)
        ...     y = proa.static.nn.sequence_pool(x, "sum")
        >>> rows = proa.static.create_lod_tensor(numpy.float32([[1], [2], [3]]), [[2, 1]])
        >>> proa.static.Executor().run(main, feed={"x": rows}, fetch_list=[y])[0].tolist()
        [[3.0], [3.0]]
    """
    kind = str(pool_type).lower()
    if kind not in POOLS:
        raise InvalidArgumentError(
            f"sequence_pool: `pool_type` is {pool_type!r}",
            expected=", ".join(POOLS),
            fix="use 'sum'",
        )
    x, levels = read_rows(input, "sequence_pool")
    made = sequence_rows_pool(x, levels[-1], to_tensor(pad_value, dtype="float32"), kind)
    return keep_rows(made, levels[:-1])


def sequence_first_step(input: Any) -> Tensor:
    """Returns the first row of each sequence.

    Args:
        input (Tensor | DenseTensor): rows in sequences.
    """
    return sequence_pool(input, "first")


def sequence_last_step(input: Any) -> Tensor:
    """Returns the last row of each sequence.

    Args:
        input (Tensor | DenseTensor): rows in sequences.
    """
    return sequence_pool(input, "last")


def sequence_softmax(input: Any, use_cudnn: bool = False, name: str | None = None) -> Tensor:
    """Softmax over the rows of each sequence.

    Args:
        input (Tensor | DenseTensor): rows of one element in sequences, [rows] or [rows, 1].
        use_cudnn (bool): kept for Paddle's signature.
        name (str, optional): kept for Paddle's signature.

    Raises:
        InvalidArgumentError: wider rows, or rows that are not divided.
    """
    x, levels = read_rows(input, "sequence_softmax")
    if len(x.shape) > 2 or (len(x.shape) == 2 and x.shape[1] != 1):
        raise InvalidArgumentError(
            f"sequence_softmax: rows of shape {x.shape[1:]}",
            expected="one element a row",
            fix="use nn.functional.softmax for the elements of a row",
        )
    return keep_rows(sequence_rows_softmax(x, levels[-1]), levels)


def sequence_conv(
    input: Any,
    num_filters: int,
    filter_size: int = 3,
    filter_stride: int = 1,
    padding: bool = True,
    padding_start: int | None = None,
    bias_attr: Any = None,
    param_attr: Any = None,
    act: str | None = None,
    name: str | None = None,
) -> Tensor:
    """A convolution along each sequence, with filters of its own; zeros stand beyond its ends.

    Args:
        input (Tensor | DenseTensor): rows in sequences, floating, [rows, D].
        num_filters (int): number of outputs.
        filter_size (int): rows that a filter sees.
        filter_stride (int): 1.
        padding (bool): kept for Paddle's signature, where it changes nothing either.
        padding_start (int, optional): the first row that a filter sees, from its own;
            `-(filter_size // 2)` by default.
        bias_attr (ParamAttr | bool, optional): how the bias is made; `False` for none.
        param_attr (ParamAttr, optional): how the filters are made, [filter_size * D, outputs].
        act (str, optional): name of a function of `nn.functional`.
        name (str, optional): kept for Paddle's signature.

    Returns:
        Tensor: rows in the same sequences, [rows, num_filters].

    Raises:
        InvalidArgumentError: another stride, or rows that are not divided.
    """
    if filter_stride != 1:
        raise InvalidArgumentError(
            f"sequence_conv: `filter_stride` is {filter_stride}", expected="1", fix="leave it out"
        )
    x, levels = read_rows(input, "sequence_conv")
    width = x.shape[1]
    start = -(filter_size // 2) if padding_start is None else padding_start
    holder = nn.Layer("sequence_conv")
    weight = holder.create_parameter([filter_size * width, num_filters], param_attr, x.dtype)
    windows = sequence_rows_window(x, levels[-1], start, filter_size)
    made: Any = ops.matmul(ops.flatten(windows, 1), weight)
    if bias_attr is not False:
        made = made + holder.create_parameter([num_filters], bias_attr, x.dtype, True)
    return keep_rows(activated(made, act), levels)


def row_conv(
    input: Any, future_context_size: int, param_attr: Any = None, act: str | None = None
) -> Tensor:
    """Adds following rows, each weighted element by element: `out[t] = sum_i x[t + i] * w[i]`.

    Args:
        input (Tensor | DenseTensor): [N, T, D], or rows in sequences, [rows, D].
        future_context_size (int): how many following rows count.
        param_attr (ParamAttr, optional): how w is made, [future_context_size + 1, D].
        act (str, optional): name of a function of `nn.functional`.

    References:
        Amodei et al.: Deep Speech 2, 2016, https://arxiv.org/abs/1512.02595
    """
    is_batch = not isinstance(input, DenseTensor) and len(input.shape) == 3
    x: Any = input
    levels: list[Tensor] = []
    if not is_batch:
        x, levels = read_rows(input, "row_conv")
    length = future_context_size + 1
    shape = [length, x.shape[-1]]
    weight: Any = nn.Layer("row_conv").create_parameter(shape, param_attr, x.dtype)
    if is_batch:
        padded: Any = nn.functional.pad(x, [0, future_context_size], data_format="NLC")
        steps = x.shape[1]
        made: Any = padded[:, :steps] * weight[0]
        for i in range(1, length):
            made = made + padded[:, i : i + steps] * weight[i]
    else:
        windows: Any = sequence_rows_window(x, levels[-1], 0, length)
        made = (windows * weight).sum(1)
    return keep_rows(activated(made, act), levels)


def sequence_expand(x: Any, y: Any, ref_level: int = -1, name: str | None = None) -> Tensor:
    """Repeats row i of x, or its sequence i, as often as sequence i of y has entries.

    Args:
        x (Tensor | DenseTensor): [sequences of y, ...], or as many sequences of rows.
        y (Tensor | DenseTensor): rows in sequences.
        ref_level (int): the level of y that counts; the last one by default.
        name (str, optional): kept for Paddle's signature.

    Returns:
        Tensor: in a Program one row for each row of y.

    Raises:
        InvalidArgumentError: y has no such level.
        UnsupportedError: in a Program: x has sequences of its own, or the level is not the
            last, so that the number of rows of the result is known to a run alone.
    """
    rows, levels = read_rows(y, "sequence_expand")
    if not -len(levels) <= ref_level < len(levels):
        raise InvalidArgumentError(
            f"sequence_expand: `ref_level` is {ref_level}",
            expected=f"a level of y, which has {len(levels)}",
            fix="use -1, the last one",
        )
    if isinstance(x, DenseTensor):
        return _expand_now(x, levels[ref_level])
    if levels[ref_level] is not levels[-1] or _has_rows(x):
        raise UnsupportedError(
            "sequence_expand in a Program: the number of rows depends on lengths",
            expected="x of one row for each sequence of y's last level",
            fix="pool x first, or call it outside of a Program with create_lod_tensor's results",
        )
    return keep_rows(sequence_rows_repeat(x, levels[-1], rows), levels)


def _has_rows(x: Tensor) -> bool:
    try:
        read_rows(x, "sequence_expand")
    except InvalidArgumentError:
        return False
    return True


def _expand_now(x: DenseTensor, offsets: Tensor) -> Tensor:
    """Repeats sequences outside of a Program, where lengths are known."""
    ends = offsets.numpy()
    times = ends[1:] - ends[:-1]
    starts = x.lod()[0] if x.lod() else list(range(x.shape()[0] + 1))
    if len(starts) != len(ends):
        raise InvalidArgumentError(
            f"sequence_expand: x has {len(starts) - 1} sequences",
            expected=f"{len(times)}, as y on that level",
            fix="choose another ref_level",
        )
    places = [
        row
        for first, end, count in zip(starts[:-1], starts[1:], times, strict=True)
        for row in list(range(first, end)) * int(count)
    ]
    return ops.index_select(x.tensor, to_tensor(places, dtype="int64"), 0)
