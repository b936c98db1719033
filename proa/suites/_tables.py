"""Results of checks as tables for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def _mark(passed: bool | None) -> str:
    if passed is None:
        return "[yellow]skipped[/yellow]"
    return "[green]ok[/green]" if passed else "[red]FAILED[/red]"


def check_table(items: Sequence[Any]) -> Any:
    """Returns the installation check as a table that `rich` prints.

    Args:
        items: what `proa.utils.check_installation` returns.
    """
    from rich.markup import escape
    from rich.table import Table

    table = Table(title="Installation check", title_justify="left")
    for heading in ("check", "found", "", "seconds"):
        justify = "right" if heading == "seconds" else "left"
        table.add_column(heading, justify=justify, overflow="fold")
    for item in items:
        found = escape(item.measured)
        if not item.passed:
            found += (
                f"\n[red]expected:[/red] {escape(item.expected)}\n[red]do:[/red] {escape(item.fix)}"
            )
        table.add_row(item.name, found, _mark(item.passed), f"{item.seconds:.2f}")
    return table


def verify_table(layers: Mapping[str, Sequence[Mapping[str, Any]]]) -> Any:
    """Returns the verification layers of a run as a table that `rich` prints.

    Args:
        layers: from a layer's name to its checks, as in a run's `run.json`.
    """
    from rich.markup import escape
    from rich.table import Table

    table = Table(title="Verification", title_justify="left")
    for heading in ("layer", "check", "measured", "expected", ""):
        table.add_column(heading, overflow="fold")
    for layer, items in layers.items():
        for number, item in enumerate(items):
            table.add_row(
                layer if number == 0 else "",
                escape(str(item["name"])),
                escape(str(item["measured"])),
                escape(str(item["expected"])),
                _mark(item["passed"]),
                end_section=number == len(items) - 1,
            )
    return table
