"""An artifact as one pure function: pre-processing, model and post-processing in sequence."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax

from proa.core import checks_numbers, new_tensor, told_plainly
from proa.formats import ROLES, Artifact
from proa.program import run_stepwise

from ._interface import Interface
from ._interface import largest_difference as largest_difference
from ._uncached import past_compile_cache


@dataclass(frozen=True)
class _Variant:
    """The executable of one combination of input shapes."""

    call: Any
    #: Whether it was read from a file.
    is_loaded: bool = False
    #: Bytes that it keeps while it is there, and that one run takes beside inputs and weights.
    held: int = 0
    scratch: int = 0


class Pipeline:
    """Runs an artifact's Programs; safe to call from many threads.

    Args:
        artifact: the artifact.
        max_variants: compiled shapes that are kept; the one not used for longest goes first.
        device: where it runs, a JAX device; the current one by default.
        store: keeps executables for the next process: `load(signature, structures)` gives one
            or `None`, `save(signature, executable)` takes one, `refuse(signature, error)` is
            told of one that does not run.
        budget: bounds memory: `keep(bytes)`, `change(bytes)`, `reserve(bytes, evict)` (a context).
    """

    def __init__(
        self,
        artifact: Artifact,
        max_variants: int = 32,
        device: Any = None,
        *,
        store: Any = None,
        budget: Any = None,
    ) -> None:
        self.device = device
        self.artifact = artifact
        self.interface = interface = Interface(artifact)
        self.inputs, self.outputs = interface.inputs, interface.outputs
        self.names, self.dtypes = interface.names, interface.dtypes
        self.check_inputs = interface.check_inputs
        self.golden_samples = interface.golden_samples
        self._stages = []
        captures: Mapping[str, list[str]] = artifact.manifest["captures"]
        for role in ROLES:
            if role in artifact.programs:
                self._stages.append((artifact.programs[role].function(), captures[role]))
        self._store, self._budget = store, budget
        if budget is not None:
            budget.keep(sum(a.nbytes for a in artifact.weights.values()))
        self.weights = {n: jax.device_put(a, device) for n, a in artifact.weights.items()}
        self._compiled: OrderedDict[Any, _Variant] = OrderedDict()
        self._lock = threading.Lock()
        self._compiling = threading.Lock()
        self._max_variants = max_variants

    def _compute(self, weights: dict[str, Any], inputs: list[Any]) -> tuple[Any, ...]:
        current: Sequence[Any] = inputs
        for fn, names in self._stages:
            current = fn(*current, *[weights[name] for name in names])
        return tuple(current)

    def run(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """Runs on checked arrays and returns device arrays."""
        if checks_numbers():
            return self._run_by_op(arrays)
        signature = tuple([tuple(a.shape) for a in arrays])
        variant = self._known(signature)
        if variant is None:
            # One at a time: threads that ask for the same shape compile it once.
            with self._compiling:
                variant = self._known(signature) or self._compile(signature, arrays)
        if self.device is not None:
            # Host arrays go where the executable wants them; that is quicker.
            arrays = [
                jax.device_put(a, self.device) if isinstance(a, jax.Array) else a for a in arrays
            ]
        try:
            return self._call(variant, signature, arrays)
        except jax.errors.JaxRuntimeError as error:
            if not variant.is_loaded:
                raise
            self._store.refuse(signature, error)
            with self._compiling:
                variant = self._compile(signature, arrays, anew=True)
            return self._call(variant, signature, arrays)

    def _call(self, variant: _Variant, signature: Any, arrays: Sequence[Any]) -> tuple[Any, ...]:
        if self._budget is None:
            with told_plainly():
                return variant.call(self.weights, list(arrays))
        needed = variant.scratch + sum(a.nbytes for a in arrays)
        with told_plainly(), self._budget.reserve(needed, lambda: self._evict(signature)):
            return jax.block_until_ready(variant.call(self.weights, list(arrays)))

    def _known(self, signature: Any) -> _Variant | None:
        with self._lock:
            variant = self._compiled.get(signature)
            if variant is not None:
                self._compiled.move_to_end(signature)
        return variant

    def _compile(self, signature: Any, arrays: Sequence[Any], anew: bool = False) -> _Variant:
        call = None if anew else self._stored(signature, arrays)
        is_loaded = call is not None
        if call is None:
            structs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in arrays]
            # A function of its own: what JAX keeps of it goes with this variant.
            own = jax.jit(lambda weights, inputs: self._compute(weights, inputs))
            with jax.default_device(self.device):
                lowered = own.lower(self.weights, structs)
            if self._store is None:
                call = lowered.compile()
            else:
                with past_compile_cache():
                    call = lowered.compile()
                self._store.save(signature, call)
        held, scratch = (0, 0) if self._budget is None else _measure(call)
        variant = _Variant(call, is_loaded, held, scratch)
        with self._lock:
            replaced = self._compiled.pop(signature, None)
            self._compiled[signature] = variant
        if self._budget is not None:
            self._budget.change(variant.held - (0 if replaced is None else replaced.held))
        while len(self._compiled) > self._max_variants and self._evict(signature):
            pass
        return variant

    def _stored(self, signature: Any, arrays: Sequence[Any]) -> Any:
        if self._store is None:
            return None
        inputs = jax.tree_util.tree_structure(((self.weights, list(arrays)), {}))
        outputs = jax.tree_util.tree_structure((0,) * len(self.outputs))
        return self._store.load(signature, (inputs, outputs))

    def _evict(self, kept: Any) -> bool:
        """Drops the variant that was not used for longest; never the one asked for."""
        with self._lock:
            oldest = next((key for key in self._compiled if key != kept), None)
            if oldest is None:
                return False
            variant = self._compiled.pop(oldest)
        if self._budget is not None:
            self._budget.change(-variant.held)
        return True

    def _run_by_op(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """Runs op by op, so that a check names the op."""
        tensors = [new_tensor(jax.device_put(a, self.device)) for a in arrays]
        for role, program in ((r, self.artifact.programs.get(r)) for r in ROLES):
            if program is not None:
                names = self.artifact.manifest["captures"][role]
                held = [new_tensor(self.weights[name]) for name in names]
                tensors = run_stepwise(program, [*tensors, *held])
        return tuple([t._data for t in tensors])

    @property
    def num_compiled(self) -> int:
        """How many shapes are compiled at present."""
        return len(self._compiled)

    def trim(self) -> None:
        """Drops all compiled shapes."""
        while self._evict(None):
            pass

    def check_golden(self) -> float:
        """Runs the golden samples; returns the largest difference in units of the tolerance.

        Raises:
            ArtifactError: a sample's outputs are not reproduced.
        """
        return self.interface.check_golden(self.run)


def _measure(call: Any) -> tuple[int, int]:
    sizes = call.memory_analysis()
    # XLA does not tell the size of code for CPUs; that of its file is close to it.
    held = sizes.generated_code_size_in_bytes or len(call.runtime_executable().serialize())
    # Outputs are copied for the caller, so there are two of them for a moment.
    return held, sizes.temp_size_in_bytes + 2 * sizes.output_size_in_bytes
