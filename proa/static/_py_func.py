"""Python functions of arrays as ops of a Program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.experimental import io_callback

from proa.autograd import PyLayer
from proa.core import (
    BaseOp,
    InvalidArgumentError,
    InvalidTypeError,
    ProaError,
    ProgramError,
    Tensor,
    UnsupportedError,
    Vjp,
    context,
    dispatch,
    is_dimension,
    is_inexact,
    new_tensor,
    on_host,
    user_location,
)
from proa.program import Effect, record_effect


class HostFunction:
    """A Python function of arrays, with what it is called in messages.

    Args:
        function: takes and gives NumPy arrays.
        label: what it is.
        wanted: which of its results are used; `None` for all.
    """

    def __init__(
        self, function: Callable[..., Any], label: str, wanted: Sequence[int] | None = None
    ) -> None:
        self.function, self.wanted = function, wanted
        name = getattr(function, "__name__", type(function).__name__)
        self.label = f"{label} `{name}` of py_func at {user_location()}"

    def call(self, arrays: Sequence[Any]) -> Any:
        """Calls the function; returns what it returns.

        Raises:
            ProgramError: the function failed.
        """
        try:
            return self.function(*[np.asarray(a) for a in arrays])
        except ProaError:
            raise
        except Exception as error:
            raise ProgramError(
                f"{self.label} raised {type(error).__name__}: {error}",
                expected="a function of NumPy arrays that returns",
                fix="call it with arrays of the inputs' shapes and dtypes by itself",
            ) from error

    def __call__(self, arrays: Sequence[Any], specs: Sequence[Any]) -> list[np.ndarray]:
        """Calls the function; returns its results as the given shapes and dtypes.

        Raises:
            ProgramError: the function failed, or gave something else.
        """
        found = self.call(arrays)
        results = list(found) if isinstance(found, list | tuple) else [found]
        if self.wanted is not None:
            results = self._chosen(results, self.wanted, len(specs))
        if len(results) != len(specs):
            raise self._wrong(f"returned {len(results)} values", f"{len(specs)}, one per output")
        return [self._fitted(r, spec, i) for i, (r, spec) in enumerate(zip(results, specs))]  # noqa: B905

    def _chosen(self, results: list[Any], wanted: Sequence[int], count: int) -> list[Any]:
        if wanted and max(wanted) >= len(results):
            raise self._wrong(f"returned {len(results)} gradients", "one per input")
        return [results[i] for i in wanted]

    def _fitted(self, result: Any, spec: Any, position: int) -> np.ndarray:
        shape, dtype = spec
        if result is None:
            return np.zeros(shape, dtype)
        array = np.asarray(result.numpy() if isinstance(result, Tensor) else result)
        if array.shape != tuple(shape):
            raise self._wrong(
                f"returned shape {list(array.shape)} as value {position}", f"shape {list(shape)}"
            )
        return array.astype(dtype)

    def _wrong(self, what: str, expected: str) -> ProgramError:
        return ProgramError(
            f"{self.label} {what}",
            expected=expected,
            fix="make it return one array per output, as the variables in `out` say",
        )


class HostOp(BaseOp):
    """Calls a Python function from a Program; its key is (function, shapes and dtypes)."""

    name = "py_func"

    def infer(self, key: Any, inputs: tuple[Any, ...]) -> tuple[tuple[Any, Any], ...]:
        """What the key says."""
        return tuple([(shape, np.dtype(dtype)) for shape, dtype in key[1]])

    def array_fn(self, key: Any) -> Callable[..., Any]:
        """Returns the function of the inputs' values."""
        function, specs = key

        @on_host
        def host(*arrays: np.ndarray) -> Any:
            return tuple(function(arrays, specs))

        def run(*arrays: Any) -> Any:
            # It is called once for each run, though it may have effects or draw numbers.
            structs = [jax.ShapeDtypeStruct(shape, np.dtype(dtype)) for shape, dtype in specs]
            return io_callback(host, tuple(structs), *arrays, ordered=False)

        return run

    @property
    def vjp(self) -> Vjp:
        """Fails: only the user knows the gradient.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError(
            "a gradient of a gradient that py_func's `backward_func` computes",
            expected="first derivatives only",
            fix="write the function with tensor ops, which have derivatives of any order",
        )


_HOST = HostOp()


class _Calling(Effect):
    """Calls a function that gives nothing."""

    def __init__(self, function: HostFunction) -> None:
        self.function = function

    def __call__(self, *arrays: np.ndarray) -> None:
        self.function.call(arrays)


def _call(function: HostFunction, tensors: Sequence[Tensor], specs: Any) -> list[Tensor]:
    if context.recorder is None:
        arrays = [t.numpy() for t in tensors]
        return [new_tensor(jax.device_put(a)) for a in function(arrays, specs)]
    return list(dispatch(_HOST, tuple(tensors), (function, specs)))


class _HostLayer(PyLayer):
    """A Python function on the tape, with the function of its gradient."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any, **settings: Any) -> Any:
        """Calls the function."""
        plan = settings["plan"]
        outputs = _call(plan.forward, inputs, plan.specs)
        ctx.plan = plan
        ctx.save_for_backward(*inputs, *outputs)
        return outputs

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Calls the function of the gradient."""
        plan, saved = ctx.plan, ctx.saved_tensor()
        kept = [t for i, t in enumerate(saved) if i not in plan.skipped]
        inputs = saved[: plan.count]
        places = [i for i, t in enumerate(inputs) if is_inexact(t._data.dtype)]
        specs = tuple([(tuple(inputs[i].shape), inputs[i].dtype.name) for i in places])
        function = HostFunction(plan.backward, "the gradient", places)
        found = _call(function, [*kept, *gradients], specs)
        result: list[Any] = [None] * plan.count
        for place, gradient in zip(places, found, strict=True):
            result[place] = gradient
        return tuple(result)


class _Plan:
    """What a call of py_func is about; it is handed to the layer as it is."""

    def __init__(self, forward: HostFunction, backward: Any, specs: Any, count: int) -> None:
        self.forward, self.backward, self.specs, self.count = forward, backward, specs, count
        #: Positions among inputs and outputs that the gradient's function does not get.
        self.skipped: set[int] = set()


def py_func(
    func: Callable[..., Any],
    x: Any,
    out: Any,
    backward_func: Callable[..., Any] | None = None,
    skip_vars_in_backward_input: Any = None,
) -> Any:
    """Makes a Python function of arrays a part of a Program.

    It is called on the host with NumPy arrays each time that its results are computed; with
    `out=None` each time that the Program runs.

    Args:
        func (Callable): takes an array per tensor in `x`, returns one per tensor in `out`. It
            computes with NumPy: the Program waits for it, and work on tensors might wait for
            the Program.
        x (Tensor | list | tuple): inputs.
        out (Tensor | list | tuple | None): variables that say shapes and dtypes of the
            results and take them, made by `Block.create_var`; `None` for a function that is
            called for what it does, such as printing.
        backward_func (Callable, optional): takes the inputs, outputs and the outputs'
            gradients, returns a gradient, or `None`, per input. Without it no gradient flows.
        skip_vars_in_backward_input (Tensor | list, optional): inputs and outputs that
            `backward_func` does not take.

    Returns:
        `out`, which now holds the results.

    Raises:
        InvalidTypeError: functions that cannot be called, or no tensors.
        InvalidArgumentError: something to skip that is no input or output.
        ProgramError: at a run, where the function fails or gives other shapes.

    Examples:
        >>> import numpy, proa
        >>> main = proa.static.Program()
        >>> with proa.static.program_guard(main):
        ...     x = proa.static.data("x", [None, 2])
        ...     y = main.current_block().create_var("y", [None, 2], "float32")
        ...     _ = proa.static.py_func(numpy.square, x, y)
        >>> proa.static.Executor().run(main, {"x": [[2.0, 3.0]]}, [y])[0].tolist()
        [[4.0, 9.0]]
    """
    for name, function in (("func", func), ("backward_func", backward_func)):
        if not callable(function) and (name == "func" or function is not None):
            raise InvalidTypeError(
                f"py_func: `{name}` is a {type(function).__name__}",
                expected="a function",
                fix="pass a Python function of NumPy arrays",
            )
    inputs, outputs = _tensors("x", x), _tensors("out", out)
    forward = HostFunction(func, "the function")
    if not outputs:
        if context.recorder is None:
            forward.call([t.numpy() for t in inputs])
        else:
            record_effect(_Calling(forward), inputs)
        return out
    specs = tuple([(_dimensions(t, inputs), t.dtype.name) for t in outputs])
    if backward_func is None:
        made = _call(forward, [_constant(t) for t in inputs], specs)
    else:
        plan = _Plan(forward, backward_func, specs, len(inputs))
        plan.skipped = _positions(skip_vars_in_backward_input, [*inputs, *outputs])
        made = _HostLayer.apply(*inputs, plan=plan)
    for variable, result in zip(outputs, made, strict=True):
        name = variable.name
        variable._data, variable._stop, variable._edge = result._data, result._stop, result._edge
        variable.name = name
    return out


def _tensors(what: str, given: Any) -> list[Tensor]:
    found = list(given) if isinstance(given, list | tuple) else [] if given is None else [given]
    for each in found:
        if not isinstance(each, Tensor):
            raise InvalidTypeError(
                f"py_func: `{what}` holds a {type(each).__name__}",
                expected="Tensors",
                fix="make results with program.current_block().create_var(name, shape, dtype)",
            )
    return found


def _constant(t: Tensor) -> Tensor:
    """Returns a handle that no gradient flows to."""
    held = new_tensor(t._data if context.recorder is None else context.recorder.value_of(t))
    return held


def _dimensions(variable: Tensor, inputs: Sequence[Tensor]) -> tuple[Any, ...]:
    """The shape of a result; a size that is unknown is that of the input on the same axis."""
    found = list(variable.shape)
    for t in inputs:
        shape = list(t.shape)
        if len(shape) == len(found):
            return tuple([s if is_dimension(e) else e for e, s in zip(found, shape, strict=True)])
    return tuple(found)


def _positions(skipped: Any, among: Sequence[Tensor]) -> set[int]:
    places = {id(t): i for i, t in enumerate(among)}
    names = {t.name: i for i, t in enumerate(among)}
    found = set()
    for each in skipped if isinstance(skipped, list | tuple | set) else [skipped]:
        if each is None:
            continue
        place = names.get(each) if isinstance(each, str) else places.get(id(each))
        if place is None:
            raise InvalidArgumentError(
                f"py_func: {getattr(each, 'name', each)!r} in `skip_vars_in_backward_input`",
                expected="inputs and outputs: " + ", ".join(names),
                fix="leave it out",
            )
        found.add(place)
    return found
