"""Loops of small ops, where what a framework does around its kernels is all that counts."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from bench._workload import Target, Workload

_TARGETS = (
    Target("proa eager", ("torch eager",), 3.0),
    Target("proa compiled", ("torch eager",), 0.5),
)
_RANDOM = np.random.default_rng(0)
_X = _RANDOM.normal(size=(4, 4)).astype(np.float32)
_ROW = _RANDOM.normal(size=(8, 16)).astype(np.float32)
_WIDE = (_RANDOM.normal(size=(100, 16, 16)) / 3).astype(np.float32)
_POLICY = [_RANDOM.normal(size=s).astype(np.float32) / 4 for s in ((4, 16), (16, 2))]

Fn = Callable[..., Any]


class _Framework:
    """The few words that these loops need."""

    def __init__(self, peer: str, mode: str) -> None:
        self.peer, self.mode, self.lib = peer, mode, importlib.import_module(peer)

    def tensor(self, array: np.ndarray, train: bool = False) -> Any:
        if self.peer == "torch":
            return self.lib.from_numpy(array.copy()).requires_grad_(train)
        return self.lib.to_tensor(array, stop_gradient=not train)

    def wrap(self, fn: Fn) -> Fn:
        if self.mode == "eager":
            return fn
        if self.peer == "torch":
            return self.lib.compile(fn)
        return self.lib.jit.to_static(fn, full_graph=True)


def one_add(peer: str, mode: str) -> Callable[[], float]:
    """A thousand additions of 4x4, each by itself, recorded where there is a tape."""
    if peer == "jax":
        import jax

        add, x = jax.jit(jax.numpy.add), jax.numpy.asarray(_X)
        y: Any = x
    else:
        own = _Framework(peer, mode)
        add, x, y = own.lib.add, own.tensor(_X, True), own.tensor(_X)

    def run() -> float:
        for _ in range(1000):
            found = add(x, y)
        return float(found.sum())

    return run


def add_chain(peer: str, mode: str) -> Callable[[], float]:
    """100 additions of 4x4 with a gradient to keep."""
    own = _Framework(peer, mode)
    x, y = own.tensor(_X, True), own.tensor(_X)

    def chain(x: Any, y: Any) -> Any:
        for _ in range(100):
            x = x + y
        return x.sum()

    run = own.wrap(chain)
    return lambda: float(run(x, y))


def deep(peer: str, mode: str) -> Callable[[], float]:
    """100 layers of width 16, batch 8, forward and backward."""
    own = _Framework(peer, mode)
    x, weights = own.tensor(_ROW), [own.tensor(w, True) for w in _WIDE]

    def forward(x: Any, weights: Any) -> Any:
        for weight in weights:
            x = own.lib.tanh(own.lib.matmul(x, weight))
        return (x * x).mean()

    if peer == "proa":

        def whole(x: Any) -> Any:
            loss = forward(x, weights)
            loss.backward()
            for weight in weights:
                weight.clear_gradient()
            return loss

        run = own.wrap(whole)
        return lambda: float(run(x))
    call = own.wrap(forward)

    def step(x: Any, weights: Any) -> float:
        loss = call(x, weights)
        loss.backward()
        for weight in weights:
            if peer == "torch":
                weight.grad = None
            else:
                weight.clear_gradient()
        return float(loss)

    return lambda: step(x, weights)


def policy(peer: str, mode: str) -> Callable[[], float]:
    """50 turns of a policy and its pole, batch 1: the state comes back to Python each time."""
    own = _Framework(peer, mode)
    first, second = (own.tensor(w) for w in _POLICY)

    def act(state: Any, first: Any, second: Any) -> Any:
        hidden = own.lib.tanh(own.lib.matmul(state, first))
        return own.lib.nn.functional.softmax(own.lib.matmul(hidden, second), -1)

    call = own.wrap(act)

    def episode() -> float:
        state, total = np.full((1, 4), 0.1, np.float32), 0.0
        for _ in range(50):
            chance = call(own.tensor(state), first, second).numpy()[0]
            force = float(chance[1] - chance[0])
            total += force
            state = state * 0.9 + np.float32(force) * np.float32(0.1)
        return total

    def quiet() -> float:
        with own.lib.no_grad():
            return episode()

    return quiet


def optimizer(peer: str, mode: str) -> Callable[[], float]:
    """An Adam step over 200 parameters of 64 x 64 that have gradients."""
    own = _Framework(peer, mode)
    random = np.random.default_rng(1)
    values = random.normal(size=(200, 64, 64)).astype(np.float32)
    if peer == "torch":
        parameters = [own.lib.nn.Parameter(own.lib.from_numpy(v.copy())) for v in values]
        steps = own.lib.optim.Adam(parameters, 1e-3)
    else:
        parameters = [own.lib.create_parameter([64, 64], "float32") for _ in values]
        for parameter, value in zip(parameters, values, strict=True):
            parameter.set_value(value)
        steps = own.lib.optimizer.Adam(1e-3, parameters=parameters)
    sum((p * p).sum() for p in parameters).backward()  # type: ignore[union-attr]

    def run() -> float:
        steps.step()
        return float(parameters[-1][0, 0])

    return run


def _twins(make: Callable[[str, str], Callable[[], float]], *more: str) -> dict[str, Any]:
    def twin(peer: str) -> Callable[[str], Callable[[], float]]:
        return lambda mode: make(peer, mode)

    return {peer: twin(peer) for peer in ("proa", "paddle", "torch", *more)}


WORKLOADS = [
    Workload(
        name="one add",
        about="1,000 calls, 4x4, with a gradient to keep; JAX has none",
        twins=_twins(one_add, "jax"),
        targets=(Target("proa eager", ("jax",), 2.5), Target("proa eager", ("torch eager",), 3.0)),
        left_out=("proa compiled", "paddle to_static", "torch.compile"),
        quick=True,
    ),
    Workload(
        name="add chain",
        about="100 additions of 4x4, recorded for a gradient",
        twins=_twins(add_chain),
        targets=_TARGETS,
        quick=True,
    ),
    Workload(
        name="deep MLP",
        about="100 layers of width 16, batch 8, forward and backward",
        twins=_twins(deep),
        targets=_TARGETS,
    ),
    Workload(
        name="policy loop",
        about="50 turns of a small policy at batch 1, as in reinforcement learning",
        twins=_twins(policy),
        targets=_TARGETS,
        quick=True,
    ),
    Workload(
        name="optimiser step",
        about="Adam over 200 parameters of 64 x 64, gradients given",
        twins=_twins(optimizer),
        targets=(Target("proa eager", ("paddle eager", "torch eager"), 1.0),),
        left_out=("proa compiled", "paddle to_static", "torch.compile"),
    ),
]
