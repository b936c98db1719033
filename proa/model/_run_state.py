"""The state of a run: gathered into a checkpoint, and put back from one."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np

from proa.core import Tensor, default_generator, new_gradient, put_like, replace_data
from proa.optimizer.lr import LRScheduler

from ._checkpoint import Checkpoint

_SCHEDULE, _MASTERS = "LR_Scheduler", "master_weights"


def named_tensors(network: Any, loss: Any) -> dict[str, Tensor]:
    """Returns all parameters and buffers of a run by names that do not depend on its process."""
    found = dict(network.to_static_state_dict())
    if hasattr(loss, "to_static_state_dict"):
        found.update({f"loss/{name}": t for name, t in loss.to_static_state_dict().items()})
    return found


class Names:
    """Translates between a tensor's own name and its name in checkpoints.

    A tensor's own name, such as `linear_0.w_0`, counts the layers made before; the optimizer
    uses it in its state.
    """

    def __init__(self, tensors: Mapping[str, Tensor], optimizer: Any) -> None:
        self._stored = {t.name: name for name, t in tensors.items()}
        for position, t in enumerate(getattr(optimizer, "_parameter_list", ())):
            self._stored.setdefault(t.name, f"parameter/{position}")
        self._own = {stored: own for own, stored in self._stored.items()}

    def to_stored(self, key: str) -> str:
        """Returns an optimizer's key, `<own name>_<state>`, as `<stored name>|<state>`."""
        end = len(key)
        while end > 0:
            if key[:end] in self._stored:
                return f"{self._stored[key[:end]]}|{key[end:].removeprefix('_')}"
            end = key.rfind("_", 0, end)
        return f"|{key}"

    def to_own(self, key: str) -> str:
        """Undoes `to_stored`; a name that this run has not stays as it is."""
        stored, _, rest = key.rpartition("|")
        if not stored:
            return rest
        own = self._own.get(stored, stored)
        return f"{own}_{rest}" if rest else own


def gather_optimizer(optimizer: Any, names: Names) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Returns an optimizer's state as arrays and as plain values."""
    arrays: dict[str, np.ndarray] = {}
    state = optimizer.state_dict()
    plain = {"schedule": state.pop(_SCHEDULE, None), "learning_rate": optimizer.get_lr()}
    for name, t in (state.pop(_MASTERS, None) or {}).items():
        arrays[f"master/{names.to_stored(name)}"] = t.numpy()
    for key, t in state.items():
        arrays[f"optimizer/{names.to_stored(key)}"] = t.numpy()
    skipped = getattr(optimizer, "_skipped", None)
    if skipped is not None:
        arrays["skipped_steps"] = skipped.numpy()
    return arrays, plain


def restore_optimizer(
    optimizer: Any, names: Names, checkpoint: Checkpoint, accepted: Iterable[str]
) -> None:
    """Puts an optimizer's state back."""
    state: dict[str, Any] = {}
    masters: dict[str, Any] = {}
    for name, array in checkpoint.arrays.items():
        kind, _, key = name.partition("/")
        if kind == "optimizer":
            state[names.to_own(key)] = array
        elif kind == "master":
            masters[names.to_own(key)] = array
    if masters:
        state[_MASTERS] = masters
    plain = checkpoint.state["optimizer"]
    source = optimizer._learning_rate
    keeps_rate = "learning_rate" in accepted
    if isinstance(source, LRScheduler):
        # A schedule of another kind, accepted as such, goes on at the same count.
        state[_SCHEDULE] = source.state_dict()
    if "optimizer" not in accepted:
        optimizer.set_state_dict(state)
    saved = plain["schedule"]
    if isinstance(source, LRScheduler) and saved is not None:
        if keeps_rate:
            source.step(epoch=saved["last_epoch"])
        else:
            source.set_state_dict(saved)
    elif not isinstance(source, LRScheduler) and not keeps_rate:
        optimizer.set_lr(plain["learning_rate"])
    if "skipped_steps" in checkpoint.arrays:
        optimizer._skipped._data = _placed_as(
            optimizer._skipped, checkpoint.arrays["skipped_steps"]
        )


def gather_tensors(tensors: Mapping[str, Tensor]) -> dict[str, np.ndarray]:
    """Returns weights, buffers, and gradients that wait for an update."""
    arrays = {f"weights/{name}": t.numpy() for name, t in tensors.items()}
    for name, t in tensors.items():
        gradient = t._grad
        if isinstance(gradient, Tensor):
            arrays[f"gradients/{name}"] = gradient.numpy()
    return arrays


def restore_tensors(tensors: Mapping[str, Tensor], checkpoint: Checkpoint) -> None:
    """Puts weights, buffers and gradients back; their names and shapes were compared before."""
    for name, t in tensors.items():
        replace_data(t, _placed_as(t, checkpoint.arrays[f"weights/{name}"]))
        gradient = checkpoint.arrays.get(f"gradients/{name}")
        t._grad = None if gradient is None else new_gradient(_placed_as(t, gradient))


def _placed_as(t: Tensor, array: np.ndarray) -> Any:
    # A buffer of its own, since compiled steps give buffers back to the allocator; on the
    # devices that the tensor lies on now, which may be others than those of the saved run.
    return put_like(jnp.array(array, copy=True), t._data)


def gather_random() -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Returns the positions of all random streams of the process."""
    generator = default_generator()
    numpy_state = np.random.get_state(legacy=False)
    inner: Any = numpy_state["state"]
    plain = {
        "seed": generator.initial_seed(),
        "python": list(random.getstate()),
        "numpy": {
            "bit_generator": numpy_state["bit_generator"],
            "position": int(inner["pos"]),
            "has_gauss": int(numpy_state["has_gauss"]),
            "gauss": float(numpy_state["gauss"]),
        },
    }
    return {"random/key": generator.state.numpy(), "random/numpy": np.array(inner["key"])}, plain


def restore_random(checkpoint: Checkpoint) -> None:
    """Puts all random streams to the positions of a checkpoint."""
    plain = checkpoint.state["random"]
    generator = default_generator()
    generator.manual_seed(plain["seed"])
    generator.set_state(checkpoint.arrays["random/key"])
    version, words, gauss = plain["python"]
    random.setstate((version, tuple(words), gauss))
    saved = plain["numpy"]
    inner = {"key": checkpoint.arrays["random/numpy"], "pos": saved["position"]}
    np.random.set_state(
        {
            "bit_generator": saved["bit_generator"],
            "state": inner,
            "has_gauss": saved["has_gauss"],
            "gauss": saved["gauss"],
        }
    )


# Metrics: whatever of an object is plain


def gather_metrics(metrics: Iterable[Any]) -> tuple[dict[str, np.ndarray], list[dict[str, Any]]]:
    """Returns the sums that metrics have gathered, so far as they are plain values or arrays."""
    arrays: dict[str, np.ndarray] = {}
    plain = []
    for position, metric in enumerate(metrics):
        values = {}
        for name, value in vars(metric).items():
            if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
                arrays[f"metrics/{position}/{name}"] = value
            elif _is_plain(value):
                values[name] = value
        plain.append({"class": type(metric).__name__, "values": values})
    return arrays, plain


def restore_metrics(metrics: Iterable[Any], checkpoint: Checkpoint) -> None:
    """Puts the sums of metrics back; one of another class starts anew."""
    saved = checkpoint.state["metrics"]
    for position, metric in enumerate(metrics):
        if position >= len(saved) or saved[position]["class"] != type(metric).__name__:
            continue
        prefix = f"metrics/{position}/"
        own = vars(metric)
        for name, value in saved[position]["values"].items():
            # JSON knows no tuples: what is one stays one.
            own[name] = tuple(value) if isinstance(own.get(name), tuple) else value
        for name, array in checkpoint.arrays.items():
            if name.startswith(prefix):
                own[name.removeprefix(prefix)] = array.copy()


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(_is_plain(each) for each in value)
    if isinstance(value, dict):
        return all(isinstance(k, str) and _is_plain(v) for k, v in value.items())
    return isinstance(value, bool | int | float | str | None)


# Data


def loader_state(loader: Any, epoch: int, step: int) -> dict[str, Any]:
    """Returns the position in the data."""
    if hasattr(loader, "state_dict"):
        return loader.state_dict()
    return {"epoch": epoch, "batches": step}


def restore_loader(loader: Any, state: Mapping[str, Any]) -> int:
    """Puts a loader to a position; returns how many batches the caller has to pass over."""
    if hasattr(loader, "load_state_dict"):
        loader.load_state_dict(dict(state))
        return 0
    return int(state["batches"])
