"""The `proa` command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from proa import distributed
from proa.core import NotWritableError, ProaError
from proa.suites import check_table, verify_table
from proa.suites.tour import run_tour, verify_run
from proa.utils import check_installation
from proa.version import full_version

from ._convert import convert
from ._infer import bench, infer
from ._program import program_app
from ._serve import serve

app = typer.Typer(
    help="Proa: define, train, parallelise, export and verify a model in one system.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(program_app, name="program")
app.command()(infer)
app.command()(bench)
app.command()(convert)
app.command()(serve)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"proa {full_version}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Proa: define, train, parallelise, export and verify a model in one system."""


@app.command()
def check() -> None:
    """Check interpreter, versions, devices, libraries, one op, one gradient, one compiled step."""
    items = check_installation()
    Console().print(check_table(items))
    if not all(item.passed for item in items):
        raise typer.Exit(1)


@app.command(
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "help_option_names": [],
    }
)
def launch(context: typer.Context) -> None:
    """Start a script in several processes that work together; see `proa launch --help`."""
    raise typer.Exit(distributed.launch(context.args))


@app.command()
def tour(
    out: Annotated[
        Path | None, typer.Option(help="Run folder; runs/tour-<date>-<time> by default.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of weights, order and dropout.")] = 0,
    data: Annotated[
        str | None,
        typer.Option(help="Folder with the Fashion-MNIST files, or 'bundled' for the subset."),
    ] = None,
) -> None:
    """Carry a real data set from the first check to a verified, exported model."""
    if not run_tour(out, seed=seed, data=data, console=Console()):
        raise typer.Exit(1)


@app.command()
def verify(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A folder that `proa tour` wrote.")],
) -> None:
    """Repeat the verification of a run folder; the exit code says whether it holds."""
    console = Console()
    layers = verify_run(run)
    console.print(verify_table(layers))
    failed = [
        f"{item['name']} ({layer})"
        for layer, items in layers.items()
        for item in items
        if item["passed"] is False
    ]
    if failed:
        names = ", ".join(failed)
        console.print(f"[red]The run does not hold. Failed: {names}[/red]", highlight=False)
        raise typer.Exit(1)
    console.print("[green]The run holds.[/green]")


def main() -> None:
    """Runs the command line; what a user can mend is printed without a traceback."""
    try:
        app()
    except ProaError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        advice = "look at the permissions of that place, and at the space that is left on it"
        told = NotWritableError(str(error), expected="a place to read and write", fix=advice)
        print(f"Error: {told}", file=sys.stderr)
        sys.exit(2)
