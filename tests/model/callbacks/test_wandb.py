from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

import proa


class Run:
    def __init__(self):
        self.logged, self.settings, self.finished = [], {}, False
        self.config = SimpleNamespace(update=lambda given, **_: self.settings.update(given))

    def log(self, numbers):
        self.logged.append(numbers)

    def finish(self):
        self.finished = True


@pytest.fixture
def library(monkeypatch):
    runs = []

    def init(**given):
        runs.append((given, Run()))
        return runs[-1][1]

    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(run=None, init=init))
    return runs


def test_numbers_of_epochs_and_evaluations_are_logged(library):
    callback = proa.callbacks.WandbCallback("project", mode="offline", tags=["a"])
    callback.set_params({"epochs": 2})
    callback.on_train_begin()
    callback.on_epoch_end(0, {"loss": [0.5], "acc": 0.25, "step": 7, "batch_size": 4})
    callback.on_eval_end({"loss": [0.75], "names": ["x", "y"]})
    callback.on_train_end()
    ((given, run),) = library
    assert given == {"project": "project", "mode": "offline", "tags": ["a"]}
    assert run.settings == {"epochs": 2}
    assert run.logged == [{"train/loss": 0.5, "train/acc": 0.25, "epoch": 0}, {"eval/loss": 0.75}]
    assert run.finished


def test_a_run_of_the_program_is_used(library, monkeypatch):
    own = Run()
    monkeypatch.setattr(sys.modules["wandb"], "run", own)
    proa.callbacks.WandbCallback().on_epoch_end(3, {"loss": 1.0})
    assert own.logged == [{"train/loss": 1.0, "epoch": 3}]
    assert library == []


def test_without_the_library_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(ImportError, match="pip install wandb"):
        proa.callbacks.WandbCallback()
