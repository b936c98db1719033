"""One compiled call that updates all parameters of an optimizer.

The pure part: a plan says what each parameter needs, and the op made of it maps rate,
gradients and everything that is written (parameters, master weights, state) to their new
values. Clipping, weight decay and the choice to skip a step happen inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from sys import getrefcount
from typing import Any

import jax.numpy as jnp
import numpy as np

from proa.core._compiled import compile_function
from proa.core._donation import run_donating
from proa.core._registry import MAX_KERNELS, BaseOp
from proa.core._tensor import Tensor, new_tensor
from proa.nn._clip import ClipRule
from proa.regularizer._decay import penalty_gradient

from ._rules import Rule

Array = Any


@dataclass(frozen=True)
class ParameterPlan:
    """What the update of one parameter does.

    Args:
        rule: the update rule.
        slots: per state array of the rule, -1 when it is the parameter's own, or else its
            number among the arrays that parameters share.
        rate_factor: factor on the learning rate.
        grad_factor: factor on the clipped gradient, before weight decay.
        penalty: `(kind, coeff)` of the weight decay that is added to the gradient.
        clip: number of the clip that the gradient goes through, or -1.
        has_master: whether a float32 copy is updated and the parameter is its cast.
    """

    rule: Rule
    slots: tuple[int, ...]
    rate_factor: float = 1.0
    grad_factor: float = 1.0
    penalty: tuple[str, float] | None = None
    clip: int = -1
    has_master: bool = False

    @property
    def num_targets(self) -> int:
        """How many arrays of its own a step writes."""
        return 1 + self.has_master + self.slots.count(-1)


@dataclass(frozen=True)
class UpdatePlan:
    """What one step of an optimizer does; equal plans share their compiled code.

    Args:
        parameters: one plan per parameter.
        clips: the clips that parameters refer to.
        has_veto: whether the first input after the rate tells to skip the step.
        num_shared: number of state arrays that parameters share.
    """

    parameters: tuple[ParameterPlan, ...]
    clips: tuple[ClipRule, ...] = ()
    has_veto: bool = False
    num_shared: int = 0

    def __post_init__(self) -> None:
        # A step looks the plan up once; hashing all its parameters anew would show.
        fields = (self.parameters, self.clips, self.has_veto, self.num_shared)
        object.__setattr__(self, "_hash", hash(fields))

    def __hash__(self) -> int:
        return self._hash  # type: ignore[attr-defined]

    @property
    def can_skip(self) -> bool:
        """Whether a step may leave everything as it is; then a counter is kept."""
        return self.has_veto or any(clip.kind != "value" for clip in self.clips)


class UpdateOp(BaseOp):
    """The update of all parameters as one op.

    Inputs: rate, [veto], one gradient per parameter, [count of skipped steps], state that
    parameters share, and per parameter its value, [master weight] and own state.
    Outputs: the same from the count on.
    """

    name = "optimizer_update"
    differentiable = False

    def array_fn(self, key: UpdatePlan) -> Any:
        """Returns the function of flat arrays for a plan."""

        def update(rate: Array, *flat: Array) -> tuple[Array, ...]:
            return run_plan(key, rate, flat)

        return update

    def infer(self, key: UpdatePlan, inputs: tuple[Any, ...]) -> tuple[tuple[Any, Any], ...]:
        """What is overwritten keeps its shape and dtype, so nothing needs to be traced."""
        first = 1 + key.has_veto + len(key.parameters)
        return tuple([(value.shape, value.dtype) for value in inputs[first:]])

    def make_kernel(self, key: UpdatePlan) -> Any:
        """Builds, stores and returns the compiled update, which reuses what it overwrites.

        Without that, each step would ask the system for fresh memory as large as all
        parameters and their state; for large models that took ten times as long as the
        arithmetic. `own_buffers` must have been called on the targets.
        """
        if len(self.kernels) >= MAX_KERNELS:
            self.kernels.pop(next(iter(self.kernels)))
        first = 1 + key.has_veto + len(key.parameters)
        length = key.can_skip + key.num_shared + sum(each.num_targets for each in key.parameters)
        reused = tuple(range(first, first + length))
        kernel = self.kernels[key] = compile_function(self.array_fn(key), donate_argnums=reused)
        return kernel

    def run(self, key: UpdatePlan, inputs: Sequence[Tensor], targets: Sequence[Tensor]) -> None:
        """Runs the update at once and gives the targets their new arrays.

        Args:
            key: the plan.
            inputs: rate, veto if there is one, and gradients.
            targets: what is overwritten; each holds an array of its own.
        """
        known = self.kernels.get(key)

        def accept(outputs: Sequence[Any]) -> None:
            for target, output in zip(targets, outputs, strict=True):
                target._data = output

        donated = [t._data for t in targets]
        run_donating(
            known or self.make_kernel(key),
            [*[t._data for t in inputs], *donated],
            accept,
            donated=donated,
            is_first=known is None,
            name=self.name,
        )

    def describe(self, index: int) -> str:
        """Names an input, for messages."""
        return "learning rate" if index == 0 else f"input {index} (gradients, then state)"


update_op = UpdateOp()


def own_buffers(tensors: Sequence[Tensor]) -> None:
    """Gives a copy to each tensor whose array somebody else holds too.

    A view, a tape that waits for its backward pass, or a user may hold it, and an array
    whose buffer is reused can no longer be read. (What NumPy sees, JAX protects itself.)
    """
    for tensor in tensors:
        if getrefcount(tensor._data) > _SOLE_OWNER:
            tensor._data = jnp.array(tensor._data, copy=True)


def _count_of_sole_owner() -> int:
    probe = new_tensor(np.zeros(()))
    return getrefcount(probe._data)


_SOLE_OWNER = _count_of_sole_owner()


def run_plan(plan: UpdatePlan, rate: Array, flat: Sequence[Array]) -> tuple[Array, ...]:
    """Computes one step on arrays; see `UpdateOp` for the order of `flat`."""
    inputs = iter(flat)
    veto = next(inputs).reshape(()).astype(bool) if plan.has_veto else None
    grads = [next(inputs) for _ in plan.parameters]
    count = next(inputs) if plan.can_skip else None
    shared = [next(inputs) for _ in range(plan.num_shared)]
    grads, veto = _clip(plan, grads, veto)
    advanced: list[Array] = list(shared)
    updated: list[Array] = []
    for each, grad in zip(plan.parameters, grads, strict=True):
        own = [next(inputs) for _ in range(each.num_targets)]
        updated += _update_one(each, rate, grad, own, shared, advanced, veto)
    if count is None:
        return (*advanced, *updated)
    return (count + veto.astype(count.dtype), *advanced, *updated)


def _clip(plan: UpdatePlan, grads: list[Array], veto: Array) -> tuple[list[Array], Array]:
    for number, clip in enumerate(plan.clips):
        members = [i for i, each in enumerate(plan.parameters) if each.clip == number]
        clipped, is_bad = clip([grads[i] for i in members])
        for i, grad in zip(members, clipped, strict=True):
            grads[i] = grad
        if is_bad is not None:
            veto = is_bad if veto is None else veto | is_bad
    return grads, veto


def _update_one(
    plan: ParameterPlan,
    rate: Array,
    grad: Array,
    own: Sequence[Array],
    shared: Sequence[Array],
    advanced: list[Array],
    veto: Array,
) -> list[Array]:
    """Returns what one parameter owns, updated; puts shared state into `advanced`."""
    stored, *rest = own
    # Half precision is updated in float32 and rounded once, at the end.
    param = stored.astype(compute_dtype(stored.dtype))
    if plan.has_master:
        # Where the parameter is not the master's rounding, it was written from outside
        # (weights were loaded, or there was no step yet), and the parameter is right.
        master = rest.pop(0)
        param = jnp.where(master.astype(stored.dtype) == stored, master, param)
    remaining = iter(rest)
    state = [next(remaining) if number < 0 else shared[number] for number in plan.slots]
    grad = grad.astype(param.dtype)
    if plan.grad_factor != 1:
        grad = grad * plan.grad_factor
    if plan.penalty is not None:
        grad = grad + penalty_gradient(*plan.penalty, param)
    rate = rate.astype(param.real.dtype) * plan.rate_factor
    # State may be kept narrower than the arithmetic.
    wide = [each.astype(compute_dtype(each.dtype)) for each in state]
    new, *new_state = plan.rule.update(rate, param, grad, *wide)
    results = [_settle(stored, new, veto)]
    if plan.has_master:
        results.append(_settle(param, new, veto))
    for number, old, new in zip(plan.slots, state, new_state, strict=True):
        if number < 0:
            results.append(_settle(old, new, veto))
        elif advanced[number] is shared[number]:
            advanced[number] = _settle(old, new, veto)
    return results


def _settle(old: Array, new: Array, veto: Array) -> Array:
    """Returns the new value in the old one's dtype, or the old one where the step is vetoed."""
    new = new.astype(old.dtype)
    return new if veto is None else jnp.where(veto, old, new)


def compute_dtype(dtype: Any) -> Any:
    """Returns the dtype that arrays of a dtype are updated in: float32 for half precision."""
    is_half = jnp.issubdtype(dtype, jnp.floating) and jnp.finfo(dtype).bits < 32
    return jnp.float32 if is_half else dtype
