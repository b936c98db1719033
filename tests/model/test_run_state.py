from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import proa
from proa.model import Checkpoint
from proa.model._run_state import (
    Names,
    gather_metrics,
    gather_optimizer,
    gather_random,
    gather_tensors,
    loader_state,
    named_tensors,
    restore_loader,
    restore_metrics,
    restore_optimizer,
    restore_random,
    restore_tensors,
)
from tests.model.toy import LABELS, POINTS, make_model


class _Named:
    def __init__(self, name: str) -> None:
        self.name = name


def test_optimizer_keys_do_not_depend_on_the_process() -> None:
    before = Names({"0.weight": _Named("linear_7.w_0"), "0.bias": _Named("linear_7.b_0")}, None)
    after = Names({"0.weight": _Named("linear_0.w_0"), "0.bias": _Named("linear_0.b_0")}, None)
    stored = before.to_stored("linear_7.w_0_moment1_0")
    assert stored == "0.weight|moment1_0"
    assert after.to_own(stored) == "linear_0.w_0_moment1_0"
    assert after.to_own(before.to_stored("linear_7.b_0")) == "linear_0.b_0"
    assert after.to_own(before.to_stored("unknown_key")) == "unknown_key"


def test_a_longer_name_is_not_taken_for_a_shorter_one() -> None:
    names = Names({"a": _Named("w"), "b": _Named("w_x")}, None)
    assert names.to_stored("w_x_moment_0") == "b|moment_0"
    assert names.to_stored("w_moment_0") == "a|moment_0"


def test_parameters_that_no_layer_has_are_counted() -> None:
    extra = proa.to_tensor([1.0], stop_gradient=False)
    optimizer = proa.optimizer.SGD(0.1, parameters=[extra])
    assert Names({}, optimizer).to_stored(f"{extra.name}_velocity_0") == "parameter/0|velocity_0"


class _Centres(proa.nn.Layer):
    """A loss with a parameter of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.centre = self.create_parameter([2])

    def forward(self, output: Any, label: Any) -> Any:
        return ((output - self.centre) ** 2).mean()


def test_the_parameters_of_a_loss_belong_to_the_run() -> None:
    model = make_model(loss=_Centres())
    names = list(named_tensors(model.network, model._loss))
    assert names == ["0.weight", "0.bias", "2.weight", "2.bias", "loss/centre"]


def test_weights_gradients_and_optimizer_state_come_back() -> None:
    def make() -> Any:
        model = make_model()
        rate = proa.optimizer.lr.StepDecay(0.1, 2)
        made = proa.optimizer.Adam(rate, parameters=model.parameters())
        model.prepare(made, proa.nn.CrossEntropyLoss())
        return model, named_tensors(model.network, model._loss)

    model, tensors = make()
    model.train_batch(POINTS, LABELS)
    model._optimizer._learning_rate.step()
    model.train_batch(POINTS, LABELS, update=False)
    names = Names(tensors, model._optimizer)
    arrays, plain = gather_optimizer(model._optimizer, names)
    checkpoint = Checkpoint({**gather_tensors(tensors), **arrays}, {"optimizer": plain})
    assert plain["schedule"] == {"last_epoch": 1, "last_lr": 0.1}
    assert "optimizer/0.weight|moment1_0" in arrays

    again, others = make()
    again.train_batch(POINTS, LABELS)
    restore_tensors(others, checkpoint)
    restore_optimizer(again._optimizer, Names(others, again._optimizer), checkpoint, ())
    for name, t in tensors.items():
        np.testing.assert_array_equal(others[name].numpy(), t.numpy())
        np.testing.assert_array_equal(others[name].grad.numpy(), t.grad.numpy())
    state, expected = again._optimizer.state_dict(), model._optimizer.state_dict()
    assert state.pop("LR_Scheduler") == expected.pop("LR_Scheduler")
    for a, b in zip(state.values(), expected.values(), strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


@pytest.mark.parametrize(
    ("accepted", "rate", "expected"),
    [
        ((), proa.optimizer.lr.StepDecay(0.1, 2), 0.025),
        (("learning_rate",), proa.optimizer.lr.StepDecay(0.8, 1, gamma=0.5), 0.1),
        (("learning_rate",), 0.7, 0.7),
    ],
)
def test_an_accepted_schedule_goes_on_at_the_same_count(
    accepted: Any, rate: Any, expected: float
) -> None:
    plain = {"schedule": {"last_epoch": 3, "last_lr": 0.025}, "learning_rate": 0.025}
    checkpoint = Checkpoint({}, {"optimizer": plain})
    model = make_model(rate=rate)
    names = Names(named_tensors(model.network, None), model._optimizer)
    restore_optimizer(model._optimizer, names, checkpoint, accepted)
    assert model._optimizer.get_lr() == pytest.approx(expected)


def _draw() -> list[float]:
    return [float(proa.rand([])), random.random(), float(np.random.normal())]


def test_all_random_streams_go_on() -> None:
    proa.seed(5)
    np.random.normal()  # leaves the second of a pair behind
    arrays, plain = gather_random()
    expected = _draw()
    proa.seed(6)
    _draw()
    restore_random(Checkpoint(arrays, {"random": plain}))
    assert _draw() == expected
    assert proa.core.default_seed() == 5


def test_the_sums_of_metrics_go_on() -> None:
    accuracy, auc = proa.metric.Accuracy(topk=(1, 2)), proa.metric.Auc(num_thresholds=15)
    accuracy.update(np.array([[0.0, 1.0], [1.0, 0.0]]))
    auc.update(np.array([[0.2, 0.8], [0.6, 0.4], [0.3, 0.7]]), np.array([[1], [0], [0]]))
    arrays, plain = gather_metrics([accuracy, auc])
    others = [proa.metric.Accuracy(topk=(1, 2)), proa.metric.Auc(num_thresholds=15)]
    restore_metrics(others, Checkpoint(arrays, {"metrics": plain}))
    assert others[0].accumulate() == accuracy.accumulate() == [0.5, 1.0]
    assert others[0].topk == (1, 2)
    assert others[1].accumulate() == auc.accumulate()
    precision = proa.metric.Precision()
    restore_metrics([precision], Checkpoint(arrays, {"metrics": plain}))
    assert precision.accumulate() == 0.0


def test_the_position_of_any_iterable_is_known() -> None:
    state = loader_state([1, 2, 3], epoch=1, step=2)
    assert restore_loader([1, 2, 3], state) == 2
    loader = proa.io.DataLoader(list(range(4)), batch_size=1)
    batches = iter(loader)
    next(batches)
    again = proa.io.DataLoader(list(range(4)), batch_size=1)
    assert restore_loader(again, loader_state(loader, 0, 1)) == 0
    assert next(iter(again)).item() == 1
