"""Whatever a public function is given, it answers with a result or with an error of ours.

Arguments are drawn at random (the same in every run): 0-d and empty tensors, shapes that do not
fit, many axes, every kind of dtype, axes out of range, None, strings, ragged lists, functions.
`PROA_ODD_EXAMPLES=200` draws that many calls per function, other ones each time.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import signal
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import proa
from proa.core import ProaError, Tensor

MANY = int(os.environ.get("PROA_ODD_EXAMPLES", "0"))
EXAMPLES = 3
SECONDS = 30
ROOMS = (
    *("nn.functional", "linalg", "fft", "signal", "special", "geometric", "sparse", "vision.ops"),
    *("sparse.nn.functional", "audio.functional", "distribution", "text", "incubate"),
    *("incubate.nn.functional", "incubate.autograd", "nn.quant"),
)

# They change the state of the process, or have no arguments of interest.
SKIPPED = {
    *("create_parameter", "disable_static", "enable_static", "flops", "grad", "in_dynamic_mode"),
    *("enable_grad", "load", "manual_seed", "no_grad", "save", "seed", "set_default_dtype"),
    *("set_device", "set_flags", "set_grad_enabled", "set_printoptions", "set_rng_state"),
    *("summary", "backward", "cuda", "numpy", "pin_memory", "enable_prim", "disable_prim"),
}
# Classes of these rooms are called as functions; of others they are layers, tested as such.
WITH_CLASSES = ("distribution",)
_PLAIN_KINDS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY)
OPERATORS = (
    *("__getitem__", "__setitem__", "__add__", "__pow__", "__matmul__", "__floordiv__"),
    *("__mod__", "__and__", "__lshift__", "__eq__", "__lt__"),
)

_values = np.random.default_rng(0).standard_normal
ARRAYS: list[tuple[np.ndarray, str | None]] = [
    (np.float32(1.5), None),
    (np.zeros([0], "float32"), None),
    (np.zeros([2, 0, 3], "float32"), None),
    (_values([3]), "float32"),
    (_values([2, 3]), "float32"),
    (_values([3, 3]), "float64"),
    (_values([1, 2, 3, 4]), "float32"),
    (_values([2, 3, 4, 5, 6]), "float32"),
    (np.array([1, np.nan, -np.inf]), "float32"),
    (_values([2, 2]), "float16"),
    (_values([3]), "bfloat16"),
    (_values([2, 2]) + 1j, "complex64"),
    (np.array([2, 0, 1]), None),
    (np.array([-1, 100]), None),
    (np.array([1, -2, 3]), "int8"),
    (np.array([[1, 2], [3, 4]]), "int32"),
    (np.zeros([0, 3], "int64"), None),
    (np.array(5), None),
    (np.array(True), None),
    (np.array([[True, False, True], [True, True, False]]), None),
    (_values([1] * 12), "float32"),
    (_values([2, 3]) + 1j, "complex128"),
    (np.zeros([0], "complex64"), None),
    (np.array([250, 3, 0]), "uint8"),
    (np.array([np.inf, np.nan]), "float16"),
    (np.array([[2**62, -1]]), None),
]
PLAIN = [
    *(None, True, 0, 2, 3, -1, -7, 1.5, float("nan"), 1j, "x", "mean", "float32", "NHWC", "same"),
    *(b"x", [], [1, 2], [0, 1], (1,), [-1, 1], [[1, 2], [3]], {}, object(), np.int64(1)),
    *(np.float32(2), np.array([1, 0]), abs),
]


def functions() -> dict[str, Any]:
    """Every public function and Tensor method by name."""
    found: dict[str, Any] = {}
    known: set[int] = set()
    for prefix in ("", *ROOMS):
        room = importlib.import_module(f"proa.{prefix}".rstrip("."))
        for name in sorted({*vars(room), *getattr(room, "__all__", ())}):
            value = getattr(room, name)
            plain = callable(value) and (prefix in WITH_CLASSES or not inspect.isclass(value))
            wanted = plain and not name.startswith("_") and name not in SKIPPED
            if wanted and id(value) not in known:
                known.add(id(value))
                found[f"{prefix}.{name}".lstrip(".")] = value
    for name in dir(Tensor):
        value = inspect.getattr_static(Tensor, name)
        if name.startswith("_") and name not in OPERATORS:
            continue
        if inspect.isfunction(value) and name not in found and name not in SKIPPED:
            found[f"Tensor.{name}"] = value
    for name, kind in list(found.items()):
        if inspect.isclass(kind) and issubclass(kind, proa.distribution.Distribution):
            found[f"{name}.log_prob"] = of_distribution(kind)
    return found


def of_distribution(kind: Any) -> Any:
    """A function of a distribution's parameters and a value: draws, and rates the value."""

    def call(*args: Any) -> Any:
        made = kind(*args[:-1])
        made.sample([2])
        return made.log_prob(args[-1])

    given_ = inspect.signature(kind).parameters.values()
    kept = [p.replace(kind=p.POSITIONAL_OR_KEYWORD) for p in given_ if p.kind in _PLAIN_KINDS]
    value = inspect.Parameter("value", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    kept = [p.replace(default=p.empty) for p in kept if p.name != "name"]
    call.__signature__ = inspect.Signature([*kept, value])  # type: ignore[attr-defined]
    return call


FUNCTIONS = functions()


def tensor(number: int) -> Tensor:
    array, dtype = ARRAYS[number]
    return proa.to_tensor(np.asarray(array), dtype=dtype)


tensors = st.integers(0, len(ARRAYS) - 1).map(tensor)
plain = st.sampled_from(PLAIN)


def sparse(number: int) -> Any:
    places, values = [[0, 1, 1], [2, 0, 1]], [1.0, float("nan"), 3.0]
    makers = (
        lambda: proa.sparse.sparse_coo_tensor(places, values, [2, 3]),
        lambda: proa.sparse.sparse_csr_tensor([0, 1, 3], [2, 0, 1], values, [2, 3]),
        lambda: proa.sparse.sparse_coo_tensor(proa.zeros([2, 0], "int64"), proa.zeros([0]), [2, 3]),
        lambda: proa.sparse.sparse_coo_tensor([[0, 1]], proa.ones([2, 4]), [3, 4]),
        lambda: proa.sparse.sparse_coo_tensor(proa.zeros([5, 1], "int64"), [1.0], [1, 2, 2, 2, 1]),
        lambda: proa.sparse.sparse_coo_tensor(places, [1, 2, 3], [2, 3]),
    )
    return makers[number]()


sparse_tensors = st.integers(0, 5).map(sparse)
# Drawn by weight: mostly what the parameter is meant for.
first = st.one_of(tensors, tensors, tensors, tensors, plain, st.lists(tensors, max_size=2))
needed = st.one_of(tensors, tensors, plain, plain, st.lists(tensors, max_size=2))
given_anyway = st.one_of(plain, plain, plain, tensors)


@functools.cache
def parameters(name: str) -> tuple[inspect.Parameter, ...]:
    found = inspect.signature(FUNCTIONS[name]).parameters.values()
    return tuple(p for p in found if p.name not in ("name", "out") and p.kind is not p.VAR_KEYWORD)


def arguments(draw: Any, name: str) -> tuple[list[Any], dict[str, Any]]:
    args: list[Any] = []
    named: dict[str, Any] = {}
    for position, p in enumerate(parameters(name)):
        if p.kind is p.VAR_POSITIONAL:
            args.extend(draw(st.lists(first, max_size=2)))
            continue
        if p.default is p.empty:
            is_self = position == 0 and name.startswith("Tensor.")
            value = draw(tensors if is_self else needed if position else first)
            if name.startswith("sparse.") and draw(st.integers(0, 9)) < 6:
                value = draw(sparse_tensors)
        else:
            value = p.default if draw(st.integers(0, 9)) < 6 else draw(given_anyway)
        if p.kind is p.KEYWORD_ONLY:
            named[p.name] = value
        else:
            args.append(value)
    return args, named


def shown(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"{value.dtype.name}{value.shape}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(shown, value))}]"
    return repr(value)


def judge(error: BaseException) -> str:
    """What is wrong with an error; nothing if it is one of ours, with all its parts."""
    if not isinstance(error, ProaError):
        return f"raw {type(error).__name__}: {error}"
    if not (error.got and error.expected and error.fix):
        return f"an error without all three parts: {error}"
    kinds = [kind for kind in type(error).__mro__ if kind.__module__ == "builtins"]
    return "" if len(kinds) > 3 else f"{type(error).__name__} is no kind of a built-in error"


@pytest.fixture(autouse=True)
def _time_limit():
    def stop(*_):
        raise TimeoutError(f"no answer within {SECONDS} s")

    former = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, former)


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_a_result_or_an_error_of_ours(name):
    @settings(
        max_examples=MANY or EXAMPLES,
        derandomize=not MANY,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def run(data):
        args, named = arguments(data.draw, name)
        try:
            FUNCTIONS[name](*args, **named)
        except Exception as error:
            wrong = judge(error)
            given_ = [*map(shown, args), *(f"{k}={shown(v)}" for k, v in named.items())]
            call = f"{name}({', '.join(given_)})"
            assert not wrong, f"{call}: {wrong}"

    run()


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError("x"), "raw ValueError"),
        (proa.core.InvalidArgumentError("x"), "without all three parts"),
        (ProaError("x", expected="y", fix="z"), "no kind of a built-in"),
    ],
)
def test_bad_errors_are_seen(error, message):
    assert message in judge(error)
    assert not judge(proa.core.OutOfRangeError("x", expected="y", fix="z"))
