from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import proa
from proa.callbacks import Callback, History, VisualDL
from tests.model.toy import Points, make_model


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def _fit(callbacks: Any, **options: Any) -> None:
    model = make_model(proa.metric.Accuracy(), rate=proa.optimizer.lr.StepDecay(0.1, 2))
    settings: dict[str, Any] = {"batch_size": 8, "epochs": 2, "verbose": 0, "callbacks": callbacks}
    model.fit(Points(), Points(4), **{**settings, **options})


class Read(Callback):
    """Reads the values at once."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        self.seen.append((logs["loss"][0], logs["acc"]))


def test_late_values_are_those_of_their_step() -> None:
    history, read = History(), Read()
    _fit([history])
    _fit([read])
    assert [(r["loss"], r["acc"]) for r in history.steps] == read.seen


def test_steps_epochs_and_evaluations_are_recorded() -> None:
    history = History()
    _fit(history)
    assert [(r["epoch"], r["step"], r["global_step"]) for r in history.steps] == [
        *((0, 0, 0), (0, 1, 1), (0, 2, 2)),
        *((1, 0, 3), (1, 1, 4), (1, 2, 5)),
    ]
    assert [r["lr"] for r in history.steps] == pytest.approx([0.1, 0.1, 0.01, 0.01, 0.001, 0.001])
    assert all(r["seconds"] > 0 for r in history.steps)
    assert sorted(history.epochs[0]) == ["acc", "epoch", "eval_acc", "eval_loss", "loss", "seconds"]
    losses = [r["loss"] for r in history.steps[3:]]
    assert history.epochs[1]["loss"] == pytest.approx(sum(losses) / 3)
    assert history.epochs[1]["acc"] == history.steps[-1]["acc"]


def test_records_are_lines_of_a_file(tmp_path: Path) -> None:
    history = History()
    _fit(history, save_dir=tmp_path)
    assert history.path == tmp_path / "history.jsonl"
    lines = _lines(history.path)
    assert [line["event"] for line in lines] == [*(["step"] * 3), "epoch", "eval"] * 2
    assert lines[3]["loss"] == history.epochs[0]["loss"]
    assert lines[4]["acc"] == history.epochs[0]["eval_acc"]
    elsewhere = History(tmp_path / "other" / "log.jsonl")
    _fit(elsewhere)
    assert len(_lines(tmp_path / "other" / "log.jsonl")) == 10


class Fail(Callback):
    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        if step == 1:
            raise KeyboardInterrupt


def test_what_was_known_is_written_when_training_fails(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        _fit([History(), Fail()], save_dir=tmp_path)
    assert [line["step"] for line in _lines(tmp_path / "history.jsonl")] == [0, 1]


def test_a_file_goes_on_where_the_checkpoint_was_written(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    records = [{"event": "step", "epoch": 0, "step": i, "loss": 1.0 - i} for i in range(3)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    history = History(path)
    history.on_train_begin()
    history.load_state_dict({"num_lines": 2})
    assert [r["loss"] for r in history.steps] == [1.0, 0.0]
    history.on_train_end()
    assert _lines(path) == records[:2]


def test_scalars_have_tags_for_a_viewer(tmp_path: Path) -> None:
    scalars = VisualDL(tmp_path / "log")
    _fit(scalars)
    rows = _lines(tmp_path / "log" / "scalars.jsonl")
    assert {row["tag"] for row in rows} == {
        *("train/loss", "train/acc", "train/lr"),
        *("eval/loss", "eval/acc"),
    }
    steps = [row["step"] for row in rows if row["tag"] == "train/loss"]
    assert steps == [0, 1, 2, 3, 4, 5]
    assert [row["step"] for row in rows if row["tag"] == "eval/acc"] == [3, 6]
    assert set(rows[0]) == {"tag", "step", "value", "time"}


def test_scalars_go_on_with_their_steps(tmp_path: Path) -> None:
    options: dict[str, Any] = {"save_dir": tmp_path, "epochs": 2}
    _fit(VisualDL(tmp_path), num_iters=4, **options)
    _fit(VisualDL(tmp_path), resume="auto", **options)
    rows = _lines(tmp_path / "scalars.jsonl")
    assert [row["step"] for row in rows if row["tag"] == "train/loss"] == [0, 1, 2, 3, 4, 5]
