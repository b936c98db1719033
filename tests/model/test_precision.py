from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError, InvalidTypeError, interceptors
from proa.model import Model
from proa.model._precision import Precision, read_precision, widened

O1 = {"level": "O1", "dtype": "bfloat16"}
O2 = {"level": "O2", "dtype": "bfloat16"}
FP16 = {"level": "O1", "dtype": "float16", "init_loss_scaling": 1024.0, "incr_every_n_steps": 4}


class Points(proa.io.Dataset):
    """Points on both sides of a plane; `bad` gives one that is infinite."""

    def __init__(self, length: int = 24, bad: int = -1) -> None:
        rng = np.random.default_rng(0)
        self.points = rng.normal(size=(length, 3)).astype("float32")
        self.labels = (self.points.sum(axis=1) > 0).astype("int64")
        if bad >= 0:
            self.points[bad] = np.inf

    def __getitem__(self, index: int) -> Any:
        return self.points[index], self.labels[index]

    def __len__(self) -> int:
        return len(self.points)


def make(configs: Any, schedule: Any = None) -> Model:
    proa.seed(0)
    network = nn.Sequential(nn.Linear(3, 8), nn.LayerNorm(8), nn.ReLU(), nn.Linear(8, 2))
    model = Model(network)
    optimizer = proa.optimizer.Adam(schedule or 0.05, parameters=network.parameters())
    model.prepare(optimizer, nn.CrossEntropyLoss(), proa.metric.Accuracy(), configs)
    return model


@pytest.mark.parametrize("configs", [O1, O2, FP16, "O1", {"level": "OD"}])
def test_training_in_mixed_precision_learns_the_task(configs):
    model = make(configs)
    model.fit(Points(), batch_size=8, epochs=10, verbose=0)
    assert model.evaluate(Points(), batch_size=8, verbose=0)["acc"] > 0.9
    assert model._steps.train.is_compiled
    assert len(list(model._steps.train.explain())) == 1
    outputs = model.predict_batch([Points().points])
    assert outputs[0].dtype == np.float32
    expected = "bfloat16" if configs == O2 else "float32"
    assert model.network[0].weight.dtype.name == expected
    assert not interceptors


def test_a_skipped_step_does_not_move_the_schedule():
    # PT#67590
    schedule = proa.optimizer.lr.StepDecay(0.05, step_size=100)
    model = make(FP16, schedule)
    model.fit(Points(bad=9), batch_size=8, epochs=2, shuffle=False, verbose=0)
    assert schedule.last_epoch == 4
    assert model._precision.scaler.skipped_steps == 2
    assert all(np.isfinite(t.numpy()).all() for t in model.parameters())


@pytest.mark.parametrize("configs", [O2, FP16])
def test_a_run_that_goes_on_ends_as_one_without_a_stop(configs, tmp_path: Path):
    def train(folder: Path, epochs: tuple[int, ...]) -> Any:
        for number in epochs:
            model = make(configs)
            resume = {} if number == epochs[0] else {"resume": True}
            model.fit(
                Points(), batch_size=8, epochs=number, verbose=0, save_dir=str(folder), **resume
            )
        return [t.astype("float32").numpy() for t in model.parameters()], model._precision.gather()

    once, twice = train(tmp_path / "a", (4,)), train(tmp_path / "b", (2, 4))
    for expected, found in zip(once[0], twice[0], strict=True):
        np.testing.assert_array_equal(found, expected)
    assert {k: v.tolist() for k, v in once[1].items()} == {
        k: v.tolist() for k, v in twice[1].items()
    }


@pytest.mark.parametrize(
    ("configs", "level", "dtype", "is_scaled"),
    [
        (None, "O0", "bfloat16", False),
        ("O0", "O0", "bfloat16", False),
        ("O1", "O1", "bfloat16", False),
        ({}, "O1", "bfloat16", False),
        ({"dtype": "float16"}, "O1", "float16", True),
        ({"init_loss_scaling": 2.0}, "O1", "bfloat16", True),
        ({"level": "O2", "custom_white_list": {"add"}}, "O2", "bfloat16", False),
    ],
)
def test_what_is_asked_for(configs, level, dtype, is_scaled):
    precision = read_precision(configs)
    assert (precision.level, precision.dtype) == (level, dtype)
    assert (precision.scaler is not None) is is_scaled
    assert precision.is_mixed is (level != "O0")


@pytest.mark.parametrize(
    ("configs", "error", "message"),
    [
        (3, InvalidTypeError, "`amp_configs` is a int"),
        ({"levels": "O1"}, InvalidArgumentError, "`amp_configs` has 'levels'"),
        ("O3", InvalidArgumentError, "`amp_configs` has the level 'O3'"),
        ({"dtype": "int8"}, InvalidArgumentError, "`dtype` of auto_cast is 'int8'"),
        ({"incr_ratio": 0.1}, InvalidArgumentError, "`incr_ratio` of GradScaler is 0.1"),
    ],
)
def test_wrong_settings_are_refused(configs, error, message):
    with pytest.raises(error, match=message):
        read_precision(configs)


def test_outputs_are_widened():
    tensors = [proa.ones([1], dtype=d) for d in ("bfloat16", "float16", "float64", "int32")]
    names = [t.dtype.name for t in widened(tensors)]
    assert names == ["float32", "float32", "float64", "int32"]


def test_full_precision_has_nothing_to_keep():
    precision = Precision()
    assert precision.gather() == {}
    precision.restore({})
    assert not precision.has_skipped()
