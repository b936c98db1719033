"""The one driver of op tests: a row of a table says what an op is, `check_case` tries it all.

A row is a `Case`. Its function gets Tensors, its reference gets the same arguments as NumPy arrays
(keyword arguments are not passed on: close over them). What is checked:

- value, dtype and shape against the reference, in float64 and in float32;
- first and second derivatives (third and fourth where `orders=4`) against finite differences in
  float64, along random directions, see `derivatives.py`; the eager float32 gradient against them;
- the recorded and compiled function, and the function on inputs sharded over four devices,
  against the eager one;
- bfloat16 and float16 against float32.

    CASES = [
        Case(proa.add, (randn(4, 3), randn(3)), ref=np.add),
        Case(proa.sum, (randn(4, 3),), {"axis": -1}, ref=lambda x: x.sum(-1)),
    ]

    @pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
    def test_op(case):
        check_case(case)

Give one axis an extent divisible by 4, or the sharded check has nothing to do. Inputs come from
`randn`, `positive`, `uniform`, `distinct`, `ints`, `bools`, `complexes`: deterministic, and all
different within a module.
"""

from __future__ import annotations

import inspect
import sys
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import proa
from proa.core import Tensor, new_tensor
from tests.ops.derivatives import FLAT, Derivatives, gradients, leaves, quickly, seeds_of

#: dtype -> (rtol, atol). An override in a `Case` states its reason.
TOLERANCE = {
    "float64": (1e-9, 1e-11),
    "complex128": (1e-9, 1e-11),
    "float32": (1e-5, 1e-6),
    "complex64": (1e-5, 1e-6),
    "float16": (4e-3, 2e-3),
    "bfloat16": (3e-2, 1.6e-2),
    # Finite differences in float64 with a step of 1e-6.
    "gradient": (2e-6, 2e-8),
    "second": (1e-5, 1e-7),
    "higher": (1e-5, 1e-6),
    # A gradient in float32 against one in float64.
    "eager gradient": (1e-4, 1e-5),
    # Same arithmetic, other fusion or another order of summation.
    "compiled": (2e-6, 1e-6),
    "sharded": (2e-6, 1e-6),
}
_COMPLEX = {"float64": np.complex128, "float32": np.complex64}
_drawn: dict[str, int] = {}
_tabled: set[Any] = set()
#: Every row that was made.
ALL: list[Case] = []


def _generator() -> np.random.Generator:
    """A generator seeded by the calling test module and the number of draws it made so far."""
    module = sys._getframe(2).f_globals.get("__name__", "")
    count = _drawn[module] = _drawn.get(module, 0) + 1
    return np.random.default_rng(zlib.crc32(f"{module.rpartition('.')[2]}:{count}".encode()))


def randn(*shape: int) -> np.ndarray:
    """Normal values, kept at least 0.05 away from zero (most kinks are there)."""
    values = np.asarray(_generator().standard_normal(shape))
    return values + np.where(values < 0, -0.05, 0.05)


def positive(*shape: int) -> np.ndarray:
    """Values in [0.5, 2.5)."""
    return np.asarray(_generator().uniform(0.5, 2.5, shape))


def uniform(low: float, high: float, *shape: int) -> np.ndarray:
    """Values in [low, high)."""
    return np.asarray(_generator().uniform(low, high, shape))


def distinct(*shape: int) -> np.ndarray:
    """Shuffled values at least 0.25 apart around zero, for max, sort, median."""
    total = int(np.prod(shape))
    return (_generator().permutation(total).reshape(shape) - total / 2.0 + 0.125) * 0.25


def ints(low: int, high: int, *shape: int, dtype: str = "int64") -> np.ndarray:
    """Integers in [low, high)."""
    return np.asarray(_generator().integers(low, high, shape)).astype(dtype)


def bools(*shape: int) -> np.ndarray:
    """Booleans, both with probability one half."""
    return np.asarray(_generator().integers(0, 2, shape)).astype(bool)


def complexes(*shape: int) -> np.ndarray:
    """Complex values with normal parts."""
    generator = _generator()
    return np.asarray(generator.standard_normal(shape) + 1j * generator.standard_normal(shape))


@dataclass(kw_only=True)
class _Options:
    """What a case may switch off or override."""

    #: Test the gradient; `"auto"`: where an input and an output are floating.
    grad: Any = "auto"
    #: Test the second derivative; `"auto"`: as `grad`. `False` where the op is not smooth.
    second: Any = "auto"
    #: Derivatives to try. By default 4 in the first row of an op (2 if it is in `FLAT`), then 2;
    #: less for the first row needs a `reason`.
    orders: int | None = None
    #: Low-precision dtypes to try.
    low: tuple[str, ...] = ("bfloat16", "float16")
    sharded: bool = True
    compiled: bool = True
    #: The function reads values on the host, so only `to_static` can take it as a whole.
    reads_values: bool = False
    #: Positions of arguments that are not differentiated.
    no_grad: tuple[int, ...] = ()
    #: Key of `TOLERANCE` -> (rtol, atol), with the reason.
    tolerance: dict[str, tuple[float, float]] | None = None
    reason: str = ""
    #: Dtype of each output where the rule of `_expected_dtype` does not hold.
    dtype: str | Sequence[str] | None = None
    id: str | None = None


@dataclass
class Case(_Options):
    """One row: a function of Tensors, its arguments, and what it should give."""

    fn: Callable[..., Any]
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    ref: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        if self.tolerance and not self.reason:
            raise ValueError(f"{self.name}: a tolerance needs a reason")
        if not isinstance(self.args, tuple):
            raise TypeError(f"{self.name}: args must be a tuple")
        plain = inspect.unwrap(self.fn)
        what = getattr(self.fn, "op", None) or getattr(plain, "__code__", plain)
        module = sys._getframe(2).f_globals.get("__name__", "")
        self.is_first = (module, what) not in _tabled
        _tabled.add((module, what))
        self.is_flat = self.is_first and getattr(what, "name", "") in FLAT
        ALL.append(self)
        if not self.second:
            self.orders = 1
        elif self.orders is None:
            self.orders = 4 if self.is_first and not self.is_flat else 2

    @property
    def name(self) -> str:
        return self.id or getattr(self.fn, "__name__", "case")

    def limits(self, kind: str) -> tuple[float, float]:
        return (self.tolerance or {}).get(kind, TOLERANCE[kind])


def case_ids(cases: Sequence[Case]) -> list[str]:
    """Returns unique test ids: the name, numbered from the second of the same name on."""
    seen: dict[str, int] = {}
    ids = []
    for case in cases:
        count = seen[case.name] = seen.get(case.name, 0) + 1
        ids.append(case.name if count == 1 else f"{case.name}-{count}")
    return ids


def compiled(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `fn` recorded and compiled as a whole; what cannot be recorded is an error."""
    return proa.jit.to_static(fn, full_graph=True)


# Arguments --------------------------------------------------------------------------------------


def _cast(value: Any, precision: str) -> Any:
    """NumPy argument in one precision; integers, booleans and plain values stay."""
    if isinstance(value, list | tuple):
        return type(value)(_cast(v, precision) for v in value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value.astype(jnp.dtype(precision))
    if isinstance(value, np.ndarray) and value.dtype.kind == "c" and precision in _COMPLEX:
        return value.astype(_COMPLEX[precision])
    return value


def _wrap(value: Any, put: Callable[[np.ndarray], Any] = jnp.asarray) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(_wrap(v, put) for v in value)
    return new_tensor(put(value)) if isinstance(value, np.ndarray) else value


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return [leaf for v in value for leaf in _leaves(v)]
    return [value]


def _run(case: Case, args: Any, fn: Callable[..., Any] | None = None) -> list[Tensor]:
    kwargs = {k: _wrap(v) for k, v in case.kwargs.items()}
    return [t for t in _leaves((fn or case.fn)(*args, **kwargs)) if isinstance(t, Tensor)]


def arrays_of(value: Any, every: bool = False) -> list[np.ndarray]:
    """The arrays among some arguments; with `every` numbers too, as arrays."""
    leaves_ = _leaves(value)
    return [np.asarray(v) for v in leaves_ if every or isinstance(v, np.ndarray)]


def values_of(case: Case, args: Any) -> list[np.ndarray]:
    """What a row's function gives for other arguments, in float32."""
    return [t.numpy() for t in _run(case, _wrap(_cast(args, "float32")))]


def _is_float(array: Any) -> bool:
    return bool(jnp.issubdtype(array.dtype, jnp.inexact))


def _floating(args: Any) -> list[np.ndarray]:
    return [a for a in _leaves(args) if isinstance(a, np.ndarray) and _is_float(a)]


def _has_float(case: Case) -> bool:
    return bool(_floating(case.args))


def _close(case: Case, got: Any, want: Any, kind: str, what: str) -> None:
    rtol, atol = case.limits(kind)
    wide = np.complex128 if np.iscomplexobj(got) else np.float64
    np.testing.assert_allclose(
        np.asarray(got).astype(wide),
        np.asarray(want).astype(wide),
        rtol=rtol,
        atol=atol,
        err_msg=f"{case.name}: {what}",
    )


# Value ------------------------------------------------------------------------------------------


def _expected_dtype(case: Case, index: int, want: np.ndarray, precision: str) -> str:
    """Dtype an output must have: the reference's, floats in the precision of the run.

    Without floating inputs a floating result has the default dtype, float32.
    """
    if case.dtype is not None:
        named = case.dtype if isinstance(case.dtype, str) else case.dtype[index]
        if named != "auto":
            return named
    if want.dtype.kind == "f":
        return precision
    return _COMPLEX[precision]().dtype.name if want.dtype.kind == "c" else want.dtype.name


def _check_value(case: Case, outputs: list[Any], precision: str, strict: bool) -> None:
    if case.ref is None:
        return
    exact = _cast(case.args, "float64")
    with np.errstate(all="ignore"):
        wanted = [np.asarray(w) for w in _leaves(case.ref(*exact))]
    if len(outputs) != len(wanted):
        raise AssertionError(f"{case.name}: {len(outputs)} outputs, reference {len(wanted)}")
    for i, (output, want) in enumerate(zip(outputs, wanted, strict=True)):
        dtype = _expected_dtype(case, i, want, precision)
        assert output.dtype.name == dtype, f"{case.name} in {precision}: dtype of output {i}"
        assert tuple(output.shape) == want.shape, f"{case.name}: shape of output {i}"
        kind = dtype if dtype in TOLERANCE else "float64"
        _close(case, output, want, kind if strict else "float32", f"value in {precision}")


def _in_precisions(case: Case, precisions: Sequence[str], whole: bool) -> list[list[Any]]:
    """Outputs of the op on inputs of each precision, all from one compiled function."""
    variants = [_cast(case.args, precision) for precision in precisions]

    def run(*given: Any) -> list[list[Any]]:
        remaining, found = iter(given), []
        for variant in variants:
            known = _floating(variant)
            tensors = [new_tensor(next(remaining)) for _ in known]
            found.append([t._data for t in _run(case, _with(variant, known, tensors))])
        return found

    return (quickly(run) if whole else run)(*map(jnp.asarray, _floating(variants)))


def _check_low(case: Case, precision: str, outputs: list[Any]) -> None:
    rounded = _again(_cast(case.args, precision), "float32")
    wanted = _run(case, _wrap(rounded))
    for i, (output, want) in enumerate(zip(outputs, wanted, strict=True)):
        expected = precision if want.dtype.name == "float32" else want.dtype.name
        if case.dtype is None:
            assert output.dtype.name == expected, f"{case.name} in {precision}: dtype of output {i}"
        _close(case, output, want.numpy(), precision, f"value in {precision}")


def _again(value: Any, precision: str) -> Any:
    """Casts extension floats (which NumPy files under kind V) as well."""
    if isinstance(value, list | tuple):
        return type(value)(_again(v, precision) for v in value)
    if isinstance(value, np.ndarray) and jnp.issubdtype(value.dtype, jnp.floating):
        return value.astype(precision)
    return value


# Derivatives ------------------------------------------------------------------------------------


def _inputs(case: Case, args: Any) -> list[np.ndarray]:
    """The arrays to differentiate by."""
    blocked = [leaf for p in case.no_grad for leaf in _leaves(args[p])]
    return [a for a in _floating(args) if a.size and not any(a is b for b in blocked)]


def _with(value: Any, known: list[np.ndarray], tensors: Sequence[Tensor]) -> Any:
    """Arguments with a tensor in the place of each known array."""
    if isinstance(value, list | tuple):
        return type(value)(_with(v, known, tensors) for v in value)
    for array, t in zip(known, tensors, strict=True):
        if value is array:
            return t
    return _wrap(value)


def _derivatives(case: Case, whole: bool) -> Derivatives | None:
    """Derivatives in float64, with the orders that the case asks for; checked."""
    args = _cast(case.args, "float64")
    inputs = _inputs(case, args)
    if not inputs:
        return None

    def call(*tensors: Tensor) -> list[Tensor]:
        return _run(case, _with(args, inputs, tensors))

    orders = case.orders or 1
    found = Derivatives(call, inputs, orders, whole)
    for i, (x, g) in enumerate(zip(inputs, found.here.gradients, strict=True)):
        if g is not None:
            assert g.dtype == x.dtype, f"{case.name}: dtype of gradient {i}"
            assert g.shape == x.shape, f"{case.name}: shape of gradient {i}"
            assert np.isfinite(g).all(), f"{case.name}: gradient {i} not finite"
    assert found.is_flat or not case.is_flat, f"{case.name} bends: take it out of FLAT"
    for order in range(1, orders + 1):
        if order > 2 and found.is_flat:
            break
        for i, want in enumerate(found.differences(order)):
            what = f"derivative {i} of order {order}"
            kind = ("gradient", "second", "higher", "higher")[order - 1]
            _close(case, float(found.here.parts[order - 1][i]), want, kind, what)
    return found


def _check_eager_gradient(case: Case, exact: Derivatives) -> None:
    """The gradient op by op in float32, as users compute it, against float64."""
    args = _cast(case.args, "float32")
    inputs = leaves(known := _inputs(case, args))
    outputs = _run(case, _with(args, known, inputs))
    pairs = [(t, c) for t, c in zip(outputs, seeds_of(outputs), strict=True) if not t._stop]
    assert pairs, f"{case.name}: no output is differentiable"
    found = gradients([p for p in pairs if p[1] is not None], inputs, create=False)
    for i, (x, g, want) in enumerate(zip(inputs, found, exact.here.gradients, strict=True)):
        assert (g is None) == (want is None), f"{case.name}: gradient {i} eager and traced"
        if g is not None:
            assert g.dtype == x.dtype, f"{case.name}: dtype of eager gradient {i}"
            _close(case, g.numpy(), want, "eager gradient", f"eager gradient {i}")


# Compiled, sharded ------------------------------------------------------------------------------


def _check_compiled(case: Case, eager: list[np.ndarray], precision: str) -> None:
    tensor_positions = [i for i, a in enumerate(case.args) if _holds_array(a)]
    args = _wrap(_cast(case.args, precision))

    def call(*given: Any) -> Any:
        full = list(args)
        for position, value in zip(tensor_positions, given, strict=True):
            full[position] = value
        return case.fn(*full, **{k: _wrap(v) for k, v in case.kwargs.items()})

    static = compiled(call)
    outputs = _leaves(static(*[args[i] for i in tensor_positions]))
    for output, want in zip((t for t in outputs if isinstance(t, Tensor)), eager, strict=True):
        assert output.numpy().dtype == want.dtype, f"{case.name}: dtype when compiled"
        _close(case, output.numpy(), want, "compiled", "compiled against eager")


def _holds_array(value: Any) -> bool:
    return any(isinstance(v, np.ndarray) for v in _leaves(value))


def _check_sharded(case: Case, eager: list[np.ndarray], precision: str) -> None:
    arrays = [a for a in _leaves(case.args) if isinstance(a, np.ndarray)]
    if jax.device_count() < 4 or not any(_split_axis(a) is not None for a in arrays):
        return
    mesh = Mesh(np.array(jax.devices()[:4]), ("shards",))

    def put(array: np.ndarray) -> Any:
        axis = _split_axis(array)
        spec = PartitionSpec() if axis is None else PartitionSpec(*[None] * axis, "shards")
        return jax.device_put(array, NamedSharding(mesh, spec))

    args = _cast(case.args, precision)

    def run(*given: Any) -> list[Any]:
        return [t._data for t in _run(case, _with(args, arrays, [*map(new_tensor, given)]))]

    arrays = [a for a in _leaves(args) if isinstance(a, np.ndarray)]
    outputs = quickly(run)(*map(put, arrays))
    for output, want in zip(outputs, eager, strict=True):
        _close(case, output, want, "sharded", "sharded against unsharded")


def _split_axis(array: np.ndarray) -> int | None:
    return next((i for i, n in enumerate(array.shape) if n and n % 4 == 0), None)


def check_case(case: Case) -> None:
    """Tries everything that a row asks for; an AssertionError names the op and the check."""
    op = getattr(case.fn, "op", None)
    recordable = case.compiled and (op is None or op.jit)
    whole = recordable and not case.reads_values
    has_float = _has_float(case)
    eager = [t.numpy() for t in _run(case, _wrap(_cast(case.args, "float32")))]
    _check_value(case, eager, "float32", strict=has_float)
    smooth = has_float and getattr(op, "differentiable", True)
    smooth = smooth and any(e.dtype.kind in "fc" for e in eager)
    exact = None
    if case.grad is True or (case.grad == "auto" and smooth):
        exact = _derivatives(case, whole)
        if exact is not None:
            _check_eager_gradient(case, exact)
            _check_value(case, exact.here.outputs, "float64", strict=True)
    low = case.low if has_float and all(e.dtype.kind != "c" for e in eager) else ()
    rest = (*low, "float64") if has_float and exact is None else low
    for precision, outputs in zip(rest, _in_precisions(case, rest, whole), strict=True):
        if precision == "float64":
            _check_value(case, outputs, precision, strict=True)
        else:
            _check_low(case, precision, outputs)
    if recordable:
        _check_compiled(case, eager, "float32")
    if case.sharded and (op is None or op.jit):
        _check_sharded(case, eager, "float32")


def same(got: Any, want: Any, dtype: str | None = None) -> None:
    """Asserts a Tensor's values (NaN equals NaN), shape and, if given, dtype; for edge rows."""
    array = got.numpy() if isinstance(got, proa.core.Tensor) else np.asarray(got)
    if dtype is not None:
        assert got.dtype.name == dtype
    assert array.shape == np.shape(want)
    wide = np.complex128 if np.iscomplexobj(array) else np.float64
    np.testing.assert_allclose(array.astype(wide), np.asarray(want).astype(wide), 1e-6, 1e-7)
