from __future__ import annotations

from typing import Any

import pytest

from proa.callbacks import Callback, EarlyStopping, History
from proa.core import InvalidTypeError
from proa.model.callbacks import CallbackList, checked_callbacks
from proa.model.callbacks._callback import number_of


class Counter(Callback):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        self.count += step

    def state_dict(self) -> dict[str, Any]:
        return {"count": self.count}

    def load_state_dict(self, state: Any) -> None:
        self.count = state["count"]


def test_callbacks_know_model_and_settings_and_are_called_in_order() -> None:
    first, second = Counter(), Counter()
    order: list[str] = []
    first.on_epoch_begin = lambda epoch, logs=None: order.append("first")  # type: ignore[method-assign]
    second.on_epoch_begin = lambda epoch, logs=None: order.append("second")  # type: ignore[method-assign]
    callbacks = CallbackList([first, second], "model", {"epochs": 3})
    callbacks.on_epoch_begin(0)
    callbacks.on_batch_end("train", 5, {})
    callbacks.on_batch_end("eval", 5, {})
    assert order == ["first", "second"]
    assert (first.count, second.count, first.model) == (5, 5, "model")
    callbacks.tell(first_step=2)
    assert second.params == {"epochs": 3, "first_step": 2}
    second.params["epochs"] = 9
    assert first.params["epochs"] == 3


def test_states_go_to_callbacks_of_the_same_class_in_order() -> None:
    first, second = Counter(), Counter()
    first.count, second.count = 1, 2
    states = CallbackList([first, Callback(), second], None, {}).state_dicts()
    assert states == [
        {"class": "Counter", "state": {"count": 1}},
        {"class": "Counter", "state": {"count": 2}},
    ]
    others = [History(), Counter(), Counter(), Counter()]
    CallbackList(others, None, {}).load_state_dicts(states)
    assert [each.count for each in others[1:]] == [1, 2, 0]  # type: ignore[attr-defined]


def test_callbacks_are_given_as_one_a_list_or_none() -> None:
    counter = Counter()
    assert checked_callbacks(None) == []
    assert checked_callbacks(counter) == [counter]
    assert checked_callbacks((counter, counter)) == [counter, counter]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (EarlyStopping, "has the class EarlyStopping(.|\n)*make an object of it"),
        ([len], "has a builtin_function_or_method(.|\n)*derive its class from Callback"),
    ],
)
def test_other_things_are_refused(given: Any, message: str) -> None:
    with pytest.raises(InvalidTypeError, match=message):
        checked_callbacks(given)


def test_a_monitored_value_is_one_number() -> None:
    assert number_of({"loss": [0.5, 2.0]}, "loss") == 0.5
    assert number_of({"acc": 1}, "acc") == 1.0
    assert number_of({"loss": []}, "loss") is None
    assert number_of(None, "loss") is None
