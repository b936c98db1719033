"""The base of all schedules: state, listeners, copies."""

from __future__ import annotations

import copy
import gc
import pickle

import pytest

from proa.core._context import context
from proa.core._errors import ArtifactError, PreconditionError, UnsupportedError
from proa.optimizer import lr
from proa.program import Recorder


def test_state_dict_holds_paddles_keys():
    assert lr.StepDecay(0.5, 3).state_dict() == {"last_epoch": 0, "last_lr": 0.5}


def test_state_with_missing_entry_is_refused():
    with pytest.raises(ArtifactError, match="the state for StepDecay lacks last_lr"):
        lr.StepDecay(0.5, 3).set_state_dict({"last_epoch": 3})


def test_step_is_refused_while_a_function_is_compiled(monkeypatch):
    schedule = lr.StepDecay(0.5, 3)
    monkeypatch.setattr(context, "recorder", Recorder())
    with pytest.raises(PreconditionError, match=r"StepDecay.step\(\) was called while"):
        schedule.step()
    assert schedule.last_epoch == 0


def test_state_with_unknown_entry_warns():
    with pytest.warns(UserWarning, match="StepDecay has no use for T_cur"):
        lr.StepDecay(0.5, 3).set_dict({"last_epoch": 3, "last_lr": 0.1, "T_cur": 1})


def test_verbose_prints_each_rate(capsys):
    lr.StepDecay(0.5, 3, verbose=True).step(3)
    assert capsys.readouterr().out == (
        "Epoch 0: StepDecay set learning rate to 0.5.\n"
        "Epoch 3: StepDecay set learning rate to 0.05.\n"
    )


class Listener:
    def __init__(self):
        self.heard = []

    def _receive_learning_rate(self, value):
        self.heard.append(value)


def test_listeners_hear_each_new_rate_and_are_not_kept_alive():
    schedule, listener = lr.ExponentialDecay(0.5, 0.5), Listener()
    schedule._listeners.add(listener)
    schedule.step()
    schedule.last_lr = 0.125
    assert listener.heard == [0.25, 0.125]
    del listener
    gc.collect()
    assert len(schedule._listeners) == 0


def test_copies_and_pickles_go_their_own_way():
    schedule, listener = lr.StepDecay(0.5, 1, 0.5), Listener()
    schedule._listeners.add(listener)
    for twin in (copy.deepcopy(schedule), pickle.loads(pickle.dumps(schedule))):
        twin.step()
        assert twin() == 0.25
    assert schedule() == 0.5
    assert listener.heard == []


def test_base_without_formula_says_so():
    with pytest.raises(UnsupportedError, match="LRScheduler does not define `get_lr`"):
        lr.LRScheduler()
