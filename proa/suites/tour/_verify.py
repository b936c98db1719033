"""The verification of a run folder: five layers, measured anew from what is on the disk."""

from __future__ import annotations

import resource
import shutil
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jax
import numpy as np

import proa
from proa.core import ArtifactError, ProaError
from proa.inference import Config, create_predictor
from proa.model import read_newest
from proa.suites._run_record import LAYERS
from proa.utils import check_installation

from ._folder import RunFolder, data_hash
from ._network import build_network, load_data
from ._training import NUM_COMPARED

LIMIT, LEAST_ACCURACY = 1e-5, 0.85
#: Training must end in so many seconds where it has so many cores for itself.
MOST_SECONDS, NUM_CORES = 60.0, 2
LOGIT_TOLERANCE = 1e-3
NUM_THREADS, NUM_REQUESTS = 4, 64
Check = dict[str, Any]


def item(name: str, measured: Any, expected: str, passed: Any, note: str = "") -> Check:
    """One row of a layer."""
    passed = None if passed is None else bool(passed)
    return {
        "name": name,
        "measured": measured,
        "expected": expected,
        "passed": passed,
        "note": note,
    }


def compare_runs(whole: Path, broken: Path) -> dict[str, Any]:
    """Compares the newest checkpoints of two runs, array by array, bit for bit.

    Args:
        whole: folder of the run that was not interrupted.
        broken: folder of the run that was stopped and resumed.
    """
    found = [read_newest(folder / "checkpoints") for folder in (whole, broken)]
    if None in found:
        return {"arrays": 0, "equal": 0, "differing": ["a checkpoint is missing"], "state": False}
    first, second = (pair[1] for pair in found if pair is not None)
    names = sorted(set(first.arrays) | set(second.arrays))
    differing = [n for n in names if not _same_bits(first.arrays.get(n), second.arrays.get(n))]
    return {
        "arrays": len(names),
        "equal": len(names) - len(differing),
        "differing": differing,
        "state": first.state == second.state,
    }


def _same_bits(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    if a is None or b is None or a.shape != b.shape or a.dtype != b.dtype:
        return False
    return a.tobytes() == b.tobytes()


def _environment(folder: RunFolder) -> list[Check]:
    rows = [item(i.name, i.measured, i.expected, i.passed) for i in check_installation()]
    then = folder.read("facts.json")["lineage"]["versions"]
    now = jax.__version__
    rows.append(item("same jax as in the run", now, then["jax"], now == then["jax"]))
    return rows


def _training(folder: RunFolder) -> list[Check]:
    facts = folder.read("facts.json")
    losses = np.array(facts["baseline_losses"])
    data = load_data(facts["data_folder"])
    accuracy = _accuracy(folder, data.test)
    resumed = compare_runs(folder / "resume" / "whole", folder / "resume" / "broken")
    report = folder.read("data.json")
    rows = [
        item("data check", f"{len(report['problems'])} problems", "0 problems", report["passed"]),
        item(
            "data as in the run",
            data_hash(data.files)[:12],
            facts["data_hash"][:12],
            data_hash(data.files) == facts["data_hash"],
        ),
        item(
            "losses",
            f"{losses[0]:.2f} to {losses[-1]:.2f}",
            "finite, and falling",
            np.isfinite(losses).all() and losses[-10:].mean() < losses[:10].mean(),
        ),
        item(
            "test accuracy",
            f"{accuracy:.2%}",
            f">= {LEAST_ACCURACY:.0%}",
            accuracy >= LEAST_ACCURACY,
        ),
        item(
            "accuracy as in the run",
            f"{accuracy:.4f}",
            f"{facts['accuracy']:.4f}",
            abs(accuracy - facts["accuracy"]) < 1e-9,
        ),
        _time_of(facts["baseline_seconds"], facts["baseline_core_seconds"]),
        item(
            "resumed = uninterrupted",
            f"{resumed['equal']} of {resumed['arrays']} arrays",
            "all, bit for bit, and the same state",
            resumed["arrays"] > 0 and not resumed["differing"] and resumed["state"],
        ),
    ]
    return rows + [_parallel(folder, facts, mode) for mode in ("data", "tensor")]


def _time_of(seconds: float, core_seconds: float) -> Check:
    # On a machine that others use too the clock says how busy it is; the work is what counts.
    most = NUM_CORES * MOST_SECONDS
    return item(
        "training time",
        f"{seconds:.1f} s, {core_seconds:.1f} s of work",
        f"<= {MOST_SECONDS:.0f} s, or <= {most:.0f} s of work ({NUM_CORES} cores)",
        seconds <= MOST_SECONDS or core_seconds <= most,
    )


def _accuracy(folder: RunFolder, test: Any) -> float:
    network = build_network()
    network.set_state_dict(proa.load(str(folder / "baseline" / "final.pdparams")))
    network.eval()
    labels, right = np.ravel(test.labels), 0
    with proa.no_grad():
        for part in _parts(labels):
            images = proa.to_tensor(np.stack([test[i][0] for i in part]))
            right += int((network(images).numpy().argmax(1) == labels[list(part)]).sum())
    return right / len(labels)


def _parts(labels: np.ndarray, size: int = 500) -> list[range]:
    return [range(i, min(i + size, len(labels))) for i in range(0, len(labels), size)]


def _parallel(folder: RunFolder, facts: Any, mode: str) -> Check:
    losses = np.array(folder.read(f"losses-{mode}.json"))
    reference = np.array(facts["baseline_losses"][: len(losses)])
    largest = float(np.max(np.abs(losses - reference) / np.abs(reference)))
    return item(
        f"{mode}-parallel loss",
        f"{largest:.1e} over {len(losses)} steps",
        f"<= {LIMIT:.0e} over {NUM_COMPARED} steps",
        len(losses) >= NUM_COMPARED and largest <= LIMIT,
    )


def _predictor(path: Any) -> Any:
    """Loads a model and keeps nothing beside it: a verified run folder stays as it was left."""
    config = Config(str(path))
    config.set_cache(None)
    return create_predictor(config)


def _inference(folder: RunFolder) -> list[Check]:
    facts = folder.read("facts.json")
    predictor = _predictor(folder / "model.proa")
    saved = proa.load(str(folder / "evaluation.safetensors"), return_numpy=True)
    images = load_data(facts["data_folder"], raw=True).test.images
    logits = np.concatenate([predictor.run([images[part]])[0] for part in _parts(saved["labels"])])
    largest = float(np.abs(logits - saved["logits"]).max())
    same = int((logits.argmax(1) == saved["logits"].argmax(1)).sum())
    singles = [predictor.run([images[i : i + 1]])[0] for i in range(NUM_REQUESTS)]
    with ThreadPoolExecutor(NUM_THREADS) as pool:
        asked = pool.map(lambda i: predictor.run([images[i : i + 1]])[0], range(NUM_REQUESTS))
        wrong = sum(not np.array_equal(a, b) for a, b in zip(asked, singles, strict=True))
    golden = predictor.golden_difference or 0.0
    return [
        item("golden samples", f"{golden:.2g} of the tolerance", "<= 1", golden <= 1),
        item(
            "compiled = uncompiled at export",
            f"{predictor.manifest['eager_difference']:.2g} of the tolerance",
            "<= 1",
            predictor.manifest["eager_difference"] <= 1,
        ),
        item(
            "same predictions",
            f"{same} of {len(logits)}",
            f"{len(logits)} of {len(logits)}",
            same == len(logits),
        ),
        item(
            "largest difference of a logit",
            f"{largest:.1e}" if largest else "none",
            f"<= {LOGIT_TOLERANCE:.0e}",
            largest <= LOGIT_TOLERANCE,
        ),
        item(
            f"{NUM_THREADS} threads, one predictor",
            f"{wrong} wrong of {NUM_REQUESTS}",
            "0 wrong",
            wrong == 0,
        ),
    ]


def _hardware(folder: RunFolder) -> list[Check]:
    facts = folder.read("facts.json")
    predictor = _predictor(folder / "model.proa")
    images = load_data(facts["data_folder"], raw=True).test.images
    one, many = images[:1], images[:256]
    latency = _median(lambda: predictor.run([one]))
    throughput = len(many) / _median(lambda: predictor.run([many]))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    trained = facts["images_per_second"]
    return [
        item("devices", ", ".join(f"{d.platform}:{d.id}" for d in jax.devices()), ">= 1", True),
        item("training", f"{trained:,.0f} images/s", ">= 100 images/s", trained >= 100),
        item("latency, one image", f"{latency * 1e3:.2f} ms", "<= 100 ms", latency <= 0.1),
        item(
            "throughput, 256 images",
            f"{throughput:,.0f} images/s",
            ">= 500 images/s",
            throughput >= 500,
        ),
        item("peak memory", f"{peak:.2f} GB", "<= 8 GB", peak <= 8),
    ]


def _median(fn: Callable[[], Any], rounds: int = 15) -> float:
    fn()
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        fn()
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds))


def _engineering(folder: RunFolder) -> list[Check]:
    kept, now = folder.read_sums(), folder.sums()
    changed = sorted(name for name in kept.keys() | now.keys() if kept.get(name) != now.get(name))
    lineage = folder.read("facts.json")["lineage"]
    told = [key for key in ("versions", "data", "run", "commands") if lineage.get(key)]
    return [
        item(
            "files as the run left them",
            f"{len(changed)} changed" + _named(changed),
            "0 changed",
            bool(kept) and not changed,
        ),
        item("an altered artifact", _altered(folder), "refused", _altered(folder) == "refused"),
        item("lineage", ", ".join(told), "versions, data, run, commands", len(told) == 4),
    ]


def _named(names: list[str]) -> str:
    return ": " + ", ".join(names[:3]) if names else ""


def _altered(folder: RunFolder) -> str:
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(shutil.copy(folder / "model.proa", temporary))
        content = bytearray(copy.read_bytes())
        content[len(content) // 2] ^= 1
        copy.write_bytes(content)
        try:
            _predictor(copy)
        except ArtifactError:
            return "refused"
    return "loaded"


_LAYERS: dict[str, Callable[[RunFolder], list[Check]]] = {
    "environment": _environment,
    "training": _training,
    "inference": _inference,
    "hardware": _hardware,
    "engineering": _engineering,
}


def verify_run(path: Any) -> dict[str, list[Check]]:
    """Verifies a run folder, from what is on the disk alone.

    Args:
        path: the folder that `proa tour` wrote.

    Returns:
        From the name of each layer to its checks: `name`, `measured`, `expected`, `passed`. A
        layer that cannot be measured is one failed check with the error.

    Raises:
        NotFoundError: there is no finished run.
    """
    folder = RunFolder.open(Path(path))
    layers = {}
    for name in LAYERS:
        try:
            layers[name] = _LAYERS[name](folder)
        except Exception as error:  # an altered file may hold anything
            text = (
                str(error) if isinstance(error, ProaError) else f"{type(error).__name__}: {error}"
            )
            layers[name] = [item("measurement", text[:300], "a run folder as written", False)]
    return layers
