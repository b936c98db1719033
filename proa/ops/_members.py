"""Members of Tensor that are no ops: place, layout in memory, conversions, aliases."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from proa.core import (
    InvalidTypeError,
    Parameter,
    Place,
    PreconditionError,
    Tensor,
    as_dtype,
    as_place,
    attach,
    attach_method,
    composite,
    concrete,
    context,
    new_tensor,
    place_of,
    put,
    replace_data,
    tensor_method,
)

from ._axes import normal_axis
from ._cast import cast
from ._create_from import clone
from ._manipulate_slice import as_strided

_NO_KEY = (None, ())


def _property(function: Callable[[Tensor], Any]) -> Callable[[Tensor], Any]:
    attach_method(function.__name__, property(function))  # type: ignore[arg-type]
    return function


# Place ------------------------------------------------------------------------------------------


@_property
def place(self: Tensor) -> Place:
    """Where the tensor lies."""
    return place_of(self._data)


@_property
def device(self: Tensor) -> str:
    """Name of the device: `cpu`, `gpu:0`."""
    where = place_of(self._data)
    return where.kind if where.kind == "cpu" else f"{where.kind}:{where.index}"


@_property
def is_cuda(self: Tensor) -> bool:
    """Whether the tensor lies on a GPU."""
    return place_of(self._data).is_gpu_place()


@_property
def is_parameter(self: Tensor) -> bool:
    """Whether the tensor is a parameter of a layer or Program."""
    return isinstance(self, Parameter)


@tensor_method
def get_device(self: Tensor) -> int:
    """Number of the GPU the tensor lies on; -1 for the host."""
    where = place_of(self._data)
    return -1 if where.is_cpu_place() else where.index


def _move(self: Tensor, where: Any) -> Tensor:
    wanted = as_place(where)
    # A recorded value has no place of its own: the whole Program runs on one device or mesh.
    if context.recorder is not None or place_of(self._data) == wanted:
        return self
    moved = put(concrete(self, "to()"), wanted)
    if self._stop or not context.grad_enabled:
        return new_tensor(moved)
    return attach(clone.op, _NO_KEY, (self,), [moved], moved)  # type: ignore[attr-defined]


def _reads_as_dtype(value: Any) -> bool:
    try:
        as_dtype(value)
    except InvalidTypeError:
        return False
    return True


@tensor_method
def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Moves or converts: `x.to("gpu:0")`, `x.to("float16")`, `x.to(other)`, or several of them.

    Args:
        args: a place, a dtype, both in this order, or a Tensor whose place and dtype are taken;
            then `blocking`, which makes no difference.
        kwargs: `device`, `dtype`, `other`, `blocking`, by name.

    Returns:
        A new Tensor, or this one where nothing changes.

    Raises:
        InvalidTypeError: an argument that is none of these.

    Examples:
        >>> import proa
        >>> proa.ones([2]).to("float64").dtype
        paddle.float64
    """
    unknown = set(kwargs) - {"device", "dtype", "other", "blocking", "copy_tensor", "copy"}
    where, dtype = kwargs.get("device"), kwargs.get("dtype")
    given = [*args, kwargs["other"]] if "other" in kwargs else list(args)
    for value in given:
        if isinstance(value, bool) or value is None:
            continue
        if isinstance(value, Tensor):
            where, dtype = place_of(value._data), value.dtype
        elif _reads_as_dtype(value):
            dtype = value
        elif isinstance(value, str | Place):
            where = value
        else:
            unknown.add(repr(value))
    if unknown:
        raise InvalidTypeError(
            f"`to` got {', '.join(sorted(unknown))}"[:200],
            expected="a place, a dtype, a Tensor, blocking",
            fix="write e.g. x.to('cpu', 'float32')",
        )
    moved = self if where is None else _move(self, where)
    if dtype is not None and moved.dtype != dtype:
        moved = cast(moved, dtype)
    return moved


@tensor_method
def cpu(self: Tensor) -> Tensor:
    """The tensor on the host; itself if it is there."""
    return _move(self, "cpu")


@tensor_method
def cuda(self: Tensor, device_id: Any = None, blocking: bool = True) -> Tensor:
    """The tensor on a GPU.

    Args:
        device_id: number of the GPU, or a place; `None` is the first.
        blocking: makes no difference.

    Raises:
        UnknownNameError: there is no such GPU.
    """
    return _move(self, device_id if isinstance(device_id, Place) else f"gpu:{device_id or 0}")


@tensor_method
def pin_memory(self: Tensor, blocking: bool = True) -> Tensor:
    """The tensor itself: XLA manages the memory for transfers."""
    return self


# Memory -----------------------------------------------------------------------------------------


@tensor_method
def dim(self: Tensor) -> int:
    """Number of axes."""
    return self.ndim


@tensor_method
def ndimension(self: Tensor) -> int:
    """Number of axes."""
    return self.ndim


@tensor_method
def dense_dim(self: Tensor) -> int:
    """Number of dense axes: all of them."""
    return self.ndim


@tensor_method
def sparse_dim(self: Tensor) -> int:
    """Number of sparse axes: none."""
    return 0


@tensor_method
def element_size(self: Tensor) -> int:
    """Bytes of one element."""
    return self.dtype.itemsize


@_property
def itemsize(self: Tensor) -> int:
    """Bytes of one element."""
    return self.dtype.itemsize


@_property
def nbytes(self: Tensor) -> int:
    """Bytes of all elements."""
    return self.dtype.itemsize * self.size


def _strides(self: Tensor) -> list[int]:
    steps: list[int] = []
    step: Any = 1
    for extent in reversed(self._data.shape):
        steps.insert(0, step)
        step = step * extent
    return steps


@_property
def strides(self: Tensor) -> list[int]:
    """Elements from one index to the next along each axis: tensors are always contiguous."""
    return _strides(self)


@tensor_method
def get_strides(self: Tensor) -> list[int]:
    """Elements from one index to the next along each axis."""
    return _strides(self)


@tensor_method
def stride(self: Tensor, dim: int | None = None) -> Any:
    """Elements from one index to the next along one axis, or along each."""
    return _strides(self) if dim is None else _strides(self)[normal_axis(dim, self.ndim, "dim")]


@_property
def offset(self: Tensor) -> int:
    """Where the first element lies in the memory of the tensor this is a view of, in bytes."""
    places = _places(self) if self._view is not None else np.zeros(1, np.int64)
    return int(places.reshape(-1)[0]) * self.dtype.itemsize if places.size else 0


def _places(t: Tensor) -> Any:
    """Positions of a view's elements in the tensor that it is, in the end, a view of."""
    view = t._view
    if view is None:
        return np.arange(t.size).reshape(t.shape)
    before = _places(view.base)
    if view.detached:
        return before
    return view.op.array_fn(view.key)(jax.numpy.asarray(before), *[e._data for e in view.extras])


@_property
def layout(self: Tensor) -> str:
    """Paddle's name of the layout, `NCHW`, which says nothing about the axes."""
    return "NCHW"


@tensor_method
def is_contiguous(self: Tensor) -> bool:
    """Whether elements lie in order: always."""
    return True


@tensor_method
def contiguous(self: Tensor) -> Tensor:
    """The tensor itself: elements always lie in order."""
    return self


@tensor_method
def data_ptr(self: Tensor) -> int:
    """Address of the first element."""
    return jax.numpy.asarray(concrete(self, "data_ptr()")).unsafe_buffer_pointer()


def _always(name: str, answer: bool, what: str) -> None:
    def ask(self: Tensor) -> bool:
        return answer

    ask.__name__ = ask.__qualname__ = name
    ask.__doc__ = f"Whether the tensor is {what}: {'always' if answer else 'never'}."
    attach_method(name, ask)


_always("is_dense", True, "dense")
_always("is_sparse", False, "sparse")
_always("is_sparse_coo", False, "sparse in COO form")
_always("is_sparse_csr", False, "sparse in CSR form")
_always("is_selected_rows", False, "a set of rows")


@tensor_method
@composite
def is_same_shape(self: Tensor, y: Tensor) -> bool:
    """Whether both tensors have one shape."""
    return tuple(self._data.shape) == tuple(y.shape)


@tensor_method
def to_dense(self: Tensor) -> Tensor:
    """The tensor itself, which is dense."""
    return self


@tensor_method
def value(self: Tensor) -> Tensor:
    """The tensor itself."""
    return self


@tensor_method
def __dlpack__(self: Tensor, **kwargs: Any) -> Any:
    """A DLPack capsule of the tensor's memory.

    Raises:
        PreconditionError: the tensor takes part in differentiation.
    """
    if not self._stop:
        raise PreconditionError(
            "DLPack of a tensor with stop_gradient=False",
            expected="a tensor without a gradient, since the receiver could not follow it",
            fix="pass x.detach()",
        )
    return jax.numpy.asarray(concrete(self, "__dlpack__")).__dlpack__(**kwargs)


@tensor_method
def __dlpack_device__(self: Tensor) -> Any:
    """Kind and number of the device, in DLPack's terms."""
    array: Any = jax.numpy.asarray(concrete(self, "__dlpack_device__"))
    return array.__dlpack_device__()


# Gradient ---------------------------------------------------------------------------------------


def _get_requires_grad(self: Tensor) -> bool:
    """The opposite of `stop_gradient`."""
    return not self._stop


def _set_requires_grad(self: Tensor, value: bool) -> None:
    self.stop_gradient = not value


attach_method("requires_grad", property(_get_requires_grad, _set_requires_grad))  # type: ignore[arg-type]


@tensor_method
def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Sets whether a gradient is wanted; returns the tensor."""
    self.stop_gradient = not requires_grad
    return self


@_property
def grad_fn(self: Tensor) -> Any:
    """The taped op call the tensor came from; `None` for a leaf."""
    return None if self.is_leaf else self._edge[0]


@tensor_method
def apply(self: Tensor, func: Callable[[Tensor], Tensor]) -> Tensor:
    """Returns `func(copy of the tensor)`.

    Args:
        func: function of a Tensor.

    Raises:
        PreconditionError: the tensor wants a gradient.
    """
    _refuse_gradient(self, "apply")
    _require_function(func, "apply")
    return func(clone(self))


@tensor_method
def apply_(self: Tensor, func: Callable[[Tensor], Tensor]) -> Tensor:
    """Overwrites the tensor with `func(tensor)` and returns it.

    Args:
        func: function of a Tensor.

    Raises:
        PreconditionError: the tensor wants a gradient.
    """
    _refuse_gradient(self, "apply_")
    _require_function(func, "apply_")
    replace_data(self, func(clone(self))._data)
    return self


def _require_function(func: Any, name: str) -> None:
    if not callable(func):
        raise InvalidTypeError(
            f"`func` of `{name}` is {func!r} ({type(func).__name__})"[:200],
            expected="a function of a Tensor",
            fix="pass a function, such as lambda v: v + 1",
        )


def _refuse_gradient(self: Tensor, name: str) -> None:
    if not self._stop:
        raise PreconditionError(
            f"`{name}` on a tensor with stop_gradient=False",
            expected="a tensor without a gradient: the function may do anything",
            fix="call the function yourself, func(x), or use x.detach()",
        )


@tensor_method
@composite
def set_(
    self: Tensor,
    source: Tensor | None = None,
    shape: Any = None,
    stride: Any = None,
    offset: int = 0,
    name: str | None = None,
) -> Tensor:
    """Gives the tensor the values, shape and dtype of another one; returns it.

    Args:
        source: the other tensor; `None` makes it empty.
        shape: extents to read from `source` with `stride`; as they are where `None`.
        stride: elements from one index to the next along each axis; rows in order where `None`.
        offset: where to begin, in bytes, as for `as_strided`.
        name: not used.
    """
    if source is None:
        made = jax.numpy.zeros([0], self.dtype.numpy)
    elif shape is None and stride is None and not offset:
        made = source._data
    else:
        extents = list(source.shape if shape is None else shape)
        steps = stride or [math.prod(extents[i + 1 :]) for i in range(len(extents))]
        made = as_strided(source, extents, steps, offset)._data
    replace_data(self, made)
    return self


@tensor_method
def _is_shared_buffer_with(self: Tensor, other: Tensor) -> bool:
    """Whether both hold one array now; a write to either of them ends that, unless it is a view.

    Scripts for Paddle ask for it by this name to see whether something was copied.

    Args:
        other: the other tensor.
    """
    return self._data is other._data


@tensor_method
def is_dist(self: Tensor) -> bool:
    """Whether the tensor was laid over a mesh."""
    return getattr(self, "process_mesh", None) is not None


@tensor_method
@composite
def resize_(self: Tensor, shape: Any, fill_zero: bool = False, name: str | None = None) -> Tensor:
    """Gives the tensor another shape, in place; elements keep their order.

    Args:
        shape: the new extents. Elements that no longer fit are dropped, new ones are 0.
        fill_zero: kept for Paddle's signature, which leaves new elements unset without it.
        name: not used.

    Raises:
        PreconditionError: the tensor wants a gradient.
    """
    if not self._stop:
        raise PreconditionError(
            "`resize_` of a tensor with stop_gradient=False",
            expected="a tensor without a gradient",
            fix="use reshape or pad, which make a new tensor",
        )
    extents = [int(extent) for extent in shape]
    wanted, elements = math.prod(extents), self._data.reshape(-1)
    missing = max(wanted - elements.size, 0)
    filled = jax.numpy.pad(elements[:wanted], (0, missing))
    replace_data(self, filled.reshape(extents))
    return self


attach_method("type", property(lambda self: "VarType.DENSE_TENSOR"))  # type: ignore[arg-type]
