from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError, PreconditionError
from proa.model import Model
from proa.model._steps import as_list, require_prepared
from tests.model.toy import LABELS, POINTS, Points, make_model, weights


def test_the_whole_step_is_compiled_once_per_shape() -> None:
    model = make_model(proa.metric.Accuracy())
    model.fit(Points(), batch_size=8, epochs=2, verbose=0, shuffle=False)
    step = model._steps.train
    assert step.is_compiled
    # Two batches of 8, and the last one of 4.
    assert len(step.explain()) == 2
    compiled = step._functions[0]
    sizes = [e._step._cache_size() for es in compiled._entries.values() for e in es]
    assert sizes == [1, 1]
    model.evaluate(Points(), batch_size=10, verbose=0)
    model.predict(Points(), batch_size=10, verbose=0)
    assert len(model._steps.evaluate.explain()) == 1
    assert len(model._steps.predict.explain()) == 1


def test_compiled_and_uncompiled_training_agree() -> None:
    compiled, eager = make_model(), make_model()
    compiled.fit(Points(), batch_size=5, epochs=2, verbose=0)
    proa.jit.enable_to_static(False)
    try:
        eager.fit(Points(), batch_size=5, epochs=2, verbose=0)
    finally:
        proa.jit.enable_to_static(True)
    for a, b in zip(weights(compiled), weights(eager), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


class Branching(nn.Layer):
    """Needs the value of a tensor, so it cannot be compiled."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 2)

    def forward(self, x: Any) -> Any:
        return self.linear(x if x.sum().numpy() > 0 else -x)


def test_what_cannot_be_compiled_runs_uncompiled_after_one_warning() -> None:
    model = Model(Branching())
    optimizer = proa.optimizer.SGD(0.1, parameters=model.parameters())
    model.prepare(optimizer, nn.CrossEntropyLoss())
    before = weights(model)
    with pytest.warns(UserWarning, match=r"the training step runs uncompiled.*numpy\(\).*_steps"):
        model.train_batch(POINTS, LABELS)
    assert not model._steps.train.is_compiled
    assert not np.array_equal(weights(model)[0], before[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.train_batch(POINTS, LABELS)


class HostAccuracy(proa.metric.Accuracy):
    """Its tensor part reads values, which a compiled function has not."""

    def compute(self, pred: Any, label: Any, *args: Any) -> Any:
        best = pred.numpy().argmax(axis=1)
        return proa.to_tensor((best == label.numpy()).astype("float32")[:, None])


def test_a_metric_that_cannot_be_compiled_leaves_the_step_compiled() -> None:
    metric = HostAccuracy()
    model = make_model([proa.metric.Accuracy(name="compiled"), metric])
    with pytest.warns(UserWarning, match="the metrics run uncompiled, which is slower: numpy"):
        _, values = model.train_batch(POINTS, LABELS)
    assert model._steps.train.is_compiled
    assert values[0] == values[1]
    assert metric.accumulate() == values[1]


def test_errors_of_the_network_stay_what_they_are() -> None:
    model = make_model()
    with pytest.raises(InvalidArgumentError, match="linear"):
        model.train_batch(POINTS[:, :2], LABELS)


class Loss(proa.metric.Metric):
    """Keeps what it is given: outputs and labels, which hang on the tape."""

    def reset(self) -> None:
        self.seen: list[Any] = []

    def update(self, *args: Any) -> None:
        self.seen.append([array.shape for array in args])

    def accumulate(self) -> int:
        return len(self.seen)

    def name(self) -> str:
        return "count"


def test_metrics_without_a_tensor_part_get_outputs_and_labels() -> None:
    metric = Loss()
    metric.reset()
    model = make_model(metric)
    model.train_batch(POINTS, LABELS)
    assert metric.seen == [[(20, 2), (20,)]]
    # The outputs were cut off the tape, so the step is one compiled call, not an op on it.
    (entries,) = model._steps.train._functions[0]._entries.values()
    assert not entries[0].differentiable


def test_several_losses_are_summed() -> None:
    def losses(output: Any, label: Any) -> Any:
        loss = nn.functional.cross_entropy(output, label)
        return [loss, 2 * loss]

    model, single = make_model(loss=losses, rate=0.1), make_model(rate=0.3)
    first, second = model.train_batch(POINTS, LABELS)
    assert second == pytest.approx(2 * first)
    single.train_batch(POINTS, LABELS)
    for a, b in zip(weights(model), weights(single), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_tensors_of_a_result_in_order() -> None:
    x, y = proa.ones([1]), proa.zeros([1])
    assert as_list(x) == [x]
    assert as_list([x, None, (y,)]) == [x, y]


@pytest.mark.parametrize(
    ("prepared", "needs", "message"),
    [
        (False, (), r"fit on a Model that was not prepared"),
        (True, ("optimizer",), r"prepared without optimizer(.|\n)*prepare\(optimizer=\.\.\.\)"),
    ],
)
def test_a_model_that_is_not_ready_is_refused(prepared: bool, needs: Any, message: str) -> None:
    model = Model(nn.Linear(1, 1))
    if prepared:
        model.prepare()
    with pytest.raises(PreconditionError, match=message):
        require_prepared(model._steps, "fit", needs)
