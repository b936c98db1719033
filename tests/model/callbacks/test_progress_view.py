from __future__ import annotations

import time
from typing import Any

import pytest

from proa.model.callbacks._progress_view import (
    LineView,
    Progress,
    format_clock,
    format_seconds,
    format_values,
)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0000123, "12us"), (0.0162, "16ms"), (1.254, "1.25s"), (99.999, "100.00s"), (123.4, "123s")],
)
def test_short_times(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "0:00"), (75, "1:15"), (59.7, "1:00"), (3725, "1:02:05")]
)
def test_long_times(seconds: float, text: str) -> None:
    assert format_clock(seconds) == text


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"loss": [0.49874], "acc": 0.75}, " - loss: 0.4987 - acc: 0.7500"),
        ({"loss": [1.0, 2.0]}, " - loss: 1.0000 2.0000"),
        (
            {"loss": [1.5e-7], "big": 2.5e7, "zero": 0},
            " - loss: 1.5000e-07 - big: 2.5000e+07 - zero: 0.0000",
        ),
        ({"loss": float("nan"), "none": None, "text": "x"}, " - loss: nan - text: x"),
        (None, ""),
    ],
)
def test_values(values: Any, text: str) -> None:
    assert format_values(values) == text


def test_the_first_step_does_not_count_for_the_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    progress = Progress("Epoch 1/1", steps=10)
    now[0] += 30.0  # compiling
    progress.advance(1, 4)
    assert progress.step_seconds() == 30.0
    for done in (2, 3):
        now[0] += 0.5
        progress.advance(done, 4)
    assert progress.step_seconds() == 0.5
    assert progress.speed() == "500ms/step - 8.00 samples/s"
    assert progress.time_left() == "0:04"
    progress.advance(10, 4)
    assert progress.time_left() == ""


def test_a_resumed_epoch_counts_from_where_it_was_taken_up(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    progress = Progress("Epoch 1/1", steps=10, first=6)
    assert (progress.done, progress.time_left()) == (6, "")
    for done in (7, 8):
        now[0] += 2.0
        progress.advance(done, 1)
    assert progress.time_left() == "0:04"


def test_lines_have_paddles_form(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    view = LineView(Progress("Eval", steps=100))
    view.samples_label = "Eval samples"
    for done in range(1, 101):
        now[0] += 0.02
        view.progress.advance(done, 32)
        if done in (50, 100):
            values = {"loss": [0.5], "acc": 0.25}
            view.show(values) if done < 100 else view.close(values)
    assert capsys.readouterr().out.splitlines() == [
        "Eval begin...",
        "step  50/100 - loss: 0.5000 - acc: 0.2500 - 20ms/step - 1,600 samples/s - ETA 0:01",
        "step 100/100 - loss: 0.5000 - acc: 0.2500 - 20ms/step - 1,600 samples/s",
        "Eval samples: 3200",
    ]


def test_an_unknown_length_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    view = LineView(Progress("Epoch 1/1"))
    view.progress.advance(3, 0)
    view.show({"loss": [1.0]})
    first, second = capsys.readouterr().out.splitlines()
    assert first == "Epoch 1/1"
    assert second.startswith("step 3 - loss: 1.0000 - ")
    assert "ETA" not in second
