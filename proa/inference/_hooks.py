"""Hooks on the values inside a model, for looking at them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax

from proa.core import Tensor, new_tensor
from proa.formats import ROLES, Artifact
from proa.program import run_stepwise

#: What a hook is given: the op, the name of the value, the value.
Hook = Callable[[str, str, Tensor], None]


class Hooks:
    """Runs an artifact op by op and shows hooks what goes in and comes out."""

    def __init__(self) -> None:
        self.inputs: list[Hook] = []
        self.outputs: list[Hook] = []

    def __bool__(self) -> bool:
        return bool(self.inputs or self.outputs)

    def run(self, artifact: Artifact, weights: Any, arrays: Sequence[Any]) -> list[Any]:
        """Computes the outputs of arrays, calling the hooks."""
        tensors = [new_tensor(jax.numpy.asarray(array)) for array in arrays]
        for role in ROLES:
            program = artifact.programs.get(role)
            if program is not None:
                names = artifact.manifest["captures"][role]
                held = [new_tensor(jax.numpy.asarray(weights[name])) for name in names]
                tensors = run_stepwise(program, [*tensors, *held], self._watch)
        return [tensor._data for tensor in tensors]

    def _watch(self, call: Any, inputs: Sequence[Tensor], outputs: Any) -> None:
        hooks = self.inputs if outputs is None else self.outputs
        values, tensors = (call.inputs, inputs) if outputs is None else (call.outputs, outputs)
        for hook in hooks:
            for value, tensor in zip(values, tensors, strict=True):
                hook(call.op.name, value.name or "", tensor)
