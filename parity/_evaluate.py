"""One row of the table on one side: outputs and gradients as plain data."""

from __future__ import annotations

import base64
import importlib
import inspect
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .table import Array, Call, Named, read_table

# The parameters that an optimiser is tried on.
PARAMETER_SHAPES = ((4, 3), (3,), (1,))


def resolve(paddle: Any, name: str) -> Any:
    """Returns the object of a public name, importing rooms on the way."""
    found, path = paddle, "paddle"
    for part in name.split(".")[1:]:
        path = f"{path}.{part}"
        if not hasattr(found, part):
            importlib.import_module(path)
        found = getattr(found, part)
    return found


def encode_array(values: np.ndarray, dtype: str) -> dict[str, Any]:
    """An array as JSON knows it; `dtype` is what the tensor said."""
    return {
        "dtype": dtype,
        "shape": list(values.shape),
        "stored": values.dtype.str,
        "data": base64.b64encode(values.tobytes()).decode(),
    }


def decode_array(leaf: dict[str, Any]) -> np.ndarray:
    """The array that `encode_array` was given."""
    data = base64.b64decode(leaf["data"])
    return np.frombuffer(data, leaf["stored"]).reshape(leaf["shape"])


def _word(dtype: Any) -> str:
    return str(dtype).rpartition(".")[2]


class Evaluation:
    """The run of one row.

    Args:
        paddle: the platform.
        call: the row.
        key: the row's key, which seeds its arrays.
    """

    def __init__(self, paddle: Any, call: Call, key: str) -> None:
        self.paddle, self.call = paddle, call
        self.random = np.random.RandomState(zlib.crc32(key.encode()))
        self.inputs: list[tuple[str, Any]] = []
        self.outputs: list[tuple[str, Any]] = []

    def run(self) -> dict[str, Any]:
        """Calls and differentiates."""
        self.paddle.seed(0)
        np.random.seed(0)
        self._collect("", self._call(self.call))
        leaves = [(label, self._encode(value)) for label, value in self.outputs]
        if self.call.grad:
            leaves += self._gradients()
        return {"status": "ok", "leaves": leaves}

    def _argument(self, value: Any, label: str) -> Any:
        if isinstance(value, Array):
            return self._tensor(value, label)
        if isinstance(value, Call):
            return self._call(value, f"{label}.")
        if isinstance(value, Named):
            return resolve(self.paddle, value.name)
        if isinstance(value, list | tuple):
            made = [self._argument(each, f"{label}[{i}]") for i, each in enumerate(value)]
            return type(value)(made)
        if isinstance(value, dict):
            return {key: self._argument(each, f"{label}[{key}]") for key, each in value.items()}
        return value

    def _tensor(self, described: Array, label: str) -> Any:
        tensor = self.paddle.to_tensor(described.make(self.random))
        if described.dtype == "bfloat16":
            tensor = tensor.astype("bfloat16").detach()
        if self.call.grad and described.differentiable:
            tensor.stop_gradient = False
            self.inputs.append((label, tensor))
            if self.call.name.endswith("_"):
                # A leaf that wants a gradient refuses to be written.
                tensor = tensor.clone()
        return tensor

    def _call(self, call: Call, prefix: str = "") -> Any:
        args = [self._argument(each, f"{prefix}{i}") for i, each in enumerate(call.args)]
        kwargs = {k: self._argument(each, f"{prefix}{k}") for k, each in call.kwargs.items()}
        if call.room == "paddle.Tensor":
            tensor, *args = args
            found = getattr(tensor, call.name.rpartition(".")[2])
            made = found(*args, **kwargs) if callable(found) else found
            # `x[0] = y` gives nothing back.
            return tensor if made is None and call.name.endswith("_") else made
        target = resolve(self.paddle, call.name)
        if call.steps:
            return list(self._steps(call, target, args, kwargs))
        made: Any = target(*args, **kwargs) if callable(target) else target
        if not call.methods:
            return made
        is_layer = isinstance(made, self.paddle.nn.Layer)
        if is_layer:
            self._fill(made, prefix)
            if call.evaluation:
                made.eval()
        # Asked before the call: a kernel of the real one may tie what it writes to its inputs.
        state = made.state_dict() if is_layer else {}
        statistics = sorted(name for name, each in state.items() if each.stop_gradient)
        results = [self._method(made, each, prefix) for each in call.methods]
        state = made.state_dict() if is_layer else {}
        return [*results, {f"state {name}": state[name] for name in statistics}]

    def _method(self, made: Any, method: tuple, prefix: str) -> Any:
        name, *given = method
        args = [self._argument(each, f"{prefix}{name}.{i}") for i, each in enumerate(given)]
        found = made if name == "__call__" else getattr(made, name)
        return found(*args) if callable(found) else found

    def _fill(self, layer: Any, prefix: str) -> None:
        state, seen = layer.state_dict(), set()
        for name in sorted(state):
            tensor = state[name]
            # Recurrent layers have each parameter under two names.
            if id(tensor) in seen:
                continue
            seen.add(id(tensor))
            if not _word(tensor.dtype).startswith("float"):
                continue
            shape = [int(size) for size in tensor.shape]
            # What is not trained are statistics, and a variance is positive.
            values = self.random.uniform(0.5, 1.5, shape)
            if not tensor.stop_gradient:
                values = self.random.normal(0.0, 0.4, shape)
            tensor.set_value(values.astype(_word(tensor.dtype)))
            if self.call.grad and not tensor.stop_gradient:
                self.inputs.append((f"{prefix}{name}", tensor))

    def _steps(self, call: Call, target: Any, args: list, kwargs: dict) -> Iterator[Any]:
        self.inputs.clear()
        if issubclass(target, self.paddle.optimizer.lr.LRScheduler):
            schedule = target(*args, **kwargs)
            yield schedule()
            for _ in range(call.steps):
                schedule.step()
                yield schedule()
            return
        layer = self.paddle.nn.Layer()
        for index, shape in enumerate(PARAMETER_SHAPES):
            layer.add_parameter(f"p{index}", layer.create_parameter(list(shape)))
        self._fill(layer, "")
        self.inputs.clear()
        optimizer = target(*args, parameters=layer.parameters(), **kwargs)
        for _ in range(call.steps):
            self._step(layer, optimizer)
            rate = optimizer._learning_rate
            if hasattr(rate, "step"):
                rate.step()
            yield {name: each.detach().clone() for name, each in layer.named_parameters()}

    def _step(self, layer: Any, optimizer: Any) -> None:
        pairs = [
            (each, self.paddle.to_tensor(self.random.normal(size=each.shape).astype("float32")))
            for each in layer.parameters()
        ]

        def closure() -> Any:
            optimizer.clear_grad()
            loss = sum((p * (0.5 * p + shift)).sum() for p, shift in pairs)
            loss.backward()  # type: ignore[union-attr]
            return loss

        if "closure" in inspect.signature(optimizer.step).parameters:
            optimizer.step(closure)
        else:
            closure()
            optimizer.step()

    def _collect(self, label: str, value: Any) -> None:
        if isinstance(value, list | tuple):
            self.outputs.append((f"{label}#", len(value)))
            for index, each in enumerate(value):
                self._collect(f"{label}[{index}]", each)
        elif isinstance(value, dict):
            for name, each in value.items():
                self._collect(f"{label}[{name}]", each)
        else:
            self.outputs.append((label, value))

    def _encode(self, value: Any) -> dict[str, Any]:
        if isinstance(value, self.paddle.Tensor):
            return self._encode_tensor(value)
        for kind in (bool, int, float, complex):
            # `np.float64` is a float.
            if isinstance(value, kind):
                return encode_array(np.asarray(value), kind.__name__)
        if isinstance(value, np.ndarray | np.generic):
            return encode_array(np.asarray(value), str(value.dtype))
        if isinstance(value, str | None):
            return {"text": repr(value)}
        if isinstance(value, self.paddle.dtype):
            return {"text": _word(value)}
        return {"text": type(value).__name__}

    def _encode_tensor(self, tensor: Any) -> dict[str, Any]:
        layout = ""
        if tensor.is_sparse():
            layout = " coo" if tensor.is_sparse_coo() else " csr"
            tensor = tensor.to_dense()
        word = _word(tensor.dtype)
        plain = tensor.astype("float32") if word == "bfloat16" else tensor
        return encode_array(plain.detach().numpy(), word + layout)

    def _gradients(self) -> Iterator[tuple[str, dict[str, Any]]]:
        # The same tensor may be given back twice, such as the state of a cell.
        distinct = {id(value): value for _, value in self.outputs}.values()
        outputs = [
            # The gradient of a sparse tensor would have to be one as well.
            value.to_dense() if value.is_sparse() else value
            for value in distinct
            if isinstance(value, self.paddle.Tensor)
            and not value.stop_gradient
            and _word(value.dtype).startswith(("float", "bfloat", "complex"))
        ]
        inputs = [tensor for _, tensor in self.inputs]
        if not outputs or not inputs:
            return
        weights = [self._weight(each) for each in outputs]
        found = self.paddle.grad(outputs, inputs, grad_outputs=weights, allow_unused=True)
        for (label, _), gradient in zip(self.inputs, found, strict=True):
            leaf = {"text": "None"} if gradient is None else self._encode(gradient)
            yield f"gradient of {label}", leaf

    def _weight(self, output: Any) -> Any:
        word, shape = _word(output.dtype), [int(size) for size in output.shape]
        values = np.asarray(self.random.normal(size=shape))
        if word.startswith("complex"):
            values = values + 1j * self.random.normal(size=shape)
        plain = "float32" if word == "bfloat16" else word
        return self.paddle.to_tensor(values.astype(plain)).astype(word)


def call_handler(paddle: Any) -> Callable[[str], dict[str, Any]]:
    """Returns the function that answers the key of a row with its outcome."""
    table = read_table()

    def handle(key: str) -> dict[str, Any]:
        try:
            return Evaluation(paddle, table[key], key).run()
        except Exception as error:
            return {"status": "error", "message": f"{type(error).__name__}: {error}"[:600]}

    return handle
