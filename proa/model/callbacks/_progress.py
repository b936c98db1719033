"""Shows how a run proceeds."""

from __future__ import annotations

import sys
import time
from typing import Any

from proa.core import InvalidArgumentError

from ._callback import Callback
from ._progress_view import LineView, LiveView, Progress

# How often a live bar is brought up to date, in seconds: the loss is fetched only then.
_REFRESH = 0.25


class ProgBarLogger(Callback):
    """Shows loss, metrics, time per step, samples per second and the time left.

    On a terminal it is a live bar, brought up to date a few times a second; elsewhere it is
    plain lines. `Model.fit` adds one by itself.

    Args:
        log_freq (int): number of steps between two lines, where lines are printed.
        verbose (int): 0 shows nothing; 1 shows the bar, or one line per epoch; 2 shows the
            bar, or one line every `log_freq` steps.

    Raises:
        InvalidArgumentError: `log_freq` or `verbose` is out of range.

    Examples:
        >>> import proa
        >>> quiet = proa.callbacks.ProgBarLogger(verbose=0)
    """

    def __init__(self, log_freq: int = 1, verbose: int = 2) -> None:
        super().__init__()
        if isinstance(log_freq, bool) or not isinstance(log_freq, int) or log_freq < 1:
            raise InvalidArgumentError(
                f"ProgBarLogger: `log_freq` is {log_freq!r}",
                expected="an integer >= 1",
                fix="pass the number of steps between two lines, for example 10",
            )
        if verbose not in (0, 1, 2):
            raise InvalidArgumentError(
                f"ProgBarLogger: `verbose` is {verbose!r}",
                expected="0 (silent), 1 (one line an epoch) or 2 (lines within an epoch)",
                fix="pass one of them",
            )
        self.log_freq = log_freq
        self.verbose = verbose
        self._view: LineView | LiveView | None = None
        self._progress = Progress()
        self._first = 0
        self._shown = 0.0

    # Training

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Opens the bar of an epoch."""
        title = f"Epoch {epoch + 1}/{self.params.get('epochs', '?')}"
        self._open(title, self.params.get("steps"), self.params.get("first_step", 0))

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        """Brings the bar up to date, or prints a line."""
        self._step(step, logs)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Closes the bar of an epoch."""
        self._close(logs)

    # Evaluation and prediction

    def on_eval_begin(self, logs: Any = None) -> None:
        """Opens the bar of an evaluation."""
        self._open("Eval", (logs or {}).get("steps"))

    def on_eval_batch_end(self, step: int, logs: Any = None) -> None:
        """Brings the bar up to date, or prints a line."""
        self._step(step, logs)

    def on_eval_end(self, logs: Any = None) -> None:
        """Closes the bar of an evaluation."""
        self._close(logs, "Eval samples")

    def on_predict_begin(self, logs: Any = None) -> None:
        """Opens the bar of a prediction."""
        self._open("Predict", (logs or {}).get("steps"))

    def on_predict_batch_end(self, step: int, logs: Any = None) -> None:
        """Brings the bar up to date, or prints a line."""
        self._step(step, logs)

    def on_predict_end(self, logs: Any = None) -> None:
        """Closes the bar of a prediction."""
        self._close(logs, "Predict samples")

    def interrupt(self) -> None:
        """Closes the bar because of an error, so that its message has the terminal."""
        if self._view is not None:
            self._view.close(None)
            self._view = None

    def _open(self, title: str, steps: int | None, first: int = 0) -> None:
        if self.verbose == 0:
            return
        self.interrupt()
        self._progress = Progress(title, steps, first)
        self._shown = time.perf_counter()
        is_live = bool(getattr(sys.stdout, "isatty", lambda: False)())
        self._view = LiveView(self._progress) if is_live else LineView(self._progress)

    def _step(self, step: int, logs: Any) -> None:
        view, progress = self._view, self._progress
        if view is None:
            return
        progress.advance(step + 1, (logs or {}).get("batch_size", 0))
        now = time.perf_counter()
        if view.is_live:
            if now - self._shown < _REFRESH:
                return
        elif self.verbose == 1 or (step + 1) % self.log_freq or progress.done == progress.steps:
            return
        self._shown = now
        view.show(_shown_values(logs))

    def _close(self, logs: Any, samples: str | None = None) -> None:
        if self._view is None:
            return
        if samples is not None:
            self._view.samples_label = samples
        self._view.close(_shown_values(logs))
        self._view = None


def _shown_values(logs: Any) -> dict[str, Any]:
    hidden = ("step", "batch_size")
    return {name: value for name, value in dict(logs or {}).items() if name not in hidden}
