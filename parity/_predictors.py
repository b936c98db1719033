"""Runs inside the interpreter with the real Paddle: answers arrays with what its models give.

A request is a line of JSON, `{"model": path prefix, "arrays": file}`; the answer names a file.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any

import numpy as np


def make_predictor(inference: Any, prefix: str) -> Any:
    """Returns a predictor for a pair of files, on the CPU as it comes."""
    program = next(e for e in (".json", ".pdmodel") if os.path.exists(prefix + e))
    config = inference.Config(prefix + program, prefix + ".pdiparams")
    config.disable_gpu()
    config.disable_glog_info()
    return inference.create_predictor(config)


def answer(predictor: Any, arrays: dict[str, np.ndarray]) -> list[np.ndarray]:
    """Runs a predictor on its inputs, in order."""
    for name, array in zip(predictor.get_input_names(), arrays.values(), strict=True):
        predictor.get_input_handle(name).copy_from_cpu(array)
    predictor.run()
    names = predictor.get_output_names()
    return [predictor.get_output_handle(name).copy_to_cpu() for name in names]


def main() -> None:
    """Answers requests until the input ends."""
    # What Paddle prints goes elsewhere.
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    inference = importlib.import_module("paddle.inference")
    known: dict[str, Any] = {}
    for line in sys.stdin:
        request = json.loads(line)
        prefix = request["model"]
        if prefix not in known:
            known[prefix] = make_predictor(inference, prefix)
        with np.load(request["arrays"]) as held:
            found = answer(known[prefix], {name: held[name] for name in sorted(held)})
        target = request["arrays"] + ".out.npz"
        np.savez(target, *found)
        print(json.dumps({"arrays": target}), file=replies, flush=True)


if __name__ == "__main__":
    main()
