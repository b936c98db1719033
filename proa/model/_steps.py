"""The steps of training, evaluation and prediction, each compiled whole."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import jax

from proa.core import PreconditionError, ProgramError, Tensor, no_grad
from proa.jit import to_static

from ._precision import Precision, widened

# How a step runs: metrics computed inside of the compiled function, beside it, or all of it
# uncompiled.
_INSIDE, _BESIDE, _EAGER = range(3)


def as_list(value: Any) -> list[Any]:
    """Returns the tensors of a result, in order."""
    return [leaf for leaf in jax.tree_util.tree_leaves(value) if leaf is not None]


def _detached(tree: Any) -> Any:
    # A result that still hangs on the tape would make the whole step one op on the tape.
    def cut(leaf: Any) -> Any:
        return leaf.detach() if hasattr(leaf, "detach") else leaf

    return jax.tree_util.tree_map(cut, tree)


class CompiledStep:
    """A step that runs compiled where it can, and else says once why it does not.

    Args:
        name: what it is, for the warning.
        make: makes the function; its argument says whether it computes the metrics too.
        compute: computes the metrics from outputs and labels.
        has_metrics: whether there are metrics.
    """

    def __init__(
        self, name: str, make: Callable[[bool], Any], compute: Any, has_metrics: bool
    ) -> None:
        self.name = name
        self._compute = compute
        self._has_metrics = has_metrics
        whole = make(True)
        self._functions = {
            _INSIDE: to_static(whole, full_graph=True),
            _BESIDE: to_static(make(False), full_graph=True),
            _EAGER: whole,
        }
        self._mode = _INSIDE
        self._reason: ProgramError | None = None

    @property
    def is_compiled(self) -> bool:
        """Whether the step runs compiled."""
        return self._mode != _EAGER

    def explain(self) -> Any:
        """Says which variants were compiled, and why each was needed."""
        return self._functions[min(self._mode, _BESIDE)].explain()

    def __call__(self, *arguments: Any) -> tuple[list[Tensor], list[Any]]:
        """Runs the step; returns the losses and what the metrics' `compute` gave."""
        while True:
            mode = self._mode
            try:
                losses, rest = self._functions[mode](*arguments)
            except ProgramError as error:
                if mode == _EAGER:
                    raise
                self._fall_back(error)
                continue
            if mode == _BESIDE:
                rest = self._compute(*rest)
            self._tell()
            return losses, rest

    def _fall_back(self, error: ProgramError) -> None:
        # The first try has failed; the metrics may be the only reason.
        self._mode = _BESIDE if self._mode == _INSIDE and self._has_metrics else _EAGER
        self._reason = error

    def _tell(self) -> None:
        reason, self._reason = self._reason, None
        if reason is not None:
            what = "the metrics run" if self._mode == _BESIDE else f"{self.name} runs"
            warnings.warn(f"{what} uncompiled, which is slower: {reason.got}", stacklevel=4)


class Steps:
    """The compiled steps of a prepared model.

    Args:
        network: the network.
        loss: loss function or layer, or `None`.
        metrics: the metrics.
        optimizer: the optimizer, or `None`.
        precision: what the steps run in; full precision by default.
    """

    def __init__(
        self,
        network: Any,
        loss: Any,
        metrics: Sequence[Any],
        optimizer: Any,
        precision: Precision | None = None,
    ) -> None:
        self.network, self.loss, self.optimizer = network, loss, optimizer
        self.precision = precision or Precision()
        self.metrics = list(metrics)
        has_metrics = bool(metrics)
        self.train = CompiledStep("the training step", self._train, self.compute, has_metrics)
        self.evaluate = CompiledStep("the evaluation step", self._eval, self.compute, has_metrics)
        self.predict = CompiledStep("the prediction step", self._predict, self.compute, False)

    def compute(self, outputs: list[Any], labels: list[Any]) -> list[Any]:
        """Computes the tensor part of all metrics."""
        with no_grad():
            return [_detached(metric.compute(*outputs, *labels)) for metric in self.metrics]

    def _losses(self, outputs: list[Any], labels: list[Any]) -> list[Tensor]:
        return as_list(self.loss(*outputs, *labels))

    def _train(self, with_metrics: bool) -> Any:
        network, optimizer, precision = self.network, self.optimizer, self.precision

        def train_step(inputs: list[Any], labels: list[Any], update: bool) -> Any:
            with precision.region():
                outputs = as_list(network(*inputs))
                losses = self._losses(outputs, labels)
                total: Any = losses[0]
                for loss in losses[1:]:
                    total = total + loss
            precision.backward(total)
            if update:
                precision.step(optimizer)
                optimizer.clear_grad()
            return self._results(losses, outputs, labels, with_metrics)

        return train_step

    def _eval(self, with_metrics: bool) -> Any:
        network, precision = self.network, self.precision

        def eval_step(inputs: list[Any], labels: list[Any]) -> Any:
            with no_grad(), precision.region():
                outputs = as_list(network(*inputs))
                losses = [] if self.loss is None else self._losses(outputs, labels)
            return self._results(losses, outputs, labels, with_metrics)

        return eval_step

    def _predict(self, with_metrics: bool) -> Any:
        network, precision = self.network, self.precision

        def predict_step(inputs: list[Any]) -> Any:
            with no_grad(), precision.region():
                outputs = as_list(network(*inputs))
            if precision.is_mixed:
                outputs = widened(outputs)
            return _detached(outputs), []

        return predict_step

    def _results(self, losses: Any, outputs: Any, labels: Any, with_metrics: bool) -> Any:
        if with_metrics:
            return _detached(losses), self.compute(outputs, labels)
        return _detached(losses), (_detached(outputs), labels)


def require_prepared(steps: Steps | None, what: str, needs: Sequence[str] = ()) -> Steps:
    """Returns the steps of a model.

    Raises:
        PreconditionError: `prepare` was not called, or without something that is needed.
    """
    missing = [name for name in needs if steps is None or getattr(steps, name) is None]
    if steps is None or missing:
        given = "was not prepared" if steps is None else f"was prepared without {missing[0]}"
        wanted = ", ".join(f"{name}=..." for name in needs)
        raise PreconditionError(
            f"{what} on a Model that {given}",
            expected=f"model.prepare({wanted}) before",
            fix=f"call model.prepare({wanted}) first",
        )
    return steps
