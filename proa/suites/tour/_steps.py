"""The seven steps of the tour, each a function of the run so far."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jax
import numpy as np

import proa
from proa.core import PreconditionError, ProaError
from proa.io import DataLoader, Subset
from proa.jit import save
from proa.static import InputSpec
from proa.suites._data_check import check_dataset
from proa.suites._report import write_report
from proa.suites._run_record import run_verdict
from proa.suites._tables import check_table, verify_table
from proa.utils import check_installation
from proa.version import full_version

from ._folder import RunFolder, data_hash
from ._network import BATCH_SIZE, load_data, prepare
from ._record import make_record
from ._training import NUM_COMPARED, losses_of, train, train_apart
from ._verify import compare_runs, verify_run

#: More images need fewer rounds: the whole run is to stay short.
SMALL, EPOCHS_SMALL, EPOCHS_LARGE = 10_000, 10, 3
#: The resume step: so many images, epochs, steps in all, and where it is stopped.
RESUME_IMAGES, RESUME_EPOCHS, STOP_AFTER = 1024, 2, 23
NUM_GOLDEN = 16


class _Stopped(Exception):
    """Ends the run of the resume step, as a crash would."""


class _Stop(proa.callbacks.Callback):
    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        if self.model.num_steps >= STOP_AFTER:
            raise _Stopped


class Tour:
    """The run so far: folder, settings, and what has been measured."""

    def __init__(self, out: Path | None, *, seed: int, data: str | None, console: Any) -> None:
        if data is not None and data != "bundled":
            data = str(Path(data).resolve())  # `proa verify` may run in another folder
        self.console, self.seed, self.data_folder = console, seed, data
        self.facts: dict[str, Any] = {"seed": seed, "steps": [], "data_folder": data}
        self.facts["started"] = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
        self.data = load_data(data)
        # After the data, so that a wrong `data` leaves no empty folder behind.
        self.folder = RunFolder(out)
        self.model: Any = None

    @contextmanager
    def step(self, name: str, note: str) -> Iterator[Callable[[str], None]]:
        """Prints the step's heading and time; yields a function that sets its note."""
        number = len(self.facts["steps"]) + 1
        self.console.rule(f"[bold]{number} {name}[/bold]: {note}", align="left")
        start, entry = time.perf_counter(), {"name": name, "note": note}
        yield lambda text: entry.update(note=text)
        entry["seconds"] = time.perf_counter() - start  # type: ignore[assignment]
        self.facts["steps"].append(entry)
        self.console.print(f"{entry['note']}  [dim]({entry['seconds']:.1f} s)[/dim]\n")


def check(tour: Tour) -> None:
    """Step 1: is this installation able to compute?

    Raises:
        PreconditionError: a check failed.
    """
    with tour.step("check", "interpreter, devices, libraries, one op, gradient, step") as note:
        items = check_installation()
        tour.console.print(check_table(items))
        tour.folder.write("check.json", [item.to_dict() for item in items])
        failed = [item for item in items if not item.passed]
        if failed:
            raise PreconditionError(
                f"check {failed[0].name!r} found: {failed[0].measured}",
                expected=failed[0].expected,
                fix=failed[0].fix,
            )
        note(f"{len(items)} checks passed")


def data(tour: Tour) -> None:
    """Step 2: what does the data hold, and what is wrong with it?

    Raises:
        PreconditionError: the data check found a problem.
    """
    with tour.step("data", "counts, shapes, values, duplicates, unreadable files") as note:
        raw = load_data(tour.data_folder, raw=True)
        report = check_dataset(raw.train, raw.test, class_names=list(raw.train.class_names))
        tour.console.print(report.summary(), highlight=False)
        tour.folder.write("data.json", report.to_dict())
        tour.facts["data_hash"] = data_hash(raw.files)
        tour.facts["data_source"] = raw.source
        if not report.passed:
            raise PreconditionError(
                f"the data check found: {report.problems[0]}",
                expected="data without problems",
                fix="see data.json in the run folder; mend or remove the items named there",
            )
        note(f"{len(raw.train):,} training and {len(raw.test):,} test images, {raw.source}")


def baseline(tour: Tour) -> None:
    """Step 3: train on one device, evaluate, and keep what the model says of the test set."""
    epochs = EPOCHS_SMALL if len(tour.data.train) <= SMALL else EPOCHS_LARGE
    with tour.step("baseline", f"{epochs} epochs of a small CNN on one device") as note:
        start, start_cpu = time.perf_counter(), time.process_time()
        model, history = train(
            tour.data,
            epochs=epochs,
            seed=tour.seed,
            eval_data=DataLoader(tour.data.test, batch_size=500),
            save_dir=str(tour.folder / "baseline"),
            verbose=2,
        )
        seconds, core_seconds = time.perf_counter() - start, time.process_time() - start_cpu
        outputs = model.predict(
            DataLoader(tour.data.test, batch_size=500), stack_outputs=True, verbose=0
        )
        logits = np.asarray(outputs[0])
        labels = np.ravel(tour.data.test.labels)
        proa.save({"logits": logits, "labels": labels}, str(tour.folder / "evaluation.safetensors"))
        accuracy = float((logits.argmax(1) == labels).mean())
        num_steps = len(history.steps)
        tour.model = model
        tour.facts.update(
            epochs=epochs,
            accuracy=accuracy,
            baseline_seconds=seconds,
            baseline_core_seconds=core_seconds,
            baseline_losses=losses_of(history),
            baseline_epochs=[_plain(record) for record in history.epochs],
            baseline_rates=[record["lr"] for record in history.steps],
            images_per_second=len(tour.data.train) * epochs / seconds,
        )
        note(f"test accuracy {accuracy:.1%} after {num_steps} steps")


def _plain(record: dict[str, Any]) -> dict[str, Any]:
    return {
        k: np.ravel(v)[0].item() for k, v in record.items() if np.size(v) == 1 and v is not None
    }


def resume(tour: Tour) -> None:
    """Step 4: a run that is stopped and taken up again ends as one that is not."""
    with tour.step(
        "resume", f"stopped after {STOP_AFTER} steps, in the middle of an epoch"
    ) as note:
        part = Subset(tour.data.train, list(range(RESUME_IMAGES)))
        settings: dict[str, Any] = {"epochs": RESUME_EPOCHS, "seed": tour.seed, "verbose": 0}
        small = type(tour.data)(part, tour.data.test, tour.data.source, tour.data.files)
        whole, broken = tour.folder / "resume" / "whole", tour.folder / "resume" / "broken"
        train(small, **settings, callbacks=[_saver(whole)])
        try:
            train(small, **settings, callbacks=[_saver(broken), _Stop()])
        except _Stopped:
            pass
        proa.seed(tour.seed + 12345)
        train(small, **settings, callbacks=[_saver(broken)], resume=str(broken / "checkpoints"))
        result = compare_runs(whole, broken)
        tour.folder.write("resume.json", result)
        note(f"{result['equal']} of {result['arrays']} arrays of the two runs equal bit for bit")


def _saver(folder: Path) -> Any:
    return proa.callbacks.ModelCheckpoint(save_dir=str(folder), save_steps=STOP_AFTER)


def parallel(tour: Tour) -> None:
    """Step 5: the same training with marks, on simulated devices in processes of their own."""
    with tour.step("parallel", "the same script with marks, on 4 simulated devices") as note:
        told = []
        tour.console.print(f"each in a process of its own, {NUM_COMPARED} steps; takes a while")
        reference = np.array(tour.facts["baseline_losses"][:NUM_COMPARED])
        for mode in ("data", "tensor"):
            out = tour.folder / f"losses-{mode}.json"
            losses = train_apart(
                mode, out, epochs=tour.facts["epochs"], seed=tour.seed, folder=tour.data_folder
            )
            largest = float(np.max(np.abs(np.array(losses) - reference) / np.abs(reference)))
            tour.facts[f"{mode}_difference"] = largest
            tour.console.print(f"{mode}-parallel: done, last loss {losses[-1]:.4f}")
            told.append(f"{mode}-parallel {largest:.1e}")
        note("largest relative difference of the loss: " + ", ".join(told))


def export(tour: Tour) -> None:
    """Step 6: one file with pre-processing, weights and golden samples; compared when loaded."""
    with tour.step("export", "jit.save with pre-processing and golden samples") as note:
        images = load_data(tour.data_folder, raw=True).test.images
        path = save(
            tour.model.network,
            tour.folder / "model",
            [InputSpec([None, 28, 28], "uint8", name="image")],
            preprocess=prepare,
            samples=[images[:NUM_GOLDEN]],
            lineage=lineage(tour),
        )
        note(f"{path.name}, {path.stat().st_size / 1e6:.1f} MB, {NUM_GOLDEN} golden samples")


def lineage(tour: Tour) -> dict[str, Any]:
    """Where the model comes from, as plain data."""
    options = f" --seed {tour.seed}" + (f" --data {tour.data_folder}" if tour.data_folder else "")
    return {
        "versions": {
            "proa": full_version,
            "jax": jax.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.machine()}",
        },
        "data": {
            "source": tour.facts["data_source"],
            "sha256": tour.facts["data_hash"],
            "images": f"{len(tour.data.train):,} + {len(tour.data.test):,}",
        },
        "run": {
            "started": tour.facts["started"],
            "seed": tour.seed,
            "epochs": tour.facts["epochs"],
            "batch size": BATCH_SIZE,
            "test accuracy": tour.facts["accuracy"],
        },
        "commands": [f"proa tour{options}", f"proa verify {tour.folder.path}"],
    }


def report(tour: Tour) -> bool:
    """Step 7: verify what was written, and draw it. Returns whether all layers hold."""
    with tour.step("report", "five layers of verification, and a page to look at") as note:
        tour.facts["lineage"] = lineage(tour)
        tour.folder.write("facts.json", tour.facts)
        tour.folder.write_sums()
        start = time.perf_counter()
        layers = verify_run(tour.folder.path)
        seconds = time.perf_counter() - start
        tour.console.print(verify_table(layers))
        record = make_record(tour.folder, layers)
        record["seconds"] += seconds
        record["steps"].append(
            {"name": "report", "seconds": seconds, "note": "five layers of verification"}
        )
        tour.folder.write("run.json", record)
        page = write_report(record, tour.folder / "report.html")
        tour.folder.write_sums()  # again: now with the report and its data
        passed, verdict = run_verdict(record)
        note(f"[{'green' if passed else 'red'}]{verdict}[/]")
    tour.console.print(f"The report: {page}", highlight=False, soft_wrap=True)
    return passed


STEPS = (check, data, baseline, resume, parallel, export)


def run_tour(
    out: Path | None = None, *, seed: int = 0, data: str | None = None, console: Any = None
) -> bool:
    """Carries Fashion-MNIST from the first check to a verified, exported model.

    Args:
        out: the run folder; `runs/tour-<date>-<time>` by default.
        seed: fixes weights, order and dropout.
        data: as for `proa.vision.datasets.fashion_mnist_files`.
        console: a `rich` console.

    Returns:
        Whether all layers of verification hold.

    Raises:
        ProaError: a step failed; the message says which, what was expected and what to do.
    """
    from rich.console import Console

    tour = Tour(out, seed=seed, data=data, console=console or Console())
    tour.console.print(f"[bold]Proa {full_version}[/bold], run folder {tour.folder.path}\n")
    for step in STEPS:
        try:
            step(tour)
        except ProaError:
            tour.console.print(f"[red]Step {step.__name__!r} failed.[/red]")
            raise
        except KeyboardInterrupt:
            left = f"what was written so far lies in {tour.folder.path}; a new tour starts anew"
            tour.console.print(f"\nStopped in step {step.__name__!r}; {left}.", soft_wrap=True)
            raise
    return report(tour)
