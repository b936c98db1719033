"""Minima of functions of a vector, by quasi-Newton steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from proa.core import (
    InvalidArgumentError,
    PreconditionError,
    Tensor,
    as_dtype,
    concrete,
    context,
    enable_grad,
    grad,
    new_tensor,
    to_tensor,
)
from proa.optimizer._line_search import Trial, strong_wolfe
from proa.optimizer._quasi_newton import CurvatureHistory

Array = Any
Result = tuple[Tensor, ...]


@dataclass(frozen=True)
class _Limits:
    max_iters: int
    tolerance_grad: float
    tolerance_change: float
    max_line_search_iters: int
    initial_step_length: float


@dataclass
class _Search:
    """Where a search stands: position, value, gradient, and how often the function ran."""

    function: Callable[[Tensor], Tensor]
    position: Array
    value: float = 0.0
    gradient: Array = None
    num_calls: int = 0

    def look(self, position: Array) -> tuple[float, Array]:
        """Returns value and gradient of the function somewhere."""
        self.num_calls += 1
        x = new_tensor(position)
        x.stop_gradient = False
        with enable_grad():
            y = self.function(x)
            if not isinstance(y, Tensor) or y.size != 1:
                shown = f"shape {y.shape}" if isinstance(y, Tensor) else type(y).__name__
                raise InvalidArgumentError(
                    f"`objective_func` returned {shown}",
                    expected="a Tensor with one element",
                    fix="sum it up, or take its mean",
                )
            (found,) = grad([y], [x], allow_unused=True)
        gradient = jnp.zeros_like(position) if found is None else found._data
        return float(y), gradient

    def advance(self, direction: Array, limits: _Limits) -> tuple[Array, Array]:
        """Goes along a direction; returns the step and how it changed the gradient."""
        origin = self.position

        def evaluate(length: float) -> Trial:
            value, gradient = self.look(origin + length * direction)
            return Trial(length, value, float(jnp.vdot(gradient, direction)), gradient)

        slope = float(jnp.vdot(self.gradient, direction))
        start = Trial(0.0, self.value, slope, self.gradient)
        trials = max(limits.max_line_search_iters - 1, 0)
        found, _ = strong_wolfe(evaluate, start, limits.initial_step_length, max_trials=trials)
        step, change = found.step * direction, found.extra - self.gradient
        self.position, self.value, self.gradient = origin + step, found.value, found.extra
        return step, change


def _run(
    search: _Search,
    limits: _Limits,
    direction: Callable[[Array], Array],
    learn: Callable[[Array, Array], None],
) -> bool:
    """Steps until a tolerance is met; whether one was."""
    search.value, search.gradient = search.look(search.position)
    for _ in range(limits.max_iters):
        if float(jnp.abs(search.gradient).max()) < limits.tolerance_grad:
            return True
        before = search.value
        step, change = search.advance(direction(search.gradient), limits)
        learn(step, change)
        moved = float(jnp.abs(step).max())
        if moved < limits.tolerance_change or abs(search.value - before) < limits.tolerance_change:
            return True
    return float(jnp.abs(search.gradient).max()) < limits.tolerance_grad


def _start(name: str, function: Any, position: Any, dtype: Any, line_search_fn: str) -> _Search:
    if context.recorder is not None:
        raise PreconditionError(
            f"{name} while a function is being compiled",
            expected="a call outside: it decides by values how often it runs the objective",
            fix="compile the objective, and call the minimisation from Python",
        )
    if line_search_fn != "strong_wolfe":
        raise InvalidArgumentError(
            f"`line_search_fn` of `{name}` is {line_search_fn!r}",
            expected="'strong_wolfe'",
            fix="leave it out",
        )
    chosen = as_dtype(dtype)
    if chosen.name not in ("float32", "float64"):
        raise InvalidArgumentError(
            f"`dtype` of `{name}` is {chosen.name}",
            expected="'float32' or 'float64'",
            fix="choose one",
        )
    data = jnp.asarray(to_tensor(position)._data, chosen.name)
    if data.ndim != 1 or not data.size:
        raise InvalidArgumentError(
            f"`initial_position` of `{name}` has shape {list(data.shape)}",
            expected="a vector",
            fix="flatten it, and reshape it in the objective",
        )
    return _Search(function, data)


def _inverse_hessian(name: str, given: Any, like: Array) -> Array | None:
    if given is None:
        return None
    matrix = np.asarray(concrete(to_tensor(given), name), np.float64)
    size = like.size
    is_fit = matrix.shape == (size, size) and np.allclose(matrix, matrix.T)
    if not is_fit or np.linalg.eigvalsh(matrix).min() <= 0:
        raise InvalidArgumentError(
            f"`initial_inverse_hessian_estimate` of `{name}`, shape {list(matrix.shape)}, is not "
            "symmetric and positive definite",
            expected=f"such a matrix of shape [{size}, {size}]",
            fix="leave it out for the identity",
        )
    return jnp.asarray(matrix, like.dtype)


def _result(search: _Search, is_converged: bool) -> Result:
    return (
        to_tensor(np.array([is_converged])),
        to_tensor(np.array([search.num_calls], np.int64)),
        new_tensor(search.position),
        new_tensor(jnp.asarray(search.value, search.position.dtype)),
        new_tensor(search.gradient),
    )


@jax.jit
def _updated(inverse: Array, step: Array, change: Array, product: Array) -> Array:
    """The estimate that maps `change` to `step`, and differs least from the one before."""
    one = jnp.eye(step.size, dtype=step.dtype)
    left = one - jnp.outer(step, change) / product
    return left @ inverse @ left.T + jnp.outer(step, step) / product


def minimize_bfgs(
    objective_func: Callable[[Tensor], Tensor],
    initial_position: Tensor,
    max_iters: int = 50,
    tolerance_grad: float = 1e-7,
    tolerance_change: float = 1e-9,
    initial_inverse_hessian_estimate: Tensor | None = None,
    line_search_fn: str = "strong_wolfe",
    max_line_search_iters: int = 50,
    initial_step_length: float = 1.0,
    dtype: str = "float32",
    name: str | None = None,
) -> Result:
    """Looks for a minimum of a function of a vector, by BFGS.

    Args:
        objective_func: function of a vector that returns a Tensor with one element.
        initial_position: vector to start from.
        max_iters: how many steps at most.
        tolerance_grad: done when no entry of the gradient is larger.
        tolerance_change: done when neither the value nor a coordinate changes by more.
        initial_inverse_hessian_estimate: symmetric positive definite matrix; the identity by
            default.
        line_search_fn: `"strong_wolfe"`.
        max_line_search_iters: how many lengths are tried per step at most.
        initial_step_length: the first one.
        dtype: `"float32"` or `"float64"`; the position is cast to it.
        name: not used.

    Returns:
        Whether a tolerance was met (bool, [1]), how often the function ran (int64, [1]),
        position, value (0-d), gradient, and the estimate of the inverse Hessian. Lengths are
        not chosen as in Paddle's line search, which needs more of them: the way differs, the
        minimum does not.

    Raises:
        InvalidArgumentError: an argument that does not fit.
        PreconditionError: a function is being compiled.

    Examples:
        >>> import proa
        >>> minimize = proa.incubate.optimizer.functional.minimize_bfgs
        >>> found = minimize(lambda x: ((x - 3.0) ** 2).sum(), proa.zeros([2]))
        >>> found[0].item(), found[2].tolist()
        (True, [3.0, 3.0])

    References:
        Nocedal and Wright, "Numerical optimization", 2nd edition, algorithm 6.1.
    """
    search = _start("minimize_bfgs", objective_func, initial_position, dtype, line_search_fn)
    start = _inverse_hessian("minimize_bfgs", initial_inverse_hessian_estimate, search.position)
    estimate = [jnp.eye(search.position.size, dtype=search.position.dtype)]
    if start is not None:
        estimate[0] = start

    def learn(step: Array, change: Array) -> None:
        product = jnp.vdot(step, change)
        if float(product) > 0:
            estimate[0] = _updated(estimate[0], step, change, product)

    limits = _Limits(
        max_iters, tolerance_grad, tolerance_change, max_line_search_iters, initial_step_length
    )
    is_converged = _run(search, limits, lambda g: -(estimate[0] @ g), learn)
    return (*_result(search, is_converged), new_tensor(estimate[0]))


def minimize_lbfgs(
    objective_func: Callable[[Tensor], Tensor],
    initial_position: Tensor,
    history_size: int = 100,
    max_iters: int = 50,
    tolerance_grad: float = 1e-8,
    tolerance_change: float = 1e-8,
    initial_inverse_hessian_estimate: Tensor | None = None,
    line_search_fn: str = "strong_wolfe",
    max_line_search_iters: int = 50,
    initial_step_length: float = 1.0,
    dtype: str = "float32",
    name: str | None = None,
) -> Result:
    """Looks for a minimum of a function of a vector, by L-BFGS.

    Args:
        objective_func: function of a vector that returns a Tensor with one element.
        initial_position: vector to start from.
        history_size: how many steps are remembered.
        max_iters: how many steps at most.
        tolerance_grad: done when no entry of the gradient is larger.
        tolerance_change: done when neither the value nor a coordinate changes by more.
        initial_inverse_hessian_estimate: symmetric positive definite matrix; the identity by
            default.
        line_search_fn: `"strong_wolfe"`.
        max_line_search_iters: how many lengths are tried per step at most.
        initial_step_length: the first one.
        dtype: `"float32"` or `"float64"`; the position is cast to it.
        name: not used.

    Returns:
        Whether a tolerance was met (bool, [1]), how often the function ran (int64, [1]),
        position, value (0-d) and gradient; see `minimize_bfgs`.

    Raises:
        InvalidArgumentError: an argument that does not fit.
        PreconditionError: a function is being compiled.

    Examples:
        >>> import proa
        >>> minimize = proa.incubate.optimizer.functional.minimize_lbfgs
        >>> found = minimize(lambda x: ((x - 3.0) ** 2).sum(), proa.zeros([2]))
        >>> found[0].item(), found[2].tolist()
        (True, [3.0, 3.0])

    References:
        Nocedal and Wright, "Numerical optimization", 2nd edition, algorithm 7.5.
    """
    search = _start("minimize_lbfgs", objective_func, initial_position, dtype, line_search_fn)
    start = _inverse_hessian("minimize_lbfgs", initial_inverse_hessian_estimate, search.position)
    history = CurvatureHistory(history_size, is_scaled=False)
    limits = _Limits(
        max_iters, tolerance_grad, tolerance_change, max_line_search_iters, initial_step_length
    )
    is_converged = _run(search, limits, lambda g: history.direction(g, start), history.add)
    return _result(search, is_converged)
