"""The report of a run: one HTML file that needs nothing else, made to be looked at."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from proa.core._errors import InvalidTypeError, NotFoundError

from ._charts import escape
from ._report_sections import (
    confusion_section,
    curves_section,
    data_section,
    layer_tables,
    lineage_section,
    mark,
    samples_section,
    steps_section,
)
from ._run_record import accuracy_of, comparison_of, layers_of, need, plural, run_verdict, state_of
from ._scales import digits_text, number_text, tick_text

_STYLE = Path(__file__).with_name("report.css")
_SAILS = (
    '<svg viewBox="0 0 48 48" aria-hidden="true"><path d="M4 33c9 6 31 6 40 0-4 8-10 9-20 9S8 41 4 '
    '33z" fill="#f2fbfd"/><path d="M22 5c11 5 17 14 19 24-7-3-13-3-19 0z" fill="#ffd8a8"/>'
    '<path d="M19 9c0 8-3 15-10 20 4-1 7-1 10 0z" fill="#c5f6fa"/></svg>'
)


def render_report(run: Mapping[str, Any]) -> str:
    """Renders a run as one self-contained HTML page.

    Everything is inside the page: style, charts as SVG, images as data URIs. It makes no request,
    follows the reader's light or dark setting, and fits a phone.

    Args:
        run: what happened, as JSON knows it; every entry but `layers` may be missing and its
            section is then left out.

            - `title`, `subtitle`, `started`: text.
            - `seconds`: duration of the whole run.
            - `headline`: list of `{"name", "value", "note"}`, the tiles below the title; by default
              accuracy, difference to one device, checks and duration, as far as they are known.
            - `curves`: from a key to `{"title", "x_label", "y_label", "scale", "percent",
              "series"}`; `scale` is `"auto"`, `"linear"` or `"log"`; `series` is a list of
              `{"name", "x", "y"}`. A name keeps its colour in all charts.
            - `comparison`: `{"curve", "reference", "limit", "num_steps"}`: draws the relative
              difference of each other series of that curve to the reference, with the limit for
              the first `num_steps`.
            - `confusion`: `{"class_names", "matrix"}`, counts as `matrix[true][predicted]`.
            - `samples`: list of `{"image", "true", "predicted", "confidence"}`; an image is an
              array of 0..255, `[height, width]` or `[height, width, 3]`, or a `data:` URI.
            - `data`: `DataReport.to_dict()`.
            - `steps`: list of `{"name", "seconds", "note"}`, in their order.
            - `layers`: from a name of `LAYERS` to a list of `{"name", "measured", "expected",
              "passed", "note"}`; `passed` is `None` for a check that was skipped.
            - `lineage`: from a heading to a dict of facts, or to a list of commands.

    Returns:
        The page. Its verdict is a pass when each of the five layers has a check that passed and
        none that failed.

    Raises:
        InvalidArgumentError: an entry is missing where it is needed, or sizes do not fit; the
            message names it.
        InvalidTypeError: `run` is no mapping.

    Example:
        >>> from proa.suites import render_report
        >>> check = {"name": "accuracy", "measured": 0.87, "expected": ">= 0.85", "passed": True}
        >>> page = render_report({"title": "A run", "layers": {"training": [check]}})
        >>> page.startswith("<!doctype html>"), "4 layers were not checked" in page
        (True, True)
    """
    if not isinstance(run, Mapping):
        raise InvalidTypeError(
            f"`run` is a {type(run).__name__}",
            expected="a dict with the entries that render_report describes",
            fix="pass the content of the run folder's run.json",
        )
    layers = layers_of(run)
    comparison = comparison_of(run)
    title = escape(run.get("title", "Proa run"))
    sections = [
        curves_section(run, comparison),
        confusion_section(run),
        samples_section(run),
        data_section(run),
        steps_section(run),
        layer_tables(layers),
        lineage_section(run),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE.read_text(encoding='utf-8')}</style></head><body>"
        f"{_header(run, title)}<main>{_tiles(run, layers, comparison)}{_strip(layers)}"
        f"{''.join(sections)}</main>"
        "<footer>Made by Proa. This page is complete in itself: it loads nothing.</footer>"
        "</body></html>\n"
    )


def write_report(run: Mapping[str, Any], path: str | Path) -> Path:
    """Renders a run into a file, which is there whole or not at all.

    Args:
        run: what `render_report` takes.
        path: the HTML file; its folder must exist.

    Returns:
        The path.

    Raises:
        InvalidArgumentError: as `render_report`.
        NotFoundError: the folder is not there.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise NotFoundError(
            f"there is no folder {str(path.parent)!r}",
            expected="an existing folder for the report",
            fix="make the folder first, or correct the path",
        )
    page = render_report(run)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(page, encoding="utf-8")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return path


def _header(run: Mapping[str, Any], title: str) -> str:
    passed, text = run_verdict(run)
    state = "pass" if passed else "fail"
    facts = [str(run[key]) for key in ("subtitle", "started") if run.get(key)]
    return (
        f'<header><div class="inner"><div class="brand">{_SAILS}Proa</div><h1>{title}</h1>'
        f'<p class="subtitle">{escape(" · ".join(facts))}</p>'
        f'<div class="verdict {state}">{mark(state, "")}{escape(text)}</div></div></header>'
    )


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def _tiles(
    run: Mapping[str, Any], layers: Mapping[str, Any], comparison: Mapping[str, Any] | None
) -> str:
    tiles = run.get("headline")
    if tiles is None:
        tiles = []
        if (accuracy := accuracy_of(run)) is not None:
            total = sum(map(sum, run["confusion"]["matrix"]))
            note = f"on {total:,} test images"
            tiles.append({"name": "Test accuracy", "value": f"{accuracy:.1%}", "note": note})
        if comparison and comparison["largest"]:
            largest = max(comparison["largest"].values())
            note = f"limit {tick_text(comparison['limit'])}"
            value = "none" if largest == 0 else digits_text(largest)
            tiles.append({"name": "Parallel difference", "value": value, "note": note})
        checks = [check for items in layers.values() for check in items]
        passed = sum(check["passed"] is True for check in checks)
        skipped = sum(check["passed"] is None for check in checks)
        note = f"{skipped} skipped" if skipped else "none skipped"
        value = f"{passed} of {len(checks) - skipped}"
        tiles.append({"name": "Checks passed", "value": value, "note": note})
        if run.get("seconds") is not None:
            note = plural(len(run.get("steps", ())), "step")
            tiles.append({"name": "Duration", "value": _duration(run["seconds"]), "note": note})
    return (
        '<div class="tiles">'
        + "".join(
            f'<div class="tile"><div class="name">{escape(need(tile, "name", "headline"))}</div>'
            f'<div class="big">{escape(number_text(need(tile, "value", "headline")))}</div>'
            f'<div class="note">{escape(tile.get("note", ""))}</div></div>'
            for tile in tiles
        )
        + "</div>"
    )


def _strip(layers: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    items = (
        f'<li><a class="{state_of(checks)}" href="#layer-{name}">{mark(state_of(checks))}'
        f"{name.capitalize()}</a></li>"
        for name, checks in layers.items()
    )
    return f'<ul class="strip">{"".join(items)}</ul>'
