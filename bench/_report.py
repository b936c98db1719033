"""Writes the results: a table between markers in RESULTS.md, JSON, and bars as SVG."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"
Record = Mapping[str, Any]


def shown(value: float, figure: str = "time") -> str:
    """A figure with its unit."""
    if figure == "memory":
        return f"{value / 1e6:.0f} MB"
    for limit, scale, unit in ((1e-3, 1e6, "µs"), (1.0, 1e3, "ms")):
        if value < limit:
            return f"{value * scale:.3g} {unit}"
    return f"{value:.2f} s"


def line(verdict: Record) -> str:
    """A ratio with its target in words."""
    word = "met" if verdict["met"] else "missed"
    return (
        f"{verdict['ours']} / {verdict['peer']}: {verdict['ratio']:.2f} "
        f"(target {verdict['limit']:g}: {word})"
    )


def table(records: Sequence[Record]) -> list[str]:
    """One row a target."""
    rows = [
        "| Workload | Proa | best peer | ratio | target |",
        "| --- | --- | --- | --- | --- |",
    ]
    for record in records:
        for verdict in record["verdicts"]:
            sides = []
            for name in (verdict["ours"], verdict["peer"]):
                figure = record["figures"].get(name)
                if figure is None:
                    sides.append(name)
                    continue
                text = shown(figure["median"], record["figure"])
                sides.append(f"{name} {text} ± {100 * figure['spread']:.0f} %")
            word = "met" if verdict["met"] else "**missed**"
            rows.append(
                f"| {record['name']} | {sides[0]} | {sides[1]} | {verdict['ratio']:.2f} "
                f"| ≤ {verdict['limit']:g}: {word} |"
            )
    return rows


def everything(records: Sequence[Record]) -> list[str]:
    """One row a workload, one column a contestant."""
    names = list(dict.fromkeys(name for record in records for name in record["figures"]))
    rows = [f"| Workload | {' | '.join(names)} |", "| --- |" + " --- |" * len(names)]
    for record in records:
        cells = []
        for name in names:
            figure = record["figures"].get(name)
            missing = "failed" if name in record["failed"] else ""
            cells.append(shown(figure["median"], record["figure"]) if figure else missing)
        rows.append(f"| {record['name']} ({record['about']}) | {' | '.join(cells)} |")
    return rows


def generated(about: Record, records: Sequence[Record]) -> str:
    """The part of RESULTS.md between the markers."""
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    parts = [
        f"{about['machine']}; {versions}; {about['rounds']} turns each, medians ± half the range "
        "between quartiles.",
        "",
        *table(records),
        "",
        "![Ratios to the best peer](results.svg)",
        "",
        *everything(records),
    ]
    notes = [
        f"- {record['name']}: {message}"
        for record in records
        for message in [*record["wrong"], *record["failed"].values()]
    ]
    if notes:
        parts += ["", "Losses that do not agree, and contestants that failed:", "", *notes]
    return "\n".join(parts)


def between(text: str, part: str) -> str:
    """`text` with what stands between the markers replaced; they are added where missing."""
    block = f"{BEGIN}\n{part}\n{END}"
    if (BEGIN in text) != (END in text):
        raise ValueError(f"one of the markers {BEGIN} and {END} is missing")
    if BEGIN not in text:
        return f"{text.rstrip()}\n\n## Training and overheads\n\n{block}\n"
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return head + block + tail


def bars(records: Sequence[Record]) -> str:
    """Ratios as bars, each with its target as a mark; they end at 3."""
    found = [(record["name"], verdict) for record in records for verdict in record["verdicts"]]
    left, scale, height = 330, 130.0, 22
    bottom = 46 + height * len(found)
    text = ['<g font-family="sans-serif" font-size="12" fill="#222">']
    text.append('<text x="12" y="18">Ratio to the best peer (shorter is better); | target</text>')
    for tick in (0.5, 1, 1.5, 2, 2.5, 3):
        x = left + scale * tick
        text.append(f'<path d="M{x:.1f} 28V{bottom - 12}" stroke="#ccc" fill="none"/>')
        text.append(f'<text x="{x - 8:.1f}" y="{bottom}" fill="#666">{tick:g}</text>')
    for number, (name, verdict) in enumerate(found):
        y = 32 + height * number
        width = scale * min(verdict["ratio"], 3.0)
        colour = "#2a7f62" if verdict["met"] else "#c4572e"
        label = escape(f"{name}: {verdict['ours'].removeprefix('proa ')} / {verdict['peer']}")
        mark = left + scale * min(verdict["limit"], 3.0)
        text.append(f'<text x="{left - 8}" y="{y + 12}" text-anchor="end">{label}</text>')
        text.append(f'<rect x="{left}" y="{y}" width="{width:.1f}" height="16" fill="{colour}"/>')
        text.append(f'<path d="M{mark:.1f} {y - 2}v20" stroke="#000" stroke-width="2"/>')
        end = max(left + width, mark) + 6
        text.append(f'<text x="{end:.1f}" y="{y + 12}">{verdict["ratio"]:.2f}</text>')
    size = f'width="800" height="{bottom + 12}" viewBox="0 0 800 {bottom + 12}"'
    back = '<rect width="100%" height="100%" fill="#fff"/>'
    body = "\n".join([*text, "</g>"])
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n{back}\n{body}\n</svg>\n'


def write(folder: Path, about: Record, records: Sequence[Record]) -> None:
    """Writes the three files."""
    results = folder / "RESULTS.md"
    text = results.read_text() if results.exists() else "# Results\n"
    results.write_text(between(text, generated(about, records)))
    whole = json.dumps({**about, "workloads": records}, indent=1, ensure_ascii=False)
    (folder / "results.json").write_text(whole + "\n")
    (folder / "results.svg").write_text(bars(records))
