"""The two looks of progress: plain lines, and a live bar on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Progress:
    """How far an epoch, an evaluation or a prediction has come.

    Attributes:
        title: what it is.
        steps: number of steps, `None` when not known.
        first: steps that were done before this run took the epoch up.
        done: steps done.
        samples: samples since `first`.
        started: when it began, in seconds.

    The first step compiles, so the speed is that of the steps after it as soon as there are any.
    """

    title: str = ""
    steps: int | None = None
    first: int = 0
    done: int = 0
    samples: int = 0
    started: float = field(default_factory=lambda: time.perf_counter())

    def __post_init__(self) -> None:
        self.done = self.first
        self._base = (self.first, 0, self.started)

    def advance(self, done: int, samples: int) -> None:
        """Notes that a step is done.

        Args:
            done: steps that are done now.
            samples: samples of the step.
        """
        self.done = done
        self.samples += samples
        if done == self.first + 1:
            self._base = (done, self.samples, time.perf_counter())

    def _since_base(self) -> tuple[int, int, float]:
        steps, samples, start = self._base
        if self.done <= steps:
            steps, samples, start = self.first, 0, self.started
        elapsed = max(time.perf_counter() - start, 1e-9)
        return max(self.done - steps, 1), self.samples - samples, elapsed

    def step_seconds(self) -> float:
        """Returns the mean time of a step."""
        steps, _, elapsed = self._since_base()
        return elapsed / steps

    def speed(self) -> str:
        """Returns the time per step and the samples per second."""
        text = f"{format_seconds(self.step_seconds())}/step"
        _, samples, elapsed = self._since_base()
        if samples:
            rate = samples / elapsed
            text += f" - {rate:,.0f} samples/s" if rate >= 10 else f" - {rate:.2f} samples/s"
        return text

    def time_left(self) -> str:
        """Returns the expected time to the end, empty when that is not known."""
        if self.steps is None or self.done <= self.first or self.done >= self.steps:
            return ""
        return format_clock((self.steps - self.done) * self.step_seconds())


def format_seconds(seconds: float) -> str:
    """Returns a short time such as `16ms` or `1.25s`."""
    if seconds >= 1:
        return f"{seconds:.2f}s" if seconds < 100 else f"{seconds:.0f}s"
    if seconds >= 1e-3:
        return f"{seconds * 1e3:.0f}ms"
    return f"{seconds * 1e6:.0f}us"


def format_clock(seconds: float) -> str:
    """Returns a long time as `m:ss` or `h:mm:ss`."""
    whole = round(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    if hours:
        return f"{hours}:{minutes:02}:{whole % 60:02}"
    return f"{minutes}:{whole % 60:02}"


def format_values(values: Mapping[str, Any] | None) -> str:
    """Returns loss and metrics as ` - loss: 0.4987 - acc: 0.7500`."""
    parts = []
    for name, value in (values or {}).items():
        numbers = value if isinstance(value, list | tuple) else [value]
        texts = [_format_number(number) for number in numbers if number is not None]
        if texts:
            parts.append(f"{name}: {' '.join(texts)}")
    return "".join(f" - {part}" for part in parts)


def _format_number(value: Any) -> str:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value)
    is_plain = number == 0 or 1e-3 <= abs(number) < 1e5
    return f"{number:.4f}" if is_plain or number != number else f"{number:.4e}"


class LineView:
    """Plain lines, in Paddle's form."""

    is_live = False
    samples_label: str | None = None

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        print(progress.title if progress.title[:5] == "Epoch" else f"{progress.title} begin...")

    def show(self, values: Mapping[str, Any] | None) -> None:
        """Prints a line."""
        progress = self.progress
        steps = "" if progress.steps is None else f"/{progress.steps}"
        width = 0 if progress.steps is None else len(str(progress.steps))
        left = progress.time_left()
        print(
            f"step {progress.done:{width}d}{steps}{format_values(values)} - {progress.speed()}"
            + (f" - ETA {left}" if left else ""),
            flush=True,
        )

    def close(self, values: Mapping[str, Any] | None) -> None:
        """Prints the last line."""
        if values is None:
            return
        self.show(values)
        if self.samples_label:
            print(f"{self.samples_label}: {self.progress.samples}", flush=True)


class LiveView:
    """A live bar that stays as one line when it is done."""

    is_live = True
    samples_label: str | None = None

    def __init__(self, progress: Progress) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TextColumn
        from rich.progress import Progress as RichProgress

        self.progress = progress
        self._bar = RichProgress(
            SpinnerColumn(finished_text=" "),
            TextColumn("[bold]{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.completed}/{task.fields[steps]}"),
            TextColumn("[cyan]{task.fields[values]}"),
            TextColumn("[green]{task.fields[speed]}"),
            TextColumn("[yellow]{task.fields[left]}"),
            console=Console(file=sys.stdout),
            refresh_per_second=4,
        )
        self._task = self._bar.add_task(
            progress.title,
            total=progress.steps,
            completed=progress.first,
            steps="?" if progress.steps is None else progress.steps,
            values="",
            speed="",
            left="",
        )
        self._bar.start()

    def show(self, values: Mapping[str, Any] | None) -> None:
        """Brings the bar up to date."""
        left = self.progress.time_left()
        self._bar.update(
            self._task,
            completed=self.progress.done,
            values=format_values(values).removeprefix(" - ").replace(" - ", "  "),
            speed=self.progress.speed().replace(" - ", "  "),
            left=f"ETA {left}" if left else "",
        )

    def close(self, values: Mapping[str, Any] | None) -> None:
        """Brings the bar up to date for the last time and leaves it there."""
        if values is not None:
            self.show(values)
        self._bar.stop()
