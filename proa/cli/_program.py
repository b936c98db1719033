"""The commands `proa program show` and `proa program passes`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from proa.core import InvalidArgumentError
from proa.formats import ROLES, Artifact, read_model
from proa.framework import replace_file
from proa.program import (
    Line,
    Listing,
    Program,
    cost,
    default_sizes,
    draw_program,
    evaluate_dimension,
    format_program,
)
from proa.program.passes import PassReport, apply_passes, bind, short_number

program_app = typer.Typer(
    help="Look into a model file: its operations, and what passes make of them.",
    no_args_is_help=True,
)

_File = Annotated[str, typer.Argument(metavar="FILE", help="A .proa file, or another known model.")]
_Params = Annotated[
    str | None, typer.Option(help="The file of the weights, where they have their own.")
]
_Sizes = Annotated[
    list[str] | None,
    typer.Option("--size", help="Size of an unknown dimension for FLOPs and bytes: batch=8."),
]


@program_app.command()
def show(
    file: _File,
    params: _Params = None,
    svg: Annotated[Path | None, typer.Option(help="Draw a picture into this file.")] = None,
    full: Annotated[bool, typer.Option("--full", help="Show repeated layers each time.")] = False,
    size: _Sizes = None,
) -> None:
    """Print the operations of a model, and draw them with --svg."""
    artifact = read_model(file, params)
    sizes = _known_sizes(size, artifact)
    console = Console()
    for role, program in _programs(artifact):
        if console.is_terminal:
            console.print(listing_table(role, program, not full, sizes))
        else:
            print(f"{role}: {_summary(program, sizes)}")
            print(format_program(program, collapse=not full, where=True))
    if svg is not None:
        for role, program in _programs(artifact):
            target = svg if role == "main" else svg.with_stem(f"{svg.stem}-{role}")
            title = f"{Path(file).name}: {role}, {_summary(program, sizes)}"
            with replace_file(target) as temporary:
                temporary.write_text(draw_program(program, collapse=not full, title=title))
            print(f"drawn: {target}")


@program_app.command()
def passes(
    file: _File,
    params: _Params = None,
    only: Annotated[
        str | None, typer.Option(help="Names of passes or lists, with commas; 'inference' else.")
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Compare outputs on golden or random samples.")
    ] = False,
    size: _Sizes = None,
) -> None:
    """Print what each pass does to operations, FLOPs and bytes."""
    artifact = read_model(file, params)
    sizes = _known_sizes(size, artifact)
    chosen: Any = "inference"
    if only is not None:
        chosen = [name.strip() for name in only.split(",") if name.strip()]
    console = Console()
    for role, program in _programs(artifact):
        names = artifact.manifest["captures"][role]
        bound = bind(program, [artifact.weights[name] for name in names])
        samples = _samples(artifact, role, bound) if compare else None
        _, report = apply_passes(bound, chosen, samples=samples, sizes=sizes)
        if console.is_terminal:
            console.print(report_table(role, report))
        else:
            print(f"{role}:\n{report}")


def _programs(artifact: Artifact) -> list[tuple[str, Program]]:
    return [(role, artifact.programs[role]) for role in ROLES if role in artifact.programs]


def _known_sizes(given: list[str] | None, artifact: Artifact) -> dict[str, int]:
    sizes = parse_sizes(given)
    known = {name for _, program in _programs(artifact) for name in default_sizes(program)}
    unknown = sorted(set(sizes) - known)
    if unknown:
        raise InvalidArgumentError(
            f"--size names the dimension {unknown[0]!r}",
            expected="one of " + (", ".join(sorted(known)) or "none: all sizes are known"),
            fix="look at the inputs that `proa program show` prints",
        )
    return sizes


def parse_sizes(given: list[str] | None) -> dict[str, int]:
    """Reads sizes of unknown dimensions from options such as `batch=8`.

    Args:
        given: the options.

    Raises:
        InvalidArgumentError: no name and positive number.
    """
    found = {}
    for text in given or []:
        name, _, number = text.partition("=")
        if not number.strip().isdigit() or not int(number):
            raise InvalidArgumentError(
                f"--size {text}",
                expected="the name of a dimension and a positive number",
                fix="write --size batch=8",
            )
        found[name.strip()] = int(number)
    return found


def _summary(program: Program, sizes: dict[str, int]) -> str:
    made = cost(program, sizes)
    assumed = {**default_sizes(program), **sizes}
    stated = "".join(f", {name} = {size}" for name, size in sorted(assumed.items()))
    return (
        f"{made.ops} ops, {short_number(made.flops)} FLOPs, {short_number(made.bytes)}B moved, "
        f"{short_number(made.weights)}B of weights{stated}"
    )


def listing_table(role: str, program: Program, collapse: bool, sizes: dict[str, int]) -> Table:
    """Returns the operations of a Program as a table for a terminal.

    Args:
        role: what the Program is, for the title.
        program: the Program.
        collapse: whether repeated layers are shown once.
        sizes: of unknown dimensions, for the title.
    """
    table = Table(title=f"{role}: {_summary(program, sizes)}", title_justify="left")
    lines = Listing(program, collapse).lines
    has_places = any(line.where for line in lines)
    for head in ("result", "op", "inputs", "attributes", "gives"):
        table.add_column(head, overflow="fold")
    if has_places:
        table.add_column("where", overflow="fold")
    for line in lines:
        cells = _cells(line)
        table.add_row(*(cells if has_places else cells[:-1]))
    return table


def _cells(line: Line) -> list[str]:
    indent = "  " * line.depth
    if line.kind != "call":
        return [indent + escape(line.results), "", "", "", "", ""]
    plain = [", ".join(line.inputs), line.attributes, line.types, line.where]
    # A bracket in a shape is no markup.
    return [indent + line.results, f"[bold]{line.op}[/bold]", *map(escape, plain)]


def report_table(role: str, report: PassReport) -> Table:
    """Returns what passes did as a table for a terminal.

    Args:
        role: what the Program is, for the title.
        report: of `apply_passes`.
    """
    stated = ", ".join(f"{name} = {size}" for name, size in report.sizes.items())
    table = Table(title=role + (f" ({stated})" if stated else ""), title_justify="left")
    for head in ("pass", "ops", "FLOPs", "bytes", "time", "difference", "what it did"):
        table.add_column(head, overflow="fold")
    for row in report.rows():
        table.add_row(*row)
    return table


def _samples(artifact: Artifact, role: str, program: Program) -> list[list[np.ndarray]]:
    """Golden samples of the first Program, and random ones for the others."""
    if role == _programs(artifact)[0][0]:
        numbers = sorted({name.split("/")[0] for name in artifact.golden})
        found = [
            [artifact.golden[f"{number}/input/{i}"] for i in range(len(program.inputs))]
            for number in numbers
        ]
        if found:
            return found
    sizes = default_sizes(program)
    random = np.random.default_rng(0)
    return [
        [
            random.normal(size=[evaluate_dimension(e, sizes) for e in v.shape]).astype(v.dtype)
            for v in program.inputs
        ]
    ]
