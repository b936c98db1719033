"""Compiles the kernels with the machine's own compiler, once per machine and version.

They are compiled where they run, against the headers of the installed jaxlib, so that neither
the processor nor XLA's interface can be another one than at build time.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jax
import jaxlib

SOURCES = (
    *("_convolution.cc", "_depthwise.cc", "_fused_convolution.cc", "_pointwise.cc"),
    *("_lstm.cc", "_winograd.cc"),
    *("_parallel.h", "_planes.h", "_pointwise.h", "_tiles.h", "_winograd.h"),
)
_OPTIONS = (
    *("-std=gnu++17", "-O3", "-march=native", "-ffp-contract=fast"),
    *("-DNDEBUG", "-fPIC", "-w"),
)
_COMPILERS = ("c++", "g++", "clang++")
#: Seconds; the kernels take about ten on two cores.
_LIMIT = 120.0


class BuildError(Exception):
    """The kernels could not be compiled; says why."""


def _compiler() -> str:
    wanted = os.environ.get("CXX")
    for name in (wanted,) if wanted else _COMPILERS:
        found = shutil.which(name)
        if found:
            return found
    raise BuildError("no C++ compiler (c++, g++, clang++, or CXX)")


def _processor() -> str:
    """What `-march=native` depends on."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    kinds = {line for line in lines if line.startswith(("flags", "Features", "model name"))}
    return "\n".join(sorted(kinds))


def build_key() -> str:
    """Returns what a built library belongs to, as a short hash."""
    digest = hashlib.sha256()
    for part in (jaxlib.version.__version__, platform.platform(), _processor(), *_OPTIONS):
        digest.update(part.encode() + b"\0")
    for name in SOURCES:
        digest.update((Path(__file__).parent / name).read_bytes())
    return digest.hexdigest()[:16]


def build(folder: Path) -> Path:
    """Returns the library in `folder`, compiling it if it is not there.

    It is compiled under a temporary name and moved, so that processes may do it at once.

    Raises:
        BuildError: no compiler, no place to write to, or the compiler failed.
    """
    target = folder / f"kernels-{build_key()}.so"
    if target.is_file():
        return target
    compiler = _compiler()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as place:
            _compile(compiler, Path(place)).replace(target)
    except (OSError, subprocess.SubprocessError) as error:
        raise BuildError(f"{type(error).__name__}: {error}") from error
    return target


def _compile(compiler: str, place: Path) -> Path:
    """Compiles the sources side by side, and links them."""
    here = Path(__file__).parent
    names = [name.removesuffix(".cc") for name in SOURCES if name.endswith(".cc")]
    how = [*_OPTIONS, f"-I{jax.ffi.include_dir()}"]
    commands = [
        [compiler, *how, "-c", str(here / f"{name}.cc"), "-o", str(place / f"{name}.o")]
        for name in names
    ]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for done in threads.map(_run, commands):
            _require(done, compiler)
    made = place / "kernels.so"
    objects = [str(place / f"{name}.o") for name in names]
    _require(_run([compiler, "-shared", "-o", str(made), *objects]), compiler)
    return made


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=_LIMIT, check=False)


def _require(done: subprocess.CompletedProcess[str], compiler: str) -> None:
    if done.returncode:
        raise BuildError(f"{compiler} failed: {done.stderr.strip()[:500]}")
