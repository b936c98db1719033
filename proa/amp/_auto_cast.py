"""auto_cast: an interceptor around dispatch that casts the inputs of ops, thread by thread."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from typing import Any

from proa.core import (
    InvalidArgumentError,
    Op,
    as_dtype,
    context,
    dispatch,
    get_op,
    interceptors,
)

from ._lists import LEVELS, LOW_DTYPES, check_disjoint, expand_names, level_ops, read_names

_WIDE = as_dtype("float32")
_CASTABLE = frozenset(as_dtype(name).numpy for name in ("float32", *LOW_DTYPES))
# What an op's float inputs become.
_LOW, _FULL, _PROMOTE, _KEEP = range(4)
# Ops that move data or write into a tensor: the tensor's own dtype is what counts.
_KEPT = frozenset(
    {
        *("cast", "assign", "clone", "overwrite", "with_sharding", "as_strided"),
        *("setitem", "setitem_arrays", "setitem_mask", "getitem_arrays"),
        *("grad_seed", "grad_sum", "grad_zeros", "random_split", "reduce_as"),
        *("loss_scale", "loss_unscale", "loss_scale_update"),
    }
)
# Ops with statistics and weights beside their input: only the input decides.
_FIRST_ONLY = frozenset({"batch_norm_train", "batch_norm_infer", "instance_norm_batch"})


class AmpState:
    """How one region of auto_cast chooses dtypes; equal settings share one object.

    Args:
        level: `"O1"`, `"O2"` or `"OD"`.
        dtype: `"bfloat16"` or `"float16"`.
        white: names of the user's white list.
        black: names of the user's black list.
        use_promote: whether at O2 a float32 input makes an op of no list run in float32.
    """

    def __init__(
        self,
        level: str,
        dtype: str,
        white: frozenset[str],
        black: frozenset[str],
        use_promote: bool,
    ) -> None:
        self.level, self.dtype, self.use_promote = level, as_dtype(dtype), use_promote
        custom_white, custom_black = expand_names(white), expand_names(black)
        self.white = (level_ops("white", level) | custom_white) - custom_black
        self.black = (level_ops("black", level) | custom_black) - custom_white
        self._decisions: dict[Any, int] = {}

    def decide(self, op: Any) -> int:
        """Returns what the float inputs of an op become."""
        known = self._decisions.get(op)
        if known is None:
            known = self._decisions[op] = self._classify(op)
        return known

    def _classify(self, op: Any) -> int:
        if not isinstance(op, Op) or op.name in _KEPT or op.name.endswith("_inverse"):
            return _KEEP
        if op.name in self.white:
            return _LOW
        if op.name in self.black:
            return _FULL
        if op.facts.inverse is not None:
            # A view shares its base's values, and so its dtype.
            return _KEEP
        if self.level == "OD":
            return _FULL
        return _LOW if self.level == "O2" and not self.use_promote else _PROMOTE


@functools.lru_cache(maxsize=256)
def amp_state(*settings: Any) -> AmpState:
    """Returns the state of some settings; one object each, so that signatures compare fast."""
    return AmpState(*settings)


def _cast_inputs(op: Any, tensors: tuple[Any, ...], key: Any, proceed: Any) -> Any:
    state = context.amp
    if state is None:
        return proceed(op, tensors, key)
    decision = state.decide(op)
    if decision == _KEEP:
        return proceed(op, tensors, key)
    head = tensors[:1] if op.name in _FIRST_ONLY else tensors
    dtypes = [t._data.dtype for t in head]
    if decision == _PROMOTE:
        target = _WIDE if _WIDE.numpy in dtypes else None
    else:
        target = state.dtype if decision == _LOW else _WIDE
    if target is None or any(dtype.kind in "fc" and dtype.itemsize >= _DOUBLE for dtype in dtypes):
        return proceed(op, tensors, key)
    cast_key = (None, (target,))
    changed = [
        dispatch(get_op("cast"), (t,), cast_key)
        if dtype in _CASTABLE and dtype != target.numpy
        else t
        for t, dtype in zip(head, dtypes, strict=True)
    ]
    return proceed(op, (*changed, *tensors[len(head) :]), key)


# Where float64 or complex numbers take part, the precision was asked for.
_DOUBLE = 8
_lock = threading.Lock()
_open_regions = [0]


def _open() -> None:
    with _lock:
        _open_regions[0] += 1
        if _open_regions[0] == 1:
            interceptors.append(_cast_inputs)


def _close() -> None:
    with _lock:
        _open_regions[0] -= 1
        if _open_regions[0] == 0:
            interceptors.remove(_cast_inputs)


class AutoCast:
    """A region in which ops choose the dtype of their inputs; also decorates functions.

    Args:
        state: how; `None` for a region without casts.
    """

    def __init__(self, state: AmpState | None) -> None:
        self.state = state

    def __enter__(self) -> None:
        context.outer_amp.append(context.amp)
        context.amp = self.state
        if self.state is not None:
            _open()

    def __exit__(self, *exception: object) -> None:
        context.amp = context.outer_amp.pop()
        if self.state is not None:
            _close()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isgeneratorfunction(function):
            raise InvalidArgumentError(
                f"auto_cast decorates the generator function {function.__name__!r}",
                expected="a function: a generator would leave the region open while it waits",
                fix="write `with proa.amp.auto_cast(...):` inside of it, around the computation",
            )

        @functools.wraps(function)
        def wrapped(*arguments: Any, **keywords: Any) -> Any:
            with AutoCast(self.state):
                return function(*arguments, **keywords)

        return wrapped


def _require(name: str, given: Any, known: tuple[str, ...]) -> None:
    if given not in known:
        raise InvalidArgumentError(
            f"`{name}` of auto_cast is {given!r}",
            expected="one of " + ", ".join(repr(each) for each in known),
            fix=f"change `{name}`",
        )


def dtype_name(dtype: Any) -> str:
    """Returns `"bfloat16"` or `"float16"`.

    Raises:
        InvalidArgumentError: it is another dtype.
    """
    name = dtype if isinstance(dtype, str) else as_dtype(dtype).name
    _require("dtype", name, LOW_DTYPES)
    return name


def auto_cast(
    enable: bool = True,
    custom_white_list: Any = None,
    custom_black_list: Any = None,
    level: str = "O1",
    dtype: Any = "float16",
    use_promote: bool = True,
) -> AutoCast:
    """Runs the ops of a region in low precision where that is fast and safe.

    The casts are ops of their own, so a float32 parameter gets a float32 gradient. A region
    concerns the thread that opens it. A function that is compiled takes the region into
    account in which it is called, and has a variant for each.

    | level | white ops (matrix products, convolutions) | black ops | other ops |
    | --- | --- | --- | --- |
    | `"O0"` | as they come | as they come | as they come |
    | `"OD"` | low precision | float32 | float32 |
    | `"O1"` | low precision | float32: exp, log, sums, norms, softmax, losses, ... | float32 if an
      input is float32, else low precision |
    | `"O2"` | low precision | float32: resizing | as at O1; always low precision without
      `use_promote` |

    Inputs of float64, of complex and of integer dtypes stay as they are. The input alone
    decides for batch and instance normalisation, whose statistics stay in float32.

    Args:
        enable (bool): `False` makes a region without casts, also inside of another.
        custom_white_list (set[str], optional): ops to run in low precision, by Proa's names
            or by Paddle's (`"matmul_v2"`, `"elementwise_add"`).
        custom_black_list (set[str], optional): ops to run in float32.
        level (str): `"O0"`, `"O1"`, `"O2"` or `"OD"`.
        dtype (str): `"float16"` or `"bfloat16"`.
        use_promote (bool): see the table.

    Returns:
        A context manager that also decorates functions.

    Raises:
        InvalidArgumentError: `level` or `dtype` is none of those above, or a name is in both
            lists.
        InvalidTypeError: a list holds something else than names.

    Examples:
        >>> import proa
        >>> x, w = proa.ones([2, 4]), proa.ones([4, 3])
        >>> with proa.amp.auto_cast(dtype="bfloat16"):
        ...     y = proa.matmul(x, w)
        ...     z = proa.nn.functional.softmax(y)
        >>> y.dtype, z.dtype
        (paddle.bfloat16, paddle.float32)

    Differs: float16 and bfloat16 work on all devices; Paddle 3.3.1 turns itself off on a CPU.
    """
    _require("level", level, LEVELS)
    name = dtype_name(dtype)
    white = read_names("custom_white_list", custom_white_list)
    black = read_names("custom_black_list", custom_black_list)
    check_disjoint(white, black)
    if not enable or level == "O0":
        return AutoCast(None)
    return AutoCast(amp_state(level, name, white, black, bool(use_promote)))


def amp_guard(
    enable: bool = True,
    custom_white_list: Any = None,
    custom_black_list: Any = None,
    level: str = "O1",
    dtype: Any = "float16",
    use_promote: bool = True,
) -> AutoCast:
    """Does what `auto_cast` does, under an older name."""
    return auto_cast(enable, custom_white_list, custom_black_list, level, dtype, use_promote)


def autocast(
    device_type: str, dtype: Any = "float16", enabled: bool = True, cache_enabled: bool = True
) -> AutoCast:
    """`auto_cast` at level O1 with PyTorch's arguments.

    Args:
        device_type: makes no difference: a region concerns all devices.
        dtype: `"float16"` or `"bfloat16"`.
        enabled: `False` makes a region without casts.
        cache_enabled: kept for PyTorch's signature; XLA removes repeated casts.

    Raises:
        InvalidArgumentError: another dtype.

    Examples:
        >>> import proa
        >>> x = proa.ones([2, 2])
        >>> with proa.autocast("cpu", dtype="bfloat16"):
        ...     proa.matmul(x, x).dtype == "bfloat16"
        True

    Differs: Paddle 3.3.1 casts on GPUs only.
    """
    return auto_cast(enabled, dtype=dtype)


def is_autocast_enabled(device_type: str | None = None) -> bool:
    """Whether this thread is inside a region of `auto_cast`.

    Args:
        device_type (str, optional): makes no difference: a region concerns all devices.

    Examples:
        >>> import proa
        >>> with proa.amp.auto_cast(dtype="bfloat16"):
        ...     proa.amp.is_autocast_enabled()
        True
    """
    return context.amp is not None


def get_autocast_dtype(device_type: str | None = None) -> Any:
    """Returns the low-precision dtype of the region this thread is in; float16 outside.

    Args:
        device_type (str, optional): makes no difference: a region concerns all devices.
    """
    return as_dtype("float16") if context.amp is None else context.amp.dtype


def get_autocast_cpu_dtype(device_type: str | None = None) -> Any:
    """Does what `get_autocast_dtype` does."""
    return get_autocast_dtype(device_type)


def get_autocast_gpu_dtype(device_type: str | None = None) -> Any:
    """Does what `get_autocast_dtype` does."""
    return get_autocast_dtype(device_type)
