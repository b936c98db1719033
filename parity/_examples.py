"""Usage examples of the real wheel: read from its docstrings at run time, run on either side."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import inspect
import io
import os
import pkgutil
import random
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

# Packages of the wheel that hold no public API, or only the parts it is made of.
INTERNAL = frozenset(
    "base fluid pir cinn tensorrt decomposition tests proto libs include api_tracer apy "
    "check_import_scipy cuda_env check_version".split()
)
DEEPEST = 5
_PARSER = doctest.DocTestParser()


def public_modules(module: ModuleType, depth: int = 0) -> Iterator[ModuleType]:
    """Yields a package and all public modules below it that can be imported."""
    yield module
    if depth == DEEPEST:
        return
    for found in pkgutil.iter_modules(getattr(module, "__path__", [])):
        if found.name.startswith("_") or found.name in INTERNAL:
            continue
        # Parts of the wheel need libraries or devices that are not there.
        with contextlib.suppress(Exception, SystemExit):
            child = importlib.import_module(f"{module.__name__}.{found.name}")
            yield from public_modules(child, depth + 1)


def public_objects(package: ModuleType) -> Iterator[tuple[str, str, Any]]:
    """Yields the room, the name and the object of each documented name, classes' members too."""
    for module in public_modules(package):
        for name in getattr(module, "__all__", None) or ():
            found = getattr(module, name, None)
            if found is None or inspect.ismodule(found):
                continue
            yield module.__name__, f"{module.__name__}.{name}", found
            if inspect.isclass(found):
                for member, value in vars(found).items():
                    if not member.startswith("_"):
                        value = getattr(value, "__func__", value)
                        yield module.__name__, f"{module.__name__}.{name}.{member}", value
    room = f"{package.__name__}.Tensor"
    for member in dir(package.Tensor):
        if not member.startswith("_"):
            yield room, f"{room}.{member}", getattr(package.Tensor, member)


def sources_of(documentation: str) -> list[str]:
    """Returns the statements of the examples in a docstring."""
    try:
        parts = _PARSER.parse(documentation)
    except ValueError:
        return []
    return [part.source for part in parts if isinstance(part, doctest.Example)]


def extract(package: ModuleType) -> dict[str, dict[str, Any]]:
    """Returns the examples by name; one that several names share stands under the shortest."""
    found: dict[str, dict[str, Any]] = {}
    owner: dict[tuple[str, ...], str] = {}
    for room, name, value in public_objects(package):
        documentation = inspect.getdoc(value) or ""
        sources = tuple(sources_of(documentation)) if ">>>" in documentation else ()
        if not sources:
            continue
        earlier = owner.get(sources)
        if earlier is not None:
            if (earlier.count("."), len(earlier)) <= (name.count("."), len(name)):
                continue
            del found[earlier]
        owner[sources] = name
        found[name] = {"room": room, "sources": list(sources)}
    return found


def _reset(paddle: Any, seed: int) -> None:
    """Takes back what earlier examples may have set for the whole process."""
    paddle.disable_static()
    paddle.set_device("cpu")
    paddle.set_default_dtype("float32")
    paddle.set_grad_enabled(True)
    paddle.set_flags({"FLAGS_eager_delete_tensor_gb": 0.0})
    paddle.vision.set_image_backend("pil")
    paddle.set_printoptions(precision=8, threshold=1000, edgeitems=3, sci_mode=False, linewidth=80)
    np.set_printoptions(precision=8, threshold=1000, edgeitems=3, suppress=False, linewidth=75)
    for set_seed in (paddle.seed, np.random.seed, random.seed):
        set_seed(seed)


def run_example(paddle: Any, sources: list[str], seed: int) -> dict[str, Any]:
    """Runs the statements one by one; returns how it ended and what each printed."""
    printed: list[str] = []
    with contextlib.suppress(Exception):
        _reset(paddle, seed)
    names: dict[str, Any] = {"__name__": "__example__"}
    with paddle.utils.unique_name.guard(), contextlib.redirect_stderr(io.StringIO()):
        for index, source in enumerate(sources):
            if "+SKIP" in source or "+REQUIRES" in source:
                return {"status": "skipped", "printed": printed}
            buffer = io.StringIO()
            try:
                with contextlib.redirect_stdout(buffer):
                    exec(compile(source, f"<statement {index}>", "single"), names)
            except BaseException as error:
                message = f"{type(error).__name__}: {error}"[:400]
                message = f"statement {index} ({source.strip()[:120]}): {message}"
                return {"status": "error", "message": message, "printed": printed}
            printed.append(buffer.getvalue())
    return {"status": "ok", "printed": printed}


def example_handler(paddle: Any) -> Callable[[Any], dict[str, Any]]:
    """Returns the function that answers a task: all examples, or the run of one of them."""
    folder = os.getcwd()

    def handle(task: Any) -> dict[str, Any]:
        if task == "extract":
            return {"status": "ok", "examples": extract(paddle)}
        os.chdir(folder)
        return run_example(paddle, task["sources"], task["seed"])

    return handle
