"""Update rules: pure functions from (rate, parameter, gradient, state) to (parameter, state).

A rule knows nothing of Tensors, groups, clipping or master weights. It gets arrays of one
dtype and returns arrays of the same dtype. Its hyperparameters are Python numbers, so that
they are constants of the compiled update.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp

Array = Any


@dataclass(frozen=True)
class Slot:
    """One state array that a rule keeps for each parameter.

    Args:
        name: name in the state dict, between the parameter's name and `_0`.
        fill: value at the start.
        extent: how it is shaped: `None` as the parameter, 0 as `[1]`, otherwise a stack of
            that many arrays shaped as the parameter. What is `[1]` counts steps: it follows
            from the rule and their number alone, so parameters that step together share it.
        is_counter: int64 instead of the parameter's dtype.
        is_spread: kept as `[1]`, but written to a state dict in the parameter's shape, every
            element the same, since Paddle's has it so.
    """

    name: str
    fill: float = 0.0
    extent: int | None = None
    is_counter: bool = False
    is_spread: bool = False

    @property
    def is_shared(self) -> bool:
        """Whether parameters that step together share it."""
        return self.extent == 0

    def shape_for(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Returns the state's shape for a parameter's shape."""
        if self.extent is None:
            return shape
        return (self.extent, *shape) if self.extent else (1,)


class Rule(ABC):
    """An update rule; subclasses are frozen dataclasses of hyperparameters."""

    def slots(self) -> tuple[Slot, ...]:
        """Returns the state arrays, in the order in which `update` takes them."""
        return ()

    @abstractmethod
    def update(self, rate: Array, param: Array, grad: Array, *state: Array) -> tuple[Array, ...]:
        """Returns the new parameter and the new state.

        Args:
            rate: 0-d learning rate.
            param: the parameter, N-d.
            grad: its gradient, N-d.
            *state: one array per slot.
        """


@dataclass(frozen=True)
class SGDRule(Rule):
    """`p - rate * g`."""

    def update(self, rate: Array, param: Array, grad: Array, *state: Array) -> tuple[Array, ...]:
        """Returns the new parameter."""
        return (param - rate * grad,)


@dataclass(frozen=True)
class MomentumRule(Rule):
    """`v = momentum * v + g`; `p - rate * v`, or with Nesterov `p - rate * (g + momentum * v)`."""

    momentum: float = 0.9
    use_nesterov: bool = False

    def slots(self) -> tuple[Slot, ...]:
        """Returns the velocity."""
        return (Slot("velocity"),)

    def update(self, rate: Array, param: Array, grad: Array, *state: Array) -> tuple[Array, ...]:
        """Returns the new parameter and velocity."""
        velocity = self.momentum * state[0] + grad
        direction = grad + self.momentum * velocity if self.use_nesterov else velocity
        return param - rate * direction, velocity


@dataclass(frozen=True)
class AdamRule(Rule):
    """Adam; `decay` is the decoupled weight decay of AdamW, relative to the rate."""

    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    amsgrad: bool = False
    decay: float = 0.0

    def slots(self) -> tuple[Slot, ...]:
        """Returns both moments, with `amsgrad` the largest second one, and the beta powers."""
        largest = (Slot("moment2_max"),) if self.amsgrad else ()
        powers = (Slot("beta1_pow_acc", self.beta1, 0), Slot("beta2_pow_acc", self.beta2, 0))
        return (Slot("moment1"), Slot("moment2"), *largest, *powers)

    def update(self, rate: Array, param: Array, grad: Array, *state: Array) -> tuple[Array, ...]:
        """Returns the new parameter, moments and beta powers."""
        moment1 = self.beta1 * state[0] + (1 - self.beta1) * grad
        moment2 = self.beta2 * state[1] + (1 - self.beta2) * grad * grad
        largest = (jnp.maximum(state[2], moment2),) if self.amsgrad else ()
        power1, power2 = state[-2:]
        # Epsilon is added to the uncorrected root, scaled so that it counts as in the paper.
        correction = jnp.sqrt(1 - power2.reshape(()))
        scale = jnp.sqrt(largest[0] if largest else moment2) + self.epsilon * correction
        if self.decay:
            param = param * (1 - rate * self.decay)
        param = param - rate * correction / (1 - power1.reshape(())) * (moment1 / scale)
        return param, moment1, moment2, *largest, power1 * self.beta1, power2 * self.beta2


@dataclass(frozen=True)
class AdamaxRule(Rule):
    """Adam with the infinity norm in place of the second moment."""

    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8

    def slots(self) -> tuple[Slot, ...]:
        """Returns the moment, the infinity norm and the beta power."""
        return Slot("moment"), Slot("inf_norm"), Slot("beta1_pow_acc", self.beta1, 0)

    def update(self, rate: Array, param: Array, grad: Array, *state: Array) -> tuple[Array, ...]:
        """Returns the new parameter, moment, infinity norm and beta power."""
        moment = self.beta1 * state[0] + (1 - self.beta1) * grad
        norm = jnp.maximum(jnp.abs(grad), self.beta2 * state[1] + self.epsilon)
        param = param - rate / (1 - state[2].reshape(())) * (moment / norm)
        return param, moment, norm, state[2] * self.beta1


@dataclass(frozen=True)
class AdagradRule(Rule):
    """`m = m + g * g`; `p - rate * g / (sqrt(m) + epsilon)`."""

    epsilon: float = 1e-6
    initial_accumulator_value: float = 0.0

    def slots(self) -> tuple[Slot, ...]:
        """Returns the sum of squares."""
        return (Slot("moment", self.initial_accumulator_value),)

    def update(self, rate: Array, param: Array, grad: Array, *state: Array) -> tuple[Array, ...]:
        """Returns the new parameter and sum of squares."""
        moment = state[0] + grad * grad
        return param - rate * grad / (jnp.sqrt(moment) + self.epsilon), moment


@dataclass(frozen=True)
class AdadeltaRule(Rule):
    """Steps as large as the recent steps, relative to the recent gradients."""

    epsilon: float = 1e-6
    rho: float = 0.95

    def slots(self) -> tuple[Slot, ...]:
        """Returns the mean squares of gradients and of steps."""
        return Slot("_avg_squared_grad"), Slot("_avg_squared_update")

    def update(self, rate: Array, param: Array, grad: Array, *state: Array) -> tuple[Array, ...]:
        """Returns the new parameter and both mean squares."""
        grads = self.rho * state[0] + (1 - self.rho) * grad * grad
        step = jnp.sqrt((state[1] + self.epsilon) / (grads + self.epsilon)) * grad
        steps = self.rho * state[1] + (1 - self.rho) * step * step
        return param - rate * step, grads, steps


@dataclass(frozen=True)
class RMSPropRule(Rule):
    """Steps divided by the root of the gradient's mean square (or variance), with momentum."""

    rho: float = 0.95
    epsilon: float = 1e-6
    momentum: float = 0.0
    centered: bool = False

    def slots(self) -> tuple[Slot, ...]:
        """Returns momentum, mean square and mean of the gradient."""
        return Slot("momentum"), Slot("mean_square"), Slot("mean_grad")

    def update(self, rate: Array, param: Array, grad: Array, *state: Array) -> tuple[Array, ...]:
        """Returns the new parameter, momentum, mean square and mean."""
        momentum, square, mean = state
        square = self.rho * square + (1 - self.rho) * grad * grad
        variance = square
        if self.centered:
            mean = self.rho * mean + (1 - self.rho) * grad
            variance = square - mean * mean
        momentum = self.momentum * momentum + rate * grad / jnp.sqrt(variance + self.epsilon)
        return param - momentum, momentum, square, mean


@dataclass(frozen=True)
class LambRule(Rule):
    """Adam's step with weight decay, scaled per parameter to the parameter's own norm."""

    decay: float = 0.01
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-6
    always_adapt: bool = False

    def slots(self) -> tuple[Slot, ...]:
        """Returns both moments and both beta powers."""
        powers = (Slot("beta1_pow_acc", self.beta1, 0), Slot("beta2_pow_acc", self.beta2, 0))
        return (Slot("moment1"), Slot("moment2"), *powers)

    def update(self, rate: Array, param: Array, grad: Array, *state: Array) -> tuple[Array, ...]:
        """Returns the new parameter, moments and beta powers."""
        moment1 = self.beta1 * state[0] + (1 - self.beta1) * grad
        moment2 = self.beta2 * state[1] + (1 - self.beta2) * grad * grad
        mean = moment1 / (1 - state[2].reshape(()))
        root = jnp.sqrt(moment2 / (1 - state[3].reshape(())))
        step = mean / (root + self.epsilon) + self.decay * param
        if self.decay or self.always_adapt:
            size, length = jnp.linalg.norm(param.ravel()), jnp.linalg.norm(step.ravel())
            is_usable = (size > 0) & (length > 0)
            rate = rate * jnp.where(is_usable, size / jnp.where(is_usable, length, 1), 1)
        powers = state[2] * self.beta1, state[3] * self.beta2
        return param - rate * step, moment1, moment2, *powers


@dataclass(frozen=True)
class NAdamRule(Rule):
    """Adam with Nesterov momentum whose strength rises as `1 - 0.96**(t * decay) / 2`."""

    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    momentum_decay: float = 0.004

    def slots(self) -> tuple[Slot, ...]:
        """Returns three products over the steps and both moments."""
        names = ("momentum_decay_pow", "beta2_pow", "mu_product")
        products = (Slot(name, 1.0, 0, is_spread=True) for name in names)
        return (*products, Slot("moment1"), Slot("moment2"))

    def update(self, rate: Array, param: Array, grad: Array, *state: Array) -> tuple[Array, ...]:
        """Returns the new parameter, products and moments."""
        decays = state[0] * 0.96
        powers = state[1] * self.beta2
        now = self.beta1 * (1 - 0.5 * decays**self.momentum_decay)
        next_ = self.beta1 * (1 - 0.5 * (decays * 0.96) ** self.momentum_decay)
        products = state[2] * now
        moment1 = self.beta1 * state[3] + (1 - self.beta1) * grad
        moment2 = self.beta2 * state[4] + (1 - self.beta2) * grad * grad
        ahead = (next_ / (1 - products * next_)).reshape(())
        current = ((1 - now) / (1 - products)).reshape(())
        root = jnp.sqrt(moment2 / (1 - powers.reshape(())))
        param = param - rate * (ahead * moment1 + current * grad) / (root + self.epsilon)
        return param, decays, powers, products, moment1, moment2


@dataclass(frozen=True)
class RAdamRule(Rule):
    """Adam that waits with its scaling until the second moment rests on enough gradients."""

    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8

    def slots(self) -> tuple[Slot, ...]:
        """Returns both beta powers, the weight of the past and both moments."""
        starts = {"beta1_pow": 1.0, "beta2_pow": 1.0, "rho": 0.0}
        numbers = (Slot(name, fill, 0, is_spread=True) for name, fill in starts.items())
        return (*numbers, Slot("moment1"), Slot("moment2"))

    def update(self, rate: Array, param: Array, grad: Array, *state: Array) -> tuple[Array, ...]:
        """Returns the new parameter, beta powers, weight of the past and moments."""
        power1, power2 = state[0] * self.beta1, state[1] * self.beta2
        # `rho` is t * beta2**t / (1 - beta2**t), by a recursion that needs no step count.
        rho = (state[2] * (self.beta2 - power2) + power2) / (1 - power2)
        moment1 = self.beta1 * state[3] + (1 - self.beta1) * grad
        moment2 = self.beta2 * state[4] + (1 - self.beta2) * grad * grad
        mean = moment1 / (1 - power1.reshape(()))
        limit = 2 / (1 - self.beta2) - 1
        length = limit - 2 * rho.reshape(())
        safe = jnp.maximum(length, 5)
        rectified = (safe - 4) * (safe - 2) * limit / ((limit - 4) * (limit - 2) * safe)
        scale = jnp.sqrt(rectified * (1 - power2.reshape(()))) / (jnp.sqrt(moment2) + self.epsilon)
        param = param - rate * mean * jnp.where(length > 5, scale, 1)
        return param, power1, power2, rho, moment1, moment2


@dataclass(frozen=True)
class RpropRule(Rule):
    """Steps of a size of their own per element, steered by the gradient's sign alone."""

    rate_at_start: float = 0.001
    rate_range: tuple[float, float] = (1e-5, 50.0)
    etas: tuple[float, float] = (0.5, 1.2)

    def slots(self) -> tuple[Slot, ...]:
        """Returns the gradient before and the rate of each element."""
        return Slot("prevs"), Slot("learning_rates", self.rate_at_start)

    def update(self, rate: Array, param: Array, grad: Array, *state: Array) -> tuple[Array, ...]:
        """Returns the new parameter, gradient before and rates."""
        agreement = grad * state[0]
        shrunk, grown = self.etas
        factor = jnp.where(agreement > 0, grown, jnp.where(agreement < 0, shrunk, 1.0))
        low, high = self.rate_range
        rates = jnp.clip(state[1] * factor.astype(param.dtype), low, high)
        grad = jnp.where(agreement < 0, jnp.zeros_like(grad), grad)
        return param - rates * jnp.sign(grad), grad, rates


@dataclass(frozen=True)
class ASGDRule(Rule):
    """Steps along the mean of the last gradients of `batch_num` batches."""

    batch_num: int = 1

    def slots(self) -> tuple[Slot, ...]:
        """Returns the sum of the kept gradients, the gradients and the step count."""
        return Slot("d"), Slot("y", 0.0, self.batch_num), Slot("m", 0, 0, is_counter=True)

    def update(self, rate: Array, param: Array, grad: Array, *state: Array) -> tuple[Array, ...]:
        """Returns the new parameter, sum, gradients and step count."""
        total, kept, count = state
        index = count.reshape(()) % self.batch_num
        total = total - kept[index] + grad
        kept = kept.at[index].set(grad)
        count = count + 1
        known = jnp.minimum(count.reshape(()), self.batch_num).astype(param.dtype)
        return param - rate * total / known, total, kept, count
