"""The loops of training, evaluation and prediction."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from proa.core import NotFoundError

from ._batches import num_batches, num_samples
from ._checkpoint import (
    Checkpoint,
    checked_path,
    checkpoint_path,
    keep_newest,
    read_checkpoint,
    read_newest,
    write_checkpoint,
)
from ._conflicts import check_conflicts, describe_run
from ._fetch import Losses, MetricFeed, StepLogs, Throttle, preserved
from ._run_state import (
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
from .callbacks import CallbackList

# Outputs of so many batches wait for the device before they are fetched.
_AHEAD = 4


@dataclass
class FitSettings:
    """The settings of one call of `Model.fit`."""

    epochs: int
    eval_freq: int
    accumulate: int
    num_iters: int | None
    save_dir: str | None
    resume: Any = None
    accepted: tuple[str, ...] = ()


@dataclass
class Position:
    """How far a run has come.

    Attributes:
        epoch: number of the epoch.
        step: steps of the epoch that are done.
        num_steps: steps of the whole run that are done.
    """

    epoch: int = 0
    step: int = 0
    num_steps: int = 0


@dataclass
class FitLoop:
    """One run of training."""

    model: Any
    loader: Any
    eval_loader: Any
    callbacks: CallbackList
    settings: FitSettings
    position: Position = field(default_factory=Position)

    def __post_init__(self) -> None:
        model = self.model
        self.feed = MetricFeed(model._metrics)
        self.throttle = Throttle()
        self.tensors = named_tensors(model.network, model._loss)
        self.described = describe_run(model, self.tensors, self.loader, self.settings.accumulate)
        self.logs: Any = {}
        self._pass_over = 0

    def run(self) -> None:
        """Trains until the last epoch, the last iteration, or until a callback stops it."""
        model = self.model
        found = self._find_checkpoint()
        accepted: list[str] = []
        if found is not None:
            # Before anything changes: a run that does not fit leaves the model as it is.
            saved = found[1].state["settings"]
            accepted = check_conflicts(saved, self.described, self.settings.accepted)
        model.stop_training = False
        model._request = None
        self.feed.reset()
        self.callbacks.on_begin("train")
        if found is not None:
            self._restore(found[1], accepted)
            if self.callbacks.params.get("verbose"):
                at = self.position
                print(f"going on from {found[0]}: epoch {at.epoch + 1}, step {at.step}")
        model._position, model._is_fitting = self.position, True
        try:
            while self.position.epoch < self.settings.epochs and not self._is_over():
                self._run_epoch()
            self.callbacks.on_end("train", self.logs)
        except BaseException:
            self._interrupt()
            raise
        finally:
            model._is_fitting = False

    def _is_over(self) -> bool:
        limit = self.settings.num_iters
        return self.model.stop_training or (limit is not None and self.position.num_steps >= limit)

    def _run_epoch(self) -> None:
        position, epoch = self.position, self.position.epoch
        self.callbacks.tell(first_step=position.step)
        self.callbacks.on_epoch_begin(epoch)
        is_cut = self._train_epoch()
        # Fetched now, since the evaluation uses the same metrics.
        self.logs = dict(self.logs.items())
        self.callbacks.on_epoch_end(epoch, self.logs)
        if self.eval_loader is not None and epoch % self.settings.eval_freq == 0:
            EvalLoop(self.model, self.eval_loader, self.callbacks).run()
        if is_cut:
            return
        position.epoch, position.step = epoch + 1, 0
        self.feed.reset()
        self._write_if_asked()

    def _train_epoch(self) -> bool:
        """Trains to the end of the epoch; returns whether it was cut short."""
        model, position, accumulate = self.model, self.position, self.settings.accumulate
        steps = num_batches(self.loader)
        if not model.network.training:
            model.network.train()
        for batch in self._batches():
            step = position.step
            self.callbacks.on_batch_begin("train", step, self.logs)
            inputs, labels = model._splitter.split(batch, has_labels=True)
            update = (step + 1) % accumulate == 0 or step + 1 == steps
            losses, results = model._steps.train(inputs, labels, update)
            self.throttle.add(losses)
            position.step, position.num_steps = step + 1, position.num_steps + 1
            self.logs = StepLogs(
                Losses(losses),
                self.feed.add(results),
                self.feed.names,
                step=step,
                batch_size=num_samples(inputs),
            )
            self.callbacks.on_batch_end("train", step, self.logs)
            if not model.network.training:
                # A callback may have evaluated the model.
                model.network.train()
            if self._is_over():
                # What follows the end of an epoch is left to the run that goes on.
                model.stop_training = True
                self._ask_for_last()
            self._write_if_asked()
            if model.stop_training:
                return True
        return False

    def _batches(self) -> Iterator[Any]:
        iterator = iter(self.loader)
        skipped, self._pass_over = self._pass_over, 0
        return islice(iterator, skipped, None) if skipped else iterator

    def _interrupt(self) -> None:
        for callback in self.callbacks.callbacks:
            interrupt = getattr(callback, "interrupt", None)
            if interrupt is not None:
                interrupt()

    # Checkpoints

    @property
    def folder(self) -> str | None:
        """The folder of the run: that of `fit`, or else that of a callback that saves."""
        folders = [getattr(each, "save_dir", None) for each in self.callbacks.callbacks]
        return next(filter(None, [self.settings.save_dir, *folders]), None)

    def _ask_for_last(self) -> None:
        for callback in self.callbacks.callbacks:
            folder = getattr(callback, "folder", None)
            if folder is not None:
                self.model.request_checkpoint(folder, callback.keep)

    def _write_if_asked(self) -> None:
        request, self.model._request = self.model._request, None
        if request is not None:
            folder, keep = request
            path = checkpoint_path(folder, self.position.num_steps)
            write_checkpoint(self.gather(), path)
            keep_newest(folder, keep)

    def gather(self) -> Checkpoint:
        """Returns the state of the run."""
        model, position = self.model, self.position
        names = Names(self.tensors, model._optimizer)
        self.feed.flush()
        arrays = gather_tensors(self.tensors)
        optimizer_arrays, optimizer = gather_optimizer(model._optimizer, names)
        random_arrays, random = gather_random()
        metric_arrays, metrics = gather_metrics(model._metrics)
        arrays.update({**optimizer_arrays, **random_arrays, **metric_arrays})
        arrays.update(model._precision.gather())
        state = {
            "settings": self.described,
            "position": vars(position).copy(),
            "loader": loader_state(self.loader, position.epoch, position.step),
            # Random parts of samples differ from one evaluation to the next.
            "eval_loader": self._eval_loader_state(),
            "optimizer": optimizer,
            "random": random,
            "metrics": metrics,
            "callbacks": self.callbacks.state_dicts(),
            "logs": _plain_logs(self.logs),
        }
        return Checkpoint(arrays, state)

    def _eval_loader_state(self) -> dict[str, Any] | None:
        loader = self.eval_loader
        return loader.state_dict() if hasattr(loader, "state_dict") else None

    def _find_checkpoint(self) -> tuple[Path, Checkpoint] | None:
        resume = self.settings.resume
        if resume is None or resume is False:
            return None
        if resume is True or resume == "auto":
            # The first start of a script that is started again and again finds nothing.
            return None if self.folder is None else read_newest(self.folder)
        path = checked_path(resume)
        if not path.is_dir():
            return path, read_checkpoint(path)
        found = read_newest(path)
        if found is None:
            raise NotFoundError(
                f"no complete checkpoint in {str(path)!r}",
                expected="a folder with the checkpoints of Model.fit",
                fix="check the path; resume='auto' starts anew when there is none",
            )
        return found

    def _restore(self, checkpoint: Checkpoint, accepted: list[str]) -> None:
        model, state = self.model, checkpoint.state
        names = Names(self.tensors, model._optimizer)
        restore_tensors(self.tensors, checkpoint)
        restore_optimizer(model._optimizer, names, checkpoint, accepted)
        restore_metrics(model._metrics, checkpoint)
        model._precision.restore(checkpoint.arrays)
        position = Position(**state["position"])
        if {"batch_size", "data"} & set(accepted):
            # Other batches: the epoch that was under way begins anew.
            position.step = 0
            if hasattr(self.loader, "set_epoch"):
                self.loader.set_epoch(position.epoch)
        else:
            self._pass_over = restore_loader(self.loader, state["loader"])
        if state["eval_loader"] is not None and hasattr(self.eval_loader, "set_epoch"):
            # Another data set to evaluate on is no conflict; only the count matters.
            self.eval_loader.set_epoch(state["eval_loader"]["epoch"])
        self.position = position
        self.callbacks.load_state_dicts(state["callbacks"])
        self.logs = dict(state["logs"])
        # Last, since all of the above may have drawn random numbers.
        restore_random(checkpoint)


def _plain_logs(logs: Any) -> dict[str, Any]:
    plain = {}
    for name, value in dict(logs).items():
        if isinstance(value, list | tuple):
            plain[name] = [float(each) for each in value]
        else:
            plain[name] = int(value) if isinstance(value, int) else float(value)
    return plain


class EvalLoop:
    """One evaluation.

    Args:
        model: the model.
        loader: gives the batches.
        callbacks: what to tell.
        num_iters: number of batches, `None` for all.
    """

    def __init__(
        self, model: Any, loader: Any, callbacks: CallbackList, num_iters: int | None = None
    ) -> None:
        self.model, self.loader, self.callbacks = model, loader, callbacks
        self.num_iters = num_iters
        self.feed = MetricFeed(model._metrics)

    def run(self) -> dict[str, Any]:
        """Evaluates; returns the mean loss over all samples and the metrics."""
        if not self.model._is_fitting:
            return self._run()
        # Training goes on with the sums that it has.
        with preserved(self.model._metrics):
            return self._run()

    def _run(self) -> dict[str, Any]:
        model, callbacks = self.model, self.callbacks
        self.feed.reset()
        steps = num_batches(self.loader)
        if self.num_iters is not None and steps is not None:
            steps = min(steps, self.num_iters)
        names = (["loss"] if model._loss is not None else []) + self.feed.names
        callbacks.on_begin("eval", {"steps": steps, "metrics": names})
        if model.network.training:
            model.network.eval()
        throttle = Throttle()
        losses_of: list[tuple[int, Losses]] = []
        logs: Any = {}
        for step, batch in enumerate(islice(self.loader, self.num_iters)):
            callbacks.on_batch_begin("eval", step, logs)
            inputs, labels = model._splitter.split(batch, has_labels=True)
            losses, results = model._steps.evaluate(inputs, labels)
            throttle.add(losses)
            size = num_samples(inputs)
            late = Losses(losses) if losses else None
            if late is not None:
                losses_of.append((size, late))
            metrics = self.feed.add(results)
            logs = StepLogs(late, metrics, self.feed.names, step=step, batch_size=size)
            callbacks.on_batch_end("eval", step, logs)
        values = self._values(losses_of)
        final = {**values, **{k: v for k, v in dict(logs).items() if k in ("step", "batch_size")}}
        callbacks.on_end("eval", final)
        return values

    def _values(self, losses_of: list[tuple[int, Losses]]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        if losses_of:
            # In float64: a float32 sum over many batches would drift.
            weights = np.array([size for size, _ in losses_of], np.float64)
            rows = np.array([late.value() for _, late in losses_of], np.float64)
            values["loss"] = [float(v) for v in (rows * weights[:, None]).sum(0) / weights.sum()]
        if self.feed.metrics:
            values.update(self.feed.values())
        return values


class PredictLoop:
    """One prediction."""

    def __init__(self, model: Any, loader: Any, callbacks: CallbackList) -> None:
        self.model, self.loader, self.callbacks = model, loader, callbacks
        self._waiting: deque[list[Any]] = deque()
        self._outputs: list[list[np.ndarray]] = []

    def run(self, stack_outputs: bool) -> list[Any]:
        """Predicts; returns per output the arrays of all batches, or one array."""
        model, callbacks = self.model, self.callbacks
        callbacks.on_begin("predict", {"steps": num_batches(self.loader)})
        if model.network.training:
            model.network.eval()
        logs: dict[str, Any] = {}
        for step, batch in enumerate(self.loader):
            callbacks.on_batch_begin("predict", step, logs)
            inputs, _ = model._splitter.split(batch, has_labels=False)
            outputs, _ = model._steps.predict(inputs)
            self._waiting.append(outputs)
            if len(self._waiting) > _AHEAD:
                self._fetch()
            logs = {"step": step, "batch_size": num_samples(inputs)}
            callbacks.on_batch_end("predict", step, logs)
        while self._waiting:
            self._fetch()
        callbacks.on_end("predict", logs)
        if stack_outputs:
            return [np.concatenate(arrays) for arrays in self._outputs]
        return [tuple(arrays) for arrays in self._outputs]

    def _fetch(self) -> None:
        arrays = [t.numpy() for t in self._waiting.popleft()]
        if not self._outputs:
            self._outputs = [[] for _ in arrays]
        for collected, array in zip(self._outputs, arrays, strict=True):
            collected.append(array)
