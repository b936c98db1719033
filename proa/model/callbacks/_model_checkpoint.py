"""Saves the model while it is trained."""

from __future__ import annotations

import os
from typing import Any

from proa.core import InvalidArgumentError

from ._callback import Callback


class ModelCheckpoint(Callback):
    """Saves weights per epoch, and checkpoints from which training can go on.

    Every `save_freq` epochs it saves `<save_dir>/<epoch>.pdparams` and `.pdopt`, and at the
    end `<save_dir>/final.pdparams` and `.pdopt`, as Paddle does. Besides, it keeps the latest
    checkpoints of the whole run in `<save_dir>/checkpoints`: `Model.fit(..., resume="auto")`
    goes on from the newest one as if there had been no stop.

    Args:
        save_freq (int): number of epochs between two savings.
        save_dir (str, optional): the folder; `None` saves nothing.
        save_steps (int, optional): number of steps between two checkpoints of the run;
            `None` writes them at the ends of epochs only.
        keep (int): number of checkpoints of the run that are kept; 0 writes none.

    Raises:
        InvalidArgumentError: a number is out of range.

    Examples:
        >>> import proa
        >>> saving = proa.callbacks.ModelCheckpoint(save_dir="run", save_steps=500)
    """

    def __init__(
        self,
        save_freq: int = 1,
        save_dir: str | os.PathLike[str] | None = None,
        *,
        save_steps: int | None = None,
        keep: int = 2,
    ) -> None:
        super().__init__()
        _require("save_freq", save_freq, 1)
        _require("save_steps", 1 if save_steps is None else save_steps, 1)
        _require("keep", keep, 0)
        self.save_freq = save_freq
        self.save_dir = None if save_dir is None else os.fspath(save_dir)
        self.save_steps = save_steps
        self.keep = keep

    @property
    def folder(self) -> str | None:
        """Where the checkpoints of the run are; `None` when none are written."""
        if self.save_dir is None or self.keep == 0:
            return None
        return os.path.join(self.save_dir, "checkpoints")

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        """Asks for a checkpoint when it is time; it is written once all callbacks are done."""
        if self.save_steps and self.model.num_steps % self.save_steps == 0:
            self._ask()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Saves the weights when it is time, and asks for a checkpoint."""
        if self.save_dir is not None and epoch % self.save_freq == 0:
            self._save(str(epoch))
            self._ask()

    def on_train_end(self, logs: Any = None) -> None:
        """Saves the final weights."""
        if self.save_dir is not None:
            self._save("final")

    def _ask(self) -> None:
        if self.folder is not None:
            self.model.request_checkpoint(self.folder, self.keep)

    def _save(self, name: str) -> None:
        path = os.path.join(str(self.save_dir), name)
        if self.params.get("verbose"):
            print(f"save checkpoint at {os.path.abspath(path)}")
        self.model.save(path)


def _require(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidArgumentError(
            f"ModelCheckpoint: `{name}` is {value!r}",
            expected=f"an integer >= {least}",
            fix=f"pass for example {name}={max(least, 1)}",
        )
