"""Model files: Proa writes them in Paddle's form, the real Paddle loads and runs them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ._compare import TOLERANCES
from ._evaluate import Evaluation
from .table import Array, Call, read_table

#: Rooms whose rows are functions of arrays that a model may call.
ROOMS = (
    "paddle",
    "paddle.Tensor",
    "paddle.nn",
    "paddle.nn.functional",
    "paddle.linalg",
    "paddle.vision.ops",
    "paddle.incubate.nn.functional",
)
#: Rows of one name that files are written for.
MAX_ROWS = 2
#: Dtypes that the predictor of 3.3.1 takes and gives; arrays without elements it does not either.
PREDICTED = ("float32", "float64", "int32", "int64", "uint8", "int8", "bool")
# A file may differ from Proa's own answers by a few times what a call may.
SLACK = 5.0


def chosen_rows() -> dict[str, Call]:
    """Rows of the table that files are written for: values that arrays alone decide."""
    return {
        key: call
        for key, call in read_table().items()
        if int(key.rpartition("#")[2]) <= MAX_ROWS
        and call.room in ROOMS
        and call.values
        and not (call.error or call.steps or call.differs or call.name.endswith("_"))
    }


class NoModel(Exception):
    """A row is no function from arrays to arrays that a file could hold."""


class Recorded(Evaluation):
    """A row as a function of its arrays, so that it can be recorded.

    The arrays are made once, on a first run; later runs are given tensors in their place.
    """

    def __init__(self, paddle: Any, call: Call, key: str) -> None:
        super().__init__(paddle, call, key)
        self.call = call
        self.arrays: list[np.ndarray] = []
        self.given: Any = None
        self.layers: list[Any] = []

    def _tensor(self, described: Array, label: str) -> Any:
        if self.given is not None:
            return next(self.given)
        array = described.make(self.random)
        if described.dtype == "bfloat16":
            raise NoModel("an array of a dtype that NumPy lacks")
        self.arrays.append(array)
        return self.paddle.to_tensor(array)

    def outputs_of(self, tensors: Sequence[Any] | None) -> list[Any]:
        """Runs the row and returns the tensors among its results."""
        self.given = None if tensors is None else iter(tensors)
        self.outputs = []
        with self.paddle.no_grad():
            self._collect("", self._call(self.call))
        return [value for _, value in self.outputs if isinstance(value, self.paddle.Tensor)]

    def _fill(self, layer: Any, prefix: str) -> None:
        if self.given is None:
            super()._fill(layer, prefix)
            layer.eval()
            self.layers.append(layer)

    def _call(self, call: Call, prefix: str = "") -> Any:
        if self.given is None or not call.methods or not self.layers:
            made = super()._call(call, prefix)
            # Without the statistics, which stand last.
            return made[:-1] if call.methods else made
        # The layer of the first run, whose parameters are filled.
        return [self._method(self.layers[0], each, prefix) for each in call.methods]


def _names(count: int) -> list[str]:
    return [f"x{i}" for i in range(count)]


def write_row(paddle: Any, key: str, prefix: str) -> None:
    """Writes the file of one row, and what its inputs and outputs are."""
    call = chosen_rows()[key]
    row = Recorded(paddle, call, key)
    expected = row.outputs_of(None)
    if not row.arrays or not expected:
        raise NoModel("a row without arrays")
    specs = [
        paddle.static.InputSpec(list(a.shape), str(a.dtype), name)
        for a, name in zip(row.arrays, _names(len(row.arrays)), strict=True)
    ]
    paddle.jit.save(lambda *given: row.outputs_of(given), prefix, specs, format="paddle")
    keep(prefix, row.arrays, expected)


def keep(prefix: str, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
    """Stores sample inputs, and what Proa makes of them."""
    arrays = {f"in{i}": np.asarray(a) for i, a in enumerate(inputs)}
    arrays |= {f"out{i}": t.numpy() for i, t in enumerate(outputs)}
    if any(a.dtype.kind == "V" for a in arrays.values()):
        raise NoModel("an array of a dtype that NumPy lacks")
    np.savez(f"{prefix}.npz", **arrays)  # type: ignore[arg-type]


def write_handler(paddle: Any) -> Callable[[Any], dict[str, Any]]:
    """Returns the function that writes one file, for the side of Proa."""
    models = importlib.import_module("parity._models").MODELS

    def handle(task: Any) -> dict[str, Any]:
        key, prefix = task
        Path(prefix).parent.mkdir(parents=True, exist_ok=True)
        for ending in ("json", "pdiparams", "npz"):
            Path(f"{prefix}.{ending}").unlink(missing_ok=True)
        try:
            if key in models:
                models[key](paddle, prefix)
            else:
                write_row(paddle, key, prefix)
        except Exception as error:
            return {"status": type(error).__name__, "message": str(error)[:2000]}
        return {"status": "ok"}

    return handle


def _scaled(found: np.ndarray, expected: np.ndarray) -> tuple[float, str]:
    """Largest difference, relative to the largest value, and what is wrong, if anything is."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return 0.0, f"{found.dtype}{list(found.shape)} for {expected.dtype}{list(expected.shape)}"
    if not expected.size or np.array_equal(found, expected):
        return 0.0, ""
    if expected.dtype.kind not in "fc":
        return 0.0, "other integers"
    finite = np.isfinite(expected)
    scale = max(1.0, float(np.abs(expected[finite]).max(initial=0.0)))
    if not np.array_equal(finite, np.isfinite(found)):
        return 0.0, "numbers that are not finite"
    worst = float(np.abs(found[finite] - expected[finite]).max(initial=0.0)) / scale
    limit = SLACK * TOLERANCES.get(expected.dtype.name, 0.0)
    return worst, "" if worst <= limit else f"a difference of {worst:.1e}"


def _compare(found: Sequence[Any], expected: Sequence[np.ndarray]) -> tuple[float, str]:
    if len(found) != len(expected):
        return 0.0, f"{len(found)} outputs for {len(expected)}"
    pairs = [_scaled(np.asarray(a), b) for a, b in zip(found, expected, strict=True)]
    return max([w for w, _ in pairs], default=0.0), next((t for _, t in pairs if t), "")


def _predict(inference: Any, prefix: str, inputs: Sequence[np.ndarray]) -> list[Any]:
    config = inference.Config(f"{prefix}.json", f"{prefix}.pdiparams")
    config.disable_glog_info()
    # With oneDNN, 3.3.1 writes over operands that are still needed: in its own files, too.
    config.disable_mkldnn()
    predictor = inference.create_predictor(config)
    for name, array in zip(predictor.get_input_names(), inputs, strict=True):
        predictor.get_input_handle(name).copy_from_cpu(array)
    predictor.run()
    names = predictor.get_output_names()
    return [predictor.get_output_handle(name).copy_to_cpu() for name in names]


def _numbers(t: Any) -> np.ndarray:
    # A tensor of the real one without elements may have no memory to read.
    return t.numpy() if t.size else np.zeros(tuple(t.shape), str(t.dtype).rpartition(".")[2])


def read_handler(paddle: Any) -> Callable[[Any], dict[str, Any]]:
    """Returns the function that loads and runs one file, for the side of the real Paddle."""
    inference = importlib.import_module("paddle.inference")

    def load(prefix: str, inputs: Sequence[np.ndarray]) -> list[Any]:
        layer = paddle.jit.load(prefix)
        found = layer(*[paddle.to_tensor(a) for a in inputs])
        found = found if isinstance(found, list | tuple) else [found]
        return [_numbers(t) for t in found]

    def handle(task: Any) -> dict[str, Any]:
        prefix, with_inference = task
        held = np.load(f"{prefix}.npz")
        count = sum(name.startswith("in") for name in held)
        inputs = [held[f"in{i}"] for i in range(count)]
        expected = [held[f"out{i}"] for i in range(len(held) - count)]
        try:
            worst, wrong = _compare(load(prefix, inputs), expected)
        except Exception as error:
            return {"status": "error", "message": f"{type(error).__name__}: {error}"[-1500:]}
        plain = all(a.size and a.dtype.name in PREDICTED for a in (*inputs, *expected))
        if wrong or not with_inference or not plain:
            return {"status": "ok", "worst": worst, "wrong": wrong}
        try:
            more, wrong = _compare(_predict(inference, prefix, inputs), expected)
        except Exception as error:
            more, wrong = 0.0, f"{type(error).__name__}: {error}"[-1500:]
        worst, wrong = max(worst, more), wrong and f"inference: {wrong}"
        return {"status": "ok", "worst": worst, "wrong": wrong}

    return handle


def file_handler(paddle: Any) -> Callable[[Any], dict[str, Any]]:
    """Returns the function that writes files on Proa, and loads them on the real Paddle."""
    return write_handler(paddle) if paddle.__name__ == "proa" else read_handler(paddle)


def file_name(key: str) -> str:
    """A file name for a row or model."""
    return "".join(c if c.isalnum() or c in "._-" else "_" for c in key)
