"""The first check: is this installation able to compute, differentiate and compile?"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import jax
import numpy as np

from proa.core import PreconditionError, available_devices, grad, to_tensor
from proa.native import describe_huge_pages, describe_kernels
from proa.program import recording, verify
from proa.version import full_version

_PACKAGES = ("jax", "jaxlib", "numpy", "ml_dtypes", "safetensors")
_LIBRARIES = ("jaxlib", "xla_", "libtpu", "libcuda", "libcudnn", "libnccl", "librocm", "plugin")


@dataclass(frozen=True, kw_only=True)
class CheckItem:
    """One thing that was checked.

    Attributes:
        name: what was checked.
        measured: what was found.
        expected: what had to be found.
        passed: whether it was.
        fix: what to do if not.
        seconds: how long it took.
    """

    name: str
    measured: str
    expected: str
    passed: bool
    fix: str = ""
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields as plain data."""
        return asdict(self)


def _interpreter() -> tuple[str, bool]:
    return f"Python {platform.python_version()} ({sys.executable})", sys.version_info >= (3, 11)


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def _versions() -> tuple[str, bool]:
    found = {name: _version_of(name) for name in _PACKAGES}
    text = f"proa {full_version}, " + ", ".join(f"{n} {v}" for n, v in found.items())
    matching = found["jax"].split(".")[:2] == found["jaxlib"].split(".")[:2]
    return text, matching and "missing" not in found.values()


def _devices() -> tuple[str, bool]:
    return ", ".join(f"{d.platform}:{d.id} ({d.device_kind})" for d in jax.devices()), True


def loaded_libraries() -> list[str]:
    """Returns the compiler and device libraries in this process, with their files."""
    maps = Path("/proc/self/maps")
    if not maps.exists():
        return [str(Path(jax.lib.__file__).parent)]
    files = {line.split(maxsplit=5)[-1].strip() for line in maps.read_text().splitlines()}
    wanted = [f for f in files if ".so" in f and any(name in f for name in _LIBRARIES)]
    return sorted(f for f in wanted if "mosaic" not in Path(f).name)


def _libraries() -> tuple[str, bool]:
    found = loaded_libraries()
    large = sorted(found, key=lambda f: -Path(f).stat().st_size if Path(f).exists() else 0)[:3]
    if not large:
        return "none found", False
    folder = os.path.commonpath([Path(f).parent for f in large])
    return f"{', '.join(os.path.relpath(f, folder) for f in large)} in {folder}", True


def _kernels() -> tuple[str, bool]:
    return describe_kernels(), True


def _huge_pages() -> tuple[str, bool]:
    return describe_huge_pages(), True


def _op() -> tuple[str, bool]:
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    got = (to_tensor(a) @ to_tensor(a.T)).numpy()  # type: ignore[operator]
    return f"matmul [2, 3] @ [3, 2] = {got.tolist()}", np.array_equal(got, a @ a.T)


def _gradient() -> tuple[str, bool]:
    x = to_tensor(3.0, stop_gradient=False)
    (first,) = grad(x * x * x, x, create_graph=True)  # type: ignore[operator]
    (second,) = grad(first, x)
    return f"x^3 at 3: {float(first):g}, {float(second):g}", (float(first), float(second)) == (
        27,
        18,
    )


def _compiled_step() -> tuple[str, bool]:
    x = np.array([[1, 2]], np.float32)
    w = np.array([[0.5], [-1]], np.float32)

    def loss_of(inputs: Any, weight: Any) -> Any:
        error = inputs @ weight - 1.0
        return (error * error).mean()

    weight = to_tensor(w, stop_gradient=False)
    (eager,) = grad(loss_of(to_tensor(x), weight), weight)
    with recording() as recorder:
        inputs = recorder.add_input(x.shape, x.dtype, "x")
        traced = recorder.add_input(w.shape, w.dtype, "w")
        traced.stop_gradient = False
        (step,) = grad(loss_of(inputs, traced), traced)
        program, _ = recorder.finish([step])
    verify(program)
    compiled = np.asarray(jax.jit(program.function())(x, w)[0])
    largest = float(np.abs(compiled - eager.numpy()).max())
    return f"{len(program.calls)} ops, largest difference to eager {largest:.2g}", largest <= 1e-6


_CHECKS: tuple[tuple[str, Callable[[], tuple[str, bool]], str, str], ...] = (
    ("interpreter", _interpreter, "Python 3.11 or newer", "make the environment with a newer one"),
    (
        "versions",
        _versions,
        "jax and jaxlib of one release, nothing missing",
        "make the environment anew: `make clean tour` in the clone of Proa",
    ),
    ("devices", _devices, "at least one device", "pip install jax for your accelerator"),
    (
        "libraries",
        _libraries,
        "the compiler's library, from this environment",
        "pip install --force-reinstall jaxlib",
    ),
    ("native kernels", _kernels, "a library, or XLA's own code", "install a C++ compiler"),
    ("huge pages", _huge_pages, "on, for convolutions; or off", "set GLIBC_TUNABLES as told"),
    ("one op", _op, "[[5.0, 14.0], [14.0, 50.0]]", "reinstall jaxlib; report it if it stays"),
    ("one gradient", _gradient, "27, 18", "reinstall jaxlib; report it if it stays"),
    (
        "one compiled step",
        _compiled_step,
        "difference <= 1e-06",
        "delete the compile cache, ~/.cache/proa/xla (FLAGS_compile_cache_dir)",
    ),
)


def check_installation() -> list[CheckItem]:
    """Checks interpreter, versions, devices, libraries, an op, a gradient, a compiled step.

    Returns:
        One item per check; a check that raises is an item that failed, with the error.
    """
    items = []
    for name, check, expected, fix in _CHECKS:
        start = time.perf_counter()
        try:
            measured, passed = check()
        except Exception as error:
            measured, passed = f"{type(error).__name__}: {error}", False
        seconds = time.perf_counter() - start
        items.append(
            CheckItem(
                name=name,
                measured=measured,
                expected=expected,
                passed=bool(passed),
                fix="" if passed else fix,
                seconds=seconds,
            )
        )
    return items


def run_check() -> None:
    """Prints whether this installation works.

    Raises:
        PreconditionError: a check failed; the message says which, and what to do.
    """
    items = check_installation()
    for item in items:
        print(f"{'ok  ' if item.passed else 'FAIL'} {item.name}: {item.measured}")
    failed = [item for item in items if not item.passed]
    if failed:
        first = failed[0]
        raise PreconditionError(
            f"check {first.name!r} found: {first.measured}", expected=first.expected, fix=first.fix
        )
    count = len(jax.devices())
    print(f"Proa works on this machine: {count} device(s), {', '.join(available_devices())}.")
