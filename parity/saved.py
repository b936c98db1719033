"""Models that the real Paddle writes, per row of the table and form: Proa reads and runs them.

Models with branches, loops and arrays of tensors (`_save_flows.py`) are among them.

`python -m parity.saved [--only REGEX]` prints how many agree, which are not read and why, and which
differ; a difference without a reason fails the run.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from ._pool import ROOT

FORMS = {"json": "1", "pdmodel": "0"}
#: Rows that differ, and why.
REASONS = {
    r"dropout|attention": "dropout of a model that was saved in training",
    r"increment": "the real one gives an input that it overwrites",
    r"batch_norm|nn\.BatchNorm": "saved as in evaluation, run as in training",
}
_ROUNDS = 20


def write(paddle: str, folder: Path, flag: str, only: str) -> None:
    """Has the real Paddle write the models; it is started again after a crash."""
    environment = {**os.environ, "FLAGS_enable_pir_api": flag, "GLOG_minloglevel": "3"}
    for module in ("_save_flows", "_save_rows"):
        _run(paddle, module, folder, environment, only)


def _run(paddle: str, module: str, folder: Path, environment: dict[str, str], only: str) -> None:
    for _ in range(_ROUNDS):
        command = [paddle, "-m", f"parity.{module}", str(folder), only]
        try:
            done = subprocess.run(
                command,
                cwd=ROOT,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=600,
            )
        except subprocess.TimeoutExpired:
            continue
        if done.returncode == 0:
            return


def difference(found: np.ndarray, expected: np.ndarray) -> str:
    """What differs between two arrays; nothing when they are close."""
    if found.dtype.name == "bfloat16" and expected.dtype == np.uint16:
        found = found.view(np.uint16)
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return f"{found.dtype}{found.shape} for {expected.dtype}{expected.shape}"
    if expected.dtype.kind not in "fc":
        return "" if np.array_equal(found, expected) else "other integers"
    scale = max(1.0, float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0)))
    close = 1e-2 if expected.dtype.itemsize == 2 else 1e-4
    same = np.isclose(found, expected, rtol=close, atol=close * scale, equal_nan=True)
    return "" if same.all() else f"values up to {scale:.3g}"


def check(prefix: Path, ending: str) -> str:
    """Reads and runs one model; returns `ok`, what differs, or why it is not read."""
    formats = importlib.import_module("proa.formats")
    jit: Any = importlib.import_module("proa.jit")
    try:
        with np.load(f"{prefix}.npz", allow_pickle=False) as held:
            arrays = dict(held)
    except ValueError:
        return "not compared: the real one gave something else than an array"
    expected = [arrays[n] for n in sorted(arrays, key=_number) if n.startswith("out")]
    try:
        artifact = formats.read_model(f"{prefix}.{ending}")
    except NotImplementedError as error:
        return "not known: " + str(error).split("not known here: ")[-1].split("\n")[0]
    except RuntimeError as error:
        return f"not read: {str(error).splitlines()[0]}"
    pipeline = jit.Pipeline(artifact)
    found = pipeline.run([arrays[f"in{name[1:]}"] for name in pipeline.names])
    pairs = zip(found, expected, strict=True)
    return next((f"differs: {t}" for a, b in pairs if (t := difference(np.asarray(a), b))), "ok")


def _number(name: str) -> int:
    return int(re.sub(r"\D", "", name))


def main(arguments: list[str] | None = None) -> int:
    """Writes, reads and compares; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m parity.saved", description=__doc__)
    parser.add_argument("--only", default="", metavar="REGEX", help="rows to run")
    parser.add_argument("--folder", type=Path, default=ROOT / ".parity" / "saved")
    options = parser.parse_args(arguments)
    own = ROOT / ".parity" / "venv" / "bin" / "python"
    paddle = os.environ.get("PROA_PARITY_PADDLE") or str(own)
    if not Path(paddle).exists():
        parser.error(f"no interpreter at {paddle}: run `make parity`, or set PROA_PARITY_PADDLE")
    is_open = False
    for ending, flag in FORMS.items():
        folder = options.folder.resolve() / ending
        write(paddle, folder, flag, options.only)
        files = sorted(f for f in folder.glob("*.npz") if re.search(options.only, f.stem))
        found = {f.stem: check(f.with_suffix(""), ending) for f in files}
        counts = Counter(text.split(":")[0] for text in found.values())
        print(
            f".{ending}: {len(found)} models; " + ", ".join(f"{n} {k}" for k, n in counts.items())
        )
        for name, text in found.items():
            reason = next((r for key, r in REASONS.items() if re.search(key, name)), "")
            if text.startswith("differs"):
                is_open |= not reason
                print(f"  {name} {text}  [{reason or 'open'}]")
        missing = Counter(text for text in found.values() if text.startswith("not known"))
        print("  " + "; ".join(f"{text} ({n})" for text, n in missing.most_common()))
    return int(is_open)


if __name__ == "__main__":
    sys.exit(main())
