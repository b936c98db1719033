from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import proa
from proa.callbacks import Callback, ModelCheckpoint
from proa.core import ArtifactError, NotFoundError, PreconditionError
from proa.model import list_checkpoints
from tests.model.toy import Points, make_model


class Log(Callback):
    """Notes all events in order."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[str] = []


def _noting(name: str) -> Any:
    def note(self: Log, *arguments: Any) -> None:
        numbers = [str(a) for a in arguments if isinstance(a, int)]
        self.events.append(" ".join([name.removeprefix("on_"), *numbers]))

    return note


for _name in [name for name in dir(Callback) if name.startswith("on_")]:
    setattr(Log, _name, _noting(_name))

_EVAL = ["eval_begin", "eval_batch_begin 0", "eval_batch_end 0", "eval_end"]


def _epoch(number: int, *, steps: int = 2) -> list[str]:
    inner = [f"train_batch_{part} {i}" for i in range(steps) for part in ("begin", "end")]
    return [f"epoch_begin {number}", *inner, f"epoch_end {number}"]


# The order that paddle 3.3.1 has, recorded from it with such a callback.
def test_events_come_in_paddles_order() -> None:
    log = Log()
    model = make_model()
    model.fit(Points(), Points(4), batch_size=10, epochs=2, verbose=0, callbacks=log)
    assert log.events == ["train_begin", *_epoch(0), *_EVAL, *_epoch(1), *_EVAL, "train_end"]


def test_iterations_are_counted_over_epochs_and_end_with_an_evaluation() -> None:
    log = Log()
    model = make_model()
    model.fit(Points(), Points(4), batch_size=10, epochs=9, verbose=0, callbacks=log, num_iters=3)
    last = _epoch(1, steps=1)
    assert log.events == ["train_begin", *_epoch(0), *_EVAL, *last, *_EVAL, "train_end"]
    assert model.num_steps == 3


def test_evaluations_are_as_rare_as_asked_for() -> None:
    log = Log()
    model = make_model()
    model.fit(Points(), Points(4), batch_size=20, epochs=4, eval_freq=2, verbose=0, callbacks=log)
    begins = [e for e in log.events if e in ("eval_begin", *(f"epoch_end {i}" for i in range(4)))]
    assert begins == ["epoch_end 0", "eval_begin", "epoch_end 1", "epoch_end 2"] + [
        "eval_begin",
        "epoch_end 3",
    ]


def test_predictions_and_evaluations_have_their_events() -> None:
    log = Log()
    model = make_model()
    model.evaluate(Points(4), batch_size=4, verbose=0, callbacks=log)
    assert log.events == _EVAL
    log.events.clear()
    model.predict(Points(4), batch_size=4, verbose=0, callbacks=log)
    assert log.events == [event.replace("eval", "predict") for event in _EVAL]


class Logs(Callback):
    """Keeps what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[dict[str, Any]] = []
        self.others: dict[str, Any] = {}

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        self.steps.append(dict(logs))

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.others["epoch"] = dict(logs)

    def on_eval_begin(self, logs: Any = None) -> None:
        self.others["eval begin"] = dict(logs)

    def on_eval_end(self, logs: Any = None) -> None:
        self.others["eval"] = dict(logs)

    def on_train_end(self, logs: Any = None) -> None:
        self.others["end"] = dict(logs)


def test_logs_have_loss_metrics_step_and_size() -> None:
    logs = Logs()
    model = make_model(proa.metric.Accuracy())
    model.fit(Points(), Points(4), batch_size=8, verbose=0, callbacks=logs)
    assert [sorted(each) for each in logs.steps] == [["acc", "batch_size", "loss", "step"]] * 3
    assert [each["batch_size"] for each in logs.steps] == [8, 8, 4]
    assert [each["step"] for each in logs.steps] == [0, 1, 2]
    assert all(isinstance(each["loss"][0], float) for each in logs.steps)
    assert logs.others["epoch"] == logs.steps[-1]
    assert logs.others["eval begin"] == {"steps": 1, "metrics": ["loss", "acc"]}
    # The evaluation has used the same metric; the training's values stay what they were.
    assert logs.others["end"] == logs.steps[-1]
    assert logs.params["steps"] == 3
    assert logs.params["metrics"] == ["loss", "acc"]


class EvaluateInside(Callback):
    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        if step == 1:
            self.model.evaluate(Points(4), batch_size=4, verbose=0)


def test_an_evaluation_within_an_epoch_leaves_the_training_metrics_alone() -> None:
    plain, inside = Logs(), Logs()
    for logs, others in ((plain, []), (inside, [EvaluateInside()])):
        model = make_model(proa.metric.Accuracy())
        model.fit(Points(), batch_size=5, shuffle=False, verbose=0, callbacks=[*others, logs])
        assert model.network.training
    assert inside.steps == plain.steps


class StopAt(Callback):
    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        self.model.stop_training = step == 1


def test_a_callback_ends_training(tmp_path: Path) -> None:
    model = make_model()
    model.fit(Points(), batch_size=4, epochs=5, verbose=0, callbacks=StopAt(), save_dir=tmp_path)
    assert model.num_steps == 2
    # The last checkpoint is that of the last step, before the epoch was told to end.
    assert [path.stem for path in list_checkpoints(tmp_path / "checkpoints")] == ["step-00000002"]


def test_as_many_checkpoints_are_kept_as_asked_for(tmp_path: Path) -> None:
    model = make_model()
    saving = ModelCheckpoint(save_dir=tmp_path, save_steps=1, keep=3)
    model.fit(Points(), batch_size=4, verbose=0, callbacks=saving)
    assert len(list_checkpoints(tmp_path / "checkpoints")) == 3


def test_resuming_says_where_it_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_model().fit(Points(), batch_size=4, verbose=0, save_dir=tmp_path, num_iters=3)
    again = make_model()
    again.fit(Points(), batch_size=4, verbose=1, save_dir=tmp_path, resume="auto")
    assert again.num_steps == 5
    out = capsys.readouterr().out
    assert "step-00000003.safetensors: epoch 1, step 3\n" in out


def test_a_folder_or_a_file_can_be_named(tmp_path: Path) -> None:
    make_model().fit(Points(), batch_size=4, verbose=0, save_dir=tmp_path, num_iters=3)
    (path,) = list_checkpoints(tmp_path / "checkpoints")
    for where in (tmp_path, str(tmp_path / "checkpoints"), path):
        model = make_model()
        model.fit(Points(), batch_size=4, verbose=0, resume=where)
        assert model.num_steps == 5


def test_without_a_checkpoint_auto_starts_anew_and_a_name_is_refused(tmp_path: Path) -> None:
    model = make_model()
    model.fit(Points(), batch_size=10, verbose=0, save_dir=tmp_path / "new", resume="auto")
    assert model.num_steps == 2
    model.fit(Points(), batch_size=10, verbose=0, resume="auto")
    with pytest.raises(NotFoundError, match="no complete checkpoint in"):
        model.fit(Points(), verbose=0, resume=tmp_path)
    with pytest.raises(NotFoundError, match="no checkpoint at"):
        model.fit(Points(), verbose=0, resume=tmp_path / "nothing")


def test_a_damaged_checkpoint_is_refused_and_the_model_stays(tmp_path: Path) -> None:
    make_model().fit(Points(), batch_size=4, verbose=0, save_dir=tmp_path, num_iters=3)
    (path,) = list_checkpoints(tmp_path / "checkpoints")
    path.write_bytes(path.read_bytes()[:-9])
    model = make_model()
    before = model.network.state_dict()["0.weight"].numpy()
    with pytest.raises(ArtifactError, match="is truncated"):
        model.fit(Points(), batch_size=4, verbose=0, resume=path)
    assert (model.network.state_dict()["0.weight"].numpy() == before).all()


def test_another_batch_size_is_a_conflict_that_can_be_accepted(tmp_path: Path) -> None:
    make_model().fit(Points(), batch_size=4, epochs=2, verbose=0, save_dir=tmp_path, num_iters=7)
    model = make_model(rate=0.2)
    options: dict[str, Any] = {"batch_size": 10, "epochs": 2, "verbose": 0, "resume": tmp_path}
    with pytest.raises(PreconditionError, match=r"batch_size: 4 .*, 10 now"):
        model.fit(Points(), **options)
    model.fit(Points(), **options, accept_changes=["batch_size", "learning_rate"])
    # The second epoch begins anew: 7 steps are done, two more of ten samples follow.
    assert model.num_steps == 9
    assert model._optimizer.get_lr() == 0.2
