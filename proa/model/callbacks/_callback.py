"""The base of callbacks, and what calls them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from proa.core import InvalidTypeError


class Callback:
    """Something that happens at the events of training, evaluation and prediction.

    A callback of your own defines the events it cares for. In `logs` are `loss` (a list of
    numbers) and the metrics by name, `step` and `batch_size`. The numbers are fetched from the
    device when they are read, so a callback that reads them at each step makes training wait
    for each step; reading them now and then costs nothing.

    The order of the events of `Model.fit` is `on_train_begin`; per epoch `on_epoch_begin`,
    per batch `on_train_batch_begin` and `on_train_batch_end`, then `on_epoch_end`; with
    evaluation `on_eval_begin`, per batch `on_eval_batch_begin` and `on_eval_batch_end`, then
    `on_eval_end`; at the end `on_train_end`. Setting `self.model.stop_training = True` ends
    training after the event.

    Attributes:
        model: the `Model`.
        params: a dict with `epochs`, `steps` (per epoch, `None` when not known), `verbose`,
            `metrics` (names) and `save_dir`.

    Examples:
        >>> import proa
        >>> class Names(proa.callbacks.Callback):
        ...     def on_epoch_end(self, epoch, logs=None):
        ...         print(epoch, sorted(logs))
        >>> Names().on_epoch_end(0, {"loss": [0.5], "step": 9})
        0 ['loss', 'step']
    """

    def __init__(self) -> None:
        self.model: Any = None
        self.params: dict[str, Any] = {}

    def set_params(self, params: Mapping[str, Any]) -> None:
        """Takes the settings of the run."""
        self.params = dict(params)

    def set_model(self, model: Any) -> None:
        """Takes the model."""
        self.model = model

    def on_train_begin(self, logs: Any = None) -> None:
        """Called when training begins."""

    def on_train_end(self, logs: Any = None) -> None:
        """Called when training ends."""

    def on_eval_begin(self, logs: Any = None) -> None:
        """Called when an evaluation begins; `logs` has `steps` and `metrics`."""

    def on_eval_end(self, logs: Any = None) -> None:
        """Called when an evaluation ends; `logs` has the loss and metrics of all of it."""

    def on_predict_begin(self, logs: Any = None) -> None:
        """Called when a prediction begins; `logs` has `steps`."""

    def on_predict_end(self, logs: Any = None) -> None:
        """Called when a prediction ends."""

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Called when an epoch begins, also when one is taken up in its middle."""

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Called when the training part of an epoch ends, before its evaluation."""

    def on_train_batch_begin(self, step: int, logs: Any = None) -> None:
        """Called before a step of training."""

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        """Called after a step of training."""

    def on_eval_batch_begin(self, step: int, logs: Any = None) -> None:
        """Called before a batch of an evaluation."""

    def on_eval_batch_end(self, step: int, logs: Any = None) -> None:
        """Called after a batch of an evaluation."""

    def on_predict_batch_begin(self, step: int, logs: Any = None) -> None:
        """Called before a batch of a prediction."""

    def on_predict_batch_end(self, step: int, logs: Any = None) -> None:
        """Called after a batch of a prediction."""

    def state_dict(self) -> dict[str, Any]:
        """Returns what a resumed run needs of this callback, as values that JSON can hold."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up a state that `state_dict` returned."""


class CallbackList:
    """Calls the callbacks of a run in order; those that do not define an event cost nothing."""

    def __init__(self, callbacks: Iterable[Any], model: Any, params: Mapping[str, Any]) -> None:
        self.callbacks = list(callbacks)
        self.params = dict(params)
        for callback in self.callbacks:
            callback.set_model(model)
            callback.set_params(params)
        self._hooks: dict[str, list[Any]] = {}

    def tell(self, **params: Any) -> None:
        """Changes settings that the callbacks know."""
        for callback in self.callbacks:
            callback.params.update(params)

    def _call(self, event: str, *arguments: Any) -> None:
        hooks = self._hooks.get(event)
        if hooks is None:
            hooks = self._hooks[event] = [
                getattr(callback, event)
                for callback in self.callbacks
                if getattr(type(callback), event) is not getattr(Callback, event)
                or event in vars(callback)
            ]
        for hook in hooks:
            hook(*arguments)

    def on_begin(self, stage: str, logs: Any = None) -> None:
        """Tells of the beginning of `train`, `eval` or `predict`."""
        self._call(f"on_{stage}_begin", logs)

    def on_end(self, stage: str, logs: Any = None) -> None:
        """Tells of the end of `train`, `eval` or `predict`."""
        self._call(f"on_{stage}_end", logs)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Tells of the beginning of an epoch."""
        self._call("on_epoch_begin", epoch, logs)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Tells of the end of an epoch."""
        self._call("on_epoch_end", epoch, logs)

    def on_batch_begin(self, stage: str, step: int, logs: Any = None) -> None:
        """Tells of the beginning of a batch."""
        self._call(f"on_{stage}_batch_begin", step, logs)

    def on_batch_end(self, stage: str, step: int, logs: Any = None) -> None:
        """Tells of the end of a batch."""
        self._call(f"on_{stage}_batch_end", step, logs)

    def state_dicts(self) -> list[dict[str, Any]]:
        """Returns the states of all callbacks that have one, with their class names."""
        states = []
        for callback in self.callbacks:
            state = callback.state_dict()
            if state:
                states.append({"class": type(callback).__name__, "state": state})
        return states

    def load_state_dicts(self, states: Iterable[Mapping[str, Any]]) -> None:
        """Gives each saved state to the next callback of its class."""
        remaining = list(self.callbacks)
        for saved in states:
            for callback in remaining:
                if type(callback).__name__ == saved["class"]:
                    callback.load_state_dict(saved["state"])
                    remaining.remove(callback)
                    break


def checked_callbacks(given: Any) -> list[Any]:
    """Returns a user's callbacks as a list.

    Raises:
        InvalidTypeError: one of them is no Callback.
    """
    callbacks = [] if given is None else list(given) if isinstance(given, list | tuple) else [given]
    for callback in callbacks:
        if not isinstance(callback, Callback):
            is_class = isinstance(callback, type)
            raise InvalidTypeError(
                f"`callbacks` has {'the class ' if is_class else 'a '}"
                f"{callback.__name__ if is_class else type(callback).__name__}",
                expected="objects of proa.callbacks.Callback",
                fix="make an object of it" if is_class else "derive its class from Callback",
            )
    return callbacks


def number_of(logs: Any, name: str) -> float | None:
    """Returns a monitored value as a number: the first one of a list, `None` if not there."""
    value = None if logs is None else logs.get(name)
    if isinstance(value, list | tuple):
        value = value[0] if value else None
    return None if value is None else float(value)
