"""From a Config to a model that an engine can load: reading, passes, cache folders."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proa.core import ArtifactError, NotWritableError, as_place, get_flags
from proa.formats import Artifact, read_artifact, write_artifact
from proa.jit import Interface
from proa.jit._executables import (
    ExecutableStore,
    digest_of,
    home_folder,
    mac_of,
    source_fingerprint,
    touch,
    trim_folder,
)
from proa.version import full_version

from ._engine import EngineOptions
from ._memory import MemoryBudget
from ._optimise import optimise
from ._source import file_digest


@dataclass(frozen=True)
class Prepared:
    """A model after its passes.

    Attributes:
        artifact: what an engine loads.
        interface: its inputs and outputs.
        digest: of the model's bytes and of what was done to them.
    """

    artifact: Artifact
    interface: Interface
    digest: str


def prepare(config: Any, *, narrows: bool | None = None) -> Prepared:
    """Reads a Config's model and applies its passes.

    Args:
        config: the Config.
        narrows: whether the Programs are those of XLA, which have the precision asked for and
            Proa's own kernels; by default with engine `xla`, while others have forms of their own.

    Raises:
        NotFoundError, ArtifactError: no file, or one that is not as it was written.
    """
    passes: list[Any] = config.pass_builder().all_passes() if config.ir_optim() else []
    if narrows is None:
        narrows = config.engine == "xla"
    if config.precision != "float32" and narrows:
        options = {"dtype": config.precision, "keep": tuple(sorted(config.kept_ops))}
        # Folding stores the weights narrow, instead of narrowing them in each run.
        passes += [("precision", options), "constant_folding"]
    elif passes and narrows:
        passes += native_passes(config)
    model = config.source.digest()
    facts = {"model": model, "passes": passes, "proa": full_version, "source": source_fingerprint()}
    digest = digest_of(facts)
    artifact = _kept(config, digest) if passes else None
    if artifact is None:
        artifact = config.source.read()
        if passes:
            artifact, reports = optimise(artifact, passes)
            artifact.manifest["reports"] = {role: str(report) for role, report in reports.items()}
            _keep(config, artifact, digest)
    config.pass_builder().tell(artifact.manifest.get("reports", {}))
    return Prepared(artifact, Interface(artifact), digest)


def native_passes(config: Any) -> list[str]:
    """Returns the passes that give ops to Proa's own kernels, for the engine `xla`."""
    is_on = get_flags()["FLAGS_native_kernels"]
    fits = is_on and as_place(config.device).device.platform == "cpu"
    return ["native_convolutions", "native_lstm"] if fits else []


def _kept(config: Any, digest: str) -> Artifact | None:
    """Reads the model after its passes, if an earlier start of this user has kept it."""
    for folder in cache_folders(config, digest):
        for path in folder.glob(f"passed-{digest[:32]}-*.proa"):
            # The file's own digest, which reading it checks, under the user's secret.
            mac = mac_of(file_digest(path).hex())
            if mac is None or path.stem.rpartition("-")[2] != mac[:32]:
                continue
            try:
                with ThreadPoolExecutor(1) as other:
                    # The model itself must still be what it was: looked at meanwhile.
                    checked = other.submit(config.source.check)
                    found = read_artifact(path)
                    checked.result()
            except ArtifactError:
                continue
            touch(path)
            return found
    return None


def _keep(config: Any, artifact: Artifact, digest: str) -> None:
    constants = [a for p in artifact.programs.values() for a in p.constants.values()]
    size = sum(array.nbytes for array in [*artifact.weights.values(), *constants])
    if size > config.cache_limit // 2:
        return
    for folder in cache_folders(config, digest):
        try:
            path = write_artifact(artifact, folder / f"passed-{digest[:32]}-new.{os.getpid()}.proa")
        except NotWritableError:
            continue
        mac = mac_of(file_digest(path).hex())
        if mac is None:
            path.unlink()
            return
        final = path.with_name(f"passed-{digest[:32]}-{mac[:32]}.proa")
        os.replace(path, final)
        trim_folder(final, config.cache_limit)
        return


def cache_folders(config: Any, digest: str) -> list[Path]:
    """Returns where a Config keeps things for the next start, in the order to try."""
    if config.cache_folder is None or not get_flags()["FLAGS_compile_cache"]:
        return []
    if config.cache_folder != "beside":
        return [Path(config.cache_folder)]
    home = home_folder()
    own = [] if home is None else [home / "models" / digest[:32]]
    beside = config.source.cache_folder
    return own if beside is None else [beside, *own]


def engine_options(config: Any, prepared: Prepared, budget: MemoryBudget | None) -> EngineOptions:
    """Returns what a Config asks of its engine."""
    device = as_place(config.device).device
    folders = cache_folders(config, prepared.digest)
    store = ExecutableStore(folders, prepared.digest, config.cache_limit, device)
    return EngineOptions(
        threads=config.threads,
        # For XLA it is a matter of the Programs.
        precision="float32" if config.engine == "xla" else config.precision,
        max_variants=config.max_variants,
        device=device,
        store=store if folders else None,
        budget=budget,
    )
