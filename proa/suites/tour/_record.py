"""The record of a run, as the report draws it: made from the run folder alone."""

from __future__ import annotations

from typing import Any

import numpy as np

import proa

from ._folder import RunFolder
from ._network import load_data
from ._training import NUM_COMPARED
from ._verify import LIMIT

_NUM_RIGHT, _NUM_WRONG = 16, 8


def make_record(folder: RunFolder, layers: dict[str, Any]) -> dict[str, Any]:
    """Gathers what `proa.suites.render_report` takes.

    Args:
        folder: the run folder.
        layers: what `verify_run` found.
    """
    facts = folder.read("facts.json")
    saved = proa.load(str(folder / "evaluation.safetensors"), return_numpy=True)
    data = folder.read("data.json")
    names = data["class_names"]
    predicted, labels = saved["logits"].argmax(1), saved["labels"].astype(int)
    matrix = np.zeros((len(names), len(names)), int)
    np.add.at(matrix, (labels, predicted), 1)
    return {
        "title": "Proa tour: Fashion-MNIST, a small CNN",
        "subtitle": f"{facts['lineage']['data']['images']} images, {facts['data_source']}; "
        f"{facts['epochs']} epochs; 4 simulated devices in the parallel runs",
        "started": facts["started"],
        "seconds": sum(step["seconds"] for step in facts["steps"]),
        "curves": _curves(folder, facts),
        "comparison": {
            "curve": "loss",
            "reference": "baseline",
            "limit": LIMIT,
            "num_steps": NUM_COMPARED,
        },
        "confusion": {"class_names": names, "matrix": matrix.tolist()},
        "samples": _samples(facts, saved, names, predicted, labels),
        "data": data,
        "steps": facts["steps"],
        "layers": layers,
        "lineage": facts["lineage"],
    }


def _curves(folder: RunFolder, facts: dict[str, Any]) -> dict[str, Any]:
    losses = facts["baseline_losses"]
    series = [{"name": "baseline", "x": list(range(1, len(losses) + 1)), "y": losses}]
    for mode in ("data", "tensor"):
        values = folder.read(f"losses-{mode}.json")
        x = list(range(1, len(values) + 1))
        series.append({"name": f"{mode}-parallel", "x": x, "y": values})
    records = facts["baseline_epochs"]
    epochs = list(range(1, len(records) + 1))
    accuracy = [
        {"name": label, "x": epochs, "y": [record[key] for record in records]}
        for label, key in (("test", "eval_acc"), ("training", "acc"))
        if all(key in record for record in records)
    ]
    rates = facts["baseline_rates"]
    rate = {"name": "baseline", "x": list(range(1, len(rates) + 1)), "y": rates}
    beginning = [
        {**each, "x": each["x"][:NUM_COMPARED], "y": each["y"][:NUM_COMPARED]} for each in series
    ]
    return {
        "loss": {
            "title": "Training loss",
            "x_label": "step",
            "y_label": "cross-entropy",
            "series": series,
        },
        "beginning": {
            "title": f"Training loss, first {NUM_COMPARED} steps",
            "x_label": "step",
            "y_label": "cross-entropy",
            "series": beginning,
        },
        "accuracy": {
            "title": "Accuracy",
            "x_label": "epoch",
            "y_label": "accuracy",
            "percent": True,
            "series": accuracy,
        },
        "rate": {
            "title": "Learning rate",
            "x_label": "step",
            "y_label": "learning rate",
            "scale": "linear",
            "series": [rate],
        },
    }


def _samples(facts: Any, saved: Any, names: Any, predicted: Any, labels: Any) -> list[Any]:
    images = load_data(facts["data_folder"], raw=True).test.images
    shifted = saved["logits"] - saved["logits"].max(1, keepdims=True)
    confidence = np.exp(shifted).max(1) / np.exp(shifted).sum(1)
    draw = np.random.default_rng(facts["seed"])
    wrong, right = np.flatnonzero(predicted != labels), np.flatnonzero(predicted == labels)
    chosen = np.concatenate(
        [draw.permutation(wrong)[:_NUM_WRONG], draw.permutation(right)[:_NUM_RIGHT]]
    )
    return [
        {
            "image": images[i].tolist(),
            "true": names[labels[i]],
            "predicted": names[predicted[i]],
            "confidence": float(confidence[i]),
        }
        for i in draw.permutation(chosen)
    ]
