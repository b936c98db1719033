"""Images a second of the DataLoader against torch's, and the first step of a second start.

Usage: python -m bench.loading [--rounds 2] [--epochs 3] (torch and torchvision: PROA_BENCH_TORCH)

Both decode the same JPEG files (256 of 500x375), cut, resize to 224x224, flip, normalise and
collate to 32, with 0, 1 and 2 workers; contestants take turns, best epoch of each. Then ResNet-50
(batch 8) takes its first step in new processes that share one compile cache: the first compiles.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

_CHILD = Path(__file__).with_name("_loading_child.py")


def make_images(folder: Path, count: int = 256) -> None:
    """Writes JPEG files with as much detail as photographs have (about 70 kB each)."""
    from PIL import Image

    random = np.random.default_rng(0)
    for number in range(count):
        kind = folder / "ab"[number % 2]
        kind.mkdir(exist_ok=True)
        coarse = Image.fromarray(random.integers(0, 256, (12, 16, 3), dtype="uint8"))
        smooth = np.asarray(coarse.resize((500, 375), Image.Resampling.BICUBIC), "float32")
        grain = random.normal(scale=12.0, size=(375, 500, 1))
        pixels = np.clip(smooth + grain, 0, 255).astype("uint8")
        Image.fromarray(pixels).save(kind / f"{number:03d}.jpg", quality=88)


def run(interpreter: str, arguments: list[str], **variables: str) -> dict[str, Any]:
    """Runs a contestant and returns what it prints."""
    command = [interpreter, "-W", "ignore", str(_CHILD), *arguments]
    root = str(Path(__file__).resolve().parents[1])
    environment = {**os.environ, **variables, "PYTHONPATH": root}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def compare_loaders(folder: Path, torch: str | None, rounds: int, epochs: int) -> None:
    """Prints images a second for 0, 1 and 2 workers."""
    print("| workers | Proa, images/s | torch, images/s | Proa / torch | first batch, s |")
    print("| --- | --- | --- | --- | --- |")
    for workers in (0, 1, 2):
        found: dict[str, list[dict[str, Any]]] = {"proa": [], "torch": []}
        for _ in range(rounds):
            for name, interpreter in (("torch", torch), ("proa", sys.executable)):
                if interpreter:
                    arguments = [name, str(folder), str(workers), str(epochs)]
                    found[name].append(run(interpreter, arguments))
        ours = median(each["rate"] for each in found["proa"])
        first = " / ".join(
            f"{median(each['first'] for each in runs):.2f}" for runs in found.values() if runs
        )
        theirs = median(each["rate"] for each in found["torch"]) if torch else float("nan")
        print(f"| {workers} | {ours:.0f} | {theirs:.0f} | {ours / theirs:.2f} | {first} |")


def compare_starts(rounds: int) -> None:
    """Prints the seconds of the first start and of later ones."""
    print("| start | import | build | first step | a later step | to the first loss |")
    print("| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as cache:
        for number in range(1 + rounds):
            found = run(sys.executable, ["proa-step"], FLAGS_compile_cache_dir=cache)
            seconds = [found[name] for name in ("import", "build", "first", "later", "total")]
            print(f"| {number + 1} | {' | '.join(f'{each:.2f}' for each in seconds)} |")


def main() -> None:
    """Reads the arguments and prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=3)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        make_images(Path(name))
        torch = os.environ.get("PROA_BENCH_TORCH")
        compare_loaders(Path(name), torch, chosen.rounds, max(chosen.epochs, 2))
    compare_starts(chosen.rounds)


if __name__ == "__main__":
    main()
