"""What a row of `parity/calls` is made of: pure data that both sides read."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Array:
    """An array that is described, not made: each side makes the same one.

    Args:
        kind: "normal", "uniform", "integers", "booleans" or "given".
        shape: its shape.
        dtype: its dtype, in Paddle's words.
        bounds: lowest and highest value, for kinds that have them.
        fixed: whether no gradient is asked for.
        numbers: the values of the kind "given".
    """

    kind: str
    shape: tuple[int, ...]
    dtype: str
    bounds: tuple[float, float] = (0.0, 0.0)
    fixed: bool = False
    numbers: Any = None

    @property
    def differentiable(self) -> bool:
        """Whether the gradient with respect to this array is compared."""
        return not self.fixed and self.dtype.startswith(("float", "bfloat", "complex"))

    def make(self, random: np.random.RandomState) -> np.ndarray:
        """Draws the values; bfloat16, which NumPy has not, is left as float32."""
        low, high = self.bounds
        if self.kind == "given":
            values = np.asarray(self.numbers)
        elif self.kind == "integers":
            values = random.randint(int(low), int(high), size=self.shape)
        elif self.kind == "booleans":
            values = random.uniform(size=self.shape) < 0.5
        else:
            draw = random.normal if self.kind == "normal" else random.uniform
            values = draw(*self.bounds, size=self.shape)
            if self.dtype.startswith("complex"):
                values = values + 1j * draw(*self.bounds, size=self.shape)
        dtype = "float32" if self.dtype == "bfloat16" else self.dtype
        return np.asarray(values).astype(dtype)

    def __repr__(self) -> str:
        if self.kind == "given":
            return f"array({self.numbers!r}, {self.dtype})"
        word = self.kind if self.dtype in ("float32", "int64", "bool") else self.dtype
        return f"{word}{self.shape!r}".replace(",)", ")")


def normal(*shape: int, dtype: str = "float32", fixed: bool = False) -> Array:
    """Standard normal values; for complex dtypes, in both parts."""
    return Array("normal", shape, dtype, (0.0, 1.0), fixed)


def uniform(
    *shape: int,
    low: float = -1.0,
    high: float = 1.0,
    dtype: str = "float32",
    fixed: bool = False,
) -> Array:
    """Values between `low` and `high`."""
    return Array("uniform", shape, dtype, (low, high), fixed)


def positive(*shape: int, dtype: str = "float32", fixed: bool = False) -> Array:
    """Values between 0.5 and 2, away from where logarithms and roots are steep."""
    return Array("uniform", shape, dtype, (0.5, 2.0), fixed)


def integers(*shape: int, low: int = 0, high: int = 10, dtype: str = "int64") -> Array:
    """Whole numbers from `low` up to, not including, `high`."""
    return Array("integers", shape, dtype, (low, high))


def booleans(*shape: int) -> Array:
    """True and False, evenly."""
    return Array("booleans", shape, "bool")


def bfloat16(*shape: int, fixed: bool = False) -> Array:
    """Standard normal values of dtype bfloat16."""
    return normal(*shape, dtype="bfloat16", fixed=fixed)


def float16(*shape: int, fixed: bool = False) -> Array:
    """Standard normal values of dtype float16."""
    return normal(*shape, dtype="float16", fixed=fixed)


def float64(*shape: int, fixed: bool = False) -> Array:
    """Standard normal values of dtype float64."""
    return normal(*shape, dtype="float64", fixed=fixed)


def complexes(*shape: int, dtype: str = "complex64", fixed: bool = False) -> Array:
    """Complex values, both parts standard normal."""
    return normal(*shape, dtype=dtype, fixed=fixed)


_GIVEN_DTYPES = {"f": "float32", "i": "int64", "u": "int64", "b": "bool", "c": "complex64"}


def array(numbers: Any, dtype: str | None = None, fixed: bool = False) -> Array:
    """The given numbers, of the dtype that a tensor of them has, or of `dtype`."""
    values = np.asarray(numbers)
    return Array(
        "given", values.shape, dtype or _GIVEN_DTYPES[values.dtype.kind], (0, 0), fixed, numbers
    )


@dataclass(frozen=True)
class Named:
    """An object of either side by its public name, as an argument of a row."""

    name: str


def named(name: str) -> Named:
    """The object that is called `name` on both sides, such as "paddle.float32"."""
    return Named(name)


class Call:
    """One row: a public name and the arguments it is called with on both sides.

    An argument may be an array of this module, a `named` object, another `Call` (what it gives is
    handed in), a list, tuple or dictionary of these, or any plain value.

    Args:
        name: the public name. Under `paddle.Tensor` the first argument is the tensor.
        args: positional arguments.
        forward: for a class: the arguments of the object's own call. A layer's parameters are
            first filled with fixed numbers.
        methods: for a class: methods to call one after the other, each a tuple of the method's
            name and its arguments; all results are compared.
        steps: for an optimiser or a schedule: how many steps to take.
        grad: whether gradients are compared.
        values: whether values are compared; without, only structure, shapes and dtypes.
        evaluation: whether a layer is put in evaluation mode first.
        error: whether both sides must raise.
        rtol: another tolerance, with the reason beside it in the row's file.
        differs: why Proa differs on purpose.
        also: keyword arguments whose names are taken above.
        kwargs: keyword arguments.
    """

    def __init__(
        self,
        name: str,
        /,
        *args: Any,
        forward: tuple | None = None,
        methods: tuple[tuple, ...] = (),
        steps: int = 0,
        grad: bool = True,
        values: bool = True,
        evaluation: bool = False,
        error: bool = False,
        rtol: float | None = None,
        differs: str = "",
        also: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        self.name, self.args, self.kwargs = name, args, {**kwargs, **(also or {})}
        self.methods = (("__call__", *forward), *methods) if forward is not None else methods
        self.steps, self.grad, self.values, self.evaluation = steps, grad, values, evaluation
        self.error, self.rtol, self.differs = error, rtol, differs

    @property
    def room(self) -> str:
        """The room of the name."""
        return self.name.rpartition(".")[0]

    def __repr__(self) -> str:
        given = [repr(each) for each in self.args]
        given += [f"{name}={value!r}" for name, value in self.kwargs.items()]
        text = f"{self.name}({', '.join(given)})"
        for method, *args in self.methods:
            inner = ", ".join(map(repr, args))
            text += f"({inner})" if method == "__call__" else f".{method}({inner})"
        return text


def number_rows(calls: Iterable[Call]) -> Iterator[tuple[str, Call]]:
    """Gives each row its key: the name, and which row of that name it is."""
    counts: dict[str, int] = {}
    for call in calls:
        counts[call.name] = count = counts.get(call.name, 0) + 1
        yield f"{call.name}#{count}", call


def read_table(package: str = "parity.calls") -> dict[str, Call]:
    """Reads all rows of the modules of `package`, by key."""
    calls: list[Call] = []
    folder = importlib.import_module(package)
    for module in sorted(each.name for each in pkgutil.iter_modules(folder.__path__)):
        calls += importlib.import_module(f"{package}.{module}").CALLS
    return dict(number_rows(calls))
