"""Moving averages of parameters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from proa import ops
from proa.core import InvalidArgumentError, PreconditionError, no_grad, run_eagerly

from ._helpers import new_state
from ._program import default_main_program


class ExponentialMovingAverage:
    """Keeps `average = decay * average + (1 - decay) * parameter` of all trainable parameters.

    The averages start at zero; `apply` divides them by 1 minus the product of the decays, as
    Adam does, so that they are means from the first step on.

    Args:
        decay (float): the share that is kept.
        thres_steps (Tensor, optional): a counter of steps t; then the decay is at most
            `(1 + t) / (10 + t)`, so that it starts low.
        name (str, optional): what the names of the averages begin with.

    Raises:
        InvalidArgumentError: `decay` is not between 0 and 1.

    Examples:
        >>> import proa
        >>> main, startup = proa.static.Program(), proa.static.Program()
        >>> with proa.static.program_guard(main, startup):
        ...     x = proa.static.data("x", [None, 1])
        ...     y = proa.static.nn.fc(x, 1)
        ...     test = main.clone(for_test=True)
        ...     _ = proa.optimizer.SGD(0.1).minimize((y - 1.0).square().mean())
        ...     average = proa.static.ExponentialMovingAverage(0.9)
        ...     average.update()
        >>> executor = proa.static.Executor()
        >>> for _ in range(3):
        ...     _ = executor.run(main, feed={"x": [[1.0]]})
        >>> with average.apply(executor):
        ...     (averaged,) = executor.run(test, feed={"x": [[1.0]]}, fetch_list=[y])
        >>> (last,) = executor.run(test, feed={"x": [[1.0]]}, fetch_list=[y])
        >>> bool(abs(averaged - 1) > abs(last - 1))
        True
    """

    def __init__(
        self, decay: float = 0.999, thres_steps: Any = None, name: str | None = None
    ) -> None:
        if not 0.0 <= decay <= 1.0:
            raise InvalidArgumentError(
                f"ExponentialMovingAverage: `decay` is {decay}",
                expected="a number from 0 to 1",
                fix="use the default, 0.999",
            )
        self._decay, self._steps, self._name = decay, thres_steps, name or ""
        self._pairs: list[tuple[Any, Any]] = []
        self._kept: list[tuple[Any, Any]] = []
        #: The product of all decays so far: the share of the zeros that averages began with.
        self._product: Any = new_state([], 1.0, "float32", f"{self._name}ema_decay_product")

    @no_grad
    def update(self) -> None:
        """Adds the update to the Program that is being built; call it after `minimize`.

        Raises:
            PreconditionError: no Program with trainable parameters is being built.
        """
        parameters: list[Any] = [
            p for p in default_main_program().all_parameters() if _takes_part(p)
        ]
        if not parameters:
            raise PreconditionError(
                "ExponentialMovingAverage.update without parameters",
                expected="a Program that is being built, with trainable parameters",
                fix="call it under program_guard, after the layers and minimize",
            )
        decay: Any = self._decay
        if self._steps is not None:
            steps = self._steps.astype("float32").reshape([])
            decay = ops.minimum((steps + 1.0) / (steps + 10.0), ops.full([], decay))
        ops.assign(self._product * decay, output=self._product)
        for p in parameters:
            label = f"{self._name}{p.name}_ema"
            average: Any = new_state(p.shape, 0.0, "float32", label)
            kept = average * decay + p.astype("float32") * (1.0 - decay)
            ops.assign(kept, output=average)
            self._pairs.append((p, average))

    @contextmanager
    def apply(self, executor: Any, need_restore: bool = True) -> Iterator[None]:
        """Gives the parameters their averages inside.

        Args:
            executor (Executor): kept for Paddle's signature.
            need_restore (bool): give them their own values back at the end.

        Raises:
            PreconditionError: no run of the Program has updated the averages.
        """
        with run_eagerly():
            weight = 1.0 - float(self._product)
            if weight <= 0.0:
                raise PreconditionError(
                    "ExponentialMovingAverage.apply before the first update",
                    expected="at least one run of the Program that `update` is part of",
                    fix="run it first",
                )
            if not self._kept:
                self._kept = [(p, p.numpy()) for p, _ in self._pairs]
            for p, average in self._pairs:
                p.set_value((average / weight).astype(p.dtype))
        try:
            yield
        finally:
            if need_restore:
                self.restore(executor)

    def restore(self, executor: Any) -> None:
        """Gives the parameters the values back that they had before `apply`.

        Args:
            executor (Executor): kept for Paddle's signature.
        """
        with run_eagerly():
            for p, value in self._kept:
                p.set_value(value)
        self._kept = []


def _takes_part(p: Any) -> bool:
    return getattr(p, "do_model_average", None) is not False
