"""Model: a network with its optimizer, loss and metrics, trained in one call."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from proa.core import InvalidArgumentError, InvalidTypeError
from proa.jit import save as save_artifact
from proa.metric import Metric
from proa.nn import Layer
from proa.program import InputSpec

from ._batches import Splitter, flatten, make_loader, num_batches, split_sizes
from ._fetch import MetricFeed, metric_names
from ._fit import EvalLoop, FitLoop, FitSettings, Position, PredictLoop
from ._precision import Precision, read_precision
from ._steps import Steps, require_prepared
from ._summary import summary
from ._weights import load_weights, save_weights
from .callbacks import (
    CallbackList,
    EarlyStopping,
    LRScheduler,
    ModelCheckpoint,
    ProgBarLogger,
    checked_callbacks,
)


class Model:
    """A network with what is needed to train, evaluate and use it.

    `fit` compiles the whole training step (forward, loss, backward, update and metrics) by
    itself, once per shape of a batch; evaluation and prediction are compiled too. What cannot
    be compiled runs uncompiled after one warning that says why.

    Args:
        network (Layer): the network.
        inputs (InputSpec | list[InputSpec], optional): what the network takes. They say which
            parts of a batch are inputs, and are needed by `save(training=False)` before the
            network has run. By default the parameters of `forward` say it.
        labels (InputSpec | list[InputSpec], optional): what the loss and the metrics take
            beside the outputs.

    Raises:
        InvalidTypeError: `network` is no Layer.

    Examples:
        >>> import proa
        >>> _ = proa.seed(0)
        >>> data = proa.io.TensorDataset([proa.rand([64, 4]), proa.randint(0, 2, [64])])
        >>> model = proa.Model(proa.nn.Linear(4, 2))
        >>> optimizer = proa.optimizer.Adam(0.01, parameters=model.parameters())
        >>> model.prepare(optimizer, proa.nn.CrossEntropyLoss(), proa.metric.Accuracy())
        >>> model.fit(data, batch_size=16, epochs=2, verbose=0)
        >>> sorted(model.evaluate(data, batch_size=16, verbose=0))
        ['acc', 'loss']
    """

    def __init__(self, network: Any, inputs: Any = None, labels: Any = None) -> None:
        if not isinstance(network, Layer):
            is_class = isinstance(network, type)
            raise InvalidTypeError(
                f"`network` is {'the class ' + network.__name__ if is_class else 'a '}"
                f"{'' if is_class else type(network).__name__}",
                expected="a proa.nn.Layer",
                fix="make an object of the class" if is_class else "derive it from proa.nn.Layer",
            )
        self.network = network
        self._inputs = _specs("inputs", inputs)
        self._labels = _specs("labels", labels)
        self._splitter = Splitter(network.forward, self._inputs, self._labels)
        self._optimizer: Any = None
        self._loss: Any = None
        self._metrics: list[Metric] = []
        self._precision = Precision()
        self._steps: Steps | None = None
        self._request: tuple[str, int] | None = None
        self._position = Position()
        self._is_fitting = False
        #: Set to `True` by a callback to end training.
        self.stop_training = False

    @property
    def num_steps(self) -> int:
        """Number of training steps of the current or last `fit`, those before a resume included."""
        return self._position.num_steps

    def prepare(
        self,
        optimizer: Any = None,
        loss: Any = None,
        metrics: Any = None,
        amp_configs: Any = None,
    ) -> None:
        """Sets what the model is trained and judged with.

        Args:
            optimizer (Optimizer, optional): needed for training.
            loss (Layer | callable, optional): called with the outputs and then the labels;
                gives the loss, or several, which are summed.
            metrics (Metric | list[Metric], optional): their `compute` is called with the
                outputs and then the labels.
            amp_configs (str | dict, optional): mixed precision: a level of
                `proa.amp.auto_cast`, or a dict with `level`, `dtype` ("bfloat16" by default),
                `custom_white_list`, `custom_black_list`, `use_promote`, and the settings of
                `proa.amp.GradScaler`, which float16 always has. At `"O2"` the network is cast
                as by `proa.amp.decorate`.

        Raises:
            InvalidTypeError: one of them is of another type.
            InvalidArgumentError: a setting of `amp_configs` is unknown or out of range.
        """
        if optimizer is not None and not hasattr(optimizer, "clear_grad"):
            raise InvalidTypeError(
                f"`optimizer` is a {type(optimizer).__name__}",
                expected="an optimizer of proa.optimizer",
                fix="pass proa.optimizer.Adam(0.001, parameters=model.parameters())",
            )
        if loss is not None and not callable(loss):
            raise InvalidTypeError(
                f"`loss` is a {type(loss).__name__}",
                expected="a loss layer or a function of outputs and labels",
                fix="pass an object such as proa.nn.CrossEntropyLoss()",
            )
        if isinstance(loss, type):
            raise InvalidTypeError(
                f"`loss` is the class {loss.__name__}",
                expected="an object of it",
                fix=f"write {loss.__name__}()",
            )
        given = metrics if isinstance(metrics, list | tuple) else [metrics]
        self._metrics = [metric for metric in given if metric is not None]
        for metric in self._metrics:
            if not isinstance(metric, Metric):
                raise InvalidTypeError(
                    f"`metrics` has a {type(metric).__name__}",
                    expected="objects of proa.metric.Metric",
                    fix="pass an object such as proa.metric.Accuracy()",
                )
        precision = read_precision(amp_configs)
        precision.cast_network(self.network, optimizer)
        self._optimizer, self._loss, self._precision = optimizer, loss, precision
        self._steps = Steps(self.network, loss, self._metrics, optimizer, precision)

    # One batch

    def train_batch(self, inputs: Any, labels: Any = None, update: bool = True) -> Any:
        """Runs one training step on a batch.

        Args:
            inputs (Tensor | ndarray | list): the inputs.
            labels (Tensor | ndarray | list, optional): the labels.
            update (bool): `False` only adds to the gradients.

        Returns:
            list[ndarray]: the losses; with metrics a tuple of them and of what each metric's
            `update` gave.

        Raises:
            PreconditionError: `prepare` was not called with an optimizer and a loss.
        """
        steps = require_prepared(self._steps, "train_batch", ("optimizer", "loss"))
        if not self.network.training:
            self.network.train()
        return self._answer(*steps.train(flatten(inputs), flatten(labels), bool(update)))

    def eval_batch(self, inputs: Any, labels: Any = None) -> Any:
        """Evaluates one batch, without gradients and in evaluation mode.

        Args:
            inputs (Tensor | ndarray | list): the inputs.
            labels (Tensor | ndarray | list, optional): the labels.

        Returns:
            What `train_batch` returns.

        Raises:
            PreconditionError: `prepare` was not called.
        """
        steps = require_prepared(self._steps, "eval_batch")
        if self.network.training:
            self.network.eval()
        return self._answer(*steps.evaluate(flatten(inputs), flatten(labels)))

    def predict_batch(self, inputs: Any) -> list[np.ndarray]:
        """Returns the outputs for one batch, without gradients and in evaluation mode.

        Args:
            inputs (Tensor | ndarray | list): the inputs.

        Returns:
            list[ndarray]: one array per output.
        """
        if self.network.training:
            self.network.eval()
        outputs, _ = self._prediction_steps().predict(flatten(inputs))
        return [t.numpy() for t in outputs]

    def _answer(self, losses: Any, results: Any) -> Any:
        values = [np.asarray(t.numpy()) for t in losses]
        if not self._metrics:
            return values
        feed = MetricFeed(self._metrics)
        feed.add(results)
        return values, feed.flush()

    def _prediction_steps(self) -> Steps:
        # Nothing is needed for predictions but the network.
        if self._steps is None:
            self._steps = Steps(self.network, None, [], None)
        return self._steps

    # Loops

    def fit(
        self,
        train_data: Any = None,
        eval_data: Any = None,
        batch_size: Any = 1,
        epochs: int = 1,
        eval_freq: int = 1,
        log_freq: int = 10,
        save_dir: Any = None,
        save_freq: int = 1,
        verbose: int = 2,
        drop_last: bool = False,
        shuffle: bool = True,
        num_workers: int = 0,
        callbacks: Any = None,
        accumulate_grad_batches: int = 1,
        num_iters: int | None = None,
        *,
        resume: Any = None,
        accept_changes: Sequence[str] = (),
    ) -> None:
        """Trains the network.

        Args:
            train_data (Dataset | DataLoader): what to train on. A loader, or another iterable
                over batches, has its own batch size, order and workers.
            eval_data (Dataset | DataLoader, optional): what to evaluate on.
            batch_size (int | list[int]): samples in a batch; a list of two gives that of
                training and that of evaluation.
            epochs (int): number of epochs of the whole run.
            eval_freq (int): number of epochs between two evaluations.
            log_freq (int): number of steps between two lines, where lines are printed.
            save_dir (str, optional): folder for weights and checkpoints; see
                `proa.callbacks.ModelCheckpoint`.
            save_freq (int): number of epochs between two savings.
            verbose (int): 0 is silent; 1 shows a bar, or a line per epoch; 2 shows a bar, or a
                line every `log_freq` steps.
            drop_last (bool): leaves out a last batch with fewer samples.
            shuffle (bool): trains in an order drawn anew for each epoch.
            num_workers (int): number of processes that read the data.
            callbacks (Callback | list[Callback], optional): see `proa.callbacks`.
            accumulate_grad_batches (int): number of batches whose gradients are summed up for
                one update.
            num_iters (int, optional): number of steps of the whole run.
            resume (str, optional): a checkpoint, or a folder with checkpoints, to go on from:
                the run ends with the same weights, bit for bit, as one without a stop.
                `"auto"` takes the newest complete checkpoint in `save_dir`, and starts anew
                when there is none.
            accept_changes (Sequence[str]): settings that may differ from those of the
                checkpoint, and then win: `"batch_size"`, `"data"` (both begin the epoch
                anew), `"learning_rate"`, `"loss"`, `"optimizer"` (starts without its state),
                `"accumulate"`.

        Raises:
            InvalidArgumentError: a number is out of range.
            InvalidTypeError: data or callbacks are of another type.
            PreconditionError: `prepare` was not called with an optimizer and a loss; or the
                checkpoint differs in settings that are not accepted, which are all listed.
            NotFoundError: `resume` names no checkpoint.
            ArtifactError: the checkpoint is truncated or altered.
        """
        require_prepared(self._steps, "fit", ("optimizer", "loss"))
        _require_positive("fit", "epochs", epochs)
        _require_positive("fit", "eval_freq", eval_freq)
        _require_positive("fit", "accumulate_grad_batches", accumulate_grad_batches)
        _require_positive("fit", "num_iters", 1 if num_iters is None else num_iters)
        train_size, eval_size = split_sizes(batch_size)
        reading: dict[str, Any] = {
            "batch_size": train_size,
            "shuffle": shuffle,
            "drop_last": drop_last,
        }
        loader = make_loader(train_data, "train_data", num_workers=num_workers, **reading)
        eval_loader = None
        if eval_data is not None:
            reading = {"batch_size": eval_size, "num_workers": num_workers}
            eval_loader = make_loader(eval_data, "eval_data", **reading)
        folder = None if save_dir is None else os.fspath(save_dir)
        params = {
            "batch_size": train_size,
            "epochs": epochs,
            "steps": num_batches(loader),
            "verbose": verbose,
            "metrics": self._metrics_name(),
            "save_dir": folder,
        }
        chosen = _fit_callbacks(callbacks, log_freq, verbose, save_freq, folder)
        settings = FitSettings(epochs, eval_freq, accumulate_grad_batches, num_iters, folder)
        settings.resume, settings.accepted = resume, tuple(accept_changes)
        FitLoop(self, loader, eval_loader, CallbackList(chosen, self, params), settings).run()

    def evaluate(
        self,
        eval_data: Any,
        batch_size: int = 1,
        log_freq: int = 10,
        verbose: int = 2,
        num_workers: int = 0,
        callbacks: Any = None,
        num_iters: int | None = None,
    ) -> dict[str, Any]:
        """Evaluates the network.

        Args:
            eval_data (Dataset | DataLoader): what to evaluate on.
            batch_size (int): samples in a batch.
            log_freq (int): number of batches between two lines, where lines are printed.
            verbose (int): as in `fit`.
            num_workers (int): number of processes that read the data.
            callbacks (Callback | list[Callback], optional): see `proa.callbacks`.
            num_iters (int, optional): number of batches; all by default.

        Returns:
            dict: `loss` (a list: the mean of each loss over all samples) and the metrics.

        Raises:
            PreconditionError: `prepare` was not called.
            InvalidTypeError: the data or the callbacks are of another type.

        Differs: Paddle 3.3.1 gives the loss of the last batch.
        """
        require_prepared(self._steps, "evaluate")
        _require_positive("evaluate", "num_iters", 1 if num_iters is None else num_iters)
        loader = make_loader(eval_data, "eval_data", batch_size=batch_size, num_workers=num_workers)
        told = self._told(callbacks, log_freq, verbose)
        return EvalLoop(self, loader, told, num_iters).run()

    def predict(
        self,
        test_data: Any,
        batch_size: int = 1,
        num_workers: int = 0,
        stack_outputs: bool = False,
        verbose: int = 1,
        callbacks: Any = None,
    ) -> list[Any]:
        """Returns the outputs for a data set.

        Args:
            test_data (Dataset | DataLoader): the inputs; labels that come with them are left
                out.
            batch_size (int): samples in a batch.
            num_workers (int): number of processes that read the data.
            stack_outputs (bool): joins the batches of each output to one array.
            verbose (int): as in `fit`.
            callbacks (Callback | list[Callback], optional): see `proa.callbacks`.

        Returns:
            list: per output a tuple of the arrays of all batches, or one array.

        Raises:
            InvalidTypeError: the data or the callbacks are of another type.
        """
        self._prediction_steps()
        loader = make_loader(test_data, "test_data", batch_size=batch_size, num_workers=num_workers)
        return PredictLoop(self, loader, self._told(callbacks, 10, verbose)).run(stack_outputs)

    def _told(self, callbacks: Any, log_freq: int, verbose: int) -> CallbackList:
        chosen = checked_callbacks(callbacks)
        if not any(isinstance(each, ProgBarLogger) for each in chosen):
            chosen = [ProgBarLogger(log_freq, verbose), *chosen]
        params = {"verbose": verbose, "metrics": self._metrics_name()}
        return CallbackList(chosen, self, params)

    def _metrics_name(self) -> list[str]:
        names = [name for metric in self._metrics for name in metric_names(metric)]
        return ["loss", *names] if self._loss is not None else names

    def request_checkpoint(self, folder: Any, keep: int = 2) -> None:
        """Asks, from a callback, for a checkpoint of the run.

        It is written when all callbacks of the event have been called.

        Args:
            folder (str): where to.
            keep (int): number of checkpoints to keep there; older ones are deleted.
        """
        self._request = (os.fspath(folder), keep)

    # Files and figures

    def save(self, path: Any, training: bool = True) -> None:
        """Saves the model.

        Args:
            path (str): path without ending.
            training (bool): writes `<path>.pdparams` and `<path>.pdopt`, to be loaded with
                `load`; `False` writes `<path>.proa`, to be used for inference.

        Raises:
            InvalidArgumentError: `path` names no file; or for inference, `inputs` are not
                known.
        """
        if training:
            save_weights(path, self.network, self._optimizer)
        else:
            save_artifact(self.network, path, input_spec=self._inputs or None)

    def load(self, path: Any, skip_mismatch: bool = False, reset_optimizer: bool = False) -> None:
        """Loads what `save` or Paddle's `Model.save` wrote for training.

        Args:
            path (str): path without ending.
            skip_mismatch (bool): leaves out weights whose shape differs, with a warning, and
                those whose name is missing on either side.
            reset_optimizer (bool): leaves the optimizer's state as it is.

        Raises:
            NotFoundError: no such file.
            ArtifactError: a file is truncated or altered, or the optimizer's state does not
                fit.
            InvalidArgumentError: names or shapes differ.
        """
        load_weights(
            path,
            self.network,
            self._optimizer,
            skip_mismatch=skip_mismatch,
            reset_optimizer=reset_optimizer,
        )

    def parameters(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Returns the network's parameters."""
        return self.network.parameters(*args, **kwargs)

    def summary(self, input_size: Any = None, dtype: Any = None) -> dict[str, int]:
        """Prints the layers of the network with their shapes and numbers of parameters.

        Args:
            input_size (tuple | InputSpec | list, optional): shapes of the inputs; those of
                `inputs` by default.
            dtype (str | list[str], optional): dtypes of the inputs.

        Returns:
            dict: `total_params` and `trainable_params`.

        Raises:
            InvalidArgumentError: no shapes are known, or the network cannot take them.
        """
        return summary(self.network, input_size or self._inputs or None, dtype)


def _specs(name: str, given: Any) -> list[InputSpec]:
    if given is None:
        return []
    if isinstance(given, Mapping):
        given = list(given.values())
    specs = list(given) if isinstance(given, list | tuple) else [given]
    for spec in specs:
        if not isinstance(spec, InputSpec):
            raise InvalidTypeError(
                f"`{name}` has {spec!r}",
                expected="objects of proa.static.InputSpec",
                fix="write InputSpec([None, 784], 'float32', 'image')",
            )
    return specs


def _require_positive(owner: str, name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise InvalidArgumentError(
            f"{owner}: `{name}` is {value!r}", expected="an integer >= 1", fix=f"change `{name}`"
        )


def _fit_callbacks(
    given: Any, log_freq: int, verbose: int, save_freq: int, save_dir: str | None
) -> list[Any]:
    """Adds the callbacks that every run has, unless the user gave one of their kind."""
    chosen = checked_callbacks(given)
    if not any(isinstance(each, ProgBarLogger) for each in chosen):
        chosen = [ProgBarLogger(log_freq, verbose), *chosen]
    if not any(isinstance(each, LRScheduler) for each in chosen):
        chosen.append(LRScheduler())
    savers = [each for each in chosen if isinstance(each, ModelCheckpoint)]
    if not savers:
        chosen.append(ModelCheckpoint(save_freq, save_dir))
    for each in savers:
        each.save_dir = each.save_dir or save_dir
    for each in chosen:
        if isinstance(each, EarlyStopping):
            each.save_dir = save_dir
    return chosen
