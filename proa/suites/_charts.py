"""Charts as inline SVG: lines, bars, a confusion matrix. Colours come from `report.css`."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ._scales import Scale, linear_scale, log_scale, number_text, tick_text, wants_log

_WIDTH, _HEIGHT = 480, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 66, 14, 14, 46
# Beyond this many points a curve is thinned; more would be closer together than a pixel.
_MOST_POINTS = 700
_MARKED_POINTS = 24


@dataclass(frozen=True, kw_only=True)
class Series:
    """One curve.

    Attributes:
        name: as the legend calls it.
        x: positions, ascending.
        y: values; NaN and Inf interrupt the curve.
        colour: index of its colour and dash pattern, so that a name keeps them in all charts.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    colour: int


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A value that curves should stay below.

    Attributes:
        value: the limit.
        until: last x for which it counts; `None` for all.
    """

    value: float
    until: float | None = None


def escape(text: object) -> str:
    """Text made safe for HTML, in attributes as well."""
    return html.escape(str(text), quote=True)


def line_chart(
    series: Sequence[Series],
    *,
    title: str,
    x_label: str,
    y_label: str,
    scale: str = "auto",
    percent: bool = False,
    limit: Limit | None = None,
) -> str:
    """Curves over each other, drawn so that equal curves stay visible.

    Args:
        series: the curves.
        title: what the chart shows, for readers that do not see it.
        x_label: name and unit of the horizontal axis.
        y_label: name and unit of the vertical axis.
        scale: `'linear'`, `'log'`, or `'auto'` for a logarithmic axis when positive values span a
            factor of 20. On a logarithmic axis zeros are drawn on the base line, marked `0`.
        percent: whether values are fractions to be labelled in percent.
        limit: a limit to draw.

    Returns:
        An SVG element with its legend, as HTML.
    """
    values = [value for item in series for value in item.y]
    log = scale == "log" or (scale == "auto" and wants_log(values))
    zeros = log and any(value <= 0 for value in values)
    reach = [*values, *([limit.value * 3] if limit else [])]
    # A lane at the foot keeps zeros, which a logarithmic axis cannot show, apart from the rest.
    foot = _HEIGHT - _BOTTOM - (22 if zeros else 0)
    make = log_scale if log else linear_scale
    y_scale = make(reach, start=foot, end=_TOP)
    positions = [value for item in series for value in item.x]
    x_scale = linear_scale(positions, start=_LEFT, end=_WIDTH - _RIGHT, tight=True)
    parts = [
        *_grid(x_scale, y_scale, percent=percent, zeros=zeros),
        *(_limit(limit, x_scale, y_scale) if limit else ()),
        *(part for item in series for part in _curve(item, x_scale, y_scale, zeros=zeros)),
        f'<text class="axis" x="{(_LEFT + _WIDTH - _RIGHT) / 2:.0f}" y="{_HEIGHT - 6}" '
        f'text-anchor="middle">{escape(x_label)}</text>',
        f'<text class="axis" x="14" y="{(_TOP + _HEIGHT - _BOTTOM) / 2:.0f}" text-anchor="middle" '
        f'transform="rotate(-90 14 {(_TOP + _HEIGHT - _BOTTOM) / 2:.0f})">{escape(y_label)}</text>',
    ]
    chart = _svg(_WIDTH, _HEIGHT, title, parts, "alone" if len(series) == 1 else "")
    return _legend(series, percent=percent) + chart


def _svg(width: float, height: float, title: str, parts: Sequence[str], css: str = "") -> str:
    return (
        f'<svg class="chart {css}" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{escape(title)}"><title>{escape(title)}</title>{"".join(parts)}</svg>'
    )


def _legend(series: Sequence[Series], *, percent: bool) -> str:
    items = []
    for item in series:
        last = next((value for value in reversed(item.y) if math.isfinite(value)), None)
        text = tick_text(last, percent=True) if percent and last is not None else number_text(last)
        items.append(
            f'<li><svg class="key" viewBox="0 0 34 10" aria-hidden="true"><path '
            f'class="line c{item.colour}" d="M2 5H32"/></svg>{escape(item.name)}'
            f"<b>{text}</b></li>"
        )
    alone = " alone" if len(series) == 1 else ""
    return f'<ul class="legend{alone}">{"".join(items)}</ul>'


def _grid(x_scale: Scale, y_scale: Scale, *, percent: bool, zeros: bool) -> Iterator[str]:
    base = _HEIGHT - _BOTTOM
    # One way of writing an axis: a single small tick makes powers of all.
    power = y_scale.log and min(y_scale.ticks) < 1e-4
    for tick in y_scale.ticks:
        y = y_scale(tick)
        yield f'<path class="grid" d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}"/>'
        text = tick_text(tick, percent=percent, power=power)
        yield f'<text class="tick" x="{_LEFT - 7}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
    if zeros:
        yield f'<text class="tick" x="{_LEFT - 7}" y="{base + 4}" text-anchor="end">0</text>'
    for tick in x_scale.ticks:
        x = x_scale(tick)
        yield f'<path class="grid" d="M{x:.1f} {_TOP}V{base}"/>'
        yield (
            f'<text class="tick" x="{x:.1f}" y="{base + 18}" text-anchor="middle">'
            f"{tick_text(tick)}</text>"
        )
    yield f'<path class="base" d="M{_LEFT} {base}H{_WIDTH - _RIGHT}"/>'


def _limit(limit: Limit, x_scale: Scale, y_scale: Scale) -> Iterator[str]:
    right = _WIDTH - _RIGHT
    end = x_scale(limit.until) if limit.until is not None else right
    y = y_scale(limit.value)
    yield (
        f'<rect class="beyond" x="{_LEFT}" y="{_TOP}" width="{end - _LEFT:.1f}" '
        f'height="{y - _TOP:.1f}"/><path class="limit" d="M{_LEFT} {y:.1f}H{right}"/>'
    )
    text = f"limit {tick_text(limit.value)}"
    if limit.until is not None:
        yield f'<path class="until" d="M{end:.1f} {_TOP}V{_HEIGHT - _BOTTOM}"/>'
        text += f" in the first {limit.until:g}"
    place = f'x="{right - 4}" y="{y - 6:.1f}" text-anchor="end"'
    yield f'<text class="limit-text" {place}>{text}</text>'


def _curve(item: Series, x_scale: Scale, y_scale: Scale, *, zeros: bool) -> Iterator[str]:
    base = _HEIGHT - _BOTTOM
    points = []
    for x, y in thinned(item.x, item.y):
        if not math.isfinite(y):
            points.append(None)
        elif y_scale.log and y <= 0:
            points.append((x_scale(x), base if zeros else y_scale.start, x, y))
        else:
            points.append((x_scale(x), y_scale(y), x, y))
    path, pen = [], "M"
    for point in points:
        if point is None:
            pen = "M"
            continue
        path.append(f"{pen}{point[0]:.1f} {point[1]:.1f}")
        pen = "L"
    yield f'<path class="line c{item.colour}" d="{"".join(path)}"/>'
    shown = [point for point in points if point is not None]
    if len(shown) <= _MARKED_POINTS:
        for left, top, x, y in shown:
            note = f"{item.name}: {number_text(float(y))} at {x:g}"
            yield (
                f'<circle class="point c{item.colour}" cx="{left:.1f}" cy="{top:.1f}" r="3.2">'
                f"<title>{escape(note)}</title></circle>"
            )


def thinned(x: Sequence[float], y: Sequence[float]) -> list[tuple[float, float]]:
    """At most about 700 points; the smallest and the largest of each stretch stay.

    Args:
        x: positions.
        y: values.
    """
    points = list(zip(x, y, strict=True))
    if len(points) <= _MOST_POINTS:
        return points
    stretch = math.ceil(len(points) / (_MOST_POINTS // 2))
    kept: list[tuple[float, float]] = []
    for start in range(0, len(points), stretch):
        part = points[start : start + stretch]
        broken = [point for point in part if not math.isfinite(point[1])]
        whole = [point for point in part if math.isfinite(point[1])]
        ends = {min(whole, key=_second), max(whole, key=_second)} if whole else set()
        kept += sorted({*ends, *broken[:1]})
    return kept


def _second(point: tuple[float, float]) -> float:
    return point[1]


def bar_chart(
    labels: Sequence[str],
    groups: Mapping[str, Sequence[float]],
    *,
    title: str,
    unit: str = "",
    colours: Sequence[int] | None = None,
) -> str:
    """Horizontal bars, one row a label, one bar a group in each row.

    Args:
        labels: names of the rows.
        groups: values of each group, one a row.
        title: what the chart shows, for readers that do not see it.
        unit: written after each value.
        colours: colour index of each group; by default in order.
    """
    bar, gap, left, width = 13, 12, 118, _WIDTH
    row = bar * len(groups) + gap
    most = max((value for values in groups.values() for value in values), default=0) or 1
    parts = []
    for position, label in enumerate(labels):
        top = position * row + gap / 2
        middle = top + bar * len(groups) / 2
        parts.append(
            f'<text class="label" x="{left - 8}" y="{middle + 4:.1f}" text-anchor="end">'
            f"{escape(_cut(label, 18))}</text>"
        )
        for index, (name, values) in enumerate(groups.items()):
            colour = colours[index] if colours else index
            length = max(1.5, (width - left - 74) * values[position] / most)
            y = top + index * bar
            text = f"{number_text(values[position])}{unit}"
            parts.append(
                f'<rect class="bar c{colour}" x="{left}" y="{y + 1:.1f}" width="{length:.1f}" '
                f'height="{bar - 2}" rx="2.5"><title>{escape(f"{label}, {name}: {text}")}</title>'
                f'</rect><text class="value" x="{left + length + 6:.1f}" y="{y + bar - 2.5:.1f}">'
                f"{escape(text)}</text>"
            )
    return _svg(width, max(row, row * len(labels)), title, parts)


def confusion_chart(matrix: Sequence[Sequence[int]], class_names: Sequence[str]) -> str:
    """A confusion matrix as a heat map: rows are true classes, columns predicted ones.

    The strength of a cell is its share of its row; hits and misses have colours of their own.

    Args:
        matrix: counts, `matrix[true][predicted]`.
        class_names: a name for each class.
    """
    count = len(class_names)
    cell = 44 if count <= 12 else max(6, 528 // count)
    numbers, named = count <= 20, count <= 40
    left, top = (104, 92) if named else (30, 30)
    parts = []
    for true, row in enumerate(matrix):
        total = sum(row) or 1
        for predicted, value in enumerate(row):
            x, y, share = left + predicted * cell, top + true * cell, value / total
            kind = "hit" if true == predicted else "miss"
            # A miss of a tenth must catch the eye as a hit of nine tenths does.
            strength = share if kind == "hit" else min(1.0, 3 * share)
            names = f"{class_names[true]} taken for {class_names[predicted]}"
            note = f"{names}: {value:,} of {total:,} ({share:.1%})"
            parts.append(
                f'<rect class="cell {kind}" x="{x}" y="{y}" width="{cell - 2}" '
                f'height="{cell - 2}" rx="4" style="fill-opacity:{0.04 + 0.96 * strength:.3f}">'
                f"<title>{escape(note)}</title></rect>"
            )
            if numbers and value:
                strong = " strong" if strength > 0.55 else ""
                parts.append(
                    f'<text class="count{strong}" x="{x + cell / 2 - 1:.1f}" '
                    f'y="{y + cell / 2 + 4:.1f}" text-anchor="middle">{value}</text>'
                )
    if named:
        parts += _class_labels(class_names, cell, left, top)
    side = count * cell
    parts.append(
        f'<text class="axis" x="14" y="{top + side / 2}" text-anchor="middle" '
        f'transform="rotate(-90 14 {top + side / 2})">true class</text>'
        f'<text class="axis" x="{left + side / 2}" y="14" text-anchor="middle">predicted class'
        "</text>"
    )
    return _svg(left + side + 34, top + side + 4, "Confusion matrix", parts, "matrix")


def _class_labels(names: Sequence[str], cell: int, left: int, top: int) -> Iterator[str]:
    for index, name in enumerate(names):
        middle = index * cell + cell / 2
        text = escape(_cut(name, 14))
        yield (
            f'<text class="label" x="{left - 8}" y="{top + middle + 4:.1f}" '
            f'text-anchor="end">{text}</text>'
        )
        x, y = left + middle - 2, top - 8
        turn = f"rotate(-40 {x:.1f} {y})"
        yield f'<text class="label" x="{x:.1f}" y="{y}" transform="{turn}">{text}</text>'


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
