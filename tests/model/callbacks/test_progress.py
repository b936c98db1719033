from __future__ import annotations

import io
import re
import sys
from contextlib import redirect_stdout
from typing import Any

import pytest

import proa
from proa.callbacks import Callback, ProgBarLogger
from proa.core import InvalidArgumentError
from proa.model.callbacks import _progress
from tests.model.toy import Points, make_model

_TIMES = re.compile(r" - \d[\d.]*(us|ms|s)/step - [\d,.]+ samples/s( - ETA [\d:]+)?$")


def _fit(verbose: int, **options: Any) -> None:
    model = make_model(proa.metric.Accuracy())
    model.fit(Points(), Points(4), batch_size=4, log_freq=2, verbose=verbose, **options)


def _shape_of(line: str) -> str:
    line = _TIMES.sub("", line)
    return re.sub(r"\d\.\d{4}", "#", line)


# The lines that paddle 3.3.1 prints, but for the samples per second and the time left.
@pytest.mark.parametrize(
    ("verbose", "steps"),
    [
        (2, ["step 2/5", "step 4/5", "step 5/5"]),
        (1, ["step 5/5"]),
    ],
)
def test_plain_lines_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], verbose: int, steps: list[str]
) -> None:
    _fit(verbose)
    lines = capsys.readouterr().out.splitlines()
    values = " - loss: # - acc: #"
    assert [_shape_of(line) for line in lines] == [
        "Epoch 1/1",
        *(step + values for step in steps),
        "Eval begin...",
        "step 1/1" + values,
        "Eval samples: 4",
    ]


def test_silence(capsys: pytest.CaptureFixture[str]) -> None:
    _fit(0)
    assert capsys.readouterr().out == ""


def test_predictions_have_no_values(capsys: pytest.CaptureFixture[str]) -> None:
    make_model().predict(Points(8), batch_size=4, verbose=1)
    lines = capsys.readouterr().out.splitlines()
    assert [_shape_of(line) for line in lines] == [
        *("Predict begin...", "step 2/2", "Predict samples: 8"),
    ]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(name="terminal")
def _terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "140")
    return Terminal()


def _plain(terminal: Terminal) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", terminal.getvalue())


def test_a_live_bar_on_a_terminal(terminal: Terminal) -> None:
    with redirect_stdout(terminal):
        _fit(2, callbacks=Speak())
    text = _plain(terminal)
    assert re.search(r"Epoch 1/1 .*5/5 +loss: \d\.\d{4} +acc: \d\.\d{4} +\S+/step", text)
    assert re.search(r"Eval .*1/1", text)
    # What others print stands above the bar.
    assert "spoken at 3\n" in text


class Speak(Callback):
    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        if step == 3:
            print("spoken at 3")


class Count(Callback):
    """Counts how often the values were fetched before the end of an epoch."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched = 0

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        self.fetched += "loss" not in logs._late


def test_the_bar_fetches_values_a_few_times_a_second(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    for refresh, expected in ((3600.0, 0), (0.0, 5)):
        monkeypatch.setattr(_progress, "_REFRESH", refresh)
        count = Count()
        with redirect_stdout(terminal):
            _fit(2, callbacks=count)
        assert count.fetched == expected


class Fail(Callback):
    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        raise ValueError("of the user")


def test_an_error_gets_the_terminal_back(terminal: Terminal) -> None:
    with redirect_stdout(terminal):
        with pytest.raises(ValueError, match="of the user"):
            _fit(2, callbacks=Fail())
        # The streams are the ones from before, and the cursor is shown again.
        assert sys.stdout is terminal
    assert terminal.getvalue().rstrip().endswith("\x1b[?25h")


@pytest.mark.parametrize(
    ("options", "message"),
    [({"log_freq": 0}, "`log_freq` is 0"), ({"verbose": 3}, "`verbose` is 3")],
)
def test_numbers_out_of_range_are_named(options: Any, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"ProgBarLogger: {message}"):
        ProgBarLogger(**options)
