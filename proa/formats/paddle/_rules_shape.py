"""Rules for Paddle's ops that make tensors, move, take and join their elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from proa import ops
from proa.core import is_dimension
from proa.nn import functional as F

from ._rules import Unfit, as_list, host, ints, number, rule, scalar, tensor, whole

if TYPE_CHECKING:
    from ._rules import Data, Tensors, Values

#: Ends of slices at least this large mean "to the end".
_FAR = 2**31 - 1


@rule("builtin.combine", desc="-", variadic=True)
def _combine(x: Values) -> Any:
    return x


@rule("builtin.split", desc="-")
def _split_list(x: Values) -> Any:
    return tuple(x)


@rule("builtin.slice", desc="-")
def _slice_list(x: Values, *, index: int) -> Any:
    return x[index]


@rule("reshape", desc="reshape2 reshape", Shape="shape", ShapeTensor="shape")
def _reshape(x: Data, shape: Any) -> Any:
    return ops.reshape(x, ints(shape))


@rule("transpose", desc="transpose2 transpose", axis="perm")
def _transpose(x: Data, *, perm: Any) -> Any:
    return ops.transpose(x, list(perm))


@rule("squeeze", desc="squeeze2 squeeze", axes="axis")
def _squeeze(x: Data, axis: Any = ()) -> Any:
    return ops.squeeze(x, ints(axis) or None)


@rule(
    "unsqueeze",
    desc="unsqueeze2 unsqueeze",
    axes="axis",
    AxesTensor="axis",
    AxesTensorList="axis",
)
def _unsqueeze(x: Data, axis: Any) -> Any:
    return ops.unsqueeze(x, ints(axis))


@rule("flatten", desc="flatten_contiguous_range")
def _flatten(x: Data, *, start_axis: int = 1, stop_axis: int = 1) -> Any:
    return ops.flatten(x, start_axis, stop_axis)


@rule(desc="flatten2 flatten")
def _flatten_v1(x: Data, *, axis: int = 1) -> Any:
    rows: Any = 1
    for extent in x.shape[:axis]:
        rows = rows * extent
    return ops.reshape(x, [rows, -1])


@rule("concat", AxisTensor="axis")
def _concat(x: Tensors, axis: Any = 0) -> Any:
    return ops.concat(x, number(axis, "the axis"))


@rule("stack", outputs="Y")
def _stack(x: Tensors, *, axis: int = 0) -> Any:
    return ops.stack(x, axis)


@rule("split", AxisTensor="axis", SectionsTensorList="sections")
def _split(x: Data, sections: Any = (), axis: Any = 0, *, num: int = 0) -> Any:
    where = number(axis, "the axis")
    return list(ops.split(x, num or ints(sections, "the sections"), where))


@rule("split_with_num")
def _split_with_num(x: Data, axis: Any = 0, *, num: int) -> Any:
    return list(ops.split(x, num, number(axis, "the axis")))


@rule("unbind", X="input")
def _unbind(input: Data, *, axis: int = 0) -> Any:
    return list(ops.unbind(input, axis))


@rule("unstack", outputs="Y")
def _unstack(x: Data, *, axis: int = 0) -> Any:
    return list(ops.unbind(x, axis))


def _bounds(values: Any, axes: Any, what: str) -> list[Any]:
    found = ints(values, what)
    if len(found) != len(axes):
        raise Unfit(f"{len(found)} {what} for {len(axes)} axes")
    return found


def _cut(x: Any, axes: Any, starts: Any, ends: Any, steps: Any) -> Any:
    index: list[Any] = [slice(None)] * x.ndim
    rows = zip(
        axes,
        _bounds(starts, axes, "starts of slices"),
        _bounds(ends, axes, "ends of slices"),
        _bounds(steps, axes, "steps of slices"),
        strict=True,
    )
    for axis, start, end, step in rows:
        extent = x.shape[axis]
        far = not is_dimension(end) and end >= _FAR
        before = not is_dimension(end) and step < 0 and end <= -_FAR
        if not any(map(is_dimension, (extent, end))) and step < 0 and end < -extent:
            before = True
        first = None if not is_dimension(start) and start == 0 and step > 0 else start
        index[axis] = slice(first, None if far or before or _is_all(end, extent) else end, step)
    return x[tuple(index)]


def _is_all(end: Any, extent: Any) -> bool:
    return is_dimension(end) and is_dimension(extent) and str(end) == str(extent)


@rule(
    "slice",
    StartsTensor="starts",
    EndsTensor="ends",
    StartsTensorList="starts",
    EndsTensorList="ends",
)
def _slice(input: Data, starts: Any, ends: Any, *, axes: Any, decrease_axis: Any = ()) -> Any:
    if host(starts) is None or host(ends) is None:
        return _moving_slice(input, axes, starts, ends, decrease_axis)
    made = _cut(input, axes, starts, ends, [1] * len(axes))
    return ops.squeeze(made, list(decrease_axis)) if len(decrease_axis) else made


def _moving_slice(x: Any, axes: Any, starts: Any, ends: Any, decrease_axis: Any) -> Any:
    """A slice whose start is data: one element along one axis."""
    if len(axes) != 1 or list(decrease_axis) != list(axes):
        raise Unfit("the bounds of a slice are computed from the elements of a tensor")
    index = ops.reshape(tensor(starts[0] if isinstance(starts, list) else starts), [1])
    return ops.squeeze(ops.index_select(x, index, int(axes[0])), [int(axes[0])])


@rule(
    "strided_slice",
    Input="x",
    StartsTensor="starts",
    StartsTensorList="starts",
    EndsTensor="ends",
    EndsTensorList="ends",
    StridesTensor="strides",
    StridesTensorList="strides",
)
def _strided_slice(
    x: Data, starts: Any, ends: Any, strides: Any, *, axes: Any, decrease_axis: Any = ()
) -> Any:
    made = _cut(x, axes, starts, ends, strides)
    return ops.squeeze(made, list(decrease_axis)) if len(decrease_axis) else made


@rule(
    "set_value_with_tensor",
    desc="set_value",
    Input="x",
    ValueTensor="value_tensor",
    StartsTensorList="starts",
    EndsTensorList="ends",
    StepsTensorList="steps",
    values="numbers",
)
def _set_value(
    x: Data,
    values: Data = None,
    starts: Any = (),
    ends: Any = (),
    steps: Any = (),
    *,
    axes: Any,
    decrease_axes: Any = (),
    none_axes: Any = (),
    numbers: Any = None,
    shape: Any = (),
    value_tensor: Any = None,
) -> Any:
    if len(none_axes):
        raise Unfit("an assignment to a part with new axes")
    index: list[Any] = [slice(None)] * x.ndim
    rows = zip(axes, ints(starts), ints(ends), ints(steps), strict=True)
    for axis, start, end, step in rows:
        is_far = not is_dimension(end) and end >= _FAR
        index[axis] = slice(start, None if is_far else end, step)
    for axis in decrease_axes:
        index[axis] = index[axis].start
    given = value_tensor if value_tensor is not None else values
    if given is None:
        given = ops.cast(tensor(whole(list(numbers or ())).reshape(shape)), x.dtype)
    return _assigned(x, tuple(index), tensor(given))


def _assigned(x: Any, index: Any, value: Any) -> Any:
    """A copy of a tensor with a part of it replaced."""
    made: Any = ops.assign(x)
    made[index] = value
    return made


@rule("set_value", desc="-")
def _set_value_numbers(
    x: Data,
    starts: Any = (),
    ends: Any = (),
    steps: Any = (),
    *,
    axes: Any,
    decrease_axes: Any = (),
    none_axes: Any = (),
    shape: Any,
    values: Any,
) -> Any:
    return _set_value(
        x,
        None,
        starts,
        ends,
        steps,
        axes=axes,
        decrease_axes=decrease_axes,
        none_axes=none_axes,
        numbers=values,
        shape=shape,
    )


@rule("gather", Axis="axis")
def _gather(x: Data, index: Data, axis: Any = 0) -> Any:
    return ops.gather(x, index, number(axis, "the axis"))


@rule("gather_nd")
def _gather_nd(x: Data, index: Data) -> Any:
    return ops.gather_nd(x, index)


@rule("scatter", Ids="index")
def _scatter(x: Data, index: Data, updates: Data, *, overwrite: bool = True) -> Any:
    return ops.scatter(x, index, updates, overwrite)


@rule("scatter_nd_add")
def _scatter_nd_add(x: Data, index: Data, updates: Data) -> Any:
    return ops.scatter_nd_add(x, index, updates)


@rule("index_select", dim="axis")
def _index_select(x: Data, index: Data, *, axis: int = 0) -> Any:
    return ops.index_select(x, index, axis)


@rule("index_sample")
def _index_sample(x: Data, index: Data) -> Any:
    return ops.index_sample(x, index)


@rule("index_put", outputs="out", values="value")
def _index_put(x: Data, indices: Tensors, value: Data, *, accumulate: bool = False) -> Any:
    return ops.index_put(x, indices, value, accumulate)


@rule("take_along_axis", outputs="Result", Input="arr", Index="indices", Axis="axis")
def _take_along_axis(arr: Data, indices: Data, *, axis: int) -> Any:
    return ops.take_along_axis(arr, indices, axis, broadcast=False)


@rule(
    "put_along_axis",
    outputs="Result",
    Input="arr",
    Index="indices",
    Value="values",
    Axis="axis",
    Reduce="reduce",
    Include_self="include_self",
)
def _put_along_axis(
    arr: Data,
    indices: Data,
    values: Data,
    *,
    axis: int,
    reduce: str = "assign",
    include_self: bool = True,
) -> Any:
    return ops.put_along_axis(arr, indices, values, axis, reduce, include_self, broadcast=False)


@rule("expand", desc="expand_v2", Shape="shape", expand_shapes_tensor="shape")
def _expand(x: Data, shape: Any = ()) -> Any:
    return ops.expand(x, ints(shape))


@rule("expand_as", desc="expand_as_v2")
def _expand_as(x: Data, y: Data = None, *, target_shape: Any = ()) -> Any:
    return ops.expand(x, y.shape if y is not None else list(target_shape))


@rule("tile", RepeatTimes="repeat_times", repeat_times_tensor="repeat_times")
def _tile(x: Data, repeat_times: Any = ()) -> Any:
    return ops.tile(x, ints(repeat_times, "the repeat times"))


@rule("flip")
def _flip(x: Data, *, axis: Any) -> Any:
    return ops.flip(x, list(as_list(axis)))


@rule("roll", ShiftsTensor="shifts")
def _roll(x: Data, shifts: Any, *, axis: Any = ()) -> Any:
    moved = ints(shifts, "the shifts")
    return ops.roll(x, moved, list(axis)) if len(axis) else ops.roll(x, moved[0])


@rule("meshgrid", X="inputs")
def _meshgrid(inputs: Tensors) -> Any:
    return list(ops.meshgrid(*inputs))


@rule("tril")
def _tril(x: Data, *, diagonal: int = 0) -> Any:
    return ops.tril(x, diagonal)


@rule("triu")
def _triu(x: Data, *, diagonal: int = 0) -> Any:
    return ops.triu(x, diagonal)


@rule(desc="tril_triu")
def _tril_triu(x: Data, *, diagonal: int = 0, lower: bool = True) -> Any:
    return (ops.tril if lower else ops.triu)(x, diagonal)


@rule("diag", desc="diag_v2")
def _diag(x: Data, *, offset: int = 0, padding_value: float = 0.0) -> Any:
    return ops.diag(x, offset, padding_value)


@rule("diagonal", Input="x")
def _diagonal(x: Data, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return ops.diagonal(x, offset, axis1, axis2)


@rule("one_hot", desc="one_hot_v2 one_hot", depth="num_classes", depth_tensor="num_classes")
def _one_hot(x: Data, num_classes: Any) -> Any:
    return F.one_hot(x, number(num_classes, "the number of classes"))


@rule(
    "repeat_interleave",
    "repeat_interleave_with_tensor_index",
    desc="repeat_interleave",
    Repeats="repeats",
    RepeatsTensor="repeats",
    dim="axis",
)
def _repeat_interleave(x: Data, repeats: Any, *, axis: int = 0) -> Any:
    counts = ints(repeats, "how often elements are repeated")
    return ops.repeat_interleave(x, counts[0] if len(counts) == 1 else tensor(counts), axis)


@rule("sequence_mask", outputs="Y", maxlen="max_len", MaxLenTensor="max_len")
def _sequence_mask(x: Data, max_len: Any, *, out_dtype: Any = "int64") -> Any:
    length = number(max_len, "the length of a mask")
    if isinstance(length, int) and length < 0:
        raise Unfit("the length of a mask is the largest element of a tensor")
    return F.sequence_mask(x, length, out_dtype)


@rule(
    "crop",
    desc="crop_tensor",
    Shape="shape",
    ShapeTensor="shape",
    Offsets="offsets",
    OffsetsTensor="offsets",
)
def _crop(x: Data, shape: Any = (), offsets: Any = ()) -> Any:
    return ops.crop(x, ints(shape), ints(offsets, "the offsets"))


@rule("assign", "memcpy", desc="assign memcpy")
def _assign(x: Data) -> Any:
    return x


@rule("share_data", desc="share_data")
def _share_data(x: Data) -> Any:
    return x


@rule("assign_value")
def _assign_value(
    *,
    shape: Any,
    dtype: Any,
    values: Any = None,
    bool_values: Any = None,
    fp32_values: Any = None,
    int32_values: Any = None,
    int64_values: Any = None,
) -> Any:
    found = (values, fp32_values, int64_values, int32_values, bool_values)
    given = next((v for v in found if v is not None and len(v)), ())
    return ops.cast(tensor(whole(list(given)).reshape(shape)), dtype)


@rule(
    "full", desc="fill_constant", ValueTensor="value", ShapeTensor="shape", ShapeTensorList="shape"
)
def _full(*, shape: Any, value: Any = 0.0, dtype: Any = "float32", str_value: str = "") -> Any:
    exact = _exact(str_value, dtype) if str_value and host(value) is not None else scalar(value)
    return ops.full(ints(shape), exact, dtype)


def _exact(text: str, dtype: Any) -> Any:
    """A number that ProgramDesc keeps as text, since its own value is a 32-bit float."""
    if text in ("inf", "-inf", "nan"):
        return float(text)
    return float(text) if "float" in str(dtype) else int(float(text)) if "." in text else int(text)


@rule("full_int_array")
def _full_int_array(*, value: Any, dtype: Any = "int64") -> Any:
    return ops.cast(tensor(whole(list(value))), dtype)


@rule("empty", ShapeTensor="shape", ShapeTensorList="shape")
def _empty(shape: Any, *, dtype: Any = "float32") -> Any:
    return ops.zeros(ints(shape), dtype)


@rule("full_with_tensor")
def _full_with_tensor(value: Data, shape: Any, *, dtype: Any = "float32") -> Any:
    return ops.full(ints(shape), ops.reshape(value, []), dtype)


@rule("full_like", desc="fill_any_like")
def _full_like(x: Data, value: Any = 0.0, *, dtype: Any = None) -> Any:
    return ops.full_like(x, scalar(value), dtype if isinstance(dtype, str) else None)


@rule(desc="fill_zeros_like")
def _zeros_like(x: Data) -> Any:
    return ops.zeros_like(x)


@rule("full_batch_size_like", desc="fill_constant_batch_size_like")
def _full_batch_size_like(
    input: Data,
    value: Any = 0.0,
    *,
    shape: Any,
    dtype: Any,
    input_dim_idx: int = 0,
    output_dim_idx: int = 0,
) -> Any:
    sizes = [int(e) for e in shape]
    sizes[output_dim_idx] = input.shape[input_dim_idx]
    return ops.full(sizes, scalar(value), dtype)


@rule("arange", desc="range", Start="start", End="end", Step="step")
def _arange(start: Any, end: Any, step: Any, *, dtype: Any = None) -> Any:
    bounds = [_bound(each) for each in (start, end, step)]
    wanted = dtype if isinstance(dtype, str) else getattr(host(start), "dtype", None)
    wanted = "int64" if wanted is None or str(wanted) == "object" else str(wanted)
    return ops.arange(*bounds, dtype=wanted)


def _bound(value: Any) -> Any:
    found = host(value)
    if found is None:
        raise Unfit("how long a range is depends on the elements of a tensor")
    item = found.ravel()[0]
    return item if is_dimension(item) else item.item()


@rule("linspace", Num="number", Start="start", Stop="stop")
def _linspace(start: Any, stop: Any, number: Any, *, dtype: Any = "float32") -> Any:
    return ops.linspace(scalar(start), scalar(stop), _bound(number), dtype)


@rule("eye")
def _eye(num_rows: Any, num_columns: Any = -1, *, dtype: Any = "float32") -> Any:
    rows = number(num_rows)
    columns = number(num_columns)
    return ops.eye(rows, columns if columns >= 0 else rows, dtype)


@rule("shape64", desc="-")
def _shape(input: Data) -> Any:
    # Not recorded: what is computed from sizes is computed while the Program is made.
    return whole(list(input.shape))


@rule("shape")
def _short_shape(input: Data) -> Any:
    found = _shape(input)
    return found if found.dtype == object else found.astype(np.int32)


@rule("numel", desc="size", Input="x")
def _numel(x: Data) -> Any:
    count: Any = 1
    for extent in x.shape:
        count = count * extent
    return whole(count)


def _random(function: Callable[..., Any]) -> Callable[..., Any]:
    def translate(shape: Any = (), **given: Any) -> Any:
        raise Unfit("random numbers: a Program in a file computes the same for the same inputs")

    return translate


rule("uniform", desc="uniform_random")(_random(ops.full))
rule("gaussian", desc="gaussian_random")(_random(ops.full))
rule("bernoulli")(_random(ops.full))
