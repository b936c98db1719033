"""L-BFGS: steps along a direction that the curvature of the last steps suggests."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from proa.core import enable_grad, new_tensor, store
from proa.core._context import context
from proa.core._errors import (
    ArtifactError,
    InvalidArgumentError,
    InvalidTypeError,
    PreconditionError,
    UnsupportedError,
)
from proa.core._tensor import Tensor

from ._groups import read_number
from ._line_search import Trial, strong_wolfe
from ._optimizer import Optimizer, Pairs
from ._quasi_newton import CurvatureHistory
from .lr._checks import require_count
from .lr._scheduler import LRScheduler

Array = Any


@jax.jit
def _flatten(arrays: Sequence[Array]) -> Array:
    return jnp.concatenate([jnp.ravel(a) for a in arrays])


@jax.jit
def _moved(arrays: Sequence[Array], direction: Array, step: Array) -> list[Array]:
    made, place = [], 0
    for array in arrays:
        part = direction[place : place + array.size].reshape(array.shape)
        made.append(array + (step * part).astype(array.dtype))
        place += array.size
    return made


class LBFGS(Optimizer):
    """Quasi-Newton steps with a memory of the last steps; the loss is computed by a closure.

    `d = -H g`, where `H` is an estimate of the inverse Hessian from the last `history_size`
    steps; how far to go along `d` is `learning_rate`, or found by a line search.

    Args:
        learning_rate (float | LRScheduler): the length of a step along `d`; with a line search
            the first one that is tried.
        max_iter (int): iterations per call of `step`.
        max_eval (int, optional): calls of the closure per call of `step`; `max_iter * 5 // 4`
            by default.
        tolerance_grad (float): done when no entry of the gradient is larger.
        tolerance_change (float): done when neither the loss nor a parameter changes by more.
        history_size (int): how many steps are remembered.
        line_search_fn (str, optional): `"strong_wolfe"`, or `None` for steps of fixed length.
        parameters (list[Tensor]): what to update.
        weight_decay (float, optional): has no effect, as in Paddle 3.3.1; add it to the loss.
        grad_clip (ClipGradBase, optional): has no effect, as in Paddle 3.3.1.
        name (str, optional): kept for Paddle's signature.

    Raises:
        InvalidTypeError: an argument is of the wrong type.
        InvalidArgumentError: `parameters` is None, or a number or name is wrong.

    Examples:
        >>> import proa
        >>> w = proa.to_tensor([3.0], stop_gradient=False)
        >>> optimizer = proa.optimizer.LBFGS(line_search_fn="strong_wolfe", parameters=[w])
        >>> def closure():
        ...     optimizer.clear_grad()
        ...     loss = ((w - 1.0) ** 2).sum()
        ...     loss.backward()
        ...     return loss
        >>> first = optimizer.step(closure)
        >>> first.item(), round(w.item(), 4)
        (4.0, 1.0)

    References:
        Nocedal and Wright, "Numerical optimization", 2nd edition, chapter 7.2.
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler = 1.0,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        if line_search_fn not in (None, "strong_wolfe"):
            raise InvalidArgumentError(
                f"LBFGS: `line_search_fn` is {line_search_fn!r}",
                expected="'strong_wolfe' or None",
                fix="choose one",
            )
        if weight_decay is not None or grad_clip is not None:
            warnings.warn(
                "LBFGS: `weight_decay` and `grad_clip` have no effect, as in Paddle 3.3.1; "
                "add a penalty to the loss in the closure",
                stacklevel=2,
            )
        require_count("LBFGS", "max_iter", max_iter)
        require_count("LBFGS", "history_size", history_size)
        if max_eval is not None:
            require_count("LBFGS", "max_eval", max_eval)
        self.max_iter, self.history_size = max_iter, history_size
        self.max_eval = max_iter * 5 // 4 if max_eval is None else max_eval
        self.tolerance_grad = read_number("LBFGS", "tolerance_grad", tolerance_grad, 0.0)
        self.tolerance_change = read_number("LBFGS", "tolerance_change", tolerance_change, 0.0)
        self.line_search_fn = line_search_fn
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._history = CurvatureHistory(history_size)
        #: Numbers of iterations and closure calls so far; direction, step, gradient, loss last.
        self._num_iterations = self._num_evaluations = 0
        self._last: tuple[Array, float, Array, float] | None = None

    def step(self, closure: Callable[[], Tensor] | None = None) -> Tensor:  # type: ignore[override]
        """Makes up to `max_iter` iterations.

        Args:
            closure (Callable): clears gradients, computes the loss, calls `backward` on it and
                returns it.

        Returns:
            Tensor: the loss before the step.

        Raises:
            InvalidTypeError: no closure.
            PreconditionError: a function is being compiled: how many iterations are needed is
                only known as they run.
        """
        if not callable(closure):
            raise InvalidTypeError(
                f"LBFGS.step of {type(closure).__name__}",
                expected="a function that computes the loss and its gradients",
                fix="optimizer.step(closure), where closure returns the loss after backward()",
            )
        if context.recorder is not None:
            raise PreconditionError(
                "LBFGS.step while a function is being compiled",
                expected="a call outside: it decides by values how often it runs the closure",
                fix="compile the closure's forward pass, and call step from the training loop",
            )
        with enable_grad():
            loss = closure()
        self._num_evaluations += 1
        gradient = self._gradient()
        if float(jnp.abs(gradient).max()) > self.tolerance_grad:
            self._iterate(closure, float(loss), gradient)
        return loss

    def _iterate(self, closure: Callable[[], Tensor], value: float, gradient: Array) -> None:
        calls, rate = 1, float(self.get_lr())
        for iteration in range(1, self.max_iter + 1):
            self._num_iterations += 1
            direction = self._direction(gradient)
            is_first = self._num_iterations == 1
            step = min(1.0, 1.0 / float(jnp.abs(gradient).sum())) * rate if is_first else rate
            slope = float(jnp.vdot(gradient, direction))
            self._last = (direction, step, gradient, value)
            # Not downhill any more: as low as the numbers' precision tells.
            if not slope < -self.tolerance_change:
                break
            start = Trial(0.0, value, slope, gradient)
            is_last = iteration == self.max_iter
            found, made = self._advance(closure, start, step, direction, is_last)
            calls += made
            self._num_evaluations += made
            self._last = (direction, found.step, gradient, value)
            before, value, gradient = value, found.value, found.extra
            largest = float(jnp.abs(direction).max()) * abs(found.step)
            if is_last or calls >= self.max_eval:
                break
            if float(jnp.abs(gradient).max()) <= self.tolerance_grad:
                break
            if largest <= self.tolerance_change or abs(value - before) < self.tolerance_change:
                break

    def _direction(self, gradient: Array) -> Array:
        if self._last is None:
            return -gradient
        direction, step, before, _ = self._last
        self._history.add(direction * step, gradient - before)
        return self._history.direction(gradient)

    def _advance(
        self,
        closure: Callable[[], Tensor],
        start: Trial,
        step: float,
        direction: Array,
        is_last: bool,
    ) -> tuple[Trial, int]:
        """Moves the parameters; returns where they are now and how often the closure ran."""
        origin = [param._data for param in self._parameter_list]

        def evaluate(length: float) -> Trial:
            self._put(_moved(origin, direction, length))
            with enable_grad():
                value = float(closure())
            gradient = self._gradient()
            return Trial(length, value, float(jnp.vdot(gradient, direction)), gradient)

        if self.line_search_fn is None:
            if not is_last:
                return evaluate(step), 1
            # Nobody would look at the loss there.
            self._put(_moved(origin, direction, step))
            return Trial(step, start.value, start.slope, start.extra), 0
        size = float(jnp.abs(direction).max())
        found, count = strong_wolfe(
            evaluate, start, step, size=size, smallest=self.tolerance_change
        )
        self._put(_moved(origin, direction, found.step))
        return found, count

    def _gradient(self) -> Array:
        parts = []
        for param in self._parameter_list:
            gradient: Any = param.grad  # type: ignore[attr-defined]
            parts.append(jnp.zeros_like(param._data) if gradient is None else gradient._data)
        return _flatten(parts)

    def _put(self, arrays: Sequence[Array]) -> None:
        for param, array in zip(self._parameter_list, arrays, strict=True):
            store(param, array)

    def minimize(
        self,
        loss: Tensor,
        startup_program: Any = None,
        parameters: Sequence[Tensor] | None = None,
        no_grad_set: Any = None,
    ) -> tuple[Pairs, Pairs]:
        """Refuses: one loss is not enough, the closure of `step` computes as many as needed.

        Args:
            loss (Tensor): the loss.
            startup_program (Any): kept for Paddle's signature.
            parameters (list[Tensor], optional): kept for Paddle's signature.
            no_grad_set (set, optional): kept for Paddle's signature.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError(
            "LBFGS.minimize of one loss",
            expected="a closure that computes the loss anew at each place that is tried",
            fix="use optimizer.step(closure)",
        )

    # Saving and loading

    def state_dict(self) -> dict[str, Any]:
        """Returns what the next step builds on, by Paddle's names, under `"state"`.

        Returns:
            dict: `{"state": {...}}` with `func_evals`, `n_iter`, `d`, `alpha`, `old_yk`,
            `old_sk`, `ro`, `H_diag`, `prev_flat_grad` and `prev_loss`; empty before a step.
        """
        if not self._num_evaluations:
            return {"state": {}}
        state: dict[str, Any] = {
            "func_evals": self._num_evaluations,
            "n_iter": self._num_iterations,
        }
        if self._last is not None:
            direction, step, gradient, value = self._last
            state.update(
                d=new_tensor(direction),
                alpha=step,
                old_yk=[new_tensor(a) for a in self._history.changes],
                old_sk=[new_tensor(a) for a in self._history.steps],
                ro=[new_tensor(a) for a in self._history.inverses],
                H_diag=new_tensor(jnp.asarray(self._history.scale, direction.dtype)),
                prev_flat_grad=new_tensor(gradient),
                prev_loss=value,
            )
        return {"state": state}

    def set_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes up a state that `state_dict` returned, here or in Paddle.

        Args:
            state_dict (dict): the state.

        Raises:
            ArtifactError: it is no state of LBFGS, or of other parameters.
        """
        state = state_dict.get("state")
        size = sum(param.size for param in self._parameter_list)
        known = {"d", "alpha", "old_yk", "old_sk", "ro", "H_diag", "prev_flat_grad", "prev_loss"}
        is_whole = isinstance(state, Mapping) and (not known & set(state) or known <= set(state))
        if not isinstance(state, Mapping) or not is_whole:
            raise ArtifactError(
                f"the entries of the state are {_names(state, state_dict)}",
                expected="a state that LBFGS.state_dict() returned",
                fix="save and load the optimizer's own state",
            )
        history, last = CurvatureHistory(self.history_size), None
        if known <= set(state):
            dtype = self._parameter_list[0]._data.dtype
            direction, gradient = (_array(state[k], dtype) for k in ("d", "prev_flat_grad"))
            if direction.shape != (size,) or gradient.shape != (size,):
                raise ArtifactError(
                    f"the state is one for {direction.size} numbers",
                    expected=f"{size} numbers in all parameters",
                    fix="load the state that was saved with these parameters",
                )
            history.changes, history.steps, history.inverses = (
                [_array(each, dtype) for each in state[key]] for key in ("old_yk", "old_sk", "ro")
            )
            history.scale = _array(state["H_diag"], dtype)
            last = (direction, float(state["alpha"]), gradient, float(state["prev_loss"]))
        self._history, self._last = history, last
        self._num_evaluations = int(state.get("func_evals", 0))
        self._num_iterations = int(state.get("n_iter", 0))


def _names(state: Any, whole: Mapping[str, Any]) -> list[str]:
    return sorted(state if isinstance(state, Mapping) and state else whole)


def _array(value: Any, dtype: Any) -> Array:
    data = value._data if isinstance(value, Tensor) else np.asarray(value)
    return jnp.asarray(data, dtype)
