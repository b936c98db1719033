"""Axes end at round numbers, positions follow, and numbers read well."""

from __future__ import annotations

import math

import pytest

from proa.suites._scales import (
    digits_text,
    linear_scale,
    log_scale,
    number_text,
    tick_text,
    wants_log,
)

LINEAR = {
    (0.3, 2.4): (0.0, 0.5, 1.0, 1.5, 2.0, 2.5),
    (0, 10): (0, 2, 4, 6, 8, 10),
    (0.712, 0.911): (0.7, 0.75, 0.8, 0.85, 0.9, 0.95),
    (-3, 4): (-4, -2, 0, 2, 4),
    (5, 5): (4.4, 4.6, 4.8, 5.0, 5.2, 5.4, 5.6),
    (0, 0): (-0.1, -0.05, 0, 0.05, 0.1),
    (math.nan, 1, 3, math.inf): (1, 1.5, 2, 2.5, 3),
    (): (0, 0.2, 0.4, 0.6, 0.8, 1),
}


@pytest.mark.parametrize("values", LINEAR)
def test_linear_ticks(values: tuple[float, ...]) -> None:
    scale = linear_scale(values, start=0, end=100)
    assert scale.ticks == pytest.approx(LINEAR[values])
    assert (scale.low, scale.high) == (scale.ticks[0], scale.ticks[-1])


def test_a_tight_axis_ends_at_the_values() -> None:
    scale = linear_scale([1, 750], start=10, end=110, tight=True)
    assert (scale.low, scale.high, scale.ticks) == (1, 750, (200, 400, 600))


LOG = {
    (1e-9, 4e-6): tuple(10.0**power for power in range(-9, -4)),
    (0.03, 2.4): (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5),
    (1e-12, 1e12): (1e-12, 1e-8, 1e-4, 1, 1e4, 1e8, 1e12),
    (1, 1): (0.1, 1, 10),
    (0, -3): (0.1, 0.2, 0.5, 1),
}


@pytest.mark.parametrize("values", LOG)
def test_log_ticks(values: tuple[float, ...]) -> None:
    scale = log_scale(values, start=0, end=100)
    assert scale.ticks == pytest.approx(LOG[values])
    positive = [value for value in values if value > 0]
    assert all(scale.low <= value <= scale.high for value in positive)


def test_positions() -> None:
    scale = linear_scale([0, 10], start=200, end=100)
    assert [scale(value) for value in (0, 2.5, 10, -5, 99)] == [200, 175, 100, 200, 100]
    scale = log_scale([1e-4, 1], start=0, end=100)
    assert [scale(value) for value in (1e-4, 1e-2, 1, 1e-9)] == pytest.approx([0, 50, 100, 0])


def test_when_a_log_axis_is_better() -> None:
    assert wants_log([0.1, 2.0])
    assert not wants_log([0.2, 2.0])
    assert not wants_log([0.0, 2.0])
    assert not wants_log([])
    assert wants_log([math.nan, 1, 100])


@pytest.mark.parametrize(
    ("value", "options", "text"),
    [
        (0, {}, "0"),
        (0.5, {}, "0.5"),
        (1200, {}, "1,200"),
        (0.0008, {}, "0.0008"),
        (1e-7, {}, "10⁻⁷"),
        (2.5e-10, {}, "2.5·10⁻¹⁰"),
        (-2e-6, {}, "-2·10⁻⁶"),
        (3e6, {}, "3·10⁶"),
        (0.01, {"power": True}, "10⁻²"),
        (0.855, {"percent": True}, "85.5 %"),
    ],
)
def test_tick_text(value: float, options: dict, text: str) -> None:
    assert tick_text(value, **options) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (True, "yes"),
        (False, "no"),
        (61706, "61,706"),
        (0.87654, "0.8765"),
        (1234567.8, "1,234,568"),
        (3.91e-7, "3.91·10⁻⁷"),
        (0.0, "0"),
        (math.nan, "nan"),
        (-math.inf, "-inf"),
        ([1, "a", 0.5], "1, a, 0.5"),
        ("as it is", "as it is"),
    ],
)
def test_number_text(value: object, text: str) -> None:
    assert number_text(value) == text


def test_digits_text() -> None:
    assert [digits_text(value) for value in (0.00147, 3.91e-7, math.inf)] == [
        "0.0015",
        "3.9·10⁻⁷",
        "not a number",
    ]
