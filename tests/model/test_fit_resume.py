"""A run that was stopped and goes on ends as one without a stop, bit for bit."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proa
from proa import nn
from proa.callbacks import (
    Callback,
    EarlyStopping,
    History,
    LRScheduler,
    ModelCheckpoint,
    ReduceLROnPlateau,
)
from proa.model import Model, list_checkpoints

STEPS = 6  # of an epoch


class Points(proa.io.Dataset):
    """Points with an augmentation that draws from all generators a user may draw from."""

    def __init__(self, length: int = 4 * STEPS - 1) -> None:
        rng = np.random.default_rng(0)
        self.points = rng.normal(size=(length, 3)).astype("float32")
        self.labels = (self.points.sum(axis=1) > 0).astype("int64")

    def __getitem__(self, index: int) -> Any:
        noise = np.random.normal() + random.gauss(0, 1) + proa.io.sample_rng().normal()
        return self.points[index] + np.float32(0.01 * noise), self.labels[index]

    def __len__(self) -> int:
        return len(self.points)


class StopAt(Callback):
    """Fails at a step, as a machine may do."""

    def __init__(self, num_steps: int) -> None:
        super().__init__()
        self.num_steps = num_steps

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        if self.model.num_steps == self.num_steps:
            raise KeyboardInterrupt


def _make(optimizer: str = "adam") -> Model:
    network = nn.Sequential(
        nn.Linear(3, 8), nn.BatchNorm1D(8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 2)
    )
    model = Model(network)
    schedule = proa.optimizer.lr.CosineAnnealingDecay(0.05, T_max=17)
    parameters = model.parameters()
    if optimizer == "adam":
        made = proa.optimizer.Adam(schedule, parameters=parameters)
    elif optimizer == "clipped":
        clip = nn.ClipGradByGlobalNorm(0.5)
        made = proa.optimizer.AdamW(schedule, parameters=parameters, grad_clip=clip)
    else:
        made = proa.optimizer.Momentum(0.05, parameters=parameters)
    model.prepare(made, nn.CrossEntropyLoss(), proa.metric.Accuracy())
    return model


def _fit(model: Model, folder: Path | None, **options: Any) -> None:
    settings: dict[str, Any] = {"batch_size": 4, "epochs": 3, "verbose": 0, "save_dir": folder}
    model.fit(Points(), **{**settings, **options})


def _state(model: Model) -> dict[str, np.ndarray]:
    state = {name: t.numpy() for name, t in model.network.state_dict().items()}
    # The names of parameters count the layers of the process, their order does not.
    for number, (key, value) in enumerate(model._optimizer.state_dict().items()):
        if key != "LR_Scheduler":
            state[f"optimizer/{number}"] = value.numpy()
    return {**state, "rate": np.array(model._optimizer.get_lr()), "key": _key()}


def _key() -> np.ndarray:
    return proa.get_rng_state()[0].numpy()


def _assert_same(actual: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    assert list(actual) == list(expected)
    for name, value in expected.items():
        np.testing.assert_array_equal(actual[name], value, err_msg=name)


@pytest.mark.parametrize("num_workers", [0, 2])
def test_a_run_that_failed_in_the_middle_of_an_epoch_goes_on(
    tmp_path: Path, num_workers: int
) -> None:
    proa.seed(3)
    whole = _make()
    _fit(whole, None, num_workers=num_workers)
    expected = _state(whole)

    proa.seed(3)
    saving = ModelCheckpoint(save_steps=2)
    with pytest.raises(KeyboardInterrupt):
        # Two steps beyond the last checkpoint, in the middle of the second epoch.
        _fit(_make(), tmp_path, num_workers=num_workers, callbacks=[saving, StopAt(STEPS + 3)])
    assert [path.stem for path in list_checkpoints(tmp_path / "checkpoints")] == [
        "step-00000008",
        "step-00000006",
    ]

    proa.seed(99)
    proa.rand([5])
    random.seed(1)
    resumed = _make()
    _fit(resumed, tmp_path, num_workers=num_workers, resume="auto")
    _assert_same(_state(resumed), expected)


@pytest.mark.parametrize("stop", [2, STEPS, STEPS + 4])
def test_a_run_that_was_to_do_some_steps_goes_on(tmp_path: Path, stop: int) -> None:
    proa.seed(4)
    whole = _make("clipped")
    _fit(whole, None)
    proa.seed(4)
    _fit(_make("clipped"), tmp_path, num_iters=stop)
    resumed = _make("clipped")
    _fit(resumed, tmp_path, resume=True)
    assert resumed.num_steps == 3 * STEPS
    _assert_same(_state(resumed), _state(whole))


class StopAfterEpoch(Callback):
    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        if epoch == 2:
            raise KeyboardInterrupt


def _watchers() -> list[Callback]:
    return [
        ReduceLROnPlateau(patience=1, factor=0.5, verbose=0, min_delta=10.0),
        EarlyStopping("acc", patience=3, verbose=0),
        LRScheduler(by_step=False, by_epoch=True),
    ]


def test_callbacks_go_on_where_they_were(tmp_path: Path) -> None:
    proa.seed(5)
    whole, watchers = _make("momentum"), _watchers()
    _fit(whole, None, eval_data=Points(8), epochs=4, callbacks=watchers)
    assert whole._optimizer.get_lr() == pytest.approx(0.05 / 8)

    proa.seed(5)
    with pytest.raises(KeyboardInterrupt):
        _fit(
            _make("momentum"),
            tmp_path,
            eval_data=Points(8),
            epochs=4,
            callbacks=[*_watchers(), StopAfterEpoch()],
        )
    resumed, again = _make("momentum"), _watchers()
    _fit(resumed, tmp_path, eval_data=Points(8), epochs=4, callbacks=again, resume="auto")
    _assert_same(_state(resumed), _state(whole))
    for before, after in zip(watchers, again, strict=True):
        assert after.state_dict() == before.state_dict()


def test_a_run_that_stopped_early_has_ended(tmp_path: Path) -> None:
    # A metric that never gets better than the baseline.
    stopping = EarlyStopping("acc", patience=1, verbose=0, baseline=2.0)
    _fit(_make(), tmp_path, eval_data=Points(8), callbacks=stopping)
    again = _make()
    _fit(again, tmp_path, eval_data=Points(8), callbacks=stopping, resume="auto")
    assert again.num_steps == STEPS
    patient = EarlyStopping("acc", patience=5, verbose=0, baseline=2.0)
    _fit(again, tmp_path, eval_data=Points(8), callbacks=patient, resume="auto")
    assert again.num_steps == 3 * STEPS


@pytest.mark.smoke
def test_more_epochs_go_on_from_the_end(tmp_path: Path) -> None:
    proa.seed(6)
    whole = _make()
    _fit(whole, None, epochs=3)
    proa.seed(6)
    _fit(_make(), tmp_path, epochs=2)
    resumed = _make()
    _fit(resumed, tmp_path, epochs=3, resume="auto")
    _assert_same(_state(resumed), _state(whole))


def test_gradients_that_wait_for_their_update_go_on(tmp_path: Path) -> None:
    proa.seed(7)
    whole = _make()
    _fit(whole, None, accumulate_grad_batches=4)
    proa.seed(7)
    # Two of the four batches of an update.
    _fit(_make(), tmp_path, accumulate_grad_batches=4, num_iters=STEPS + 2)
    resumed = _make()
    _fit(resumed, tmp_path, accumulate_grad_batches=4, resume="auto")
    _assert_same(_state(resumed), _state(whole))


def test_metrics_and_history_cover_the_whole_epoch(tmp_path: Path) -> None:
    def without_times(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{k: v for k, v in r.items() if k != "seconds"} for r in records]

    proa.seed(8)
    whole = History()
    _fit(_make(), None, epochs=2, callbacks=whole)
    proa.seed(8)
    _fit(_make(), tmp_path, epochs=2, num_iters=STEPS + 3, callbacks=History())
    resumed = History()
    _fit(_make(), tmp_path, epochs=2, callbacks=resumed, resume="auto")
    assert without_times(resumed.steps) == without_times(whole.steps)
    assert without_times(resumed.epochs) == without_times(whole.epochs)
    lines = (tmp_path / "history.jsonl").read_text().splitlines()
    assert len(lines) == 2 * STEPS + 2


def test_an_iterable_without_a_position_is_passed_over(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    batches = [
        [rng.normal(size=(4, 3)).astype("float32"), rng.integers(0, 2, 4)] for _ in range(STEPS)
    ]
    proa.seed(9)
    whole = _make()
    whole.fit(batches, epochs=2, verbose=0)
    proa.seed(9)
    _make().fit(batches, epochs=2, verbose=0, save_dir=tmp_path, num_iters=STEPS + 2)
    resumed = _make()
    resumed.fit(batches, epochs=2, verbose=0, save_dir=tmp_path, resume="auto")
    _assert_same(_state(resumed), _state(whole))
