"""A made-up run of realistic size, for the tests of the report and for looking at it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from proa.suites import check_dataset, write_report
from proa.vision.datasets import FashionMNIST, fashion_mnist_files

_RIVALS = {
    0: (6, 3, 2),
    2: (4, 6),
    3: (0, 4),
    4: (2, 6),
    5: (7, 9),
    6: (0, 2, 4),
    7: (9, 5),
    9: (7,),
}


def sample_run(*, num_steps: int = 750) -> dict[str, Any]:
    """A run that passes everything, on the bundled data, with invented results.

    Args:
        num_steps: number of training steps of the baseline.
    """
    draw = np.random.default_rng(7)
    files = fashion_mnist_files("bundled")
    train, test = (
        FashionMNIST(files.images(mode), files.labels(mode), mode=mode, backend="cv2")
        for mode in ("train", "test")
    )
    data = check_dataset(train, test)
    predicted = test.labels[:, 0].copy()
    for index in draw.permutation(len(predicted))[:124]:
        predicted[index] = draw.choice(_RIVALS.get(int(predicted[index]), (8,)))
    matrix = np.zeros((10, 10), int)
    np.add.at(matrix, (test.labels[:, 0], predicted), 1)
    steps = np.arange(1, num_steps + 1)
    loss = (
        0.28 + 2.05 * np.exp(-steps / 70) + draw.normal(0, 0.05, num_steps) * np.exp(-steps / 900)
    )
    return {
        "title": "Fashion-MNIST, small CNN",
        "subtitle": "6,000 training and 1,000 test images, 4 simulated devices",
        "started": "2026-01-15 09:30 UTC",
        "seconds": 71.4,
        "curves": _curves(steps, loss, draw),
        "comparison": {"curve": "loss", "reference": "baseline", "limit": 1e-5, "num_steps": 50},
        "confusion": {"class_names": list(data.class_names), "matrix": matrix.tolist()},
        "samples": _samples(test, predicted, draw),
        "data": data.to_dict(),
        "steps": [
            {"name": name, "seconds": seconds, "note": note}
            for name, seconds, note in (
                ("check", 1.9, "one op, one gradient, one compiled step"),
                ("data", 0.4, "every item read once"),
                ("baseline", 31.6, "8 epochs, 750 steps, 41 ms a step"),
                ("resume", 12.8, "stopped after epoch 4, taken up again"),
                ("parallel", 17.3, "50 steps twice, 4 devices"),
                ("export", 5.2, "pre-processing inside, 16 golden samples"),
                ("report", 2.2, ""),
            )
        ],
        "layers": _layers(float(np.trace(matrix) / matrix.sum())),
        "lineage": _lineage(data.data_hash),
    }


def _curves(steps: np.ndarray, loss: np.ndarray, draw: np.random.Generator) -> dict[str, Any]:
    short = len(steps) * 4 // 15
    growth = np.linspace(0.2, 6, short) * 1e-7
    shards = {
        "data-parallel": loss[:short] * (1 + growth * draw.normal(0, 1, short)),
        "tensor-parallel": loss[:short] * (1 + 4 * growth * draw.normal(0, 1, short)),
    }
    shards["data-parallel"][:6] = loss[:6]
    epochs = list(range(1, 9))
    accuracy = [0.712, 0.783, 0.818, 0.842, 0.851, 0.863, 0.882, 0.888]
    wobble = [0.725, 0.801, 0.839, 0.861, 0.877, 0.889, 0.902, 0.911]
    return {
        "loss": {
            "title": "Training loss",
            "x_label": "step",
            "y_label": "cross-entropy",
            "series": [
                {"name": "baseline", "x": steps.tolist(), "y": loss.tolist()},
                *(
                    {"name": name, "x": steps[:short].tolist(), "y": values.tolist()}
                    for name, values in shards.items()
                ),
            ],
        },
        "accuracy": {
            "title": "Accuracy",
            "x_label": "epoch",
            "y_label": "accuracy",
            "percent": True,
            "series": [
                {"name": "test", "x": epochs, "y": accuracy},
                {"name": "training", "x": epochs, "y": wobble},
            ],
        },
        "rate": {
            "title": "Learning rate",
            "x_label": "step",
            "y_label": "learning rate",
            "scale": "linear",
            "series": [
                {
                    "name": "baseline",
                    "x": steps.tolist(),
                    "y": (0.0005 * (1 + np.cos(np.pi * steps / len(steps)))).tolist(),
                }
            ],
        },
    }


def _samples(test: FashionMNIST, predicted: np.ndarray, draw: np.random.Generator) -> list[Any]:
    wrong = np.flatnonzero(predicted != test.labels[:, 0])[:5]
    right = np.flatnonzero(predicted == test.labels[:, 0])[3:22]
    return [
        {
            "image": test.images[index].tolist(),
            "true": test.class_names[test.labels[index, 0]],
            "predicted": test.class_names[predicted[index]],
            "confidence": float(draw.uniform(0.42, 0.7) if index in wrong else draw.beta(9, 1)),
        }
        for index in draw.permutation(np.concatenate([wrong, right]))
    ]


def _layers(accuracy: float) -> dict[str, list[dict[str, Any]]]:
    rows = {
        "environment": [
            ("Python", "3.12.4", ">= 3.11", ""),
            ("jax", "0.10.2", ">= 0.10, < 0.12", "cpu, loaded with its own jaxlib 0.10.2"),
            ("devices", 4, ">= 4", "simulated on one CPU"),
            ("one op: 2 × 3", 6.0, 6.0, ""),
            ("one gradient: d(x²)/dx at 3", 6.0, 6.0, ""),
            ("one compiled step, loss falls", True, True, ""),
        ],
        "training": [
            ("data check", "no problem", "no problem", "7,000 items"),
            ("test accuracy", accuracy, ">= 0.85", ""),
            ("resumed = uninterrupted", "equal to the last bit", "equal to the last bit", ""),
            ("data-parallel against one device", 3.4e-7, "<= 1e-05", "first 50 steps"),
            ("tensor-parallel against one device", 2.1e-6, "<= 1e-05", "first 50 steps"),
        ],
        "inference": [
            ("predictions equal to evaluation's", "1,000 of 1,000", "1,000 of 1,000", ""),
            ("largest difference of a logit", 9.5e-7, "<= 1e-05", ""),
            ("golden samples", "16 of 16", "16 of 16", "checked when the file was loaded"),
        ],
        "hardware": [
            ("device", "cpu: 4 simulated", "any", ""),
            ("training speed", 1560.0, "> 0", "images per second"),
            ("time to first step", 1.31, "<= 10", "seconds, compilation included"),
        ],
        "engineering": [
            ("files of the run folder", 14, 14, "each with its SHA-256 in the manifest"),
            ("artifact altered by one byte", "refused", "refused", ""),
            ("lineage", "complete", "complete", ""),
        ],
    }
    return {
        layer: [
            {"name": n, "measured": m, "expected": e, "passed": True, "note": note}
            for n, m, e, note in checks
        ]
        for layer, checks in rows.items()
    }


def _lineage(data_hash: str) -> dict[str, Any]:
    return {
        "versions": {"proa": "0.1.0", "jax": "0.10.2", "numpy": "2.4.6", "python": "3.12.4"},
        "seeds": {"run": 2024, "shuffling": "derived from the run, the epoch and the item"},
        "data": {"source": "bundled subset of Fashion-MNIST", "hash": data_hash},
        "artifact": {"file": "model.proa", "hash": "4f0c" * 16, "parameters": 61_706},
        "commands to reproduce": ["proa tour --seed 2024 --out runs/tour", "proa verify runs/tour"],
    }


if __name__ == "__main__":
    print(write_report(sample_run(), Path(sys.argv[1])))
