"""`proa infer` and `proa bench`: a model from the command line."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from proa.core import InvalidArgumentError, ProaError
from proa.framework import replace_file
from proa.inference import (
    ENGINES,
    Config,
    create_predictor,
    measure_load,
    resident_bytes,
)

from ._inputs import ImageOptions, read_requests

_Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A .proa file, or a model of Paddle.")
]
_Params = Annotated[
    Path | None, typer.Option(help="The weights of a Paddle model, if named otherwise.")
]
_SHOWN = 8


def infer(
    model: _Model,
    inputs: Annotated[
        list[Path], typer.Argument(metavar="INPUT...", help=".npy, .npz, .json or image files.")
    ],
    params: _Params = None,
    size: Annotated[
        str | None, typer.Option(help="Resize images to HEIGHTxWIDTH, e.g. 224x224.")
    ] = None,
    mean: Annotated[
        str | None, typer.Option(help="Subtract from pixels of 0..1, e.g. 0.485,0.456,0.406.")
    ] = None,
    std: Annotated[
        str | None, typer.Option(help="Divide by after that, e.g. 0.229,0.224,0.225.")
    ] = None,
    bgr: Annotated[bool, typer.Option(help="Channels in the order blue, green, red.")] = False,
    engine: Annotated[str, typer.Option(help="xla, openvino, onnxruntime or auto.")] = "xla",
    out: Annotated[Path | None, typer.Option(help="Write all outputs to this .npz.")] = None,
) -> None:
    """Run a model on files and print what comes out."""
    config = Config(model, params)
    config.set_engine(engine)
    predictor = create_predictor(config)
    options = ImageOptions(_size(size), _numbers("--mean", mean), _numbers("--std", std), bgr)
    requests = read_requests(inputs, predictor.manifest["inputs"], options)
    names = predictor.get_output_names()
    table = Table("input", "output", "shape", "values", "ms", box=SIMPLE, pad_edge=False)
    kept: dict[str, np.ndarray] = {}
    for number, (label, arrays) in enumerate(requests):
        start = time.perf_counter()
        outputs = predictor.run(arrays)
        taken = f"{(time.perf_counter() - start) * 1e3:.1f}"
        for name, output in zip(names, outputs, strict=True):
            shape = f"{output.dtype} {list(output.shape)}"
            table.add_row(escape(label), escape(name), escape(shape), _describe(output), taken)
            kept[name if len(requests) == 1 else f"{number}/{name}"] = output
            label = taken = ""
    Console().print(table)
    if out is not None:
        target = out if out.suffix == ".npz" else out.with_name(out.name + ".npz")
        with replace_file(target) as temporary, temporary.open("wb") as file:
            np.savez(file, **kept)  # type: ignore[arg-type]
        print(f"outputs written to {target}")


def bench(
    model: _Model,
    inputs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[INPUT...]", help="Requests to measure with; else made up."),
    ] = None,
    params: _Params = None,
    shape: Annotated[
        list[str] | None,
        typer.Option(help="Shape of an input, NAME=1,3,224,224; may be given again."),
    ] = None,
    engine: Annotated[
        list[str] | None, typer.Option(help="Engines to measure; all installed by default.")
    ] = None,
    callers: Annotated[str, typer.Option(help="Numbers of threads that call at once.")] = "1,2,4",
    threads: Annotated[
        int | None, typer.Option(help="Threads of one run, for engines that take a number.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="Time of each measurement.")] = 2.0,
    as_json: Annotated[
        Path | None, typer.Option("--json", help="Write the figures to this file.")
    ] = None,
) -> None:
    """Measure latency, throughput and memory of a model on the engines that are installed."""
    counts = [int(count) for count in _numbers("--callers", callers) or ()]
    if not counts or min(counts) < 1:
        raise InvalidArgumentError(
            f"--callers {callers!r}", expected="numbers of 1 and more", fix="write 1,2,4"
        )
    results: dict[str, Any] = {}
    for name in engine or list(ENGINES):
        config = Config(model, params)
        _set_shapes(config, shape or [])
        results[name] = _measure(config, name, inputs or [], counts, threads, seconds)
    Console().print(_table(results))
    for name, found in results.items():
        if "reason" in found:
            Console().print(f"{name}: {found['reason']}", highlight=False, markup=False)
    if as_json is not None:
        with replace_file(as_json) as temporary:
            temporary.write_text(json.dumps({"model": str(model), "engines": results}, indent=2))


def _measure(
    config: Config,
    engine: str,
    inputs: Sequence[Path],
    counts: Sequence[int],
    threads: int | None,
    seconds: float,
) -> dict[str, Any]:
    try:
        config.set_engine(engine)
        if threads is not None:
            config.set_cpu_math_library_num_threads(threads)
        before, start = resident_bytes(), time.perf_counter()
        predictor = create_predictor(config)
        loaded = time.perf_counter()
    except ProaError as error:
        return {"reason": str(error)}
    if inputs:
        found = read_requests(inputs, predictor.manifest["inputs"], ImageOptions())
        requests = [arrays for _, arrays in found]
    else:
        requests = [predictor.sample_inputs()]
    first = time.perf_counter()
    predictor.run(requests[0])
    answered = time.perf_counter()
    loads = [
        measure_load(predictor.run, requests, callers=count, seconds=seconds).to_dict()
        for count in counts
    ]
    return {
        "load": loaded - start,
        "first": answered - first,
        "callers": loads,
        "memory": max(resident_bytes() - before, 0),
        "shapes": [[list(a.shape) for a in request] for request in requests],
    }


def _table(results: dict[str, Any]) -> Table:
    table = Table(box=SIMPLE, padding=(0, 1), pad_edge=False)
    headings = ("load s", "1st ms", "calls", "p50 ms", "p90 ms", "p99 ms", "runs/s", "MB")
    table.add_column("engine", no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right")
    for name, found in results.items():
        if "reason" in found:
            table.add_row(name, "-")
            continue
        head = [name, f"{found['load']:.2f}", f"{found['first'] * 1e3:.1f}"]
        tail = f"{found['memory'] / 2**20:.0f}"
        for load in found["callers"]:
            times = [f"{load[k] * 1e3:.2f}" for k in ("p50", "p90", "p99")]
            table.add_row(*head, str(load["callers"]), *times, _rate(load["throughput"]), tail)
            head, tail = ["", "", ""], ""
    return table


def _rate(number: float) -> str:
    return f"{number:.0f}" if number >= 100 else f"{number:.1f}"


def _set_shapes(config: Config, shapes: Sequence[str]) -> None:
    for text in shapes:
        name, _, sizes = text.rpartition("=")
        extents = [int(size) for size in _numbers("--shape", sizes) or ()]
        if not name:
            raise InvalidArgumentError(
                f"--shape {text!r}", expected="NAME=SIZES", fix="write --shape x=1,3,224,224"
            )
        config.set_input_range(name, extents, extents)


def _numbers(option: str, text: str | None) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError as error:
        raise InvalidArgumentError(
            f"{option} {text!r}", expected="numbers between commas", fix="write 0.5,0.5,0.5"
        ) from error


def _size(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    parts = text.lower().split("x")
    if len(parts) != 2 or not all(part.isdigit() and int(part) for part in parts):
        raise InvalidArgumentError(
            f"--size {text!r}", expected="HEIGHTxWIDTH", fix="write --size 224x224"
        )
    return int(parts[0]), int(parts[1])


def _describe(output: np.ndarray) -> str:
    """Few numbers as they are; of many the largest of a row, or the range."""
    if output.size <= _SHOWN:
        return escape(np.array2string(output, precision=5, separator=", "))
    if output.dtype.kind not in "fiu":
        return ""
    span = f"{output.min():.5g} to {output.max():.5g}, mean {output.mean():.5g}"
    if output.ndim == 2 and output.shape[0] == 1:
        best = np.argsort(-output[0], kind="stable")[:3]
        span += "; largest at " + ", ".join(f"{i} ({output[0, i]:.5g})" for i in best)
    return span
