"""Training runs of the tour: one function, on one device or on a mesh."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import proa
import proa.distributed as dist
from proa.core import PreconditionError

from ._network import BATCH_SIZE, Data, build_model, build_network, load_data, mark

NUM_DEVICES = 4
#: Steps of the parallel runs that are compared with the baseline's.
NUM_COMPARED = 50


def make_loader(dataset: Any) -> Any:
    """The shuffled training loader; its order is a function of `proa.seed` and the epoch."""
    return proa.io.DataLoader(dataset, batch_size=BATCH_SIZE, shuffle=True)


def train(
    data: Data,
    *,
    epochs: int,
    seed: int,
    mode: str = "single",
    limit: int | None = None,
    callbacks: Sequence[Any] = (),
    **options: Any,
) -> tuple[Any, Any]:
    """Trains the tour's network with `Model.fit`.

    Args:
        data: the data set.
        epochs: length of the run; the learning rate falls to zero over it.
        seed: fixes weights, order and dropout.
        mode: `"single"`, or `"data"` and `"tensor"` for a mesh of `NUM_DEVICES` devices.
        limit: stop after so many steps.
        callbacks: more callbacks.
        options: passed on to `Model.fit` (`save_dir`, `resume`, `verbose`, `eval_data`, …).

    Returns:
        The model, and the `History` of the run.
    """
    proa.seed(seed)
    network = build_network()
    loader = make_loader(data.train)
    if mode != "single":
        loader = dist.shard_dataloader(loader, mark(network, mode, NUM_DEVICES), shard_dims="data")
    model = build_model(network, steps=epochs * -(-len(data.train) // BATCH_SIZE))
    history = proa.callbacks.History()
    schedule = proa.callbacks.LRScheduler(by_step=True)
    model.fit(
        loader,
        epochs=epochs,
        num_iters=limit,
        callbacks=[schedule, history, *callbacks],
        **options,
    )
    return model, history


def losses_of(history: Any, count: int | None = None) -> list[float]:
    """The loss of each step."""
    losses = [np.ravel(record["loss"])[0].item() for record in history.steps]
    return losses[:count]


def train_apart(mode: str, out: Path, *, epochs: int, seed: int, folder: str | None) -> list[float]:
    """Runs this package as a script in a process with simulated devices.

    Args:
        mode: `"data"` or `"tensor"`.
        out: the JSON file of losses that the script writes.
        epochs: as in the run to compare with, since the schedule follows from it.
        seed: as in the run to compare with.
        folder: where the data is.

    Raises:
        PreconditionError: the script failed; its last lines are in the message.
    """
    command = [sys.executable, "-m", "proa.suites.tour", "--mode", mode, "--out", str(out)]
    command += ["--epochs", str(epochs), "--seed", str(seed), "--steps", str(NUM_COMPARED)]
    command += ["--data", folder] if folder else []
    environment = {**os.environ, "FLAGS_num_cpu_devices": str(NUM_DEVICES), "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PreconditionError(
            f"the {mode}-parallel run ended with code {done.returncode}: {done.stderr[-800:]}",
            expected="a run of its own process with simulated devices",
            fix="run it alone to see more: " + " ".join(command[1:]),
        )
    return json.loads(out.read_text())


def run_script(arguments: Any) -> None:
    """What `python -m proa.suites.tour` does: train, and write the losses."""
    data = load_data(arguments.data)
    _, history = train(
        data,
        epochs=arguments.epochs,
        seed=arguments.seed,
        mode=arguments.mode,
        limit=arguments.steps,
        verbose=0,
    )
    text = json.dumps(losses_of(history, arguments.steps))
    Path(arguments.out).write_text(text)
