"""Charts put values where their axes say, and hide nothing."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree

import pytest

from proa.suites._charts import (
    Limit,
    Series,
    bar_chart,
    confusion_chart,
    escape,
    line_chart,
    thinned,
)

LEFT, RIGHT, TOP, BASE = 66, 466, 14, 254


def _chart(*series: Series, **options: object) -> ElementTree.Element:
    labels = {"title": "t", "x_label": "step", "y_label": "loss", **options}
    return ElementTree.fromstring(f"<div>{line_chart(series, **labels)}</div>")


def _series(y: list[float], *, name: str = "a", colour: int = 0) -> Series:
    return Series(name=name, x=list(range(len(y))), y=y, colour=colour)


def _texts(element: ElementTree.Element, css: str) -> list[str]:
    return [item.text for item in element.iter("text") if css in item.get("class", "").split()]


def _paths(element: ElementTree.Element) -> list[str]:
    return [
        item.get("d") for item in element[1].iter("path") if "line" in item.get("class").split()
    ]


def test_a_curve_runs_from_corner_to_corner() -> None:
    chart = _chart(_series([0.0, 1.0, 2.0]))
    assert _paths(chart) == [f"M{LEFT}.0 {BASE}.0L266.0 134.0L{RIGHT}.0 {TOP}.0"]
    assert _texts(chart, "tick")[:5] == ["0", "0.5", "1", "1.5", "2"]
    assert _texts(chart, "axis") == ["step", "loss"]


def test_the_legend_names_curves_and_their_ends() -> None:
    chart = _chart(_series([0.0, 1.0, 0.31234]), _series([1.0, math.nan], name="b <i>", colour=1))
    assert ["".join(item.itertext()) for item in chart[0].iter("li")] == ["a0.3123", "b <i>1"]
    chart = _chart(_series([0.5, 0.875]), percent=True)
    assert "".join(chart[0].itertext()) == "a87.5 %"
    assert "50 %" in _texts(chart, "tick")


def test_few_points_are_marked_and_many_are_not() -> None:
    points = list(_chart(_series([1.0, 2.0])).iter("circle"))
    assert [item.find("title").text for item in points] == ["a: 1 at 0", "a: 2 at 1"]
    assert not list(_chart(_series([float(v) for v in range(50)])).iter("circle"))


def test_what_is_not_finite_interrupts_a_curve() -> None:
    path = _paths(_chart(_series([1.0, 2.0, math.nan, 1.0, math.inf, 1.5])))[0]
    assert re.sub(r"[\d. ]+", "", path) == "MLMM"


def test_zeros_have_a_lane_of_their_own_on_a_log_axis() -> None:
    chart = _chart(_series([0.0, 1e-8, 1e-6]), scale="log")
    assert _paths(chart) == [f"M{LEFT}.0 {BASE}.0L266.0 232.0L{RIGHT}.0 {TOP}.0"]
    assert _texts(chart, "tick")[:4] == ["10⁻⁸", "10⁻⁷", "10⁻⁶", "0"]


def test_the_axis_is_chosen_by_the_span() -> None:
    assert _texts(_chart(_series([0.01, 10.0])), "tick")[:4] == ["0.01", "0.1", "1", "10"]
    assert _texts(_chart(_series([0.01, 10.0]), scale="linear"), "tick")[0] == "0"


def test_a_limit_is_always_in_sight() -> None:
    limit = Limit(value=1e-5, until=50)
    curve = Series(name="a", x=[0, 100], y=[1e-9, 1e-8], colour=1)
    chart = _chart(curve, scale="log", limit=limit)
    (line,) = (item for item in chart.iter("path") if item.get("class") == "limit")
    assert line.get("d") == f"M{LEFT} 62.0H{RIGHT}"
    (area,) = (item for item in chart.iter("rect") if item.get("class") == "beyond")
    assert (area.get("width"), area.get("height")) == ("200.0", "48.0")
    assert _texts(chart, "limit-text") == ["limit 10⁻⁵ in the first 50"]
    assert _texts(_chart(curve, scale="log", limit=Limit(value=1e-5)), "limit-text") == [
        "limit 10⁻⁵"
    ]


@pytest.mark.parametrize("y", [[], [1.0], [0.0, 0.0], [math.nan]])
def test_odd_curves_are_drawn(y: list[float]) -> None:
    for scale in ("auto", "log", "linear"):
        assert (
            "nan" not in ElementTree.tostring(_chart(_series(y), scale=scale)[1]).decode().lower()
        )


def test_thinning_keeps_extremes() -> None:
    y = [math.sin(position / 300) for position in range(10_000)]
    y[5000], y[7000], y[9000] = 50.0, -50.0, math.nan
    points = thinned(list(range(10_000)), y)
    assert len(points) <= 1050
    assert {(5000, 50.0), (7000, -50.0)} <= set(points)
    assert any(math.isnan(value) for _, value in points)
    assert [x for x, _ in points] == sorted(x for x, _ in points)
    assert thinned([1, 2], [3.0, 4.0]) == [(1, 3.0), (2, 4.0)]


def test_bars_are_as_long_as_their_values() -> None:
    svg = ElementTree.fromstring(
        bar_chart(["a", "b"], {"x": [10, 5], "y": [0, 2.5]}, title="t", unit=" s")
    )
    widths = [float(item.get("width")) for item in svg.iter("rect")]
    assert widths == [288.0, 1.5, 144.0, 72.0]
    assert _texts(svg, "value") == ["10 s", "0 s", "5 s", "2.5 s"]
    assert [item.text for item in svg.iter("title")][1:3] == ["a, x: 10 s", "a, y: 0 s"]


def test_a_confusion_matrix() -> None:
    svg = ElementTree.fromstring(confusion_chart([[8, 2], [0, 4]], ["cat", "a<b"]))
    cells = list(svg.iter("rect"))
    assert [item.get("class") for item in cells] == ["cell hit", "cell miss"] + [
        "cell miss",
        "cell hit",
    ]
    strengths = [item.get("style").removeprefix("fill-opacity:") for item in cells]
    assert strengths == ["0.808", "0.616", "0.040", "1.000"]
    notes = [item.find("title").text for item in cells]
    assert notes[1] == "cat taken for a<b: 2 of 10 (20.0%)"
    assert _texts(svg, "count") == ["8", "2", "4"]
    assert _texts(svg, "label") == ["cat", "cat", "a<b", "a<b"]


@pytest.mark.parametrize(("count", "numbers", "labels"), [(20, 20, 40), (21, 0, 42), (100, 0, 0)])
def test_a_large_confusion_matrix_leaves_text_out(count: int, numbers: int, labels: int) -> None:
    matrix = [[int(i == j) for j in range(count)] for i in range(count)]
    svg = ElementTree.fromstring(confusion_chart(matrix, [f"class {i}" for i in range(count)]))
    assert len(_texts(svg, "count")) == numbers
    assert len(_texts(svg, "label")) == labels


def test_escape() -> None:
    assert escape('<a href="x">&\'') == "&lt;a href=&quot;x&quot;&gt;&amp;&#x27;"
