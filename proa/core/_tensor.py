"""Tensor: a handle on an array (or, while recording, on a Value of a Program).

Only the handle's state lives here. Methods are attached by the module that owns their
mechanism: the tape, the views, the printing, and the op registry for everything else.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from itertools import count
from typing import Any

import jax
import numpy as np

from ._context import bump_mode_epoch, context, run_eagerly, state_lock, user_location
from ._dtype import DType, as_dtype, default_dtype
from ._errors import InvalidArgumentError, InvalidTypeError, OutOfRangeError, PreconditionError
from ._place import put
from ._size import Size, count_elements

_names = count()


class Leaf:
    """Tape end of a tensor that was not computed: where its gradient is summed up."""

    __slots__ = ("__weakref__", "hooks", "sequence", "tensor")

    def __init__(self, tensor: Tensor) -> None:
        # Weak: a strong reference would make a cycle that keeps big arrays until a GC run.
        self.tensor = weakref.ref(tensor)
        self.sequence = -1
        self.hooks: dict[int, list[Any]] | None = None


class Tensor:
    """An n-dimensional array with a place on the tape.

    Args:
        data: anything that `proa.to_tensor` takes.

    Attributes are class-level defaults and instances hold only what differs, which makes
    the creation of a handle cheap.
    """

    _data: Any = None
    _stop: bool = True
    _edge: Any = None
    #: `None`, a Tensor, or `ZERO_GRAD` after `clear_grad(set_to_zero=True)`.
    _grad: Any = None
    #: What gradients are cast to when they are summed up; `None` leaves them as they are.
    _grad_dtype: Any = None
    #: Says `stop_gradient=False` although it is off the tape: a gradient, a saved input.
    _claims_gradient: bool = False
    _view: Any = None
    _views: Any = None
    _weak: bool = False
    _name: str | None = None
    _version: int = 0
    persistable: bool = False
    __array_priority__ = 100

    def __init__(self, data: Any = None, dtype: Any = None, place: Any = None) -> None:
        if data is not None:
            self._data = to_tensor(data, dtype=dtype, place=place)._data

    def _leaf_edge(self) -> tuple[Leaf, int]:
        edge = self._edge
        if edge is None:
            edge = self._edge = (Leaf(self), 0)
        return edge

    @property
    def stop_gradient(self) -> bool:
        """Whether no gradient is wanted for this tensor.

        A gradient that `backward()` left behind says False, as in Paddle. It is off the tape
        all the same until that is asked for, so it can be scaled or zeroed in place.
        """
        return self._stop and not self._claims_gradient

    @stop_gradient.setter
    def stop_gradient(self, value: bool) -> None:
        self._claims_gradient = False
        if bool(value) != self._stop:
            self._stop = bool(value)
            bump_mode_epoch()

    @property
    def shape(self) -> Size:
        """Shape as a list of integers (symbolic dimensions while recording)."""
        return Size(self._data.shape)

    @property
    def dtype(self) -> DType:
        """Data type."""
        return as_dtype(self._data.dtype)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._data.ndim

    @property
    def size(self) -> int:
        """Number of elements; called, as `x.size(0)`, a length of the shape."""
        return count_elements(self._data.shape)

    @property
    def is_leaf(self) -> bool:
        """Whether the tensor was made by the user rather than computed on the tape."""
        return self._stop or self._edge is None or isinstance(self._edge[0], Leaf)

    @property
    def name(self) -> str:
        """A unique name; given on first use when none was set."""
        if self._name is None:
            self._name = f"generated_tensor_{next(_names)}"
            self._note_name()
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        self._name = value
        self._note_name()

    def _note_name(self) -> None:
        """Tells the recording that the tensor belongs to, which is asked for it by name."""
        owner = getattr(self._data, "owner", None)
        if owner is not None:
            owner.note_name(self)

    @property
    def inplace_version(self) -> int:
        """How often the tensor was written in place."""
        return self._version

    def numpy(self) -> np.ndarray:
        """Returns a NumPy copy.

        Raises:
            ProgramError: called on a tensor of a function that is being recorded.
        """
        return np.array(on_host(self, "numpy()"))

    def item(self, *index: int) -> Any:
        """Returns one element as a Python number.

        Args:
            index: position of the element (flat, or one integer per axis); none when the
                tensor holds a single element.

        Raises:
            InvalidArgumentError: several elements and no index.
        """
        array = on_host(self, "item()")
        if not index and self.size != 1:
            raise InvalidArgumentError(
                f"item() on a tensor of shape {self.shape}",
                expected="a tensor with one element, or an index",
                fix="call item(i), or tolist()/numpy() for all elements",
            )
        try:
            return array.item(*index)
        except (IndexError, TypeError, ValueError) as error:
            raise OutOfRangeError(
                f"item{index} on a tensor of shape {self.shape}"[:200],
                expected="the flat position of an element, or one integer per axis in range",
                fix="count from 0, or from the end with -1",
            ) from error

    def tolist(self) -> Any:
        """Returns the elements as nested Python lists."""
        return on_host(self, "tolist()").tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = self.numpy()
        if dtype is None:
            return array
        if array.dtype.kind == "c" and np.dtype(dtype).kind in "fiub":
            self._real(np.dtype(dtype).name)
        return array.astype(dtype)

    def __bool__(self) -> bool:
        return bool(self._single("bool()"))

    def __int__(self) -> int:
        return int(self._real("int()"))

    def __float__(self) -> float:
        return float(self._real("float()"))

    def __complex__(self) -> complex:
        return complex(self._single("complex()"))

    def __index__(self) -> int:
        if not (self.dtype.is_integer or self.dtype == "bool"):
            raise InvalidTypeError(
                f"a {self.dtype.name} tensor is used as an index",
                expected="an integer tensor",
                fix="cast it: x.astype('int64')",
            )
        return int(self._single("index"))

    def __format__(self, spec: str) -> str:
        is_number = not self.ndim or (spec and self.size == 1)
        return format(self.item() if is_number else str(self), spec)

    def _real(self, what: str) -> Any:
        if self.dtype.is_complex:
            raise InvalidTypeError(
                f"{what} of a {self.dtype.name} tensor",
                expected="a real tensor",
                fix="take real(), imag() or abs() of it, or complex(x)",
            )
        return self._single(what)

    def _single(self, what: str) -> Any:
        array = on_host(self, what)
        if self.size != 1:
            raise InvalidArgumentError(
                f"{what} of a tensor of shape {self.shape}",
                expected="a tensor with exactly one element",
                fix="reduce it first (any(), all(), sum(), mean()) or pick one element",
            )
        return array.reshape(())[()]

    def __len__(self) -> int:
        if not self._data.shape:
            raise InvalidTypeError(
                "len() of a 0-d tensor",
                expected="a tensor with at least one axis",
                fix="use tensor.size, or reshape it to [1]",
            )
        return self._data.shape[0]

    def __hash__(self) -> int:
        return id(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        if not self.is_leaf:
            raise PreconditionError(
                "deepcopy of a tensor that was computed on the tape",
                expected="a leaf tensor",
                fix="copy x.detach(), or use x.clone()",
            )
        twin = self.__class__.__new__(self.__class__)
        memo[id(self)] = twin
        skipped = ("_edge", "_view", "_views", "_grad")
        twin.__dict__.update({k: v for k, v in self.__dict__.items() if k not in skipped})
        twin._data = copy_array(concrete(self, "deepcopy"))
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        # Not the class Tensor itself, whose home has another name under the alias `paddle`.
        cls = None if self.__class__ is Tensor else self.__class__
        arguments = (cls, self.numpy(), self._stop, self._name)
        # Where the parts lay says nothing about where the copy will.
        hidden = ("process_mesh", "placements")
        fields = self.__dict__.items()
        public = {k: v for k, v in fields if not k.startswith("_") and k not in hidden}
        return (_rebuild, arguments, public or None)


class Parameter(Tensor):
    """A trainable leaf tensor of a Layer.

    Args:
        data: anything that `proa.to_tensor` takes.
        trainable: whether the optimiser updates it.
    """

    _stop = False
    persistable = True
    optimize_attr: dict[str, float]
    regularizer: Any = None
    need_clip: bool = True
    is_distributed: bool = False
    do_model_average: Any = None

    def __init__(self, data: Any = None, trainable: bool = True, dtype: Any = None) -> None:
        super().__init__(data, dtype=dtype)
        self.optimize_attr = {"learning_rate": 1.0}
        if not trainable:
            self._stop = True

    @property
    def trainable(self) -> bool:
        """Whether the optimiser updates the parameter."""
        return not self._stop

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self.stop_gradient = not value


def _rebuild(cls: type[Tensor] | None, array: np.ndarray, stop: bool, name: str | None) -> Tensor:
    cls = cls or Tensor
    rebuilt = cls.__new__(cls)
    rebuilt._data, rebuilt._stop, rebuilt._name = jax.device_put(array), stop, name
    return rebuilt


_allocate = object.__new__


def new_tensor(data: Any) -> Tensor:
    """Wraps an array or Value into a Tensor without looking at it."""
    t = _allocate(Tensor)
    t._data = data
    return t


def new_gradient(data: Any) -> Tensor:
    """Wraps an array or Value that is a gradient."""
    t = new_tensor(data)
    t._claims_gradient = True
    return t


def alias(t: Tensor) -> Tensor:
    """Returns a second handle on the same value, off the tape."""
    recorder = context.recorder
    return new_tensor(t._data if recorder is None else recorder.value_of(t))


def attach_method(name: str, method: Callable[..., Any], *, owner: type[Tensor] = Tensor) -> None:
    """Gives Tensor a method or property; a second one of the same name is refused."""
    if name in owner.__dict__:
        raise InvalidArgumentError(
            f"Tensor.{name} is declared twice",
            expected="one declaration per method",
            fix="rename one of them, or set method=None in the op's record",
        )
    setattr(owner, name, method)


def tensor_method(method: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: attaches a function to Tensor under its own name."""
    attach_method(method.__name__, method)
    return method


def concrete(t: Tensor, what: str) -> Any:
    """Returns the tensor's array, or fails with the place where a value was needed.

    Args:
        t: the tensor.
        what: what needed the value, for the message.

    Raises:
        ProgramError: the tensor stands for a value of a Program.
    """
    data = t._data
    if isinstance(data, jax.Array | np.ndarray | np.generic):
        return data
    if data is None:
        raise PreconditionError(
            f"{what} on a tensor that holds no data",
            expected="an initialised tensor",
            fix="set its value first: tensor.set_value(array)",
        )
    return data.concretize(t, what, user_location())


def on_host(t: Tensor, what: str) -> np.ndarray:
    """Returns the tensor's values as a NumPy array that may share them; see `concrete`."""
    try:
        return np.asarray(concrete(t, what))
    except RuntimeError:
        # A compiled step of another thread may have given the buffer away meanwhile.
        with state_lock:
            return np.asarray(concrete(t, what))


def copy_array(array: Any) -> Any:
    """Returns an array with a buffer of its own."""
    return jax.numpy.array(array, copy=True)


def to_tensor(
    data: Any, dtype: Any = None, place: Any = None, stop_gradient: bool = True
) -> Tensor:
    """Makes a tensor of a Python number, a (nested) list, a NumPy array or a Tensor.

    Args:
        data: the values. Python floats take the default dtype, NumPy arrays keep theirs.
        dtype: dtype of the result; `None` follows `data`.
        place: where it lies (`"cpu"`, `"gpu:0"`, a Place); `None` for the current device.
        stop_gradient: `False` to track gradients.

    Returns:
        A new Tensor with a buffer of its own.

    Raises:
        InvalidTypeError: `data` is not numeric, or `dtype` is unknown.
        InvalidArgumentError: a ragged list, or a value that does not fit the dtype.

    Examples:
        >>> import proa
        >>> proa.to_tensor([1.0, 2.0]).shape
        [2]
    """
    if isinstance(data, Tensor):
        return _copy_of(data, dtype, place, stop_gradient)
    if isinstance(data, jax.Array):
        array = data if dtype is None else data.astype(as_dtype(dtype).numpy)
        made = new_tensor(copy_array(array))
    elif context.recorder is not None and _is_of_sizes(data):
        sized: Any = sizes_of_recording(data)
        return sized if dtype is None else sized.astype(dtype)
    else:
        array = host_array(data, dtype)
        # While recording, it is a constant of the Program, not state that outlives the call.
        made = new_tensor(array if context.recorder is not None else put(array, place))
    if not stop_gradient:
        made._stop = False
    return made


def is_dimension(value: Any) -> bool:
    """Whether a value is a symbolic dimension of a shape that is being recorded."""
    return type(value).__name__ == "_DimExpr"


def _is_of_sizes(data: Any) -> bool:
    return is_dimension(data) or (isinstance(data, list | tuple) and any(map(is_dimension, data)))


#: Makes an int64 tensor of sizes that are not known yet; an op, and so known to a later room.
size_function: list[Any] = [None]


def sizes_of_recording(data: Any) -> Any:
    """Returns an int64 tensor of a symbolic dimension, or of a list with such."""
    return size_function[0](data)


def _copy_of(data: Tensor, dtype: Any, place: Any, stop_gradient: bool) -> Tensor:
    if context.recorder is not None:
        copied: Any = alias(data)
        copied = copied if dtype is None else copied.astype(dtype)
    else:
        with run_eagerly():
            array = concrete(data, "to_tensor()")
            if dtype is not None:
                _refuse_complex(array.dtype, as_dtype(dtype))
            wanted = array if dtype is None else array.astype(as_dtype(dtype).numpy)
            copied = new_tensor(put(copy_array(wanted), place))
    copied._stop = stop_gradient
    return copied


def host_array(data: Any, dtype: Any = None) -> np.ndarray:
    """Reads user data into a fresh NumPy array with Paddle's default dtypes.

    Raises:
        InvalidTypeError: not numeric.
        InvalidArgumentError: ragged, or out of the dtype's range.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(data, list | tuple):
        data = _without_tensors(data)
    try:
        array = np.array(data)
    except ValueError as error:
        raise InvalidArgumentError(
            f"`data` is a ragged sequence: {str(error)[:120]}",
            expected="nested lists whose rows have equal lengths",
            fix="pad the rows, or make one tensor per row",
        ) from error
    if array.dtype.kind in "OUSV" and not is_extension_float(array.dtype):
        raise InvalidTypeError(
            f"`data` holds {type(data).__name__} values that are not numbers ({array.dtype})",
            expected="numbers, booleans, NumPy arrays or Tensors",
            fix="convert strings and objects to numbers first",
        )
    if wanted is None:
        return array.astype(_default_for(data, array), copy=False)
    return fit_dtype(array, wanted)


def fit_dtype(array: np.ndarray, wanted: DType) -> np.ndarray:
    """Casts an array; an integer that the dtype cannot hold is an error.

    Raises:
        InvalidArgumentError: an integer out of range.
        InvalidTypeError: complex values for a real dtype.
    """
    _refuse_complex(array.dtype, wanted)
    if wanted.is_integer and array.dtype.kind == "f" and not np.isfinite(array).all():
        raise InvalidArgumentError(
            f"NaN or Inf for a {wanted.name} tensor",
            expected="finite values",
            fix="use a floating dtype, or nan_to_num first",
        )
    if wanted.is_integer and array.dtype.kind in "iu" and array.size:
        info = np.iinfo(wanted.numpy)
        low, high = array.min(), array.max()
        if low < info.min or high > info.max:
            raise InvalidArgumentError(
                f"value {low if low < info.min else high} does not fit {wanted.name}",
                expected=f"values in [{info.min}, {info.max}]",
                fix="use a wider dtype such as int64",
            )
    return array.astype(wanted.numpy)


def _refuse_complex(dtype: Any, wanted: DType) -> None:
    if np.dtype(dtype).kind == "c" and not wanted.is_complex and wanted.name != "bool":
        raise InvalidTypeError(
            f"complex values for a {wanted.name} tensor",
            expected="real values",
            fix="take real(), imag() or abs() of them, or cast them with astype",
        )


def is_extension_float(dtype: np.dtype) -> bool:
    """Whether the dtype is one of `ml_dtypes` (bfloat16, float8), which NumPy files under V."""
    return dtype.kind == "V" and bool(jax.numpy.issubdtype(dtype, np.inexact))


def _without_tensors(data: Any) -> Any:
    if isinstance(data, Tensor):
        return data.numpy()
    if isinstance(data, list | tuple):
        return [_without_tensors(item) for item in data]
    return data


def _default_for(data: Any, array: np.ndarray) -> Any:
    if isinstance(data, np.ndarray | np.generic):
        return array.dtype
    if array.dtype.kind == "f":
        return default_dtype().numpy
    if array.dtype.kind == "c":
        return np.complex128 if default_dtype().name == "float64" else np.complex64
    return np.int64 if array.dtype.kind == "u" else array.dtype
