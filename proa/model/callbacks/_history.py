"""Records of a run: every step, epoch and evaluation, in memory and as lines of JSON."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from ._callback import Callback

# Loss and metrics of so many steps are fetched at once.
_BATCH = 64


class History(Callback):
    """Collects loss, metrics and learning rate of each step, each epoch and each evaluation.

    The values are fetched many at a time, so that training does not wait for each step. Each
    record is a line of JSON in the file, with `event` (`"step"`, `"epoch"` or `"eval"`),
    `epoch`, `loss`, the metrics by name, and for steps `step` (in the epoch), `global_step`,
    `lr` and `seconds`. A resumed run goes on in the file where its checkpoint was written.

    Args:
        path (str, optional): the file; by default `<save_dir>/history.jsonl` if `Model.fit`
            has a `save_dir`, else no file is written.

    Attributes:
        steps: the records of the steps.
        epochs: the records of the epochs; the loss is the mean of its steps, and what an
            evaluation gave is there with `eval_` before the names.

    Examples:
        >>> import proa
        >>> history = proa.callbacks.History()
        >>> history.epochs
        []
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        super().__init__()
        self._given = path
        self._file: IO[str] | None = None
        self._clear()

    def _clear(self) -> None:
        self.steps: list[dict[str, Any]] = []
        self.epochs: list[dict[str, Any]] = []
        self._pending: list[tuple[dict[str, Any], Any]] = []
        self._num_lines = 0
        self._epoch = 0
        self._clock = time.perf_counter()
        self._epoch_clock = self._clock

    @property
    def path(self) -> Path | None:
        """The file that is written, `None` for none."""
        if self._given is not None:
            return Path(self._given)
        folder = self.params.get("save_dir")
        return None if folder is None else Path(folder) / self._file_name

    _file_name = "history.jsonl"

    def on_train_begin(self, logs: Any = None) -> None:
        """Starts anew."""
        self._close()
        self._clear()
        path = self.path
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            # A resumed run takes its lines over in `load_state_dict`, which comes next.
            self._previous = path.read_text(encoding="utf-8") if path.is_file() else ""
            self._file = path.open("w", encoding="utf-8")

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Notes the time."""
        self._epoch = epoch
        self._clock = self._epoch_clock = time.perf_counter()

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        """Notes the results of a step; they are fetched later."""
        now = time.perf_counter()
        optimizer = getattr(self.model, "_optimizer", None)
        record = {
            "event": "step",
            "epoch": self._epoch,
            "step": step,
            "global_step": len(self.steps) + len(self._pending),
            "lr": None if optimizer is None else optimizer.get_lr(),
            "seconds": now - self._clock,
        }
        self._clock = now
        if hasattr(logs, "metrics"):
            logs.metrics.keep()
        self._pending.append((record, logs))
        if len(self._pending) >= _BATCH:
            self._settle()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Records the epoch."""
        self._settle()
        losses = [r["loss"] for r in self.steps if r["epoch"] == epoch and r["loss"] is not None]
        record = {
            "event": "epoch",
            "epoch": epoch,
            **_values(logs),
            "loss": sum(losses) / len(losses) if losses else None,
            "seconds": time.perf_counter() - self._epoch_clock,
        }
        self.epochs.append(_without(record, "event"))
        self._write(record)

    def on_eval_end(self, logs: Any = None) -> None:
        """Records the evaluation."""
        self._settle()
        record = {"event": "eval", "epoch": self._epoch, **_values(logs)}
        if self.epochs and self.epochs[-1]["epoch"] == self._epoch:
            self.epochs[-1].update({f"eval_{k}": v for k, v in _values(logs).items()})
        self._write(record)

    def on_train_end(self, logs: Any = None) -> None:
        """Writes what is left."""
        self._settle()
        self._close()

    def interrupt(self) -> None:
        """Writes what is known when an error ends training."""
        with contextlib.suppress(Exception):
            self._settle()
        self._close()

    def _settle(self) -> None:
        pending, self._pending = self._pending, []
        for record, logs in pending:
            record.update(_values(logs))
            self.steps.append(_without(record, "event"))
            self._write(record)

    def _write(self, record: dict[str, Any]) -> None:
        self._num_lines += 1
        if self._file is not None:
            print(json.dumps(record), file=self._file, flush=record["event"] != "step")

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def state_dict(self) -> dict[str, Any]:
        """Returns how many records there are; a resumed run finds them in the file."""
        self._settle()
        if self._file is None:
            return {}
        self._file.flush()
        return {"num_lines": self._num_lines}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes over the records of the file that the checkpoint knows of."""
        kept = self._previous.splitlines()[: int(state["num_lines"])]
        if self._file is None or not kept:
            return
        for line in kept:
            self._file.write(f"{line}\n")
            record = json.loads(line)
            if record["event"] == "step":
                self.steps.append(_without(record, "event"))
            elif record["event"] == "epoch":
                self.epochs.append(_without(record, "event"))
            elif self.epochs:
                values = _without(_without(record, "event"), "epoch")
                self.epochs[-1].update({f"eval_{k}": v for k, v in values.items()})
        self._num_lines = len(kept)
        self._file.flush()

    _previous = ""


class VisualDL(History):
    """Writes scalars for a viewer: lines of JSON with `tag`, `step`, `value` and `time`.

    The tags are `train/loss`, `train/<metric>`, `train/lr` for each step, and `eval/loss`,
    `eval/<metric>` for each evaluation.

    Args:
        log_dir (str): folder of the file `scalars.jsonl`.

    Differs: Paddle writes the binary event files of its VisualDL package.

    Examples:
        >>> import proa
        >>> scalars = proa.callbacks.VisualDL("run")
        >>> scalars.path.as_posix()
        'run/scalars.jsonl'
    """

    def __init__(self, log_dir: str | os.PathLike[str]) -> None:
        super().__init__(Path(log_dir) / "scalars.jsonl")

    def _write(self, record: dict[str, Any]) -> None:
        if record["event"] == "epoch" or self._file is None:
            return
        is_step = record["event"] == "step"
        stage = "train" if is_step else "eval"
        number = record["global_step"] if is_step else len(self.steps)
        for name, value in record.items():
            if name in _POSITIONS or value is None:
                continue
            row = {"tag": f"{stage}/{name}", "step": number, "value": value, "time": time.time()}
            print(json.dumps(row), file=self._file)
            self._num_lines += 1
        if not is_step:
            self._file.flush()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes over the lines of the file that the checkpoint knows of."""
        kept = self._previous.splitlines()[: int(state["num_lines"])]
        if self._file is None:
            return
        self._file.writelines(f"{line}\n" for line in kept)
        self._file.flush()
        self._num_lines = len(kept)
        # The numbers of the steps go on.
        rows = [json.loads(line) for line in kept]
        self.steps = [{"epoch": -1, "loss": None} for row in rows if row["tag"] == "train/loss"]


_POSITIONS = frozenset({"event", "epoch", "step", "global_step", "seconds", "batch_size"})


def _values(logs: Any) -> dict[str, Any]:
    """Returns loss and metrics as plain numbers; of several losses their sum."""
    values: dict[str, Any] = {"loss": None}
    for name, value in dict(logs or {}).items():
        if name in ("step", "batch_size"):
            continue
        if name == "loss" and isinstance(value, list | tuple):
            value = sum(float(each) for each in value)
        values[name] = _plain(value)
    return values


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value if isinstance(value, int | str | None) else float(value)


def _without(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != name}
