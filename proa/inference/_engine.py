"""What a predictor asks of an engine: load an artifact once, run it from any thread."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from proa.core import InvalidArgumentError
from proa.formats import Artifact

#: Precisions in which an engine may be asked to compute what was recorded as float32.
PRECISIONS = ("float32", "bfloat16", "float16")
#: How far outputs in a precision may be from those in float32 that were recorded or computed by
#: another engine, in units of the tolerance of golden samples.
ROUGHNESS = {"float32": 1.0, "bfloat16": 1000.0, "float16": 200.0}
#: What other engines than XLA say of themselves: seen with onnxruntime 1.32 and openvino 2026.
NAN_LINE = "NaN            may become a number in activations and maxima; xla keeps it"


@dataclass(frozen=True, kw_only=True)
class EngineOptions:
    """How an engine is to run a model.

    Attributes:
        threads: threads of one run; `None` leaves the number to the engine.
        precision: one of `PRECISIONS`. What was recorded as float32 is computed in it; nothing
            is computed more roughly than it was recorded unless this asks for it.
        max_variants: compiled input shapes that are kept, for an engine that compiles shapes.
        device: a JAX device, for the engine `xla`; the others run on the CPU.
        store: where the engine `xla` keeps executables for the next process.
        budget: the memory ceiling, which only the engine `xla` can keep.
    """

    threads: int | None = None
    precision: str = "float32"
    max_variants: int = 32
    device: Any = None
    store: Any = None
    budget: Any = None

    def __post_init__(self) -> None:
        if self.threads is not None and self.threads < 1:
            raise InvalidArgumentError(
                f"`threads` is {self.threads}",
                expected="at least 1, or None",
                fix="pass the number of threads that one run may use",
            )
        if self.precision not in PRECISIONS:
            raise InvalidArgumentError(
                f"`precision` is {self.precision!r}",
                expected=f"one of {PRECISIONS}",
                fix="pass 'float32' to compute as recorded",
            )


class CompiledModel(ABC):
    """A model that an engine has loaded; any number of threads may call `run` at once."""

    @abstractmethod
    def run(self, arrays: Sequence[Any]) -> Sequence[Any]:
        """Computes the outputs of arrays that fit the artifact's input specs.

        Returns:
            NumPy or device arrays which the caller owns: no later run writes to them.
        """

    @abstractmethod
    def explain(self) -> list[str]:
        """Says in a few lines what runs where, in which precision, on how many threads."""

    @property
    def num_compiled(self) -> int:
        """How many input shapes are compiled at present."""
        return 1

    def trim(self) -> None:
        """Gives back memory that the next run can do without: none, unless an engine says so."""
        return


class Engine(ABC):
    """Something that can run an artifact."""

    #: What users call it.
    name: str

    @abstractmethod
    def unavailable(self) -> str | None:
        """Returns why the engine cannot be used here, or `None` if it can."""

    @abstractmethod
    def version(self) -> str:
        """Returns the version of the library behind it, which must be available."""

    @abstractmethod
    def load(self, artifact: Artifact, options: EngineOptions) -> CompiledModel:
        """Prepares an artifact.

        Raises:
            UnsupportedError: the engine cannot run this model, or not with these options.
        """
