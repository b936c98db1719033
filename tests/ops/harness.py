"""The one driver of op tests: a row of a table says what an op is, `check_case` tries it all.

A row is a `Case`. Its function gets Tensors, its reference gets the same arguments as NumPy arrays
(keyword arguments are not passed on: close over them). What is checked:

- value, dtype and shape against the reference, in float64 and in float32;
- first and second derivatives against finite differences in float64, along one random direction
  per floating input;
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

import importlib.util
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
from proa.core import GradMode, Tensor, grad, new_tensor

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
    # Same arithmetic, other fusion or another order of summation.
    "compiled": (2e-6, 1e-6),
    "sharded": (2e-6, 1e-6),
}
_STEP = 1e-6
_COMPLEX = {"float64": np.complex128, "float32": np.complex64}
_drawn: dict[str, int] = {}


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
    #: Low-precision dtypes to try.
    low: tuple[str, ...] = ("bfloat16", "float16")
    sharded: bool = True
    compiled: bool = True
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


def compiled(fn: Callable[..., Any]) -> Callable[..., Any] | None:
    """Returns `fn` recorded and compiled as a whole, or `None` where that cannot be done yet."""
    try:
        if importlib.util.find_spec("proa.jit") is None:
            return None
    except ModuleNotFoundError:
        return None
    jit = importlib.import_module("proa.jit")
    to_static = getattr(jit, "to_static", None)
    return None if to_static is None else to_static(fn)


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


def _is_float(array: Any) -> bool:
    return bool(jnp.issubdtype(array.dtype, jnp.inexact))


def _has_float(case: Case) -> bool:
    return any(isinstance(v, np.ndarray) and v.dtype.kind in "fc" for v in _leaves(case.args))


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


def _check_value(case: Case, precision: str, strict: bool) -> list[np.ndarray]:
    args = _cast(case.args, precision)
    got = _run(case, _wrap(args))
    if case.ref is not None:
        exact = _cast(case.args, "float64")
        with np.errstate(all="ignore"):
            wanted = [np.asarray(w) for w in _leaves(case.ref(*exact))]
        if len(got) != len(wanted):
            raise AssertionError(f"{case.name}: {len(got)} outputs, reference {len(wanted)}")
        for i, (output, want) in enumerate(zip(got, wanted, strict=True)):
            dtype = _expected_dtype(case, i, want, precision)
            assert output.dtype.name == dtype, f"{case.name} in {precision}: dtype of output {i}"
            assert tuple(output.shape) == want.shape, f"{case.name}: shape of output {i}"
            kind = dtype if dtype in TOLERANCE else "float64"
            kind = kind if strict else "float32"
            _close(case, output.numpy(), want, kind, f"value in {precision}")
    return [output.numpy() for output in got]


def _check_low(case: Case, precision: str, reference: list[np.ndarray]) -> None:
    if any(r.dtype.kind == "c" for r in reference) or not _has_float(case):
        return
    args = _cast(case.args, precision)
    got = _run(case, _wrap(args))
    rounded = _again(args, "float32")
    wanted = _run(case, _wrap(rounded))
    for i, (output, want) in enumerate(zip(got, wanted, strict=True)):
        expected = precision if want.dtype.name == "float32" else want.dtype.name
        if case.dtype is None:
            assert output.dtype.name == expected, f"{case.name} in {precision}: dtype of output {i}"
        _close(case, output.numpy(), want.numpy(), precision, f"value in {precision}")


def _again(value: Any, precision: str) -> Any:
    """Casts extension floats (which NumPy files under kind V) as well."""
    if isinstance(value, list | tuple):
        return type(value)(_again(v, precision) for v in value)
    if isinstance(value, np.ndarray) and jnp.issubdtype(value.dtype, jnp.floating):
        return value.astype(precision)
    return value


# Derivatives ------------------------------------------------------------------------------------


class _Derivative:
    """First and second derivatives of `sum(Re(conj(c) * output))` in float64."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.args = _cast(case.args, "float64")
        blocked = [leaf for p in case.no_grad for leaf in _leaves(self.args[p])]
        self.inputs = [
            a
            for a in _leaves(self.args)
            if isinstance(a, np.ndarray)
            and a.dtype.kind in "fc"
            and a.size
            and not any(a is b for b in blocked)
        ]
        draw = np.random.default_rng(17)
        self.directions = [_normal_like(draw, a) for a in self.inputs]
        self.second_directions = [_normal_like(draw, a) for a in self.inputs]
        self.cotangents: list[np.ndarray] = []
        self.draw = draw

    def tensors(self, replaced: dict[int, np.ndarray]) -> tuple[Any, list[Tensor]]:
        made: list[Tensor] = []

        def build(value: Any) -> Any:
            if isinstance(value, list | tuple):
                return type(value)(build(v) for v in value)
            for i, known in enumerate(self.inputs):
                if value is known:
                    t = new_tensor(jnp.asarray(replaced.get(i, known)))
                    t.stop_gradient = False
                    made.append(t)
                    return t
            return _wrap(value)

        return build(self.args), made

    def outputs(self, replaced: dict[int, np.ndarray]) -> tuple[list[Tensor], list[Tensor]]:
        args, inputs = self.tensors(replaced)
        outputs = [t for t in _run(self.case, args) if _is_float(t._data)]
        if not self.cotangents:
            self.cotangents = [_normal_like(self.draw, t.numpy()) for t in outputs]
        return outputs, inputs

    def value(self, replaced: dict[int, np.ndarray]) -> float:
        with GradMode(False):
            outputs, _ = self.outputs(replaced)
        return sum(_inner(c, t.numpy()) for c, t in zip(self.cotangents, outputs, strict=True))

    def gradients(self, replaced: dict[int, np.ndarray], create: bool = False) -> Any:
        outputs, inputs = self.outputs(replaced)
        taped = [(t, c) for t, c in zip(outputs, self.cotangents, strict=True) if not t._stop]
        assert taped, f"{self.case.name}: no output is differentiable"
        seeds = [new_tensor(jnp.asarray(c)) for _, c in taped]
        found = grad([t for t, _ in taped], inputs, seeds, create_graph=create, allow_unused=True)
        return found, inputs

    def slope(self, replaced: dict[int, np.ndarray]) -> float:
        found, _ = self.gradients(replaced)
        pairs = zip(self.second_directions, found, strict=True)
        return sum(_inner(d, g.numpy()) for d, g in pairs if g is not None)

    def central(self, function: Callable[..., float], index: int) -> float:
        x, d = self.inputs[index], self.directions[index]
        ahead, behind = function({index: x + _STEP * d}), function({index: x - _STEP * d})
        return (ahead - behind) / (2 * _STEP)

    def check_first(self) -> None:
        found, inputs = self.gradients({})
        for i, (x, g, d) in enumerate(zip(inputs, found, self.directions, strict=True)):
            if g is not None:
                assert g.dtype == x.dtype, f"{self.case.name}: dtype of gradient {i}"
                assert g.shape == x.shape, f"{self.case.name}: shape of gradient {i}"
                assert np.isfinite(g.numpy()).all(), f"{self.case.name}: gradient {i} not finite"
            got = 0.0 if g is None else _inner(d, g.numpy())
            _close(self.case, got, self.central(self.value, i), "gradient", f"gradient {i}")

    def check_second(self) -> None:
        found, inputs = self.gradients({}, create=True)
        pairs = zip(found, self.second_directions, strict=True)
        taped = [(g, new_tensor(jnp.asarray(d))) for g, d in pairs if g is not None and not g._stop]
        if taped:
            second = grad([g for g, _ in taped], inputs, [d for _, d in taped], allow_unused=True)
        else:
            second = [None] * len(inputs)
        for i, (h, d) in enumerate(zip(second, self.directions, strict=True)):
            got = 0.0 if h is None else _inner(d, h.numpy())
            what = f"second derivative {i}"
            _close(self.case, got, self.central(self.slope, i), "second", what)


def _normal_like(draw: np.random.Generator, array: np.ndarray) -> np.ndarray:
    values = np.asarray(draw.standard_normal(array.shape))
    if np.iscomplexobj(array):
        values = values + 1j * draw.standard_normal(array.shape)
    return np.asarray(values).astype(array.dtype)


def _inner(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.sum(np.conj(a) * b).real)


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
    if static is None:
        return
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

    outputs = _run(case, _wrap(_cast(case.args, precision), put))
    for output, want in zip(outputs, eager, strict=True):
        _close(case, output.numpy(), want, "sharded", "sharded against unsharded")


def _split_axis(array: np.ndarray) -> int | None:
    return next((i for i, n in enumerate(array.shape) if n and n % 4 == 0), None)


def check_case(case: Case) -> None:
    """Tries everything that a row asks for; an AssertionError names the op and the check."""
    op = getattr(case.fn, "op", None)
    differentiable = getattr(op, "differentiable", True)
    dynamic = op is not None and not op.jit
    has_float = _has_float(case)
    if has_float:
        _check_value(case, "float64", strict=True)
    eager = _check_value(case, "float32", strict=has_float)
    smooth = has_float and differentiable and any(e.dtype.kind in "fc" for e in eager)
    if case.grad is True or (case.grad == "auto" and smooth):
        derivative = _Derivative(case)
        if derivative.inputs:
            derivative.check_first()
            if case.second:
                derivative.check_second()
    for precision in case.low:
        _check_low(case, precision, eager)
    if case.compiled and not dynamic:
        _check_compiled(case, eager, "float32")
    if case.sharded and not dynamic:
        _check_sharded(case, eager, "float32")


def same(got: Any, want: Any, dtype: str | None = None) -> None:
    """Asserts a Tensor's values (NaN equals NaN), shape and, if given, dtype; for edge rows."""
    array = got.numpy() if isinstance(got, proa.core.Tensor) else np.asarray(got)
    if dtype is not None:
        assert got.dtype.name == dtype
    assert array.shape == np.shape(want)
    wide = np.complex128 if np.iscomplexobj(array) else np.float64
    np.testing.assert_allclose(array.astype(wide), np.asarray(want).astype(wide), 1e-6, 1e-7)
