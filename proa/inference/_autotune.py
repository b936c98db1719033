"""Choosing an engine by measuring, and keeping what was found."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from proa.core import InvalidArgumentError, NotWritableError, Tensor
from proa.framework import replace_file
from proa.jit._executables import digest_of, machine_fingerprint
from proa.version import full_version

from ._engines import ENGINES
from ._measure import Measurement, measure_engines
from ._prepare import Prepared, cache_folders, engine_options, native_passes, prepare
from ._samples import make_inputs


@dataclass(frozen=True)
class Choice:
    """The engine that was found to be the fastest.

    Attributes:
        engine: its name.
        measurement: times and differences of all engines.
        kept: the file that it was taken from, or was written to; `None` when nothing is kept.
        is_new: whether it was measured now.
        channels_last: whether XLA runs with the channels of images last.
    """

    engine: str
    measurement: Measurement
    kept: Path | None
    is_new: bool
    channels_last: bool = False

    def __str__(self) -> str:
        origin = "measured now" if self.is_new else f"measured before, kept in {self.kept}"
        lines = [f"engine {self.engine!r} ({origin})", *self.measurement.describe()]
        if self.channels_last:
            lines.append("XLA runs with the channels of images last, which is faster")
        return "\n".join(lines)


def autotune(
    config: Any, samples: Any, *, rounds: int = 7, seconds: float = 0.2, repeat: bool = False
) -> Choice:
    """Measures the engines on a Config's model, or takes what an earlier start has found.

    Args:
        config: the Config.
        samples: as for `Config.autotune`.
        rounds: times each engine takes its turn.
        seconds: time of one turn.
        repeat: measure also when a result is kept.
    """
    prepared = prepare(config, narrows=False)
    requests = _requests(prepared, config, samples)
    key = _key(prepared, config, requests)
    folders = cache_folders(config, prepared.digest)
    name = f"autotune-{digest_of(key)[:32]}.json"
    if not repeat:
        for folder in folders:
            found = _kept(folder / name, key)
            if found is not None:
                return found
    own = prepare(config, narrows=True)
    measurement = measure_engines(
        prepared.artifact,
        requests,
        # Without a store: what is compiled here is of several models.
        options=replace(
            engine_options(config, prepared, None), store=None, precision=config.precision
        ),
        rounds=rounds,
        seconds=seconds,
        narrowed=own.artifact if own.digest != prepared.digest else None,
    )
    last = measurement.best == "xla" and _prefers_channels_last(config, own, requests)
    facts = {"key": key, "measurement": measurement.to_dict(), "channels_last": last}
    kept = _keep(folders, name, facts)
    return Choice(measurement.best, measurement, kept, True, last)


def _prefers_channels_last(config: Any, own: Prepared, requests: list[list[Any]]) -> bool:
    """Measures both layouts with XLA, where there are images and nothing else decides."""
    calls = [call.op.name for p in own.artifact.programs.values() for call in p.calls]
    is_asked = config.ir_optim() and config.precision == "float32"
    if not is_asked or not {"conv2d", "conv2d_fused"} & {*calls}:
        return False
    builder = copy.deepcopy(config.pass_builder())
    builder.choose_layout(config.source.read(), requests[0], after=native_passes(config))
    return builder.channels_last


def _requests(prepared: Prepared, config: Any, samples: Any) -> list[list[Any]]:
    interface = prepared.interface
    if samples is None:
        golden = [inputs for inputs, _ in interface.golden_samples()]
        return golden or [make_inputs(interface, config.ranges)]
    if not isinstance(samples, Sequence) or not samples:
        raise InvalidArgumentError(
            f"`samples` is {type(samples).__name__}",
            expected="a list of requests, each a list with an array per input",
            fix="write samples=[[x]]",
        )
    made = []
    for sample in samples:
        given = sample if isinstance(sample, list | tuple) else [sample]
        arrays = [a._data if isinstance(a, Tensor) else np.asarray(a) for a in given]
        interface.check_inputs(arrays)
        made.append(arrays)
    return made


def _key(prepared: Prepared, config: Any, requests: list[list[Any]]) -> dict[str, Any]:
    engines = {n: e.version() for n, e in ENGINES.items() if e.unavailable() is None}
    return {
        "model": prepared.digest,
        "machine": machine_fingerprint(),
        "device": config.device,
        "proa": full_version,
        "engines": engines,
        "precision": config.precision,
        "threads": config.threads,
        "shapes": [[list(a.shape) for a in request] for request in requests],
    }


def _kept(path: Path, key: dict[str, Any]) -> Choice | None:
    """Reads a result; one that is damaged or of something else is measured anew."""
    try:
        content = json.loads(path.read_text())
        if content["key"] != json.loads(json.dumps(key)):
            return None
        measurement = Measurement.from_dict(content["measurement"])
        if measurement.best not in key["engines"]:
            return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return Choice(measurement.best, measurement, path, False, content["channels_last"] is True)


def _keep(folders: list[Path], name: str, content: dict[str, Any]) -> Path | None:
    for folder in folders:
        try:
            with replace_file(folder / name) as temporary:
                temporary.write_text(json.dumps(content, indent=2))
            return folder / name
        except NotWritableError:
            continue
    return None
