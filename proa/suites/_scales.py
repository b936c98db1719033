"""Axes of charts: where a value lies, which values get a tick, and how numbers are written."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# A curve that spans more than this factor hides its end on a linear axis.
_LOG_FROM = 20.0


@dataclass(frozen=True, kw_only=True)
class Scale:
    """Maps values of an axis to positions in a drawing.

    Attributes:
        low: value at `start`.
        high: value at `end`.
        start: position of `low`.
        end: position of `high`; smaller than `start` on a vertical axis.
        log: whether equal factors, not equal differences, are equally long.
        ticks: values that get a line and a label.
    """

    low: float
    high: float
    start: float
    end: float
    log: bool
    ticks: tuple[float, ...]

    def __call__(self, value: float) -> float:
        """Position of a value; values beyond the ends are put at the ends."""
        value = min(max(value, self.low), self.high)
        low, high = self.low, self.high
        if self.log:
            value, low, high = math.log10(value), math.log10(low), math.log10(high)
        return self.start + (self.end - self.start) * (value - low) / (high - low)


def linear_scale(
    values: Iterable[float], *, start: float, end: float, num_ticks: int = 5, tight: bool = False
) -> Scale:
    """A linear axis over all finite values.

    Args:
        values: what has to fit.
        start: position of the low end.
        end: position of the high end.
        num_ticks: about how many ticks to place.
        tight: whether the axis ends at the extreme values instead of at ticks.
    """
    finite = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(finite), max(finite)
    if low == high:
        low, high = low - (abs(low) or 1.0) * 0.1, high + (abs(high) or 1.0) * 0.1
    step = _nice_step((high - low) / num_ticks)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = [index * step for index in range(first, last + 1)]
    if tight:
        ticks = [tick for tick in ticks if low <= tick <= high]
    else:
        low, high = ticks[0], ticks[-1]
    return Scale(low=low, high=high, start=start, end=end, log=False, ticks=tuple(ticks))


def log_scale(values: Iterable[float], *, start: float, end: float, num_ticks: int = 7) -> Scale:
    """A logarithmic axis over all finite positive values, ending at ticks.

    Args:
        values: what has to fit.
        start: position of the low end.
        end: position of the high end.
        num_ticks: at most about how many ticks to place.
    """
    finite = [value for value in values if math.isfinite(value) and value > 0] or [0.1, 1.0]
    low, high = min(finite), max(finite)
    if math.log10(high / low) < 2:
        candidates = [
            mantissa * 10.0**power
            for power in range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
            for mantissa in (1, 2, 5)
        ]
        below = max(tick for tick in candidates if tick <= low * (1 + 1e-9))
        above = min((tick for tick in candidates if tick >= high * (1 - 1e-9)), default=high)
        ticks = [tick for tick in candidates if below <= tick <= above]
    else:
        first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
        stride = max(1, math.ceil((last - first) / num_ticks))
        ticks = [10.0**power for power in range(first, last + stride, stride)]
    if len(ticks) == 1:
        ticks = [ticks[0] / 10, ticks[0], ticks[0] * 10]
    return Scale(low=ticks[0], high=ticks[-1], start=start, end=end, log=True, ticks=tuple(ticks))


def wants_log(values: Sequence[float]) -> bool:
    """Whether positive values span so much that a logarithmic axis shows them better."""
    finite = [value for value in values if math.isfinite(value)]
    return bool(finite) and min(finite) > 0 and max(finite) / min(finite) >= _LOG_FROM


def _nice_step(raw: float) -> float:
    power = 10.0 ** math.floor(math.log10(raw))
    return next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= raw * 0.999)


def tick_text(value: float, *, percent: bool = False, power: bool = False) -> str:
    """A short label: `0.5`, `1,200`, `85 %`, `10⁻⁷`.

    Args:
        value: the value of the tick.
        percent: whether the value is a fraction to be shown in percent.
        power: whether to write a power of ten, as is done for very small and large values.
    """
    if percent:
        return f"{value * 100:.4g} %"
    if value and (power or abs(value) < 1e-4 or abs(value) >= 1e6):
        exponent = math.floor(math.log10(abs(value)) + 1e-9)
        mantissa = value / 10.0**exponent
        text = f"10{str(exponent).translate(_SUPERSCRIPTS)}"
        return text if math.isclose(mantissa, 1.0) else f"{mantissa:.3g}·{text}"
    return f"{value:,.6g}"


def digits_text(value: float) -> str:
    """A measured size in two digits: `0.0015`, `3.9·10⁻⁷`.

    Args:
        value: the size.
    """
    return tick_text(float(f"{value:.2g}")) if math.isfinite(value) else "not a number"


def number_text(value: object) -> str:
    """A value as a reader wants it: four digits, yes and no, lists with commas.

    Args:
        value: a number, text, `None`, or a list of these.
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        if value and math.isfinite(value) and abs(value) < 1e-4:
            return tick_text(value)
        return f"{value:,.4g}" if not abs(value) >= 1e4 else f"{value:,.0f}"
    if isinstance(value, list | tuple):
        return ", ".join(number_text(item) for item in value)
    return str(value)
