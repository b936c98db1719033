"""WandbCallback: a run's numbers sent to Weights & Biases, with its own library."""

from __future__ import annotations

from typing import Any

from proa.utils import try_import

from ._callback import Callback


class WandbCallback(Callback):
    """Logs loss and metrics of each epoch and evaluation with the library `wandb`.

    The library sends them where its own settings say; `mode="offline"` keeps them on disk.

    Args:
        project: name of the project.
        entity: user or team.
        name: name of the run.
        dir: folder of its files.
        mode: `"online"`, `"offline"` or `"disabled"`.
        job_type: kind of the run.
        kwargs: more arguments of `wandb.init`.

    Raises:
        ImportError: the library is not installed.
    """

    def __init__(
        self,
        project: str | None = None,
        entity: str | None = None,
        name: str | None = None,
        dir: str | None = None,
        mode: str | None = None,
        job_type: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        self._wandb = try_import("wandb")
        given = {
            "project": project,
            "entity": entity,
            "name": name,
            "dir": dir,
            "mode": mode,
            "job_type": job_type,
        }
        self._settings = {key: value for key, value in given.items() if value is not None} | kwargs
        self._run: Any = None

    @property
    def run(self) -> Any:
        """The run of `wandb`; started on first use, unless the program has one already."""
        if self._run is None:
            self._run = self._wandb.run or self._wandb.init(**self._settings)
        return self._run

    def on_train_begin(self, logs: Any = None) -> None:
        """Starts the run."""
        self.run.config.update(dict(self.params), allow_val_change=True)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Logs the numbers of an epoch."""
        self.run.log(_numbers("train", logs) | {"epoch": epoch})

    def on_eval_end(self, logs: Any = None) -> None:
        """Logs the numbers of an evaluation."""
        self.run.log(_numbers("eval", logs))

    def on_train_end(self, logs: Any = None) -> None:
        """Ends the run."""
        self.run.finish()
        self._run = None


def _numbers(stage: str, logs: Any) -> dict[str, float]:
    found = {}
    for name, value in dict(logs or {}).items():
        single = value[0] if isinstance(value, list | tuple) and len(value) == 1 else value
        if isinstance(single, int | float) and name not in ("step", "batch_size"):
            found[f"{stage}/{name}"] = float(single)
    return found
